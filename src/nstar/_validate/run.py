"""``validate``: every claim, every cell, on all processors."""

import time
from collections.abc import Callable, Sequence
from multiprocessing import cpu_count
from typing import TypeAlias

import numpy as np

from nstar._matrix import ScoreMatrix
from nstar._validate.claim import CLAIMS, FAST, FULL, GROUPS, Ask, Checked, Claim
from nstar._validate.reading import Reading
from nstar._validate.result import Validation
from nstar._version import __version__
from nstar._work import ordered

__all__ = ["Progress", "validate"]

Progress: TypeAlias = Callable[[int, int], None]
"""Jobs done, and all of them."""


def _checked(claim: Claim, readings: Sequence[Reading]) -> Checked:
    return Checked(
        name=claim.name,
        group=claim.group,
        says=claim.says,
        bound=claim.bound,
        slack=claim.slack,
        advice=dict(claim.advice),
        readings=tuple(readings),
    )


def validate(
    *,
    full: bool = False,
    claims: Sequence[str] = (),
    matrix: ScoreMatrix | None = None,
    seed: int = 0,
    workers: int = 0,
    progress: Progress | None = None,
) -> Validation:
    """Does nstar keep its promises? Every claim against simulation or complete enumeration.

    Parameters
    ----------
    full
        Every cell with tens of thousands of replications, a quarter of an hour; by default a
        sample in under a minute.
    claims
        Only these, by name; see :data:`nstar._validate.CLAIMS`.
    matrix
        Real 0/1 or graded scores: for pairs that need far fewer items than there are, samples of
        that many are drawn and the promised power is looked for.
    seed
        Of all random numbers. The same seed gives the same numbers for any number of workers.
    workers
        Threads; 0 for one per processor.
    progress
        Called with jobs done and jobs to do.
    """
    start = time.monotonic()
    ask = Ask(effort=FULL if full else FAST, seed=seed, matrix=matrix)
    asked = [CLAIMS[name] for name in claims] or list(CLAIMS.values())
    chosen = sorted(asked, key=lambda c: GROUPS.index(c.group))
    todo = [(claim, job) for claim in chosen for job in claim.jobs(ask)]
    found: dict[str, list[Reading]] = {claim.name: [] for claim in chosen}
    results = ordered(iter([job for _, job in todo]), workers or cpu_count())
    for done, ((claim, _), readings) in enumerate(zip(todo, results, strict=True), 1):
        found[claim.name] += readings
        if progress is not None:
            progress(done, len(todo))
    return Validation(
        effort=ask.effort.name,
        seed=seed,
        claims=tuple(_checked(c, found[c.name]) for c in chosen if found[c.name]),
        nstar=__version__,
        numpy=np.__version__,
        seconds=time.monotonic() - start,
        data=None if matrix is None else matrix.task or "scores",
    )
