"""Detect arena votes, which are preferences between two answers rather than scores of items.

Votes are recognized in Parquet, JSON, or CSV by the columns ``model_a`` and ``model_b``, with
either ``winner`` or ``winner_model_a``, ``winner_model_b`` and ``winner_tie``. Verdicts of
arena-hard and FastChat are also recognized; their formats were inferred from source code.
``nstar.readers._votes`` reads votes for ``nstar battles``. This module only detects them, for an
error message to users who compare scores.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Literal

import pyarrow as pa

from nstar.readers._base import Journal, Role, Unit
from nstar.readers._common import parquet_schema
from nstar.readers._files import Place
from nstar.readers._stream import text_head
from nstar.readers._tables import form_of
from nstar.readers._tables._csv import header_of
from nstar.readers._vote_detection import (
    ONE_HOT,
    SCORES,
    kind_of_games,
    looks_like_scores,
    looks_like_votes,
    refused_as_scores,
)

__all__ = ["READER", "kind_of_table"]


class _Reader:
    name = "arena"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Return ``log`` for a table with two models and a winner."""
        votes = looks_like_votes(_column_names(place, head)) or kind_of_games(head) is not None
        return "log" if votes else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:  # noqa: ARG002
        return [Unit(place=place) for place in places]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:  # noqa: ARG002
        """Raise an error, because a vote is not a score of an item."""
        raise refused_as_scores(unit.place)


def _column_names(place: Place, head: bytes) -> Sequence[str]:
    """Return the names of the columns of a table, if a quick look reveals them."""
    form = form_of(head)
    if form == "parquet":
        schema = parquet_schema(place)
        return () if schema is None else schema.names
    if form in {"array", "object"}:
        known = ("model_a", "model_b", "winner", *ONE_HOT, *SCORES)
        return [name for name in known if f'"{name}"'.encode() in head]
    return header_of(head.decode("utf-8", "replace"))[1] if form == "text" else ()


def kind_of_table(path: str) -> Literal["votes", "scores"] | None:
    """Return the kind of a local file, if the names of its columns reveal it."""
    place = Place(path)
    if place.is_dir() or not place.size():
        return None
    head = text_head(place)
    names = _column_names(place, head)
    if looks_like_votes(names) or kind_of_games(head) is not None:
        return "votes"
    return "scores" if looks_like_scores(names) else None


READER = _Reader()
