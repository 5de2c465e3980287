"""The test of a margin for scores: power against quadrature and draws, items against both."""

import itertools
import math
from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize
from scipy import stats as law

from nstar.errors import ParameterError
from nstar.stats import (
    equivalence_t_power,
    margin_bound,
    margin_interval,
    margin_n_star,
    margin_power,
    margin_pvalue,
)
from nstar.stats.margin import _margin_room, _margin_statistic, margin_least, margin_least_items


def quadrature(
    margin: float, sigma: float, n: int, width: float, delta: float, sides: int
) -> float:
    """Owen's integral, with the room that is needed found by a root finder at every spread."""
    df, root = n - 1, math.sqrt(n) / sigma
    t = float(law.t.ppf(0.95, df))

    @cache
    def least(w: float) -> float:
        def short(gain: float) -> float:
            share = (gain + margin) / (gain + width)
            seen = (w * sigma) ** 2 / n
            error = (1 - share) * (seen + share * (gain + width) ** 2 / n)
            return (gain + margin) - t * math.sqrt(error)

        return float(optimize.brentq(short, -margin + 1e-12, 50 * width, xtol=1e-15))

    def shown(w: float) -> float:
        low = least(w)
        chance = float(law.norm.sf((low - delta) * root))
        if sides == 2:
            chance = max(chance - float(law.norm.sf((-low - delta) * root)), 0.0)
        return chance * float(law.chi.pdf(w * math.sqrt(df), df)) * math.sqrt(df)

    low, high = (float(law.chi.ppf(p, df)) / math.sqrt(df) for p in (1e-13, 1 - 1e-13))
    ends = np.linspace(low, high, 25)
    parts = itertools.pairwise(ends.tolist())
    return sum(integrate.quad(shown, a, b, epsabs=1e-10)[0] for a, b in parts)


@pytest.mark.parametrize(
    ("margin", "sigma", "n", "width", "delta", "sides"),
    [
        (0.03, 0.1, 69, 1.0, 0.0, 1),
        (0.03, 0.1, 163, 1.0, 0.01, 2),
        (0.5, 0.4, 6, 1.2, 0.0, 1),
        (6.0, 15.0, 200, 100.0, -1.0, 2),
    ],
)
def test_power_is_owens_integral(
    margin: float, sigma: float, n: int, width: float, delta: float, sides: int
) -> None:
    found = margin_power(
        margin,
        sigma=sigma,
        n=n,
        width=width,
        delta=delta,
        sides=2 if sides == 2 else 1,
    )
    wanted = quadrature(margin, sigma, n, width, delta, sides)
    assert float(found) == pytest.approx(wanted, abs=1e-7)


@pytest.mark.parametrize("sides", [1, 2])
def test_power_is_the_share_of_draws(sides: int) -> None:
    rng = np.random.default_rng(4)
    n, reps = 170, 20_000
    d = rng.normal(0.004, 0.1, (reps, n))
    se = d.std(axis=1, ddof=1) / math.sqrt(n)
    low, high = margin_interval(d.mean(axis=1), se, n, df=n - 1, width=1.0)
    shown = (low > -0.03) & ((high < 0.03) | (sides == 1))
    power = margin_power(
        0.03, sigma=0.1, n=n, width=1.0, delta=0.004, sides=2 if sides == 2 else 1
    )
    assert shown.mean() == pytest.approx(float(power), abs=0.012)


def test_interval_pvalue_and_bound_are_one_test() -> None:
    rng = np.random.default_rng(2)
    gain, se = rng.normal(0, 0.01, 200), rng.uniform(0, 0.02, 200) * (rng.random(200) > 0.1)
    low, high = margin_interval(gain, se, 150, df=149, width=1.0, conf=0.9)
    for margin in (0.01, 0.02, 0.05):
        one = margin_pvalue(gain, se, 150, df=149, width=1.0, margin=margin)
        two = margin_pvalue(gain, se, 150, df=149, width=1.0, margin=margin, sides=2)
        assert np.array_equal(one < 0.05, low > -margin)
        assert np.array_equal(two < 0.05, (low > -margin) & (high < margin))


def test_items_are_the_fewest_that_do() -> None:
    for sides in (1, 2):
        n = margin_n_star(0.03, sigma=0.1, width=1.0, sides=sides)
        power = [
            float(margin_power(0.03, sigma=0.1, n=k, width=1.0, sides=sides)) for k in (n - 1, n)
        ]
        assert power[0] < 0.8 <= power[1]
    assert margin_n_star(0.03, sigma=0.1, width=1.0, delta=-0.03) == math.inf
    assert margin_n_star(0.03, sigma=0.1, width=1.0, delta=-0.03, sides=2) == math.inf


def test_where_much_varies_it_is_the_t_test() -> None:
    """Rare losses are nothing beside losses that are seen all the time."""
    plain = float(equivalence_t_power(0.02, sigma=0.9, n=20_000))
    assert float(margin_power(0.02, sigma=0.9, n=20_000, width=1.0, sides=2)) == pytest.approx(
        plain, abs=0.01
    )


def test_identical_scores_and_wide_margins() -> None:
    n = margin_least_items(0.05)
    bounds = [
        float(margin_bound(0, 0, k, width=1.0, quantile=1.6448536269514722)) for k in (n - 1, n)
    ]
    assert bounds[0] <= -0.05 < bounds[1]
    assert margin_least_items(2.0, width=1.0) == 1
    assert float(_margin_room(0.1, 50, width=1.0, margin=1.0, quantile=2.0)) == 0
    assert float(margin_power(1.5, sigma=0.1, n=9, width=1.0, sides=2)) == pytest.approx(1)
    assert float(_margin_statistic(-0.02, 0.01, 50, width=1.0, margin=0.02)) == 0
    with pytest.raises(ParameterError, match="at least 2"):
        margin_power(0.1, sigma=0.1, n=1, width=1.0)


# --- clusters that may be lost whole --------------------------------------------------------


@pytest.mark.parametrize("clusters", [3, 12.5, 20, 200])
@pytest.mark.parametrize("alpha", [0.05, 0.001])
def test_clusters_show_margins_above_the_least(clusters: float, alpha: float) -> None:
    least = float(margin_least(clusters, width=2.0, alpha=alpha))
    known: dict[str, Any] = {"df": clusters - 1, "width": 2.0}
    low, high = margin_interval(0.0, 0.0, clusters, conf=1 - 2 * alpha, clusters=True, **known)
    assert (float(low), float(high)) == pytest.approx((-least, least))
    for margin, shown in ((0.999 * least, False), (1.001 * least, True)):
        p = margin_pvalue(0.0, 0.0, clusters, margin=margin, clusters=True, **known)
        assert (float(p) < alpha) == shown


def test_interval_and_pvalue_of_clusters_are_one_test() -> None:
    rng = np.random.default_rng(6)
    gain = rng.normal(0, 0.05, 300)
    se = rng.uniform(0, 0.05, 300) * (rng.random(300) > 0.2)
    known: dict[str, Any] = {"df": 24.0, "width": 1.0, "clusters": True}
    low, high = margin_interval(gain, se, 25, conf=0.9, **known)
    plain = margin_interval(gain, se, 25, df=24, width=1.0, conf=0.9)
    assert (low <= plain[0]).all()
    assert (high >= plain[1]).all()
    for margin in (0.08, 0.12, 0.2):
        one = margin_pvalue(gain, se, 25, margin=margin, **known)
        two = margin_pvalue(gain, se, 25, margin=margin, sides=2, **known)
        assert np.array_equal(one < 0.05, low > -margin)
        assert np.array_equal(two < 0.05, (low > -margin) & (high < margin))


@pytest.mark.parametrize("sides", [1, 2])
@pytest.mark.parametrize("sigma", [0.02, 0.12])
def test_power_of_clusters_is_the_share_of_draws(sigma: float, sides: int) -> None:
    rng = np.random.default_rng(5)
    d = rng.normal(0.005, sigma, (20_000, 30))
    se = d.std(axis=1, ddof=1) / math.sqrt(30)
    low, high = margin_interval(d.mean(axis=1), se, 30, df=29, width=1.0, clusters=True)
    shown = (low > -0.1) & ((high < 0.1) | (sides == 1))
    power = margin_power(
        0.1,
        sigma=sigma,
        n=30,
        width=1.0,
        delta=0.005,
        sides=2 if sides == 2 else 1,
        clusters=True,
    )
    assert shown.mean() == pytest.approx(float(power), abs=0.012)


def test_fewest_identical_clusters() -> None:
    for margin in (0.05, 0.15, 0.4):
        n = margin_least_items(margin, clusters=True)
        assert float(margin_least(n)) < margin <= float(margin_least(n - 1))
