"""Items that pass less often with the candidate, and the number expected by chance alone.

Single items do not decide: some always do worse by chance. If nothing changed, the runs of an item
are exchangeable between the two models, whatever its success rate.
"""

from dataclasses import dataclass

import numpy as np

from nstar._base.types import Array, IntArray
from nstar._verbs.compare.sample import PairedSample
from nstar._verbs.gate.task_rule import PassCounts, passes
from nstar._verbs.runs.rule import number_range
from nstar.stats._hypergeometric import dealt

_LISTED = 100
"""Largest number of items of either kind that a result names; all of them are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedItem:
    """An item that passes more often with one model."""

    item: str
    """Name of the item."""
    is_lost: bool
    """Whether it passes less often with the candidate; False: more often."""
    candidate: tuple[int, int]
    """Passes and runs of the candidate."""
    baseline: tuple[int, int]
    """Passes and runs of the baseline."""
    pvalue: float
    """Probability of a difference this large or larger in this direction, if the runs of this item
    were assigned to the two models at random."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemTotals:
    """Items that changed in one direction, and the number expected by chance alone."""

    n_items: int
    """Number of items that changed."""
    n_runs: float
    """Candidate's passes in excess of the baseline's rate on these items."""
    n_items_by_chance: float
    """Expected number of changed items if runs were assigned at random."""
    n_items_by_chance_range: tuple[int, int]
    """Range of this number, with the coverage of the interval of the gap."""
    n_runs_by_chance: float
    """Expected number of changed runs if runs were assigned at random."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemChanges:
    """Items that pass less often or more often with the candidate."""

    lost: ItemTotals
    """Items that pass less often."""
    gained: ItemTotals
    """Items that pass more often."""
    items: tuple[ChangedItem, ...]
    """Changed items with the smallest p-values, lost ones first, at most 100 of either kind."""


def _gain(passed_a: IntArray, runs_a: IntArray, passed_b: IntArray, runs_b: IntArray) -> Array:
    """Return the passes of the candidate in excess of the baseline's rate."""
    gain = passed_a - passed_b * runs_a / np.maximum(runs_b, 1)
    return np.asarray(np.where(np.abs(gain) < 1e-9, 0.0, gain))


def _expected(a: PassCounts, b: PassCounts) -> tuple[Array, Array, IntArray]:
    """Return, by item, the distribution of gains under random assignment, and the observed one."""
    cells = np.stack([a.passed + b.passed, a.runs + b.runs, a.runs], axis=1)
    unique_cells, place = np.unique(cells, axis=0, return_inverse=True)
    total, runs, own_runs = unique_cells.T
    law = dealt(total, runs, own_runs)
    x = np.arange(law.shape[1])[None]
    gain = _gain(x, own_runs[:, None], total[:, None] - x, (runs - own_runs)[:, None])
    return law, gain, place.reshape(-1)


def item_changes(sample: PairedSample, conf: float) -> ItemChanges | None:
    """Return the changes of the items that both models ran.

    None unless scores are passes and fails.
    """
    if sample.correction is not None or sample.lower_is_better:
        return None
    sample = sample.as_binary()
    a = passes(sample.a, sample.runs_a, sample.within_a)
    b = passes(sample.b, sample.runs_b, sample.within_b)
    if a is None or b is None:
        return None
    in_both = np.flatnonzero((a.runs > 0) & (b.runs > 0))
    if not in_both.size:
        return None
    a, b = a.on(in_both), b.on(in_both)
    observed_gain = _gain(a.passed, a.runs, b.passed, b.runs)
    law, gain, place = _expected(a, b)
    totals, changed = [], []
    for lost in (True, False):
        sign = -1 if lost else 1
        chance = (law * (sign * gain > 0)).sum(axis=1)[place]
        size = (law * np.maximum(sign * gain, 0.0)).sum(axis=1)[place]
        indices = np.flatnonzero(sign * observed_gain > 0)
        totals.append(
            ItemTotals(
                n_items=indices.size,
                n_runs=float(np.abs(observed_gain[indices]).sum()),
                n_items_by_chance=float(chance.sum()),
                n_items_by_chance_range=number_range(chance[chance > 0], conf),
                n_runs_by_chance=float(size.sum()),
            )
        )
        beyond = sign * gain[place[indices]] >= sign * observed_gain[indices, None] - 1e-9
        luck = (law[place[indices]] * beyond).sum(axis=1)
        for k in np.argsort(luck, kind="stable")[:_LISTED].tolist():
            i = int(indices[k])
            column = int(in_both[i])
            changed.append(
                ChangedItem(
                    item=sample.items[column] if sample.items else str(column),
                    is_lost=lost,
                    candidate=(int(a.passed[i]), int(a.runs[i])),
                    baseline=(int(b.passed[i]), int(b.runs[i])),
                    pvalue=min(float(luck[k]), 1.0),
                )
            )
    return ItemChanges(lost=totals[0], gained=totals[1], items=tuple(changed))
