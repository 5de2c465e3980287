"""Write the report of a ClaimList: the tally, and a row for each claim."""

import math
from collections.abc import Iterator

from nstar._verbs.claim import ClaimList, ListedClaim
from nstar.report.documents import Document, TextTable
from nstar.report.prose.claim.wins import WORDS
from nstar.report.prose.numbers import count, level, name, percent, pp, pp_range, probability

_NAME = 24


def _are(n: int) -> str:
    return f"{n:,} {'is' if n == 1 else 'are'}"


def _finding(claims: ClaimList) -> str:
    n = len(claims.claims)
    parts = [f"{_are(claims.n_borderline)} borderline" if claims.n_borderline else ""]
    parts.append(f"{_are(claims.n_above)} above it" if claims.n_above else "")
    rest = "; ".join(part for part in parts if part)
    below = f"{claims.n_below:,}" if claims.n_below else "None"
    verb = "is" if claims.n_below <= 1 else "are"
    return f"{below} of {n:,} claimed gaps {verb} below the MDE{'; ' * bool(rest)}{rest}."


def _verdicts(claims: ClaimList) -> str:
    supported, depends, out = (
        claims.count(word) for word in ("supported", "depends", "not_supported")
    )
    parts = [f"{supported:,} supported" if supported else "none is supported"]
    parts += [f"{depends:,} depend{'s' * (depends == 1)} on how the models disagree"] * bool(
        depends
    )
    parts += [f"{out:,} not supported"] * bool(out)
    return f"Verdicts: {'; '.join(parts)}."


def _headline(claims: ClaimList) -> str:
    skipped = f"Caution: {len(claims.skipped):,} skipped." if claims.skipped else ""
    return " ".join(filter(None, (_finding(claims), _verdicts(claims), skipped)))


def _range(low: float, high: float) -> str:
    if math.isinf(high):
        return "none" if math.isinf(low) else f"{count(low)} or more"
    return count(low) if low == high else f"{count(low)}–{count(high)}"


def _row(claim: ListedClaim) -> tuple[str, ...]:
    low, high = (float(end) for end in claim.mde)
    reported = claim.reported_pvalue or "–"
    if claim.pvalue_verdict in ("fits none", "impossible"):
        reported += f" ({claim.pvalue_verdict})"
    return (
        name(claim.paper, limit=_NAME),
        pp(claim.gap, sign=True, column=True),
        f"{claim.n_items:,}",
        "none" if math.isinf(high) else pp_range(low, high),
        claim.gap_vs_mde,
        _range(float(claim.n_star.low), float(claim.n_star.high)),
        reported.removeprefix("= "),
        WORDS[claim.verdict].lower(),
    )


def _grid(claims: ClaimList) -> TextTable:
    header = ("claim", "gap", "items", "MDE", "gap vs MDE", "items needed", "p", "verdict")
    rows = [_row(claim) for claim in claims.claims]
    keep = [k for k in range(len(header)) if k != 6 or any(row[6] != "–" for row in rows)]
    return TextTable(
        title=(f"Claims at rho = {claims.rho_assumed}; borderline is within 50% of the MDE"),
        header=tuple(header[k] for k in keep),
        rows=tuple(tuple(row[k] for k in keep) for row in rows),
    )


def _notes(claims: ClaimList) -> Iterator[str]:
    wrong = [c.paper for c in claims.claims if c.pvalue_verdict in ("fits none", "impossible")]
    wrong += [c.paper for c in claims.claims if c.ci_verdict == "fits none"]
    if wrong:
        names = ", ".join(name(x, limit=40) for x in dict.fromkeys(wrong))
        yield f"A reported p or CI fits no common method: {names}. Check each with nstar claim."
    if claims.count("depends"):
        yield (
            "For claims with the verdict depends, ask the authors for two counts: the items that "
            "only the first model got right, and the items that only the second model got right."
        )
    yield (
        "Verdicts are not adjusted for the number of claims. A gap below the MDE can still be "
        "real."
    )
    for skipped in claims.skipped[:20]:
        yield f"Skipped {name(skipped.paper, limit=40)}: {skipped.reason}"


def paragraph(claims: ClaimList) -> str:
    """Return a paragraph for a review."""
    power = percent(claims.criteria.power)
    return (
        f"We checked {len(claims.claims):,} reported gaps between two accuracies. "
        f"{_finding(claims)} {_verdicts(claims)} The minimum detectable effect (MDE) is the gap "
        f"that the items detect with {power} power at item correlations of {claims.rho_assumed}."
    )


def document(claims: ClaimList) -> Document:
    """Return the report: the tally, a row for each claim, and a paragraph."""
    tested = level(claims.criteria.alpha, claims.criteria.sides)
    return Document(
        headline=_headline(claims),
        opening=_finding(claims),
        grids=(_grid(claims),),
        notes=tuple(_notes(claims)),
        basis=(
            f"both models of a claim answered the same items once, scored 0/1; rho = "
            f"{claims.rho_assumed}; {probability(claims.criteria.power)} power; {tested}."
        ),
        assumptions=(
            "Both models of a claim answered the same items once, scored 0/1.",
            f"The MDE is that of item correlations of {claims.rho_assumed}, with "
            f"{probability(claims.criteria.power)} power at {tested}.",
            "Items are independent. Items from shared passages or repositories make gaps less "
            "certain.",
        ),
    )
