"""Type aliases shared by all floors."""

from collections.abc import Sequence
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Scalar: TypeAlias = float | int | np.floating[Any] | np.integer[Any]
Array: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatLike: TypeAlias = npt.ArrayLike
"""A scalar or anything numpy turns into an array of numbers."""

RNGLike: TypeAlias = int | Sequence[int] | np.random.SeedSequence | np.random.Generator | None
Sides: TypeAlias = Literal[1, 2]
Direction: TypeAlias = Literal["up", "down"]


class Interval(NamedTuple):
    """Lower and upper limit, scalars or arrays of one shape; the only iterable result."""

    low: Array | float
    high: Array | float
