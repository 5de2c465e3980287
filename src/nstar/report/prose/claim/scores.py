"""A ScoreClaim in words, for a reviewer."""

import math

from nstar._verbs.claim import PlusMinusRow, PrintedScore, ScoreClaim
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.numbers import level, listed, percent, pp, pvalue


def _reading(claim: ScoreClaim, row: PlusMinusRow) -> str:
    conf = percent(claim.confidence_level)
    return {
        "sd": "standard deviation",
        "sd-n": "the same, divisor n",
        "se": "standard error",
        "ci-t": f"{conf} interval (t)",
        "ci-z": f"{conf} interval (z)",
    }[row.reading]


def _amount(claim: ScoreClaim, value: float, *, sign: bool = False) -> str:
    """A gap or an error: points of accuracies, else the unit of the score."""
    if claim.is_accuracy:
        return pp(value, sign=sign)
    mark = "−" if value < 0 else "+" if sign else ""
    size = abs(value)
    return f"{mark}{size:,.0f}" if size >= 1000 else f"{mark}{size:.3g}"


def _printed(claim: ScoreClaim, score: PrintedScore) -> str:
    def digits(value: float, half: float) -> str:
        scale = 100 if claim.is_accuracy else 1
        if half == 0:
            return f"{scale * value:.6g}"
        places = max(round(-math.log10(2 * half * scale)), 0)
        if abs(round(scale * value, places) - scale * value) > 1e-9:  # the mean of two ends
            places += 1
        return f"{scale * value:.{places}f}"

    unit = " %" if claim.is_accuracy else ""
    return f"{digits(score.value, score.half)} ± {digits(score.pm, score.pm_half)}{unit}"


def _over_seeds(claim: ScoreClaim) -> bool:
    return claim.first.n_seeds is not None


def _seeds(claim: ScoreClaim) -> str:
    a, b = claim.first.n_seeds, claim.second.n_seeds
    return f"{a} seeds each" if a == b else f"{a} and {b} seeds"


def _t(value: float) -> str:
    return "∞" if math.isinf(value) else f"{value:.2f}"


def _span(low: float, high: float) -> str:
    return _t(low) if _t(low) == _t(high) else f"{_t(low)} to {_t(high)}"


# --- over seeds ---------------------------------------------------------------------------


_KINDS = {"sd": "a standard deviation", "se": "a standard error", "ci": "an interval"}


def _by_kind(claim: ScoreClaim) -> str:
    """p of each reading of ±, readings of one kind together."""
    out = []
    for kind, name in _KINDS.items():
        ps = sorted(row.pvalue for row in claim.scenarios if row.reading.partition("-")[0] == kind)
        if ps:
            span = pvalue(ps[0])
            if pvalue(ps[-1]) != span:
                span += f" to {pvalue(ps[-1])}"
            out.append(span if claim.pm_is else f"{span} if {name}")
    return listed(out)


_UNSAID = {
    None: "what ± is",
    "sd": "whether the standard deviation was divided by n − 1 or n",
    "se": "what ± is",
    "ci": "whether the interval was made by t or z",
}
"""What is left open by what was said of ±."""


def _verdict_over_seeds(claim: ScoreClaim) -> str:
    gap = f"the printed gap of {_amount(claim, claim.gap, sign=True)}"
    whatever = "" if claim.pm_is else ", whatever ± is"
    if claim.verdict_independent != "depends":
        word = "is" if claim.verdict_independent == "supported" else "is not"
        head = f"Over {_seeds(claim)} {gap} {word} significant{whatever}"
        return f"{head} (Welch's t test, p = {_by_kind(claim)})."
    on = []
    if len({row.pvalue <= claim.criteria.alpha for row in claim.scenarios}) > 1:
        on.append(f"on {_UNSAID[claim.pm_is]}")
    if _rounded(claim):
        on.append("on rounding")
    return (
        f"Whether {gap} is significant over {_seeds(claim)} depends {' and '.join(on)}: "
        f"by Welch's t test p = {_by_kind(claim)}."
    )


def _rounded(claim: ScoreClaim) -> bool:
    """Some reading is open by rounding alone."""
    return any(row.verdict_independent == "depends" for row in claim.scenarios)


def _items_left_out(claim: ScoreClaim) -> str:
    if claim.se_items is None:
        return (
            "That is about training or decoding again, on the same items; what other items would "
            f"change is left out, and {arg('items')} with accuracies in percent adds it."
        )
    low, high = (float(x) for x in claim.se_items)
    ts = [float(x) for row in claim.scenarios if row.t_items is not None for x in row.t_items]
    error = _amount(claim, low)
    if _amount(claim, low) != _amount(claim, high):
        error = f"{_amount(claim, low).removesuffix(' pp')} to {_amount(claim, high)}"
    return (
        f"Seeds leave the items out: for other items, {error} of standard error are added "
        f"({_correlations(claim)}), and |T| is {_span(min(ts), max(ts))}."
    )


def _correlations(claim: ScoreClaim) -> str:
    t = claim.rho_assumed
    if claim.is_unpaired and claim.first.n_items != claim.second.n_items:
        return "different items"
    if t.low == t.high:
        return f"item correlation {t.low:.2g}, as given"
    return f"item correlations {t.low:.2g}–{t.high:.2g}, typical of {t.name}"


# --- over items ---------------------------------------------------------------------------


def _each(claim: ScoreClaim, what: list[str]) -> str:
    """A figure for each reading, named if there are several."""
    if len(what) == 1:
        return what[0]
    rows = zip(what, claim.scenarios, strict=True)
    return " or ".join(f"{text} (± a {_reading(claim, row)})" for text, row in rows)


def _verdict_over_items(claim: ScoreClaim) -> str:
    gap = f"The printed gap of {_amount(claim, claim.gap, sign=True)}"
    tests = [f"|T| = {_t(row.t)}, p = {pvalue(row.pvalue)}" for row in claim.scenarios]
    if claim.is_unpaired:
        what = "" if claim.pm_is else "what ± is and "
        word = {
            "supported": "is significant",
            "not_supported": "is not significant",
            "depends": f"is significant or not by {what}how it was rounded",
        }[claim.verdict_independent]
        return f"{gap} {word} with independent errors: {_each(claim, tests)}."
    however = "however the two errors are correlated; as printed, |T| is"
    if claim.verdict == "supported":
        least = min(row.t_min for row in claim.scenarios)
        return f"{gap} is significant {however} {_t(least)} or more."
    if claim.verdict == "not_supported":
        most = max(row.t_max for row in claim.scenarios)
        return f"{gap} is not significant {however} {_t(most)} or less."
    bounds = [f"{_span(row.t_min, row.t_max)}" for row in claim.scenarios]
    return (
        f"Two errors alone do not tell whether {gap[0].lower()}{gap[1:]} is significant: on "
        f"shared items or votes they are correlated, and over all correlations |T| is "
        f"{_each(claim, bounds)}. Independent errors would give {_each(claim, tests)}."
    )


def _headline(claim: ScoreClaim) -> str:
    if _over_seeds(claim):
        return f"{_verdict_over_seeds(claim)} {_items_left_out(claim)}"
    return _verdict_over_items(claim)


# --- table and notes ----------------------------------------------------------------------


def _grid(claim: ScoreClaim) -> TextTable:
    items = any(row.t_items is not None for row in claim.scenarios)
    header = ["± is a", "SE first", "SE second", "|T|", "df", "p", "r needed"]
    if claim.is_unpaired:
        header = header[:-1]

    def cells(row: PlusMinusRow) -> tuple[str, ...]:
        out = [_reading(claim, row), _amount(claim, row.se_a), _amount(claim, row.se_b)]
        out += [_t(row.t), "∞" if math.isinf(row.df) else f"{row.df:.1f}", pvalue(row.pvalue)]
        if not claim.is_unpaired:
            r = row.r_significant
            out.append(
                "never" if r is None else "always" if r <= -1 else f"{r:.2f}".replace("-", "−")
            )
        if items:
            low, high = row.t_items or (math.nan, math.nan)
            out.append(_span(float(low), float(high)))
        return tuple(out)

    return TextTable(
        title="By what ± stands for; |T| and p for independent errors",
        header=(*header, *(["|T| with items"] if items else [])),
        rows=tuple(cells(row) for row in claim.scenarios),
    )


_LIKE = {
    "run-se": "the standard error of one run over its items",
    "run-ci": "half the interval of one run over its items",
    "runs-se": "the standard error of all runs put together, over items",
    "runs-ci": "half such an interval of all runs put together",
}


def _like_items(claim: ScoreClaim) -> str | None:
    if not claim.like_items:
        return None
    found = listed([_LIKE[name] for name in claim.like_items])
    end = " rather than over seeds: ask which" if _over_seeds(claim) else ""
    return f"Both ± print as {found} would, √(pq/N){end}."


def _wide(claim: ScoreClaim) -> str | None:
    told = [row for row in claim.scenarios if row.exceeds_binomial is not None]
    wide = [f"a {_reading(claim, row)}" for row in told if row.exceeds_binomial]
    if not wide:
        return None
    if len(wide) == len(told):
        return (
            "Whatever ± is, runs spread more than drawing the answers anew on these items can "
            "make them: training, prompts or items differ between seeds, or ± is something else."
        )
    return (
        f"If ± is {' or '.join(wide)}, runs spread more than drawing the answers anew on these "
        "items can make them; the other readings are consistent with it."
    )


def _shared(claim: ScoreClaim) -> str | None:
    if claim.is_unpaired:
        return None
    over = "seeds" if _over_seeds(claim) else "items"
    rs = [row.r_significant for row in claim.scenarios]
    if all(r is None for r in rs):
        return f"No correlation of the two errors over shared {over} makes the gap significant."
    if _over_seeds(claim):
        return (
            "If seed i is the same for both models (data order, samples), differences seed by "
            "seed can be tested; r needed is the correlation over seeds that would be enough."
        )
    typical = [row.pvalue_typical for row in claim.scenarios]
    said = [
        f"p = {pvalue(float(p.low))} to {pvalue(float(p.high))}" for p in typical if p is not None
    ]
    if not said:
        return None
    t = claim.rho_assumed
    known = t.low == t.high
    at = f"{t.low:.2g}" if known else f"{t.low:.2g}–{t.high:.2g}"
    if known:
        said = [s.partition(" to ")[0] for s in said]
    source = "" if known else f" ({t.name}; none is published for other scores)"
    many = "an item correlation" if known else "item correlations"
    return f"At {many} of {at}{source}: {_each(claim, said)}."


def _asking(claim: ScoreClaim) -> str:
    if _over_seeds(claim):
        return (
            "What settles it: the values of every seed for both models, and per-item results for "
            "the items' part."
        )
    return (
        "What settles it: the standard error of the difference (a paired bootstrap over items), "
        "or scores per item."
    )


def _rounding(claim: ScoreClaim) -> str | None:
    if not _rounded(claim) or not _over_seeds(claim):
        return None
    open_ = [row for row in claim.scenarios if row.verdict_independent == "depends"]
    said = [
        f"{pvalue(float(row.pvalue_bounds.low))} to {pvalue(float(row.pvalue_bounds.high))} "
        f"({_reading(claim, row)})"
        for row in open_
    ]
    return f"All numbers that print so give p from {listed(said)}: ask for more digits."


def _notes(claim: ScoreClaim) -> tuple[str, ...]:
    notes = (
        _like_items(claim),
        _wide(claim),
        _rounding(claim),
        _shared(claim),
        _asking(claim) if _over_seeds(claim) or claim.verdict == "depends" else None,
    )
    return tuple(note for note in notes if note)


def _ask_reading(claim: ScoreClaim) -> str:
    if claim.pm_is is not None:
        return ""
    return " Please say whether ± is a standard deviation, a standard error or an interval."


def paragraph(claim: ScoreClaim) -> str:
    """What a reviewer may write."""
    over = f" over {_seeds(claim)}" if _over_seeds(claim) else ""
    rows = "; ".join(
        f"{_reading(claim, row)}: |T| = {_t(row.t)}, p = {pvalue(row.pvalue)}"
        for row in claim.scenarios
    )
    bounds = ""
    if not claim.is_unpaired:
        low = min(row.t_min for row in claim.scenarios)
        high = max(row.t_max for row in claim.scenarios)
        what = "seeds" if _over_seeds(claim) else "items"
        bounds = (
            f" If the errors are correlated over shared {what}, |T| can lie anywhere between "
            f"{_t(low)} and {_t(high)}."
        )
    last = _items_left_out(claim) if _over_seeds(claim) else ""
    if claim.se_items is None and _over_seeds(claim):
        last = "Errors over seeds leave out what other items would change."
    rule = level(claim.criteria.alpha, claim.criteria.sides)
    ask = _asking(claim).replace("What settles it:", "Please report")
    return (
        f"The paper reports {_printed(claim, claim.first)} against "
        f"{_printed(claim, claim.second)}{over}, a gap of "
        f"{_amount(claim, claim.gap, sign=True)}. With independent errors Welch's test gives, "
        f"by what ± stands for ({rule}): {rows}.{bounds} {last}{' ' if last else ''}{ask}"
        f"{_ask_reading(claim)}"
    )


def document(claim: ScoreClaim) -> Document:
    """Headline, the claim by what ± stands for, a paragraph to paste."""
    what = "a mean over its seeds" if _over_seeds(claim) else "measured once"
    return Document(
        headline=_headline(claim),
        grids=(_grid(claim),),
        notes=_notes(claim),
        assumptions=(
            f"Each value is {what} with an error that is nearly normal; both are on the same "
            "scale, larger or smaller being better for both.",
            "Welch's test takes the two errors as independent; runs and items as independent "
            "draws.",
            "With items: their noise is that of one run, which counts noise of the answers twice, "
            "so |T| is on the low side.",
        ),
    )
