"""Page of a gate: the answer, the tasks that got worse, all tasks, and what it would take."""

import shlex
from collections.abc import Iterable, Iterator
from html import escape
from itertools import pairwise

from nstar._verbs.gate import Gate, TaskGate
from nstar._verbs.gate.fixed_look import upper_bounds
from nstar._verbs.verdict import EXIT_STATUS, GateVerdict
from nstar.report.documents import Document
from nstar.report.page._document import shell
from nstar.report.page._gap_chart import ForestRow, forest
from nstar.report.page._markup import (
    callout,
    closing,
    fold,
    footer,
    header,
    legend,
    listing,
    mark,
    section,
    table,
    tables,
)
from nstar.report.prose.gap import coverage, gap, points, unit
from nstar.report.prose.gate import definitions, for_page, missing_items
from nstar.report.prose.gate.page_top import (
    adjusts,
    chart_words,
    loss_words,
    lost_words,
    needs_table,
)
from nstar.report.prose.gate.task import margin_words, task_name, verdict_text
from nstar.report.prose.gate.threshold import passing_words
from nstar.report.prose.numbers import count, name

__all__ = ["page"]

_KINDS: dict[GateVerdict, str] = {
    "regression": "reg",
    "inconclusive": "inc",
    "pass": "pass",
    "invalid_data": "inv",
}
"""A class for each verdict, in the order of the chart."""
_MAX_CARDS = 12
_MAX_ROWS = 100
_SHARED = ("--baseline", "--candidate", "--column")
"""Options of the gate that ``nstar compare`` needs as well."""


def _compare(command: str | None, task: str) -> str:
    """Return the command that writes the lost items of a task."""
    pairs = list(pairwise(shlex.split(command or "")))
    values = {option: [b for a, b in pairs if a == option] for option in _SHARED}
    models = [(values[x] or [x[2:].upper()])[-1] for x in ("--candidate", "--baseline")]
    columns = [word for value in values["--column"] for word in ("--column", value)]
    only = ["--task", task] if task else []
    return shlex.join(
        ["nstar", "compare", *models, *columns, *only, "--list", "lost", "--out", "lost.csv"]
    )


def _loss(gate: Gate, check: TaskGate, command: str | None) -> str:
    """One task that got worse."""
    return (
        f'<div class="card">\n<h3>{escape(task_name(check))}</h3>\n'
        f'<p class="size">{escape(gap(check.comparison, check.gap, sign=True))}</p>\n'
        f'<p class="remark">{escape(loss_words(gate, check))}</p>\n'
        f"{_command(check, command)}\n</div>"
    )


def _command(check: TaskGate, command: str | None) -> str:
    text = name(_compare(command, check.task), limit=4000)
    return f"<pre><code>{escape(text)}</code></pre>"


def _losses(gate: Gate, command: str | None) -> str:
    """The tasks that got worse, each with the command that lists its lost items."""
    checks = [c for c in gate.tasks if c.verdict == "regression"]
    if not checks or gate.threshold is not None:
        return ""
    if len(gate.tasks) == 1:
        words = f'<p class="remark">{escape(lost_words(gate, checks[0]))}</p>'
        return section("losses", "Lost items", words, _command(checks[0], command))
    checks.sort(key=lambda c: c.pvalue_worse_adjusted)
    cards = "\n".join(_loss(gate, check, command) for check in checks[:_MAX_CARDS])
    n_more = len(checks) - _MAX_CARDS
    rest = f'<p class="remark">{n_more:,} more are in the chart below.</p>' if n_more > 0 else ""
    return section("losses", "Tasks that got worse", f'<div class="cards">\n{cards}\n</div>', rest)


def _rows(gate: Gate) -> Iterator[tuple[bool, ForestRow]]:
    """Rows with whether they are in percentage points; the worst first, right is better."""
    bounds = upper_bounds(gate.tasks, gate.criteria.alpha)
    pairs = sorted(
        zip(gate.tasks, bounds, strict=True),
        key=lambda x: (list(_KINDS).index(x[0].verdict), x[0].improvement),
    )
    for check, bound in pairs:
        pair = check.comparison
        k = 100.0 if points(pair) else 1.0
        low, high = (k * float(end) for end in check.evidence.ci)
        if pair.lower_is_better:
            low, high = -high, -low
        is_adjusted = adjusts(gate) and pair.missing_items.is_complete
        yield (
            points(pair),
            ForestRow(
                label=task_name(check, limit=28),
                size=count(check.n_items),
                value=k * check.improvement,
                interval=(low, max(k * bound, high) if is_adjusted else high),
                alone=(low, high),
                kind=_KINDS[check.verdict],
                text=gap(pair, check.improvement, sign=True).removesuffix(unit(pair)),
                word=verdict_text(check.verdict),
                limit=None if check.margin is None else -k * check.margin,
            ),
        )


def _legend(gate: Gate) -> str:
    conf = coverage(gate.tasks[0].evidence.confidence_level)
    verdicts = {check.verdict for check in gate.tasks}
    margins = {margin_words(check) for check in gate.tasks if check.margin is not None}
    entries = [(mark(_KINDS[v]), verdict_text(v)) for v in _KINDS if v in verdicts]
    entries.append(('<span class="key ci"></span>', f"{conf} interval"))
    if adjusts(gate):
        entries.append(('<span class="key ci thin"></span>', "adjusted upper end"))
    if margins:
        text = f"margin, {margins.pop()}" if len(margins) == 1 else "margin of the task"
        entries.append(('<span class="key margin"></span>', text))
    return legend(entries)


def _chart(gate: Gate) -> str:
    """All tasks against the margin, on one axis for each unit."""
    if not gate.tasks:
        return ""
    rows, words = list(_rows(gate))[:_MAX_ROWS], chart_words(gate)
    parts = [[row for in_points, row in rows if in_points is unit] for unit in (True, False)]
    charts = "".join(forest(part, words) for part in parts if part)
    n_more = len(gate.tasks) - len(rows)
    rest = f'<p class="remark">{n_more:,} more tasks are in the table of all numbers.</p>'
    subject = "All tasks" if len(gate.tasks) > 1 else "The gap"
    against = " against the margin" if any(c.margin is not None for c in gate.tasks) else ""
    return section(
        *("tasks", f"{subject}{against}"),
        f'<p class="remark">{escape(words)}</p>',
        f"<figure>\n{charts}\n{_legend(gate)}\n</figure>",
        *([rest] if n_more > 0 else []),
    )


def _needs(gate: Gate) -> str:
    grid = needs_table(gate)
    return "" if grid is None else section("needs", "What a verdict would take", table(grid))


def _missing(gate: Gate) -> str:
    sentences = [f"{name(f.text, limit=600)}." for f in missing_items(gate)]
    return section("missing", "Missing items", listing(sentences)) if sentences else ""


def _statuses(gate: Gate) -> str:
    """What each verdict means, and its exit status."""
    rows = "\n".join(
        f"<div><dt>{verdict}</dt><dd>{escape(text)}</dd></div>"
        for verdict, text in definitions(gate)
    )
    return section("verdicts", "Verdicts and exit status", f'<dl class="values">\n{rows}\n</dl>')


def _facts(gate: Gate) -> Iterator[str]:
    if len(gate.tasks) > 1:
        yield f"{len(gate.tasks):,} tasks"
    yield f"one-sided α = {gate.criteria.alpha:g}"
    yield f"exit status {EXIT_STATUS[gate.verdict]}"


def _folds(doc: Document) -> Iterable[str]:
    if doc.grids:
        yield fold("numbers", "All numbers", table(doc.grids[0]))
    if doc.grids[1:]:
        yield fold("items", "Items that changed", tables(doc.grids[1:]))


def page(gate: Gate, *, command: str | None = None) -> str:
    """Return the complete file; ``command`` is the one that made the gate."""
    doc = for_page(gate)
    first, second = (name(n) for n in gate.models)
    asks = f"May {first} replace {second}?"
    if gate.threshold is not None:
        asks = f"Is {first} {passing_words(gate.tasks)}?"
    body = (
        '<a class="skip" href="#verdicts">Skip to the exit status</a>',
        header(asks, doc, _facts(gate), answer=_KINDS[gate.verdict]),
        "<main>",
        callout(doc.caution),
        *(_losses(gate, command), _chart(gate), _needs(gate), _missing(gate), _statuses(gate)),
        *closing(doc, *_folds(doc)),
        "</main>",
        footer(live=False),
    )
    return shell(title=f"{doc.title} · nstar gate", body="\n".join(filter(None, body)))
