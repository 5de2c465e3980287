"""Write the report of ratings from votes."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from nstar._verbs.battles import Battles
from nstar.report.documents import Document, TextTable, Tile
from nstar.report.prose.audit.page_top import (
    MAX_TITLE,
    counts_tile,
    finding,
    size_tile,
    tier_sentence,
)
from nstar.report.prose.battles.headline import (
    cautions,
    elo,
    elo_number,
    groups_of,
    leader,
    place,
    sentences,
)
from nstar.report.prose.battles.next_votes import gain, next_detail, next_notes, next_pairs
from nstar.report.prose.battles.notes import assumed, assumptions, basis, detail, notes
from nstar.report.prose.battles.tables import effects, groupings, misfits, ratings, unrated
from nstar.report.prose.board_changes import ChangeWords, with_changes
from nstar.report.prose.comparison.headline import caution
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import percent, probability

METHODS = {"maxt": "max-T", "holm": "Holm", "anytime": "Bonferroni at every look"}
"""Names of the methods that adjust for the number of pairs."""


def document(result: Battles, *, where: str | None = None) -> Document:
    """Return the report: headline, ratings, groups of votes, effects, and lack of fit."""
    texts = sentences(result, where)
    gains = [] if result.next_votes is None else [gain(result.next_votes)]
    others = (
        next_pairs(result),
        groupings(result),
        effects(result),
        misfits(result),
        unrated(result),
    )
    doc = Document(
        headline=" ".join([*texts, *gains]),
        opening=texts[0],
        **page_top(result, where),
        key=(ratings(result, where, short=True), *_on_screen(result)),
        grids=(ratings(result, where), *(grid for grid in others if grid.rows)),
        notes=(*next_notes(result), *notes(result)),
        detail=(*next_detail(result), *detail(result)),
        basis=basis(result),
        assumptions=assumptions(result),
    )
    if result.changes is None:
        return doc
    short = replace(doc, headline=" ".join(filter(None, (texts[0], doc.caution, *gains))))
    return with_changes(short, result.changes, change_words(result))


def change_words(result: Battles) -> ChangeWords:
    """Return how the changes of ratings are written."""
    return ChangeWords(
        gap=lambda gap: f"{elo_number(gap, sign=True)} Elo",
        span=lambda ci: " to ".join(elo_number(float(end), sign=True) for end in ci),
        conf=coverage(result.confidence_level),
        unit="vote",
        one_step=result.adjust != "holm",
    )


def _on_screen(result: Battles) -> tuple[TextTable, ...]:
    """Return the pairs of the next votes, if there are any."""
    return () if result.next_votes is None else (next_pairs(result, short=True),)


def paragraph(result: Battles) -> str:
    """Return a paragraph for a paper."""
    c = result.criteria
    ties = {
        "half": "ties count as half a win",
        "davidson": "ties are modeled as a third outcome (Davidson)",
        "drop": "ties are excluded",
    }[result.ties]
    draws = "" if result.n_draws is None else f", {result.n_draws:,} draws"
    method = f"{METHODS[result.adjust]}{draws}"
    return (
        f"{len(result):,} models are rated from {result.n_votes:,} votes by Bradley–Terry "
        f"strengths on the Elo scale; {ties}. Assumptions: {assumed(result)}. Standard errors are "
        f"robust (sandwich). Rank ranges hold simultaneously at {coverage(1 - c.alpha)} "
        f"({method}). Gaps are tested with their own standard errors, not by the overlap of CIs. "
        f"Underpowered means less than {percent(c.power)} power if the true gap equals the "
        "observed gap; inconclusive is not evidence of equality."
    )


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
