"""``audit`` against R, statsmodels and published per-item results.

The results are not part of the package: they are looked for beside the repository, and those
tests are skipped where they are absent.
"""

import itertools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests

import nstar
from nstar import Audit, ScoreMatrix
from nstar._base.types import Array
from nstar._verbs.audit.maxt import covariance, step_down

audit: Any = nstar.audit  # results have parts that may be absent; a test knows which are there
HERE = Path(__file__).parent
DATA = HERE.parents[1].parent / "shared" / "data"
GOLDEN = {
    case["id"]: case for case in json.loads((HERE / "golden.json").read_text("utf-8"))["items"]
}
DESIGNS: dict[str, dict[str, Any]] = {
    "items": {},
    "strata:subject": {"strata": "subject"},
    "cluster:subject": {"cluster": "subject"},
}


# --- R: multcomp, csranks -----------------------------------------------------------------


def with_moments(means: Any, cov: Any, n: int) -> Array:
    """Scores that have exactly these means, and this covariance of them."""
    z = np.random.default_rng(1).normal(size=(len(means), n))
    z -= z.mean(axis=1, keepdims=True)
    z = np.linalg.solve(np.linalg.cholesky(np.cov(z)), z)
    return np.asarray(np.linalg.cholesky(n * np.asarray(cov)) @ z + np.asarray(means)[:, None])


@pytest.fixture(scope="module")
def six() -> Audit:
    given = GOLDEN["multi.romano_wolf"]["inputs"]
    x = with_moments(given["theta"], given["cov_of_means"], given["N"])
    matrix = ScoreMatrix.from_arrays(x, models=list("abcdef"))
    return audit(matrix, pairs="all", draws=50_000)


def test_step_down_of_multcomp(six: Audit) -> None:
    golden = GOLDEN["multi.romano_wolf"]["value"]
    assert six.pairs.t == pytest.approx(golden["tstat"], abs=1e-8)
    assert six.pairs.pvalue_adjusted == pytest.approx(golden["p_stepdown"], abs=0.006)
    i, j = np.triu_indices(6, 1)
    cov = np.array(GOLDEN["multi.romano_wolf"]["inputs"]["cov_of_means"])
    se = np.sqrt(cov[i, i] + cov[j, j] - 2 * cov[i, j])
    again = step_down(
        np.array(golden["p_raw"]), covariance(se, 6), alpha=0.05, draws=200_000, seed=1
    )
    assert again.p == pytest.approx(golden["p_stepdown"], abs=GOLDEN["multi.romano_wolf"]["tol"])


def test_rank_sets_of_csranks(six: Audit) -> None:
    golden = GOLDEN["multi.rank_sets"]["value"]
    r = six.ranking
    assert r.model == tuple("abcdef")
    assert r.rank_low.tolist() == golden["step_down"]["L"]
    assert r.rank_high.tolist() == golden["step_down"]["U"]
    assert r.marginal_rank_low.tolist() == golden["marginal"]["L"]
    assert r.marginal_rank_high.tolist() == golden["marginal"]["U"]
    assert (np.flatnonzero(np.diff(r.tier)) + 1).tolist() == golden["guaranteed_cuts_stepdown"]


# --- MMLU-Pro -----------------------------------------------------------------------------


def matrix(name: str) -> ScoreMatrix:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no {name} beside the repository")
    return nstar.matrices(nstar.read(str(path)))[0]


@pytest.fixture(scope="module")
def mmlu_pro() -> ScoreMatrix:
    return matrix("mmlu_pro.parquet")


@pytest.fixture(scope="module")
def audits(mmlu_pro: ScoreMatrix) -> dict[str, Audit]:
    """The 28 models that have nearly all items, on the items they share, under each design."""
    names = [name for name in mmlu_pro.models if name != "DeepSeek-Coder-V2"]
    return {
        design: audit(mmlu_pro, models=names, items="common", **declared)
        for design, declared in DESIGNS.items()
    }


def test_clustering_by_subject_unresolves_more_neighbors(audits: dict[str, Audit]) -> None:
    for found in audits.values():
        assert (len(found), found.n_items, found.is_complete) == (28, 12_002, True)
        unresolved = {
            s.assumption: s.n_unresolved
            for s in found.sensitivity
            if s.family == "adjacent" and s.assumption in ("independent", *DESIGNS)
        }
        assert unresolved == {"independent": 12, "strata:subject": 12, "cluster:subject": 25}
    alone = {design: int((found.adjacent.q < 1).sum()) for design, found in audits.items()}
    # 22 by the normal K; the noncentral t of 14 subjects asks for more
    assert alone == {"items": 12, "strata:subject": 12, "cluster:subject": 25}


@pytest.mark.parametrize("case", [c for c in GOLDEN.values() if c["id"].startswith("real.")])
def test_golden_pairs(audits: dict[str, Audit], case: dict[str, Any]) -> None:
    pair = tuple(case["id"].removeprefix("real.mmlupro ").split(" vs "))
    rows = {
        design: next(r for r in found.adjacent.rows() if (r["model_a"], r["model_b"]) == pair)
        for design, found in audits.items()
    }
    one, golden = rows["items"], case["value"]
    found = {
        "delta_pp": 100 * one["gap"],
        "rho": one["rho"],
        "psi": one["psi"],
        "T_iid": one["t"] * (1 - 1 / one["n_items"]) ** 0.5,  # golden: divisor N - 1
        "T_strat": rows["strata:subject"]["t"],
        "T_cluster_CR2": rows["cluster:subject"]["t"],
    }
    for name, value in found.items():
        assert value == pytest.approx(golden[name], abs=case["tol"]), name


def test_gemini_pro_and_flash(audits: dict[str, Audit]) -> None:
    t = [float(found.adjacent.t[0]) for found in audits.values()]
    assert t == pytest.approx([14.4, 14.6, 2.29], abs=0.05)
    items = audits["items"]
    assert items.adjacent.model_a[0] == "gemini-1.5-pro-002"
    assert items.adjacent.states[0] == "significant"
    assert (items.ranking.rank_high[0], items.ranking.tier[1]) == (1, 2)
    assert items.rank_method == "maxt"
    clusters = audits["cluster:subject"]
    assert clusters.adjacent.verdict[0] == "inconclusive"
    assert (clusters.rank_method, clusters.adjust) == ("holm", "holm")


def test_every_count_is_that_of_the_items(mmlu_pro: ScoreMatrix) -> None:
    every = audit(mmlu_pro, pairs="all").pairs
    rows = {name: mmlu_pro.row(name) for name in mmlu_pro.models}
    for row in every.rows(range(0, len(every), 9)):
        a, b = rows[row["model_a"]], rows[row["model_b"]]
        counts = {"n11": a * b, "n10": a * (1 - b), "n01": (1 - a) * b, "n00": (1 - a) * (1 - b)}
        for name, cells in counts.items():
            assert row[name] == np.nansum(cells)
        assert row["n_items"] == (~np.isnan(a * b)).sum()


@pytest.mark.parametrize(("adjust", "method"), [("holm", "holm"), ("bh", "fdr_bh")])
def test_adjustments_of_statsmodels(mmlu_pro: ScoreMatrix, adjust: Any, method: str) -> None:
    found = audit(mmlu_pro, pairs="all", adjust=adjust)
    reject, p, _, _ = multipletests(found.pairs.pvalue, method=method)
    assert found.pairs.pvalue_adjusted == pytest.approx(p)
    assert found.verdict_counts["significant"] == reject.sum()


def test_raw_means_rank_a_partial_model_wrongly(mmlu_pro: ScoreMatrix) -> None:
    """DeepSeek-Coder-V2 has 10,351 of the items, and they are the easier ones."""
    found = audit(mmlu_pro)
    assert (len(found), found.is_complete, found.rank_method) == (29, False, "holm")
    flip = next(f for f in found.order_flips if f.model_a == "DeepSeek-Coder-V2")
    assert flip.model_b == "Meta-Llama-3_1-70B-Instruct"
    assert (100 * flip.own_mean_a, 100 * flip.own_mean_b) == pytest.approx((63.6, 62.8), abs=0.05)
    assert 100 * flip.gap == pytest.approx(-0.9, abs=0.05)
    assert flip.n_items == 10_351


# --- AlpacaEval 2 -------------------------------------------------------------------------


def test_alpaca_eval_with_clusters() -> None:
    """58 models on 805 graded items from five sources; one model is the reference."""
    m = matrix("alpaca_eval_2.parquet")
    column = next(iter(m.groups))
    found = audit(m, cluster=column)
    assert (len(found), found.is_binary, found.design) == (58, False, f"cluster:{column}")
    assert found.rank_method == "holm"
    assert found.caution is not None
    for k, names in enumerate(itertools.pairwise(found.ranking.model)):
        one = nstar.compare(m, a=names[0], b=names[1], cluster=column).tasks[0]
        row = found.adjacent
        assert row.n_items[k] == one.n_items
        assert row.gap[k] == pytest.approx(one.gap, abs=1e-12)
        assert row.se[k] == pytest.approx(one.se, rel=1e-9)
        assert row.pvalue[k] == pytest.approx(one.pvalue, rel=1e-9)
        assert row.q[k] == pytest.approx(one.q, rel=1e-9)
    rows = {s.assumption: s for s in found.sensitivity if s.family == "adjacent"}
    assert rows[f"cluster:{column}"].n_unresolved >= rows["independent"].n_unresolved
    assert str(found)
