"""Several judges of the same answers: who agrees with people, with whom, and what it is worth."""

from nstar._verbs.judges.measure import measured
from nstar._verbs.judges.result import ErrorShares, JudgePair, JudgeRow, Judges
from nstar._verbs.judges.sample import JudgesSample, sampled

__all__ = [
    "ErrorShares",
    "JudgePair",
    "JudgeRow",
    "Judges",
    "JudgesSample",
    "measured",
    "sampled",
]
