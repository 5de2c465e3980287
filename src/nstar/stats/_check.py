"""Domain checks: every message says the name, what is allowed and the value it got."""

from typing import Any

import numpy as np
import numpy.typing as npt

from nstar.errors import InfeasibleError, ParameterError

__all__ = [
    "choice",
    "correlation",
    "counts",
    "discordant",
    "feasible",
    "finite",
    "fraction",
    "nonnegative",
    "positive",
    "probability",
    "require",
]


def _first_bad(ok: npt.NDArray[np.bool_], value: npt.ArrayLike) -> str:
    bad = np.broadcast_to(np.asarray(value), np.shape(ok))[~np.asarray(ok)]
    return f"{bad.flat[0]:.10g}"


def require(ok: npt.ArrayLike, name: str, allowed: str, value: npt.ArrayLike) -> None:
    """Raise ParameterError unless ``ok`` holds everywhere (NaN never does)."""
    flags = np.asarray(ok, dtype=bool)
    if not flags.all():
        msg = f"{name} must be {allowed}; got {_first_bad(flags, value)}"
        raise ParameterError(msg)


def feasible(ok: npt.ArrayLike, message: str) -> None:
    """Raise InfeasibleError with ``message`` unless ``ok`` holds everywhere."""
    if not np.all(ok):
        raise InfeasibleError(message)


def finite(name: str, value: npt.ArrayLike) -> None:
    """Neither infinite nor NaN."""
    v = np.asarray(value)
    require(np.isfinite(v), name, "finite", v)


def nonnegative(name: str, value: npt.ArrayLike) -> None:
    """Finite and >= 0, for standard deviations and variances that may vanish."""
    v = np.asarray(value)
    require((v >= 0) & np.isfinite(v), name, "finite and >= 0", v)


def correlation(name: str, value: npt.ArrayLike) -> None:
    """Closed range [-1, 1]."""
    v = np.asarray(value)
    require((v >= -1) & (v <= 1), name, "in [-1, 1]", v)


def probability(name: str, value: npt.ArrayLike) -> None:
    """Closed range [0, 1]."""
    v = np.asarray(value)
    require((v >= 0) & (v <= 1), name, "a proportion in [0, 1]", v)


def fraction(name: str, value: npt.ArrayLike) -> None:
    """Open range (0, 1), for alpha, power and confidence."""
    v = np.asarray(value)
    require((v > 0) & (v < 1), name, "in (0, 1)", v)


def positive(name: str, value: npt.ArrayLike) -> None:
    """Finite and > 0."""
    v = np.asarray(value)
    require((v > 0) & np.isfinite(v), name, "a finite number > 0", v)


def counts(**named: npt.ArrayLike) -> None:
    """Each is a whole number >= 0."""
    for name, value in named.items():
        v = np.asarray(value)
        ok = v >= 0
        if v.dtype.kind == "f":
            ok = ok & (v == np.floor(v)) & np.isfinite(v)
        require(ok, name, "a whole number >= 0", v)


def discordant(n10: npt.ArrayLike, n01: npt.ArrayLike, n: npt.ArrayLike) -> None:
    """Discordant counts of ``n`` >= 1 items."""
    counts(n10=n10, n01=n01)
    items, both = np.asarray(n), np.add(n10, n01)
    require((items >= 1) & np.isfinite(items), "n", "at least 1 item", items)
    require(both <= items, "n10 + n01", "at most n", both)


def choice(name: str, value: Any, allowed: tuple[Any, ...]) -> None:
    """One of a few words or numbers."""
    if value not in allowed:
        msg = f"{name} must be one of {', '.join(map(str, allowed))}; got {value!r}"
        raise ParameterError(msg)
