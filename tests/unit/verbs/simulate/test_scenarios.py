"""Scenarios: true gaps, laws of the scores, and rows that do not depend on their number."""

from typing import Any

import numpy as np
import pytest
from scipy import integrate, special
from scipy import stats as st

from nstar import stats
from nstar._verbs.simulate import SCENARIOS, Board, Counts, Scores, SimulatedSample
from nstar._verbs.simulate.judged_sums import JudgedSums
from nstar._verbs.simulate.scenarios import (
    binary,
    boards,
    graded,
    grouped,
    pilot,
)
from nstar._verbs.simulate.scenarios.quantiles import ERROR, beta_quantiles, clipped_mean
from nstar.errors import InfeasibleError, ParameterError

PILOT = (0.1, -0.2, 0.3, 0.05, 0.0, -0.1, 0.25)
TASKS_A = ((1, 0, 1), (1, 1, 1), (0, None, 1), (0, 0, 0), (1, 0, 0), (1, 1, None))
TASKS_B = ((1, 0), (1, 1), (0, 1), (0, 0), (1, 0), (0, None))
GIVEN: dict[str, dict[str, Any]] = {
    "pilot": {"d": PILOT},
    "judge": {"labels": 12},
    "judge-graded": {"labels": 12},
    "judge-clusters": {"labels": 12, "clusters": 7},
    "pilot-runs": {"a": TASKS_A, "b": TASKS_B, "runs_a": 2, "runs_b": 1},
}
PAIRS = [name for name in SCENARIOS if name != "board" and not name.startswith("judge")]
NO_SIGMA = {"normal", "beta", "ties", "zero-inflated", "bimodal", "runs", "clusters", "strata"}
NO_SIGMA |= {"pilot-runs"}


def rng(seed: int = 5) -> np.random.Generator:
    return np.random.Generator(np.random.PCG64(seed))


def drawn(name: str, reps: int, items: int, seed: int = 5, **given: Any) -> Any:
    return SCENARIOS[name](rng(seed), reps, items, **(GIVEN.get(name, {}) | given))


def numbers(sample: SimulatedSample | Board | JudgedSums) -> Any:
    if isinstance(sample, Board):
        return sample.both
    if isinstance(sample, JudgedSums):
        return np.stack([sample.d, sample.df, sample.every], axis=1)
    if isinstance(sample, Counts):
        return np.stack([sample.n10, sample.n01], axis=1)
    return sample.d


def gaps(sample: SimulatedSample) -> Any:
    if isinstance(sample, Counts):
        return (sample.n10 - sample.n01) / sample.items
    return sample.mean


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_rows_do_not_depend_on_how_many_are_drawn(name: str) -> None:
    together = numbers(drawn(name, 9, 41))
    one = rng()
    draw = SCENARIOS[name]
    parts = [numbers(draw(one, k, 41, **GIVEN.get(name, {}))) for k in (2, 1, 6)]
    assert np.array_equal(together, np.concatenate(parts))


@pytest.mark.parametrize("delta", [0.0, 0.04, -0.05])
@pytest.mark.parametrize("name", PAIRS)
def test_the_true_gap_is_the_mean(name: str, delta: float) -> None:
    sample = drawn(name, 4000, 60, delta=delta)
    found = gaps(sample)
    assert abs(found.mean() - sample.truth) < 4.5 * found.std() / np.sqrt(len(found))
    assert abs(sample.truth - delta) < (2e-3 if name == "normal" else 1e-15)


@pytest.mark.sampled(7)
@pytest.mark.parametrize("delta", [0.0, 0.05])
@pytest.mark.parametrize("name", PAIRS)
def test_a_sigma_that_is_told_is_true(name: str, delta: float) -> None:
    sample = drawn(name, 2000, 400, delta=delta, **({"df": 5} if name == "heavy-tailed" else {}))
    assert (sample.sigma is None) == (name in NO_SIGMA)
    if isinstance(sample, Counts):
        gap = (sample.n10 - sample.n01).mean() / 400
        found = np.sqrt((sample.n10 + sample.n01).mean() / 400 - gap * gap)
    else:
        found = sample.d.std()
    assert sample.sigma is None or np.isclose(found, sample.sigma, rtol=0.01)


def test_no_sigma_where_there_is_none() -> None:
    assert drawn("heavy-tailed", 1, 9, df=2.0).sigma is None


@pytest.mark.parametrize("name", list(SCENARIOS))
def test_every_scenario_has_a_docstring_that_names_its_parameters(name: str) -> None:
    text = SCENARIOS[name].__doc__ or ""
    assert SCENARIOS.about(name).endswith(".")
    assert all(parameter in text for parameter in SCENARIOS.parameters(name))


# --- 0/1 scores ---------------------------------------------------------------------------


def test_bernoulli_cells() -> None:
    rates = stats.paired_rates(0.75, 0.7, 0.4)
    sample = drawn("bernoulli", 20000, 100, delta=0.05)
    assert isinstance(sample, Counts)
    assert SCENARIOS["bernoulli"].counted  # type: ignore[attr-defined]
    for n, p in ((sample.n10, float(rates.p10)), (sample.n01, float(rates.p01))):
        assert abs(n.mean() / 100 - p) < 4.5 * np.sqrt(p * (1 - p) / 2e6)
        assert np.isclose(n.var(), 100 * p * (1 - p), rtol=0.05)


def test_bernoulli_by_discordance() -> None:
    sample = drawn("bernoulli", 20000, 100, psi=0.3, delta=0.1)
    assert isinstance(sample, Counts)
    assert abs((sample.n10 + sample.n01).mean() / 100 - 0.3) < 0.002
    with pytest.raises(InfeasibleError, match=r"feasible psi is 0\.1000 to 0\.5000"):
        drawn("bernoulli", 2, 100, psi=0.05, delta=0.1)
    with pytest.raises(InfeasibleError, match="feasible rho"):
        drawn("bernoulli", 2, 100, rho=0.9, delta=0.2)
    with pytest.raises(InfeasibleError, match="cannot exceed psi"):
        binary.table(rng(), 1, 10, 0.1, 0.2)


@pytest.mark.parametrize(
    ("p_a", "p_b", "rho"),
    [
        (0.7, 0.6, 0.5),
        (0.5, 0.6, 0.3),
        (0.5, 0.3, 0.8),
        (0.5, 0.5, 0.4),
        (0.2, 0.9, 0.7),
        (0.3, 0.5, 0.2),
        (0.05, 0.02, 0.99),
        (0.6, 0.3, 0.0),
    ],
)
def test_both_right_is_a_bivariate_normal_probability(p_a: float, p_b: float, rho: float) -> None:
    h, k = special.ndtri(p_a), special.ndtri(p_b)
    scale = np.sqrt(1 - rho * rho)
    want, _ = integrate.quad(
        lambda z: st.norm.pdf(z) * st.norm.cdf((k - rho * z) / scale), -12, h, epsabs=1e-13
    )
    assert np.isclose(binary.both_right(p_a, p_b, rho), want, atol=1e-11)


def test_latent_is_the_model_it_says() -> None:
    r = rng()
    easiness = 1.5 * r.standard_normal(400_000)
    scale = np.sqrt(1 + 1.5**2)
    a = special.ndtri(0.75) * scale + easiness + r.standard_normal(easiness.size) > 0
    b = special.ndtri(0.7) * scale + easiness + r.standard_normal(easiness.size) > 0
    sample = drawn("latent", 4000, 200, spread=1.5, delta=0.05)
    assert isinstance(sample, Counts)
    assert abs((sample.n10 + sample.n01).mean() / 200 - (a != b).mean()) < 0.004
    no_spread = drawn("latent", 4000, 200, spread=0.0)
    assert isinstance(no_spread, Counts)
    assert abs((no_spread.n10 + no_spread.n01).mean() / 200 - 2 * 0.7 * 0.3) < 0.003


# --- graded scores ------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    ("mean", "sd"), [(0.65, 0.12), (0.75, 0.12), (0.5, 0.25), (0.9, 0.2), (0.3, 0.4), (0.5, 0.01)]
)
def test_beta_table_is_within_its_bound(mean: float, sd: float) -> None:
    z = np.concatenate([rng().standard_normal(50_000), rng().uniform(-8.5, 8.5, 50_000)])
    size = mean * (1 - mean) / sd**2 - 1
    law = st.beta(mean * size, (1 - mean) * size)
    want = np.where(z < 0, law.ppf(special.ndtr(z)), law.isf(special.ndtr(-z)))
    table = beta_quantiles(mean, sd)
    assert len(table.start) > 1 << 14
    error = np.abs(table(z) - want).max()
    assert error < ERROR == 2e-8
    assert error <= 2 * table.error + 1e-12


def test_beta_table_far_out_and_near_0_and_1() -> None:
    table = beta_quantiles(0.65, 0.12)
    assert np.allclose(table(np.array([-60.0, -9.0])), 0, atol=0.01)
    assert np.allclose(table(np.array([9.0, 60.0])), 1, atol=0.01)
    with pytest.raises(ParameterError, match="bernoulli"):
        beta_quantiles(0.5, 0.4999)
    with pytest.raises(ParameterError, match=r"0\.5\) at mean 0\.5"):
        beta_quantiles(0.5, 0.6)


def test_beta_scores_have_their_law() -> None:
    z = rng().standard_normal(200_000)
    scores = beta_quantiles(0.7, 0.15)(z)
    assert abs(scores.mean() - 0.7) < 0.002
    assert abs(scores.std() - 0.15) < 0.002


@pytest.mark.parametrize(("mean", "sd"), [(0.65, 0.12), (0.95, 0.3), (0.0, 1.0)])
def test_clipped_mean(mean: float, sd: float) -> None:
    inner, _ = integrate.quad(lambda x: x * st.norm.pdf(x, mean, sd), 0, 1, epsabs=1e-13)
    assert np.isclose(clipped_mean(mean, sd), inner + st.norm.sf(1, mean, sd), atol=1e-12)


def test_normal_scores_correlate_as_asked() -> None:
    for rho in (-0.5, 0.0, 0.9):
        d = graded.normal(rng(), 200, 1000, mean=0.5, sd=0.01, rho=rho).d
        assert np.isclose(d.var(), 2e-4 * (1 - rho), rtol=0.02)


def test_heavy_tails() -> None:
    d = graded.heavy_tailed(rng(), 200, 1000, df=5, scale=0.2).d
    assert st.kstest(d.ravel() / 0.2, st.t(5).cdf).pvalue > 1e-3
    with pytest.raises(ParameterError, match="df must be above 1"):
        graded.heavy_tailed(rng(), 1, 5, df=1)


def test_ties_are_on_the_grid() -> None:
    d = graded.ties(rng(), 200, 1000, levels=4, rho=0.0, mean=0.6).d
    third = d * 3
    assert np.allclose(third, np.rint(third))
    share = st.binom.pmf(np.arange(4), 3, 0.6)
    assert abs((d == 0).mean() - (share**2).sum()) < 0.005
    assert np.unique(d).size == 7
    two = graded.ties(rng(), 20, 100, levels=2).d
    assert set(np.unique(two)) <= {-1.0, 0.0, 1.0}


def test_zero_inflated_shares() -> None:
    d = graded.zero_inflated(rng(), 200, 1000, zeros=0.4, rho=0.0).d
    assert abs((d == 0).mean() - 0.16) < 0.005
    none = graded.zero_inflated(rng(), 20, 1000, zeros=0.0).d
    assert (none != 0).all()


def test_bimodal_has_two_modes() -> None:
    d = graded.bimodal(rng(), 200, 1000, rho=0.0, share=0.5, sd=0.02).d
    assert abs((np.abs(d) > 0.5).mean() - 0.5) < 0.01
    assert np.abs(np.abs(d[np.abs(d) > 0.5]) - 0.7).max() < 0.2
    with pytest.raises(ParameterError, match="share \\+ delta / distance"):
        graded.bimodal(rng(), 1, 10, share=0.9, delta=0.2)


def test_heterogeneous_gains() -> None:
    d = graded.heterogeneous(rng(), 200, 1000, share=0.25, delta=0.1, sd=0.01, rho=0.5).d
    assert abs((d > 0.2).mean() - 0.25) < 0.005
    whole = graded.heterogeneous(rng(), 5, 100, share=1.0, delta=0.1)
    assert whole.truth == 0.1


def test_varying_rho_spread() -> None:
    same = graded.varying_rho(rng(), 200, 1000, easy=0.6, hard=0.6, sd=0.2).d
    assert np.isclose(same.var(), 0.04 * 0.5 * 2 * 0.4, rtol=0.02)
    varied = graded.varying_rho(rng(), 200, 1000, easy=1.0, hard=0.2, sd=0.2).d
    assert np.isclose(varied.var(), same.var(), rtol=0.02)
    assert st.kurtosis(varied.ravel()) > 0.5


# --- groups and pilots --------------------------------------------------------------------


@pytest.mark.parametrize(("items", "groups", "spread"), [(200, 20, 1.0), (20, 20, 2.0), (7, 3, 0)])
def test_cluster_sizes(items: int, groups: int, spread: float) -> None:
    sizes = grouped.cluster_sizes(items, groups, spread)
    assert sizes.sum() == items
    assert len(sizes) == groups
    assert sizes.min() >= 1
    if spread == 0:
        assert np.ptp(sizes) <= 1
    with pytest.raises(ParameterError, match=r"items must be at least .*, the number of clusters"):
        grouped.cluster_sizes(groups - 1, groups, spread)


def test_clusters_have_their_icc() -> None:
    sample = grouped.clusters(rng(), 300, 400, clusters=40, icc=0.3, spread=0.5)
    assert sample.sizes is not None
    codes = np.repeat(np.arange(40), sample.sizes)
    s = stats.cluster_sums(sample.d, codes)
    assert np.allclose(s.sums, sample.cluster_sums)
    icc = stats.anova_icc(s.sums, s.squares, s.sizes).icc
    assert abs(icc.mean() - 0.3) < 0.02
    assert abs(sample.d.std() - 0.4) < 0.01


def test_strata_are_fixed_and_make_up_the_whole() -> None:
    sample = grouped.strata(rng(), 3000, 300, strata=7, between=0.2, sd=0.3, delta=0.1)
    assert sample.sizes is not None
    means = (sample.cluster_sums / sample.sizes).mean(axis=0)
    assert np.isclose(sample.sizes @ means / 300, 0.1, atol=0.002)
    assert np.isclose(np.sqrt(sample.sizes @ (means - 0.1) ** 2 / 300), 0.2, atol=0.005)
    again = grouped.strata(rng(9), 3000, 300, strata=7, between=0.2, sd=0.3, delta=0.1)
    assert np.abs((again.cluster_sums / sample.sizes).mean(axis=0) - means).max() < 0.03
    assert np.isclose(sample.mean.std(), 0.3 / np.sqrt(300), rtol=0.06)
    s = stats.cluster_sums(sample.d[:5], np.repeat(np.arange(7), sample.sizes))
    assert np.allclose(s.squares, sample.cluster_squares[:5])


def test_runs_are_binomial() -> None:
    z = rng().standard_normal(100_000)
    for p in (0.0, 0.03, 0.5, 0.9, 1.0):
        counts = grouped._successes(np.full(z.shape, p), z, 6)
        share = np.bincount(counts.astype(int), minlength=7) / z.size
        assert np.abs(share - st.binom.pmf(np.arange(7), 6, p)).max() < 0.006
    assert grouped._successes(np.array([0.5]), np.array([40.0]), 1000)[0] == 1000


def test_runs_average_noise_out() -> None:
    once, often = (grouped.runs(rng(), 100, 500, runs=k, rho=1.0).d for k in (1, 100))
    assert set(np.unique(once)) <= {-1.0, 0.0, 1.0}
    within = 0.6 * 0.4 - 0.25**2
    assert np.isclose(once.var(), 2 * within, rtol=0.03)
    assert np.isclose(often.var(), 2 * within / 100, rtol=0.03)


def test_pilot_moves_graded_scores_by_a_constant() -> None:
    sample = pilot.pilot(rng(), 200, 500, d=PILOT, delta=0.5)
    assert isinstance(sample, Scores)
    values = np.array(PILOT) - np.mean(PILOT) + 0.5
    assert np.allclose(np.unique(sample.d), np.unique(values))
    own = pilot.pilot(rng(), 2, 5, d=PILOT)
    assert own.truth == np.mean(PILOT)


def test_pilot_of_0_and_1_keeps_its_discordance() -> None:
    d = [1, 1, 1, -1, 0, 0, 0, 0, 0, 0]
    sample = pilot.pilot(rng(), 2000, 500, d=d, delta=0.1)
    assert isinstance(sample, Counts)
    assert abs((sample.n10 + sample.n01).mean() / 500 - 0.4) < 0.003
    assert pilot.pilot(rng(), 2, 5, d=d).truth == 0.2
    with pytest.raises(InfeasibleError, match="cannot exceed psi"):
        pilot.pilot(rng(), 2, 5, d=d, delta=0.5)


@pytest.mark.parametrize("d", [(), (1.0,), (0.1, np.nan)])
def test_pilot_refuses(d: tuple[float, ...]) -> None:
    with pytest.raises(ParameterError):
        pilot.pilot(rng(), 2, 5, d=d)


# --- boards -------------------------------------------------------------------------------


def test_a_board_has_its_accuracies_and_its_correlation() -> None:
    sample = boards.board(rng(), 3000, 100, models=5, mean=0.6, spread=0.2, tied=2, rho=0.4)
    assert np.allclose(sample.rates, [0.7, 0.7, 0.6, 0.6, 0.5])
    assert np.abs(sample.right.mean(axis=0) / 100 - sample.rates).max() < 0.006
    both = sample.both.mean(axis=0) / 100
    sd = np.sqrt(sample.rates * (1 - sample.rates))
    rho = (both - np.outer(sample.rates, sample.rates)) / np.outer(sd, sd)
    assert abs(rho[np.triu_indices(5, 1)].mean() - 0.4) < 0.006
    assert np.array_equal(np.diagonal(sample.both, axis1=1, axis2=2), sample.right)
    assert np.isclose(sample.truth, 0.2)
    assert (len(sample), sample.models) == (3000, 5)


def test_boards_of_equal_given_and_perfectly_correlated_models() -> None:
    equal = boards.board(rng(), 2, 50, models=6)
    assert np.array_equal(equal.rates, np.full(6, 0.7))
    given = boards.board(rng(), 2, 50, rates=(0.9, 0.2, 0.9), rho=0.3)
    with pytest.raises(InfeasibleError, match=r"is at most 0\.4444"):
        boards.board(rng(), 2, 50, rates=(0.9, 0.2, 0.9), rho=0.5)
    assert given.rates.tolist() == [0.9, 0.2, 0.9]
    same = boards.board(rng(), 4, 50, models=3, rho=1.0)
    assert (np.ptp(same.right, axis=1) == 0).all()
    assert (same.p == 1).all()


def test_a_board_knows_what_is_false_and_who_stands_where() -> None:
    three = Board(
        items=10,
        right=np.array([[8, 6, 7]]),
        both=np.array([[[8, 6, 7], [6, 6, 6], [7, 6, 7]]]),
        rates=np.array([0.7, 0.7, 0.5]),
    )
    assert three.leads.tolist() == [[2, 1, -1]]
    every = np.ones((1, 3), dtype=bool)
    assert three.false(every).tolist() == [[True, False, True]]
    assert not three.false(~every).any()
    best, worst = three.true_ranks
    assert (best.tolist(), worst.tolist()) == ([1, 1, 3], [2, 2, 3])
    cov = three.covariance(0)
    assert np.isclose(cov[0, 0], 0.8 * 0.2 / 10)
    assert np.isclose(cov[0, 2], (0.7 - 0.56) / 10)


@pytest.mark.parametrize(
    "given", [{"models": 1}, {"tied": 0}, {"rho": 1.1}, {"rates": (0.5,)}, {"spread": 0.8}]
)
def test_boards_refuse(given: dict[str, Any]) -> None:
    with pytest.raises(ParameterError):
        boards.board(rng(), 1, 10, **given)


# --- pilots with runs ---------------------------------------------------------------------


def tasks_and_runs(
    tasks: int, runs: int, seed: int, *, graded: bool = False
) -> tuple[list[Any], list[Any]]:
    """Two models whose true scores correlate over tasks."""
    one = rng(seed)
    rate = one.beta(1.5, 1.0, (tasks, 1))
    other = np.clip(rate + one.normal(0, 0.15, (tasks, 1)), 0, 1)
    if graded:
        a, b = ((p + one.normal(0, 0.2, (tasks, runs))).tolist() for p in (rate, other))
    else:
        a, b = ((1.0 * (one.random((tasks, runs)) < p)).tolist() for p in (rate, other))
    return a, b


@pytest.mark.sampled(3)
@pytest.mark.parametrize("is_graded", [False, True])
@pytest.mark.parametrize(("runs_a", "runs_b"), [(1, 1), (2, 5), (5, 5), (9, 3), (40, 40)])
def test_pilot_runs_has_the_spread_of_the_components(
    runs_a: int, runs_b: int, *, is_graded: bool
) -> None:
    a, b = tasks_and_runs(60, 5, 3, graded=is_graded)
    parts = stats.variance_components(a, b)
    assert parts.sigma_b2_raw is not None
    assert parts.sigma_b2_raw > 0
    wanted = float(
        stats.runs_variance(
            parts.sigma_b2 or 0.0,
            parts.sigma_wa2 or 0.0,
            parts.sigma_wb2 or 0.0,
            tasks=1,
            runs_a=runs_a,
            runs_b=runs_b,
        )
    )
    given: dict[str, Any] = {"a": a, "b": b, "runs_a": runs_a, "runs_b": runs_b}
    sample = pilot.pilot_runs(rng(), 300, 1000, **given)
    assert sample.truth == pytest.approx(parts.delta)
    assert sample.d.var() == pytest.approx(wanted, rel=0.02)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("rho", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("runs", [1, 2, 6])
def test_a_model_like_the_first_has_its_spread_and_correlation(rho: float, runs: int) -> None:
    a, _ = tasks_and_runs(60, 4, 8)
    one = stats.run_components(a)
    within = float(np.var(a, axis=1, ddof=1).mean())
    task = float(np.mean(a, axis=1).var(ddof=1)) - within / 4
    sample = pilot.pilot_runs(rng(), 300, 1000, a=a, runs_a=runs, runs_b=runs, rho=rho)
    assert sample.truth == 0
    assert one.sigma_w2 == pytest.approx(within, rel=0.05)
    wanted = 2 * (1 - rho) * task + 2 * within / runs
    assert sample.d.var() == pytest.approx(wanted, rel=0.03)


def test_0_and_1_turn_by_the_same_share_in_every_task() -> None:
    failing, passing = ((0, 0, 0),) * 4, ((1, 1, 1),) * 4
    up = pilot.pilot_runs(rng(), 50, 400, a=failing, b=failing, runs_a=3, delta=0.3)
    assert set(np.unique(up.d.round(9)).tolist()) <= {round(k / 3, 9) for k in range(4)}
    down = pilot.pilot_runs(rng(), 50, 400, a=passing, b=passing, runs_a=1, delta=-0.2)
    assert down.d.mean() == pytest.approx(-0.2, abs=0.01)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "pilot-runs needs a"),
        ({"a": TASKS_A, "b": TASKS_B[:3]}, "tasks of b must be 6; got 3"),
        ({"a": TASKS_A, "b": TASKS_B, "runs_a": 0}, "runs_a must be a whole number of at least 1"),
        ({"a": ((1, None), (None, None)), "b": TASKS_B[:2]}, "runs of each task of a"),
        ({"a": ((1,), (0,))}, "needs at least two runs of every task"),
        ({"a": ((1,), (0,)), "b": ((1,), (0,)), "runs_b": 2}, "More runs than in the pilot"),
    ],
)
def test_pilots_with_runs_that_are_refused(given: dict[str, Any], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        pilot.pilot_runs(rng(), 2, 5, **given)


def test_a_gap_out_of_reach_is_refused() -> None:
    with pytest.raises(InfeasibleError, match=r"a gap of 0\.9 is out of reach"):
        pilot.pilot_runs(rng(), 2, 5, a=TASKS_A, b=TASKS_B, delta=0.9)
