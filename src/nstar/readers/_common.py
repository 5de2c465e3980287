"""Helpers that readers share, for file detection, folders, groups, and names of runs."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa

from nstar._data.table import KNOWN
from nstar.errors import ReadError
from nstar.readers._base import Journal, ReaderOptions
from nstar.readers._files import Place
from nstar.readers._read_errors import printable

T = TypeVar("T")

TIME = r"\d{4}-\d\d-\d\dT\d\d[-:]\d\d[-:]\d\d(?:\.\d+)?"
"""Regular expression of a time in a file name."""

GROUP_FIELDS = (
    "subject",
    "sub_subject",
    "category",
    "subcategory",
    "topic",
    "subtopic",
    "domain",
    "subdomain",
    "level",
    "difficulty",
    "type",
    "question_type",
    "language",
    "source",
    "repo",
    "repository",
    "passage_id",
    "paragraph_id",
    "story_id",
    "document_id",
    "context_id",
    "template",
)
"""Common names of fields that group questions."""

LABEL_LENGTH = 80
"""Maximum number of characters of a group label. Longer labels are shortened."""


def begins(head: bytes, bracket: bytes, *keys: str) -> bool:
    """Return whether JSON starts with a bracket and has all of these keys near its start.

    Examples
    --------
    >>> begins(b' {"a": 1}', b"{", "a"), begins(b' {"a": 1}', b"[", "a")
    (True, False)
    """
    opened = head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(bracket)
    return opened and all(f'"{key}"'.encode() in head for key in keys)


def parquet_schema(place: Place) -> pa.Schema | None:
    """Return the columns of a Parquet file, or ``None`` if they cannot be read."""
    import pyarrow.parquet as pq  # noqa: PLC0415 slow to load

    try:
        with place.open() as file:
            return pq.read_schema(file)
    except (ReadError, pa.ArrowException, OSError, ValueError, TypeError, NotImplementedError):
        return None


def first_of(rows: Iterator[tuple[int, T]]) -> T | None:
    """Return the first value of a file, and close the file."""
    with closing(rows):  # type: ignore[type-var]
        return next((row for _, row in rows), None)


def inspection_journal(journal: Journal) -> Journal:
    """Return a journal for inspecting a log. It does not count unreadable rows."""
    return Journal(options=replace(journal.options, skip_bad=1 << 62, progress=None))


def group_fields(options: ReaderOptions, *excluded: str | None) -> list[str]:
    """Return the fields of questions that become groups if a log has them."""
    fields = dict.fromkeys((*GROUP_FIELDS, *options.groups))
    return [name for name in fields if name not in {*KNOWN, *excluded}]


def group_label(value: Any) -> str | None:
    """Return a short label for the value of a group field.

    Return ``None`` if the value is neither text nor an integer.

    Long text is cut, and a hash distinguishes it from other text with the same start.

    >>> group_label(7), group_label("physics"), group_label(["a"]), len(group_label("x" * 500))
    ('7', 'physics', None, 80)
    """
    if isinstance(value, int) and not isinstance(value, bool):
        value = str(value) if value.bit_length() < 128 else None
    if not isinstance(value, str):
        return None
    if len(value) <= LABEL_LENGTH:
        return value
    digest = blake2b(value.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    return f"{value[: LABEL_LENGTH - 9]}…{digest}"


def above(place: Place) -> Iterator[Place]:
    """Yield the folders above a file, nearest first. For a local file, use its absolute path.

    >>> [p.name for p in above(Place("/runs/a/x.json"))]
    ['a', 'runs']
    """
    path = place.path if place.fs is not None else str(Path(place.path).absolute())
    folder = Place(path, place.fs, place.within).folder
    while folder.name and folder.name != "." and not folder.name.endswith(":"):
        yield folder
        folder = folder.folder


def listed(folder: Place) -> list[Place]:
    """Return the files and folders in a folder.

    The result is empty if the address cannot be listed.
    """
    try:
        return folder.list()
    except ReadError:
        return []


def folder_name(place: Place) -> str:
    """Return the name of a file's folder, or the file's own name if there is no folder."""
    return printable(next((folder.name for folder in above(place)), place.name))


def run_label(run: str | None, label: str) -> str:
    """Return the name of a run within a log that has several runs."""
    return label if run is None else f"{run}/{label}"


def mixed(cells: Iterable[tuple[str, tuple[str, ...], str]]) -> set[str]:
    """Return the tasks that ran under several settings, which their names must include.

    A cell is a tuple of the task, a key of the model and the part of the task, and the setting.

    >>> mixed([("t", ("a",), "0-shot"), ("t", ("a",), "5-shot"), ("u", ("a",), "0-shot")])
    {'t'}
    """
    first: dict[tuple[str, tuple[str, ...]], str] = {}
    return {
        task
        for task, owner, setting in cells
        if first.setdefault((task, owner), setting) != setting
    }


def agent_and_model(agent: str | None, model: str, agents: Collection[str | None]) -> str:
    """Return the name of a model, preceded by its agent if there are several agents.

    >>> agent_and_model("terminus", "m", {"terminus"}), agent_and_model("aider", "m", {"a", "b"})
    ('m', 'aider:m')
    """
    return f"{agent}:{model}" if agent and agent != model and len(agents) > 1 else model


def balanced(items: Iterable[str]) -> bool:
    """Return whether all items occur equally often, so that row means are item means."""
    return len(set(Counter(items).values())) <= 1
