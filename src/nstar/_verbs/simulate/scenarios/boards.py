"""Leaderboard of several models with 0/1 scores: steps or a lead, clusters, and missing scores."""

from collections.abc import Sequence

import numpy as np
from scipy import special

from nstar import stats
from nstar._base import checks
from nstar._base.types import Array, IntArray
from nstar._verbs.simulate.sample import Board, PairTests
from nstar._verbs.simulate.scenarios.base import SCENARIOS, added_later
from nstar._verbs.simulate.scenarios.grouped import cluster_sizes
from nstar._verbs.simulate.scenarios.latent import latent_icc_of_board, latent_of_board
from nstar.errors import ParameterError
from nstar.stats.mcnemar import P_FLOOR


def _ladder(models: int, mean: float, spread: float, tied: int) -> Array:
    """Return accuracies from best to worst in equal steps, with ``tied`` models on each step."""
    checks.require(models >= 2 and models == int(models), "models", "a whole number ≥ 2", models)
    checks.require(tied >= 1 and tied == int(tied), "tied", "a whole number ≥ 1", tied)
    checks.nonnegative("spread", spread)
    step = np.arange(int(models)) // int(tied)
    return np.asarray(mean + spread * (step[-1] / 2 - step) / max(int(step[-1]), 1))


def _steps(models: int, mean: float, delta: float, lead: float | None) -> Array:
    """Return accuracies from best to worst, ``delta`` apart, with the best one ``lead`` ahead."""
    checks.nonnegative("delta", delta)
    first = delta if lead is None else lead
    checks.nonnegative("lead", first)
    below = np.full(int(models) - 1, float(delta))
    below[:1] = first
    down = np.concatenate([[0.0], np.cumsum(below)])
    return np.asarray(mean + down[-1] / 2 - down).round(12)


def _spaced(mean: float, gaps: Sequence[float]) -> Array:
    """Return accuracies from best to worst with these gaps, and this mean of the extremes."""
    try:
        steps = np.atleast_1d(np.asarray(gaps, dtype=np.float64))
    except (TypeError, ValueError):
        steps = np.empty(0)
    if steps.ndim != 1 or not steps.size or not (np.isfinite(steps) & (steps >= 0)).all():
        msg = (
            "gaps must be the gaps between adjacent models, at least 0, such as (0.03, 0.01); "
            f"got {gaps!r:.80}"
        )
        raise ParameterError(msg)
    down = np.concatenate([[0.0], np.cumsum(steps)])
    return np.asarray(mean + down[-1] / 2 - down).round(12)


def _given(rates: Sequence[float]) -> Array:
    try:
        values = np.asarray(rates, dtype=np.float64)
    except (TypeError, ValueError):
        values = np.empty(0)
    if values.ndim != 1 or values.size < 2:
        msg = (
            "rates must be the accuracies of at least 2 models, such as (0.5, 0.48, 0.47), or "
            f"rates=0.5/0.48/0.47 on the command line; got {rates!r:.80}"
        )
        raise ParameterError(msg)
    return values


def _refuse_impossible(true: Array) -> None:
    if true.min() <= 0 or true.max() >= 1:
        msg = (
            f"The accuracies of this board range from {true.max():.4g} down to {true.min():.4g}, "
            "but must lie between 0 and 1. Use fewer models, smaller gaps, or another mean."
        )
        raise ParameterError(msg)


def _grouped_tests(x: Array, present: Array, sizes: IntArray) -> tuple[Array, Array]:
    """Return leads and cluster-robust p-values (CR2, Bell–McCaffrey) of all pairs i < j.

    ``x`` are the scores, with 0 for missing ones, and ``present`` is a mask of existing scores,
    (M, N).
    """
    first, second = np.triu_indices(len(x), 1)
    ends = np.cumsum(sizes)
    parts = [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]
    model_sums = np.stack([x[:, k] @ present[:, k].T for k in parts], axis=-1)
    shared = np.stack([present[:, k] @ present[:, k].T for k in parts], axis=-1)[first, second]
    sums = model_sums[first, second] - model_sums[second, first]
    lead, p = sums.sum(axis=-1), np.ones(first.size)
    units = np.count_nonzero(shared, axis=-1)
    is_testable = (units >= 2) & (lead != 0)
    s, m = sums[is_testable], shared[is_testable]
    variance, df = stats.cluster_variance(s, m), stats.bell_mccaffrey_df(m)
    none = variance == 0  # all clusters have the same gap
    with np.errstate(divide="ignore"):
        t = np.abs(lead[is_testable]) / m.sum(axis=-1) / np.sqrt(variance)
    p_testable = np.where(none, np.exp2(1.0 - units[is_testable]), 2 * special.stdtr(df, -t))
    p[is_testable] = np.maximum(p_testable, P_FLOOR)
    return lead, p


def _paired_tests(x: Array, present: Array) -> tuple[Array, Array]:
    """Return leads and McNemar's p-values of all pairs i < j on their shared items."""
    first, second = np.triu_indices(len(x), 1)
    both_correct, own_correct, shared = (
        x @ x.T,
        x @ present.T,
        (present @ present.T)[first, second],
    )
    won, lost = (
        own_correct[i, j] - both_correct[i, j] for i, j in ((first, second), (second, first))
    )
    p, has_items = np.ones(first.size), shared > 0
    p[has_items] = stats.mcnemar_default_pvalue(won[has_items], lost[has_items], shared[has_items])
    return won - lost, p


@SCENARIOS.add
@added_later("gaps", "delta", "lead", "clusters", "icc", "missing")
def board(  # noqa: PLR0913 what makes up a board
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    models: int = 10,
    mean: float = 0.7,
    spread: float = 0.0,
    tied: int = 2,
    rho: float = 0.5,
    rates: Sequence[float] | None = None,
    gaps: Sequence[float] | None = None,
    delta: float | None = None,
    lead: float | None = None,
    clusters: int | None = None,
    icc: float = 0.1,
    missing: float = 0.0,
) -> Board:
    """Right or wrong answers of several models to the same items of varying difficulty.

    Parameters
    ----------
    rng : numpy.random.Generator
        Source of the random numbers.
    reps : int
        Number of replications.
    items : int
        Number of items.
    models : int, default 10
        How many.
    mean, spread : float
        Accuracy halfway between the best and the worst model, and how far apart these are; 0
        makes all models equal.
    tied : int, default 2
        Models of each accuracy; 1 makes all different. The last may have fewer.
    rho : float, default 0.5
        Correlation of the scores of two models, the mean over pairs, as in a plan.
    rates : sequence of float, optional
        Accuracies one by one; if given they replace ``models``, ``mean`` and all gaps.
    gaps : sequence of float, optional
        Gaps between adjacent models, best first; if given they replace ``models`` and all gaps.
    delta : float, optional
        Gap between each model and the next; replaces ``spread`` and ``tied``.
    lead : float, optional
        Gap between the best and the second, if it differs from ``delta``; without ``delta`` all
        others are equal.
    clusters : int, optional
        Clusters that the items come from, of equal size; an audit is then one by cluster. None
        for independent items.
    icc : float, default 0.1
        Intra-cluster correlation of the difference of two models, over all pairs, as in a plan.
    missing : float, default 0.0
        Share of scores that are missing, at random.
    """
    if gaps is not None:
        _refuse_other_gaps(rates=rates, delta=delta, lead=lead, spread=spread or None)
        true = _spaced(mean, gaps)
    else:
        true = _true(models, mean, spread, tied, rates, delta, lead)
    _refuse_impossible(true)
    latent = latent_of_board(rho, true)
    checks.probability("icc", icc)
    checks.require(0 <= missing < 1, "missing", "in [0, 1)", missing)
    sizes = None if clusters is None else cluster_sizes(items, int(clusters), 0.0)
    shared = 0.0 if sizes is None else latent_icc_of_board(icc, true, latent)
    limit = special.ndtri(true)[:, None]
    right, scored = (np.empty((reps, true.size), dtype=np.int64) for _ in range(2))
    joint_counts = np.empty((reps, true.size, true.size), dtype=np.int64)
    tests: list[tuple[Array, Array]] = []
    for k in range(reps):
        easiness, *others = rng.standard_normal((true.size + 1, items))
        noise = np.asarray(others)
        if sizes is not None:
            luck = np.repeat(rng.standard_normal((true.size, sizes.size)), sizes, axis=1)
            noise = np.sqrt(1 - shared) * noise + np.sqrt(shared) * luck
        z = np.sqrt(latent) * easiness + np.sqrt(1 - latent) * noise
        scores = (z < limit).astype(np.float64)
        if missing or sizes is not None:
            present = (rng.random(scores.shape) >= missing) * 1.0 if missing else scores * 0 + 1
            scores *= present
            scored[k] = present.sum(axis=1)
            tests.append(
                _paired_tests(scores, present)
                if sizes is None
                else _grouped_tests(scores, present, sizes)
            )
        joint_counts[k] = scores @ scores.T
        right[k] = joint_counts[k].diagonal()
    return Board(
        items=items, right=right, both=joint_counts, rates=true, tests=_collected(tests, scored)
    )


def _collected(tests: list[tuple[Array, Array]], scored: IntArray) -> PairTests | None:
    if not tests:
        return None
    leads, p = (np.array(each) for each in zip(*tests, strict=True))
    return PairTests(leads=leads, p=p, scored=np.maximum(scored, 1))


def _refuse_other_gaps(**others: object) -> None:
    for name, value in others.items():
        if value is not None:
            msg = f"gaps and {name} both set the accuracies of the models. Use only one."
            raise ParameterError(msg)


def _true(
    models: int,
    mean: float,
    spread: float,
    tied: int,
    rates: Sequence[float] | None,
    delta: float | None,
    lead: float | None,
) -> Array:
    """Return the true accuracies, best first unless they were set individually."""
    if rates is not None:
        return _given(rates)
    ladder = _ladder(models, mean, spread, tied)
    if delta is None and lead is None:
        return ladder
    if spread:
        msg = "spread and delta (or lead) both set the gaps between models. Use only one."
        raise ParameterError(msg)
    return _steps(models, mean, delta or 0.0, lead)
