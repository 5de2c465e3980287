"""``claim``: what two printed accuracies can and cannot support, without per-item data."""

from nstar._verbs.claim.judge import judged
from nstar._verbs.claim.printed import Printed
from nstar._verbs.claim.result import (
    Claim,
    ClaimRow,
    CountRange,
    Fit,
    IntervalCheck,
    PValueCheck,
    SizeCheck,
    Together,
)
from nstar._verbs.claim.scores import PmIs, PmRow, PrintedScore, ScoreClaim, judged_scores
from nstar._verbs.claim.table import (
    Lead,
    LeftOut,
    MostWins,
    TableClaim,
    TableColumn,
    judged_table,
)
from nstar._verbs.claim.unpaired import UnpairedClaim, judged_apart
from nstar._verbs.claim.wins import WinsClaim, judged_wins

__all__ = [
    "Claim",
    "ClaimRow",
    "CountRange",
    "Fit",
    "IntervalCheck",
    "Lead",
    "LeftOut",
    "MostWins",
    "PValueCheck",
    "PmIs",
    "PmRow",
    "Printed",
    "PrintedScore",
    "ScoreClaim",
    "SizeCheck",
    "TableClaim",
    "TableColumn",
    "Together",
    "UnpairedClaim",
    "WinsClaim",
    "judged",
    "judged_apart",
    "judged_scores",
    "judged_table",
    "judged_wins",
]
