"""A Battles in words."""

from nstar._verbs.battles import Battles
from nstar.report.documents import Document
from nstar.report.prose.battles.headline import sentences
from nstar.report.prose.battles.notes import assumptions, basis, detail, notes
from nstar.report.prose.battles.tables import effects, groupings, misfits, ratings, unrated
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import percent

METHODS = {"maxt": "max-T", "holm": "Holm", "anytime": "Bonferroni at every look"}
"""How the number of pairs is allowed for."""


def document(result: Battles, *, where: str | None = None) -> Document:
    """Headline, ratings, ways in which votes belong together, effects, lack of fit."""
    said = sentences(result, where)
    others = (groupings(result), effects(result), misfits(result), unrated(result))
    return Document(
        headline=" ".join(said),
        opening=said[0],
        key=(ratings(result, where, short=True),),
        grids=(ratings(result, where), *(grid for grid in others if grid.rows)),
        notes=notes(result),
        detail=detail(result),
        basis=basis(result),
        assumptions=assumptions(result),
    )


def paragraph(result: Battles) -> str:
    """What a leaderboard may print beside its ratings."""
    c, how = result.criteria, "half a win for each side"
    how = {"half": how, "davidson": "an outcome (Davidson)", "drop": "no votes"}[result.ties]
    draws = "" if result.n_draws is None else f", {result.n_draws:,} draws"
    method = f"{METHODS[result.adjust]}{draws}"
    return (
        f"{len(result):,} models are rated from {result.n_votes:,} votes by Bradley–Terry "
        "strengths "
        f"on the Elo scale, ties as {how}; {basis(result)} Errors come from a sandwich. Rank sets "
        f"hold for all models at once with {coverage(1 - c.alpha)} confidence ({method}); gaps "
        "are judged by their own errors, never by whether two intervals overlap. Resolved means "
        f"significant and, if the gap is really as seen, found again with {percent(c.power)} "
        "probability or more; unresolved is not evidence of equality."
    )
