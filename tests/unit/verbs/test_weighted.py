"""Items that count unequally: the verbs agree, cover, and refuse what cannot be meant."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nstar
from nstar import stats
from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar.errors import DataError, NstarError, ParameterError
from nstar.stats._weights import effective, inflation, weight_freedom, weighted_scores

N = 150
RNG = np.random.default_rng(26)
SKILL = RNG.beta(2, 1, N)
SCORES = (RNG.random((3, N)) < SKILL * np.array([[1.0], [0.85], [0.6]])).astype(float)
WEIGHTS = RNG.lognormal(size=N)
ITEMS = [f"q{k}" for k in range(N)]
BY_ITEM = dict(zip(ITEMS, WEIGHTS.tolist(), strict=True))
PASSAGES = [f"p{k % 30}" for k in range(N)]


def board(scores: Array = SCORES, task: str = "") -> ScoreMatrix:
    groups = {"passage": PASSAGES}
    return ScoreMatrix.from_arrays(
        scores, models=list("abc"), items=ITEMS, groups=groups, task=task
    )


def test_the_gap_is_that_of_weighted_means() -> None:
    pair = nstar.compare(SCORES[0], SCORES[1], weights=WEIGHTS).tasks[0]
    known = [np.average(x, weights=WEIGHTS) for x in SCORES[:2]]
    assert [pair.mean_a, pair.mean_b] == pytest.approx(known)
    assert pair.estimate.n_effective == pytest.approx(effective(WEIGHTS))
    assert pair.estimate.df == pytest.approx(effective(WEIGHTS) - 1)
    assert pair.estimate.pvalue_method == "weighted t"
    assert not pair.is_binary
    assert pair.counts is None


def test_equal_weights_change_nothing() -> None:
    plain = nstar.compare(SCORES[0], SCORES[1])
    assert nstar.compare(SCORES[0], SCORES[1], weights=[3.0] * N) == plain


def test_the_scale_of_weights_is_of_no_account() -> None:
    pairs = [nstar.compare(board(), a="a", b="b", weights=w).tasks[0] for w in _scaled()]
    assert pairs[0].gap == pytest.approx(pairs[1].gap)
    assert pairs[0].se == pytest.approx(pairs[1].se)
    assert pairs[0].n_star == pytest.approx(pairs[1].n_star)


def _scaled() -> list[dict[str, float]]:
    return [BY_ITEM, {item: 1000 * w for item, w in BY_ITEM.items()}]


def test_whole_weights_count_as_copies_do_for_the_mean() -> None:
    copies = np.arange(N) % 3 + 1
    pair = nstar.compare(SCORES[0], SCORES[1], weights=copies).tasks[0]
    long = [np.repeat(x, copies) for x in SCORES[:2]]
    assert pair.gap == pytest.approx(long[0].mean() - long[1].mean())
    assert pair.se > nstar.compare(*long).tasks[0].se  # copies are no new items


@pytest.mark.parametrize("cluster", [None, "passage"])
def test_an_audit_says_of_a_pair_what_compare_says(cluster: str | None) -> None:
    found = nstar.audit(board(), weights=BY_ITEM, cluster=cluster, margin=0.1)
    assert found.n_effective == pytest.approx(effective(WEIGHTS))
    for k, (a, b) in enumerate(zip(found.adjacent.model_a, found.adjacent.model_b, strict=True)):
        pair = nstar.compare(board(), a=a, b=b, weights=BY_ITEM, cluster=cluster).tasks[0]
        for name in ("gap", "se", "mde", "n_star"):
            assert found.adjacent.columns()[name][k] == pytest.approx(
                getattr(pair, name), rel=1e-4
            )
        assert found.compare(a, b).tasks[0].pvalue == pytest.approx(pair.pvalue)


def test_a_gate_says_of_the_gap_what_compare_says() -> None:
    gate = nstar.gate(board(), a="a", b="b", margin=0.05, weights=BY_ITEM)
    pair = nstar.compare(board(), a="a", b="b", weights=BY_ITEM).tasks[0]
    assert gate.tasks[0].comparison.gap == pytest.approx(pair.gap)
    assert gate.tasks[0].comparison.se == pytest.approx(pair.se)
    assert any(f.code == "weighted-items" for f in gate.findings)


def test_items_of_weight_0_are_as_if_they_were_not_there() -> None:
    some = {item: (0.0 if k < 50 else w) for k, (item, w) in enumerate(BY_ITEM.items())}
    pair = nstar.compare(board(), a="a", b="b", weights=some).tasks[0]
    rest = nstar.compare(SCORES[0, 50:], SCORES[1, 50:], weights=WEIGHTS[50:]).tasks[0]
    assert (pair.n_items, pair.gap, pair.se) == pytest.approx((rest.n_items, rest.gap, rest.se))


def test_tasks_of_given_weights_make_the_average() -> None:
    two = [board(task="one"), board(SCORES[:, ::-1].copy(), task="two")]
    found = nstar.audit(two, weights={"task": ["one", "two"], "weight": [3, 1]})
    assert len(found.tasks) > 1
    assert found.weights == {"one": 0.75, "two": 0.25}
    assert found.average == "weighted"
    assert "tasks are weighted as declared" in str(found)


def test_micro_averages_count_items_as_they_weigh() -> None:
    two = [board(task="one"), board(task="two")]
    rows = [("one", item, w) for item, w in BY_ITEM.items()]
    rows += [("two", item, 2 * w) for item, w in BY_ITEM.items()]
    given = dict(zip(("task", "item", "weight"), map(list, zip(*rows, strict=True)), strict=True))
    found = nstar.audit(two, weights=given, average="micro")
    assert len(found.tasks) > 1
    assert found.weights == pytest.approx({"one": 1 / 3, "two": 2 / 3})


def test_reports_say_what_items_are_worth() -> None:
    told = str(nstar.compare(board(), a="a", b="b", weights=BY_ITEM))
    assert f"worth {effective(WEIGHTS):.0f} of equal weight" in told
    assert "not McNemar's test" in " ".join(told.split())
    ranked = str(nstar.audit(board(), weights=BY_ITEM))
    assert "Ranking by weighted mean" in ranked
    assert "items are worth" in " ".join(ranked.split())


def holed() -> ScoreMatrix:
    scores = SCORES.copy()
    scores[0, :7] = np.nan
    return board(scores)


def test_items_that_a_model_lacks_are_left_out_and_told() -> None:
    found = nstar.compare(holed(), a="a", b="b", weights=BY_ITEM)
    assert found.tasks[0].n_items == N - 7
    assert "7 that some models lack are excluded" in found.findings[-1].text
    assert nstar.audit(holed(), weights=BY_ITEM, items="common").n_items == N - 7


def test_where_all_must_have_all_items_the_rest_is_refused() -> None:
    with pytest.raises(DataError, match=r'7 of 150 weighted items .* items="common"'):
        nstar.audit(holed(), weights=BY_ITEM)
    gate = nstar.gate(holed(), a="a", b="b", margin=0.05, weights=BY_ITEM)
    assert gate.verdict == "invalid_data"
    assert "Run them for both models" in str(gate.invalid_reason)


REFUSED: list[tuple[Callable[[], Any], str]] = [
    (lambda: BY_ITEM | {"q3": -1.0}, r"\['q3'\]: the weight must be a number >= 0"),
    (lambda: BY_ITEM | {"q3": float("nan")}, "must be a number >= 0; got nan"),
    (lambda: dict.fromkeys(ITEMS, 0.0), "every weight is 0"),
    (
        lambda: {k: w for k, w in BY_ITEM.items() if k > "q2"},
        r"no weight for \d+ of 150 items .*'q0'",
    ),
    (lambda: BY_ITEM | {"x": 1.0}, "lists 1 item that no model answered \\(first: 'x'\\)"),
    (lambda: dict.fromkeys(ITEMS, 0.0) | {"q1": 5.0}, "too few to estimate a standard error"),
    (lambda: {"item": ["q1", "q1"], "weight": [1, 2]}, "row 2: 'q1' already has a weight"),
    (lambda: {"name": ["q1"], "weight": [1]}, "need the columns item and weight"),
    (lambda: {"task": ["t"], "weight": [1]}, "weights whole tasks"),
    (lambda: 3, "must be a path, a mapping"),
]


@pytest.mark.parametrize(("given", "why"), REFUSED)
def test_weights_that_cannot_be_meant(given: Callable[[], Any], why: str) -> None:
    with pytest.raises(NstarError, match=why):
        nstar.compare(board(), a="a", b="b", weights=given())


def test_strata_looks_and_single_items_are_refused() -> None:
    with pytest.raises(ParameterError, match="cannot be combined with weights"):
        nstar.compare(board(), a="a", b="b", weights=BY_ITEM, strata="passage")
    with pytest.raises(ParameterError, match="cannot be combined with weights"):
        nstar.audit(board(), weights=BY_ITEM, strata="passage")
    with pytest.raises(ParameterError, match="cannot be combined with weights"):
        nstar.gate(board(), a="a", b="b", margin=0.1, weights=BY_ITEM, strata="passage")
    with pytest.raises(DataError, match="no individual scores"):
        nstar.compare(board(), a="a", b="b", weights=BY_ITEM).differing("gained")


FILES = {
    "w.csv": "item,weight\n" + "".join(f"{k},{w!r}\n" for k, w in BY_ITEM.items()),
    "w.tsv": "weight\titem\n" + "".join(f"{w!r}\t{k}\n" for k, w in BY_ITEM.items()),
    "w.jsonl": "".join(f'{{"item": "{k}", "weight": {w!r}}}\n' for k, w in BY_ITEM.items()),
}


@pytest.mark.parametrize("name", FILES)
def test_files_say_what_a_mapping_says(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(FILES[name], encoding="utf-8")
    found = nstar.compare(board(), a="a", b="b", weights=path)
    assert found.tasks == nstar.compare(board(), a="a", b="b", weights=BY_ITEM).tasks


def test_a_parquet_file_too(tmp_path: Path) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "w.parquet"
    parquet.write_table(pa.table({"item": ITEMS, "weight": WEIGHTS}), path)
    found = nstar.compare(board(), a="a", b="b", weights=str(path))
    assert found.tasks == nstar.compare(board(), a="a", b="b", weights=BY_ITEM).tasks


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("item,weight\nq1,x\n", r"line 2: the weight must be a number >= 0; got 'x'"),
        ("item,weight\nq1,1\nq2\n", "line 3: the row has 1 cell, but the header has 2"),
        ("item,weight\n,1\n", "line 2: this row has no item"),
        ("item,weight\n", "no weights found"),
        ("", "need the columns item and weight"),
        ("item,weight\nq1,inf\n", "line 2"),
    ],
)
def test_bad_files_name_the_line(content: str, why: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(DataError, match=why):
        nstar.compare(board(), a="a", b="b", weights=path)


def _covered(scores: str, n: int, replications: int, seed: int) -> float:
    """Share of 95% intervals that hold the truth, weights lognormal with sd 1."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(replications):
        w = rng.lognormal(size=n)
        if scores == "0/1":
            skill = rng.beta(2, 1, n)
            a, b = rng.random((2, n)) < skill * np.array([[1.0], [0.9]])
            a, b, truth = a.astype(float), b.astype(float), 0.1 * 2 / 3
        else:
            a, b = rng.normal(0.5, 0.2, (2, n))
            truth = 0.0
        gap = weighted_scores(a - b, w)
        se = gap.std(ddof=1) * np.sqrt(inflation(w) / n)  # as compare has it, tested above
        half = float(stats.t_quantile(0.975, weight_freedom(w))) * se
        hits += bool(abs(gap.mean() - truth) <= half)
    return hits / replications


@pytest.mark.parametrize("scores", ["0/1", "graded"])
def test_intervals_cover_a_sample(scores: str) -> None:
    assert 0.925 <= _covered(scores, 60, 1000, 1) <= 0.98


@pytest.mark.slow
@pytest.mark.parametrize("scores", ["0/1", "graded"])
@pytest.mark.parametrize("n", [50, 100, 500])
def test_intervals_cover(scores: str, n: int) -> None:
    assert 0.935 <= _covered(scores, n, 4000, n) <= 0.968


def test_the_error_is_short_by_what_is_said() -> None:
    rng = np.random.default_rng(5)
    w = rng.lognormal(size=40)
    share, x = w / w.sum(), rng.normal(size=(20_000, 40))
    seen = np.mean([np.sum(share**2 * (d - share @ d) ** 2) * 40 / 39 for d in x])
    assert (share @ share) / seen == pytest.approx(inflation(w), rel=0.02)
