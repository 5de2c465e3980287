"""Every Eval Ever (EEE): ``<uuid>_samples.jsonl`` with its aggregate ``<uuid>.json``.

What the format's own converters do to a log, and what is done about it here:

* inspect logs: every sample stands once for each aggregate of its scorer, group means among
  them: one of those is kept. The mean over epochs stands on every epoch: it is kept once.
* lm-eval logs: samples without a scalar metric get a made-up score 0 and no result id: left
  out. A group may hold the samples of one of its tasks only: the count of samples tells.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

import pyarrow as pa

from nstar._table import KNOWN
from nstar.readers._base import Journal, Role, Unit
from nstar.readers._common import GROUP_FIELDS
from nstar.readers._files import Place
from nstar.readers._json import json_lines
from nstar.readers.every_eval_ever._aggregate import Aggregate, read_aggregate
from nstar.readers.every_eval_ever._samples import Sample, Samples

__all__ = ["READER"]

_SAMPLE_KEYS = (b'"schema_version"', b'"evaluation_id"', b'"model_id"', b'"sample_id"')
_AGGREGATE_KEYS = (b'"schema_version"', b'"evaluation_id"', b'"retrieved_timestamp"')


class _Reader:
    name = "every_eval_ever"

    def sniff(self, place: Place, head: bytes) -> Role:  # noqa: ARG002
        start = head.lstrip(b"\xef\xbb\xbf \r\n\t")
        if not start.startswith(b"{"):
            return None
        if all(key in start for key in _AGGREGATE_KEYS):
            return "companion"
        return "log" if all(key in start.partition(b"\n")[0] for key in _SAMPLE_KEYS) else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        for place in places:
            about = read_aggregate(place)
            first = _first(place, journal)
            tasks = about.tasks or ({first.evaluation_name} if first is not None else set())
            model = about.model or (first.model_id if first is not None else None)
            yield Unit(
                place=place,
                model=model if isinstance(model, str) else None,
                task=next(iter(tasks)) if len(tasks) == 1 else None,
                started=about.started,
                context=about,
            )

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        place = unit.place
        about = unit.context if isinstance(unit.context, Aggregate) else read_aggregate(place)
        source = journal.source(place, self.name, model=unit.model, task=unit.task)
        about.describe(source)
        samples = Samples(place, journal, source, about, _groups(place, journal, about))
        samples.run = unit.run
        for line, sample in json_lines(place, Sample, journal):
            samples.take(line, sample)
            if samples.rows.full:
                yield samples.rows.batch()
        yield from samples.finish()


def _first(place: Place, journal: Journal) -> Sample | None:
    quiet = Journal(options=journal.options)
    with closing(json_lines(place, Sample, quiet)) as lines:  # type: ignore[type-var]
        return next((sample for _, sample in lines), None)


def _groups(place: Place, journal: Journal, about: Aggregate) -> tuple[str, ...]:
    """Fields of metadata that group items: wanted, written by nstar, or known by their name."""
    first = _first(place, journal)
    metadata = first.metadata if first is not None else None
    customary = [f for f in GROUP_FIELDS if isinstance(metadata, dict) and f in metadata]
    wanted = dict.fromkeys((*journal.options.groups, *about.groups, *customary))
    return tuple(name for name in wanted if name not in KNOWN)


READER = _Reader()
