"""Domain checks. Every message contains the name, the allowed values, and the received value."""

from typing import Any

import numpy as np
import numpy.typing as npt

from nstar._base.units import alternatives
from nstar.errors import InfeasibleError, ParameterError, arg

_PART = 1 << 16
"""Number of elements that a check processes at a time, to limit its memory."""


def _first_bad(ok: npt.NDArray[np.bool_], value: npt.ArrayLike) -> str:
    bad = np.broadcast_to(np.asarray(value), np.shape(ok))[~np.asarray(ok)]
    return f"{bad.flat[0]:.10g}"


def require(ok: npt.ArrayLike, name: str, allowed: str, value: npt.ArrayLike) -> None:
    """Raise ParameterError unless ``ok`` holds everywhere (NaN never does)."""
    flags = np.asarray(ok, dtype=bool)
    if not flags.all():
        msg = f"{arg(name)} must be {allowed}; got {_first_bad(flags, value)}"
        raise ParameterError(msg)


def feasible(ok: npt.ArrayLike, message: str) -> None:
    """Raise InfeasibleError with ``message`` unless ``ok`` holds everywhere."""
    if not np.all(ok):
        raise InfeasibleError(message)


def within(
    name: str,
    value: npt.ArrayLike,
    range_: tuple[float, float],
    allowed: str,
    *,
    ends: tuple[bool, bool] = (True, True),
) -> None:
    """Check that values lie between two numbers. ``ends`` states whether each end is allowed.

    The check computes two reductions instead of elementwise flags, because checking ten million
    values must take less time than the arithmetic. A NaN makes both extremes NaN, so it never
    passes.
    """
    v = np.asarray(value)
    if v.size == 0:
        return
    if v.dtype.kind not in "biuf":
        msg = f"{arg(name)} must be {allowed}; got {value!r:.60}"
        raise ParameterError(msg)
    values = v[:1] if v.strides == (0,) else v  # a broadcast scalar
    low, high = np.minimum.reduce(values, axis=None), np.maximum.reduce(values, axis=None)
    above = low >= range_[0] if ends[0] else low > range_[0]
    below = high <= range_[1] if ends[1] else high < range_[1]
    if not (above and below):
        left = v >= range_[0] if ends[0] else v > range_[0]
        right = v <= range_[1] if ends[1] else v < range_[1]
        require(left & right, name, allowed, v)


def at_most(value: npt.ArrayLike, limit: npt.ArrayLike, name: str, allowed: str) -> None:
    """Check that ``value <= limit`` everywhere."""
    v, top = np.asarray(value), np.asarray(limit)
    if v.size and top.size and not np.maximum.reduce(v - top, axis=None) <= 0:
        require(v <= top, name, allowed, v)


def number(name: str, value: npt.ArrayLike) -> None:
    """Check that no value is NaN."""
    within(name, value, (-np.inf, np.inf), "a number")


def finite(name: str, value: npt.ArrayLike) -> None:
    """Check that no value is infinite or NaN."""
    within(name, value, (-np.inf, np.inf), "finite", ends=(False, False))


def nonnegative(name: str, value: npt.ArrayLike) -> None:
    """Check for finite values >= 0, such as standard deviations and variances."""
    within(name, value, (0, np.inf), "finite and >= 0", ends=(True, False))


def correlation(name: str, value: npt.ArrayLike) -> None:
    """Check for values in the closed range [-1, 1]."""
    within(name, value, (-1, 1), "in [-1, 1]")


def probability(name: str, value: npt.ArrayLike) -> None:
    """Check for values in the closed range [0, 1]."""
    within(name, value, (0, 1), "a proportion in [0, 1]")


def fraction(name: str, value: npt.ArrayLike) -> None:
    """Check for values in the open range (0, 1), for alpha, power, and confidence."""
    within(name, value, (0, 1), "in (0, 1)", ends=(False, False))


def positive(name: str, value: npt.ArrayLike) -> None:
    """Check for finite values > 0."""
    within(name, value, (0, np.inf), "a finite number > 0", ends=(False, False))


def counts(**values: npt.ArrayLike) -> None:
    """Check for whole numbers >= 0. Call it before any cast. Integers are checked quickly."""
    for name, value in values.items():
        v = np.asarray(value)
        if v.dtype.kind in "iu":
            if v.size and np.minimum.reduce(v, axis=None) < 0:
                require(v >= 0, name, "a whole number >= 0", v)
            continue
        within(name, value, (0, np.inf), "a whole number >= 0", ends=(True, False))
        flat = v.ravel(order="K")
        for start in range(0, flat.size, _PART):
            part = flat[start : start + _PART]
            require(part == np.floor(part), name, "a whole number >= 0", part)


def table(n10: npt.ArrayLike, n01: npt.ArrayLike, n: npt.ArrayLike) -> None:
    """Check discordant counts and items. :func:`discordant` checks that they are consistent."""
    counts(n10=n10, n01=n01)
    items = np.asarray(n)
    if items.dtype.kind in "iu" and items.size and np.minimum.reduce(items, axis=None) >= 1:
        return
    within("n", items, (1, np.inf), "at least 1 item", ends=(True, False))


def discordant(n10: npt.ArrayLike, n01: npt.ArrayLike, n: npt.ArrayLike) -> None:
    """Check that discordant items do not outnumber items, block by block."""
    at_most(np.add(n10, n01), n, "n10 + n01", "at most n")


def choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """Check that a value is one of a few words or numbers."""
    if value not in allowed:
        msg = f"{arg(name)} must be {alternatives(allowed)}; got {value!r}"
        raise ParameterError(msg)


def instance(name: str, value: object, kinds: Any, allowed: str) -> None:
    """Raise ParameterError for a value of another type. None is accepted."""
    if value is not None and not isinstance(value, kinds):
        msg = f"{arg(name)} must be {allowed}; got {value!r:.60}"
        raise ParameterError(msg)


def truth(**values: object) -> None:
    """Raise ParameterError for values other than True and False, as ``"no"`` would be true."""
    for name, value in values.items():
        if not isinstance(value, bool | np.bool_):
            msg = f"{arg(name)} must be True or False; got {value!r:.60}"
            raise ParameterError(msg)


def seed(value: object) -> None:
    """Raise ParameterError for a value that is not a whole number >= 0."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 0:
        msg = f"{arg('seed')} must be a whole number of at least 0; got {value!r:.60}"
        raise ParameterError(msg)
