"""The gap in a benchmark's own score, from items that were drawn from it by strata."""

from collections.abc import Sequence

import numpy as np

from nstar._data.findings import Finding, find
from nstar._data.matrix import ScoreMatrix
from nstar._data.weights import Weights
from nstar.stats import cluster_sums, stratified_mean, t_quantile

_CONF = 0.95


def _signed(gap: float, *, points: bool) -> str:
    """A gap in points or in score units."""
    return (f"{100 * gap:+.2f} pp" if points else f"{gap:+.4g}").replace("-", "−")


def whole_benchmark(
    matrix: ScoreMatrix, weights: Weights, models: Sequence[str]
) -> tuple[Finding, ...]:
    """What a list of ``nstar shrink`` says of two models on all items that it was drawn from.

    An item's weight is the number of items that it stands for. Nothing is estimated unless there
    are two models, and both have every item of the list.
    """
    strata = weights.strata
    task = matrix.task or None
    if len(models) != 2 or not strata or any(of not in (None, task) for of, _ in strata):
        return ()
    gaps = matrix.row(models[0]) - matrix.row(models[1])
    labels = [strata.get((task, item), strata.get((None, item))) for item in matrix.items]
    lacking = len(strata) - int(np.count_nonzero(~np.isnan(gaps)))
    if None in labels or lacking < 0:
        return ()
    if lacking:
        text = (
            "the gap in the benchmark's own score is not told: both models have "
            f"{len(strata) - lacking:,} of the {len(strata):,} items of the list"
        )
        return (find("whole-benchmark", text),)
    codes = np.unique(np.array(labels, dtype=np.str_), return_inverse=True)[1]
    sums = cluster_sums(gaps, codes)
    totals = np.rint(np.bincount(codes, weights=weights.on(matrix)))
    short = (sums.sizes < 2) & (sums.sizes < totals)
    if short.any() or (totals < sums.sizes).any():
        return ()
    found = stratified_mean(sums.sums, sums.squares, sums.sizes, totals)
    reach = float(t_quantile((1 + _CONF) / 2, gaps.size - len(totals)) * found.se)
    middle, total = float(found.estimate), int(totals.sum())
    low, high = middle - reach, middle + reach
    errors = (float(found.se), float(found.claim_se))
    points = all(((row >= 0) & (row <= 1)).all() for row in map(matrix.row, models))
    told = [_signed(x, points=points) for x in (middle, low, high)]
    told += [_signed(x, points=points).lstrip("+") for x in errors]
    text = (
        f"as the score of all {total:,} items that these {gaps.size:,} were drawn from, by "
        f"{len(totals)} strata: gap {told[0]}, 95 % interval {told[1]} to {told[2]} (standard "
        f"error {told[3]}; as a claim about such questions {told[4]})"
    )
    return (find("whole-benchmark", text),)
