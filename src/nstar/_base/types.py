"""Type aliases shared by all floors."""

import math
from collections.abc import Sequence
from typing import Annotated, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from nstar._base.record import record

Array: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatLike: TypeAlias = npt.ArrayLike
"""A scalar or anything numpy turns into an array of numbers."""

JsonScalar: TypeAlias = bool | int | float | str
"""A value that JSON holds as it is."""

RNGLike: TypeAlias = int | Sequence[int] | np.random.SeedSequence | np.random.Generator | None
Sides: TypeAlias = Literal[1, 2]
Direction: TypeAlias = Literal["up", "down"]
LossUnit: TypeAlias = Literal["cluster", "item"]
"""What may fail entirely although no such failure was observed."""


class Interval(NamedTuple):
    """Lower and upper limit, scalars or arrays of one shape; the only iterable result."""

    low: Array | float
    high: Array | float


@record(kw_only=False)
class NullMeans:
    """What ``null`` stands for where a result in JSON must have a number."""

    value: float
    whole: bool = False
    """Whether any other value is a whole number."""


FloatOrInf: TypeAlias = Annotated[float, NullMeans(math.inf)]
"""A number, such as of items needed, that may be infinite: ``null`` in JSON, or ``"Infinity"``
where ``None`` has another meaning."""
CountOrInf: TypeAlias = Annotated[float, NullMeans(math.inf, whole=True)]
"""The same of a number without a fraction: an integer in JSON."""
FloatOrNan: TypeAlias = Annotated[float, NullMeans(math.nan)]
"""A number that may be missing (NaN): ``null`` in JSON."""
ArrayOrInf: TypeAlias = Annotated[Array, NullMeans(math.inf)]
"""Numbers that may be infinite: ``null`` in JSON."""
IntervalOrInf: TypeAlias = Annotated[Interval, NullMeans(math.inf)]
"""An interval of numbers, such as of items needed, whose lower limit may be infinite too."""


@record(kw_only=False)
class NonNegative:
    """Of whole numbers none of which is below 0."""


Count: TypeAlias = Annotated[int, NonNegative()]
"""A whole number, such as of items, that is 0 or more."""
CountArray: TypeAlias = Annotated[IntArray, NonNegative()]
"""Whole numbers that are 0 or more."""


class ColumnTable:
    """Columns of one length, a field each: in JSON a list of rows.

    A column that is None is in none of the rows.
    """

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError
