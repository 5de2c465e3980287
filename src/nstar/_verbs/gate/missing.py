"""Items that one of the two models lacks: how many are too many, and what they could have been.

The common items answer first. A claim counts only if it also holds with the missing scores all
against the candidate (a PASS) or all in its favour (a REGRESSION). While a run is growing, an
item that the candidate was tried on without a score is missing; one not reached yet is not.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from nstar._base.types import BoolArray
from nstar._verbs.compare.sample import Sample
from nstar._verbs.gate.question import GateQuestion
from nstar.errors import DataError, arg


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """Items of the baseline that the candidate has no score for."""

    tried: int
    """It was tried on them, or its run is over: missing."""
    unreached: int
    """Still to come; 0 once the run is over."""
    of: int
    """Items of the baseline."""


def left(sample: Sample, ask: GateQuestion, unscored: int) -> Left:
    """Which items are missing and which are only to come.

    Parameters
    ----------
    sample
        Scores.
    ask
        Whether the run may be growing, and where it ends.
    unscored
        Items that the candidate was tried on without a score.
    """
    in_a, in_b = ~np.isnan(sample.a), ~np.isnan(sample.b)
    absent, of = int((in_b & ~in_a).sum()), int(in_b.sum())
    planned = of if ask.horizon is None else min(ask.horizon, of)
    over = ask.basis != "sequential" or ask.ended or int(in_a.sum()) + unscored >= planned
    tried = absent if over else min(unscored, absent)
    return Left(tried=tried, unreached=absent - tried, of=of)


def refuse_missing(sample: Sample, most: float, after: Left) -> None:
    """DataError if one model lacks more than a share ``most`` of the items that were tried."""
    in_a, in_b = ~np.isnan(sample.a), ~np.isnan(sample.b)
    every = int((in_a | in_b).sum()) - after.unreached
    lacks = {"the baseline": int((in_a & ~in_b).sum()), "the candidate": after.tried}
    for who, count in lacks.items():
        if count > most * every:
            where = f"{sample.task}: " if sample.task else ""
            enough = math.ceil(100 * count / every) / 100
            msg = (
                f"{where}{who} lacks {count:,} of {every:,} items, more than the share of "
                f"{most:g} that is allowed: finish the run, or allow more with "
                f"{arg('missing', enough)}"
            )
            raise DataError(msg)


def _filled(sample: Sample, candidate: float, baseline: float) -> Sample:
    """Every missing score of either model replaced."""
    there = ~(np.isnan(sample.a) & np.isnan(sample.b))
    changed = {
        "a": np.where(there & np.isnan(sample.a), candidate, sample.a),
        "b": np.where(there & np.isnan(sample.b), baseline, sample.b),
    }
    for name in ("runs_a", "runs_b"):
        runs = getattr(sample, name)
        if runs is not None:
            changed[name] = np.maximum(runs, 1)
    return replace(sample, **changed)  # type: ignore[arg-type] # names of Sample's own fields


def _tried(sample: Sample, after: Left, best: float) -> BoolArray:
    """The items that count: all but those to come.

    Which of the absent ones were tried is not kept, so those count on which the baseline is
    nearest to ``best``.
    """
    kept = np.ones(sample.a.size, dtype=np.bool_)
    absent = np.flatnonzero(np.isnan(sample.a) & ~np.isnan(sample.b))
    order = np.argsort(np.abs(sample.b[absent] - best), kind="stable")
    kept[absent[order[after.tried :]]] = False
    return kept


def fillings(sample: Sample, after: Left) -> tuple[Sample, Sample] | None:
    """The sample with missing scores all against the candidate, and all in its favour.

    None if nothing is missing.
    """
    lacking = int((~np.isnan(sample.a) & np.isnan(sample.b)).sum())
    if after.tried + lacking == 0:
        return None
    worst, best = sample.limits
    if sample.lower_is_better:
        worst, best = best, worst
    against = replace(sample, b=np.where(_tried(sample, after, best), sample.b, np.nan))
    favour = replace(sample, b=np.where(_tried(sample, after, worst), sample.b, np.nan))
    return _filled(against, worst, best), _filled(favour, best, worst)
