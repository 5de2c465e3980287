"""``validate``: does nstar keep its promises? Claims, cells, outcomes.

A claim is a function decorated with ``CLAIMS.add`` that yields jobs, in a module named here.
"""

from nstar._verbs.validate.anytime import peeking, peeking_graded
from nstar._verbs.validate.boards import equal_boards, ladders
from nstar._verbs.validate.claim import CLAIMS, Ask, Promise, TestedPromise
from nstar._verbs.validate.coverage import mean_coverage, paired_coverage
from nstar._verbs.validate.gates import gate_alarms, gate_passes
from nstar._verbs.validate.judge import Judged
from nstar._verbs.validate.levels import cluster_level, mcnemar_level, mean_level
from nstar._verbs.validate.margins import equivalence_level, margin_plan
from nstar._verbs.validate.passes import pass_coverage
from nstar._verbs.validate.power import graded_plan, paired_plan
from nstar._verbs.validate.ratios import ratio_coverage, rho_coverage
from nstar._verbs.validate.reading import CellReading
from nstar._verbs.validate.real import real_pairs
from nstar._verbs.validate.result import Validation
from nstar._verbs.validate.run import validate
from nstar._verbs.validate.settling import few_groups, one_sided_plan
from nstar._verbs.validate.words import equivalent_words, significant_words

__all__ = [
    "CLAIMS",
    "Ask",
    "CellReading",
    "Judged",
    "Promise",
    "TestedPromise",
    "Validation",
    "cluster_level",
    "equal_boards",
    "equivalence_level",
    "equivalent_words",
    "few_groups",
    "gate_alarms",
    "gate_passes",
    "graded_plan",
    "ladders",
    "margin_plan",
    "mcnemar_level",
    "mean_coverage",
    "mean_level",
    "one_sided_plan",
    "paired_coverage",
    "paired_plan",
    "pass_coverage",
    "peeking",
    "peeking_graded",
    "ratio_coverage",
    "real_pairs",
    "rho_coverage",
    "significant_words",
    "validate",
]
