"""Scores of two models, paired item by item; an item counts once and must not change."""

import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from nstar._verbs.watch.state_checks import check_count, number, refuse
from nstar.errors import DataError, arg


@dataclass(frozen=True, slots=True, kw_only=True)
class PendingScore:
    """One model's score of one item."""

    score: float | None
    """Score; None if it is missing."""
    run: str | None = None
    """Name of the repetition."""
    group: str | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPair:
    """An item that both models have answered."""

    item: str | None
    """Name of the item; None without a name, so that repetitions are not recognized."""
    a: float | None
    b: float | None
    group: str | None
    cost: float | None
    """Cost of the first model's answer."""


@dataclass(slots=True)
class PendingScores:
    """Scores that wait for the other model.

    >>> pairing = PendingScores()
    >>> pairing.add(1, "q1", PendingScore(score=0.0))
    >>> pairing.add(0, "q1", PendingScore(score=1.0))
    ItemPair(item='q1', a=1.0, b=0.0, group=None, cost=None)
    """

    halves: tuple[dict[str, PendingScore], dict[str, PendingScore]] = field(
        default_factory=lambda: ({}, {})
    )
    """Scores by item, of the first and second model."""
    repeated: int = 0
    """Number of further runs of items that have one already."""
    contradicted: int = 0
    """Items that were repeated in the same run with another score."""
    paired: int = 0
    """Items that both models have."""
    _again: set[tuple[int, str, str | None]] = field(default_factory=set)

    def add(self, side: int, item: str, half: PendingScore) -> ItemPair | None:
        """Add one score; return a pair once both models have the item, and never twice."""
        mine, other = self.halves[side], self.halves[1 - side]
        if item in mine:
            self._note_again(side, item, half)
            return None
        mine[item] = half
        if item not in other:
            return None
        self.paired += 1
        first, second = self.halves[0][item], self.halves[1][item]
        return ItemPair(
            item=item,
            a=first.score,
            b=second.score,
            group=first.group if first.group is not None else second.group,
            cost=first.cost,
        )

    def _note_again(self, side: int, item: str, half: PendingScore) -> None:
        key, pending = (side, item, half.run), self.halves[side][item]
        if (half.run, half.score) == (pending.run, pending.score) or key in self._again:
            return
        self._again.add(key)
        if half.run != pending.run:
            self.repeated += 1
        else:
            self.contradicted += 1

    @property
    def waiting(self) -> tuple[int, int]:
        """Return the numbers of items that only the first and only the second model has."""
        first, second = (set(half) for half in self.halves)
        return len(first - second), len(second - first)


def known(score: float | None) -> float | None:
    """Return the score as a number; None for NaN."""
    return None if score is None or score != score else float(score)  # noqa: PLR0124 NaN


class ItemLedger:
    """Items by name, in the order in which they were counted.

    >>> ledger = ItemLedger()
    >>> ledger.add("q1", 1.0, 0.0)
    >>> "q1" in ledger, ItemLedger.from_dict(ledger.to_dict(), 1).to_dict() == ledger.to_dict()
    (True, True)
    """

    def __init__(self) -> None:
        self._scores: dict[str, tuple[float | None, float | None]] = {}

    def __contains__(self, item: object) -> bool:
        """Return whether an item of this name was counted."""
        return item in self._scores

    @property
    def names(self) -> Iterable[str]:
        """Return the items in order."""
        return self._scores.keys()

    def add(self, item: str, a: float | None, b: float | None) -> None:
        """Add one item."""
        self._scores[item] = known(a), known(b)

    def add_all(self, pairs: Iterable[ItemPair]) -> None:
        """Add many items, all or none."""
        item_pairs = ((p.item, p) for p in pairs)
        self._scores |= {
            item: (known(p.a), known(p.b)) for item, p in item_pairs if item is not None
        }

    def check(self, item: str, a: float | None, b: float | None) -> None:
        """Raise an error if a counted score has changed."""
        was, now = self._scores[item], (known(a), known(b))
        if any(x is not None and x != y for x, y in zip(was, now, strict=True)):
            msg = (
                f"Item {item[:80]!r} was counted with scores {_said(was)} and now has "
                f"{_said(now)}: a different run? Use a new {arg('state')} file."
            )
            raise DataError(msg)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        a, b = ([score[k] for score in self._scores.values()] for k in (0, 1))
        return {"names": list(self._scores), "a": a, "b": b}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any], max_items: int) -> Self:
        """Restore from :meth:`to_dict`, with at most ``max_items`` items."""
        names, a, b = (saved[part] for part in ("names", "a", "b"))
        if not all(isinstance(part, list) for part in (names, a, b)):
            refuse("items", "lists of names and scores", saved)
        if not all(isinstance(name, str) for name in names):
            refuse("items", "a list of names", names)
        check_count("number of items", len(names), max_items)
        ledger, top = cls(), sys.float_info.max
        for name, *scores in zip(names, a, b, strict=True):
            first, second = (None if s is None else number("score", s, -top) for s in scores)
            ledger._scores[name] = first, second
        if len(ledger._scores) != len(names):
            refuse("items", "unique names", names)
        return ledger


def _said(scores: tuple[float | None, float | None]) -> str:
    return " and ".join("none" if score is None else f"{score:.6g}" for score in scores)
