"""One test over a table of cases that names every case which fails, not only the first."""

import itertools
from collections.abc import Callable, Iterable
from typing import Any

import pytest

__all__ = ["each"]

FULL = 20
"""Failures reported with their messages: those beyond are only named."""


def each(*tables: Iterable[Any]) -> Callable[[Callable[..., None]], Callable[[], None]]:
    """Make one test of a check, over every combination of a case from each table.

    For hundreds of cheap cases: as tests of their own they would cost more in collection, set-up
    and reports than in what they compute. A case that fails does not hide those after it.
    """

    def over_all(check: Callable[..., None]) -> Callable[[], None]:
        def test() -> None:
            cases = list(itertools.product(*tables))
            faults: list[tuple[str, BaseException]] = []
            for case in cases:
                try:
                    check(*case)
                # pytest.raises fails with what is no Exception; a skip would hide other cases
                except (Exception, pytest.fail.Exception, pytest.skip.Exception) as fault:
                    faults.append(("-".join(map(str, case)), fault))
            assert cases, "no cases"
            if faults:
                names = ", ".join(name for name, _ in faults)
                parts = [f"{len(faults)} of {len(cases)} cases fail: {names}"]
                parts += [f"{name}: {type(e).__name__}: {e}" for name, e in faults[:FULL]]
                # the traceback of the first leads to the line of the check
                raise AssertionError("\n\n".join(parts)) from faults[0][1]

        # not functools.wraps: pytest would take the arguments of the check for fixtures
        test.__name__, test.__qualname__ = check.__name__, check.__qualname__
        test.__module__, test.__doc__ = check.__module__, check.__doc__
        return test

    return over_all
