"""McNemar's mid-p by table: against exact sums, whatever the order in which rows are made."""

import math
import sys
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from threading import Barrier
from typing import Any

import mpmath as mp
import numpy as np
import pytest

from nstar._base.types import Array, IntArray
from nstar.stats import _midp
from nstar.stats._midp import MidpTable
from nstar.stats.mcnemar import P_FLOOR, mcnemar_pvalue

DEEP = 2e-19
"""Below this a p-value is only wanted to five digits."""


def exact(n: int, lead: int) -> Any:
    """Mid-p by adding up binomial coefficients, to 30 digits."""
    k = (n - lead) // 2
    here = math.comb(n, k)
    if lead == 0:
        return mp.mpf(1) if n == 0 else 1 - mp.mpf(here) / mp.mpf(2) ** (n + 1)
    total, term = 0, here
    for j in range(k, -1, -1):
        total += term
        term = term * j // (n - j + 1)
        if term * (1 << 120) < total:
            break
    return mp.mpf(2 * total - here) / mp.mpf(2) ** n


def leads(n: int, how_many: int, rng: np.random.Generator) -> list[int]:
    """Leads of every size, most of them small, the largest always among them."""
    sizes = np.abs(rng.normal(size=how_many)) * 6 * math.sqrt(n)
    found = {n, n % 2, *(np.minimum(sizes, n).astype(int) // 2 * 2 + n % 2).tolist()}
    return sorted(d for d in found if d <= n)


def pvalues(table: MidpTable, n: int, lead: list[int]) -> list[float]:
    d = np.array(lead, dtype=np.int64)
    return table.pvalue(np.full_like(d, n), d).tolist()


def assert_close(found: float, expected: Any, what: object) -> None:
    expected = max(expected, mp.mpf(P_FLOOR))
    tolerance = 1e-12 if expected >= DEEP else 1e-5
    assert abs(found / expected - 1) <= tolerance, what


def test_every_lead_of_few_discordant_items() -> None:
    table = MidpTable()
    for n in range(121):
        every = list(range(n % 2, n + 1, 2))
        for d, p in zip(every, pvalues(table, n, every), strict=True):
            k = (n - d) // 2
            tail = Fraction(2 * sum(math.comb(n, j) for j in range(k)) + math.comb(n, k), 2**n)
            tie = 1 - Fraction(math.comb(n, k), 2 ** (n + 1)) if n else Fraction(1)
            assert p == pytest.approx(float(tail if d else tie), rel=1e-12), (n, d)


@pytest.mark.parametrize(
    "n", [121, 128, 500, 999, 1000, 2047, 2048, 2049, 2111, 2112, 2500, 3333, 4096, 4999, 5000]
)
def test_many_discordant_items(n: int) -> None:
    rng = np.random.default_rng(n)
    some = leads(n, 40, rng)
    with mp.workdps(30):
        for d, p in zip(some, pvalues(MidpTable(), n, some), strict=True):
            assert_close(p, exact(n, d), (n, d))


@pytest.mark.parametrize("n", [20_001, 65_472, 65_535, 65_536, 65_537, 100_000, 300_000])
def test_very_many_discordant_items(n: int) -> None:
    root = math.sqrt(n)
    some = sorted({int(z * root) // 2 * 2 + n % 2 for z in (0, 0.01, 1, 3, 7, 8.9, 9.1, 12, 30)})
    k = [(n - d) // 2 for d in some]
    with mp.workdps(40):
        for d, wins, p in zip(some, k, pvalues(MidpTable(), n, some), strict=True):
            assert_close(p, by_recurrence(wins, n), (n, d))


def by_recurrence(k: int, n: int) -> Any:
    """Mid-p with terms relative to the first, at the precision of the caller."""
    log_top = mp.loggamma(n + 1) - mp.loggamma(k + 1) - mp.loggamma(n - k + 1) - n * mp.log(2)
    top = mp.exp(log_top)
    if 2 * k == n:
        return 1 - top / 2
    total, term = mp.mpf(0), mp.mpf(1)
    for j in range(k, 0, -1):
        term *= mp.mpf(j) / (n - j + 1)
        total += term
        if term < mp.mpf(10) ** -25 * (1 + total):
            break
    return top * (2 * total + 1)


def test_deep_tails_never_reach_zero() -> None:
    n = np.array([2049, 2050, 5000, 70_000, 10**6, 1 << 30])
    p = MidpTable().pvalue(n, n)
    assert p[:1] == pytest.approx(P_FLOOR)
    assert (p == P_FLOOR).all()
    one_short = MidpTable().pvalue(n, n - 2)
    assert (one_short >= P_FLOOR).all()


def test_p_falls_as_the_lead_grows() -> None:
    table = MidpTable()
    for n in (7, 2048, 2049, 30_000, 65_535, 65_536, 90_001):
        d = np.arange(n % 2, min(n, int(36 * math.sqrt(n))) + 1, 2)
        p = table.pvalue(np.full_like(d, n), d)
        falls = p[1:] < p[:-1]
        assert falls[p[1:] > P_FLOOR].all(), n
        assert (p <= 1).all()


def test_agrees_with_the_kernel() -> None:
    rng = np.random.default_rng(11)
    n = rng.integers(0, 30_000, 50_000)
    d = np.minimum((np.abs(rng.normal(size=n.size)) * 2.5 * np.sqrt(n)).astype(np.int64), n)
    d -= (n - d) % 2
    d = np.abs(d)
    expected = mcnemar_pvalue((n + d) // 2, (n - d) // 2)
    found = MidpTable().pvalue(n, d)
    assert found[expected > DEEP] == pytest.approx(expected[expected > DEEP], rel=1e-11)


# --- the table ----------------------------------------------------------------------------


def pairs(seed: int, size: int, most: int) -> tuple[IntArray, IntArray]:
    rng = np.random.default_rng(seed)
    n = rng.integers(0, most, size)
    d = np.minimum((rng.uniform(0, 11, size) * np.sqrt(n)).astype(np.int64), n)
    return n, np.abs(d - (n - d) % 2)


def test_shapes_and_kinds_of_integers() -> None:
    n, d = pairs(0, 60, 400)
    table = MidpTable()
    expected = table.pvalue(n, d)
    for kind in ("int32", "int64"):
        again = table.pvalue(*(x.astype(kind).reshape(4, 15) for x in (n, d)))
        assert again.shape == (4, 15)
        assert again.ravel().tolist() == expected.tolist()
    turned = table.pvalue(n.reshape(4, 15).T, d.reshape(4, 15).T)
    assert turned.tolist() == expected.reshape(4, 15).T.tolist()
    assert table.pvalue(n[0], d[0]).shape == ()


@pytest.mark.parametrize("before", [False, True])
def test_no_pairs(before: bool) -> None:
    table, none = MidpTable(), np.empty(0, dtype=np.int64)
    if before:
        table.pvalue(np.array([9]), np.array([3]))
    assert table.pvalue(none, none).shape == (0,)
    assert table.pvalue(none.reshape(0, 3), none.reshape(0, 3)).shape == (0, 3)


def test_the_order_of_questions_does_not_matter() -> None:
    n, d = pairs(1, 3000, 9000)
    expected = MidpTable().pvalue(n, d)
    table = MidpTable()
    for k in np.random.default_rng(2).permutation(3000)[:300].tolist():
        assert table.pvalue(n[k : k + 1], d[k : k + 1])[0] == expected[k]


def test_only_rows_that_are_asked_for_are_made() -> None:
    table = MidpTable()
    table.pvalue(np.array([60_000]), np.array([0]))
    size = table._used
    assert size < 64 * 1200
    table.pvalue(np.array([60_001, 1 << 29]), np.array([1, 10]))
    assert table._used == size
    start, _ = table._now
    assert start.size <= _midp._LARGEST + _midp._ROWS


def test_no_row_is_made_for_leads_beyond_its_reach() -> None:
    table = MidpTable()
    table.pvalue(np.array([30_000]), np.array([20_000]))
    assert table._used == 0


def ask(table: MidpTable, barrier: Barrier, n: IntArray, d: IntArray) -> Array:
    barrier.wait()
    parts = [table.pvalue(n[k : k + 50], d[k : k + 50]) for k in range(0, len(n), 50)]
    return np.concatenate(parts)


def test_threads_may_share_a_fresh_table() -> None:
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for attempt in range(2):
            table, barrier = MidpTable(), Barrier(4)
            asked = [pairs(10 * attempt + k, 2000, 12_000) for k in range(4)]
            with ThreadPoolExecutor(4) as pool:
                waiting = [pool.submit(ask, table, barrier, n, d) for n, d in asked]
            for (n, d), found in zip(asked, waiting, strict=True):
                assert found.result().tolist() == MidpTable().pvalue(n, d).tolist()
    finally:
        sys.setswitchinterval(before)


def test_what_a_thread_reads_stays_as_it_is() -> None:
    table = MidpTable()
    table.pvalue(np.array([100]), np.array([0]))
    start, values = table._now
    then, held = start.copy(), values.copy()
    table.pvalue(np.arange(0, 9000, 8), np.zeros(1125, dtype=np.int64))
    assert start.tolist() == then.tolist()
    used = start[start >= 0].max()
    assert values[:used].tolist() == held[:used].tolist()


def test_a_thread_that_fails_leaves_its_rows_to_others(monkeypatch: pytest.MonkeyPatch) -> None:
    make = _midp._block
    failed: list[int] = []

    def once(first: int) -> Array:
        if first == 320 and not failed:
            failed.append(first)
            raise MemoryError
        return make(first)

    monkeypatch.setattr(_midp, "_block", once)
    table, n = MidpTable(), np.arange(0, 640, 2)
    with pytest.raises(MemoryError):
        table.pvalue(n, np.zeros_like(n))
    assert table.pvalue(n, np.zeros_like(n)).tolist() == MidpTable().pvalue(n, 0 * n).tolist()
