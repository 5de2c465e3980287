"""Far tails of sign flips against enumeration, integer convolution and the saddlepoint."""

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from scipy import optimize, stats

from nstar._base.types import Array
from nstar.stats import _tilted, sign_flip_test

RNG = np.random.default_rng
SIZES: dict[str, Callable[[np.random.Generator, int], Array]] = {
    "continuous": lambda rng, n: rng.uniform(0.01, 1, n),
    "lattice": lambda rng, n: rng.integers(1, 5, n) / 4,
    "nearly a lattice": lambda rng, n: np.where(
        rng.random(n) < 0.5, 1.0, rng.uniform(1e-9, 1e-6, n)
    ),
    "long tail": lambda rng, n: rng.pareto(1.0, n) + 0.01,
    "one giant": lambda rng, n: np.append(rng.uniform(0.001, 0.01, n - 1), 1e6),
    "many scales": lambda rng, n: 10.0 ** rng.uniform(-150, 0, n),
}


def share(sizes: Array, total: float) -> float:
    """Signings that reach a total, all of them counted."""
    signs = np.array(list(product((-1.0, 1.0), repeat=sizes.size)))
    return float((signs @ sizes >= total - 1e-12 * sizes.sum()).mean())


def lattice_share(sizes: list[int], total: int) -> float:
    """The same by adding up integers, which has no rounding and no limit."""
    ways = {0: 1}
    for size in sizes:
        more: dict[int, int] = {}
        for at, n in ways.items():
            for to in (at - size, at + size):
                more[to] = more.get(to, 0) + n
        ways = more
    return sum(n for at, n in ways.items() if at >= total) / 2 ** len(sizes)


def saddlepoint(sizes: Array, total: float) -> float:
    """Lugannani and Rice's tail of a sum of random signs (Robinson 1982)."""

    def slope(t: float) -> float:
        return float((sizes * np.tanh(t * sizes)).sum()) - total

    t = float(optimize.brentq(slope, 1e-9, 1e3, xtol=1e-14))
    cumulant = float((np.logaddexp(t * sizes, -t * sizes) - math.log(2)).sum())
    w = math.sqrt(2 * (t * total - cumulant))
    u = t * math.sqrt(float((np.square(sizes) / np.cosh(t * sizes) ** 2).sum()))
    return float(stats.norm.sf(w) + stats.norm.pdf(w) * (1 / u - 1 / w))


@pytest.mark.parametrize("kind", SIZES)
def test_tails_are_those_of_all_signings(kind: str) -> None:
    rng, found = RNG(3), []
    for n in (10, 12, 15, 15, 15, 15):
        sizes = SIZES[kind](rng, n)
        total = float((sizes * np.where(rng.random(n) < 0.1, -1, 1)).sum())
        if total > 0:
            reach = total - 1e-12 * sizes.sum()
            tail = _tilted.tail(sizes, total, reach, rng)
            found.append(math.exp(tail) / share(sizes, total))
    assert found == pytest.approx([1] * len(found), rel=0.12)
    assert np.mean(found) == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize("losses", [5, 30, 60])
def test_tails_of_lattices_count_ties(losses: int) -> None:
    sizes = [1] * 150 + [2] * 50
    total = sum(sizes) - 2 * losses
    want = lattice_share(sizes, total)
    tail = _tilted.tail(np.array(sizes, dtype=float), total, total - 1e-9, RNG(1))
    assert math.exp(tail) == pytest.approx(want, rel=0.2)


@pytest.mark.parametrize("z", [4.0, 8.0, 14.0])
def test_tails_are_near_the_saddlepoint(z: float) -> None:
    sizes = np.abs(RNG(2).normal(size=600))
    total = z * math.sqrt(float(sizes @ sizes))
    tails = [_tilted.tail(sizes, total, total, RNG(seed)) for seed in range(20)]
    assert np.mean(np.exp(tails)) == pytest.approx(saddlepoint(sizes, total), rel=0.06)


@pytest.mark.parametrize(("z", "error"), [(3.1, 0.04), (11.4, 0.08)])
def test_how_well_a_tail_is_known(z: float, error: float) -> None:
    sizes = RNG(4).exponential(size=400)
    total = z * math.sqrt(float(sizes @ sizes))
    tails = np.exp([_tilted.tail(sizes, total, total, RNG(seed)) for seed in range(60)])
    assert tails.std() / tails.mean() == pytest.approx(error, rel=0.35)


def test_which_flips_speak() -> None:
    d = RNG(1).normal(size=200)
    d -= d.mean()
    methods = [sign_flip_test(d + shift, rng=1).method for shift in (0.05, 0.2, 1)]
    assert methods == ["random", "tilted", "tilted"]
    assert sign_flip_test(d[:30] + 1, rng=1).method == "exact"


def test_random_and_tilted_flips_meet() -> None:
    d = RNG(2).exponential(size=150) - 1
    d += 2.5 * d.std() / math.sqrt(150) - d.mean()
    plain = sign_flip_test(d, n_resamples=400_000, rng=1)
    sizes, total = np.abs(d), float(d.sum())
    tilted = [2 * math.exp(_tilted.tail(sizes, total, total - 1e-9, RNG(k))) for k in range(20)]
    assert plain.method == "random"
    assert np.mean(tilted) == pytest.approx(plain.p, rel=0.05)


@pytest.mark.parametrize("unit", [1e-160, 1.0, 1e150])
def test_tails_do_not_depend_on_the_unit(unit: float) -> None:
    d = np.linspace(1, 2, 100)
    assert sign_flip_test(unit * d, rng=1).p == pytest.approx(2.0**-99, rel=0.01)
    assert sign_flip_test(np.linspace(1, 2, 3000) * unit, rng=1).p > 0
