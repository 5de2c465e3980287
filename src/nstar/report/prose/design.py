"""Describe the question and the assumptions of independent items, strata, and clusters."""

import math
from collections.abc import Iterable, Iterator

from nstar._verbs.compare.task_comparison import ReadingKind
from nstar.errors import arg
from nstar.report.prose.numbers import count, plural_of

SECOND_LOOK = (
    "The items needed are for a new evaluation. Extending an inconclusive evaluation and testing "
    "it again roughly doubles the false-positive rate. To test repeatedly, use nstar watch from "
    "the start."
)


WEIGHTED = (
    "The item weights were fixed in advance; N*, the MDE, and q refer to items with these weights."
)
"""Assumption about weighted items."""


def weighing(effective: float | None) -> str:
    """Return a clause that items have unequal weights; empty if they do not."""
    return "" if effective is None else "; item weights fixed in advance"


def rounded_up(margin: float, width: float) -> float:
    """Return a smallest margin, rounded up so that the printed margin can pass.

    Examples
    --------
    >>> rounded_up(0.13911, 1.0), rounded_up(13.911, 100.0)
    (0.14, 14.0)
    """
    return math.ceil(1000 * margin / width - 1e-9) * width / 1000


def in_statistic(statistic: str) -> str:
    """Return where the models differ, for a metric that is not an average.

    >>> in_statistic("F1"), in_statistic("median")
    (' in F1', ' in the median')
    """
    return f" in {'the ' if statistic == 'median' else ''}{statistic}"


def resampled(statistic: str, units: str, seed: int | None) -> str:
    """Return how the error of a quantile is computed."""
    name = "The median" if statistic == "median" else statistic
    seed_text = "" if seed is None else f" (seed {seed})"
    return (
        f"{name} is not an average of item scores. Its CI and p-value are from 9,999 bootstrap "
        f"resamples of {units}{seed_text}. Detectable gaps and N* use the bootstrap standard "
        "error."
    )


def pseudo_values(statistic: str) -> str:
    """Return how the error of a metric that is not an average is computed."""
    name = f"{statistic[0].upper()}{statistic[1:]}"
    return (
        f"{name} is not an average of item scores. Its standard errors come from jackknife "
        "pseudo-values, one per item."
    )


def few_clusters(clusters: str, min_margin: str) -> str:
    """Return why these clusters cannot show a small margin, and which one can be declared."""
    return (
        f"{clusters} cannot show a margin below {min_margin} for equal models, because a cluster "
        f"outside the sample may fail entirely. With {arg('loss', 'item')}, only individual "
        "items may fail"
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
        return "does the gap hold for new groups?"
    return "does the gap hold for new independent items?"


def undeclared(column: str, readings: Iterable[tuple[ReadingKind, int | None]]) -> str:
    """Return the results under designs that were not declared."""
    questions = " ".join(f"Treated as {plural(kind)}: {question(kind, n)}" for kind, n in readings)
    return (
        f"Items are grouped by {column}. Only you know whether these groups are fixed or sampled. "
        f"{questions}"
    )


def two_values(values: tuple[float, float]) -> Iterator[str]:
    """Yield the meaning of 0 and 1, if they represent other scores."""
    low, high = values
    if values != (0.0, 1.0):
        yield (
            f"All scores are {low:g} or {high:g} and are treated as 0 and 1, so 1 pp is "
            f"{(high - low) / 100:g} in the mean score."
        )


def taken_as(kind: ReadingKind, column: str | None) -> str:
    """Return the assumption about items as a clause."""
    if kind == "independent":
        return "independent items"
    groups = plural_of(column or "")
    if kind == "strata":
        return f"these {groups} define the benchmark"
    return f"these {groups} are a random sample"


def assumption(kind: ReadingKind, column: str, these: str) -> str:
    """Return the assumption about the sampling of items."""
    if kind == "strata":
        return (
            f"Items are stratified by {column}: {these} define the benchmark, and items are "
            "independent within each group."
        )
    if kind == "cluster":
        return (
            f"Items are clustered by {column}: {these} are a random sample and independent of "
            "each other."
        )
    return "Items are independent: no strata or clusters were declared."
