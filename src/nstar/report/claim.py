"""A Claim in words, for a reviewer."""

import math
from dataclasses import asdict
from typing import Any

from scipy import special

from nstar._claim import Claim, ClaimRow
from nstar._typing import Interval
from nstar.report._document import Document, Grid
from nstar.report._format import count, percent, pp, pvalue
from nstar.report._json import whole
from nstar.stats.printed import Grim

__all__ = ["data", "document"]


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
    return claim.typical.low == claim.typical.high


def _typical(claim: Claim) -> str:
    t = claim.typical
    if claim.rho_bounds is None:
        return "the only discordance possible"
    if _known(claim):
        return f"an item correlation of {t.mean:g}"
    return f"item correlations of {t.low:g}–{t.high:g}"


def _source(claim: Claim) -> str:
    if claim.rho_bounds is None:
        return "one model being constant"
    if _known(claim):
        return "as given"
    return f"published as typical of {claim.typical.name} (clawRxiv 2604.01974)"


def _t_range(claim: Claim) -> str:
    if math.isclose(claim.t_min, claim.t_max):
        return f"at {claim.t_min:.2f}"
    high = "∞" if math.isinf(claim.t_max) else f"{claim.t_max:.2f}"
    return f"between {claim.t_min:.2f} and {high}"


def _at_known_rho(claim: Claim) -> str:
    row = next(r for r in claim.rows if r.rho == claim.typical.mean)
    word = "significant" if row.t >= claim.criteria.z else "not significant"
    return f"At that correlation |T| = {row.t:.2f}, {word}; {claim.criteria.z:.2f} is needed."


def _significance(claim: Claim) -> str:
    if _known(claim) and any(r.rho == claim.typical.mean for r in claim.rows):
        return _at_known_rho(claim)
    if claim.significance == "always":
        return (
            f"It is significant whatever the item correlation (|T| {_t_range(claim)}, "
            f"{claim.criteria.z:.2f} needed)."
        )
    if claim.significance == "never":
        return (
            f"It is not significant whatever the item correlation (|T| {_t_range(claim)}, "
            f"{claim.criteria.z:.2f} needed)."
        )
    return (
        f"Whether it is significant cannot be told from two accuracies: |T| lies "
        f"{_t_range(claim)}, so per-item data are needed."
    )


_PLACE = {
    "below": "well below what {n} items can detect",
    "borderline": "within 50 % of what {n} items can detect, a borderline claim",
    "above": "well above what {n} items can detect",
}


def _headline(claim: Claim) -> str:
    place = _PLACE[claim.verdict].format(n=count(claim.n))
    return (
        f"The printed gap of {pp(claim.delta, sign=True)} is {place} "
        f"(MDE {_span(claim.mde)} at {_typical(claim)}). "
        f"{_significance(claim)}"
    )


def _row(row: ClaimRow) -> tuple[str, ...]:
    p = "–" if math.isinf(row.t) else pvalue(float(2 * special.ndtr(-row.t)))
    t = "∞" if math.isinf(row.t) else f"{row.t:.2f}"
    return (f"{row.rho:.2f}", f"{row.psi:.3f}", t, p, pp(row.mde, column=True), count(row.n_star))


def _settle(claim: Claim) -> str:
    text = (
        "Two counts settle it: the items only the first model got right and those only the "
        "second did"
    )
    if claim.rho_significant is None:
        return text + "."
    psi = claim.n * (claim.delta / claim.criteria.z) ** 2 + claim.delta**2
    most = math.floor(claim.n * psi)
    return (
        f"{text}. The gap is significant if the models disagree on at most about {most:,} of the "
        f"{claim.n:,} items (rho ≥ {claim.rho_significant:.2f})."
    )


def _grim(name: str, p: float, n: int, check: Grim) -> str:
    if not check.possible:
        return (
            f"{name} {percent(p)} is not k/{n:,} for any whole k (nearest {check.low:,}/{n:,} = "
            f"{percent(check.nearest)}): is it a mean of graded scores, of runs, or over another "
            "number of items?"
        )
    k = f"{check.low:,}" if check.low == check.high else f"{check.low:,} to {check.high:,}"
    return f"{name} {percent(p)} can be k/{n:,}: k = {k}."


def _grim_notes(claim: Claim) -> list[str]:
    if claim.grim is None:
        return []
    if all(g.possible and not g.informative for g in claim.grim):
        return [
            f"Both accuracies can be k/{claim.n:,}; with this many items any value printed to "
            "these digits could be."
        ]
    return [
        _grim("First accuracy", claim.p_a, claim.n, claim.grim[0]),
        _grim("Second accuracy", claim.p_b, claim.n, claim.grim[1]),
    ]


def _p_note(claim: Claim) -> str | None:
    check = claim.p_check
    if check is None:
        return None
    if check.t is None:
        return (
            "The printed p of 0 is impossible: a resampling test with B resamples can say at "
            "best p = 1/(B + 1); write p < that."
        )
    if not check.possible:
        return (
            f"The printed p = {check.p:g} (|T| = {check.t:.2f}) is impossible for these "
            f"accuracies on the same items: |T| must lie {_t_range(claim)}."
        )
    rho = "" if check.rho is None else f" and implies an item correlation of {check.rho:.2f}"
    return f"The printed p = {check.p:g} is possible (|T| = {check.t:.2f}){rho}."


def _ci_note(claim: Claim) -> str | None:
    check, limits = claim.ci_check, claim.printed.interval
    if check is None or limits is None:
        return None
    low, high = float(limits.low), float(limits.high)
    span = f"[{pp(low, sign=True)}, {pp(high, sign=True)}]"
    if not low <= claim.delta <= high:
        return f"The printed interval {span} does not contain the printed gap."
    note = f"The printed interval {span} implies a standard error of {pp(check.se)}"
    note += f" and a two-sided p of {pvalue(check.p_two_sided)}"
    p = claim.printed.p
    if p is None:
        return note + "."
    contains = low <= 0 <= high
    if (p < 1 - claim.printed.conf) == contains:
        state = "contains 0" if contains else "excludes 0"
        note += f", and {state}: the printed p = {p:g} contradicts it"
    elif check.verdict == "consistent":
        note += ", in agreement with the printed p"
    elif check.verdict == "inconsistent":
        note += f": the printed p = {p:g} contradicts it"
    return note + ("; it looks one-sided." if check.verdict == "one-sided" else ".")


_MEANING = {
    "right": "the right size for a paired comparison",
    "half": "half of what is needed: one model's variance was used",
    "unpaired": "a size for different items per model, pairing ignored",
    "wrong": "not a size for 80 % power in a paired comparison",
}


def _size_note(claim: Claim) -> str | None:
    check = claim.size_check
    if check is None:
        return None
    head = f"The printed sample size {check.printed:,.0f}"
    need = f"{count(check.right)} items are needed at rho = {check.rho:g}"
    if not check.matches:
        return (
            f"{head} matches no formula nstar knows; {need} (give --rho if the paper states one)."
        )
    best = check.matches[0]
    return f"{head} matches {best.formula}: {_MEANING[best.verdict]}; {need}."


def _notes(claim: Claim) -> tuple[str, ...]:
    notes = [_settle(claim)]
    notes += _grim_notes(claim)
    notes += [x for x in (_p_note(claim), _ci_note(claim), _size_note(claim)) if x]
    return tuple(notes)


_ADVICE = {
    "always": "The gap itself is not in doubt; an interval would show its size.",
    "never": "The gap should be described as not resolved by this benchmark, not as equality.",
    "depends": (
        "Please report how many items only one of the models answered correctly (or release "
        "per-item results), with a paired test and an interval; until then the comparison is "
        "inconclusive."
    ),
}


def _paragraph(claim: Claim) -> str:
    c = claim.criteria
    side = "two-sided" if c.sides == 2 else "one-sided"
    need = (
        f"detecting a gap of {pp(abs(claim.delta))} would take {_counts(claim.n_star)} items"
        if math.isfinite(float(claim.n_star.high))
        else f"no feasible design detects a gap of {pp(abs(claim.delta))} there"
    )
    return (
        f"The paper reports {percent(claim.p_a)} against {percent(claim.p_b)} on {claim.n:,} "
        f"items, a gap of {pp(claim.delta, sign=True)}. Both models answered the same items, so "
        f"the test statistic depends on how often they disagree: from the two accuracies alone "
        f"|T| lies {_t_range(claim)}. At {_typical(claim)}, "
        f"{_source(claim)}, the minimum detectable effect is {_span(claim.mde)} "
        f"({percent(c.power)} power, {side} α = {c.alpha:g}), and {need}. "
        f"{_ADVICE[claim.significance]}"
    )


def document(claim: Claim) -> Document:
    """Headline, the claim over item correlations, checks, a paragraph to paste."""
    grids: tuple[Grid, ...] = ()
    if claim.rows:
        bounds = claim.rho_bounds
        limits = (
            ""
            if bounds is None
            else (f" (feasible: {float(bounds.low):.2f} to {float(bounds.high):.2f})")
        )
        grids = (
            Grid(
                title=f"By item correlation (rho) between the two models{limits}",
                header=("rho", "discordant", "|T|", "p", "MDE", "items needed"),
                rows=tuple(_row(r) for r in claim.rows),
            ),
        )
    return Document(
        headline=_headline(claim),
        grids=grids,
        notes=_notes(claim),
        paragraph=_paragraph(claim),
        assumptions=(
            f"Both models answered the same {claim.n:,} items once, scored 0/1, and the printed "
            "accuracies are plain means over them.",
            f"{_typical(claim).capitalize()}, {_source(claim)}; per-item data beat it.",
            "Items are independent draws; if they come in passages or repositories the gap is "
            "less certain still.",
            "Below, borderline and above: less than 0.5, 0.5 to 1.5, more than 1.5 times the MDE.",
        ),
    )


def data(claim: Claim) -> dict[str, Any]:
    """Everything a Claim holds."""
    checks = {
        "grim": None if claim.grim is None else [asdict(g) for g in claim.grim],
        "p": None if claim.p_check is None else asdict(claim.p_check),
        "ci": None if claim.ci_check is None else asdict(claim.ci_check),
        "printed_n": None if claim.size_check is None else asdict(claim.size_check),
    }
    return {
        "verdict": claim.verdict,
        "significance": claim.significance,
        "needs_per_item_data": claim.significance == "depends",
        "p_a": claim.p_a,
        "p_b": claim.p_b,
        "items": claim.n,
        "delta": claim.delta,
        "t_min": claim.t_min,
        "t_max": claim.t_max,
        "t_independent": claim.t_independent,
        "rho_bounds": claim.rho_bounds,
        "rho_significant": claim.rho_significant,
        "typical_rho": asdict(claim.typical),
        "mde": claim.mde,
        "n_star": {"low": whole(claim.n_star.low), "high": whole(claim.n_star.high)},  # type: ignore[arg-type]
        "criteria": asdict(claim.criteria),
        "table": [asdict(r) | {"n_star": whole(r.n_star)} for r in claim.rows],
        "checks": checks,
        "paragraph": _paragraph(claim),
    }
