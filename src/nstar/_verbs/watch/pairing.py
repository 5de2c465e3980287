"""Scores of two models as they arrive, put together item by item."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """One model's score of one item."""

    score: float | None
    """None is no score."""
    run: str | None = None
    """Which repetition."""
    group: str | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemPair:
    """An item that both models have answered."""

    item: str
    a: float | None
    b: float | None
    group: str | None
    cost: float | None
    """Money for the first model's answer."""


@dataclass(slots=True)
class Pairing:
    """Halves that wait for the other model.

    Examples
    --------
    >>> pairing = Pairing()
    >>> pairing.add(1, "q1", Half(score=0.0))
    >>> pairing.add(0, "q1", Half(score=1.0))
    ItemPair(item='q1', a=1.0, b=0.0, group=None, cost=None)
    """

    halves: tuple[dict[str, Half], dict[str, Half]] = field(default_factory=lambda: ({}, {}))
    """By item, first and second model."""
    repeated: int = 0
    """Further runs of items that have one already."""
    contradicted: int = 0
    """Items that came again, of the same run but with another score."""
    paired: int = 0
    """Items that both models have."""
    _again: set[tuple[int, str, str | None]] = field(default_factory=set)

    def add(self, side: int, item: str, half: Half) -> ItemPair | None:
        """One more score; a pair once both models have the item, and never twice."""
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

    def _note_again(self, side: int, item: str, half: Half) -> None:
        key, held = (side, item, half.run), self.halves[side][item]
        if (half.run, half.score) == (held.run, held.score) or key in self._again:
            return
        self._again.add(key)
        if half.run != held.run:
            self.repeated += 1
        else:
            self.contradicted += 1

    @property
    def waiting(self) -> tuple[int, int]:
        """Items that only the first, only the second model has so far."""
        first, second = (set(half) for half in self.halves)
        return len(first - second), len(second - first)
