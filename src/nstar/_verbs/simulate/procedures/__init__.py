"""Procedures under test: nstar's tests and intervals, on many replications at once."""

from nstar._verbs.simulate.procedures import (
    boards,
    counts,
    graded,
    intervals,
    judged,
    sequential,
    verdicts,
)
from nstar._verbs.simulate.procedures.base import (
    INTERVALS,
    TESTS,
    IntervalProcedure,
    Test,
    draws,
    kind_of_interval,
    kind_of_test,
)

__all__ = [
    "INTERVALS",
    "TESTS",
    "IntervalProcedure",
    "Test",
    "boards",
    "counts",
    "draws",
    "graded",
    "intervals",
    "judged",
    "kind_of_interval",
    "kind_of_test",
    "sequential",
    "verdicts",
]
