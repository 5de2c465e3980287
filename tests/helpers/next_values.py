"""How nstar computes the values of golden_next.json that no installation carries."""

import math
from typing import Any

import numpy as np

from nstar import stats
from nstar._base.types import Array
from nstar._verbs.selfcheck.judges import _interval
from nstar._verbs.selfcheck.reference import Evaluator, Inputs
from nstar._verbs.selfcheck.votes import (
    _bare,
    _errors,
    _less_first,
    _over_first,
    _robust,
    _rows,
)
from nstar.stats.bradley_terry import direct_battles
from nstar.stats.vote_errors import _cluster_meat, vote_sandwich

__all__ = ["EVALUATORS"]


def _columns(x: Inputs) -> tuple[Array, Array]:
    """Labels with nothing where there is none, and the judge's scores."""
    labels, rest = np.asarray(x["D"], np.float64), np.asarray(x["f_unlabelled"], np.float64)
    truth = np.append(labels, np.full(rest.size, np.nan))
    return truth, np.append(x["f_labelled"], rest)


def _regression(x: Inputs) -> Any:
    found = stats.judge_corrected(*_columns(x))
    below = found.slope * (found.items - found.labels) / found.items
    plain = stats.prediction_powered(x["D"], x["f_labelled"], x["f_unlabelled"], weight=below)
    return {
        "lam_all": found.slope,
        "lam_unlabelled": below,
        "estimate": found.estimate,
        "se_z": plain.se,
        "ci_z": _interval(plain),
    }


def _ppi_py(x: Inputs) -> Any:
    found = stats.prediction_powered(x["D"], x["f_labelled"], x["f_unlabelled"])
    return {"estimate": found.estimate, "ci": _interval(found)}


def _default(x: Inputs) -> Any:
    truth, judged = _columns(x["data"])
    found = stats.judge_corrected(truth, judged)
    sums = stats.cluster_sums(stats.judge_influence(truth, judged), np.arange(truth.size) % 40)
    clustered = stats.cluster_variance(sums.sums, sums.sizes, kind="CR1")
    return {
        "estimate": found.estimate,
        "se": found.se,
        "df": found.df,
        "se_cluster_cr1": np.sqrt(clustered),
    }


def _cells(x: Inputs) -> Any:
    cell, counts = np.asarray(x["cell_labelled"]), np.asarray(x["cell_all_counts"])
    rest = np.repeat(np.arange(counts.size), counts - np.bincount(cell, minlength=counts.size))
    truth = np.append(np.asarray(x["D"], np.float64), np.full(rest.size, np.nan))
    found = stats.judge_cells(truth, np.append(cell, rest))
    return {"estimate": found.estimate, "var_within": found.variance}


def _rogan_gladen(x: Inputs) -> Any:
    names = ("true_pos", "positives", "true_neg", "negatives")
    found = stats.rogan_gladen(x["judged_pass"], x["N"], **{name: x[name] for name in names})
    return {"theta": found.rate, "se": found.se, "clipped": found.clipped}


def _naive(x: Inputs) -> Any:
    a, b = (
        stats.judged_rate(x[f"p{m}"], miss=x[f"miss{m}"], false_pass=x[f"falsepass{m}"])
        for m in "AB"
    )
    return a - b


def _labels(x: Inputs) -> Any:
    asked: dict[str, Any] = {"sigma": x["sigma_D"], "alpha": x["alpha"], "power": x["power"]}
    with_judge, alone = (
        stats.labels_needed(x["delta"], r=r, judged=judged, method="z", **asked)
        for r, judged in ((x["r"], x["T_judged"]), (0.0, np.inf))
    )
    return {"labels": with_judge, "no_judge": alone}


def _share(x: Inputs) -> Any:
    share = stats.label_share(x["r"], cost_label=x["cost_human"], cost_judge=x["cost_judge"])
    return {"n_over_T": share}


def _votes(x: Inputs, covariates: Any = None) -> stats.VoteRows:
    d = x["data"]
    return stats.VoteRows.of(d["a"], d["b"], d["y"], covariates=covariates)


def _uncorrected(rows: stats.VoteRows, fit: stats.VoteFit, *groups: Any) -> Array:
    """V₁, or V₁ + V₂ - V₁₂, without the factor G / (G - 1)."""
    meats = [_cluster_meat(rows, fit, g) for g in groups]
    if len(groups) == 2:
        both = np.unique(np.stack(groups), axis=1, return_inverse=True)[1]
        meats.append(-_cluster_meat(rows, fit, both))
    return vote_sandwich(fit.information, np.sum(meats, axis=0), models=rows.models)


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


def _davidson(x: Inputs) -> Any:
    fit = stats.davidson_fit(_votes(x))
    return {"beta_minus_first": _less_first(fit), "log_nu": fit.log_tie, "se": _bare(fit)}


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
        "direct_battles_needed": direct_battles(
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


def _n_star(x: Inputs) -> Any:
    """On both scales, and what an Elo among decisive votes is on the other one."""
    elo, ties = x["elo"], x["tie_rate"]
    level = {"alpha": x["alpha"], "power": x["power"]}
    delta = stats.delta_from_elo(elo, ties=ties, scale="decisive")
    return {
        "n_if_elo_on_score_scale": stats.battles_n_star(elo, ties=ties, **level),
        "n_if_elo_among_decisive": stats.battles_n_star(elo, ties=ties, scale="decisive", **level),
        "score_elo_of_decisive": stats.elo_from_delta(delta, ties=ties),
    }


def _mde(x: Inputs) -> Any:
    """Smallest gap of votes: in expected scores, and in Elo on both scales."""
    ties = x["tie_rate"]
    delta = stats.battles_mde(x["n"], ties=ties)
    return {
        "delta_score_points": delta / 2,
        "winrate_score": 0.5 + delta / 2,
        "elo_score": stats.elo_from_delta(delta, ties=ties),
        "elo_decisive": stats.elo_from_delta(delta, ties=ties, scale="decisive"),
    }


def _greg(x: Inputs) -> Any:
    y = np.full(x["N"], np.nan)
    y[x["sampled"]] = x["y"]
    found = stats.regression_mean(y, np.stack([x["x1"], x["x2"]], axis=1))
    part = 1 / found.sampled - 1 / found.items
    return {
        "estimate": found.estimate,
        "se_residual_df": found.residual * math.sqrt(part),
        "se_gweighted": found.se_weighted,
        "srs_mean": found.sample_mean,
        "srs_se": found.sample_se * math.sqrt(part * found.sampled),
    }


def _factor(x: Inputs) -> Any:
    """The known models are a judge of all items, r² their share of the variance."""
    n, total = x["n"], x["N"]
    worth = n * float(stats.judge_gain(math.sqrt(x["R2"]), labels=n, judged=total))
    return {
        "se_benchmark": math.sqrt(x["S2"] * (1 - x["R2"]) * (1 / n - 1 / total)),
        "se_ability": math.sqrt(x["S2"] / worth),
        "n_srs_equal_benchmark": worth,
    }


EVALUATORS: dict[str, Evaluator] = {
    "judge.paired_regression": _regression,
    "judge.paired_ppi_py_auto": _ppi_py,
    "judge.paired_cells": _cells,
    "judge.rogan_gladen": _rogan_gladen,
    "judge.naive_gap": _naive,
    "judge.labels_needed": _labels,
    "judge.label_share": _share,
    "judge.paired_default": _default,
    "battles.bt_decisive": _decisive,
    "battles.bt_half": _clustered,
    "battles.connectivity": _connectivity,
    "battles.davidson": _davidson,
    "battles.resistance": _resistance,
    "battles.style": _style,
    "battles.mde": _mde,
    "battles.nstar": _n_star,
    "shrink.greg": _greg,
    "shrink.factor": _factor,
}
"""By the name of the value up to the first space."""
