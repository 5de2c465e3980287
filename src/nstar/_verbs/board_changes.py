"""Changes between two snapshots of a leaderboard, each with the step that explains it."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from nstar._base.types import Count, Interval
from nstar._verbs.verdict import BoardVerdict

ReplayStep: TypeAlias = Literal["scores", "votes", "removed_models", "items", "new_models"]
"""Step of a replay. Each step replaces one part of the older board by that of the newer one."""
ChangeReason: TypeAlias = Literal[
    "scores", "votes", "removed_models", "items", "new_models", "family_size"
]
"""Reason of a change: a step, or only the number of models that the adjustment accounts for."""
RankMethod: TypeAlias = Literal["maxt", "holm", "anytime", "none"]
"""Method of the rank ranges."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedBoard:
    """A board of the replay, from the older snapshot to the newer one."""

    step: ReplayStep | None
    """Part that was replaced; None for the older board."""
    n_models: Count
    """Number of ranked models."""
    n_units: Count
    """Number of items, or of votes."""
    critical_value: float | None
    """Absolute t at which a gap is significant among all pairs of the board."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChange:
    """Change of the score of one model: between two runs, or because of other items."""

    model: str
    """Name of the model."""
    n_items: Count
    """Number of items of the comparison."""
    n_changed: Count
    """Number of items on which the score differs between the runs; 0 for other items."""
    change: float
    """New minus old, in score units. For other items, the mean of all models is subtracted."""
    ci: Interval
    """Adjusted interval of the change."""
    pvalue_adjusted: float
    """p-value of no change, adjusted for all models of this list by Holm's method."""
    is_significant: bool
    """Whether the change is significant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictChange:
    """A pair of models whose verdict differs between the two snapshots."""

    model_a: str
    """First model, which has the better rank now."""
    model_b: str
    """Second model."""
    old_verdict: BoardVerdict
    """Verdict in the older snapshot."""
    verdict: BoardVerdict
    """Verdict now."""
    old_gap: float | None
    """Gap in the older snapshot, first minus second; None without shared items."""
    old_ci: Interval | None
    """Adjusted interval of the older gap."""
    gap: float | None
    """Gap now."""
    ci: Interval | None
    """Adjusted interval of the gap now."""
    reason: ChangeReason | None
    """Step from which on the verdict differs. If only the number of models changed in that step,
    the reason is ``family_size``. None if the older snapshot has no scores of items.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class RankChange:
    """A model whose rank range differs between the two snapshots."""

    model: str
    """Name of the model."""
    old_low: Count
    """Best rank that the older data support."""
    old_high: Count
    """Worst rank that the older data support."""
    low: Count
    """Best rank that the data support now."""
    high: Count
    """Worst rank that the data support now."""
    reasons: tuple[ChangeReason, ...]
    """Steps in which the range changed, in order, from the one from which on it differs. Empty if
    the older snapshot has no scores of items.
    """
    pair: VerdictChange | None = None
    """Pair of this model whose verdict changed in the first of these steps; None if only other
    models entered or left, or without such a pair.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardChanges:
    """Changes of a leaderboard since an older snapshot.

    A change of a rank range or of a verdict is no evidence that a model changed. Only ``reruns``
    and ``item_effects`` test that.
    """

    since: str
    """Name of the older snapshot."""
    has_reasons: bool
    """Whether the older snapshot has the scores or votes that reasons require."""
    models_added: tuple[str, ...]
    """Models that only the newer snapshot ranks."""
    models_removed: tuple[str, ...]
    """Models that only the older snapshot ranks."""
    n_units_old: Count
    """Number of items, or of votes, of the older snapshot."""
    n_units: Count
    """Number of items, or of votes, now."""
    n_added: Count | None
    """Number of new items or votes; None if unknown."""
    n_removed: Count | None
    """Number of items or votes that only the older snapshot has; None if unknown."""
    old_method: RankMethod
    """Method of the rank ranges of the older snapshot alone."""
    method: RankMethod
    """Method of the rank ranges now. With ``holm``, the replay uses it for the older snapshot too.
    """
    boards: tuple[ReplayedBoard, ...]
    """Boards of the replay, in order; empty without reasons."""
    n_models_compared: Count
    """Number of models that both snapshots rank."""
    rank_changes: tuple[RankChange, ...]
    """Models of both snapshots whose rank range differs, best first."""
    verdict_changes: tuple[VerdictChange, ...]
    """Changed verdicts of pairs that are adjacent in either snapshot, or that explain a changed
    rank range, best first.
    """
    n_verdict_changes: Count | None
    """Number of changed verdicts among all pairs of these models; None if unknown."""
    n_corrected: Count = 0
    """Number of items with the same id and another text. They count as different items."""
    items_corrected: tuple[str, ...] = ()
    """Ids of these items, at most 20."""
    reruns: tuple[ModelChange, ...] = ()
    """Models with other scores on the same items, compared with their older scores."""
    item_effects: tuple[ModelChange, ...] = ()
    """Effect of new and removed items on each model's lead over the mean of all models."""
