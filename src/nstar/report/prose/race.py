"""Write the report of a race: active and eliminated models, and the answers used."""

from nstar._base.units import join_words
from nstar._verbs.race import ActiveModel, EliminatedModel, RaceResult
from nstar.report.documents import Document, TextTable
from nstar.report.prose.gap import Scale, declared_gap, downwards, gap, score, sequence_scale, span
from nstar.report.prose.numbers import count, items, name, percent, probability, pvalue
from nstar.report.prose.watch import evalue, order_caution, rough

_MAX_SURVIVORS_NAMED = 4
"""Maximum number of active models that a sentence names."""
_LONG = 40
_METHODS = {
    "e-process": "Each pair is tested with McNemar's e-process, which is exact for 0/1 "
    "scores at every look.",
    "bets": "Each pair is tested with bets on the differences of scores in [0, 1], which are "
    "valid for any distribution at every look.",
}


def _answers(n: int) -> str:
    return "1 answer" if n == 1 else f"{n:,} answers"


def left_names(race: RaceResult) -> str:
    """Return the active models, the first ones by name."""
    names = [name(r.model, limit=_LONG) for r in race.active_models]
    n_more = len(names) - _MAX_SURVIVORS_NAMED
    return join_words(
        names if n_more <= 0 else [*names[:_MAX_SURVIVORS_NAMED], f"{n_more:,} more"]
    )


def _risk(race: RaceResult) -> str:
    return probability(race.question.alpha)


def _progress(race: RaceResult) -> str:
    if race.n_items <= race.question.items:
        return f"{count(race.n_items)} of {items(race.question.items)}"
    return f"{items(race.n_items)} ({count(race.question.items)} were planned)"


def _forecast(race: RaceResult) -> str:
    """Return when only the leader is expected to be active, as the next sentence."""
    item_counts = [r.more_items for r in race.active_models[1:]]
    known = [m for m in item_counts if m is not None]
    if race.question.method == "bets":
        return ""
    if len(known) < len(item_counts):
        return " No decision is expected by the end at this rate."
    text = f" At this rate a decision needs about {rough(max(known))} more items"
    if max(known) <= race.n_items_left:
        return f"{text}."
    return f"{text}, but only {count(race.n_items_left)} remain."


def short(race: RaceResult) -> str:
    """Return the answer in one or two sentences, with the caution that changes it."""
    total, leader = len(race.question.models), name(race.leader, limit=_LONG)
    if race.verdict == "winner":
        text = (
            f"Decided after {_progress(race)}: {leader} is the best of {total:,} models (error "
            f"probability at most {_risk(race)})."
        )
    elif race.verdict == "within":
        any_of = "either" if len(race.active_models) == 2 else "any"
        text = (
            f"Decided after {_progress(race)}: {left_names(race)} are within "
            f"{declared_gap(race, race.question.margin)} of each other; choose {any_of}."
        )
    elif race.verdict == "tied":
        text = (
            f"Inconclusive after all {items(race.n_items)}: {left_names(race)} remain (of "
            f"{total:,} models)."
        )
    elif not race.n_items:
        return f"Waiting: no item has scores from all {total:,} models yet."
    else:
        text = (
            f"Keep going: {len(race.active_models):,} of {total:,} models remain after "
            f"{_progress(race)}; {leader} leads.{_forecast(race)}"
        )
    return f"{text}{order_caution(race.order)}{downwards([race])}"


def survivors(race: RaceResult) -> TextTable:
    """Return the table of the active models."""
    bets = race.question.method == "bets"
    header = ["model", "score", "gap to leader", "sequence", "e-value", "rival", "more items"]
    rows = [_runner_row(race, r) for r in race.active_models]
    hidden = {3, 6} if bets else set()
    columns = [k for k in range(len(header)) if k not in hidden]
    limit = evalue(race.question.log_e_value_threshold)
    return TextTable(
        title=f"Remaining models; an e-value of {limit} eliminates a model",
        header=tuple(header[k] for k in columns),
        rows=tuple(tuple(row[k] for k in columns) for row in rows),
    )


def _scale(race: RaceResult) -> Scale:
    """Return the scale of all gaps, with the precision of the first model behind the leader."""
    sequences = (r.confidence_sequence for r in race.active_models)
    return sequence_scale(race, next((s for s in sequences if s is not None), None))


def _runner_row(race: RaceResult, r: ActiveModel) -> tuple[str, ...]:
    behind = r.gap is not None
    return (
        name(r.model),
        "–" if r.mean != r.mean else score(race, r.mean),
        gap(_scale(race), r.gap, sign=True) if behind else "",
        "" if r.confidence_sequence is None else span(_scale(race), r.confidence_sequence),
        "–" if r.rival is None else evalue(r.log_e_value),
        "–" if r.rival is None else name(r.rival, limit=_LONG),
        "" if not behind else "over 100×" if r.more_items is None else f"{rough(r.more_items)}",
    )


def dropped(race: RaceResult) -> TextTable:
    """Return the table of the eliminated models, latest first."""
    return TextTable(
        title="Eliminated models, last first",
        header=("model", "items", "beaten by", "gap", "e-value", "anytime p", "answers"),
        rows=tuple(_dropped_row(race, d) for d in race.eliminated_models),
    )


def _dropped_row(race: RaceResult, d: EliminatedModel) -> tuple[str, ...]:
    return (
        name(d.model),
        count(d.n_items),
        name(d.beaten_by, limit=_LONG),
        gap(_scale(race), d.gap, sign=True),
        evalue(d.log_e_value),
        pvalue(d.pvalue),
        count(d.n_answers),
    )


def _notes(race: RaceResult) -> tuple[str, ...]:
    spare, notes = race.n_answers - race.n_answers_used, []
    if race.n_answers_saved:
        money = "" if race.cost_saved is None else f", or {race.cost_saved:,.2f} at the mean cost"
        share = percent(race.n_answers_saved / race.n_answers_planned, 1)
        notes.append(
            f"Saved: {count(race.n_answers_saved)} of {count(race.n_answers_planned)} planned "
            f"answers ({share}){money}."
        )
    if spare and (race.eliminated_models or race.should_stop):
        notes.append(
            f"Not used: {_answers(spare)} recorded after an elimination or after the decision."
        )
    if race.n_items_waiting and not race.should_stop:
        verb = "is" if race.n_items_waiting == 1 else "are"
        notes.append(
            f"{items(race.n_items_waiting)} {verb} waiting for the answer of a remaining model."
        )
    if race.verdict == "tied":
        see = ": see the confidence sequences" if race.question.method == "e-process" else ""
        notes.append(
            f"An inconclusive result does not mean that the models are equal{see}. Continuing "
            "is always valid."
        )
    if race.eliminated_models:
        notes.append(
            "An eliminated model lost to one rival, not to all of them, and its gap at "
            "elimination tends to be overestimated."
        )
    if race.n_answers_unscored:
        notes.append(
            f"Excluded: {_answers(race.n_answers_unscored)} without a score. Gaps are biased if "
            "missing scores depend on the answers."
        )
    return tuple(notes)


def _assumptions(race: RaceResult) -> tuple[str, ...]:
    question, chance = race.question, _risk(race)
    out = [
        "Items are independent and arrive in random order.",
        f"The probability of eliminating the best of {len(question.models):,} models is at most "
        f"{chance}, for any number of looks. If several models are equally good, this holds for "
        "each of them, but one of them may well be eliminated.",
        _METHODS[question.method],
    ]
    if question.margin is not None:
        out.append(
            f"The same {chance} also covers the margin, that is, the error of reporting models to "
            f"be within {declared_gap(race, question.margin)} of each other when one of them is "
            "farther behind the best."
        )
    return tuple(out)


def _basis(race: RaceResult) -> str:
    """Return the assumptions in one sentence."""
    return f"independent items in random order; valid at every look, α = {race.question.alpha:g}."


def document(race: RaceResult) -> Document:
    """Return the report: the answer, and the active and eliminated models."""
    table = survivors(race) if race.n_items and len(race.active_models) > 1 else None
    grids = (
        *([] if table is None else [table]),
        *([dropped(race)] if race.eliminated_models else []),
    )
    return Document(
        headline=short(race),
        grids=grids,
        notes=_notes(race),
        basis=_basis(race),
        assumptions=_assumptions(race),
    )
