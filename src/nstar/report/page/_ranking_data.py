"""Data of a ranking in a page, from which it recomputes: pairs with errors, and groups."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from nstar._base.types import Array
from nstar._engine.gram import Gram, ItemLayout, ScoreBlock, block, group_grams, layout
from nstar._engine.pairs import PairStats
from nstar._verbs.audit import Audit
from nstar._verbs.audit.maxt import MaxTUnavailable
from nstar._verbs.audit.pair_analysis import PairAnalysis
from nstar.errors import DataError
from nstar.report.page import refuse_crowd
from nstar.report.page._array_encoding import pack
from nstar.report.page._items import items_of
from nstar.report.page._rules import rules
from nstar.report.prose.audit.ranking import ranking_of
from nstar.report.prose.gap import gap_decimals
from nstar.report.prose.judged_ranking import labeled_share

_EXACT = 20_000
"""Pairs, those of 200 models, up to which errors keep all their digits."""

_UNKNOWN = -32768
"""A correlation that there is none of."""
_ROOM = 300_000
"""Bytes of all groups of all pairs before compression; beyond, a page has means only, and where
models have different items nothing: means over other items than a pair's may contradict it."""
_MOST_GROUPS = 500
"""Groups of a column; with more it tells nobody where a gap comes from."""


def _own_means(data: ScoreBlock, where: ItemLayout) -> Array:
    """Each model's mean in each group over the items it has, (M, G)."""
    out = np.full((len(data), len(where.sizes)), np.nan)
    start = 0
    for k, (end, size) in enumerate(zip(where.ends, where.sizes.tolist(), strict=True)):
        part = data.segment(start, end, size)
        with np.errstate(divide="ignore", invalid="ignore"):
            out[:, k] = part.sums / part.counts() + part.offset
        start = end
    return out


def _upper(values: Any, m: int) -> Any:
    """The pairs i < j of a tile."""
    return np.broadcast_to(np.asarray(values), (m, m))[np.triu_indices(m, 1)]


def _stacked(grams: list[Gram], name: str, m: int) -> Any:
    """One sum of every pair in every group, (P, G)."""
    return np.stack([_upper(getattr(g, name), m) for g in grams], axis=1)


def _counts(data: ScoreBlock, where: ItemLayout, grams: list[Gram]) -> dict[str, Any]:
    m = len(data)
    gap2 = {"gap2": pack(_stacked(grams, "gap2", m))}
    if data.complete:
        sums = np.rint(_own_means(data, where) * where.sizes).astype(np.int64)
        return {"first": pack(sums), "second": None, "n": None, **gap2}
    return {k: pack(_stacked(grams, k, m)) for k in ("first", "second", "n")} | gap2


def _errors(data: ScoreBlock, grams: list[Gram]) -> Array:
    """Standard errors of graded gaps, items independent, (P, G); NaN for a single item."""
    m = len(data)
    n, gap, gap2 = (_stacked(grams, k, m).astype(np.float64) for k in ("n", "gap", "gap2"))
    with np.errstate(divide="ignore", invalid="ignore"):
        spread = np.maximum(gap2 - gap * gap / n, 0.0)
        spread[spread <= np.maximum(n * data.slack**2, 1e-14 * gap2)] = 0.0
        return np.asarray(np.sqrt(spread / (n - 1) / n))


def _gaps(data: ScoreBlock, where: ItemLayout, grams: list[Gram]) -> dict[str, Any]:
    m, se = len(data), {"se": pack(_errors(data, grams))}
    if data.complete:
        return {"mean": pack(_own_means(data, where)), "n": None, **se}
    n = _stacked(grams, "n", m)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_a, mean_b = (
            pack(_stacked(grams, k, m) / n + data.offset) for k in ("first", "second")
        )
    return {"mean": None, "mean_a": mean_a, "mean_b": mean_b, "n": pack(n), **se}


def _columns(audit: Audit, survey: PairAnalysis) -> Iterator[tuple[str, ItemLayout, ScoreBlock]]:
    """Group columns that part the items, the declared one first, then those of fewer groups."""
    matrix, items = audit.matrix, np.sort(survey.panel.design.layout.items)
    if matrix is None or matrix.correction is not None:  # an item has no score of its own
        return
    place = {name: i for i, name in enumerate(matrix.models)}
    models = [place[name] for name in audit.ranking.model]
    layouts = [(name, layout(items, grouping)) for name, grouping in matrix.groups.items()]
    declared = audit.design.partition(":")[2]
    for name, where in sorted(layouts, key=lambda x: (x[0] != declared, len(x[1].sizes))):
        if 1 < len(where.sizes) < min(len(items), _MOST_GROUPS):
            yield name, where, block(matrix, models, where)


def _labeled(result: Audit) -> str | None:
    """Which share of more items must be labeled; None for scores as measured."""
    if len(result.tasks) > 1 or result.judge_correction is None:
        return None
    return labeled_share(result.judge_correction)


def _of_task(audit: Audit, survey: PairAnalysis) -> Iterator[dict[str, Any]]:
    cells_left = _ROOM
    for name, where, data in _columns(audit, survey):
        header = {"column": name, "labels": list(where.labels), "sizes": pack(where.sizes)}
        m = len(data)
        each = (2 if data.complete else 5) if data.binary else (6 if data.complete else 20)
        need = m * (m - 1) // 2 * len(where.sizes) * each
        if need <= cells_left:
            cells_left -= need
            grams = list(group_grams(data, data, where))
            yield header | (_counts if data.binary else _gaps)(data, where, grams)
        elif data.complete:
            yield header | {"rate": pack(_own_means(data, where))}


def _tasks(board: Audit) -> dict[str, Any]:
    """Tasks as the groups of an average: each model's mean on each."""
    rate = np.full((len(board), len(board.tasks)), np.nan)
    for k, task in enumerate(board.tasks):
        mean_of = dict(zip(task.ranking.model, task.ranking.mean.tolist(), strict=True))
        rate[:, k] = [mean_of[name] for name in board.ranking.model]
    return {
        "column": "task",
        "labels": [task.task for task in board.tasks],
        "sizes": pack([task.n_items for task in board.tasks]),
        "rate": pack(rate),
    }


def _real(values: Any) -> dict[str, Any]:
    """Doubles, cut short where there are so many that they fill the page."""
    array = np.asarray(values, dtype=np.float64)
    return pack(array, "f8" if array.size <= _EXACT else "f6")


def _whole(values: Any) -> Any:
    """A count: one number if it is the same for all pairs, else an array."""
    array = np.asarray(values)
    if array.size and (array == array.flat[0]).all():
        return int(array.flat[0])
    return pack(array.astype(np.int64))


def _cells(survey: PairAnalysis, pairs: PairStats) -> dict[str, Any]:
    """Counts of 0/1 scores: of each model if all have the same items, else of each pair."""
    g, panel = pairs.gram, survey.panel
    if panel.complete:
        sums = np.asarray(panel.block.sums)  # type: ignore[union-attr]
        return {"first": pack(sums.astype(np.int64)), "second": None, "gap2": pack(g.gap2)}
    return {"first": pack(g.first), "second": pack(g.second), "gap2": pack(g.gap2)}


def _freedom(df: Any) -> Any:
    """Degrees of freedom: None if infinite, one number if all pairs have the same."""
    array = np.asarray(df, dtype=np.float64)
    first = float(array.flat[0]) if array.size else math.inf
    if not (array == first).all():
        return _real(array)
    return None if math.isinf(first) else first


def _means(survey: PairAnalysis, pairs: PairStats) -> dict[str, Any]:
    """Means over common items and their gap; None where each model's own mean will do."""
    if survey.panel.complete:
        return dict.fromkeys(("mean_a", "mean_b", "delta"))
    g, offset = pairs.gram, getattr(getattr(survey.panel, "block", None), "offset", 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_a, mean_b = (_real(s / np.asarray(g.n) + offset) for s in (g.first, g.second))
    return {"mean_a": mean_a, "mean_b": mean_b, "delta": _real(pairs.delta)}


def _pairs(survey: PairAnalysis, pairs: PairStats, *, counted: bool) -> dict[str, Any]:
    n = {"n": _whole(pairs.n)}
    if counted:
        return n | _cells(survey, pairs)
    rho = pairs.pairing()[0]
    scaled = np.where(np.isnan(rho), _UNKNOWN, np.rint(1e4 * np.nan_to_num(rho)))
    exposed = pairs.exposed()
    return {
        **n,
        **_means(survey, pairs),
        "se": _real(pairs.se),
        "df": _freedom(pairs.df),
        "units": _whole(pairs.units),
        "exposed": None if np.array_equal(exposed, pairs.n) else _real(exposed),
        "rho": pack(scaled.astype(np.int16), "i2"),
        "cells": _cells(survey, pairs) if pairs.gram.binary else None,
    }


def _max_t(survey: PairAnalysis) -> dict[str, Any] | None:
    """Adjusted p-values, which hold at any level, and how many draws they come from."""
    if isinstance(survey.step, MaxTUnavailable):
        return None
    return {"draws": survey.step.draws, "p": _real(survey.step.p)}


def _held(result: Audit) -> tuple[PairAnalysis, PairStats]:
    refuse_crowd(len(result))
    survey = result.survey
    if survey is None or survey.held is None:
        msg = "This audit does not contain its pairs. Run it again from the scores."
        raise DataError(msg)
    return survey, survey.held.pairs


def _declared(result: Audit) -> float | None:
    delta0 = result.adjacent.delta
    return None if delta0 is None or not delta0.size else float(delta0[0])


def deck(result: Audit, where: str | None = None) -> dict[str, Any]:
    """Return the pairs of a ranking as JSON values, in the order of ranks and in score units.

    ``where`` is the model to highlight.
    """
    survey, pairs = _held(result)
    ranks, scale = result.ranking, ranking_of(result).scale
    design = survey.panel.design
    counted = bool(pairs.gram.binary) and design.kind == "independent"
    criteria = result.criteria
    return {
        "schema": "nstar.deck/1",
        "kind": "counts" if counted else "gaps",
        "names": list(ranks.model),
        "where": where,
        "mean": pack(ranks.mean, "f8"),
        "own": pack(ranks.n_items),
        "complete": survey.panel.complete,
        "better": -1 if scale.lower_is_better else 1,
        "limits": list(scale.score_range),
        "decimals": gap_decimals(scale),
        "design": {"kind": design.kind, "labeled": _labeled(result)},
        "settings": {
            "alpha": criteria.alpha,
            "power": criteria.power,
            "delta0": _declared(result),
            "margin": survey.counting.margin,
            "adjust": result.adjust,
        },
        "rules": rules(result, survey, where),
        "maxt": _max_t(survey),
        "why": survey.step.reason if isinstance(survey.step, MaxTUnavailable) else None,
        "pairs": _pairs(survey, pairs, counted=counted),
        "groups": [_tasks(result)] if len(result.tasks) > 1 else list(_of_task(result, survey)),
        "items": items_of(result),
    }
