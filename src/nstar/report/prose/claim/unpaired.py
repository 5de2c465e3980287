"""An UnpairedClaim in words, for a reviewer."""

import math

from nstar._verbs.claim import CountRange, UnpairedClaim
from nstar.errors import by_interface
from nstar.report.documents import Document, TextTable
from nstar.report.prose.claim.figures import bare_note, impossible_shares, taken_as
from nstar.report.prose.numbers import count, items, level, percent, pp, pvalue

_PLACE = {
    "below": "well below what these items can detect",
    "borderline": "within 50% of what these items can detect",
    "above": "well above what these items can detect",
}


def _sizes(claim: UnpairedClaim) -> str:
    if claim.n_items_a == claim.n_items_b:
        return f"{claim.n_items_a:,} items each"
    return f"{claim.n_items_a:,} and {claim.n_items_b:,} items"


_OPPOSITE = "The gap is opposite to the alternative."


def _is_opposite(claim: UnpairedClaim) -> bool:
    return not claim.criteria.can_detect(claim.gap)


def _significance(claim: UnpairedClaim) -> str:
    p = f"score test for two proportions: z = {claim.t:.2f}, p = {pvalue(claim.pvalue)}"
    if _is_opposite(claim):
        return f"The gap is opposite to the alternative, so it cannot be significant ({p})."
    if claim.verdict == "supported":
        return f"On different items it is significant ({p})."
    if claim.verdict == "not_supported":
        return f"On different items it is not significant ({p})."
    low, high = (pvalue(float(x)) for x in claim.pvalue_bounds)
    return (
        f"On different items ({p}) the printed digits leave open whether it is significant: the "
        f"counts that print so give p from {low} to {high}."
    )


def _opening(claim: UnpairedClaim) -> str:
    """The printed gap beside what the items can detect, after what is odd about the figures."""
    if math.isinf(claim.mde):
        place = f"one that {_sizes(claim)} cannot reliably detect"
    else:
        doubt = claim.gap_vs_mde == "borderline" and claim.verdict != "supported"
        place = _PLACE[claim.gap_vs_mde] + (", a borderline claim" if doubt else "")
        place += f" (MDE {pp(claim.mde)} with {_sizes(claim)})"
    gap = f"The printed gap of {pp(claim.gap, sign=True)} is {place}."
    return " ".join([*taken_as(claim), *impossible_shares(claim), gap])


def _counts(found: CountRange) -> str:
    return (
        f"{found.least:,}" if found.least == found.most else f"{found.least:,} to {found.most:,}"
    )


def _limits(claim: UnpairedClaim) -> str:
    low, high = (pp(float(x), sign=True) for x in claim.ci)
    return f"{low} to {high}"


def _grid(claim: UnpairedClaim) -> TextTable:
    def row(which: str, p: float, n: int, found: CountRange) -> tuple[str, ...]:
        se = math.sqrt(p * (1 - p) / n)
        return which, percent(p), f"{n:,}", _counts(found), pp(se, column=True)

    return TextTable(
        title="Each accuracy on items of its own",
        header=("model", "accuracy", "items", "right answers", "standard error"),
        rows=(
            row("first", claim.mean_a, claim.n_items_a, claim.n_correct[0]),
            row("second", claim.mean_b, claim.n_items_b, claim.n_correct[1]),
        ),
    )


def _notes(claim: UnpairedClaim) -> tuple[str, ...]:
    conf = percent(1 - claim.criteria.alpha)
    out = [
        f"{conf} interval of the gap: {_limits(claim)} (Newcombe's hybrid score interval); "
        f"standard error {pp(claim.se)}."
    ]
    if math.isfinite(claim.n_star):
        out.append(
            f"A gap of {pp(abs(claim.gap))} would take {items(claim.n_star)} per model "
            f"({percent(claim.criteria.power)} power, "
            f"{level(claim.criteria.alpha, claim.criteria.sides)})."
        )
    if claim.n_items_a == claim.n_items_b:
        paired = by_interface(python="nstar.claim", command="nstar claim")
        out.append(
            f"If both models answered the same items, use {paired}: a paired test is usually more "
            "powerful, and its result depends on how often the models disagree."
        )
    else:
        out.append(
            "If one set of items contains the other, the shared items could be paired; ask for "
            "both accuracies on those."
        )
    bare = bare_note(claim)
    return (*out, bare) if bare else tuple(out)


_ADVICE = {
    "supported": "The gap is larger than sampling of items explains, if the two sets are alike.",
    "not_supported": "The gap should be described as not resolved, not as equality.",
    "depends": "Please report the counts of right answers: rounded accuracies do not settle it.",
}


def paragraph(claim: UnpairedClaim) -> str:
    """What a reviewer may write."""
    c = claim.criteria
    first, second = (
        percent(p, None if claim.printed.decimals is None else claim.printed.decimals[i] - 2)
        for i, p in enumerate((claim.mean_a, claim.mean_b))
    )
    mde = (
        "no gap in that direction is reliably detected"
        if math.isinf(claim.mde)
        else f"the minimum detectable effect is {pp(claim.mde)}"
    )
    lead = " ".join([*impossible_shares(claim), ""])
    return (
        f"{lead}The paper reports {first} on {claim.n_items_a:,} items against {second} on "
        f"{claim.n_items_b:,} other items, a gap of {pp(claim.gap, sign=True)} "
        f"({percent(1 - c.alpha)} Newcombe interval {_limits(claim)}). The score test for two "
        f"proportions gives z = {claim.t:.2f}, p = {pvalue(claim.pvalue)}. With these items {mde} "
        f"({percent(c.power)} power, {level(c.alpha, c.sides)}); the printed gap would take "
        f"{count(claim.n_star)} items per model. "
        f"{_OPPOSITE if _is_opposite(claim) else _ADVICE[claim.verdict]}"
    )


def document(claim: UnpairedClaim) -> Document:
    """Headline, the two accuracies with their errors, a paragraph to paste."""
    return Document(
        headline=f"{_opening(claim)} {_significance(claim)}",
        opening=_opening(claim),
        grids=(_grid(claim),),
        notes=_notes(claim),
        assumptions=(
            f"The models answered different items, {_sizes(claim)}, drawn from the same source "
            "and scored 0/1 once.",
            "Items are independent draws; if they come in passages or repositories the gap is "
            "less certain still.",
            "Below, borderline and above: less than 0.5, 0.5 to 1.5, more than 1.5 times the MDE.",
        ),
    )
