"""Do the guarantees of an audit hold? Rank sets and tier lines on simulated leaderboards.

Equal models: any rank set that leaves out a rank, and any line, is false. A ladder of models: a
rank set is false if it leaves out the true rank. Either must not happen in more than 5% of
leaderboards. A sample runs always, 2,000 leaderboards with ``-m slow``.
"""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import special

from nstar._base.types import Array, IntArray
from nstar._data.matrix import ScoreMatrix
from nstar._data.weights import Weights
from nstar._engine.pairs import panel
from nstar._engine.work import ThreadWorkers
from nstar._verbs.audit.maxt import covariance, normal_scores
from nstar._verbs.audit.pair_analysis import analyze_pairs
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.ranking import ranking
from nstar._verbs.audit.selection import select_models
from nstar._verbs.audit.tables import RankTable
from nstar._verbs.audit.tile_grid import TileGrid
from nstar._verbs.audit.tiles import every_pair
from nstar._verbs.weighted import weighted_matrix
from nstar.stats import max_t, max_t_critical, mcnemar_default_pvalue, shrink_covariance

ALPHA, MODELS, DRAWS = 0.05, 10, 999


def sizes_of(fast: int, full: int) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "reps", [fast, pytest.param(full, marks=pytest.mark.slow)], ids=["fast", "full"]
    )


def board(x: Array, groups: IntArray | None = None) -> ScoreMatrix:
    return ScoreMatrix.from_arrays(
        x,
        models=[f"m{i:02}" for i in range(len(x))],
        groups={} if groups is None else {"g": groups.tolist()},
    )


def right(rng: np.random.Generator, ability: Array, n: int) -> Array:
    """0/1 scores on items that are as hard for one model as for another."""
    difficulty = rng.normal(size=n)
    return (rng.random((len(ability), n)) < special.expit(ability + difficulty)).astype(float)


EQUAL = np.full((MODELS, 1), 0.5)


def binary(n: int) -> Callable[[np.random.Generator], ScoreMatrix]:
    return lambda rng: board(right(rng, EQUAL, n))


def graded(rng: np.random.Generator) -> ScoreMatrix:
    noise = rng.normal(0, 0.2, (MODELS, 300))
    return board(np.clip(0.6 + 0.15 * rng.normal(size=300) + noise, 0, 1))


def clusters(rng: np.random.Generator) -> ScoreMatrix:
    """500 items in 14 clusters of unequal size, on each of which every model has its own luck."""
    group = np.sort(rng.choice(14, 500, p=rng.dirichlet(np.full(14, 3.0))))
    luck = rng.normal(0, 0.3, (MODELS, 14))[:, group]
    return board(right(rng, EQUAL + luck, 500), group)


def missing(rng: np.random.Generator) -> ScoreMatrix:
    x = right(rng, EQUAL, 500)
    x[rng.random(x.shape) < 0.2] = np.nan
    return board(x)


def ranks(matrix: ScoreMatrix, seed: int, cluster: str | None = None) -> tuple[RankTable, str]:
    """Ranks of a leaderboard as an audit has them, and what they rest on."""
    ask = AuditQuestion(cluster=cluster, draws=DRAWS, seed=seed)
    about = select_models(matrix, None, "pairwise")
    chosen = panel(matrix, about.models, about.items, ask.kind, ask.column)
    seen = analyze_pairs(about, TileGrid(chosen, ThreadWorkers(1)), ask, 1.0)
    return ranking(seen, about, (0.0, 1.0), ALPHA, seed), seen.counting.ranking


def at_most(rate: float, limit: float, reps: int) -> bool:
    """A rate is not above its limit by more than chance explains."""
    return rate <= limit + 3 * (limit * (1 - limit) / reps) ** 0.5


def rates(found: list[dict[str, bool]]) -> dict[str, float]:
    """How often each thing happened."""
    return {name: float(np.mean([f[name] for f in found])) for name in found[0]}


def weighted(models: int, n: int) -> Callable[[np.random.Generator], ScoreMatrix]:
    """Equal models, and weights of items that are lognormal with sd 1 of the logarithm."""

    def draw(rng: np.random.Generator) -> ScoreMatrix:
        x, heavy = right(rng, np.full((models, 1), 0.5), n), rng.lognormal(size=n).tolist()
        made = board(x)
        given: dict[tuple[str | None, str], float] = {
            (None, item): w for item, w in zip(made.items, heavy, strict=True)
        }
        return weighted_matrix(made, Weights(source="weights", items=given))[0]

    return draw


@sizes_of(40, 3000)
@pytest.mark.parametrize("n", [200, 300, 400])
def test_items_of_unequal_weight_keep_the_level(n: int, reps: int) -> None:
    """Max-T from 100 effective items on, Holm below; 300 items are sometimes the one or other."""
    rng, wrong, used = np.random.default_rng(7), 0, set()
    for seed in range(reps):
        found, method = ranks(weighted(6, n)(rng), seed)
        wrong += bool((found.rank_low > 1).any() or (found.rank_high < 6).any())
        used.add(method)
    assert at_most(wrong / reps, ALPHA, reps)
    assert ("holm" if n == 200 else "maxt") in used


Draw = Callable[[np.random.Generator], ScoreMatrix]
LEADERBOARDS: dict[str, tuple[Draw, str | None, str]] = {
    "binary 500": (binary(500), None, "maxt"),
    "binary 100": (binary(100), None, "maxt"),
    "graded 300": (graded, None, "maxt"),
    "14 clusters": (clusters, "g", "holm"),
    "20% missing": (missing, None, "holm"),
}


def equals(which: str, reps: int) -> dict[str, float]:
    """How often equal models are told apart."""
    draw, cluster, method = LEADERBOARDS[which]
    rng, every = np.random.default_rng(7), []
    for seed in range(reps):
        found, used = ranks(draw(rng), seed, cluster)
        assert used == method
        mine = found.model.index("m03")
        one = {
            "rank sets": (found.rank_low > 1).any() or (found.rank_high < MODELS).any(),
            "tier lines": found.tier[-1] > 1,
            "one model": found.marginal_rank_low[mine] > 1
            or found.marginal_rank_high[mine] < MODELS,
        }
        every.append({what: bool(false) for what, false in one.items()})
    return rates(every)


@pytest.mark.sampled(3)
@sizes_of(80, 2000)
@pytest.mark.parametrize("which", LEADERBOARDS)
def test_equal_models_are_rarely_told_apart(which: str, reps: int) -> None:
    for what, rate in equals(which, reps).items():
        assert at_most(rate, ALPHA, reps), what


LADDERS = {
    "20 steps": np.linspace(1.2, -0.8, 20),
    "5 steps of 4": np.repeat(np.linspace(1.2, -0.8, 5), 4),
    "5 pairs far apart": np.repeat(np.linspace(2.4, -2.4, 5), 2),
}
"""True abilities."""


def false_line(tier: IntArray, ability: Array) -> bool:
    """Some line has a model above it that is no better than one below."""
    return any(
        ability[:r].min() <= ability[r:].max()
        for r in range(1, len(tier))
        if tier[r] > tier[r - 1]
    )


def ladder(which: str, reps: int) -> dict[str, float]:
    """How often true ranks are missed; ties have every place that they share for a rank."""
    ability = LADDERS[which]
    above, below = ((sign * (ability[:, None] - ability)).clip(0) > 0 for sign in (-1, 1))
    best, worst = 1 + above.sum(axis=1), len(ability) - below.sum(axis=1)
    rng, every = np.random.default_rng(11), []
    for seed in range(reps):
        found, used = ranks(board(right(rng, ability[:, None], 500)), seed)
        assert used == "maxt"
        who = np.array([int(name[1:]) for name in found.model])
        mine = found.model.index("m07")
        assert (found.marginal_rank_low >= found.rank_low).all()
        assert (found.marginal_rank_high <= found.rank_high).all()
        together = (found.rank_low > best[who]) | (found.rank_high < worst[who])
        alone = (found.marginal_rank_low > best[who]) | (found.marginal_rank_high < worst[who])
        one = {"rank sets": together.any(), "one model": alone[mine]}
        one["tier lines"] = false_line(found.tier, ability[who])
        every.append({what: bool(false) for what, false in one.items()})
    return rates(every)


@sizes_of(40, 2000)
@pytest.mark.parametrize("which", LADDERS)
def test_rank_sets_hold_the_true_ranks_of_a_ladder(which: str, reps: int) -> None:
    for what, rate in ladder(which, reps).items():
        assert at_most(rate, ALPHA, reps), what


def max_t_of_clusters(reps: int) -> dict[str, float]:
    """How often equal models are told apart if max-T is used on 14 clusters, and with Holm."""
    rng, every = np.random.default_rng(7), []
    for seed in range(reps):
        matrix = clusters(rng)
        about = select_models(matrix, None, "pairwise")
        tile = every_pair(panel(matrix, about.models, about.items, "cluster", "g"))
        cov, least = covariance(tile.pairs.se, MODELS), tile.p.min()
        one = {
            "normal draws": max_t(about.means, cov, draws=DRAWS, rng=seed).reject.any(),
            "normal scores": normal_scores(least) >= max_t_critical(cov, draws=DRAWS, rng=seed),
            "Holm": least <= ALPHA / tile.p.size,
        }
        every.append({what: bool(false) for what, false in one.items()})
    return rates(every)


@sizes_of(100, 10_000)
def test_why_clusters_have_no_max_t(reps: int) -> None:
    """The correlation of 45 gaps cannot be estimated from 14 clusters: docs/audit.md."""
    found = max_t_of_clusters(reps)
    for what, rate in {"normal draws": 0.317, "normal scores": 0.079, "Holm": 0.04}.items():
        assert found[what] == pytest.approx(rate, abs=3 * (rate * (1 - rate) / reps) ** 0.5), what
    assert at_most(found["Holm"], ALPHA, reps)


def largest_score(x: Array) -> float:
    """Normal score of the smallest p-value of all pairs."""
    won = x.sum(axis=1, keepdims=True) - x @ x.T
    pairs = np.triu_indices(len(x), 1)
    b, c = won[pairs], won.T[pairs]
    far = np.abs(b - c) >= np.abs(b - c).max() / 2  # a p-value that rejects is among these
    return float(normal_scores(mcnemar_default_pvalue(b[far], c[far], x.shape[1]).min()))


@sizes_of(150, 20_000)
@pytest.mark.parametrize("models", [5, 20, 100])
def test_as_many_models_as_items(models: int, reps: int) -> None:
    """Draws of the covariance as estimated err too often, of the shrunk one in 5%.

    Its critical value hardly changes from leaderboard to leaderboard, so a few tell it.
    """
    rng = np.random.default_rng(models)
    every = [right(rng, np.full((models, 1), 0.5), 100) for _ in range(reps)]
    critical = [
        max_t_critical(shrink_covariance(np.cov(x), 100), draws=2000, rng=k)
        for k, x in enumerate(every[:4])
    ]
    rate = float(np.mean([largest_score(x) >= np.mean(critical) for x in every]))
    assert at_most(rate, 0.054, reps)  # mid-p alone: 5.3% of 5 models
    assert rate > 0.02
