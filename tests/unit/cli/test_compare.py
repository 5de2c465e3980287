"""``nstar compare`` as a user meets it."""

import json
from pathlib import Path
from typing import Any

import pytest

import nstar
from helpers.commands import Command
from nstar.errors import DataError
from nstar.report.prose.comparison import paragraph

COMPARE = Command("compare")
EXAMPLE = str(Path(__file__).parents[3] / "examples" / "results.csv")
INSPECT = Path(__file__).parents[2] / "fixtures" / "inspect" / "log.json"


def only_task(*arguments: str) -> dict[str, Any]:
    """What the answer says of the one task there is."""
    (task,) = COMPARE.answer(*arguments)["tasks"]
    return dict(task)


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two logs of one model each, with ids that mean the same questions."""
    for model, scores in (("a", "110010"), ("b", "100010")):
        rows = [f"{model},q{k},what is {k}?,{s}" for k, s in enumerate(scores)]
        (tmp_path / f"{model}.csv").write_text("\n".join(["model,item,question,score", *rows]))
    return tmp_path


def test_two_models_of_one_table() -> None:
    answer = COMPARE.answer(EXAMPLE, "--a", "alpha", "--b", "beta", "--strata", "subject")
    assert answer["models"] == ["alpha", "beta"]
    (task,) = answer["tasks"]
    assert task["verdict"] == "better"
    assert (task["n_items"], task["counts"]["n10"], task["counts"]["n01"]) == (800, 104, 70)
    wanted = (
        "gap ci se t pvalue pvalue_midp pvalue_exact n_items counts rho mde n_star q q_ci verdict"
    )
    assert set(wanted.split()) <= set(task)
    assert {"n10", "n01", "psi"} <= set(task["counts"])


def test_path_with_model_and_label() -> None:
    answer = COMPARE.answer(f"new={EXAMPLE}::alpha", f"{EXAMPLE}::gamma")
    assert answer["models"] == ["new", "gamma"]
    assert answer["tasks"][0]["n_items"] == 740
    assert "missing-items" in {f["code"] for f in answer["findings"]}


def test_two_logs(logs: Path) -> None:
    answer = COMPARE.answer(str(logs / "a.csv"), str(logs / "b.csv"))
    assert answer["models"] == ["a", "b"]
    assert answer["tasks"][0]["counts"]["n10"] == 1


def test_one_folder_with_two_models(logs: Path) -> None:
    assert only_task(str(logs))["n_items"] == 6


def test_one_model_under_two_settings_is_told_apart(logs: Path) -> None:
    (logs / "b.csv").write_text((logs / "b.csv").read_text().replace("b,", "a,"))
    answer = COMPARE.answer(str(logs / "a.csv"), str(logs / "b.csv"))
    assert answer["models"] == [f"a ({logs / 'a.csv'})", f"a ({logs / 'b.csv'})"]
    labeled = COMPARE.answer(f"old={logs / 'a.csv'}", f"new={logs / 'b.csv'}")
    assert labeled["models"] == ["old", "new"]


def test_rows_in_another_order_are_paired_by_content(logs: Path) -> None:
    text = (logs / "b.csv").read_text()
    for old, new in (("what is 0", "WHAT"), ("what is 5", "what is 0"), ("WHAT", "what is 5")):
        text = text.replace(old, new)
    (logs / "b.csv").write_text(text)
    answer = COMPARE.answer(str(logs / "a.csv"), str(logs / "b.csv"))
    assert "paired-by-content" in {f["code"] for f in answer["findings"]}
    assert answer["tasks"][0]["counts"]["n10"] == 2


def test_the_paragraph_is_asked_for() -> None:
    arguments = (EXAMPLE, "--a", "alpha", "--b", "beta")
    assert "To paste" not in COMPARE.text(*arguments)
    assert "To paste" in COMPARE.text(*arguments, "--paragraph")
    assert "paragraph" not in COMPARE.answer(*arguments)
    said = COMPARE.answer(*arguments, "--paragraph")["paragraph"]
    assert said.startswith("On the 800 items that both models answered, alpha scores 78.0%")


def test_margin_and_delta() -> None:
    arguments = (EXAMPLE, "--a", "alpha", "--b", "beta")
    task = only_task(*arguments, "--delta", "2pp", "--margin", "10pp")
    assert task["delta"] == 0.02
    assert task["equivalence"]["is_equivalent"]


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        ([EXAMPLE], 3, "contains 3 models: alpha, beta, gamma. Use --a"),
        ([EXAMPLE, "--a", "alpha"], 3, "Use --a MODEL and --b MODEL"),
        ([EXAMPLE, "--a", "alfa", "--b", "beta"], 3, "no model 'alfa'. Did you mean alpha"),
        ([EXAMPLE, "--a", "beta", "--b", "beta"], 3, "Both sides are beta"),
        ([EXAMPLE, EXAMPLE, EXAMPLE], 2, "unexpected extra argument"),
        ([f"{EXAMPLE}::alpha", f"{EXAMPLE}::beta", "--strata", "topic"], 3, "subject"),
        ([f"{EXAMPLE}::alpha", f"{EXAMPLE}::beta", "--task", "mmlu"], 3, "No task 'mmlu'"),
        ([f"{EXAMPLE}::alpha", f"{EXAMPLE}::beta", "--metric", "f1"], 3, "No metric 'f1'"),
        (
            [f"{EXAMPLE}::alpha", f"{EXAMPLE}::beta", "--strata", "a", "--cluster", "b"],
            2,
            "Use either --strata",
        ),
        (["nowhere", EXAMPLE], 3, "nowhere"),
    ],
)
def test_wrong_usage_says_what_to_do(arguments: list[str], status: int, says: str) -> None:
    result = COMPARE.run(*arguments)
    assert result.exit_code == status, result.output
    assert says in result.stderr


def test_tasks_that_are_not_compared_are_named(tmp_path: Path) -> None:
    rows = [
        f"{m},{t},{k},{k % 2}" for m, ts in (("a", "tu"), ("b", "t")) for t in ts for k in (1, 2)
    ]
    log = tmp_path / "log.csv"
    log.write_text("\n".join(["model,task,item,score", *rows]))
    said = [
        f["text"] for f in COMPARE.answer(str(log))["findings"] if f["code"] == "task-left-out"
    ]
    assert said == ["1 task without scores of both models on one metric is excluded: u"]
    found = COMPARE.answer(str(log), "--task", "t")["findings"]
    assert "task-left-out" not in {f["code"] for f in found}


def test_no_metric_is_the_metric_called_score(tmp_path: Path) -> None:
    one, two = tmp_path / "a.csv", tmp_path / "b.csv"
    one.write_text("model,item,score\na,1,1\na,2,0\n")
    two.write_text("model,item,metric,score\nb,1,score,1\nb,2,score,1\n")
    assert only_task(str(one), str(two))["n_items"] == 2
    two.write_text(two.read_text().replace(",score,", ",f1,"))
    said = COMPARE.run(str(one), str(two)).stderr
    assert "a has (no task) [score]; b has (no task) [f1]" in said


def test_points_are_of_scores_from_0_to_1(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = [f"{m},{k},{10 * (k * p % 7)}" for m, p in (("a", 3), ("b", 5)) for k in range(30)]
    log.write_text("\n".join(["model,item,score", *rows]))
    assert only_task(str(log), "--delta", "5")["delta"] == 5
    said = COMPARE.run(str(log), "--delta", "5", "--margin", "1pp")
    assert said.exit_code == 2
    assert "--margin is in percentage points, but scores range from 0 to 60" in said.stderr
    plain = (EXAMPLE, "--a", "alpha", "--b", "beta")
    assert only_task(*plain, "--delta", "2pp")["delta"] == 0.02
    assert "Use 5pp for percentage points" in COMPARE.run(*plain, "--delta", "5").stderr
    assert "Use 5pp" in COMPARE.run(*plain, "--delta", "5%").stderr


def test_a_pattern_with_a_sign_is_no_label(logs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (logs / "lr=1").mkdir()
    (logs / "a.csv").rename(logs / "lr=1" / "a.csv")
    monkeypatch.chdir(logs)
    assert COMPARE.answer("lr=1/*.csv", "new=b.csv")["models"] == ["a", "new"]
    assert COMPARE.answer("lr=1/*.csv::a", "b.csv")["models"] == ["a", "b"]


def test_a_run_that_was_stopped_early_is_refused(tmp_path: Path) -> None:
    """Its scores decided when it ended, so that no test for a fixed number of items holds."""
    log = json.loads(INSPECT.read_text("utf-8"))
    for name in ("new", "old"):
        log["eval"] |= {"model": f"mockllm/{name}"}
        if name == "new":
            stops = [{"id": k, "epoch": 1} for k in range(90)]
            log["results"]["early_stopping"] = {"manager": "nstar", "early_stops": stops}
        else:
            log["results"].pop("early_stopping")
        (tmp_path / f"{name}.json").write_text(json.dumps(log), "utf-8")
    paths = [str(tmp_path / "new.json"), str(tmp_path / "old.json")]
    refused = COMPARE.run(*paths, "--brief")
    assert refused.exit_code == 3
    said = " ".join(refused.stderr.split())
    assert "was stopped early (by nstar, 90 samples not run): fixed-sample tests" in said
    assert "set --allow stopped-early to compare without a valid p-value" in said
    with pytest.raises(DataError, match="stopped early"):
        nstar.compare(*paths)
    allowed = COMPARE.run(*paths, "--allow", "stopped-early", "--brief")
    caution = (
        "Caution: a run was stopped early because of its scores, so tests for a fixed number of "
        "items are not valid."
    )
    assert caution in " ".join(allowed.stdout.split())
    told = paragraph(nstar.compare(*paths, allow="stopped-early"))
    assert told.endswith("for a fixed number of items are not valid.")
    assert nstar.gate(*paths, margin=0.5).verdict == "invalid_data"
    headline = nstar.gate(*paths, margin=0.5, allow="stopped-early").headline
    assert caution in headline
    assert caution in nstar.audit(paths).headline
    assert nstar.gate_looks(*paths, margin=0.5, items=100).verdict != "invalid_data"


def test_one_model_with_a_name_needs_the_other() -> None:
    result = COMPARE.run("new=out/m2")
    assert result.exit_code == 2
    assert (
        "Only one path given (new=out/m2); compare needs two. Add B, or --a and --b."
        in result.output
    )
