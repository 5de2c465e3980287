"""Write the report of Coverage: contents of logs, missing data, and problems."""

from collections import Counter

from nstar._verbs.data_summary.result import Coverage, ModelSummary, TaskSummary
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.numbers import count, name, percent

_TABLES = 4
"""Maximum number of tasks that have a table of models each."""
_ROWS = 40
"""Maximum number of rows in a table of the text. JSON contains all rows."""
_SCREEN = 12
"""Maximum number of models of a task that one screen shows."""


def _plural(n: int, noun: str) -> str:
    return f"{n:,} {noun}{'' if n == 1 else 's'}"


def _headline(coverage: Coverage) -> str:
    models = {m.model for t in coverage.tasks for m in t.models}
    tasks = {t.task for t in coverage.tasks}
    size = f"{_plural(len(models), 'model')} on {_plural(len(tasks), 'task')}"
    if len(coverage.tasks) == 1:
        task = coverage.tasks[0]
        task_text = f" ({name(task.task)})" if task.task else ""
        size = f"{_plural(len(models), 'model')} × {_plural(task.n_items, 'item')}{task_text}"
    logs = Counter(s.harness or s.reader for s in coverage.sources)
    come = ", ".join(
        _plural(n, "table" if kind == "tabular" else f"{name(kind)} log")
        for kind, n in logs.most_common(3)
    )
    levels = Counter(str(f.level) for f in coverage.findings)
    counts_text = [
        _plural(levels[level], noun)
        for level, noun in (("fatal", "error"), ("warning", "warning"))
        if levels[level]
    ]
    verdict = " and ".join(counts_text) if counts_text else "no problems found"
    return f"{size}{f' from {come}' if come else ''}: {verdict}."


def _runs(task: TaskSummary) -> str:
    low, high = task.n_runs
    return f"{low}" if low == high else f"{low}–{high}"


_FEW_MODELS = 4
"""Maximum number of models whose means are in the table of tasks."""


def _tasks(coverage: Coverage) -> TextTable:
    models = sorted({m.model for t in coverage.tasks for m in t.models})
    models = models if len(models) <= _FEW_MODELS and len(coverage.tasks) > _TABLES else []
    rows = tuple(
        (
            name(t.task) or "–",
            name(t.metric),
            count(len(t.models)),
            count(t.n_items),
            count(t.n_items_common),
            _runs(t),
            "0/1" if t.is_binary else "graded" if t.n_runs == (1, 1) else "runs",
            ", ".join(f"{n} {name(group)}" for group, n in t.n_groups.items() if n > 1) or "–",
            *(_mean_of(t, model) for model in models),
        )
        for t in coverage.tasks[:_ROWS]
    )
    hidden = len(coverage.tasks) - len(rows)
    overflow_text = f" ({hidden} more in {as_json()})" if hidden > 0 else ""
    return TextTable(
        title=f"By task and metric{overflow_text}",
        header=(
            *("task", "metric", "models", "items", "shared", "runs", "scores", "groups"),
            *(name(model, limit=24) for model in models),
        ),
        rows=rows,
    )


def _score(x: float | None, *, scale: bool) -> str:
    if x is None:
        return "–"
    return percent(x, 2) if scale else f"{x:.4g}"


def _mean_of(task: TaskSummary, model: str) -> str:
    mean = next((m.mean for m in task.models if m.model == model), None)
    return _score(mean, scale=mean is not None and 0 <= mean <= 1)


def _bounds(m: ModelSummary, *, scale: bool) -> str:
    if not m.n_missing or m.mean_low is None or m.mean_high is None:
        return "–"
    return f"{_score(m.mean_low, scale=scale)} to {_score(m.mean_high, scale=scale)}"


def _had(*, scale: bool) -> str:
    """Return which models the bounds refer to, because the range of other scores is unknown."""
    return (
        "mean if missing items fail / pass"
        if scale
        else "mean if missing items are lowest / highest"
    )


def _models(task: TaskSummary) -> TextTable:
    """Return a table with a row per model, without empty columns."""
    ends = [x for m in task.models for x in (m.mean_low, m.mean_high) if x is not None]
    scale = all(0 <= x <= 1 for x in ends)
    models = task.models[:_ROWS]
    columns = {
        "model": [name(m.model, limit=40) for m in models],
        "items": [count(m.n_items) for m in models],
        "missing": [count(m.n_missing) for m in models],
        "no score": [count(m.n_unscored) for m in models],
        "mean": [_score(m.mean, scale=scale) for m in models],
        f"mean on {task.n_items_common:,} shared": [
            _score(m.mean_common, scale=scale) for m in models
        ],
        _had(scale=scale): [_bounds(m, scale=scale) for m in models],
    }
    useful_columns = {
        k: v for k, v in columns.items() if k in ("items", "mean") or set(v) - {"0", "–"}
    }
    if task.n_items_common == task.n_items:
        del useful_columns[f"mean on {task.n_items_common:,} shared"]
    hidden = len(task.models) - len(models)
    overflow_text = f"; {hidden} more in {as_json()}" if hidden > 0 else ""
    metric = "" if task.metric == "score" else f"[{name(task.metric)}]"
    title_text = " ".join(filter(None, (name(task.task), metric)))
    return TextTable(
        title=f"{title_text} by model, highest mean first{overflow_text}"
        if title_text
        else f"By model{overflow_text}",
        header=tuple(useful_columns),
        rows=tuple(zip(*useful_columns.values(), strict=True)),
    )


def document(coverage: Coverage) -> Document:
    """Return the report: headline, tasks, models of the first tasks, and findings."""
    grids = [_tasks(coverage)]
    tasks = coverage.tasks if len(coverage.tasks) <= _TABLES else ()
    grids += [_models(t) for t in tasks]
    is_short = len(tasks) == 1 and len(tasks[0].models) <= _SCREEN
    return Document(
        headline=_headline(coverage),
        key=tuple(grids) if is_short else (),
        grids=tuple(grids),
        notes=tuple(findings(coverage.findings)),
    )
