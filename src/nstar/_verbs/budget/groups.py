"""Effect on a plan if future tasks come from groups other than those of the pilot.

The data cannot show whether groups such as subjects define the benchmark or are a sample. A plan
therefore assumes the same groups, and this module computes the alternative.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray, CountOrInf, FloatOrInf, IntArray
from nstar._verbs.plan import Design, Graded, plan
from nstar._verbs.verdict import Criteria
from nstar.errors import InfeasibleError

if TYPE_CHECKING:
    from nstar._data.matrix import Grouping

_MOST_ICC = 0.99


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupNoise:
    """Similarity of differences within the groups of one column of a pilot."""

    column: str
    """Group column."""
    n_groups: int
    """Number of groups of the pilot's tasks."""
    cluster_size: float
    """Mean group size, averaged over tasks, Σm²/N."""
    shared2: float | None
    """Variance that the tasks of a group share, in squared score units, from the observed design
    effect. It is 0 if groups happen to balance one another, and None if only one model was run.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPlan:
    """The same plan for groups other than the pilot's, of the same size.

    The numbers are those of ``nstar plan --sd-diff sd --icc icc --cluster-size cluster_size``.
    """

    column: str
    """Group column."""
    n_groups: int
    """Number of groups of the pilot's tasks."""
    cluster_size: float
    """Mean group size, averaged over tasks, Σm²/N, to four digits."""
    sd: float | None = None
    """Standard deviation of the difference on one task, to four digits; None if only one model was
    run, or if a run shares an effect over all tasks.
    """
    icc: float | None = None
    """Intraclass correlation of the difference, to three digits."""
    design_effect: float | None = None
    """Design effect 1 + (cluster_size - 1) icc."""
    n_star: CountOrInf | None = None
    """Number of tasks needed to detect the gap; None without a gap, infinite if none suffices."""
    mde: FloatOrInf | None = None
    """Smallest gap that the planned tasks can detect; None for fewer than two groups."""
    power: float | None = None
    """Power of the planned tasks for the gap, if a budget was also set."""


def kept_groups(groups: "Mapping[str, Grouping]", keep_mask: BoolArray) -> dict[str, IntArray]:
    """Return the groups of the tasks, for columns with several informative groups."""
    out = {}
    for column, grouping in groups.items():
        used, codes = np.unique(grouping.codes[keep_mask], return_inverse=True)
        if 1 < used.size < codes.size:
            out[column] = codes.reshape(-1).astype(np.int64)
    return out


def group_noise(d: Array | None, groups: Mapping[str, IntArray]) -> tuple[GroupNoise, ...]:
    """Return the noise of the differences on all tasks, for each column.

    Return None for a pilot of one model.
    """
    return tuple(_noise(column, d, codes) for column, codes in groups.items())


def _noise(column: str, d: Array | None, codes: IntArray) -> GroupNoise:
    sizes = np.bincount(codes)
    shared2 = None
    if d is not None:
        spread, sums = float(d.var(ddof=1)), np.bincount(codes, weights=d - d.mean())
        if spread > 0:
            effect = float(stats.cluster_variance(sums, sizes)) / (spread / d.size)
            shared2 = spread * max(float(stats.planning_icc(effect, sizes)), 0.0)
    return GroupNoise(
        column=column,
        n_groups=sizes.size,
        cluster_size=float(stats.mean_cluster_size(sizes)),
        shared2=shared2,
    )


def _figures(x: float, figures: int) -> float:
    return float(f"{x:.{figures}g}")


def group_plan(
    noise: GroupNoise,
    variance: float | None,
    criteria: Criteria,
    *,
    delta: float | None,
    tasks: int | None,
) -> GroupPlan:
    """Return the plan if future tasks come from other groups of this column.

    ``variance`` is that of the difference on one task at the planned runs, or None if it is
    unknown. ``delta`` and ``tasks`` are set if they are known.
    """
    size = _figures(noise.cluster_size, 4)
    if noise.shared2 is None or not variance:
        return GroupPlan(column=noise.column, n_groups=noise.n_groups, cluster_size=size)
    sd = _figures(math.sqrt(variance), 4)
    icc = _figures(min(noise.shared2 / variance, _MOST_ICC), 3)
    unit = max(1.0, 2 * (delta or 0.0))  # the unit of scores cancels
    design = Design(noise=Graded(sd=sd / unit), icc=icc, cluster_size=size)
    gap = None if delta is None else delta / unit
    mde = power = None
    if tasks is not None and tasks >= 2 * size:
        other_plan = plan(design, items=tasks, delta=gap, criteria=criteria)
        mde, power = (other_plan.mde or math.inf) * unit, other_plan.power if gap else None
    return GroupPlan(
        column=noise.column,
        n_groups=noise.n_groups,
        cluster_size=size,
        sd=sd,
        icc=icc,
        design_effect=1 + (size - 1) * icc,
        n_star=None if gap is None else _needed(design, gap, criteria),
        mde=mde,
        power=power,
    )


def _needed(design: Design, gap: float, criteria: Criteria) -> float:
    try:
        return plan(design, delta=gap, criteria=criteria).n_star or math.inf
    except InfeasibleError:
        return math.inf
