"""Answers drawn by chance, the same on every machine, in part agreed on by all models."""

from hashlib import sha256


def uniform(*key: object) -> float:
    return int(sha256(repr(key).encode()).hexdigest()[:12], 16) / 16**12


def shuffled(items: int) -> list[str]:
    """Names of items in random order."""
    return [f"q{k}" for k in sorted(range(items), key=lambda k: uniform("order", k))]


def is_right(ability: float, seed: str, item: str, epoch: int = 1) -> bool:
    """Whether a model of this ability and seed answers right."""
    own = (seed, item, epoch)
    shared = uniform("shared", *own) < 0.5
    return (uniform(item) if shared else uniform(*own)) < ability
