"""Records of OpenAI evals: events to rows, and the accuracy of the final report."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, SHARED, Log, rows
from nstar._data.align import matrices
from nstar.errors import ReadError
from nstar.readers.openai_evals import READER

RECORDS = FIXTURES / "openai_evals"
SPEC = {"completion_fns": ["m"], "eval_name": "e.dev.v0", "base_eval": "e", "split": "dev"}
REPORT = {"final_report": {"accuracy": 0.5}}


def event(kind: str, item: Any, data: Any) -> dict[str, Any]:
    return {"run_id": "r", "event_id": 0, "sample_id": item, "type": kind, "data": data}


def match(item: Any, correct: Any) -> dict[str, Any]:
    return event("match", item, {"correct": correct, "expected": "x", "picked": "y"})


def write(path: Path, *lines: Any, spec: Any = None) -> Path:
    head = [{"spec": SPEC if spec is None else spec}, *lines]
    path.write_text("".join(json.dumps(line) + "\n" for line in head), "utf-8")
    return path


@pytest.mark.parametrize("model", ["acme/alpha-8b", "acme/beta-70b"])
def test_mean_is_the_one_of_the_final_report(model: str) -> None:
    log = Log(READER, RECORDS)
    (source,) = log.of(model)
    lines = Path(source.path).read_text("utf-8").splitlines()
    report = json.loads(lines[1])["final_report"]
    assert source.aggregates == {"accuracy": report["accuracy"]}
    assert source.mismatches == {}
    scores = log.scores(model=model, metric="accuracy")
    assert len(scores) == source.items == source.rows == 24
    assert sum(s or 0 for s in scores.values()) / 24 == pytest.approx(report["accuracy"])


@pytest.mark.skipif(not (SHARED / "openai_evals").exists(), reason="larger logs are not at hand")
def test_unchanged_records() -> None:
    log = Log(READER, SHARED / "openai_evals")
    assert [s.mismatches for s in log.table.sources] == [{}, {}]


def test_models_are_paired_by_sample_though_events_are_shuffled() -> None:
    (matrix,) = matrices(Log(READER, RECORDS).table)
    assert matrix.models == ("acme/alpha-8b", "acme/beta-70b")
    assert len(matrix.items) == 24
    assert matrix.binary
    assert matrix.alignment.content_differs == 0
    assert matrix.alignment.unverified == ()


def test_what_the_log_says_of_itself() -> None:
    source = Log(READER, RECORDS / "alpha-8b.jsonl").source
    assert source.harness == "openai-evals"
    assert source.task == "mini-wp.dev.v0"
    assert source.settings["split"] == "dev"
    assert source.settings["seed"] == "20220722"
    assert source.limited is None
    assert source.status == "success"


def test_metrics_events_give_a_metric_each(tmp_path: Path) -> None:
    data = {"score": 0.25, "metascore": True, "choice": "B", "ratio": None, "all": [1]}
    report = {"final_report": {"score": 0.25, "counts/B": 1, "note": "x"}}
    log = Log(READER, write(tmp_path / "a", report, event("metrics", "e.0", data)))
    assert {r["metric"]: r["score"] for r in rows(log.table)} == {"score": 0.25, "metascore": 1}
    assert log.source.aggregates == {"score": 0.25}
    assert log.source.dropped == {
        "metric choice is text": 1,
        "metric ratio is null": 1,
        "metric all is a list": 1,
    }


def test_accuracy_among_metrics_that_repeats_the_match_counts_once(tmp_path: Path) -> None:
    both = [match("e.0", True), event("metrics", "e.0", {"accuracy": 1.0, "f1_score": 0.5})]
    log = Log(READER, write(tmp_path / "a", *both))
    assert [(r["metric"], r["score"]) for r in rows(log.table)] == [
        ("accuracy", 1.0),
        ("f1_score", 0.5),
    ]
    assert sum(log.source.dropped.values()) == 1


def test_several_matches_of_a_sample_are_all_there(tmp_path: Path) -> None:
    log = Log(READER, write(tmp_path / "a", *(match("e.0", c) for c in (True, True, False))))
    assert [r["score"] for r in rows(log.table)] == [1.0, 1.0, 0.0]


def test_the_question_is_the_first_prompt_whatever_its_form(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "Why?"}]
    later = event("sampling", "e.0", {"prompt": "Rate this answer: …"})
    for name, prompt in (("chat", chat), ("text", "Why?"), ("odd", [1]), ("none", None)):
        sampling = event("sampling", "e.0", {"prompt": prompt})
        spec = {**SPEC, "completion_fns": [name]}
        write(tmp_path / name, sampling, later, match("e.0", True), spec=spec)
    content = {r["model"]: r["content"] for r in rows(Log(READER, tmp_path).table)}
    assert content["chat"] == content["text"]
    assert len(set(content.values())) == 3


def test_samples_that_ended_in_an_error(tmp_path: Path) -> None:
    failed = event("error", "e.1", {"type": "ValueError", "message": "no"})
    path = write(tmp_path / "a", match("e.0", True), failed, event("error", "e.0", {}))
    log = Log(READER, path)
    assert log.scores() == {"e.0": 1.0, "e.1": None}
    assert log.source.errors_as == "missing"
    assert Log(READER, path, errors="zero").scores() == {"e.0": 1.0, "e.1": 0.0}


def test_unfinished_and_limited_runs_lose_to_complete_ones(tmp_path: Path) -> None:
    whole = {**SPEC, "created_at": "2026-01-01"}
    part = {**SPEC, "created_at": "2026-01-02", "run_config": {"max_samples": 1}}
    write(tmp_path / "a", REPORT, match("e.0", True), match("e.1", False), spec=whole)
    write(tmp_path / "b", match("e.0", True), spec={**SPEC, "created_at": "2026-01-03"})
    write(tmp_path / "c", {"final_report": {"accuracy": 0}}, match("e.0", False), spec=part)
    log = Log(READER, tmp_path)
    assert log.scores() == {"e.0": 1.0, "e.1": 0.0}
    assert Path(log.source.path).name == "a"
    assert "no final report" in Log(READER, tmp_path / "b").source.status
    assert Log(READER, tmp_path / "c").source.limited == "max_samples=1"


def test_the_report_is_found_wherever_it_stands(tmp_path: Path) -> None:
    decoy = event("raw_sample", "e.9", {"nested": {"final_report": {"accuracy": 0.1}}})
    many = [match(f"e.{i}", i % 2 == 0) for i in range(30_000)]  # more bytes than one piece
    path = write(tmp_path / "a", decoy, *many, REPORT, match("e.x", True), match("e.y", False))
    source = Log(READER, path).source
    assert source.aggregates == {"accuracy": 0.5}
    assert source.mismatches == {}
    assert source.rows == 30_002


def test_other_files_are_not_taken() -> None:
    for head in (b"", b"{}", b'{"spec": {"x": 1}}', b'[{"spec": {"completion_fns": []}}]'):
        assert READER.sniff(None, head) is None  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("lines", "spec", "words"),
    [
        ([match("e.0", "yes")], None, "true or false"),
        ([match("e.0", None)], None, "true or false"),
        ([match(7, True)], None, "sample_id"),
        ([event("match", "e.0", [])], None, "object"),
        ([event("metrics", "e.0", {"x": float("inf")})], None, "finite"),
        ([{"spec": SPEC}], None, "second run"),
        ([], {**SPEC, "completion_fns": []}, "completion_fns"),
        ([], {"completion_fns": ["m"]}, "eval_name"),
    ],
)
def test_wrong_values(tmp_path: Path, lines: Any, spec: Any, words: str) -> None:
    path = write(tmp_path / "a", *lines, spec=spec)
    with pytest.raises(ReadError, match=words) as error:
        Log(READER, path)
    assert str(path) in str(error.value)


def test_bad_rows_can_be_skipped(tmp_path: Path) -> None:
    nan = event("metrics", "e.0", {"x": float("nan")})
    log = Log(
        READER, write(tmp_path / "a", match(None, True), nan, match("e.0", True)), skip_bad=1
    )
    assert len(log.journal.bad) == 1
    assert log.table.data["score"].to_pylist() == [None, 1.0]


def test_truncated(tmp_path: Path) -> None:
    whole = (RECORDS / "alpha-8b.jsonl").read_bytes()
    path = tmp_path / "a.jsonl"
    path.write_bytes(whole[:-50])
    with pytest.raises(ReadError, match="truncated"):
        Log(READER, path)
    path.write_bytes(whole[:200])
    with pytest.raises(ReadError, match=r"a\.jsonl:1: line appears to be truncated"):
        Log(READER, path)


def test_small_batches_hold_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Log(READER, RECORDS).table
    monkeypatch.setattr("nstar.readers._base.BATCH", 5)
    parts = Log(READER, RECORDS).table
    assert parts.data.to_pylist() == whole.data.to_pylist()
    assert parts.sources == whole.sources
