"""Random numbers of a batch, which depend only on seed, cell, and batch."""

import json
from hashlib import blake2b
from typing import Any

import numpy as np


def _plain(value: Any) -> Any:
    """Return numbers by value, so that 0, 0.0, and numpy's 0 are equal."""
    if isinstance(value, dict):
        return {name: _plain(v) for name, v in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(v) for v in value]
    if isinstance(value, np.bool_ | bool):
        return bool(value)
    return float(value) if isinstance(value, int | np.integer | np.floating) else value


def key(identity: dict[str, Any]) -> int:
    """Return a number for the owner of a stream, the same on every machine."""
    text = json.dumps(_plain(identity), sort_keys=True, allow_nan=False)
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def generator(seed: int, cell: int, batch: int, use: int = 0) -> np.random.Generator:
    """Return the generator of a batch; ``use`` separates scores and procedures."""
    parts = (cell & 0xFFFFFFFF, cell >> 32, batch, use)
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=parts)))


class SharedNormals(np.random.Generator):
    """One stream for several readers, which all receive the same normals.

    Each reader gets the numbers that it would have drawn from its own generator, whatever else it
    draws in between. Normals are stored by the state from which they were drawn.
    """

    def __init__(self, source: np.random.Generator, readers: int) -> None:
        super().__init__(source.bit_generator)
        self._states = [self.bit_generator.state] * readers
        self._reader = 0
        self._kept: dict[tuple[Any, ...], tuple[Any, Any]] = {}

    def read_by(self, reader: int) -> "SharedNormals":
        """Continue from the state at which this reader stopped."""
        self._states[self._reader] = self.bit_generator.state
        self.bit_generator.state = self._states[reader]
        self._reader = reader
        return self

    def forget(self) -> None:
        """Drop the stored normals before the next draws."""
        self._kept.clear()

    def standard_normal(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return the normals drawn from this state before, or new ones, as a separate array."""
        if size is None or out is not None:
            return super().standard_normal(size, dtype, out)
        state = self.bit_generator.state
        state_key = (*state["state"]["state"].tolist(), state["has_uint32"], state["uinteger"])
        place = (*state_key, size, np.dtype(dtype))
        if place not in self._kept:
            normals = super().standard_normal(size, dtype)
            self._kept[place] = normals, self.bit_generator.state
        normals, self.bit_generator.state = self._kept[place]
        return normals.copy()
