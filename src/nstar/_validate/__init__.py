"""``validate``: does nstar keep its promises? Claims, cells, outcomes.

A claim is a function decorated with ``CLAIMS.add`` that yields jobs, in a module named here.
"""

from nstar._validate.anytime import peeking, peeking_graded
from nstar._validate.boards import equal_boards, ladders
from nstar._validate.claim import CLAIMS, Ask, Checked, Claim
from nstar._validate.coverage import mean_coverage, paired_coverage
from nstar._validate.gates import gate_alarms, gate_passes
from nstar._validate.judge import Judged
from nstar._validate.levels import cluster_level, mcnemar_level, mean_level
from nstar._validate.margins import equivalence_level, margin_plan
from nstar._validate.passes import pass_coverage
from nstar._validate.power import graded_plan, paired_plan
from nstar._validate.ratios import ratio_coverage, rho_coverage
from nstar._validate.reading import Reading
from nstar._validate.real import real_pairs
from nstar._validate.result import Validation, restored
from nstar._validate.run import validate
from nstar._validate.settling import few_groups, one_sided_plan
from nstar._validate.words import equivalent_words, significant_words

__all__ = [
    "CLAIMS",
    "Ask",
    "Checked",
    "Claim",
    "Judged",
    "Reading",
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
    "restored",
    "rho_coverage",
    "significant_words",
    "validate",
]
