"""Titles and numbers on the pages of claims."""

import math
from collections.abc import Callable, Iterator
from typing import Any

from nstar._verbs.claim import Claim, ScoreClaim, TableClaim, UnpairedClaim, WinsClaim
from nstar.report.documents import Tile
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import count, items, percent, pp, probability, pvalue
from nstar.report.prose.page_top._tile import tile

_WORDS = {"supported": "Supported", "not_supported": "Not supported", "depends": "Depends"}
_MDE = "minimum detectable effect (MDE)"


def _between(low: str, high: str) -> str:
    """Two ends of a range, the unit once."""
    if low == high:
        return low
    number, _, unit = low.partition(" ")
    return f"{number} to {high}" if high.endswith(unit) else f"{low} to {high}"


def _typical(claim: Claim) -> str:
    t = claim.rho_assumed
    return f"At rho = {t.low:g}." if t.low == t.high else f"At rho of {t.low:g} to {t.high:g}."


def _claim(claim: Claim) -> Iterator[Tile]:
    means = f"{percent(claim.mean_a)} minus {percent(claim.mean_b)}"
    yield tile(pp(claim.gap, sign=True), "reported gap", f"{means}, {items(claim.n_items)}.")
    low, high = (float(end) for end in claim.mde)
    if math.isfinite(low):
        text = f"{pp(low)} or more" if math.isinf(high) else _between(pp(low), pp(high))
        power = probability(claim.criteria.power)
        yield tile(
            text, _MDE, f"A true gap that is detected with {power} power. {_typical(claim)}"
        )
    low, high = (float(end) for end in claim.n_star)
    if math.isfinite(high):
        explanation = f"To detect a true gap of {pp(abs(claim.gap))}. {_typical(claim)}"
        yield tile(_between(count(low), count(high)), "items needed", explanation)


def _claim_title(claim: Claim) -> str:
    word, gap = _WORDS[claim.verdict], pp(claim.gap, sign=True)
    if claim.verdict == "supported":
        return f"{word}: {gap} on {items(claim.n_items)} is significant"
    if claim.verdict == "not_supported":
        return f"{word}: {gap} on {items(claim.n_items)} is not significant"
    if claim.rho_significant is None:
        return f"{word}: {gap} on {items(claim.n_items)} may be significant"
    return f"{word}: {gap} is significant only if rho is at least {claim.rho_significant:.2f}"


def disagreement(claim: Claim) -> str:
    """Return on how many items the models may disagree, and how many are typical."""
    limit, t = claim.n_discordant_significant, claim.rho_assumed
    if claim.verdict != "depends" and claim.n_discordant.least < claim.n_discordant.most:
        return "This holds however often the models disagree."
    if claim.verdict != "depends" or limit is None or claim.rho_significant is None:
        return ""
    text = f"That is the case if the models disagree on at most {items(limit)}"
    counts = [row.psi * claim.n_items for row in claim.scenarios if t.low <= row.rho <= t.high]
    if not counts or t.low == t.high:
        return f"{text}."
    return (
        f"{text}; {_between(*(count(round(n)) for n in (min(counts), max(counts))))} is typical."
    )


def _scores(claim: ScoreClaim) -> Iterator[Tile]:
    gap = pp(claim.gap, sign=True) if claim.is_accuracy else f"{claim.gap:+.4g}"
    seeds = {score.n_seeds for score in (claim.first, claim.second)} - {None}
    explanation = f"Over {' and '.join(f'{n:,}' for n in sorted(seeds))} seeds." if seeds else ""  # type: ignore[type-var]
    yield tile(gap.replace("-", "−"), "reported gap", explanation)
    ps = [row.pvalue for row in claim.scenarios]
    yield tile(_between(pvalue(min(ps)), pvalue(max(ps))), "p", "Over the possible meanings of ±.")
    n = sum(p <= claim.criteria.alpha for p in ps)
    yield tile(f"{n} of {len(ps)}", "meanings of ± give a significant gap", "")


def _scores_title(claim: ScoreClaim) -> str:
    gap = pp(claim.gap, sign=True) if claim.is_accuracy else f"{claim.gap:+.4g}"
    gap = gap.replace("-", "−")
    over_seeds = claim.first.n_seeds is not None
    word = claim.verdict_independent if over_seeds or claim.is_unpaired else claim.verdict
    if word != "depends":
        verb = "is" if word == "supported" else "is not"
        return f"{_WORDS[word]}: {gap} {verb} significant"
    cause = "the meaning of ±" if over_seeds else "the correlation of the errors"
    return f"Depends: {cause} decides whether {gap} is significant"


def _unpaired(claim: UnpairedClaim) -> Iterator[Tile]:
    low, high = (pp(float(end), sign=True) for end in claim.ci)
    conf = coverage(1 - claim.criteria.alpha)
    explanation = f"{conf} CI {_between(low, high)}; p = {pvalue(claim.pvalue)}."
    yield tile(pp(claim.gap, sign=True), "reported gap", explanation)
    if math.isfinite(claim.mde):
        power = probability(claim.criteria.power)
        yield tile(pp(claim.mde), _MDE, f"A true gap that is detected with {power} power.")
    if math.isfinite(claim.n_star):
        explanation = f"For each model, to detect {pp(abs(claim.gap))}."
        yield tile(count(claim.n_star), "items needed", explanation)


def _unpaired_title(claim: UnpairedClaim) -> str:
    verb = {"supported": "is", "not_supported": "is not", "depends": "may be"}[claim.verdict]
    gap = pp(claim.gap, sign=True)
    return f"{_WORDS[claim.verdict]}: {gap} {verb} significant on separate items"


def _table(claim: TableClaim) -> Iterator[Tile]:
    total = len(claim.columns)
    texts = {
        "supported": ("best scores supported", "At every correlation between the models."),
        "depends": ("depend", "On the item correlation between the models."),
        "not_supported": ("not supported", "At no correlation between the models."),
    }
    for verdict, (label, explanation) in texts.items():
        n = sum(column.verdict == verdict for column in claim.columns)
        yield tile(f"{n} of {total}", label, explanation)


def _table_title(claim: TableClaim) -> str:
    n, total = sum(c.verdict == "supported" for c in claim.columns), len(claim.columns)
    return f"{n:,} of {total:,} best scores {'is' if n == 1 else 'are'} supported"


def _wins(claim: WinsClaim) -> Iterator[Tile]:
    shared = f"{claim.n_ties:,} of them shared." if claim.n_ties else ""
    yield tile(f"{claim.n_wins:,} of {claim.n_benchmarks:,}", "wins", shared)
    explanation = f"By each of {claim.n_models:,} equal models."
    yield tile(f"{claim.expected_wins:.3g}", "wins expected by chance", explanation)
    low, high = (pvalue(float(end)) for end in claim.pvalue_bounds)
    yield tile(_between(low, high), "p", "Over the assumptions below.")


def _wins_title(claim: WinsClaim) -> str:
    wins = f"{claim.n_wins:,} of {claim.n_benchmarks:,} wins"
    verb = {"supported": "beat", "not_supported": "do not beat", "depends": "may beat"}
    return f"{_WORDS[claim.verdict]}: {wins} {verb[claim.verdict]} chance"


TILES: dict[str, Callable[[Any], Iterator[Tile]]] = {
    "Claim": _claim,
    "ScoreClaim": _scores,
    "UnpairedClaim": _unpaired,
    "TableClaim": _table,
    "WinsClaim": _wins,
}
TITLES: dict[str, Callable[[Any], str]] = {
    "Claim": _claim_title,
    "ScoreClaim": _scores_title,
    "UnpairedClaim": _unpaired_title,
    "TableClaim": _table_title,
    "WinsClaim": _wins_title,
}
