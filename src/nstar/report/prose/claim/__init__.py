"""Write the report of a Claim, for a reviewer."""

import math

import numpy as np

from nstar._verbs.claim import Claim, ClaimRow, UnpairedClaim
from nstar.report.documents import Document, TextTable
from nstar.report.prose.claim.figures import (
    bare_note,
    caution,
    figure_alarms,
    fits_grid,
    impossible_shares,
    interval_note,
    p_alarm,
    p_finding,
    p_note,
    read_as,
    truncated_share,
)
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
from nstar.stats.designs import McNemarTest
from nstar.stats.printed import Grim


def _range(low: str, high: str) -> str:
    """Return ``15–30``, or one value if both limits print the same."""
    return low if low == high else f"{low}–{high}"


def _mde(claim: Claim) -> str:
    low, high = float(claim.mde.low), float(claim.mde.high)
    return f"at least {pp(low)}" if math.isinf(high) else pp_range(low, high)


def _is_known(claim: Claim) -> bool:
    return claim.rho_assumed.low == claim.rho_assumed.high


def _typical(claim: Claim) -> str:
    t = claim.rho_assumed
    if claim.rho_bounds is None:
        return "the only possible disagreement"
    low, high = (float(np.clip(r, *claim.rho_bounds)) for r in (t.low, t.high))
    if low == high:
        return f"an item correlation of {low:.2g}"
    return f"item correlations of {low:.2g}–{high:.2g}"


def _source(claim: Claim) -> str:
    if claim.rho_bounds is None:
        return "because one model is constant"
    if _is_known(claim):
        return "as declared"
    return f"typical of {claim.rho_assumed.name} (correlations {claim.rho_assumed.source})"


def _number(t: float) -> str:
    return "∞" if math.isinf(t) else f"{t:.2f}"


def _assumed(claim: Claim) -> list[ClaimRow]:
    """Return the rows at the assumed correlations."""
    t, bounds = claim.rho_assumed, claim.rho_bounds
    if bounds is None:
        return []
    low, high = (float(np.clip(r, *bounds)) for r in (t.low, t.high))
    return [row for row in claim.scenarios if low <= row.rho <= high]


def _n_discordant(claim: Claim, row: ClaimRow) -> int:
    return round(row.psi * claim.n_items)


def _typical_counts(claim: Claim) -> str:
    """Return the number of items on which the models disagree at the assumed correlations."""
    counts = [_n_discordant(claim, row) for row in _assumed(claim)]
    return _range(count(min(counts)), count(max(counts))) if counts else ""


def is_opposite(claim: Claim | UnpairedClaim) -> bool:
    """Return whether the gap has the opposite sign to the alternative."""
    return not claim.criteria.can_detect(claim.gap)


def opposite(claim: Claim | UnpairedClaim) -> str:
    """Return the finding about a gap with the opposite sign to the alternative."""
    word = "lower" if claim.criteria.alternative == "greater" else "higher"
    return f"Not supported: the first model scores {word}."


def _finding(claim: Claim) -> str:
    """Return the first sentence: verdict, gap, and the deciding quantity."""
    gap = f"{pp(claim.gap, sign=True)} on {items(claim.n_items)}"
    if is_opposite(claim):
        return opposite(claim)
    min_discordant, max_discordant = claim.n_discordant
    if claim.verdict != "depends":
        word = "Supported" if claim.verdict == "supported" else "Not supported"
        significant = "is" if claim.verdict == "supported" else "is not"
        condition = "however often the models disagree"
        if min_discordant == max_discordant:
            condition = f"and the models disagree on exactly {items(min_discordant)}"
        return f"{word}: {gap} {significant} significant, {condition}."
    if claim.n_discordant_significant is None:
        return f"Depends: rounding decides whether {gap} is significant."
    typical = "" if _is_known(claim) else _typical_counts(claim)
    usual = f"; {typical} is typical" if typical else ""
    return (
        f"Depends: {gap} is significant only if the models disagree on at most "
        f"{items(claim.n_discordant_significant)}{usual}."
    )


def _at_known_rho(claim: Claim) -> str | None:
    """Return the result at a declared correlation."""
    if not _is_known(claim) or claim.verdict != "depends" or not (rows := _assumed(claim)):
        return None
    row = rows[0]
    word = "is" if row.pvalue <= claim.criteria.alpha else "is not"
    n = _n_discordant(claim, row)
    return (
        f"At rho = {row.rho:.2g} they disagree on about {items(n)}, and the gap {word} "
        f"significant ({p_is(row.pvalue, level=claim.criteria.alpha)})."
    )


def _significant_gaps(claim: Claim) -> str | None:
    """Return the smallest gaps that are significant at the assumed correlations."""
    c = claim.criteria
    test = McNemarTest(alpha=c.alpha, power=c.power, sides=c.sides)
    gaps = [
        float(test.significant_gap(_n_discordant(claim, row), claim.n_items))
        for row in _assumed(claim)
    ]
    if not gaps or math.isinf(max(gaps)):
        return None
    return pp_range(min(gaps), max(gaps))


def _thresholds(claim: Claim) -> str:
    """Return the sentence about the sizes of gaps that are significant or detectable."""
    noun = "loss" if claim.criteria.alternative == "less" else "gap"
    if math.isinf(float(claim.mde.low)):
        return f"{items(claim.n_items)} are too few to detect a {noun} reliably."
    power = probability(claim.criteria.power)
    detected = f"a true {noun} of {_mde(claim)} is detected with {power} power"
    where = "Here" if _is_known(claim) or not _assumed(claim) else "Typically"
    if significant := _significant_gaps(claim):
        return f"{where}, an observed {noun} above {significant} is significant and {detected}."
    return f"{where}, {detected}."


def _cautions(claim: Claim) -> list[str]:
    return [*read_as(claim), *impossible_shares(claim), *figure_alarms(claim), *p_alarm(claim)]


def _headline(claim: Claim) -> str:
    parts = (
        _finding(claim),
        _at_known_rho(claim),
        _thresholds(claim),
        caution(_cautions(claim)),
        p_finding(claim),
        _size_finding(claim),
    )
    return " ".join(part for part in parts if part)


def _row(claim: Claim, row: ClaimRow) -> tuple[str, ...]:
    p = "–" if math.isinf(row.t) else pvalue(row.pvalue)
    rho = f"{row.rho:.2f}".replace("-", "−")
    disagree = f"{_n_discordant(claim, row):,}"
    return (rho, disagree, _number(row.t), p, pp(row.mde, column=True), count(row.n_star))


_HEADER = ("rho", "disagree on", "|T|", "p", "MDE", "items needed")


def _tables(claim: Claim) -> tuple[TextTable, ...]:
    """Return the rows at the assumed correlations, then all rows."""
    if not claim.scenarios or claim.rho_bounds is None:
        return ()
    low, high = claim.rho_bounds
    full_table = TextTable(
        title=f"All feasible item correlations ({low:.2f} to {high:.2f})".replace("-", "−"),
        header=_HEADER,
        rows=tuple(_row(claim, r) for r in claim.scenarios),
    )
    rows = tuple(_row(claim, r) for r in _assumed(claim))
    if not rows:
        return (full_table,)
    columns = [k for k, head in enumerate(_HEADER) if head != "|T|"]
    short = TextTable(
        title="By item correlation (rho) between the two models",
        header=tuple(_HEADER[k] for k in columns),
        rows=tuple(tuple(row[k] for k in columns) for row in rows),
    )
    return short, full_table


def _what_to_ask(claim: Claim) -> str | None:
    if claim.verdict != "depends":
        return None
    gap = claim.gap_items
    if claim.n_discordant_significant is None:
        return (
            f"Rounding allows a gap of {gap.least:,} to {items(gap.most)}; only the larger gaps "
            "are significant. Ask for the counts."
        )
    rho = ""
    if claim.rho_significant is not None:
        rho = f" The gap is significant if rho ≥ {claim.rho_significant:.2f}."
    return (
        "Ask the authors for two counts: the items that only the first model got right, and "
        f"the items that only the second model got right.{rho}"
    )


def _rounding_note(claim: Claim) -> str | None:
    """Return a note if rounding alone makes the gap uncertain by half or more."""
    min_gap, max_gap = claim.gap_items
    if (
        max_gap - min_gap < 0.5 * abs(claim.gap) * claim.n_items
        or claim.n_discordant_significant is None
    ):
        return None
    return f"Rounding allows a gap of {min_gap:,} to {items(max_gap)}. Ask for more digits."


def _grim(name: str, p: str, n: int, check: Grim) -> str:
    if not check.possible and check.truncation is not None:
        return (
            f"{name}, {p}, is k/{n:,} only if its digits were truncated, not rounded "
            f"({truncated_share(check.truncation, n)}). Ask for more digits."
        )
    if not check.possible:
        return (
            f"{name}, {p}, is not k/{n:,} for any whole k (nearest {check.low:,}/{n:,} = "
            f"{percent(check.nearest)}). Is it averaged over runs, graded, or for another "
            "number of items?"
        )
    k = f"{check.low:,}" if check.low == check.high else f"{check.low:,} to {check.high:,}"
    return f"{name}, {p}, is k/{n:,} with k = {k}."


def _is_any_share(claim: Claim) -> bool:
    """Return whether any value with this many digits is a possible share of the items."""
    return claim.grim is not None and all(g.possible and not g.informative for g in claim.grim)


def _grim_notes(claim: Claim) -> list[str]:
    if claim.grim is None or _is_any_share(claim):
        return []
    means, digits = (claim.mean_a, claim.mean_b), claim.printed.decimals or (2, 2)
    return [
        _grim(f"The {ordinal} accuracy", percent(mean, decimals - 2), claim.n_items, check)
        for ordinal, mean, decimals, check in zip(
            ("first", "second"), means, digits, claim.grim, strict=True
        )
    ]


_MEANING = {
    "right": "correct for a paired comparison",
    "half": "half of what is needed, because it uses one model's variance",
    "unpaired": "for separate items per model, without pairing",
    "wrong": "for another level, power, or test",
}


def _size_finding(claim: Claim) -> str | None:
    """Return the finding about the reported sample size, if the correlation is known."""
    check = claim.n_check
    if check is None or not check.matches or not (_is_known(claim) or claim.rho_bounds is None):
        return None
    head, word = f"The reported sample size {check.printed:,.0f}", check.matches[0].verdict
    if word == "right":
        return f"{head} is correct."
    share = "half of" if word == "half" else "not"
    return f"{head} is {share} what is needed ({count(check.n_star)})."


def _size_note(claim: Claim) -> str | None:
    check = claim.n_check
    if check is None:
        return None
    head = f"The reported sample size {check.printed:,.0f}"
    if _is_known(claim) or claim.rho_bounds is None:
        need = f"{count(check.n_star)} items are needed"
        if not check.matches:
            return f"{head} matches no known formula; {need}."
        best = check.matches[0]
        return f"{head} is {_MEANING[best.verdict]} ({best.formula}); {need}."
    at = []
    if check.rho_right is not None:
        at.append(f"correct if rho = {check.rho_right:.2f}")
    if check.rho_half is not None:
        at.append(f"half of what is needed (one model's variance) if rho = {check.rho_half:.2f}")
    if not at:
        return f"{head} is correct for no feasible item correlation."
    return f"{head} is {' and '.join(at)}. Ask which rho it assumes."


def _notes(claim: Claim) -> tuple[str, ...]:
    """Return the notes, starting with checks of the figures reported with the accuracies."""
    figures = (bare_note(claim), p_note(claim), interval_note(claim), _what_to_ask(claim))
    also = (*_grim_notes(claim), _rounding_note(claim), _size_note(claim))
    return tuple(note for note in (*figures, *also) if note)


def _detail(claim: Claim) -> tuple[str, ...]:
    if not _is_any_share(claim):
        return ()
    return (
        f"Both accuracies are possible on {items(claim.n_items)}, as any value with these digits "
        "would be.",
    )


_ADVICE = {
    "supported": "A paired test would find the gap significant; a confidence interval would "
    "show its size.",
    "not_supported": "Describe the gap as inconclusive, not as equality.",
    "depends": (
        "Please report how many items only one of the models answered correctly (or release "
        "per-item results), with a paired test and a confidence interval. Until then, the "
        "comparison is inconclusive."
    ),
}


def _accuracies(claim: Claim) -> tuple[str, str]:
    """Return both accuracies as printed, or with as few digits as they need."""
    first, second = claim.printed.decimals or (None, None)
    return (
        percent(claim.mean_a, None if first is None else first - 2),
        percent(claim.mean_b, None if second is None else second - 2),
    )


def paragraph(claim: Claim) -> str:
    """Return a paragraph for a review."""
    c = claim.criteria
    need = f"No feasible design detects a gap of {pp(abs(claim.gap))}."
    if math.isfinite(float(claim.n_star.high)):
        size = _range(count(float(claim.n_star.low)), count(float(claim.n_star.high)))
        need = f"Detecting a gap of {pp(abs(claim.gap))} would take {size} items."
    first, second = _accuracies(claim)
    mde = f"the minimum detectable effect is {_mde(claim)}"
    if math.isinf(float(claim.mde.low)):
        mde = f"{items(claim.n_items)} are too few to detect a gap reliably"
    t = _range(_number(claim.t_min), _number(claim.t_max))
    advice = (
        "The gap is opposite to the alternative." if is_opposite(claim) else _ADVICE[claim.verdict]
    )
    parts = (
        f"The paper reports {first} against {second} on {items(claim.n_items)}, a gap of "
        f"{pp(claim.gap, sign=True)}. Both models answered the same items, so the paired test "
        f"depends on how often they disagree. The two accuracies alone imply |T| = {t}. With "
        f"{_typical(claim)}, {_source(claim)}, {mde} ({percent(c.power)} power, "
        f"{level(c.alpha, c.sides)}). {need}",
        caution(_cautions(claim)),
        p_finding(claim),
        _size_finding(claim),
        advice,
    )
    return " ".join(part for part in parts if part)


def document(claim: Claim) -> Document:
    """Return the report: headline, the claim by item correlation, checks, and a paragraph."""
    tables = _tables(claim)
    t = claim.rho_assumed
    rho = f"rho = {t.low:.2g}; " if _is_known(claim) else f"typical rho {t.low:.2g}–{t.high:.2g}; "
    rho = "" if claim.rho_bounds is None else rho
    tested = level(claim.criteria.alpha, claim.criteria.sides)
    return Document(
        headline=_headline(claim),
        opening=_finding(claim),
        key=tables[:1],
        grids=(*tables[-1:], *fits_grid(claim)),
        notes=_notes(claim),
        detail=_detail(claim),
        basis=(
            f"both models answered the same {claim.n_items:,} items once, scored 0/1; {rho}"
            f"{tested}."
        ),
        assumptions=(
            f"Both models answered the same {claim.n_items:,} items once, scored 0/1. The "
            "reported accuracies are means over these items.",
            f"The report assumes {_typical(claim)}, {_source(claim)}. With per-item results, this "
            "assumption is not needed.",
            "Items are independent. Items from shared passages or repositories make the gap "
            "less certain.",
        ),
    )
