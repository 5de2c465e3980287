"""Bets on the gap of 0/1 scores: against mpmath, McNemar's e-process and full enumeration."""

from itertools import product

import mpmath
import numpy as np
import pytest

from nstar.errors import ParameterError
from nstar.stats.eprocess import mcnemar_log_e
from nstar.stats.gap_betting import (
    equivalence_log_e,
    gap_log_e,
    gap_sequence,
    noninferiority_log_e,
)

CASES = [
    (40, 22, 300, -0.03, 0.5),
    (40, 22, 300, 0.03, 0.5),
    (40, 22, 300, 0.4, 2.0),
    (3, 9, 30, -0.9, 7.0),
    (60, 60, 1000, -0.05, 0.5),
    (0, 0, 100, -0.1, 0.5),
    (5, 0, 5, 0.5, 0.5),
    (0, 5, 5, 0.999, 1.5),
    (40, 0, 60, -0.2, 0.55),
    (30, 0, 300, -0.2, 0.75),
    (20, 0, 300, 0.03, 2.1),
]


def by_mpmath(b: int, c: int, n: int, gap: float, a: float) -> float:
    """The mixture of stakes, integrated with 20 digits over k = sin(angle)."""
    with mpmath.workdps(20):
        g, shape = mpmath.mpf(gap), mpmath.mpf(a)

        def height(angle: mpmath.mpf) -> mpmath.mpf:
            k = mpmath.sin(angle)
            won, drawn = 1 - k + 2 * k / (1 + g), 1 - k + k / (1 + g)
            capital = won**b * drawn ** (n - b - c) * (1 - k) ** c
            return mpmath.cos(angle) ** (2 * shape - 1) * capital

        area = mpmath.quad(height, mpmath.linspace(0, mpmath.pi / 2, 10))
        return float(mpmath.log(2 * area / mpmath.beta(0.5, shape)))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("case", CASES)
def test_each_direction_is_the_integral(case: tuple[int, int, int, float, float]) -> None:
    b, c, n, gap, a = case
    want = by_mpmath(b, c, n, gap, a)
    found = gap_log_e(b, c, n, null=gap, a=a, tail="above")
    assert found == pytest.approx(want, abs=1e-11)
    mirrored = gap_log_e(c, b, n, null=-gap, a=a, tail="below")
    assert mirrored == pytest.approx(want, abs=1e-11)


@pytest.mark.parametrize("a", [0.5, 1.0, 12.5, 400.0])
def test_at_no_gap_it_is_the_e_process(a: float) -> None:
    b, c = np.array([0, 3, 40, 296, 5000, 0]), np.array([0, 9, 22, 250, 4800, 60])
    want = mcnemar_log_e(b, c, a=a)
    assert gap_log_e(b, c, 12_000, a=a) == pytest.approx(want, abs=1e-9)


@pytest.mark.parametrize(("gap", "truth"), [(-0.2, -0.2), (0.3, 0.3), (0.1, -0.15)])
def test_mean_at_most_one_when_the_gap_is_no_larger(gap: float, truth: float) -> None:
    """All outcomes of six items; whatever the discordance."""
    for psi in (0.35, 0.8):
        law = {1: (psi + truth) / 2, 0: 1 - psi, -1: (psi - truth) / 2}
        paths = np.array(list(product(law, repeat=6)))
        chance = np.prod(np.vectorize(law.get)(paths), axis=1)
        b, c = (paths > 0).sum(axis=1), (paths < 0).sum(axis=1)
        capital = np.exp(gap_log_e(b, c, 6, null=gap, a=2.0, tail="above"))
        mean = float(chance @ capital)
        assert mean <= 1 + 1e-12
        if gap == truth:
            assert mean == pytest.approx(1, abs=1e-12)


def test_sequence_is_where_the_e_value_is_small() -> None:
    rng = np.random.default_rng(4)
    n = rng.integers(1, 400, 60)
    b = rng.binomial(n, 0.2)
    c = rng.binomial(n - b, 0.15)
    low, high = map(np.asarray, gap_sequence(b, c, n, a=3.0))
    gap = (b - c) / n
    assert ((low < gap) & (gap < high)).all()
    for limit in (low, high):
        log_e = gap_log_e(b, c, n, null=limit, a=3.0)
        assert log_e == pytest.approx(np.full(60, np.log(20)), abs=1e-8)


def test_sequence_excludes_no_gap_when_the_e_process_rejects() -> None:
    b, c = np.divmod(np.arange(900), 30)
    low, high = map(np.asarray, gap_sequence(b, c, 80))
    log_e = mcnemar_log_e(b, c)
    clear = np.abs(log_e - np.log(20)) > 1e-8
    assert np.array_equal(((low > 0) | (high < 0))[clear], (log_e > np.log(20))[clear])


def test_the_e_value_is_convex_in_the_gap() -> None:
    gaps = np.linspace(-0.95, 0.95, 400)
    for b, c, n in ((3, 1, 9), (40, 22, 300), (0, 7, 50)):
        log_e = gap_log_e(b, c, n, null=gaps, a=2.0)
        capital = np.exp(log_e - log_e.max())
        bend = np.diff(capital, 2)
        assert (bend >= -1e-9 * capital[1:-1]).all()


def test_margins() -> None:
    above = gap_log_e(70, 60, 1000, null=-0.05, tail="above")
    below = gap_log_e(70, 60, 1000, null=0.05, tail="below")
    assert noninferiority_log_e(70, 60, 1000, margin=0.05) == above
    assert equivalence_log_e(70, 60, 1000, margin=0.05) == min(above, below) == below
    swapped = equivalence_log_e(60, 70, 1000, margin=0.05)
    assert swapped == pytest.approx(float(below), abs=1e-12)


def test_certain_models() -> None:
    assert gap_sequence(5, 0, 5).high == 1.0
    assert gap_sequence(0, 5, 5).low == -1.0
    low, high = gap_sequence(0, 0, 400)
    assert low == pytest.approx(-high)
    assert 0 < high < 0.03


@pytest.mark.parametrize(
    "arguments",
    [
        {"null": 1.0},
        {"null": np.nan},
        {"a": 0.4},
        {"a": np.inf},
        {"n": 11},
        {"n10": 2.5},
        {"tail": "left"},
    ],
)
def test_inputs_are_checked(arguments: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        gap_log_e(**({"n10": 10, "n01": 2, "n": 50} | arguments))  # type: ignore[arg-type]


@pytest.mark.parametrize("margin", [0.0, 1.0, -0.1, np.nan])
def test_margins_are_checked(margin: float) -> None:
    with pytest.raises(ParameterError, match="margin"):
        noninferiority_log_e(10, 2, 50, margin=margin)
