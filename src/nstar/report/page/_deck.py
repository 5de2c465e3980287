"""What a page holds of a ranking: Gram and errors of all pairs, from which it recomputes."""

import math
from typing import Any

import numpy as np

from nstar._engine.pairs import PairStats
from nstar._verbs.audit import Audit, Leaderboard
from nstar._verbs.audit.survey import Survey
from nstar.errors import DataError
from nstar.report.page import refuse_crowd
from nstar.report.page._deck_groups import groups
from nstar.report.page._packed import pack
from nstar.report.words.audit.ranking import ranking_of

_LEVELS = (0.1, 0.05, 0.01, 0.001)
"""Levels for which a page knows what max-T asks for, beside that of the audit, if draws are
enough for them."""

_EXACT = 20_000
"""Pairs, those of 200 models, up to which errors keep all their digits."""

_UNKNOWN = -32768
"""A correlation that there is none of."""


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


def _cells(survey: Survey, pairs: PairStats) -> dict[str, Any]:
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


def _correlation(pairs: PairStats) -> dict[str, Any]:
    rho = pairs.pairing()[0]
    scaled = np.where(np.isnan(rho), _UNKNOWN, np.rint(1e4 * np.nan_to_num(rho)))
    return pack(scaled.astype(np.int16), "i2")


def _means(survey: Survey, pairs: PairStats) -> dict[str, Any]:
    """Means over common items and their gap; None where each model's own mean will do."""
    if survey.panel.complete:
        return dict.fromkeys(("mean_a", "mean_b", "delta"))
    g, offset = pairs.gram, getattr(getattr(survey.panel, "block", None), "offset", 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean_a, mean_b = (_real(s / np.asarray(g.n) + offset) for s in (g.first, g.second))
    return {"mean_a": mean_a, "mean_b": mean_b, "delta": _real(pairs.delta)}


def _exposed(pairs: PairStats) -> Any:
    """Items on which a rare loss could have shown; None if all."""
    exposed = pairs.exposed()
    return None if np.array_equal(exposed, pairs.n) else _real(exposed)


def _pairs(survey: Survey, pairs: PairStats, *, counted: bool) -> dict[str, Any]:
    n = {"n": _whole(pairs.n)}
    if counted:
        return n | _cells(survey, pairs)
    return {
        **n,
        **_means(survey, pairs),
        "se": _real(pairs.se),
        "df": _freedom(pairs.df),
        "units": _whole(pairs.units),
        "exposed": _exposed(pairs),
        "rho": _correlation(pairs),
        "cells": _cells(survey, pairs) if pairs.gram.binary else None,
    }


def _max_t(survey: Survey, alpha: float) -> dict[str, Any] | None:
    """Adjusted p-values, which hold at any level, and what some levels ask for."""
    if isinstance(survey.step, str):
        return None
    draws = survey.step.draws
    levels = {alpha, *(a for a in _LEVELS if a * (draws + 1) >= 1)}
    scores = survey.max_t_scores(sorted(levels, reverse=True))
    return {
        "draws": draws,
        "p": _real(survey.step.p),
        "levels": [[a, score] for a, score in scores.items()],
    }


def _held(result: Audit | Leaderboard) -> tuple[Survey, PairStats]:
    refuse_crowd(len(result))
    survey = result.survey
    if survey is None or survey.held is None:
        msg = "this audit does not hold its pairs; make it anew from the scores"
        raise DataError(msg)
    return survey, survey.held.pairs


def _declared(result: Audit | Leaderboard) -> float | None:
    """Smallest gap of interest."""
    delta0 = result.adjacent.delta0
    return None if delta0 is None or not delta0.size else float(delta0[0])


def deck(result: Audit | Leaderboard) -> dict[str, Any]:
    """The pairs of a ranking as JSON values, in the order of ranks and in score units.

    Raises
    ------
    DataError
        If there are too many models for one page.
    """
    survey, pairs = _held(result)
    ranks, scale = result.ranks, ranking_of(result).scale
    design = survey.panel.design
    counted = bool(pairs.gram.binary) and design.kind == "items"
    criteria = result.criteria
    return {
        "schema": "nstar.deck/1",
        "kind": "counts" if counted else "gaps",
        "names": list(ranks.name),
        "mean": pack(ranks.mean, "f8"),
        "own": pack(ranks.n),
        "complete": survey.panel.complete,
        "better": -1 if scale.lower_is_better else 1,
        "limits": list(scale.limits),
        "design": {"kind": design.kind},
        "settings": {
            "alpha": criteria.alpha,
            "power": criteria.power,
            "delta0": _declared(result),
            "margin": survey.counting.margin,
            "adjust": result.adjust,
        },
        "ranking": result.rank_method,
        "maxt": _max_t(survey, criteria.alpha),
        "why": survey.step if isinstance(survey.step, str) else None,
        "pairs": _pairs(survey, pairs, counted=counted),
        "groups": groups(result, survey),
    }
