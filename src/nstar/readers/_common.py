"""What several readers need: how files are recognized, folders, groups, names of runs."""

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
"""Time in the name of a file, as a pattern."""

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
"""Fields of a question that tell which questions belong together, by custom of the datasets."""

LABEL_LENGTH = 80
"""Longest value of a group field that is shown as it is."""


def begins(head: bytes, bracket: bytes, *keys: str) -> bool:
    """Whether JSON begins with this bracket and names all these keys early.

    Examples
    --------
    >>> begins(b' {"a": 1}', b"{", "a"), begins(b' {"a": 1}', b"[", "a")
    (True, False)
    """
    opened = head.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(bracket)
    return opened and all(f'"{key}"'.encode() in head for key in keys)


def parquet_schema(place: Place) -> pa.Schema | None:
    """Columns of a Parquet file; ``None`` if they cannot be read."""
    import pyarrow.parquet as pq  # noqa: PLC0415 slow to load

    try:
        with place.open() as file:
            return pq.read_schema(file)
    except (ReadError, pa.ArrowException, OSError, ValueError, TypeError, NotImplementedError):
        return None


def first_of(rows: Iterator[tuple[int, T]]) -> T | None:
    """The first value of a file, which is then closed."""
    with closing(rows):  # type: ignore[type-var]
        return next((row for _, row in rows), None)


def unheard(journal: Journal) -> Journal:
    """A journal for a first look at a log, which does not count what cannot be read."""
    return Journal(options=replace(journal.options, skip_bad=1 << 62, progress=None))


def group_fields(options: ReaderOptions, *excluded: str | None) -> list[str]:
    """Fields of questions that become groups where a log has them."""
    fields = dict.fromkeys((*GROUP_FIELDS, *options.groups))
    return [name for name in fields if name not in {*KNOWN, *excluded}]


def group_label(value: Any) -> str | None:
    """A short name for the value of a group field; ``None`` if it is not text or whole number.

    Long text is cut, and a hash tells it from other text of the same beginning.

    Examples
    --------
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
    """The directories above a file, nearest first; of a local file from its absolute path.

    Examples
    --------
    >>> [p.name for p in above(Place("/runs/a/x.json"))]
    ['a', 'runs']
    """
    path = place.path if place.fs is not None else str(Path(place.path).absolute())
    folder = Place(path, place.fs, place.within).folder
    while folder.name and folder.name != "." and not folder.name.endswith(":"):
        yield folder
        folder = folder.folder


def listed(folder: Place) -> list[Place]:
    """Files and directories in a folder; none if it is an address that cannot be listed."""
    try:
        return folder.list()
    except ReadError:
        return []


def folder_name(place: Place) -> str:
    """Name of the folder that holds a file; the file's own if there is none."""
    return printable(next((folder.name for folder in above(place)), place.name))


def run_label(run: str | None, label: str) -> str:
    """Name of a run that a log itself tells apart, within the run that the log is."""
    return label if run is None else f"{run}/{label}"


def mixed(cells: Iterable[tuple[str, tuple[str, ...], str]]) -> set[str]:
    """Tasks that somebody ran under more than one setting, so that they must be told apart.

    A cell is a task, who ran which part of it, and the setting.

    Examples
    --------
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
    """Name of a model that an agent drove; the agent is named if there are several.

    Examples
    --------
    >>> agent_and_model("terminus", "m", {"terminus"}), agent_and_model("aider", "m", {"a", "b"})
    ('m', 'aider:m')
    """
    return f"{agent}:{model}" if agent and agent != model and len(agents) > 1 else model


def balanced(items: Iterable[str]) -> bool:
    """Whether every item occurs equally often, so that a mean over trials is one over items."""
    return len(set(Counter(items).values())) <= 1
