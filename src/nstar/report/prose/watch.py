"""A watch in words: decided, keep going, or not to be decided by this benchmark."""

import math

from nstar._verbs.watch import FUTILE, ArrivalOrder, Decision, Watch, WatchResult
from nstar.report.documents import Document, TextTable
from nstar.report.prose.gap import coverage, gap, span
from nstar.report.prose.numbers import count, items, name, percent, probability, pvalue, votes

_METHODS = {
    "e-process": "McNemar's e-process: exact for 0/1 scores, at all looks together",
    "bets": "bets on scores in [0, 1]: they hold for any law of them, at all looks together",
}
_END = {"items": "the end of this benchmark", "votes": "the last of the votes planned"}
_BASIS = {
    "items": "Items are independent and come in an order that has nothing to do with their "
    "scores.",
    "votes": "Votes are given independently of each other, those on one prompt or by one judge "
    "too, and in an order that has nothing to do with who wins.",
}
_GAP = (
    "The gap is the share of votes that the first model won less the share that it lost; a tie "
    "counts for neither. Which answer was shown first is not allowed for."
)


def evalue(log_e: float) -> str:
    """An e-value, from its logarithm.

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
    """A number that is a guess, with two digits."""
    if n < 10:
        return str(n)
    unit = 10 ** (len(str(n)) - 2)
    return count(round(n / unit) * unit)


def counted(watch: Watch | WatchResult, n: float) -> str:
    """A number of items or of votes, whatever is watched."""
    return items(n) if watch.question.unit == "items" else votes(n)


def _finding(watch: Watch | WatchResult, decision: Decision) -> str:
    first, second = (name(n, limit=40) for n in watch.question.models)
    margin = gap(watch, watch.question.margin)
    return {
        "better": f"{first} is better than {second}",
        "worse": f"{first} is worse than {second}",
        "noninferior": f"{first} is not worse than {second} by {margin} or more",
        "equivalent": f"{first} and {second} differ by less than {margin}",
    }[decision.verdict]


def _progress(watch: WatchResult) -> str:
    if watch.n_items <= watch.n_items_planned:
        return f"{count(watch.n_items)} of {counted(watch, watch.n_items_planned)}"
    return f"{counted(watch, watch.n_items)} ({count(watch.n_items_planned)} were planned)"


def _forecast(watch: Watch | WatchResult, decision: Decision) -> str:
    left = decision.n_items_left
    are = "is" if left == 1 else "are"
    if decision.more_items is None:
        return f"no end in sight at this rate, {counted(watch, left)} {are} left"
    about = f"about {rough(decision.more_items)} more at this rate"
    return about if decision.more_items <= left else f"{about}, but only {count(left)} {are} left"


def short(watch: Watch | WatchResult, d: Decision) -> str:
    """The answer in one sentence, without its evidence."""
    if d.verdict == "open":
        return "Nothing to go by yet." if not d.n_items else f"Keep going: {_forecast(watch, d)}."
    if d.verdict == "futile" and not d.n_items_left:
        return f"Not decided: all {counted(watch, d.n_items_planned)} are in."
    if d.verdict == "futile":
        return (
            f"It can hardly be decided by {_END[watch.question.unit]}: the chance is "
            f"{probability(d.decision_probability)}, taken over all gaps that are still likely."
        )
    return f"Decided after {counted(watch, d.decided_at or d.n_items)}: {_finding(watch, d)}."


def _headline(watch: WatchResult) -> str:
    answer = short(watch, watch)
    if not watch.n_items:
        return answer
    first, second = (name(n, limit=40) for n in watch.question.models)
    level = coverage(1 - watch.question.alpha)
    sequence = (
        f"{level} sequence {span(watch, watch.confidence_sequence)}"
        if math.isfinite(watch.confidence_sequence.low)
        else "no sequence yet"
    )
    seen = gap(watch, watch.gap, sign=True)
    return (
        f"{answer} After {_progress(watch)} the gap is {seen} ({sequence}), {first} minus "
        f"{second}."
    )


def _evidence(watch: WatchResult) -> TextTable:
    limit = evalue(watch.question.log_e_value_threshold)
    rows = [("the gap is 0", evalue(watch.log_e_value), limit, pvalue(watch.pvalue))]
    if watch.log_e_value_margin is not None and watch.pvalue_margin is not None:
        margin = gap(watch, watch.question.margin)
        against = "apart" if watch.question.equivalence else "worse"
        cells = (evalue(watch.log_e_value_margin), limit, pvalue(watch.pvalue_margin))
        rows.append((f"{against} by {margin} or more", *cells))
    return TextTable(
        title="Evidence against each hypothesis, at any time",
        header=("against", "e-value now", "decides at", "p-value"),
        rows=tuple(rows),
    )


def order_note(order: ArrivalOrder) -> tuple[str, ...]:
    """What to beware of in the order of the items, if anything."""
    if order.sorted_by == "groups":
        return (
            f"Items come sorted: {order.n_groups} groups in {order.n_blocks} stretches, far fewer "
            "than in a random order. Until a late group has come the gap is that of the early "
            "ones, and no guarantee holds; shuffle the items.",
        )
    if order.sorted_by == "items":
        return (
            "Items come in the order of their names. That is harmless only if the names say "
            "nothing about subject or difficulty; shuffle the items if they may.",
        )
    return ()


def _saved_note(d: WatchResult) -> tuple[str, ...]:
    notes: list[str] = []
    if d.decided_at is not None and d.n_items > d.decided_at:
        notes.append(
            f"The answer was known after {counted(d, d.decided_at)}; "
            f"{counted(d, d.n_items - d.decided_at)} came after it."
        )
    if d.n_items_saved:
        money = "" if d.cost_saved is None else f", {d.cost_saved:,.2f} at the mean cost so far"
        share = percent(round(d.n_items_saved / d.n_items_planned, 2))
        not_run = "Not run" if d.question.unit == "items" else "Not needed"
        notes.append(
            f"{not_run}: {counted(d, d.n_items_saved)} of {count(d.n_items_planned)} "
            f"({share}){money}."
        )
    return tuple(notes)


def _one(watch: WatchResult) -> str:
    return watch.question.unit.removesuffix("s")


def _outlook_note(watch: WatchResult) -> tuple[str, ...]:
    """What the chance of a decision hangs on."""
    if watch.decision_probability_at_gap is None or not watch.n_items_left:
        return ()
    most = "at most " if watch.question.margin is None else ""
    as_seen, if_none = (
        probability(watch.decision_probability_at_gap),
        probability(watch.decision_probability_at_zero),
    )
    return (
        f"Chance of a decision by the last {_one(watch)}: {as_seen} if the true gap is as seen so "
        f"far, {most}{if_none} if there is none.",
    )


def _notes(watch: WatchResult) -> tuple[str, ...]:
    notes = [*_outlook_note(watch), *_saved_note(watch), *order_note(watch.order)]
    if watch.verdict == "futile":
        notes.append(
            "Not decided is not equal: the sequence shows which gaps are still possible. Going "
            "on is allowed and costs no error."
        )
    if watch.verdict in ("noninferior", "equivalent"):
        notes.append(
            "The margin is tested one-sided, so the two-sided sequence may still reach beyond it."
        )
    if watch.lower_is_better:
        notes.append("Less is better in this metric: a positive gap is a loss.")
    if watch.n_items_unscored:
        are = "is" if watch.n_items_unscored == 1 else "are"
        notes.append(
            f"{items(watch.n_items_unscored)} without a score of both models {are} left out; if "
            "failures to score have to do with the answers, the gap is biased."
        )
    return tuple(notes)


def _method(watch: WatchResult) -> str:
    q = watch.question
    if q.method == "asymptotic":
        return (
            f"A normal-mixture sequence from item 30 on, aimed at {percent(q.alpha)}: it holds "
            "only as averages become normal. Rare large losses or wins that have not come yet "
            "make false words far more frequent; scores in [0, 1] need no such limit."
        )
    return (
        f"{_METHODS[q.method]}; any false word has probability {percent(q.alpha)} at most, "
        "however often one looks."
    )


def _assumptions(watch: WatchResult) -> tuple[str, ...]:
    q = watch.question
    out = [
        _BASIS[q.unit],
        *([_GAP] if q.unit == "votes" else []),
        _method(watch),
        f"Cannot be decided: on average over the true gaps that the {q.unit} so far leave open, "
        f"the chance of a decision at the last {_one(watch)} is below {percent(FUTILE)}. It is a "
        "forecast, and no evidence.",
    ]
    if q.scale == "binary":
        psi = "assumed" if q.psi is None else "given"
        found = watch.mde
        reach = "no gap" if found is None else f"a gap of {gap(watch, found)}"
        tell = "are discordant" if q.unit == "items" else "do not tie"
        out.append(
            f"By the end it finds {reach} with power {percent(q.power)}, if "
            f"{percent(q.planned_psi)} of {q.unit} {tell} ({psi}); if not, it takes more or "
            f"fewer {q.unit} and is as valid."
        )
    return tuple(out)


def _basis(watch: WatchResult) -> str:
    """What the answer rests on in one sentence, where the first assumption is not enough."""
    if watch.question.method != "asymptotic":
        return ""
    return (
        "items come in an order that has nothing to do with their scores, and averages are "
        "normal: rare large losses or wins that have not come yet make false words far more "
        "frequent."
    )


def document(watch: WatchResult) -> Document:
    """The answer, the evidence, and what to beware of."""
    return Document(
        headline=_headline(watch),
        grids=(_evidence(watch),) if watch.n_items else (),
        notes=_notes(watch),
        basis=_basis(watch),
        assumptions=_assumptions(watch),
    )
