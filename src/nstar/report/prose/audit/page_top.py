"""Write the top of the page of a ranking: title, lead, and tiles."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from nstar._base.units import join_words
from nstar._verbs.audit import Audit
from nstar._verbs.audit.tables import MedianRange
from nstar._verbs.verdict import PairState
from nstar.report.documents import Tile
from nstar.report.prose.audit.headline import WIDE, cautions, leader
from nstar.report.prose.audit.ranking import Ranking
from nstar.report.prose.comparison.headline import choices
from nstar.report.prose.gap import downwards, gap
from nstar.report.prose.numbers import name, probability

MAX_TITLE = 70
"""Maximum number of characters of a title that search engines and chat programs show in full."""


def finding(states: Sequence[PairState], on: str = "") -> str:
    """Return how many adjacent ranks are inconclusive, with the benchmark."""
    counts, total = Counter(states), len(states)
    if total == 1:
        return f"The gap between the two models{on} is {states[0]}"
    for word in ("inconclusive", "equivalent"):
        if counts[word]:
            verb = "is" if counts[word] == 1 else "are"
            return f"{counts[word]:,} of {total:,} adjacent ranks{on} {verb} {word}"
    all_text = "Both" if total == 2 else f"All {total:,}"
    return f"{all_text} adjacent ranks{on} differ significantly"


def _title(audit: Audit, ranking: Ranking) -> str:
    """Return the highlighted model or the finding, as far as it fits."""
    for place in ranking.place():
        text = place.removesuffix(".")
        return text if len(text) <= MAX_TITLE else text.partition(" (")[0]
    on = f" on {name(audit.tasks[0].task)}" if audit.tasks[0].task else ""
    if len(audit.tasks) > 1:
        on = f" on the average of {len(audit.tasks):,} tasks"
    elif audit.task_sample is not None:
        on = " across new tasks"
    text = finding(ranking.adjacent.states, on)
    if len(text) <= MAX_TITLE or audit.task_sample is not None:
        return text
    return finding(ranking.adjacent.states)


def _lead(ranking: Ranking) -> Iterator[str]:
    """Yield the highlighted model or the leaders, and what the tiers mean."""
    place = list(ranking.place())
    yield from place[1:]
    if not place:
        yield f"{leader(ranking)}."
    if ranking.tiers > 1 or not place:
        yield from tier_sentence(len(ranking.ranks), ranking.tiers)


def tier_sentence(models: int, tiers: int) -> Iterator[str]:
    """Return what the tiers mean; nothing if each model has its own."""
    if tiers == 1:
        yield "The data support no tier line: the order may be due to chance."
    elif models > tiers:
        yield (
            f"The {models:,} models form {tiers:,} tiers; within a tier, the order may be due to "
            "chance."
        )


def counts_tile(states: Sequence[PairState]) -> Tile:
    """Return how many adjacent ranks are inconclusive, and the other verdicts."""
    counts, total = Counter(states), len(states)
    underpowered = counts["significant, underpowered"]
    parts = [
        f"{counts['significant']:,} significant" if counts["significant"] else "",
        f"{underpowered:,} significant but underpowered" if underpowered else "",
        f"{counts['equivalent']:,} equivalent" if counts["equivalent"] else "",
    ]
    return Tile(
        number=f"{counts['inconclusive']:,}",
        unit=f"of {total:,}",
        label="adjacent rank inconclusive" if total == 1 else "adjacent ranks inconclusive",
        more=join_words(filter(None, parts)) or "No adjacent models differ significantly",
    )


def size_tile(
    written: Callable[[float], str],
    median_range: MedianRange | None,
    label: str,
    extra_text: str,
    noun: str = "items",
) -> Tile:
    """Return a gap of typical adjacent models, and its range where pairs differ."""
    if median_range is None:
        return Tile(
            number="–",
            unit="",
            label=label,
            more=f"No gap can be detected: there are too few {noun}.",
        )
    number, *unit = written(median_range.median).split()
    if median_range.high > WIDE * median_range.low:
        low, high = (written(x).split()[0] for x in (median_range.low, median_range.high))
        extra_text = f"{extra_text} By pair: {' '.join((f'{low} to {high}', *unit))}."
        number = f"≈ {number}"
    return Tile(number=number, unit="".join(unit), label=label, more=extra_text)


def page_top(audit: Audit, ranking: Ranking) -> dict[str, Any]:
    """Return the fields of a document that only a page shows."""
    p, pairs = ranking.adjacent, len(audit) * (len(audit) - 1) // 2
    family = f", adjusted for {pairs:,} pairs" if ranking.adjusted and pairs > 1 else ""
    power = probability(audit.criteria.power)
    written = partial(gap, ranking.scale)
    after = downwards(audit.tasks) + choices(audit.findings, (t.metric for t in audit.tasks))
    return {
        "title": _title(audit, ranking),
        "lead": f"{' '.join(_lead(ranking))}{after}",
        "tiles": (
            counts_tile(p.states),
            size_tile(
                *(written, p.resolvable_gap(), "minimum detectable effect (MDE)"),
                f"A true gap of this size is detected with {power} power{family}.",
                ranking.noun,
            ),
            size_tile(
                *(written, p.significant_gap(), "significant from"),
                f"An observed gap above this size is significant{family}.",
                ranking.noun,
            ),
        ),
        "caution": cautions(audit),
    }
