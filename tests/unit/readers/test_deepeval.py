"""deepeval test runs: scores and passes of each metric, and deepeval's own counts."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, SHARED, Log, attack, rows
from nstar._data.align import matrices
from nstar.errors import ReadError
from nstar.readers.deepeval import READER

RUNS = FIXTURES / "deepeval"
ALPHA = RUNS / "test_run_20261115_001312.json"


def metric(name: Any = "G", score: Any = 1.0, success: Any = True, **more: Any) -> dict[str, Any]:
    return {"name": name, "score": score, "success": success, "threshold": 0.5, **more}


def case(name: Any = "c", *metrics: Any, question: Any = "Why?", **more: Any) -> dict[str, Any]:
    data = list(metrics or (metric(),))
    return {"name": name, "input": question, "actualOutput": "…", "metricsData": data, **more}


def write(path: Path, *cases: Any, **more: Any) -> Path:
    whole = {"testCases": cases, "conversationalTestCases": [], "hyperparameters": {"model": "m"}}
    path.write_text(json.dumps(whole | more), "utf-8")
    return path


def test_means_are_deepevals_own() -> None:
    log = Log(READER, RUNS)
    assert log.table.names("metric") == ("Exact", "Exact.success")
    for source in log.table.sources:
        run = json.loads(Path(source.path).read_text("utf-8"))
        passed = run["testPassed"] / (run["testPassed"] + run["testFailed"])
        scores = run["metricsScores"][0]["scores"]
        assert source.model == run["hyperparameters"]["model"]
        assert source.aggregates["Exact.success"] == passed
        assert source.aggregates["Exact"] == pytest.approx(sum(scores) / len(scores))
        assert source.mismatches == {}
        assert source.items == 24
        assert source.settings == {"threshold of Exact": "0.5"}


@pytest.mark.skipif(not (SHARED / "deepeval").exists(), reason="larger logs are not at hand")
def test_unchanged_runs() -> None:
    assert [s.mismatches for s in Log(READER, SHARED / "deepeval").table.sources] == [{}, {}]


def test_models_are_paired_by_name_and_question() -> None:
    table = Log(READER, RUNS).table
    exact = matrices(table)[0]
    assert exact.models == ("acme/alpha-8b", "acme/beta-70b")
    assert exact.items[0] == "wp-000"
    assert exact.binary
    assert exact.alignment.content_differs == 0
    assert table.groups == ("tags",)


def test_cases_without_a_name_are_known_by_their_question(tmp_path: Path) -> None:
    one, two = case("test_case_0", question="1"), case("test_case_1", question="2")
    write(tmp_path / "a.json", one, two, hyperparameters={"model": "a"})
    swapped = [{**two, "name": "test_case_0"}, {**one, "name": "test_case_1"}]
    write(tmp_path / "b.json", *swapped, hyperparameters={"model": "b"})
    log = Log(READER, tmp_path)
    assert len(log.table.names("item")) == 2
    assert all(len(item) == 16 for item in log.table.names("item"))


def test_names_that_two_questions_share(tmp_path: Path) -> None:
    cases = [case("same", question=q) for q in "ab"] + [case("same", question="a")]
    table = Log(READER, write(tmp_path / "a.json", *cases)).table
    items = [r["item"] for r in rows(table, metric="G")]
    assert items[0] == items[2] == "same"
    assert items[1].startswith("same [")
    assert [r["run"] for r in rows(table, metric="G")] == [None, None, "2"]


def test_conversations_are_read_too(tmp_path: Path) -> None:
    talk = {"name": "conversational_test_case_0", "scenario": "refund", "metricsData": [metric()]}
    path = write(tmp_path / "a.json", case(), conversationalTestCases=[talk])
    assert len(Log(READER, path).table.names("item")) == 2


def test_model_that_the_log_does_not_name(tmp_path: Path) -> None:
    write(tmp_path / "named.json", case(), hyperparameters=None, identifier="try 1")
    write(tmp_path / "test_run_1.json", case(), hyperparameters={"model": 7})
    log = Log(READER, tmp_path)
    assert log.table.models == ("try 1", "test_run_1")
    assert all("does not name the model" in s.notes[0] for s in log.table.sources)


def test_errors_of_a_metric_are_missing(tmp_path: Path) -> None:
    broken = case("d", metric(score=None, success=None, error="no JSON from the judge"))
    counts = [{"metric": "G", "scores": [1.0], "passes": 1, "fails": 0, "errors": 1}]
    path = write(tmp_path / "a.json", case(), broken, metricsScores=counts)
    log = Log(READER, path)
    assert log.scores(metric="G") == {"c": 1.0, "d": None}
    assert log.source.errors_as == "missing"
    assert log.source.aggregates == {"G": 1.0, "G.success": 1.0}
    assert Log(READER, path, errors="zero").scores(metric="G.success") == {"c": 1.0, "d": 0.0}


def test_means_over_more_than_the_test_cases_are_not_compared(tmp_path: Path) -> None:
    spans = [{"metric": "G", "scores": [1.0, 0.0], "passes": 1, "fails": 1, "errors": 0}]
    source = Log(READER, write(tmp_path / "a.json", case(), metricsScores=spans)).source
    assert source.aggregates == {}


def test_scores_without_threshold_and_settings_of_metrics(tmp_path: Path) -> None:
    judged = metric(success=None, threshold=None, evaluationModel="judge-1", strictMode=True)
    source = Log(READER, write(tmp_path / "a.json", case("c", judged))).source
    assert source.dropped == {"metric G.success is null": 1}
    assert source.settings == {"judge of G": "judge-1", "strict mode of G": "true"}


def test_cost_and_tokens(tmp_path: Path) -> None:
    spent = case(tokenCost=0.5, inputTokenCount=3, outputTokenCount=4)
    (row, _) = rows(Log(READER, write(tmp_path / "a.json", spent)).table)
    assert (row["cost"], row["tokens"]) == (0.5, 7)
    assert (row["input_tokens"], row["output_tokens"]) == (3, 4)


def test_of_equal_test_sets_the_latest_run_counts(tmp_path: Path) -> None:
    first, second = "test_run_20260101_000000.json", "test_run_20260102_000000.json"
    write(tmp_path / first, case("c", metric(score=0.25)))
    write(tmp_path / second, case("c", metric(score=0.75)))
    write(tmp_path / "test_run_20260103_000000.json", case("other", question="Else?"))
    log = Log(READER, tmp_path)
    assert log.scores(metric="G") == {"c": 0.75, "other": 1.0}
    assert any("2 logs of 1 test cases" in note for note in log.journal.notes)
    both = rows(Log(READER, tmp_path, runs="all").table, metric="G", item="c")
    assert [r["run"] for r in both] == ["20260101_000000", "20260102_000000"]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (case("c", metric(name=7)), "metric name is 7; expected text"),
        (case("c", metric(score=float("inf"))), "finite"),
        (case("c", "metric"), "Expected `object`"),
        ("case", "Expected `object`"),
    ],
)
def test_wrong_values(tmp_path: Path, wrong: Any, words: str) -> None:
    path = write(tmp_path / "a.json", case(), wrong, datasetAlias="d")
    with pytest.raises(ReadError, match=words) as error:
        Log(READER, path)
    assert f"{path}:2" in str(error.value)
    assert len(Log(READER, path, skip_bad=1).journal.bad) == 1


def test_hostile_runs(tmp_path: Path) -> None:
    counts = [{"metric": "G", "scores": [1.0], "passes": 1, "fails": 0}]
    path = write(tmp_path / "a.json", case(tags=["t"]), metricsScores=counts, identifier="i")
    assert attack(READER, tmp_path, path) == []


def test_truncated_and_empty(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(ALPHA.read_bytes()[:3000])
    with pytest.raises(ReadError, match="truncated"):
        Log(READER, path)
    for head in (b"", b"[]", b'{"testCases": []}'):
        assert READER.sniff(None, head) is None  # type: ignore[arg-type]


def test_small_batches_hold_the_same_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = Log(READER, RUNS).table
    monkeypatch.setattr("nstar.readers._base.BATCH", 5)
    parts = Log(READER, RUNS).table
    assert parts.data.to_pylist() == whole.data.to_pylist()
    assert parts.sources == whole.sources
