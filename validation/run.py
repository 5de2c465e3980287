"""``validate``: every claim, every cell, on all processors."""

import math
import time
from collections.abc import Iterator, Sequence

import numpy as np

from nstar._base.version import __version__
from nstar._data.matrix import ScoreMatrix
from nstar._engine.work import Execution, WorkerPool
from validation.promise import (
    CLAIMS,
    FAST,
    FULL,
    GROUPS,
    CellRate,
    CheckJob,
    Effort,
    RealScoresJob,
    ValidationRequest,
)
from validation.real_scores import ranked
from validation.result import Validation, judged

_SECONDS = {"fast": 0.25, "full": 2.0}
"""What a job usually takes, by effort; several go together where that is too short."""


def _read(scores: ScoreMatrix | None, jobs: Sequence[CheckJob]) -> list[list[CellRate]]:
    """The cells of some jobs, one after the other."""
    return [
        job(scores) if isinstance(job, RealScoresJob) and scores is not None else job()
        for job in jobs
    ]


def _together(workers: WorkerPool, effort: Effort, jobs: int) -> int:
    """Jobs that are handed out as one: few enough that everybody has some."""
    n_jobs = math.ceil(workers.grain / _SECONDS[effort.name])
    return max(1, min(n_jobs, jobs // (2 * workers.width)))


def _readings(
    jobs: Sequence[CheckJob], workers: WorkerPool, effort: Effort, matrix: ScoreMatrix | None
) -> Iterator[list[CellRate]]:
    """Of every job, in order."""
    scores = workers.share(matrix)
    portion_size = _together(workers, effort, len(jobs))
    portions = ((scores, jobs[k : k + portion_size]) for k in range(0, len(jobs), portion_size))
    for readings in workers.ordered(_read, portions):
        yield from readings


def validate(
    *,
    thorough: bool = False,
    claims: Sequence[str] = (),
    data: ScoreMatrix | None = None,
    seed: int = 0,
    execution: Execution | None = None,
) -> Validation:
    """Check every claim of nstar by simulation or complete enumeration.

    Parameters
    ----------
    thorough
        Every cell with tens of thousands of replications, half an hour; by default a
        sample in under a minute.
    claims
        Only these, by name; see :data:`validation.CLAIMS`.
    data
        Real 0/1 or graded scores: for pairs that need far fewer items than there are, samples of
        that many are drawn and the promised power is looked for.
    seed
        Of all random numbers. The same seed gives the same numbers for any number of workers.
    execution
        Workers, cluster, progress in jobs; see :class:`Execution`. The numbers do not depend on
        it.
    """
    start = time.monotonic()
    board = () if data is None else ranked(data)
    request = ValidationRequest(effort=FULL if thorough else FAST, seed=seed, ranked=board)
    claim_list = [CLAIMS[name] for name in claims] or list(CLAIMS.values())
    chosen = sorted(claim_list, key=lambda c: GROUPS.index(c.group))
    todo = [(claim, job) for claim in chosen for job in claim.jobs(request)]
    readings_by_claim: dict[str, list[CellRate]] = {claim.name: [] for claim in chosen}
    settings = execution or Execution()
    with settings.crew() as workers:
        results = _readings([job for _, job in todo], workers, request.effort, data)
        for n_done, ((claim, _), readings) in enumerate(zip(todo, results, strict=True), 1):
            readings_by_claim[claim.name] += readings
            if settings.progress is not None:
                settings.progress(n_done, len(todo))
    return Validation(
        effort=request.effort.name,
        seed=seed,
        claims=tuple(c.promise for c in chosen if readings_by_claim[c.name]),
        cells=judged([(c, reading) for c in chosen for reading in readings_by_claim[c.name]]),
        nstar=__version__,
        numpy=np.__version__,
        seconds=round(time.monotonic() - start, 1),
        data=None if data is None else data.task or "scores",
    )
