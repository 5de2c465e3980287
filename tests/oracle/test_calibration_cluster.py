"""Error rates and coverage of the cluster, max-T and rank functions, by simulation.

Each target is a rate found by an independent simulation, with its tolerance; a test allows that
plus three Monte-Carlo standard errors of its own. A small sample runs always, the full one
with ``-m slow``.
"""

import itertools
from collections.abc import Mapping

import numpy as np
import pytest
from scipy import stats

from nstar import stats as cluster
from nstar._base.types import Array, BoolArray, IntArray
from nstar.stats import adjust, maxt, ranks
from nstar.stats.critical import z_alpha

MMLU_PRO = np.array([717, 789, 1132, 410, 844, 969, 818, 381, 1101, 1351, 924, 499, 1299, 798])
TENTH = MMLU_PRO // 10


def sizes_of(fast: int, full: int) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(
        "reps", [fast, pytest.param(full, marks=pytest.mark.slow)], ids=["fast", "full"]
    )


def assert_rates(
    found: Mapping[str, float], golden: Mapping[str, float], tol: float, n: int
) -> None:
    for name, rate in golden.items():
        allowed = tol + 3 * (rate * (1 - rate) / n) ** 0.5
        assert found[name] == pytest.approx(rate, abs=allowed), name


# cluster.typeI: rejections at 5% of a true null; ICC .1, normal effects

TYPE_ONE: list[tuple[list[int], dict[str, float]]] = [
    (
        [20] * 6,
        {"CR0_z": 0.13525, "CR1_t": 0.04975, "CR2_BM": 0.04975, "flip": 0.0305, "iid": 0.24725},
    ),
    (
        [5, 10, 10, 20, 20, 30, 40, 60, 80, 125],
        {"CR0_z": 0.16125, "CR1_t": 0.1015, "CR2_BM": 0.05475, "flip": 0.04825, "iid": 0.4885},
    ),
    (
        TENTH.tolist(),
        {"CR0_z": 0.08675, "CR1_t": 0.056, "CR2_BM": 0.0535, "flip": 0.0505, "iid": 0.5465},
    ),
    (
        [10] * 30,
        {"CR0_z": 0.064, "CR1_t": 0.0495, "CR2_BM": 0.0495, "flip": 0.049, "iid": 0.15325},
    ),
]


def random_sums(sizes: IntArray, icc: float, reps: int, seed: int) -> Array:
    """Cluster sums of items of variance 1 and mean 0, (reps, G)."""
    rng = np.random.default_rng(seed)
    between, within = rng.normal(size=(2, reps, sizes.size))
    return np.asarray(sizes * icc**0.5 * between + np.sqrt(sizes * (1 - icc)) * within)


@sizes_of(1500, 20_000)
@pytest.mark.parametrize(("sizes", "golden"), TYPE_ONE, ids=["G6", "G10", "G14", "G30"])
def test_type_one_error_with_few_clusters(
    sizes: list[int], golden: dict[str, float], reps: int
) -> None:
    m = np.array(sizes)
    sums = random_sums(m, 0.1, reps, seed=1)
    mean = np.abs(sums.sum(axis=1)) / m.sum()

    def rejects(kind: cluster.ClusterKind, critical: float) -> float:
        return float(
            np.mean(mean > critical * cluster.cluster_variance(sums, m, kind=kind) ** 0.5)
        )

    flip = cluster.cluster_sign_flip_pvalue(sums, n_resamples=1999, rng=2)
    found = {
        "CR0_z": rejects("CR0", float(z_alpha())),
        "CR1_t": rejects("CR1", float(stats.t.ppf(0.975, m.size - 1))),
        "CR2_BM": float(np.mean(cluster.cluster_pvalue(sums, m) <= 0.05)),
        "flip": float(np.mean(flip <= 0.05)),
        "iid": float(np.mean(mean > z_alpha() / m.sum() ** 0.5)),
    }
    assert_rates(found, golden, tol=0.015, n=reps)


# cluster.DE_sim


@sizes_of(20_000, 200_000)
def test_design_effect_is_the_variance_of_a_clustered_mean(reps: int) -> None:
    golden = 35.42041622340425
    sums = random_sums(MMLU_PRO, 0.036, reps, seed=3)
    found = float(np.var(sums.sum(axis=1)) / MMLU_PRO.sum())
    allowed = 0.3 + 3 * golden * (2 / reps) ** 0.5
    assert cluster.design_effect(0.036, MMLU_PRO) == pytest.approx(found, abs=allowed)
    assert found == pytest.approx(golden, abs=allowed)


# cluster.fixed_vs_random: coverage of 95% intervals in both readings of 14 subjects

FIXED = {"iid": 0.95475, "strata": 0.953, "cluster": 0.99975}
RANDOM = {"iid": 0.7325, "strata": 0.72625, "cluster": 0.9415}


def coverage(gap: Array, truth: float, seed: int) -> dict[str, float]:
    """Coverage of ``truth`` for D in {-1, 0, 1} with psi = .3 and subject means ``gap``."""
    rng = np.random.default_rng(seed)
    shares = np.stack([(0.3 + gap) / 2, (0.3 - gap) / 2, np.full_like(gap, 0.7)], axis=-1)
    wins = rng.multinomial(TENTH, shares)
    sums, squares = wins[..., 0] - wins[..., 1], wins[..., 0] + wins[..., 1]
    error = np.abs(sums.sum(axis=-1) / TENTH.sum() - truth)
    low, high = cluster.cluster_interval(sums, TENTH)
    iid = z_alpha() * cluster.iid_variance(sums, squares, TENTH) ** 0.5
    strata = z_alpha() * cluster.strata_variance(sums, squares, TENTH) ** 0.5
    return {
        "iid": float(np.mean(error <= iid)),
        "strata": float(np.mean(error <= strata)),
        "cluster": float(np.mean((low <= truth) & (truth <= high))),
    }


@sizes_of(2000, 20_000)
def test_fixed_subjects_are_strata_and_random_ones_clusters(reps: int) -> None:
    rng = np.random.default_rng(4)
    subjects = 0.02 + 0.08 * rng.normal(size=14)
    truth = float((TENTH * subjects).sum() / TENTH.sum())
    fixed = coverage(np.tile(subjects, (reps, 1)), truth, seed=5)
    assert_rates(fixed, FIXED, tol=0.02, n=reps)
    drawn = np.clip(0.02 + 0.08 * rng.normal(size=(reps, 14)), -0.29, 0.29)
    assert_rates(coverage(drawn, 0.02, seed=6), RANDOM, tol=0.02, n=reps)


# multi.fwer_sim: 8 models in three tied groups on 400 items, one latent factor

RATES = np.array([0.75, 0.75, 0.75, 0.68, 0.68, 0.68, 0.6, 0.6])
FWER = {"single": 0.019333, "step": 0.029333, "raw": 0.266, "bonferroni": 0.016, "ranks": 0.970667}


def one_leaderboard(rng: np.random.Generator, same: BoolArray) -> dict[str, bool]:
    n = 400
    latent = rng.normal(size=(n, 1)) + rng.normal(size=(n, 8))
    x = (latent / 2**0.5 < stats.norm.ppf(RATES)).astype(np.int64)
    means = x.mean(axis=0)
    cov = maxt.gram_covariance(x.T @ x, x.sum(axis=0), n) / n
    result = maxt.max_t(means, cov, draws=1499, rng=rng)
    low, high = ranks.rank_sets(ranks.beats(means, result))
    true_low = 1 + (RATES[:, None] < RATES).sum(axis=1)
    true_high = 8 - (RATES[:, None] > RATES).sum(axis=1)
    size = np.abs(result.t)
    return {
        "single": bool((size > result.critical)[same].any()),
        "step": bool(result.reject[same].any()),
        "raw": bool((size > z_alpha())[same].any()),
        "bonferroni": bool((size > adjust.bonferroni_critical(28))[same].any()),
        "ranks": bool(((low <= true_low) & (high >= true_high)).all()),
    }


@sizes_of(250, 3000)
def test_familywise_error_and_rank_coverage(reps: int) -> None:
    same = np.array([RATES[i] == RATES[j] for i, j in itertools.combinations(range(8), 2)])
    rng = np.random.default_rng(7)
    boards = [one_leaderboard(rng, same) for _ in range(reps)]
    found = {name: float(np.mean([b[name] for b in boards])) for name in FWER}
    assert_rates(found, FWER, tol=0.015, n=reps)
    assert found["step"] <= 0.05 + 3 * (0.05 * 0.95 / reps) ** 0.5
