"""The figures that a paper printed beside its accuracies, in words."""

import math

from nstar._verbs.claim import (
    Claim,
    CountRange,
    JointMatch,
    MethodMatch,
    PValueCheck,
    UnpairedClaim,
)
from nstar.report.documents import TextTable
from nstar.report.prose.numbers import items, percent, pp, pvalue
from nstar.stats.printed import Grim

_TESTS = {
    ("exact", True): "McNemar's exact test",
    ("midp", True): "McNemar's mid-p test",
    ("asymptotic", True): "McNemar's χ² test",
    ("corrected", True): "McNemar's χ² test, corrected",
    ("t", True): "paired t test",
    ("z", True): "paired z test",
    ("resampling", True): "resampling, paired",
    ("fisher", False): "Fisher's exact test, unpaired",
    ("pooled", False): "z or χ² test, unpaired",
    ("unpooled", False): "z test with two variances, unpaired",
    ("yates", False): "χ² test with Yates' correction, unpaired",
    ("unpaired-t", False): "t test, unpaired",
    ("resampling", False): "resampling, unpaired",
}
_INTERVALS = {
    ("tango", True): "Tango's",
    ("wald", True): "the paired Wald interval",
    ("agresti-min", True): "Agresti and Min's",
    ("bonett-price", True): "Bonett and Price's",
    ("newcombe", True): "Newcombe's paired interval",
    ("t", True): "the paired t interval",
    ("z", True): "the paired Wald interval with n − 1",
    ("bootstrap", True): "a paired bootstrap",
    ("unpaired-wald", False): "the unpaired Wald interval",
    ("unpaired-corrected", False): "the unpaired Wald interval, corrected",
    ("unpaired-pooled", False): "the unpaired interval with one variance",
    ("unpaired-t", False): "the unpaired t interval",
    ("unpaired-newcombe", False): "Newcombe's unpaired interval",
    ("agresti-caffo", False): "Agresti and Caffo's",
    ("bootstrap", False): "an unpaired bootstrap",
}
_TRIED = (
    "McNemar's tests (exact, mid-p, χ² with and without correction), paired t and z, Fisher's "
    "test, unpaired z, χ² (also Yates') and t, and resampling, each one- and two-sided"
)
_TRIED_INTERVALS = (
    "Wald, t, Tango, Newcombe, Agresti–Min, Bonett–Price, Agresti–Caffo, paired or unpaired, and "
    "the bootstrap"
)
_OTHERWISE = "Errors by cluster, several runs or graded scores would explain it."
_DRAWN = ("resampling", "bootstrap")


# --- what the numbers were taken for ------------------------------------------------------


def taken_as(claim: Claim | UnpairedClaim) -> list[str]:
    """Numbers without a percent sign were taken as percent: said first."""
    if not claim.printed.is_bare:
        return []
    a, b = (f"{100 * p:g}" for p in (claim.mean_a, claim.mean_b))
    return [f"{a} and {b} are taken as percent of right answers."]


def bare_note(claim: Claim | UnpairedClaim) -> str | None:
    """What else they could have been."""
    if not claim.printed.is_bare:
        return None
    return (
        "Accuracies only: if these are BLEU, ROUGE or another score, none of this applies; a gap "
        "in such scores needs scores per item (nstar compare), or their spread (nstar plan --sd)."
    )


def impossible_shares(claim: Claim | UnpairedClaim) -> list[str]:
    """Accuracies that no whole number of right answers gives."""
    if claim.grim is None:
        return []
    if isinstance(claim, UnpairedClaim):
        sizes = (claim.n_items_a, claim.n_items_b)
    else:
        sizes = (claim.n_items, claim.n_items)
    digits = claim.printed.decimals or (2, 2)
    rows = zip((claim.mean_a, claim.mean_b), claim.grim, digits, sizes, strict=True)
    return [
        f"{percent(p, d - 2)} is not attainable on {n:,} items{_attainable(check, n)}."
        for p, check, d, n in rows
        if not check.possible
    ]


def _attainable(check: Grim, n: int) -> str:
    """The share that truncation gives, or the nearest one."""
    if check.truncation is None:
        return f" (nearest {percent(check.nearest)})"
    return f" by rounding; truncating {truncated_share(check.truncation, n)} gives it"


def truncated_share(k: int, n: int) -> str:
    """``88/164 = 53.6585%``."""
    return f"{k:,}/{n:,} = {percent(k / n)}"


# --- p ------------------------------------------------------------------------------------


def figure_alarms(claim: Claim) -> list[str]:
    """What does not fit, a sentence each."""
    out = []
    p, interval = claim.pvalue_check, claim.ci_check
    if p is not None and p.verdict == "impossible":
        out.append(f"A p-value cannot be {p.printed.removeprefix('= ')}.")
    elif p is not None and p.verdict == "fits none":
        out.append(f"The printed p {p.printed} matches none of the usual tests; which was used?")
    if interval is None:
        return out
    if not interval.contains_gap:
        out.append("The printed interval does not contain the printed gap.")
    elif interval.verdict == "fits none":
        out.append("The printed interval matches none of the usual ones; which is it?")
    if interval.contradicts_p:
        out.append(
            "The printed p and the printed interval match no counts together; how was each "
            "computed?"
        )
    return out


def _range(found: CountRange) -> str:
    return f"{found.least:,}" if found.least == found.most else f"{found.least:,}–{found.most:,}"


def _shown(check: PValueCheck) -> list[MethodMatch]:
    """Tests without noise of their own; resampling only where nothing else fits."""
    plain = [fit for fit in check.tests if fit.method not in _DRAWN]
    return plain or list(check.tests)


def fits_grid(claim: Claim) -> tuple[TextTable, ...]:
    """Every test that gives the printed p, with the disagreement that it implies."""
    check = claim.pvalue_check
    if check is None or check.verdict != "fits":
        return ()
    shown = _shown(check)

    def cell(key: tuple[str, bool], sides: int) -> str:
        for fit in shown:
            if (fit.method, fit.is_paired) == key and fit.sides == sides:
                return "fits" if fit.n_discordant is None else _range(fit.n_discordant)
        return "–"

    names = [key for key in _TESTS if any((f.method, f.is_paired) == key for f in shown)]
    return (
        TextTable(
            title=f"Tests that give p {check.printed}, and the items on which the models then "
            "disagree",
            header=("test", "two-sided", "one-sided"),
            rows=tuple((_TESTS[key], cell(key, 2), cell(key, 1)) for key in names),
        ),
    )


def _about(found: CountRange, *, bound: bool) -> str:
    """The middle, with as many digits as the range has any use for; of a bound the range."""
    if found.least == found.most:
        return items(found.least)
    if bound:
        return f"{found.least:,} to {items(found.most)}"
    middle = (found.least + found.most) / 2
    digits = max(1 - math.floor(math.log10(middle)), -9) if middle >= 10 else 0
    return f"about {items(round(middle, min(digits, 0)))} ({_range(found)})"


def _usual(claim: Claim) -> CountRange | None:
    """Items on which the models would disagree at the correlations assumed."""
    low, high = claim.rho_assumed.low, claim.rho_assumed.high
    found = [round(r.psi * claim.n_items) for r in claim.scenarios if low <= r.rho <= high]
    return CountRange(min(found), max(found)) if found else None


def _beside(claim: Claim, fits: list[MethodMatch]) -> str:
    """Whether that is usual."""
    usual = _usual(claim)
    ranges = [f.n_discordant for f in fits if f.n_discordant is not None]
    if usual is None or any(r.least <= usual.most and usual.least <= r.most for r in ranges):
        return ""
    if usual.least == usual.most:
        return f" At the correlation assumed it would be about {usual.least:,}."
    return f" At typical correlations it would be {usual.least:,} to {usual.most:,}."


def _common(check: PValueCheck, fits: list[MethodMatch]) -> str:
    """What McNemar's tests imply; tests that imply the same are named together."""
    said: dict[str, list[str]] = {}
    for fit in fits:
        found = fit.at_gap or fit.n_discordant
        if found is not None and fit.method in ("exact", "midp", "asymptotic"):
            about = _about(found, bound=check.printed[0] != "=")
            said.setdefault(about, []).append(_TESTS[fit.method, True])
    return ", ".join(f"on {n} by {' and '.join(tests)}" for n, tests in said.items())


def _implied(claim: Claim, check: PValueCheck) -> str:
    shown = [fit for fit in _shown(check) if fit.is_paired]
    if not shown:
        return (
            f"The printed p {check.printed} fits tests for different items only, which ignore "
            "that both "
            "models answered the same ones; a paired test is sharper."
        )
    for sides, told in ((2, ""), (1, ", one-sided")):
        fits = [f for f in shown if f.sides == sides]
        if said := _common(check, fits):
            return (
                f"The printed p {check.printed} implies that the models disagree {said}{told}."
                f"{_beside(claim, fits)}"
            )
    tests = dict.fromkeys(_TESTS[fit.method, fit.is_paired] for fit in shown)
    return f"The printed p {check.printed} is possible, by {' or '.join(tests)}."


def p_finding(claim: Claim) -> str | None:
    """What came of the printed p, in one sentence: how far from usual the models would be."""
    check = claim.pvalue_check
    if check is None or check.verdict != "fits":
        return None
    fits = _shown(check)
    usual, ranges = _usual(claim), [fit.n_discordant for fit in fits]
    if any(r is None for r in ranges) or usual is None or not _beside(claim, fits):
        return f"The printed p {check.printed} is possible."
    known = [r for r in ranges if r is not None]
    needed = CountRange(min(r.least for r in known), max(r.most for r in known))
    return (
        f"The printed p {check.printed} takes models that disagree on {_range(needed)} items "
        f"(whichever test was used), where {_range(usual)} would be usual."
    )


def p_note(claim: Claim) -> str | None:
    """The printed p against every table that prints as the accuracies do."""
    check = claim.pvalue_check
    if check is None:
        return None
    if check.verdict == "impossible":
        return (
            "The printed p of 0 is impossible: a resampling test with B resamples can say at "
            "best p = 1/(B + 1); write p < that."
        )
    if check.verdict == "not checked":
        return (
            f"The printed p {check.printed} was not checked: that takes accuracies that can be "
            f"k/{claim.n_items:,}."
        )
    if check.verdict == "fits none":
        return (
            f"The printed p {check.printed} matches none of {_TRIED}, for any counts that print "
            "as "
            f"these accuracies; which test was used? {_OTHERWISE}"
        )
    zero = ""
    if check.low == 0 and check.printed.startswith("="):
        zero = f" It is taken as p < {check.high:g}, which is what it should say."
    return _implied(claim, check) + zero


# --- interval -----------------------------------------------------------------------------


def interval_note(claim: Claim) -> str | None:
    """The printed interval against the same tables, and beside the printed p."""
    check, limits = claim.ci_check, claim.printed.ci
    if check is None or limits is None:
        return None
    digits = claim.printed.ci_decimals or (None, None)
    low, high = (_limit(float(x), d) for x, d in zip(limits, digits, strict=True))
    note = f"The printed interval [{low}, {high}]"
    if not check.contains_gap:
        return f"{note} does not contain the printed gap."
    if check.verdict == "not checked":
        return f"{note} was not checked: that takes accuracies that can be k/{claim.n_items:,}."
    if check.verdict == "fits none":
        return (
            f"{note} matches none of the usual ones ({_TRIED_INTERVALS}), for any counts that "
            f"print as these accuracies; how was it computed? {_OTHERWISE}"
        )
    best = check.methods[0]
    known = "" if best.n_discordant is None else f", if the models disagree on {_on(best)}"
    note += f" can be {_INTERVALS[best.method, best.is_paired]}{known}"
    note += f"; its width stands for a standard error of {pp(check.se)}"
    note += f" and p = {pvalue(check.pvalue)}."
    return note + _with_p(claim)


def _limit(value: float, decimals: int | None) -> str:
    """A limit with the digits it was printed with."""
    if decimals is None or not 2 <= decimals <= 8:
        return pp(value, sign=True)
    return f"{'−' if value < 0 else '+'}{abs(100 * value):.{decimals - 2}f} pp"


def _on(fit: MethodMatch) -> str:
    found = fit.at_gap or fit.n_discordant
    return "" if found is None else f"{_range(found)} items"


def _with_p(claim: Claim) -> str:
    """How the printed p stands to it."""
    check, p = claim.ci_check, claim.pvalue_check
    if check is None or p is None or check.contradicts_p is None:
        return ""
    if check.joint_match is None:
        return (
            f" It contradicts the printed p {p.printed}: no counts give both, by any of the "
            "tests and "
            "intervals that nstar knows. How was each computed?"
        )
    return _agreement(p, check.joint_match)


def _agreement(p: PValueCheck, both: JointMatch) -> str:
    test, interval = (
        _TESTS[both.test, both.is_test_paired],
        _INTERVALS[both.interval, both.is_interval_paired],
    )
    if both.is_test_paired != both.is_interval_paired:
        return (
            f" With the printed p {p.printed} it agrees only if one of them ignores the pairing "
            f"({test}; {interval}): ask which."
        )
    side = ", one-sided" if both.sides == 1 else ""
    on = f": {_range(both.n_discordant)} items of disagreement" if both.is_test_paired else ""
    return f" The printed p {p.printed} agrees with it ({test}{side}; {interval}{on})."
