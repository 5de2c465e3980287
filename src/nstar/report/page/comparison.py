"""A comparison as a page: the answer, what the reader may change, the numbers, its data."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from html import escape
from typing import Any

from nstar import stats
from nstar._verbs.compare import Comparison, Pair
from nstar._verbs.compare.margin import exposed
from nstar.report import charts, document
from nstar.report.documents import Document, Grid
from nstar.report.page._markup import (
    closing,
    contents,
    footer,
    header,
    listing,
    overview,
    picture,
    section,
    table,
    tables,
)
from nstar.report.page._shell import shell
from nstar.report.words.design import plural
from nstar.report.words.numbers import count, items, level, name, percent

__all__ = ["SCRIPTS", "STYLES", "body", "compare_deck", "page"]

SCRIPTS = (
    *(
        "dom.js",
        "numbers.js",
        "detection.js",
        "board.js",
        "judge.js",
        "pairs.js",
        "draw.js",
        "settings_panel.js",
    ),
    *("link.js", "compare_numbers.js", "compare_words.js", "compare.js"),
)
"""In the order in which one builds on another."""
STYLES = ("page.css", "compare.css")

_MOST = 100
"""Tasks told one by one; the others are in the table of tasks."""
_STATIC = "This browser runs no scripts here: the page shows the comparison as it was run."
_GAP = 2
"""Row of the gap in the table of one task: what stands above does not depend on the level."""


def _task_document(comparison: Comparison, pair: Pair) -> Document:
    """One of the tasks as if it were alone, but for its verdict, which allows for the others."""
    return document(replace(comparison, tasks=(pair,), findings=()))


def _fixed(rows: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Rows of the table of numbers that hold at any level: those above and those below the gap."""
    end = next(i for i in range(_GAP + 1, len(rows)) if rows[i][0] == "item correlation rho")
    return {"above": [list(r) for r in rows[:_GAP]], "below": [list(r) for r in rows[3:end]]}


def _fisher(pair: Pair) -> tuple[float, float | None] | None:
    """Centre and error of the item correlation on Fisher's scale; no error: any correlation."""
    if pair.rho_ci is None:
        return None
    low, high = (float(v) for v in pair.rho_ci)
    if low == -1 and high == 1:
        return 0.0, None
    ends = [math.atanh(min(max(v, -1 + 1e-16), 1 - 1e-16)) for v in (low, high)]
    return sum(ends) / 2, (ends[1] - ends[0]) / 2 / float(stats.z_conf(pair.conf))


def _deck_task(comparison: Comparison, pair: Pair) -> dict[str, Any]:
    d, c = pair.design, pair.counts
    numbers = _task_document(comparison, pair).grids[0]
    return {
        "title": numbers.title,
        "fixed": _fixed(numbers.rows),
        "limits": list(pair.limits),
        "lower": pair.lower_is_better,
        "n": pair.n,
        "mean_a": pair.mean_a,
        "mean_b": pair.mean_b,
        "delta": pair.delta,
        "sigma": pair.sigma,
        "rho": pair.rho,
        "rho_fisher": _fisher(pair),
        "cells": None if c is None else asdict(c),
        "kind": "counts" if c is not None and d.kind == "items" else "gaps",
        "design": {"kind": d.kind, "groups": d.groups},
        "units": d.groups if d.kind == "cluster" else pair.n,
        "exposed": exposed(d, pair.n),
        "se": d.se,
        "df": None if math.isinf(d.df) else d.df,
        "p": pair.p,
        "p_adjusted": pair.p_adjusted,
    }


def compare_deck(comparison: Comparison) -> dict[str, Any]:
    """The pairs of a comparison as JSON values: proportions or score units, shown names.

    p-values do not depend on level and power, so they are here as they are.
    """
    criteria, one = comparison.criteria, comparison.tasks[0]
    several = len(comparison.tasks) > 1
    grid = document(comparison).grids[0]
    return {
        "schema": "nstar.comparison-page/1",
        "names": [name(n) for n in comparison.names],
        "sides": criteria.sides,
        "settings": {
            "alpha": criteria.alpha,
            "power": criteria.power,
            "delta0": one.delta0,
            "margin": None if one.equivalence is None else one.equivalence.margin,
        },
        "table": {
            "title": grid.title,
            "heads": list(grid.header[:4]),
            "labels": [row[0] for row in grid.rows],
        }
        if several
        else None,
        "tasks": [_deck_task(comparison, pair) for pair in comparison.tasks],
    }


def _title(comparison: Comparison) -> str:
    first, second = (name(n) for n in comparison.names)
    return f"{first} vs {second}"


def _read_as(pair: Pair) -> str:
    """How the items were declared to have come about."""
    d = pair.design
    if d.kind == "items":
        return "items independent"
    return f"{name(d.column or '')} as {plural(d.kind)}"


def _facts(comparison: Comparison) -> Iterator[str]:
    one, c = comparison.tasks[0], comparison.criteria
    if len(comparison.tasks) > 1:
        yield f"{count(len(comparison.tasks))} tasks"
    elif one.task:
        yield name(one.task)
    if len({p.metric for p in comparison.tasks}) == 1:
        yield name(one.metric)
    yield items(sum(p.n for p in comparison.tasks))
    yield _read_as(one)
    yield f"{level(c.alpha, c.sides)}, {percent(c.power)} power"


def _cells(pair: Pair, numbers: Grid) -> list[str]:
    """Who got which items right."""
    c = pair.counts
    if c is None:
        return []
    first, second = (row[0] for row in numbers.rows[:2])
    grid = Grid(
        title="Items by who got them right",
        header=("", f"{second} right", f"{second} wrong"),
        rows=(
            (f"{first} right", count(c.n11), count(c.n10)),
            (f"{first} wrong", count(c.n01), count(c.n00)),
        ),
    )
    return [table(grid)]


def _numbers(pair: Pair, doc: Document, k: int = 0) -> str:
    """The table of task ``k``, and its cells beside it."""
    beside = ('<div class="beside">', *_cells(pair, doc.grids[0]), "</div>")
    return "\n".join((f'<div class="sides" id="of-{k}">', table(doc.grids[0]), *beside, "</div>"))


def _groups(comparison: Comparison, doc: Document) -> str:
    """Where the gap of the only task comes from."""
    pair = comparison.tasks[0]
    if not pair.breakdowns:
        return ""
    drawn = picture(charts.figure(comparison, "groups"))
    inside = f'<div class="sides">\n{drawn}\n{table(doc.grids[-1])}\n</div>'
    return section("groups", "Where the gap comes from", inside)


def _readings(pair: Pair, doc: Document) -> str:
    if not pair.alternatives:
        return ""
    return section("readings", "Other readings of the items", table(doc.grids[1]))


def _one(comparison: Comparison, doc: Document) -> dict[str, str]:
    pair = comparison.tasks[0]
    return {
        "numbers": section("numbers", "Numbers", _numbers(pair, doc)),
        "groups": _groups(comparison, doc),
        "readings": _readings(pair, doc),
    }


def _task(comparison: Comparison, k: int, label: str) -> str:
    """One of several tasks, folded."""
    pair = comparison.tasks[k]
    doc = _task_document(comparison, pair)
    parts = (
        _numbers(pair, doc, k),
        tables(doc.grids[1:]) if doc.grids[1:] else "",
        listing(doc.notes) if doc.notes else "",
    )
    inside = "\n".join(p for p in (f"<summary>{escape(label)}</summary>", *parts) if p)
    return f'<details class="task" id="task-{k}">\n{inside}\n</details>'


def _several(comparison: Comparison, doc: Document) -> dict[str, str]:
    labels = [row[0] for row in doc.grids[0].rows]
    tasks = [_task(comparison, k, label) for k, label in enumerate(labels[:_MOST])]
    hidden = len(labels) - len(tasks)
    if hidden:
        words = f"{count(hidden)} more tasks are in the table above; --format json has the rest."
        tasks.append(f'<p class="remark">{words}</p>')
    return {
        "tasks": section("tasks", "Tasks", table(doc.grids[0], identity="tasks-as-run")),
        "task": section("task", "One task", *tasks),
    }


_LINKS = {
    "numbers": "Numbers",
    "tasks": "Tasks",
    "task": "One task",
    "groups": "Where the gap comes from",
    "readings": "Other readings",
    "notes": "Notes",
    "paragraph": "Paragraph",
    "cite": "Cite",
}


def body(comparison: Comparison) -> str:
    """Everything that can be read without a script, and room for what needs one."""
    doc = document(comparison, paragraph=True)
    found = (_several if len(comparison.tasks) > 1 else _one)(comparison, doc)
    there = {key: text for key, text in found.items() if text}
    always = ("notes", "paragraph", "cite") if doc.notes else ("paragraph", "cite")
    return "\n".join(
        (
            f'<a class="skip" href="#{next(iter(there))}">Skip to the numbers</a>',
            header(
                "What this comparison can and cannot support",
                _title(comparison),
                doc.headline,
                _facts(comparison),
            ),
            contents({key: _LINKS[key] for key in (*there, *always)}),
            "<main>",
            f'<p class="remark" id="without-script">{_STATIC}</p>',
            overview(charts.figure(comparison, "forest")),
            *there.values(),
            *closing(doc),
            "</main>",
            footer(),
        )
    )


def page(comparison: Comparison) -> str:
    """The whole file."""
    return shell(
        title=f"{_title(comparison)}: what the comparison supports",
        body=body(comparison),
        data=compare_deck(comparison),
        scripts=SCRIPTS,
        styles=STYLES,
    )
