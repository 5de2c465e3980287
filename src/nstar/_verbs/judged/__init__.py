"""Two models compared by a judge's scores of all items, corrected by human labels of some."""

from nstar._verbs.judged.board import JudgedModelRow, JudgedRanking, corrected_matrix
from nstar._verbs.judged.correct import JudgedQuestion, compare_judged
from nstar._verbs.judged.result import Judged, JudgedGap, JudgedModel

__all__ = [
    "Judged",
    "JudgedGap",
    "JudgedModel",
    "JudgedModelRow",
    "JudgedQuestion",
    "JudgedRanking",
    "compare_judged",
    "corrected_matrix",
]
