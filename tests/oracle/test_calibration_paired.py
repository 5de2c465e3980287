"""Coverage of intervals for two 0/1 scores per item, by enumeration of all tables.

Nothing is drawn here but the scenarios, so the results are exact; two of the references for q
were simulated and carry the tolerance of that.
"""

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special
from scipy import stats as scipy_stats

from nstar import stats
from nstar._base.types import Array, BoolArray, Interval

GOLDEN: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("golden.json").read_text(encoding="utf-8")
)["items"]
Cells = tuple[float, float, float, float]
"""p11, p10, p01, p00."""


def golden(stem: str, *, slow: str | None = None) -> list[Any]:
    """Reference values as parameters; ``slow`` marks those with this word in their name."""
    words = {item["id"]: item["id"].split(" ") for item in GOLDEN}
    return [
        pytest.param(item, id=name, marks=[pytest.mark.slow] if slow in words[name] else [])
        for item in GOLDEN
        if words[name := item["id"]][0] == stem
    ]


def cells(p_a: float, p_b: float, p11: float) -> Cells:
    return p11, p_a - p11, p_b - p11, 1 - p_a - p_b + p11


def scenarios(count: int = 300) -> list[Cells]:
    """p_b ~ U(.3, .95), delta ~ U(0, .12), rho ~ U(.2, .85), where that is feasible."""
    rng = np.random.default_rng(20261114)
    found: list[Cells] = []
    while len(found) < count:
        p_b = rng.uniform(0.3, 0.95)
        p_a = p_b + rng.uniform(0, 0.12)
        rho = rng.uniform(0.2, 0.85)
        if p_a >= 0.985:
            continue
        p11 = p_a * p_b + rho * np.sqrt(p_a * (1 - p_a) * p_b * (1 - p_b))
        if p11 <= min(p_a, p_b) - 1e-9:
            found.append(cells(p_a, p_b, p11))
    return found


def compositions(n: int, parts: int) -> Array:
    """All ways to share n items among some cells, one per row, (tables, parts)."""
    if parts == 1:
        return np.full((1, 1), float(n))
    return np.concatenate(
        [
            np.column_stack([np.full(len(rest), float(first)), rest])
            for first in range(n + 1)
            for rest in [compositions(n - first, parts - 1)]
        ]
    )


class Coverage:
    """Probability that intervals, one per table, hold the true gap."""

    def __init__(self, tables: Array, intervals: dict[str, Interval]) -> None:
        self.tables, self.intervals = tables, intervals
        n = tables[0].sum()
        self.log_count = special.gammaln(n + 1) - special.gammaln(tables + 1).sum(axis=1)

    def __call__(self, shares: list[float], delta: float) -> dict[str, float]:
        weight = np.exp(self.log_count + self.tables @ np.log(shares))
        assert weight.sum() == pytest.approx(1, abs=1e-9)
        return {
            name: float(weight[(low <= delta) & (delta <= high)].sum())
            for name, (low, high) in self.intervals.items()
        }


@functools.cache
def by_discordant(n: int, conf: float) -> Coverage:
    """Of the intervals that know the discordant cells only."""
    tables = compositions(n, 3)
    n10, n01 = tables[:, 0], tables[:, 1]
    return Coverage(
        tables,
        {
            "wald": stats.paired_interval(n10, n01, n, method="wald", conf=conf),
            "agresti_min": stats.paired_interval(n10, n01, n, method="agresti-min", conf=conf),
            "bonett_price": stats.paired_interval(n10, n01, n, method="bonett-price", conf=conf),
            "tango": stats.paired_interval(n10, n01, n, method="tango", conf=conf),
        },
    )


@functools.cache
def by_all(n: int, conf: float) -> Coverage:
    """Of the interval that knows all four cells; a hundred items have 176,851 tables."""
    tables = compositions(n, 4)
    return Coverage(tables, {"newcombe10": stats.newcombe_interval(*tables.T, conf=conf)})


def coverages(item: dict[str, Any], where: list[Cells]) -> dict[str, Array]:
    """Coverage of each interval that the reference has, per scenario."""
    n, conf = item["inputs"]["n"], item["inputs"]["conf"]
    some = by_discordant(n, conf)
    rows = [some([p10, p01, p11 + p00], p10 - p01) for p11, p10, p01, p00 in where]
    if "newcombe10" in item["value"]:
        every = by_all(n, conf)
        more = [every(list(p), p[1] - p[2]) for p in where]
        rows = [{**a, **b} for a, b in zip(rows, more, strict=True)]
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


@pytest.mark.sampled(4)
@pytest.mark.parametrize("item", golden("paired_ci.coverage", slow="n=500"))
def test_coverage_over_random_scenarios(item: dict[str, Any]) -> None:
    found = coverages(item, scenarios())
    assert found.keys() == item["value"].keys()
    for name, expected in item["value"].items():
        c = found[name]
        summary = {"mean": c.mean(), "min": c.min(), "frac_below_94": (c < 0.94).mean()}
        assert summary == pytest.approx(expected, abs=item["tol"]), name


@pytest.mark.parametrize("item", golden("paired_ci.coverage_fixed"))
def test_coverage_in_one_scenario(item: dict[str, Any]) -> None:
    x = item["inputs"]
    found = coverages(item, [cells(x["pA"], x["pB"], x["p11"])])
    assert {k: float(v[0]) for k, v in found.items()} == pytest.approx(
        item["value"], abs=item["tol"]
    )


# --- intervals for the resolution ratio ---------------------------------------------------


def likely_tables(n: int, p10: float, p01: float) -> tuple[Array, Array, Array]:
    """Discordant counts and their probability, all but 0.001 of it."""
    spans = [
        np.arange(np.floor(n * p - 5 * np.sqrt(n * p)), n * p + 5 * np.sqrt(n * p))
        for p in (p10, p01)
    ]
    n10, n01 = (grid.ravel() for grid in np.meshgrid(*spans, indexing="ij"))
    counts = np.column_stack([n10, n01, n - n10 - n01])
    weight = scipy_stats.multinomial.pmf(counts, n, [p10, p01, 1 - p10 - p01])
    keep = weight > 1e-7
    assert weight[keep].sum() == pytest.approx(1, abs=1e-3)
    return n10[keep], n01[keep], weight[keep]


def covered_by_bootstrap(n10: Array, n01: Array, n: int, q: float, conf: float) -> BoolArray:
    """Whether q lies within the central part of the bootstrap distribution of q_hat.

    A resample of table (n10, n01) has m discordant items, binomial, and of those n10*,
    binomial too; q_hat* ≤ q for n10* between two limits that depend on m only.
    """
    least, most = (n10 + n01).min(), (n10 + n01).max()
    m = np.arange(np.floor(least - 5 * np.sqrt(least)), most + 5 * np.sqrt(most))
    wins = np.arange(m[-1] + 1)
    inside = wins <= m[:, None]
    t = stats.t_stat(np.where(inside, wins, 0), np.where(inside, m[:, None] - wins, 1), n)
    near = inside & (stats.q_hat(t) <= q)
    first, last = near.argmax(axis=1), m[-1] - near[:, ::-1].argmax(axis=1)
    share = (n10 / (n10 + n01))[:, None]
    below = special.bdtr(last, m.astype(int), share) - np.where(
        first > 0, special.bdtr(np.maximum(first - 1.0, 0), m.astype(int), share), 0.0
    )
    weight = scipy_stats.binom.pmf(m, n, ((n10 + n01) / n)[:, None])
    p = (weight * below).sum(axis=1)
    return np.asarray((p >= (1 - conf) / 2) & (p <= (1 + conf) / 2))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("item", golden("paired.q_ci_coverage", slow="N=3000"))
def test_coverage_of_intervals_for_q(item: dict[str, Any]) -> None:
    x = item["inputs"]
    n, p10, p01, conf = x["N"], x["p10"], x["p01"], x["conf"]
    sigma = stats.sigma_from_psi(p10 + p01, p10 - p01)
    q = float(stats.q_at(p10 - p01, sigma=sigma, n=n))
    n10, n01, weight = likely_tables(n, p10, p01)
    t = stats.t_stat(n10, n01, n)
    low, high = stats.q_interval(t, conf=conf)
    gap = n10 != n01  # ln q has no sd where q_hat = 0
    spread = stats.z_alpha(1 - conf) * stats.log_q_sd(n10[gap] / n, n01[gap] / n, n)
    found = {
        "q_true": q,
        "T_pm_z": weight[(low <= q) & (q <= high)].sum(),
        "delta_log": weight[gap][np.abs(np.log(stats.q_hat(t[gap]) / q)) <= spread].sum(),
        "boot_percentile": weight[covered_by_bootstrap(n10, n01, n, q, conf)].sum(),
    }
    assert found == pytest.approx(item["value"], abs=item["tol"])
