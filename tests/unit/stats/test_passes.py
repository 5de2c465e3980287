"""pass@k, pass^k and their curves over tasks: rationals, enumeration, binomial limits."""

from collections.abc import Callable
from fractions import Fraction
from math import comb, isclose

import numpy as np
import pytest

from nstar.errors import ParameterError
from nstar.stats._task_limits import mean_limits
from nstar.stats.passes import PassKind, pass_at_k, pass_at_k_plugin, pass_curve, pass_hat_k
from nstar.stats.proportion import clopper_pearson_interval


@pytest.mark.parametrize(
    ("n", "c", "k"),
    [
        (10, 3, 1),
        (10, 3, 5),
        (200, 13, 100),
        (5, 0, 3),
        (5, 5, 3),
        (5, 3, 3),
        (1, 1, 1),
        (200000, 3, 5),
        (10**6, 1500, 2000),
        (10**5, 20000, 3),
    ],
)
def test_pass_at_k_by_rationals(n: int, c: int, k: int) -> None:
    some = float(1 - Fraction(comb(n - c, k), comb(n, k)))
    every = float(Fraction(comb(c, k), comb(n, k)))
    assert float(pass_at_k(n, c, k)) == pytest.approx(some, rel=1e-12)
    assert float(pass_hat_k(n, c, k)) == pytest.approx(every, rel=1e-11, abs=1e-300)


def test_pass_at_k_of_many_factors() -> None:
    # beyond the product: log gamma, good to about 1e-8 here
    n, c, k = 10**8, 10**4, 5000
    expected = -np.expm1(np.log1p(-c / (n - np.arange(k))).sum())
    assert float(pass_at_k(n, c, k)) == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("n", "k", "p"), [(10, 3, 0.3), (5, 5, 0.7), (20, 8, 0.125)])
def test_pass_estimates_are_unbiased(n: int, k: int, p: float) -> None:
    c = np.arange(n + 1)
    weight = np.array([comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)])
    assert isclose((weight * pass_at_k(n, c, k)).sum(), 1 - (1 - p) ** k, rel_tol=1e-12)
    assert isclose((weight * pass_hat_k(n, c, k)).sum(), p**k, rel_tol=1e-12)


@pytest.mark.parametrize(
    ("n", "k", "p", "bias"),
    [
        (10, 3, 0.3, -0.04326),
        (5, 5, 0.7, -0.022853712),
        (20, 8, 0.125, -0.06635580798384845),
    ],
)
def test_plugin_bias_of_published_cases(n: int, k: int, p: float, bias: float) -> None:
    c = np.arange(n + 1)
    weight = np.array([comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(n + 1)])
    mean = (weight * pass_at_k_plugin(n, c, k)).sum()
    assert mean - (1 - (1 - p) ** k) == pytest.approx(bias, abs=1e-12)


def test_pass_shapes() -> None:
    got = pass_at_k(10, np.arange(11)[:, None], [1, 5, 10])
    assert got.shape == (11, 3)
    assert got[:, 0] == pytest.approx(np.arange(11) / 10)
    assert np.all(np.diff(got, axis=0) >= 0)
    assert pass_at_k_plugin(5, 5, 50) == 1.0


@pytest.mark.parametrize("kind", ["at", "hat"])
def test_curve_is_the_mean_over_tasks(kind: PassKind) -> None:
    n, c = np.array([4, 6, 5]), np.array([1, 6, 0])
    curve = pass_curve(n, c, kind=kind)
    one = pass_at_k if kind == "at" else pass_hat_k
    assert curve.k.tolist() == [1, 2, 3, 4]
    assert curve.tasks == 3
    for k, estimate in zip(curve.k, curve.estimate, strict=True):
        assert estimate == pytest.approx(
            np.mean([one(a, b, k) for a, b in zip(n, c, strict=True)])
        )
    assert np.all((curve.low <= curve.estimate) & (curve.estimate <= curve.high))


def test_curves_mirror_each_other() -> None:
    # all of k runs succeed = not one of k runs fails
    c = np.array([0, 1, 4, 3, 2, 4])
    at, hat = pass_curve(4, 4 - c), pass_curve(4, c, kind="hat")
    assert at.estimate == pytest.approx(1 - hat.estimate)
    assert at.low == pytest.approx(1 - hat.high)
    assert at.high == pytest.approx(1 - hat.low)


@pytest.mark.parametrize("right", [0, 1, 7, 20])
def test_tasks_of_one_run_give_the_exact_binomial_interval(right: int) -> None:
    curve = pass_curve(1, [1] * right + [0] * (20 - right))
    low, high = clopper_pearson_interval(right, 20)
    assert (curve.low[0], curve.high[0]) == pytest.approx((float(low), float(high)), rel=1e-12)


def test_when_all_tasks_agree() -> None:
    never, always = pass_curve(5, np.zeros(30)), pass_curve(5, np.full(30, 5), kind="hat")
    reach = 1 - 0.025 ** (1 / 30)
    assert never.low == pytest.approx(np.zeros(5))
    assert never.high == pytest.approx(np.full(5, reach))
    assert always.low == pytest.approx(np.full(5, 1 - reach))
    assert always.high == pytest.approx(np.ones(5))
    half = pass_curve(4, np.full(10, 2))
    assert np.all(half.low[:2] < half.estimate[:2])
    assert np.all(half.high[:2] > half.estimate[:2])


def test_one_task_says_little_about_others() -> None:
    curve = pass_curve(4, [4])
    assert (curve.low[0], curve.high[0]) == pytest.approx((0.025, 1.0))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: pass_at_k(5, 6, 1), "c must be at most n; got 6"),
        (lambda: pass_at_k(5, 3, 6), "k must be at most n; got 6"),
        (lambda: pass_hat_k(5, 3, 6), "k must be at most n; got 6"),
        (lambda: pass_at_k(5, 2.5, 1), "c must be a whole number >= 0; got 2.5"),
        (lambda: pass_at_k_plugin(5, 2, 0), "k must be at least 1; got 0"),
        (lambda: pass_curve(4, 2), "number of axes of c must be 1, tasks; got 0"),
        (lambda: pass_curve(4, []), "tasks must be at least 1; got 0"),
        (lambda: pass_curve(4, [5]), "c must be at most n; got 5"),
        (lambda: pass_curve([4, 0], [2, 0]), "n must be at least 1 run; got 0"),
        (lambda: pass_curve(4, [2], conf=0.0), r"conf must be in \(0, 1\); got 0"),
    ],
)
def test_refusals(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


@pytest.mark.parametrize(
    ("share", "rate", "other", "tasks", "runs", "k"),
    [(0.1, 0.9, 0.02, 30, 5, 4), (0.1, 0.9, 0.02, 30, 10, 9), (0.3, 0.05, 0.7, 60, 10, 9)],
)
@pytest.mark.parametrize("kind", ["hat", "at"])
def test_few_tasks_that_carry_it_are_allowed_for(
    kind: str, share: float, rate: float, other: float, tasks: int, runs: int, k: int
) -> None:
    # weighing the spread by all tasks these were held in 89, 78 and 74%
    rng, reps = np.random.default_rng(11), 1500
    passed = rng.binomial(runs, np.where(rng.random((tasks, reps)) < share, rate, other))
    truth = share * rate**k + (1 - share) * other**k
    of_count = pass_hat_k(runs, np.arange(runs + 1), k)
    if kind == "at":
        passed, truth = runs - passed, 1 - truth
        of_count = pass_at_k(runs, np.arange(runs + 1), k)
    low, high = mean_limits(of_count[passed], conf=0.95)
    assert np.mean((low <= truth) & (truth <= high)) > 0.94
    assert np.mean(high < truth) < 0.04
    assert np.mean(low > truth) < 0.04


def test_many_tasks_that_carry_it_lose_next_to_nothing() -> None:
    rng = np.random.default_rng(2)
    passed = rng.binomial(10, rng.beta(2, 2, 400))
    curve = pass_curve(10, passed)
    values = passed / 10
    half = 1.96 * values.std() / 20
    assert float(curve.high[0] - curve.low[0]) == pytest.approx(2 * half, rel=0.08)
