"""Every elementwise function of nstar.stats: arrays behave as loops over scalars would."""

import dataclasses
import inspect
import itertools
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
import pytest

from helpers.cases import each
from nstar import stats
from nstar._base.types import Array, FloatLike, Interval
from nstar.errors import ParameterError
from nstar.stats._blocks import BLOCK
from nstar.stats.arms import selection_lead
from nstar.stats.bradley_terry import direct_battles
from nstar.stats.confseq import mixture_boundary, mixture_variance
from nstar.stats.critical import normal_equivalent
from nstar.stats.judge import departure_variance, judge_r_limit
from nstar.stats.judge_plan import judge_agreement
from nstar.stats.judges import judge_break_even, judge_cost
from nstar.stats.racing import lead_log_e
from nstar.stats.repeated_runs import next_flip, next_rule_failure, rule_failure

RTOL = 1e-11
"""Vector and scalar code paths of numpy and scipy may differ in the last bits."""

Values: TypeAlias = dict[str, Sequence[float]]

# Two values for each argument that may be an array; every combination of them is valid.
COUNTS: Values = {"n10": (12, 30), "n01": (0, 17), "n": (50, 4000)}
RATES: Values = {"p_a": (0.72, 0.6), "p_b": (0.7, 0.55)}
LEVEL: Values = {"alpha": (0.05, 0.01), "power": (0.8, 0.95)}
ALPHA: Values = {"alpha": (0.05, 0.01)}
CONF: Values = {"conf": (0.95, 0.8)}
MARGIN: Values = {"margin": (0.08, 0.2), "sigma": (0.3, 0.45)}
TABLE: Values = {"n11": (59, 0), "n10": (6, 40), "n01": (16, 3), "n00": (80, 25)}
SCORES: Values = {"mean": (0.02, -0.3), "sd": (0.12, 0.5), "n": (25, 216)}
EFFECT: Values = {"delta": (0.05, -0.1), "sigma": (0.3, 0.45)}
PASSES: Values = {"n": (20, 33), "c": (3, 0), "k": (5, 8)}
MIXTURE: Values = {"a": (0.5, 12.5)}
RUNNING: Values = {
    "mean": (0.02, -0.3),
    "sd": (0.12, 0.0),
    "n": (25, 216),
    "tuned_at": (300, 1000),
}

SUBSET: Values = {"sigma": (0.3, 0.45), "r2": (0.0, 0.4), "total": (1200, 5000)}

PRIVATE = {
    f.__name__: f
    for f in (
        selection_lead,
        direct_battles,
        mixture_boundary,
        mixture_variance,
        normal_equivalent,
        departure_variance,
        judge_r_limit,
        judge_agreement,
        judge_break_even,
        judge_cost,
        lead_log_e,
        next_flip,
        next_rule_failure,
        rule_failure,
    )
}
"""Elementwise functions that the package uses and does not publish."""

ELEMENTWISE: dict[str, Values] = {
    "anytime_critical": ALPHA,
    "asymptotic_log_e": {**RUNNING, "null": (0.0, -0.02), **ALPHA},
    "asymptotic_sequence": {**RUNNING, **CONF},
    "bca_levels": {"z0": (0.1, -0.2), "accel": (0.02, 0.0), **CONF},
    "binomial_pvalue": {"x": (7, 31), "n": (40, 77), "p0": (0.5, 0.3)},
    "bonferroni_critical": {"comparisons": (1, 40), **ALPHA},
    "clopper_pearson_interval": {"x": (0, 31), "n": (40, 77), **CONF},
    "cluster_mde": {"sigma": (0.3, 0.5), "n": (500, 900), "clusters": (14, 50), "icc": (0.0, 0.1)},
    "cluster_mde_floor": {
        "sigma": (0.3, 0.5),
        "icc": (0.03, 0.1),
        "clusters": (14, 50),
        "df": (13, 11.58),
    },
    "cluster_n_star": {"n_star": (120.5, 300), "de": (1.5, 4)},
    "cluster_power": {
        "delta": (0.05, -0.1),
        "sigma": (0.3, 0.5),
        "n": (500, 900),
        "clusters": (14, 50),
        "icc": (0.0, 0.1),
    },
    "auroc_se": {"area": (0.8, 0.95), "positives": (50, 3), "negatives": (150, 7)},
    "cohen_h": RATES,
    "cronbach_alpha": {
        "n": (5, 100),
        "item_variance": (0.9, 1.5),
        "total_variance": (1.7, 2.0),
    },
    "continuity_corrected": {"n": (100, 1250.7), "delta": (0.05, -0.1)},
    "delta_from_odds_ratio": {"odds_ratio": (1.5, 0.2), "psi": (0.2, 1.0)},
    "delta_hat": COUNTS,
    "design_effect_equal": {"icc": (0.05, -0.01), "cluster_size": (1, 21)},
    "dunnett_critical": {"others": (1, 9)},
    "equivalence_log_e": {**COUNTS, "margin": (0.04, 0.2), **MIXTURE},
    "equivalence_margin": {"n": (100, 1000), "sigma": (0.3, 0.45), **LEVEL},
    "equivalence_n_star": {**MARGIN, "delta": (0.0, -0.03), **LEVEL},
    "equivalence_power": {**MARGIN, "n": (100, 1000), "delta": (0.0, -0.03), **ALPHA},
    "equivalence_pvalue": {**COUNTS, "margin": (0.04, 0.2)},
    "equivalence_t_power": {**MARGIN, "n": (10, 100), "delta": (0.0, -0.03)},
    "exaggeration": {"shift": (0.4, 2.5), "critical": (1.96, 2.58)},
    "exact_power": {"delta": (0.1, 0.0), "psi": (0.3, 1.0), "n": (40, 55)},
    "family_size": {"models": (2, 10)},
    "flip_rate": {"n": (20, 33), "c": (3, 0)},
    "gap_log_e": {**COUNTS, "null": (0.0, -0.1), **MIXTURE},
    "gap_sequence": {**COUNTS, **CONF, **MIXTURE},
    "half_width": {"n": (100, 1000), "sigma": (0.3, 0.45), **CONF},
    "inflation": {"critical": (2.8, 3.2), **LEVEL},
    "items_for_claim": {**SUBSET, "delta": (0.01, 0.05), **LEVEL},
    "items_needed": {**SUBSET, "delta": (0.01, 0.05), **LEVEL},
    "k_factor": LEVEL,
    "lead_log_e": {"n10": (296, 0), "n01": (250, 12), **MIXTURE},
    "log_q_sd": {"p10": (0.125, 0.3), "p01": (0.075, 0.0), "n": (100, 1000)},
    "mcnemar_default_pvalue": COUNTS,
    "least_items_above": {"p0": (0.5, 0.95), **ALPHA},
    "mcnemar_log_e": {"n10": (296, 0), "n01": (250, 12), **MIXTURE},
    "mcnemar_log_pvalue": {"n10": (296, 5000), "n01": (250, 100)},
    "mcnemar_pvalue": {"n10": (296, 0), "n01": (250, 12)},
    "mixture_boundary": {"n": (30, 1000), "tuned_at": (500, 2000), **ALPHA},
    "mixture_variance": {"tuned_at": (500, 2000), **ALPHA},
    "monte_carlo_pvalue": {"r": (0, 4), "n_resamples": (99, 9999)},
    "n1_given_published": {"p1": (0.75, 0.6), "p2": (0.7, 0.4), "n2": (500, 2000), **LEVEL},
    "n_for_difference": {"width": (0.01, 0.05), "sigma": (0.3, 0.45), **CONF},
    "n_for_proportion": {"width": (0.03, 0.1), "p": (0.74, 1.0), **CONF},
    "n_star_interval": {"t": (2.8, -1.5), "n": (100, 1000), **CONF, **LEVEL},
    "newcombe_interval": TABLE,
    "next_flip": {"n": (20, 33), "c": (3, 0)},
    "noninferiority_log_e": {**COUNTS, "margin": (0.04, 0.2), **MIXTURE},
    "noninferiority_margin": {"n": (100, 1000), "sigma": (0.3, 0.45), **LEVEL},
    "noninferiority_n_star": {**MARGIN, "delta": (0.0, -0.03), **LEVEL},
    "noninferiority_power": {**MARGIN, "n": (100, 1000), "delta": (0.0, -0.03), **ALPHA},
    "noninferiority_pvalue": {**COUNTS, "margin": (0.04, 0.2)},
    "normal_mde": {"n": (100, 1000), "sigma": (0.3, 0.45), **LEVEL},
    "normal_n_star": {**EFFECT, **LEVEL},
    "normal_power": {**EFFECT, "n": (100, 1000), **ALPHA},
    "observed_power": {"q": (1.0, 0.494), **LEVEL},
    "one_sample_n_star": {"p1": (0.8, 0.9), "p0": (0.7, 0.5), **LEVEL},
    "optimal_runs": {
        "sigma_b2": (0.04, 0.01),
        "sigma_wa2": (0.12, 0.0),
        "sigma_wb2": (0.15, 0.2),
        "budget": (5000, 800),
    },
    "paired_interval": {**COUNTS, **CONF},
    "paired_mde": {"n": (20, 1000), "psi": (0.168, 0.05), **LEVEL},
    "paired_mde_fixed_loss": {"n": (20, 500), "p01": (0.02, 0.0), **LEVEL},
    "paired_mde_from_rate": {"n": (20, 500), "p_b": (0.7, 0.5), "rho": (0.4, 0.0), **LEVEL},
    "paired_n_star": {"delta": (0.05, -0.1), "psi": (0.2, 0.3), **LEVEL},
    "paired_n_star_from_rates": {**RATES, "rho": (0.4, 0.0), **LEVEL},
    "paired_power": {"delta": (0.05, -0.1), "psi": (0.2, 0.3), "n": (100, 626), **ALPHA},
    "paired_rates": {**RATES, "rho": (0.4, 0.0)},
    "pass_at_k": PASSES,
    "pass_at_k_plugin": PASSES,
    "pass_hat_k": {**PASSES, "c": (12, 20)},
    "phi_interval": TABLE,
    "psi_bounds": RATES,
    "psi_from_rho": {**RATES, "rho": (0.4, 0.0)},
    "psi_hat": COUNTS,
    "q_at": {**EFFECT, "n": (100, 1000), **LEVEL},
    "q_hat": {"t": (1.969, -3), **LEVEL},
    "q_interval": {"t": (1.969, -3), **CONF, **LEVEL},
    "race_log_threshold": {"models": (5, 28), **ALPHA},
    "rate_range": {"p_b": (0.8, 0.3), "rho": (0.8, -0.2)},
    "reliability_at": {"reliability": (0.9, 0.3), "n": (100, 1000), "of": (500, 12002)},
    "rejection_limits": {"n": (12, 100)},
    "rho_bounds": RATES,
    "rho_from_psi": {**RATES, "psi": (0.3, 0.45)},
    "rho_hat": TABLE,
    "rho_interval": {"rho": (0.602, -0.1), "n": (3, 1000)},
    "runs_mde": {"var_delta": (0.0008, 0.0), **LEVEL},
    "runs_mde_floor": {"sigma_b": (0.15, 0.3), "tasks": (100, 30), **LEVEL},
    "next_rule_failure": {"n": (5, 33), "c": (3, 0)},
    "rule_failure": {"p": (0.9, 0.0)},
    "runs_to_see": {"rate": (0.05, 0.3), **CONF},
    "runs_variance": {
        "sigma_b2": (0.025, 0.0),
        "sigma_wa2": (0.125, 0.2),
        "sigma_wb2": (0.215, 0.1),
        "tasks": (1, 100),
        "runs_a": (3, 1),
        "runs_b": (2, 5),
        "sigma_run2": (0.0, 0.01),
    },
    "shortcut_coefficient": {"p": (0.8, 0.5), "rho": (0.5, 0.0)},
    "shortcut_delta_limit": {"p": (0.8, 0.5), "rho": (0.5, 0.0)},
    "shortcut_n": {**RATES, "rho": (0.5, 0.0), **LEVEL},
    "shortcut_ratio": {"p": (0.8, 0.5), "delta": (0.05, -0.1), "rho": (0.5, 0.0)},
    "sigma_from_psi": {"psi": (0.2, 0.3), "delta": (0.05, -0.2)},
    "sigma_from_sds": {"sd_a": (0.12, 0.3), "sd_b": (0.12, 0.0), "rho": (0.5, -1.0)},
    "sigma_hat": COUNTS,
    "selection_lead": {"models": (2, 10)},
    "selection_mde": {"n": (12, 285), "sigma": (0.12, 0.3), "models": (2, 10)},
    "selection_n_star": {**EFFECT, "models": (2, 10)},
    "selection_power": {
        "delta": (0.05, 0.0),
        "sigma": (0.3, 0.45),
        "n": (12, 285),
        "models": (2, 10),
    },
    "sweep_bound": {"runs": (4, 200), **CONF},
    "subset_claim_mde": {**SUBSET, "n": (100, 1000), **LEVEL},
    "subset_mde": {**SUBSET, "n": (100, 1000), **LEVEL},
    "t_bounds": {**RATES, "n": (100, 12032)},
    "t_interval": {**SCORES, **CONF},
    "t_log_pvalue": SCORES,
    "t_mde": {"n": (12, 285), "sigma": (0.12, 0.3), **LEVEL},
    "t_n_star": {"delta": (0.1, 0.0), "sigma": (0.12, 0.3), **LEVEL},
    "normal_equivalent": {"t": (2.8, -1.2), "df": (4.2, 30)},
    "t_quantile": {"p": (0.975, 0.3), "df": (13, 2.5)},
    "t_power": {**EFFECT, "n": (12, 285), **ALPHA},
    "t_pvalue": SCORES,
    "t_stat": COUNTS,
    "tango_statistic": {**COUNTS, "null": (0.0, -0.1)},
    "tukey_critical": {"models": (2, 10)},
    "threshold_log_e": {
        "x": (20, 31),
        "n": (40, 77),
        "p0": (0.4, 0.9),
        "a": (0.5, 9),
        "b": (2, 0.5),
    },
    "threshold_prior": {"p1": (0.7, 0.99), "items": (100, 4000)},
    "threshold_pvalue": {"x": (0, 31), "n": (40, 77), "p0": (0.4, 0.9)},
    "tuned_beta": {"discordant": (200, 0), **ALPHA},
    "unpaired_mde": {"n": (20, 216), "p": (0.74, 0.5), **LEVEL},
    "unpaired_n_star": {"p1": (0.75, 0.6), "p2": (0.7, 0.4), **LEVEL},
    "unpaired_power": {
        "p1": (0.75, 0.6),
        "p2": (0.7, 0.4),
        "n1": (100, 1251),
        "n2": (50, 2000),
        **ALPHA,
    },
    "wilcoxon_n_star": {**EFFECT, **LEVEL},
    "wilcoxon_power": {**EFFECT, "n": (12, 285), **ALPHA},
    "win_rate_sequence": {"n10": (296, 0), "n01": (250, 12), **CONF, **MIXTURE},
    "wilson_half_width": {"n": (100, 216), "p": (0.74, 1.0), **CONF},
    "wilson_interval": {"x": (0, 31), "n": (40, 77), **CONF},
    "battles_mde": {"n": (300, 2000), "ties": (0.0, 0.4), **LEVEL},
    "battles_n_star": {"elo": (20, 100), "ties": (0.0, 0.4), **LEVEL},
    "davidson_probabilities": {"gap": (0.3, -1.2), "log_tie": (0.0, -0.5)},
    "delta_from_elo": {"elo": (20, -100), "ties": (0.0, 0.4)},
    "direct_battles": {
        "gap": (0.2, 0.5),
        "resistances": (0.07, 2.0),
        "information": (0.25, 0.1),
        "reach": (2.8, 4.1),
        "inflation": (1.0, 1.7),
    },
    "elo_from_delta": {"delta": (0.05, -0.3), "ties": (0.0, 0.4)},
    "elo_from_score": {"score": (0.5, 0.91)},
    "judge_agreement": {"p": (0.7, 0.5), "rho": (0.5, 0.8), "error": (0.1, 0.0)},
    "judge_break_even": {"r": (0.5, -0.3)},
    "judge_cost": {"r": (0.65, 0.0), "cost_label": (1, 5), "cost_judge": (0.01, 0.2)},
    "judge_gain": {"r": (0.5, -0.3), "labels": (50, 200), "judged": (1000, 5000)},
    "judge_mde": {
        "labels": (50, 200),
        "judged": (1000, 5000),
        "sigma": (0.5, 0.3),
        "r": (0.5, 0),
        "departure": (1, 0.5),
    },
    "judge_r_limit": {"departures": (0, 3), "labels": (50, 200), "variance": (0.3, 0.45)},
    "departure_variance": {"labels": (50, 200), "judged": (1000, 5000), "departure": (1, 0.5)},
    "judged_rate": {"p": (0.75, 0.7), "miss": (0.1, 0.0), "false_pass": (0.1, 0.3)},
    "label_share": {"r": (0.65, 0.0), "cost_label": (1, 5), "cost_judge": (0.01, 0.2)},
    "label_noise": {
        "delta": (0.03, -0.05),
        "psi": (0.2, 0.3),
        "error": (0.0, 0.1),
        "chance": (0.1, 0.3),
        **LEVEL,
    },
    "labels_needed": {
        "delta": (0.05, -0.1),
        "sigma": (0.5, 0.3),
        "r": (0.65, 0),
        "judged": (3000, 9000),
        "departure": (1, 0.5),
    },
    "rogan_gladen": {
        "passed": (820, 700),
        "total": (1000, 1400),
        "true_pos": (90, 99),
        "positives": (100, 120),
        "true_neg": (70, 80),
        "negatives": (100, 90),
    },
    "score_from_elo": {"elo": (20, -400)},
    "youden": {
        "true_pos": (90, 60),
        "positives": (100, 120),
        "true_neg": (70, 80),
        "negatives": (100, 90),
    },
    "z_alpha": ALPHA,
    "z_conf": CONF,
    "z_power": {"power": (0.8, 0.3)},
}

FIXED: dict[str, dict[str, Any]] = {
    "next_rule_failure": {"needed": 4, "runs": 5},
    "rule_failure": {"needed": 4, "runs": 5},
    "optimal_runs": {"costs": stats.RunCosts(task=20)},
}
"""Arguments that are not arrays and have no default."""

ONE_SAMPLE = {
    # a vector of scores, p-values or clusters is one argument: the last axis is consumed
    *("anova_icc", "bell_mccaffrey_df", "cluster_interval", "cluster_pvalue", "cluster_sums"),
    *("cluster_sign_flip_pvalue", "cluster_variance", "design_effect", "iid_variance"),
    *("strata_variance", "variance_components"),
    *("components_interval", "pass_curve", "run_components"),
    *("spread_interval", "ratio_interval"),
    *("bca_constants", "bootstrap_draws", "bootstrap_interval", "bootstrap_pvalue"),
    *("score_correlation_interval", "sign_flip_pvalue", "wilcoxon_pvalue"),
    *("auroc_pseudo_values", "jackknife_pseudo_values", "spearman_pseudo_values"),
    *("bernstein_sequence", "betting_log_e", "betting_sequence"),
    *("benjamini_hochberg", "benjamini_yekutieli", "bonferroni", "holm", "hommel"),
    # matrices of models
    *("beats", "cluster_covariance", "gram_covariance", "marginal_rank_sets", "max_t"),
    *("flip_max_t", "max_t_critical", "rank_sets", "tier_lines", "win_rates"),
    # votes, and items that a judge scored
    *("bradley_terry_fit", "davidson_fit", "vote_cells"),
    "vote_covariance",
    *("information_inverse", "resistance", "strong_components"),
    *("judge_cells", "judge_corrected", "judge_influence"),
    *("label_choice", "neyman_labels", "prediction_powered"),
    *("known_covariates", "regression_mean"),
    "stratified_mean",
    *("agreements_differ", "difference_agreement", "judge_components", "rater_agreement"),
    "item_rest",
}
ONE_DESIGN = {
    # enumerations and checks of a single printed figure
    *("best_allocation", "equivalence_exact_power", "equivalence_t_n_star", "exact_n_star"),
    *("grim", "one_sample_exact_power", "p_from_interval", "threshold_items", "threshold_power"),
    *("e_process_horizon", "e_process_leads", "e_process_power"),
    "race_leads",
    *("equivalence_exact_margin", "equivalence_exact_n_star"),
    *("margin_bound", "margin_interval", "margin_pvalue"),
    *("margin_n_star", "margin_power", "paired_half_width", "t_half_width"),
    *("mean_cluster_size", "planning_icc", "shrink_covariance"),
    *("group_sequential", "ladder_power"),
    "sign_flip_test",
    "unpaired_exact_power",
    "change_interval",  # takes Intervals
    "n_star_over_rho",  # takes an Interval of arrays: checked below
}
SLOW = {
    "equivalence_t_power": 1200,
    "gap_sequence": 400,
    "exact_power": 3000,
    "t_mde": BLOCK + 5,
    "t_n_star": 3000,
}
"""Elements in the large-array test, where two blocks would take seconds."""

INTEGER = {"family_size", "rejection_limits"}
"""Functions whose result is a whole number by type."""


def flat(result: Any) -> tuple[Any, ...]:
    """The arrays inside a result: itself, the parts of a tuple, the fields of a record."""
    if isinstance(result, tuple):
        return tuple(result)
    if dataclasses.is_dataclass(result):
        return tuple(getattr(result, f.name) for f in dataclasses.fields(result))
    return (result,)


def kernel(name: str) -> Callable[..., Any]:
    function: Callable[..., Any] = PRIVATE.get(name) or getattr(stats, name)
    return function


def call(name: str, **arguments: Any) -> tuple[Any, ...]:
    return flat(kernel(name)(**arguments, **FIXED.get(name, {})))


def combinations(name: str) -> tuple[list[str], list[tuple[float, ...]]]:
    values = ELEMENTWISE[name]
    return list(values), list(itertools.product(*values.values()))


def columns(name: str) -> dict[str, Array]:
    """Every combination of the example values, one column per argument."""
    names, rows = combinations(name)
    return dict(zip(names, np.array(rows, dtype=np.float64).T, strict=True))


def test_the_table_covers_every_public_function() -> None:
    functions = {n for n in stats.__all__ if inspect.isfunction(getattr(stats, n))}
    assert set(ELEMENTWISE) | ONE_SAMPLE | ONE_DESIGN == functions | set(PRIVATE)
    assert not set(ELEMENTWISE) & (ONE_SAMPLE | ONE_DESIGN)


@each(ELEMENTWISE)
def test_the_table_gives_values_to_every_array_argument(name: str) -> None:
    parameters = inspect.signature(kernel(name)).parameters
    arrays = {p for p, v in parameters.items() if v.annotation in (FloatLike, FloatLike | None)}
    assert set(ELEMENTWISE[name]) == arrays


@each(ELEMENTWISE)
def test_arrays_equal_a_loop_over_scalars(name: str) -> None:
    names, rows = combinations(name)
    loop = [call(name, **dict(zip(names, row, strict=True))) for row in rows]
    whole = call(name, **columns(name))
    for got, expected in zip(whole, zip(*loop, strict=True), strict=True):
        assert got.shape == (len(rows),)
        np.testing.assert_allclose(got, expected, rtol=RTOL, atol=1e-15)


@each(ELEMENTWISE)
def test_each_argument_on_its_own_axis(name: str) -> None:
    values = ELEMENTWISE[name]
    rank = len(values)
    spread = {
        key: np.reshape(pair, [2 if axis == i else 1 for axis in range(rank)])
        for i, (key, pair) in enumerate(values.items())
    }
    for got, line in zip(call(name, **spread), call(name, **columns(name)), strict=True):
        # one argument that a result ignores (an accuracy in a gap, say) may leave its axis at 1
        full = np.broadcast_to(got, (2,) * rank)
        np.testing.assert_allclose(full.ravel(), line, rtol=RTOL, atol=1e-15)


@pytest.mark.slow
@each(ELEMENTWISE)
def test_blocks_leave_no_trace(name: str) -> None:
    size = SLOW.get(name, 2 * BLOCK + 3)
    small = columns(name)
    large = {key: np.resize(column, size) for key, column in small.items()}
    for got, pattern in zip(call(name, **large), call(name, **small), strict=True):
        assert got.shape == (size,)
        np.testing.assert_allclose(got, np.resize(pattern, size), rtol=RTOL, atol=1e-15)


@each(ELEMENTWISE)
def test_strided_and_transposed_arrays(name: str) -> None:
    small = columns(name)
    rows = len(next(iter(small.values())))
    shape = (2, rows // 2) if rows % 2 == 0 else (1, rows)
    turned = {key: column.reshape(shape).T[::-1] for key, column in small.items()}
    for got, line in zip(call(name, **turned), call(name, **small), strict=True):
        assert got.shape == shape[::-1]
        np.testing.assert_allclose(got, line.reshape(shape).T[::-1], rtol=RTOL, atol=1e-15)


@each(ELEMENTWISE, ["list", "int32", "uint16", "float32", "readonly"])
def test_kinds_of_input(name: str, kind: str) -> None:
    small = columns(name)
    whole = {key: bool(np.all((c == np.floor(c)) & (c >= 0))) for key, c in small.items()}

    def convert(key: str, column: Array) -> Any:
        if kind == "list":
            return column.tolist()
        if kind in ("int32", "uint16"):
            return column.astype(kind) if whole[key] else column
        if kind == "readonly":
            frozen = column.copy()
            frozen.flags.writeable = False
            return frozen
        # only whole numbers survive single precision unchanged
        return column.astype(np.float32) if whole[key] else column

    given = {key: convert(key, column) for key, column in small.items()}
    for got, expected in zip(call(name, **given), call(name, **small), strict=True):
        assert got.dtype == (np.int64 if name in INTEGER else np.float64)
        np.testing.assert_array_equal(got, expected)


@each(ELEMENTWISE)
def test_single_precision_is_computed_in_double(name: str) -> None:
    single = {key: column.astype(np.float32) for key, column in columns(name).items()}
    double = {key: column.astype(np.float64) for key, column in single.items()}
    for got, expected in zip(call(name, **single), call(name, **double), strict=True):
        assert got.dtype == (np.int64 if name in INTEGER else np.float64)
        np.testing.assert_allclose(got, expected, rtol=RTOL, atol=1e-15)


@each(ELEMENTWISE, [float, np.float64, np.array])
def test_scalars_in_scalars_out(name: str, make: Callable[[float], Any]) -> None:
    names, rows = combinations(name)
    for got in call(name, **{k: make(v) for k, v in zip(names, rows[0], strict=True)}):
        assert isinstance(got, np.generic), type(got)
        assert got.dtype == (np.int64 if name in INTEGER else np.float64)


@each(ELEMENTWISE, [(0,), (3, 0)])
def test_nothing_in_nothing_out(name: str, shape: tuple[int, ...]) -> None:
    for got in call(name, **{key: np.empty(shape) for key in ELEMENTWISE[name]}):
        assert got.shape == shape


@each(ELEMENTWISE)
def test_shapes_that_do_not_fit_are_refused(name: str) -> None:
    names, rows = combinations(name)
    if len(names) > 1:
        arguments: dict[str, Any] = dict(zip(names, rows[0], strict=True))
        arguments[names[0]] = np.full(2, rows[0][0])
        arguments[names[1]] = np.full(3, rows[0][1])
        with pytest.raises(ValueError, match=r"broadcast|shape"):
            call(name, **arguments)


HOSTILE = (np.inf, -np.inf, -1.0, 0.0, 0.5, 1.0, 1e9, -1e9, 1e-9)


ARGUMENTS = [(name, argument) for name, values in ELEMENTWISE.items() for argument in values]


@each(ARGUMENTS)
def test_nan_is_refused(place: tuple[str, str]) -> None:
    name, argument = place
    names, rows = combinations(name)
    arguments: dict[str, Any] = dict(zip(names, rows[0], strict=True))
    arguments[argument] = np.array([rows[0][names.index(argument)], np.nan])
    with pytest.raises(ParameterError):
        call(name, **arguments)


@each(ARGUMENTS)
def test_a_hostile_value_is_refused_or_answered(place: tuple[str, str]) -> None:
    """ParameterError or a number: never NaN, never a warning."""
    name, argument = place
    names, rows = combinations(name)
    arguments: dict[str, Any] = dict(zip(names, rows[0], strict=True))
    for value in HOSTILE if name != "exact_power" else HOSTILE[:6]:
        try:
            results = call(name, **(arguments | {argument: value}))
        except ParameterError:
            continue
        assert not any(np.isnan(r).any() for r in results), value


@pytest.mark.parametrize("name", ["normal_n_star", "mcnemar_pvalue", "paired_interval"])
def test_a_fault_in_a_later_block_is_found(name: str) -> None:
    names, rows = combinations(name)
    arguments: dict[str, Any] = dict(zip(names, rows[0], strict=True))
    column = np.full(2 * BLOCK + 3, float(rows[0][1]))
    column[-1] = -7.5
    arguments[names[1]] = column
    with pytest.raises(ParameterError, match=rf"{names[1]} must be .*; got -7\.5"):
        call(name, **arguments)


def test_n_star_over_rho_takes_intervals_of_arrays() -> None:
    p_a, p_b = np.array([0.714, 0.8]), np.array([0.706, 0.7])
    least, most = np.array([0.5, -0.9]), np.array([0.6, 0.9])
    low, high = map(np.asarray, stats.n_star_over_rho(p_a, p_b, Interval(least, most)))
    for i in range(2):
        one = stats.n_star_over_rho(p_a[i], p_b[i], Interval(least[i], most[i]))
        assert (low[i], high[i]) == pytest.approx(tuple(one), rel=RTOL)
    # the second interval reaches beyond what the accuracies allow and is clipped
    bounds = stats.rho_bounds(0.8, 0.7)
    edges = [stats.paired_n_star_from_rates(0.8, 0.7, r) for r in (bounds.high, bounds.low)]
    assert (low[1], high[1]) == pytest.approx(tuple(edges), rel=1e-9)
