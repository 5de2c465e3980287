"""Real scores: do as many items as a plan asks for find real gaps as often as promised?

Two real models with n items have a gap and a discordance; a plan made of them asks for N* items.
Where N* is well below n, samples of N* of the n items show what would have happened. Items are
drawn without replacement, so a sample is closer to the whole than a new benchmark of N* items
would be: with a share f of the items drawn, gaps scatter less by √(1 - f), and power at N* rises
from 80% to about Φ(0.84 / √(1 - f)), 82% with f = 0.15. Drawn with replacement there is no such
effect; both are weighed.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.plan import Graded, PairedPsi, plan
from nstar._verbs.simulate.stream import generator, key
from nstar.stats import t_quantile
from validation.distributions import ALPHA, POWER
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    Effort,
    RealScoresJob,
    ValidationRequest,
    counted_reading,
)
from validation.tables import drawn_tables, rejection_of, tables

GROUP = "Real scores"
_MOST_DRAWN = 0.25
"""Largest share of the items that N* may be."""
_MIN_N_STAR = 30
"""Smallest N* that is looked at."""


def _differences(matrix: ScoreMatrix, a: str, b: str) -> Array:
    """First minus second on the items both have."""
    d = matrix.row(a) - matrix.row(b)
    return np.asarray(d[~np.isnan(d)])


def _setting(a: str, b: str, items: int, n: int, gap: float) -> CellSetting:
    return {"models": f"{a} − {b}", "gap": round(gap, 5), "items": items, "of": n}


def _binary(a: str, b: str, d: Array) -> list[CellRate]:
    n, n10, n01 = d.size, int((d == 1).sum()), int((d == -1).sum())
    gap, psi = abs(n10 - n01) / n, (n10 + n01) / n
    items = int(plan(PairedPsi(psi=psi), delta=gap).n_star or n)
    if not _MIN_N_STAR <= items <= _MOST_DRAWN * n:
        return []
    ways = {
        "without replacement": drawn_tables(items, n10, n01, n),
        "with replacement": tables(items, psi, gap),
    }
    return [
        CellRate(
            procedure=f"plan, drawn {method}",
            setting=_setting(a, b, items, n, (n10 - n01) / n),
            rate=rejection_of("mcnemar", weighted, ALPHA),
            promised=POWER,
        )
        for method, weighted in ways.items()
    ]


def _graded(a: str, b: str, d: Array, effort: Effort, seed: int) -> list[CellRate]:
    sd, gap = float(d.std()), float(d.mean())
    if not sd or not gap:
        return []
    items = int(plan(Graded(sd=sd), delta=abs(gap)).n_star or d.size)
    if not _MIN_N_STAR <= items <= _MOST_DRAWN * d.size:
        return []
    rng = generator(seed, key({"real": [a, b]}), 0)
    reps, hits = min(effort.reps, 5000), 0
    critical = float(t_quantile(1 - ALPHA / 2, items - 1))
    for _ in range(reps):
        x = rng.choice(d, items, replace=False)
        hits += bool(abs(x.mean()) >= critical * x.std(ddof=1) / np.sqrt(items))
    setting = _setting(a, b, items, d.size, gap)
    return [
        counted_reading("plan, drawn without replacement", setting, hits, reps, promised=POWER)
    ]


def _pair(a: str, b: str, effort: Effort, seed: int, matrix: ScoreMatrix) -> list[CellRate]:
    d = _differences(matrix, a, b)
    if d.size < 4 * _MIN_N_STAR:
        return []
    if np.isin(d, (-1.0, 0.0, 1.0)).all():
        return _binary(a, b, d)
    return _graded(a, b, d, effort, seed)


def ranked(matrix: ScoreMatrix) -> tuple[str, ...]:
    """Models of a leaderboard, best first."""
    means = [np.nanmean(matrix.row(m)) for m in matrix.models]
    return tuple(matrix.models[k] for k in np.argsort(means)[::-1])


@CLAIMS.add(
    GROUP,
    "With the planned number of real items, drawn at random, the test detects the real gap of"
    " two models with a power of at least 80%.",
    "at least",
    advice={"": "With fewer than 100 items, the test changes in steps. Add 10% of the items."},
)
def real_pairs(request: ValidationRequest) -> Iterator[CheckJob]:
    """Pairs of a real leaderboard, a few places apart, if scores were given."""
    for distance in (1, 2, 3, 5, 8) if request.effort.full else (2, 5):
        for a, b in zip(request.ranked, request.ranked[distance:], strict=False):
            yield RealScoresJob(partial(_pair, a, b, request.effort, request.seed))
