"""Laws of tests and intervals: p-values, their logarithms, duality with intervals, and q."""

import math
from typing import get_args

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import special
from scipy import stats as scipy_stats

from helpers.strategies import Cells, paired_cells
from nstar import stats
from nstar._base.types import Interval
from nstar.stats import McNemarMethod, PairedInterval

TESTS: tuple[McNemarMethod, ...] = get_args(McNemarMethod)
INTERVALS: tuple[PairedInterval, ...] = get_args(PairedInterval)
TOL = 1e-9

confs = st.floats(0.5, 0.9999)
t_values = st.floats(-50, 50)
shares = st.one_of(st.just(0.0), st.floats(1e-9, 1))
few = settings(max_examples=max(30, settings().max_examples * 2 // 5))


@st.composite
def discordant(draw: st.DrawFn) -> tuple[int, int]:
    """(n10, n01): nothing, one-sided, level and huge splits included."""
    top = draw(st.sampled_from((0, 1, 12, 300, 10**5, 10**9)))
    n10 = draw(st.integers(0, top))
    return n10, draw(st.one_of(st.just(0), st.just(n10), st.integers(0, top)))


@st.composite
def successes(draw: st.DrawFn) -> tuple[int, int]:
    """(x, n) of one model: all wrong and all right included."""
    n = draw(st.integers(1, draw(st.sampled_from((3, 50, 10**4, 10**8)))))
    return draw(st.one_of(st.just(0), st.just(n), st.integers(0, n))), n


# --- McNemar ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", TESTS)
@few
@given(split=discordant())
def test_pvalue_is_a_probability_and_symmetric(
    split: tuple[int, int], method: McNemarMethod
) -> None:
    p = float(stats.mcnemar_pvalue(*split, method=method))
    assert 0 < p <= 1
    assert stats.mcnemar_pvalue(*split[::-1], method=method) == p
    log_p = float(stats.mcnemar_log_pvalue(*split, method=method))
    assert math.isfinite(log_p)
    assert log_p <= 0
    assert stats.mcnemar_log_pvalue(*split[::-1], method=method) == log_p
    if p > 1e-290:
        assert log_p == pytest.approx(math.log(p), rel=1e-9, abs=1e-9)
    else:
        assert log_p < math.log(1e-289)


@given(discordant())
def test_tests_are_ordered_by_caution(split: tuple[int, int]) -> None:
    p = {m: float(stats.mcnemar_log_pvalue(*split, method=m)) for m in TESTS}
    assert p["midp"] <= p["exact"] + TOL
    assert p["asymptotic"] <= p["corrected"] + TOL


@given(discordant())
def test_midp_is_exact_less_half_the_observed_splits(split: tuple[int, int]) -> None:
    n, k = sum(split), min(split)
    assume(0 < n < 10**6)
    exact, midp = (stats.mcnemar_pvalue(*split, method=m) for m in ("exact", "midp"))
    here = scipy_stats.binom.pmf(k, n, 0.5)
    expected = 1 - here / 2 if split[0] == split[1] else exact - here
    assert midp == pytest.approx(expected, rel=1e-6, abs=1e-12)


@pytest.mark.parametrize("method", TESTS)
@few
@given(n=st.integers(2, 10**6), share=st.floats(0, 1))
def test_a_more_lopsided_split_is_stronger_evidence(
    n: int, share: float, method: McNemarMethod
) -> None:
    k = int(share * (n // 2 - 1))  # the smaller count, below the even split
    near, far = (stats.mcnemar_log_pvalue(n - j, j, method=method) for j in (k + 1, k))
    assert far < near or (far == near == 0)


@given(paired_cells())
def test_default_is_midp_unless_most_items_are_discordant(cells: Cells) -> None:
    b, c = cells.n10, cells.n01
    method: McNemarMethod = "exact" if b + c > 0.8 * cells.n else "midp"
    expected = stats.mcnemar_pvalue(b, c, method=method)
    assert stats.mcnemar_default_pvalue(b, c, cells.n) == expected


@given(st.integers(0, 9), st.integers(0, 9))
def test_exact_mcnemar_is_the_sign_flip_test(b: int, c: int) -> None:
    assume(b + c > 0)
    flips = stats.sign_flip_pvalue([1.0] * b + [-1.0] * c)
    assert stats.mcnemar_pvalue(b, c, method="exact") == pytest.approx(flips, abs=1e-12)


@few
@given(discordant())
def test_exact_mcnemar_is_the_binomial_test_of_one_half(split: tuple[int, int]) -> None:
    assume(sum(split) > 0)
    binomial = stats.binomial_pvalue(split[0], sum(split), p0=0.5)
    assert stats.mcnemar_pvalue(*split, method="exact") == pytest.approx(binomial, rel=1e-9)


@pytest.mark.parametrize("method", TESTS)
@few
@given(n=st.integers(1, 10**6), alpha=st.floats(1e-6, 0.5))
def test_rejection_limit_is_where_the_test_first_rejects(
    n: int, alpha: float, method: McNemarMethod
) -> None:
    k = int(stats.rejection_limits(n, method=method, alpha=alpha))
    assert n / 2 < k <= n + 1
    slack = 1e-9
    if k <= n:
        assert stats.mcnemar_pvalue(k, n - k, method=method) <= alpha * (1 + slack)
    if k - 1 > n / 2:
        assert stats.mcnemar_pvalue(k - 1, n - k + 1, method=method) > alpha * (1 - slack)


@given(paired_cells(), st.integers(1, 10**6))
def test_items_both_got_right_change_the_gap_but_not_the_test(cells: Cells, more: int) -> None:
    b, c, n = cells.n10, cells.n01, cells.n
    t, same = (float(stats.tango_statistic(b, c, m)) for m in (n, n + more))
    assert same == pytest.approx(t, rel=1e-12)
    before, after = (float(stats.delta_hat(b, c, m)) for m in (n, n + more))
    assert abs(after) < abs(before) or before == after == 0
    assert stats.psi_hat(b, c, n + more) <= stats.psi_hat(b, c, n)
    assume(abs(abs(t) - stats.z_alpha()) > TOL)
    for m in (n, n + more):
        low, high = stats.paired_interval(b, c, m)
        assert (low > 0, high < 0) == (t > stats.z_alpha(), t < -stats.z_alpha())


# --- intervals ----------------------------------------------------------------------------


@given(paired_cells(), confs)
def test_tango_excludes_zero_where_asymptotic_mcnemar_rejects(cells: Cells, conf: float) -> None:
    b, c, n = cells.n10, cells.n01, cells.n
    p = float(stats.mcnemar_pvalue(b, c, method="asymptotic"))
    assume(abs(p - (1 - conf)) > 1e-9)
    low, high = stats.paired_interval(b, c, n, conf=conf)
    assert (low > 0 or high < 0) == (p < 1 - conf)


@given(paired_cells(), confs)
def test_tango_limits_are_the_nulls_just_rejected(cells: Cells, conf: float) -> None:
    b, c, n = cells.n10, cells.n01, cells.n
    z = float(stats.z_alpha(1 - conf))
    low, high = (float(v) for v in stats.paired_interval(b, c, n, conf=conf))
    if -1 < low < 1:
        assert stats.tango_statistic(b, c, n, null=low) == pytest.approx(z, rel=1e-5, abs=1e-6)
    if -1 < high < 1:
        assert stats.tango_statistic(b, c, n, null=high) == pytest.approx(-z, rel=1e-5, abs=1e-6)


@given(paired_cells(), st.floats(-0.99, 0.99), st.floats(0.001, 0.01))
def test_tango_statistic_falls_as_the_null_rises(cells: Cells, null: float, step: float) -> None:
    assume(null + step < 1)
    near, far = (
        stats.tango_statistic(cells.n10, cells.n01, cells.n, null=v) for v in (null, null + step)
    )
    assert far < near
    mirrored = stats.tango_statistic(cells.n01, cells.n10, cells.n, null=-null)
    assert mirrored == pytest.approx(-near, abs=1e-12)


@pytest.mark.parametrize("method", INTERVALS)
@few
@given(cells=paired_cells(), conf=confs)
def test_intervals_are_antisymmetric_and_nested(
    cells: Cells, conf: float, method: PairedInterval
) -> None:
    b, c, n = cells.n10, cells.n01, cells.n
    low, high = (float(v) for v in stats.paired_interval(b, c, n, method=method, conf=conf))
    assert -1 <= low <= high <= 1
    assert stats.paired_interval(c, b, n, method=method, conf=conf) == pytest.approx(
        (-high, -low), abs=TOL
    )
    wider = stats.paired_interval(b, c, n, method=method, conf=(1 + conf) / 2)
    assert wider.low <= low + TOL
    assert high - TOL <= wider.high
    if method in ("tango", "wald"):
        assert low - TOL <= (b - c) / n <= high + TOL


@given(paired_cells(), confs)
def test_newcombe_knows_neither_first_nor_right(cells: Cells, conf: float) -> None:
    n11, n10, n01, n00 = cells
    low, high = (float(v) for v in stats.newcombe_interval(*cells, conf=conf))
    assert -1 <= low <= (n10 - n01) / cells.n + TOL
    assert (n10 - n01) / cells.n - TOL <= high <= 1
    swapped = stats.newcombe_interval(n11, n01, n10, n00, conf=conf)
    assert swapped == pytest.approx((-high, -low), abs=TOL)
    wrong = stats.newcombe_interval(n00, n10, n01, n11, conf=conf)
    assert wrong == pytest.approx((low, high), abs=TOL)


@given(successes(), confs)
def test_proportion_intervals_hold_the_proportion_and_mirror(
    counts: tuple[int, int], conf: float
) -> None:
    x, n = counts
    for function in (stats.wilson_interval, stats.clopper_pearson_interval):
        low, high = (float(v) for v in function(x, n, conf=conf))
        assert 0 <= low <= x / n <= high <= 1
        assert low < high
        assert (low == 0) == (x == 0)
        assert (high == 1) == (x == n)
        mirrored = function(n - x, n, conf=conf)
        assert mirrored == pytest.approx((1 - high, 1 - low), abs=1e-9)
        wider = function(x, n, conf=(1 + conf) / 2)
        assert wider.low <= low
        assert high <= wider.high


@given(successes(), confs)
def test_proportion_intervals_invert_their_tests(counts: tuple[int, int], conf: float) -> None:
    x, n = counts
    z = stats.z_alpha(1 - conf)
    low, high = (float(v) for v in stats.wilson_interval(x, n, conf=conf))
    for limit, sign in ((low, 1), (high, -1)):
        if 0 < limit < 1:
            score = (x - n * limit) / math.sqrt(n * limit * (1 - limit))
            assert score == pytest.approx(sign * z, rel=1e-4, abs=1e-4)
    low, high = (float(v) for v in stats.clopper_pearson_interval(x, n, conf=conf))
    if x > 0:
        assert special.betainc(x, n - x + 1, low) == pytest.approx((1 - conf) / 2, rel=1e-4)
    if x < n:
        assert special.betaincc(x + 1, n - x, high) == pytest.approx((1 - conf) / 2, rel=1e-4)


@few
@given(st.integers(1, 400), st.floats(0, 1), st.floats(0.01, 0.99))
def test_binomial_pvalue_is_that_of_scipy(n: int, share: float, p0: float) -> None:
    x = round(share * n)
    expected = scipy_stats.binomtest(x, n, p0).pvalue
    p = stats.binomial_pvalue(x, n, p0=p0)
    assert p == pytest.approx(expected, rel=1e-9)
    mirrored = stats.binomial_pvalue(n - x, n, p0=1 - p0)
    assert mirrored == pytest.approx(p, rel=1e-6)


@given(paired_cells(), st.floats(0.005, 0.5), st.floats(0.01, 0.2))
def test_equivalence_is_shown_where_the_interval_fits_the_margin(
    cells: Cells, margin: float, alpha: float
) -> None:
    b, c, n = cells.n10, cells.n01, cells.n
    low, high = stats.paired_interval(b, c, n, conf=1 - 2 * alpha)
    down = float(stats.noninferiority_pvalue(b, c, n, margin=margin))
    both = float(stats.equivalence_pvalue(b, c, n, margin=margin))
    assume(abs(down - alpha) > 1e-7)
    assume(abs(both - alpha) > 1e-7)
    assert (low > -margin) == (down < alpha)
    assert (low > -margin and high < margin) == (both < alpha)
    assert 0 < down <= both <= 1
    assert stats.equivalence_pvalue(c, b, n, margin=margin) == both
    assert stats.noninferiority_pvalue(b, c, n, margin=margin * 1.5) <= down


@given(st.floats(-1, 1), st.floats(1e-3, 1), st.integers(2, 10**6), confs)
def test_t_interval_excludes_zero_where_the_t_test_rejects(
    mean: float, sd: float, n: int, conf: float
) -> None:
    p = float(stats.t_pvalue(mean, sd, n))
    assume(abs(p - (1 - conf)) > 1e-9)
    low, high = stats.t_interval(mean, sd, n, conf=conf)
    assert (low > 0 or high < 0) == (p < 1 - conf)
    assert stats.t_pvalue(-mean, sd, n) == p
    one, other = (stats.t_pvalue(m, sd, n, sides=1) for m in (mean, -mean))
    assert one + other == pytest.approx(1, abs=1e-9)
    if p > 1e-290:
        assert stats.t_log_pvalue(mean, sd, n) == pytest.approx(math.log(p), rel=1e-9, abs=1e-12)


# --- the resolution ratio -----------------------------------------------------------------


@given(t_values, st.floats(1e-4, 0.2), st.floats(0.5, 0.995))
def test_q_is_the_squared_statistic_over_k(t: float, alpha: float, power: float) -> None:
    k = float(stats.k_factor(alpha, power))
    q = float(stats.q_hat(t, alpha=alpha, power=power))
    assert q == pytest.approx((t / k) ** 2, rel=1e-12)
    assert stats.q_hat(-t, alpha=alpha, power=power) == q
    assume(abs(abs(t) - k) > TOL)
    assert (q >= 1) == (abs(t) >= k)
    seen = stats.observed_power(q, alpha=alpha, power=power)
    assert seen == pytest.approx(special.ndtr(abs(t) - stats.z_alpha(alpha)), rel=1e-6, abs=1e-12)


@given(paired_cells())
def test_q_of_counts_is_items_over_items_needed(cells: Cells) -> None:
    b, c, n = cells.n10, cells.n01, cells.n
    sigma, delta = float(stats.sigma_hat(b, c, n)), float(stats.delta_hat(b, c, n))
    assume(sigma > 1e-6)
    assume(delta != 0)
    q = float(stats.q_hat(stats.t_stat(b, c, n)))
    assert stats.q_at(delta, sigma=sigma, n=n) == pytest.approx(q, rel=1e-9)
    assert n / stats.normal_n_star(delta, sigma=sigma) == pytest.approx(q, rel=1e-9)


@given(t_values, confs, st.floats(1, 1e7))
def test_intervals_of_q_and_items_needed_mirror_each_other(
    t: float, conf: float, n: float
) -> None:
    q = float(stats.q_hat(t))
    low, high = (float(v) for v in stats.q_interval(t, conf=conf))
    assert 0 <= low <= q * (1 + TOL)
    assert q <= high * (1 + TOL)
    assert (low == 0) == (abs(t) <= stats.z_alpha(1 - conf))
    least, most = (float(v) for v in stats.n_star_interval(t, n=n, conf=conf))
    assert least == pytest.approx(n / high, rel=1e-12)
    assert math.isinf(most) if low == 0 else most == pytest.approx(n / low, rel=1e-9)
    wider = stats.q_interval(t, conf=(1 + conf) / 2)
    assert wider.low <= low
    assert high <= wider.high


@given(shares, shares, st.floats(1, 1e6))
def test_sd_of_log_q_is_positive_and_even(x: float, y: float, n: float) -> None:
    p10, p01 = (x, y) if x + y <= 1 else (1 - x, 1 - y)
    assume(p10 + p01 <= 1)
    sd = float(stats.log_q_sd(p10, p01, n))
    assert sd > 0
    mirrored = float(stats.log_q_sd(p01, p10, n))
    assert mirrored == pytest.approx(sd, rel=1e-6) or math.isinf(sd)


@few
@given(st.floats(0.3, 0.7), st.floats(0.5, 0.9), st.floats(0, 0.3), st.floats(0, 0.3))
def test_n_star_over_rho_brackets_n_star(p_a: float, p_b: float, low: float, more: float) -> None:
    assume(abs(p_a - p_b) > 1e-3)
    least, most = stats.n_star_over_rho(p_a, p_b, Interval(low, low + more))
    assert least <= most
    inside = np.clip(low + more / 2, *stats.rho_bounds(p_a, p_b))
    need = stats.paired_n_star_from_rates(p_a, p_b, inside)
    assert least * (1 - TOL) <= need <= most * (1 + TOL)
