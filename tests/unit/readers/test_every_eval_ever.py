"""Every Eval Ever: what its converters do to logs, and what is made of it."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, SHARED, Log, attack, copy, rows
from nstar._data.align import matrices
from nstar.errors import ReadError
from nstar.readers.every_eval_ever import READER

STORE = FIXTURES / "eee"
INSPECT = STORE / "from_inspect"
LM_EVAL = STORE / "from_lm_eval"


def sample(item: Any = "1", score: Any = 1.0, **more: Any) -> dict[str, Any]:
    usual = {"schema_version": "0.3.0", "evaluation_id": "e/m/0", "model_id": "m"}
    usual |= {"evaluation_name": "e", "evaluation_result_id": "acc", "sample_id": item}
    return usual | {"evaluation": {"score": score, "is_correct": True}} | more


def result(metric: Any = "acc", score: Any = 0.5, **more: Any) -> dict[str, Any]:
    details = {"score": score, "uncertainty": {"num_samples": more.pop("n", None)}}
    usual = {"evaluation_name": "e", "metric_config": {"lower_is_better": False}}
    return {**usual, "evaluation_result_id": metric, "score_details": details, **more}


def write(folder: Path, *samples: Any, results: Any = None, **more: Any) -> Path:
    path = folder / "u_samples.jsonl"
    path.write_text("".join(json.dumps(s) + "\n" for s in samples), "utf-8")
    if results is not None:
        whole: dict[str, Any] = {
            "schema_version": "0.3.0",
            "evaluation_id": "e/m/0",
            "retrieved_timestamp": "9",
        }
        whole |= {"model_info": {"id": "m"}, "evaluation_results": results, **more}
        (folder / "u.json").write_text(json.dumps(whole), "utf-8")
    return path


@pytest.mark.parametrize("root", [STORE, SHARED / "eee"])
def test_means_are_those_of_the_aggregates(root: Path) -> None:
    if not root.exists():
        pytest.skip("larger logs are not at hand")
    log = Log(READER, root)
    found = {s.task: s for s in log.table.sources}
    assert found["mini_mc"].aggregates == {"choice:accuracy": 0.6041666666666667}
    assert found["mini_mc"].items == found["mini_mc"].declared_items == 16
    gsm = found["mini_gsm_sc"]
    assert gsm.aggregates == {
        "exact_match:score-first": 0.5,
        "exact_match:maj@4": 0.5833333333333334,
    }
    for source in log.table.sources:
        wrong = {"acc": pytest.approx(2 / 3)} if source.task == "mini_mmlu" else {}
        assert source.mismatches == wrong


def test_one_aggregate_of_an_inspect_scorer_and_one_row_for_all_epochs() -> None:
    log = Log(READER, INSPECT)
    assert log.table.names("metric") == ("choice:accuracy",)
    assert len(log.table) == 16
    assert log.source.dropped == {
        "repeats a score under another metric name": 32,
        "epoch that repeats the mean over epochs": 16,
    }
    assert "native logs" in log.source.notes[0]
    assert log.table.data["run"].null_count == 16


def test_filter_is_part_of_the_metric_not_of_the_task() -> None:
    table = Log(READER, LM_EVAL / "mini_gsm_sc").table
    assert table.tasks == ("mini_gsm_sc",)
    assert [len(m.items) for m in matrices(table)] == [24, 24]


def test_samples_of_one_task_under_the_name_of_its_group() -> None:
    source = Log(READER, LM_EVAL / "mini_mmlu").source
    assert (source.items, source.declared_items) == (12, 48)
    assert "over 48 samples, 12 are here" in source.notes[0]


def test_what_the_aggregate_says() -> None:
    source = Log(READER, LM_EVAL / "mini_gsm_sc").source
    assert source.harness == "lm_eval 0.4.13"
    assert source.model == "acme/alpha-8b"
    assert '"temperature":0.7' in source.settings["generation"]


def test_reports_of_the_converter_are_not_taken() -> None:
    log = Log(READER, LM_EVAL)
    assert "lm_eval_samples_failures.json" in log.journal.notes[0]


@pytest.mark.parametrize("batch", [1, 100])
def test_epochs_that_differ_are_runs(
    tmp_path: Path, batch: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nstar.readers._base.BATCH", batch)
    rows_ = [
        sample(item, score, metadata={"epoch": str(epoch)})
        for epoch, scores in ((1, (1.0, 1.0)), (2, (1.0, 0.0)), (3, (1.0, 1.0)))
        for item, score in zip("ab", scores, strict=True)
    ]
    log = Log(READER, write(tmp_path, *rows_, results=[result()]))
    assert len(log.table) == 6
    (matrix,) = matrices(log.table)
    assert matrix.row("m").tolist() == [1.0, pytest.approx(2 / 3)]
    runs = matrix.runs("m")
    assert runs is not None
    assert runs.tolist() == [3, 3]
    assert log.source.notes == ()


def test_made_up_zeros_of_list_metrics_are_left_out(tmp_path: Path) -> None:
    nothing = sample("1", 0.0, evaluation_result_id=None)
    library = {"name": "lm_eval", "version": "0.4.13"}
    path = write(tmp_path, nothing, sample("1"), results=[result("mcc")], eval_library=library)
    log = Log(READER, path)
    assert log.scores() == {"1": 1.0}
    assert log.source.dropped == {"has no result of its own": 1}


def test_metric_of_samples_without_result_id(tmp_path: Path) -> None:
    bare = sample(evaluation_result_id=None)
    named = result(None, 1.0, metric_config={"lower_is_better": True, "metric_name": "loss"})
    log = Log(READER, write(tmp_path, bare, results=[named]))
    assert log.table.names("metric") == ("loss",)
    assert log.source.lower_is_better == ("loss",)
    assert log.source.mismatches == {}
    two = [named, result("other")]
    with pytest.raises(ReadError, match="no scores"):
        Log(READER, write(tmp_path, bare, results=two))


def test_samples_without_their_aggregate(tmp_path: Path) -> None:
    path = write(tmp_path, sample(), sample("2", 0, evaluation_result_id=None))
    log = Log(READER, path)
    assert {(r["metric"], r["score"]) for r in rows(log.table)} == {("acc", 1.0), ("score", 0.0)}
    assert log.source.model == "m"


def test_errors_and_unscored_samples(tmp_path: Path) -> None:
    path = write(
        tmp_path, sample("1", error="timeout"), sample("2", float("nan")), sample("3", None)
    )
    log = Log(READER, path)
    assert log.scores() == {"1": None, "2": None}
    assert log.source.dropped == {"errors": 1, "metric acc is null": 1}
    assert Log(READER, path, errors="zero").scores() == {"1": 0.0, "2": None}


def test_groups_from_metadata(tmp_path: Path) -> None:
    about = {"subject": "law", "epoch": "1", "hard": "yes"}
    path = write(tmp_path, sample(metadata=about), sample("2", metadata={"hard": "no"}))
    assert Log(READER, path).table.groups == ("subject",)
    assert Log(READER, path, groups=("hard",)).table.groups == ("hard", "subject")


def test_several_evaluations_in_one_file_are_several_tasks(tmp_path: Path) -> None:
    both = [sample(), sample(evaluation_name="f")]
    results = [result(), result(evaluation_name="f", score=0.25)]
    log = Log(READER, write(tmp_path, *both, results=results))
    assert log.table.tasks == ("e", "f")
    assert log.source.task is None
    assert log.source.aggregates == {}  # which of the two "acc" cannot be told


def test_later_evaluation_wins(tmp_path: Path) -> None:
    for when, score in (("1", 0.25), ("2", 0.75)):
        folder = tmp_path / when
        folder.mkdir()
        write(folder, sample(score=score), results=[result()], evaluation_timestamp=when)
    assert Log(READER, tmp_path).scores() == {"1": 0.75}
    both = rows(Log(READER, tmp_path, runs="all").table)
    assert [r["run"] for r in both] == ["1", "2"]


@pytest.mark.parametrize(
    "wrong",
    [
        sample(None),
        sample(7),
        sample(model_id=""),
        sample(evaluation_name=[]),
        sample(score=float("inf")),
        sample(evaluation=7),
        [],
    ],
)
def test_wrong_values(tmp_path: Path, wrong: Any) -> None:
    path = write(tmp_path, sample(), wrong)
    with pytest.raises(ReadError, match=r"u_samples\.jsonl:2"):
        Log(READER, path)
    assert len(Log(READER, path, skip_bad=1).journal.bad) == 1


def test_hostile_aggregates_and_samples(tmp_path: Path) -> None:
    root = copy(INSPECT, tmp_path / "x")
    (aggregate,) = root.rglob("*.json")
    whole = json.loads(aggregate.read_text("utf-8"))
    whole["evaluation_results"] = whole["evaluation_results"][:1]
    aggregate.write_text(json.dumps(whole), "utf-8")
    (samples,) = root.rglob("*.jsonl")
    samples.write_text(samples.read_text("utf-8").splitlines()[0] + "\n", "utf-8")
    assert attack(READER, root, aggregate) == []
    assert attack(READER, root, samples) == []


def test_truncated(tmp_path: Path) -> None:
    path = write(tmp_path, sample(), sample("2"))
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(ReadError, match="truncated"):
        Log(READER, path)


def test_small_batches_hold_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Log(READER, STORE).table
    monkeypatch.setattr("nstar.readers._base.BATCH", 5)
    parts = Log(READER, STORE).table
    assert parts.data.to_pylist() == whole.data.to_pylist()
    assert parts.sources == whole.sources
