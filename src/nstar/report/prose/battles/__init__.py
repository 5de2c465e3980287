"""Write the report of ratings from votes."""

from nstar._verbs.battles import Battles
from nstar.report.documents import Document
from nstar.report.prose.battles.headline import sentences
from nstar.report.prose.battles.notes import assumed, assumptions, basis, detail, notes
from nstar.report.prose.battles.page_top import page_top
from nstar.report.prose.battles.tables import effects, groupings, misfits, ratings, unrated
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import percent

METHODS = {"maxt": "max-T", "holm": "Holm", "anytime": "Bonferroni at every look"}
"""Names of the methods that adjust for the number of pairs."""


def document(result: Battles, *, where: str | None = None) -> Document:
    """Return the report: headline, ratings, groups of votes, effects, and lack of fit."""
    texts = sentences(result, where)
    others = (groupings(result), effects(result), misfits(result), unrated(result))
    return Document(
        headline=" ".join(texts),
        opening=texts[0],
        **page_top(result, where),
        key=(ratings(result, where, short=True),),
        grids=(ratings(result, where), *(grid for grid in others if grid.rows)),
        notes=notes(result),
        detail=detail(result),
        basis=basis(result),
        assumptions=assumptions(result),
    )


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
