"""Which files are lm-eval's, and which results file belongs to which samples file."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nstar.errors import ReadError
from nstar.readers._common import TIME, listed
from nstar.readers._files import Place

_TIME = f"(?P<time>{TIME})"
_PACKED = r"(?:\.gz|\.zst)?"
_SAMPLES = re.compile(rf"samples_(?P<task>.+)_{_TIME}\.jsonl?{_PACKED}", re.DOTALL)
_RESULTS = re.compile(rf".+_{_TIME}\.json", re.DOTALL)
_ENDING = re.compile(rf"\.jsonl?{_PACKED}$")
_FIRST_ID = re.compile(rb'\{\s*"doc_id"\s*:')
_FIRST_RESULTS = re.compile(rb'\s*\{\s*"results"\s*:\s*\{')
_MARKS = (b'"alias"', b'"configs"')


class SampleName(NamedTuple):
    """What the name of a samples file says."""

    task: str
    """The task, or the file's stem if the name is not lm-eval's."""
    time: str = ""
    """When the run ended; the same in the name of its results file. Empty: not in the name."""


def sample_name(name: str) -> SampleName:
    """What a file name says.

    Examples
    --------
    >>> sample_name("samples_mmlu_pro_2026-11-14T23-08-44.417847.jsonl").task
    'mmlu_pro'
    """
    match = _SAMPLES.fullmatch(name)
    if match:
        return SampleName(match["task"], match["time"])
    return SampleName(_ENDING.sub("", name))


def holds_rows(name: str, head: bytes) -> bool:
    """Whether a file that begins like this is a samples file, whatever its name.

    Examples
    --------
    >>> holds_rows("x.jsonl", b'{"doc_id": 0, "doc": {"question": "1+1?"}, "acc": 1.0}')
    True
    """
    if not head.strip():
        return _SAMPLES.fullmatch(name) is not None
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"["):
        text = text[1:].lstrip()
    first = _first_object(text)
    if first is None:  # longer than the head
        return _FIRST_ID.match(text) is not None
    return "doc_id" in first and ("doc" in first or "resps" in first)


def _first_object(text: bytes) -> dict[str, Any] | None:
    if not text.startswith(b"{"):
        return {}
    try:
        value = json.JSONDecoder().raw_decode(text.decode("utf-8", "replace"))[0]
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else {}


def holds_results(name: str, head: bytes) -> bool:
    """Whether a file that begins like this holds lm-eval's aggregates."""
    if not name.endswith(".json") or not _FIRST_RESULTS.match(head):
        return False
    return any(mark in head for mark in _MARKS)


@dataclass(slots=True)
class Folders:
    """Results files beside samples files; every folder is listed once."""

    _listed: dict[str, list[Place]] = field(default_factory=dict)
    _timeless: dict[str, list[Place]] = field(default_factory=dict)

    def results(self, place: Place) -> list[Place]:
        """Results files that may belong to this samples file.

        The one of the same time, or, if the name holds no time (lm-eval before 0.4.3), those
        of the folder without a time.
        """
        folder = place.parent
        if folder not in self._listed:
            self._listed[folder] = [p for p in listed(place.folder) if p.name.endswith(".json")]
        time = sample_name(place.name).time
        if time:
            return _of_time(place, time, self._listed[folder])
        if folder not in self._timeless:
            others = [p for p in self._listed[folder] if not _RESULTS.fullmatch(p.name)]
            self._timeless[folder] = [p for p in others if _begins_as_results(p)]
        return self._timeless[folder]


def _of_time(place: Place, time: str, files: list[Place]) -> list[Place]:
    """``results_<time>.json``, or ``<any name>_<time>.json`` that begins as one does."""
    usual = place.sibling(f"results_{time}.json")
    if usual.name in {p.name for p in files} or (not files and usual.exists()):
        return [usual]
    matches = ((p, _RESULTS.fullmatch(p.name)) for p in files)
    same = [p for p, m in matches if m and m["time"] == time]
    return [p for p in same if _begins_as_results(p)][:1]


def _begins_as_results(place: Place) -> bool:
    try:
        return holds_results(place.name, place.head())
    except ReadError:
        return False
