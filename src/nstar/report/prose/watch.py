"""A watch in words: decided, keep going, or not to be decided by this benchmark."""

import math

from nstar._verbs.watch import FUTILE, ArrivalOrder, Decision, Watch, Watched
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


def counted(watch: Watch | Watched, n: float) -> str:
    """A number of items or of votes, whatever is watched."""
    return items(n) if watch.question.unit == "items" else votes(n)


def _finding(watch: Watch | Watched, decision: Decision) -> str:
    first, second = (name(n, limit=40) for n in watch.question.names)
    margin = gap(watch, watch.question.margin)
    return {
        "better": f"{first} is better than {second}",
        "worse": f"{first} is worse than {second}",
        "not worse": f"{first} is not worse than {second} by {margin} or more",
        "equivalent": f"{first} and {second} differ by less than {margin}",
    }[decision.state]


def _progress(watch: Watched) -> str:
    if watch.n <= watch.items:
        return f"{count(watch.n)} of {counted(watch, watch.items)}"
    return f"{counted(watch, watch.n)} ({count(watch.items)} were planned)"


def _forecast(watch: Watch | Watched, decision: Decision) -> str:
    left = decision.left
    are = "is" if left == 1 else "are"
    if decision.more_items is None:
        return f"no end in sight at this rate, {counted(watch, left)} {are} left"
    about = f"about {rough(decision.more_items)} more at this rate"
    return about if decision.more_items <= left else f"{about}, but only {count(left)} {are} left"


def short(watch: Watch | Watched, d: Decision) -> str:
    """The answer in one sentence, without its evidence."""
    if d.state == "open":
        return "Nothing to go by yet." if not d.n else f"Keep going: {_forecast(watch, d)}."
    if d.state == "futile" and not d.left:
        return f"Not decided: all {counted(watch, d.items)} are in."
    if d.state == "futile":
        return (
            f"It can hardly be decided by {_END[watch.question.unit]}: the chance is "
            f"{probability(d.chance)}, taken over all gaps that are still likely."
        )
    return f"Decided after {counted(watch, d.decided_at or d.n)}: {_finding(watch, d)}."


def _headline(watch: Watched) -> str:
    answer = short(watch, watch)
    if not watch.n:
        return answer
    first, second = (name(n, limit=40) for n in watch.question.names)
    level = coverage(1 - watch.question.alpha)
    sequence = (
        f"{level} sequence {span(watch, watch.sequence)}"
        if math.isfinite(watch.sequence.low)
        else "no sequence yet"
    )
    seen = gap(watch, watch.delta, sign=True)
    return (
        f"{answer} After {_progress(watch)} the gap is {seen} ({sequence}), {first} minus "
        f"{second}."
    )


def _evidence(watch: Watched) -> TextTable:
    limit = evalue(watch.question.limit)
    rows = [("the gap is 0", evalue(watch.log_e), limit, pvalue(watch.p))]
    if watch.log_e_margin is not None and watch.p_margin is not None:
        margin = gap(watch, watch.question.margin)
        against = "apart" if watch.question.equivalence else "worse"
        cells = (evalue(watch.log_e_margin), limit, pvalue(watch.p_margin))
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
            f"Items come sorted: {order.groups} groups in {order.stretches} stretches, far fewer "
            "than in a random order. Until a late group has come the gap is that of the early "
            "ones, and no guarantee holds; shuffle the items.",
        )
    if order.sorted_by == "items":
        return (
            "Items come in the order of their names. That is harmless only if the names say "
            "nothing about subject or difficulty; shuffle the items if they may.",
        )
    return ()


def _saved_note(d: Watched) -> tuple[str, ...]:
    notes: list[str] = []
    if d.decided_at is not None and d.n > d.decided_at:
        notes.append(
            f"The answer was known after {counted(d, d.decided_at)}; "
            f"{counted(d, d.n - d.decided_at)} came after it."
        )
    if d.saved:
        money = "" if d.money_saved is None else f", {d.money_saved:,.2f} at the mean cost so far"
        share = percent(round(d.saved / d.items, 2))
        not_run = "Not run" if d.question.unit == "items" else "Not needed"
        notes.append(f"{not_run}: {counted(d, d.saved)} of {count(d.items)} ({share}){money}.")
    return tuple(notes)


def _one(watch: Watched) -> str:
    return watch.question.unit.removesuffix("s")


def _outlook_note(watch: Watched) -> tuple[str, ...]:
    """What the chance of a decision hangs on."""
    if watch.chance_as_seen is None or not watch.left:
        return ()
    most = "at most " if watch.question.margin is None else ""
    as_seen, if_none = probability(watch.chance_as_seen), probability(watch.chance_if_none)
    return (
        f"Chance of a decision by the last {_one(watch)}: {as_seen} if the true gap is as seen so "
        f"far, {most}{if_none} if there is none.",
    )


def _notes(watch: Watched) -> tuple[str, ...]:
    notes = [*_outlook_note(watch), *_saved_note(watch), *order_note(watch.order)]
    if watch.state == "futile":
        notes.append(
            "Not decided is not equal: the sequence shows which gaps are still possible. Going "
            "on is allowed and costs no error."
        )
    if watch.state in ("not worse", "equivalent"):
        notes.append(
            "The margin is tested one-sided, so the two-sided sequence may still reach beyond it."
        )
    if watch.lower_is_better:
        notes.append("Less is better in this metric: a positive gap is a loss.")
    if watch.unscored:
        are = "is" if watch.unscored == 1 else "are"
        notes.append(
            f"{items(watch.unscored)} without a score of both models {are} left out; if failures "
            "to score have to do with the answers, the gap is biased."
        )
    return tuple(notes)


def _method(watch: Watched) -> str:
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


def _assumptions(watch: Watched) -> tuple[str, ...]:
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
        found = watch.detectable
        reach = "no gap" if found is None else f"a gap of {gap(watch, found)}"
        tell = "are discordant" if q.unit == "items" else "do not tie"
        out.append(
            f"By the end it finds {reach} with power {percent(q.power)}, if "
            f"{percent(q.planned_psi)} of {q.unit} {tell} ({psi}); if not, it takes more or "
            f"fewer {q.unit} and is as valid."
        )
    return tuple(out)


def _basis(watch: Watched) -> str:
    """What the answer rests on in one sentence, where the first assumption is not enough."""
    if watch.question.method != "asymptotic":
        return ""
    return (
        "items come in an order that has nothing to do with their scores, and averages are "
        "normal: rare large losses or wins that have not come yet make false words far more "
        "frequent."
    )


def document(watch: Watched) -> Document:
    """The answer, the evidence, and what to beware of."""
    return Document(
        headline=_headline(watch),
        grids=(_evidence(watch),) if watch.n else (),
        notes=_notes(watch),
        basis=_basis(watch),
        assumptions=_assumptions(watch),
    )
