"""One side of a comparison, as the user named it: ``[NAME=]PATH[::MODEL]``, or data."""

from dataclasses import replace
from glob import iglob
from pathlib import Path
from typing import Any

from nstar._base.record import record


@record()
class ModelSource:
    """One model to compare, as the user named it."""

    data: Any
    """File, folder, pattern or URL, several of them, or data in memory."""
    model: str | None = None
    """Which model in it; None when it holds one only."""
    label: str | None = None
    """Name to show instead of the model's."""
    usual: str | None = None
    """Name of a model that the data do not name."""
    choice: str = ""
    """How to say which model of several is meant, for a message."""

    @property
    def where(self) -> str:
        """What messages call the data."""
        from nstar.readers import place_of

        return place_of(self.data)


def one_side(text: str) -> ModelSource:
    """``NAME=PATH::MODEL``; a path that exists as written is taken as it stands."""
    if path_exists(text):
        return ModelSource(data=text, choice=f"{text}::MODEL")
    label, sign, rest = text.partition("=")
    if sign and label and "/" not in label and "::" not in label and not _exists(text):
        return replace(one_side(rest), label=label)
    path, sign, model = text.rpartition("::")
    named = sign and path and model
    return (
        ModelSource(data=path, model=model)
        if named
        else ModelSource(data=text, choice=f"{text}::MODEL")
    )


def _exists(text: str) -> bool:
    path, sign, _ = text.rpartition("::")
    return bool(sign) and path_exists(path)


def path_exists(path: str) -> bool:
    """Whether something has this path, or matches it: ``lr=0.1/*.json`` is not a label."""
    return Path(path).exists() or any(True for _ in iglob(path))  # noqa: PTH207 absolute too
