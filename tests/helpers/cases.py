"""Run one test over a table of cases and report every failed case, not only the first."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import pytest

__all__ = ["each"]

FULL = 20
"""Maximum number of failures reported with messages; further failures are listed by name."""


def each(*tables: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Turn a check into one test over every combination of cases from the tables.

    Use this decorator for hundreds of cheap cases. As separate tests, such cases would spend
    more time on collection, setup, and reports than on computation. A failed case does not
    stop the cases after it.
    """

    def over_all(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            cases = list(itertools.product(*tables))
            faults: list[tuple[str, BaseException]] = []
            for case in cases:
                try:
                    check(*case)
                # pytest.raises fails with a BaseException; a skip would hide the other cases
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as fault:
                    faults.append(("-".join(map(str, case)), fault))
            assert cases, "no cases"
            if faults:
                names = ", ".join(name for name, _ in faults)
                parts = [f"{len(faults)} of {len(cases)} cases fail: {names}"]
                parts += [f"{name}: {type(e).__name__}: {e}" for name, e in faults[:FULL]]
                # the traceback of the first failure shows the failed line of the check
                raise AssertionError("\n\n".join(parts)) from faults[0][1]

        # not functools.wraps: pytest would treat the arguments of the check as fixtures
        test.__name__, test.__qualname__ = check.__name__, check.__qualname__
        test.__module__, test.__doc__ = check.__module__, check.__doc__
        return test

    return over_all
