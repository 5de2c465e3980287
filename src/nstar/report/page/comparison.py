"""Page of a comparison: the finding, rules that a reader can change, numbers, and items."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import escape
from typing import Any

from nstar._verbs.compare import Comparison, TaskComparison
from nstar._verbs.compare.comparison import compared_again
from nstar._verbs.compare.task_comparison import GroupBreakdown
from nstar._verbs.verdict import Criteria
from nstar.report import document
from nstar.report.documents import Document, TextTable
from nstar.report.page._array_encoding import pack_words
from nstar.report.page._document import shell
from nstar.report.page._gap_chart import ForestRow, forest, gap_chart, mosaic_plot
from nstar.report.page._items import ROOM, items_of_pair
from nstar.report.page._markup import (
    callout,
    closing,
    fold,
    footer,
    header,
    legend,
    listing,
    section,
    side,
    table,
)
from nstar.report.page._rules import level_choices, power_choices
from nstar.report.prose.comparison.headline import AnyGap
from nstar.report.prose.design import plural
from nstar.report.prose.gap import coverage, gap, page_units, points, span, unit
from nstar.report.prose.numbers import count, items, level, name, percent

__all__ = ["SCRIPTS", "ComparisonsByRule", "body", "compare_deck", "page"]

SCRIPTS = (
    *("dom.js", "unpack.js", "rules_panel.js", "said.js", "link.js", "pair_items.js"),
    "compare.js",
)
"""Scripts in the order of their dependencies."""

_MAX_TASK_SECTIONS = 100
"""Tasks that have a part of their own; the others are in the table of tasks."""
_CROWD = 20
"""Tasks above which only the power of the comparison is offered."""
_STATIC = (
    "This page shows the comparison as it was run. To change settings or list items, enable "
    "JavaScript."
)


def _task_document(comparison: Comparison, pair: TaskComparison) -> Document:
    """One of the tasks as if it were alone, but for its verdict, which allows for the others."""
    return document(replace(comparison, tasks=(pair,), findings=()))


def _choices(comparison: Comparison) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """Levels and powers that a reader may choose; only those as run without the scores."""
    rule = comparison.criteria
    if comparison.question is None:
        return (rule.alpha,), (rule.power,)
    crowded = len(comparison.tasks) > _CROWD
    return level_choices(rule), (rule.power,) if crowded else power_choices(rule)


class ComparisonsByRule:
    """A comparison under every choice of rules, each computed once."""

    def __init__(self, as_run: Comparison) -> None:
        self.as_run = as_run
        self._known = {as_run.criteria: as_run}

    def at(self, alpha: float, power: float | None = None) -> Comparison:
        """Return the comparison under one choice; the original power if none is given."""
        criteria = self.as_run.criteria
        rule = Criteria(
            alpha=alpha, power=power or criteria.power, alternative=criteria.alternative
        )
        if rule not in self._known:
            self._known[rule] = compared_again(self.as_run, rule)
        return self._known[rule]

    def every(self) -> Iterator[Comparison]:
        """Return all comparisons, with the power varying fastest."""
        levels, powers = _choices(self.as_run)
        return (self.at(alpha, power) for alpha in levels for power in powers)


def _live_grids(doc: Document, task: int | None = None) -> dict[str, TextTable]:
    """Tables by the name under which the script knows them."""
    return {f"{'all' if task is None else task}-{k}": g for k, g in enumerate(doc.grids)}


def _words(comparison: Comparison) -> dict[str, Any]:
    """All that a page says by some rules."""
    doc = document(comparison, paragraph=True)
    tasks_in_detail = comparison.tasks[:_MAX_TASK_SECTIONS] if len(comparison.tasks) > 1 else ()
    each = [_task_document(comparison, pair) for pair in tasks_in_detail]
    return {
        "headline": doc.spoken(),
        "tiles": [[t.number, t.unit, t.label, t.more] for t in doc.tiles],
        "caution": doc.caution,
        "paragraph": doc.paragraph,
        "notes": doc.notes,
        "assumptions": doc.assumptions,
        "grids": {
            key: [grid.title, grid.header, grid.rows, grid.marked]
            for k, one in ((None, doc), *enumerate(each))
            for key, grid in _live_grids(one, k).items()
        },
        "task_notes": [d.notes for d in each],
    }


def _items(comparison: Comparison) -> list[Any]:
    """Items of each task, as long as there is room."""
    entries: list[Any] = []
    cells_left = ROOM
    for sample, pair in zip(comparison.samples, comparison.tasks, strict=False):
        if sample.correction is not None:  # an item has no score of its own
            entries.append(None)
            continue
        one = items_of_pair(sample, pair.score_range, cells_left)
        cells_left -= 0 if one["ids"] is None else one["ids"]["n"] + one["count"]
        better = -1 if pair.lower_is_better else 1
        entries.append({"items": one, "limits": list(pair.score_range), "better": better})
    return entries


def compare_deck(versions: ComparisonsByRule) -> dict[str, Any]:
    """Return the sentences for every choice of rules, and the items on which the two differ."""
    comparison = versions.as_run
    criteria = comparison.criteria
    levels, powers = _choices(comparison)
    return {
        "schema": "nstar.comparison-page/2",
        "names": [name(n) for n in comparison.models],
        "tasks": [pair.task for pair in comparison.tasks],
        "settings": {"alpha": criteria.alpha, "power": criteria.power},
        "rules": {
            "levels": levels,
            "powers": powers,
            "words": pack_words([_words(c) for c in versions.every()]),
        },
        "items": _items(comparison),
    }


def _read_as(pair: TaskComparison) -> str:
    """How the items were declared to have come about."""
    d = pair.estimate
    if d.kind == "independent":
        return "items independent"
    return f"{name(d.column or '')} as {plural(d.kind)}"


def _facts(comparison: Comparison) -> Iterator[str]:
    one = comparison.tasks[0]
    if len(comparison.tasks) > 1:
        yield f"{count(len(comparison.tasks))} tasks"
    if len({p.metric for p in comparison.tasks}) == 1:
        yield name(one.metric)
    yield items(sum(p.n_items for p in comparison.tasks))
    yield _read_as(one)
    if comparison.criteria.sides == 1:
        yield "one-sided"


def _cells(pair: TaskComparison, numbers: TextTable) -> list[str]:
    """Who got which items right."""
    c = pair.counts
    if c is None:
        return []
    first, second = (row[0] for row in numbers.rows[:2])
    grid = TextTable(
        title="Items by who got them right",
        header=("", f"{second} right", f"{second} wrong"),
        rows=(
            (f"{first} right", count(c.n11), count(c.n10)),
            (f"{first} wrong", count(c.n01), count(c.n00)),
        ),
    )
    return [table(grid)]


def _live(doc: Document, task: int | None = None) -> list[str]:
    """Tables that follow the rules."""
    return [table(grid, live=key) for key, grid in _live_grids(doc, task).items()]


def _numbers(pair: TaskComparison, doc: Document, task: int | None = None) -> str:
    """The table of a task, and its cells beside it."""
    beside = ('<div class="beside">', *_cells(pair, doc.grids[0]), "</div>")
    return "\n".join(('<div class="sides">', _live(doc, task)[0], *beside, "</div>"))


def _kind(pair: AnyGap) -> str:
    """The class of a verdict."""
    if pair.verdict in ("better", "worse"):
        return "und" if pair.is_underpowered else "sig"
    return "eq" if pair.verdict == "equivalent" else "inc"


def _bare(pair: AnyGap, value: float | None) -> str:
    """A gap without its unit."""
    return gap(pair, value, sign=True).removesuffix(unit(pair))


def _gap(comparison: Comparison) -> str:
    """The gap with its interval."""
    pair = comparison.average or comparison.tasks[0]
    k = 100.0 if points(pair) else 1.0
    names = [(x, name(n)) for x, n in zip("AB", comparison.models, strict=True)]
    first, second = names[::-1] if pair.lower_is_better else names
    low, high = (_bare(pair, float(end)) for end in pair.ci)
    text, conf = gap(pair, pair.gap, sign=True), coverage(pair.confidence_level)
    chart = gap_chart(
        value=k * pair.gap,
        interval=(k * float(pair.ci[0]), k * float(pair.ci[1])),
        mde=None if pair.mde is None else k * pair.mde,
        kind=_kind(pair),
        texts=(text, low, high, _bare(pair, pair.mde)),
        names=(first, second),
        alt=f"Gap {text}, {conf} CI {span(pair, pair.ci)}.",
    )
    shading = [('<span class="key near"></span>', "gaps below the MDE")] if pair.mde else []
    models = [(side(x), model) for x, model in names]
    words = legend(
        [*models, ("", f"A minus B{page_units(pair)[0]}, with the {conf} CI"), *shading]
    )
    return f'<figure class="hero">\n{chart}\n{words}\n</figure>'


def _task_rows(comparison: Comparison) -> Iterator[ForestRow]:
    for pair in comparison.tasks[:_MAX_TASK_SECTIONS]:
        k = 100.0 if points(pair) else 1.0
        yield ForestRow(
            label=name(pair.task, limit=28),
            size=count(pair.n_items),
            value=k * pair.gap,
            interval=(k * float(pair.ci[0]), k * float(pair.ci[1])),
            kind=_kind(pair),
            text=_bare(pair, pair.gap),
            word="significant" if pair.verdict in ("better", "worse") else pair.verdict,
        )


def _tasks(comparison: Comparison) -> str:
    """The gap on each task."""
    conf = coverage(comparison.tasks[0].confidence_level)
    words = f"Gap on each task with its {conf} CI, unadjusted; verdicts are Holm-adjusted."
    rows = list(_task_rows(comparison))
    return f"<figure>\n{forest(rows, words)}\n<figcaption>{words}</figcaption>\n</figure>"


def _shown(comparison: Comparison) -> str:
    """The gap of the only task or of the average, and that of each task."""
    has_tasks = len(comparison.tasks) > 1
    one = _gap(comparison) if comparison.average is not None or not has_tasks else ""
    return "\n".join(filter(None, (one, _tasks(comparison) if has_tasks else "")))


def _by_level(versions: ComparisonsByRule, draw: Callable[[Comparison], str]) -> str:
    """A drawing at every level that may be chosen; the one as run is shown."""
    drawings = []
    for alpha in _choices(versions.as_run)[0]:
        hidden = "" if alpha == versions.as_run.criteria.alpha else " hidden"
        inside = draw(versions.at(alpha))
        drawings.append(f'<div data-level="{alpha!r}"{hidden}>\n{inside}\n</div>')
    return "\n".join(drawings)


def _breakdown(pair: TaskComparison) -> GroupBreakdown:
    """The groups of the declared design, or else the first there are."""
    declared = [b for b in pair.breakdowns if b.column == pair.estimate.column]
    return (declared or list(pair.breakdowns))[0]


def _group_forest(comparison: Comparison) -> str:
    """The gap in each group, the largest first."""
    pair = comparison.tasks[0]
    parts, k = _breakdown(pair), 100.0 if points(pair) else 1.0
    rows = [
        ForestRow(
            label=name(row.group, limit=28),
            size=count(row.n_items),
            value=k * row.gap,
            interval=(math.nan, math.nan)
            if row.ci is None
            else (k * float(row.ci[0]), k * float(row.ci[1])),
            kind="plain",
            text=_bare(pair, row.gap),
        )
        for row in sorted(parts.groups, key=lambda row: -row.gap)
    ]
    words = (
        f"Gap by {name(parts.column)} with {coverage(pair.confidence_level)} CIs, unadjusted, "
        "per group. Dashed: all items."
    )
    chart = forest(rows, words, k * pair.gap)
    return f"<figure>\n{chart}\n<figcaption>{escape(words)}</figcaption>\n</figure>"


def _groups(versions: ComparisonsByRule, doc: Document) -> str:
    """Where the gap of the only task comes from."""
    if not versions.as_run.tasks[0].breakdowns:
        return ""
    charts = _by_level(versions, _group_forest)
    behind = fold("by-group", "The same numbers as a table", _live(doc)[-1])
    return section("groups", "Where the gap comes from", charts, behind)


def _outcomes(comparison: Comparison) -> str:
    """Items by which of the two models solved them."""
    c = comparison.tasks[0].counts
    if c is None:
        return ""
    share = percent((c.n10 + c.n01) / max(c.n11 + c.n10 + c.n01 + c.n00, 1), 0)
    only = (
        f"The verdict rests on the {items(c.n10 + c.n01)} ({share}) that exactly one model solved."
    )
    return section(
        *("outcomes", "Where they differ", f'<p class="remark">{only}</p>'),
        f"<figure>\n{mosaic_plot(c.n11, c.n10, c.n01, c.n00)}\n</figure>",
    )


def _readings(pair: TaskComparison, doc: Document) -> str:
    if not pair.other_designs:
        return ""
    return fold("readings", "Sensitivity analysis", _live(doc)[1])


def _item_by_item(pair: TaskComparison) -> str:
    """Where items are listed; weighted ones have no score of their own."""
    if pair.estimate.n_effective is not None or pair.threshold is not None:
        return ""
    return section("items", "Items only one model solved", '<div data-items="0"></div>', live=True)


def _one(versions: ComparisonsByRule, doc: Document) -> tuple[list[str], list[str]]:
    """Sections and folds of a comparison on one task."""
    pair = versions.as_run.tasks[0]
    sections = [_outcomes(versions.as_run), _groups(versions, doc), _item_by_item(pair)]
    return sections, [fold("numbers", "All numbers", _numbers(pair, doc)), _readings(pair, doc)]


def _task(comparison: Comparison, k: int, label: str) -> str:
    """One of several tasks, folded."""
    pair = comparison.tasks[k]
    doc = _task_document(comparison, pair)
    parts = (
        _numbers(pair, doc, k),
        *_live(doc, k)[1:],
        f'<div data-notes="{k}">{listing(doc.notes)}</div>' if doc.notes else "",
        f'<div data-items="{k}"></div>',
    )
    inside = "\n".join(p for p in (f"<summary>{escape(label)}</summary>", *parts) if p)
    return f'<details class="task" id="task-{k}">\n{inside}\n</details>'


def _several(versions: ComparisonsByRule, doc: Document) -> tuple[list[str], list[str]]:
    """Sections of a comparison on several tasks."""
    comparison = versions.as_run
    labels = [row[0] for row in doc.grids[-1].rows]
    tasks = [_task(comparison, k, label) for k, label in enumerate(labels[:_MAX_TASK_SECTIONS])]
    hidden = len(labels) - len(tasks)
    if hidden:
        words = f"{count(hidden)} more tasks are in the table above; --format json has the rest."
        tasks.append(f'<p class="remark">{words}</p>')
    return [section("tasks", "Tasks", *_live(doc)), section("task", "One task", *tasks)], []


def _rules(comparison: Comparison) -> str:
    c = comparison.criteria
    return f"{level(c.alpha, c.sides)}, {percent(c.power)} power"


def body(versions: ComparisonsByRule) -> str:
    """Return the parts that are readable without a script, and places for the others."""
    comparison = versions.as_run
    doc = document(comparison, paragraph=True)
    sections, folds = (_several if len(comparison.tasks) > 1 else _one)(versions, doc)
    settings = fold("rules", "Settings", aside=_rules(comparison), live=True)
    first, second = (name(n) for n in comparison.models)
    one = comparison.tasks[0].task
    on = f" on {name(one)}" if len(comparison.tasks) == 1 and one else ""
    return "\n".join(
        (
            '<a class="skip" href="#forest">Skip to the gap</a>',
            header(f"{first} vs {second}{on}", doc, _facts(comparison)),
            "<main>",
            f'<p class="remark" id="without-script">{_STATIC}</p>',
            f'<div id="forest">\n{_by_level(versions, _shown)}\n</div>',
            callout(doc.caution),
            *filter(None, sections),
            *closing(doc, settings, *folds),
            "</main>",
            footer(),
        )
    )


def page(comparison: Comparison) -> str:
    """Return the complete file."""
    versions = ComparisonsByRule(comparison)
    return shell(
        title=f"{document(comparison).title} · nstar compare",
        body=body(versions),
        data=compare_deck(versions),
        scripts=SCRIPTS,
    )
