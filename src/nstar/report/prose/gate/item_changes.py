"""The items of a Gate that regressed, and what luck alone would do."""

from collections.abc import Iterator

from nstar._verbs.gate import ChangedItem, Check, Gate, ItemChanges, ItemTotals
from nstar.report.documents import TextTable
from nstar.report.prose.cross_references import as_json
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import name, probability

_ROWS = {True: 5, False: 3}
"""Lost and gained items that are shown."""


_TASKS = 20
"""Tasks whose items are counted in the table."""
_TITLE = "Items that pass less often (lost) and more often (gained) with the candidate"


def _number(runs: float) -> str:
    return f"{runs:,.1f}".removesuffix(".0")


def _ends(ends: tuple[int, int]) -> str:
    low, high = ends
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _total(what: str, found: ItemTotals) -> tuple[str, ...]:
    return (
        what,
        f"{found.items:,}",
        f"{found.by_luck:,.1f}",
        _ends(found.luck_range),
        _number(found.runs),
        f"{found.runs_by_luck:,.1f}",
    )


def _where(gate: Gate, check: Check) -> str:
    return f"{name(check.task, limit=32)}: " if len(gate.tasks) > 1 else ""


def _listed(gate: Gate) -> Iterator[tuple[Check, ChangedItem]]:
    """The clearest of all tasks, lost ones first."""
    for lost in (True, False):
        found = [
            (check, item)
            for check in gate.tasks
            if check.changes is not None
            for item in check.changes.changed
            if item.lost is lost
        ]
        yield from sorted(found, key=lambda x: x[1].luck)[: _ROWS[lost]]


def _of_one(changes: ItemChanges, conf: str) -> TextTable:
    rows = (_total("lost", changes.lost), _total("gained", changes.gained))
    header = ("", "items", "by luck alone", f"{conf} range", "runs", "by luck alone")
    width = len(header) if _several_runs(changes) else 4
    return TextTable(title=_TITLE, header=header[:width], rows=tuple(r[:width] for r in rows))


def _several_runs(changes: ItemChanges) -> bool:
    """Whether an item that changed has several runs."""
    return any(max(x.candidate[1], x.baseline[1]) > 1 for x in changes.changed)


def _of_several(found: list[tuple[Check, ItemChanges]], conf: str) -> TextTable:
    shown = found[:_TASKS]
    hidden = len(found) - len(shown)
    return TextTable(
        title=f"{_TITLE}{f' ({hidden:,} more tasks: {as_json()})' if hidden else ''}",
        header=(
            *("task", "lost", "by luck alone", f"{conf} range", "runs lost"),
            *("gained", "by luck alone", "runs gained"),
        ),
        rows=tuple(
            (
                name(check.task, limit=32),
                f"{x.lost.items:,}",
                f"{x.lost.by_luck:,.1f}",
                _ends(x.lost.luck_range),
                _number(x.lost.runs),
                f"{x.gained.items:,}",
                f"{x.gained.by_luck:,.1f}",
                _number(x.gained.runs),
            )
            for check, x in shown
        ),
    )


def change_grids(gate: Gate) -> Iterator[TextTable]:
    """Items lost and gained beside what luck would do, and the clearest of them."""
    found = [(check, check.changes) for check in gate.tasks if check.changes is not None]
    total = sum(x.lost.items + x.gained.items for _, x in found)
    if not total:
        return
    conf = coverage(found[0][0].evidence.conf)
    yield _of_one(found[0][1], conf) if len(gate.tasks) == 1 else _of_several(found, conf)
    shown = list(_listed(gate))
    hidden, kept = total - len(shown), sum(len(x.changed) for _, x in found)
    where = as_json() if kept == total else "nstar compare --list"
    first, second = (name(n, limit=20) for n in gate.names)
    several = any(_several_runs(x) for _, x in found)
    order = ", clearest first" if several else ""  # one run each: all are as clear
    header = ("item", "", first, second, "so far apart by luck")
    width = len(header) if several else 4
    yield TextTable(
        title=f"Items that changed{order}{f' ({hidden:,} more: {where})' * bool(hidden)}",
        header=header[:width],
        rows=tuple(_listed_row(gate, check, item)[:width] for check, item in shown),
    )


def _listed_row(gate: Gate, check: Check, item: ChangedItem) -> tuple[str, ...]:
    return (
        f"{_where(gate, check)}{name(item.item, limit=32)}",
        "lost" if item.lost else "gained",
        "{}/{}".format(*item.candidate),
        "{}/{}".format(*item.baseline),
        probability(item.luck),
    )


def change_assumptions(gate: Gate) -> Iterator[str]:
    """What luck means."""
    if any(check.changes is not None for check in gate.tasks):
        yield (
            "Luck alone: runs of an item are independent, and if nothing changed each could as "
            "well be the other model's. Single items inform, the gap decides."
        )
