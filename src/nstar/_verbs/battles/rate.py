"""Rate models from votes: fit, errors, ranks, adjacent pairs, and other effects."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.findings import find
from nstar._data.votes import Votes
from nstar._engine.vote_sums import fitted
from nstar._engine.work import Execution, WorkerPool
from nstar._verbs.audit.family import align_with_test
from nstar._verbs.battles.chosen_pairs import LARGE_SHIFT, as_if_random, largest_shift
from nstar._verbs.battles.contrasts import (
    FEWEST_GROUPS,
    LEAST_DF,
    Contrasts,
    anytime_pvalues,
    contrasts,
    half_width,
)
from nstar._verbs.battles.design import VoteDesign, design_of, unrated_models
from nstar._verbs.battles.groupings import (
    FEW,
    FEW_DF,
    ParameterCovariance,
    groupings_of,
    independent,
    together,
)
from nstar._verbs.battles.misfit import misfit_of
from nstar._verbs.battles.next_votes import VoteState, next_votes, score_variance
from nstar._verbs.battles.question import BattlesQuestion
from nstar._verbs.battles.result import (
    ELO,
    MEAN,
    Battles,
    ChosenPairs,
    RatingGapTable,
    RatingTable,
    UnratedWhy,
    VoteEffect,
    WeightedWhy,
)
from nstar._verbs.verdict import (
    PAIR_STATES,
    UNDERPOWERED,
    VERDICT_OF_STATE,
    count_verdicts,
    judge_pairs,
)
from nstar.errors import DataError, InfeasibleError, arg
from nstar.stats.bradley_terry import direct_battles
from nstar.stats.confseq import FIRST_LOOK

_FEW_GROUPS: UnratedWhy = "few groups"
NEWCOMER = 10
"""Number of votes below which a rating is unreliable."""


def rate(votes: Votes, question: BattlesQuestion, execution: Execution) -> Battles:
    """Rate models, and find which of their differences the votes support."""
    votes, question = _by_one_name(votes, question)
    with execution.crew() as workers:
        result = _rate(votes, question, workers)
        if votes.probability is None or len(result) < 3:  # with one pair, one gap fits any votes
            return result
        return _with_chosen(result, votes, ~np.isnan(votes.probability), question, workers)


def _with_chosen(
    result: Battles,
    votes: Votes,
    is_chosen: BoolArray,
    question: BattlesQuestion,
    workers: WorkerPool,
) -> Battles:
    """Return the ratings, weighted as if pairs were random if the ratings depend on the pairs."""
    if not is_chosen.any():
        return result
    weighted = _rate(as_if_random(votes, is_chosen), question, workers)
    shift = largest_shift(result, weighted)
    because: WeightedWhy | None = None
    if result.lack_of_fit.n_significant:
        because = "lack of fit"
    elif shift > LARGE_SHIFT:
        because = "shift"
    chosen = ChosenPairs(
        n_votes=int(np.count_nonzero(is_chosen)), weighted_because=because, largest_shift=shift
    )
    return replace(result if because is None else weighted, chosen_pairs=chosen)


def _by_one_name(votes: Votes, question: BattlesQuestion) -> tuple[Votes, BattlesQuestion]:
    """Return each grouping once; a column may also have the name of a role, such as prompt."""
    name_by_codes: dict[int, str] = {}
    called = {
        name: name_by_codes.setdefault(id(g.codes), name) for name, g in votes.groups.items()
    }
    groups = {name: g for name, g in votes.groups.items() if called[name] == name}
    cluster = tuple(called.get(name, name) for name in question.cluster)
    return replace(votes, groups=groups), replace(question, cluster=cluster)


def _fitted(
    votes: Votes, question: BattlesQuestion, workers: WorkerPool
) -> tuple[VoteDesign, stats.VoteFit]:
    """Return the rows and their fit.

    The position effect is dropped if it determines votes and was not requested.
    """
    design = design_of(votes, question)
    try:
        return design, fitted(
            design.cells, ties=question.ties, prior=design.prior, workers=workers
        )
    except InfeasibleError:
        if question.position is not None or "position" not in design.effects:
            raise
    design = design_of(votes, replace(question, position=False))
    text = "the order of answers alone explains votes, as if the winner was always named first: "
    finding = find("one-order", f"{text}no position is estimated")
    design = replace(design, findings=(*design.findings, finding))
    return design, fitted(design.cells, ties=question.ties, prior=design.prior, workers=workers)


def _with_errors(
    votes: Votes, question: BattlesQuestion, workers: WorkerPool
) -> tuple[VoteDesign, stats.VoteFit, ParameterCovariance]:
    """Return the fit and its standard errors, without models whose error cannot be estimated."""
    reasons: dict[str, UnratedWhy] = {}
    now = votes
    while True:
        design, fit = _fitted(now, question, workers)
        reasons |= {u.model: u.reason for u in design.unrated}
        if not question.cluster:
            return design, fit, independent(design, fit)
        spread = together(design, fit, question.cluster, workers)
        names, has_few_groups = (
            design.votes.models,
            spread.df[: len(design.votes.models)] < LEAST_DF,
        )
        if not has_few_groups.any():
            unrated = unrated_models(votes, names, reasons)
            return replace(design, unrated=unrated), fit, spread
        reasons |= {names[k]: _FEW_GROUPS for k in np.flatnonzero(has_few_groups)}
        out = np.isin(now.models, [names[k] for k in np.flatnonzero(has_few_groups)])
        keep_mask = ~(out[now.first] | out[now.second])
        if not keep_mask.any():
            msg = (
                "No two models can be rated, because their votes come from too few or too "
                f"unequal groups. With {arg('cluster')}, fewer than {LEAST_DF:g} degrees of "
                "freedom remain."
            )
            raise DataError(msg)
        now = now.select(keep_mask)


def _rate(votes: Votes, question: BattlesQuestion, workers: WorkerPool) -> Battles:
    design, fit, spread = _with_errors(votes, question, workers)
    order = np.argsort(-fit.strengths, kind="stable")
    strengths, errors = fit.strengths[order], spread.of_strengths(order)
    if question.planned is not None:
        _refuse_early(design, spread)
    pair_contrasts = contrasts(strengths, errors, question, workers, votes=len(design.votes))
    words = judge_pairs(
        significant=pair_contrasts.significant,
        resolved=np.abs(pair_contrasts.gap)
        >= pair_contrasts.reach[pair_contrasts.fewer] * pair_contrasts.se,
    )
    met, scored = _meetings(design, order)
    effects = _effects(design, fit, spread, pair_contrasts, question)
    plain = None
    if question.control:
        plain = fitted(
            design.plain().cells, ties=question.ties, prior=design.prior, workers=workers
        )
    ratings = _ratings(design, order, (strengths, errors.cov), pair_contrasts, question, plain)
    state = VoteState(
        models=ratings.model,
        strengths=strengths,
        inverse=_inverse(fit, order),
        cov=errors.cov,
        log_tie=fit.log_tie,
        met=met,
    )
    return Battles(
        n_votes=len(votes),
        n_models=len(votes.models),
        tie_share=float(np.count_nonzero(votes.score == 0.5) / len(votes)),
        n_both_bad=votes.both_bad,
        ties=question.ties,
        elo_scale=question.scale,
        anchor=question.anchor,
        prior=design.prior,
        criteria=question.criteria,
        confidence_level=1 - question.criteria.alpha,
        cluster=question.cluster,
        df=pair_contrasts.typical_df if question.cluster else None,
        n_votes_planned=question.planned,
        adjust=pair_contrasts.method,
        adjust_reason=pair_contrasts.why,
        critical_value=pair_contrasts.critical if math.isfinite(pair_contrasts.critical) else None,
        n_draws=pair_contrasts.draws,
        seed=question.seed,
        ratings=ratings,
        unrated=design.unrated,
        adjacent=_neighbors(design, fit, order, pair_contrasts, words, (met, scored)),
        verdict_counts=count_verdicts(np.bincount(words, minlength=len(PAIR_STATES)).tolist()),
        n_underpowered=int(np.count_nonzero(words == UNDERPOWERED)),
        n_pairs=len(pair_contrasts.pairs),
        groupings=()
        if question.ranks_only
        else groupings_of(design, fit, question, (spread, pair_contrasts), workers),
        position_effect=effects.pop("position", None),
        control_effects=tuple(effects.values()),
        log_tie=fit.log_tie,
        lack_of_fit=misfit_of(design, fit, question.criteria.alpha),
        findings=(*design.findings, *_newcomers(ratings)),
        caution=_caution(design, spread),
        next_votes=None
        if question.next is None
        else next_votes(votes, state, design.unrated, pair_contrasts, question),
        strengths=strengths,
        covariance=errors.cov,
        pair_votes=met,
        pair_scores=scored,
        contrasts=pair_contrasts,
    )


def _refuse_early(design: VoteDesign, spread: ParameterCovariance) -> None:
    """Raise DataError if the votes or groups are too few for a result at every look."""
    if len(design.votes) < FIRST_LOOK:
        msg = (
            f"{arg('planned')} needs at least {FIRST_LOOK} votes between rated models; "
            f"found {len(design.votes)}. Try again with more votes."
        )
        raise DataError(msg)
    if spread.groups is not None and spread.groups < FEWEST_GROUPS:
        msg = (
            f"{arg('planned')} needs at least {FEWEST_GROUPS} groups of votes; found "
            f"{spread.groups}. Remove {arg('planned')} and analyze once, at the end."
        )
        raise DataError(msg)


def _caution(design: VoteDesign, spread: ParameterCovariance) -> str | None:
    if spread.groups is None:
        return None
    if spread.groups < FEW:
        return (
            f"with {spread.groups} groups of votes, errors are a rough guide; {FEW} or more are "
            "better"
        )
    names = design.votes.models
    few_groups = np.flatnonzero(spread.df[: len(names)] < FEW_DF)
    if not few_groups.size:
        return None
    models_text = (
        f"{few_groups.size:,} of {len(names):,} models"
        if few_groups.size > 1
        else names[few_groups[0]]
    )
    return (
        f"errors of {models_text} are a rough guide: most of their votes come from a few "
        "groups, which "
        f"leaves fewer than {FEW_DF:g} degrees of freedom"
    )


def _newcomers(ratings: RatingTable) -> list[Any]:
    new = [n for n, k in zip(ratings.model, ratings.n_votes.tolist(), strict=True) if k < NEWCOMER]
    if not new:
        return []
    text = (
        f"{len(new)} of {len(ratings)} models have fewer than {NEWCOMER} votes, such as {new[0]}"
    )
    return [find("newcomers", text)]


def _meetings(design: VoteDesign, order: IntArray) -> tuple[IntArray, Array]:
    """Return the votes between models and the score of the row, in the order of the ratings."""
    votes, m = design.votes, len(design.votes.models)
    place = votes.first.astype(np.int64) * m + votes.second
    count = np.bincount(place, minlength=m * m).reshape(m, m)
    score = np.bincount(place, weights=votes.score, minlength=m * m).reshape(m, m)
    total = count + count.T
    with np.errstate(invalid="ignore"):
        share = (score + count.T - score.T) / total
    return total[np.ix_(order, order)], share[np.ix_(order, order)]


def _effects(
    design: VoteDesign,
    fit: stats.VoteFit,
    spread: ParameterCovariance,
    pair_contrasts: Contrasts,
    question: BattlesQuestion,
) -> dict[str, VoteEffect]:
    m = len(design.votes.models)
    test = stats.StudentTest(alpha=pair_contrasts.rule.alpha, power=pair_contrasts.rule.power)
    out = {}
    for k, name in enumerate(design.effects):
        value, se = float(fit.effects[k]), float(spread.cov[m + k, m + k]) ** 0.5
        df = spread.df[m + k]
        half = float(half_width(pair_contrasts.level, df)) * se
        low, high = value - half, value + half
        p = test.pvalue(value / se, df)
        if question.planned is not None:
            p = anytime_pvalues(np.array(value), np.array(se), df, question, len(design.votes))
        out[name] = VoteEffect(
            name=name,
            elo=ELO * value,
            ci_low=ELO * low,
            ci_high=ELO * high,
            pvalue=float(p),
            covariate_sd=None if name == "position" else float(design.units[k]),
        )
    return out


def _scaled(
    names: tuple[str, ...], strengths: Array, cov: Array, question: BattlesQuestion
) -> tuple[Array, Array]:
    """Return ratings in Elo points, and the standard errors of their distance from the anchor."""
    if question.anchor is None:
        return MEAN + ELO * strengths, ELO * np.sqrt(np.diagonal(cov))
    name, value = question.anchor
    if name not in names:
        msg = f"{arg('anchor')} is {name!r:.60}, which is not a rated model."
        raise DataError(msg)
    k = names.index(name)
    variance = np.diagonal(cov) + cov[k, k] - 2 * cov[k]
    return value + ELO * (strengths - strengths[k]), ELO * np.sqrt(np.maximum(variance, 0))


def _ratings(
    design: VoteDesign,
    order: IntArray,
    at: tuple[Array, Array],
    pair_contrasts: Contrasts,
    question: BattlesQuestion,
    plain: stats.VoteFit | None,
) -> RatingTable:
    votes, models = design.votes, len(order)
    names = tuple(votes.models[k] for k in order)
    rating, se = _scaled(names, *at, question)
    df = pair_contrasts.df
    if question.anchor is not None:
        df = np.minimum(df, df[names.index(question.anchor[0])])
    half = half_width(pair_contrasts.level, df) * se
    better = pair_contrasts.better(models)
    low, high = stats.rank_sets(better)
    lines = stats.tier_lines(better, np.arange(models))
    tier = 1 + np.searchsorted(np.asarray(lines, np.int64), np.arange(models), side="right")
    wins, ties, losses = (_tally(votes, models, s)[order] for s in (1, 0, -1))
    foes = np.zeros((models, models), np.bool_)
    foes[votes.first, votes.second] = foes[votes.second, votes.first] = True
    return RatingTable(
        model=names,
        rating=rating,
        ci_low=rating - half,
        ci_high=rating + half,
        rank=_places(at[0]),
        rank_low=low,
        rank_high=high,
        tier=tier.astype(np.int64),
        n_votes=wins + ties + losses,
        n_opponents=foes.sum(axis=1)[order],
        n_wins=wins,
        n_ties=ties,
        n_losses=losses,
        uncontrolled_rating=None
        if plain is None
        else _scaled(names, plain.strengths[order], np.zeros((len(order),) * 2), question)[0],
        uncontrolled_rank=None if plain is None else _places(plain.strengths[order]),
        df=pair_contrasts.df if question.cluster else None,
    )


def _places(strengths: Array) -> IntArray:
    """Return ranks, 1 for the largest; equal values share the better rank."""
    ascending = np.sort(strengths)
    above = len(ascending) - np.searchsorted(ascending, strengths, side="right")
    return np.asarray(above + 1, dtype=np.int64)


def _tally(votes: Votes, models: int, side: int) -> IntArray:
    """Return the votes that each model won (1), tied (0), or lost (-1).

    Graded ones by their sign.
    """
    lean = np.sign(votes.score - 0.5)
    out = np.bincount(votes.first[lean == side], minlength=models)
    return out + np.bincount(votes.second[lean == -side], minlength=models)


def adjusted_interval(pair_contrasts: Contrasts, indices: IntArray) -> tuple[Array, Array]:
    """Return intervals of some gaps that agree with the verdicts, in log odds.

    They are simultaneous by Bonferroni's inequality, except those of pairs that only a later step
    rejects: these have the level of the last step.
    """
    gap, significant = pair_contrasts.gap[indices], pair_contrasts.significant[indices]
    first = min(pair_contrasts.rule.alpha / len(pair_contrasts.pairs), pair_contrasts.threshold)
    later = significant & (pair_contrasts.p[indices] > first)
    level = np.where(later, pair_contrasts.threshold, first)
    df = pair_contrasts.df[pair_contrasts.fewer[indices]]
    half = -np.asarray(stats.t_quantile(level / 2, df)) * pair_contrasts.se[indices]
    return align_with_test(gap - half, gap + half, gap, significant)


def _neighbors(
    design: VoteDesign,
    fit: stats.VoteFit,
    order: IntArray,
    pair_contrasts: Contrasts,
    words: Any,
    met: tuple[IntArray, Array],
) -> RatingGapTable:
    """Return adjacent pairs with all statistics."""
    names, n = design.votes.models, len(design.votes)
    indices = np.flatnonzero(pair_contrasts.pairs[:, 1] - pair_contrasts.pairs[:, 0] == 1)
    i, j = pair_contrasts.pairs[indices].T
    gap, se, fewer = (
        pair_contrasts.gap[indices],
        pair_contrasts.se[indices],
        pair_contrasts.fewer[indices],
    )
    half, reach = pair_contrasts.half[fewer] * se, pair_contrasts.reach[fewer]
    low, high = adjusted_interval(pair_contrasts, indices)
    with np.errstate(divide="ignore", invalid="ignore"):
        growth = np.asarray(pair_contrasts.test.growth(gap / se, pair_contrasts.df[fewer]))
    expected = special.expit(gap) if fit.log_tie is None else _davidson_score(gap, fit.log_tie)
    return RatingGapTable(
        model_a=tuple(names[order[k]] for k in i),
        model_b=tuple(names[order[k]] for k in j),
        elo=ELO * gap,
        ci_adjusted_low=ELO * low,
        ci_adjusted_high=ELO * high,
        ci_unadjusted_low=ELO * (gap - half),
        ci_unadjusted_high=ELO * (gap + half),
        expected_score=expected,
        n_votes=met[0][i, j],
        observed_score=met[1][i, j],
        pvalue=pair_contrasts.p[indices],
        pvalue_adjusted=pair_contrasts.p_adjusted[indices],
        significant_gap=ELO * half_width(pair_contrasts.threshold, pair_contrasts.df[fewer]) * se,
        mde=ELO * reach * se,
        q=1 / growth,
        n_star=np.ceil(n * growth),
        more_direct_votes=_direct(fit, order[pair_contrasts.pairs[indices]], gap, se, reach),
        verdict=tuple(VERDICT_OF_STATE[k] for k in words[indices]),
        is_underpowered=words[indices] == UNDERPOWERED,
    )


def _davidson_score(gap: Array, log_tie: float) -> Array:
    win, tie, _ = stats.davidson_probabilities(gap, log_tie)
    return win + tie / 2


def _inverse(fit: stats.VoteFit, order: IntArray) -> Array:
    """Return the inverse information of the strengths, in the order of the ratings."""
    inverse = stats.information_inverse(fit.information, models=len(order))
    return inverse[np.ix_(order, order)]


def _direct(fit: stats.VoteFit, pairs: IntArray, gap: Array, se: Array, reach: Array) -> Array:
    """Return the votes between two adjacent models that detect their gap.

    Infinite at a gap of 0.
    """
    bread = stats.information_inverse(fit.information, models=len(fit.strengths))
    between = stats.resistance(bread, pairs=pairs)
    out = np.full(gap.size, np.inf)
    ok = (np.abs(gap) > 0) & (se > 0)
    out[ok] = np.ceil(
        direct_battles(
            np.abs(gap[ok]),
            between[ok],
            information=score_variance(gap[ok], fit.log_tie),
            reach=reach[ok],
            inflation=np.square(se[ok]) / between[ok],
        )
    )
    return out
