"""Coverage in words: what the logs hold, what they lack, what looks wrong."""

from collections import Counter
from dataclasses import asdict
from typing import Any

from nstar._coverage import Coverage, ModelCoverage, TaskCoverage
from nstar.report._document import Document, Grid
from nstar.report._format import count, name, percent

__all__ = ["data", "document"]

_ROWS = 40
"""Rows of a table in words; JSON has them all."""


def _plural(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _headline(coverage: Coverage) -> str:
    models = {m.model for t in coverage.tasks for m in t.models}
    tasks = {t.task for t in coverage.tasks}
    size = f"{_plural(len(models), 'model')} on {_plural(len(tasks), 'task')}"
    if len(coverage.tasks) == 1:
        task = coverage.tasks[0]
        what = f" ({name(task.task)})" if task.task else ""
        size = f"{_plural(len(models), 'model')} × {_plural(task.items, 'item')}{what}"
    logs = Counter(s.harness or s.reader for s in coverage.sources)
    come = ", ".join(f"{_plural(n, f'{name(kind)} log')}" for kind, n in logs.most_common(3))
    levels = Counter(str(f.level) for f in coverage.findings)
    said = [
        _plural(levels[level], noun)
        for level, noun in (("fatal", "fatal finding"), ("warning", "warning"))
        if levels[level]
    ]
    verdict = " and ".join(said) if said else "nothing to warn of"
    return f"{size}{f', from {come}' if come else ''}: {verdict}."


def _runs(task: TaskCoverage) -> str:
    low, high = task.runs
    return f"{low}" if low == high else f"{low}–{high}"


def _tasks(coverage: Coverage) -> Grid:
    rows = tuple(
        (
            name(t.task) or "–",
            name(t.metric),
            count(len(t.models)),
            count(t.items),
            count(t.common),
            _runs(t),
            "0/1" if t.binary else "graded" if t.runs == (1, 1) else "runs",
            ", ".join(f"{n} {name(group)}" for group, n in t.groups.items()) or "–",
        )
        for t in coverage.tasks[:_ROWS]
    )
    hidden = len(coverage.tasks) - len(rows)
    more = f" ({hidden} more in --format json)" if hidden > 0 else ""
    return Grid(
        title=f"By task and metric{more}",
        header=("task", "metric", "models", "items", "common", "runs", "scores", "groups"),
        rows=rows,
    )


def _score(x: float | None, *, scale: bool) -> str:
    if x is None:
        return "–"
    return percent(x, 2) if scale else f"{x:.4g}"


def _model_row(m: ModelCoverage, *, scale: bool) -> tuple[str, ...]:
    bounds = "–"
    if m.missing and m.low is not None and m.high is not None:
        bounds = f"{_score(m.low, scale=scale)} to {_score(m.high, scale=scale)}"
    return (
        name(m.model),
        count(m.items),
        count(m.missing),
        count(m.unscored),
        _score(m.mean, scale=scale),
        _score(m.mean_common, scale=scale),
        bounds,
    )


def _models(task: TaskCoverage) -> Grid:
    scale = all(m.high is None or 0 <= m.high <= 1 for m in task.models)
    rows = tuple(_model_row(m, scale=scale) for m in task.models[:_ROWS])
    hidden = len(task.models) - len(rows)
    more = f"; {hidden} more in --format json" if hidden > 0 else ""
    what = " ".join(filter(None, (name(task.task), f"[{name(task.metric)}]")))
    title = f"{what}, highest mean first{more}"
    return Grid(
        title=title,
        header=(
            "model",
            "items",
            "missing",
            "no score",
            "mean",
            f"on {task.common:,} common",
            "if missing failed to passed",
        ),
        rows=rows,
    )


def document(coverage: Coverage) -> Document:
    """Headline, tasks, models of the first few tasks, findings."""
    grids = [_tasks(coverage)]
    shown = coverage.tasks if len(coverage.tasks) <= 4 else ()
    grids += [_models(t) for t in shown]
    return Document(
        headline=_headline(coverage),
        grids=tuple(grids),
        notes=tuple(f"{f.level} [{f.code}]: {name(f.text, limit=600)}" for f in coverage.findings),
    )


def data(coverage: Coverage) -> dict[str, Any]:
    """Everything a Coverage holds."""
    return {
        "tasks": [asdict(t) for t in coverage.tasks],
        "sources": [s.to_dict() for s in coverage.sources],
        "findings": [asdict(f) for f in coverage.findings],
    }
