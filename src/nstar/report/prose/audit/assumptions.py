"""Write the assumptions of an Audit: estimand, design, family, and guarantees of rank ranges."""

from collections.abc import Iterator
from typing import cast

from nstar._verbs.audit import Audit, TaskAudit
from nstar._verbs.compare.task_comparison import ReadingKind
from nstar.errors import arg
from nstar.report.prose.audit.ranking import Ranking
from nstar.report.prose.design import (
    SECOND_LOOK,
    WEIGHTED,
    assumption,
    pseudo_values,
    taken_as,
    weighing,
)
from nstar.report.prose.gap import coverage
from nstar.report.prose.judged_ranking import ASSUMED, random_labels
from nstar.report.prose.numbers import name, percent

METHODS = {
    "maxt": "step-down max-T",
    "holm": "Holm",
    "bonferroni": "Bonferroni",
    "bh": "Benjamini and Hochberg",
    "none": "no adjustment",
}


def guarantees(conf: float, *, method: str, draws: int | None, seed: int) -> tuple[str, ...]:
    """Return the guarantees of rank ranges and tier lines."""
    level = coverage(conf)
    method_text = METHODS[method]
    if draws is not None:
        method_text += f" with {draws:,} draws, seed {seed}"
    return (
        "Every model above a tier line beats every model below it. All lines and rank ranges hold "
        f"simultaneously at {level} ({method_text}).",
        "Models in one tier are not shown to be equal; some may differ significantly.",
    )


def family(audit: Audit, pairs: int) -> str:
    """Return the family of simultaneous comparisons, and the method of adjustment."""
    c = audit.criteria
    if audit.adjust == "none":
        return (
            f"Verdicts are unadjusted (α = {c.alpha:g}, {percent(c.power)} power). Among "
            f"{pairs:,} pairs, expect some false positives."
        )
    reach = "" if audit.critical_value is None else f", |t| ≥ {audit.critical_value:.2f}"
    method_text = f"{METHODS[audit.adjust]}{reach}"
    if pairs == 1:
        return (
            f'The verdict is at α = {c.alpha:g} ({method_text}); "resolved" means '
            f"at least {percent(c.power)} power."
        )
    rate = "false discovery rate" if audit.adjust == "bh" else "familywise error rate"
    needed = (
        ""
        if audit.adjacent.delta is not None
        else " The items needed are the current items divided by the adjusted q."
    )
    return (
        f"Verdicts are adjusted for all {pairs:,} pairs ({method_text}), because the data "
        f"determine which models are adjacent. The {rate} is {c.alpha:g}, and the power is "
        f"{percent(c.power)}.{needed}"
    )


_SIMULTANEOUS = {"maxt": "single-step max-T", "holm": "Bonferroni", "bonferroni": "Bonferroni"}
"""Method that makes intervals simultaneous, for each method of the verdicts."""


def intervals(result: Audit) -> str:
    """Return the coverage of the intervals that stand next to the verdicts."""
    conf, method = coverage(1 - result.criteria.alpha), result.adjust
    if method == "none":
        return "CIs are unadjusted, like the verdicts, and each holds only for its own pair."
    if method == "bh":
        return (
            "Adjusted CIs limit the false coverage rate: among the significant pairs, the "
            f"expected share of CIs that miss the true gap is at most {result.criteria.alpha:g} "
            "(Benjamini and Yekutieli)."
        )
    text = (
        f"Adjusted CIs cover the true gaps of all pairs simultaneously at {conf} "
        f"({_SIMULTANEOUS[method]})"
    )
    if method == "bonferroni":
        return f"{text}."
    return (
        f"{text}, except for pairs that {METHODS[method]} rejects only at a later step. Their CIs "
        "use the level of that step, so that CI and verdict agree."
    )


def direction(*, lower_is_better: bool) -> str:
    """Return which direction is better."""
    return f"a {'lower' if lower_is_better else 'higher'} score is better"


def downwards(audit: Audit | TaskAudit) -> str:
    """Return a clause that lower scores are better; empty if they are not."""
    return f"; {direction(lower_is_better=True)}" if audit.lower_is_better else ""


def second_look(ranking: Ranking) -> Iterator[str]:
    """Yield that additional items are for a new evaluation, if any are reported."""
    if ranking.needs() is not None:
        yield SECOND_LOOK


def basis(audit: Audit) -> str:
    """Return the assumptions in one sentence."""
    kind, _, column = audit.design.partition(":")
    pairs = f", {audit.n_pairs:,} pairs" if audit.n_pairs > 1 else ""
    sure = f"at {coverage(audit.confidence_level)} ({METHODS[audit.rank_method]}{pairs})"
    read = taken_as(cast("ReadingKind", kind), column) + weighing(audit.n_effective)
    if audit.judge_correction is not None:
        read = f"{random_labels(audit.judge_correction.n_label_strata)}{read}"
    return f"{read}{downwards(audit)}; rank ranges and tiers hold simultaneously {sure}."


def measure(audit: Audit) -> str:
    """Return what the models are ranked by."""
    return "mean score" if audit.statistic is None else audit.statistic


def assumptions(audit: Audit, ranking: Ranking) -> Iterator[str]:
    """Yield the assumptions: estimand, design, family, and guarantees."""
    kind, _, column = audit.design.partition(":")
    number = audit.n_groups.get(column)
    these = "its groups" if number is None else f"these {number:,} groups"
    if audit.judge_correction is not None:
        yield ASSUMED
    if audit.n_effective is not None:
        yield WEIGHTED
    if audit.statistic is not None:
        yield pseudo_values(audit.statistic)
    better = direction(lower_is_better=audit.lower_is_better)
    yield (
        f"Models are ranked by {measure(audit)}; {better}. A gap is the score of a model minus "
        "that of the next model, on shared items."
    )
    yield assumption(cast("ReadingKind", kind), name(column), these)
    yield family(audit, audit.n_pairs)
    yield intervals(audit)
    yield from guarantees(
        1 - audit.criteria.alpha,
        method=audit.rank_method,
        draws=audit.n_draws,
        seed=audit.seed,
    )
    yield from second_look(ranking)
    if not audit.is_complete:
        yield (
            "Ranks assume that items are missing at random. If a model lacks the hard items, use "
            f"{arg('items', 'common')}."
        )
    if audit.score_range != (0.0, 1.0):
        low, high = (f"{x:.4g}".replace("-", "−") for x in audit.score_range)
        yield (
            "For pairs without variation, scores are assumed to stay in the observed range, "
            f"{low} to {high}."
        )
    if audit.margin is not None and audit.adjust not in ("bh", "none"):
        text = "Equivalence tests are adjusted separately, also at level α"
        if not audit.is_binary or not audit.design.startswith("independent"):
            text += ", and allow for full-scale changes that are too rare to be observed"
        yield f"{text}."
    yield "How the scores were produced (prompts, contamination, grading) was not checked."
