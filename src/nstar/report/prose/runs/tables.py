"""Write the tables of repeated runs: models, pass curves, error of the gap, and tasks."""

import math
from collections.abc import Callable, Iterator

from nstar._base.types import Interval
from nstar._verbs.runs import ModelRuns, RunGap, Runs, TaskRow
from nstar.report.documents import TextTable
from nstar.report.prose.cross_references import as_csv
from nstar.report.prose.gap import coverage, gap, score
from nstar.report.prose.numbers import name, percent, probability, pvalue, two_names
from nstar.report.prose.runs.costs import costs_grid
from nstar.report.prose.runs.notes import per_task, plain_span, size_span, tasks
from nstar.report.prose.runs.rule import rule_grids
from nstar.stats import RunComponents

_ROWS = 12
"""Maximum number of tasks in the text. JSON and CSV contain all tasks."""
_CURVE = 12
"""Maximum number of rows of a pass curve."""


def _sd(result: Runs, variance: float | None) -> str:
    return "–" if variance is None else gap(result, math.sqrt(variance), column=True)


def _sd_span(result: Runs, ends: Interval | None) -> str:
    if ends is None:
        return "–"
    low, high = (math.sqrt(max(float(v), 0.0)) for v in ends)
    return size_span(result, (low, high), column=True)


def _of(part: int | None, total: int) -> str:
    return "–" if part is None else f"{part:,} of {total:,}"


def _parts(result: Runs, c: RunComponents | None) -> Iterator[tuple[str, str, str]]:
    """Yield the standard deviations of one score, and the test of a shared effect of runs."""
    if c is None:
        return
    spread = bool(c.sigma_w2)
    yield "SD between tasks", _sd(result, c.sigma_task2), _sd_span(result, c.task_ci)
    yield "SD run to run", _sd(result, c.sigma_w2), _sd_span(result, c.within_ci)
    yield (
        "shared by a run",
        _sd(result, c.sigma_run2 if spread else None),
        _sd_span(result, c.run_ci if spread else None),
    )
    p = c.run_p if spread else None
    yield "p (nothing shared)", "–" if p is None else pvalue(p), ""


def _told(result: Runs, model: ModelRuns) -> Iterator[tuple[str, str, str]]:
    c, k = model.components, len(model.tasks)
    yield "mean score", score(result, model.mean), plain_span(result, model.ci)
    yield "SE", gap(result, model.se, column=True), ""
    yield "runs per task", per_task(model), ""
    yield from _parts(result, c)
    removed = "–" if model.removable_share is None else percent(model.removable_share, 0)
    yield "variance from runs", removed, ""
    if any(m.is_binary for m in result.model_runs):
        yield (
            "two runs disagree",
            "never" if model.flip_probability == 0 else probability(model.flip_probability),
            "",
        )
        mixed_text = _of(model.n_mixed, model.n_repeated) if model.n_repeated else "–"
        yield "tasks with mixed results", mixed_text, ""
        yield "passed every run", _of(model.n_all_passed, k), ""
        yield "passed no run", _of(model.n_none_passed, k), ""


def _models(result: Runs) -> TextTable:
    columns = [
        {label: (value, ends) for label, value, ends in _told(result, model)}
        for model in result.model_runs
    ]
    labels = dict.fromkeys(label for column in columns for label in column)
    rows = {label: [c.get(label, ("–", "–")) for c in columns] for label in labels}
    sizes = dict.fromkeys(len(m.tasks) for m in result.model_runs)
    size = " and ".join(map(tasks, sizes))
    where = f" of {name(result.task)}" if result.task else ""
    conf = f"{coverage(result.confidence_level)} CI"
    return TextTable(
        title=f"Results by model ({size}{where}) [{name(result.metric)}]",
        header=("", *(x for n in two_names(result.models, 24) for x in (n, conf))),
        rows=tuple(
            (label, *(x for cell in cells for x in cell))
            for label, cells in rows.items()
            if any(value != "–" for value, _ in cells)
        ),
    )


def shown_k(last: int) -> list[int]:
    """Return the displayed values of k: all, or about twelve on a growing scale.

    Examples
    --------
    >>> shown_k(3), shown_k(200)
    ([1, 2, 3], [1, 2, 3, 4, 7, 11, 18, 29, 47, 76, 124, 200])
    """
    if last <= _CURVE:
        return list(range(1, last + 1))
    return sorted({round(last ** (i / (_CURVE - 1))) for i in range(_CURVE)})


def _curve(result: Runs, model: ModelRuns, label: str) -> TextTable | None:
    at, hat = model.pass_at, model.pass_hat
    if at is None or hat is None or model.n_runs[0] < 2:
        return None
    conf = f"{coverage(result.confidence_level)} CI"

    def cells(k: int) -> tuple[str, ...]:
        out = [f"{k:,}"]
        for curve in (at, hat):
            low, high = float(curve.low[k - 1]), float(curve.high[k - 1])
            out += [percent(float(curve.estimate[k - 1]), 1), plain_span(result, (low, high))]
        return tuple(out)

    return TextTable(
        title=f"pass@k and pass^k: {label} (at least one of k runs passes, or all of them)",
        header=("k", "pass@k", conf, "pass^k", conf),
        rows=tuple(cells(k) for k in shown_k(len(at.k))),
    )


def _error(result: Runs, run_gap: RunGap) -> TextTable | None:
    pair, parts, data = run_gap.comparison, run_gap.prediction_se_by_model, run_gap.data_se
    if not run_gap.se or parts is None or data is None or run_gap.prediction_se is None:
        return None
    total_se, (first, second) = run_gap.se, two_names(result.models, 24)

    def line(label: str, se: float, *, share: bool = True) -> tuple[str, str, str]:
        part = percent((se / total_se) ** 2, 0) if share else ""
        return label, gap(pair, se, column=True), part

    rows = [
        line("between tasks", data),
        line("run to run", run_gap.prediction_se),
        line(f"  of {first}", parts[0], share=False),
        line(f"  of {second}", parts[1], share=False),
        *([line("shared by a run", run_gap.shared_se)] if run_gap.shared_se else []),
        line("total", total_se),
    ]
    return TextTable(
        title="Standard error of the gap, by source",
        header=("source of variance", "SE", "share"),
        rows=tuple(rows),
        lines=(len(rows) - 1,),
    )


def _steps(run_gap: RunGap) -> TextTable | None:
    pair = run_gap.comparison
    if not run_gap.steps:
        return None

    return TextTable(
        title=f"MDE by number of runs, on these {pair.n_items:,} tasks",
        header=(
            "runs per model",
            "SE",
            "MDE",
            f"{coverage(pair.confidence_level)} CI",
        ),
        rows=tuple(
            (
                "unlimited" if math.isinf(s.n_runs) else f"{s.n_runs:g}",
                gap(pair, s.se, column=True),
                gap(pair, s.mde, column=True),
                size_span(pair, s.mde_ci, column=True) if s.mde is not None and s.mde_ci else "–",
            )
            for s in run_gap.steps
        ),
    )


def _restless(result: Runs) -> tuple[list[str], int]:
    """Return the tasks that varied between runs, most variable first, and their number."""
    moved: dict[str, float] = {}
    for model in result.model_runs:
        for task in model.tasks:
            moved[task.task] = moved.get(task.task, 0.0) + (task.variance or 0.0)
    order = sorted((item for item in moved if moved[item] > 0), key=lambda item: -moved[item])
    if not order and len(moved) == 1:
        order = list(moved)
    return order[:_ROWS], len(order)


def _cells(result: Runs, model: ModelRuns) -> tuple[tuple[str, ...], Callable[..., list[str]]]:
    is_single = len(result.model_runs) == 1

    def passes(task: TaskRow | None) -> list[str]:
        if task is None:
            return ["–"] * (3 if is_single else 2)
        exact = [plain_span(result, task.ci)] if is_single else []
        return [f"{task.n_passed}/{task.n_runs}", *exact, probability(task.next_flip_probability)]

    def grades(task: TaskRow | None) -> list[str]:
        if task is None:
            return ["–"] * 3
        return [f"{task.n_runs:,}", score(result, task.mean), _sd(result, task.variance)]

    if not model.is_binary:
        return ("runs", "mean", "SD"), grades
    exact = (f"exact {coverage(result.confidence_level)} CI",) if is_single else ()
    return ("passed", *exact, "next differs"), passes


def _tasks(result: Runs) -> TextTable | None:
    unstable_tasks, number = _restless(result)
    if not unstable_tasks:
        return None
    labels = two_names(result.models, 16)
    header, columns = ["task"], []
    for model, label in zip(result.model_runs, labels, strict=True):
        names, cells = _cells(result, model)
        header += names if len(labels) == 1 else [f"{label}: {n}" for n in names]
        columns.append((cells, {t.task: t for t in model.tasks}))
    n_more = number - len(unstable_tasks)
    hidden = f" ({n_more:,} more in {as_csv()})" if n_more else ""
    return TextTable(
        title=f"Least stable tasks{hidden}",
        header=tuple(header),
        rows=tuple(
            (name(item, limit=32), *(x for cells, of in columns for x in cells(of.get(item))))
            for item in unstable_tasks
        ),
    )


def grids(result: Runs) -> tuple[TextTable, ...]:
    """Return all tables, starting with the numbers of the headline."""
    run_gap = result.estimate
    labels = two_names(result.models, 40)
    parts = [
        *([_error(result, run_gap), _steps(run_gap)] if run_gap is not None else []),
        _models(result),
        costs_grid(result),
        *(_curve(result, m, n) for m, n in zip(result.model_runs, labels, strict=True)),
        *rule_grids(result),
        _tasks(result),
    ]
    return tuple(g for g in parts if g is not None)
