"""Small comparisons for tests, each to be made with any level, power, gap and margin."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from nstar import compare
from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare import Comparison

__all__ = ["CASES", "SCALE", "cells", "matrices", "subjects"]

Make: TypeAlias = Callable[..., Comparison]

NAMES = ("alpha", "beta")
SCALE = 100.0
"""Width of the scale of the case ``scale``, so that a gap is typed there as are points."""


def cells(n11: int, n10: int, n01: int, n00: int) -> Array:
    """0/1 scores of two models with these counts."""
    return np.repeat([[1.0, 1], [1, 0], [0, 1], [0, 0]], [n11, n10, n01, n00], axis=0).T


def subjects(n: int, groups: int) -> dict[str, list[str]]:
    """Groups of unequal size."""
    return {"subject": [f"s{k}" for k in np.random.default_rng(1).integers(0, groups, n)]}


def _grades(n: int = 80) -> Array:
    x = np.random.default_rng(3).random((2, n))
    return np.asarray(np.clip(x + np.array([[0.1], [0.0]]), 0, 1))


def _of(scores: Array, **fixed: Any) -> Make:
    a, b = scores
    return lambda **options: compare(a, b, a=NAMES[0], b=NAMES[1], **fixed, **options)


def matrices(
    tables: Mapping[str, Sequence[int]], names: tuple[str, str] = NAMES
) -> list[ScoreMatrix]:
    """One binary task for each table of counts."""
    return [
        ScoreMatrix.from_arrays(cells(*table), models=list(names), task=task)
        for task, table in tables.items()
    ]


def _tasks(**options: Any) -> Comparison:
    tables = {"one": (40, 40, 10, 10), "two": (40, 10, 40, 10), "three": (40, 20, 20, 20)}
    return compare(
        matrices(tables | {"four": (100, 30, 16, 40)}), a=NAMES[0], b=NAMES[1], **options
    )


def _scaled(*, delta: float | None = None, margin: float | None = None, **rest: Any) -> Comparison:
    gap, most = (None if x is None else SCALE * x for x in (delta, margin))
    return compare(*(SCALE * _grades()), a=NAMES[0], b=NAMES[1], delta=gap, margin=most, **rest)


CASES: dict[str, Make] = {
    "inconclusive": _of(cells(628, 86, 78, 208)),
    "better": _of(cells(40, 40, 10, 10)),
    "worse": _of(cells(40, 10, 40, 10)),
    "borderline": _of(cells(60, 15, 6, 19)),
    "few items": _of(cells(3, 4, 0, 1)),
    "identical": _of(cells(60, 0, 0, 40)),
    "one item": _of(cells(0, 1, 0, 0)),
    "one way": _of(cells(0, 30, 0, 0)),
    "zero gap": _of(cells(50, 20, 20, 10)),
    "rare": _of(cells(90, 2, 1, 7)),
    "strata": _of(cells(628, 86, 78, 208), groups=subjects(1000, 30), strata="subject"),
    "clusters": _of(cells(628, 86, 78, 208), groups=subjects(1000, 30), cluster="subject"),
    "two clusters": _of(cells(628, 86, 78, 208), groups=subjects(1000, 2), cluster="subject"),
    "groups": _of(cells(628, 120, 78, 174), groups=subjects(1000, 8)),
    "graded": _of(_grades()),
    "graded strata": _of(_grades(), groups=subjects(80, 6), strata="subject"),
    "graded clusters": _of(_grades(), groups=subjects(80, 12), cluster="subject"),
    "one grade": _of(_grades(1)),
    "five grades": _of(_grades(5)),
    "same grades": _of(np.array([[0.7] * 20, [0.5] * 20])),
    "scale": _scaled,
    "tasks": _tasks,
}
