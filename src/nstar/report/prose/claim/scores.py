"""Write the report of a ScoreClaim, for a reviewer."""

import math
from collections.abc import Iterator, Sequence

from nstar._base.units import join_words
from nstar._verbs.claim import PlusMinusRow, PrintedScore, ScoreClaim
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.claim.wins import WORDS
from nstar.report.prose.numbers import level, percent, pp, pvalue


def _reading(claim: ScoreClaim, row: PlusMinusRow) -> str:
    conf = percent(claim.confidence_level)
    return {
        "sd": "standard deviation",
        "sd-n": "standard deviation (n)",
        "se": "standard error",
        "ci-t": f"{conf} CI (t)",
        "ci-z": f"{conf} CI (z)",
    }[row.reading]


def _amount(claim: ScoreClaim, value: float, *, sign: bool = False) -> str:
    """Return a gap or an error as text: points for accuracies, else score units."""
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
        if abs(round(scale * value, places) - scale * value) > 1e-9:  # mean of the two limits
            places += 1
        return f"{scale * value:.{places}f}"

    unit = "%" if claim.is_accuracy else ""
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


def _range(claim: ScoreClaim, ps: Sequence[float]) -> str:
    low, high = (pvalue(p, level=claim.criteria.alpha) for p in (min(ps), max(ps)))
    return f"p = {low}" if low == high else f"p = {low}–{high}"


_VARIANTS = {"sd": " for divisors n − 1 and n", "ci": " by t and by z"}
"""Variants of a declared meaning of ±, over which a p-value ranges."""


def _all_p(claim: ScoreClaim) -> str:
    """Return the range of the p-value, and the variants of a declared meaning that it covers."""
    ps = _range(claim, [row.pvalue for row in claim.scenarios])
    return ps + _VARIANTS.get(claim.pm_is or "", "") * ("–" in ps)


def _by_meaning(claim: ScoreClaim) -> dict[str, list[PlusMinusRow]]:
    """Return the rows grouped by the meaning of ±, unless it is known."""
    conf = percent(claim.confidence_level)
    names = {
        "sd": "an SD with divisor n − 1",
        "sd-n": "an SD with divisor n",
        "se": "an SE",
        "ci-t": f"a {conf} CI from t",
        "ci-z": f"a {conf} CI from z",
    }
    kinds = {"sd": "an SD", "se": "an SE", "ci": f"a {conf} CI"}
    by_meaning: dict[str, list[PlusMinusRow]] = {}
    for row in claim.scenarios:
        kind = kinds[row.reading.partition("-")[0]]
        by_meaning.setdefault(names[row.reading] if claim.pm_is else kind, []).append(row)
    return by_meaning


def _decided_by(claim: ScoreClaim) -> str:
    """Return the meanings of ± for which the reported digits give a significant gap."""
    significant: list[str] = []
    not_significant: list[str] = []
    unclear: list[str] = []
    for meaning, rows in _by_meaning(claim).items():
        verdicts = {row.pvalue <= claim.criteria.alpha for row in rows}
        text = f"{meaning} ({_range(claim, [row.pvalue for row in rows])})"
        of = unclear if len(verdicts) > 1 else significant if True in verdicts else not_significant
        of.append(text)
    if not unclear and not (significant and not_significant):
        return ""
    yes, no, open_ = (" or ".join(of) for of in (significant, not_significant, unclear))
    parts = (
        f"is significant if ± is {yes}" if yes else "",
        f"not if {no}" if yes and no else f"is not significant if ± is {no}" if no else "",
        f"unclear if {open_}"
        if open_ and (yes or no)
        else f"is unclear: ± is {open_}"
        if open_
        else "",
    )
    return ", ".join(part for part in parts if part)


def _finding_over_seeds(claim: ScoreClaim) -> str:
    gap = f"{_amount(claim, claim.gap, sign=True)} over {_seeds(claim)}"
    ps = _all_p(claim)
    if claim.verdict_independent != "depends":
        word, verb = (
            ("Supported", "is")
            if claim.verdict_independent == "supported"
            else ("Not supported", "is not")
        )
        whatever = "" if claim.pm_is else ", whatever ± is"
        return f"{word}: {gap} {verb} significant{whatever} ({ps})."
    if decided := _decided_by(claim):
        return f"Depends: {gap} {decided}."
    return f"Depends: rounding decides whether {gap} is significant ({ps})."


def _rounded(claim: ScoreClaim) -> bool:
    """Return whether rounding alone leaves a meaning of ± undecided."""
    return any(row.verdict_independent == "depends" for row in claim.scenarios)


def _item_sampling(claim: ScoreClaim) -> str:
    if claim.se_items is None:
        return "Item sampling is not included."
    low, high = (float(x) for x in claim.se_items)
    ts = [float(x) for row in claim.scenarios if row.t_items is not None for x in row.t_items]
    error = _amount(claim, low)
    if _amount(claim, low) != _amount(claim, high):
        error = f"{_amount(claim, low).removesuffix(' pp')} to {_amount(claim, high)}"
    return f"With item sampling (SE {error}), |T| is {_span(min(ts), max(ts))}."


def _correlations(claim: ScoreClaim) -> str:
    t = claim.rho_assumed
    if claim.is_unpaired and claim.first.n_items != claim.second.n_items:
        return "separate items"
    if t.low == t.high:
        return f"rho = {t.low:.2g}, as declared"
    return f"rho {t.low:.2g}–{t.high:.2g}, typical of {t.name}"


# --- over items ---------------------------------------------------------------------------


def _each(claim: ScoreClaim, figures: list[str]) -> str:
    """Return a figure for each meaning of ±, with its name if there are several."""
    if len(figures) == 1:
        return figures[0]
    rows = zip(figures, claim.scenarios, strict=True)
    return " or ".join(f"{text} (± is a {_reading(claim, row)})" for text, row in rows)


def _finding_over_items(claim: ScoreClaim) -> str:
    gap = _amount(claim, claim.gap, sign=True)
    if claim.is_unpaired:
        word = claim.verdict_independent
        tests = _all_p(claim)
        if word == "depends":
            cause = "rounding decides" if claim.pm_is else "the meaning of ± and rounding decide"
            return f"Depends: {cause} whether {gap} is significant ({tests})."
        verb = "is" if word == "supported" else "is not"
        return f"{WORDS[word]}: {gap} {verb} significant with independent errors ({tests})."
    whatever = "whatever the correlation of the two errors"
    if claim.verdict == "supported":
        min_t = min(row.t_min for row in claim.scenarios)
        return f"Supported: {gap} is significant, {whatever} (|T| ≥ {_t(min_t)})."
    if claim.verdict == "not_supported":
        max_t = max(row.t_max for row in claim.scenarios)
        return f"Not supported: {gap} is not significant, {whatever} (|T| ≤ {_t(max_t)})."
    return f"Depends: the correlation of the two errors decides whether {gap} is significant."


def _bounds(claim: ScoreClaim) -> str | None:
    """Return the test statistic over all correlations, and for independent errors."""
    if claim.is_unpaired or claim.verdict != "depends":
        return None
    min_t = min(row.t_min for row in claim.scenarios)
    max_t = max(row.t_max for row in claim.scenarios)
    t = f"at least {_t(min_t)}" if math.isinf(max_t) else _span(min_t, max_t)
    ps = _all_p(claim)
    return f"Over all correlations, |T| is {t}; independent errors give {ps}."


def _finding(claim: ScoreClaim) -> str:
    return _finding_over_seeds(claim) if _over_seeds(claim) else _finding_over_items(claim)


def _headline(claim: ScoreClaim) -> str:
    if not _over_seeds(claim):
        return " ".join(filter(None, (_finding(claim), _bounds(claim))))
    rounding = "Rounding can change this." if _rounded(claim) and _decided_by(claim) else ""
    return " ".join(filter(None, (_finding(claim), rounding, _item_sampling(claim))))


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
        title="By meaning of ± (independent errors)",
        header=(*header, *(["|T| with items"] if items else [])),
        rows=tuple(cells(row) for row in claim.scenarios),
    )


_LIKE = {
    "run-se": "the standard error of one run over its items",
    "run-ci": "half the CI of one run over its items",
    "runs-se": "the standard error of all runs pooled over items",
    "runs-ci": "half the CI of all runs pooled over items",
}


def _shared(claim: ScoreClaim) -> Iterator[str]:
    if not claim.is_unpaired:
        over = "seeds" if _over_seeds(claim) else "items"
        rs = [row.r_significant for row in claim.scenarios]
        if all(r is None for r in rs):
            yield f"No correlation over shared {over} makes the gap significant."
        elif _over_seeds(claim):
            yield (
                "If the seeds match across models, test the differences seed by seed. The column "
                '"r needed" shows the correlation from which the gap is significant.'
            )
        else:
            typical = [row.pvalue_typical for row in claim.scenarios]
            pvalue_texts = [
                f"p = {pvalue(float(p.low))} to {pvalue(float(p.high))}"
                for p in typical
                if p is not None
            ]
            if pvalue_texts:
                t = claim.rho_assumed
                known = t.low == t.high
                at = f"{t.low:.2g}" if known else f"{t.low:.2g}–{t.high:.2g}"
                if known:
                    pvalue_texts = [s.partition(" to ")[0] for s in pvalue_texts]
                source = "" if known else f" ({t.name}; none is published for other scores)"
                many = "an item correlation" if known else "item correlations"
                yield f"With {many} of {at}{source}, {_each(claim, pvalue_texts)}."


def _what_to_ask(claim: ScoreClaim) -> str:
    if _over_seeds(claim):
        return "every seed's value for both models, and per-item results."
    return (
        "the standard error of the difference (a paired bootstrap over items), or per-item scores."
    )


def _rounding(claim: ScoreClaim) -> Iterator[str]:
    if _rounded(claim) and _over_seeds(claim):
        ends = [
            float(x)
            for row in claim.scenarios
            if row.verdict_independent == "depends"
            for x in row.pvalue_bounds
        ]
        yield f"Rounding allows {_range(claim, ends)}. Ask for more digits."


def _notes(claim: ScoreClaim) -> Iterator[str]:
    is_open = _over_seeds(claim) or claim.verdict == "depends"
    if claim.like_items:
        matches_text = join_words([_LIKE[name] for name in claim.like_items])
        end = ", not over seeds. Ask which one is meant" if _over_seeds(claim) else ""
        yield f"Both ± values equal {matches_text}, √(pq/N){end}."
    known = [row for row in claim.scenarios if row.exceeds_binomial is not None]
    wide = [f"a {_reading(claim, row)}" for row in known if row.exceeds_binomial]
    if wide:
        reading = "Whatever ± is" if len(wide) == len(known) else f"If ± is {' or '.join(wide)}"
        yield (
            f"{reading}, runs vary more than repeated sampling of answers to the same items can "
            "explain. Training, prompts, or items may differ between seeds, or ± may have another "
            "meaning."
        )
    yield from _rounding(claim)
    yield from _shared(claim)
    if is_open:
        yield f"To resolve this, ask for {_what_to_ask(claim)}"
    if _over_seeds(claim):
        if claim.se_items is None:
            yield (
                "This result covers reruns on the same items. To include item sampling, set "
                f"{arg('items')}."
            )
        else:
            yield f"Item sampling assumes {_correlations(claim)}."


def _ask_reading(claim: ScoreClaim) -> str:
    if claim.pm_is is not None:
        return ""
    return " Please state whether ± is a standard deviation, a standard error, or half of a CI."


def paragraph(claim: ScoreClaim) -> str:
    """Return a paragraph for a review."""
    over = f" over {_seeds(claim)}" if _over_seeds(claim) else ""
    rows = "; ".join(
        f"{_reading(claim, row)}: |T| = {_t(row.t)}, p = {pvalue(row.pvalue)}"
        for row in claim.scenarios
    )
    bounds = ""
    if not claim.is_unpaired:
        low = min(row.t_min for row in claim.scenarios)
        high = max(row.t_max for row in claim.scenarios)
        unit = "seeds" if _over_seeds(claim) else "items"
        bounds = (
            f" If the errors are correlated over shared {unit}, |T| lies between {_t(low)} and "
            f"{_t(high)}."
        )
    last = f" {_item_sampling(claim)}" if _over_seeds(claim) else ""
    rule = level(claim.criteria.alpha, claim.criteria.sides)
    return (
        f"The paper reports {_printed(claim, claim.first)} against "
        f"{_printed(claim, claim.second)}{over}, a gap of {_amount(claim, claim.gap, sign=True)}. "
        f"Welch's test with independent errors, by meaning of ± ({rule}): {rows}.{bounds}{last} "
        f"Please report {_what_to_ask(claim)}{_ask_reading(claim)}"
    )


def document(claim: ScoreClaim) -> Document:
    """Return the report: headline, the claim by the meaning of ±, and a paragraph."""
    unit_text = "a mean over its seeds" if _over_seeds(claim) else "one measurement"
    errors = "independent seeds" if _over_seeds(claim) else "nearly normal errors"
    if claim.is_unpaired and not _over_seeds(claim):
        errors = "independent, nearly normal errors"
    return Document(
        headline=_headline(claim),
        opening=_finding(claim),
        grids=(_grid(claim),),
        notes=tuple(_notes(claim)),
        basis=(
            f"{errors}; scores on the same scale; "
            f"{level(claim.criteria.alpha, claim.criteria.sides)}."
        ),
        assumptions=(
            f"Each score is {unit_text} with a nearly normal error. Both scores are on the "
            "same scale.",
            "Welch's test assumes that the two errors are independent. Runs and items are "
            "independent.",
            "With item sampling, |T| counts answer noise twice, so it is slightly too low.",
        ),
    )
