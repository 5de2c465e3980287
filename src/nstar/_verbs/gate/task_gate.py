"""Judge one task: compare scores, bound the effect of missing items, and decide.

The shared items are tested first. A claim counts only if it also holds with the missing scores all
against the candidate (a PASS) or all in its favor (a REGRESSION). While a run is growing, an item
on which the candidate ran without a score is missing. An item not yet reached is not.
"""

import math
from dataclasses import dataclass, replace

import numpy as np

from nstar._base.types import BoolArray
from nstar._verbs.compare import TaskComparison
from nstar._verbs.compare.pair import compare_sample
from nstar._verbs.compare.sample import PairedSample
from nstar._verbs.compare.threshold import ThresholdTest
from nstar._verbs.gate.claims import EValueTuning, GateEvidence, LogEValues
from nstar._verbs.gate.evidence import (
    EvidenceInput,
    anytime,
    cautious,
    cautious_log_e,
    identical_passes,
    log_e,
    uncontradicted,
)
from nstar._verbs.gate.fixed_look import chance_of_pass, fixed, least_items, settle, width_of
from nstar._verbs.gate.question import GateQuestion
from nstar._verbs.gate.result import TaskGate
from nstar._verbs.gate.threshold import target_of
from nstar._verbs.verdict import GateVerdict, judge_gate
from nstar.errors import DataError, ParameterError, arg
from nstar.stats._roots import first_whole
from nstar.stats.margin import margin_least


@dataclass(frozen=True, slots=True, kw_only=True)
class _UnscoredItems:
    """Number of the baseline's items without a score of the candidate."""

    tried: int
    """Items that the candidate ran, or all if its run is over: missing."""
    unreached: int
    """Items still to come; 0 once the run is over."""
    of: int
    """Items of the baseline."""


def _unscored_masks(sample: PairedSample, question: GateQuestion, unscored: int) -> _UnscoredItems:
    """Return the missing items, including those run without a score, and the unreached items."""
    in_a, in_b = ~np.isnan(sample.a), ~np.isnan(sample.b)
    absent, of = int((in_b & ~in_a).sum()), int(in_b.sum())
    planned = of if question.items is None else min(question.items, of)
    over = (
        question.monitoring != "sequential"
        or question.ended
        or int(in_a.sum()) + unscored >= planned
    )
    tried = absent if over else min(unscored, absent)
    return _UnscoredItems(tried=tried, unreached=absent - tried, of=of)


def _refuse_missing(sample: PairedSample, max_share: float, after: _UnscoredItems) -> None:
    """Raise DataError if one model lacks more than ``max_share`` of the items that were run."""
    in_a, in_b = ~np.isnan(sample.a), ~np.isnan(sample.b)
    n_tried = int((in_a | in_b).sum()) - after.unreached
    lacks = {"the baseline": int((in_a & ~in_b).sum()), "the candidate": after.tried}
    for side_name, count in lacks.items():
        if count > max_share * n_tried:
            where = f"{sample.task}: " if sample.task else ""
            sufficient_share = math.ceil(100 * count / n_tried) / 100
            msg = (
                f"{where}{side_name} lacks {count:,} of {n_tried:,} items ({count / n_tried:.0%}; "
                f"limit {100 * max_share:.4g}%). Finish the run or set "
                f"{arg('missing', sufficient_share)}."
            )
            raise DataError(msg)


def _filled(sample: PairedSample, candidate: float, baseline: float) -> PairedSample:
    """Replace every missing score of either model."""
    in_either = ~(np.isnan(sample.a) & np.isnan(sample.b))
    changed = {
        "a": np.where(in_either & np.isnan(sample.a), candidate, sample.a),
        "b": np.where(in_either & np.isnan(sample.b), baseline, sample.b),
    }
    for name in ("runs_a", "runs_b"):
        runs = getattr(sample, name)
        if runs is not None:
            changed[name] = np.maximum(runs, 1)
    return replace(sample, **changed)  # type: ignore[arg-type] # names of Sample's own fields


def _reached_items(sample: PairedSample, after: _UnscoredItems, best: float) -> BoolArray:
    """Return the items that count: all but those to come.

    Which missing items were run is unknown, so those count on which the baseline is nearest to
    ``best``.
    """
    keep_mask = np.ones(sample.a.size, dtype=np.bool_)
    absent = np.flatnonzero(np.isnan(sample.a) & ~np.isnan(sample.b))
    order = np.argsort(np.abs(sample.b[absent] - best), kind="stable")
    keep_mask[absent[order[after.tried :]]] = False
    return keep_mask


def _fillings(
    sample: PairedSample, after: _UnscoredItems
) -> tuple[PairedSample, PairedSample] | None:
    """Return the sample with missing scores all against the candidate, and all in its favor.

    None if nothing is missing.
    """
    lacking = int((~np.isnan(sample.a) & np.isnan(sample.b)).sum())
    if after.tried + lacking == 0:
        return None
    worst, best = sample.score_range
    if sample.lower_is_better:
        worst, best = best, worst
    against = replace(sample, b=np.where(_reached_items(sample, after, best), sample.b, np.nan))
    favor = replace(sample, b=np.where(_reached_items(sample, after, worst), sample.b, np.nan))
    return _filled(against, worst, best), _filled(favor, best, worst)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskEvidence:
    """Comparison on one task: on its shared items, and with missing ones filled in."""

    common: EvidenceInput
    """Comparison on shared items."""
    filled: tuple[EvidenceInput, EvidenceInput] | None
    """Comparisons with missing scores against the candidate, and in its favor; None if nothing is
    missing."""
    margin: float | None
    """Largest acceptable loss."""
    tuning: EValueTuning
    """Size for which e-values are optimal."""
    left: _UnscoredItems
    """Number of the baseline's items without a score of the candidate."""

    @property
    def pair(self) -> TaskComparison:
        """Return the comparison on the shared items."""
        return self.common.pair


def _planned(sample: PairedSample, question: GateQuestion) -> float:
    """Return the planned number of units; by default as many as the baseline has."""
    present = ~np.isnan(sample.b)
    items = int(present.sum())
    units = items
    if question.cluster is not None and question.cluster in sample.groups:
        units = int(np.unique(sample.groups[question.cluster].codes[present]).size)
    if question.items is None:
        return float(units)
    return question.items * units / max(items, 1)


def _check_planned(sample: PairedSample, question: GateQuestion) -> None:
    """Raise ParameterError for a growing run with more items than were planned."""
    n_items = int((~np.isnan(sample.a) | ~np.isnan(sample.b)).sum())
    if (
        question.monitoring == "sequential"
        and question.items is not None
        and n_items > question.items
    ):
        where = f" for {sample.task}" if sample.task else ""
        msg = (
            f"{arg('items', f'{question.items}')}: found {n_items:,} items{where}, more than "
            "planned. Set the planned total before the first look, and do not change it."
        )
        raise ParameterError(msg)


def _compared(sample: PairedSample, question: GateQuestion) -> EvidenceInput:
    pair = compare_sample(sample, question.compared)
    has_known_range = pair.score_range == (0.0, 1.0) or pair.threshold is not None
    graded = pair.counts is None and has_known_range and pair.estimate.kind == "independent"
    if question.monitoring == "fixed" or not graded:
        return EvidenceInput(pair, None)
    common = sample.shared()
    return EvidenceInput(pair, common.a - common.b)


def _in_units(sample: PairedSample) -> tuple[PairedSample, float]:
    """Return two values other than 0 and 1 as 0 and 1, and their distance."""
    low, high = sample.binary_values
    return sample.as_binary(), high - low


def look(sample: PairedSample, question: GateQuestion, unscored: int = 0) -> TaskEvidence:
    """Compare on one task. Raise DataError with the name of the task for unusable data.

    ``unscored`` are items on which the candidate ran without a score.
    """
    _check_planned(sample, question)
    margin = question.margin_of(sample.task)
    after = _unscored_masks(sample, question, unscored)
    try:
        sample, unit = _in_units(sample.on_scale(question.score_range))
        margin = None if margin is None else margin / unit
        common = _compared(sample, question)
        _refuse_missing(sample, question.missing, after)
        filled = _fillings(sample, after)
        pairs = None
        if filled is not None:
            pairs = (_compared(filled[0], question), _compared(filled[1], question))
    except DataError as error:
        if not sample.task or sample.task in str(error):
            raise
        raise error.within(sample.task) from error
    if margin is not None and common.pair.score_range == (0.0, 1.0) and margin >= 1:
        msg = (
            "margin must be in (0, 1) for scores from 0 to 1, such as 0.01 for 1 pp; got "
            f"{margin:g}"
        )
        raise ParameterError(msg)
    tuning = EValueTuning(
        max(_planned(sample, question), 1.0), question.psi, question.criteria.alpha
    )
    return TaskEvidence(common=common, filled=pairs, margin=margin, tuning=tuning, left=after)


def night_log_e(looked: TaskEvidence) -> LogEValues:
    """Return the e-values of this evaluation alone, for the worst values of missing scores."""
    common = log_e(looked.common, looked.margin, looked.tuning)
    if looked.filled is None:
        return common
    against, favor = (log_e(p, looked.margin, looked.tuning) for p in looked.filled)
    return cautious_log_e(common, against, favor)


def evidence_of(
    looked: TaskEvidence, question: GateQuestion, gathered: LogEValues | None
) -> tuple[GateEvidence, GateEvidence]:
    """Return the claims on the shared items, and for the worst values of missing scores."""
    if question.monitoring == "fixed":
        alpha = question.criteria.alpha
        common = fixed(looked.pair, looked.margin, alpha)
        if looked.filled is None:
            return common, common
        against, favor = (fixed(p.pair, looked.margin, alpha) for p in looked.filled)
        return common, cautious(common, against, favor)
    one, tuning = looked.common, looked.tuning
    own_evidence = anytime(night_log_e(looked), one, tuning, looked.filled or ())
    if gathered is None:
        return anytime(log_e(one, looked.margin, tuning), one, tuning), own_evidence
    history_evidence = anytime(gathered, one, tuning, looked.filled or ())
    sure = uncontradicted(history_evidence, own_evidence, looked.pair, looked.margin)
    return sure, sure


def _wanted(evidence: GateEvidence, *, better: bool) -> bool:
    return evidence.is_shown_better if better else evidence.is_shown_not_worse


def _min_items_to_pass(looked: TaskEvidence, question: GateQuestion) -> int | None:
    """Return the fewest items at which identical scores pass, if that is one number."""
    pair, margin = looked.pair, looked.margin
    if pair.threshold is not None:
        return _min_items_to_exceed(looked, question)
    if margin is None or question.goal_of(pair.task) == "superiority":
        return None
    if question.monitoring == "history" or pair.estimate.rests_on is not None:
        return None
    if question.monitoring == "fixed":
        is_cluster = pair.estimate.kind == "cluster"
        alpha = question.criteria.alpha
        return None if is_cluster else least_items(margin, width_of(pair), alpha)
    if not looked.common.bets or not 0 < margin < 1:
        return None
    return _first_passing(looked)


def _min_items_to_exceed(looked: TaskEvidence, question: GateQuestion) -> int | None:
    """Return the fewest items at which perfect scores exceed a threshold, if it is one number."""
    pair, margin = looked.pair, looked.margin
    if question.monitoring == "history" or pair.estimate.kind == "cluster":
        return None
    if question.monitoring == "fixed":
        target, alpha = target_of(pair, margin), question.criteria.alpha
        return ThresholdTest.of(pair).least_items(target, alpha)
    return _first_passing(looked) if looked.common.bets else None


def _first_passing(looked: TaskEvidence) -> int:
    """Return the fewest items at which bets on the best possible result show the claim."""

    def is_sufficient(n: float) -> bool:
        return identical_passes(looked.common, looked.margin, n, looked.tuning)

    high = 1.0
    while not is_sufficient(high):
        high *= 2
    return int(first_whole(is_sufficient, high // 2, high))


def _margin_least(looked: TaskEvidence, question: GateQuestion) -> float | None:
    """Return the smallest margin that can pass at one look if whole clusters may fail."""
    pair, clusters = looked.pair, looked.pair.estimate.whole_clusters
    if pair.threshold is not None:
        return None
    if clusters is None or looked.margin is None or question.monitoring != "fixed":
        return None
    if question.goal_of(pair.task) == "superiority":
        return None
    return float(margin_least(clusters, width=width_of(pair), alpha=question.criteria.alpha))


def _max_threshold(looked: TaskEvidence, question: GateQuestion) -> float | None:
    """Return the best score that a perfect candidate can be shown to exceed at one look."""
    pair, clusters = looked.pair, looked.pair.estimate.whole_clusters
    if clusters is None or pair.threshold is None or question.monitoring != "fixed":
        return None
    low, high = pair.score_range
    loss = float(margin_least(clusters, width=high - low, alpha=question.criteria.alpha))
    return low + loss if pair.lower_is_better else high - loss


def finished(
    looked: TaskEvidence,
    question: GateQuestion,
    claims: tuple[GateEvidence, GateEvidence],
    adjusted: tuple[float, float],
) -> TaskGate:
    """Return the verdict of one task, given its adjusted p-values of "not worse"."""
    common, worst_case = claims
    pair, margin, rule = looked.pair, looked.margin, question.criteria
    goal = question.goal_of(pair.task)
    better = goal == "superiority"
    seems, worse = (
        e.is_shown_worse_unadjusted and p <= rule.alpha
        for e, p in zip(claims, adjusted, strict=True)
    )
    answer: GateVerdict = judge_gate(
        meets_goal=_wanted(worst_case, better=better),
        worse=worse,
        within=worst_case.is_shown_not_worse,
    )
    common_verdict: GateVerdict = judge_gate(
        meets_goal=_wanted(common, better=better), worse=seems, within=common.is_shown_not_worse
    )
    once = question.monitoring == "fixed"
    return TaskGate(
        comparison=pair,
        goal=goal,
        margin=margin,
        is_guardrail=pair.task in question.guardrails,
        n_unreached=looked.left.unreached,
        n_items_planned=looked.left.of,
        evidence=worst_case,
        pvalue_worse_adjusted=adjusted[1],
        is_shown_worse=worse,
        verdict=answer,
        missing_items_decide=looked.filled is not None
        and answer == "inconclusive" != common_verdict,
        min_items_to_pass=_min_items_to_pass(looked, question),
        pass_probability=chance_of_pass(pair, goal, margin, rule) if once else None,
        needed_to_decide=settle(pair, goal, margin, rule)
        if once and answer == "inconclusive"
        else None,
        min_margin_to_pass=_margin_least(looked, question),
        max_threshold=_max_threshold(looked, question),
    )
