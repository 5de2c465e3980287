"""Scenarios in which a judge scores all items and people label a random part of them."""

from functools import lru_cache

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array
from nstar._verbs.simulate.judged_sums import GroupedSums, JudgedSums
from nstar._verbs.simulate.scenarios.base import SCENARIOS, correlated, counted, normals
from nstar._verbs.simulate.scenarios.graded import level_of, level_steps
from nstar._verbs.simulate.scenarios.grouped import cluster_sizes
from nstar._verbs.simulate.scenarios.latent import latent_of_levels

_VALUES = np.array([-1.0, 0.0, 1.0])
"""Possible differences between two 0/1 scores."""
_MIN_LABELS = 3


def _labels(labels: int, items: int) -> int:
    is_valid = labels == int(labels) and _MIN_LABELS <= labels <= items
    checks.require(
        is_valid, "labels", f"a whole number from {_MIN_LABELS} to the number of items", labels
    )
    return int(labels)


@lru_cache(maxsize=256)
def judge_table(
    p_b: float, delta: float, rho: float, errors: tuple[float, float, float, float]
) -> Array:
    """Return probabilities of each difference of labels (row) and of judgments (column), (3, 3).

    ``errors`` are the miss and false-pass rates of the first model, then of the second.
    """
    p_a = p_b + delta
    for name, share in (("p_b", p_b), ("p_b + delta", p_a)):
        checks.probability(name, share)
    psi = float(stats.psi_from_rho(p_a, p_b, rho))
    p10, p01 = (psi + delta) / 2, (psi - delta) / 2
    chances = {(1, 1): p_a - p10, (1, 0): p10, (0, 1): p01, (0, 0): 1 - p_a - p01}
    table = np.zeros((3, 3))
    for (a, b), chance in chances.items():
        passed = [
            1 - miss if right else false
            for right, (miss, false) in zip((a, b), (errors[:2], errors[2:]), strict=True)
        ]
        for f_a in (0, 1):
            for f_b in (0, 1):
                says = (passed[0] if f_a else 1 - passed[0]) * (
                    passed[1] if f_b else 1 - passed[1]
                )
                table[a - b + 1, f_a - f_b + 1] += max(chance, 0.0) * says
    return table / table.sum()


def truth_and_judge(table: Array) -> tuple[float, float]:
    """Return the SD of a difference of labels, and its correlation with the judge's."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    d, f = rows @ _VALUES, columns @ _VALUES
    var_d, var_f = rows @ _VALUES**2 - d * d, columns @ _VALUES**2 - f * f
    shared = float(_VALUES @ table @ _VALUES) - d * f
    return float(np.sqrt(var_d)), float(shared / np.sqrt(var_d * var_f)) if var_f > 0 else 0.0


@SCENARIOS.add
@counted
def judge(  # noqa: PLR0913 one keyword per parameter
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    labels: int = 100,
    p_b: float = 0.7,
    delta: float = 0.0,
    rho: float = 0.5,
    miss: float = 0.08,
    false_pass: float = 0.15,
    false_pass_b: float = 0.3,
) -> JudgedSums:
    """Right or wrong answers, scored by a judge that errs, with human labels on some items.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items judged.
    labels : int, default 100
        Items that people label, for both models; a random part.
    p_b : float, default 0.7
        Accuracy of the second model; the first has ``p_b + delta``.
    delta : float, default 0.0
        True gap.
    rho : float, default 0.5
        Correlation of the two scores of an item.
    miss : float, default 0.08
        Share of right answers that the judge fails.
    false_pass, false_pass_b : float
        Share of wrong answers that it passes, of the first and of the second model.
    """
    n = _labels(labels, items)
    for name, share in (
        ("miss", miss),
        ("false_pass", false_pass),
        ("false_pass_b", false_pass_b),
    ):
        checks.probability(name, share)
    table = judge_table(p_b, delta, rho, (miss, false_pass, miss, false_pass_b))
    parts = np.broadcast_to(np.array([n, items - n]), (reps, 2))
    cells = rng.multinomial(parts, table.ravel()).reshape(reps, 2, 3, 3)
    known, all_f = cells[:, 0], cells.sum(axis=(1, 2))
    d, f = known.sum(axis=2), known.sum(axis=1)
    sigma, r = truth_and_judge(table)
    return JudgedSums(
        items=items,
        labels=n,
        d=d @ _VALUES,
        dd=d @ _VALUES**2,
        f=f @ _VALUES,
        ff=f @ _VALUES**2,
        df=np.einsum("rij,i,j->r", known, _VALUES, _VALUES),
        every=all_f @ _VALUES,
        squares=all_f @ _VALUES**2,
        truth=float(delta),
        binary=True,
        sigma=sigma,
        r=r,
    )


@SCENARIOS.add
def judge_graded(  # noqa: PLR0913 one keyword per parameter
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    labels: int = 100,
    levels: int = 5,
    mean: float = 0.65,
    rho: float = 0.5,
    delta: float = 0.0,
    agree: float = 0.7,
    lenient_b: float = 0.5,
) -> JudgedSums:
    """Scores on a few levels, by humans and by a judge that favors the second model.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items judged.
    labels : int, default 100
        Items that people label, for both models; a random part.
    levels : int, default 5
        Equally spaced from 0 to 1, at least 2; a label is a binomial count over ``levels - 1``.
    mean : float, default 0.65
        Of the second model's labels.
    rho : float, default 0.5
        Correlation of the labels of an item's two answers.
    delta : float, default 0.0
        True gap.
    agree : float, default 0.7
        Correlation of the normals behind the label and the judgment of an answer.
    lenient_b : float, default 0.5
        How much higher the judge sees the second model's answers, in standard deviations of
        those normals.
    """
    n = _labels(labels, items)
    checks.require(levels >= 2 and levels == int(levels), "levels", "a whole number ≥ 2", levels)
    checks.correlation("agree", agree)
    upper, lower = (level_steps(int(levels), m) for m in (mean + delta, mean))
    z = normals(rng, reps, 4, items)
    first, second = correlated(z[:, :2], latent_of_levels(rho, upper, lower))
    noise_weight = float(np.sqrt(1 - agree * agree))
    d = level_of(first[:, :n], upper) - level_of(second[:, :n], lower)
    f = level_of(agree * first + noise_weight * z[:, 2], upper)
    f -= level_of(agree * second + noise_weight * z[:, 3] + lenient_b, lower)
    return JudgedSums.of(d / (levels - 1), f / (levels - 1), truth=float(delta))


@SCENARIOS.add
def judge_clusters(  # noqa: PLR0913 one keyword per parameter
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    labels: int = 200,
    clusters: int = 40,
    spread: float = 0.5,
    icc: float = 0.1,
    sd: float = 0.55,
    r: float = 0.6,
    bias: float = -0.05,
    delta: float = 0.0,
) -> JudgedSums:
    """Normal differences of judge scores and human labels in a random sample of clusters.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of all judged.
    labels : int, default 200
        Items that people label; a random part of all, whatever their cluster.
    clusters : int, default 40
        How many.
    spread : float, default 0.5
        How unequal: standard deviation of the logarithm of a cluster's size; 0 for equal sizes.
    icc : float, default 0.1
        Correlation of the differences of two items of a cluster, by people and by the judge.
    sd : float, default 0.55
        Standard deviation of a difference, which is not bounded.
    r : float, default 0.6
        Correlation of the judge's differences with people's.
    bias : float, default -0.05
        How much the judge favors the first model.
    delta : float, default 0.0
        True gap, over all clusters there might be.
    """
    n = _labels(labels, items)
    checks.probability("icc", icc)
    checks.positive("sd", sd)
    checks.correlation("r", r)
    sizes = cluster_sizes(items, int(clusters), spread)
    g = sizes.size
    normals = rng.standard_normal((reps, 2 * g + 3 * items))
    shared, residuals, order = np.split(normals, [2 * g, 2 * g + 2 * items], axis=1)
    codes = np.repeat(np.arange(g), sizes)[np.argsort(order, axis=1)]
    among = np.take_along_axis(shared.reshape(reps, 2, g), codes[:, None], axis=2)
    z = np.sqrt(icc) * among + np.sqrt(1 - icc) * residuals.reshape(reps, 2, items)
    d = delta + sd * z[:, 0]
    f = delta + bias + sd * (r * z[:, 0] + np.sqrt(1 - r * r) * z[:, 1])
    labeled = d[:, :n]
    groups = GroupedSums.of(labeled, f, codes, sizes)
    return JudgedSums.of(labeled, f, truth=float(delta), groups=groups)
