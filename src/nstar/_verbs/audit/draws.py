"""Draws of max-T by a crew: a batch depends on its place in the stream of numbers alone."""

import math
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import add
from typing import TypeAlias

import numpy as np

from nstar._base.types import Array, IntArray
from nstar._engine.work import Crew, Local
from nstar.stats._contrasts import Start, blocks, drawn, root, starts
from nstar.stats._step_down import Chance, Ladder

Live: TypeAlias = tuple[IntArray, Array]
"""Pairs whose gap can vary, and one over their standard errors."""

_BATCH = 1024
"""Draws of a batch."""

_PAIR = 6e-9
"""Seconds of a pair in a draw; rough, for jobs."""

_SHORT = 10.0
"""Jobs of the length that a crew likes, below which all are done here."""


def _worth(crew: Crew | None, seconds: float) -> Crew:
    """Who does work of so many seconds: nobody is sent for a little."""
    return Local(1) if crew is None or seconds < _SHORT * crew.grain else crew


def _jobs(crew: Crew, models: int, pairs: int, draws: int, seed: int) -> Iterator[list[Start]]:
    """Batches in order, as many at a time as last for what the crew likes."""
    some = max(1, math.ceil(crew.grain / (_PAIR * max(1, pairs) * _BATCH)))
    every = starts(models, draws, seed, batch=_BATCH)
    while portion := list(islice(every, some)):
        yield portion


def _memory(models: int, pairs: int) -> int:
    """Bytes of a job: the root, the pairs, and a batch of draws three times."""
    return 8 * models**2 + 64 * pairs + 24 * models * _BATCH


def _chance(half: Array, ladder: Ladder, portion: Sequence[Start]) -> Chance:
    found = [Chance.of(drawn(half, start), ladder) for start in portion]
    return sum(found[1:], start=found[0])


def chance(
    cov: Array, ladder: Ladder, *, draws: int, seed: int, crew: Crew | None = None
) -> Chance:
    """What draws do by chance, step by step down a ladder of pairs."""
    models, pairs = len(cov), len(ladder.pairs)
    if not pairs:
        return Chance.none(ladder)
    crew = _worth(crew, _PAIR * pairs * draws)
    half, steps = crew.share(root(cov)), crew.share(ladder)
    jobs = ((half, steps, portion) for portion in _jobs(crew, models, pairs, draws, seed))
    return crew.reduced(_chance, jobs, add, memory=_memory(models, pairs))


def _tops(half: Array, live: Sequence[Live], portion: Sequence[Start]) -> Array:
    found = []
    for start in portion:
        z, tops = drawn(half, start), []
        top = np.zeros(start.draws)
        for pairs, scale in live:
            for _, gap in blocks(z, pairs, scale):
                np.maximum(top, gap.max(axis=0), out=top)
            tops.append(top.copy())
        found.append(tops)
    return np.concatenate(found, axis=1)


def maxima(
    cov: Array, live: Sequence[Live], *, draws: int, seed: int, crew: Crew | None = None
) -> Array:
    """Largest |t| of each draw among the pairs of the first step, of the first two and so on."""
    models, pairs = len(cov), sum(len(p) for p, _ in live)
    crew = _worth(crew, _PAIR * pairs * draws)
    half, steps = crew.share(root(cov)), crew.share(tuple(live))
    jobs = ((half, steps, portion) for portion in _jobs(crew, models, pairs, draws, seed))
    found = crew.ordered(_tops, jobs, memory=_memory(models, pairs))
    return np.concatenate(list(found), axis=1)
