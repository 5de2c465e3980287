"""A comparison as a page: the answer, the rules that a reader may change, numbers, items."""

from collections.abc import Iterator
from dataclasses import replace
from html import escape
from typing import Any

from nstar._verbs.compare import Comparison, TaskComparison
from nstar._verbs.compare.comparison import compared_again
from nstar._verbs.verdict import Criteria
from nstar.report import charts, document
from nstar.report.documents import Document, TextTable
from nstar.report.page._array_encoding import pack_words
from nstar.report.page._document import shell
from nstar.report.page._items import ROOM, items_of_pair
from nstar.report.page._markup import (
    closing,
    fold,
    footer,
    header,
    listing,
    picture,
    section,
    table,
)
from nstar.report.page._rules import level_choices, power_choices
from nstar.report.prose.design import plural
from nstar.report.prose.numbers import count, items, level, name, percent

__all__ = ["SCRIPTS", "STYLES", "ComparisonsByRule", "body", "compare_deck", "page"]

SCRIPTS = (
    *("dom.js", "unpack.js", "rules_panel.js", "said.js", "link.js", "pair_items.js"),
    "compare.js",
)
"""In the order in which one builds on another."""
STYLES = ("page.css", "compare.css")

_MAX_TASK_SECTIONS = 100
"""Tasks told one by one; the others are in the table of tasks."""
_CROWD = 20
"""Tasks above which only the power of the comparison is offered."""
_STATIC = "This browser runs no scripts here: the page shows the comparison as it was run."


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
    """A comparison by every choice of rules, each computed once."""

    def __init__(self, as_run: Comparison) -> None:
        self.as_run = as_run
        self._known = {as_run.criteria: as_run}

    def at(self, alpha: float, power: float | None = None) -> Comparison:
        """By one choice; the power as run if none is given."""
        criteria = self.as_run.criteria
        rule = Criteria(
            alpha=alpha, power=power or criteria.power, alternative=criteria.alternative
        )
        if rule not in self._known:
            self._known[rule] = compared_again(self.as_run, rule)
        return self._known[rule]

    def every(self) -> Iterator[Comparison]:
        """All choices, the power varying fastest."""
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
    """What a page says by every choice of rules, and the items on which the two differ."""
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


def _title(comparison: Comparison) -> str:
    first, second = (name(n) for n in comparison.models)
    one = comparison.tasks[0].task
    on = f" on {name(one)}" if len(comparison.tasks) == 1 and one else ""
    return f"{first} vs {second}{on}"


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


def _figures(versions: ComparisonsByRule, kind: charts.FigureKind) -> str:
    """A drawing at every level that may be chosen; the one as run is shown."""
    drawings = []
    for alpha in _choices(versions.as_run)[0]:
        hidden = "" if alpha == versions.as_run.criteria.alpha else " hidden"
        inside = picture(charts.figure(versions.at(alpha), kind))
        drawings.append(f'<div data-level="{alpha!r}"{hidden}>\n{inside}\n</div>')
    return "\n".join(drawings)


def _groups(versions: ComparisonsByRule, doc: Document) -> str:
    """Where the gap of the only task comes from."""
    if not versions.as_run.tasks[0].breakdowns:
        return ""
    figures_html = _figures(versions, "groups")
    inside = f'<div class="sides">\n<div>\n{figures_html}\n</div>\n{_live(doc)[-1]}\n</div>'
    return section("groups", "Where the gap comes from", inside)


def _readings(pair: TaskComparison, doc: Document) -> str:
    if not pair.other_designs:
        return ""
    return section("readings", "Other readings of the items", _live(doc)[1])


def _item_by_item(pair: TaskComparison) -> str:
    """Where items are listed; weighted ones have no score of their own."""
    if pair.estimate.n_effective is not None:
        return ""
    return section("items", "Item by item", '<div data-items="0"></div>', live=True)


def _one(versions: ComparisonsByRule, doc: Document) -> dict[str, str]:
    pair = versions.as_run.tasks[0]
    return {
        "numbers": section("numbers", "Numbers", _numbers(pair, doc)),
        "readings": _readings(pair, doc),
        "groups": _groups(versions, doc),
        "items": _item_by_item(pair),
    }


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


def _several(versions: ComparisonsByRule, doc: Document) -> dict[str, str]:
    comparison = versions.as_run
    labels = [row[0] for row in doc.grids[-1].rows]
    tasks = [_task(comparison, k, label) for k, label in enumerate(labels[:_MAX_TASK_SECTIONS])]
    hidden = len(labels) - len(tasks)
    if hidden:
        words = f"{count(hidden)} more tasks are in the table above; --format json has the rest."
        tasks.append(f'<p class="remark">{words}</p>')
    return {
        "tasks": section("tasks", "Tasks", *_live(doc)),
        "task": section("task", "One task", *tasks),
    }


def _rules(comparison: Comparison) -> str:
    c = comparison.criteria
    return f"{level(c.alpha, c.sides)}, {percent(c.power)} power"


def body(versions: ComparisonsByRule) -> str:
    """Everything that can be read without a script, and room for what needs one."""
    comparison = versions.as_run
    doc = document(comparison, paragraph=True)
    all_sections = (_several if len(comparison.tasks) > 1 else _one)(versions, doc)
    sections = {key: text for key, text in all_sections.items() if text}
    return "\n".join(
        (
            f'<a class="skip" href="#{next(iter(sections))}">Skip to the numbers</a>',
            header(_title(comparison), doc, _facts(comparison)),
            "<main>",
            f'<p class="remark" id="without-script">{_STATIC}</p>',
            f'<div id="forest">\n{_figures(versions, "forest")}\n</div>',
            *sections.values(),
            *closing(doc, fold("rules", "Settings", aside=_rules(comparison), live=True)),
            "</main>",
            footer(),
        )
    )


def page(comparison: Comparison) -> str:
    """The whole file."""
    versions = ComparisonsByRule(comparison)
    return shell(
        title=f"{_title(comparison)}: what the comparison supports",
        body=body(versions),
        data=compare_deck(versions),
        scripts=SCRIPTS,
        styles=STYLES,
    )
