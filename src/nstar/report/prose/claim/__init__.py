"""A Claim in words, for a reviewer."""

import math

import numpy as np

from nstar._base.types import Interval
from nstar._verbs.claim import Claim, ClaimRow
from nstar.report.documents import Document, TextTable
from nstar.report.prose.claim.figures import (
    bare_note,
    figure_alarms,
    fits_grid,
    impossible_shares,
    interval_note,
    p_finding,
    p_note,
    taken_as,
    truncated_share,
)
from nstar.report.prose.numbers import count, items, level, percent, pp, pvalue
from nstar.stats.printed import Grim


def _span(interval: Interval) -> str:
    low, high = float(interval.low), float(interval.high)
    if math.isinf(low):
        return "no gap"
    if math.isinf(high):
        return f"{pp(low)} or more"
    if pp(low) == pp(high):
        return pp(low)
    return f"{pp(low).removesuffix(' pp')} to {pp(high)}"


def _counts(interval: Interval) -> str:
    low, high = float(interval.low), float(interval.high)
    return count(low) if count(low) == count(high) else f"{count(low)} to {count(high)}"


def _known(claim: Claim) -> bool:
    return claim.rho_assumed.low == claim.rho_assumed.high


def _typical(claim: Claim) -> str:
    t = claim.rho_assumed
    if claim.rho_bounds is None:
        return "the only discordance possible"
    low, high = (float(np.clip(r, *claim.rho_bounds)) for r in (t.low, t.high))
    if low == high:
        return f"an item correlation of {low:.2g}"
    return f"item correlations of {low:.2g}–{high:.2g}"


def _source(claim: Claim) -> str:
    if claim.rho_bounds is None:
        return "one model being constant"
    if _known(claim):
        return "as given"
    return f"typical of {claim.rho_assumed.name} (correlations {claim.rho_assumed.source})"


def _number(t: float) -> str:
    return "∞" if math.isinf(t) else f"{t:.2f}"


def _t_range(claim: Claim) -> str:
    low, high = _number(claim.t_min), _number(claim.t_max)
    return f"at {low}" if low == high else f"between {low} and {high}"


def _at_known_rho(claim: Claim) -> str:
    row = next(r for r in claim.scenarios if r.rho == claim.rho_assumed.mean)
    most = claim.n_discordant_significant
    word = (
        "significant"
        if most is not None and row.psi * claim.n_items <= most
        else "not significant"
    )
    return (
        f"At that correlation the models disagree on about {row.psi * claim.n_items:,.0f} items "
        "and "
        f"the gap is {word} (|T| = {_number(row.t)})."
    )


_OPPOSITE = "The gap is opposite to the alternative."


def _is_opposite(claim: Claim) -> bool:
    return not claim.criteria.can_detect(claim.gap)


def _significance(claim: Claim) -> str:
    least, most = claim.n_discordant
    if _is_opposite(claim):
        return "The gap is opposite to the alternative, so it cannot be significant."
    if least == most:
        word = "is" if claim.verdict == "supported" else "is not"
        return f"The models disagree on exactly {items(least)}, and the gap {word} significant."
    if _known(claim) and any(r.rho == claim.rho_assumed.mean for r in claim.scenarios):
        return _at_known_rho(claim)
    if claim.verdict == "supported":
        return "It is significant however often the models disagree."
    if claim.verdict == "not_supported":
        return (
            "It is not significant however often the models disagree: even "
            f"{items(claim.gap_items[1])} gained and none lost would not be."
        )
    return (
        f"Whether it is significant cannot be told from two accuracies: the models may disagree "
        f"on anything from {least:,} to {most:,} items, so per-item data are needed."
    )


_PLACE = {
    "below": "well below what {n} items can detect",
    "borderline": "within 50% of what {n} items can detect",
    "above": "well above what {n} items can detect",
}


def _alarms(claim: Claim) -> list[str]:
    """What does not fit in the printed figures, shortest form, for the headline."""
    return impossible_shares(claim) + figure_alarms(claim)


def _opening(claim: Claim) -> str:
    """The printed gap beside what the items can detect, after what is odd about the figures."""
    place = _PLACE[claim.gap_vs_mde].format(n=count(claim.n_items))
    if claim.gap_vs_mde == "borderline" and claim.verdict != "supported":
        place += ", a borderline claim"
    if math.isinf(float(claim.mde.low)):
        place = f"one that {count(claim.n_items)} items cannot reliably detect"
    mde = f" (MDE {_span(claim.mde)} at {_typical(claim)})" if "reliably" not in place else ""
    main = f"The printed gap of {pp(claim.gap, sign=True)} is {place}{mde}."
    return " ".join([*taken_as(claim), *_alarms(claim), main])


def _headline(claim: Claim) -> str:
    asked = [found for found in (p_finding(claim), _size_finding(claim)) if found]
    return " ".join([_opening(claim), _significance(claim), *asked])


def _row(row: ClaimRow) -> tuple[str, ...]:
    p = "–" if math.isinf(row.t) else pvalue(row.pvalue)
    t = "∞" if math.isinf(row.t) else f"{row.t:.2f}"
    rho = f"{row.rho:.2f}".replace("-", "−")
    return (rho, f"{row.psi:.3f}", t, p, pp(row.mde, column=True), count(row.n_star))


def _settle(claim: Claim) -> str | None:
    if claim.verdict != "depends":
        return None
    gap = claim.gap_items
    if claim.n_discordant_significant is None:
        return (
            f"The printed digits allow a gap of {gap.least:,} to {items(gap.most)}; only the "
            "larger ones could be significant. The counts themselves settle it."
        )
    about = "" if gap.least == gap.most else "about "  # the printed digits are rounded
    rho = ""
    if claim.rho_significant is not None:
        rho = f" (rho ≥ {claim.rho_significant:.2f})"
    return (
        "Two counts settle it: the items only the first model got right and those only the "
        "second did. The gap is significant if the models disagree on at most "
        f"{about}{claim.n_discordant_significant:,} of the {claim.n_items:,} items{rho}."
    )


def _rounding_note(claim: Claim) -> str | None:
    """Digits so coarse that the gap itself is uncertain by half of it or more."""
    least, most = claim.gap_items
    if (
        most - least < 0.5 * abs(claim.gap) * claim.n_items
        or claim.n_discordant_significant is None
    ):
        return None
    return f"The printed digits allow a gap of {least:,} to {items(most)}: ask for more digits."


def _grim(name: str, p: str, n: int, check: Grim) -> str:
    if not check.possible and check.truncation is not None:
        return (
            f"{name} {p} is k/{n:,} only if its digits were truncated, not rounded "
            f"({truncated_share(check.truncation, n)}): ask for more digits."
        )
    if not check.possible:
        return (
            f"{name} {p} is not k/{n:,} for any whole k (nearest {check.low:,}/{n:,} = "
            f"{percent(check.nearest)}): is it a mean of graded scores, of runs, or over another "
            "number of items?"
        )
    k = f"{check.low:,}" if check.low == check.high else f"{check.low:,} to {check.high:,}"
    return f"{name} {p} can be k/{n:,}: k = {k}."


def _grim_notes(claim: Claim) -> list[str]:
    if claim.grim is None:
        return []
    if all(g.possible and not g.informative for g in claim.grim):
        return [
            f"Both accuracies can be k/{claim.n_items:,}; with this many items any value "
            "printed to "
            "these digits could be."
        ]
    digits = claim.printed.decimals or (2, 2)
    return [
        _grim(
            "First accuracy", percent(claim.mean_a, digits[0] - 2), claim.n_items, claim.grim[0]
        ),
        _grim(
            "Second accuracy", percent(claim.mean_b, digits[1] - 2), claim.n_items, claim.grim[1]
        ),
    ]


_MEANING = {
    "right": "the right one for a paired comparison",
    "half": "half of what is needed, because it uses one model's variance",
    "unpaired": "one for different items per model, with pairing ignored",
    "wrong": "not one for this level and power in a paired comparison",
}


def _size_finding(claim: Claim) -> str | None:
    """What came of the printed sample size, where the correlation is known."""
    check = claim.n_check
    if check is None or not check.matches or not (_known(claim) or claim.rho_bounds is None):
        return None
    head, word = f"The printed sample size {check.printed:,.0f}", check.matches[0].verdict
    if word == "right":
        return f"{head} is right."
    share = "half of" if word == "half" else "not"
    return f"{head} is {share} what is needed, {count(check.n_star)}."


def _size_note(claim: Claim) -> str | None:
    check = claim.n_check
    if check is None:
        return None
    head = f"The printed sample size {check.printed:,.0f}"
    if _known(claim) or claim.rho_bounds is None:
        need = f"{count(check.n_star)} items are needed"
        if not check.matches:
            return f"{head} matches no formula nstar knows; {need}."
        best = check.matches[0]
        return f"{head} is {_MEANING[best.verdict]} ({best.formula}); {need}."
    at = []
    if check.rho_right is not None:
        at.append(f"the right one if rho = {check.rho_right:.2f}")
    if check.rho_half is not None:
        at.append(f"half of what is needed (one model's variance) if rho = {check.rho_half:.2f}")
    if not at:
        return f"{head} is right for no feasible item correlation."
    return f"{head} is {' and '.join(at)}; ask which rho it assumes."


def _notes(claim: Claim) -> tuple[str, ...]:
    """What was printed beside the accuracies first: its checks were asked for."""
    asked = (bare_note(claim), p_note(claim), interval_note(claim), _settle(claim))
    also = (*_grim_notes(claim), _rounding_note(claim), _size_note(claim))
    return tuple(note for note in (*asked, *also) if note)


_ADVICE = {
    "supported": "A paired test would find the gap significant; an interval would show its size.",
    "not_supported": "The gap should be described as not resolved by this benchmark, not as "
    "equality.",
    "depends": (
        "Please report how many items only one of the models answered correctly (or release "
        "per-item results), with a paired test and an interval; until then the comparison is "
        "inconclusive."
    ),
}


def _accuracies(claim: Claim) -> tuple[str, str]:
    """Both as printed, or with as few digits as they need."""
    first, second = claim.printed.decimals or (None, None)
    return (
        percent(claim.mean_a, None if first is None else first - 2),
        percent(claim.mean_b, None if second is None else second - 2),
    )


def paragraph(claim: Claim) -> str:
    """What a reviewer may write."""
    c = claim.criteria
    need = (
        f"detecting a gap of {pp(abs(claim.gap))} would take {_counts(claim.n_star)} items"
        if math.isfinite(float(claim.n_star.high))
        else f"no feasible design detects a gap of {pp(abs(claim.gap))} there"
    )
    lead = " ".join([*_alarms(claim), ""])
    asked = "".join(f"{found} " for found in (p_finding(claim), _size_finding(claim)) if found)
    first, second = _accuracies(claim)
    mde = f"the minimum detectable effect is {_span(claim.mde)}"
    if math.isinf(float(claim.mde.low)):
        mde = f"{claim.n_items:,} items cannot reliably detect any gap in that direction"
    return (
        f"{lead}The paper reports {first} against {second} on {claim.n_items:,} items, a gap of "
        f"{pp(claim.gap, sign=True)}. Both models answered the same items, so the test "
        f"statistic depends on how often they disagree; from the two accuracies alone |T| lies "
        f"{_t_range(claim)}. At {_typical(claim)}, {_source(claim)}, {mde} "
        f"({percent(c.power)} power, {level(c.alpha, c.sides)}), and {need}. "
        f"{asked}{_OPPOSITE if _is_opposite(claim) else _ADVICE[claim.verdict]}"
    )


def document(claim: Claim) -> Document:
    """Headline, the claim over item correlations, checks, a paragraph to paste."""
    grids: tuple[TextTable, ...] = ()
    if claim.scenarios:
        bounds = claim.rho_bounds
        limits = (
            ""
            if bounds is None
            else f" (feasible: {bounds.low:.2f} to {bounds.high:.2f})".replace("-", "−")
        )
        grids = (
            TextTable(
                title=f"By item correlation (rho) between the two models{limits}",
                header=("rho", "discordant", "|T|", "p", "MDE", "items needed"),
                rows=tuple(_row(r) for r in claim.scenarios),
            ),
        )
    grids += fits_grid(claim)
    return Document(
        headline=_headline(claim),
        opening=_opening(claim),
        grids=grids,
        notes=_notes(claim),
        assumptions=(
            f"Both models answered the same {claim.n_items:,} items once, scored 0/1, and the "
            "printed accuracies are plain means over them.",
            f"{_typical(claim).capitalize()}, {_source(claim)}; per-item data beat it.",
            "Items are independent draws; if they come in passages or repositories the gap is "
            "less certain still.",
            "Below, borderline and above: less than 0.5, 0.5 to 1.5, more than 1.5 times the MDE.",
        ),
    )
