"""A new model on some items against a known one, in words."""

import math

from nstar._verbs.reference import Known, ReferenceGap, ReferenceModel
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.headline import p_is, stopped_early
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.gap import coverage, downwards, gap, points, score, span
from nstar.report.prose.item_choice import choice_sentence
from nstar.report.prose.numbers import (
    count,
    level,
    name,
    often,
    percent,
    probability,
    pvalue,
    two_names,
)

_MAX_USEFUL_FACTOR = 100
"""Times the items there are, beyond which a number of items is not useful advice."""
_FEWEST_RARE = 10
"""Sampled items with the rarer outcome below which the report explains a more cautious answer."""
_CLEAR = {"better": "beats", "worse": "trails"}
CLAIMS = {
    "questions": "such questions",
    "benchmark": "this benchmark",
    "paired": "by pairing alone",
}
"""What a gap is a claim about, or by."""


def _evidence(found: Known, at: ReferenceGap) -> str:
    return f"{coverage(found.confidence_level)} interval {span(found, at.ci)}, {_p(found, at)}"


def _p(found: Known, at: ReferenceGap) -> str:
    return f"{'one-sided ' if found.criteria.sides == 1 else ''}{p_is(at.pvalue)}"


def _sample(found: Known) -> str:
    return f"{count(found.n_sampled)} of {count(found.n_items)} items"


def _shown(found: Known) -> str:
    first, second = (name(n) for n in found.models)
    if found.verdict in _CLEAR:
        size, how = gap(found, abs(found.gap)), _evidence(found, found.estimate)
        rest = " and what is known of the rest" if found.n_covariates else ""
        return (
            f"{first} {_CLEAR[found.verdict]} {second} by {size} ({how}), from {_sample(found)}"
            f"{rest}."
        )
    rest = ", with what is known of the rest," if found.n_covariates else ""
    return (
        f"{_sample(found)}{rest} cannot tell {first} and {second} "
        f"apart: the gap is {gap(found, found.gap, sign=True)} "
        f"({_evidence(found, found.estimate)})."
    )


def _own(found: Known) -> str:
    """The same about the items of this benchmark and no others."""
    first, second = (name(n) for n in found.models)
    if found.verdict in _CLEAR or found.verdict_benchmark not in _CLEAR:
        return (
            "As this benchmark's own score the interval is "
            f"{span(found, found.benchmark_estimate.ci)} "
            f"({_p(found, found.benchmark_estimate)})."
        )
    return (
        f"On the {count(found.n_items)} items themselves {first} "
        f"{_CLEAR[found.verdict_benchmark]} "
        f"{second} ({_evidence(found, found.benchmark_estimate)}); for other such questions that "
        "is not shown."
    )


def _settle(found: Known) -> str:
    """What would settle an open question."""
    text = f"This can detect {gap(found, found.mde)}"
    seen, more = gap(found, found.gap, sign=True), found.more_items
    if more:
        return f"{text}; if the gap is really {seen}, {count(more)} more items would settle it."
    if math.isinf(found.n_star) and found.n_star_paired <= _MAX_USEFUL_FACTOR * found.n_items:
        return (
            f"{text}; a gap of {seen} takes more questions than this benchmark has: "
            f"{count(found.n_star_paired)}, run by both models."
        )
    if math.isinf(found.n_star) and found.gap:
        return f"{text}; a gap of {seen} is far too small for this benchmark."
    return f"{text}."


def _chosen(found: Known) -> str | None:
    """Said in the headline, because all else rests on it."""
    if any(f.code == "chosen-items" for f in found.findings):
        return "The sampled items look chosen, and then none of this holds (see the notes)."
    return None


def _headline(found: Known) -> str:
    parts = [_shown(found), _own(found)]
    if found.verdict not in _CLEAR:
        parts.append(_settle(found))
    said = " ".join(part for part in (*parts, _chosen(found)) if part)
    return said + downwards([found]) + stopped_early(found.findings)


def _claims(found: Known) -> TextTable:
    rows = tuple(
        (
            CLAIMS[x.claim],
            gap(found, x.gap, sign=True, column=True),
            gap(found, x.se, column=True),
            span(found, x.ci, column=True),
            pvalue(x.pvalue),
            gap(found, x.mde, column=True),
        )
        for x in (found.estimate, *found.other_estimates)
    )
    first, second = two_names(found.models, 24)
    where = f" on {name(found.task)}" if found.task else ""
    head = ("claim about", "gap", "std. error", f"{coverage(found.confidence_level)} interval")
    return TextTable(
        title=f"{first} minus {second}{where} (→ the answer)",
        header=(*head, "p", "detectable"),
        rows=rows,
        marked=0,
    )


def _limits(found: Known, model: ReferenceModel) -> str:
    if model.ci is None:
        return "known"
    ends = (f"{100 * e:.1f}" if points(found) else f"{e:.4g}" for e in model.ci)
    return " to ".join(end.replace("-", "−") for end in ends) + ("%" if points(found) else "")


def _models(found: Known) -> TextTable:
    shown = two_names(found.models, 24)
    return TextTable(
        title="Scores",
        header=(
            "",
            "on the sample",
            f"on all {count(found.n_items)}",
            f"{coverage(found.confidence_level)} interval",
        ),
        rows=tuple(
            (label, score(found, m.sample_mean), score(found, m.mean), _limits(found, m))
            for m, label in zip(found.model_estimates, shown, strict=True)
        ),
    )


def _worth_note(found: Known) -> str:
    which = "model" if found.n_known_models == 1 else "models"
    own = (
        ""
        if found.gain_benchmark is None
        else f" ({found.gain_benchmark:.2f} times for its own score)"
    )
    if not found.n_covariates:
        return f"The results of {count(found.n_known_models)} known {which} save nothing here."
    if found.gain <= 1:
        return (
            f"The results of {count(found.n_known_models)} known {which} save nothing here: they "
            "explain "
            f"{percent(found.r2, 0)} of the variance of the gap."
        )
    return (
        f"The results of {count(found.n_known_models)} known {which} make these "
        f"{count(found.n_sampled)} "
        f"items worth {count(found.gain * found.n_sampled)} of a paired comparison: "
        f"{found.gain:.2f} times{own}."
    )


def _rare_note(found: Known) -> str | None:
    """Explain an interval that rests on few items with the rarer outcome."""
    if found.n_rare_scores >= _FEWEST_RARE:
        return None
    use = (
        "The interval therefore allows for two unobserved differences."
        if found.n_covariates
        else "The result therefore uses pairing alone."
    )
    limit = (
        ""
        if points(found)
        else " For log-normal scores, 92 to 96% of such 95% intervals contained the gap in "
        "simulations."
    )
    few = f"only {count(found.n_rare_scores)}" if found.n_rare_scores else "none"
    return (
        "One of the two models has its rarer outcome, a score below or above the middle of the "
        f"scale, on {few} of the {count(found.n_sampled)} sampled items. {use}{limit}"
    )


def _need_note(found: Known) -> str | None:
    if math.isinf(found.n_star):
        return None
    return (
        f"A gap of that size takes {count(found.n_star)} items of this benchmark: "
        f"q = {found.q:.2g} (q ≥ 1: resolved); paired alone, {count(found.n_star_paired)}."
    )


def _choice_note(found: Known) -> str | None:
    if found.selection_pvalue is None or _chosen(found):
        return None
    return choice_sentence(
        found.selection_pvalue, observer="the known models", which="sampled", answer="the answer"
    )


def _best_note(found: Known) -> str | None:
    if not found.known_is_best or found.n_known_models == 1:
        return None
    return (
        f"{name(found.models[1])} is the best of the {count(found.n_known_models)} known models."
    )


def _notes(found: Known) -> tuple[str, ...]:
    grave = tuple(f.text for f in found.findings if f.code == "chosen-items")
    other = tuple(findings(f for f in found.findings if f.code != "chosen-items"))
    said = (
        _rare_note(found),
        _worth_note(found),
        _need_note(found),
        _best_note(found),
        _choice_note(found),
    )
    return (*grave, *(note for note in said if note), *other)


def _assumptions(found: Known) -> tuple[str, ...]:
    first, second = (name(n) for n in found.models)
    c = found.criteria
    method = (
        f"Regression on {count(found.n_covariates)} covariates that are known on all items: the "
        f"score of {second} and, with two or more known models, their mean. The covariates need "
        "not be correct."
        if found.n_covariates
        else "The paired differences of the sampled items alone; known results are not used."
    )
    return (
        "The sampled items were drawn at random from all, or at random within strata in "
        "proportion to their size, and not chosen again after a look at results.",
        f"Items are independent draws; gaps are {first} minus {second}; a "
        f"{'lower' if found.lower_is_better else 'higher'} score is better.",
        f"Detectable, settled: with {percent(c.power)} probability at {level(c.alpha, c.sides)}.",
        method,
    )


def _basis(found: Known) -> str:
    c = found.criteria
    return (
        "Sampled items are a random part of all; detectable means found "
        f"{often(c.power)} at {level(c.alpha, c.sides)}."
    )


def document(found: Known) -> Document:
    """Headline, the gap as three claims, scores, notes, assumptions."""
    grids = (_claims(found), _models(found))
    return Document(
        headline=_headline(found),
        opening=_shown(found),
        key=grids,
        grids=grids,
        notes=_notes(found),
        basis=_basis(found),
        assumptions=_assumptions(found),
    )


def paragraph(found: Known) -> str:
    """One defensible paragraph to paste into a paper."""
    first, second = (name(n) for n in found.models)
    c = found.criteria
    where = f" of {name(found.task)}" if found.task else ""
    shown = {
        "better": f"{first} is ahead by more than the sampling of items explains.",
        "worse": f"{first} is behind by more than the sampling of items explains.",
    }.get(found.verdict, "The comparison is inconclusive, which is not evidence of equality.")
    new, old = found.model_estimates
    which = "model" if found.n_known_models == 1 else "models"
    method = (
        f"the regression estimator ({count(found.n_covariates)} covariates, t with {found.df:.0f} "
        "degrees of freedom)"
        if found.n_covariates
        else f"pairing on the sampled items (t with {found.df:.0f} degrees of freedom)"
    )
    paired = (
        " Pairing on the sampled items alone gives "
        f"{gap(found, found.paired_estimate.gap, sign=True)} "
        f"({span(found, found.paired_estimate.ci)})."
        if found.n_covariates
        else ""
    )
    return (
        f"{first} was run on a random {count(found.n_sampled)} of the {count(found.n_items)} items"
        f"{where}, on all of which {count(found.n_known_models)} other {which} are known. By "
        f"{method} it scores {score(found, new.mean)} and {second} "
        f"{score(found, old.mean)}; "
        f"the gap is {gap(found, found.gap, sign=True)} ({_evidence(found, found.estimate)}; as "
        "the "
        f"score on these {count(found.n_items)} items, "
        f"{span(found, found.benchmark_estimate.ci)}). {shown} At "
        f"α = {c.alpha:g} and {probability(c.power)} power such an evaluation detects "
        f"{gap(found, found.mde)}.{paired}"
    )
