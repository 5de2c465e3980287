"""Quantities beside the score: cost, tokens, time."""

import pyarrow as pa
import pyarrow.compute as pc

_TIME = pa.timestamp("us", "UTC")
QUANTITIES = {
    "cost": pa.float64(),
    "tokens": pa.int64(),
    "input_tokens": pa.int64(),
    "output_tokens": pa.int64(),
    "timestamp": _TIME,
}
"""Type of each."""

_UNITS = ((1e11, "s"), (1e14, "ms"), (1e17, "us"), (1e20, "ns"))
"""Below which number since 1970 a time is in which unit."""
_LEAST = 1e8
"""Seconds; smaller numbers are no times."""
_YEARS = (-62_135_596_800_000_000, 253_402_300_799_999_999)
"""First and last microsecond that Python can tell as a date."""


def quantity(column: pa.Array, kind: pa.DataType) -> pa.Array:
    """A column as this type; an Arrow error if it holds something else.

    Examples
    --------
    >>> quantity(pa.array(["12", ""]), pa.int64()).to_pylist()
    [12, None]
    """
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = pc.if_else(pc.equal(column, ""), None, column)
    if kind == _TIME:
        return _sensible(_times(column))
    if not pa.types.is_integer(column.type):
        column = column.cast(pa.float64())
        column = pc.if_else(pc.is_finite(column), column, None)
    return column.cast(kind)


def _times(column: pa.Array) -> pa.Array:
    """ISO texts, dates or seconds since 1970 as UTC; without a zone they are taken for UTC."""
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return _since_1970(column.cast(pa.float64(), safe=False))
    try:
        return column.cast(_TIME)
    except pa.ArrowInvalid:
        return column.cast(pa.timestamp("us")).cast(_TIME)


def _since_1970(numbers: pa.Array) -> pa.Array:
    numbers = pc.if_else(pc.is_finite(numbers), numbers, None)
    largest = pc.max(numbers).as_py() or 0
    unit = next((unit for bound, unit in _UNITS if largest < bound), None)
    if unit is None or largest < _LEAST:
        msg = f"{largest} is no time"
        raise pa.ArrowInvalid(msg)
    scale = {"s": 1e6, "ms": 1e3, "us": 1.0, "ns": 1e-3}[unit]
    return (
        pc.round(pc.multiply(numbers, scale)).cast(pa.int64()).cast(pa.timestamp("us")).cast(_TIME)
    )


def _sensible(times: pa.Array) -> pa.Array:
    """Times outside the years 1 to 9999 as null."""
    ticks = times.cast(pa.int64())
    inside = pc.and_(pc.greater_equal(ticks, _YEARS[0]), pc.less_equal(ticks, _YEARS[1]))
    return pc.if_else(inside, times, None)
