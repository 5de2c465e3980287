"""What a page holds of a comparison: sums from which it recomputes at any level and power."""

import math
from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import Any

from nstar import stats
from nstar._verbs.compare import Comparison, Pair
from nstar._verbs.compare.margin import exposed
from nstar.report import document
from nstar.report.documents import Document
from nstar.report.words.numbers import name

_GAP = 2
"""Row of the gap in the table of one task: what stands above does not depend on the level."""


def task_document(comparison: Comparison, pair: Pair) -> Document:
    """One of the tasks as if it were alone, but for its verdict, which allows for the others."""
    return document(replace(comparison, tasks=(pair,), findings=()))


def _fixed(rows: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Rows of the table of numbers that hold at any level: those above and those below the gap."""
    end = next(i for i in range(_GAP + 1, len(rows)) if rows[i][0] == "item correlation rho")
    return {"above": [list(r) for r in rows[:_GAP]], "below": [list(r) for r in rows[3:end]]}


def _fisher(pair: Pair) -> tuple[float, float | None] | None:
    """Centre and error of the item correlation on Fisher's scale; no error: any correlation."""
    if pair.rho_ci is None:
        return None
    low, high = (float(v) for v in pair.rho_ci)
    if low == -1 and high == 1:
        return 0.0, None
    ends = [math.atanh(min(max(v, -1 + 1e-16), 1 - 1e-16)) for v in (low, high)]
    return sum(ends) / 2, (ends[1] - ends[0]) / 2 / float(stats.z_conf(pair.conf))


def _task(comparison: Comparison, pair: Pair) -> dict[str, Any]:
    d, c = pair.design, pair.counts
    numbers = task_document(comparison, pair).grids[0]
    return {
        "title": numbers.title,
        "fixed": _fixed(numbers.rows),
        "limits": list(pair.limits),
        "lower": pair.lower_is_better,
        "n": pair.n,
        "mean_a": pair.mean_a,
        "mean_b": pair.mean_b,
        "delta": pair.delta,
        "sigma": pair.sigma,
        "rho": pair.rho,
        "rho_fisher": _fisher(pair),
        "cells": None if c is None else asdict(c),
        "kind": "counts" if c is not None and d.kind == "items" else "gaps",
        "design": {"kind": d.kind, "groups": d.groups},
        "units": d.groups if d.kind == "cluster" else pair.n,
        "exposed": exposed(d, pair.n),
        "se": d.se,
        "df": None if math.isinf(d.df) else d.df,
        "p": pair.p,
        "p_adjusted": pair.p_adjusted,
    }


def compare_deck(comparison: Comparison) -> dict[str, Any]:
    """The pairs of a comparison as JSON values: proportions or score units, shown names.

    p-values do not depend on level and power, so they are here as they are.
    """
    criteria, one = comparison.criteria, comparison.tasks[0]
    several = len(comparison.tasks) > 1
    grid = document(comparison).grids[0]
    return {
        "schema": "nstar.comparison-page/1",
        "names": [name(n) for n in comparison.names],
        "sides": criteria.sides,
        "settings": {
            "alpha": criteria.alpha,
            "power": criteria.power,
            "delta0": one.delta0,
            "margin": None if one.equivalence is None else one.equivalence.margin,
        },
        "table": {
            "title": grid.title,
            "heads": list(grid.header[:4]),
            "labels": [row[0] for row in grid.rows],
        }
        if several
        else None,
        "tasks": [_task(comparison, pair) for pair in comparison.tasks],
    }
