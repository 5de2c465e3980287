"""docs/methods/ says what the kernel does: every function is named, formulas are its own."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special
from scipy import stats as law

from nstar import stats
from nstar.stats.bradley_terry import direct_battles
from nstar.stats.repeated_runs import next_flip
from validation import CLAIMS

ROOT = Path(__file__).parents[2]
METHODS = sorted((ROOT / "docs" / "methods").glob("*.md"))
PAGE = "\n".join(page.read_text(encoding="utf-8") for page in METHODS)
PAGES = [*METHODS, *sorted((ROOT / "docs" / "concepts").glob("*.md"))]
MATH = re.compile(r"^\$\$\n(.*?)\n\$\$$|\$([^$\n]+)\$", re.M | re.S)
COMMANDS = (
    "frac sqrt hat bar widehat sum prod binom left right text quad "
    "min max ln log arcsin tanh alpha beta delta Delta sigma rho psi theta nu lambda pi "
    "varepsilon tau ell Phi pm mp approx le ge ne in sim mid dots infty cdot ast int varphi"
)

B, C, N = 86, 78, 1000
Z, ZB = 1.959963984540054, 0.8416212335729143
K = Z + ZB


def test_every_kernel_function_is_named() -> None:
    named = set(re.findall(r"`([A-Za-z_0-9]+)`", PAGE))
    public = {n for n in stats.__all__ if callable(getattr(stats, n)) and n[0].islower()}
    assert not public - named


def test_names_of_functions_exist() -> None:
    called = set(re.findall(r"`([a-z0-9]+(?:_[a-z0-9]+)+)`", PAGE)) - {"to_dict", "from_dict"}
    assert not {n for n in called if not hasattr(stats, n)}


def test_claims_named_beside_validation_exist() -> None:
    named = re.findall(r"validation\W+((?:`[a-z-]+`,? ?)+)", PAGE)
    claims = {c for some in named for c in re.findall(r"`([a-z-]+)`", some)}
    assert len(claims) > 15
    assert claims <= set(CLAIMS)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_formulas_keep_to_what_both_renderers_know(page: Path) -> None:
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text("utf-8"), flags=re.S)
    for block, inline in MATH.findall(text):
        tex = block or inline
        assert set(re.findall(r"\\([A-Za-z]+)", tex)) <= set(COMMANDS.split()), tex
        assert not re.search(r"\\[^A-Za-z]", tex), f"GitHub would eat the backslash in {tex}"
        assert tex.count("{") == tex.count("}"), tex


def _tango(delta: float, b: int = B, c: int = C, n: int = N) -> float:
    u = (2 * n - b + c) * delta - b - c
    q = (math.sqrt(u * u + 8 * n * c * delta * (1 - delta)) - u) / (4 * n)
    return (b - c - n * delta) / math.sqrt(n * (2 * q + delta * (1 - delta)))


def _connor(delta: float, psi: float) -> float:
    return (Z * math.sqrt(psi) + ZB * math.sqrt(psi - delta**2)) ** 2 / delta**2


def _lead(elo: float) -> float:
    return 2 / (1 + 10 ** (-elo / 400)) - 1


def _connor_mde(n: float, psi: float) -> float:
    inner = Z * math.sqrt(n) + ZB * math.sqrt(n + ZB**2 - Z**2)
    return math.sqrt(psi) * inner / (n + ZB**2)


def _power(delta: float, psi: float, n: int) -> float:
    """As on the page, with the mid-p test."""
    theta, total = (psi + delta) / (2 * psi), 0.0
    for m in range(1, n + 1):
        k = int(stats.rejection_limits(m))
        both = law.binom.sf(k - 1, m, theta) + law.binom.cdf(m - k, m, theta)
        total += law.binom.pmf(m, n, psi) * both
    return total


def _midp(b: int, c: int) -> float:
    m = max(b, c)
    return float(2 * law.binom.sf(m - 1, b + c, 0.5) - law.binom.pmf(m, b + c, 0.5))


def _phi(n11: int, b: int, c: int, n00: int) -> tuple[float, float]:
    a, b_, c_, d = (x + 0.5 for x in (n11, b, c, n00))
    n = a + b_ + c_ + d
    pa, pb = (a + b_) / n, (a + c_) / n
    sa, sb = ((2 * p - 1) / math.sqrt(p * (1 - p)) for p in (pa, pb))
    r = (a * d - b_ * c_) / (n * n * math.sqrt(pa * (1 - pa) * pb * (1 - pb)))
    v = 1 - r**2 + r * (1 + r**2 / 2) * sa * sb - 0.75 * r**2 * (sa**2 + sb**2)
    half = Z / (1 - r**2) * math.sqrt(v / n)
    return math.tanh(math.atanh(r) - half), math.tanh(math.atanh(r) + half)


WON, TIED, LOST = 40, 30, 10


def _pair_variance() -> float:
    """Of the gap between two models that met so often."""
    n = WON + TIED + LOST
    p = (WON + TIED / 2) / n
    meat = WON * (1 - p) ** 2 + TIED * (0.5 - p) ** 2 + LOST * p**2
    return meat / (n * p * (1 - p)) ** 2


def _pair_sandwich() -> Any:
    score = np.repeat([1, 0.5, 0], [WON, TIED, LOST])
    rows = stats.VoteRows.of(np.zeros(score.size, int), np.ones(score.size, int), score)
    found = stats.vote_covariance(rows, stats.bradley_terry_fit(rows))
    return stats.resistance(found.matrix, pairs=[[0, 1]])[0]


SIZES = np.array([5, 20, 40, 60])
SUMS = np.array([2.0, -1.0, 6.0, 3.0])
RESIDUAL = SUMS - SIZES * SUMS.sum() / SIZES.sum()
F = SIZES / SIZES.sum()


def _nu() -> float:
    a = F**2 / (1 - F)
    return 1 / float((F**2).sum() + a.sum() ** 2 - (a**2).sum())


def _shortcut(p: float, rho: float) -> float:
    u = p * (1 - p)
    return -0.5 * ((1 + rho) * (1 - 2 * p) ** 2 / (16 * (1 - rho) * u**2) - 1 / (6 * u))


def _rare(g: float, se: float, n: float, w: float, t: float) -> float:
    m, v = g + w, n * se**2
    ell = t**2 * (m - v / m)
    return g - (ell + math.sqrt(ell**2 + 4 * (n + t**2) * t**2 * v)) / (2 * (n + t**2))


def _bets(d: list[float], alpha: float) -> float:
    x, up, down = [(v + 1) / 2 for v in d], 1.0, 1.0
    seen, spread = 0.0, 0.25
    for t, value in enumerate(x, 1):
        stake = math.sqrt(2 * math.log(2 / alpha) / (spread * t * math.log(t + 1)))
        up *= 1 + min(stake, 1.0) * (value - 0.5)
        down *= 1 - min(stake, 1.0) * (value - 0.5)
        seen += value
        mean = (0.5 + seen) / (t + 1)
        spread = (spread * t + (value - mean) ** 2) / (t + 1)
    return math.log(max(up, down) / 2)


def _sequence(mean: float, sd: float, t: int, n: int) -> float:
    r = -special.lambertw(-(0.05**2) / math.e, -1).real - 1
    rho2 = r / n
    grown = t * rho2 + 1
    return mean - sd / t * math.sqrt(grown / rho2 * math.log(grown / 0.05**2))


DIFFERENCES = [0.5, -0.2, 0.1, 0.9, 0.3, -0.1, 0.4]

FORMULAS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "K": (lambda: K, stats.k_factor),
    "psi": (
        lambda: 0.72 * 0.3 + 0.7 * 0.28 - 1.2 * math.sqrt(0.72 * 0.28 * 0.7 * 0.3),
        lambda: stats.psi_from_rho(0.72, 0.7, 0.6),
    ),
    "odds ratio": (lambda: 0.2 * 0.5 / 2.5, lambda: stats.delta_from_odds_ratio(1.5, 0.2)),
    "sigma": (
        lambda: math.sqrt((B + C) / N - ((B - C) / N) ** 2),
        lambda: stats.sigma_hat(B, C, N),
    ),
    "mid-p": (lambda: _midp(B, 60), lambda: stats.mcnemar_pvalue(B, 60)),
    "mid-p of a tie": (
        lambda: 1 - 0.5 * law.binom.pmf(7, 14, 0.5),
        lambda: stats.mcnemar_pvalue(7, 7),
    ),
    "tango": (lambda: _tango(0.02), lambda: stats.tango_statistic(B, C, N, null=0.02)),
    "tango, nothing discordant": (
        lambda: Z**2 / (N + Z**2),
        lambda: stats.paired_interval(0, 0, N).high,
    ),
    "phi": (lambda: _phi(628, B, C, 208), lambda: stats.phi_interval(628, B, C, 208)),
    "connor": (lambda: _connor(0.02, 0.2), lambda: stats.paired_n_star(0.02, psi=0.2)),
    "miettinen": (
        lambda: (Z * math.sqrt(0.2) + ZB * math.sqrt(0.2 - 0.01 * 3.2 / 0.8)) ** 2 / 0.01,
        lambda: stats.paired_n_star(0.1, psi=0.2, method="miettinen"),
    ),
    "connor, mde": (lambda: _connor_mde(1000, 0.2), lambda: stats.paired_mde(1000, psi=0.2)),
    "exact power": (lambda: _power(0.1, 0.3, 120), lambda: stats.exact_power(0.1, psi=0.3, n=120)),
    "q": (lambda: (2.1 / K) ** 2, lambda: stats.q_hat(2.1)),
    "q, interval": (
        lambda: (((2.1 - Z) / K) ** 2, ((2.1 + Z) / K) ** 2),
        lambda: stats.q_interval(2.1),
    ),
    "q, declared": (
        lambda: 500 * 0.03**2 / (K * 0.4) ** 2,
        lambda: stats.q_at(0.03, sigma=0.4, n=500),
    ),
    "observed power": (
        lambda: law.norm.cdf(K * math.sqrt(0.7) - Z),
        lambda: stats.observed_power(0.7),
    ),
    "shortcut": (lambda: _shortcut(0.8, 0.5), lambda: stats.shortcut_coefficient(0.8, 0.5)),
    "t power": (
        lambda: (
            law.nct.sf(law.t.ppf(0.975, 49), 49, 0.4 * math.sqrt(50))
            + law.nct.cdf(-law.t.ppf(0.975, 49), 49, 0.4 * math.sqrt(50))
        ),
        lambda: stats.t_power(0.4, sigma=1.0, n=50),
    ),
    "CR2": (
        lambda: (RESIDUAL**2 / (1 - F)).sum() / SIZES.sum() ** 2,
        lambda: stats.cluster_variance(SUMS, SIZES),
    ),
    "bell-mccaffrey": (_nu, lambda: stats.bell_mccaffrey_df(SIZES)),
    "design effect": (
        lambda: 1 + ((SIZES**2).sum() / SIZES.sum() - 1) * 0.036,
        lambda: stats.design_effect(0.036, SIZES),
    ),
    "floor": (
        lambda: (law.t.ppf(0.975, 13) + law.t.ppf(0.8, 13)) * 0.45 * math.sqrt(0.036 / 14),
        lambda: stats.cluster_mde_floor(0.45, 0.036, 14),
    ),
    "strata": (
        lambda: (4 * np.var([1, 2, 3, 5.0], ddof=1) + 3 * np.var([0, 1, 0.5], ddof=1)) / 49,
        lambda: stats.strata_variance([11, 1.5], [39, 1.25], [4, 3]),
    ),
    "pass@k": (
        lambda: 1 - math.comb(7, 5) / math.comb(10, 5),
        lambda: stats.pass_at_k(10, 3, 5),
    ),
    "pass^k": (lambda: math.comb(6, 3) / math.comb(10, 3), lambda: stats.pass_hat_k(10, 6, 3)),
    "flip rate": (lambda: 2 * 3 * 7 / (10 * 9), lambda: stats.flip_rate(10, 3)),
    "next flip": (lambda: 3.5 / 11, lambda: next_flip(10, 3)),
    "sweep": (lambda: 1 - 0.05 ** (1 / 12), lambda: stats.sweep_bound(12)),
    "holm": (lambda: [0.03, 0.06, 0.06], lambda: stats.holm([0.01, 0.03, 0.04])),
    "bh": (lambda: [0.03, 0.04, 0.04], lambda: stats.benjamini_hochberg([0.01, 0.03, 0.04])),
    "tukey": (
        lambda: law.studentized_range.ppf(0.95, 10, 1e6) / math.sqrt(2),
        lambda: stats.tukey_critical(10),
    ),
    "inflation": (lambda: ((3 + ZB) / K) ** 2, lambda: stats.inflation(3.0)),
    "equivalence": (
        lambda: (
            law.norm.cdf(0.015 * math.sqrt(800) / 0.3 - 1.6448536269514722)
            + law.norm.cdf(0.045 * math.sqrt(800) / 0.3 - 1.6448536269514722)
            - 1
        ),
        lambda: stats.equivalence_power(0.03, sigma=0.3, n=800, delta=0.015),
    ),
    "rare losses": (
        lambda: _rare(0.01, 0.02, 300, 1.0, 1.645),
        lambda: stats.margin_bound(0.01, 0.02, 300, width=1.0, quantile=1.645),
    ),
    "e-process": (
        lambda: 30 * math.log(2) + special.betaln(22.5, 8.5) - special.betaln(0.5, 0.5),
        lambda: stats.mcnemar_log_e(22, 8),
    ),
    "tuned": (
        lambda: (400 / (-special.lambertw(-(0.05**2) / math.e, -1).real - 1) - 1) / 2,
        lambda: stats.tuned_beta(400),
    ),
    "bets": (
        lambda: _bets(DIFFERENCES, 0.05),
        lambda: stats.betting_log_e(DIFFERENCES)[-1],
    ),
    "sequence": (
        lambda: _sequence(0.02, 0.12, 500, 1000),
        lambda: stats.asymptotic_sequence(0.02, 0.12, 500, tuned_at=1000).low,
    ),
    "pooled": (
        lambda: (
            ((Z * math.sqrt(2 * 0.725 * 0.275) + ZB * math.sqrt(0.75 * 0.25 + 0.7 * 0.3)) / 0.05)
            ** 2
        ),
        lambda: stats.unpaired_n_star(0.75, 0.7),
    ),
    "continuity": (
        lambda: 1000 / 4 * (1 + math.sqrt(1 + 4 / (1000 * 0.05))) ** 2,
        lambda: stats.continuity_corrected(1000, 0.05),
    ),
    "votes": (
        lambda: (_connor(_lead(20), 0.6), _connor(0.6 * _lead(20), 0.6)),
        lambda: [
            stats.battles_n_star(20, ties=0.4),
            stats.battles_n_star(20, ties=0.4, scale="decisive"),
        ],
    ),
    "elo": (
        lambda: (1 / (1 + 10 ** (-20 / 400)), 20.0),
        lambda: [
            stats.score_from_elo(20),
            stats.elo_from_delta(0.6 * _lead(20), ties=0.4, scale="decisive"),
        ],
    ),
    "published": (
        lambda: 0.75 * 0.25 / (0.05**2 / K**2 - 0.7 * 0.3 / 1000),
        lambda: stats.n1_given_published(0.75, 0.7, n2=1000),
    ),
    "ties": (
        lambda: np.array([math.exp(0.3), 0.8, math.exp(-0.3)]) / (0.8 + 2 * math.cosh(0.3)),
        lambda: stats.davidson_probabilities(0.6, math.log(0.8)),
    ),
    "sandwich of votes": (_pair_variance, _pair_sandwich),
    "votes needed": (
        lambda: 0.7 / 0.24 * (K**2 / 0.4**2 - 1 / (0.7 * 0.1)),
        lambda: direct_battles(0.4, 0.1, information=0.24, reach=K, inflation=0.7),
    ),
    "t bounds": (
        lambda: (
            0.008 * math.sqrt(12032 / (0.442 - 0.008**2)),
            0.008 * math.sqrt(12032 / (0.008 - 0.008**2)),
        ),
        lambda: stats.t_bounds(0.783, 0.775, 12032),
    ),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_give_the_numbers_of_the_kernel(name: str) -> None:
    written, computed = FORMULAS[name]
    assert np.asarray(computed()) == pytest.approx(np.asarray(written()), rel=1e-6)


def test_votes_in_the_text() -> None:
    decisive = stats.delta_from_elo(20, ties=0.4, scale="decisive")
    gap = float(stats.elo_from_delta(decisive, ties=0.4))
    assert f"equals a gap of {gap:.1f} Elo in expected scores" in " ".join(PAGE.split())
    tail = 2 * law.norm.sf(float(stats.tukey_critical(10)))
    rate = f"{100 * (1 - (1 - tail) ** 45):.1f}%"
    assert f"a false positive in {rate}" in " ".join(PAGE.split())


def test_constants_in_the_text() -> None:
    assert f"{K:.4f}" in PAGE
    assert "p ≤ 0.0051" in PAGE
    assert math.erfc(K / math.sqrt(2)) == pytest.approx(0.0051, abs=5e-5)
    low, high = stats.q_interval(K)
    assert (round(float(low), 2), round(float(high), 2)) == (0.09, 2.89)
    assert "from 0.09 to 2.89" in " ".join(PAGE.split())
    assert f"T is at least {float(stats.anytime_critical()):.2f}" in " ".join(PAGE.split())
