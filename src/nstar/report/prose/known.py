"""Write the report of a new model on some items against a known model."""

import math
from collections.abc import Iterator

from nstar._base.types import Interval
from nstar._verbs.reference import Known, ReferenceGap, ReferenceModel
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.headline import (
    caution,
    estimate_resolution,
    finding,
    gap_direction,
    if_observed,
    interval_and_p,
    p_is,
    rounded_need,
    stopped_reasons,
    verdict_sentence,
)
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.gap import beside, coverage, downwards, gap, points, score, span
from nstar.report.prose.item_choice import choice_sentence
from nstar.report.prose.numbers import (
    count,
    items,
    level,
    name,
    percent,
    power_definition,
    probability,
    pvalue,
    two_names,
)

_FEWEST_RARE = 10
"""Number of sampled items with the rarer outcome below which the report explains a wider interval.
"""
_CLEAR = {"better": "beats", "worse": "trails"}
CLAIMS = {
    "questions": "similar items",
    "benchmark": "these items",
    "paired": "pairing alone",
}
"""Claims about the gap."""


def _evidence(result: Known, at: ReferenceGap, ci: Interval | None = None) -> str:
    limits = at.ci if ci is None else ci
    return interval_and_p(result, result.criteria, result.confidence_level, limits, at.pvalue)


def _sample(result: Known) -> str:
    return f"{count(result.n_sampled)} of {count(result.n_items)} items"


def _finding(result: Known) -> str:
    ci = beside(result, result.estimate.ci, result.gap)
    evidence = f"{_evidence(result, result.estimate, ci)}; {_sample(result)}"
    return finding(result.models, result, result.gap, result.verdict, evidence)


def _own(result: Known) -> str:
    """Return the result for the items of this benchmark only."""
    benchmark_gap = result.benchmark_estimate
    these = f"On these {count(result.n_items)} items themselves"
    ci = beside(result, benchmark_gap.ci, benchmark_gap.gap)
    if result.verdict == result.verdict_benchmark:
        conf = coverage(result.confidence_level)
        return f"{these}, the {conf} CI is {span(result, ci)}."
    first, second = (name(n) for n in result.models)
    verb = _CLEAR.get(result.verdict_benchmark)
    text = f"{these}, {first} {verb} {second}" if verb else f"{these}, the gap is inconclusive"
    return f"{text} ({_evidence(result, benchmark_gap, ci if verb else None)})."


def _what_it_takes(result: Known) -> str | None:
    """Return the items that the observed gap needs."""
    if result.verdict in _CLEAR or not result.gap:
        return None
    if result.more_items:
        return if_observed(result, result.gap, rounded_need(result.more_items, result.n_sampled))
    n_more = result.n_star_paired - result.n_items
    if math.isinf(result.n_star) and math.isfinite(n_more) and n_more > 0:
        need = rounded_need(math.ceil(n_more), result.n_items, "item")
        return if_observed(result, result.gap, f"{need}, run by both models")
    return None


def _reasons(result: Known) -> list[str]:
    """Return the reasons for a caution."""
    reasons = stopped_reasons(result.findings)
    if any(f.code == "chosen-items" for f in result.findings):
        p = "" if result.selection_pvalue is None else f" ({p_is(result.selection_pvalue)})"
        reasons.append(f"the sampled items do not look random{p}, so no result here is valid")
    return reasons


def _headline(result: Known) -> str:
    reasons = _reasons(result)
    last = caution(reasons) if reasons else _what_it_takes(result)
    parts = (_finding(result), _own(result), estimate_resolution(result), last)
    return " ".join(part for part in parts if part) + downwards([result])


def _claims(result: Known) -> TextTable:
    rows = tuple(
        (
            CLAIMS[x.claim],
            gap(result, x.gap, sign=True, column=True),
            gap(result, x.se, column=True),
            span(result, x.ci, column=True),
            pvalue(x.pvalue),
            gap(result, x.mde, column=True),
        )
        for x in (result.estimate, *result.other_estimates)
    )
    first, second = two_names(result.models, 24)
    where = f" on {name(result.task)}" if result.task else ""
    head = ("claim about", "gap", "SE", f"{coverage(result.confidence_level)} CI")
    return TextTable(
        title=f"{first} − {second}{where} (→ used)",
        header=(*head, "p", "MDE"),
        rows=rows,
        marked=0,
    )


def _limits(result: Known, model: ReferenceModel) -> str:
    if model.ci is None:
        return "known"
    ends = (f"{100 * e:.1f}" if points(result) else f"{e:.4g}" for e in model.ci)
    return " to ".join(end.replace("-", "−") for end in ends) + ("%" if points(result) else "")


def _models(result: Known) -> TextTable:
    labels = two_names(result.models, 24)
    return TextTable(
        title="Scores",
        header=(
            "",
            "sample",
            f"all {count(result.n_items)} items",
            f"{coverage(result.confidence_level)} CI",
        ),
        rows=tuple(
            (label, score(result, m.sample_mean), score(result, m.mean), _limits(result, m))
            for m, label in zip(result.model_estimates, labels, strict=True)
        ),
    )


def _worth_note(result: Known) -> str:
    k = result.n_known_models
    results = f"The results of {count(k)} known model{'' if k == 1 else 's'}"
    if not result.n_covariates:
        return f"{results} save nothing here."
    if result.gain <= 1:
        explained = percent(result.r2, 0)
        return f"{results} save nothing here: they explain {explained} of the gap's variance."
    gain = result.gain_benchmark
    same = "" if gain is None else f"; for the benchmark itself, {gain:.2f}×"
    return (
        f"With {results[0].lower()}{results[1:]}, these {count(result.n_sampled)} items are as "
        f"precise as {count(result.gain * result.n_sampled)} paired items "
        f"({result.gain:.2f}×{same})."
    )


_LOG_NORMAL = " For log-normal scores, 92 to 96% of such 95% CIs contained the gap in simulations."


def _notes(result: Known) -> Iterator[str]:
    yield from (f.text for f in result.findings if f.code == "chosen-items")
    if result.n_rare_scores < _FEWEST_RARE:
        use = (
            "The CI therefore allows for two unobserved differences."
            if result.n_covariates
            else "The result therefore uses pairing alone."
        )
        limit = "" if points(result) else _LOG_NORMAL
        count_text = f"only {count(result.n_rare_scores)}" if result.n_rare_scores else "none"
        yield (
            "One of the two models has its rarer outcome, a score below or above the middle of "
            f"the scale, on {count_text} of the {count(result.n_sampled)} sampled items. "
            f"{use}{limit}"
        )
    yield _worth_note(result)
    if not math.isinf(result.n_star):
        yield (
            f"Detecting a gap of the observed size takes {count(result.n_star)} items of this "
            f"benchmark. With pairing alone, it takes {items(result.n_star_paired)}."
        )
    if result.known_is_best and result.n_known_models != 1:
        best = name(result.models[1])
        yield f"{best} is the best of {count(result.n_known_models)} known models."
    if result.selection_pvalue is not None and not _reasons(result):
        yield choice_sentence(
            result.selection_pvalue,
            scores="the known models' scores",
            item_kind="sampled",
            answer="the answer",
        )
    yield from findings(f for f in result.findings if f.code != "chosen-items")


def _assumptions(result: Known) -> tuple[str, ...]:
    c = result.criteria
    method = (
        f"The method is regression on {count(result.n_covariates)} covariates that are known for "
        f"all items: the score of {name(result.models[1])} and, with two or more known models, "
        "their mean. The result remains valid if the covariates predict poorly."
        if result.n_covariates
        else (
            "The method uses only the paired differences on the sampled items; the results of "
            "other known models are not used."
        )
    )
    return (
        "The sampled items were drawn at random from all items, or at random within strata in "
        "proportion to stratum size. They were not redrawn after the results were seen.",
        f"Items are independent. {gap_direction(result)}",
        power_definition(c.power, c.alpha, c.sides),
        method,
    )


def _basis(result: Known) -> str:
    c = result.criteria
    return f"random sample of independent items; {level(c.alpha, c.sides)}."


def document(result: Known) -> Document:
    """Return the report: headline, three claims about the gap, scores, notes, and assumptions."""
    grids = (_claims(result), _models(result))
    return Document(
        headline=_headline(result),
        opening=_finding(result),
        key=grids,
        grids=grids,
        notes=tuple(_notes(result)),
        basis=_basis(result),
        assumptions=_assumptions(result),
    )


def paragraph(result: Known) -> str:
    """Return a paragraph for a paper."""
    first, second = (name(n) for n in result.models)
    c = result.criteria
    where = f" of {name(result.task)}" if result.task else ""
    new, old = result.model_estimates
    noun = "model" if result.n_known_models == 1 else "models"
    method = (
        f"the regression estimator ({count(result.n_covariates)} covariates, t with "
        f"{result.df:.0f} degrees of freedom)"
        if result.n_covariates
        else f"pairing on the sampled items (t with {result.df:.0f} degrees of freedom)"
    )
    paired = (
        " Pairing on the sampled items alone gives "
        f"{gap(result, result.paired_estimate.gap, sign=True)} "
        f"({span(result, result.paired_estimate.ci)})."
        if result.n_covariates
        else ""
    )
    return (
        f"{first} was run on a random {count(result.n_sampled)} of the {count(result.n_items)} "
        f"items{where}; the scores of {count(result.n_known_models)} other {noun} are known on "
        f"all of them. With {method}, {first} scores {score(result, new.mean)} and {second} "
        f"scores {score(result, old.mean)}; the gap is {gap(result, result.gap, sign=True)} "
        f"({_evidence(result, result.estimate)}; on these {count(result.n_items)} items "
        f"themselves, {span(result, result.benchmark_estimate.ci)}). {verdict_sentence(result)} "
        f"At α = {c.alpha:g}, such an evaluation detects a gap of {gap(result, result.mde)} with "
        f"{probability(c.power)} power.{paired}"
    )
