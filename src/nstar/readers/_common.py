"""What several readers need: fields that group questions, and labels for their values."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Any

from nstar.readers._files import Place

__all__ = [
    "GROUP_FIELDS",
    "LABEL_LENGTH",
    "above",
    "agent_and_model",
    "balanced",
    "group_label",
    "mixed",
]

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


def group_label(value: Any) -> str | None:
    """A short name for the value of a group field; ``None`` if it is no text or whole number.

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
    here = Place(Place(path, place.fs).parent, place.fs)
    while here.name and here.name != "." and not here.name.endswith(":"):
        yield here
        here = Place(here.parent, place.fs)


def mixed(cells: Iterable[tuple[str, tuple[str, ...], str]]) -> set[str]:
    """Tasks that somebody ran under more than one setting, so that they must be told apart.

    Parameters
    ----------
    cells
        Task, who ran which part of it, and the setting.

    Examples
    --------
    >>> mixed([("t", ("a",), "0-shot"), ("t", ("a",), "5-shot"), ("u", ("a",), "0-shot")])
    {'t'}
    """
    first: dict[tuple[str, tuple[str, ...]], str] = {}
    return {task for task, who, how in cells if first.setdefault((task, who), how) != how}


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
