"""Independent items, strata, clusters: what each reading of the items asks and assumes."""

import math
from collections.abc import Iterable, Iterator

from nstar._verbs.compare.task_comparison import ReadingKind
from nstar.errors import arg
from nstar.report.prose.numbers import count, plural_of

SECOND_LOOK = (
    "Items needed are for a new evaluation. Adding items to this one because it was not "
    "significant, and testing all of them again at the same α, errs about twice as often as α "
    "says; an evaluation that may go on must be watched from its start (nstar watch), and takes "
    "more items."
)


WEIGHTED = (
    "Items count as their weights say, fixed before looking; other items like these would have "
    "such weights. N*, MDE and q are in items of such weights."
)
"""What weighted items assume."""


def weighing(effective: float | None) -> str:
    """That items do not weigh the same, as the next clause; nothing if they do."""
    return "" if effective is None else "; items weigh unequally, as fixed in advance"


def rounded_up(margin: float, width: float) -> float:
    """A smallest margin, rounded up to a thousandth of the scale: the printed margin can pass.

    Examples
    --------
    >>> rounded_up(0.13911, 1.0), rounded_up(13.911, 100.0)
    (0.14, 14.0)
    """
    return math.ceil(1000 * margin / width - 1e-9) * width / 1000


def few_clusters(clusters: str, least: str) -> str:
    """Why so few clusters cannot show a small margin, and what can be declared."""
    return (
        f"{clusters} cannot show a margin below {least} for equal models, because a cluster "
        f"outside the sample may fail entirely; {arg('loss', 'item')} assumes that none does"
    )


def plural(kind: ReadingKind) -> str:
    """``strata`` or ``clusters``."""
    return {"independent": "items", "strata": "strata", "cluster": "clusters"}[kind]


def question(kind: ReadingKind, groups: int | None) -> str:
    """Which question a reading of the groups answers."""
    number = "" if groups is None else f" {count(groups)}"
    if kind == "strata":
        return f"would the gap hold on other items of the same{number} groups?"
    if kind == "cluster":
        return f"would it hold with other groups than these{number}?"
    return "would it hold on other items like these, drawn one by one?"


def undeclared(column: str, readings: Iterable[tuple[ReadingKind, int | None]]) -> str:
    """What the readings of a column that was not declared would answer."""
    asked = " ".join(f"As {plural(kind)}: {question(kind, n)}" for kind, n in readings)
    return f"Items are grouped by {column}; the data cannot say how to read that. {asked}"


def two_values(values: tuple[float, float]) -> Iterator[str]:
    """What 0 and 1 stand for, if for other scores."""
    low, high = values
    if values != (0.0, 1.0):
        yield (
            f"Every score is {low:g} or {high:g}: they are read as 0 and 1, and gaps are shares "
            f"of items (1 pp is {(high - low) / 100:g} in the mean score)."
        )


def taken_as(kind: ReadingKind, column: str | None) -> str:
    """The same in a clause."""
    if kind == "independent":
        return "items are independent draws"
    groups = plural_of(column or "")
    if kind == "strata":
        return f"these {groups} are the benchmark"
    return f"these {groups} are a sample of such {groups}"


def assumption(kind: ReadingKind, column: str, these: str) -> str:
    """How the items are taken to have come about."""
    if kind == "strata":
        return (
            f"{column} is a stratum: {these} define the benchmark, and items are independent "
            "within them."
        )
    if kind == "cluster":
        return (
            f"{column} is a cluster: {these} are a sample of those that could have been in the "
            "benchmark; different ones are independent."
        )
    return "Items are independent draws: no strata or clusters were declared."
