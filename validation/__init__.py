"""Check the error rates, coverage, and power that nstar states, by simulation and enumeration.

A program of the repository, not of the package: ``python -m validation`` in a checkout.

A claim is a function decorated with ``CLAIMS.add`` that yields jobs, in a module named here.
"""

from validation import (
    anytime,
    board_plans,
    boards,
    cluster_margins,
    coverage,
    drawn_labels,
    gates,
    judges,
    known,
    levels,
    margins,
    metrics,
    power,
    races,
    ratios,
    real_scores,
    small_samples,
    snapshots,
    sparse_groups,
    tasks,
    thresholds,
    verdict_errors,
    vote_plans,
    votes,
)
from validation.promise import (
    CLAIMS,
    CellRate,
    Promise,
    TestedPromise,
    ValidationRequest,
)
from validation.result import CellVerdict, Validation
from validation.run import validate

__all__ = [
    "CLAIMS",
    "CellRate",
    "CellVerdict",
    "Promise",
    "TestedPromise",
    "Validation",
    "ValidationRequest",
    "anytime",
    "board_plans",
    "boards",
    "cluster_margins",
    "coverage",
    "drawn_labels",
    "gates",
    "judges",
    "known",
    "levels",
    "margins",
    "metrics",
    "power",
    "races",
    "ratios",
    "real_scores",
    "small_samples",
    "snapshots",
    "sparse_groups",
    "tasks",
    "thresholds",
    "validate",
    "verdict_errors",
    "vote_plans",
    "votes",
]
