"""Read logs of evalplus and BigCodeBench: ``…eval_results.json``, all samples of all tasks.

An evalplus sample has two metrics: ``base`` for the tests of HumanEval or MBPP, and ``plus`` for
these and the additional tests of evalplus. A BigCodeBench sample has the metric ``pass``. Any
other outcome (fail, timeout) scores 0, as in pass@1. Only the file's name contains the model.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from nstar.readers._base import Journal, Role, Rows, Unit, content_key
from nstar.readers._common import balanced, begins, run_label
from nstar.readers._fallback_names import by_file
from nstar.readers._files import Place
from nstar.readers._json import json_document
from nstar.readers._stream import text_head
from nstar.readers._values import means_of, settings_of, text, unfit

__all__ = ["READER"]

_LARGEST = 512 << 20
"""Maximum number of bytes of a file. It contains solutions, which are skipped."""
_TASKS = re.compile(rb'"eval"\s*:\s*\{\s*"(?P<family>[^"/]{1,60})[^"]*"\s*:\s*\[')
_STEM = re.compile(r"[._]?eval_results\.json(?:\.gz|\.zstd?)?")
_EVALPLUS = re.compile(r"(?P<model>.+)_(?P<backend>[a-z0-9]+)_temp_(?P<temperature>[\d.]+)")
_BIGCODE = re.compile(
    r"(?P<model>.+?)(?:--skip_prefill)?--(?P<revision>(?:(?!--).)+)"
    r"--(?P<task>bigcodebench(?:-\w+)?-(?:complete|instruct))"
    r"--(?P<backend>\w+)-(?P<temperature>[\d.]+)-\d+(?:-sanitized)?(?:[-_]calibrated)?"
)
_MEND = 'expected "pass" or the kind of failure as text. Evaluate again'


class _Sample(msgspec.Struct):
    task_id: Any = None
    status: Any = msgspec.UNSET
    base_status: Any = msgspec.UNSET
    plus_status: Any = None

    @property
    def passed(self) -> dict[str, bool]:
        """Whether the sample passed, for each metric."""
        if self.base_status is msgspec.UNSET:
            return {"pass": self.status == "pass"}
        base = self.base_status == "pass"
        if self.plus_status is None:
            return {"base": base}
        return {"base": base, "plus": base and self.plus_status == "pass"}

    @property
    def problem(self) -> str | None:
        """Description of an invalid value."""
        if self.base_status is msgspec.UNSET:
            status = None if self.status is msgspec.UNSET else self.status
            return None if text(status) else unfit("status", status, _MEND)
        if not text(self.base_status):
            return unfit("base_status", self.base_status, _MEND)
        plus = self.plus_status
        return None if plus is None or text(plus) else unfit("plus_status", plus, _MEND)


class _Document(msgspec.Struct):
    eval: dict[str, list[_Sample]]
    date: Any = None
    hash: Any = None


class _Named(NamedTuple):
    """Information in the name and the first bytes of a file."""

    model: str
    task: str
    settings: dict[str, str]


class _Reader:
    name = "evalplus"

    def sniff(self, place: Place, head: bytes) -> Role:
        if place.name.endswith("pass_at_k.json") and begins(head, b"{", "pass@1", "split"):
            return "companion"
        status = b'"base_status"' in head or b'"status"' in head
        known = begins(head, b"{", "eval", "task_id") and status
        return "log" if known and _TASKS.search(head) else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterator[Unit]:  # noqa: ARG002
        stems = [_STEM.sub("", place.name) for place in places]
        lent = by_file(places, [stem or "eval_results" for stem in stems])
        for place, stem, other in zip(places, stems, lent, strict=True):
            known = _named(place, stem, other)
            yield Unit(
                place=place, model=known.model, lent=True, task=known.task, context=known.settings
            )

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        document = json_document(unit.place, _Document, cap=_LARGEST)
        source = journal.source(unit.place, self.name, model=unit.model, task=unit.task)
        version = text(document.hash)
        source.harness = "BigCodeBench" if version is None else "evalplus"
        source.settings = unit.context | settings_of({"dataset": version})
        rows = Rows("item", "metric", "score", "run", "content")
        for item, samples in document.eval.items():
            content = None if version is None else content_key(f"{version}/{item}")
            for number, sample in enumerate(samples, 1):
                if sample.problem is not None:
                    problem = f"{item}, sample {number}: {sample.problem}"
                    journal.bad_row(unit.place, None, problem)
                    continue
                run = run_label(unit.run, str(number))
                for metric, passed in sample.passed.items():
                    rows.add(item, metric, float(passed), run, content)
        if balanced(item for item, samples in document.eval.items() for _ in samples):
            source.aggregates = _own_mean(unit.place)
        yield rows.batch(model=unit.model, task=unit.task)


def _named(place: Place, stem: str, lent: str) -> _Named:
    """Return the model, task, and settings from the name that the program gave the file."""
    match = _BIGCODE.fullmatch(stem) or _EVALPLUS.fullmatch(stem)
    parts = match.groupdict() if match else {}
    family = _TASKS.search(text_head(place))
    first = family["family"].decode("utf-8", "replace").lower() if family else "code"
    task = parts.pop("task", None) or first
    model = parts.pop("model", None)
    return _Named(model.replace("--", "/", 1) if model else lent, task, settings_of(parts))


def _own_mean(place: Place) -> dict[str, float]:
    """Return pass@1 of BigCodeBench, from the file next to the results."""
    beside = place.sibling(place.name.replace("eval_results", "pass_at_k"))
    known = beside.name != place.name and beside.exists()
    return means_of({"pass": json_document(beside, dict[str, Any]).get("pass@1")} if known else {})


READER = _Reader()
