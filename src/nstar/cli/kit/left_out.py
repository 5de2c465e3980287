"""Tasks and metrics of a log that are not compared: which, and why."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nstar._data.findings import Finding
    from nstar._data.matrix import ScoreMatrix
    from nstar._data.table import Source


def left_out(
    found: "list[ScoreMatrix]", chosen: "list[ScoreMatrix]", sources: "Sequence[Source]"
) -> "Iterator[Finding]":
    """Tasks that are not compared, though nobody asked to leave them out."""
    from nstar._data.findings import few, find

    there = {m.task for m in chosen}
    gone = [t or "(no task)" for t in dict.fromkeys(m.task for m in found) if t not in there]
    if gone:
        text = "without scores of both models in one metric"
        yield find("task-left-out", f"{_are_left_out(gone, text)}: {few(gone, 5)}")
    unscored = _unscored(found, sources)
    if unscored:
        text = _are_left_out(list(unscored), "without any score that can be compared")
        reasons = [f"{task} ({few(why, 3)})" for task, why in unscored.items()]
        yield find("task-left-out", f"{text}: {few(reasons, 5)}")


def lone_metrics(
    found: "list[ScoreMatrix]", both: "list[ScoreMatrix]", chosen: "list[ScoreMatrix]"
) -> "Iterator[Finding]":
    """Metrics of the tasks compared that only one of the two models has."""
    from nstar._data.findings import few, find

    tasks, known = {m.task for m in chosen}, {(m.task, m.metric) for m in both}
    alone = [m for m in found if m.task in tasks and (m.task, m.metric) not in known]
    if alone:
        names = [f"{m.task or '(no task)'} [{m.metric}]" for m in alone]
        yield find("dropped", f"metrics that one model only has are left out: {few(names, 5)}")


def _are_left_out(tasks: list[str], why: str) -> str:
    one = len(tasks) == 1
    return f"{len(tasks)} {'task' if one else 'tasks'} {why} {'is' if one else 'are'} left out"


def _unscored(found: "list[ScoreMatrix]", sources: "Sequence[Source]") -> dict[str, list[str]]:
    """Tasks of which no score at all could be read, and why."""
    there = {m.task for m in found}
    out: dict[str, list[str]] = {}
    for source in sources:
        if source.task is None or source.task in there or source.rows:
            continue
        why = out.setdefault(source.task, [])
        why += [reason for reason in source.dropped if reason not in why]
    return {task: why or ["no scores"] for task, why in out.items()}


def refuse_unscored(
    tasks: Sequence[str], found: "list[ScoreMatrix]", sources: "Sequence[Source]"
) -> None:
    """A task that was asked for and ran, but cannot be judged: say why."""
    from nstar._data.findings import few
    from nstar.errors import DataError

    unscored = _unscored(found, sources)
    for task in tasks:
        if task in unscored:
            msg = f"the task {task!r} has no score that can be compared: {few(unscored[task], 3)}"
            raise DataError(msg)


def refuse_strangers(
    found: "list[ScoreMatrix]", both: "list[ScoreMatrix]", names: tuple[str, str]
) -> None:
    """DataError if the two models have nothing in common."""
    from nstar.errors import DataError

    if both:
        return
    parts = []
    for name in names:
        tasks = sorted(f"{m.task or '(no task)'} [{m.metric}]" for m in found if name in m.models)
        parts.append(f"{name} has {', '.join(tasks[:8]) or 'no scores'}")
    msg = f"no task [metric] is common to both models: {'; '.join(parts)}"
    raise DataError(msg)
