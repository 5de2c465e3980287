"""Describe the figures that a paper reports next to its accuracies."""

import math
from collections.abc import Sequence

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
    ("tango", True): "Tango's interval",
    ("wald", True): "the paired Wald interval",
    ("agresti-min", True): "Agresti and Min's interval",
    ("bonett-price", True): "Bonett and Price's interval",
    ("newcombe", True): "Newcombe's paired interval",
    ("t", True): "the paired t interval",
    ("z", True): "the paired Wald interval with n − 1",
    ("bootstrap", True): "a paired bootstrap interval",
    ("unpaired-wald", False): "the unpaired Wald interval",
    ("unpaired-corrected", False): "the unpaired Wald interval, corrected",
    ("unpaired-pooled", False): "the unpaired interval with one variance",
    ("unpaired-t", False): "the unpaired t interval",
    ("unpaired-newcombe", False): "Newcombe's unpaired interval",
    ("agresti-caffo", False): "Agresti and Caffo's interval",
    ("bootstrap", False): "an unpaired bootstrap interval",
}
_TRIED = (
    "McNemar's tests (exact, mid-p, χ² with and without correction), paired t and z, Fisher's "
    "test, unpaired z, χ² (also Yates') and t, and resampling, each one- and two-sided"
)
_TRIED_INTERVALS = (
    "Wald, t, Tango, Newcombe, Agresti–Min, Bonett–Price, Agresti–Caffo, paired or unpaired, and "
    "the bootstrap"
)
_OTHERWISE = "Clustered errors, several runs, or graded scores could explain it."
_DRAWN = ("resampling", "bootstrap")


# --- interpretation of the numbers ---------------------------------------------------------


def read_as(claim: Claim | UnpairedClaim) -> list[str]:
    """Return a note that numbers without a percent sign are read as percentages."""
    if not claim.printed.is_bare:
        return []
    a, b = (f"{100 * p:g}" for p in (claim.mean_a, claim.mean_b))
    return [f"{a} and {b} are read as percentages of correct answers"]


def bare_note(claim: Claim | UnpairedClaim) -> str | None:
    """Return advice for scores of another kind."""
    if not claim.printed.is_bare:
        return None
    return (
        "For BLEU, ROUGE, or other scores, this check does not apply. Use per-item scores (nstar "
        "compare) or their SD (nstar plan --sd)."
    )


def caution(reasons: Sequence[str]) -> str:
    """Return a sentence with all cautions; empty if there are none.

    Examples
    --------
    >>> caution(["a p-value cannot be 0", "45% is not possible on 448 items"])
    'Caution: a p-value cannot be 0; 45% is not possible on 448 items.'
    """
    return f"Caution: {'; '.join(reasons)}." if reasons else ""


def impossible_shares(claim: Claim | UnpairedClaim) -> list[str]:
    """Return the accuracies that no integer number of correct answers gives."""
    if claim.grim is None:
        return []
    if isinstance(claim, UnpairedClaim):
        sizes = (claim.n_items_a, claim.n_items_b)
    else:
        sizes = (claim.n_items, claim.n_items)
    digits = claim.printed.decimals or (2, 2)
    rows = zip((claim.mean_a, claim.mean_b), claim.grim, digits, sizes, strict=True)
    return [
        f"{percent(p, d - 2)} is not possible on {items(n)}{_attainable(check, n)}"
        for p, check, d, n in rows
        if not check.possible
    ]


def _attainable(check: Grim, n: int) -> str:
    """Return the share that truncation gives, or the nearest one."""
    if check.truncation is None:
        return f" (nearest {percent(check.nearest)})"
    return f" by rounding, but truncating {truncated_share(check.truncation, n)} gives it"


def truncated_share(k: int, n: int) -> str:
    """Return a truncated share as text: ``88/164 = 53.6585%``."""
    return f"{k:,}/{n:,} = {percent(k / n)}"


# --- p-value -------------------------------------------------------------------------------


def figure_alarms(claim: Claim) -> list[str]:
    """Return a clause for each figure that contradicts the accuracies."""
    out = []
    p, interval = claim.pvalue_check, claim.ci_check
    if p is not None and p.verdict == "impossible":
        out.append(f"a p-value cannot be {p.printed.removeprefix('= ')}")
    elif p is not None and p.verdict == "fits none":
        out.append(f"the reported p {p.printed} matches no standard test")
    if interval is None:
        return out
    if not interval.contains_gap:
        out.append("the reported CI excludes the reported gap")
    elif interval.verdict == "fits none":
        out.append("the reported CI matches no standard method")
    if interval.contradicts_p:
        out.append("no counts give both the reported p and the reported CI")
    return out


def _range(counts: CountRange) -> str:
    return (
        f"{counts.least:,}" if counts.least == counts.most else f"{counts.least:,}–{counts.most:,}"
    )


def _shown(check: PValueCheck) -> list[MethodMatch]:
    """Return the tests that are exact; resampling tests only if no other fits."""
    plain = [fit for fit in check.tests if fit.method not in _DRAWN]
    return plain or list(check.tests)


def fits_grid(claim: Claim) -> tuple[TextTable, ...]:
    """Return a table of the tests that give the reported p, with the implied disagreement."""
    check = claim.pvalue_check
    if check is None or check.verdict != "fits":
        return ()
    visible_fits = _shown(check)

    def cell(key: tuple[str, bool], sides: int) -> str:
        for fit in visible_fits:
            if (fit.method, fit.is_paired) == key and fit.sides == sides:
                return "fits" if fit.n_discordant is None else _range(fit.n_discordant)
        return "–"

    names = [key for key in _TESTS if any((f.method, f.is_paired) == key for f in visible_fits)]
    return (
        TextTable(
            title=f"Tests that give p {check.printed}, with the number of items on which the "
            "models then disagree",
            header=("test", "two-sided", "one-sided"),
            rows=tuple((_TESTS[key], cell(key, 2), cell(key, 1)) for key in names),
        ),
    )


def _about(counts: CountRange, *, bound: bool) -> str:
    """Return the middle of a range with suitable digits; for a one-sided bound, the range."""
    if counts.least == counts.most:
        return items(counts.least)
    if bound:
        return f"{counts.least:,} to {items(counts.most)}"
    midpoint = (counts.least + counts.most) / 2
    digits = max(1 - math.floor(math.log10(midpoint)), -9) if midpoint >= 10 else 0
    return f"about {items(round(midpoint, min(digits, 0)))} ({_range(counts)})"


def _usual(claim: Claim) -> CountRange | None:
    """Return the number of items on which models would disagree at the assumed correlations."""
    low, high = claim.rho_assumed.low, claim.rho_assumed.high
    discordances = [round(r.psi * claim.n_items) for r in claim.scenarios if low <= r.rho <= high]
    return CountRange(min(discordances), max(discordances)) if discordances else None


def _beside(claim: Claim, fits: list[MethodMatch]) -> str:
    """Return whether the disagreement is usual."""
    usual = _usual(claim)
    ranges = [f.n_discordant for f in fits if f.n_discordant is not None]
    if usual is None or any(r.least <= usual.most and usual.least <= r.most for r in ranges):
        return ""
    if usual.least == usual.most:
        return f" At the assumed correlation, about {usual.least:,} is expected."
    return f" {usual.least:,} to {usual.most:,} is typical."


def _common(check: PValueCheck, fits: list[MethodMatch]) -> str:
    """Return the results of McNemar's tests. Tests with the same result are named together."""
    tests_by_text: dict[str, list[str]] = {}
    for fit in fits:
        counts = fit.at_gap or fit.n_discordant
        if counts is not None and fit.method in ("exact", "midp", "asymptotic"):
            count_text = _about(counts, bound=check.printed[0] != "=")
            tests_by_text.setdefault(count_text, []).append(_TESTS[fit.method, True])
    return ", ".join(f"on {n} by {' and '.join(tests)}" for n, tests in tests_by_text.items())


def _implied(claim: Claim, check: PValueCheck) -> str:
    paired_fits = [fit for fit in _shown(check) if fit.is_paired]
    if not paired_fits:
        return (
            f"The reported p {check.printed} fits only unpaired tests; a paired test is more "
            "powerful."
        )
    for sides, side in ((2, ""), (1, " (one-sided)")):
        fits = [f for f in paired_fits if f.sides == sides]
        if common_text := _common(check, fits):
            return (
                f"The reported p {check.printed} implies that the models disagree "
                f"{common_text}{side}.{_beside(claim, fits)}"
            )
    tests = dict.fromkeys(_TESTS[fit.method, fit.is_paired] for fit in paired_fits)
    return f"The reported p {check.printed} is possible with {' or '.join(tests)}."


def _far_from_usual(claim: Claim) -> tuple[CountRange, CountRange] | None:
    """Return the disagreement that the reported p needs and the usual one, if they differ."""
    check = claim.pvalue_check
    if check is None or check.verdict != "fits":
        return None
    fits = _shown(check)
    usual, ranges = _usual(claim), [fit.n_discordant for fit in fits]
    if any(r is None for r in ranges) or usual is None or not _beside(claim, fits):
        return None
    known = [r for r in ranges if r is not None]
    return CountRange(min(r.least for r in known), max(r.most for r in known)), usual


def p_alarm(claim: Claim) -> list[str]:
    """Return a clause that the reported p needs an unusual disagreement."""
    counts, check = _far_from_usual(claim), claim.pvalue_check
    if counts is None or check is None:
        return []
    needed, usual = map(_range, counts)
    word = "expected at the assumed rho" if counts[1].least == counts[1].most else "typical"
    return [
        f"the reported p {check.printed} requires disagreement on {needed} items, but {usual} is "
        f"{word}"
    ]


def p_finding(claim: Claim) -> str | None:
    """Return a sentence that the reported p is possible."""
    check = claim.pvalue_check
    if check is None or check.verdict != "fits" or _far_from_usual(claim) is not None:
        return None
    return f"The reported p {check.printed} is possible."


def p_note(claim: Claim) -> str | None:
    """Return the check of the reported p against every table that rounds to the accuracies."""
    check = claim.pvalue_check
    if check is None:
        return None
    if check.verdict == "impossible":
        return (
            "A p-value of 0 is impossible. With B resamples, the minimum is 1/(B + 1), so "
            "report p < 1/(B + 1)."
        )
    if check.verdict == "not checked":
        return (
            f"The reported p {check.printed} was not checked, because the accuracies are not "
            f"k/{claim.n_items:,}."
        )
    if check.verdict == "fits none":
        return (
            f"The reported p {check.printed} matches none of these tests for any counts that "
            f"round to these accuracies: {_TRIED}. Ask which test was used. {_OTHERWISE}"
        )
    zero = ""
    if check.low == 0 and check.printed.startswith("="):
        zero = f" It is treated as p < {check.high:g} and should be reported that way."
    return _implied(claim, check) + zero


# --- interval -----------------------------------------------------------------------------


def interval_note(claim: Claim) -> str | None:
    """Return the check of the reported interval against the tables and the reported p."""
    check, limits = claim.ci_check, claim.printed.ci
    if check is None or limits is None:
        return None
    digits = claim.printed.ci_decimals or (None, None)
    low, high = (_limit(float(x), d) for x, d in zip(limits, digits, strict=True))
    head = f"The reported CI [{low}, {high}]"
    if not check.contains_gap:
        return f"{head} excludes the reported gap."
    if check.verdict == "not checked":
        return f"{head} was not checked, because the accuracies are not k/{claim.n_items:,}."
    if check.verdict == "fits none":
        return (
            f"{head} matches none of these methods for any counts that round to these "
            f"accuracies: {_TRIED_INTERVALS}. Ask how it was computed. {_OTHERWISE}"
        )
    best = check.methods[0]
    known = "" if best.n_discordant is None else f", if the models disagree on {_on(best)}"
    return (
        f"{head} can be {_INTERVALS[best.method, best.is_paired]}{known}; it implies SE "
        f"{pp(check.se)} and p = {pvalue(check.pvalue)}.{_with_p(claim)}"
    )


def _limit(value: float, decimals: int | None) -> str:
    """Return a limit with the digits of the paper."""
    if decimals is None or not 2 <= decimals <= 8:
        return pp(value, sign=True)
    return f"{'−' if value < 0 else '+'}{abs(100 * value):.{decimals - 2}f} pp"


def _on(fit: MethodMatch) -> str:
    counts = fit.at_gap or fit.n_discordant
    return "" if counts is None else f"{_range(counts)} items"


def _with_p(claim: Claim) -> str:
    """Return how the reported p compares with the interval."""
    check, p = claim.ci_check, claim.pvalue_check
    if check is None or p is None or check.contradicts_p is None:
        return ""
    if check.joint_match is None:
        return f" It contradicts p {p.printed}: no counts give both. Ask how each was computed."
    return _agreement(p, check.joint_match)


def _agreement(p: PValueCheck, match: JointMatch) -> str:
    test, interval = (
        _TESTS[match.test, match.is_test_paired],
        _INTERVALS[match.interval, match.is_interval_paired],
    )
    if match.is_test_paired != match.is_interval_paired:
        return (
            f" It agrees with p {p.printed} only if one of them ignores the pairing "
            f"({test}; {interval}). Ask which one."
        )
    side = ", one-sided" if match.sides == 1 else ""
    on = (
        f"; the models disagree on {_range(match.n_discordant)} items"
        if match.is_test_paired
        else ""
    )
    return f" The reported p {p.printed} agrees with it ({test}{side}; {interval}{on})."
