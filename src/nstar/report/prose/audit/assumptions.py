"""What an Audit rests on: estimand, design, family, and what its lines and sets promise."""

from collections.abc import Iterator
from typing import cast

from nstar._verbs.audit import Audit, TaskAudit
from nstar._verbs.compare.task_comparison import ReadingKind
from nstar.errors import arg
from nstar.report.prose.audit.ranking import Ranking
from nstar.report.prose.design import SECOND_LOOK, WEIGHTED, assumption, taken_as, weighing
from nstar.report.prose.gap import coverage
from nstar.report.prose.judged_ranking import ASSUMED
from nstar.report.prose.numbers import name, percent

METHODS = {
    "maxt": "step-down max-T",
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini and Hochberg",
    "none": "no adjustment",
}


def guarantees(conf: float, *, method: str, draws: int | None, seed: int) -> tuple[str, ...]:
    """What rank sets and tier lines promise."""
    level = coverage(conf)
    how = METHODS[method]
    if draws is not None:
        how += f" with {draws:,} draws, seed {seed}"
    return (
        f"A line between tiers: every model above it beats every model below. No line is wrong, "
        f"and all rank sets hold at once, with {level} confidence ({how}).",
        "Within a tier models are not shown to be equal; some may well be told apart.",
    )


def family(audit: Audit, pairs: int) -> str:
    """Which comparisons hold at once, and what that takes."""
    c = audit.criteria
    if audit.adjust == "none":
        return (
            f"Verdicts are of each pair alone (α = {c.alpha:g}, {percent(c.power)} power): among "
            f"{pairs:,} pairs some are significant by chance."
        )
    every = "a pair" if pairs == 1 else f"all {pairs:,} pairs"
    reach = "" if audit.critical_value is None else f", |t| ≥ {audit.critical_value:.2f}"
    kind = "expected share of false ones" if audit.adjust == "bh" else "chance of any false win"
    declared = audit.adjacent.delta is not None
    needed = "" if declared else " Items needed are items / adj. q."
    return (
        f"Verdicts, adj. p and adj. q are for {every}, because the data choose the neighbors: "
        f"{kind} α = {c.alpha:g} ({METHODS[audit.adjust]}{reach}), resolved with "
        f"{percent(c.power)} power.{needed}"
    )


_SIMULTANEOUS = {"maxt": "single-step max-T", "holm": "Bonferroni", "bonferroni": "Bonferroni"}
"""How intervals become simultaneous, by the method of the verdicts."""


def intervals(result: Audit) -> str:
    """What the intervals beside the verdicts cover."""
    conf, method = coverage(1 - result.criteria.alpha), result.adjust
    if method == "none":
        return "Intervals are unadjusted, as the verdicts are: each holds for its pair alone."
    if method == "bh":
        return (
            "Adjusted intervals limit false coverage: among the significant pairs, the expected "
            f"share of intervals that miss the true gap is at most {result.criteria.alpha:g} "
            "(Benjamini and Yekutieli)."
        )
    said = (
        f"Adjusted intervals cover the true gaps of all pairs simultaneously with {conf} "
        f"confidence ({_SIMULTANEOUS[method]})"
    )
    if method == "bonferroni":
        return f"{said}."
    return (
        f"{said}, except pairs that only a later step of {METHODS[method]} rejects. Those "
        "intervals have the level of the last step, so that interval and verdict agree."
    )


def direction(*, lower_is_better: bool) -> str:
    """Which way is up."""
    return f"a {'lower' if lower_is_better else 'higher'} score is better"


def downwards(audit: Audit | TaskAudit) -> str:
    """That less is better, as the next clause; nothing otherwise."""
    return f"; {direction(lower_is_better=True)}" if audit.lower_is_better else ""


def _chance(audit: Audit) -> Iterator[str]:
    """What else must hold where models have different items, or a margin was declared."""
    if not audit.is_complete:
        yield (
            "Models have different items: ranks assume that which ones is a matter of chance. "
            f"Where a model lacks the hard ones, use {arg('items', 'common')}."
        )
    if audit.score_range != (0.0, 1.0):
        low, high = (f"{x:.4g}".replace("-", "−") for x in audit.score_range)
        yield (
            f"Where a pair shows no spread, scores are taken to lie between {low} and {high}, as "
            "all seen do."
        )
    if audit.margin is not None and audit.adjust not in ("bh", "none"):
        text = "Equivalence is a family of its own: chance of any false one again α"
        if not audit.is_binary or not audit.design.startswith("independent"):
            text += ", losses and gains of the whole scale too rare to have shown included"
        yield f"{text}."


def second_look(ranking: Ranking) -> Iterator[str]:
    """That more items are for a new evaluation, where any are counted."""
    if ranking.needs() is not None:
        yield SECOND_LOOK


def basis(audit: Audit) -> str:
    """What the answer rests on, in one sentence."""
    kind, _, column = audit.design.partition(":")
    sure = f"with {coverage(audit.confidence_level)} confidence ({METHODS[audit.rank_method]})"
    read = taken_as(cast("ReadingKind", kind), column) + weighing(audit.n_effective)
    if audit.judge_correction is not None:
        read = f"labels are the truth and of a random part of the items; {read}"
    return f"{read}{downwards(audit)}; rank sets and tiers hold for all models at once {sure}."


def assumptions(audit: Audit, ranking: Ranking) -> tuple[str, ...]:
    """Estimand, design, family, guarantees."""
    kind, _, column = audit.design.partition(":")
    number = audit.n_groups.get(column)
    these = "its groups" if number is None else f"these {number:,}"
    return (
        *(() if audit.judge_correction is None else (ASSUMED,)),
        *(() if audit.n_effective is None else (WEIGHTED,)),
        f"Ranked by mean over items; {direction(lower_is_better=audit.lower_is_better)}. A gap is "
        "this model minus the next over the items both have.",
        assumption(cast("ReadingKind", kind), name(column), these),
        family(audit, audit.n_pairs),
        intervals(audit),
        *guarantees(
            1 - audit.criteria.alpha,
            method=audit.rank_method,
            draws=audit.n_draws,
            seed=audit.seed,
        ),
        *second_look(ranking),
        *_chance(audit),
        "Nothing here looks at how the scores came about: prompts, contamination, grading.",
    )
