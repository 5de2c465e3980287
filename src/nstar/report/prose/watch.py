"""Write the report of a watch: decided, undecided, or futile."""

import math
from collections.abc import Iterator

from nstar._verbs.watch import FUTILE, ArrivalOrder, Decision, Watch, WatchResult
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.headline import caution
from nstar.report.prose.gap import coverage, declared_gap, downwards, gap, sequence_scale, span
from nstar.report.prose.numbers import count, items, name, percent, probability, pvalue, votes

_METHODS = {
    "e-process": "McNemar's e-process is exact for 0/1 scores",
    "bets": "Bets on scores in [0, 1] are valid for any distribution",
}
_ASSUMED = {
    "items": "Items are independent and arrive in random order.",
    "votes": "Votes are independent, even if they share a prompt or a judge, and arrive in "
    "random order.",
}
_GAP = (
    "The gap is the share of votes that the first model won minus the share that it lost; ties "
    "count for neither. The result is not adjusted for answer order."
)


def evalue(log_e: float) -> str:
    """Return an e-value as text, from its logarithm.

    Examples
    --------
    >>> evalue(math.log(20)), evalue(-1.2), evalue(5000.0)
    ('20', '0.3', '10^2171')
    """
    if log_e > 600:
        return f"10^{log_e / math.log(10):.0f}"
    value = math.exp(log_e)
    if value >= 1e5 or value < 0.005:
        return f"{value:.1e}"
    return f"{value:,.0f}" if value >= 19.5 else f"{value:.2g}"


def rough(n: int) -> str:
    """Return an estimated number with two digits."""
    if n < 10:
        return str(n)
    unit = 10 ** (len(str(n)) - 2)
    return count(round(n / unit) * unit)


def counted(watch: Watch | WatchResult, n: float) -> str:
    """Return a number of items, or of votes if votes are watched."""
    return items(n) if watch.question.unit == "items" else votes(n)


def _finding(watch: Watch | WatchResult, decision: Decision) -> str:
    first, second = (name(n, limit=40) for n in watch.question.models)
    margin = declared_gap(watch, watch.question.margin)
    return {
        "better": f"{first} beats {second}",
        "worse": f"{first} trails {second}",
        "noninferior": f"{first} is non-inferior to {second} at the {margin} margin",
        "equivalent": f"{first} and {second} are equivalent within ±{margin}",
    }[decision.verdict]


def _progress(watch: Watch | WatchResult, d: Decision) -> str:
    if d.n_items <= d.n_items_planned:
        return f"{count(d.n_items)} of {counted(watch, d.n_items_planned)}"
    return f"{counted(watch, d.n_items)} ({count(d.n_items_planned)} were planned)"


def _forecast(watch: Watch | WatchResult, decision: Decision) -> str:
    """Return when a decision is expected, as the next sentence."""
    left = decision.n_items_left
    if decision.more_items is None:
        return " No decision is expected by the end at this rate."
    unit = watch.question.unit if decision.more_items != 1 else _one(watch)
    text = f" At this rate a decision needs about {rough(decision.more_items)} more {unit}"
    return f"{text}." if decision.more_items <= left else f"{text}, but only {count(left)} remain."


def _answer(watch: Watch | WatchResult, d: Decision) -> str:
    """Return the answer, without evidence and final period."""
    last = f"{_one(watch)} {count(d.n_items_planned)}"
    if d.verdict == "open":
        return f"Keep going: no decision after {_progress(watch, d)}"
    if d.verdict == "futile" and not d.n_items_left:
        return f"Inconclusive after all {counted(watch, d.n_items_planned)}"
    if d.verdict == "futile":
        return (
            f"Futile: the chance of a decision by {last} is {probability(d.decision_probability)}"
        )
    return f"Decided after {counted(watch, d.decided_at or d.n_items)}: {_finding(watch, d)}"


def short(watch: Watch | WatchResult, d: Decision) -> str:
    """Return the answer without its evidence."""
    if not d.n_items:
        scored = "item has scores from" if watch.question.unit == "items" else "vote is between"
        return f"Waiting: no {scored} both models yet."
    return f"{_answer(watch, d)}.{_forecast(watch, d) if d.verdict == 'open' else ''}"


def _headline(watch: WatchResult) -> str:
    if not watch.n_items:
        return short(watch, watch)
    level = coverage(1 - watch.question.alpha)
    sequence = "no confidence sequence yet"
    scale = sequence_scale(watch, watch.confidence_sequence)
    if math.isfinite(watch.confidence_sequence.low):
        sequence = f"{level} confidence sequence {span(scale, watch.confidence_sequence)}"
    later = watch.decided_at is not None and watch.n_items > watch.decided_at
    size = gap(scale, watch.gap, sign=True)
    evidence = f" (gap {size}, {sequence})."
    if later:
        evidence = f". After {counted(watch, watch.n_items)}, the gap is {size} ({sequence})."
    forecast = _forecast(watch, watch) if watch.verdict == "open" else ""
    cautions = f"{order_caution(watch.order)}{downwards([watch])}"
    return f"{_answer(watch, watch)}{evidence}{forecast}{cautions}"


def _evidence(watch: WatchResult) -> TextTable:
    limit = evalue(watch.question.log_e_value_threshold)
    rows = [("gap is 0", evalue(watch.log_e_value), limit, pvalue(watch.pvalue))]
    if watch.log_e_value_margin is not None and watch.pvalue_margin is not None:
        margin = declared_gap(watch, watch.question.margin)
        size = "gap" if watch.question.equivalence else "loss"
        cells = (evalue(watch.log_e_value_margin), limit, pvalue(watch.pvalue_margin))
        rows.append((f"{size} is {margin} or more", *cells))
    first, second = (name(n, limit=24) for n in watch.question.models)
    return TextTable(
        title=f"Evidence against each hypothesis ({first} − {second})",
        header=("hypothesis", "e-value", "rejected at", "anytime p"),
        rows=tuple(rows),
    )


def order_caution(order: ArrivalOrder) -> str:
    """Return a caution that items are not in random order, as the next sentence."""
    if order.sorted_by == "groups":
        blocks = f"{order.n_groups} groups in {order.n_blocks} blocks"
        reason = f"items are sorted by group ({blocks}), so no guarantee holds; shuffle them"
        return f" {caution([reason])}"
    if order.sorted_by == "items":
        reason = "items are in name order; shuffle them unless names are unrelated to difficulty"
        return f" {caution([reason])}"
    return ""


def _one(watch: Watch | WatchResult) -> str:
    return watch.question.unit.removesuffix("s")


def _notes(watch: WatchResult) -> Iterator[str]:
    if watch.decision_probability_at_gap is not None and watch.n_items_left:
        qualifier = "at most " if watch.question.margin is None else ""
        size = gap(sequence_scale(watch, watch.confidence_sequence), watch.gap, sign=True)
        yield (
            f"The chance of a decision by {_one(watch)} {count(watch.n_items_planned)} is "
            f"{probability(watch.decision_probability_at_gap)} if the true gap is {size}, and "
            f"{qualifier}{probability(watch.decision_probability_at_zero)} if there is none."
        )
    if watch.n_items_saved:
        saved = watch.cost_saved
        money = "" if saved is None else f", or {saved:,.2f} at the mean cost so far"
        share = percent(round(watch.n_items_saved / watch.n_items_planned, 2))
        yield (
            f"Saved: {count(watch.n_items_saved)} of {count(watch.n_items_planned)} planned "
            f"{watch.question.unit} ({share}){money}."
        )
    if watch.verdict == "futile":
        yield (
            "An inconclusive result does not mean that the models are equal: the confidence "
            "sequence shows which gaps remain possible. Continuing is always valid."
        )
    if watch.verdict in ("noninferior", "equivalent"):
        yield (
            "The test of the margin is one-sided, so the two-sided confidence sequence can "
            "extend beyond it."
        )
    if watch.n_items_unscored:
        yield (
            f"Excluded: {items(watch.n_items_unscored)} without scores from both models. The "
            "gap is biased if missing scores depend on the answers."
        )


def _method(watch: WatchResult) -> str:
    q = watch.question
    if q.method == "asymptotic":
        return (
            "The confidence sequence is asymptotic and starts at item 30. Its nominal error rate "
            f"is {percent(q.alpha)}, but it is unreliable if large losses or wins are rare. "
            "Scores in [0, 1] need no such approximation."
        )
    return f"{_METHODS[q.method]}, with an error rate of at most {percent(q.alpha)} at every look."


def _assumptions(watch: WatchResult) -> tuple[str, ...]:
    q = watch.question
    out = [
        _ASSUMED[q.unit],
        *([_GAP] if q.unit == "votes" else []),
        _method(watch),
        f'"Futile" means that the chance of a decision by the last {_one(watch)} is below '
        f"{percent(FUTILE)}, averaged over the true gaps that the {q.unit} so far allow. This "
        "is a forecast, not evidence.",
    ]
    if q.scale == "binary":
        psi = "assumed" if q.psi is None else "declared"
        mde = watch.mde
        reach = "no gap" if mde is None else f"a gap of {gap(watch, mde)}"
        differ = "are discordant" if q.unit == "items" else "are not ties"
        out.append(
            f"With all planned {q.unit}, the test detects {reach} with {percent(q.power)} power "
            f"if {percent(q.planned_psi)} of the {q.unit} {differ} ({psi}). If the share differs, "
            f"the number of {q.unit} needed changes, but the test remains valid."
        )
    return tuple(out)


def _basis(watch: WatchResult) -> str:
    """Return the assumptions in one sentence."""
    q = watch.question
    valid = f"valid at every look, α = {q.alpha:g}"
    if q.method == "asymptotic":
        valid = f"approximately {valid}: unreliable if large losses or wins are rare"
    return f"independent {q.unit} in random order; {valid}."


def document(watch: WatchResult) -> Document:
    """Return the report: the answer, the evidence, and the notes."""
    return Document(
        headline=_headline(watch),
        grids=(_evidence(watch),) if watch.n_items else (),
        notes=tuple(_notes(watch)),
        basis=_basis(watch),
        assumptions=_assumptions(watch),
    )
