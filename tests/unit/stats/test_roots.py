"""Root finding by interpolation, on functions that are steep, flat or have a kink."""

from collections.abc import Callable

import numpy as np
import pytest
from scipy import special

from nstar._base.types import Array
from nstar.stats._roots import bracketed, mixture_root

CURVES: list[tuple[Callable[[Array], Array], float, float, float]] = [
    (lambda x: x**3 - 2, 0.0, 2.0, 2 ** (1 / 3)),
    (lambda x: np.exp(-x) - 0.05, 0.0, 50.0, np.log(20)),
    (lambda x: np.clip(1e6 * (x - 0.3), -40, 40), -1.0, 1.0, 0.3),
    (lambda x: np.where(x < 0.7, -1e-9, x - 0.7 + 1e-12), 0.0, 1.0, 0.7),
    (lambda x: 5 - x, 5.0, 9.0, 5.0),
]


@pytest.mark.parametrize(("curve", "low", "high", "root"), CURVES)
def test_roots(curve: Callable[[Array], Array], low: float, high: float, root: float) -> None:
    assert bracketed(curve, low, high) == pytest.approx(root, abs=2e-14)
    assert bracketed(curve, high, low) == pytest.approx(root, abs=2e-14)


def test_elementwise_and_in_few_calls() -> None:
    calls = 0
    target = np.array([0.5, 3.0, 7.5, 80.0])

    def over(x: Array) -> Array:
        nonlocal calls
        calls += 1
        return np.square(x) - target

    found = bracketed(over, np.zeros(4), np.full(4, 10.0))
    assert found == pytest.approx(np.sqrt(target), abs=1e-13)
    assert calls < 20


def test_the_root_of_normal_mixtures_is_lamberts() -> None:
    alpha = np.array([1e-12, 1e-3, 0.05, 0.3, 0.9, 0.999])
    want = -special.lambertw(-np.square(alpha) / np.e, -1).real - 1
    assert mixture_root(alpha) == pytest.approx(want, rel=1e-11)
    near = mixture_root(np.array([1 - 1e-12, 1e-300]))
    assert near - np.log1p(near) == pytest.approx(-2 * np.log([1 - 1e-12, 1e-300]), rel=1e-9)
