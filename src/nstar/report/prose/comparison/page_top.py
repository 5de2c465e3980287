"""Write the top of the page of a comparison: title, lead, and tiles."""

import math
from collections.abc import Iterator
from typing import Any

from nstar._verbs.compare import Comparison, TaskComparison
from nstar._verbs.verdict import PairWord
from nstar.report.documents import Tile
from nstar.report.prose.comparison.headline import (
    AnyGap,
    caution,
    caution_reasons,
    choices,
    evidence,
    here_an,
    resolution,
    standing,
)
from nstar.report.prose.design import in_statistic
from nstar.report.prose.gap import declared_gap, downwards, gap, score
from nstar.report.prose.numbers import count, items, name, probability

MAX_TITLE = 70
"""Maximum number of characters of a title that search engines and chat programs show in full."""

_STARTS: dict[PairWord, str] = {
    "inconclusive": "Inconclusive: ",
    "borderline": "Borderline: ",
    "equivalent": "Equivalent: ",
}


def _one_title(comparison: Comparison, pair: AnyGap) -> str:
    """Return the verdict with the models, or with the items if the names are too long."""
    first, second = (name(model) for model in comparison.models)
    start, statistic = _STARTS.get(pair.verdict, ""), ""
    if isinstance(pair, TaskComparison) and pair.statistic is not None:
        statistic = in_statistic(pair.statistic)
    if start:
        text = f"{start}{standing(comparison.models, pair, pair.gap, statistic)}"
    else:
        verb = "beats" if pair.verdict == "better" else "trails"
        text = f"{first} {verb} {second} by {gap(pair, abs(pair.gap))}{statistic}"
    if len(text) <= MAX_TITLE:
        return text
    start = start or "Significant: "
    return f"{start}a gap of {gap(pair, pair.gap, sign=True)} on {items(pair.n_items)}"


def _tasks_title(comparison: Comparison) -> str:
    """Return on how many tasks the models differ, if there is no average."""
    total = len(comparison.tasks)
    n_open = sum(pair.verdict in ("inconclusive", "borderline") for pair in comparison.tasks)
    if n_open:
        return f"{n_open:,} of {total:,} tasks {'is' if n_open == 1 else 'are'} inconclusive"
    return f"All {total:,} tasks have a verdict"


def _lead(comparison: Comparison, pair: AnyGap | None) -> Iterator[str]:
    if pair is None:
        return
    first, second = (name(model) for model in comparison.models)
    of_second = f", and {second} scores {score(pair, pair.mean_b)}"
    if comparison.tasks[0].threshold is not None:
        of_second = ""
    yield f"{first} scores {score(pair, pair.mean_a)}{of_second}."
    if pair.is_underpowered:
        power = probability(comparison.criteria.power)
        yield f"Underpowered: the power is less than {power} if this is the true gap."
    elif pair.verdict != "borderline":
        yield resolution(pair, comparison.criteria, here_an(comparison, pair))


def number_and_unit(text: str) -> tuple[str, str]:
    """Return a gap without its unit, and the unit."""
    number, *unit = text.split()
    return number, "".join(unit)


def _gap_tile(comparison: Comparison, pair: AnyGap) -> Tile:
    number, unit = number_and_unit(gap(pair, pair.gap, sign=True))
    return Tile(
        number=number,
        unit=unit,
        label="gap to the threshold"
        if comparison.tasks[0].threshold is not None
        else "gap, first minus second",
        more=evidence(comparison, pair),
    )


def _mde_tile(comparison: Comparison, pair: AnyGap) -> Tile:
    label = "minimum detectable effect (MDE)"
    if pair.mde is None:
        note = resolution(pair, comparison.criteria, here_an(comparison, pair))
        return Tile(number="–", unit="", label=label, more=note)
    number, unit = number_and_unit(gap(pair, pair.mde))
    power = probability(comparison.criteria.power)
    note = f"A true gap of this size is detected with {power} power."
    return Tile(number=number, unit=unit, label=label, more=note)


def _needed_tile(comparison: Comparison, pair: AnyGap) -> Tile:
    """Return a tile with the items that the declared or observed gap needs."""
    power = probability(comparison.criteria.power)
    if pair.delta is not None and pair.n_star_at_delta is not None:
        need, size = pair.n_star_at_delta, f"the declared {declared_gap(pair, pair.delta)}"
        plausible = ""
    else:
        need, size = pair.n_star, f"a true gap of {gap(pair, abs(pair.gap))}"
        low = float(pair.n_star_ci[0])
        plausible = f"; plausible values start at {count(low)}" if math.isfinite(low) else ""
    return Tile(
        number=count(need) if math.isfinite(need) else "–",
        unit="",
        label="items needed",
        more=f"To detect {size} with {power} power in a new evaluation (this one has "
        f"{count(pair.n_items)}{plausible}).",
    )


def _task_tiles(comparison: Comparison) -> Iterator[Tile]:
    """Yield a tile per verdict, with its number of tasks."""
    first, second = (name(model) for model in comparison.models)
    words: dict[str, tuple[PairWord, ...]] = {
        f"tasks on which {first} beats {second}": ("better",),
        f"tasks on which {second} beats {first}": ("worse",),
        "tasks inconclusive": ("inconclusive", "borderline"),
    }
    total = len(comparison.tasks)
    for label, verdicts in words.items():
        n = sum(pair.verdict in verdicts for pair in comparison.tasks)
        yield Tile(number=f"{n:,}", unit=f"of {total:,}", label=label, more="Holm-adjusted.")


def page_top(comparison: Comparison) -> dict[str, Any]:
    """Return the fields of a document that only a page shows."""
    has_tasks = len(comparison.tasks) > 1
    pair: AnyGap | None = comparison.average if has_tasks else comparison.tasks[0]
    metrics = (p.metric for p in comparison.tasks)
    after = downwards(comparison.tasks) + choices(comparison.findings, metrics)
    reasons = list(caution_reasons(comparison))
    makers = (_gap_tile, _mde_tile, _needed_tile)
    return {
        "title": _tasks_title(comparison) if pair is None else _one_title(comparison, pair),
        "lead": f"{' '.join(_lead(comparison, pair))}{after}".strip(),
        "tiles": tuple(_task_tiles(comparison))
        if pair is None
        else tuple(make(comparison, pair) for make in makers),
        "caution": caution(reasons) if reasons else "",
    }
