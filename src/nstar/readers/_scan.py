"""Match files to readers, select runs, and stream their scores."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nstar._data import arrow
from nstar._data.findings import UNREAD, abbreviate
from nstar._data.read_limits import NAME_CAP, ROWS_PER_BYTE, Limits
from nstar._data.table import LABEL, Source, constant
from nstar.errors import ReadError, arg
from nstar.readers._base import Journal, Reader, ReaderOptions, SourceDraft, Unit, scores_as_floats
from nstar.readers._fallback_names import rename
from nstar.readers._files import Place, walk
from nstar.readers._measures import measured
from nstar.readers._read_errors import printable, workbook
from nstar.readers._stream import text_head

_AS_TABLE = "save the table as CSV or Parquet with the columns model, item, and score"
_FOREIGN = (
    (b"PK\x03\x04", f"is an archive or a workbook such as .xlsx. Unpack it, or {_AS_TABLE}."),
    (b"\xd0\xcf\x11\xe0", f"looks like an old Excel file. To use it, {_AS_TABLE}."),
    (b"\x80", f"looks like a pickle file, which can run code when opened. Instead, {_AS_TABLE}."),
    (b"\x93NUMPY", f"is a NumPy array. To use it, {_AS_TABLE}, or call nstar.compare in Python."),
    (b"SQLite format 3", f"is a SQLite database. To use it, {_AS_TABLE}."),
    (b"%PDF", "is a PDF. To check two reported accuracies, use nstar claim."),
)
"""First bytes of unsupported file formats, with advice for each."""
_HELD = 1 << 16
"""Maximum number of rows kept in memory. Most analyses read the rows twice."""
_HELD_BYTES = 32 << 20
"""Maximum number of bytes of rows kept in memory."""
_MEAN_TOLERANCE = 1e-6
"""Largest difference from the harness's mean that rounding can explain."""


@dataclass(slots=True)
class _LogCounts:
    """Totals over the batches of one log."""

    rows: int = 0
    unscored: int = 0
    parts: list[pa.Table] = field(default_factory=list)

    def add(self, batch: pa.RecordBatch, *, keep: bool) -> None:
        score = batch.column("score")
        self.rows += len(score) - score.null_count
        self.unscored += score.null_count
        if keep and len(score):
            names = [n for n in ("metric", "item", "score") if n in batch.schema.names]
            plain = {n: batch.column(n) for n in names}
            plain.setdefault("metric", constant("score", len(score)))
            self.parts.append(pa.table(plain))

    def finish(self, draft: SourceDraft) -> dict[str, Any]:
        """Record the number of items, and the metrics whose mean differs from the harness's."""
        out: dict[str, Any] = {"rows": self.rows, "unscored": self.unscored}
        if not self.parts:
            return out
        table = pa.concat_tables(map(scores_as_floats, self.parts), promote_options="default")
        item, items = arrow.coded(table["item"])
        out["items"] = len(items)
        ours = _means(table, item)
        out["mismatches"] = {
            metric: ours[metric]
            for metric, theirs in draft.aggregates.items()
            if metric in ours
            and abs(ours[metric] - theirs) > _MEAN_TOLERANCE * max(1.0, abs(theirs))
        }
        return out


def _means(table: pa.Table, item: npt.NDArray[np.int32]) -> dict[str, float]:
    """Return the mean of each metric over items, after averaging the rows of each item."""
    metric, metrics = arrow.coded(table["metric"])
    score = np.concatenate([arrow.numbers(part) for part in table["score"].chunks])
    present = np.isfinite(score) & (item >= 0)
    out = {}
    for k, name in enumerate(metrics):
        rows = present & (metric == k)
        counts = np.bincount(item[rows])
        means = np.bincount(item[rows], score[rows])[counts > 0] / counts[counts > 0]
        if means.size:
            out[name] = float(means.mean())
    return out


def _sniff(place: Place, readers: Sequence[Reader]) -> tuple[Reader, str] | None:
    head = text_head(place)
    if not head:
        return None
    for reader in readers:
        role = reader.sniff(place, head)
        if role is not None:
            return reader, role
    return None


def _as_asked(readers: Sequence[Reader], options: ReaderOptions) -> tuple[Reader, str] | None:
    """Choose a reader for a file of unknown format that the user named.

    This is the reader that the user selected, or the plain-table reader if the user mapped
    columns.
    """
    if options.reader or options.columns:
        return readers[-1], "log"  # plain tables come last
    return None


def find_units(
    paths: Sequence[str | Path],
    readers: Sequence[Reader],
    journal: Journal,
    keeps: Callable[[str], bool] | None = None,
) -> list[tuple[Reader, Unit]]:
    """Return the units of the selected models with their readers, in the order of the paths."""
    by_reader: dict[str, tuple[Reader, list[Place]]] = {}
    others: list[str] = []
    companions: list[str] = []
    outright = {str(p) for p in paths}
    outside: list[str] = []
    for place in walk(paths, links=journal.options.follow_links, outside=outside.append):
        match = _sniff(place, readers)
        if match is None and place.path in outright:
            match = _as_asked(readers, journal.options)
        if match is None:
            others.append(str(place))
        elif match[1] == "companion":
            companions.append(str(place))
        else:
            by_reader.setdefault(match[0].name, (match[0], []))[1].append(place)
    if others:
        journal.notes += _passed_over(others)
    journal.notes += _not_followed(outside)
    if not by_reader:
        sentences = [_nothing(paths, others, companions, readers), *_not_followed(outside)]
        raise ReadError(". ".join(sentences))
    units = []
    for reader, places in by_reader.values():
        renamed_units = rename(list(reader.units(places, journal)))
        selected = [u for u in renamed_units if keeps is None or may_hold(u, keeps)]
        units += [(reader, unit) for unit in choose_runs(selected, journal)]
    return units


def may_hold(unit: Unit, keeps: Callable[[str], bool]) -> bool:
    """Return whether a unit could contain scores of a selected model.

    ``keeps`` returns whether a model is selected, given its name.
    """
    return unit.model is None or unit.several or keeps(unit.model)


_LOGS = (".eval", ".json", ".jsonl", ".csv", ".tsv", ".parquet")
"""Suffixes of logs and tables. An empty file with such a suffix is reported."""


def _passed_over(others: list[str]) -> list[str]:
    """Return a note on files without a reader, starting with names that look like logs."""
    damaged = [path for path in others if path.endswith(_LOGS[0]) or _is_empty_log(path)]
    rest = [path for path in others if path not in damaged]
    examples = abbreviate([f"{path} ({_damage(Place(path))})" for path in damaged], 3)
    cut = f"{UNREAD}{examples}. Was a run or a copy interrupted?"
    return [*([cut] if damaged else []), *([_ignored(rest)] if rest else [])]


def _is_empty_log(path: str) -> bool:
    return path.endswith(_LOGS) and not Place(path).head()


def _damage(place: Place) -> str:
    head = place.head()
    return f"not a log: it starts with {ascii(head[:20])[1:]}" if head else "empty"


def _ignored(others: list[str]) -> str:
    plural = "s" * (len(others) > 1)
    text = f"{len(others)} file{plural} of unknown format ignored: {abbreviate(others, 3)}"
    return text + "".join(f"; {sheet}" for sheet in _sheets(others)[:1])


def _sheets(paths: Iterable[str]) -> list[str]:
    """Return the spreadsheets among the files, with advice."""
    notes = ((path, workbook(path)) for path in paths)
    return [f"{path} {fix}" for path, fix in notes if fix is not None]


def _not_followed(outside: list[str]) -> list[str]:
    """Return a note on symbolic links that lead out of the folder, if there are any."""
    if not outside:
        return []
    plural, verb = ("s", "lead") if len(outside) > 1 else ("", "leads")
    text = f"Not followed: {len(outside)} link{plural} that {verb} out of the folder: "
    return [f"{text}{abbreviate(outside, 3)}. To follow links, set {arg('follow_links')}"]


def _nothing(
    paths: Iterable[str | Path],
    others: list[str],
    companions: list[str],
    readers: Sequence[Reader],
) -> str:
    path_names = [str(p) for p in paths]
    where = printable(abbreviate(path_names, 3))
    if companions:
        return (
            f"{companions[0]}: no scores per item in this file. Pass the folder that "
            "also contains the samples; lm-eval writes them with --log_samples."
        )
    if others == path_names:
        return f"{where}{_problem_with(Place(others[0]))}"
    if len(sheets := _sheets(others)) == len(others) > 0:
        return f"{where}: no results found. {sheets[0]}"
    plural = "s" * (len(others) > 1)
    file_count_text = (
        "no files" if not others else f"{len(others):,} file{plural}, such as {others[0]}"
    )
    names = ", ".join(r.name for r in readers)
    return (
        f"{where}: no results found ({file_count_text}). Known formats: {names}. For lm-eval, run "
        "with --log_samples; a plain table needs columns model, item, score."
    )


def _problem_with(place: Place) -> str:
    """Return a description of the problem with a file that no reader recognizes."""
    head = place.head()
    if not head:
        return " is empty. Was the run or copy interrupted?"
    if (sheet := workbook(place.name)) is not None:
        return f" {sheet}"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return " looks like UTF-16. Convert it with iconv -f UTF-16 -t UTF-8."
    foreign = next((fix for begin, fix in _FOREIGN if head.startswith(begin)), None)
    if foreign is not None:
        return f" {foreign}"
    start = ascii(head[:60])[1:]
    return (
        f": unknown format (starts with {start}). Pass a supported log, or a table with the "
        f"columns model, item, and score (or set {arg('columns', 'item=NAME')})."
    )


def choose_runs(units: list[Unit], journal: Journal) -> list[Unit]:
    """Choose the latest complete log of each model and task, or keep all logs as runs."""
    rivals: dict[tuple[str, str], list[Unit]] = {}
    for unit in units:
        if unit.model is not None and unit.task is not None:
            rivals.setdefault((unit.model, unit.task), []).append(unit)
    chosen = {id(u): u for u in units if u.model is None or u.task is None}
    for (model, task), rivals_of_task in rivals.items():
        if len(rivals_of_task) == 1:
            chosen[id(rivals_of_task[0])] = rivals_of_task[0]
        elif journal.options.runs == "all":
            complete = [u for u in rivals_of_task if u.complete] or rivals_of_task
            chosen |= {
                id(u): replace(u, run=r) for u, r in zip(complete, _runs(complete), strict=True)
            }
            journal.notes += _left_out(model, task, rivals_of_task, complete)
        else:
            best = max(rivals_of_task, key=lambda u: (u.complete, u.started))
            chosen[id(best)] = best
            journal.notes += _left_out(model, task, rivals_of_task, [best])
    return [chosen[id(u)] for u in units if id(u) in chosen]


def _runs(units: list[Unit]) -> list[str]:
    """Return a name for each run: the first of its name, time, file, and path that differs."""
    for names in (
        [u.run or u.started or u.place.name for u in units],
        [str(u.place) for u in units],
    ):
        if len(set(names)) == len(names):
            return names
    return [f"{u.place}#{k}" for k, u in enumerate(units, 1)]


def _left_out(model: str, task: str, units: list[Unit], used: list[Unit]) -> list[str]:
    left = [u for u in units if u not in used]
    if not left:
        return []
    partial = sum(not u.complete for u in left)
    reason = f"{partial} of them incomplete or limited" if partial else "earlier"
    hint = (
        "" if partial == len(left) else f"; set {arg('runs', 'all')} to keep them as repeated runs"
    )
    return [
        (
            f"{model} has {len(units)} logs of {task}: {used[-1].place} is used, "
            f"{len(left)} ignored ({reason}){hint}"
        )
    ]


def _must_count(draft: SourceDraft) -> bool:
    """Return whether the log's metadata must be checked against its items."""
    odd = draft.limited is not None or draft.status != "success"
    return bool(draft.aggregates) or draft.declared_items is not None or odd


def _not_too_many(
    place: Place, batches: Iterable[pa.RecordBatch], journal: Journal
) -> Iterator[pa.RecordBatch]:
    """Yield the batches of a log, up to the number of rows that its length justifies."""
    limits: Limits = journal.options.limits
    vouched, rows = ROWS_PER_BYTE * (place.size() or 0), 0
    for batch in batches:
        rows += batch.num_rows
        text = f"{place}: at least {rows:,} rows"
        limits.refuse("rows", rows, text, vouched=vouched, error=ReadError)
        _refuse_long_names(place, batch)
        yield batch


def _refuse_long_names(place: Place, batch: pa.RecordBatch) -> None:
    """Raise ReadError for an unreasonably long name, because names are copied many times."""
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if column.type != LABEL:
            continue
        longest = arrow.longest(column.dictionary)
        if longest > NAME_CAP:
            msg = f"{place}: a name in column {printable(name)!r} is {longest:,} bytes long, "
            msg += f"above the limit of {NAME_CAP:,}. Use shorter names."
            raise ReadError(msg)


def _named(reader: Reader, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
    """Yield the scores with the name of the model."""
    for batch in reader.read(unit, journal):
        if unit.called is None:
            yield batch
            continue
        for draft in journal.drafts:
            draft.model = unit.called
        at = batch.schema.get_field_index("model")
        yield batch.set_column(at, "model", constant(unit.called, batch.num_rows))


def _measured(
    batches: Iterable[pa.RecordBatch], measure: str | None, lower: set[str]
) -> Iterator[pa.RecordBatch]:
    """Yield the batches with a measure as the score, and add it to the metrics of ``lower``."""
    for batch in batches:
        rows = None if measure is None else measured(batch, measure)
        if measure is not None and rows is not None:
            lower.add(measure)
        yield batch if rows is None else rows


def _metrics(batch: pa.RecordBatch) -> set[str]:
    """Return the names of the metrics in a batch. Rows without a name have the default metric."""
    if "metric" not in batch.schema.names:
        return {"score"}
    return {name or "score" for name in arrow.coded(batch.column("metric"), "score")[1]}


@dataclass(slots=True)
class LogScan:
    """Logs that were found and can be read as a stream of batches."""

    units: list[tuple[Reader, Unit]]
    """Units to read, with their readers."""
    journal: Journal
    """Record of what was read so far."""
    _done: bool = False
    _held: list[pa.RecordBatch] | None = None

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield scores as Table columns. Only the first pass adds to the journal."""
        if self._held is not None:
            yield from self._held
            return
        waiting: list[pa.RecordBatch] = []
        rows = 0
        size = 0
        for batch in self._read():
            rows += batch.num_rows
            size += batch.nbytes
            if rows <= _HELD and size <= _HELD_BYTES:
                waiting.append(batch)
            else:
                waiting.clear()
            yield batch
        if rows <= _HELD and size <= _HELD_BYTES:
            self._held = waiting

    def _read(self) -> Iterator[pa.RecordBatch]:
        """Yield the scores from the logs."""
        is_repeat = self._done
        journal = Journal(options=self.journal.options) if is_repeat else self.journal
        for reader, unit in self.units:
            journal.drafts = []
            first, metrics = len(journal.sources), set[str]()
            tallies: dict[int, _LogCounts] = {}
            read = _not_too_many(unit.place, _named(reader, unit, journal), self.journal)
            for batch in _measured(read, journal.options.measure, metrics):
                if journal.drafts and not is_repeat:
                    draft = journal.drafts[-1]
                    tallies.setdefault(id(draft), _LogCounts()).add(batch, keep=_must_count(draft))
                if journal.options.lower_is_better and not is_repeat:
                    metrics |= _metrics(batch)
                yield batch
            if not is_repeat:
                journal.sources += [
                    d.freeze(**tallies.get(id(d), _LogCounts()).finish(d)) for d in journal.drafts
                ]
            if metrics and not is_repeat:
                bare = [Source(path=str(unit.place), reader=reader.name)]
                journal.sources[first:] = [
                    replace(
                        source, lower_is_better=tuple(sorted({*source.lower_is_better, *metrics}))
                    )
                    for source in journal.sources[first:] or bare
                ]
        self._done = True
