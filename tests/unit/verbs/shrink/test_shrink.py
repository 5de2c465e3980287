"""Some items of a benchmark: who is chosen, what is promised, what is refused."""

import csv
import hashlib
import io
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import nstar
from nstar import stats
from nstar._data.export.subset import csv_text, subset_bytes
from nstar._data.matrix import ScoreMatrix
from nstar.errors import DataError, ParameterError

N = 1200
RNG = np.random.default_rng(27)
EASE = RNG.beta(2, 1.5, N)
SKILLS = np.linspace(0.7, 1.3, 6)
SCORES = (RNG.random((6, N)) < EASE ** (1 / SKILLS[:, None])).astype(float)
NAMES = list("abcdef")
ITEMS = [f"q{k}" for k in range(N)]


def board(scores: np.ndarray = SCORES, order: np.ndarray | None = None) -> ScoreMatrix:
    some = np.arange(scores.shape[1]) if order is None else order
    return ScoreMatrix.from_arrays(
        scores[:, some], models=NAMES[: len(scores)], items=[ITEMS[k] for k in some]
    )


@pytest.fixture(scope="module")
def found() -> nstar.Subset:
    return nstar.shrink(board(), items=300)


def test_strata_are_of_difficulty_and_in_proportion(found: nstar.Subset) -> None:
    ease = dict(zip(ITEMS, SCORES.mean(axis=0), strict=True))
    by = [[ease[c.item] for c in found.items if c.stratum == h + 1] for h in range(20)]
    assert [len(x) for x in by] == [15] * 20
    assert all(max(a) <= min(b) for a, b in pairwise(by))
    assert {c.weight for c in found.items} == {4.0}
    assert sum(c.weight for c in found.items) == found.n_items_total == N


def test_neither_rows_nor_models_in_another_order_change_the_list(found: nstar.Subset) -> None:
    order = np.random.default_rng(1).permutation(N)
    again = nstar.shrink(board(order=order), items=300)
    assert again.sha256 == found.sha256
    assert again.items == found.items
    turned = ScoreMatrix.from_arrays(SCORES[::-1], models=NAMES[::-1], items=ITEMS)
    assert nstar.shrink(turned, items=300).sha256 == found.sha256


def test_the_seed_decides(found: nstar.Subset) -> None:
    other = nstar.shrink(board(), items=300, seed=7)
    assert other.sha256 != found.sha256
    assert nstar.shrink(board(), items=300, seed=7) == other
    assert other.resolutions == found.resolutions


def test_the_hash_is_that_of_the_file(found: nstar.Subset, tmp_path: Path) -> None:
    found.save(tmp_path / "subset.csv")
    content = (tmp_path / "subset.csv").read_bytes()
    assert hashlib.sha256(content).hexdigest() == found.sha256
    rows = [(c.task, c.item, c.stratum, c.weight) for c in found.items]
    assert content == subset_bytes(rows, ".csv") == csv_text(rows).encode()
    listed = list(csv.DictReader(io.StringIO(content.decode())))
    assert list(listed[0]) == ["item", "stratum", "weight"]
    assert [row["item"] for row in listed] == sorted(row["item"] for row in listed)


def test_promises_are_those_of_the_kernel(found: nstar.Subset) -> None:
    pairs = [(SCORES[i] - SCORES[j]).std(ddof=1) for i in range(6) for j in range(i)]
    assert found.variances.sd == pytest.approx(np.sqrt(np.median(np.square(pairs))))
    known = {"sigma": found.variances.sd, "total": N}
    own, claim = (found.resolution("new", about) for about in ("benchmark", "questions"))
    assert own.mde == pytest.approx(float(stats.subset_mde(300, **known)))
    assert claim.mde == pytest.approx(float(stats.subset_claim_mde(300, **known)))
    assert own.mde_floor == 0
    assert claim.mde_floor == pytest.approx(float(stats.normal_mde(N, sigma=found.variances.sd)))
    less = found.resolution("known", "benchmark").mde
    assert less == pytest.approx(own.mde / np.sqrt(found.variances.known_factor))


def test_a_gap_is_resolved_by_as_many_items_as_are_chosen() -> None:
    asked = nstar.shrink(board(), resolve=0.03)
    own = asked.resolution("new", "benchmark")
    assert own.n_star == asked.n_items == len(asked.items)
    assert own.mde <= 0.03
    assert float(stats.subset_mde(asked.n_items - 1, sigma=asked.variances.sd, total=N)) > 0.03


def test_too_small_a_benchmark_is_told_in_plain_words() -> None:
    told = nstar.shrink(board(), resolve=0.02).render("text")
    assert "For similar questions in general, 2 pp takes" in " ".join(told.split())
    possible = nstar.shrink(board(), resolve=0.2).render("text")
    assert "cannot" not in possible
    assert "these formulas are approximate" in " ".join(possible.split())
    whole = " ".join(nstar.shrink(board(), resolve=1e-4).render("text").split())
    assert "no subset is enough" in whole
    assert "contains every item" in whole


def test_items_that_some_model_lacks_are_left_out_and_told() -> None:
    holes = SCORES.copy()
    holes[2, :30] = np.nan
    found = nstar.shrink(board(holes), items=100)
    assert found.n_items_total == N - 30
    assert not {c.item for c in found.items} & set(ITEMS[:30])
    assert "c lacks the most (30)" in found.findings[-1].text
    assert [f.code for f in found.findings].count("missing-items") == 1


def test_several_tasks_are_drawn_from_together() -> None:
    tasks = [
        ScoreMatrix.from_arrays(part, models=NAMES, items=range(N // 2), task=name)
        for name, part in (("x", SCORES[:, ::2]), ("y", SCORES[:, 1::2]))
    ]
    found = nstar.shrink(tasks, items=200)
    assert (found.tasks, found.n_items_total) == (("x", "y"), N)
    assert {c.task for c in found.items} == {"x", "y"}
    assert found.render("csv").splitlines()[0] == "item,task,stratum,weight"
    fewer = nstar.shrink(tasks, items=200, tasks="x")
    assert (fewer.tasks, fewer.n_items_total) == (("x",), N // 2)


def test_many_models_are_looked_at_by_some() -> None:
    rng = np.random.default_rng(2)
    many = (rng.random((130, 200)) < rng.random(200)).astype(float)
    found = nstar.shrink(dict(zip(map(str, range(130)), many, strict=True)), items=60)
    assert (found.n_models, found.variances.n_models) == (130, 100)
    assert "100 of the 130 models" in " ".join(found.render("text", level="full").split())


def test_two_models_are_enough_and_identical_ones_are_not() -> None:
    found = nstar.shrink(board(SCORES[:2]), items=50)
    assert found.variances.gap_factor is None
    assert "Between two new models" not in found.render("text", level="full")
    with pytest.raises(DataError, match="no subset can distinguish them"):
        nstar.shrink(board(np.stack([SCORES[0]] * 3)), items=50)


def test_hard_is_the_other_way_round_where_less_is_better() -> None:
    errors = ScoreMatrix.from_means(1.5 - SCORES, models=NAMES, items=ITEMS, lower_is_better=True)
    first = {c.item for c in nstar.shrink(errors, items=100).items if c.stratum == 1}
    ease = dict(zip(ITEMS, SCORES.mean(axis=0), strict=True))
    assert max(ease[item] for item in first) <= np.quantile(SCORES.mean(axis=0), 0.06)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({}, "Set resolve"),
        ({"items": 100, "resolve": 0.1}, "Use either resolve"),
        ({"items": 19}, "at least 20"),
        ({"items": N + 1}, f"items must be at most {N:,}, the number of items"),
        ({"resolve": 0.0}, "resolve"),
        ({"resolve": "1pp"}, "a number"),
        ({"items": 100, "seed": -1}, "seed"),
    ],
)
def test_questions_that_cannot_be_meant(asked: dict[str, float], told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        nstar.shrink(board(), **asked)  # type: ignore[arg-type]


@pytest.mark.parametrize("item", ["=1+1", "@x", " q", "q\n2", "-x"])
def test_ids_that_csv_would_change_go_to_json_lines(item: str) -> None:
    rows = [("", item, 1, 2.0)]
    with pytest.raises(DataError, match=r"\.jsonl"):
        subset_bytes(rows, ".csv")
    assert subset_bytes(rows, ".jsonl").count(b"\n") == 1
    assert subset_bytes([("", "-12", 1, 2.0)], ".csv")


def test_compare_reads_the_list_and_tells_the_benchmarks_own_score(
    found: nstar.Subset, tmp_path: Path
) -> None:
    found.save(tmp_path / "subset.csv")
    place = [ITEMS.index(c.item) for c in found.items]
    new = ScoreMatrix.from_arrays(
        SCORES[:2, place], models=["a", "b"], items=[ITEMS[k] for k in place]
    )
    pair = nstar.compare(new, a="a", b="b", weights=tmp_path / "subset.csv")
    gaps = SCORES[0, place] - SCORES[1, place]
    sums = stats.cluster_sums(gaps, np.array([c.stratum - 1 for c in found.items]))
    own = stats.stratified_mean(sums.sums, sums.squares, sums.sizes, [60] * 20)
    text = next(f.text for f in pair.findings if f.code == "whole-benchmark")
    assert "1,200 items, of which these 300 are a sample" in text
    assert f"{100 * float(own.estimate):+.2f} pp".replace("-", "−") in text
    assert f"SE {100 * float(own.se):.2f} pp;" in text
    assert pair.tasks[0].gap == pytest.approx(float(own.estimate))
    assert pair.tasks[0].se is not None
    assert pair.tasks[0].se > float(own.se)  # a claim about such questions
    listed = {c.item: c.weight for c in found.items}
    assert all(f.code != "whole-benchmark" for f in _compared(new, listed).findings)
    scores = np.stack([new.row("a"), new.row("b")])
    scores[0, 7] = np.nan
    short = ScoreMatrix.from_arrays(scores, models=["a", "b"], items=new.items)
    told = nstar.compare(short, a="a", b="b", weights=tmp_path / "subset.csv").findings
    text = next(f.text for f in told if f.code == "whole-benchmark")
    assert text.endswith("both models answered only 299 of the 300 items in the list")
    part = new.part(["a", "b"], np.arange(200))
    with pytest.raises(
        DataError, match="no model answered"
    ):  # half a list is no stratified sample
        nstar.compare(part, a="a", b="b", weights=tmp_path / "subset.csv")


def _compared(new: ScoreMatrix, weights: dict[str, float]) -> nstar.Comparison:
    return nstar.compare(new, a="a", b="b", weights=weights)


def test_unequal_weights_give_the_same_note(tmp_path: Path) -> None:
    found = nstar.shrink(board(), items=333)
    assert len({c.weight for c in found.items}) > 1
    found.save(tmp_path / "subset.csv")
    place = [ITEMS.index(c.item) for c in found.items]
    new = ScoreMatrix.from_arrays(
        SCORES[2:4, place], models=["a", "b"], items=[ITEMS[k] for k in place]
    )
    codes = {f.code for f in _compared(new, str(tmp_path / "subset.csv")).findings}  # type: ignore[arg-type]
    assert {"weighted-items", "whole-benchmark"} <= codes


def test_the_result_goes_to_json_and_back(found: nstar.Subset) -> None:
    assert nstar.Subset.from_json(found.to_json()) == found
    assert "300 items" in found.figure().svg
    assert found.render("text", level="brief").count("\n") < 6


def test_a_part_that_is_the_whole_says_so(found: nstar.Subset) -> None:
    whole = nstar.shrink(board(), items=1200).render("text")
    assert whole.startswith("All 1,200 items give the full-benchmark score itself")
    assert "0.00 pp" not in whole
    assert "drawn without them" not in whole


def test_notes_name_the_file_that_the_hash_is_of_and_the_command_for_known_models(
    found: nstar.Subset,
) -> None:
    said = " ".join(found.render("text").split())
    assert f"SHA-256 {found.sha256}" in said
    assert "compare_known(new, known)" in said
    assert f"as CSV {found.sha256}" in found.render("text", paragraph=True).replace("\n  ", " ")
