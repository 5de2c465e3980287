# Written by scripts/names_stub.py.
from nstar.stats.adjust import Family as Family
from nstar.stats.adjust import benjamini_hochberg as benjamini_hochberg
from nstar.stats.adjust import benjamini_yekutieli as benjamini_yekutieli
from nstar.stats.adjust import bonferroni as bonferroni
from nstar.stats.adjust import bonferroni_critical as bonferroni_critical
from nstar.stats.adjust import family_size as family_size
from nstar.stats.adjust import holm as holm
from nstar.stats.adjust import hommel as hommel
from nstar.stats.adjust import tukey_critical as tukey_critical
from nstar.stats.arms import dunnett_critical as dunnett_critical
from nstar.stats.arms import ladder_power as ladder_power
from nstar.stats.arms import selection_mde as selection_mde
from nstar.stats.arms import selection_n_star as selection_n_star
from nstar.stats.arms import selection_power as selection_power
from nstar.stats.betting import Bets as Bets
from nstar.stats.betting import bernstein_sequence as bernstein_sequence
from nstar.stats.betting import betting_log_e as betting_log_e
from nstar.stats.betting import betting_sequence as betting_sequence
from nstar.stats.bradley_terry import VoteFit as VoteFit
from nstar.stats.bradley_terry import VoteRows as VoteRows
from nstar.stats.bradley_terry import bradley_terry_fit as bradley_terry_fit
from nstar.stats.bradley_terry import information_inverse as information_inverse
from nstar.stats.bradley_terry import resistance as resistance
from nstar.stats.bradley_terry import strong_components as strong_components
from nstar.stats.bradley_terry import vote_cells as vote_cells
from nstar.stats.cluster import AnovaIcc as AnovaIcc
from nstar.stats.cluster import ClusterKind as ClusterKind
from nstar.stats.cluster import ClusterSums as ClusterSums
from nstar.stats.cluster import anova_icc as anova_icc
from nstar.stats.cluster import bell_mccaffrey_df as bell_mccaffrey_df
from nstar.stats.cluster import cluster_interval as cluster_interval
from nstar.stats.cluster import cluster_pvalue as cluster_pvalue
from nstar.stats.cluster import cluster_sign_flip_pvalue as cluster_sign_flip_pvalue
from nstar.stats.cluster import cluster_sums as cluster_sums
from nstar.stats.cluster import cluster_variance as cluster_variance
from nstar.stats.cluster_plan import cluster_mde as cluster_mde
from nstar.stats.cluster_plan import cluster_mde_floor as cluster_mde_floor
from nstar.stats.cluster_plan import cluster_n_star as cluster_n_star
from nstar.stats.cluster_plan import cluster_power as cluster_power
from nstar.stats.cluster_plan import design_effect as design_effect
from nstar.stats.cluster_plan import design_effect_equal as design_effect_equal
from nstar.stats.cluster_plan import mean_cluster_size as mean_cluster_size
from nstar.stats.cluster_plan import planning_icc as planning_icc
from nstar.stats.components import RunComponents as RunComponents
from nstar.stats.components import VarianceComponents as VarianceComponents
from nstar.stats.components import run_components as run_components
from nstar.stats.components import variance_components as variance_components
from nstar.stats.confseq import RunningMean as RunningMean
from nstar.stats.confseq import asymptotic_log_e as asymptotic_log_e
from nstar.stats.confseq import asymptotic_sequence as asymptotic_sequence
from nstar.stats.correlation import phi_interval as phi_interval
from nstar.stats.correlation import score_correlation_interval as score_correlation_interval
from nstar.stats.critical import anytime_critical as anytime_critical
from nstar.stats.critical import inflation as inflation
from nstar.stats.critical import k_factor as k_factor
from nstar.stats.critical import t_quantile as t_quantile
from nstar.stats.critical import z_alpha as z_alpha
from nstar.stats.critical import z_conf as z_conf
from nstar.stats.critical import z_power as z_power
from nstar.stats.davidson import davidson_fit as davidson_fit
from nstar.stats.davidson import davidson_probabilities as davidson_probabilities
from nstar.stats.designs import GradedTest as GradedTest
from nstar.stats.designs import McNemarTest as McNemarTest
from nstar.stats.designs import StudentTest as StudentTest
from nstar.stats.elo import EloScale as EloScale
from nstar.stats.elo import battles_mde as battles_mde
from nstar.stats.elo import battles_n_star as battles_n_star
from nstar.stats.elo import delta_from_elo as delta_from_elo
from nstar.stats.elo import elo_from_delta as elo_from_delta
from nstar.stats.elo import elo_from_score as elo_from_score
from nstar.stats.elo import score_from_elo as score_from_elo
from nstar.stats.eprocess import EProcess as EProcess
from nstar.stats.eprocess import e_process_leads as e_process_leads
from nstar.stats.eprocess import mcnemar_log_e as mcnemar_log_e
from nstar.stats.eprocess import tuned_beta as tuned_beta
from nstar.stats.eprocess import win_rate_sequence as win_rate_sequence
from nstar.stats.eprocess_plan import EProcessHorizon as EProcessHorizon
from nstar.stats.eprocess_plan import e_process_horizon as e_process_horizon
from nstar.stats.eprocess_plan import e_process_power as e_process_power
from nstar.stats.equivalence import Reached as Reached
from nstar.stats.equivalence import equivalence_exact_margin as equivalence_exact_margin
from nstar.stats.equivalence import equivalence_exact_n_star as equivalence_exact_n_star
from nstar.stats.equivalence import equivalence_exact_power as equivalence_exact_power
from nstar.stats.equivalence import equivalence_margin as equivalence_margin
from nstar.stats.equivalence import equivalence_n_star as equivalence_n_star
from nstar.stats.equivalence import equivalence_power as equivalence_power
from nstar.stats.equivalence import equivalence_pvalue as equivalence_pvalue
from nstar.stats.equivalence import equivalence_t_n_star as equivalence_t_n_star
from nstar.stats.equivalence import equivalence_t_power as equivalence_t_power
from nstar.stats.equivalence import noninferiority_margin as noninferiority_margin
from nstar.stats.equivalence import noninferiority_n_star as noninferiority_n_star
from nstar.stats.equivalence import noninferiority_power as noninferiority_power
from nstar.stats.equivalence import noninferiority_pvalue as noninferiority_pvalue
from nstar.stats.exact import EnumeratedMethod as EnumeratedMethod
from nstar.stats.exact import ExactItems as ExactItems
from nstar.stats.exact import exact_n_star as exact_n_star
from nstar.stats.exact import exact_power as exact_power
from nstar.stats.exact import rejection_limits as rejection_limits
from nstar.stats.flips import flip_max_t as flip_max_t
from nstar.stats.flips import win_rates as win_rates
from nstar.stats.gap_betting import Tail as Tail
from nstar.stats.gap_betting import equivalence_log_e as equivalence_log_e
from nstar.stats.gap_betting import gap_log_e as gap_log_e
from nstar.stats.gap_betting import gap_sequence as gap_sequence
from nstar.stats.gap_betting import noninferiority_log_e as noninferiority_log_e
from nstar.stats.graded import t_interval as t_interval
from nstar.stats.graded import t_log_pvalue as t_log_pvalue
from nstar.stats.graded import t_mde as t_mde
from nstar.stats.graded import t_n_star as t_n_star
from nstar.stats.graded import t_power as t_power
from nstar.stats.graded import t_pvalue as t_pvalue
from nstar.stats.interval import PairedInterval as PairedInterval
from nstar.stats.interval import newcombe_interval as newcombe_interval
from nstar.stats.interval import paired_interval as paired_interval
from nstar.stats.interval import tango_statistic as tango_statistic
from nstar.stats.items import LabelNoise as LabelNoise
from nstar.stats.items import change_interval as change_interval
from nstar.stats.items import cronbach_alpha as cronbach_alpha
from nstar.stats.items import item_rest as item_rest
from nstar.stats.items import label_noise as label_noise
from nstar.stats.items import reliability_at as reliability_at
from nstar.stats.judge import CellMean as CellMean
from nstar.stats.judge import Corrected as Corrected
from nstar.stats.judge import JudgedMean as JudgedMean
from nstar.stats.judge import LabelChoice as LabelChoice
from nstar.stats.judge import judge_cells as judge_cells
from nstar.stats.judge import judge_corrected as judge_corrected
from nstar.stats.judge import judge_influence as judge_influence
from nstar.stats.judge import label_choice as label_choice
from nstar.stats.judge import prediction_powered as prediction_powered
from nstar.stats.judge_plan import LabelMethod as LabelMethod
from nstar.stats.judge_plan import NeymanLabels as NeymanLabels
from nstar.stats.judge_plan import RoganGladen as RoganGladen
from nstar.stats.judge_plan import Youden as Youden
from nstar.stats.judge_plan import judge_gain as judge_gain
from nstar.stats.judge_plan import judge_mde as judge_mde
from nstar.stats.judge_plan import judged_rate as judged_rate
from nstar.stats.judge_plan import label_share as label_share
from nstar.stats.judge_plan import labels_needed as labels_needed
from nstar.stats.judge_plan import neyman_labels as neyman_labels
from nstar.stats.judge_plan import rogan_gladen as rogan_gladen
from nstar.stats.judge_plan import youden as youden
from nstar.stats.judges import DifferenceAgreement as DifferenceAgreement
from nstar.stats.judges import JudgeParts as JudgeParts
from nstar.stats.judges import RaterAgreement as RaterAgreement
from nstar.stats.judges import agreements_differ as agreements_differ
from nstar.stats.judges import difference_agreement as difference_agreement
from nstar.stats.judges import judge_components as judge_components
from nstar.stats.judges import rater_agreement as rater_agreement
from nstar.stats.looks import GroupSequential as GroupSequential
from nstar.stats.looks import Spending as Spending
from nstar.stats.looks import group_sequential as group_sequential
from nstar.stats.margin import margin_bound as margin_bound
from nstar.stats.margin import margin_interval as margin_interval
from nstar.stats.margin import margin_n_star as margin_n_star
from nstar.stats.margin import margin_power as margin_power
from nstar.stats.margin import margin_pvalue as margin_pvalue
from nstar.stats.maxt import MaxT as MaxT
from nstar.stats.maxt import cluster_covariance as cluster_covariance
from nstar.stats.maxt import gram_covariance as gram_covariance
from nstar.stats.maxt import max_t as max_t
from nstar.stats.maxt import max_t_critical as max_t_critical
from nstar.stats.maxt import shrink_covariance as shrink_covariance
from nstar.stats.mcnemar import McNemarMethod as McNemarMethod
from nstar.stats.mcnemar import mcnemar_default_pvalue as mcnemar_default_pvalue
from nstar.stats.mcnemar import mcnemar_log_pvalue as mcnemar_log_pvalue
from nstar.stats.mcnemar import mcnemar_pvalue as mcnemar_pvalue
from nstar.stats.paired import PairedRates as PairedRates
from nstar.stats.paired import delta_from_odds_ratio as delta_from_odds_ratio
from nstar.stats.paired import delta_hat as delta_hat
from nstar.stats.paired import paired_rates as paired_rates
from nstar.stats.paired import psi_bounds as psi_bounds
from nstar.stats.paired import psi_from_rho as psi_from_rho
from nstar.stats.paired import psi_hat as psi_hat
from nstar.stats.paired import rate_range as rate_range
from nstar.stats.paired import rho_bounds as rho_bounds
from nstar.stats.paired import rho_from_psi as rho_from_psi
from nstar.stats.paired import rho_hat as rho_hat
from nstar.stats.paired import rho_interval as rho_interval
from nstar.stats.paired import sigma_from_psi as sigma_from_psi
from nstar.stats.paired import sigma_from_sds as sigma_from_sds
from nstar.stats.paired import sigma_hat as sigma_hat
from nstar.stats.paired import t_bounds as t_bounds
from nstar.stats.paired import t_stat as t_stat
from nstar.stats.passes import PassCurve as PassCurve
from nstar.stats.passes import PassKind as PassKind
from nstar.stats.passes import pass_at_k as pass_at_k
from nstar.stats.passes import pass_at_k_plugin as pass_at_k_plugin
from nstar.stats.passes import pass_curve as pass_curve
from nstar.stats.passes import pass_hat_k as pass_hat_k
from nstar.stats.power import PairedMethod as PairedMethod
from nstar.stats.power import normal_mde as normal_mde
from nstar.stats.power import normal_n_star as normal_n_star
from nstar.stats.power import normal_power as normal_power
from nstar.stats.power import paired_mde as paired_mde
from nstar.stats.power import paired_mde_fixed_loss as paired_mde_fixed_loss
from nstar.stats.power import paired_mde_from_rate as paired_mde_from_rate
from nstar.stats.power import paired_n_star as paired_n_star
from nstar.stats.power import paired_n_star_from_rates as paired_n_star_from_rates
from nstar.stats.power import paired_power as paired_power
from nstar.stats.precision import half_width as half_width
from nstar.stats.precision import n_for_difference as n_for_difference
from nstar.stats.precision import n_for_proportion as n_for_proportion
from nstar.stats.precision import paired_half_width as paired_half_width
from nstar.stats.precision import t_half_width as t_half_width
from nstar.stats.precision import wilson_half_width as wilson_half_width
from nstar.stats.printed import Grim as Grim
from nstar.stats.printed import PrintedP as PrintedP
from nstar.stats.printed import grim as grim
from nstar.stats.printed import p_from_interval as p_from_interval
from nstar.stats.proportion import binomial_pvalue as binomial_pvalue
from nstar.stats.proportion import clopper_pearson_interval as clopper_pearson_interval
from nstar.stats.proportion import one_sample_exact_power as one_sample_exact_power
from nstar.stats.proportion import one_sample_n_star as one_sample_n_star
from nstar.stats.proportion import wilson_interval as wilson_interval
from nstar.stats.racing import race_leads as race_leads
from nstar.stats.racing import race_log_threshold as race_log_threshold
from nstar.stats.ranks import beats as beats
from nstar.stats.ranks import marginal_rank_sets as marginal_rank_sets
from nstar.stats.ranks import rank_sets as rank_sets
from nstar.stats.ranks import tier_lines as tier_lines
from nstar.stats.ratios import ratio_interval as ratio_interval
from nstar.stats.regression import RegressionMean as RegressionMean
from nstar.stats.regression import known_covariates as known_covariates
from nstar.stats.regression import regression_mean as regression_mean
from nstar.stats.repeated_runs import flip_rate as flip_rate
from nstar.stats.repeated_runs import runs_to_see as runs_to_see
from nstar.stats.repeated_runs import sweep_bound as sweep_bound
from nstar.stats.resample import BcaConstants as BcaConstants
from nstar.stats.resample import SignFlips as SignFlips
from nstar.stats.resample import bca_constants as bca_constants
from nstar.stats.resample import bca_levels as bca_levels
from nstar.stats.resample import bootstrap_draws as bootstrap_draws
from nstar.stats.resample import bootstrap_interval as bootstrap_interval
from nstar.stats.resample import bootstrap_pvalue as bootstrap_pvalue
from nstar.stats.resample import monte_carlo_pvalue as monte_carlo_pvalue
from nstar.stats.resample import sign_flip_pvalue as sign_flip_pvalue
from nstar.stats.resample import sign_flip_test as sign_flip_test
from nstar.stats.resolution import exaggeration as exaggeration
from nstar.stats.resolution import log_q_sd as log_q_sd
from nstar.stats.resolution import n_star_interval as n_star_interval
from nstar.stats.resolution import n_star_over_rho as n_star_over_rho
from nstar.stats.resolution import observed_power as observed_power
from nstar.stats.resolution import q_at as q_at
from nstar.stats.resolution import q_hat as q_hat
from nstar.stats.resolution import q_interval as q_interval
from nstar.stats.runs import Allocation as Allocation
from nstar.stats.runs import RunCosts as RunCosts
from nstar.stats.runs import best_allocation as best_allocation
from nstar.stats.runs import optimal_runs as optimal_runs
from nstar.stats.runs import runs_mde as runs_mde
from nstar.stats.runs import runs_mde_floor as runs_mde_floor
from nstar.stats.runs import runs_variance as runs_variance
from nstar.stats.shortcut import cohen_h as cohen_h
from nstar.stats.shortcut import shortcut_coefficient as shortcut_coefficient
from nstar.stats.shortcut import shortcut_delta_limit as shortcut_delta_limit
from nstar.stats.shortcut import shortcut_n as shortcut_n
from nstar.stats.shortcut import shortcut_ratio as shortcut_ratio
from nstar.stats.shrink import StratifiedMean as StratifiedMean
from nstar.stats.shrink import items_for_claim as items_for_claim
from nstar.stats.shrink import items_needed as items_needed
from nstar.stats.shrink import stratified_mean as stratified_mean
from nstar.stats.shrink import subset_claim_mde as subset_claim_mde
from nstar.stats.shrink import subset_mde as subset_mde
from nstar.stats.spread import ComponentIntervals as ComponentIntervals
from nstar.stats.spread import components_interval as components_interval
from nstar.stats.spread import spread_interval as spread_interval
from nstar.stats.strata import iid_variance as iid_variance
from nstar.stats.strata import strata_variance as strata_variance
from nstar.stats.unpaired import UnpairedMethod as UnpairedMethod
from nstar.stats.unpaired import continuity_corrected as continuity_corrected
from nstar.stats.unpaired import n1_given_published as n1_given_published
from nstar.stats.unpaired import unpaired_exact_power as unpaired_exact_power
from nstar.stats.unpaired import unpaired_mde as unpaired_mde
from nstar.stats.unpaired import unpaired_n_star as unpaired_n_star
from nstar.stats.unpaired import unpaired_power as unpaired_power
from nstar.stats.threshold import least_items_above as least_items_above
from nstar.stats.threshold import threshold_items as threshold_items
from nstar.stats.threshold import threshold_log_e as threshold_log_e
from nstar.stats.threshold import threshold_power as threshold_power
from nstar.stats.threshold import threshold_prior as threshold_prior
from nstar.stats.threshold import threshold_pvalue as threshold_pvalue
from nstar.stats.vote_errors import VoteCovariance as VoteCovariance
from nstar.stats.vote_errors import vote_covariance as vote_covariance
from nstar.stats.pseudo_values import auroc_pseudo_values as auroc_pseudo_values
from nstar.stats.pseudo_values import auroc_se as auroc_se
from nstar.stats.pseudo_values import jackknife_pseudo_values as jackknife_pseudo_values
from nstar.stats.pseudo_values import spearman_pseudo_values as spearman_pseudo_values
from nstar.stats.wilcoxon import wilcoxon_n_star as wilcoxon_n_star
from nstar.stats.wilcoxon import wilcoxon_power as wilcoxon_power
from nstar.stats.wilcoxon import wilcoxon_pvalue as wilcoxon_pvalue

__all__ = [
    "Allocation",
    "AnovaIcc",
    "BcaConstants",
    "Bets",
    "CellMean",
    "ClusterKind",
    "ClusterSums",
    "ComponentIntervals",
    "Corrected",
    "DifferenceAgreement",
    "EProcess",
    "EProcessHorizon",
    "EloScale",
    "EnumeratedMethod",
    "ExactItems",
    "Family",
    "GradedTest",
    "Grim",
    "GroupSequential",
    "JudgeParts",
    "JudgedMean",
    "LabelChoice",
    "LabelMethod",
    "LabelNoise",
    "MaxT",
    "McNemarMethod",
    "McNemarTest",
    "NeymanLabels",
    "PairedInterval",
    "PairedMethod",
    "PairedRates",
    "PassCurve",
    "PassKind",
    "PrintedP",
    "RaterAgreement",
    "Reached",
    "RegressionMean",
    "RoganGladen",
    "RunComponents",
    "RunCosts",
    "RunningMean",
    "SignFlips",
    "Spending",
    "StratifiedMean",
    "StudentTest",
    "Tail",
    "UnpairedMethod",
    "VarianceComponents",
    "VoteCovariance",
    "VoteFit",
    "VoteRows",
    "Youden",
    "agreements_differ",
    "anova_icc",
    "anytime_critical",
    "asymptotic_log_e",
    "asymptotic_sequence",
    "auroc_pseudo_values",
    "auroc_se",
    "battles_mde",
    "battles_n_star",
    "bca_constants",
    "bca_levels",
    "beats",
    "bell_mccaffrey_df",
    "benjamini_hochberg",
    "benjamini_yekutieli",
    "bernstein_sequence",
    "best_allocation",
    "betting_log_e",
    "betting_sequence",
    "binomial_pvalue",
    "bonferroni",
    "bonferroni_critical",
    "bootstrap_draws",
    "bootstrap_interval",
    "bootstrap_pvalue",
    "bradley_terry_fit",
    "change_interval",
    "clopper_pearson_interval",
    "cluster_covariance",
    "cluster_interval",
    "cluster_mde",
    "cluster_mde_floor",
    "cluster_n_star",
    "cluster_power",
    "cluster_pvalue",
    "cluster_sign_flip_pvalue",
    "cluster_sums",
    "cluster_variance",
    "cohen_h",
    "components_interval",
    "continuity_corrected",
    "cronbach_alpha",
    "davidson_fit",
    "davidson_probabilities",
    "delta_from_elo",
    "delta_from_odds_ratio",
    "delta_hat",
    "design_effect",
    "design_effect_equal",
    "difference_agreement",
    "dunnett_critical",
    "e_process_horizon",
    "e_process_leads",
    "e_process_power",
    "elo_from_delta",
    "elo_from_score",
    "equivalence_exact_margin",
    "equivalence_exact_n_star",
    "equivalence_exact_power",
    "equivalence_log_e",
    "equivalence_margin",
    "equivalence_n_star",
    "equivalence_power",
    "equivalence_pvalue",
    "equivalence_t_n_star",
    "equivalence_t_power",
    "exact_n_star",
    "exact_power",
    "exaggeration",
    "family_size",
    "flip_max_t",
    "flip_rate",
    "gap_log_e",
    "gap_sequence",
    "gram_covariance",
    "grim",
    "group_sequential",
    "half_width",
    "holm",
    "hommel",
    "iid_variance",
    "inflation",
    "information_inverse",
    "item_rest",
    "items_for_claim",
    "items_needed",
    "jackknife_pseudo_values",
    "judge_cells",
    "judge_components",
    "judge_corrected",
    "judge_gain",
    "judge_influence",
    "judge_mde",
    "judged_rate",
    "k_factor",
    "known_covariates",
    "label_choice",
    "label_noise",
    "label_share",
    "labels_needed",
    "ladder_power",
    "least_items_above",
    "log_q_sd",
    "margin_bound",
    "margin_interval",
    "margin_n_star",
    "margin_power",
    "margin_pvalue",
    "marginal_rank_sets",
    "max_t",
    "max_t_critical",
    "mcnemar_default_pvalue",
    "mcnemar_log_e",
    "mcnemar_log_pvalue",
    "mcnemar_pvalue",
    "mean_cluster_size",
    "monte_carlo_pvalue",
    "n1_given_published",
    "n_for_difference",
    "n_for_proportion",
    "n_star_interval",
    "n_star_over_rho",
    "newcombe_interval",
    "neyman_labels",
    "noninferiority_log_e",
    "noninferiority_margin",
    "noninferiority_n_star",
    "noninferiority_power",
    "noninferiority_pvalue",
    "normal_mde",
    "normal_n_star",
    "normal_power",
    "observed_power",
    "one_sample_exact_power",
    "one_sample_n_star",
    "optimal_runs",
    "p_from_interval",
    "paired_half_width",
    "paired_interval",
    "paired_mde",
    "paired_mde_fixed_loss",
    "paired_mde_from_rate",
    "paired_n_star",
    "paired_n_star_from_rates",
    "paired_power",
    "paired_rates",
    "pass_at_k",
    "pass_at_k_plugin",
    "pass_curve",
    "pass_hat_k",
    "phi_interval",
    "planning_icc",
    "prediction_powered",
    "psi_bounds",
    "psi_from_rho",
    "psi_hat",
    "q_at",
    "q_hat",
    "q_interval",
    "race_leads",
    "race_log_threshold",
    "rank_sets",
    "rate_range",
    "rater_agreement",
    "ratio_interval",
    "regression_mean",
    "rejection_limits",
    "reliability_at",
    "resistance",
    "rho_bounds",
    "rho_from_psi",
    "rho_hat",
    "rho_interval",
    "rogan_gladen",
    "run_components",
    "runs_mde",
    "runs_mde_floor",
    "runs_to_see",
    "runs_variance",
    "score_correlation_interval",
    "score_from_elo",
    "selection_mde",
    "selection_n_star",
    "selection_power",
    "shortcut_coefficient",
    "shortcut_delta_limit",
    "shortcut_n",
    "shortcut_ratio",
    "shrink_covariance",
    "sigma_from_psi",
    "sigma_from_sds",
    "sigma_hat",
    "sign_flip_pvalue",
    "sign_flip_test",
    "spearman_pseudo_values",
    "spread_interval",
    "strata_variance",
    "stratified_mean",
    "strong_components",
    "subset_claim_mde",
    "subset_mde",
    "sweep_bound",
    "t_bounds",
    "t_half_width",
    "t_interval",
    "t_log_pvalue",
    "t_mde",
    "t_n_star",
    "t_power",
    "t_pvalue",
    "t_quantile",
    "t_stat",
    "tango_statistic",
    "threshold_items",
    "threshold_log_e",
    "threshold_power",
    "threshold_prior",
    "threshold_pvalue",
    "tier_lines",
    "tukey_critical",
    "tuned_beta",
    "unpaired_exact_power",
    "unpaired_mde",
    "unpaired_n_star",
    "unpaired_power",
    "variance_components",
    "vote_cells",
    "vote_covariance",
    "wilcoxon_n_star",
    "wilcoxon_power",
    "wilcoxon_pvalue",
    "wilson_half_width",
    "wilson_interval",
    "win_rate_sequence",
    "win_rates",
    "youden",
    "z_alpha",
    "z_conf",
    "z_power",
]
