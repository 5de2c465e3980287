"""Write the report of a GapClaim, for a reviewer."""

from collections.abc import Iterator

from nstar._verbs.claim import GapClaim
from nstar.errors import by_interface
from nstar.report.documents import Document, TextTable
from nstar.report.prose.claim.figures import caution
from nstar.report.prose.claim.wins import WORDS
from nstar.report.prose.comparison.headline import p_is
from nstar.report.prose.numbers import count, items, level, percent, pp, pp_range, probability

_WORDS = {"supported": "is", "not_supported": "is not", "depends": "may be"}


def _on(claim: GapClaim) -> str:
    return "" if claim.n_items is None else f" on {items(claim.n_items)}"


def _evidence(claim: GapClaim) -> str:
    parts = []
    if claim.ci is not None:
        limits = pp_range(float(claim.ci.low), float(claim.ci.high), sign=True)
        parts.append(f"{percent(claim.confidence_level)} CI {limits}")
        parts.append(f"{p_is(float(claim.pvalue.low))}, computed from the width of the interval")
    elif claim.reported_pvalue is not None:
        parts.append(f"p {claim.reported_pvalue}")
    return f" ({', '.join(parts)})"


def _finding(claim: GapClaim) -> str:
    gap = pp(claim.gap, sign=True)
    if claim.ci is not None and not claim.contains_gap:
        limits = pp_range(float(claim.ci.low), float(claim.ci.high), sign=True)
        return (
            f"Depends: the reported CI ({limits}) does not contain the reported gap ({gap}), so "
            "one of them is wrong."
        )
    verb = _WORDS[claim.verdict]
    return f"{WORDS[claim.verdict]}: {gap}{_on(claim)} {verb} significant{_evidence(claim)}."


def _power(claim: GapClaim) -> str:
    if claim.mde is None:
        return ""
    power = probability(claim.criteria.power)
    text = (
        f"With this standard error, a true gap of {pp(claim.mde)} is detected with {power} power"
    )
    if claim.n_star is not None and abs(claim.gap) < claim.mde:
        text += f"; detecting {pp(abs(claim.gap))} takes {items(claim.n_star)}"
    return f"{text}."


def _alarms(claim: GapClaim) -> Iterator[str]:
    p = claim.reported_pvalue
    if claim.agreement == "zero":
        yield "a p-value cannot be 0"
    elif claim.agreement == "one-sided":
        yield f"the reported p {p} fits the CI only as a one-sided p-value"
    elif claim.agreement == "inconsistent":
        yield f"the reported p {p} contradicts the CI"
    if claim.psi is not None and claim.psi > 1:
        yield "the standard error is too large for a paired comparison of 0/1 scores"


def _headline(claim: GapClaim) -> str:
    return " ".join(filter(None, (_finding(claim), _power(claim), caution([*_alarms(claim)]))))


def _notes(claim: GapClaim) -> Iterator[str]:
    if claim.agreement == "zero":
        yield (
            "A p-value of 0 is impossible. With B resamples, the minimum is 1/(B + 1), so "
            "report p < 1/(B + 1)."
        )
    if claim.psi is not None and claim.n_items is not None and 0 < claim.psi <= 1:
        share = items(round(claim.psi * claim.n_items))
        yield (
            f"For a paired comparison of 0/1 scores, this standard error means that the models "
            f"disagree on about {share} ({percent(round(claim.psi, 3))})."
        )
    if claim.verdict == "not_supported":
        yield "The result is inconclusive. It is not evidence of equality."
    command = by_interface(python="nstar.claim", command="nstar claim A B")
    yield f"If both accuracies are reported, {command} checks more."


def paragraph(claim: GapClaim) -> str:
    """Return a paragraph for a review."""
    alarms = [] if claim.contains_gap else ["the reported CI does not contain the reported gap"]
    return (
        f"The paper reports a gap of {pp(claim.gap, sign=True)}{_on(claim)}{_evidence(claim)}. "
        f"{_power(claim)} {caution([*alarms, *_alarms(claim)])} Please report both accuracies, "
        "and how many items only one of the models answered correctly."
    ).replace("  ", " ")


def document(claim: GapClaim) -> Document:
    """Return the report: headline, implied figures, and a paragraph."""
    tested = level(claim.criteria.alpha, claim.criteria.sides)
    rows = [
        ("standard error", "–" if claim.se is None else pp(claim.se)),
        (
            "p-value",
            " to ".join(dict.fromkeys(p_is(float(x))[2:].lstrip("= ") for x in claim.pvalue)),
        ),
        ("MDE", "–" if claim.mde is None else pp(claim.mde)),
        ("items needed", "–" if claim.n_star is None else count(claim.n_star)),
    ]
    return Document(
        headline=_headline(claim),
        opening=_finding(claim),
        grids=(
            TextTable(
                title="Implied figures",
                header=("figure", "value"),
                rows=tuple(row for row in rows if row[1] != "–"),
            ),
        ),
        notes=tuple(_notes(claim)),
        basis=f"the gap is nearly normal; {tested}.",
        assumptions=(
            "The gap is nearly normal, and its interval is symmetric on that scale.",
            f"There is one comparison, chosen in advance and tested at {tested}.",
        ),
    )
