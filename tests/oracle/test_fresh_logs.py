"""Logs that the harnesses of today wrote a minute ago, read and compared.

``NSTAR_FRESH_LOGS`` names the folder that ``tests/harness/run_*.sh`` filled; without it these
tests are skipped. A harness that changes its format turns them red.
"""

import json
import os
from pathlib import Path

import pytest

from helpers.commands import Command
from nstar import compare, compare_judged, coverage, matrices, read
from nstar._verbs.data_summary import Coverage

FOLDER = Path(os.environ.get("NSTAR_FRESH_LOGS", "nowhere"))


def folder(*parts: str) -> Path:
    path = FOLDER.joinpath(*parts)
    if not path.exists():
        pytest.skip("no fresh logs")
    return path


def report(path: Path) -> Coverage:
    table = read(path)
    return coverage(table)


@pytest.mark.parametrize("harness", ["lm_eval/full", "inspect/eval", "inspect/json"])
def test_fresh_logs_agree_with_their_harness(harness: str) -> None:
    found = report(folder(*harness.split("/")))
    assert found.sources
    assert all(s.aggregates for s in found.sources if s.rows)
    levels = {f.code for f in found.findings if f.level != "note"}
    assert levels <= {"constant-scores", "identical-models", "lower-is-better"}, found.findings
    assert {len(t.models) for t in found.tasks} == {2}
    assert all(t.n_items_common == t.n_items for t in found.tasks)


@pytest.mark.parametrize("harness", ["lighteval", "helm"])
def test_other_fresh_logs(harness: str) -> None:
    found = report(folder(harness))
    assert all(s.aggregates for s in found.sources)
    assert not [f for f in found.findings if f.code in {"mean-differs", "failed-run"}]
    assert 2 in {len(t.models) for t in found.tasks}


def test_lm_eval_groups_and_filters() -> None:
    found = {(m.task, m.metric): m for m in matrices(read(folder("lm_eval", "full")))}
    assert found["mini", "acc,none"].shape == (2, 36)
    assert len(found["mini", "acc,none"].groups["subject"].labels) == 3
    for name in ("strict-match", "flexible-extract"):
        assert found["mini_generation", f"exact_match,{name}"].shape == (2, 12)


def test_the_macro_average_is_the_unweighted_group_of_lm_eval() -> None:
    a, b = (folder("lm_eval", "unweighted", f"acme__dummy-{name}") for name in "ab")
    printed = [
        json.loads(next(side.glob("results_*.json")).read_text("utf-8"))["groups"]
        for side in (a, b)
    ]
    gap = printed[0]["mini_unweighted"]["acc,none"] - printed[1]["mini_unweighted"]["acc,none"]
    result = compare(str(a), str(b))
    assert [(task.task, task.n_items) for task in result.tasks] == [
        ("mini_capitals", 12),
        ("mini_repeated", 8),
    ]
    assert result.average is not None
    assert result.average.gap == pytest.approx(gap, abs=1e-12)


def test_inspect_grades_are_corrected_by_people() -> None:
    logs = folder("inspect", "judged")
    found = compare_judged(
        str(logs), judge="model_graded_qa", label="human", a="mockllm/alpha", b="mockllm/beta"
    )
    assert (found.n_items, found.n_labels, found.method) == (120, 60, "corrected")
    judge = next(x for x in found.other_estimates if x.method == "judge")
    assert judge.gap < found.gap - 0.05  # lenient to the second
    assert found.model_estimates[0].n_correct == found.n_labels - (
        found.model_estimates[0].n_incorrect or 0
    )


def test_inspect_epochs_are_runs() -> None:
    one, two = (
        {m.metric: m for m in matrices(read(folder("inspect", kind)))} for kind in ("eval", "json")
    )
    assert one["match"].run_range == (3, 3)
    assert set(one) == set(two)
    order = [two["match"].items.index(item) for item in one["match"].items]
    for model in one["match"].models:
        assert one["match"].row(model).tolist() == two["match"].row(model)[order].tolist()


@pytest.mark.parametrize("path", ["lm_eval/limited", "inspect/limited"])
def test_limited_runs_are_said(path: str) -> None:
    found = report(folder(*path.split("/")))
    assert "partial-run" in {f.code for f in found.findings}


def test_failed_runs_are_not_compared() -> None:
    failed, good = folder("inspect", "failed"), folder("inspect", "tolerated")
    result = Command("compare").run(f"bad={failed}", f"good={good}")
    assert result.exit_code == 3
    assert "did not finish" in result.stderr
    allowed = Command("compare").run(f"bad={failed}", f"good={good}", "--allow", "failed-run")
    assert "did not finish" in allowed.stdout


def test_a_retry_replaces_the_run_that_failed() -> None:
    table = read(folder("inspect", "retried"))
    assert {s.status for s in table.sources} == {"success"}


def test_two_fresh_logs_compare() -> None:
    a, b = folder("lm_eval", "full", "acme__dummy-a"), folder("lm_eval", "full", "acme__dummy-b")
    answer = Command("compare").answer(str(a), str(b), "--task", "mini")
    (task,) = answer["tasks"]
    assert task["n_items"] == 36
    assert task["counts"]["n10"] + task["counts"]["n01"] <= 36
    inside = Command("compare").answer(str(folder("inspect", "eval")))
    assert inside["tasks"][0]["n_items"] == 36


def test_inspect_epochs_go_through_a_plan_unchanged() -> None:
    logs = str(folder("inspect", "eval"))
    told = Command("plan runs").answer(logs, "--delta", "10pp", "--price", "3/15")
    variances = told["variances"]
    assert variances["pilot"]["n_tasks"] == 36
    assert set(variances["pilot"]["n_runs"]) == {3}
    assert variances["is_split"]
    assert told["n_star_ci"]["low"] < told["n_star"] < told["n_star_ci"]["high"]
    table = read(logs).data
    used = [sum(table[name].to_pylist()) for name in ("input_tokens", "output_tokens", "tokens")]
    assert used[0] + used[1] == used[2] > 0
    mean = (3 * used[0] + 15 * used[1]) / 1e6 / len(table)
    assert told["costs"]["run_a"] + told["costs"]["run_b"] == pytest.approx(2 * mean)
