"""``nstar runs`` as a user meets it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from helpers.commands import Command

RUNS = Command("runs")
ROOT = Path(__file__).parents[3]
EXAMPLE = str(ROOT / "examples" / "agents.csv")
FIXTURES = ROOT / "tests" / "fixtures"

Write = Callable[..., str]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """A table of several models, with so many runs and such scores."""

    def made(*runs: int, tasks: int = 12, score: Callable[[int, int], float] | None = None) -> str:
        rng = np.random.default_rng(7)
        lines = ["model,item,run,score"]
        for model, number in zip("abcd", runs, strict=False):
            for k in range(tasks):
                for r in range(number):
                    value = rng.integers(2) if score is None else score(k, r)
                    lines.append(f"{model},q{k},{r},{value}")
        path = tmp_path / f"runs{len(list(tmp_path.iterdir()))}.csv"
        path.write_text("\n".join(lines))
        return str(path)

    return made


def test_two_agents() -> None:
    answer = RUNS.answer(EXAMPLE)
    assert [m["model"] for m in answer["model_runs"]] == ["ada", "bob"]
    assert answer["estimate"]["comparison"]["n_items"] == 60
    assert answer["estimate"]["steps"][-1]["n_runs"] is None
    parts = answer["estimate"]["data_se"] ** 2 + answer["estimate"]["prediction_se"] ** 2
    assert parts == pytest.approx(answer["estimate"]["se"] ** 2)
    comparison = answer["estimate"]["comparison"]
    for key in ("gap", "ci", "pvalue", "n_star", "verdict"):
        assert answer[key] == comparison[key]
    assert answer["mde"] == answer["estimate"]["mde"]
    text = RUNS.text(EXAMPLE, "--full")
    assert "ada beats bob by 13.7 pp" in text
    assert "between tasks" in text
    assert "pass@k (upper curve)" in text


def test_one_of_two() -> None:
    answer = RUNS.answer(EXAMPLE, "--a", "bob")
    assert answer["estimate"] is None
    assert [m["model"] for m in answer["model_runs"]] == ["bob"]
    assert "bob scores 50.0% on 60 tasks, 3 runs each" in answer["headline"]


def test_order_of_the_models() -> None:
    assert RUNS.answer(EXAMPLE, "--a", "bob", "--b", "ada")["estimate"]["comparison"]["gap"] < 0


def test_single_runs_say_that_nothing_can_be_told(write: Write) -> None:
    one = RUNS.text(write(1))
    assert "Run-to-run noise is unknown, because no task was run twice" in one
    two = RUNS.text(write(1, 1))
    assert "cannot be estimated from these runs" in two
    assert "a and b: there is only one run per task" in two


def test_graded_scores(write: Write) -> None:
    text = RUNS.text(write(3, score=lambda k, r: (k + r % 2) / 13))
    assert "scores are not 0/1, so no run is counted as a pass" in text
    assert "pass@k" not in text
    points = RUNS.text(write(3, 3, score=lambda k, r: 7 * k + r))
    assert " pp" not in points


def test_unequal_runs(write: Write) -> None:
    text = RUNS.text(write(4, 2))
    assert "items have 2 to 4 runs" in text
    answer = RUNS.answer(write(4, 2))
    assert [m["n_runs"]["high"] for m in answer["model_runs"]] == [4, 2]


def test_every_run_passed(write: Write) -> None:
    text = RUNS.text(write(5, score=lambda k, r: 1))
    assert "No two runs of a task disagree" in text
    assert "all 60 runs passed; failure rates up to 5% remain possible" in text
    assert "passed 5 of 5 runs can still fail up to 45%" in text


def test_one_task(write: Write) -> None:
    text = RUNS.text(write(10, tasks=1, score=lambda k, r: int(r < 8)))
    assert "a passed 8 of 10 runs of task q0 (exact 95% CI 44.4 to 97.5%)" in text
    assert "one task does not generalize to others" in text


def test_few_tasks_and_equal_scores(write: Write) -> None:
    assert "one more or one fewer could change the verdict" in RUNS.text(write(3, 3, tasks=2))
    assert RUNS.answer(write(3, 3, score=lambda k, r: 1))["estimate"]["steps"] == []


def test_a_run_that_was_bad_as_a_whole(write: Write) -> None:
    text = RUNS.text(write(3, score=lambda k, r: int(r > 0 or k > 9)))
    assert "shared by a whole run, such as a seed or a server" in text
    assert "which more tasks do not reduce" in text


def test_level_of_all_intervals() -> None:
    answer = RUNS.answer(EXAMPLE, "--alpha", "0.01")
    assert (answer["confidence_level"], answer["estimate"]["comparison"]["confidence_level"]) == (
        0.99,
        0.99,
    )
    assert "99% CI" in RUNS.text(EXAMPLE, "--alpha", "1%")
    assert "one-sided p" in RUNS.answer(EXAMPLE, "--alternative", "greater")["headline"]


def test_epochs_of_inspect_and_trials_of_others_are_runs() -> None:
    epochs = RUNS.answer(str(FIXTURES / "inspect" / "zstd.eval"))
    assert epochs["model_runs"][0]["n_runs"] == {"low": 3, "high": 3}
    trials = RUNS.answer(str(FIXTURES / "tau_bench"), "--a", "gpt-x")
    assert trials["model_runs"][0]["n_runs"]["high"] == 3
    assert RUNS.answer(str(FIXTURES / "harbor" / "mini"))["estimate"]["comparison"]["n_items"] == 8


def test_repeated_logs_are_runs_unless_told_otherwise(tmp_path: Path) -> None:
    log = FIXTURES / "lm_eval" / "v0.4.13" / "acme__alpha-8b"
    for day in ("14", "16"):
        folder = tmp_path / day / "acme__alpha-8b"
        folder.mkdir(parents=True)
        for file in log.iterdir():
            again = file.name.replace("2026-11-14", f"2026-11-{day}")
            text = file.read_text(encoding="utf-8")
            flipped = text.replace('"acc": 0.0', '"acc": 1.0', 1) if day == "16" else text
            (folder / again).write_text(flipped, encoding="utf-8")
    asked = (str(tmp_path), "--task", "mini_mmlu")
    assert RUNS.answer(*asked)["model_runs"][0]["n_runs"]["high"] == 2
    assert RUNS.answer(*asked, "--runs", "latest")["model_runs"][0]["n_runs"]["high"] == 1


@pytest.mark.parametrize("kind", ["text", "markdown", "latex", "csv"])
def test_formats(kind: str) -> None:
    result = RUNS.run(EXAMPLE, "--format", kind)
    assert result.exit_code == 0
    if kind == "csv":
        lines = result.stdout.splitlines()
        assert lines[0].startswith("model,task,n_runs,n_passed,mean,variance,ci_low,ci_high,flip")
        assert len(lines) == 1 + 120


def test_page_and_figure(tmp_path: Path) -> None:
    page, figure = tmp_path / "r.html", tmp_path / "r.svg"
    result = RUNS.run(EXAMPLE, "--html", str(page), "--figure", str(figure))
    assert result.exit_code == 0
    text = page.read_text(encoding="utf-8")
    assert "<b>Repeated runs</b>" in text
    assert "<script" not in text
    assert "pass^k falls to 36.7% at k = 5" in figure.read_text(encoding="utf-8")


def test_nothing_to_draw(write: Write, tmp_path: Path) -> None:
    result = RUNS.run(write(1), "--figure", str(tmp_path / "r.svg"))
    assert result.exit_code == 3
    assert "pass@k needs 0/1 scores" in result.stderr
    assert RUNS.run(write(1), "--html", str(tmp_path / "r.html")).exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ([], 2, "Missing argument"),
        (["nowhere.csv"], 3, "no such file"),
        ([EXAMPLE, "--b", "bob"], 2, "--b also needs --a (name of the first model)."),
        ([EXAMPLE, "--a", "ada", "--b", "ada"], 2, "are both ada"),
        ([EXAMPLE, "--a", "adda"], 3, "Did you mean ada?"),
        ([EXAMPLE, "--task", "x"], 3, "No task 'x'"),
        ([EXAMPLE, "--metric", "x"], 3, "No metric 'x'"),
        ([EXAMPLE, "--alpha", "5"], 2, "Use 5% or 0.05"),
        ([str(ROOT / "examples" / "results.csv")], 3, "contains 3 models: alpha, beta, gamma"),
        ([str(FIXTURES / "inspect" / "killed.eval")], 3, "did not finish"),
        (
            [str(FIXTURES / "lm_eval" / "v0.4.13" / "acme__alpha-8b")],
            3,
            "Set --task to one of them: 'mini_gsm'",
        ),
    ],
)
def test_wrong_usage(arguments: list[str], status: int, said: str) -> None:
    result = RUNS.run(*arguments)
    assert result.exit_code == status
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_a_model_by_the_end_of_its_name_twice() -> None:
    fixture = str(FIXTURES / "harbor" / "mini")
    result = RUNS.run(fixture, "--a", "acme/beta-70b", "--b", "beta-70b")
    assert result.exit_code == 3
    assert "are both acme/beta-70b" in result.stderr


def test_a_log_is_a_run_of_the_model_that_is_named(tmp_path: Path) -> None:
    logs = []
    for r in range(2):
        path = tmp_path / f"run{r}.csv"
        rows = [f"q{k},{(3 * k + r * (k % 3)) % 2}" for k in range(9)]
        path.write_text("\n".join(["item,score", *rows]))
        logs.append(str(path))
    one = RUNS.answer(*(f"ada={log}" for log in logs))
    assert [(m["model"], m["n_runs"]["high"]) for m in one["model_runs"]] == [("ada", 2)]
    two = RUNS.answer(f"ada={logs[0]}", f"bob={EXAMPLE}::bob", f"ada={logs[1]}", "--a", "ada")
    assert [m["model"] for m in two["model_runs"]] == ["ada"]
    result = RUNS.run(f"ada={EXAMPLE}")
    assert result.exit_code == 3
    assert "agents.csv::MODEL" in " ".join(result.stderr.split()).replace(" ", "")


def test_what_a_run_shares_is_in_the_headline(write: Write) -> None:
    path = write(3, 3, tasks=40, score=lambda k, r: int((7 * k) % 10 + 5 * r > 8))
    said = RUNS.text(path)
    assert "Caution: the CI does not include an observed effect that a whole run shares" in said
    assert "the detectable gaps include it" in said
    assert RUNS.answer(path)["estimate"]["shared_se"] > 0.1
    assert "Caution: the CI does not include an observed effect" in RUNS.text(path, "--a", "a")


def test_few_tasks_are_not_said_to_hide_what_a_table_tells(write: Write) -> None:
    said = RUNS.text(write(3, 3, tasks=4))
    assert "cannot be estimated from these runs" not in said
    assert "4 tasks are too few to detect a gap reliably" in said


@pytest.mark.parametrize("passages", [4, 6])
def test_groups_that_turn_the_answer(tmp_path: Path, passages: int) -> None:
    """Half of the passages make the whole gap: other tasks show it, other passages do not.

    Fewer than five passages are too few for a headline.
    """
    lines = ["model,item,run,passage,score"]
    for k in range(84):
        for r in range(3):
            wins = k % passages < passages // 4 + 1 and (k + r) % 3 > 0
            lines += [
                f"a,q{k},{r},p{k % passages},{int(wins or r == 0)}",
                f"b,q{k},{r},p{k % passages},{int(r == 0)}",
            ]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines))
    answer = RUNS.answer(str(path))
    comparison = answer["estimate"]["comparison"]
    readings = {(x["kind"], x["column"]): x["pvalue"] for x in comparison["other_designs"]}
    assert answer["pvalue"] == comparison["pvalue"] < 0.001
    assert readings["cluster", "passage"] > 0.05
    said = "Caution: across new passages the gap is inconclusive (p = "
    assert (said in answer["headline"]) == (passages >= 5)
    assert "across new" not in RUNS.answer(EXAMPLE)["headline"]


def test_the_page_has_the_verdict_alone_as_its_title(tmp_path: Path) -> None:
    page = tmp_path / "runs.html"
    RUNS.text(EXAMPLE, "--html", str(page))
    title = page.read_text("utf-8").split("<h1")[1].split("</h1>")[0]
    assert "ada beats bob by 13.7 pp" in title
    assert "run-to-run noise" not in title
