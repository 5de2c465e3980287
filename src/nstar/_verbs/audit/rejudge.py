"""Recompute an audit for another level, power, or policy.

The statistics of the scores are stored, so only the rules are applied again.
"""

from dataclasses import replace
from typing import Any

from nstar._base.parameter_types import Adjust
from nstar._verbs.audit.pair_analysis import PairAnalysis
from nstar._verbs.audit.pairs import PairSetting
from nstar._verbs.audit.ranking import ranking
from nstar._verbs.audit.result import Audit
from nstar._verbs.audit.run import in_full
from nstar._verbs.audit.selection import RankedModels, select_models
from nstar._verbs.audit.sensitivity import ReadingPvalues, reading_pvalues, undecided_again
from nstar._verbs.audit.tables import RankTable
from nstar._verbs.verdict import Criteria

_MAX_MODELS_REJUDGED = 300
"""Largest number of models for which the sensitivity analysis is recomputed."""


def readings_of(result: Audit) -> ReadingPvalues:
    """Return the p-values of all pairs under other groupings.

    The result is empty for many models or for an average.
    """
    if len(result.tasks) > 1 or result.matrix is None or result.survey is None:
        return {}
    if len(result) > _MAX_MODELS_REJUDGED:
        return {}
    return reading_pvalues(select_models(result.matrix, result.ranking.model, result.item_set))


def setting_of(result: Audit, analysis: PairAnalysis, rule: Criteria) -> PairSetting:
    """Return the settings that all pairs of an audit share, under some criteria."""
    task = result.tasks[0]
    return PairSetting(
        names=result.ranking.model,
        design=analysis.panel.design,
        criteria=rule,
        limits=task.score_range,
        offset=getattr(getattr(analysis.panel, "block", None), "offset", 0.0),
        counting=analysis.counting,
        delta=task.delta,
    )


def judged_again(
    result: Audit,
    rule: Criteria,
    adjust: Adjust,
    score: float | None,
    *,
    simulate_marginal: bool = False,
    ranks: RankTable | None = None,
    readings: ReadingPvalues | None = None,
) -> Audit:
    """Return the ranking and adjacent pairs under other rules, with other fields unchanged.

    Parameters
    ----------
    result : Audit
        An audit that stores its pairs.
    rule : Criteria
        Level and power; two-sided.
    adjust : {"maxt", "holm", "bonferroni", "bh", "none"}
        Adjustment of verdicts for multiple comparisons.
    score : float or None
        Normal score that max-T requires at this level (:meth:`PairAnalysis.max_t_scores`). If it
        is None, Holm's method is used.
    simulate_marginal : bool, default False
        Whether to also simulate the rank range of each model alone, which takes most of the time.
    ranks : RankTable, optional
        The ranking if it is known, because it depends only on the level.
    readings : ReadingPvalues, optional
        p-values under other groupings of the items (:func:`readings_of`). Without them, the number
        of pairs that would be inconclusive under other groupings is unknown.
    """
    if result.survey is None:
        msg = "This audit does not contain its pairs. Run it again from the scores."
        raise ValueError(msg)
    analysis = result.survey.under(rule, adjust, score)
    used, r = analysis.adjust(adjust), result.ranking
    setting = setting_of(result, analysis, rule)
    ranked = RankedModels(
        names=r.model, means=r.mean, counts=r.n_items, better=analysis.counting.better
    )
    if ranks is None:
        ranks = ranking(
            analysis,
            ranked,
            setting.limits,
            rule.alpha,
            result.seed,
            simulate_marginal=simulate_marginal,
        )
    changed: dict[str, Any] = {
        "criteria": rule,
        "adjust": used,
        "adjust_reason": None if used == adjust else str(analysis.step),
        "rank_method": analysis.rank_method,
        "critical_value": analysis.critical(),
        "interval_alpha": analysis.counting.interval,
        "n_draws": analysis.drawn,
        "ranking": ranks,
        "adjacent": in_full(analysis, analysis.adjacent(), used, setting),
        "survey": analysis,
    }
    if len(result.tasks) > 1:
        return replace(result, **changed)
    task = result.tasks[0]
    changed["confidence_level"] = 1 - rule.alpha
    same = rule.alpha == result.criteria.alpha and used == result.adjust
    if readings or not same:
        sensitivity = undecided_again(task.sensitivity, readings or {}, rule, adjust)
        changed["sensitivity"] = tuple(sensitivity)
    return Audit.of_task(replace(task, **changed), result.findings)
