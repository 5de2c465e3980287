"""Evaluate which conclusions two reported accuracies support, without per-item data."""

from nstar._verbs.claim.evaluate import judged
from nstar._verbs.claim.gap import GapClaim, judged_gap
from nstar._verbs.claim.listing import (
    ClaimList,
    ListedClaim,
    SkippedClaim,
    claim_tally,
    listed,
)
from nstar._verbs.claim.printed import PrintedFigures
from nstar._verbs.claim.result import (
    Claim,
    ClaimRow,
    CountRange,
    IntervalCheck,
    JointMatch,
    MethodMatch,
    PValueCheck,
    SizeCheck,
)
from nstar._verbs.claim.scores import PlusMinusRow, PrintedScore, ScoreClaim, judged_scores
from nstar._verbs.claim.table import (
    ColumnLead,
    MostWins,
    SkippedColumn,
    TableClaim,
    TableColumn,
    judged_table,
)
from nstar._verbs.claim.unpaired import UnpairedClaim, judged_apart
from nstar._verbs.claim.wins import WinsClaim, judged_wins

__all__ = [
    "Claim",
    "ClaimList",
    "ClaimRow",
    "ColumnLead",
    "CountRange",
    "GapClaim",
    "IntervalCheck",
    "JointMatch",
    "ListedClaim",
    "MethodMatch",
    "MostWins",
    "PValueCheck",
    "PlusMinusRow",
    "PrintedFigures",
    "PrintedScore",
    "ScoreClaim",
    "SizeCheck",
    "SkippedClaim",
    "SkippedColumn",
    "TableClaim",
    "TableColumn",
    "UnpairedClaim",
    "WinsClaim",
    "claim_tally",
    "judged",
    "judged_apart",
    "judged_gap",
    "judged_scores",
    "judged_table",
    "judged_wins",
    "listed",
]
