"""Read the header and samples of an Inspect log, either ``.eval`` (a zip of JSON) or ``.json``.

Only the header and the summaries of an ``.eval`` file are decompressed. A run that was killed has
a journal of both instead.
"""

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, TypeAlias

import msgspec

from nstar._data.read_limits import Limits
from nstar.errors import ReadError
from nstar.readers._base import Journal, SourceDraft
from nstar.readers._decode import WHOLE, BadJSON, Decoder
from nstar.readers._doubled_keys import DoubledKeys, doubled_key
from nstar.readers._files import Place
from nstar.readers._json import json_elements, json_skeleton
from nstar.readers._json_array_splitter import JsonArraySplitter
from nstar.readers._zip import Archive

HEADER = "header.json"
START = "_journal/start.json"
SUMMARIES = "summaries.json"
HEADER_CAP = ELEMENT_CAP = 64 << 20
"""Maximum number of bytes of the header, or of one summary."""

AT_ONCE, MANY = 8 << 20, 500_000
"""Largest numbers of bytes and objects of summaries that are decoded together."""

JSON_HEAD = 4 << 20
"""Number of bytes in which the header of a ``.json`` log is searched first."""

_SAMPLES_KEY = re.compile(rb'\n  "samples":\s*\[')
_KEYS_BEFORE = (b'\n  "status":', b'\n  "eval":', b'\n  "results":')
_JOURNALED = re.compile(r"_journal/summaries/(\d{1,9})\.json")
_SAMPLE = re.compile(r"samples/.+_epoch_\d+(\.json|/sample\.json)", re.DOTALL)


class Dataset(msgspec.Struct):
    """Dataset of an evaluation."""

    name: Any = None
    samples: Any = None


class Spec(msgspec.Struct):
    """Task, model, and settings of an evaluation."""

    model: str
    task: str
    created: Any = None
    task_id: Any = None
    task_version: Any = None
    task_args: Any = None
    dataset: Dataset | None = None
    solver: Any = None
    solver_args: Any = None
    model_args: Any = None
    model_generate_config: Any = None
    config: Any = None
    packages: Any = None
    scorers: Any = None


class Header(msgspec.Struct):
    """A log without its samples."""

    eval: Spec
    status: Any = "started"
    plan: Any = None
    results: Any = None
    error: Any = None
    invalidated: Any = None


class Score(msgspec.Struct, gc=False):
    """Score by one scorer."""

    value: Any = None
    history: Any = None


class Usage(msgspec.Struct, gc=False):
    """Token usage of one model."""

    input_tokens: Any = None
    input_tokens_cache_read: Any = None
    input_tokens_cache_write: Any = None
    output_tokens: Any = None
    total_tokens: Any = None
    total_cost: Any = None


class LogSample(msgspec.Struct, gc=False):
    """One item in one epoch, or its summary."""

    id: Any = None
    epoch: Any = 1
    input: Any = None
    target: Any = None
    metadata: Any = None
    scores: dict[str, Score] | None = None
    score: Score | None = None
    """Score in logs of 2024, which lack ``scores``."""
    model_usage: dict[str, Usage] | None = None
    working_time: Any = None
    error: Any = None
    invalidation: Any = None


class _Mark(msgspec.Struct):
    """Identity of a sample, and whether it was declared invalid."""

    id: Any = None
    epoch: Any = 1
    invalidation: Any = None


Numbered: TypeAlias = tuple[int, LogSample]
"""Element number, starting at 1, and the sample."""


def is_zip(head: bytes) -> bool:
    """Return whether a file with these first bytes is a zip file."""
    return head.startswith(b"PK\x03\x04")


def read_header(place: Place, limits: Limits | None = None) -> Header:
    """Return a log without its samples."""
    if not is_zip(place.head(4)):
        return _json_header(place) or json_skeleton(place, "samples", Header, limits)
    with Archive(place, limits) as archive:
        for name in (HEADER, START):
            if name in archive:
                archive.refuse_doubled(name)
                return archive.json(name, Header, cap=HEADER_CAP, marks=WHOLE)
    msg = f"{place}: no {HEADER} or {START} in this file. Is it an Inspect log?"
    raise ReadError(msg)


def _json_header(place: Place) -> Header | None:
    """Return the header that precedes the samples, if the file has Inspect's layout."""
    text = place.head(JSON_HEAD)
    samples = _SAMPLES_KEY.search(text)
    if samples is None or not all(key in text[: samples.start()] for key in _KEYS_BEFORE):
        return None
    try:
        return Decoder[Header](Header)(text[: samples.end()] + b"]}")
    except BadJSON:
        return None


def read_samples(
    place: Place, header: Header, journal: Journal, source: SourceDraft
) -> Iterator[Numbered]:
    """Yield the samples in the order of the log, with the last version of each."""
    if not is_zip(place.head(4)):
        yield from json_elements(place, "samples", LogSample, journal)
        return
    with Archive(place, journal.options.limits) as archive:
        if SUMMARIES in archive:
            samples = _elements(place, archive, SUMMARIES, journal)
        else:
            samples = _unfinished(place, archive, journal, source)
        if header.invalidated is True:
            _mark_invalid(archive, samples)
    # samples may be run again, and the last version of each counts
    yield from {_key(sample) or id(sample): (i, sample) for i, sample in samples}.values()


def _unfinished(
    place: Place, archive: Archive, journal: Journal, source: SourceDraft
) -> list[Numbered]:
    """Return the samples of a run that ended before it wrote its summaries."""
    numbers = {name: m[1] for name in archive.names() if (m := _JOURNALED.fullmatch(name))}
    samples: list[Numbered] = []
    for name in sorted(numbers, key=lambda name: int(numbers[name])):
        samples += _elements(place, archive, name, journal)
    if not numbers:
        names = [name for name in archive.names() if _SAMPLE.fullmatch(name)]
        for name in names:
            archive.refuse_doubled(name)
        samples = [(i, archive.json(name, LogSample)) for i, name in enumerate(names, 1)]
    where = "its journal" if numbers else "its samples"
    source.notes.append(f"the run wrote no summaries: {len(samples)} samples taken from {where}")
    return samples


def _elements(place: Place, archive: Archive, name: str, journal: Journal) -> list[Numbered]:
    """Return the summaries of a member: together if few and strict JSON, else one by one."""
    archive.refuse_doubled(name)
    pieces = archive.pieces(name)
    data = _beginning(pieces)
    if len(data) <= AT_ONCE and data.count(b"{") <= MANY:
        archive.budget.spend(len(data))
        if doubled_key(data) is None:
            try:
                return list(enumerate(msgspec.json.decode(data, type=list[LogSample]), 1))
            except Exception:  # noqa: S110 - msgspec's, RecursionError, UnicodeDecodeError
                pass
    where = f"{place}: {name}"
    if not data.lstrip().startswith(b"["):
        msg = f"{where} does not contain a list. Is it an Inspect log?"
        raise ReadError(msg)
    decoder, budget = Decoder[LogSample](LogSample, doubled=DoubledKeys(AT_ONCE)), archive.budget
    splitter = JsonArraySplitter(Place(where), None, cap=ELEMENT_CAP)
    samples = []
    for number, element in enumerate(splitter.elements(chain([data], pieces)), 1):
        if element is None:
            journal.bad_row(where, number, f"element {splitter.problem}")
            continue
        budget.spend(decoder.length(element))
        try:
            decoder.refuse_doubled(element)
            samples.append((number, _decode_with_nan(element) or decoder(element)))
        except BadJSON as bad:
            journal.bad_row(where, number, f"element {bad}")
    return samples


def _beginning(pieces: Iterator[bytes]) -> bytes:
    """Return a member that is short enough to be decoded together, else its first pieces."""
    pieces_read, length = [], 0
    for piece in pieces:
        pieces_read.append(piece)
        length += len(piece)
        if length > AT_ONCE:
            break
    return b"".join(pieces_read)


def _decode_with_nan(element: bytes) -> LogSample | None:
    """Decode a summary with NaN, which Inspect writes for "unscored"; ``None`` for others.

    :class:`Decoder` can do the same, but several times more slowly.
    """
    if b"NaN" not in element or rb"\ud" in element.lower():
        return None
    try:
        return msgspec.convert(json.loads(element), LogSample)
    except (ValueError, RecursionError, msgspec.ValidationError):
        return None


def _mark_invalid(archive: Archive, samples: list[Numbered]) -> None:
    """Mark samples as invalid. Only the samples, not the summaries, contain this flag."""
    marks = [archive.json(name, _Mark) for name in archive.names() if _SAMPLE.fullmatch(name)]
    invalid = {_key(mark) for mark in marks if mark.invalidation is not None}
    for _, sample in samples:
        sample.invalidation = _key(sample) in invalid or None


def _key(sample: LogSample | _Mark) -> tuple[str, int] | None:
    sound = isinstance(sample.id, str | int) and isinstance(sample.epoch, int)
    return (str(sample.id), sample.epoch) if sound else None
