"""Which items were counted, and with what scores: an item counts once, and stays as it was."""

import sys
from collections.abc import Iterable, Mapping
from typing import Any, Self

from nstar._verbs.watch.pairing import ItemPair
from nstar._verbs.watch.saved import number, refuse, whole
from nstar.errors import DataError


def known(score: float | None) -> float | None:
    """The score as a number; None for NaN, which is none."""
    return None if score is None or score != score else float(score)  # noqa: PLR0124 NaN


class Ledger:
    """Items by name, in the order in which they were counted.

    Examples
    --------
    >>> ledger = Ledger()
    >>> ledger.add("q1", 1.0, 0.0)
    >>> "q1" in ledger, Ledger.from_dict(ledger.to_dict(), 1).to_dict() == ledger.to_dict()
    (True, True)
    """

    def __init__(self) -> None:
        self._scores: dict[str, tuple[float | None, float | None]] = {}

    def __contains__(self, item: object) -> bool:
        """Whether an item of this name was counted."""
        return item in self._scores

    @property
    def names(self) -> Iterable[str]:
        """Items, the first one first."""
        return self._scores.keys()

    def add(self, item: str, a: float | None, b: float | None) -> None:
        """Note one more item."""
        self._scores[item] = known(a), known(b)

    def add_all(self, pairs: Iterable[ItemPair]) -> None:
        """Note many, all or none."""
        self._scores |= {p.item: (known(p.a), known(p.b)) for p in pairs}

    def check(self, item: str, a: float | None, b: float | None) -> None:
        """Raise if a score that was counted is another one now."""
        was, now = self._scores[item], (known(a), known(b))
        if any(x is not None and x != y for x, y in zip(was, now, strict=True)):
            msg = (
                f"item {item[:80]!r} was counted with scores {_said(was)} and now has "
                f"{_said(now)}: these are logs of another run. Begin a new state for it"
            )
            raise DataError(msg)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        a, b = ([score[k] for score in self._scores.values()] for k in (0, 1))
        return {"names": list(self._scores), "a": a, "b": b}

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any], most: int) -> Self:
        """As :meth:`to_dict` gave it; at most so many items."""
        names, a, b = (saved[part] for part in ("names", "a", "b"))
        if not all(isinstance(part, list) for part in (names, a, b)):
            refuse("items", "lists of names and scores", saved)
        if not all(isinstance(name, str) for name in names):
            refuse("items", "a list of names", names)
        whole("number of items", len(names), most)
        ledger, top = cls(), sys.float_info.max
        for name, *scores in zip(names, a, b, strict=True):
            first, second = (None if s is None else number("score", s, -top) for s in scores)
            ledger._scores[name] = first, second
        if len(ledger._scores) != len(names):
            refuse("items", "names of which no two are equal", names)
        return ledger


def _said(scores: tuple[float | None, float | None]) -> str:
    return " and ".join("none" if score is None else f"{score:.6g}" for score in scores)
