"""The plumbing under the kernel: blocks, domain checks, bisection."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from nstar._base import checks
from nstar._base.types import Array, BoolArray
from nstar.errors import InfeasibleError, NstarError, ParameterError
from nstar.stats._blocks import BLOCK, map_blocks, map_blocks2
from nstar.stats._roots import bisect

# --- blocks -------------------------------------------------------------------------------


def test_blocks_are_one_dimensional_doubles_no_longer_than_agreed() -> None:
    seen: list[tuple[int, ...]] = []

    def note(x: Array, y: Array) -> Array:
        assert x.dtype == y.dtype == np.float64
        assert x.shape == y.shape
        seen.append(x.shape)
        return x + y

    out = map_blocks(note, np.ones((3, BLOCK), dtype=np.int8), 2)
    assert out.shape == (3, BLOCK)
    assert np.all(out == 3)
    assert all(len(shape) == 1 and shape[0] <= BLOCK for shape in seen)
    assert sum(shape[0] for shape in seen) == 3 * BLOCK


def test_scalars_give_a_numpy_scalar() -> None:
    out: Any = map_blocks(lambda x: 2 * x, 3)
    assert isinstance(out, np.float64)
    low, high = map_blocks2(lambda x: (x, 2 * x), 3)
    assert (float(low), float(high)) == (3, 6)
    assert isinstance(high.tolist(), float)


def test_two_outputs_and_broadcasting() -> None:
    low, high = map_blocks2(lambda x, y: (x - y, x + y), [[1], [2]], [10, 20, 30])
    assert low.tolist() == [[-9, -19, -29], [-8, -18, -28]]
    assert high.shape == (2, 3)


@pytest.mark.parametrize("shape", [(0,), (0, 4), (3, 0, 2)])
def test_empty_arrays_never_call_the_function(shape: tuple[int, ...]) -> None:
    def never(_: Array) -> Array:
        raise AssertionError

    assert map_blocks(never, np.empty(shape)).shape == shape
    low, high = map_blocks2(never, np.empty(shape))  # type: ignore[arg-type]
    assert low.shape == high.shape == shape


@pytest.mark.parametrize("layout", ["C", "F"])
def test_memory_layout_does_not_matter(layout: Any) -> None:
    x = np.array(np.arange(12.0).reshape(3, 4), order=layout)
    for view in (x, x.T, x[::-1], x[:, ::2], np.broadcast_to(x[:1], (5, 4))):
        assert np.array_equal(map_blocks(np.square, view), view**2)


def test_inputs_are_not_written_to() -> None:
    x = np.arange(5.0)
    x.flags.writeable = False
    assert map_blocks(lambda v: v + 1, x).tolist() == [1, 2, 3, 4, 5]


@pytest.mark.parametrize("value", ["a", 1j, None, {}])
def test_what_is_not_a_number_is_a_type_error(value: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        map_blocks(lambda x: x, value)


# --- checks -------------------------------------------------------------------------------

CHECKS: list[tuple[Callable[[str, Any], None], str, list[float], list[float]]] = [
    (checks.probability, r"a proportion in \[0, 1\]", [0, 0.5, 1], [-1e-9, 1.5, np.nan]),
    (checks.fraction, r"in \(0, 1\)", [1e-9, 0.5], [0, 1, -1, np.nan, np.inf]),
    (checks.positive, "a finite number > 0", [1e-9, 1e300], [0, -1, np.inf, np.nan]),
    (checks.finite, "finite", [0, -1e300], [np.inf, -np.inf, np.nan]),
    (checks.nonnegative, "finite and >= 0", [0, 1], [-1e-9, np.inf, np.nan]),
    (checks.correlation, r"in \[-1, 1\]", [-1, 0, 1], [-1.5, 2, np.nan]),
]


@pytest.mark.parametrize(("check", "allowed", "good", "bad"), CHECKS)
def test_messages_give_name_range_and_value(
    check: Callable[[str, Any], None], allowed: str, good: list[float], bad: list[float]
) -> None:
    check("x", good)
    for value in bad:
        with pytest.raises(ParameterError, match=rf"^x must be {allowed}; got {value:.10g}$"):
            check("x", value)
        with pytest.raises(ParameterError, match=rf"; got {value:.10g}$"):
            check("x", [*good, value, value])


@pytest.mark.parametrize("value", [0, 7, 7.0, np.uint8(7), np.array([0, 3]), 2.0**53, True])
def test_whole_numbers_are_counts(value: Any) -> None:
    checks.counts(k=value)


@pytest.mark.parametrize("value", [-1, 0.5, np.nan, np.inf, -np.inf, [1, 2.5]])
def test_what_is_not_a_count(value: Any) -> None:
    with pytest.raises(ParameterError, match="k must be a whole number >= 0; got"):
        checks.counts(j=3, k=value)


def test_choices_are_listed() -> None:
    checks.choice("sides", 2, (1, 2))
    with pytest.raises(ParameterError, match="method must be a or b; got 'c'"):
        checks.choice("method", "c", ("a", "b"))


def test_infeasible_is_a_parameter_error_is_a_value_error() -> None:
    checks.feasible(True, "no")
    with pytest.raises(InfeasibleError, match="no"):
        checks.feasible([True, False], "no")
    assert issubclass(InfeasibleError, ParameterError)
    assert issubclass(ParameterError, ValueError)
    assert issubclass(ParameterError, NstarError)


# --- bisection ----------------------------------------------------------------------------


def test_bisection_reaches_the_last_bit() -> None:
    target = np.array([2.0, 3.0, 1e-10])
    root = bisect(lambda x: x * x < target, np.zeros(3), 2.0)
    np.testing.assert_allclose(root, np.sqrt(target), rtol=4e-16, atol=1e-20)


def test_bisection_of_a_predicate_that_never_turns_ends_at_an_edge() -> None:
    assert bisect(lambda x: np.ones_like(x, dtype=bool), 0.0, 1.0) == pytest.approx(1)
    assert bisect(lambda x: np.zeros_like(x, dtype=bool), 0.0, 1.0) == pytest.approx(0, abs=1e-20)


def test_bisection_stops_when_neighbors_are_reached() -> None:
    calls = 0

    def below(x: Array) -> BoolArray:
        nonlocal calls
        calls += 1
        return np.asarray(x < 1.5)

    bisect(below, 1.0, 2.0, steps=10**6)
    assert calls < 60
