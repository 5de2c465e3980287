"""Reference values for items that come in groups."""

from typing import Any

import numpy as np

from nstar._verbs.selfcheck.types import Evaluator, Inputs
from nstar.stats import (
    ClusterSums,
    anova_icc,
    bell_mccaffrey_df,
    cluster_pvalue,
    cluster_sums,
    cluster_variance,
    design_effect,
    design_effect_equal,
    iid_variance,
    leave_one_cluster_out,
    strata_variance,
)


def _groups(x: Inputs) -> ClusterSums:
    return cluster_sums(x["D"], np.asarray(x["g"]) - 1)


def _robust(x: Inputs) -> Any:
    s = _groups(x)
    return {
        "mean": s.sums.sum() / s.sizes.sum(),
        "CR0": cluster_variance(s.sums, s.sizes, kind="CR0"),
        "CR1": cluster_variance(s.sums, s.sizes, kind="CR1"),
        "CR2": cluster_variance(s.sums, s.sizes, kind="CR2"),
        "CR3": cluster_variance(s.sums, s.sizes, kind="CR3"),
        "df_BM": bell_mccaffrey_df(s.sizes),
        "p_CR2_BM": cluster_pvalue(s.sums, s.sizes),
    }


def _icc(x: Inputs) -> Any:
    s = _groups(x)
    a = anova_icc(s.sums, s.squares, s.sizes)
    iid = iid_variance(s.sums, s.squares, s.sizes)
    return {
        "MSB": a.msb,
        "MSW": a.msw,
        "m0": a.m0,
        "mA": design_effect(1.0, s.sizes),  # Σm²/N: all that is left at ICC = 1
        "mbar": s.sizes.mean(),
        "icc_anova": a.icc,
        "DE_mbar": design_effect_equal(a.icc, s.sizes.mean()),
        "DE_kish": design_effect(a.icc, s.sizes),
        "DE_ratio_CR1": cluster_variance(s.sums, s.sizes, kind="CR1") / iid,
        "DE_ratio_CR2": cluster_variance(s.sums, s.sizes, kind="CR2") / iid,
        "V_iid": iid,
        "V_strat": strata_variance(s.sums, s.squares, s.sizes),
        "loco": leave_one_cluster_out(s.sums, s.sizes),
    }


def _mmlu_pro(x: Inputs) -> Any:
    sizes = np.asarray(x["sizes"])
    return {
        "mA": design_effect(1.0, sizes),
        "m0": anova_icc(0 * sizes, sizes, sizes).m0,  # of the sizes alone
        "mbar": design_effect_equal(1.0, sizes.mean()),
        "df_BM": bell_mccaffrey_df(sizes),
        "DE_mbar_icc036": design_effect_equal(0.036, sizes.mean()),
        "DE_kish_icc036": design_effect(0.036, sizes),
    }


def _design_effect(x: Inputs) -> Any:
    return design_effect(x["icc"], x["sizes"])


EVALUATORS: dict[str, Evaluator] = {
    "cluster.DE_sim": _design_effect,
    "cluster.cr": _robust,
    "cluster.icc": _icc,
    "cluster.mmlupro": _mmlu_pro,
}
"""By the name of the value up to the first space."""
