"""Detect the layout of the rows of a samples file, which depends on the version and the task."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
from msgspec import UNSET

from nstar._data.table import KNOWN
from nstar.readers._base import Journal, ReaderOptions
from nstar.readers._common import GROUP_FIELDS, LABEL_LENGTH, begins, first_of, group_label
from nstar.readers._files import Place
from nstar.readers._json import json_elements, json_lines
from nstar.readers._stream import text_head
from nstar.readers.lm_eval._results import ResultsHeader

BOOKKEEPING = frozenset(
    {
        "arguments",
        "doc",
        "doc_hash",
        "doc_id",
        "filter",
        "filtered_resps",
        "metrics",
        "prompt_hash",
        "resps",
        "target",
        "target_hash",
    }
)
"""Keys of a row that are not metrics."""

_MOST_METRICS = 256
_PLAIN = re.compile(r'[^"\\\x00-\x1f]+')  # names that a field of a msgspec type may have


@dataclass(frozen=True, slots=True)
class RowLayout:
    """Layout of the rows of one file, detected from the first row."""

    array: bool
    """Whether the file is one JSON array (lm-eval before 0.4.3) instead of JSON Lines."""
    first: dict[str, Any]
    """First row; empty if there is none."""
    listed: tuple[str, ...] | None
    """Metrics that the first row lists; ``None`` before 0.4.7."""
    metrics: tuple[str, ...]
    """Metrics for which rows are decoded; if empty, rows are decoded completely."""
    groups: tuple[str, ...]
    """Fields of ``doc`` that group documents."""

    @property
    def era(self) -> str:
        """Versions of lm-eval that wrote such rows, in case the results file has no version."""
        if not self.first or "filter" in self.first:
            return ""
        return "<0.4.7" if "doc_hash" in self.first else "<0.4.3"

    def columns(self, *, subject: bool) -> tuple[str, ...]:
        """Return the names of the group columns, ``doc_…`` if the plain name is already used."""
        reserved = {*KNOWN, "subject"} if subject else set(KNOWN)
        return tuple(f"doc_{g}" if g in reserved else g for g in self.groups)

    def kind(self) -> Any:
        """Return the type of a row with only the fields that ``metrics`` need."""
        fields: list[Any] = [(n, Any, None) for n in ("doc_id", "doc_hash", "filter")]
        fields.append(("metrics", tuple[str, ...] | None, None))
        fields += [(f"m{i}", Any, UNSET) for i in range(len(self.metrics))]
        rename = {f"m{i}": name for i, name in enumerate(self.metrics)}
        if self.groups:
            fields.append(("doc", self._doc() | None, None))
        return msgspec.defstruct("Row", fields, rename=rename, gc=False)

    def _doc(self) -> Any:
        fields: list[Any] = [(f"g{i}", Any, None) for i in range(len(self.groups))]
        rename = {f"g{i}": name for i, name in enumerate(self.groups)}
        return msgspec.defstruct("Doc", fields, rename=rename, gc=False)


def layout(place: Place, header: ResultsHeader, options: ReaderOptions) -> RowLayout:
    """Return the layout, from the first row."""
    array = begins(text_head(place), b"[")
    scratch_journal = Journal(
        options=ReaderOptions(skip_bad=options.skip_bad)
    )  # the error is reported when the file is read
    first = first_of(read_rows(place, dict[str, Any], scratch_journal, array=array)) or {}
    groups = _groups(first.get("doc"), options)
    listed = texts(first.get("metrics"))
    names = dict.fromkeys(header.metrics if listed is None else listed)
    metrics = tuple(n for n in names if n not in BOOKKEEPING)
    typed = isinstance(first.get("doc_hash"), str) and len(metrics) <= _MOST_METRICS
    plain = all(_PLAIN.fullmatch(name) for name in (*metrics, *groups))
    return RowLayout(array, first, listed, metrics if typed and plain else (), groups)


def _groups(doc: Any, options: ReaderOptions) -> tuple[str, ...]:
    """Return the fields of the first document that group documents, and the selected ones."""
    if not isinstance(doc, dict):
        return ()
    known = [f for f in GROUP_FIELDS if _short(doc.get(f))]
    requested = [f for f in options.groups if f in doc]
    return tuple(dict.fromkeys((*known, *requested)))


def _short(value: Any) -> bool:
    return group_label(value) is not None and len(str(value)) <= LABEL_LENGTH


def texts(value: Any) -> tuple[str, ...] | None:
    """Return the distinct values of a list of texts; empty for anything else."""
    if isinstance(value, list) and all(isinstance(v, str) for v in value):
        return tuple(dict.fromkeys(value))
    return None


def read_rows(
    place: Place, kind: Any, journal: Journal, *, array: bool
) -> Iterator[tuple[int, Any]]:
    """Yield the rows with their numbers, from either layout."""
    if array:
        return json_elements(place, None, kind, journal)
    return json_lines(place, kind, journal)
