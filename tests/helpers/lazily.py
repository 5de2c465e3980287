"""Cases that a test module names at once and makes when a test asks for them."""

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

__all__ = ["Made"]

K = TypeVar("K")
V = TypeVar("V")


class Made(Mapping[K, V]):
    """Values made when first looked up, so that whoever only collects tests does not wait."""

    def __init__(self, recipes: Mapping[K, Callable[[], V]]) -> None:
        self._recipes = recipes
        self._made: dict[K, V] = {}

    def __getitem__(self, key: K) -> V:
        if key not in self._made:
            self._made[key] = self._recipes[key]()
        return self._made[key]

    def __iter__(self) -> Iterator[K]:
        return iter(self._recipes)

    def __len__(self) -> int:
        return len(self._recipes)
