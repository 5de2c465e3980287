"""A race in words: who is left, who was dropped by whom, and what it took."""

from nstar._verbs.race import ActiveModel, EliminatedModel, RaceResult
from nstar.report.documents import Document, TextTable
from nstar.report.prose.gap import gap, score, span
from nstar.report.prose.numbers import count, items, listed, name, percent, probability, pvalue
from nstar.report.prose.watch import evalue, order_note, rough

_MAX_SURVIVORS_NAMED = 4
"""Survivors that are named in a sentence."""
_LONG = 40
_BASIS = "Items are independent and come in an order that has nothing to do with their scores."
_METHODS = {
    "e-process": "McNemar's e-process of every pair: exact for 0/1 scores, at all looks together.",
    "bets": "Bets on the differences of every pair of scores in [0, 1]: they hold for any law of "
    "them, at all looks together.",
}


def _answers(n: int) -> str:
    return "1 answer" if n == 1 else f"{n:,} answers"


def left_names(race: RaceResult) -> str:
    """The models that are left, a few by name."""
    names = [name(r.model, limit=_LONG) for r in race.active_models]
    more = len(names) - _MAX_SURVIVORS_NAMED
    return listed(names if more <= 0 else [*names[:_MAX_SURVIVORS_NAMED], f"{more:,} more"])


def _part(race: RaceResult) -> str:
    share = percent(race.n_answers_used / race.n_answers_planned, 1)
    return f"{_answers(race.n_answers_used)}, {share} of the whole grid"


def _risk(race: RaceResult) -> str:
    return probability(race.question.alpha)


def _progress(race: RaceResult) -> str:
    if race.n_items <= race.question.items:
        return f"{count(race.n_items)} of {items(race.question.items)}"
    return f"{items(race.n_items)} ({count(race.question.items)} were planned)"


def _forecast(race: RaceResult) -> str:
    """When the leader would be alone."""
    more = [r.more_items for r in race.active_models[1:]]
    known = [m for m in more if m is not None]
    are = "is" if race.n_items_left == 1 else "are"
    if race.question.method == "bets":
        return f"{items(race.n_items_left)} {are} left"
    if len(known) < len(more):
        return f"no end in sight at this rate, {items(race.n_items_left)} {are} left"
    about = f"about {rough(max(known))} more items until it is alone, at this rate"
    return (
        about
        if max(known) <= race.n_items_left
        else f"{about}, but only {count(race.n_items_left)} {are} left"
    )


def short(race: RaceResult) -> str:
    """The answer in a sentence or two."""
    total, leader = len(race.question.models), name(race.leader, limit=_LONG)
    if race.verdict == "winner":
        return (
            f"{leader} is the best of {total:,} models: known after {_progress(race)}, with "
            f"{_part(race)}. (Chance that a better one was dropped: {_risk(race)} at most.)"
        )
    if race.verdict == "within":
        any_of = "either" if len(race.active_models) == 2 else "any of them"
        return (
            f"{left_names(race)} are within {gap(race, race.question.margin)} of each other: "
            f"{any_of} will do. Known after {_progress(race)}, with {_part(race)}."
        )
    if race.verdict == "tied":
        return (
            f"Not decided: {left_names(race)} remain of {total:,} models, and "
            f"{items(race.n_items)} do not tell them apart. It took {_part(race)}."
        )
    if not race.n_items:
        return f"Nothing to go by yet: no item has the answers of all {total:,} models."
    kept = f"{len(race.active_models):,} of {total:,} models remain after {_progress(race)}"
    return f"Keep going: {kept}. {leader} leads; {_forecast(race)}."


def survivors(race: RaceResult) -> TextTable:
    """The models that are left."""
    bets = race.question.method == "bets"
    header = ["model", "score", "to the leader", "sequence", "e-value", "by", "more items"]
    rows = [_runner_row(race, r) for r in race.active_models]
    hidden = {3, 6} if bets else set()
    kept = [k for k in range(len(header)) if k not in hidden]
    limit = evalue(race.question.log_e_value_threshold)
    return TextTable(
        title=f"Still in the race; an e-value of {limit} drops a model",
        header=tuple(header[k] for k in kept),
        rows=tuple(tuple(row[k] for k in kept) for row in rows),
    )


def _runner_row(race: RaceResult, r: ActiveModel) -> tuple[str, ...]:
    behind = r.gap is not None
    return (
        name(r.model),
        "–" if r.mean != r.mean else score(race, r.mean),
        gap(race, r.gap, sign=True) if behind else "",
        "" if r.confidence_sequence is None else span(race, r.confidence_sequence),
        "–" if r.rival is None else evalue(r.log_e_value),
        "–" if r.rival is None else name(r.rival, limit=_LONG),
        "" if not behind else "> 100 ×" if r.more_items is None else f"{rough(r.more_items)}",
    )


def dropped(race: RaceResult) -> TextTable:
    """The models that are out, the last one first."""
    return TextTable(
        title="Dropped, the last one first",
        header=("model", "after items", "by", "gap", "e-value", "p-value", "answers"),
        rows=tuple(_dropped_row(race, d) for d in race.eliminated_models),
    )


def _dropped_row(race: RaceResult, d: EliminatedModel) -> tuple[str, ...]:
    return (
        name(d.model),
        count(d.n_items),
        name(d.beaten_by, limit=_LONG),
        gap(race, d.gap, sign=True),
        evalue(d.log_e_value),
        pvalue(d.pvalue),
        count(d.n_answers),
    )


def _work_notes(race: RaceResult) -> list[str]:
    spare, notes = race.n_answers - race.n_answers_used, []
    if race.n_answers_saved:
        money = "" if race.cost_saved is None else f", {race.cost_saved:,.2f} at the mean cost"
        share = percent(race.n_answers_saved / race.n_answers_planned, 1)
        notes.append(
            f"Not needed any more: {_answers(race.n_answers_saved)} of "
            f"{count(race.n_answers_planned)} ({share}){money}."
        )
    if spare and (race.eliminated_models or race.should_stop):
        notes.append(
            f"{_answers(spare)} came that the race did not need: of models that were dropped, or "
            "after its end. They are kept, and change nothing here."
        )
    if race.n_items_waiting and not race.should_stop:
        are = "waits" if race.n_items_waiting == 1 else "wait"
        notes.append(
            f"{items(race.n_items_waiting)} {are} for the answer of a model that is running."
        )
    return notes


def _notes(race: RaceResult) -> tuple[str, ...]:
    notes = [*order_note(race.order), *_work_notes(race)]
    if race.verdict == "tied":
        notes.append(
            "Not told apart is not equal: the sequences show which gaps are still possible. Going "
            "on is allowed and costs no error."
            if race.question.method == "e-process"
            else "Not told apart is not equal. Going on is allowed and costs no error."
        )
    if race.eliminated_models:
        notes.append(
            "Dropped does not mean shown to be worse than each model that is left: of many equals "
            "one may go. The gap at which a model was dropped tends to be too large."
        )
    if race.lower_is_better:
        notes.append("Less is better in this metric: a positive gap is a loss.")
    if race.n_answers_unscored:
        notes.append(
            f"{_answers(race.n_answers_unscored)} without a score say nothing of that model; if "
            "failures to score have to do with the answers, gaps are biased."
        )
    return tuple(notes)


def _assumptions(race: RaceResult) -> tuple[str, ...]:
    ask, chance = race.question, _risk(race)
    promise = f"The chance that the best of {len(ask.models):,} models is ever dropped is {chance}"
    out = [
        _BASIS,
        f"{promise} at most, however often one looks. If several are equally good that holds for "
        "each of them; one of many equals may well be dropped.",
        _METHODS[ask.method],
    ]
    if ask.margin is not None:
        out.append(
            f"The same {chance} covers the margin: that a model which is called within "
            f"{gap(race, ask.margin)} of the others is farther behind the best."
        )
    return tuple(out)


def document(race: RaceResult) -> Document:
    """The answer, who is left, who was dropped."""
    kept = survivors(race) if race.n_items and len(race.active_models) > 1 else None
    grids = (
        *([] if kept is None else [kept]),
        *([dropped(race)] if race.eliminated_models else []),
    )
    return Document(
        headline=short(race),
        grids=grids,
        notes=_notes(race),
        assumptions=_assumptions(race),
    )
