"""Judges corrected by labels: against least squares, plain sums and simulation."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm

from nstar import stats
from nstar._base.types import Array
from nstar.errors import InfeasibleError, ParameterError
from nstar.stats.judge import departure_variance, judge_r_limit
from nstar.stats.judge_plan import board_labels, judge_agreement

RNG = np.random.default_rng(4)


def judged(
    rng: np.random.Generator, items: int = 2000, labels: int = 100, gap: float = 0.07
) -> tuple[Array, Array, float]:
    """Truth where it is labeled, judgments, and the judge lenient to the second model."""
    ability = rng.normal(0, 1, items)
    a = (ability + rng.normal(0, 1, items) < 0.7 + 3.2 * gap).astype(float)
    b = (ability + rng.normal(0, 1, items) < 0.7).astype(float)
    scored = []
    for right, lenient in ((a, 0.15), (b, 0.30)):
        luck = rng.random(items)
        scored.append(np.where(right == 1, luck >= 0.08, luck < lenient).astype(float))
    truth = a - b
    label = np.full(items, np.nan)
    chosen = rng.permutation(items)[:labels]
    label[chosen] = truth[chosen]
    return label, scored[0] - scored[1], float(truth.mean())


def test_it_is_the_line_of_least_squares_at_the_mean_of_all() -> None:
    truth, f, _ = judged(RNG)
    known = ~np.isnan(truth)
    line = sm.OLS(truth[known], sm.add_constant(f[known])).fit()
    found = stats.judge_corrected(truth, f)
    assert found.estimate == pytest.approx(line.params @ [1, f.mean()], abs=1e-12)
    assert found.slope == pytest.approx(line.params[1], abs=1e-12)
    n, total = found.labels, found.items
    variance = line.mse_resid * (1 / n - 1 / total) + truth[known].var(ddof=1) / total
    assert found.se == pytest.approx(variance**0.5, abs=1e-14)
    assert found.df == line.df_resid == n - 2
    assert found.r == pytest.approx(np.corrcoef(truth[known], f[known])[0, 1], abs=1e-12)
    assert (found.label_mean, found.judge_mean) == (truth[known].mean(), f.mean())
    assert found.bias == pytest.approx((f - truth)[known].mean(), abs=1e-15)


def test_with_all_items_labeled_the_labels_are_the_answer() -> None:
    truth = RNG.normal(size=50)
    found = stats.judge_corrected(truth, truth + RNG.normal(size=50))
    assert found.estimate == pytest.approx(truth.mean(), abs=1e-14)
    assert found.se == pytest.approx(truth.std(ddof=1) / 50**0.5, rel=1e-12)


def test_a_judge_that_never_varies_changes_nothing() -> None:
    truth = np.append(RNG.normal(size=40), np.full(60, np.nan))
    found = stats.judge_corrected(truth, np.ones(100))
    assert found.slope == 0
    assert np.isnan(found.r)
    assert found.estimate == found.label_mean


def test_a_shift_and_a_scale_of_the_judge_change_nothing() -> None:
    truth, f, _ = judged(RNG)
    one, other = stats.judge_corrected(truth, f), stats.judge_corrected(truth, 5 - 3 * f)
    assert (one.estimate, one.se) == pytest.approx((other.estimate, other.se), abs=1e-12)


def test_influences_add_up_to_nothing_and_make_the_error() -> None:
    truth, f, _ = judged(RNG)
    psi = stats.judge_influence(truth, f)
    assert psi.sum() == pytest.approx(0, abs=1e-10)
    found = stats.judge_corrected(truth, f)
    assert (psi @ psi) ** 0.5 / f.size == pytest.approx(found.se, rel=0.02)
    none = stats.judge_influence(truth, f, slope=0)
    assert none[np.isnan(truth)].tolist() == [0.0] * 1900


def test_the_interval_holds_the_truth_and_that_of_the_judge_does_not() -> None:
    rng, held, trusted = np.random.default_rng(9), 0, 0
    for _ in range(400):
        truth, f, gap = judged(rng)
        found = stats.judge_corrected(truth, f)
        half = float(stats.t_quantile(0.975, found.df)) * found.se
        held += abs(found.estimate - gap) <= half
        trusted += abs(found.judge_mean - gap) <= 1.96 * found.judge_se
    assert 0.93 <= held / 400 <= 0.985  # .960 of many; the gap here is of these items alone
    assert trusted / 400 < 0.05


def test_planned_labels_have_the_power_they_were_planned_for() -> None:
    rng, items, found, runs = np.random.default_rng(2), 3000, 0, 600
    r, sigma, delta = 0.6, 0.5, 0.08
    need = int(stats.labels_needed(delta, sigma=sigma, r=r, judged=items))
    for _ in range(runs):
        d = rng.normal(delta, sigma, items)
        f = r * d + sigma * (1 - r * r) ** 0.5 * rng.normal(size=items)
        d[need:] = np.nan
        got = stats.judge_corrected(d, f)
        found += abs(got.estimate / got.se) > float(stats.t_quantile(0.975, got.df))
    assert found / runs == pytest.approx(0.8, abs=0.05)
    assert stats.judge_mde(need, judged=items, sigma=sigma, r=r) <= delta
    assert stats.judge_mde(need - 1, judged=items, sigma=sigma, r=r) > delta


def test_too_few_judged_items_need_endless_labels() -> None:
    asked: dict[str, Any] = {"sigma": 0.55, "r": 0.8, "judged": 10_000}
    assert stats.labels_needed(0.01, **asked) == np.inf
    assert stats.labels_needed(0.0155, **asked) <= 10_000
    assert stats.labels_needed(0.0155, **asked, method="z") <= 10_000


def test_plans_know_that_few_labels_are_used_without_the_judge() -> None:
    asked: dict[str, Any] = {"sigma": 0.45, "judged": 2000}
    assert stats.labels_needed(0.2, **asked, r=[0.0, 0.5, 0.64, 0.9]).tolist() == [42, 32, 30, 30]
    assert stats.labels_needed(0.2, **asked, r=0.64, method="z") < 30
    assert stats.labels_needed(0.3, **asked, r=0.9) == stats.labels_needed(0.3, **asked, r=0)
    below, at = stats.judge_mde([29, 30], **asked, r=0.64)
    assert below == stats.judge_mde(29, **asked, r=0)
    assert at < 0.8 * below


def test_residuals_are_enlarged_for_what_was_fitted() -> None:
    truth, f, _ = judged(np.random.default_rng(3))
    n, t = np.count_nonzero(~np.isnan(truth)), truth.size
    plain, fair = (stats.judge_influence(truth, f, fitted=k) for k in (0, 2))
    error = stats.judge_corrected(truth, f).se
    singles = [np.sqrt(np.square(psi).sum()) / t for psi in (plain, fair)]
    assert abs(singles[1] / error - 1) < abs(singles[0] / error - 1)
    assert singles[1] == pytest.approx(error, rel=0.01)
    every = np.where(np.isnan(truth), 0.0, truth)
    assert stats.judge_influence(every, f, fitted=2) == pytest.approx(every - every.mean())
    with pytest.raises(ParameterError, match="fitted must be"):
        stats.judge_influence(truth, f, fitted=int(2 * n))


def nearly_right(
    rng: np.random.Generator, runs: int, items: int, labels: int, wrong: float
) -> tuple[Array, Array, Array]:
    """Differences of labels and judge, (runs, items), and the true gap of every run.

    The judge passes a share ``wrong`` of the second model's failures and is right otherwise.
    """
    u = rng.random((runs, items))
    first, second = u < 0.75, (u < 0.58) | (u > 0.88)
    said = second | (~second & (rng.random(u.shape) < wrong))
    truth, judge = first.astype(float) - second, first.astype(float) - said
    gap = truth.mean(axis=1)
    truth[:, labels:] = np.nan
    return truth, judge, gap


def test_departures_that_did_not_occur_are_allowed_for() -> None:
    truth, f, _ = judged(np.random.default_rng(8))
    plain, found = (stats.judge_corrected(truth, f, departure=w) for w in (0.0, 1.0))
    n, total = plain.labels, plain.items
    extra = float(departure_variance(n, judged=total, departure=1))
    assert extra == pytest.approx(2 / (n - 2) * (1 / n - 1 / total), rel=1e-12)
    assert found.se**2 - plain.se**2 == pytest.approx(extra, rel=1e-9)
    assert (found.estimate, found.slope, found.df) == (plain.estimate, plain.slope, plain.df)
    assert departure_variance(50, judged=50, departure=1) == 0
    half = float(departure_variance(50, judged=900, departure=0.5))
    whole = float(departure_variance(50, judged=900, departure=1))
    assert half == pytest.approx(whole / 4)


@pytest.mark.parametrize("wrong", [0.0, 1 / 15])
def test_a_nearly_perfect_judge_has_the_coverage_that_is_promised(wrong: float) -> None:
    """Of 300 runs with 50 labels; without departures 60 to 70% for the second judge."""
    truth, judge, gap = nearly_right(np.random.default_rng(5), 300, 2000, 50, wrong)
    held = 0
    for d, f, true in zip(truth, judge, gap, strict=True):
        found = stats.judge_corrected(d, f, departure=1)
        held += abs(found.estimate - true) <= stats.t_quantile(0.975, found.df) * found.se
    assert held / 300 >= 0.94


def test_a_given_slope_is_used() -> None:
    truth, f, _ = judged(np.random.default_rng(8))
    known = ~np.isnan(truth)
    found = stats.judge_corrected(truth, f, slope=1.0)
    assert found.slope == 1
    assert found.estimate == pytest.approx(truth[known].mean() + f.mean() - f[known].mean())


def test_a_perfect_judge_correlates_by_one_at_most() -> None:
    rng = np.random.default_rng(11)
    for _ in range(200):
        d = rng.integers(-1, 2, 60).astype(float)
        found = stats.judge_corrected(np.where(np.arange(60) < 40, d, np.nan), d)
        assert found.r <= 1
        assert found.r == pytest.approx(1)


def test_labels_for_departures_solve_the_equation_of_the_variance() -> None:
    asked: dict[str, Any] = {"sigma": 0.55, "r": 0.9, "judged": 10_000, "departure": 1}
    n = float(stats.labels_needed(0.03, **asked, method="z"))
    assert stats.judge_mde(n, **asked, method="z") == pytest.approx(0.03, rel=1e-10)
    whole = float(stats.labels_needed(0.03, **asked))
    assert whole - n == pytest.approx(2, abs=3)
    assert stats.judge_mde(whole, **asked) <= 0.03 < stats.judge_mde(whole - 1, **asked)
    plain = stats.labels_needed(0.03, **asked | {"departure": 0}, method="z")
    assert n - float(plain) == pytest.approx(33, abs=1)


def test_labels_without_a_judge_have_no_departures() -> None:
    asked: dict[str, Any] = {"sigma": 0.55, "r": 0.0, "judged": 10_000}
    for method in ("t", "z"):
        with_them, without = (
            stats.labels_needed(0.03, **asked, departure=w, method=method) for w in (1.0, 0.0)
        )
        assert with_them == without


def test_a_judge_that_costs_labels_is_left_out_of_a_plan() -> None:
    """At r = 0.1 the allowance for departures is more than the judge knows."""
    asked: dict[str, Any] = {"sigma": 0.55, "judged": 10_000, "departure": 1}
    used, alone = (float(stats.labels_needed(0.1, r=r, **asked)) for r in (0.1, 0.0))
    assert used == alone > 30
    assert stats.judge_mde(used, r=0.1, **asked) == stats.judge_mde(used, r=0.0, **asked)


def test_perfect_judges_need_labels_too() -> None:
    found = stats.labels_needed(0.05, sigma=0.55, r=1.0, judged=10_000, departure=1)
    assert 60 < found < 100
    assert stats.labels_needed(0.05, sigma=0.55, r=1.0, judged=10_000) == 30


def test_the_limit_of_r_by_departures() -> None:
    low = judge_r_limit([0, 2, 20], labels=50, variance=0.3)
    assert np.all(np.diff(low) < 0)
    assert low[2] == 0  # more departures than the judge's scores vary
    with pytest.raises(ParameterError, match="variance must be"):
        judge_r_limit(0, labels=50, variance=0.0)


def test_labels_of_a_board_are_those_of_a_pair_for_two_models() -> None:
    asked: dict[str, Any] = {"sigma": 0.55, "r": 0.65, "judged": 10_000, "departure": 1}
    pair = float(stats.labels_needed(0.04, **asked, method="z"))
    for family in ("all-pairs", "control"):
        found = board_labels(0.04, models=2, family=family, **asked)
        assert float(found.labels) == pytest.approx(pair, rel=1e-6)
    assert np.isinf(board_labels(0.005, models=5, family="best", **asked).labels)


def test_strata_of_the_judge_share_the_labels() -> None:
    even = stats.neyman_labels([0.2, 0.8], [0.5, 0.5], labels=100)
    assert even.share == pytest.approx([0.2, 0.8])
    assert even.gain == pytest.approx(1)
    assert even.variance == pytest.approx(0.25 / 100)
    with pytest.raises(ParameterError, match="sum of share"):
        stats.neyman_labels([0.2, 0.7], [0.5, 0.5], labels=100)
    with pytest.raises(ParameterError, match="above 0 in some stratum"):
        stats.neyman_labels([0.2, 0.8], [0.0, 0.0], labels=100)


def test_random_labels_are_seldom_taken_for_chosen() -> None:
    rng = np.random.default_rng(6)
    f = np.where(rng.random(500) < 0.08, 1.0, 0.0) - (rng.random(500) < 0.08)
    p = []
    for _ in range(2000):
        truth = np.where(rng.permutation(500) < 20, 1.0, np.nan)
        p.append(stats.label_choice(truth, f).p)
    assert np.mean(np.array(p) < 0.01) < 0.02
    assert np.mean(np.array(p) < 0.05) < 0.06


def test_the_best_share_is_the_cheapest() -> None:
    r, label, judge = 0.65, 1.0, 0.01
    share = np.linspace(0.005, 1, 4000)
    total = 100 / (share * label + judge)  # items that the money judges
    variance = (1 - r * r) / (share * total) + r * r / total
    best = share[variance.argmin()]
    found = float(stats.label_share(r, cost_label=label, cost_judge=judge))
    assert found == pytest.approx(best, abs=5e-4)
    assert stats.label_share(0.0, cost_label=1, cost_judge=1) == 1


def test_agreement_of_random_errors() -> None:
    rng, n, e = np.random.default_rng(1), 400_000, 0.1
    z = rng.normal(size=n)
    a, b = (z + rng.normal(size=n) < 0.74 for _ in range(2))
    f = [np.where(rng.random(n) < e, ~x, x).astype(float) for x in (a, b)]
    rho = np.corrcoef(a, b)[0, 1]
    found = judge_agreement(a.mean(), rho=rho, error=e)
    d = a.astype(float) - b
    assert found.r_difference == pytest.approx(np.corrcoef(d, f[0] - f[1])[0, 1], abs=0.005)
    assert found.r_single == pytest.approx(np.corrcoef(a, f[0])[0, 1], abs=0.005)


def test_chosen_items_are_noticed() -> None:
    truth, f, _ = judged(np.random.default_rng(3))
    assert stats.label_choice(truth, f).p > 0.01
    chosen = np.where(f > 0, 1.0, np.nan)
    assert stats.label_choice(chosen, f).p < 1e-6
    assert stats.label_choice([0, 0, np.nan, np.nan], [1, 1, 0, 0]).p > 0


def test_a_corrected_rate_is_right_on_average() -> None:
    rng, p, miss, wrong = np.random.default_rng(5), 0.8, 0.1, 0.3
    passed = rng.binomial(1000, stats.judged_rate(p, miss=miss, false_pass=wrong), 4000)
    good, bad = rng.binomial(100, 1 - miss, 4000), rng.binomial(100, 1 - wrong, 4000)
    errors: dict[str, Any] = {
        "true_pos": good,
        "positives": 100,
        "true_neg": bad,
        "negatives": 100,
    }
    found = stats.rogan_gladen(passed, 1000, **errors)
    assert found.rate.mean() == pytest.approx(p, abs=0.01)
    assert found.rate.std() == pytest.approx(found.se.mean(), rel=0.06)


def test_a_judge_that_knows_nothing_corrects_nothing() -> None:
    with pytest.raises(InfeasibleError, match="judge barely discriminates"):
        stats.rogan_gladen(50, 100, true_pos=60, positives=100, true_neg=50, negatives=100)


@pytest.mark.parametrize(
    ("call", "say"),
    [
        (lambda: stats.judge_corrected([1, 0, np.nan], [1, 0, 1]), "at least 3; got 2"),
        (
            lambda: stats.judge_corrected([1, 0, 1], [1, 0]),
            "length of judged must be 3, the length of truth; got 2",
        ),
        (lambda: stats.judge_corrected([1, 0, 1, np.nan], [1, 0, 1, np.nan]), "judged must be"),
        (lambda: stats.judge_cells([1, 0, np.nan], [0, 0, 1]), "labels of each cell"),
        (lambda: stats.judge_gain(0.5, labels=20, judged=10), "labels must be at most"),
        (lambda: stats.labels_needed(0, sigma=1, r=0.5, judged=10), "delta must be not 0"),
        (lambda: stats.youden(5, 3, 1, 2), "true_pos must be at most its total"),
    ],
)
def test_what_cannot_be_meant(call: Callable[[], Any], say: str) -> None:
    with pytest.raises(ParameterError, match=say):
        call()
