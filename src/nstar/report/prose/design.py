"""Describe the question and the assumptions of independent items, strata, and clusters."""

import math
from collections.abc import Iterable, Iterator

from nstar._verbs.compare.task_comparison import ReadingKind
from nstar.errors import arg
from nstar.report.prose.numbers import count, plural_of

SECOND_LOOK = (
    "Items needed are for a new evaluation. Extending an inconclusive one and retesting roughly "
    "doubles the false-positive rate; use nstar watch from the start instead."
)


WEIGHTED = "Items are weighted as fixed in advance; N*, MDE and q are in items of such weights."
"""Assumption about weighted items."""


def weighing(effective: float | None) -> str:
    """Return a clause that items have unequal weights; empty if they do not."""
    return "" if effective is None else "; items are weighted as fixed in advance"


def rounded_up(margin: float, width: float) -> float:
    """Return a smallest margin, rounded up so that the printed margin can pass.

    Examples
    --------
    >>> rounded_up(0.13911, 1.0), rounded_up(13.911, 100.0)
    (0.14, 14.0)
    """
    return math.ceil(1000 * margin / width - 1e-9) * width / 1000


def few_clusters(clusters: str, min_margin: str) -> str:
    """Return why these clusters cannot show a small margin, and which one can be declared."""
    return (
        f"{clusters} cannot show a margin below {min_margin} for equal models, because a cluster "
        f"outside the sample may fail entirely; {arg('loss', 'item')} assumes that none does"
    )


def plural(kind: ReadingKind) -> str:
    """Return ``strata`` or ``clusters``."""
    return {"independent": "items", "strata": "strata", "cluster": "clusters"}[kind]


def question(kind: ReadingKind, groups: int | None) -> str:
    """Return the question that a design answers."""
    number = "" if groups is None else f" {count(groups)}"
    if kind == "strata":
        return f"does the gap hold for new items from the same{number} groups?"
    if kind == "cluster":
        return "does it hold for new groups?"
    return "does it hold for new independent items?"


def undeclared(column: str, readings: Iterable[tuple[ReadingKind, int | None]]) -> str:
    """Return the results under designs that were not declared."""
    questions = " ".join(f"As {plural(kind)}: {question(kind, n)}" for kind, n in readings)
    return (
        f"Items are grouped by {column}; only you know whether the groups are fixed or sampled. "
        f"{questions}"
    )


def two_values(values: tuple[float, float]) -> Iterator[str]:
    """Yield the meaning of 0 and 1, if they represent other scores."""
    low, high = values
    if values != (0.0, 1.0):
        yield (
            f"All scores are {low:g} or {high:g}, treated as 0 and 1 (1 pp is "
            f"{(high - low) / 100:g} in the mean score)."
        )


def taken_as(kind: ReadingKind, column: str | None) -> str:
    """Return the assumption about items as a clause."""
    if kind == "independent":
        return "independent items"
    groups = plural_of(column or "")
    if kind == "strata":
        return f"these {groups} are the benchmark"
    return f"these {groups} are a random sample"


def assumption(kind: ReadingKind, column: str, these: str) -> str:
    """Return the assumption about the sampling of items."""
    if kind == "strata":
        return (
            f"Items are stratified by {column}: {these} define the benchmark, and items are "
            "independent within each."
        )
    if kind == "cluster":
        return (
            f"Items are clustered by {column}: {these} are a random sample of such groups, and "
            "independent of each other."
        )
    return "Items are independent: no strata or clusters were declared."
