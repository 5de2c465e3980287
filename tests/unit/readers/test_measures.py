"""Latency, cost, and tokens as metrics: one row per sample, lower is better, never the default."""

import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import nstar
from helpers.logs import FIXTURES
from nstar._data.table import Table
from nstar.errors import DataError
from nstar.readers import ReaderOptions, read

INSPECT = FIXTURES / "inspect"


def table(**more: Any) -> Table:
    """Two models and four items with two metrics each, and a latency."""
    columns: dict[str, list[Any]] = {name: [] for name in ("model", "item", "metric", "score")}
    latencies = []
    for m, model in enumerate("ab"):
        for item in range(4):
            for metric in ("acc", "f1"):
                for name, value in zip(columns, (model, item, metric, item % 2), strict=True):
                    columns[name].append(value)
                latencies.append((0.2 + 0.1 * item) * (1 + m) + 0.01 * item * m)
    return Table.from_columns(columns | {"latency_s": latencies} | more)


def scores(data: Any, measure: str = "latency_s") -> dict[tuple[str, str], float | None]:
    rows = read(data, ReaderOptions(measure=measure)).data.to_pylist()
    assert {row["metric"] for row in rows} == {measure}
    out = {(row["model"], row["item"]): row["score"] for row in rows}
    assert len(out) == len(rows)
    return out


def test_a_sample_with_several_metrics_has_one_latency() -> None:
    found = scores(table())
    assert len(found) == 8
    assert found["a", "3"] == pytest.approx(0.5)


def test_a_sample_without_any_score_has_no_latency() -> None:
    values = [None, None, None, 1.0] + [1.0] * 12
    found = scores(table(score=values))
    assert found["a", "0"] is None
    assert found["a", "1"] == pytest.approx(0.3)  # one of its metrics has a score


def test_repeated_rows_of_one_metric_stay_runs() -> None:
    twice = pa.concat_tables([table().data] * 2).combine_chunks()
    rows = read(Table(data=twice), ReaderOptions(measure="latency_s"))
    assert len(rows) == 16


def test_lower_is_better_and_the_unit_is_seconds() -> None:
    comparison = nstar.compare(table(), metric="latency")
    pair = comparison.tasks[0]
    assert (pair.metric, pair.lower_is_better, pair.n_items) == ("latency_s", True, 4)
    assert pair.gap < 0
    assert pair.score_range != (0.0, 1.0)
    text = str(comparison)
    assert "A lower score is better." in text
    assert " pp" not in text
    assert " s " in text
    audit = nstar.audit(table(), metric="latency")
    assert str(audit).startswith("a is")
    assert "score (s)" in str(audit)


def test_range_of_exactly_0_to_1_second_is_not_a_proportion() -> None:
    latencies = [0.0, 0.0, 1.0, 1.0] * 4
    pair = nstar.compare(table(latency_s=latencies), metric="latency_s").tasks[0]
    assert pair.score_range != (0.0, 1.0)


def test_tasks_are_averaged_in_seconds() -> None:
    one = table().data.to_pydict()
    both = {name: values * 2 for name, values in one.items() if name != "task"}
    both["latency_s"] = one["latency_s"] + [3 * x for x in one["latency_s"]]
    tasks = Table.from_columns(both, task=["t"] * 16 + ["u"] * 16)
    average = nstar.compare(tasks, metric="latency").average
    assert average is not None
    assert average.mean_a == pytest.approx(0.35 * 2)
    audit = str(nstar.audit(tasks, metric="latency"))
    assert "score (s)" in audit
    assert " pp" not in audit


def test_two_token_counts_are_not_right_and_wrong() -> None:
    tokens = [15, 15, 20, 20] * 2 + [20, 20, 15, 15] * 2
    pair = nstar.compare(table(tokens=tokens), metric="tokens").tasks[0]
    assert pair.binary_values == (0.0, 1.0)
    assert (pair.mean_a, pair.mean_b) == (17.5, 17.5)


def test_a_metric_of_the_log_with_this_name_comes_first() -> None:
    names = ["latency", "f1"] * 8
    pair = nstar.compare(table(metric=names), metric="latency").tasks[0]
    assert (pair.metric, pair.lower_is_better) == ("latency", False)


def test_the_default_metric_stays() -> None:
    assert nstar.compare(table()).tasks[0].metric == "acc"
    with pytest.raises(DataError, match=r"No metric 'cost'\. Available: acc; f1"):
        nstar.compare(table(), metric="cost")


def test_gate_and_runs() -> None:
    words: Any = {"metric": "latency", "score_range": (0, 60)}
    gate = nstar.gate(table(), a="a", threshold=2, **words)
    assert gate.candidate == "a"
    assert "the 2 s threshold" in str(gate)
    assert " to 34.99 s, 4 items" in " ".join(str(gate).split())
    runs = nstar.runs(table(run=["1"] * 16), metric="latency")
    assert "s above" in str(runs) or "s below" in str(runs)


def test_inspect_reads_the_working_time() -> None:
    log = INSPECT / "log.json"
    samples = json.loads(log.read_text("utf-8"))["samples"]
    expected = {(str(s["id"]), str(s["epoch"])): s["working_time"] for s in samples}
    rows = read(str(log), ReaderOptions(measure="latency_s")).data.to_pylist()
    found = {(r["item"], r["run"]): r["score"] for r in rows if r["score"] is not None}
    assert len(found) == len(rows) == 15
    assert found == expected


def test_promptfoo_reads_milliseconds_except_of_the_cache_and_errors(tmp_path: Path) -> None:
    usual = {"provider": "p", "promptIdx": 0, "testIdx": 0, "success": True, "score": 1}
    rows = [
        {**usual, "testCase": {"vars": {"q": name}}, "namedScores": {}, "latencyMs": ms, **more}
        for name, ms, more in (
            ("plain", 1500, {}),
            ("cached", 3, {"response": {"cached": True}}),
            ("failed", 20, {"failureReason": 2, "success": False}),
            ("negative", -1, {}),
        )
    ]
    path = tmp_path / "out.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = [row["latency_s"] for row in read(str(path)).data.to_pylist()]
    assert found == [1.5, 1.5, *[None] * 6]


def test_harbor_reads_the_time_of_the_agent(tmp_path: Path) -> None:
    job = shutil.copytree(FIXTURES / "harbor", tmp_path / "harbor")
    with pytest.raises(DataError, match=r"No metric 'latency'\. Available: reward"):
        nstar.compare(str(job), metric="latency")  # the fixture was stripped of times
    times = {"started_at": "2026-11-15T00:18:30.5Z", "finished_at": "2026-11-15T00:18:32Z"}
    for path in job.rglob("result.json"):
        trial = json.loads(path.read_text("utf-8"))
        if "trial_name" in trial:
            path.write_text(json.dumps({**trial, "agent_execution": times}), "utf-8")
    found = read(str(job), ReaderOptions(measure="latency_s")).data["score"].to_pylist()
    assert set(found) <= {1.5, None}
    assert found.count(1.5) > 10


@pytest.mark.parametrize("name", ["pydantic_evals", "verifiers"])
def test_other_logs_with_times(name: str) -> None:
    found = read(str(FIXTURES / name), ReaderOptions(measure="latency_s")).data
    rows = [row for row in found.to_pylist() if row["metric"] == "latency_s"]
    times = [row["score"] for row in rows if row["score"] is not None]
    assert times
    assert min(times) >= 0
