"""The statistical kernel: functions of scalars and arrays that return NumPy arrays.

The kernel uses no files, names, clocks, or output.

Every function broadcasts, states its units, and is checked against values obtained by other
means (``nstar selfcheck``). Only numpy and scipy.special are imported. A module is loaded when one
of its names is first used, because importing all of them would cost ``nstar plan`` a third of its
time.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "stats.adjust": (
        "Family benjamini_hochberg benjamini_yekutieli bonferroni bonferroni_critical family_size "
        "holm hommel tukey_critical"
    ),
    "stats.arms": "dunnett_critical ladder_power selection_mde selection_n_star selection_power",
    "stats.betting": "Bets bernstein_sequence betting_log_e betting_sequence",
    "stats.bradley_terry": (
        "VoteFit VoteRows bradley_terry_fit information_inverse resistance strong_components "
        "vote_cells"
    ),
    "stats.cluster": (
        "AnovaIcc ClusterKind ClusterSums anova_icc bell_mccaffrey_df cluster_interval "
        "cluster_pvalue cluster_sign_flip_pvalue cluster_sums cluster_variance"
    ),
    "stats.cluster_plan": (
        "cluster_mde cluster_mde_floor cluster_n_star cluster_power design_effect "
        "design_effect_equal mean_cluster_size planning_icc"
    ),
    "stats.components": "RunComponents VarianceComponents run_components variance_components",
    "stats.confseq": "RunningMean asymptotic_log_e asymptotic_sequence",
    "stats.correlation": "phi_interval score_correlation_interval",
    "stats.critical": "anytime_critical inflation k_factor t_quantile z_alpha z_conf z_power",
    "stats.davidson": "davidson_fit davidson_probabilities",
    "stats.designs": "GradedTest McNemarTest StudentTest",
    "stats.elo": (
        "EloScale battles_mde battles_n_star delta_from_elo elo_from_delta elo_from_score "
        "score_from_elo"
    ),
    "stats.eprocess": "EProcess e_process_leads mcnemar_log_e tuned_beta win_rate_sequence",
    "stats.eprocess_plan": "EProcessHorizon e_process_horizon e_process_power",
    "stats.equivalence": (
        "Reached equivalence_exact_margin equivalence_exact_n_star equivalence_exact_power "
        "equivalence_margin equivalence_n_star equivalence_power equivalence_pvalue "
        "equivalence_t_n_star equivalence_t_power noninferiority_margin noninferiority_n_star "
        "noninferiority_power noninferiority_pvalue"
    ),
    "stats.exact": "EnumeratedMethod ExactItems exact_n_star exact_power rejection_limits",
    "stats.flips": "flip_max_t win_rates",
    "stats.gap_betting": "Tail equivalence_log_e gap_log_e gap_sequence noninferiority_log_e",
    "stats.graded": "t_interval t_log_pvalue t_mde t_n_star t_power t_pvalue",
    "stats.interval": "PairedInterval newcombe_interval paired_interval tango_statistic",
    "stats.items": (
        "LabelNoise change_interval cronbach_alpha item_rest label_noise reliability_at"
    ),
    "stats.judge": (
        "CellMean Corrected JudgedMean LabelChoice judge_cells judge_corrected judge_influence "
        "label_choice prediction_powered"
    ),
    "stats.judge_plan": (
        "LabelMethod NeymanLabels RoganGladen Youden judge_gain judge_mde judged_rate label_share "
        "labels_needed neyman_labels rogan_gladen youden"
    ),
    "stats.judges": (
        "DifferenceAgreement JudgeParts RaterAgreement agreements_differ difference_agreement "
        "judge_components rater_agreement"
    ),
    "stats.looks": "GroupSequential Spending group_sequential",
    "stats.margin": "margin_bound margin_interval margin_n_star margin_power margin_pvalue",
    "stats.maxt": "MaxT cluster_covariance gram_covariance max_t max_t_critical shrink_covariance",
    "stats.mcnemar": "McNemarMethod mcnemar_default_pvalue mcnemar_log_pvalue mcnemar_pvalue",
    "stats.paired": (
        "PairedRates delta_from_odds_ratio delta_hat paired_rates psi_bounds psi_from_rho psi_hat "
        "rate_range rho_bounds rho_from_psi rho_hat rho_interval sigma_from_psi sigma_from_sds "
        "sigma_hat t_bounds t_stat"
    ),
    "stats.passes": "PassCurve PassKind pass_at_k pass_at_k_plugin pass_curve pass_hat_k",
    "stats.power": (
        "PairedMethod normal_mde normal_n_star normal_power paired_mde paired_mde_fixed_loss "
        "paired_mde_from_rate paired_n_star paired_n_star_from_rates paired_power"
    ),
    "stats.precision": (
        "half_width n_for_difference n_for_proportion paired_half_width t_half_width "
        "wilson_half_width"
    ),
    "stats.printed": "Grim PrintedP grim p_from_interval",
    "stats.proportion": (
        "binomial_pvalue clopper_pearson_interval one_sample_exact_power one_sample_n_star "
        "wilson_interval"
    ),
    "stats.racing": "race_leads race_log_threshold",
    "stats.ranks": "beats marginal_rank_sets rank_sets tier_lines",
    "stats.ratios": "ratio_interval",
    "stats.regression": "RegressionMean known_covariates regression_mean",
    "stats.repeated_runs": "flip_rate runs_to_see sweep_bound",
    "stats.resample": (
        "BcaConstants SignFlips bca_constants bca_levels bootstrap_draws bootstrap_interval "
        "bootstrap_pvalue monte_carlo_pvalue sign_flip_pvalue sign_flip_test"
    ),
    "stats.resolution": (
        "exaggeration log_q_sd n_star_interval n_star_over_rho observed_power q_at q_hat "
        "q_interval"
    ),
    "stats.runs": (
        "Allocation RunCosts best_allocation optimal_runs runs_mde runs_mde_floor runs_variance"
    ),
    "stats.shortcut": (
        "cohen_h shortcut_coefficient shortcut_delta_limit shortcut_n shortcut_ratio"
    ),
    "stats.shrink": (
        "StratifiedMean items_for_claim items_needed stratified_mean subset_claim_mde subset_mde"
    ),
    "stats.spread": "ComponentIntervals components_interval spread_interval",
    "stats.strata": "iid_variance strata_variance",
    "stats.unpaired": (
        "UnpairedMethod continuity_corrected n1_given_published unpaired_exact_power unpaired_mde "
        "unpaired_n_star unpaired_power"
    ),
    "stats.threshold": (
        "least_items_above threshold_items threshold_log_e threshold_power threshold_prior "
        "threshold_pvalue"
    ),
    "stats.vote_errors": "VoteCovariance vote_covariance",
    "stats.pseudo_values": "auroc_pseudo_values auroc_se jackknife_pseudo_values "
    "spearman_pseudo_values",
    "stats.wilcoxon": "wilcoxon_n_star wilcoxon_power wilcoxon_pvalue",
}
"""Every public name, by where it lives; scripts/names_stub.py tells type checkers."""

_MODULES = {name: f"nstar.{home}" for home, names in _HOMES.items() for name in names.split()}

__all__ = [*_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        msg = f"module 'nstar.stats' has no attribute {name!r}"
        raise AttributeError(msg)
    value = globals()[name] = getattr(import_module(_MODULES[name]), name)
    return value


def __dir__() -> list[str]:
    return __all__
