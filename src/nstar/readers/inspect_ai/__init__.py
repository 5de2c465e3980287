"""Read Inspect logs (UK AISI's inspect-ai), ``.eval`` and ``.json``, without inspect-ai."""

import re
from collections.abc import Iterator, Sequence
from itertools import chain, islice
from pathlib import PurePosixPath

import pyarrow as pa

from nstar.readers._base import Journal, Role, Unit
from nstar.readers._files import Place
from nstar.readers.inspect_ai._facts import (
    aggregates,
    describe,
    epochs,
    is_complete,
    names_apart,
    scorers,
    started,
)
from nstar.readers.inspect_ai._log import Header, is_zip, read_header, read_samples
from nstar.readers.inspect_ai._rows import SampleLayout, ScoreSheet

__all__ = ["READER"]

LOOK = 4096
"""Number of samples from which the columns are determined."""

_MEMBER = re.compile(
    rb"PK\x03\x04.{26}(?:_journal/|header\.json|summaries\.json|samples/.{1,200}?_epoch_\d)",
    re.DOTALL,
)
_FIRST_KEY = re.compile(
    rb"\s*\{\s*\"(?:version|status|eval|plan|results|stats|error|invalidated|log_updates"
    rb"|config_updates|tags|metadata|location|etag)\"\s*:"
)
_SPEC = re.compile(rb"\"eval\"\s*:\s*\{")
_IDENTITY = re.compile(rb"\"(?:eval_id|run_id|task_id)\"\s*:")


class _Reader:
    name = "inspect_ai"

    def sniff(self, place: Place, head: bytes) -> Role:  # noqa: ARG002
        if is_zip(head):
            return "log" if _MEMBER.search(head) else None
        is_log = _FIRST_KEY.match(head) and _SPEC.search(head) and _IDENTITY.search(head)
        return "log" if is_log else None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:
        logs = [
            (place, read_header(place, journal.options.limits))
            for place in _unsharded(places, journal)
        ]
        logs = _last_attempts(logs, journal)
        names = names_apart([header for _, header in logs])
        units = []
        for (place, header), (model, task) in zip(logs, names, strict=True):
            _tell(header, model, task, journal)
            unit = Unit(
                place=place,
                model=model,
                task=task,
                started=started(header),
                complete=is_complete(header),
                context=header,
            )
            units.append(unit)
        return units

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        known = isinstance(unit.context, Header)
        header = unit.context if known else read_header(unit.place, journal.options.limits)
        names = {"model": unit.model or header.eval.model, "task": unit.task or header.eval.task}
        source = journal.source(unit.place, self.name, **names)
        describe(header, source)
        samples = read_samples(unit.place, header, journal, source)
        first = list(islice(samples, LOOK))
        layout = SampleLayout.of(first, epochs(header), journal.options.groups)
        if header.invalidated is not True:  # the means include invalid samples
            source.aggregates = aggregates(header, layout.with_parts)
        sheet = ScoreSheet(unit=unit, layout=layout, journal=journal, source=source)
        names |= {} if layout.runs or unit.run is None else {"run": unit.run}
        for line, sample in chain(first, samples):
            sheet.add(line, sample)
            if sheet.rows.full:
                yield sheet.rows.batch(**names)
        sheet.finish(scorers(header))
        for metric in source.aggregates.keys() - sheet.metrics.keys():
            del source.aggregates[metric]
        yield sheet.rows.batch(**names)


def _unsharded(places: Sequence[Place], journal: Journal) -> list[Place]:
    """Return the logs without shards (``x.shards/1/….eval``) that a log (``x.eval``) merges."""
    paths = {PurePosixPath(place.path) for place in places}
    files = []
    for place in places:
        folders = PurePosixPath(place.path).parents
        companion = folders[1] if len(folders) > 1 else PurePosixPath()
        merged = (companion.with_name(f"{companion.stem}{end}.eval") for end in ("", "-recovered"))
        if companion.suffix != ".shards" or paths.isdisjoint(merged):
            files.append(place)
    if len(files) < len(places):
        journal.notes.append(
            f"{len(places) - len(files)} shards ignored: the merged log contains them"
        )
    return files


def _last_attempts(
    logs: list[tuple[Place, Header]], journal: Journal
) -> list[tuple[Place, Header]]:
    """Return the newest successful attempt at each task, or the newest if none succeeded.

    A retry keeps the task id and copies the samples that were completed.
    """
    attempts: dict[object, list[tuple[Place, Header]]] = {}
    for place, header in logs:
        task_id = header.eval.task_id
        known = isinstance(task_id, str) and task_id
        key = (task_id, header.eval.model) if known else place
        attempts.setdefault(key, []).append((place, header))
    logs_kept = []
    for attempts_at_task in attempts.values():
        place, header = max(attempts_at_task, key=lambda log: _rank(log[1]))
        logs_kept.append((place, header))
        if len(attempts_at_task) > 1:
            journal.notes.append(
                f"{len(attempts_at_task)} logs of one run of {header.eval.task} by "
                f"{header.eval.model} (retries, copies): {place} is used"
            )
    return logs_kept


def _rank(header: Header) -> tuple[bool, str, bool]:
    return header.status == "success", started(header), header.status != "started"


def _tell(header: Header, model: str, task: str, journal: Journal) -> None:
    for name, extended in ((header.eval.model, model), (header.eval.task, task)):
        note = (
            f"{name} was run with different settings, which are kept as separate models: "
            f"{extended}"
        )
        if name != extended and note not in journal.notes:
            journal.notes.append(note)


READER = _Reader()
