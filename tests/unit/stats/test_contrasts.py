"""Shortcuts of max-T: the same bits as looking at every pair of every draw."""

import numpy as np
import pytest

from nstar._base.types import Array, IntArray
from nstar.stats import _contrasts
from nstar.stats._step_down import NullExceedances, PairLadder

M, DRAWS = 150, 300


def means(uneven: float) -> tuple[Array, IntArray, Array]:
    """Draws of means, all pairs, and scales, which differ the more the larger ``uneven``."""
    rng = np.random.default_rng(3)
    z = rng.standard_normal((M, DRAWS))
    pairs = np.stack(np.triu_indices(M, 1), axis=1)
    return z, pairs, np.exp(uneven * rng.standard_normal(len(pairs))) / np.sqrt(2)


def plainly(z: Array, pairs: IntArray, scale: Array) -> Array:
    return np.abs(z[pairs[:, 0]] - z[pairs[:, 1]]) * scale[:, None]


@pytest.mark.parametrize("uneven", [0.0, 0.3, 2.0])
@pytest.mark.parametrize("some", [slice(None), slice(0, 3000), slice(5000, None, 7), slice(9)])
def test_the_largest_of_each_draw(uneven: float, some: slice) -> None:
    z, pairs, scale = means(uneven)
    pairs, scale = pairs[some], scale[some]
    found = _contrasts.largest(z, pairs, scale)
    assert found.tolist() == plainly(z, pairs, scale).max(axis=0).tolist()
    turned = _contrasts.largest(z, pairs[:, ::-1], scale)
    assert turned.tolist() == found.tolist()


@pytest.mark.parametrize("one", [0, 77, M - 1])
def test_the_largest_of_one_model(one: int) -> None:
    z, _, _ = means(0)
    scale = np.linspace(0, 2, M)
    found = _contrasts.largest_from(z, one, scale, _contrasts.room_for(z))
    assert found.tolist() == (np.abs(z - z[one]) * scale[:, None]).max(axis=0).tolist()


@pytest.mark.parametrize("spread", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("uneven", [0.0, 0.5])
def test_a_ladder_climbed_in_part(spread: float, uneven: float) -> None:
    z, pairs, scale = means(uneven)
    size = np.sort(np.abs(np.random.default_rng(4).standard_normal(len(pairs)))) * spread
    found = NullExceedances.of(z, PairLadder(pairs=pairs, scale=scale, size=size))
    running = np.maximum.accumulate(plainly(z, pairs, scale), axis=0)
    assert found.hits.tolist() == np.count_nonzero(running >= size[:, None], axis=1).tolist()
    assert found.maxima.tolist() == running[-1].tolist()
