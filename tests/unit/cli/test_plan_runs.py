"""``nstar plan runs`` by assumptions."""

import json
from importlib.resources import files
from pathlib import Path

import pytest

from helpers.commands import Command
from helpers.schemas import validate
from nstar.report.prose.numbers import percent

COMMAND = Command("plan runs")
run, answer, text = COMMAND.run, COMMAND.answer, COMMAND.text

RATES = ("--baseline", "50%", "--flip", "30%")
SCHEMA = json.loads((files("nstar.report") / "schemas" / "taskplan.schema.json").read_text())


def test_money_to_tasks_and_runs() -> None:
    given = (*RATES, "--rho", "0.6", "--budget", "5000", "--cost-task", "20")
    data = answer(*given)
    assert data["best_design"]["n_tasks"] == 156
    assert data["best_design"]["n_runs_a"] == data["best_design"]["n_runs_b"] == 6
    assert text(*given).startswith(
        "A budget of 5,000 detects an 8.1 pp gap: 156 tasks, 6 runs per model (80% power). "
        f"This assumes that two runs of a task disagree {percent(0.3)} of the time and "
        "that rho = 0.6."
    )


def test_rho_is_said_to_be_assumed() -> None:
    said = text(*RATES, "--budget", "500")
    assert "rho = 0.5 (the default)" in said
    assert "a pilot of both models shows it" in text(*RATES, "--budget", "500", "--full")


def test_money_is_not_spoken_of_where_nobody_named_a_price() -> None:
    asked = (*RATES, "--delta", "5pp")
    free = " ".join(text(*asked, "--full").split())
    assert "10% more runs lower the MDE" in free
    assert "With separate tasks per model, it takes" in free
    assert "10% more budget lowers the MDE" in " ".join(text(*asked, "--cost-task", "2").split())


def test_too_few_tasks() -> None:
    said = text(*RATES, "--delta", "5pp", "--tasks-available", "100")
    assert said.startswith("100 tasks cannot detect a 5 pp gap at any cost: gaps")
    assert ": gaps below 8.9 pp never reach 80% power, however many runs. It takes 1,258 t" in said
    assert "A budget of 2,900 comes within 10% of the 8.9 pp that 100 tasks can detect" in said


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            "--rho 0.6 --budget 5000 --cost-run 1,5 --cost-task 10 --delta 5pp",
            "80% power costs 14,568: 607 tasks, 4 runs of the first model and 2 of the second.",
        ),
        (
            "--budget 500 --tasks-available 30 --runs 2 --delta 15pp",
            "No budget gives 80% power on 30 tasks: gaps below 26.5 pp never reach 80% power "
            "with these runs.",
        ),
        (
            "--budget 500 --tasks-available 30 --runs 2",
            "30 tasks cannot detect a gap below 26.5 pp with these runs at any cost. "
            "Add tasks, or allow more runs.",
        ),
        ("--budget 5000", "lowers the MDE from 3.5 pp to 3.4 pp."),
        ("--budget 5000 --delta 5pp", "10% more budget lowers the MDE from 3.5 pp to"),
        ("--budget 40 --tasks-available 3", "3 tasks cannot detect any gap at any cost"),
        ("--budget 400 --cost-run 1,5 --full", "costs 1 for the first model and 5 for the second"),
        ("--budget 40 --flip 0", "so rerunning the same 20 tasks does not help."),
        ("--budget 40 --flip 50%", "so enough runs of any task detect any gap."),
    ],
)
def test_sentences(options: str, sentence: str) -> None:
    assert sentence in text(*RATES, *options.split())


def test_nothing_detectable_is_not_told_as_a_number() -> None:
    notes = text(*RATES, "--budget", "5").partition("Notes")[2]
    assert "none" not in notes
    assert "MDE" not in notes


def test_graded_scores_have_no_points() -> None:
    said = text("--budget", "5000", "--sd-between", "0.2", "--sd-within", "0.4,0.3")
    assert " pp" not in said
    marked = text(
        *("--budget", "5000", "--sd-between", "0.2", "--sd-within", "0.4", "--baseline", "60%")
    )
    assert " pp" in marked


def test_unequal_prices_give_unequal_runs() -> None:
    data = answer(
        *("--budget", "5000", "--sd-between", "0.2", "--sd-within", "0.4", "--cost-run", "1,9")
    )
    assert data["best_design"]["n_runs_a"] > data["best_design"]["n_runs_b"]
    assert data["costs"] == {"task": 0.0, "run_a": 1.0, "run_b": 9.0}
    assert data["costs_source"] == "given"


def test_no_gap_at_all() -> None:
    assert text(*RATES, "--budget", "5").startswith("A budget of 5 detects no gap, not even")


@pytest.mark.parametrize(
    "options",
    [
        "--budget 5000",
        "--budget 5000 --delta 5pp,10pp",
        "--delta 5pp --tasks-available 100",
        "--budget 100 --runs 2,3 --tasks-available 50",
        "--budget 4",
    ],
)
def test_json_obeys_its_schema(options: str) -> None:
    data = answer(*RATES, *options.split())
    assert data["schema"] == "nstar.taskplan/1"
    validate(data, SCHEMA)


@pytest.mark.parametrize("format_", ["markdown", "latex", "csv"])
def test_other_formats(format_: str) -> None:
    out = run(*RATES, "--budget", "5000", "--format", format_).output
    assert "2500" in out.replace(",", "").replace("{}", "")


def test_figure_and_page(tmp_path: Path) -> None:
    figure, page = tmp_path / "money.svg", tmp_path / "money.html"
    given = (*RATES, "--budget", "5000", "--tasks-available", "100")
    done = run(*given, "--figure", str(figure), "--html", str(page))
    assert done.exit_code == 0, done.output
    assert "unlimited runs" in figure.read_text("utf-8")
    assert (
        "A budget of 5,000 detects a 9.5 pp gap: 100 tasks, 25 runs per model</h1>"
        in page.read_text("utf-8")
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--budget 100", "Set --baseline (success rate) and --flip"),
        ("--budget 100 --items 10", "Use it with nstar plan."),
        ("--flip 10% --baseline 50%", "Set --budget"),
        ("--budget 100 --sd-between 0.1", "--sd-between also needs --sd-within"),
        (
            "--budget 100 --sd-between 0.1 --sd-within 0.3 --flip 10%",
            "Use either --flip or --sd-between",
        ),
        (
            "--budget 100 --baseline 50% --flip 20% --price a=1/2",
            "--price applies only to a pilot",
        ),
        ("--budget 100 --baseline 50% --flip 20% --models 3", "Use it with nstar plan board."),
        (
            "--budget 100 --baseline 50% --flip 20% --rho 0.1,0.2",
            "not a correlation strictly between",
        ),
        ("--budget 100 --baseline 50% --flip 20% --cost-run 0", "--cost-run"),
        ("--budget 100 --baseline 50% --flip 20% --runs 1,2,3", "one for each"),
        ("--budget x --baseline 50% --flip 20%", "not an amount of money"),
        ("--budget 100 --baseline 50% --flip 20% --runs 0", "not a valid number of runs"),
    ],
)
def test_wrong_usage(options: str, message: str) -> None:
    done = run(*options.split())
    assert done.exit_code == 2
    assert message in " ".join(done.output.split())


def test_impossible_numbers() -> None:
    done = run("--budget", "100", "--baseline", "90%", "--flip", "30%")
    assert done.exit_code == 3
    assert "at most 0.18" in done.output


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (["--baseline", "70%", "--flip", "0"], "Set --budget"),
        (["--baseline", "70%", "--cost-task", "0"], "Set --budget"),
        (
            [*RATES, "--budget", "5,000", "--cost-run", "1,500"],
            "could be 1500 or a number for each",
        ),
        ([*RATES, "--budget", "50", "--tasks-available", "1"], "not a valid number of tasks"),
        (
            ["--sd-between", "0.3", "--sd-within", "0.9", "--baseline", "50%", "--budget", "9"],
            "the maximum for the 0/1 scores",
        ),
        (["--baseline", "97%", "--flip", "3%", "--delta", "5pp"], "accuracy of 1.02"),
    ],
)
def test_nothing_is_dropped_or_guessed(given: list[str], words: str) -> None:
    result = run(*given)
    assert result.exit_code in (2, 3)
    assert words in " ".join(result.stderr.split())


def test_no_flips_at_all_are_tasks_and_runs() -> None:
    assert answer("--baseline", "70%", "--flip", "0", "--delta", "5pp")["variances"]["flip"] == 0


def test_near_the_end_of_the_scale() -> None:
    said = text("--baseline", "95%", "--flip", "0", "--budget", "100", "--rho", "0.5")
    assert "detects a 14.0 pp gap" in said
    assert "only about 2.5 failures on 50 tasks" in said
    assert "cannot have rho = 0.5" in said
    assert "a run costs 1 (the default; set --cost-run)" in said
    whole = text("--baseline", "95%", "--flip", "0", "--budget", "100", "--rho", "0.5", "--full")
    assert "the number of tasks is unlimited" in whole


def test_money_that_is_all_but_spent() -> None:
    said = text(*RATES, "--budget", "1", "--cost-run", "0.0333333333")
    assert "costs 1 of the 1" not in said
