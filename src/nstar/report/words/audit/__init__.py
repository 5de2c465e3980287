"""An Audit in words."""

from nstar._verbs.audit import Audit
from nstar.report.documents import Document
from nstar.report.words.audit.assumptions import METHODS, assumptions
from nstar.report.words.audit.notes import notes
from nstar.report.words.audit.ranking import Ranking, ranking_of
from nstar.report.words.audit.tables import asked, bins, read_as, stress
from nstar.report.words.gap import coverage
from nstar.report.words.numbers import items, name, percent

__all__ = ["document", "headline", "paragraph"]


def _on(audit: Audit) -> str:
    """Items and task; a model that lacks some has fewer."""
    most = "up to " if audit.items == "pairwise" and not audit.complete else ""
    return f"{most}{items(audit.n)}" + (f" of {name(audit.task)}" if audit.task else "")


def headline(audit: Audit, ranking: Ranking) -> str:
    """What a ranking supports, after the model that was asked about."""
    said = f"The ranking of {len(audit):,} models on {_on(audit)} {ranking.supported()}."
    return " ".join(filter(None, (ranking.place(), said, ranking.astray())))


def document(audit: Audit, *, where: str | None = None) -> Document:
    """Headline, ranking, what survives which reading, notes."""
    ranking = ranking_of(audit, where)
    as_read = "" if audit.design == "items" else f", {read_as(audit.design)}"
    title = (
        f"Ranking by mean [{name(audit.metric)}]{as_read}, with {coverage(ranking.conf)} rank "
        "sets and the gap to the next model; lines part the tiers"
    )
    return Document(
        headline=headline(audit, ranking),
        grids=tuple(
            g for g in (ranking.grid(title), asked(audit), stress(audit), bins(audit)) if g
        ),
        notes=notes(audit, ranking),
        assumptions=assumptions(audit, ranking),
    )


def paragraph(audit: Audit) -> str:
    """What a leaderboard may print beside its ranking."""
    ranking, c = ranking_of(audit), audit.criteria
    every = "that all of them answered" if audit.items == "common" else "that both answered"
    draws = "" if audit.draws is None else f", {audit.draws:,} draws, seed {audit.seed}"
    return (
        f"{len(audit):,} models are ranked by their mean score on {_on(audit)}; every pair was "
        f"compared on the items {every} ({read_as(audit.design)}). Rank sets and tier lines hold "
        f"for all models at once with {coverage(1 - c.alpha)} confidence "
        f"({METHODS[audit.rank_method]}{draws}). The ranking {ranking.supported()}. Resolved "
        "means significant and, if the gap is really as seen, found again with "
        f"{percent(c.power)} probability or more; unresolved is not evidence of equality."
    )
