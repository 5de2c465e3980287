"""Equivalence and non-inferiority: published cases, enumeration, quadrature, edges."""

import math
from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from scipy import integrate, special
from scipy import stats as scipy_stats

from nstar.errors import ParameterError
from nstar.stats import equivalence
from nstar.stats.equivalence import (
    equivalence_exact_margin,
    equivalence_exact_n_star,
    equivalence_exact_power,
    equivalence_margin,
    equivalence_n_star,
    equivalence_power,
    equivalence_pvalue,
    equivalence_t_n_star,
    equivalence_t_power,
    least_wins,
    noninferiority_margin,
    noninferiority_n_star,
    noninferiority_power,
    noninferiority_pvalue,
)
from nstar.stats.interval import tango_statistic
from nstar.stats.mcnemar import P_FLOOR

Z95, Z90, Z80 = 1.6448536269514722, 1.2815515655446004, 0.8416212335729143


def test_formulas_written_out() -> None:
    ratio = (0.3 / 0.08) ** 2
    assert equivalence_n_star(0.08, sigma=0.3) == pytest.approx((Z95 + Z90) ** 2 * ratio)
    assert noninferiority_n_star(0.08, sigma=0.3) == pytest.approx((Z95 + Z80) ** 2 * ratio)
    assert noninferiority_n_star(0.08, sigma=0.3, delta=0.04) == pytest.approx(
        (Z95 + Z80) ** 2 * (0.3 / 0.12) ** 2
    )
    assert equivalence_margin(1000, sigma=0.3) == pytest.approx(
        (Z95 + Z90) * 0.3 / math.sqrt(1000)
    )
    assert noninferiority_margin(1000, sigma=0.3) == pytest.approx(
        (Z95 + Z80) * 0.3 / math.sqrt(1000)
    )


@pytest.mark.parametrize("delta", [-0.07, -0.03, 0.0, 0.03, 0.07])
def test_power_written_out(delta: float) -> None:
    root = math.sqrt(100) / 0.3
    phi = special.ndtr
    both = phi((0.08 - delta) * root - Z95) + phi((0.08 + delta) * root - Z95) - 1
    assert equivalence_power(0.08, sigma=0.3, n=100, delta=delta) == pytest.approx(max(both, 0))
    one = phi((0.08 + delta) * root - Z95)
    assert noninferiority_power(0.08, sigma=0.3, n=100, delta=delta) == pytest.approx(one)


def test_too_few_items_never_show_equivalence() -> None:
    assert equivalence_power(0.01, sigma=0.5, n=10) == 0
    assert equivalence_power(0.01, sigma=0.5, n=10**9) == 1


@pytest.mark.parametrize("delta", [0.1, -0.1, 0.2, -1.0, 0.1 + 1e-12])
def test_a_gap_as_large_as_the_margin_is_never_equivalent(delta: float) -> None:
    assert equivalence_n_star(0.1, sigma=0.3, delta=delta) == np.inf
    assert equivalence_t_n_star(0.1, sigma=0.3, delta=delta) == np.inf
    if delta <= -0.1:
        assert noninferiority_n_star(0.1, sigma=0.3, delta=delta) == np.inf


def test_a_gap_just_inside_the_margin_needs_very_many() -> None:
    n = equivalence_n_star(0.1, sigma=0.3, delta=0.0999)
    # only one bound matters there: the one-sided formula with what room is left
    assert n == pytest.approx(((Z95 + Z80) * 0.3 / 0.0001) ** 2, rel=1e-6)


# --- counts -------------------------------------------------------------------------------


def test_pvalues_are_tails_of_tango() -> None:
    t = float(tango_statistic(86, 78, 1000, null=-0.02))
    assert noninferiority_pvalue(86, 78, 1000, margin=0.02) == pytest.approx(special.ndtr(-t))
    assert equivalence_pvalue(86, 78, 1000, margin=0.04) == pytest.approx(0.0069, abs=5e-5)
    up = float(tango_statistic(86, 78, 1000, null=0.04))
    assert equivalence_pvalue(86, 78, 1000, margin=0.04) == pytest.approx(special.ndtr(up))


def test_identical_answers_show_equivalence_only_with_enough_items() -> None:
    # T = √(n m / (1 - m)) with nothing discordant
    for n, m in ((10, 0.1), (100, 0.05), (10**9, 0.001)):
        t = math.sqrt(n * m / (1 - m))
        assert equivalence_pvalue(0, 0, n, margin=m) == pytest.approx(
            max(special.ndtr(-t), P_FLOOR)
        )


def test_the_bound_instead_of_zero() -> None:
    assert equivalence_pvalue(0, 0, 10**9, margin=0.5) == P_FLOOR
    assert noninferiority_pvalue(10**9, 0, 10**9, margin=0.5) == P_FLOOR
    assert noninferiority_pvalue(0, 10**6, 10**6, margin=0.5) == pytest.approx(1)


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("delta", ["0", "1/10", "-1/5", "1/5"])
def test_exact_power_by_tables(delta: str, sides: int) -> None:
    n, psi, gap, margin = 14, Fraction(1, 5), Fraction(delta), 0.3
    p10, p01 = (psi + gap) / 2, (psi - gap) / 2
    total = Fraction(0)
    for a in range(n + 1):
        for b in range(n - a + 1):
            shown = tango_statistic(a, b, n, null=-margin) > Z95
            if sides == 2:
                shown &= tango_statistic(a, b, n, null=margin) < -Z95
            if shown:
                ways = math.comb(n, a) * math.comb(n - a, b)
                total += ways * p10**a * p01**b * (1 - psi) ** (n - a - b)
    power = equivalence_exact_power(margin, psi=float(psi), n=n, delta=float(gap), sides=sides)
    assert power == pytest.approx(float(total), rel=1e-11)


def test_exact_size_is_near_its_level() -> None:
    assert equivalence_exact_power(0.08, psi=0.15, n=150, delta=0.08) == pytest.approx(
        0.05, abs=0.006
    )


# --- graded scores ------------------------------------------------------------------------


def t_power_by_quadrature(margin: float, n: int, delta: float, alpha: float) -> float:
    """P(both one-sided t tests reject), sigma = 1, by integrating over s."""
    df = n - 1
    t = scipy_stats.t.ppf(1 - alpha, df)
    root = math.sqrt(n)

    def inner(s: float) -> float:
        low, high = -margin + t * s / root, margin - t * s / root
        if low >= high:
            return 0.0
        cover = special.ndtr((high - delta) * root) - special.ndtr((low - delta) * root)
        return float(cover * scipy_stats.chi.pdf(s * math.sqrt(df), df) * math.sqrt(df))

    top = margin * root / t
    return float(integrate.quad(inner, 0, top, limit=400, epsabs=1e-12, points=[min(1, top)])[0])


@pytest.mark.parametrize(
    ("margin", "n", "delta", "alpha"),
    [
        (0.5, 20, 0.0, 0.05),
        (0.5, 40, 0.2, 0.05),
        (1.0, 5, 0.1, 0.05),
        (2.0, 3, -0.5, 0.1),
        (3.0, 2, 0.0, 0.05),
        (0.2, 300, 0.05, 0.01),
        (0.1, 30, 0.0, 0.05),
    ],
)
def test_t_power_by_quadrature(margin: float, n: int, delta: float, alpha: float) -> None:
    expected = t_power_by_quadrature(margin, n, delta, alpha)
    power = equivalence_t_power(margin, sigma=1, n=n, delta=delta, alpha=alpha)
    assert power == pytest.approx(expected, abs=1e-8)
    scaled = equivalence_t_power(3 * margin, sigma=3, n=n, delta=-3 * delta, alpha=alpha)
    assert scaled == pytest.approx(power, rel=1e-9)


def test_t_power_of_many_items_is_normal() -> None:
    t = equivalence_t_power(0.002, sigma=1, n=10**7, delta=0.0005)
    normal = equivalence_power(0.002, sigma=1, n=10**7, delta=0.0005)
    assert t == pytest.approx(float(normal), abs=1e-6)


def test_t_items_needed() -> None:
    assert equivalence_t_n_star(0.08, sigma=0.3) == 122
    assert equivalence_t_n_star(5.0, sigma=0.3) == 2  # two items are the least a t test can have
    n = equivalence_t_n_star(1.0, sigma=0.3, alpha=1e-6)
    around = equivalence_t_power(1.0, sigma=0.3, n=[n - 1, n], alpha=1e-6)
    assert around[0] < 0.8 <= around[1]


def test_a_search_that_fails_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equivalence, "equivalence_t_power", lambda *_, n, **__: np.zeros(len(n)))
    with pytest.raises(
        ParameterError, match=r"A power of 0\.8 is not reached with up to \d+ items"
    ):
        equivalence_t_n_star(0.08, sigma=0.3)


def test_a_level_far_below_rounding() -> None:
    assert 0 < equivalence_t_power(0.5, sigma=0.3, n=100, alpha=1e-20) < 1


@pytest.mark.parametrize(
    "call",
    [
        lambda **k: equivalence_power(**{"margin": 0.1, "sigma": 1, "n": 10, **k}),
        lambda **k: noninferiority_power(**{"margin": 0.1, "sigma": 1, "n": 10, **k}),
        lambda **k: equivalence_t_power(**{"margin": 0.1, "sigma": 1, "n": 10, **k}),
    ],
)
@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"margin": 0}, "margin must be a finite number > 0; got 0"),
        ({"margin": -0.1}, "margin must be a finite number > 0; got -0.1"),
        ({"margin": np.nan}, "margin must be a finite number > 0; got nan"),
        ({"sigma": 0}, "sigma must be a finite number > 0; got 0"),
        ({"delta": np.inf}, "delta must be finite; got inf"),
        ({"n": 0}, "n must be .*; got 0"),
        ({"n": np.nan}, "n must be .*; got nan"),
        ({"alpha": 0}, "alpha must be .*; got 0"),
    ],
)
def test_designs_are_checked(
    call: Callable[..., object], bad: dict[str, float], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        call(**bad)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: equivalence_n_star(0.1, sigma=1, power=1), r"power must be in \(0, 1\); got 1"),
        (lambda: equivalence_n_star(0, sigma=1), "margin must be a finite number > 0; got 0"),
        (
            lambda: noninferiority_n_star(0.1, sigma=1, power=0),
            r"power must be in \(0, 1\); got 0",
        ),
        (lambda: equivalence_margin(0, sigma=1), "n must be a finite number > 0; got 0"),
        (lambda: equivalence_margin(9, sigma=1, power=2), r"power must be in \(0, 1\); got 2"),
        (lambda: noninferiority_margin(9, sigma=-1), "sigma must be a finite number > 0; got -1"),
        (lambda: noninferiority_pvalue(1, 2, 9, margin=0), "margin must be .*; got 0"),
        (lambda: noninferiority_pvalue(1, 2, 9, margin=np.nan), "margin must be .*; got nan"),
        (lambda: equivalence_pvalue(6, 5, 9, margin=0.1), r"n10 \+ n01 must be at most n; got 11"),
        (
            lambda: equivalence_exact_power(1.0, psi=0.2, n=9),
            r"margin must be in \(0, 1\); got 1",
        ),
        (lambda: equivalence_exact_power(0.1, psi=0.0, n=9), r"psi must be in \(0, 1\]; got 0"),
        (lambda: equivalence_exact_power(0.1, psi=1.1, n=9), r"psi must be in \(0, 1\]; got 1.1"),
        (
            lambda: equivalence_exact_power(0.1, psi=0.2, n=9, delta=0.3),
            r"\|delta\| must be at most psi; got 0.3",
        ),
        (
            lambda: equivalence_exact_power(0.1, psi=0.2, n=9, sides=3),
            "sides must be 1 or 2; got 3",
        ),
        (lambda: equivalence_exact_power(0.1, psi=0.2, n=0), "n must be at least 1"),
    ],
)
def test_what_is_refused(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        call()


def test_a_margin_of_everything_is_called_margin() -> None:
    with pytest.raises(ParameterError, match=r"margin must be .*; got 1"):
        noninferiority_pvalue(1, 2, 9, margin=1.0)


def test_a_negative_design_has_no_power() -> None:
    with pytest.raises(ParameterError, match="n must be"):
        equivalence_exact_power(0.1, psi=0.2, n=-1)


def exact_powers(margin: float, psi: float, sides: int, most: int) -> np.ndarray:
    """Power at every size, every table weighed by its multinomial chance."""
    out = np.zeros(most + 1)
    for n in range(1, most + 1):
        b, c = np.meshgrid(np.arange(n + 1), np.arange(n + 1))
        b, c = b[b + c <= n], c[b + c <= n]
        chance = scipy_stats.multinomial.pmf(
            np.stack([b, c, n - b - c], axis=1), n, [psi / 2, psi / 2, 1 - psi]
        )
        shown = tango_statistic(b, c, n, null=-margin) > Z95
        if sides == 2:
            shown &= tango_statistic(b, c, n, null=margin) < -Z95
        out[n] = np.asarray(chance)[shown].sum()
    return out


@pytest.mark.parametrize(
    ("margin", "psi", "sides"), [(0.2, 0.3, 2), (0.25, 0.2, 1), (0.3, 1.0, 2)]
)
def test_items_on_the_sawtooth_are_those_of_a_full_search(
    margin: float, psi: float, sides: int
) -> None:
    most = 160
    power = exact_powers(margin, psi, sides, most)
    for k in (1, 9, 60):
        found = equivalence_exact_power(margin, psi=psi, n=k, sides=sides)
        assert found == pytest.approx(power[k], abs=1e-12)
    reached = equivalence_exact_n_star(margin, psi=psi, sides=sides)
    enough = power >= 0.8
    assert reached.first == np.argmax(enough)
    assert reached.steady == np.flatnonzero(~enough)[-1] + 1 < most
    near = equivalence_exact_n_star(margin, psi=psi, sides=sides, steps=False)
    assert reached.first <= near.first <= reached.steady


def test_first_and_steady_are_not_the_same() -> None:
    first, steady = equivalence_exact_n_star(0.08, psi=0.15)
    assert (first, steady) == (211, 214)
    at = [equivalence_exact_power(0.08, psi=0.15, n=n) >= 0.8 for n in (210, 211, 213, 214)]
    assert at == [False, True, False, True]


def test_wins_are_the_fewest_that_show_it() -> None:
    d = np.arange(0, 90.0)
    wins = least_wins(d, 90, margin=0.1)
    for k, w in zip(d.tolist(), wins.tolist(), strict=True):
        shown = [b for b in range(int(k) + 1) if tango_statistic(b, k - b, 90, null=-0.1) > Z95]
        assert w == (shown[0] if shown else k + 1)


def test_smallest_margin_has_the_power() -> None:
    margin = equivalence_exact_margin(300, psi=0.2, sides=1)
    at = [equivalence_exact_power(m, psi=0.2, n=300, sides=1) for m in (margin - 1e-6, margin)]
    assert at[0] < 0.8 <= at[1]
