"""Random numbers that are the same on every machine and in every version of Python."""

from collections.abc import Sequence
from hashlib import sha256
from random import Random


class PortableRandom:
    """Generator of random numbers that depend only on a name.

    >>> PortableRandom("example").share() == PortableRandom("example").share()
    True
    """

    def __init__(self, name: str) -> None:
        seed = int.from_bytes(sha256(name.encode()).digest()[:8], "big")
        self._random = Random(seed)  # noqa: S311 no secret depends on it

    def share(self) -> float:
        """Return a uniform number from 0 to 1."""
        return self._random.random()

    def normal(self) -> float:
        """Return an approximately standard normal number, as a sum of twelve uniform ones."""
        return sum(self._random.random() for _ in range(12)) - 6

    def below(self, n: int) -> int:
        """Return a random integer from 0 to ``n`` - 1."""
        return int(self._random.random() * n)


def easiest(ease: Sequence[float], right: int) -> list[int]:
    """Return 1 for the items that a model finds easiest, up to its number correct, else 0.

    >>> easiest([0.1, 0.9, -0.4], 2)
    [1, 1, 0]
    """
    order = sorted(range(len(ease)), key=lambda k: -ease[k])
    chosen = set(order[:right])
    return [int(k in chosen) for k in range(len(ease))]
