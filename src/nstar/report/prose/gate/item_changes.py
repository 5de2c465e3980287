"""Write sentences on the items of a Gate that regressed, and the number expected by chance."""

from collections.abc import Iterator

from nstar._verbs.gate import ChangedItem, Gate, ItemChanges, ItemTotals, TaskGate
from nstar.report.documents import TextTable
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import name, pvalue

_ROWS = {True: 5, False: 3}
"""Maximum number of lost and gained items in the text."""


_TASKS = 20
"""Maximum number of tasks in the table of changes."""
_TITLE = "Items that pass less often (lost) or more often (gained) with the candidate"


def _number(runs: float) -> str:
    return f"{runs:,.1f}".removesuffix(".0")


def _ends(ends: tuple[int, int]) -> str:
    low, high = ends
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _total(label: str, totals: ItemTotals) -> tuple[str, ...]:
    return (
        label,
        f"{totals.n_items:,}",
        f"{totals.n_items_by_chance:,.1f}",
        _ends(totals.n_items_by_chance_range),
        _number(totals.n_runs),
        f"{totals.n_runs_by_chance:,.1f}",
    )


def _where(gate: Gate, check: TaskGate) -> str:
    return f"{name(check.task, limit=32)}: " if len(gate.tasks) > 1 else ""


def _listed(gate: Gate) -> Iterator[tuple[TaskGate, ChangedItem]]:
    """Yield the clearest changes over all tasks, with lost items first."""
    for lost in (True, False):
        changes = [
            (check, item)
            for check in gate.tasks
            if check.item_changes is not None
            for item in check.item_changes.items
            if item.is_lost is lost
        ]
        yield from sorted(changes, key=lambda x: x[1].pvalue)[: _ROWS[lost]]


def _of_one(changes: ItemChanges, conf: str) -> TextTable:
    rows = (_total("lost", changes.lost), _total("gained", changes.gained))
    header = ("", "items", "by chance", f"{conf} range", "runs", "by chance")
    width = len(header) if _several_runs(changes) else 4
    return TextTable(title=_TITLE, header=header[:width], rows=tuple(r[:width] for r in rows))


def _several_runs(changes: ItemChanges) -> bool:
    """Return whether a changed item has several runs."""
    return any(max(x.candidate[1], x.baseline[1]) > 1 for x in changes.items)


def _of_several(changes: list[tuple[TaskGate, ItemChanges]], conf: str) -> TextTable:
    first_changes = changes[:_TASKS]
    hidden = len(changes) - len(first_changes)
    return TextTable(
        title=f"{_TITLE}{f' ({hidden:,} more tasks: {as_json()})' if hidden else ''}",
        header=(
            *("task", "lost", "by chance", f"{conf} range", "runs lost"),
            *("gained", "by chance", "runs gained"),
        ),
        rows=tuple(
            (
                name(check.task, limit=32),
                f"{x.lost.n_items:,}",
                f"{x.lost.n_items_by_chance:,.1f}",
                _ends(x.lost.n_items_by_chance_range),
                _number(x.lost.n_runs),
                f"{x.gained.n_items:,}",
                f"{x.gained.n_items_by_chance:,.1f}",
                _number(x.gained.n_runs),
            )
            for check, x in first_changes
        ),
    )


def change_grids(gate: Gate) -> Iterator[TextTable]:
    """Yield tables of lost and gained items, with the numbers expected by chance."""
    changes = [
        (check, check.item_changes) for check in gate.tasks if check.item_changes is not None
    ]
    total = sum(x.lost.n_items + x.gained.n_items for _, x in changes)
    if not total:
        return
    conf = coverage(changes[0][0].evidence.confidence_level)
    yield _of_one(changes[0][1], conf) if len(gate.tasks) == 1 else _of_several(changes, conf)
    clearest = list(_listed(gate))
    hidden, n_kept = total - len(clearest), sum(len(x.items) for _, x in changes)
    where = as_json() if n_kept == total else "nstar compare --list lost|gained --out FILE.csv"
    first, second = (name(n, limit=20) for n in gate.models)
    has_many_runs = any(_several_runs(x) for _, x in changes)
    order = ", smallest p first" if has_many_runs else ""  # single runs are equally clear
    header = ("item", "", first, second, "p (unadjusted)")
    width = len(header) if has_many_runs else 4
    yield TextTable(
        title=f"Items that changed{order}{f' ({hidden:,} more: {where})' * bool(hidden)}",
        header=header[:width],
        rows=tuple(_listed_row(gate, check, item)[:width] for check, item in clearest),
    )


def _listed_row(gate: Gate, check: TaskGate, item: ChangedItem) -> tuple[str, ...]:
    return (
        f"{_where(gate, check)}{name(item.item, limit=32)}",
        "lost" if item.is_lost else "gained",
        "{}/{}".format(*item.candidate),
        "{}/{}".format(*item.baseline),
        pvalue(item.pvalue),
    )


def change_assumptions(gate: Gate) -> Iterator[str]:
    """Yield how the number expected by chance is computed."""
    if any(check.item_changes is not None for check in gate.tasks):
        yield (
            "For changes by chance, runs of an item are assumed to be independent and "
            "exchangeable between the models. Judge by the gap, not by single items."
        )
