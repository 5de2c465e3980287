"""Published per-item results of MMLU-Pro: 28 models on the 12,002 items they share.

The data are not part of the package: they are looked for beside the repository, and the tests
are skipped where they are absent.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

from nstar import stats as cluster
from nstar._base.types import Array, IntArray
from nstar.stats import maxt, paired, ranks
from nstar.stats.critical import k_factor

DATA = Path(__file__).parents[2].parent / "shared" / "data" / "mmlu_pro.parquet"
TOL = 1e-4

# delta in pp, rho, psi, T as i.i.d., stratified and clustered by subject, ICC of the difference
GOLDEN = {
    ("gemini-1.5-pro-002", "gemini-1.5-flash-002"): (
        6.148975170804865,
        0.5022802841015113,
        0.22262956173971005,
        14.399240932326235,
        14.615888173768056,
        2.292226894609578,
        0.03181791761321542,
    ),
    ("gemini-1.5-flash-002", "Meta-Llama-3_1-70B-Instruct"): (
        1.2664555907348776,
        0.4728140175427626,
        0.24462589568405266,
        2.8060143652487857,
        2.822394303173683,
        0.7302363176253467,
        0.012509143119601183,
    ),
    ("Meta-Llama-3_1-70B-Instruct", "Meta-Llama-3_1-70B"): (
        10.339943342776204,
        0.535387308070462,
        0.23521079820029994,
        23.905618452558162,
        23.967436268358785,
        10.184251405188041,
        0.005539429677460844,
    ),
    ("Meta-Llama-3_1-70B", "Meta-Llama-3-70B"): (
        0.4582569571738044,
        0.6538891229030087,
        0.1727212131311448,
        1.2080122771871586,
        1.2100788115098224,
        0.5374311662586202,
        0.0036738600332879632,
    ),
    ("Meta-Llama-3-70B", "jamba-1.5-large"): (
        2.5495750708215295,
        0.3858653202109899,
        0.3074487585402433,
        5.042544581632588,
        5.09598542426408,
        0.9481027929351942,
        0.02257940758961617,
    ),
}


class Scores(NamedTuple):
    names: list[str]
    x: npt.NDArray[np.int64]
    subject: IntArray


def _codes(column: Any) -> tuple[IntArray, list[Any]]:
    encoded = column.combine_chunks().dictionary_encode()
    return encoded.indices.to_numpy().astype(np.int64), encoded.dictionary.to_pylist()


@pytest.fixture(scope="module")
def scores() -> Scores:
    """Models by items, best model first, with the subject of each item."""
    if not DATA.exists():
        pytest.skip(f"no {DATA.name} beside the repository")
    parquet = pytest.importorskip("pyarrow.parquet")
    table = parquet.read_table(DATA, columns=["model", "item", "subject", "score"])
    model, names = _codes(table["model"])
    item, items = _codes(table["item"])
    subject, _ = _codes(table["subject"])
    grid = np.full((len(names), len(items)), -1)
    grid[model, item] = table["score"].to_numpy()
    of_item = np.zeros(len(items), dtype=np.int64)
    of_item[item] = subject
    keep = [i for i, name in enumerate(names) if name != "DeepSeek-Coder-V2"]
    shared = (grid[keep] >= 0).all(axis=0)
    x = grid[keep][:, shared]
    best_first = np.argsort(-x.sum(axis=1), kind="stable")
    return Scores([names[keep[i]] for i in best_first], x[best_first], of_item[shared])


def test_28_models_share_12002_items_in_14_subjects(scores: Scores) -> None:
    assert scores.x.shape == (28, 12002)
    assert np.unique(scores.subject).size == 14


@pytest.mark.parametrize("pair", GOLDEN)
def test_pair_statistics(scores: Scores, pair: tuple[str, str]) -> None:
    a, b = (scores.x[scores.names.index(name)] for name in pair)
    n = a.size
    n10, n01 = int((a > b).sum()), int((a < b).sum())
    n11 = int((a & b).sum())
    d = cluster.cluster_sums(a - b, scores.subject)
    delta = float(d.sums.sum() / n)
    found = (
        100 * float(paired.delta_hat(n10, n01, n)),
        float(paired.rho_hat(n11, n10, n01, n - n11 - n10 - n01)),
        float(paired.psi_hat(n10, n01, n)),
        delta / float(cluster.iid_variance(d.sums, d.squares, d.sizes)) ** 0.5,
        delta / float(cluster.strata_variance(d.sums, d.squares, d.sizes)) ** 0.5,
        delta / float(cluster.cluster_variance(d.sums, d.sizes)) ** 0.5,
        float(cluster.anova_icc(d.sums, d.squares, d.sizes).icc),
    )
    assert found == pytest.approx(GOLDEN[pair], abs=TOL)


def _adjacent(scores: Scores) -> cluster.ClusterSums:
    return cluster.cluster_sums(scores.x[:-1] - scores.x[1:], scores.subject)


def test_clustering_by_subject_unresolves_ten_more_neighbors(scores: Scores) -> None:
    """Of 27 adjacent pairs, q < 1 for 12 as i.i.d. or stratified items, 22 as clusters."""
    d = _adjacent(scores)
    delta = d.sums.sum(axis=-1) / d.sizes.sum()

    def unresolved(variance: Array) -> int:
        return int(np.count_nonzero(delta / np.sqrt(variance) < k_factor()))

    assert unresolved(cluster.iid_variance(d.sums, d.squares, d.sizes)) == 12
    assert unresolved(cluster.strata_variance(d.sums, d.squares, d.sizes)) == 12
    assert unresolved(cluster.cluster_variance(d.sums, d.sizes)) == 22


def test_gram_and_items_tell_the_same_story(scores: Scores) -> None:
    x, n = scores.x, scores.x.shape[1]
    gram, sums = x @ x.T, x.sum(axis=1)
    n10, n01 = maxt.pair_counts_from_gram(gram, sums)
    assert n10[3, 5] == ((x[3] == 1) & (x[5] == 0)).sum()
    assert n01[3, 5] == ((x[3] == 0) & (x[5] == 1)).sum()
    cov = maxt.gram_covariance(gram, sums, n)
    assert cov == pytest.approx(np.cov(x, bias=True), abs=1e-14)
    d = _adjacent(scores)
    c = maxt.cluster_covariance(cluster.cluster_sums(x, scores.subject).sums, d.sizes)
    i = np.arange(27)
    adjacent = c[i, i] + c[i + 1, i + 1] - 2 * c[i, i + 1]
    assert adjacent == pytest.approx(cluster.cluster_variance(d.sums, d.sizes), rel=1e-10)


def test_rank_sets_follow_the_resolved_pairs(scores: Scores) -> None:
    x, n = scores.x, scores.x.shape[1]
    means = x.mean(axis=1)
    cov = maxt.gram_covariance(x @ x.T, x.sum(axis=1), n) / n
    result = maxt.max_t(means, cov, draws=20_000, rng=1)
    better = ranks.beats(means, result)
    low, high = ranks.rank_sets(better)
    assert low[0] == high[0] == 1  # gemini-1.5-pro-002 stands alone
    assert (low <= np.arange(1, 29)).all()
    assert (high >= np.arange(1, 29)).all()
    assert 1 in ranks.tier_lines(better, np.arange(28))
    narrow_low, narrow_high = ranks.marginal_rank_sets(means, cov, draws=20_000, rng=1)
    single = np.zeros_like(better)
    first, second = result.pairs[result.p_single <= 0.05].T
    single[first, second] = True  # models come best first
    wide_low, wide_high = ranks.rank_sets(single)
    assert (narrow_low >= wide_low).all()
    assert (narrow_high <= wide_high).all()
