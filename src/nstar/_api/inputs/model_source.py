"""One side of a comparison as the user wrote it: ``[NAME=]PATH[::MODEL]``, or data in memory."""

from dataclasses import dataclass, replace
from glob import iglob
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSource:
    """One model to compare, and where its scores are."""

    data: Any
    """File, folder, pattern or URL, several of them, or data in memory."""
    model: str | None = None
    """Name of the model in the data; None if the data hold only one."""
    label: str | None = None
    """Name to show instead of the model's own."""
    usual: str | None = None
    """Default name of a model that the data do not name."""
    choice: str = ""
    """Instruction for choosing one of several models, for a message."""

    @property
    def where(self) -> str:
        """Return the name of the data in messages."""
        from nstar.readers import place_of

        return place_of(self.data)


def one_side(text: str) -> ModelSource:
    """Parse ``NAME=PATH::MODEL``. A path that exists exactly as written is not split."""
    if path_exists(text):
        return ModelSource(data=text, choice=f"{text}::MODEL")
    label, sign, rest = text.partition("=")
    if sign and label and "/" not in label and "::" not in label and not _exists(text):
        return replace(one_side(rest), label=label)
    path, sign, model = text.rpartition("::")
    is_named = sign and path and model
    return (
        ModelSource(data=path, model=model)
        if is_named
        else ModelSource(data=text, choice=f"{text}::MODEL")
    )


def _exists(text: str) -> bool:
    path, sign, _ = text.rpartition("::")
    return bool(sign) and path_exists(path)


def path_exists(path: str) -> bool:
    """Return whether the path or pattern exists, so that ``lr=0.1/*.json`` is not a label."""
    return Path(path).exists() or any(True for _ in iglob(path))  # noqa: PTH207 absolute too
