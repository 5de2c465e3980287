"""How names and parameters go away: with a warning that says what to use and until when.

Nothing is deprecated before the first release. The promise in ``docs/stability.md`` needs a way
to be kept, and one that is tested before it is needed. Options of the command line have click's
own ``deprecated=``.
"""

import inspect
import warnings
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from nstar.errors import NstarDeprecationWarning

P = ParamSpec("P")
R = TypeVar("R")


def warn_deprecated(old: str, *, instead: str, until: str, depth: int = 1) -> None:
    """Warn the caller of the function that calls this.

    Parameters
    ----------
    old
        What was used, as the user writes it.
    instead
        What to use.
    until
        The version of nstar that does without the old.
    depth
        Functions of nstar between the user's line and this call.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     warn_deprecated("nstar.old", instead="nstar.new", until="0.4", depth=0)
    >>> print(caught[0].message)
    nstar.old goes away in nstar 0.4; use nstar.new
    """
    msg = f"{old} goes away in nstar {until}; use {instead}"
    warnings.warn(msg, NstarDeprecationWarning, stacklevel=depth + 2)


def renamed_parameter(
    old: str, new: str, *, until: str
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take a keyword under its old name too, with a warning.

    Type checkers see the new name alone.

    Examples
    --------
    >>> @renamed_parameter("n", "items", until="0.4")
    ... def doubled(*, items):
    ...     return 2 * items
    >>> doubled(items=3)
    6
    """

    def decorated(function: Callable[P, R]) -> Callable[P, R]:
        if new not in inspect.signature(function).parameters:
            msg = f"{function.__name__} has no parameter {new!r}"
            raise TypeError(msg)

        @wraps(function)
        def called(*args: P.args, **kwargs: P.kwargs) -> R:
            if old in kwargs:
                if new in kwargs:
                    msg = f"{function.__name__}() got {new!r}, and {old!r}, which is its old name"
                    raise TypeError(msg)
                name = f"{function.__name__}({old}=…)"
                warn_deprecated(name, instead=f"{new}=", until=until)
                kwargs[new] = kwargs.pop(old)
            return function(*args, **kwargs)

        return called

    return decorated
