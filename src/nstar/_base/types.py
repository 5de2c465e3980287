"""Type aliases shared by all layers."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatLike: TypeAlias = npt.ArrayLike
"""A scalar, or any value that NumPy converts to an array of numbers."""

JsonScalar: TypeAlias = bool | int | float | str
"""A value that JSON can represent without conversion."""

RNGLike: TypeAlias = int | Sequence[int] | np.random.SeedSequence | np.random.Generator | None
Sides: TypeAlias = Literal[1, 2]
Direction: TypeAlias = Literal["up", "down"]
LossUnit: TypeAlias = Literal["cluster", "item"]
"""A unit that may fail completely although no such failure was observed."""


class Interval(NamedTuple):
    """Lower and upper limit: scalars, or arrays of one shape. No other result is iterable."""

    low: Array | float
    high: Array | float


@dataclass(frozen=True, slots=True)
class NullMeans:
    """Meaning of ``null`` in the JSON of a field that requires a number."""

    value: float
    whole: bool = False
    """Whether any other value is a whole number."""


FloatOrInf: TypeAlias = Annotated[float, NullMeans(math.inf)]
"""A number that may be infinite, such as a number of items. Infinity is ``null`` in JSON, or
``"Infinity"`` if ``null`` stands for ``None``.
"""
CountOrInf: TypeAlias = Annotated[float, NullMeans(math.inf, whole=True)]
"""A whole number that may be infinite: an integer or ``null`` in JSON."""
FloatOrNan: TypeAlias = Annotated[float, NullMeans(math.nan)]
"""A number that may be missing (NaN): ``null`` in JSON."""
ArrayOrInf: TypeAlias = Annotated[Array, NullMeans(math.inf)]
"""Numbers that may be infinite: ``null`` in JSON."""
IntervalOrInf: TypeAlias = Annotated[Interval, NullMeans(math.inf)]
"""An interval of numbers, such as numbers of items, whose limits may be infinite."""


@dataclass(frozen=True, slots=True)
class NonNegative:
    """Marker of whole numbers that are at least 0."""


Count: TypeAlias = Annotated[int, NonNegative()]
"""A whole number that is 0 or more, such as a number of items."""
CountArray: TypeAlias = Annotated[IntArray, NonNegative()]
"""Whole numbers that are 0 or more."""


class ColumnTable:
    """Columns of equal length, one per field, written to JSON as a list of rows.

    A column that is None is left out of all rows.
    """

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError
