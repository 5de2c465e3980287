"""Reference values for votes between models: strengths and their errors."""

from typing import Any

import numpy as np

from nstar import stats
from nstar._base.types import Array
from nstar._verbs.selfcheck.reference import Evaluator, Inputs


def _rows(x: Inputs) -> stats.VoteRows:
    """Votes of a matrix of wins, row against column, and one of ties above its diagonal."""
    wins = np.asarray(x["wins"])
    ties = np.asarray(x.get("ties", np.zeros_like(wins)))
    first, second = np.concatenate([np.nonzero(wins), np.nonzero(ties)], axis=1)
    weight = np.concatenate([wins[wins > 0], ties[ties > 0]])
    score = np.repeat([1.0, 0.5], [np.count_nonzero(wins), np.count_nonzero(ties)])
    rows = stats.VoteRows.of(first, second, score, models=len(wins), weight=weight)
    # so many votes alike, not one of that weight
    return stats.VoteRows(
        first=rows.first,
        second=rows.second,
        score=rows.score,
        weight=rows.weight,
        squares=rows.weight,
        covariates=rows.covariates,
        models=rows.models,
    )


def _votes(x: Inputs, covariates: Any = None) -> stats.VoteRows:
    d = x["data"]
    return stats.VoteRows.of(d["a"], d["b"], d["y"], covariates=covariates)


def _over_first(matrix: Array, models: int) -> Array:
    """The same covariance of strengths less the first's, and of what follows them."""
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


def _half_ties(x: Inputs) -> Any:
    return _less_first(stats.bradley_terry_fit(_rows(x)))


def _davidson(x: Inputs) -> Any:
    fit = stats.davidson_fit(_rows(x) if "wins" in x else _votes(x))
    beta = _less_first(fit)
    found = {"beta": beta, "beta_minus_first": beta, "log_nu": fit.log_tie}
    return found | {"se": _bare(fit)}


def _round_robin(x: Inputs) -> Any:
    first, second = np.triu_indices(x["M"], 1)
    weight = np.full(first.size, float(x["n_per_pair"]))
    score = np.full(first.size, x["p"])
    rows = stats.VoteRows.of(first, second, score, weight=weight)
    sums = stats.bradley_terry_sums(rows, np.zeros(x["M"]))
    inverse = stats.information_inverse(sums.information, models=x["M"])
    return stats.resistance(inverse, pairs=[[0, 1]])[0]


def _uncorrected(rows: stats.VoteRows, fit: stats.VoteFit, *groups: Any) -> Array:
    """V₁, or V₁ + V₂ - V₁₂, without the factor G / (G - 1)."""
    meats = [stats.cluster_meat(rows, fit, g) for g in groups]
    if len(groups) == 2:
        both = np.unique(np.stack(groups), axis=1, return_inverse=True)[1]
        meats.append(-stats.cluster_meat(rows, fit, both))
    return stats.vote_sandwich(fit.information, np.sum(meats, axis=0), models=rows.models)


def _clustered(x: Inputs) -> Any:
    rows, d = _votes(x), x["data"]
    fit = stats.bradley_terry_fit(rows)
    one = _uncorrected(rows, fit, d["cluster1"])
    corrected = stats.vote_covariance(rows, fit, clusters=(d["cluster1"],)).matrix
    two = _uncorrected(rows, fit, d["cluster1"], d["cluster2"])
    return {
        "beta_minus_first": _less_first(fit),
        "se_hc0": _robust(rows, fit),
        "se_cluster1": _errors(one, rows.models),
        "se_cluster1_cr1": _errors(corrected, rows.models),
        "se_twoway": _errors(two, rows.models),
        "cov_cluster1": _over_first(one, rows.models),
    }


def _decisive(x: Inputs) -> Any:
    d = {name: np.asarray(values) for name, values in x["data"].items()}
    kept = d["y"] != 0.5
    rows = _votes({"data": {name: values[kept] for name, values in d.items()}})
    fit = stats.bradley_terry_fit(rows)
    return {
        "beta_minus_first": _less_first(fit),
        "se": _bare(fit),
        "se_hc0": _robust(rows, fit),
    }


def _style(x: Inputs) -> Any:
    rows = _votes(x, covariates=x["data"]["z"])
    fit = stats.bradley_terry_fit(rows)
    clustered = _uncorrected(rows, fit, x["data"]["cluster1"])
    return {
        "coef": np.concatenate([_less_first(fit), fit.effects]),
        "se_hc0": _robust(rows, fit),
        "se_cluster1": _errors(clustered, rows.models),
    }


def _resistance(x: Inputs) -> Any:
    fit = stats.bradley_terry_fit(_votes(x))
    inverse = stats.information_inverse(fit.information, models=fit.strengths.size)
    between = stats.resistance(inverse, pairs=[x["pair"]])[0]
    i, j = x["pair"]
    p = 1 / (1 + np.exp(fit.strengths[j] - fit.strengths[i]))
    return {
        "resistance": between,
        "direct_info_per_battle": p * (1 - p),
        "direct_battles_needed": stats.direct_battles(
            x["delta_logit"], between, information=p * (1 - p), reach=x["K"]
        ),
    }


def _connectivity(x: Inputs) -> Any:
    label, above = stats.strong_components(_rows(x))
    parts = [np.flatnonzero(label == c).tolist() for c in range(len(above))]
    undefeated = [m for c, part in enumerate(parts) if not above[:, c].any() for m in part]
    return {
        "strong_components": parts,
        "mle_exists": len(parts) == 1,
        "undefeated": undefeated,
    }


EVALUATORS: dict[str, Evaluator] = {
    "pref.bt": _bradley_terry,
    "pref.bt_halfties": _half_ties,
    "pref.davidson": _davidson,
    "pref.roundrobin_var": _round_robin,
}

NEXT: dict[str, Evaluator] = {
    "battles.bt_decisive": _decisive,
    "battles.bt_half": _clustered,
    "battles.connectivity": _connectivity,
    "battles.davidson": _davidson,
    "battles.resistance": _resistance,
    "battles.style": _style,
}
"""Those of the second reference file, which the wheel does not carry."""
