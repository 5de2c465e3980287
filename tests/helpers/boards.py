"""Small leaderboards for tests of the audit."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.audit import Audit


def scores(
    seed: int,
    *,
    models: int = 6,
    items: int = 240,
    graded: bool = False,
    missing: float = 0.0,
    spread: float = 1.5,
) -> Array:
    """Models of falling ability on items that are hard or easy for all of them; NaN = absent."""
    rng = np.random.default_rng(seed)
    level = np.linspace(spread, 0, models)[:, None] + rng.normal(size=items)
    chance = 1 / (1 + np.exp(-level))
    if graded:
        x = np.clip(0.8 * chance + rng.normal(0.1, 0.1, chance.shape), 0, 1)
    else:
        x = (rng.random(chance.shape) < chance).astype(np.float64)
    x[rng.random(x.shape) < missing] = np.nan
    return np.asarray(x)


def board(x: Any, *, labels: Sequence[Any] | None = None, **options: Any) -> ScoreMatrix:
    """A ScoreMatrix of models m0, m1 …, with labels as the group column ``s``."""
    models = options.pop("models", [f"m{i}" for i in range(len(x))])
    groups = {} if labels is None else {"s": labels}
    lower = options.pop("lower_is_better", False)
    matrix = ScoreMatrix.from_arrays(x, models=models, groups=groups, **options)
    return replace(matrix, lower_is_better=lower)


def subjects(seed: int, items: int, groups: int = 7) -> list[str]:
    """Labels of groups that differ in size."""
    rng = np.random.default_rng(seed)
    return [f"g{k}" for k in np.minimum(rng.geometric(1.5 / groups, items), groups)]


def with_task(audit: Audit, **changes: Any) -> Audit:
    """An audit of one task with other values in its task."""
    return Audit.of_task(replace(audit.tasks[0], **changes), audit.findings)
