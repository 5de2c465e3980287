"""Pilot of a judge: its value for a plan, from judged and labeled items."""

import math

import numpy as np

from nstar import stats
from nstar._base.types import BoolArray, Interval
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.judged.plan_result import LabelPilot
from nstar._verbs.judged.sample import JudgedSample, judged_sample, refuse_chosen
from nstar.errors import DataError
from nstar.stats.judge import judge_r_limit

FEW = 50
"""Number of labels of a pilot below which its result is very uncertain."""
_CONF = 0.95
_FEW_DEPARTURES = 5
"""Number of disagreements of judge and labels below which their variance is uncertain."""


def judged_pilot(judge: ScoreMatrix, label: ScoreMatrix, names: tuple[str, str]) -> LabelPilot:
    """Return the correlation of judge and labels on differences of two models, and their SD.

    Raise DataError if there are too few labels or all alike, the labeled items look chosen, or the
    judge's differences are all alike.
    """
    sample = judged_sample(judge, label, names, None)
    refuse_chosen(np.stack(sample.judge), sample.known)
    estimate, known = stats.judge_corrected(sample.truth, sample.said), sample.known
    judgments = sample.said[known]
    if np.ptp(judgments) == 0:
        msg = (
            f"The judge reports the same gap between {names[0]} and {names[1]} "
            f"({judgments[0]:g}) on all {estimate.labels} labeled items, so its value cannot be "
            "estimated. Label more items."
        )
        raise DataError(msg)
    r_ci = _r_interval(sample, known)
    return LabelPilot(
        models=names,
        n_items=estimate.items,
        n_labels=estimate.labels,
        r=estimate.r,
        r_ci=r_ci,
        confidence_level=_CONF,
        sigma=estimate.label_se * math.sqrt(estimate.labels),
        score_range=sample.score_range,
        is_binary=sample.binary,
    )


def _r_interval(sample: JudgedSample, known: BoolArray) -> Interval:
    """Return the interval of the correlation.

    It allows for unobserved disagreements if few were observed.
    """
    truth, judgments = sample.truth[known], sample.said[known]
    low, high = (float(x) for x in stats.score_correlation_interval(truth, judgments, conf=_CONF))
    departures = int(np.count_nonzero(truth != judgments))
    if departures < _FEW_DEPARTURES:
        scale = sample.score_range[1] - sample.score_range[0]
        variance = float(sample.said.var(ddof=1)) / scale**2
        r_limit = judge_r_limit(departures, labels=judgments.size, variance=variance, conf=_CONF)
        low = min(low, float(r_limit))
    return Interval(low, high)
