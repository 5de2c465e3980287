"""A new model on some items against a known one, in words."""

import math

from nstar._verbs.reference import Known, ReferenceGap, ReferenceModel
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.headline import (
    caution,
    finding,
    if_observed,
    interval_and_p,
    p_is,
    rounded_need,
    stopped_reasons,
    thresholds,
)
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.gap import coverage, downwards, gap, points, score, span
from nstar.report.prose.item_choice import choice_sentence
from nstar.report.prose.numbers import (
    count,
    level,
    name,
    percent,
    probability,
    pvalue,
    two_names,
)

_FEWEST_RARE = 10
"""Sampled items with the rarer outcome below which the report explains a more cautious answer."""
_CLEAR = {"better": "beats", "worse": "trails"}
CLAIMS = {
    "questions": "similar items",
    "benchmark": "these items",
    "paired": "pairing alone",
}
"""What a gap is a claim about, or from."""


def _evidence(found: Known, at: ReferenceGap) -> str:
    return interval_and_p(found, found.criteria, found.confidence_level, at.ci, at.pvalue)


def _sample(found: Known) -> str:
    return f"{count(found.n_sampled)} of {count(found.n_items)} items"


def _finding(found: Known) -> str:
    evidence = f"{_evidence(found, found.estimate)}; {_sample(found)}"
    return finding(found.models, found, found.gap, found.verdict, evidence)


def _own(found: Known) -> str:
    """Return the same about the items of this benchmark and no others."""
    own = found.benchmark_estimate
    these = f"On these {count(found.n_items)} items themselves"
    if found.verdict == found.verdict_benchmark:
        return f"{these}: {span(found, own.ci)}."
    first, second = (name(n) for n in found.models)
    verb = _CLEAR.get(found.verdict_benchmark)
    text = f"{these}, {first} {verb} {second}" if verb else f"{these} the gap is inconclusive"
    return f"{text} ({_evidence(found, own)})."


def _what_it_takes(found: Known) -> str | None:
    """Return what the observed gap would take."""
    if found.verdict in _CLEAR or not found.gap:
        return None
    if found.more_items:
        return if_observed(found, found.gap, rounded_need(found.more_items, found.n_sampled))
    more = found.n_star_paired - found.n_items
    if math.isinf(found.n_star) and math.isfinite(more) and more > 0:
        need = rounded_need(math.ceil(more), found.n_items, "item")
        return if_observed(found, found.gap, f"{need}, run by both models")
    return None


def _reasons(found: Known) -> list[str]:
    """Return the reasons for a caution."""
    reasons = stopped_reasons(found.findings)
    if any(f.code == "chosen-items" for f in found.findings):
        p = "" if found.selection_pvalue is None else f" ({p_is(found.selection_pvalue)})"
        reasons.append(f"the sampled items do not look random{p}, so no result here is valid")
    return reasons


def _resolution(found: Known) -> str:
    if found.se == 0:
        return "The detectable gap is unknown, because no error could be measured."
    return thresholds(found, found.criteria, "Here an", found.significant_gap, found.mde)


def _headline(found: Known) -> str:
    reasons = _reasons(found)
    last = caution(reasons) if reasons else _what_it_takes(found)
    parts = (_finding(found), _own(found), _resolution(found), last)
    return " ".join(part for part in parts if part) + downwards([found])


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
    head = ("claim about", "gap", "SE", f"{coverage(found.confidence_level)} CI")
    return TextTable(
        title=f"{first} − {second}{where} (→ used)",
        header=(*head, "p", "MDE"),
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
            "sample",
            f"all {count(found.n_items)} items",
            f"{coverage(found.confidence_level)} CI",
        ),
        rows=tuple(
            (label, score(found, m.sample_mean), score(found, m.mean), _limits(found, m))
            for m, label in zip(found.model_estimates, shown, strict=True)
        ),
    )


def _worth_note(found: Known) -> str:
    k = found.n_known_models
    results = f"The results of {count(k)} known model{'' if k == 1 else 's'}"
    if not found.n_covariates:
        return f"{results} save nothing here."
    if found.gain <= 1:
        explained = percent(found.r2, 0)
        return f"{results} save nothing here: they explain {explained} of the gap's variance."
    own = found.gain_benchmark
    same = "" if own is None else f"; for these items themselves, {own:.2f}×"
    return (
        f"{results} make these {count(found.n_sampled)} items worth "
        f"{count(found.gain * found.n_sampled)} paired ones ({found.gain:.2f}×{same})."
    )


def _rare_note(found: Known) -> str | None:
    """Return why an interval that rests on few items with the rarer outcome is wider."""
    if found.n_rare_scores >= _FEWEST_RARE:
        return None
    use = (
        "The CI therefore allows for two unobserved differences."
        if found.n_covariates
        else "The result therefore uses pairing alone."
    )
    limit = (
        ""
        if points(found)
        else " For log-normal scores, 92 to 96% of such 95% CIs contained the gap in simulations."
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
        f"Detecting a gap of the observed size takes {count(found.n_star)} items of this "
        f"benchmark (q = {found.q:.2g}); by pairing alone, {count(found.n_star_paired)}."
    )


def _choice_note(found: Known) -> str | None:
    if found.selection_pvalue is None or _reasons(found):
        return None
    return choice_sentence(
        found.selection_pvalue, observer="the known models", which="sampled", answer="the answer"
    )


def _best_note(found: Known) -> str | None:
    if not found.known_is_best or found.n_known_models == 1:
        return None
    return f"{name(found.models[1])} is the best of {count(found.n_known_models)} known models."


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
        f"Regression on {count(found.n_covariates)} covariates known on all items: the score of "
        f"{second} and, with two or more known models, their mean. The covariates need not be "
        "correct."
        if found.n_covariates
        else "Paired differences of the sampled items alone; known results are not used."
    )
    return (
        "The sampled items were drawn at random from all, or at random within strata in "
        "proportion to their size, and were not redrawn after looking at results.",
        f"Items are independent; gaps are {first} minus {second}; a "
        f"{'lower' if found.lower_is_better else 'higher'} score is better.",
        f"Detected and resolved: with {percent(c.power)} power at {level(c.alpha, c.sides)}.",
        method,
    )


def _basis(found: Known) -> str:
    c = found.criteria
    return f"random sample of independent items; {level(c.alpha, c.sides)}."


def document(found: Known) -> Document:
    """Headline, the gap as three claims, scores, notes, assumptions."""
    grids = (_claims(found), _models(found))
    return Document(
        headline=_headline(found),
        opening=_finding(found),
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
    verdict = {
        "better": f"{first} is significantly better.",
        "worse": f"{first} is significantly worse.",
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
        f"{method} it scores {score(found, new.mean)} and {second} {score(found, old.mean)}; "
        f"the gap is {gap(found, found.gap, sign=True)} ({_evidence(found, found.estimate)}; on "
        f"these {count(found.n_items)} items themselves, "
        f"{span(found, found.benchmark_estimate.ci)}). {verdict} At "
        f"α = {c.alpha:g} and {probability(c.power)} power such an evaluation detects "
        f"{gap(found, found.mde)}.{paired}"
    )
