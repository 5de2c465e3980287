"""Evaluate reference values for multiple comparisons, many models, and interim looks."""

import math
from typing import Any

import numpy as np

from nstar import stats
from nstar._verbs.selfcheck.reference import Evaluator, Inputs
from nstar.stats._spread_posterior import CenteredMeans
from nstar.stats.arms import selection_lead
from nstar.stats.confseq import mixture_boundary, mixture_variance
from nstar.stats.eprocess_plan import e_process_crossing
from nstar.stats.maxt import pair_counts_from_gram

# --- many comparisons ---------------------------------------------------------------------


def _bonferroni_inflation(x: Inputs) -> Any:
    critical = stats.bonferroni_critical(x["m"], alpha=x["alpha"])
    return stats.inflation(critical, alpha=x["alpha"], power=x["power"])


def _tukey(x: Inputs) -> Any:
    critical = stats.tukey_critical(x["M"], alpha=x["alpha"])
    return {
        "c": critical,
        "inflation": stats.inflation(critical, alpha=x["alpha"]),
        "bonf_c": stats.bonferroni_critical(stats.family_size(x["M"]), alpha=x["alpha"]),
    }


def _gram(x: Inputs) -> Any:
    n10, n01 = pair_counts_from_gram(x["gram"], x["sums"])
    s = stats.gram_covariance(x["gram"], x["sums"], x["N"])
    return {
        "b01": n10[0, 1],
        "c01": n01[0, 1],
        "cov_D01_D23": s[0, 2] - s[0, 3] - s[1, 2] + s[1, 3],
    }


# --- looks again and again ----------------------------------------------------------------

_SPENDING = {"OF": "obrien-fleming", "P": "pocock", "asOF": "lan-demets-of"}


def _type_one(x: Inputs) -> Any:
    return e_process_crossing(x["n_discordant"], alpha=x["alpha"], a=x["a"])[-1]


def _horizon(x: Inputs) -> Any:
    level = {"alpha": x["alpha"], "power": x["power"]}
    plan = stats.e_process_horizon(x["delta"], psi=x["psi"], a=x["a"], **level)
    return {"N80": plan.n, "inflation": plan.inflation, "mean_stop": plan.mean_stop}


def _sequence(x: Inputs) -> Any:
    tuned = {"tuned_at": x["tuned_at"], "alpha": x["alpha"]}
    edge = mixture_boundary(x["t"], **tuned)
    return {
        "rho2": mixture_variance(**tuned),
        "halfwidth": x["sigma"] * edge / x["t"],
        "u": edge / np.sqrt(x["t"]),
    }


def _mixture_cost(x: Inputs) -> Any:
    u = stats.anytime_critical(x["alpha"])
    return {"u": u, "inflation": stats.inflation(u, alpha=x["alpha"], power=x["power"])}


def _design(x: Inputs, power: float) -> Any:
    spending: Any = _SPENDING[x["type"]]
    level = {"alpha": x["alpha_one_sided"], "power": power}
    return stats.group_sequential(x["k"], sides=1, spending=spending, **level)


def _group_sequential(x: Inputs) -> Any:
    design = _design(x, x["power"])
    return {
        "crit": design.bounds,
        "inflation": design.inflation,
        "EN_H1": design.cost(),
        "EN_H0": design.cost(0.0),
    }


def _expected(x: Inputs) -> Any:
    design, multiple = _design(x, x["design_power"]), x["effect_multiple"]
    return {"power": design.power_at(multiple), "EN_over_fixedN": design.cost(multiple)}


# --- bets on bounded differences ----------------------------------------------------------


def _capital(x: Inputs) -> Any:
    """Return the capital. The reference counts means on [0, 1]."""
    log_e = stats.betting_log_e(x["D"], null=2 * x["m_on_unit"] - 1, alpha=x["alpha"])
    return {f"t{t}": np.exp(log_e[t - 1]) for t in (10, 30, 60)}


def _bernstein(x: Inputs) -> Any:
    low, high = stats.bernstein_sequence(x["D"], conf=1 - x["alpha"])
    return {"delta_lo": low, "delta_hi": high}


# --- many models --------------------------------------------------------------------------


def _sigma(x: Inputs) -> float:
    """Return the standard deviation of the difference between two equally good models."""
    return math.sqrt(2 * x["p"] * (1 - x["p"]) * (1 - x["rho"]))


def _proved(x: Inputs, critical: Any) -> Any:
    """Return the items with which every comparison is significant with 80% power."""
    shift = critical + stats.z_power(0.8)
    return (shift * _sigma(x) / x["delta"]) ** 2


def _dunnett(x: Inputs) -> Any:
    two, one = (stats.dunnett_critical(x["m"], alpha=x["alpha"], sides=s) for s in (2, 1))
    return {"two_sided": two, "one_sided": one}


def _items(x: Inputs) -> Any:
    chosen = stats.selection_n_star(x["delta"], sigma=_sigma(x), models=x["k"], prob=0.95)
    pairs = _proved(x, stats.tukey_critical(x["k"]))
    return {"select_best_95": chosen, "all_pairs_each_80": pairs}


def _board_spread(x: Inputs) -> Any:
    """Return the posterior mean and median, and the estimate that they replace."""
    means = np.asarray(x["means"])
    centered = CenteredMeans.of(means, x["noise_variance_of_a_mean"] * np.eye(means.size))
    posterior = centered.spread()
    return [posterior.mean, posterior.quantile(0.5), centered.plug_in]


# --- tasks as a sample --------------------------------------------------------------------


def _win_rate_errors(x: Inputs) -> Any:
    rates = stats.win_rates(x["data"]["scores"])
    pair = rates[:, 0] - rates[:, 1]
    return [np.std(d, ddof=1) / math.sqrt(d.size) for d in (*rates.T, pair)]


def _borda(x: Inputs) -> Any:
    """Return the mean ranks, and Friedman's statistic."""
    rates = stats.win_rates(x["data"]["scores"])
    tasks, models = rates.shape
    ranks = models - (models - 1) * rates.mean(axis=0)
    return [*ranks, 12 * tasks / (models * (models + 1)) * np.sum((ranks - (models + 1) / 2) ** 2)]


def _two_level(x: Inputs) -> Any:
    """Return the variance of a macro gap, its MDE, and the tasks that 2 pp need."""
    parts = (x["tau"] ** 2, x["sigma"] ** 2, 0.0)
    items = {"runs_a": x["items_per_task"], "runs_b": 1}
    variance = stats.runs_variance(*parts, tasks=x["tasks"], **items)
    one = float(np.sqrt(stats.runs_variance(*parts, tasks=1, **items)))
    return [variance, stats.runs_mde(variance), stats.normal_n_star(0.02, sigma=one)]


EVALUATORS: dict[str, Evaluator] = {
    "anytime.N80_eprocess": _horizon,
    "anytime.acs": _sequence,
    "anytime.cs_theta": lambda x: stats.win_rate_sequence(
        x["b"], x["c"], conf=1 - x["alpha"], a=x["a"]
    ),
    "anytime.group_seq": _group_sequential,
    "anytime.gs_EN": _expected,
    "anytime.logE": lambda x: stats.mcnemar_log_e(x["b"], x["c"], a=x["a"]),
    "anytime.normal_mixture_inflation": _mixture_cost,
    "anytime.typeI_exact": _type_one,
    "betting.capital": _capital,
    "betting.prpl_eb": _bernstein,
    "multi.bonf_inflation": _bonferroni_inflation,
    "multi.gram": _gram,
    # the method is part of the value's name, not an input
    "multi.padjust BH": lambda x: stats.benjamini_hochberg(x["p"]),
    "multi.padjust BY": lambda x: stats.benjamini_yekutieli(x["p"]),
    "multi.padjust bonferroni": lambda x: stats.bonferroni(x["p"]),
    "multi.padjust holm": lambda x: stats.holm(x["p"]),
    "multi.padjust hommel": lambda x: stats.hommel(x["p"]),
    "multi.tukey_crit": _tukey,
    "arms.select_h": lambda x: selection_lead(x["k"], prob=x["P"]),
    "arms.dunnett": _dunnett,
    "arms.tukey": lambda x: stats.tukey_critical(x["k"], alpha=x["alpha"]),
    "arms.items": _items,
    "arms.vs_control": lambda x: _proved(x, stats.dunnett_critical(x["m"])),
    "board.spread": _board_spread,
    "tasks.t": lambda x: stats.flip_max_t(x["data"]["scores"], pairs=x["pairs"]).t,
    "tasks.flip_maxt": lambda x: stats.flip_max_t(x["data"]["scores"]).p_step,
    "tasks.win_rate": lambda x: stats.win_rates(x["data"]["scores"]).mean(axis=0),
    "tasks.win_rate_se": _win_rate_errors,
    "tasks.borda": _borda,
    "tasks.two_level": _two_level,
    "arms.race_log_threshold": lambda x: stats.race_log_threshold(x["M"], alpha=x["alpha"]),
}
"""Evaluators by the name of the value up to the first space, or by its whole name."""
