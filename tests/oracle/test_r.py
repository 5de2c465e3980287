"""The kernel against R: values made by the scripts in ``r/`` and committed beside them.

Tolerances are of the order of R's own error (see ``r/README.md``) or of the 15 digits stored.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from nstar._base.types import Array, Sides
from nstar.stats.adjust import (
    benjamini_hochberg,
    benjamini_yekutieli,
    bonferroni,
    holm,
    hommel,
    tukey_critical,
)
from nstar.stats.cluster import (
    ClusterKind,
    ClusterSums,
    anova_icc,
    bell_mccaffrey_df,
    cluster_interval,
    cluster_pvalue,
    cluster_sign_flip_pvalue,
    cluster_sums,
    cluster_variance,
    leave_one_cluster_out,
)
from nstar.stats.components import run_components, variance_components
from nstar.stats.equivalence import (
    equivalence_exact_power,
    equivalence_n_star,
    equivalence_power,
    equivalence_t_n_star,
    equivalence_t_power,
    noninferiority_n_star,
    noninferiority_power,
)
from nstar.stats.exact import exact_n_star, exact_power
from nstar.stats.graded import t_interval, t_log_pvalue, t_mde, t_n_star, t_power, t_pvalue
from nstar.stats.interval import paired_interval, tango_statistic
from nstar.stats.maxt import max_t, max_t_critical
from nstar.stats.mcnemar import P_FLOOR, McNemarMethod, mcnemar_log_pvalue, mcnemar_pvalue
from nstar.stats.passes import pass_at_k, pass_hat_k
from nstar.stats.proportion import (
    binomial_pvalue,
    clopper_pearson_interval,
    one_sample_exact_power,
    wilson_interval,
)
from nstar.stats.repeated_runs import runs_to_see, sweep_bound
from nstar.stats.resample import sign_flip_pvalue
from nstar.stats.shortcut import cohen_h, shortcut_n
from nstar.stats.strata import iid_variance, strata_variance
from nstar.stats.unpaired import unpaired_exact_power, unpaired_n_star, unpaired_power
from nstar.stats.wilcoxon import wilcoxon_pvalue

HERE = Path(__file__).parent / "r"
MCNEMAR: tuple[McNemarMethod, ...] = ("midp", "exact", "asymptotic", "corrected")
KINDS: tuple[ClusterKind, ...] = ("CR0", "CR1", "CR2", "CR3")
SIDES: tuple[Sides, ...] = (1, 2)

Table = dict[str, Array]


def load(topic: str) -> dict[str, Any]:
    with (HERE / f"{topic}.json").open(encoding="utf-8") as file:
        tables: dict[str, Any] = json.load(file)["tables"]
    return tables


def table(topic: str, name: str, **where: float) -> Table:
    """Columns as arrays (null is NaN), only the rows where the named columns have a value."""
    columns = {k: np.array(v, dtype=np.float64) for k, v in load(topic)[name].items()}
    keep = np.ones(len(next(iter(columns.values()))), dtype=bool)
    for key, value in where.items():
        keep &= columns[key] == value
    assert keep.any()
    return {k: v[keep] for k, v in columns.items()}


def close(
    got: npt.ArrayLike, want: npt.ArrayLike, *, rtol: float = 0.0, atol: float = 0.0
) -> None:
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=rtol, atol=atol)


# -- McNemar ------------------------------------------------------------------------------


@pytest.mark.parametrize("method", MCNEMAR)
def test_mcnemar_pvalues(method: McNemarMethod) -> None:
    t = table("mcnemar", "tests")
    close(mcnemar_pvalue(t["b"], t["c"], method=method), t[method], rtol=1e-11)


@pytest.mark.parametrize("method", ["exact", "asymptotic"])
def test_mcnemar_log_pvalues(method: McNemarMethod) -> None:
    t = table("mcnemar", "tests")
    close(
        mcnemar_log_pvalue(t["b"], t["c"], method=method),
        t[f"log_{method}"],
        rtol=1e-13,
        atol=1e-11,
    )


@pytest.mark.parametrize("method", ["midp", "exact", "asymptotic"])
def test_mcnemar_beyond_doubles(method: McNemarMethod) -> None:
    t = table("mcnemar", "deep")
    close(mcnemar_log_pvalue(t["b"], t["c"], method=method), t[f"log_{method}"], rtol=1e-13)
    assert np.all(mcnemar_pvalue(t["b"], t["c"], method=method) == P_FLOOR)


@pytest.mark.parametrize("method", MCNEMAR)
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.1])
def test_mcnemar_unconditional_power(method: McNemarMethod, alpha: float) -> None:
    t = table("mcnemar", "power", alpha=alpha)
    got = exact_power(t["delta"], psi=t["psi"], n=t["n"], method=method, alpha=alpha)
    close(got, t[method], atol=1e-12)


@pytest.mark.parametrize("method", MCNEMAR)
def test_mcnemar_first_n(method: McNemarMethod) -> None:
    t = table("mcnemar", "first")
    got = [
        exact_n_star(delta, psi=psi, method=method, alpha=alpha).first
        for delta, psi, alpha in zip(
            *(t[k].tolist() for k in ("delta", "psi", "alpha")), strict=True
        )
    ]
    assert got == t[method].tolist()


# -- Tango --------------------------------------------------------------------------------


def test_tango_interval() -> None:
    t = table("tango", "interval")
    low, high = paired_interval(t["b"], t["c"], t["n"], conf=t["conf"])
    close(low, t["low"], atol=2e-14)
    close(high, t["high"], atol=2e-14)


def test_tango_statistic() -> None:
    t = table("tango", "statistic")
    close(tango_statistic(t["b"], t["c"], t["n"], null=t["null"]), t["z"], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("row", range(5))
def test_equivalence_exact_power(row: int) -> None:
    t = {k: float(v[row]) for k, v in table("tango", "power").items()}
    for sides, name in ((2, "equivalence"), (1, "noninferiority")):
        got = equivalence_exact_power(
            t["margin"],
            psi=t["psi"],
            n=int(t["n"]),
            delta=t["delta"],
            alpha=t["alpha"],
            sides=sides,
        )
        close(got, t[name], atol=1e-12)


# -- One proportion -----------------------------------------------------------------------


def test_wilson_interval() -> None:
    t = table("proportion", "interval")
    low, high = wilson_interval(t["x"], t["n"], conf=t["conf"])
    close(low, t["wilson_low"], atol=1e-14)
    close(high, t["wilson_high"], atol=1e-14)


def test_clopper_pearson_interval() -> None:
    t = table("proportion", "interval")
    low, high = clopper_pearson_interval(t["x"], t["n"], conf=t["conf"])
    close(low, t["cp_low"], rtol=1e-13)
    close(high, t["cp_high"], rtol=1e-13)


def test_binomial_pvalue() -> None:
    t = table("proportion", "test")
    got = binomial_pvalue(t["x"], t["n"], p0=t["p0"])
    close(got, np.maximum(t["two"], P_FLOOR), rtol=1e-11)


def test_one_sample_exact_power() -> None:
    t = table("proportion", "power")
    inside = t["p1"] < 1
    p1, want = t["p1"][inside], t["small_p"][inside]
    designs = np.column_stack([t[k][inside] for k in ("p0", "n", "alpha")])
    # the outcomes that reject are the same for all true accuracies of a design
    for design in np.unique(designs, axis=0):
        p0, n, alpha = design.tolist()
        mine = (designs == design).all(axis=1)
        got = one_sample_exact_power(p1[mine], p0=p0, n=int(n), alpha=alpha)
        close(got, want[mine], atol=1e-12)


# -- Two independent proportions ----------------------------------------------------------


@pytest.mark.parametrize("sides", SIDES)
def test_power_prop_test(sides: Sides) -> None:
    t = table("pwr", "prop", sides=sides)
    p1, p2 = t["p1"] + t["gap"], t["p1"]
    got = unpaired_n_star(p1, p2, alpha=t["alpha"], power=t["power"], sides=sides)
    close(got, t["n"], rtol=1e-13)
    for n in (10, 1000, 100_000):
        power = unpaired_power(p1, p2, n1=n, alpha=t["alpha"], sides=sides)
        close(power, t[f"power_{n}"], atol=1e-14)


def test_power_prop_test_strict_adds_only_the_wrong_tail() -> None:
    t = table("pwr", "prop", sides=2)
    p1, p2 = t["p1"] + t["gap"], t["p1"]
    for n in (10, 1000):
        right = unpaired_power(p1, p2, n1=n, alpha=t["alpha"])
        extra = t[f"strict_{n}"] - right
        assert np.all((extra > -1e-14) & (extra < t["alpha"] / 2 + 1e-14))


def test_pwr_2p_test() -> None:
    t = table("pwr", "two_p", sides=1)
    p1, p2 = t["p1"] + t["gap"], t["p1"]
    close(cohen_h(p1, p2), t["h"], atol=1e-14)
    got = unpaired_n_star(p1, p2, method="arcsine", alpha=t["alpha"], power=t["power"], sides=1)
    close(got, t["n_two"], rtol=1e-12)
    # the package's own root is good to four digits or so
    close(t["n_two_pwr"], t["n_two"], rtol=1e-3)
    # one-sided at alpha is the right tail of two-sided at 2 alpha
    for n, name in ((200, "power_two_200"), (3, "power_two_3")):
        power = unpaired_power(p1, p2, n1=n, method="arcsine", alpha=t["alpha"], sides=1)
        close(power, t[name], atol=1e-14)
        both = unpaired_power(p1, p2, n1=n, method="arcsine", alpha=2 * t["alpha"])
        close(both, t[name], atol=1e-14)


def test_pwr_p_test_is_the_one_sample_shortcut() -> None:
    t = table("pwr", "two_p", sides=1)
    p1, p2 = t["p1"] + t["gap"], t["p1"]
    # two-sided at 2 alpha, right tail
    close(shortcut_n(p1, p2, alpha=2 * t["alpha"], power=t["power"]), t["n_one"], rtol=1e-12)
    close(
        shortcut_n(p1, p2, samples=2, alpha=2 * t["alpha"], power=t["power"]),
        t["n_two"],
        rtol=1e-12,
    )


def test_pwr_two_sided_counts_the_wrong_tail() -> None:
    t = table("pwr", "two_p", sides=2)
    got = unpaired_n_star(
        t["p1"] + t["gap"], t["p1"], method="arcsine", alpha=t["alpha"], power=t["power"]
    )
    # pwr's n is smaller by the far tail, visible only at power 1/2
    assert np.all(got >= t["n_two"] * (1 - 1e-12))
    at = t["power"] >= 0.8
    close(got[at], t["n_two"][at], rtol=1e-4)
    close(got, t["n_two"], rtol=2e-3)


def test_pwr_2p2n_test() -> None:
    t = table("pwr", "two_p2n")
    got = unpaired_power(
        t["p1"], t["p2"], n1=t["n1"], n2=t["n2"], method="arcsine", alpha=t["alpha"]
    )
    close(got, t["right"], atol=1e-14)
    assert np.all(got <= t["power"] + 1e-14)


def test_two_sample_exact_power() -> None:
    t = table("pwr", "exact_two")
    got = [
        unpaired_exact_power(p1, p2, n1=int(n1), n2=int(n2), alpha=alpha)
        for p1, p2, n1, n2, alpha in zip(
            *(t[k].tolist() for k in ("p1", "p2", "n1", "n2", "alpha")), strict=True
        )
    ]
    close(got, t["power"], atol=1e-13)


# -- Paired t -----------------------------------------------------------------------------


@pytest.mark.parametrize("sides", SIDES)
def test_t_power(sides: Sides) -> None:
    t = table("pwr", "t_power", sides=sides)
    got = t_power(t["effect"], sigma=1, n=t["n"], alpha=t["alpha"], sides=sides)
    # R's noncentral t exceeds 1 by 5e-11 at n = 1e5
    close(got, t["power"], atol=1e-10)
    close(got, t["power_pwr"], atol=1e-10)
    small = t["n"] <= 2000
    close(got[small], t["power"][small], atol=5e-12)


@pytest.mark.parametrize("sides", SIDES)
def test_t_power_wide_grid(sides: Sides) -> None:
    t = table("nct", "power", sides=sides)
    n = t["df"] + 1
    got = t_power(t["ncp"] / np.sqrt(n), sigma=1, n=n, alpha=t["alpha"], sides=sides)
    close(got, t["power"], atol=1e-12)
    known = np.isfinite(t["power_pt"])
    close(got[known], t["power_pt"][known], atol=1e-10)


@pytest.mark.parametrize("sides", SIDES)
def test_t_n_star(sides: Sides) -> None:
    t = table("pwr", "t_n", sides=sides)
    got = t_n_star(t["effect"], sigma=1, alpha=t["alpha"], power=t["power"], sides=sides)
    assert np.array_equal(got, np.maximum(np.ceil(t["n"]), 2))


@pytest.mark.parametrize("sides", SIDES)
def test_t_mde(sides: Sides) -> None:
    t = table("pwr", "t_mde", sides=sides)
    got = t_mde(t["n"], sigma=1, alpha=t["alpha"], power=t["power"], sides=sides)
    close(got, t["effect"], rtol=1e-10)


def test_t_quantiles_and_tails() -> None:
    t = table("nct", "quantile")
    t = {k: v[(t["p"] >= 1e-4) & (t["p"] < 0.5)] for k, v in t.items()}
    n = t["df"] + 1
    _, high = t_interval(0.0, np.sqrt(n), n, conf=1 - 2 * t["p"])
    # conf near 1 is itself rounded: 1e-16 / 2e-4 of the tail
    close(high, t["t"], rtol=2e-12)
    t = table("nct", "tail")
    n = t["df"] + 1
    mean = t["t"] / np.sqrt(n)
    close(t_log_pvalue(mean, 1.0, n), t["log_p"], rtol=1e-14, atol=1e-13)
    close(t_pvalue(mean, 1.0, n), np.maximum(np.exp(t["log_p"]), P_FLOOR), rtol=1e-11)


# -- Equivalence --------------------------------------------------------------------------


def test_equivalence_power() -> None:
    t = table("equivalence", "power")
    design = {k: t[k] for k in ("sigma", "n", "delta", "alpha")}
    close(equivalence_power(t["margin"], **design), t["tost_z"], atol=1e-14)
    close(noninferiority_power(t["margin"], **design), t["ni_z"], atol=1e-14)


@pytest.mark.parametrize("alpha", [0.025, 0.05])
def test_equivalence_t_power(alpha: float) -> None:
    t = table("equivalence", "power", alpha=alpha)
    got = equivalence_t_power(
        t["margin"], sigma=t["sigma"], n=t["n"], delta=t["delta"], alpha=alpha
    )
    close(got, t["tost_t"], atol=1e-12)
    assert np.all((got >= 0) & (got <= 1))
    # non-inferiority by t is the one-sided t test of delta + margin
    ahead = t["delta"] + t["margin"] > 0
    one = {k: v[ahead] for k, v in t.items()}
    got = t_power(
        one["delta"] + one["margin"], sigma=one["sigma"], n=one["n"], alpha=alpha, sides=1
    )
    close(got, one["ni_t"], atol=1e-11)


def test_equivalence_sizes() -> None:
    t = table("equivalence", "size")
    design = {k: t[k] for k in ("sigma", "delta", "alpha", "power")}
    close(equivalence_n_star(t["margin"], **design), t["tost_z"], rtol=1e-12)
    close(noninferiority_n_star(t["margin"], **design), t["ni_z"], rtol=1e-12)
    got = [
        equivalence_t_n_star(m, sigma=s, delta=d, alpha=a, power=p)
        for m, s, d, a, p in zip(
            *(t[k].tolist() for k in ("margin", "sigma", "delta", "alpha", "power")), strict=True
        )
    ]
    assert got == t["tost_t"].tolist()
    for alpha in (0.025, 0.05):
        rows = table("equivalence", "size", alpha=alpha)
        items = t_n_star(
            rows["delta"] + rows["margin"],
            sigma=rows["sigma"],
            alpha=alpha,
            power=rows["power"],
            sides=1,
        )
        assert np.array_equal(items, rows["ni_t"])


# -- Clusters -----------------------------------------------------------------------------

DATA = ("equal", "unequal", "three", "forty", "giant", "singletons", "binary_two")


def clustered(name: str) -> tuple[dict[str, Any], ClusterSums]:
    d = load("cluster")[name]
    return d, cluster_sums(d["D"], np.array(d["g"]) - 1)


@pytest.mark.parametrize("name", DATA)
def test_cluster_variance(name: str) -> None:
    d, s = clustered(name)
    for kind in KINDS:
        close(cluster_variance(s.sums, s.sizes, kind=kind), d[kind]["variance"], rtol=1e-12)
    close(bell_mccaffrey_df(s.sizes), d["CR2"]["df"], rtol=1e-12)
    close(iid_variance(s.sums, s.squares, s.sizes), d["v_iid"], rtol=1e-12)
    close(leave_one_cluster_out(s.sums, s.sizes), d["loco"], atol=1e-13)


@pytest.mark.filterwarnings("ignore::nstar.errors.DegenerateDataWarning")
@pytest.mark.parametrize("name", DATA)
def test_cluster_inference(name: str) -> None:
    d, s = clustered(name)
    close(cluster_pvalue(s.sums, s.sizes), d["CR2"]["p"], rtol=1e-12)
    low, high = cluster_interval(s.sums, s.sizes, conf=0.9)
    close([low, high], [d["CR2"]["low90"], d["CR2"]["high90"]], atol=1e-12)  # type: ignore[arg-type]
    if "signflip" in d:
        assert cluster_sign_flip_pvalue(s.sums) == d["signflip"]


@pytest.mark.parametrize("name", [n for n in DATA if n != "singletons"])
def test_anova(name: str) -> None:
    d, s = clustered(name)
    got = anova_icc(s.sums, s.squares, s.sizes)
    for field in ("msb", "msw", "m0", "icc"):
        close(getattr(got, field), d["anova"][field], rtol=1e-11)
    if "v_strata" in d:
        close(strata_variance(s.sums, s.squares, s.sizes), d["v_strata"], rtol=1e-12)


# -- Multiplicity -------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["ties", "random", "tiny", "one"])
def test_p_adjust(name: str) -> None:
    d = load("multiplicity")["adjusted"][name]
    for func, column in (
        (bonferroni, "bonferroni"),
        (holm, "holm"),
        (hommel, "hommel"),
        (benjamini_hochberg, "BH"),
        (benjamini_yekutieli, "BY"),
    ):
        close(func(d["p"]), d[column], rtol=1e-14)


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.05, 0.1, 0.2])
def test_tukey_critical(alpha: float) -> None:
    t = table("multiplicity", "tukey", alpha=alpha)
    got = tukey_critical(t["m"], alpha=alpha)
    close(got, t["critical"], rtol=1e-12)
    close(got, t["qtukey"], atol=2e-4)


@pytest.mark.parametrize("m", [2, 5, 9])
@pytest.mark.parametrize("r", [0.0, 0.25, 0.5, 0.9])
def test_many_to_one_critical(m: int, r: float) -> None:
    t = table("multiplicity", "equicorrelated", m=m, r=r, alpha=0.05)
    # model 0 is shared by all pairs, so differences from it correlate r
    cov = np.diag([r, *[1 - r] * m])
    pairs = [(0, j) for j in range(1, m + 1)]
    got = max_t_critical(cov, pairs=pairs, draws=50_000, rng=3)
    close(got, t["critical"][0], atol=0.035)


@pytest.mark.parametrize("name", ["ar4", "mixed3", "blocks5"])
@pytest.mark.parametrize("level", range(3))
def test_unequal_correlations_critical(name: str, level: int) -> None:
    d = load("multiplicity")["quantiles"][name]
    corr = np.array(d["corr"])
    cov = np.zeros((len(corr) + 1, len(corr) + 1))
    cov[1:, 1:] = corr
    pairs = [(j, 0) for j in range(1, len(cov))]
    alpha = d["levels"]["alpha"][level]
    got = max_t_critical(cov, pairs=pairs, alpha=alpha, draws=50_000, rng=5)
    close(got, d["levels"]["critical"][level], atol=0.06 if alpha < 0.05 else 0.03)


@pytest.mark.parametrize("name", ["wide", "narrow"])
def test_multcomp(name: str) -> None:
    d = load("multiplicity")["families"][name]
    first, second = np.array(d["first"]) - 1, np.array(d["second"]) - 1
    draws = 100_000
    got = max_t(
        d["means"], d["covariance"], pairs=np.stack([second, first], axis=1), draws=draws, rng=8
    )
    close(got.t, d["z"], rtol=1e-12)
    close(got.critical, d["critical95"], atol=0.02)
    for column, p in (("single_step", got.p_single), ("free", got.p_step)):
        want = np.array(d[column])
        # four standard errors of the simulation, multcomp's own error, and (r + 1) / (B + 1)
        slack = 4 * np.sqrt(want * (1 - want) / draws) + d["error"] + 2 / draws
        assert np.all(np.abs(p - want) <= slack)
    close(holm(d["none"]), d["holm"], rtol=1e-12)


@pytest.mark.parametrize("m", [2, 5, 20])
@pytest.mark.parametrize("df", [10, 49, 200])
def test_tukey_with_few_degrees_of_freedom(m: int, df: int) -> None:
    t = table("multiplicity", "tukey_df", m=m, df=df, alpha=0.05)
    got = max_t_critical(np.eye(m), draws=50_000, df=df, rng=2)
    close(got, t["qtukey"][0], rtol=0.015)


# -- Signed ranks and sign flips ----------------------------------------------------------


@pytest.mark.parametrize("row", range(9))
def test_wilcoxon_without_ties(row: int) -> None:
    d = load("wilcoxon")["untied"][row]
    close(wilcoxon_pvalue(d["D"], method="exact"), d["exact"], rtol=1e-13)
    close(wilcoxon_pvalue(d["D"], method="asymptotic"), d["asymptotic"], rtol=1e-13)


@pytest.mark.parametrize("row", range(7))
def test_wilcoxon_with_ties_and_zeros(row: int) -> None:
    d = load("wilcoxon")["tied"][row]
    close(wilcoxon_pvalue(d["D"], method="asymptotic"), d["asymptotic"], rtol=1e-13)


def test_signed_rank_law() -> None:
    t = table("wilcoxon", "table")
    for n, v, cdf in zip(*(t[k].tolist() for k in ("n", "v", "cdf")), strict=True):
        ranks = np.arange(1, int(n) + 1)
        # signs whose positive ranks sum to v: take the largest that still fit
        signs, left = -np.ones(int(n)), v
        for r in ranks[::-1]:
            if r <= left:
                signs[r - 1], left = 1.0, left - r
        if 2 * v < n * (n + 1) / 2:
            close(wilcoxon_pvalue(signs * ranks, method="exact"), 2 * cdf, rtol=1e-11)


@pytest.mark.parametrize("name", ["ints", "binary", "reals", "one", "zeros"])
def test_sign_flips(name: str) -> None:
    d = load("wilcoxon")["flips"][name]
    close(sign_flip_pvalue(d["D"]), d["two"], rtol=1e-13)


# -- Repeated runs ------------------------------------------------------------------------


def test_pass_at_k() -> None:
    t = table("runs", "pass")
    close(pass_at_k(t["n"], t["c"], t["k"]), t["pass_at_k"], rtol=1e-12, atol=1e-15)
    close(pass_hat_k(t["n"], t["c"], t["k"]), t["pass_all_k"], rtol=1e-12)


def test_clean_sweeps() -> None:
    t = table("runs", "sweep")
    close(sweep_bound(t["runs"], conf=t["conf"]), t["bound"], rtol=1e-12)
    close(sweep_bound(t["runs"], conf=t["conf"]), t["upper"], rtol=1e-12)
    t = table("runs", "seen")
    close(runs_to_see(t["rate"], conf=t["conf"]), t["runs"], rtol=0)


@pytest.mark.parametrize("row", range(3))
def test_two_way_layout(row: int) -> None:
    d = load("runs")["blocks"][row]
    got = run_components(d["Y"])
    want = {
        "mean": d["mean"],
        "sigma_task2_raw": d["task"],
        "sigma_run2_raw": d["run"],
        "sigma_w2": d["residual"] + d["run"],
    }
    for field, value in want.items():
        close(getattr(got, field), value, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("row", range(3))
def test_variance_components(row: int) -> None:
    d = load("runs")["tables"][row]
    got = variance_components(d["A"], d["B"])
    want = {
        "delta": d["delta"],
        "var_delta": d["variance"],
        "sigma_wa2": d["within_a"],
        "sigma_wb2": d["within_b"],
        "sigma_b2_raw": d["between"],
    }
    for field, value in want.items():
        close(getattr(got, field), value, rtol=1e-12, atol=1e-15)
    assert got.k == len(d["A"])
    close(t_pvalue(got.delta, np.sqrt(got.var_delta * got.k), got.k), d["p_t"], rtol=1e-12)
