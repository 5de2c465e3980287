"""``compare`` against other packages, published figures and a computation by hand.

The data are not part of the package: they are looked for beside the repository, and those tests
are skipped where they are absent.
"""

import math
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.weightstats import ttost_paired

from nstar import compare
from nstar._base.types import Array, IntArray
from nstar._data.matrix import ScoreMatrix

stats: Any = scipy_stats  # its stubs know fewer forms of call than the library
DATA = Path(__file__).parents[2].parent / "shared" / "data"


def cells(n11: int, n10: int, n01: int, n00: int) -> tuple[Array, Array]:
    table = np.repeat([[1.0, 1], [1, 0], [0, 1], [0, 0]], [n11, n10, n01, n00], axis=0)
    return table[:, 0], table[:, 1]


def one(*args: Any, **options: Any) -> Any:
    return compare(*args, **options).tasks[0]


# --- other packages -----------------------------------------------------------------------


def test_two_models_on_a_thousand_items() -> None:
    """The pair on which nine other packages were run."""
    pair = one(*cells(628, 86, 78, 208))
    assert pair.rho == pytest.approx(0.602, abs=5e-4)
    assert pair.pvalue_exact == pytest.approx(0.5848, abs=5e-5)
    assert pair.pvalue_midp == pair.pvalue == pytest.approx(0.5335, abs=5e-5)
    assert math.ceil(pair.n_star) == 20_111  # Connor's; 20,105 by Wald's formula
    assert pair.mde == pytest.approx(0.0359, abs=1e-4)
    assert pair.q == pytest.approx(0.0497, abs=5e-5)
    assert pair.more_items == 19_111
    assert pair.verdict == "inconclusive"


def test_mcnemar_of_statsmodels() -> None:
    rng = np.random.default_rng(1)
    for n11, n10, n01, n00 in rng.integers(0, 60, (40, 4)).tolist():
        pair = one(*cells(n11, n10, n01, n00 + 1))
        want = mcnemar([[n11, n10], [n01, n00 + 1]], exact=True)
        assert pair.pvalue_exact == pytest.approx(want.pvalue)


def test_paired_t_of_scipy() -> None:
    rng = np.random.default_rng(2)
    for n in (2, 5, 40, 300):
        a, b = rng.beta(2, 1, n), rng.beta(1, 1, n)
        pair, want = one(a, b), stats.ttest_rel(a, b)
        assert pair.t == pytest.approx(want.statistic)
        assert pair.pvalue_t == pytest.approx(want.pvalue)
        assert pair.ci == pytest.approx(tuple(want.confidence_interval(0.95)))


def test_sign_flips_of_scipy() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.random(12), rng.random(12)
    want = stats.permutation_test(
        (a, b),
        lambda x, y, axis: (x - y).mean(axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=np.inf,
    )
    assert one(a, b).pvalue_signflip == pytest.approx(want.pvalue)


def test_equivalence_of_statsmodels() -> None:
    rng = np.random.default_rng(4)
    a = rng.random(200)
    b = a + rng.normal(0.01, 0.1, 200)
    pair = one(a, b, margin=0.03)
    p, _, _ = ttost_paired(a, b, -0.03, 0.03)
    assert (
        pair.equivalence.pvalue > p
    )  # which allows for no losses that are too rare to have shown


def test_holm_of_statsmodels() -> None:
    rng = np.random.default_rng(5)
    tasks = [
        ScoreMatrix.from_arrays(rng.random((2, 50)).round(), models=["a", "b"], task=str(k))
        for k in range(9)
    ]
    pairs = compare(tasks, a="a", b="b").tasks
    want = multipletests([p.pvalue for p in pairs], method="holm")[1]
    assert [p.pvalue_adjusted for p in pairs] == pytest.approx(list(want))


def test_clusters_of_statsmodels() -> None:
    """CR1 is what statsmodels has; CR2 exceeds it by the weights alone for equal sizes."""
    rng = np.random.default_rng(6)
    codes = np.repeat(np.arange(12), 25)
    d = rng.normal(0, 1, 300) + np.repeat(rng.normal(0, 0.4, 12), 25)
    fit = OLS(d, np.ones(300)).fit(
        cov_type="cluster", cov_kwds={"groups": codes, "use_correction": False}
    )
    pair = one(d, np.zeros(300), cluster=codes)
    assert pair.gap == pytest.approx(fit.params[0])
    assert pair.se == pytest.approx(fit.bse[0] * math.sqrt(12 / 11))
    assert pair.estimate.df == pytest.approx(11)


# --- MMLU-Pro -----------------------------------------------------------------------------


def read(name: str, *columns: str) -> Any:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"no {name} beside the repository")
    parquet = pytest.importorskip("pyarrow.parquet")
    return parquet.read_table(path, columns=list(columns))


def codes(column: Any) -> tuple[IntArray, list[str]]:
    encoded = column.combine_chunks().dictionary_encode()
    labels = [str(x) for x in encoded.dictionary.to_pylist()]
    return encoded.indices.to_numpy().astype(np.int64), labels


def matrix(table: Any) -> ScoreMatrix:
    model, models = codes(table["model"])
    item, items = codes(table["item"])
    subject, subjects = codes(table["subject"])
    grid = np.full((len(models), len(items)), np.nan)
    grid[model, item] = table["score"].to_numpy()
    of_item = np.zeros(len(items), dtype=np.int64)
    of_item[item] = subject
    groups = {"subject": [subjects[k] for k in of_item]}
    return ScoreMatrix.from_arrays(grid, models=models, items=items, groups=groups)


@pytest.fixture(scope="module")
def mmlu_pro() -> ScoreMatrix:
    return matrix(read("mmlu_pro.parquet", "model", "item", "subject", "score"))


GEMINI = ("gemini-1.5-pro-002", "gemini-1.5-flash-002")


def test_gemini_pro_and_flash(mmlu_pro: ScoreMatrix) -> None:
    pair = one(mmlu_pro, a=GEMINI[0], b=GEMINI[1])
    assert pair.n_items == 12_002
    assert pair.gap == pytest.approx(0.06148975170804865)
    assert pair.rho == pytest.approx(0.50228, abs=1e-4)
    assert pair.counts.psi == pytest.approx(0.22263, abs=1e-4)
    assert pair.verdict == "better"
    assert pair.t == pytest.approx(14.399, abs=1e-3)
    strata, cluster = pair.other_designs
    assert pair.gap / strata.se == pytest.approx(14.615888, abs=1e-4)
    assert pair.gap / cluster.se == pytest.approx(2.292227, abs=1e-4)
    assert cluster.icc == pytest.approx(0.031818, abs=1e-4)
    assert cluster.df == pytest.approx(11.58, abs=0.01)
    declared = one(mmlu_pro, a=GEMINI[0], b=GEMINI[1], cluster="subject")
    assert declared.t == pair.gap / cluster.se
    assert declared.q < 1 < pair.q
    assert (pair.missing_items.n_only_a, pair.missing_items.n_only_b) == (18, 10)
    assert pair.missing_items.is_decisive


def test_raw_means_rank_a_partial_model_wrongly(mmlu_pro: ScoreMatrix) -> None:
    """DeepSeek-Coder-V2 has 10,351 of the items, and they are the easier ones."""
    pair = one(mmlu_pro, a="DeepSeek-Coder-V2", b="Meta-Llama-3_1-70B-Instruct")
    r = pair.missing_items
    assert (r.n_common, r.n_only_a, r.n_only_b) == (10_351, 0, 1_681)
    assert r.raw_gap > 0 > r.common_gap
    assert r.order_flips
    assert not r.is_decisive
    assert pair.verdict == "inconclusive"


def test_twelve_thousand_items_take_no_time(mmlu_pro: ScoreMatrix) -> None:
    compare(mmlu_pro, a=GEMINI[0], b=GEMINI[1])
    start = time.process_time()
    for _ in range(5):
        compare(mmlu_pro, a=GEMINI[0], b=GEMINI[1])
    assert (time.process_time() - start) / 5 < 0.2  # 15 ms when alone on the machine


# --- AlpacaEval and tau-bench -------------------------------------------------------------


def test_alpaca_eval_is_a_paired_t_test() -> None:
    m = matrix(read("alpaca_eval_2.parquet", "model", "item", "subject", "score"))
    for first, second in ((0, 1), (2, 3), (10, 20)):
        names = m.models[first], m.models[second]
        pair = one(m, a=names[0], b=names[1])
        a, b = m.row(first), m.row(second)
        both = ~(np.isnan(a) | np.isnan(b))
        want = stats.ttest_rel(a[both], b[both])
        assert pair.n_items == both.sum()
        assert pair.t == pytest.approx(want.statistic)
        assert pair.pvalue_t == pytest.approx(want.pvalue, rel=1e-9)
        assert pair.ci == pytest.approx(tuple(want.confidence_interval(0.95)))
        assert pair.pvalue_signflip == pytest.approx(pair.pvalue_t, abs=0.02)


def test_the_reference_of_alpaca_eval_never_varies() -> None:
    m = matrix(read("alpaca_eval_2.parquet", "model", "item", "subject", "score"))
    flat = next(k for k in range(len(m.models)) if np.nanstd(m.row(k)) == 0)
    other = (flat + 1) % len(m.models)
    pair = one(m, a=m.models[other], b=m.models[flat])
    assert pair.rho is None
    assert pair.sigma == pytest.approx(np.nanstd(m.row(other), ddof=1))


def test_tau_bench_runs_by_hand() -> None:
    table = read("tau_bench_airline_gpt4o.parquet", "item", "run", "score")
    scores = np.full((50, 4), np.nan)
    scores[table["item"].to_numpy(), table["run"].to_numpy()] = table["score"].to_numpy()
    a, b = scores[:, :2], scores[:, 2:]
    pair = one(a, b)
    d = a.mean(axis=1) - b.mean(axis=1)
    spread = float(((d - d.mean()) ** 2).sum() / 49)
    # two runs of a task differ or not: their variance is ½ or 0
    noise_a, noise_b = ((x[:, 0] != x[:, 1]).mean() / 2 for x in (a, b))
    assert pair.se == pytest.approx(math.sqrt(spread / 50))
    assert pair.run_variance.run_part_a == pytest.approx(noise_a / 2 / 50)
    assert pair.run_variance.run_part_b == pytest.approx(noise_b / 2 / 50)
    assert pair.run_variance.item_part == pytest.approx((spread - noise_a / 2 - noise_b / 2) / 50)
    want = stats.ttest_rel(a.mean(axis=1), b.mean(axis=1))
    assert pair.pvalue_t == pytest.approx(want.pvalue)
