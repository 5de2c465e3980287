"""One call of every elementwise function of the kernel on ten million pairs, against bare numpy.

The bare side is the same arithmetic written as anyone would: whole arrays, no checks. Both
sides run in turns in a process of their own; the figure is the median CPU time. Peak memory is
that of numpy's allocations during one call (the result included, the inputs not), taken in a
further process because tracing slows the calls down.

    python benchmarks/kernel.py --pairs 10_000_000 --repeat 3 --write
    python benchmarks/kernel.py --pairs 100_000 --only mcnemar_pvalue
    python benchmarks/kernel.py --only delta_hat --write    one row of the page anew
    python benchmarks/kernel.py --missing --write           functions that the page has no row of
    python benchmarks/kernel.py --verify         both sides agree, on a few pairs

Limits: 1.5 × bare for closed forms, 1.2 × for exact McNemar.
"""

# ruff: noqa: D103, S603, T201
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy
from scipy import special

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

from nstar import stats  # noqa: E402
from nstar.stats.arms import selection_lead  # noqa: E402
from nstar.stats.bradley_terry import direct_battles  # noqa: E402
from nstar.stats.confseq import mixture_boundary, mixture_variance  # noqa: E402
from nstar.stats.critical import normal_equivalent  # noqa: E402
from nstar.stats.equivalence import least_wins  # noqa: E402
from nstar.stats.graded import shift_for_power  # noqa: E402
from nstar.stats.judge import departure_variance  # noqa: E402
from nstar.stats.judges import judge_break_even, judge_cost  # noqa: E402
from nstar.stats.margin import _margin_room, _margin_statistic  # noqa: E402
from nstar.stats.racing import lead_log_e  # noqa: E402
from nstar.stats.repeated_runs import next_flip  # noqa: E402
from nstar.types import Interval  # noqa: E402

PAGE = ROOT / "docs" / "evidence" / "performance.md"
BEGIN, END = "<!-- kernel:begin -->", "<!-- kernel:end -->"

Column: TypeAlias = npt.NDArray[Any]
Kind: TypeAlias = Literal["closed", "exact McNemar", "iterative", "quadrature", "sort"]
LIMITS: dict[Kind, float] = {"closed": 1.5, "exact McNemar": 1.2}

Z, ZB, Z1 = 1.959963984540054, 0.8416212335729143, 1.6448536269514722
K = Z + ZB


@dataclass(frozen=True, slots=True)
class Case:
    """One function with its inputs, and bare numpy doing the same."""

    name: str
    columns: str
    """Names of the inputs, separated by spaces."""
    nstar: Callable[..., Any]
    bare: Callable[..., Any] | None = None
    """None: there is no bare equivalent worth the name."""
    kind: Kind = "closed"
    heavy: bool = False
    """So slow per pair that fewer pairs are enough."""
    rtol: float = 1e-9

    @property
    def function(self) -> str:
        """Name in nstar.stats."""
        return self.name.partition(" ")[0]


# --- inputs -------------------------------------------------------------------------------


def _counts(rng: np.random.Generator, size: int) -> dict[str, Column]:
    n = rng.integers(11_000, 12_033, size, dtype=np.int32)
    discordant = (n * rng.uniform(0.05, 0.3, size)).astype(np.int32)
    shift = (n * rng.normal(0, 0.01, size)).astype(np.int32)
    n10 = np.clip((discordant + shift) // 2, 0, discordant).astype(np.int32)
    n11 = ((n - discordant) * 0.8).astype(np.int32)
    return {
        "n": n,
        "n10": n10,
        "n01": discordant - n10,
        "n11": n11,
        "n00": n - discordant - n11,
    }


def _uniform(low: float, high: float) -> Callable[[np.random.Generator, int], Column]:
    return lambda rng, size: rng.uniform(low, high, size)


def _whole(low: int, high: int) -> Callable[[np.random.Generator, int], Column]:
    return lambda rng, size: rng.integers(low, high, size, dtype=np.int32)


COLUMNS: dict[str, Callable[[np.random.Generator, int], Column]] = {
    "alpha": _uniform(0.001, 0.2),
    "clusters": _whole(14, 400),
    "critical": _uniform(1.5, 5.0),
    "delta": _uniform(0.005, 0.04),
    "few": _whole(2, 9),
    "icc": _uniform(0.0, 0.05),
    "kept": _whole(0, 9),
    "loss": _uniform(0.01, 0.1),
    "margin": _uniform(0.02, 0.08),
    "mean": lambda rng, size: rng.normal(0, 0.01, size),
    "models": _whole(2, 200),
    "p": _uniform(0.0, 1.0),
    "p_a": _uniform(0.66, 0.70),
    "p_b": _uniform(0.60, 0.65),
    "power": _uniform(0.6, 0.95),
    "psi": _uniform(0.05, 0.3),
    "rate": _uniform(0.3, 0.9),
    "ratio": _uniform(1.1, 3.0),
    "rho": _uniform(0.2, 0.6),
    "runs": _whole(10, 21),
    "sd_a": _uniform(0.1, 0.3),
    "sd_b": _uniform(0.1, 0.3),
    "sigma": _uniform(0.2, 0.6),
    "size": _whole(10, 900),
    "t": lambda rng, size: rng.normal(0, 3, size),
    "width": _uniform(0.01, 0.05),
    "x": _whole(5_000, 10_000),
}


def inputs(names: str, size: int) -> list[Column]:
    """Only the columns asked for, the same whoever asks."""
    counts: dict[str, Column] = {}
    out = []
    for name in names.split():
        if name in COLUMNS:
            seed = [2026, *name.encode()]
            out.append(COLUMNS[name](np.random.default_rng(seed), size))
            continue
        counts = counts or _counts(np.random.default_rng(2026), size)
        out.append(counts[name])
    return out


# --- bare numpy ---------------------------------------------------------------------------


def b_psi(a: Column, b: Column, rho: Column) -> Column:
    return a * (1 - b) + b * (1 - a) - 2 * rho * np.sqrt(a * (1 - a) * b * (1 - b))


def b_rho_bounds(a: Column, b: Column) -> tuple[Column, Column]:
    scale = np.sqrt(a * (1 - a) * b * (1 - b))
    return (np.maximum(0, a + b - 1) - a * b) / scale, (np.minimum(a, b) - a * b) / scale


def b_rates(a: Column, b: Column, rho: Column) -> tuple[Column, ...]:
    psi, delta = b_psi(a, b, rho), a - b
    p10, p01 = (psi + delta) / 2, (psi - delta) / 2
    return a - p10, p10, p01, 1 - a - p01, psi, delta, np.sqrt(psi - delta**2)


def b_rate_range(b: Column, rho: Column) -> tuple[Column, Column]:
    r2 = rho**2
    return r2 * b / (1 - b + r2 * b), b / (b + r2 * (1 - b))


def b_sigma(b: Column, c: Column, n: Column) -> Column:
    return np.sqrt((b + c) / n - ((b - c) / n) ** 2)


def b_t_stat(b: Column, c: Column, n: Column) -> Column:
    return (b - c) / np.sqrt(n) / b_sigma(b, c, n)


def b_t_bounds(a: Column, b: Column, n: Column) -> tuple[Column, Column]:
    gap = a - b
    high = np.minimum(a + b, 2 - a - b)
    return gap * np.sqrt(n / (high - gap**2)), gap * np.sqrt(n / (np.abs(gap) - gap**2))


def b_phi(a: Column, b: Column, c: Column, d: Column) -> Column:
    a, b, c, d = (v.astype(np.float64) for v in (a, b, c, d))  # products overflow int32
    return (a * d - b * c) / np.sqrt((a + b) * (c + d) * (a + c) * (b + d))


def b_fisher(rho: Column, n: Column) -> tuple[Column, Column]:
    center, half = np.arctanh(rho), Z / np.sqrt(n - 3)
    return np.tanh(center - half), np.tanh(center + half)


def b_yule(a: Column, b: Column, c: Column, d: Column) -> tuple[Column, Column]:
    a, b, c, d = (v + 0.5 for v in (a, b, c, d))
    n = a + b + c + d
    p, q = (a + b) / n, (a + c) / n
    u, v = p * (1 - p), q * (1 - q)
    r = (a * d - b * c) / (n * n * np.sqrt(u * v))
    s, t = (2 * p - 1) / np.sqrt(u), (2 * q - 1) / np.sqrt(v)
    w = 1 - r * r + r * (1 + r * r / 2) * s * t - 0.75 * r * r * (s * s + t * t)
    center, half = np.arctanh(r), Z * np.sqrt(w / n) / (1 - r * r)
    return np.tanh(center - half), np.tanh(center + half)


def b_connor(delta: Column, psi: Column) -> Column:
    return ((Z * np.sqrt(psi) + ZB * np.sqrt(psi - delta**2)) / delta) ** 2


def b_miettinen(delta: Column, psi: Column) -> Column:
    return ((Z * psi + ZB * np.sqrt(psi**2 - delta**2 * (3 + psi) / 4)) / delta) ** 2 / psi


def b_mde(n: Column, psi: Column) -> Column:
    return np.sqrt(psi) * (Z * np.sqrt(n) + ZB * np.sqrt(n + ZB**2 - Z**2)) / (n + ZB**2)


def b_bisect(below: Callable[[Column], Column], low: Column, high: Column) -> Column:
    lo, hi = low, high
    for _ in range(80):
        mid = 0.5 * (lo + hi)
        if np.all((mid == lo) | (mid == hi)):
            break
        left = below(mid)
        lo, hi = np.where(left, mid, lo), np.where(left, hi, mid)
    return 0.5 * (lo + hi)


def b_mde_miettinen(n: Column, psi: Column) -> Column:
    with np.errstate(divide="ignore"):
        return b_bisect(lambda d: b_miettinen(d, psi) > n, np.zeros_like(psi), psi)


def b_mde_rate(n: Column, base: Column, rho: Column) -> Column:
    high = base / (base + rho**2 * (1 - base)) - base

    def short(d: Column) -> Column:
        psi = np.maximum(b_psi(base + d, base, rho), d)
        return b_connor(d, psi) > n

    return b_bisect(short, np.zeros_like(base), high)


def b_mde_loss(n: Column, loss: Column) -> Column:
    return b_bisect(lambda d: b_connor(d, 2 * loss + d) > n, np.zeros_like(loss), 1 - 2 * loss)


def b_margin_bound(gain: Column, se: Column, n: Column, t: Column | float = Z1) -> Column:
    t2, most, variance = t**2, gain + 1, n * se**2
    linear = t2 * (most - variance / most)
    return gain - (linear + np.sqrt(linear**2 + 4 * (n + t2) * t2 * variance)) / (2 * (n + t2))


def b_margin_interval(gain: Column, se: Column, n: Column) -> tuple[Column, Column]:
    t = b_t_quantile(0.95, n - 1)
    return b_margin_bound(gain, se, n, t), -b_margin_bound(-gain, se, n, t)


def b_margin_statistic(gain: Column, se: Column, n: Column, margin: Column) -> Column:
    above, most = gain + margin, gain + 1
    share = np.clip(above / most, 0, 1)
    return above / np.sqrt((1 - share) * se**2 + share * (1 - share) * most**2 / n)


def b_t_half(n: Column, sigma: Column) -> Column:
    df = n - 1.0
    mean = special.poch(df / 2, 0.5) * np.sqrt(2 / df)
    return b_t_quantile(0.975, df) * mean * sigma / np.sqrt(n)


def b_power(delta: Column, psi: Column, n: Column) -> Column:
    z = (delta * np.sqrt(n) - Z * np.sqrt(psi)) / np.sqrt(psi - delta**2)
    return np.asarray(special.ndtr(z))


def b_exact(b: Column, c: Column) -> Column:
    return np.minimum(2 * special.bdtr(np.minimum(b, c), b + c, 0.5), 1)


def b_midp(b: Column, c: Column) -> Column:
    k, n = np.minimum(b, c), b + c
    pmf = np.exp(
        special.gammaln(n + 1)
        - special.gammaln(k + 1)
        - special.gammaln(n - k + 1)
        - n * np.log(2)
    )
    return np.where(b == c, 1 - pmf / 2, 2 * special.bdtr(k, n, 0.5) - pmf)


def b_asymptotic(b: Column, c: Column) -> Column:
    return 2 * special.ndtr(-np.abs(b - c) / np.sqrt(b + c))


def b_corrected(b: Column, c: Column) -> Column:
    return 2 * special.ndtr(-np.maximum(np.abs(b - c) - 1, 0) / np.sqrt(b + c))


def b_tango_t(b: Column, c: Column, n: Column, null: Column | float) -> Column:
    flip = np.asarray(null) < 0
    b, c, d = np.where(flip, c, b), np.where(flip, b, c), np.abs(null)
    lin = (2.0 * n - b + c) * d - (b + c)
    disc = np.sqrt(lin**2 + 8.0 * n * c * d * (1 - d))
    with np.errstate(divide="ignore", invalid="ignore"):
        q = np.where(lin > 0, 2 * c * d * (1 - d) / (lin + disc), (disc - lin) / (4 * n))
    t = (b - c - n * d) / np.sqrt(n * (2 * q + d * (1 - d)))
    return np.where(flip, -t, t)


def b_tango_low(b: Column, c: Column, n: Column) -> Column:
    """Secant steps inside a bracket; five suffice for pairs like these."""
    high = (b - c) / n
    low, before, f_before = np.full_like(high, -1.0), high, np.full_like(high, -Z)
    x = np.clip(b_bonett_price(b, c, n)[0], -1 + 1e-9, high - 1e-15)
    for _ in range(5):
        f = b_tango_t(b, c, n, x) - Z
        low, high = np.where(f > 0, x, low), np.where(f > 0, high, x)
        with np.errstate(invalid="ignore", divide="ignore"):
            step = x - f * (x - before) / (f - f_before)
        new = np.where((step >= low) & (step <= high), step, 0.5 * (low + high))
        before, f_before, x = x, f, np.where(np.abs(f) < 1e-12, x, new)
    return x


def b_tango(b: Column, c: Column, n: Column) -> tuple[Column, Column]:
    return b_tango_low(b, c, n), -b_tango_low(c, b, n)


def b_wald(b: Column, c: Column, n: Column) -> tuple[Column, Column]:
    gap = (b - c) / n
    half = Z * np.sqrt(b + c - (b - c) * gap) / n
    return gap - half, gap + half


def b_bonett_price(b: Column, c: Column, n: Column) -> tuple[Column, Column]:
    return b_wald(b + 1, c + 1, n + 2)


def b_wilson(x: Column, n: Column) -> tuple[Column, Column]:
    x, n = x.astype(np.float64), n.astype(np.float64)
    mid, half = x + Z**2 / 2, Z * np.sqrt(x * (n - x) / n + Z**2 / 4)
    return (mid - half) / (n + Z**2), (mid + half) / (n + Z**2)


def b_newcombe(a: Column, b: Column, c: Column, d: Column) -> tuple[Column, Column]:
    a, b, c, d = (v.astype(np.float64) for v in (a, b, c, d))
    n = a + b + c + d
    p1, p2 = (a + b) / n, (a + c) / n
    (l1, u1), (l2, u2) = b_wilson(a + b, n), b_wilson(a + c, n)
    cross = a * d - b * c
    cross = np.where(cross > n / 2, cross - n / 2, np.minimum(cross, 0))
    phi = cross / np.sqrt((a + b) * (c + d) * (a + c) * (b + d))
    down = (p1 - l1) ** 2 - 2 * phi * (p1 - l1) * (u2 - p2) + (u2 - p2) ** 2
    up = (p2 - l2) ** 2 - 2 * phi * (p2 - l2) * (u1 - p1) + (u1 - p1) ** 2
    return p1 - p2 - np.sqrt(down), p1 - p2 + np.sqrt(up)


def b_equivalence(m: Column, sd: Column, n: Column) -> Column:
    root = np.sqrt(n) / sd
    both = special.ndtr(m * root - Z1) + special.ndtr(m * root - Z1) - 1
    return np.maximum(both, 0)


def b_log_q(p10: Column, p01: Column, n: Column) -> Column:
    gap = p10 - p01
    var = p10 + p01 - gap**2
    rest = 1 - p10 - p01
    m3 = p10 * (1 - gap) ** 3 + p01 * (-1 - gap) ** 3 - rest * gap**3
    m4 = p10 * (1 - gap) ** 4 + p01 * (1 + gap) ** 4 + rest * gap**4
    total = 4 * var / gap**2 - 4 * m3 / (gap * var) + m4 / var**2 - 1
    return np.sqrt(total / n)


def b_rates_n(a: Column, b: Column, rho: Column) -> Column:
    return b_connor(a - b, b_psi(a, b, rho))


def b_over_rho(a: Column, b: Column, rho: Column) -> tuple[Column, Column]:
    low, high = b_rho_bounds(a, b)
    return (
        b_rates_n(a, b, np.clip(rho + 0.05, low, high)),
        b_rates_n(a, b, np.clip(rho - 0.05, low, high)),
    )


def b_h(a: Column, b: Column) -> Column:
    return 2 * np.arcsin(np.sqrt(a)) - 2 * np.arcsin(np.sqrt(b))


def b_shortcut_ratio(p: Column, gap: Column, rho: Column) -> Column:
    a, b = p + gap / 2, p - gap / 2
    va, vb = a * (1 - a), b * (1 - b)
    return (1 - rho) * gap**2 / (b_h(a, b) ** 2 * (va + vb - 2 * rho * np.sqrt(va * vb)))


def b_coefficient(p: Column, rho: Column) -> Column:
    u = p * (1 - p)
    return -0.5 * ((1 + rho) * (1 - 2 * p) ** 2 / (16 * (1 - rho) * u**2) - 1 / (6 * u))


def b_pooled(a: Column, b: Column) -> Column:
    mean = (a + b) / 2
    own = np.sqrt(a * (1 - a) + b * (1 - b))
    return ((Z * np.sqrt(2 * mean * (1 - mean)) + ZB * own) / (a - b)) ** 2


def b_unpaired_mde(n: Column, p: Column) -> Column:
    with np.errstate(divide="ignore"):
        return b_bisect(lambda d: b_pooled(p + d, p) > n, np.zeros_like(p), 1 - p)


def b_unpaired_power(a: Column, b: Column, n: Column) -> Column:
    mean = (a + b) / 2
    own = np.sqrt((a * (1 - a) + b * (1 - b)) / n)
    return np.asarray(special.ndtr((np.abs(a - b) - Z * np.sqrt(2 * mean * (1 - mean) / n)) / own))


def b_wilson_half(n: Column, p: Column) -> Column:
    return Z / (1 + Z**2 / n) * np.sqrt(p * (1 - p) / n + Z**2 / (4 * n**2))


def b_n_proportion(width: Column, p: Column) -> Column:
    high = Z**2 * p * (1 - p) / width**2 + Z**2 / width + 1
    return b_bisect(lambda n: b_wilson_half(n, p) > width, np.full_like(p, 1e-9), high)


def b_clopper(x: Column, n: Column) -> tuple[Column, Column]:
    return special.betaincinv(x, n - x + 1, 0.025), special.betaincinv(x + 1, n - x, 0.975)


def b_choose_ratio(n: Column, c: Column, k: Column) -> Column:
    """C(n - c, k) / C(n, k)."""
    log = special.gammaln
    value = np.exp(log(n - c + 1) - log(n - c - k + 1) - log(n + 1) + log(n - k + 1))
    return np.where(n - c >= k, value, 0)


def b_step_up(p: Column) -> Column:
    order = np.argsort(p)
    scaled = p[order] * p.size / np.arange(1, p.size + 1)
    out = np.empty_like(p)
    out[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1)
    return out


def b_by(p: Column) -> Column:
    order = np.argsort(p)
    ranks = np.arange(1, p.size + 1)
    scaled = p[order] * p.size * np.sum(1 / ranks) / ranks
    out = np.empty_like(p)
    out[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1)
    return out


def b_holm(p: Column) -> Column:
    order = np.argsort(p)
    scaled = p[order] * np.arange(p.size, 0, -1)
    out = np.empty_like(p)
    out[order] = np.minimum(np.maximum.accumulate(scaled), 1)
    return out


def b_wilcoxon(d: Column, s: Column, n: Column) -> Column:
    e = d / s
    n = n.astype(np.float64)
    h = np.sqrt(2) * e
    p1, p2 = special.ndtr(e), special.ndtr(h)
    p3 = p2 - 2 * special.owens_t(h, 1 / np.sqrt(3))
    mean = n * (n - 1) / 2 * p2 + n * p1
    var = (
        n * (n - 1) * (n - 2) * (p3 - p2**2)
        + n * (n - 1) / 2 * (2 * (p1 - p2) ** 2 + 3 * p2 * (1 - p2))
        + n * p1 * (1 - p1)
    )
    center = n * (n + 1) / 4
    reach = Z * np.sqrt(center * (2 * n + 1) / 6)
    return np.asarray(
        special.ndtr((mean - center - reach) / np.sqrt(var))
        + special.ndtr((center - reach - mean) / np.sqrt(var))
    )


def b_bca(z0: Column, accel: Column) -> tuple[Column, Column]:
    low, high = (z0 + (z0 + s) / (1 - accel * (z0 + s)) for s in (-Z, Z))
    return special.ndtr(low), special.ndtr(high)


def b_k_t(g: Column) -> Column:
    return np.asarray(special.stdtrit(g - 1, 0.975) + special.stdtrit(g - 1, 0.8))


def b_cluster_se(sd: Column, n: Column, g: Column, icc: Column) -> Column:
    return sd * np.sqrt((1 + (n / g - 1) * icc) / n)


# --- cases --------------------------------------------------------------------------------


def _paired() -> Iterator[Case]:
    yield Case("rho_bounds", "p_a p_b", stats.rho_bounds, b_rho_bounds)
    yield Case(
        "psi_bounds",
        "p_a p_b",
        stats.psi_bounds,
        lambda a, b: (np.abs(a - b), np.minimum(a + b, 2 - a - b)),
    )
    yield Case("psi_from_rho", "p_a p_b rho", stats.psi_from_rho, b_psi)
    yield Case(
        "rho_from_psi",
        "p_a p_b psi",
        lambda a, b, psi: stats.rho_from_psi(a, b, psi + 0.1),
        lambda a, b, psi: (
            (a * (1 - b) + b * (1 - a) - (psi + 0.1)) / (2 * np.sqrt(a * (1 - a) * b * (1 - b)))
        ),
    )
    yield Case("paired_rates", "p_a p_b rho", stats.paired_rates, b_rates)
    yield Case("rate_range", "p_b rho", stats.rate_range, b_rate_range)
    yield Case(
        "sigma_from_psi", "psi delta", stats.sigma_from_psi, lambda psi, d: np.sqrt(psi - d**2)
    )
    yield Case(
        "sigma_from_sds",
        "sd_a sd_b rho",
        stats.sigma_from_sds,
        lambda a, b, rho: np.sqrt(a**2 + b**2 - 2 * rho * a * b),
    )
    yield Case(
        "delta_from_odds_ratio",
        "ratio psi",
        stats.delta_from_odds_ratio,
        lambda r, psi: psi * (r - 1) / (r + 1),
    )
    yield Case("delta_hat", "n10 n01 n", stats.delta_hat, lambda b, c, n: (b - c) / n)
    yield Case("psi_hat", "n10 n01 n", stats.psi_hat, lambda b, c, n: (b + c) / n)
    yield Case("sigma_hat", "n10 n01 n", stats.sigma_hat, b_sigma)
    yield Case("t_stat", "n10 n01 n", stats.t_stat, b_t_stat)
    yield Case("t_bounds", "p_a p_b n", stats.t_bounds, b_t_bounds)
    yield Case("rho_hat", "n11 n10 n01 n00", stats.rho_hat, b_phi)
    yield Case("rho_interval", "rho n", stats.rho_interval, b_fisher)
    yield Case("phi_interval", "n11 n10 n01 n00", stats.phi_interval, b_yule)


def b_t_quantile(p: Column | float, df: Column) -> Column:
    tail = 2 * np.minimum(p, 1 - p)
    size = np.sqrt(
        df * special.betainccinv(0.5, df / 2, tail) / special.betaincinv(df / 2, 0.5, tail)
    )
    return np.where(p < 0.5, -size, size)


def _mixture_boundary(alpha: Column) -> Column:
    r = -special.lambertw(-np.square(alpha) / np.e, -1).real - 1
    return np.sqrt((1 + 1 / r) * (np.log1p(r) - 2 * np.log(alpha)))


def b_log_e(b: Column, c: Column) -> Column:
    b, c = b.astype(np.float64), c.astype(np.float64)
    fair = (b + c) * np.log(2)
    return np.asarray(fair + special.betaln(0.5 + b, 0.5 + c) - special.betaln(0.5, 0.5))


def b_lead_e(b: Column, c: Column) -> Column:
    b, c = b.astype(np.float64), c.astype(np.float64)
    whole = (b + c) * np.log(2) + special.betaln(0.5 + b, 0.5 + c) - special.betaln(0.5, 0.5)
    return np.asarray(whole + np.log(2 * special.betainc(0.5 + c, 0.5 + b, 0.5)))


def b_mixture(n: Column) -> Column:
    rho2 = (-special.lambertw(-(0.05**2) / np.e, -1).real - 1) / 5000
    return np.sqrt((n * rho2 + 1) / rho2 * (np.log(n * rho2 + 1) - 2 * np.log(0.05)))


def b_sequence(mean: Column, sd: Column, n: Column) -> tuple[Column, Column]:
    half = sd * b_mixture(n) / n
    return mean - half, mean + half


def b_sequence_e(mean: Column, sd: Column, n: Column) -> Column:
    rho2 = (-special.lambertw(-(0.05**2) / np.e, -1).real - 1) / 5000
    z = n * mean / sd * np.sqrt(rho2 / (n * rho2 + 1))
    return 0.5 * (z * z - np.log(n * rho2 + 1))


def _anytime() -> Iterator[Case]:
    yield Case("mcnemar_log_e", "n10 n01", stats.mcnemar_log_e, b_log_e, rtol=1e-6)
    yield Case("lead_log_e", "n10 n01", lead_log_e, b_lead_e, rtol=1e-6)
    yield Case(
        "race_log_threshold",
        "clusters alpha",
        lambda m, alpha: stats.race_log_threshold(m + 2, alpha=alpha),
        lambda m, alpha: np.log(np.maximum(m + 1, 2) / (2 * alpha)),
    )
    yield Case(
        "tuned_beta",
        "clusters alpha",
        lambda n, alpha: stats.tuned_beta(n, alpha=alpha),
        lambda n, alpha: np.maximum(
            (n / (-special.lambertw(-(alpha**2) / np.e, -1).real - 1) - 1) / 2, 0.5
        ),
    )
    yield Case(
        "win_rate_sequence", "n10 n01", stats.win_rate_sequence, kind="iterative", heavy=True
    )
    yield Case("gap_log_e", "n10 n01 n", stats.gap_log_e, kind="quadrature", heavy=True)
    yield Case(
        "noninferiority_log_e",
        "n10 n01 n margin",
        lambda b, c, n, m: stats.noninferiority_log_e(b, c, n, margin=m),
        kind="quadrature",
        heavy=True,
    )
    yield Case(
        "equivalence_log_e",
        "n10 n01 n margin",
        lambda b, c, n, m: stats.equivalence_log_e(b, c, n, margin=m),
        kind="quadrature",
        heavy=True,
    )
    yield Case("gap_sequence", "n10 n01 n", stats.gap_sequence, kind="iterative", heavy=True)
    yield Case(
        "mixture_variance",
        "n alpha",
        lambda n, alpha: mixture_variance(n, alpha=alpha),
        lambda n, alpha: (-special.lambertw(-(alpha**2) / np.e, -1).real - 1) / n,
    )
    yield Case("mixture_boundary", "n", lambda n: mixture_boundary(n, tuned_at=5000), b_mixture)
    yield Case(
        "asymptotic_sequence",
        "mean sigma n",
        lambda m, s, n: stats.asymptotic_sequence(m, s, n, tuned_at=5000),
        b_sequence,
    )
    yield Case(
        "asymptotic_log_e",
        "mean sigma n",
        lambda m, s, n: stats.asymptotic_log_e(m, s, n, tuned_at=5000),
        b_sequence_e,
    )


def _critical() -> Iterator[Case]:
    yield Case("z_alpha", "alpha", stats.z_alpha, lambda a: -special.ndtri(a / 2))
    yield Case("z_power", "power", stats.z_power, special.ndtri)
    yield Case(
        "k_factor",
        "alpha power",
        stats.k_factor,
        lambda a, p: special.ndtri(p) - special.ndtri(a / 2),
    )
    yield Case("inflation", "critical", stats.inflation, lambda c: ((c + ZB) / K) ** 2)
    yield Case("anytime_critical", "alpha", stats.anytime_critical, _mixture_boundary)
    yield Case(
        "bonferroni_critical",
        "models",
        stats.bonferroni_critical,
        lambda m: -special.ndtri(0.05 / m / 2),
    )
    yield Case("family_size", "models", stats.family_size, lambda m: m * (m - 1) // 2)
    yield Case("z_conf", "power", stats.z_conf, lambda c: -special.ndtri((1 - c) / 2))
    yield Case("t_quantile", "power clusters", stats.t_quantile, b_t_quantile)
    yield Case(
        "normal_equivalent",
        "sigma clusters",
        normal_equivalent,
        lambda t, df: -special.ndtri(special.stdtr(df, -t)),
    )
    yield Case("tukey_critical", "models", stats.tukey_critical, kind="quadrature")
    yield Case("dunnett_critical", "models", stats.dunnett_critical, kind="quadrature")
    yield Case("selection_lead", "models", selection_lead, kind="quadrature")
    yield Case(
        "selection_mde",
        "n sigma models",
        lambda n, s, m: stats.selection_mde(n, sigma=s, models=m),
        kind="quadrature",
    )
    yield Case(
        "selection_n_star",
        "delta sigma models",
        lambda d, s, m: stats.selection_n_star(d, sigma=s, models=m),
        kind="quadrature",
    )


def _subsets() -> Iterator[Case]:
    yield Case(
        "items_needed",
        "delta sigma",
        lambda d, s: stats.items_needed(d, sigma=s, total=12002),
        lambda d, s: 1 / ((d / (K * s)) ** 2 + 1 / 12002),
    )
    yield Case(
        "items_for_claim",
        "delta sigma",
        lambda d, s: stats.items_for_claim(d, sigma=s, total=12002),
        lambda d, s: (K * s / d) ** 2,
    )
    yield Case(
        "subset_mde",
        "n sigma",
        lambda n, s: stats.subset_mde(n, sigma=s),
        lambda n, s: K * s * np.sqrt(1 / n),
    )
    yield Case(
        "subset_claim_mde",
        "n sigma",
        lambda n, s: stats.subset_claim_mde(n, sigma=s),
        lambda n, s: K * s * np.sqrt(1 / n),
    )


def _power() -> Iterator[Case]:
    yield Case(
        "normal_n_star",
        "delta sigma",
        lambda d, s: stats.normal_n_star(d, sigma=s),
        lambda d, s: (K * s / d) ** 2,
    )
    yield Case(
        "normal_mde",
        "n sigma",
        lambda n, s: stats.normal_mde(n, sigma=s),
        lambda n, s: K * s / np.sqrt(n),
    )
    yield Case(
        "normal_power",
        "delta sigma n",
        lambda d, s, n: stats.normal_power(d, sigma=s, n=n),
        lambda d, s, n: special.ndtr(np.abs(d) * np.sqrt(n) / s - Z),
    )
    yield Case(
        "paired_n_star", "delta psi", lambda d, psi: stats.paired_n_star(d, psi=psi), b_connor
    )
    yield Case(
        "paired_n_star wald",
        "delta psi",
        lambda d, psi: stats.paired_n_star(d, psi=psi, method="wald"),
        lambda d, psi: K**2 * (psi - d**2) / d**2,
    )
    yield Case(
        "paired_n_star miettinen",
        "delta psi",
        lambda d, psi: stats.paired_n_star(d, psi=psi, method="miettinen"),
        b_miettinen,
    )
    yield Case(
        "paired_n_star_from_rates", "p_a p_b rho", stats.paired_n_star_from_rates, b_rates_n
    )
    yield Case("paired_mde", "n psi", lambda n, psi: stats.paired_mde(n, psi=psi), b_mde)
    yield Case(
        "paired_power",
        "delta psi n",
        lambda d, psi, n: stats.paired_power(d, psi=psi, n=n),
        b_power,
    )
    yield Case(
        "paired_mde miettinen",
        "n psi",
        lambda n, psi: stats.paired_mde(n, psi=psi, method="miettinen"),
        b_mde_miettinen,
        kind="iterative",
    )
    yield Case(
        "paired_mde_from_rate",
        "n p_b rho",
        lambda n, p, rho: stats.paired_mde_from_rate(n, p_b=p, rho=rho),
        b_mde_rate,
        kind="iterative",
    )
    yield Case(
        "paired_mde_fixed_loss",
        "n loss",
        lambda n, loss: stats.paired_mde_fixed_loss(n, p01=loss),
        b_mde_loss,
        kind="iterative",
    )


def _mcnemar() -> Iterator[Case]:
    yield Case(
        "mcnemar_pvalue exact",
        "n10 n01",
        lambda b, c: stats.mcnemar_pvalue(b, c, method="exact"),
        b_exact,
        kind="exact McNemar",
        rtol=1e-7,
    )
    yield Case("mcnemar_pvalue midp", "n10 n01", stats.mcnemar_pvalue, b_midp, rtol=1e-7)
    yield Case(
        "mcnemar_pvalue asymptotic",
        "n10 n01",
        lambda b, c: stats.mcnemar_pvalue(b, c, method="asymptotic"),
        b_asymptotic,
    )
    yield Case(
        "mcnemar_pvalue corrected",
        "n10 n01",
        lambda b, c: stats.mcnemar_pvalue(b, c, method="corrected"),
        b_corrected,
    )
    yield Case(
        "mcnemar_default_pvalue",
        "n10 n01 n",
        stats.mcnemar_default_pvalue,
        lambda b, c, _: b_midp(b, c),
        rtol=1e-7,
    )
    yield Case(
        "mcnemar_log_pvalue",
        "n10 n01",
        stats.mcnemar_log_pvalue,
        lambda b, c: np.log(b_midp(b, c)),
        rtol=1e-7,
    )


def _intervals() -> Iterator[Case]:
    yield Case(
        "tango_statistic",
        "n10 n01 n margin",
        lambda b, c, n, m: stats.tango_statistic(b, c, n, null=m),
        b_tango_t,
    )
    yield Case(
        "paired_interval tango",
        "n10 n01 n",
        stats.paired_interval,
        b_tango,
        kind="iterative",
        rtol=1e-7,
    )
    yield Case(
        "paired_interval wald",
        "n10 n01 n",
        lambda b, c, n: stats.paired_interval(b, c, n, method="wald"),
        b_wald,
    )
    yield Case(
        "paired_interval agresti-min",
        "n10 n01 n",
        lambda b, c, n: stats.paired_interval(b, c, n, method="agresti-min"),
        lambda b, c, n: b_wald(b + 0.5, c + 0.5, n + 2),
    )
    yield Case(
        "paired_interval bonett-price",
        "n10 n01 n",
        lambda b, c, n: stats.paired_interval(b, c, n, method="bonett-price"),
        b_bonett_price,
    )
    yield Case(
        "newcombe_interval", "n11 n10 n01 n00", stats.newcombe_interval, b_newcombe, rtol=1e-8
    )
    yield Case("wilson_interval", "x n", stats.wilson_interval, b_wilson)
    yield Case(
        "clopper_pearson_interval", "x n", stats.clopper_pearson_interval, b_clopper, heavy=True
    )
    yield Case(
        "binomial_pvalue",
        "x n rate",
        lambda x, n, p: stats.binomial_pvalue(x, n, p0=p),
        kind="iterative",
        heavy=True,
    )
    yield Case(
        "threshold_pvalue",
        "x n rate",
        lambda x, n, p: stats.threshold_pvalue(x, n, p0=p),
        lambda x, n, p: np.where(x > 0, special.betainc(np.maximum(x, 1), n - x + 1, p), 1.0),
        kind="iterative",
        heavy=True,
    )
    yield Case(
        "threshold_log_e",
        "x n rate",
        lambda x, n, p: stats.threshold_log_e(x, n, p0=p),
        kind="iterative",
        heavy=True,
    )
    yield Case(
        "threshold_prior",
        "rate n",
        stats.threshold_prior,
        lambda p, n: (np.maximum(0.12 * n * p, 0.5), np.maximum(0.12 * n * (1 - p), 0.5)),
    )
    yield Case(
        "least_items_above",
        "rate alpha",
        lambda p, alpha: stats.least_items_above(p, alpha=alpha),
        lambda p, alpha: np.ceil(np.log(alpha) / np.log(p)),
    )
    yield Case(
        "one_sample_n_star",
        "p_a p_b",
        lambda a, b: stats.one_sample_n_star(a, p0=b),
        lambda a, b: ((Z * np.sqrt(b * (1 - b)) + ZB * np.sqrt(a * (1 - a))) / (a - b)) ** 2,
    )


def _equivalence() -> Iterator[Case]:
    yield Case(
        "equivalence_power",
        "margin sigma n",
        lambda m, s, n: stats.equivalence_power(m, sigma=s, n=n),
        b_equivalence,
    )
    yield Case(
        "equivalence_n_star",
        "margin sigma",
        lambda m, s: stats.equivalence_n_star(m, sigma=s, delta=0.005),
        kind="iterative",
        heavy=True,
    )
    yield Case(
        "equivalence_margin",
        "n sigma",
        lambda n, s: stats.equivalence_margin(n, sigma=s),
        lambda n, s: (Z1 + 1.2815515655446004) * s / np.sqrt(n),
    )
    yield Case(
        "noninferiority_power",
        "margin sigma n",
        lambda m, s, n: stats.noninferiority_power(m, sigma=s, n=n),
        lambda m, s, n: special.ndtr(m * np.sqrt(n) / s - Z1),
    )
    yield Case(
        "noninferiority_n_star",
        "margin sigma",
        lambda m, s: stats.noninferiority_n_star(m, sigma=s),
        lambda m, s: ((Z1 + ZB) * s / m) ** 2,
    )
    yield Case(
        "noninferiority_margin",
        "n sigma",
        lambda n, s: stats.noninferiority_margin(n, sigma=s),
        lambda n, s: (Z1 + ZB) * s / np.sqrt(n),
    )
    yield Case(
        "noninferiority_pvalue",
        "n10 n01 n margin",
        lambda b, c, n, m: stats.noninferiority_pvalue(b, c, n, margin=m),
        lambda b, c, n, m: special.ndtr(-b_tango_t(b, c, n, -m)),
        rtol=1e-7,
    )
    yield Case(
        "equivalence_pvalue",
        "n10 n01 n margin",
        lambda b, c, n, m: stats.equivalence_pvalue(b, c, n, margin=m),
        lambda b, c, n, m: np.maximum(
            special.ndtr(-b_tango_t(b, c, n, -m)), special.ndtr(b_tango_t(b, c, n, m))
        ),
        rtol=1e-7,
    )
    yield Case(
        "equivalence_t_power",
        "margin sigma n",
        lambda m, s, n: stats.equivalence_t_power(m, sigma=s, n=n),
        kind="quadrature",
        heavy=True,
    )


def _graded() -> Iterator[Case]:
    yield Case(
        "t_pvalue",
        "mean sd_a n",
        stats.t_pvalue,
        lambda m, s, n: 2 * special.stdtr(n - 1, -np.abs(m) * np.sqrt(n) / s),
    )
    yield Case(
        "t_log_pvalue",
        "mean sd_a n",
        stats.t_log_pvalue,
        lambda m, s, n: np.log(2 * special.stdtr(n - 1, -np.abs(m) * np.sqrt(n) / s)),
    )
    yield Case(
        "t_interval",
        "mean sd_a n",
        stats.t_interval,
        lambda m, s, n: (
            m + special.stdtrit(n - 1, 0.025) * s / np.sqrt(n),
            m + special.stdtrit(n - 1, 0.975) * s / np.sqrt(n),
        ),
    )
    yield Case(
        "t_power",
        "delta sigma n",
        lambda d, s, n: stats.t_power(d, sigma=s, n=n),
        kind="quadrature",
        heavy=True,
    )
    yield Case(
        "t_n_star",
        "delta sigma",
        lambda d, s: stats.t_n_star(d, sigma=s),
        kind="iterative",
        heavy=True,
    )
    yield Case(
        "shift_for_power", "size alpha power", shift_for_power, kind="iterative", heavy=True
    )
    yield Case(
        "t_mde", "n sigma", lambda n, s: stats.t_mde(n, sigma=s), kind="iterative", heavy=True
    )
    yield Case(
        "wilcoxon_power",
        "delta sigma n",
        lambda d, s, n: stats.wilcoxon_power(d, sigma=s, n=n),
        b_wilcoxon,
        rtol=1e-7,
    )
    yield Case(
        "wilcoxon_n_star",
        "delta sigma",
        lambda d, s: stats.wilcoxon_n_star(d, sigma=s),
        lambda d, s: np.pi / 3 * (K * s / d) ** 2,
    )


def _margin() -> Iterator[Case]:
    """Scores in [-1, 1]: the width is 1."""
    yield Case(
        "margin_bound",
        "mean width size",
        lambda gain, se, n: stats.margin_bound(gain, se, n, width=1.0, quantile=Z1),
        b_margin_bound,
    )
    yield Case(
        "margin_interval",
        "mean width size",
        lambda gain, se, n: stats.margin_interval(gain, se, n, df=n - 1, width=1.0),
        b_margin_interval,
    )
    yield Case(
        "margin_statistic",
        "mean width size margin",
        lambda gain, se, n, m: _margin_statistic(gain, se, n, width=1.0, margin=m),
        b_margin_statistic,
    )
    yield Case(
        "margin_pvalue",
        "mean width size margin",
        lambda gain, se, n, m: stats.margin_pvalue(gain, se, n, df=n - 1, width=1.0, margin=m),
        lambda gain, se, n, m: special.stdtr(n - 1, -b_margin_statistic(gain, se, n, m)),
    )
    yield Case(
        "least_wins",
        "n10 n",
        lambda d, n: least_wins(d, n, margin=0.02),
        kind="iterative",
        heavy=True,
    )
    yield Case(
        "margin_room",
        "width size margin",
        lambda se, n, m: _margin_room(se, n, width=1.0, margin=m, quantile=Z1),
        kind="iterative",
    )


def _resolution() -> Iterator[Case]:
    yield Case(
        "q_at",
        "delta sigma n",
        lambda d, s, n: stats.q_at(d, sigma=s, n=n),
        lambda d, s, n: n * (d / (K * s)) ** 2,
    )
    yield Case("q_hat", "t", stats.q_hat, lambda t: (t / K) ** 2)
    yield Case(
        "q_interval",
        "t",
        stats.q_interval,
        lambda t: (
            (np.maximum(np.abs(t) - Z, 0) / K) ** 2,
            ((np.abs(t) + Z) / K) ** 2,
        ),
    )
    yield Case(
        "n_star_interval",
        "t n",
        lambda t, n: stats.n_star_interval(t, n=n),
        lambda t, n: (
            n / ((np.abs(t) + Z) / K) ** 2,
            _divide(n, (np.maximum(np.abs(t) - Z, 0) / K) ** 2),
        ),
    )
    yield Case(
        "observed_power", "ratio", stats.observed_power, lambda q: special.ndtr(K * np.sqrt(q) - Z)
    )
    yield Case(
        "exaggeration", "ratio", lambda s: stats.exaggeration(s, critical=Z), b_exaggeration
    )
    yield Case("log_q_sd", "loss margin n", stats.log_q_sd, b_log_q, rtol=1e-7)
    yield Case(
        "n_star_over_rho",
        "p_a p_b rho",
        lambda a, b, r: stats.n_star_over_rho(a, b, Interval(r - 0.05, r + 0.05)),
        b_over_rho,
    )


def b_exaggeration(s: Column) -> Column:
    near, away = special.ndtr(s - Z), special.ndtr(-s - Z)
    density = (np.exp(-((Z - s) ** 2) / 2) + np.exp(-((Z + s) ** 2) / 2)) / np.sqrt(2 * np.pi)
    return np.asarray((density + s * (near - away)) / (s * (near + away)))


def _divide(a: Column, b: Column) -> Column:
    with np.errstate(divide="ignore"):
        return np.asarray(a / b)


def _precision() -> Iterator[Case]:
    yield Case(
        "half_width",
        "n sigma",
        lambda n, s: stats.half_width(n, sigma=s),
        lambda n, s: Z * s / np.sqrt(n),
    )
    yield Case(
        "t_half_width",
        "n sigma",
        lambda n, s: stats.t_half_width(n, sigma=s),
        b_t_half,
    )
    yield Case(
        "n_for_difference",
        "width sigma",
        lambda w, s: stats.n_for_difference(w, sigma=s),
        lambda w, s: (Z * s / w) ** 2,
    )
    yield Case(
        "wilson_half_width",
        "x rate",
        lambda n, p: stats.wilson_half_width(n, p=p),
        lambda n, p: b_wilson_half(n.astype(np.float64), p),
    )
    yield Case(
        "n_for_proportion wald",
        "width rate",
        lambda w, p: stats.n_for_proportion(w, p=p, method="wald"),
        lambda w, p: Z**2 * p * (1 - p) / w**2,
    )
    yield Case(
        "n_for_proportion",
        "width rate",
        lambda w, p: stats.n_for_proportion(w, p=p),
        b_n_proportion,
        kind="iterative",
    )


def _shortcut() -> Iterator[Case]:
    yield Case("cohen_h", "p_a p_b", stats.cohen_h, b_h)
    yield Case(
        "shortcut_n",
        "p_a p_b rho",
        stats.shortcut_n,
        lambda a, b, rho: (1 - rho) * (K / b_h(a, b)) ** 2,
    )
    yield Case(
        "shortcut_ratio", "rate delta rho", stats.shortcut_ratio, b_shortcut_ratio, rtol=1e-7
    )
    yield Case(
        "shortcut_coefficient", "rate rho", stats.shortcut_coefficient, b_coefficient, rtol=1e-7
    )
    yield Case(
        "shortcut_delta_limit",
        "rate rho",
        stats.shortcut_delta_limit,
        lambda p, rho: np.sqrt(0.01 / np.abs(b_coefficient(p, rho))),
        rtol=1e-5,
    )


def _unpaired() -> Iterator[Case]:
    yield Case("unpaired_n_star", "p_a p_b", stats.unpaired_n_star, b_pooled)
    yield Case(
        "unpaired_n_star unpooled",
        "p_a p_b",
        lambda a, b: stats.unpaired_n_star(a, b, method="unpooled"),
        lambda a, b: K**2 * (a * (1 - a) + b * (1 - b)) / (a - b) ** 2,
    )
    yield Case(
        "unpaired_n_star arcsine",
        "p_a p_b",
        lambda a, b: stats.unpaired_n_star(a, b, method="arcsine"),
        lambda a, b: 2 * (K / b_h(a, b)) ** 2,
    )
    yield Case(
        "unpaired_mde",
        "n p_b",
        lambda n, p: stats.unpaired_mde(n, p=p),
        b_unpaired_mde,
        kind="iterative",
    )
    yield Case(
        "unpaired_power",
        "p_a p_b n",
        lambda a, b, n: stats.unpaired_power(a, b, n1=n),
        b_unpaired_power,
    )
    yield Case(
        "continuity_corrected",
        "n delta",
        stats.continuity_corrected,
        lambda n, d: n / 4 * (1 + np.sqrt(1 + 4 / (n * np.abs(d)))) ** 2,
    )
    yield Case(
        "n1_given_published",
        "p_a p_b x",
        lambda a, b, n: stats.n1_given_published(a, b, n2=n),
        lambda a, b, n: np.where(
            ((a - b) / K) ** 2 > b * (1 - b) / n,
            a * (1 - a) / (((a - b) / K) ** 2 - b * (1 - b) / n),
            np.inf,
        ),
        rtol=1e-5,
    )


def _runs() -> Iterator[Case]:
    yield Case(
        "runs_variance",
        "icc loss loss models runs few",
        lambda b, wa, wb, k, na, nb: stats.runs_variance(b, wa, wb, tasks=k, runs_a=na, runs_b=nb),
        lambda b, wa, wb, k, na, nb: (b + wa / na + wb / nb) / k,
    )
    yield Case("runs_mde", "icc", stats.runs_mde, lambda v: K * np.sqrt(v))
    yield Case(
        "runs_mde_floor", "sigma models", stats.runs_mde_floor, lambda s, k: K * s / np.sqrt(k)
    )
    yield Case(
        "optimal_runs",
        "margin loss loss",
        lambda b, wa, wb: stats.optimal_runs(
            b, wa, wb, budget=5000.0, costs=stats.RunCosts(task=20.0)
        ),
    )
    yield Case(
        "pass_at_k",
        "runs kept few",
        stats.pass_at_k,
        lambda n, c, k: 1 - b_choose_ratio(n, c, k),
        rtol=1e-7,
    )
    yield Case(
        "pass_hat_k",
        "runs kept few",
        stats.pass_hat_k,
        lambda n, c, k: b_choose_ratio(n, n - c, k),
        rtol=1e-7,
    )
    yield Case(
        "pass_at_k_plugin",
        "runs kept few",
        stats.pass_at_k_plugin,
        lambda n, c, k: 1 - (1 - c / n) ** k,
    )
    yield Case(
        "flip_rate",
        "runs kept",
        stats.flip_rate,
        lambda n, c: 2 * c * (n - c) / (n * (n - 1)),
    )
    yield Case(
        "next_flip",
        "runs kept",
        next_flip,
        lambda n, c: (np.minimum(c, n - c) + 0.5) / (n + 1),
    )
    yield Case(
        "runs_to_see",
        "loss",
        stats.runs_to_see,
        lambda p: np.ceil(np.log(0.05) / np.log(1 - p)),
    )
    yield Case("sweep_bound", "runs", stats.sweep_bound, lambda n: 1 - 0.05 ** (1 / n))
    yield Case(
        "monte_carlo_pvalue", "kept runs", stats.monte_carlo_pvalue, lambda r, b: (r + 1) / (b + 1)
    )
    yield Case("bca_levels", "mean loss", stats.bca_levels, b_bca)


def _clusters() -> Iterator[Case]:
    yield Case(
        "design_effect_equal",
        "icc size",
        stats.design_effect_equal,
        lambda icc, m: 1 + (m - 1) * icc,
    )
    yield Case("cluster_n_star", "x ratio", stats.cluster_n_star, lambda n, de: n * de)
    yield Case(
        "cluster_mde_floor",
        "sigma icc clusters",
        stats.cluster_mde_floor,
        lambda s, icc, g: b_k_t(g) * s * np.sqrt(icc / g),
    )
    yield Case(
        "cluster_mde",
        "sigma n clusters icc",
        lambda s, n, g, icc: stats.cluster_mde(s, n, g, icc=icc),
        lambda s, n, g, icc: b_k_t(g) * b_cluster_se(s, n, g, icc),
    )
    yield Case(
        "cluster_power",
        "delta sigma n clusters icc",
        lambda d, s, n, g, icc: stats.cluster_power(d, s, n, g, icc=icc),
        lambda d, s, n, g, icc: special.stdtr(
            g - 1, d / b_cluster_se(s, n, g, icc) - special.stdtrit(g - 1, 0.975)
        ),
    )


def _families() -> Iterator[Case]:
    yield Case("bonferroni", "p", stats.bonferroni, lambda p: np.minimum(p * p.size, 1))
    yield Case("holm", "p", stats.holm, b_holm, kind="sort")
    yield Case("benjamini_hochberg", "p", stats.benjamini_hochberg, b_step_up, kind="sort")
    yield Case("benjamini_yekutieli", "p", stats.benjamini_yekutieli, b_by, kind="sort")
    yield Case("hommel", "p", stats.hommel, kind="sort")


def b_davidson(gap: Column) -> tuple[Column, ...]:
    win, loss = np.exp(gap / 2), np.exp(-gap / 2)
    total = win + loss + 1
    return win / total, 1 / total, loss / total


def _votes() -> Iterator[Case]:
    yield Case(
        "davidson_probabilities", "t", lambda t: stats.davidson_probabilities(t, 0), b_davidson
    )
    yield Case(
        "direct_battles",
        "delta sd_a psi",
        lambda d, r, i: direct_battles(d, r, information=i, reach=K),
        lambda d, r, i: np.maximum(0, (K**2 / d**2 - 1 / r) / i),
    )
    yield Case(
        "score_from_elo", "critical", stats.score_from_elo, lambda e: 1 / (1 + 10 ** (-e / 400))
    )
    yield Case(
        "elo_from_score", "p_a", stats.elo_from_score, lambda s: 400 * np.log10(s / (1 - s))
    )
    yield Case(
        "delta_from_elo",
        "critical psi",
        lambda e, t: stats.delta_from_elo(e, ties=t),
        lambda e, t: 2 / (1 + 10 ** (-e / 400)) - 1 + 0 * t,
    )
    yield Case(
        "elo_from_delta",
        "delta psi",
        lambda d, t: stats.elo_from_delta(d, ties=t),
        lambda d, t: 400 * np.log10((1 + d) / (1 - d)) + 0 * t,
    )
    yield Case(
        "battles_n_star",
        "critical psi",
        lambda e, t: stats.battles_n_star(10 * e, ties=t),
        lambda e, t: b_connor(2 / (1 + 10 ** (-e / 40)) - 1, 1 - t),
    )
    yield Case(
        "battles_mde",
        "n psi",
        lambda n, t: stats.battles_mde(n, ties=t),
        lambda n, t: b_mde(n, 1 - t),
    )


def _judges() -> Iterator[Case]:
    yield Case(
        "judged_rate",
        "p_a p_b psi",
        lambda p, m, w: stats.judged_rate(p, miss=m, false_pass=w),
        lambda p, m, w: p * (1 - m) + (1 - p) * w,
    )
    yield Case(
        "judge_gain",
        "rho",
        lambda r: stats.judge_gain(r, labels=100, judged=1000),
        lambda r: 1 / (1 - 0.9 * r * r),
    )
    yield Case(
        "judge_mde",
        "sigma rho",
        lambda s, r: stats.judge_mde(100, judged=1000, sigma=s, r=r, method="z"),
        lambda s, r: K * s * np.sqrt((1 - r * r) / 100 + r * r / 1000),
    )
    yield Case(
        "departure_variance",
        "sigma",
        lambda s: departure_variance(100, judged=1000, departure=s),
        lambda s: 2 * s * s / 98 * (1 / 100 - 1 / 1000),
    )
    yield Case(
        "label_share",
        "rho",
        lambda r: stats.label_share(r, cost_label=1.0, cost_judge=0.01),
        lambda r: np.minimum(1, np.sqrt((1 - r * r) * 0.01) / np.abs(r)),
    )
    yield Case(
        "judge_cost",
        "rho",
        lambda r: judge_cost(r, cost_label=1.0, cost_judge=0.01),
        lambda r: np.minimum(1, np.square(np.sqrt(1 - r * r) + 0.1 * np.abs(r))),
    )
    yield Case(
        "judge_break_even",
        "rho",
        judge_break_even,
        lambda r: np.square(r / (1 + np.sqrt(1 - r * r))),
    )


def _items() -> Iterator[Case]:
    yield Case(
        "cronbach_alpha",
        "n sigma psi",
        lambda n, s, v: stats.cronbach_alpha(n + 2, item_variance=s, total_variance=v),
        lambda n, s, v: (n + 2) / (n + 1) * (1 - s / v),
    )
    yield Case(
        "reliability_at",
        "psi n",
        lambda r, n: stats.reliability_at(r, n, of=12002),
        lambda r, n: n / 12002 * r / (1 + (n / 12002 - 1) * r),
    )


CASES = tuple(
    case
    for group in (
        _paired,
        _critical,
        _subsets,
        _anytime,
        _power,
        _mcnemar,
        _intervals,
        _equivalence,
        _graded,
        _margin,
        _resolution,
        _precision,
        _shortcut,
        _unpaired,
        _runs,
        _clusters,
        _families,
        _votes,
        _judges,
        _items,
    )
    for case in group()
)

ONE_DESIGN = "one design or one printed figure at a time"
ROWS = "takes a row of groups, a matrix or raw items, not one number per pair"
NOT_ELEMENTWISE = {
    **dict.fromkeys(
        (
            "auroc_se",
            "best_allocation",
            "e_process_horizon",
            "e_process_leads",
            "e_process_power",
            "race_leads",
            "equivalence_exact_margin",
            "equivalence_exact_n_star",
            "equivalence_exact_power",
            "equivalence_t_n_star",
            "exact_n_star",
            "exact_power",
            "grim",
            "ladder_power",
            "change_interval",
            "label_noise",
            "labels_needed",
            "neyman_labels",
            "rogan_gladen",
            "selection_power",
            "youden",
            "group_sequential",
            "margin_n_star",
            "margin_power",
            "one_sample_exact_power",
            "threshold_items",
            "threshold_power",
            "p_from_interval",
            "paired_half_width",
            "rejection_limits",
            "unpaired_exact_power",
        ),
        ONE_DESIGN,
    ),
    **dict.fromkeys(
        (
            "anova_icc",
            "bca_constants",
            "beats",
            "bell_mccaffrey_df",
            "bernstein_sequence",
            "betting_log_e",
            "betting_sequence",
            "bootstrap_draws",
            "bootstrap_interval",
            "bootstrap_pvalue",
            "bradley_terry_fit",
            "cluster_covariance",
            "cluster_interval",
            "cluster_pvalue",
            "cluster_sign_flip_pvalue",
            "cluster_sums",
            "cluster_variance",
            "components_interval",
            "davidson_fit",
            "design_effect",
            "flip_max_t",
            "gram_covariance",
            "iid_variance",
            "information_inverse",
            "marginal_rank_sets",
            "max_t",
            "max_t_critical",
            "mean_cluster_size",
            "pass_curve",
            "planning_icc",
            "rank_sets",
            "ratio_interval",
            "resistance",
            "run_components",
            "score_correlation_interval",
            "shrink_covariance",
            "sign_flip_pvalue",
            "sign_flip_test",
            "spread_interval",
            "strata_variance",
            "stratified_mean",
            "strong_components",
            "tier_lines",
            "variance_components",
            "vote_cells",
            "agreements_differ",
            "difference_agreement",
            "item_rest",
            "judge_components",
            "rater_agreement",
            "judge_cells",
            "judge_corrected",
            "judge_influence",
            "label_choice",
            "known_covariates",
            "regression_mean",
            "prediction_powered",
            "vote_covariance",
            "wilcoxon_pvalue",
            "auroc_pseudo_values",
            "jackknife_pseudo_values",
            "spearman_pseudo_values",
            "win_rates",
        ),
        ROWS,
    ),
}
"""Public functions that are not measured here, and why."""


def forgotten() -> list[str]:
    """Public functions neither measured nor excused."""
    functions = {
        name
        for name in stats.__all__
        if callable(getattr(stats, name)) and name.islower()  # classes and aliases aside
    }
    return sorted(functions - {case.function for case in CASES} - NOT_ELEMENTWISE.keys())


# --- measuring ----------------------------------------------------------------------------


def _arrays(result: Any) -> list[Column]:
    if isinstance(result, tuple):
        return [np.asarray(r) for r in result]
    if hasattr(result, "__dataclass_fields__"):
        return [np.asarray(getattr(result, name)) for name in result.__dataclass_fields__]
    return [np.asarray(result)]


def verify(case: Case, pairs: int) -> str | None:
    """What the two sides disagree on, if anything."""
    columns = inputs(case.columns, pairs)
    ours = _arrays(case.nstar(*columns))
    if any(np.isnan(a).any() for a in ours):
        return "nstar returned NaN"
    if case.bare is None:
        return None
    for a, b in zip(ours, _arrays(case.bare(*columns)), strict=True):
        finite = np.flatnonzero(np.isfinite(a) & np.isfinite(b))
        if finite.size < a.size / 2:
            return "hardly any finite values to compare"
        x, y = a[finite], b[finite]
        off = np.abs(x - y) - case.rtol * np.abs(y) - 1e-13
        if off.max() > 0:
            return f"{x[off.argmax()]!r} against {y[off.argmax()]!r}"
    return None


def cpu_times(case: Case, pairs: int, repeat: int) -> dict[str, float]:
    """Median CPU seconds of each side, run in turns."""
    columns = inputs(case.columns, pairs)
    sides = {"nstar": case.nstar, **({"bare": case.bare} if case.bare else {})}
    few = [c[:1000] for c in columns]
    taken: dict[str, list[float]] = {side: [] for side in sides}
    for call in sides.values():
        call(*few)  # imports and tables that are made on first use
    for i in range(repeat):
        for side in sides if i % 2 else reversed(sides):
            start = time.process_time()
            result = sides[side](*columns)
            taken[side].append(time.process_time() - start)
            del result
    return {side: statistics.median(values) for side, values in taken.items()}


def peak_bytes(case: Case, pairs: int) -> dict[str, float]:
    """Largest sum of allocations alive at once during one call of each side."""
    columns = inputs(case.columns, pairs)
    out = {}
    for side, call in (("nstar", case.nstar), ("bare", case.bare)):
        if call is None:
            continue
        call(*(c[:1000] for c in columns))
        tracemalloc.start()
        result = call(*columns)
        out[side] = float(tracemalloc.get_traced_memory()[1])
        del result
        tracemalloc.stop()
    return out


def child(what: str, name: str, pairs: int, repeat: int) -> dict[str, float]:
    """Run one measurement in a process of its own."""
    command = [sys.executable, __file__, "--child", what, "--only", name]
    command += ["--pairs", str(pairs), "--repeat", str(repeat)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        msg = f"{name}: {done.stderr.strip()}"
        raise RuntimeError(msg)
    values: dict[str, float] = json.loads(done.stdout)
    return values


# --- report -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One row of the table."""

    case: Case
    pairs: int
    cpu: dict[str, float]
    peak: dict[str, float]

    @property
    def ratio(self) -> float | None:
        """CPU time over that of bare numpy."""
        return self.cpu["nstar"] / self.cpu["bare"] if "bare" in self.cpu else None

    @property
    def over(self) -> bool:
        """Beyond the limit of its kind."""
        limit = LIMITS.get(self.case.kind)
        return limit is not None and self.ratio is not None and self.ratio > limit

    def cells(self) -> list[str]:
        """Texts of the table."""
        limit = LIMITS.get(self.case.kind)
        judged = limit is not None and self.ratio is not None
        return [
            f"`{self.case.name}`",
            f"{self.pairs:,}",
            f"{self.cpu['nstar']:.3f}",
            f"{self.ratio:.2f}" if self.ratio is not None else "–",
            ("**over**" if self.over else "within") if judged else "–",
            f"{self.peak['nstar'] / 1e6:,.0f}",
        ]


HEADINGS = "function|pairs|CPU s|× bare numpy|limit|peak MB"


def table(rows: list[Measured], repeat: int) -> str:
    """The Markdown between the markers."""
    facts = (
        f"Python {platform.python_version()}, numpy {np.__version__}, scipy {scipy.__version__}, "
        f"{platform.machine()}, {os.cpu_count()} cores (one is used)."
    )
    judged = [row for row in rows if row.case.kind in LIMITS and row.ratio is not None]
    over = [row.case.name for row in judged if row.over]
    lines = [
        facts,
        f"Medians of {repeat} alternating runs; one run for functions without a limit. "
        "Peak memory includes the result but not the inputs.",
        f"{len(judged) - len(over)} of {len(judged)} within their limit"
        + (f"; over: {', '.join(over)}." if over else "."),
        "",
        "| " + HEADINGS.replace("|", " | ") + " |",
        "|---" * (HEADINGS.count("|") + 1) + "|",
        *("| " + " | ".join(row.cells()) + " |" for row in rows),
    ]
    return "\n".join(lines)


SKELETON = f"""\
# Performance

## The kernel

Each row times one call of an elementwise function of `nstar.stats`. The ratio compares it with the
same arithmetic in bare numpy and `scipy.special`, on whole arrays and without checks. The limit is
1.5 times the CPU time of bare numpy for closed forms, and 1.2 times for exact McNemar. Functions
that iterate or integrate have no limit. Written by `python benchmarks/kernel.py --write`.

{BEGIN}
{END}

The functions over their limit have two or three operations, and their checks (integer, finite, in
range) take as many again. Blocks of 16,384 elements stay in the cache, so most formulas take no
longer than bare numpy without checks, and need little memory beyond the result.
"""


def kept() -> tuple[list[str], dict[str, str]]:
    """What the page has: the lines above the rows, and the rows by name."""
    old = PAGE.read_text(encoding="utf-8").partition(BEGIN)[2].partition(END)[0].strip()
    lines = old.splitlines()
    rows = {x.split("`")[1]: x for x in lines if x.startswith("| `")}
    return [x for x in lines if not x.startswith("| `")], rows


def refresh(rows: list[Measured]) -> str:
    """The table of the page with these rows in place of their namesakes, in the order of CASES."""
    head, old = kept()
    new = {r.case.name: "| " + " | ".join(r.cells()) + " |" for r in rows}
    known = old | new
    lines = head + [known[case.name] for case in CASES if case.name in known]
    judged = [x for x in lines if x.startswith("| `") and ("| within |" in x or "**over**" in x)]
    over = [x.split("`")[1] for x in judged if "**over**" in x]
    count = f"{len(judged) - len(over)} of {len(judged)} within their limit"
    tail = f"; over: {', '.join(over)}." if over else "."
    if waiting := len(CASES) - len(known):
        tail += f" {waiting} newer functions have no row yet."
    return "\n".join(count + tail if " within their limit" in x else x for x in lines)


def write(text: str) -> None:
    """Put the table between its markers, which a new page gets first."""
    page = PAGE.read_text(encoding="utf-8") if PAGE.exists() else SKELETON
    head, begin, rest = page.partition(BEGIN)
    _, end, tail = rest.partition(END)
    if not (begin and end):
        msg = f"{PAGE} has lost its markers {BEGIN} and {END}"
        raise RuntimeError(msg)
    PAGE.write_text(f"{head}{BEGIN}\n{text}\n{END}{tail}", encoding="utf-8")


# --- command line -------------------------------------------------------------------------


def _arguments() -> tuple[argparse.Namespace, list[Case]]:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, default=10_000_000)
    parser.add_argument("--heavy-pairs", type=int, help="for slow functions; default pairs/100")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", metavar="NAME", help="a function, or function and method")
    parser.add_argument("--missing", action="store_true", help="those without a row on the page")
    parser.add_argument("--write", action="store_true", help=f"into {PAGE.relative_to(ROOT)}")
    parser.add_argument("--verify", action="store_true", help="compare results, measure nothing")
    parser.add_argument("--child", choices=("cpu", "peak"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    cases = [c for c in CASES if not args.only or args.only in (c.name, c.function)]
    if args.missing:
        cases = [c for c in cases if c.name not in kept()[1]]
    if args.child:
        cases = [c for c in cases if c.name == args.only]
    if not cases:
        parser.error(f"no function {args.only!r}; one of {', '.join(c.name for c in CASES)}")
    return args, cases


def _verify_all(cases: list[Case], pairs: int) -> int:
    bad = {case.name: said for case in cases if (said := verify(case, pairs))}
    for name, said in bad.items():
        print(f"{name}: {said}")
    print(f"{len(cases) - len(bad)} of {len(cases)} agree on {pairs:,} pairs")
    return 1 if bad else 0


def main() -> int:
    """Exit status 1 if a ratio is over its limit or the sides disagree."""
    args, cases = _arguments()
    if args.child:
        measure = {"cpu": lambda c: cpu_times(c, args.pairs, args.repeat)}
        measure["peak"] = lambda c: peak_bytes(c, args.pairs)
        print(json.dumps(measure[args.child](cases[0])))
        return 0
    if missing := forgotten():
        print(f"neither measured nor excused: {', '.join(missing)}", file=sys.stderr)
        return 1
    if args.verify:
        return _verify_all(cases, min(args.pairs, 20_000))
    rows = []
    for case in cases:
        few = args.heavy_pairs or max(args.pairs // 100, 1000)
        pairs = min(few, args.pairs) if case.heavy else args.pairs
        repeat = args.repeat if case.kind in LIMITS else 1
        cpu, peak = (child(what, case.name, pairs, repeat) for what in ("cpu", "peak"))
        rows.append(Measured(case=case, pairs=pairs, cpu=cpu, peak=peak))
        print(*rows[-1].cells(), sep="  ", file=sys.stderr)
    text = table(rows, args.repeat)
    if args.write:
        write(refresh(rows) if (args.only or args.missing) and PAGE.exists() else text)
    else:
        print(text)
    return 1 if any(row.over for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
