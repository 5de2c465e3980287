"""Top of the page of ratings from votes: title, lead, and tiles."""

from collections.abc import Iterator
from typing import Any

from nstar._verbs.battles import Battles
from nstar.report.documents import Tile
from nstar.report.prose.audit.page_top import (
    MAX_TITLE,
    counts_tile,
    finding,
    size_tile,
    tier_sentence,
)
from nstar.report.prose.battles.headline import cautions, elo, groups_of, leader, place
from nstar.report.prose.comparison.headline import caution
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import probability


def _lead(result: Battles) -> Iterator[str]:
    """Who could be best, and what the tiers mean."""
    first = leader(result)
    if result.cluster:
        first = f"If {groups_of(result.cluster)} are a random sample: {first}"
    yield f"{first}."
    yield from tier_sentence(len(result), int(result.ratings.tier[-1]))


def page_top(result: Battles, where: str | None = None) -> dict[str, Any]:
    """Return the fields of a document that only a page shows."""
    family = f", adjusted for {result.n_pairs:,} pairs" if result.n_pairs > 1 else ""
    power, reasons = probability(result.criteria.power), list(cautions(result))
    text = place(result, where).removesuffix(".") or finding(result.adjacent.states)
    number = result.n_could_be_best
    return {
        "title": text if len(text) <= MAX_TITLE else text.partition(" (")[0],
        "lead": " ".join(_lead(result)),
        "tiles": (
            counts_tile(result.adjacent.states),
            Tile(
                number=f"{number:,}",
                unit=f"of {len(result):,}",
                label="model could be best" if number == 1 else "models could be best",
                more=f"The {coverage(result.confidence_level)} rank range includes rank 1.",
            ),
            size_tile(
                *(elo, result.resolvable_gap, "minimum detectable effect (MDE)"),
                f"A true gap of this size is detected with {power} power{family}.",
            ),
        ),
        "caution": caution(reasons) if reasons else "",
    }
