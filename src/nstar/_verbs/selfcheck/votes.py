"""Evaluate reference values for votes between models: strengths, errors, and sample sizes."""

from functools import partial
from typing import Any, Literal

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array
from nstar._verbs.selfcheck.reference import Evaluator, Inputs
from nstar.stats._next_votes import decision_weights, sandwich_ratio, vote_benefits
from nstar.stats._vote_corrections import (
    adjusted_cluster_meat,
    cluster_df,
    leverage_meat,
    pseudo_vote_meat,
)
from nstar.stats.bradley_terry import bradley_terry_sums
from nstar.stats.critical import normal_equivalent
from nstar.stats.vote_errors import vote_sandwich


def _rows(x: Inputs) -> stats.VoteRows:
    """Return the votes of a matrix of wins (row against column) and a matrix of ties."""
    wins = np.asarray(x["wins"])
    ties = np.asarray(x.get("ties", np.zeros_like(wins)))
    first, second = np.concatenate([np.nonzero(wins), np.nonzero(ties)], axis=1)
    weight = np.concatenate([wins[wins > 0], ties[ties > 0]])
    score = np.repeat([1.0, 0.5], [np.count_nonzero(wins), np.count_nonzero(ties)])
    rows = stats.VoteRows.of(first, second, score, models=len(wins), weight=weight)
    # equal votes, not one weighted vote
    return stats.VoteRows(
        first=rows.first,
        second=rows.second,
        score=rows.score,
        weight=rows.weight,
        squares=rows.weight,
        covariates=rows.covariates,
        models=rows.models,
    )


def _over_first(matrix: Array, models: int) -> Array:
    """Return the covariance of strengths relative to the first, and of other parameters."""
    turn = np.eye(len(matrix))[1:]
    turn[: models - 1, 0] = -1
    return np.asarray(turn @ matrix @ turn.T)


def _errors(matrix: Array, models: int) -> Array:
    return np.sqrt(np.diagonal(_over_first(matrix, models)))


def _less_first(fit: stats.VoteFit) -> Array:
    return fit.strengths[1:] - fit.strengths[0]


def _bare(fit: stats.VoteFit) -> Array:
    models = fit.strengths.size
    return _errors(stats.information_inverse(fit.information, models=models), models)


def _robust(rows: stats.VoteRows, fit: stats.VoteFit) -> Array:
    return _errors(stats.vote_covariance(rows, fit).matrix, rows.models)


def _bradley_terry(x: Inputs) -> Any:
    rows = _rows(x)
    fit = stats.bradley_terry_fit(rows)
    return {"beta": _less_first(fit), "se": _bare(fit), "se_sandwich": _robust(rows, fit)}


def _davidson(x: Inputs) -> Any:
    fit = stats.davidson_fit(_rows(x))
    return {"beta": _less_first(fit), "log_nu": fit.log_tie, "se": _bare(fit)}


def _round_robin(x: Inputs) -> Any:
    first, second = np.triu_indices(x["M"], 1)
    weight = np.full(first.size, float(x["n_per_pair"]))
    score = np.full(first.size, x["p"])
    rows = stats.VoteRows.of(first, second, score, weight=weight)
    sums = bradley_terry_sums(rows, np.zeros(x["M"]))
    inverse = stats.information_inverse(sums.information, models=x["M"])
    return stats.resistance(inverse, pairs=[[0, 1]])[0]


def _battles(x: Inputs) -> Any:
    """Return votes without ties, and a Wald test of the logit in addition to the score test."""
    elo, level = x["elo_gap"], {"alpha": x["alpha"], "power": x["power"]}
    p = stats.score_from_elo(elo)
    wald = (stats.k_factor(x["alpha"], x["power"]) / special.logit(p)) ** 2 / (p * (1 - p))
    return {"p": p, "n_score": stats.battles_n_star(elo, **level), "n_wald_logit": wald}


def _battles_ties(x: Inputs) -> Any:
    """Return the decisive votes needed, and the additional votes due to ties."""
    elo, ties = x["elo_gap_decisive"], x["tie_rate"]
    return {
        "n_decisive_only": stats.battles_n_star(elo) / (1 - ties),
        "n_connor": stats.battles_n_star(elo, ties=ties, scale="decisive"),
    }


def _votes(x: Inputs) -> stats.VoteRows:
    """Return single votes, with weights if the value refers to them."""
    d = x["data"]
    weight = d["weight"] if x.get("weights") else None
    return stats.VoteRows.of(
        d["first"], d["second"], d["score"], models=d["models"], weight=weight
    )


def _strengths(x: Inputs) -> Any:
    return stats.bradley_terry_fit(_votes(x)).strengths


def _by_judge(x: Inputs, *, cr: Literal[2, 3]) -> Any:
    """Return standard errors of gaps, then their degrees of freedom."""
    rows, judge, pairs = _votes(x), x["data"]["judge"], np.asarray(x["pairs"])
    fit = stats.bradley_terry_fit(rows)
    meat = adjusted_cluster_meat(rows, fit, judge, cr=cr)
    cov = vote_sandwich(fit.information, meat, models=rows.models)
    one = np.eye(rows.models)
    gaps = one[:, pairs[:, 0]] - one[:, pairs[:, 1]]
    df = cluster_df(rows, fit, judge, gaps, cr=cr)
    return np.concatenate([np.sqrt(stats.resistance(cov, pairs=pairs)), df])


def _with_floor(x: Inputs, *, hc: Literal[2, 3], cells: bool = False) -> Any:
    """Return standard errors of gaps from single votes, or from counts of equal votes."""
    rows = stats.vote_cells(_votes(x)) if cells else _votes(x)
    fit = stats.bradley_terry_fit(rows)
    meat = leverage_meat(rows, fit, hc=hc)
    meat = meat + pseudo_vote_meat(rows, fit, pseudo_votes=x["pseudo_votes"])
    cov = vote_sandwich(fit.information, meat, models=rows.models)
    return np.sqrt(stats.resistance(cov, pairs=x["pairs"]))


def _kish_df(x: Inputs) -> Any:
    """Return degrees of freedom by the effective number of votes of both models."""
    d = x["data"]
    ends, weight = np.concatenate([d["first"], d["second"]]), np.tile(d["weight"], 2)
    votes = np.bincount(ends, weights=weight) ** 2 / np.bincount(ends, weights=weight**2)
    i, j = np.asarray(x["pairs"]).T
    return 2 / (1 / votes[i] + 1 / votes[j]) - 1


def _next(x: Inputs) -> tuple[Array, float]:
    """Return the benefit of a block of votes on each pair, and the ratio of variances."""
    rows = _votes(x)
    fit = stats.bradley_terry_fit(rows)
    inverse = stats.information_inverse(fit.information, models=rows.models)
    ratio = sandwich_ratio(stats.vote_covariance(rows, fit).matrix, inverse)
    order = np.argsort(-fit.strengths)
    adjacent = np.stack([order[:-1], order[1:]], axis=1)
    gap = fit.strengths[adjacent[:, 0]] - fit.strengths[adjacent[:, 1]]
    se = np.sqrt(ratio * stats.resistance(inverse, pairs=adjacent))
    weights = decision_weights(gap, se, 1.959964)
    p = special.expit(fit.strengths[:, None] - fit.strengths)
    benefit = vote_benefits(inverse, adjacent, weights, p * (1 - p), x.get("block", 10))
    return benefit[np.triu_indices(rows.models, 1)], ratio


EVALUATORS: dict[str, Evaluator] = {
    "pref.bt": _bradley_terry,
    "pref.bt_halfties": lambda x: _less_first(stats.bradley_terry_fit(_rows(x))),
    "pref.davidson": _davidson,
    "pref.roundrobin_var": _round_robin,
    "pref.battles": _battles,
    "pref.battles_ties": _battles_ties,
    "votes.bt3": _strengths,
    "votes.cr2": partial(_by_judge, cr=2),
    "votes.cr3": partial(_by_judge, cr=3),
    "votes.bm_sizes": lambda x: stats.bell_mccaffrey_df(
        np.unique(x["data"]["judge"], return_counts=True)[1]
    ),
    "votes.hc2_floor": partial(_with_floor, hc=2),
    "votes.hc3_floor": partial(_with_floor, hc=3),
    "votes.hc3_floor_counts": partial(_with_floor, hc=3, cells=True),
    "votes.kish_df": _kish_df,
    "next.benefit": lambda x: _next(x)[0],
    "next.ratio": lambda x: (_next(x)[1], int(_next(x)[0].argmax())),
    "votes.z_equivalent": lambda x: normal_equivalent(x["t"], x["df"]),
}
