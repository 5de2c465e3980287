"""Pilot of a judge: its value for a plan, from judged and labeled items."""

import math
from itertools import combinations

import numpy as np

from nstar import stats
from nstar._base.types import Array, Interval
from nstar._data.matrix import LABEL_WEIGHT, ScoreMatrix
from nstar._verbs.judged.board import judged_board
from nstar._verbs.judged.plan_result import LabelPilot
from nstar._verbs.judged.sample import (
    is_two_valued,
    judged_sample,
    limits_of,
    refuse_chosen,
)
from nstar.errors import DataError
from nstar.stats.judge import judge_r_limit

FEW = 50
"""Number of labels of a pilot below which its result is very uncertain."""
_CONF = 0.95
_FEW_DEPARTURES = 5
"""Number of disagreements of judge and labels below which their variance is uncertain."""


def judged_pilot(judge: ScoreMatrix, label: ScoreMatrix, names: tuple[str, ...]) -> LabelPilot:
    """Return the correlation of judge and labels on differences of models, and their SD.

    Of more than two models, both are pooled over all pairs, which share one weight of the judge.

    Raise DataError if there are too few labels or all alike, the labeled items look chosen, or the
    judge's differences are all alike.
    """
    if LABEL_WEIGHT in judge.groups:
        msg = (
            f"A pilot needs labels of a random subset, but these were drawn by strata "
            f"({LABEL_WEIGHT}). Remove that column and the labels that were drawn with it."
        )
        raise DataError(msg)
    if len(names) == 2:
        sample = judged_sample(judge, label, (names[0], names[1]), None)
        judgments, labels = np.stack(sample.judge), np.stack(sample.label)
    else:
        judgments, labels, _, _ = judged_board(judge, label)
    known = ~np.isnan(labels[0])
    refuse_chosen(judgments, known)
    limits = limits_of(judgments, labels)
    f, d = judgments[:, known], labels[:, known]
    n = int(known.sum())
    if all(np.ptp(f[i] - f[j]) == 0 for i, j in combinations(range(len(f)), 2)):
        gap_text = "" if len(names) > 2 else f" ({f[0, 0] - f[1, 0]:g})"
        msg = (
            f"The judge reports the same gap between {' and '.join(names[:2])}{gap_text} on all "
            f"{n} "
            "labeled items, so its value cannot be estimated. Label more items."
        )
        raise DataError(msg)
    r, r_ci = _correlation(f, d, judgments, limits[1] - limits[0])
    return LabelPilot(
        models=names,
        n_items=known.size,
        n_labels=n,
        r=r,
        r_ci=r_ci,
        confidence_level=_CONF,
        sigma=math.sqrt(_pooled_variance(d)),
        score_range=limits,
        is_binary=is_two_valued(labels),
    )


def _pooled_variance(scores: Array) -> float:
    """Return the variance of a difference of two rows, the mean over all pairs."""
    contrasts = scores - scores.mean(axis=0)
    return 2 * float(contrasts.var(axis=1, ddof=1).sum()) / (len(scores) - 1)


def _correlation(f: Array, d: Array, judgments: Array, scale: float) -> tuple[float, Interval]:
    """Return the correlation on differences, with its interval.

    It allows for unobserved disagreements if few were observed.
    """
    if len(f) == 2:
        first, second = f[0] - f[1], d[0] - d[1]
        r = float(np.corrcoef(first, second)[0, 1])
        low, high = (float(x) for x in stats.score_correlation_interval(second, first, conf=_CONF))
    else:
        agreement = stats.difference_agreement(f.T, d.T, conf=_CONF)
        r = agreement.r or 0.0
        low, high = (float(x) for x in agreement.ci or (r, r))
    errors = f - d
    by_pair = [np.count_nonzero(errors[i] != errors[j]) for i, j in combinations(range(len(f)), 2)]
    departures = math.ceil(float(np.mean(by_pair)))
    if departures < _FEW_DEPARTURES:
        variance = _pooled_variance(judgments) / (scale * scale)
        r_limit = judge_r_limit(departures, labels=f.shape[1], variance=variance, conf=_CONF)
        low = min(low, float(r_limit))
    return r, Interval(low, high)
