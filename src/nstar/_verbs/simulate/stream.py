"""Random numbers of a batch: a function of seed, cell and batch, and of nothing else."""

import json
from hashlib import blake2b
from typing import Any

import numpy as np


def _plain(value: Any) -> Any:
    """Numbers by their value: 0, 0.0 and numpy's 0 are one."""
    if isinstance(value, dict):
        return {name: _plain(v) for name, v in value.items()}
    if isinstance(value, list | tuple | np.ndarray):
        return [_plain(v) for v in value]
    if isinstance(value, np.bool_ | bool):
        return bool(value)
    return float(value) if isinstance(value, int | np.integer | np.floating) else value


def key(about: dict[str, Any]) -> int:
    """A number for what a stream belongs to, the same on every machine."""
    text = json.dumps(_plain(about), sort_keys=True, allow_nan=False)
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def generator(seed: int, cell: int, batch: int, use: int = 0) -> np.random.Generator:
    """The generator of one batch; ``use`` tells draws of scores from draws of a procedure."""
    parts = (cell & 0xFFFFFFFF, cell >> 32, batch, use)
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=parts)))
