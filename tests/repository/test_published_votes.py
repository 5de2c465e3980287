"""Figures of arenas and judges on docs/published-figures.md, found by other means."""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from helpers.scripts_as_modules import loaded


@pytest.fixture(scope="module")
def rows() -> dict[tuple[str, str], Any]:
    script = loaded("published_figures")
    return {(d.key, r.quantity): r for d in script.build() for r in d.rows}


def values(rows: dict[tuple[str, str], Any], key: str, start: str) -> tuple[float, ...]:
    (row,) = (r for (k, quantity), r in rows.items() if k == key and quantity.startswith(start))
    return tuple(row.values)


def expected_score(elo: float) -> float:
    return 1 / (1 + 10 ** (-elo / 400))


def wilson(k: int, n: int) -> tuple[float, float]:
    """Both shares whose own error just reaches the observed one."""

    def off(p: float) -> float:
        return (k / n - p) ** 2 - stats.norm.ppf(0.975) ** 2 * p * (1 - p) / n

    return optimize.brentq(off, 1e-9, k / n), optimize.brentq(off, k / n, 1 - 1e-9)


def printed_so(share: float, n: int, decimals: int) -> bool:
    """By exact fractions: some k/n is within half a unit of the last digit."""
    half = Fraction(1, 2 * 10**decimals)
    target = Fraction(round(share * 10**decimals), 10**decimals)
    return any(abs(Fraction(k, n) - target) <= half for k in range(n + 1))


def test_agreements(rows: dict[tuple[str, str], Any]) -> None:
    got = values(rows, "judging", "GPT-4 and people")
    for p, (a, b) in zip(got, ((0.85, 0.81), (0.855, 0.805), (0.845, 0.815)), strict=True):
        # the chi-squared test of a 2 x 2 table is the square of the z test
        table = [[859 * a, 859 * (1 - a)], [479 * b, 479 * (1 - b)]]
        assert p == pytest.approx(stats.chi2_contingency(table, correction=False).pvalue)


def test_shares_of_judges(rows: dict[tuple[str, str], Any]) -> None:
    assert values(rows, "judging", "24 shares") == pytest.approx(wilson(52, 80))
    low, high, p = values(rows, "judging", "answers spoiled")
    assert (low, high) == pytest.approx(wilson(2, 23))
    # no pattern of answers failed by both is less decisive than none
    worst = max(stats.binomtest(21 - k, 23 - 2 * k).pvalue for k in range(3))
    assert p == pytest.approx(worst)
    (p,) = values(rows, "judging", "failures in grading")
    assert p == pytest.approx(max(stats.binomtest(14 - k, 17 - 2 * k).pvalue for k in range(4)))


def test_gap_of_a_judge(rows: dict[tuple[str, str], Any]) -> None:
    kappa = 2 * Fraction(477 + 476, 1078) - 1  # both answers preferred equally often
    assert values(rows, "gap", "Cohen")[0] == pytest.approx(float(kappa), abs=1e-5)
    error = (0.1591 - 0.0953) / 2 / 1.959964
    p, told = values(rows, "gap", "GPT-4 as a judge")
    assert p == pytest.approx(2 * stats.norm.sf(0.1272 / error), rel=1e-3)
    assert told == 4
    left, room = values(rows, "gap", "gaps of all")
    assert abs(left) < room < 0.2


def test_weekly_updates(rows: dict[tuple[str, str], Any]) -> None:
    *scores, vicuna, turbo = values(rows, "weekly", "share of ties")
    assert scores == pytest.approx([expected_score(191), expected_score(119)])
    for score, won, ties in zip(scores, (0.82, 0.79), (vicuna, turbo), strict=True):
        assert (1 - ties) * won + ties / 2 == pytest.approx(score)
    low, high, predicted, elo = values(rows, "weekly", "Claude-v1")
    assert (low, high) == pytest.approx(wilson(32, 66))
    assert predicted == pytest.approx(expected_score(-50))
    # enumerated: chance that a two-sided sign test of 66 votes finds a gap of so many points
    wins = np.arange(67)
    found = [stats.binomtest(int(k), 66).pvalue < 0.05 for k in wins]
    power = stats.binom.pmf(wins, 66, expected_score(elo))[found].sum()
    assert power == pytest.approx(0.8, abs=0.05)
    even, needed = values(rows, "weekly", "12 Elo")
    assert even == pytest.approx(expected_score(12))
    lead = 2 * even - 1
    z = stats.norm.ppf(0.975) + stats.norm.ppf(0.8) * math.sqrt(1 - lead**2)
    assert needed == pytest.approx((z / lead) ** 2)


def test_llama_votes(rows: dict[tuple[str, str], Any]) -> None:
    *ps, low, high, behind = values(rows, "llama", "Llama 3 against each")
    votes = ((681, 1328), (811, 1620), (428, 881), (177, 349), (686, 1437))
    assert ps == pytest.approx([stats.binomtest(k, n).pvalue for k, n in votes])
    assert (low, high) == pytest.approx(wilson(686, 1437))
    assert expected_score(behind) == pytest.approx(low)
    assert not printed_so(0.4773, 1287, 4)
    others = ((1171, 0.5158), (1437, 0.4948), (779, 0.4904), (307, 0.5212))
    assert all(printed_so(x, n, 4) for n, x in others)
    assert all(printed_so(k / n, n, 4) for k, n in votes)


def test_arena_hard_counts(rows: dict[tuple[str, str], Any]) -> None:
    pairs = len(list(itertools.combinations(range(20), 2)))
    for share in values(rows, "arena-hard", "five sep"):
        assert share * pairs == pytest.approx(round(share * pairs))
    assert [
        n for n in (162, 163, 164) if printed_so(0.858, pairs, 3) and abs(n / pairs - 0.858) < 5e-4
    ] == [163]
    agreed = (0.226, 0.812, 0.891)
    assert not any(printed_so(x, 163, 3) for x in agreed)
    assert not any(all(printed_so(x, n, 3) for x in agreed) for n in range(1, pairs + 1))
    assert values(rows, "arena-hard", "agreement with")[2:] == (3.0, 1.0)


def test_alpaca_errors(rows: dict[tuple[str, str], Any]) -> None:
    counts = (
        (761, 32, 12),
        (578, 227, 0),
        (566, 237, 2),
        (328, 469, 8),
        (205, 584, 16),
        (112, 672, 20),
    )
    each = [np.repeat([1.0, 0.0, 0.5], n) for n in counts]
    assert values(rows, "alpaca", "six") == pytest.approx([stats.sem(x) for x in each])
    growth, needed, factor = values(rows, "alpaca", "factor")
    # at 150 samples the expected statistic is the critical value
    shift = stats.norm.ppf(0.975) * math.sqrt(needed / 150)
    assert stats.norm.cdf(shift - stats.norm.ppf(0.975)) == pytest.approx(0.8)
    assert (growth, factor) == pytest.approx((needed / 150, 805 / needed))


def test_examples_of_manuals(rows: dict[tuple[str, str], Any]) -> None:
    rating = dict.fromkeys(("pizza", "burger", "sushi"), 1000.0)
    for a, b, won in (("pizza", "burger", 1), ("burger", "sushi", 0), ("pizza", "sushi", 0.5)):
        move = 30 * (won - expected_score(rating[a] - rating[b]))
        rating[a] += move
        rating[b] -= move
    assert values(rows, "manuals", "Elo after") == pytest.approx(list(rating.values()))
    lead, swapped = values(rows, "manuals", "lead of pizza")
    assert lead == pytest.approx(0)
    assert swapped == pytest.approx(rating["pizza"] - rating["sushi"])
    assert values(rows, "manuals", "expected score") == pytest.approx(
        [expected_score(x) for x in (70, 100, 200)]
    )
    limits = (*wilson(3353, 4000), *wilson(431, 600))
    assert values(rows, "manuals", "Wilson") == pytest.approx(limits)


def test_a_corrected_interval_implies_how_good_the_judge_is(
    rows: dict[tuple[str, str], Any],
) -> None:
    r, most, gain = values(rows, "manuals", "correlation of judge")
    truth = 431 / 600
    # variance of the survey regression estimator at that correlation, and the printed width
    variance = truth * (1 - truth) * ((1 - r**2) / 600 + r**2 / 4000)
    assert 2 * 1.959964 * math.sqrt(variance) == pytest.approx(0.7463 - 0.6836, rel=1e-5)
    assert gain == pytest.approx(truth * (1 - truth) / 600 / variance)
    # the judge passes all that people pass: the largest correlation of two such scores
    joint = np.repeat([[1, 1], [0, 1], [0, 0]], [71833, 83825 - 71833, 100000 - 83825], axis=0)
    assert most == pytest.approx(np.corrcoef(joint.T)[0, 1], abs=1e-4)
