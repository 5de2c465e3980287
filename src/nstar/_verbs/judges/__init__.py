"""Measure several judges of the same answers: agreement with labels and each other, and value."""

from nstar._verbs.judges.measure import measured
from nstar._verbs.judges.result import JudgePair, JudgeRow, Judges, VarianceShares
from nstar._verbs.judges.sample import JudgesSample, sampled

__all__ = [
    "JudgePair",
    "JudgeRow",
    "Judges",
    "JudgesSample",
    "VarianceShares",
    "measured",
    "sampled",
]
