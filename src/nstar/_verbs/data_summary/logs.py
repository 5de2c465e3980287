"""Find problems in the metadata of logs: status, limits, settings, and reported means."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from nstar._data.findings import (
    COMPARED,
    LABELED,
    PERCENTAGES,
    UNREAD,
    Finding,
    abbreviate,
    find,
)
from nstar._data.table import Source

_MAX_EXAMPLES = 3
_CODES = {LABELED: "model-labels", PERCENTAGES: "percentages"}
"""Codes of the readers' notes, by their first words."""
_ROW = re.compile(r"(.*?:\d+): (.*)", re.DOTALL)
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def log_findings(
    sources: Sequence[Source], notes: Iterable[str], bad: Sequence[str]
) -> Iterator[Finding]:
    """Yield findings that need no scores. Files are named relative to their common folder.

    Findings are published with a report, so local paths are removed.
    """
    folders = _above([source.path for source in sources])
    for finding in _found(sources, notes, bad):
        text = finding.text
        for folder in folders:
            text = text.replace(folder, "")
        yield replace(finding, text=text)


def _above(paths: Sequence[str]) -> list[str]:
    """Return the common folder of all local files, and all folders above it, nearest first."""
    local = [path for path in paths if "://" not in path]
    if not local:
        return []
    first, last = min(local), max(local)
    same = next((k for k, c in enumerate(first) if last[k : k + 1] != c), len(first))
    ends = [k + 1 for k, c in enumerate(first[:same]) if c in "/\\" and k]
    return [first[:end] for end in reversed(ends)]


def _found(
    sources: Sequence[Source], notes: Iterable[str], bad: Sequence[str]
) -> Iterator[Finding]:
    for logs in _by_run(sources).values():
        yield from _status(logs)
    for source in sources:
        yield from _means(source)
    yield from _notes(sources)
    yield from _errors(sources)
    yield from _settings(sources)
    yield from _dropped(sources)
    if bad:
        rows = "1 unreadable row was" if len(bad) == 1 else f"{len(bad)} unreadable rows were"
        yield find(
            "bad-rows",
            f"{rows} skipped: {abbreviate(_combine_equal(bad), _MAX_EXAMPLES, between='; ')}",
        )
    for note in notes:
        metric = "metric-chosen" if COMPARED in note else "runs-chosen"
        yield find("unread-file" if note.startswith(UNREAD) else metric, note)


def _combine_equal(bad: Sequence[str]) -> list[str]:
    """Combine equal messages: the first row, then the other rows."""
    alike: dict[str, list[str]] = {}
    for text in bad:
        match = _ROW.fullmatch(text)
        problem = _QUOTED.sub("", match[2]) if match else text
        alike.setdefault(problem, []).append(text)
    out = []
    for first, *others in alike.values():
        rows = [match[1] for text in others if (match := _ROW.fullmatch(text))]
        out.append(f"{first} (also {abbreviate(rows, _MAX_EXAMPLES)})" if rows else first)
    return out


def _who(source: Source) -> str:
    return " on ".join(filter(None, (source.model, source.task))) or source.path


def _by_run(sources: Sequence[Source]) -> dict[tuple[str, str], list[Source]]:
    """Group the logs by run, which may have one file per subject."""
    by_run: dict[tuple[str, str], list[Source]] = defaultdict(list)
    for source in sources:
        by_run[_who(source), source.status].append(source)
    return by_run


def _status(sources: Sequence[Source]) -> Iterator[Finding]:
    run_name, status = _who(sources[0]), sources[0].status
    items = sum(s.items for s in sources)
    known = [s.declared_items for s in sources if s.declared_items is not None]
    declared = sum(known) if len(known) == len(sources) else None
    size = f"{items:,}" + ("" if declared is None else f" of {declared:,}") + " items"
    if status != "success":
        where = abbreviate([s.path for s in sources], 1)
        yield find(
            "failed-run", f"{run_name} did not finish: status {status!r}, {size} in {where}"
        )
        return
    stops = dict.fromkeys(s.stopped for s in sources if s.stopped)
    if stops:
        yield find("stopped-early", f"{run_name} was stopped early ({'; '.join(stops)})")
    limits = dict.fromkeys(s.limited for s in sources if s.limited)
    if limits or (declared is not None and 0 < items < declared):
        limits_text = "; ".join(limit for limit in limits if limit not in size)
        yield find(
            "partial-run", f"{run_name} covers {size}{f' ({limits_text})' if limits_text else ''}"
        )


def _notes(sources: Sequence[Source]) -> Iterator[Finding]:
    names_by_note: dict[str, list[str]] = defaultdict(list)
    for source in sources:
        for note in source.notes:
            names_by_note[note].append(_who(source))
    for note, where in names_by_note.items():
        code = next((code for start, code in _CODES.items() if note.startswith(start)), "reader")
        yield find(code, f"{_some(dict.fromkeys(where))}: {note}")


def _means(source: Source) -> Iterator[Finding]:
    for metric, ours in source.mismatches.items():
        theirs = source.aggregates[metric]
        yield find(
            "mean-differs",
            f"{_who(source)}: the mean {metric} of the rows is {ours:.6g}, but the "
            f"harness reported {theirs:.6g} ({source.path})",
        )


def _errors(sources: Sequence[Source]) -> Iterator[Finding]:
    failing = [s for s in sources if s.dropped.get("errors")]
    for source in failing:
        n = source.dropped["errors"]
        outcome = "missing" if source.errors_as == "missing" else "0"
        many = f"{n:,} scores of samples that ended in an error count as {outcome}"
        one = f"1 score of a sample that ended in an error counts as {outcome}"
        yield find("errors", f"{_who(source)}: {one if n == 1 else many}")


def _settings(sources: Sequence[Source]) -> Iterator[Finding]:
    """Yield the settings that differ between models on one task."""
    tasks: dict[str, dict[str, list[Source]]] = defaultdict(lambda: defaultdict(list))
    for source in sources:
        if source.task is not None:
            tasks[source.task][source.model or source.path].append(source)
    tasks_by_text: dict[str, list[str]] = defaultdict(list)
    for task, models in tasks.items():
        names = dict.fromkeys(n for logs in models.values() for log in logs for n in log.settings)
        for name in names:
            values: dict[str, list[str]] = defaultdict(list)
            for model, logs in models.items():
                model_values = dict.fromkeys(log.settings.get(name, "–") for log in logs)
                values[" and ".join(sorted(model_values))].append(model)
            if len(values) > 1:
                tasks_by_text[_differ(name, values)].append(task)
    for text, where in tasks_by_text.items():
        yield find("different-settings", f"{_some(where)}: {text}")


def _differ(name: str, values: dict[str, list[str]]) -> str:
    parts = [f"{value[:60]} ({_some(models)})" for value, models in values.items()]
    return f"{name} differs: " + "; ".join(parts[:4])


def _some(names: Iterable[str]) -> str:
    name_list = list(names)
    n_more = len(name_list) - _MAX_EXAMPLES
    return ", ".join(name_list[:_MAX_EXAMPLES]) + (f" and {n_more} more" if n_more > 0 else "")


def _dropped(sources: Sequence[Source]) -> Iterator[Finding]:
    """Yield the omitted data, with the names of the logs unless all are affected."""
    reasons: dict[str, list[tuple[int, str]]] = defaultdict(list)
    for source in sources:
        for reason, n in source.dropped.items():
            if reason != "errors":
                reasons[reason].append((n, _who(source)))
    for reason, cases in reasons.items():
        n = sum(count for count, _ in cases)
        whose = f" ({_some(dict.fromkeys(run for _, run in cases))})"
        text = f"{n:,} value{'s' * (n != 1)} excluded: {reason}"
        yield find("dropped", text + whose * (len(cases) < len(sources)))
