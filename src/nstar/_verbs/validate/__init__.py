"""``validate``: does nstar keep its promises? Claims, cells, outcomes.

A claim is a function decorated with ``CLAIMS.add`` that yields jobs, in a module named here.
"""

from nstar._verbs.validate import (
    anytime,
    board_plans,
    boards,
    cluster_margins,
    coverage,
    gates,
    judges,
    known,
    levels,
    margins,
    power,
    races,
    ratios,
    real_scores,
    small_samples,
    sparse_groups,
    verdict_errors,
    vote_plans,
    votes,
)
from nstar._verbs.validate.promise import (
    CLAIMS,
    CellRate,
    Promise,
    TestedPromise,
    ValidationRequest,
)
from nstar._verbs.validate.result import CellVerdict, Validation
from nstar._verbs.validate.run import validate

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
    "gates",
    "judges",
    "known",
    "levels",
    "margins",
    "power",
    "races",
    "ratios",
    "real_scores",
    "small_samples",
    "sparse_groups",
    "validate",
    "verdict_errors",
    "vote_plans",
    "votes",
]
