"""promptfoo: columns to models, repeats to runs, errors, and promptfoo's own pass rate."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, SHARED, Log, attack, rows
from nstar._data.align import matrices
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers.promptfoo import READER

OUTPUT = FIXTURES / "promptfoo"
DOCUMENT = OUTPUT / "out.json"


def result(provider: Any = "p", column: Any = 0, **more: Any) -> dict[str, Any]:
    case = {"vars": {"q": more.pop("q", "1")}, **more.pop("case", {})}
    usual = {"id": f"{column}-{case}", "provider": {"id": provider}, "promptIdx": column}
    usual |= {"promptId": "a", "testIdx": 0, "success": True, "score": 1, "failureReason": 0}
    return {**usual, "testCase": case, "namedScores": {}, **more}


def lines(path: Path, *results: Any) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in results), "utf-8")
    return path


def document(path: Path, *results: Any, prompts: Any = (), when: str = "") -> Path:
    inner = {"version": 3, "timestamp": when, "prompts": prompts, "results": results}
    whole = {"evalId": "e", "results": inner, "config": {"description": "d"}}
    path.write_text(json.dumps(whole), "utf-8")
    return path


def test_pass_rate_and_score_are_promptfoos_own() -> None:
    log = Log(READER, DOCUMENT)
    printed = json.loads(DOCUMENT.read_text("utf-8"))["results"]["prompts"]
    assert [s.model for s in log.table.sources] == [p["provider"] for p in printed]
    for source, prompt in zip(log.table.sources, printed, strict=True):
        assert source.aggregates["success"] == prompt["metrics"]["testPassCount"] / 24
        assert source.aggregates["score"] == pytest.approx(prompt["metrics"]["score"] / 24)
        assert source.mismatches == {}
        assert source.items == 12
        assert source.declared_runs == 2
        named = [r["score"] for r in rows(log.table, model=source.model or "", metric="correct")]
        assert sum(named) == prompt["metrics"]["namedScores"]["correct"]


@pytest.mark.skipif(not (SHARED / "promptfoo").exists(), reason="larger logs are not at hand")
def test_a_whole_folder_is_read_once() -> None:
    log = Log(READER, SHARED / "promptfoo")
    assert len(log.table) == 2 * 12 * 2 * 4
    assert [s.mismatches for s in log.table.sources] == [{}, {}]
    assert any("same evaluation" in note for note in log.journal.notes)
    assert any("CSV" in note for note in log.journal.notes)


def test_document_and_lines_hold_the_same_rows() -> None:
    few = {
        (r["model"], r["item"], r["metric"], r["run"], r["score"], r["content"])
        for r in (rows(Log(READER, OUTPUT / "out.jsonl").table))
    }
    all_ = {
        (r["model"], r["item"], r["metric"], r["run"], r["score"], r["content"])
        for r in (rows(Log(READER, DOCUMENT).table))
    }
    assert len(few) == 8 * 4
    assert few <= all_


def test_repeats_are_runs_of_one_item() -> None:
    log = Log(READER, DOCUMENT)
    success = next(m for m in matrices(log.table) if m.metric == "success")
    assert len(success.items) == 12
    runs = success.runs(0)
    assert runs is not None
    assert set(runs.tolist()) == {2}
    assert log.table.groups == ("template",)  # item_id stands for one item each: no group
    assert set(log.table.data["tokens"].to_pylist()) == {15}
    assert set(log.table.data["cost"].to_pylist()) == {0.0001}


def test_without_repeats_there_is_no_run(tmp_path: Path) -> None:
    log = Log(READER, lines(tmp_path / "a.jsonl", result(q="1"), result(q="2")))
    assert "run" not in log.table.data.column_names


def test_one_provider_with_several_prompts_is_several_models(tmp_path: Path) -> None:
    columns = [("p", 0, "x"), ("p", 1, "y"), ("q", 2, "y"), ("r", 3, "x"), ("r", 4, "x")]
    path = lines(tmp_path / "a.jsonl", *(result(p, i, promptId=t) for p, i, t in columns))
    assert Log(READER, path).table.models == (
        "p · prompt 1",
        "p · prompt 2",
        "q",
        "r · column 4",
        "r · column 5",
    )


def test_items_are_told_apart_by_variables_and_assertions(tmp_path: Path) -> None:
    same = {"description": "polite"}
    path = lines(
        tmp_path / "a.jsonl",
        result(q="1", case=same),
        result(q="2", case=same),
        result(q="1"),
        result(q="1", case={"assert": [{"type": "contains", "value": "x"}]}),
        result(q="1", case=same),
    )
    items = [r["item"] for r in rows(Log(READER, path).table, metric="success")]
    assert items[0] == items[4] == "polite"
    assert items[1].startswith("polite [")
    assert len(set(items)) == 4


def test_tests_stripped_of_everything_are_known_by_number(tmp_path: Path) -> None:
    bare = [result(case={"vars": {}}, testIdx=i) for i in (0, 1)]
    log = Log(READER, lines(tmp_path / "a.jsonl", *bare))
    assert log.table.names("item") == ("test 0", "test 1")


def test_errors_count_as_failures_as_in_promptfoos_pass_rate(tmp_path: Path) -> None:
    failed = result(q="2", success=False, score=0, failureReason=2, error="timeout")
    wrong = result(q="3", success=False, score=0.5, failureReason=1, error="Expected …")
    metrics = {"testPassCount": 1, "testFailCount": 1, "testErrorCount": 1, "score": 1.5}
    prompts = [{"provider": "p", "metrics": metrics, "raw": "{{q}}"}]
    path = document(tmp_path / "a.json", result(), failed, wrong, prompts=prompts)
    log = Log(READER, path)
    assert [r["score"] for r in rows(log.table, metric="success")] == [1, 0, 0]
    assert log.source.errors_as == "zero"
    assert log.source.dropped == {"errors": 1}
    assert log.source.aggregates == {"success": 1 / 3, "score": 0.5}
    assert log.source.mismatches == {}
    missing = Log(READER, path, errors="missing")
    assert [r["score"] for r in rows(missing.table, metric="score")] == [1, None, 0.5]
    assert missing.source.unscored == 2
    assert missing.source.mismatches == {}


def test_metrics_that_are_no_numbers_and_names_that_are_taken(tmp_path: Path) -> None:
    named = {"score": 0.5, "list": [1], "nan": float("nan")}
    log = Log(READER, lines(tmp_path / "a.jsonl", result(namedScores=named)))
    found = {r["metric"]: r["score"] for r in rows(log.table)}
    assert found == {"success": 1, "score": 1, "score (named)": 0.5, "nan": None}
    assert log.source.dropped == {"metric list is a list": 1}


def test_later_run_of_the_same_columns_wins(tmp_path: Path) -> None:
    prompts = [{"provider": "p"}]
    wrong = result(id="x", success=False)
    document(tmp_path / "a.json", result(), prompts=prompts, when="2026-02")
    document(tmp_path / "b.json", wrong, prompts=prompts, when="2026-01")
    assert Log(READER, tmp_path).scores(metric="success") != {}
    assert set(Log(READER, tmp_path).scores(metric="success").values()) == {1.0}
    both = Log(READER, tmp_path, runs="all")
    assert {r["run"] for r in rows(both.table)} == {"2026-01/1", "2026-02/1"}


def test_groups_are_short_metadata_shared_by_items(tmp_path: Path) -> None:
    kinds = [{"kind": "a", "model": "x", "deep": {}}, {"kind": "a"}, {"kind": 7}, "odd"]
    cases = [result(q=str(i), case={"metadata": k}) for i, k in enumerate(kinds)]
    table = Log(READER, lines(tmp_path / "a.jsonl", *cases)).table
    assert table.groups == ("kind",)
    assert [r["kind"] for r in rows(table, metric="success")] == ["a", "a", "7", None]


def test_the_csv_alone_is_refused_with_a_mend() -> None:
    with pytest.raises(ReadError, match=r"-o out\.json"):
        Log(READER, OUTPUT / "table")


@pytest.mark.parametrize(
    "wrong",
    [
        result(provider=None),
        result(column="0"),
        result(success="yes"),
        result(score=float("inf")),
        {**result(), "testCase": 7},
        {**result(), "response": "text"},
        [],
    ],
)
def test_wrong_values(tmp_path: Path, wrong: Any) -> None:
    path = lines(tmp_path / "a.jsonl", result(), wrong)
    with pytest.raises(ReadError, match=r"a\.jsonl:2"):
        Log(READER, path)
    assert len(Log(READER, path, skip_bad=1).journal.bad) == 1


def test_hostile_documents(tmp_path: Path) -> None:
    metrics = {"testPassCount": 1, "score": 1}
    prompts = [{"provider": "p", "raw": "{{q}}", "metrics": metrics}]
    path = document(tmp_path / "a.json", result(case={"metadata": {"k": "v"}}), prompts=prompts)
    assert attack(READER, tmp_path, path) == []


def test_truncated(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    path.write_bytes(DOCUMENT.read_bytes()[:20_000])
    with pytest.raises(ReadError, match="truncated"):
        Log(READER, path)


def test_other_files_are_not_taken() -> None:
    for name, head in (("a.json", b"[]"), ("a.json", b'{"results": 1}'), ("a.csv", b"a,b\n")):
        assert READER.sniff(Place(name), head) is None


def test_small_batches_hold_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Log(READER, DOCUMENT).table
    monkeypatch.setattr("nstar.readers._base.BATCH", 5)
    parts = Log(READER, DOCUMENT).table
    assert parts.data.to_pylist() == whole.data.to_pylist()
    assert parts.sources == whole.sources
