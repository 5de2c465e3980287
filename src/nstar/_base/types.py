"""Type aliases shared by all floors."""

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from nstar._base.record import record

Scalar: TypeAlias = float | int | np.floating[Any] | np.integer[Any]
Array: TypeAlias = npt.NDArray[np.float64]
IntArray: TypeAlias = npt.NDArray[np.int64]
BoolArray: TypeAlias = npt.NDArray[np.bool_]
FloatLike: TypeAlias = npt.ArrayLike
"""A scalar or anything numpy turns into an array of numbers."""

Plain: TypeAlias = bool | int | float | str
"""A value that JSON holds as it is."""

RNGLike: TypeAlias = int | Sequence[int] | np.random.SeedSequence | np.random.Generator | None
Sides: TypeAlias = Literal[1, 2]
Direction: TypeAlias = Literal["up", "down"]


class Interval(NamedTuple):
    """Lower and upper limit, scalars or arrays of one shape; the only iterable result."""

    low: Array | float
    high: Array | float


@record(kw_only=False)
class NullIs:
    """What ``null`` stands for where a result in JSON must have a number."""

    value: float
    whole: bool = False
    """Whether any other value is a whole number."""


Endless: TypeAlias = Annotated[float, NullIs(math.inf)]
"""A number, such as of items needed, that may be infinite: ``null`` in JSON, or ``"Infinity"``
where ``None`` has another meaning."""
EndlessCount: TypeAlias = Annotated[float, NullIs(math.inf, whole=True)]
"""The same of a number without a fraction: an integer in JSON."""
Undefined: TypeAlias = Annotated[float, NullIs(math.nan)]
"""A number that may be missing (NaN): ``null`` in JSON."""
EndlessArray: TypeAlias = Annotated[Array, NullIs(math.inf)]
"""Numbers that may be infinite: ``null`` in JSON."""
EndlessInterval: TypeAlias = Annotated[Interval, NullIs(math.inf)]
"""An interval of numbers, such as of items needed, whose lower limit may be infinite too."""


@record(kw_only=False)
class AtLeastZero:
    """Of whole numbers none of which is below 0."""


Count: TypeAlias = Annotated[int, AtLeastZero()]
"""A whole number, such as of items, that is 0 or more."""
CountArray: TypeAlias = Annotated[IntArray, AtLeastZero()]
"""Whole numbers that are 0 or more."""


class Columns:
    """Columns of one length, a field each: in JSON a list of rows.

    A column that is None is in none of the rows.
    """

    __slots__ = ()

    def __len__(self) -> int:
        raise NotImplementedError
