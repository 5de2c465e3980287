"""Exact power and rejection limits: against whole-table enumeration in rational numbers."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, get_args

import mpmath as mp
import numpy as np
import pytest

from nstar._base.types import Array, Sides
from nstar.errors import ParameterError
from nstar.stats import _binomial, exact
from nstar.stats.critical import z_alpha
from nstar.stats.exact import (
    EnumeratedMethod,
    ExactItems,
    exact_n_star,
    exact_n_steady,
    exact_power,
    rejection_limits,
)
from nstar.stats.mcnemar import McNemarMethod
from nstar.stats.power import paired_power

METHODS: tuple[McNemarMethod, ...] = get_args(McNemarMethod)


def rejects(n10: int, n01: int, method: str, alpha: Fraction) -> bool:
    """The test on one split, in rational numbers (but for the normal quantile)."""
    n, k = n10 + n01, min(n10, n01)
    if n10 == n01:
        return False
    if method in ("asymptotic", "corrected"):
        gap = abs(n10 - n01) - (method == "corrected")
        return gap > 0 and gap * gap >= float(z_alpha(float(alpha))) ** 2 * n
    tail = 2 * sum(math.comb(n, j) for j in range(k + 1))
    if method == "midp":
        tail -= math.comb(n, k)
    return Fraction(tail, 2**n) <= alpha


def power_by_tables(n: int, psi: Fraction, delta: Fraction, method: str, alpha: Fraction) -> float:
    """Sum of the multinomial probabilities of every rejecting table."""
    p10, p01 = (psi + delta) / 2, (psi - delta) / 2
    total = Fraction(0)
    for a in range(n + 1):
        for b in range(n - a + 1):
            if rejects(a, b, method, alpha):
                ways = math.comb(n, a) * math.comb(n - a, b)
                total += ways * p10**a * p01**b * (1 - psi) ** (n - a - b)
    return float(total)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("alpha", ["0.05", "0.01", "0.3"])
def test_limits_by_trying_every_split(method: McNemarMethod, alpha: str) -> None:
    level = Fraction(alpha)
    sizes = np.arange(60)
    limits = rejection_limits(sizes, method=method, alpha=float(level))
    for n, limit in zip(sizes.tolist(), limits.tolist(), strict=True):
        first = next(
            (k for k in range(n // 2 + 1, n + 1) if rejects(k, n - k, method, level)), n + 1
        )
        assert limit == first


def test_a_level_met_exactly_rejects() -> None:
    # 2^-4 = 0.0625 one way, twice that both ways: p = 0.125 exactly
    assert rejection_limits([4], method="exact", alpha=0.125).tolist() == [4]
    assert rejection_limits([4], method="exact", alpha=0.1249).tolist() == [5]


def test_limits_of_a_billion_items() -> None:
    n = 10**9
    for method in METHODS:
        (k,) = rejection_limits([n], method=method).tolist()
        assert k - n / 2 == pytest.approx(1.959964 * math.sqrt(n) / 2, abs=2)
    (k,) = rejection_limits([n], method="exact", alpha=1e-12).tolist()
    assert k - n / 2 == pytest.approx(7.130506 * math.sqrt(n) / 2, abs=2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("psi", "delta"),
    [("3/10", "1/10"), ("1/2", "0"), ("1", "0"), ("1", "2/5"), ("1/4", "1/4"), ("1/4", "-1/4")],
)
def test_power_by_tables(method: McNemarMethod, psi: str, delta: str) -> None:
    share, gap = Fraction(psi), Fraction(delta)
    for n in (1, 2, 7, 12):
        for alpha in ("0.05", "0.3"):
            expected = power_by_tables(n, share, gap, method, Fraction(alpha))
            power = exact_power(
                float(gap), psi=float(share), n=n, method=method, alpha=float(alpha)
            )
            assert power == pytest.approx(expected, rel=1e-11, abs=1e-14)


def test_nothing_discordant_never_rejects() -> None:
    assert exact_power(0.0, psi=0.0, n=[1, 50, 10**6]).tolist() == [0, 0, 0]
    mixed = exact_power(0.0, psi=[0.0, 0.3, 0.0], n=50)
    assert mixed[0] == mixed[2] == 0
    assert mixed[1] == exact_power(0.0, psi=0.3, n=50)


def test_everything_discordant_one_way() -> None:
    # power 1 once 2^(1 - n) <= 0.05 (exact), 2^-n (mid-p)
    assert exact_power(1.0, psi=1.0, n=[5, 6], method="exact").tolist() == [0, 1]
    assert exact_power(-1.0, psi=1.0, n=[4, 5]).tolist() == [0, 1]


def test_fewer_than_six_items_never_reach_five_percent() -> None:
    assert exact_power(0.9, psi=1.0, n=5, method="exact") == 0


def test_known_size_of_midp_at_full_discordance() -> None:
    assert exact_power(0.0, psi=1.0, n=50) == pytest.approx(0.0649, abs=5e-5)
    assert exact_power(0.0, psi=1.0, n=50, method="exact") <= 0.05


def test_ten_million_items_meet_normal_theory() -> None:
    power = exact_power(0.0004, psi=0.2, n=10**7)
    assert power == pytest.approx(float(paired_power(0.0004, psi=0.2, n=10**7)), abs=1e-3)


def test_rare_discordance_on_many_items() -> None:
    # n psi = 8 of a million: Poisson, not normal
    share, n = 8e-6, 10**6
    mean = n * share
    expected = sum(math.exp(-mean + k * math.log(mean) - math.lgamma(k + 1)) for k in range(6, 60))
    # all one way: rejects from 6 discordant items on
    power = exact_power(share, psi=share, n=n, method="exact")
    assert power == pytest.approx(expected, rel=1e-4)


def test_items_needed_are_the_first_and_the_last_crossing() -> None:
    for method in METHODS:
        need = exact_n_star(0.4, psi=0.6, method=method)
        sizes = np.arange(5, 3 * need.stay)
        power = exact_power(0.4, psi=0.6, n=sizes, method=method)
        assert need.first == sizes[np.argmax(power >= 0.8)]
        assert need.stay == sizes[np.flatnonzero(power < 0.8)[-1] + 1]
        assert exact_n_star(-0.4, psi=0.6, method=method) == need


def test_power_is_a_sawtooth_when_everything_is_discordant() -> None:
    need = exact_n_star(0.3, psi=1.0)
    assert need == ExactItems(first=82, stay=89)
    assert exact_power(0.3, psi=1.0, n=88) < 0.8


def test_a_search_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "exact_power", lambda *_, n, **__: np.zeros(len(n)))
    with pytest.raises(
        ParameterError, match=r"The midp test does not reach a power of 0\.8 with up to"
    ):
        exact_n_star(0.1, psi=0.3)


def test_perfect_dominance_needs_a_handful() -> None:
    assert exact_n_star(1.0, psi=1.0, method="exact") == ExactItems(first=6, stay=6)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"delta": 0.3, "psi": 0.2, "n": 10}, r"\|delta\| must be at most psi; got 0.3"),
        ({"delta": 0.0, "psi": 1.2, "n": 10}, r"psi must be in \[0, 1\]; got 1.2"),
        ({"delta": 0.0, "psi": -0.2, "n": 10}, r"psi must be in \[0, 1\]; got -0.2"),
        ({"delta": 0.0, "psi": np.nan, "n": 10}, r"psi must be in \[0, 1\]; got nan"),
        ({"delta": np.nan, "psi": 0.2, "n": 10}, r"\|delta\| must be at most psi; got nan"),
        ({"delta": 0.1, "psi": 0.2, "n": 0}, "n must be at least 1 item; got 0"),
        ({"delta": 0.1, "psi": 0.2, "n": 10.5}, "n must be a whole number >= 0; got 10.5"),
        ({"delta": 0.1, "psi": 0.2, "n": np.inf}, "n must be a whole number >= 0; got inf"),
        ({"delta": 0.1, "psi": 0.2, "n": 9, "alpha": 0}, r"alpha must be in \(0, 1\); got 0"),
        ({"delta": 0.1, "psi": 0.2, "n": 9, "method": "x"}, "method must be one of midp, exact"),
    ],
)
def test_what_power_refuses(arguments: dict[str, float], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        exact_power(**arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rejection_limits(-1), "n must be a whole number >= 0; got -1"),
        (lambda: rejection_limits(2.5), "n must be a whole number >= 0; got 2.5"),
        (lambda: rejection_limits(5, alpha=1), r"alpha must be in \(0, 1\); got 1"),
        (lambda: rejection_limits(5, method="x"), "method must be one of"),  # type: ignore[arg-type]
        (lambda: exact_n_star(0.0, psi=0.2), "delta must be different from 0; got 0"),
        (lambda: exact_n_star(np.nan, psi=0.2), "delta must be different from 0; got nan"),
        (lambda: exact_n_star(0.1, psi=0.2, power=1.0), r"power must be in \(0, 1\); got 1"),
        (lambda: exact_n_star(0.3, psi=0.2), "is impossible"),
    ],
)
def test_what_limits_and_items_refuse(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


# --- binomial tails -----------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 15, 16, 17, 40])
@pytest.mark.parametrize("p", ["1/2", "1/10", "99/100"])
def test_probabilities_by_counting(n: int, p: str) -> None:
    share = Fraction(p)
    k = np.arange(n + 1.0)
    exact = [math.comb(n, j) * share**j * (1 - share) ** (n - j) for j in range(n + 1)]
    pmf = np.exp(_binomial.log_pmf(k, np.full_like(k, n), float(share)))
    np.testing.assert_allclose(pmf, [float(v) for v in exact], rtol=1e-13)
    lower = _binomial.lower_tail(k, np.full_like(k, n), float(share))
    upper = _binomial.upper_tail(k, np.full_like(k, n), float(share))
    np.testing.assert_allclose(
        lower, [float(sum(exact[: j + 1])) for j in range(n + 1)], rtol=1e-13
    )
    np.testing.assert_allclose(upper, [float(sum(exact[j:])) for j in range(n + 1)], rtol=1e-13)


def test_tails_outside_the_range() -> None:
    k, n = np.array([-1.0, 0.0, 10.0, 11.0]), np.full(4, 10.0)
    assert _binomial.lower_tail(k, n, 0.3)[[0, 2, 3]].tolist() == [0, 1, 1]
    assert _binomial.upper_tail(k, n, 0.3)[[0, 1, 3]].tolist() == [1, 1, 0]


@pytest.mark.parametrize(
    ("k", "n", "p"),
    [(3, 10**9, 1e-9), (5 * 10**8, 10**9, 0.5), (10**6, 10**9, 0.5), (10**9 - 7, 10**9, 0.999)],
)
def test_log_probability_of_a_billion_by_mpmath(k: int, n: int, p: float) -> None:
    with mp.workdps(40):
        q = mp.mpf(p)
        expected = float(
            mp.loggamma(n + 1)
            - mp.loggamma(k + 1)
            - mp.loggamma(n - k + 1)
            + k * mp.log(q)
            + (n - k) * mp.log(1 - q)
        )

    def one(x: float) -> Array:
        return np.array([float(x)])

    assert _binomial.log_pmf(one(k), one(n), p)[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("method", ["default", "midp", "exact"])
@pytest.mark.parametrize(
    ("psi", "delta"),
    [(1.0, 1.0), (1.0, 0.1), (0.97, 0.15), (0.85, 0.2), (0.6, 0.1), (0.6, 0.6), (0.02, 0.02)],
)
@pytest.mark.parametrize(("alpha", "power", "sides"), [(0.05, 0.8, 2), (0.001, 0.95, 1)])
def test_steady_items_are_those_of_trying_every_size(
    method: EnumeratedMethod, psi: float, delta: float, alpha: float, power: float, sides: Sides
) -> None:
    level: dict[str, Any] = {"method": method, "alpha": alpha, "power": power, "sides": sides}
    found = exact_n_steady(-delta, psi=psi, **level)
    assert found == exact_n_star(delta, psi=psi, **level).stay


def test_steady_items_of_what_chance_alone_shows() -> None:
    assert exact_n_steady(0.1, psi=0.6, alpha=0.3, power=0.01) == 2


@pytest.mark.parametrize(("delta", "power", "said"), [(0.0, 0.8, "delta"), (0.1, 1.0, "power")])
def test_no_steady_items(delta: float, power: float, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        exact_n_steady(delta, psi=0.3, power=power)
