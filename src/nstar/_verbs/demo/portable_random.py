"""Chance that is the same on every machine and in every version of Python."""

from collections.abc import Sequence
from hashlib import sha256
from random import Random


class PortableRandom:
    """Draws that depend on a name only; ``Random.random`` is the one stream Python promises.

    Examples
    --------
    >>> PortableRandom("example").share() == PortableRandom("example").share()
    True
    """

    def __init__(self, name: str) -> None:
        seed = int.from_bytes(sha256(name.encode()).digest()[:8], "big")
        self._random = Random(seed)  # noqa: S311 no secret depends on it

    def share(self) -> float:
        """A number from 0 to 1."""
        return self._random.random()

    def normal(self) -> float:
        """About normal, mean 0, standard deviation 1: the sum of twelve shares less 6."""
        return sum(self._random.random() for _ in range(12)) - 6

    def below(self, n: int) -> int:
        """A whole number from 0 to ``n`` - 1."""
        return int(self._random.random() * n)


def easiest(ease: Sequence[float], right: int) -> list[int]:
    """1 for as many items as a model gets right, the ones it finds easiest.

    Examples
    --------
    >>> easiest([0.1, 0.9, -0.4], 2)
    [1, 1, 0]
    """
    order = sorted(range(len(ease)), key=lambda k: -ease[k])
    chosen = set(order[:right])
    return [int(k in chosen) for k in range(len(ease))]
