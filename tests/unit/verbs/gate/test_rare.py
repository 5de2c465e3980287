"""Losses too rare to have shown: bounds against roots, Wilson, mixtures and direct draws."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import optimize, special

from nstar import ScoreMatrix, gate, stats
from nstar._base.types import Array
from nstar._verbs.gate.fixed_look import least_items
from nstar.stats import margin_bound
from nstar.stats.margin import _margin_room, _margin_statistic

CASES = [(0.0, 0.0, 30, 1.0), (0.01, 0.004, 500, 1.0), (-0.03, 0.02, 80, 1.0), (0.6, 1.1, 40, 9.0)]


def mixture_statistic(gain: float, se: float, n: int, width: float, null: float) -> float:
    """The variance from the law itself: what was seen, or with a small chance a full loss."""
    share = (gain - null) / (gain + width)
    mean = (1 - share) * gain - share * width
    assert mean == pytest.approx(null)
    second = (1 - share) * (n * se**2 + gain**2) + share * width**2
    return (gain - null) / math.sqrt((second - mean**2) / n)


@pytest.mark.parametrize(("gain", "se", "n", "width"), CASES)
@pytest.mark.parametrize("quantile", [1.0, 1.645, 2.6])
def test_bound_is_the_root_of_the_test(
    gain: float, se: float, n: int, width: float, quantile: float
) -> None:
    def short(null: float) -> float:
        return mixture_statistic(gain, se, n, width, null) - quantile

    expected = optimize.brentq(short, -width + 1e-9, gain - 1e-9, xtol=1e-14)
    low = float(margin_bound(gain, se, n, width=width, quantile=quantile))
    assert low == pytest.approx(expected, abs=1e-10)
    at = float(_margin_statistic(gain, se, n, width=width, margin=-low))
    assert at == pytest.approx(quantile, rel=1e-9)


@pytest.mark.parametrize(("losses", "n"), [(0, 268), (1, 300), (7, 90)])
def test_all_or_nothing_losses_are_wilsons(losses: int, n: int) -> None:
    share = losses / n
    se = math.sqrt(share * (1 - share) / n)
    low = float(margin_bound(-share, se, n, width=1.0, quantile=1.6448536269514722))
    _, high = stats.wilson_interval(losses, n, conf=0.9)
    assert low == pytest.approx(-float(high), rel=1e-12)


def test_identical_scores_are_the_unanimous_bound() -> None:
    for margin, width in ((0.01, 1.0), (0.05, 1.0), (2.0, 50.0)):
        least = least_items(margin, width, 0.05)
        assert least is not None
        z = float(stats.z_alpha(0.05, sides=1))
        lows = [float(margin_bound(0, 0, n, width=width, quantile=z)) for n in (least - 1, least)]
        assert lows[0] <= -margin < lows[1]


@pytest.mark.parametrize(
    ("se", "n", "width"), [(0.002, 400, 1.0), (0.01, 50, 1.0), (9.0, 8, 40.0)]
)
def test_room_is_what_the_bound_asks_for(se: float, n: int, width: float) -> None:
    room = float(_margin_room(se, n, width=width, margin=0.02, quantile=1.645))
    at = float(_margin_statistic(room - 0.02, se, n, width=width, margin=0.02))
    assert at == pytest.approx(1.645, rel=1e-12)


def graded(d: Array) -> tuple[Array, Array]:
    b = np.full(d.size, 0.5) + 0.5 * (d < 0)
    return b + d, b


@pytest.mark.parametrize("n", [5, 12, 100, 267])
def test_a_hair_worse_passes_no_sooner_than_identical(n: int) -> None:
    b = np.ones(n)
    a = b.copy()
    a[0] = 0.999
    check = gate(a, b, margin=0.01).tasks[0]
    assert (check.verdict, check.min_items_to_pass, check.identical_scores_pass) == (
        "inconclusive",
        268,
        False,
    )
    assert check.evidence.pvalue_not_worse is not None
    same = gate(b, b, margin=0.01).tasks[0].evidence
    assert same.pvalue_not_worse is not None
    assert check.evidence.pvalue_not_worse > same.pvalue_not_worse > 0.05
    assert check.evidence.ci.low < -0.01
    plenty = np.ones(400)
    plenty[0] = 0.999
    assert gate(plenty, np.ones(400), margin=0.01).verdict == "pass"


def test_a_better_candidate_passes_on_fewer() -> None:
    rng = np.random.default_rng(3)
    a, b = graded(rng.uniform(0.1, 0.3, 60))
    assert gate(a, b, margin=0.01).verdict == "pass"


@pytest.mark.parametrize(
    ("margin", "n", "most"),
    [(0.01, 30, 0.0), (0.01, 200, 0.0), (0.01, 300, 0.07), (0.05, 50, 0.002), (0.05, 60, 0.07)],
)
def test_rare_whole_losses_do_not_pass(margin: float, n: int, most: float) -> None:
    """Worse by exactly the margin: t intervals let 74, 15, 19, 8 and 20% pass."""
    rng, reps = np.random.default_rng(1), 4000
    lost = rng.random((reps, n)) < margin
    d = np.where(lost, -1.0, rng.normal(0, 0.01, (reps, n)))
    mean, se = d.mean(axis=1), d.std(axis=1, ddof=1) / math.sqrt(n)
    quantile = float(special.stdtrit(n - 1, 0.95))
    low = margin_bound(mean, se, n, width=1.0, quantile=quantile)
    assert (low > -margin).mean() <= most
    for row in d[:3]:
        a, b = np.where(row < -0.5, 0.0, 0.5 + row), np.where(row < -0.5, 1.0, 0.5)
        check = gate(a, b, margin=margin).tasks[0]
        assert check.evidence.ci.low == pytest.approx(
            float(
                margin_bound((a - b).mean(), check.comparison.se, n, width=1.0, quantile=quantile)
            )
        )


def test_lower_is_better_bounds_the_other_end() -> None:
    rng = np.random.default_rng(5)
    a, b = rng.uniform(0.4, 0.6, (2, 120))
    up = gate(a, b, margin=0.05).tasks[0].evidence
    matrix = ScoreMatrix.from_arrays([b, a], models=["new", "old"])
    assert up.ci.low < gate(a, b, superiority=True).tasks[0].evidence.ci.low
    down = gate(replace(matrix, lower_is_better=True), margin=0.05, a="new", b="old")
    other = down.tasks[0].evidence
    assert (other.ci.low, other.ci.high) == pytest.approx((-up.ci.high, -up.ci.low))
    assert other.pvalue_not_worse == pytest.approx(up.pvalue_not_worse)


@pytest.mark.parametrize("sd", [0.02, 0.1])
def test_items_to_settle_it_are_those_of_draws(sd: float) -> None:
    """At as many items equal models pass with about the wanted probability."""
    rng = np.random.default_rng(8)
    b = np.full(140, 0.5)
    check = gate(b + rng.normal(0, sd, 140), b, margin=0.02).tasks[0]
    if check.needed_to_decide is None:
        assert check.verdict == "pass"
        return
    n = int(check.needed_to_decide.n_items_if_equal)
    d = rng.normal(0, check.comparison.se * math.sqrt(140), (2000, n))
    se = d.std(axis=1, ddof=1) / math.sqrt(n)
    low = margin_bound(d.mean(axis=1), se, n, width=1.0, quantile=special.stdtrit(n - 1, 0.95))
    assert (low > -0.02).mean() == pytest.approx(0.8, abs=0.05)


def test_nearly_identical_clusters_pass_no_sooner() -> None:
    groups = {"g": [f"c{k % 5}" for k in range(60)]}
    b = np.ones(60)
    a = b.copy()
    a[0] = 0.999
    near, same = (gate(x, b, margin=0.05, groups=groups, cluster="g") for x in (a, b))
    assert (near.verdict, same.verdict) == ("inconclusive", "inconclusive")
