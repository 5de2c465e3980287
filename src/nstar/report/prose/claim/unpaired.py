"""Write the report of an UnpairedClaim, for a reviewer."""

import math
from statistics import NormalDist

from nstar._verbs.claim import CountRange, UnpairedClaim
from nstar.errors import by_interface
from nstar.report.documents import Document, TextTable
from nstar.report.prose.claim import is_opposite, opposite
from nstar.report.prose.claim.figures import bare_note, caution, impossible_shares, read_as
from nstar.report.prose.comparison.headline import p_is
from nstar.report.prose.numbers import (
    count,
    items,
    level,
    percent,
    pp,
    pp_range,
    probability,
    pvalue,
)


def _sizes(claim: UnpairedClaim) -> str:
    if claim.n_items_a == claim.n_items_b:
        return f"{claim.n_items_a:,} items each"
    return f"{claim.n_items_a:,} and {claim.n_items_b:,} items"


def _finding(claim: UnpairedClaim) -> str:
    """Return the first sentence: verdict, gap, interval, and p-value."""
    if is_opposite(claim):
        return opposite(claim)
    gap = pp(claim.gap, sign=True)
    if claim.verdict == "depends":
        low, high = (pvalue(float(x)) for x in claim.pvalue_bounds)
        return (
            f"Depends: rounding decides whether {gap} is significant on separate items "
            f"(p = {low} to {high})."
        )
    word, verb = (
        ("Supported", "is") if claim.verdict == "supported" else ("Not supported", "is not")
    )
    side = "one-sided " if claim.criteria.sides == 1 else ""
    p = p_is(claim.pvalue, level=claim.criteria.alpha)
    return f"{word}: {gap} {verb} significant on separate items ({_ci(claim)}, {side}{p})."


def _ci(claim: UnpairedClaim) -> str:
    return f"{percent(1 - claim.criteria.alpha)} CI {_limits(claim)}"


def _thresholds(claim: UnpairedClaim) -> str:
    """Return the sentence about the sizes of gaps that are significant or detectable."""
    c = claim.criteria
    noun = "loss" if c.alternative == "less" else "gap"
    if math.isinf(claim.mde):
        return f"{_sizes(claim).capitalize()} are too few to detect a {noun} reliably."
    detected = f"a true {noun} of {pp(claim.mde)} is detected with {probability(c.power)} power"
    if not 0 < claim.t < math.inf:
        return f"Here {detected}."
    # The score test divides by one variance for both models, so its SE is |gap| / |z|.
    critical = NormalDist().inv_cdf(1 - c.alpha / c.sides) * abs(claim.gap) / claim.t
    return f"Here an observed {noun} above {pp(critical)} is significant; {detected}."


def _headline(claim: UnpairedClaim) -> str:
    warned = caution([*read_as(claim), *impossible_shares(claim)])
    return " ".join(filter(None, (_finding(claim), _thresholds(claim), warned)))


def _counts(counts: CountRange) -> str:
    return (
        f"{counts.least:,}"
        if counts.least == counts.most
        else f"{counts.least:,} to {counts.most:,}"
    )


def _limits(claim: UnpairedClaim) -> str:
    return pp_range(*map(float, claim.ci), sign=True)


def _grid(claim: UnpairedClaim) -> TextTable:
    def row(label: str, p: float, n: int, counts: CountRange) -> tuple[str, ...]:
        se = math.sqrt(p * (1 - p) / n)
        return label, percent(p), f"{n:,}", _counts(counts), pp(se, column=True)

    return TextTable(
        title="Accuracy by model",
        header=("model", "accuracy", "items", "correct", "SE"),
        rows=(
            row("first", claim.mean_a, claim.n_items_a, claim.n_correct[0]),
            row("second", claim.mean_b, claim.n_items_b, claim.n_correct[1]),
        ),
    )


def _notes(claim: UnpairedClaim) -> tuple[str, ...]:
    out = []
    covers_zero = float(claim.ci.low) <= 0 <= float(claim.ci.high)
    if claim.criteria.sides == 2 and claim.verdict == (
        "supported" if covers_zero else "not_supported"
    ):
        out.append("Borderline: the score test and Newcombe's CI disagree.")
    if math.isfinite(claim.n_star):
        out.append(
            f"Detecting a gap of {pp(abs(claim.gap))} takes {items(claim.n_star)} per model "
            f"({percent(claim.criteria.power)} power)."
        )
    if claim.n_items_a == claim.n_items_b:
        paired = by_interface(python="nstar.claim", command="nstar claim")
        out.append(
            f"If both models answered the same items, use {paired}, because a paired test is "
            "usually more powerful."
        )
    else:
        out.append(
            "If one set of items contains the other, ask for both accuracies on the shared items, "
            "because a paired test is usually more powerful."
        )
    bare = bare_note(claim)
    return (*out, bare) if bare else tuple(out)


_ADVICE = {
    "supported": "Item sampling alone does not explain the gap if both sets of items are alike.",
    "not_supported": "Describe the gap as inconclusive, not as equality.",
    "depends": "Please report the counts of correct answers, because rounding decides.",
}


def paragraph(claim: UnpairedClaim) -> str:
    """Return a paragraph for a review."""
    c = claim.criteria
    first, second = (
        percent(p, None if claim.printed.decimals is None else claim.printed.decimals[i] - 2)
        for i, p in enumerate((claim.mean_a, claim.mean_b))
    )
    mde = f"the minimum detectable effect is {pp(claim.mde)}"
    if math.isinf(claim.mde):
        mde = "no gap can be detected reliably"
    advice = (
        "The gap is opposite to the alternative." if is_opposite(claim) else _ADVICE[claim.verdict]
    )
    need = f"Detecting the reported gap would take {count(claim.n_star)} items per model."
    if not math.isfinite(claim.n_star):
        need = ""
    parts = (
        f"The paper reports {first} on {claim.n_items_a:,} items against {second} on "
        f"{claim.n_items_b:,} other items, a gap of {pp(claim.gap, sign=True)} "
        f"({percent(1 - c.alpha)} Newcombe CI {_limits(claim)}). The score test for two "
        f"proportions gives z = {claim.t:.2f}, p = {pvalue(claim.pvalue)}. With these items, "
        f"{mde} ({percent(c.power)} power, {level(c.alpha, c.sides)}).",
        need,
        caution(impossible_shares(claim)),
        advice,
    )
    return " ".join(part for part in parts if part)


def document(claim: UnpairedClaim) -> Document:
    """Return the report: headline, both accuracies with their errors, and a paragraph."""
    tested = level(claim.criteria.alpha, claim.criteria.sides)
    return Document(
        headline=_headline(claim),
        opening=_finding(claim),
        grids=(_grid(claim),),
        notes=_notes(claim),
        detail=(
            f"The test is the score test for two proportions: z = {claim.t:.2f}, p = "
            f"{pvalue(claim.pvalue)}. The CI is Newcombe's hybrid score interval. The SE of the "
            f"gap is {pp(claim.se)}.",
        ),
        basis=f"separate samples of independent items ({_sizes(claim)}), scored 0/1; {tested}.",
        assumptions=(
            f"The models answered different items, {_sizes(claim)}, from the same source. Each "
            "item was scored once, as 0 or 1.",
            "Items are independent. Items from shared passages or repositories make the gap less "
            "certain.",
        ),
    )
