"""The false alarms of a gate in words."""

from nstar._verbs.gate import AnswerCounts, FalseAlarms
from nstar.report.documents import Document, TextTable
from nstar.report.prose.numbers import count, items, name, percent, pp, probability, set_by_file


def _rate(part: int, whole: int) -> str:
    return "–" if whole == 0 else f"{part:,} ({percent(part / whole, 0)})"


def _row(label: str, tally: AnswerCounts) -> tuple[str, ...]:
    parts = (tally.n_regression, tally.n_inconclusive, tally.n_pass, tally.n_invalid_data)
    return (label, count(tally.n_pairs), *(_rate(p, tally.n_pairs) for p in parts))


def _interval(alarms: FalseAlarms) -> str:
    if alarms.ci is None:
        return "no pair could be judged"
    low, high = (float(v) for v in alarms.ci)
    top = probability(high) if high < 1 else "100%"
    bottom = probability(low) if low > 0 else "0%"
    return (
        f"{percent(alarms.confidence_level)} interval {bottom} to {top}, from the pairs that "
        "share no run"
    )


def _headline(alarms: FalseAlarms) -> str:
    o, d = alarms.ordered_pairs, alarms.disjoint_pairs
    return (
        f"Between {len(alarms.runs):,} runs of one model this gate calls {o.n_regression:,} of "
        f"{o.n_pairs:,} ordered pairs a REGRESSION and passes {o.n_pass:,}; false alarms among "
        f"{d.n_pairs:,} separate pairs: {d.n_regression:,} ({_interval(alarms)})."
    )


def _notes(alarms: FalseAlarms) -> tuple[str, ...]:
    said = [
        "Ordered pairs share runs, so that their answers go together: the interval uses the "
        "first run against the second, the third against the fourth, and so on."
    ]
    if alarms.example_alarm is not None:
        first, second = (name(n) for n in alarms.example_alarm)
        said.append(f"An alarm: {first} as the candidate against {second}.")
    if (
        alarms.ordered_pairs.n_pairs
        and alarms.ordered_pairs.n_pass < alarms.ordered_pairs.n_pairs / 2
    ):
        said.append(
            "Fewer than half of the pairs pass although nothing changed: the gate needs more "
            "items or a wider margin (nstar gate plan)."
        )
    return tuple(said)


def document(alarms: FalseAlarms) -> Document:
    """The rate, then every answer."""
    ask = alarms.question
    margin = "none" if ask.margin is None else pp(ask.margin)
    of = "1 task" if len(alarms.tasks) == 1 else f"{len(alarms.tasks):,} tasks"
    return Document(
        headline=_headline(alarms) + set_by_file(alarms.settings_file),
        grids=(
            TextTable(
                title=f"{of}, {items(alarms.n_items)}, margin {margin}",
                header=("pairs", "", "REGRESSION", "INCONCLUSIVE", "PASS", "INVALID DATA"),
                rows=(
                    _row("all, ordered", alarms.ordered_pairs),
                    _row("sharing no run", alarms.disjoint_pairs),
                ),
            ),
        ),
        notes=_notes(alarms),
        assumptions=(
            "All runs are of one model under the same settings: then every REGRESSION is false, "
            f"and one is expected for at most {percent(ask.criteria.alpha)} of the pairs.",
            "The items are the same in every run, so this says nothing about other items.",
        ),
    )
