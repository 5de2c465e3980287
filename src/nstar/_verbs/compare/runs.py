"""Repeated runs: split the error of the gap into parts between items and between runs.

The item is the unit for any number of runs. With n runs per cell the squared error of the gap is
[sigma_b² + sigma_wa² / n_a + sigma_wb² / n_b] / items. If cells have different numbers of runs,
each cell's own variance over its own number of runs is averaged.
"""

import numpy as np

from nstar import stats
from nstar._base.types import Array, IntArray
from nstar._verbs.compare.sample import CommonItems
from nstar._verbs.compare.task_comparison import RunRange, RunVariance
from nstar._verbs.verdict import Criteria


def _part(within: Array | None, runs: IntArray | None) -> tuple[float | None, float | None, int]:
    """Return the mean variances within a cell and of its mean, and the cells with assumed ones."""
    if within is None or runs is None:
        return None, None, 0
    is_known = ~np.isnan(within)
    if not is_known.any():
        return None, None, 0
    usual = float(within[is_known].mean())
    of_mean = np.where(is_known, within, usual) / runs
    return usual, float(of_mean.mean()), int((~is_known).sum())


def _range(runs: IntArray | None) -> RunRange:
    return RunRange(1, 1) if runs is None else RunRange(int(runs.min()), int(runs.max()))


def gap_of_variance(variance: float, items: int, criteria: Criteria) -> float:
    """Return the gap that the paired t test detects at this variance of a difference.

    0 without any.
    """
    if variance == 0:
        return 0.0
    rule = {"alpha": criteria.alpha, "power": criteria.power}
    return float(stats.t_mde(items, sigma=np.sqrt(variance), sides=criteria.sides, **rule))


def run_split(shared: CommonItems, d: Array, criteria: Criteria) -> RunVariance | None:
    """Return the parts of the variance of the gap; None for single runs or one item."""
    if not shared.repeated or d.size < 2:
        return None
    k, spread = d.size, float(d.var(ddof=1))
    wa2, mean_a, lone_a = _part(shared.within_a, shared.runs_a)
    wb2, mean_b, lone_b = _part(shared.within_b, shared.runs_b)
    raw = None if mean_a is None or mean_b is None else spread - mean_a - mean_b
    between = None if raw is None else max(raw, 0.0)
    removable = floor = None
    if between is not None:
        removable = 1 - between / spread if spread > 0 else None
        floor = gap_of_variance(between, k, criteria)
    return RunVariance(
        n_runs_a=_range(shared.runs_a),
        n_runs_b=_range(shared.runs_b),
        variance=spread / k,
        run_part_a=None if mean_a is None else mean_a / k,
        run_part_b=None if mean_b is None else mean_b / k,
        item_part=None if raw is None else raw / k,
        sigma_wa2=wa2,
        sigma_wb2=wb2,
        sigma_b2=between,
        removable_share=removable,
        mde_floor=floor,
        n_assumed=lone_a + lone_b,
    )
