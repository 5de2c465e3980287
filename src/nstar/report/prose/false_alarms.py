"""Write the report of the false alarms of a gate."""

from nstar._verbs.gate import AnswerCounts, FalseAlarms
from nstar.report.documents import Document, TextTable
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import count, items, name, percent, pp, probability, set_by_file


def _rate(part: int, total: int) -> str:
    return "–" if total == 0 else f"{part:,} ({percent(part / total, 0)})"


def _row(label: str, tally: AnswerCounts) -> tuple[str, ...]:
    parts = (tally.n_regression, tally.n_inconclusive, tally.n_pass, tally.n_invalid_data)
    return (label, count(tally.n_pairs), *(_rate(p, tally.n_pairs) for p in parts))


def _interval(alarms: FalseAlarms) -> str:
    if alarms.ci is None:
        return "no pair could be tested"
    low, high = (float(v) for v in alarms.ci)
    bottom = percent(0.0, 0) if low <= 0 else probability(low)
    top = percent(1.0, 0) if high >= 1 else probability(high)
    return f"{coverage(alarms.confidence_level)} CI {bottom} to {top}"


def _headline(alarms: FalseAlarms) -> str:
    o, d = alarms.ordered_pairs, alarms.disjoint_pairs
    alarms_text = "1 false alarm" if d.n_regression == 1 else f"{d.n_regression:,} false alarms"
    pairs = "1 independent pair" if d.n_pairs == 1 else f"{d.n_pairs:,} independent pairs"
    return (
        f"{alarms_text} in {pairs} of runs of one model ({_interval(alarms)}). Of {o.n_pairs:,} "
        f"ordered pairs, {o.n_regression:,} gave REGRESSION and {o.n_pass:,} gave PASS."
    )


def _notes(alarms: FalseAlarms) -> tuple[str, ...]:
    notes = [
        "Ordered pairs share runs, so the CI uses disjoint pairs only (1 vs 2, 3 vs 4, and so on)."
    ]
    if alarms.example_alarm is not None:
        first, second = (name(n) for n in alarms.example_alarm)
        notes.append(f"Example of a false alarm: candidate {first} against baseline {second}.")
    if (
        alarms.ordered_pairs.n_pairs
        and alarms.ordered_pairs.n_pass < alarms.ordered_pairs.n_pairs / 2
    ):
        notes.append(
            "Fewer than half of the pairs pass, although the models are identical. Add items "
            "or widen the margin (see nstar gate plan)."
        )
    return tuple(notes)


def document(alarms: FalseAlarms) -> Document:
    """Return the report: the false-alarm rate, then all verdicts."""
    question = alarms.question
    margin = "none" if question.margin is None else pp(question.margin)
    of = "1 task" if len(alarms.tasks) == 1 else f"{len(alarms.tasks):,} tasks"
    return Document(
        headline=_headline(alarms) + set_by_file(alarms.settings_file),
        grids=(
            TextTable(
                title=f"{of}, {items(alarms.n_items)}, margin {margin}",
                header=("pairs", "", "REGRESSION", "INCONCLUSIVE", "PASS", "INVALID DATA"),
                rows=(
                    _row("ordered", alarms.ordered_pairs),
                    _row("disjoint", alarms.disjoint_pairs),
                ),
            ),
        ),
        notes=_notes(alarms),
        assumptions=(
            "All runs come from one model with the same settings, so every REGRESSION is a false "
            f"alarm; expect a rate of at most {percent(question.criteria.alpha)}.",
            "All runs use the same items, so variation across items is not measured.",
        ),
    )
