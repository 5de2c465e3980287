"""``nstar plan runs LOG``: from logs to a plan, with what runs cost."""

from pathlib import Path

import numpy as np
import pytest

from helpers.commands import Command
from nstar.report.prose.numbers import percent

PLAN = Command("plan runs")
ROOT = Path(__file__).parents[3]
INSPECT = ROOT / "tests" / "fixtures" / "inspect"
AGENTS = str(ROOT / "examples" / "agents.csv")


@pytest.fixture
def plain(tmp_path: Path) -> str:
    """The runs of one agent, without costs or tokens."""
    rows = [line.split(",") for line in Path(AGENTS).read_text("utf-8").splitlines()]
    kept = [",".join(row[:4]) for row in rows if row[0] in ("model", "ada")]
    path = tmp_path / "plain.csv"
    path.write_text("\n".join(kept), "utf-8")
    return str(path)


def refused(*arguments: str) -> str:
    result = PLAN.run(*arguments)
    assert result.exit_code in (2, 3), result.output
    return " ".join(result.stderr.split())


def assumed(*arguments: str) -> str:
    return " ".join(PLAN.answer(*arguments)["assumptions"])


@pytest.mark.parametrize("name", ["zstd.eval", "deflate.eval", "log.json"])
def test_inspect_epochs_are_runs_of_a_pilot(name: str) -> None:
    log = str(INSPECT / name)
    found = PLAN.answer(log, "--metric", "match", "--delta", "10pp", "--price", "3/15")
    # every sample of these logs has 10 tokens read and 5 written
    assert found["costs"]["run_a"] == pytest.approx((10 * 3 + 5 * 15) / 1e6)
    assert found["variances"]["pilot"]["n_runs"] == [3]
    assert "3 runs each" in " ".join(found["assumptions"])
    assert found["variances"]["rho"] == 0.5
    low, high = (found["n_star_ci"][end] for end in ("low", "high"))
    assert low < found["n_star"] < (high or float("inf"))


def test_two_models_and_their_costs_come_from_the_logs() -> None:
    found = PLAN.answer(AGENTS, "--delta", "5pp")
    assert found["variances"]["rho"] is None
    assert found["costs"]["run_a"] > 2 * found["costs"]["run_b"]
    pilot = {"models": ["ada", "bob"], "n_tasks": 60, "n_runs": [5, 3]}
    assert found["variances"]["pilot"] == pilot
    assert "pilot of ada and bob: 60 tasks, 5 and 3 runs" in " ".join(found["assumptions"])
    assert found["costs_source"] == "logs"
    given = PLAN.answer(AGENTS, "--delta", "5pp", "--cost-run", "1,2")
    assert (given["costs"]["run_a"], given["costs"]["run_b"]) == (1, 2)


def test_what_a_pilot_leaves_open_is_one_aside() -> None:
    said = PLAN.text(AGENTS, "--delta", "5pp", "--cost-run", "1")
    assert f"The pilot's {percent(0.95)} CI is 743 to 1,155 tasks." in said
    said = PLAN.text(AGENTS, "--budget", "100")
    assert (
        f"11.4 pp gap: 179 tasks, 1 run per model (80% power). The pilot's {percent(0.95)} CI"
        in said
    )


def test_one_model_of_a_log_is_chosen() -> None:
    one = PLAN.answer(f"{AGENTS}::bob", "--delta", "5pp", "--rho", "0.7")
    assert "pilot of bob: 60 tasks, 3 runs each" in " ".join(one["assumptions"])
    assert one["variances"]["rho"] == 0.7
    turned = PLAN.answer(f"{AGENTS}::bob", f"{AGENTS}::ada", "--delta", "5pp")
    assert "pilot of bob and ada" in " ".join(turned["assumptions"])
    assert turned["variances"]["pilot"]["models"] == ["bob", "ada"]
    unknown = refused(f"{AGENTS}::ada", f"{AGENTS}::eve", "--delta", "5pp")
    assert "no model 'eve'" in unknown


def test_prices_in_a_file(tmp_path: Path) -> None:
    log, path = str(INSPECT / "zstd.eval"), tmp_path / "prices.toml"
    given = (log, "--delta", "10pp", "--price", str(path))
    path.write_text('"mockllm/alpha-8b" = "1/2"\nother = 7\n', "utf-8")
    assert PLAN.answer(*given)["costs"]["run_a"] == pytest.approx(20e-6)
    again = PLAN.answer(*given, "--price", "alpha-8b=10", "--price", "mockllm/alpha-8b=5")
    assert again["costs"]["run_a"] == pytest.approx(75e-6)
    for text, words in (
        ("prices", "not a valid price table"),
        ("m = [1, 2]", "the price of 'm' must have the form"),
        ('m = "dear"', "'dear' is not a price"),
    ):
        path.write_text(text, "utf-8")
        assert words in refused(*given)
    path.unlink()
    assert "not a valid price table" in refused(*given)


def test_prices_that_cannot_be_applied(plain: str) -> None:
    words = refused(plain, "--delta", "5pp", "--price", "3/15")
    assert (
        "The logs of ada record no tokens, so a price cannot be applied. Set --cost-run" in words
    )
    words = refused(plain, "--delta", "5pp", "--price", "other=3/15")
    assert "do not record the cost of a run. Set --cost-run, or --price ada=IN/OUT" in words


@pytest.mark.slow
def test_power_by_drawing_the_pilot(plain: str) -> None:
    given = (plain, "--delta", "10pp", "--resample")
    found = PLAN.answer(*given)
    drawn = found["resampled_power"]
    assert drawn["n_tasks"] == found["best_design"]["n_tasks"]
    assert drawn["is_same_model"] is True
    assert drawn["is_binary"] is True
    t = next(p for p in drawn["tests"] if p["test"] == "t")
    assert t["power"] == pytest.approx(drawn["power_formula"], abs=0.05)
    text = PLAN.text(*given)
    assert "resamples of" in text
    assert "Monte Carlo SE" in text
    assert PLAN.answer(*given[:-1])["resampled_power"] is None


def test_runs_that_never_differ_need_no_plan(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    lines = [f"m,{item},{run},1" for item in range(5) for run in range(2)]
    path.write_text("\n".join(["model,item,run,score", *lines]), "utf-8")
    result = PLAN.run(str(path), "--delta", "5pp")
    assert result.exit_code == 2
    assert "if the difference is the same on every task" in result.stderr


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (
            ("--flip", "0.3"),
            "The pilot already determines --flip. Remove --flip, or do not pass the pilot.",
        ),
        (("--baseline", "50%"), "Remove --baseline, or do not pass the pilot"),
        (("--items", "100"), "Use it with nstar plan."),
        (("--price", "3/15", "--cost-run", "1"), "Use either --cost-run or --price"),
    ],
)
def test_options_that_a_pilot_replaces(more: tuple[str, ...], words: str) -> None:
    assert words in refused(AGENTS, "--delta", "5pp", *more)


def test_options_that_need_a_pilot() -> None:
    words = refused("--budget", "100", "--baseline", "50%", "--flip", "0.3", "--resample")
    assert "--resample applies only to a pilot. Pass the scores" in words
    both = refused(AGENTS, "--delta", "5pp", "--rho", "0.5")
    assert "The pilot has two models, which determine the correlation. Remove --rho" in both


def test_units_are_noted(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    lines = [f"m,{k},{run},{(7 * k + 3 * run) % 11}" for k in range(9) for run in range(3)]
    path.write_text("\n".join(["model,item,run,score", *lines]), "utf-8")
    result = PLAN.run(str(path), "--delta", "0.5", "--full")
    assert result.exit_code == 0
    text = " ".join(result.stdout.split())
    assert "The pilot's scores range from 0 to 10, and gaps are in the same units." in text
    assert "scores range" not in PLAN.text(AGENTS, "--delta", "5pp", "--full")


def test_a_pilot_of_single_runs_plans_single_runs() -> None:
    table = str(ROOT / "examples" / "results.csv")
    given = (f"{table}::alpha", f"{table}::beta", "--delta", "5pp")
    found = PLAN.answer(*given, "--resample")
    assert not found["variances"]["is_split"]
    assert (found["best_design"]["n_runs_a"], found["best_design"]["n_runs_b"]) == (1, 1)
    assert found["resampled_power"]["tests"][0]["power"] == pytest.approx(0.8, abs=0.03)
    alone = (f"{table}::alpha", "--delta", "5pp")
    assert "Set --rho (correlation over tasks of single-run scores)" in refused(*alone)
    assumed_rho = (*alone, "--rho", "0.3")
    assert "needs at least two runs of every task" in refused(*assumed_rho, "--resample")
    said = PLAN.text(*assumed_rho)
    assert "By correlation (rho) of the models' scores of single runs over tasks" in said
    full = PLAN.text(*assumed_rho, "--full")
    assert "with correlation 0.3 over tasks (scores of single runs, not true scores)" in full


def written(path: Path, lines: list[str], header: str = "model,item,run,score") -> str:
    path.write_text("\n".join([header, *lines]), "utf-8")
    return str(path)


def some_runs(models: str, runs: range, tasks: int = 12) -> list[str]:
    return [
        f"{m},q{k},{r},{(7 * k + 5 * r * (k % 4) + ord(m)) % 3 % 2}"
        for m in models
        for k in range(tasks)
        for r in runs
    ]


def test_a_model_is_chosen_file_by_file(tmp_path: Path) -> None:
    first = written(tmp_path / "1.csv", some_runs("xy", range(2)))
    second = written(tmp_path / "2.csv", some_runs("xy", range(2, 5)))
    given = (f"{first}::x", f"{second}::y", "--delta", "20pp")
    assert "pilot of x and y: 12 tasks, 2 and 3 runs" in assumed(*given)
    both = (f"{first}::x", f"{second}::x", "--delta", "20pp")
    assert "pilot of x: 12 tasks, 5 runs each" in assumed(*both)
    named = (f"ada={first}::x", f"bob={second}::x", "--delta", "20pp")
    assert "pilot of ada and bob" in assumed(*named)


def test_more_than_two_models_are_for_boards(tmp_path: Path) -> None:
    path = written(tmp_path / "m.csv", some_runs("xyz", range(2)))
    refusal = refused(path, "--delta", "5pp")
    assert (
        "contains 3 models: x, y, z. Choose two models with PATH::MODEL, or use nstar" in refusal
    )
    assert "nstar plan board" in refusal


def test_costs_that_are_none(tmp_path: Path) -> None:
    header = "model,item,run,score,cost"
    rows = some_runs("x", range(3))
    dollars = written(tmp_path / "d.csv", [f"{row},$0.50" for row in rows], header)
    found = PLAN.run(dollars, "--delta", "20pp", "--full")
    assert "36 values excluded: unreadable cost" in " ".join(found.stdout.split())
    assert "A run costs 1 (the default" in " ".join(found.stdout.split())
    below = written(tmp_path / "b.csv", [f"{row},-0.5" for row in rows], header)
    assert "contain negative costs. Set --cost-run" in refused(below, "--delta", "20pp")


@pytest.fixture
def shifted(tmp_path: Path) -> str:
    """Two models, the runs of the first good or bad as a whole."""
    lines = []
    for k in range(60):
        lines += [f"a,q{k},{r},{int((7 * k) % 10 + 5 * r > 8)}" for r in range(3)]
        lines += [f"b,q{k},{r},{int((7 * k + 3 * r) % 10 > 4)}" for r in range(3)]
    return written(tmp_path / "s.csv", lines)


def test_a_shared_effect_has_no_interval_and_is_not_drawn(shifted: str) -> None:
    found = PLAN.answer(shifted, "--budget", "3000", "--delta", "20pp")
    spread = found["variances"]
    assert spread["sigma_run_a2"] > 0.1
    assert spread["sigma_run_b2"] == 0
    for name in ("mde_ci", "n_star_ci", "power_ci", "sequential_design"):
        assert found[name] is None
    assert found["best_design"]["n_runs_a"] > found["best_design"]["n_runs_b"]
    said = PLAN.text(shifted, "--budget", "3000", "--full")
    assert "no CI, because it rests on only 3 runs" in said
    assert "exact (noncentral t)" not in said
    words = refused(shifted, "--budget", "3000", "--resample")
    assert "Resampling tasks would ignore it" in words


def test_tasks_and_runs_at_hand_need_no_money() -> None:
    found = PLAN.answer(AGENTS, "--tasks-available", "80", "--runs", "5,3")
    assert (found["best_design"]["n_tasks"], found["best_design"]["n_runs_a"]) == (80, 5)
    assert (found["budget"], found["delta"], found["solved_for"]) == (None, None, "mde")
    same = PLAN.answer(
        *(AGENTS, "--tasks-available", "80", "--runs", "5,3", "--cost-run", "1"),
        *("--budget", "640"),
    )
    assert same["best_design"]["mde"] == found["best_design"]["mde"]
    said = PLAN.text(AGENTS, "--tasks-available", "80", "--runs", "5,3")
    assert said.startswith("80 tasks, 5 runs of the first model and 3 of the second, detect")


def test_a_variance_below_zero_is_told(tmp_path: Path) -> None:
    lines = [
        f"{m},q{k},{r},{int((k + r + (m == 'b')) % 2)}"
        for m in "ab"
        for k in range(40)
        for r in range(4)
    ]
    path = written(tmp_path / "m.csv", lines)
    found = PLAN.answer(path, "--delta", "10pp")
    assert found["variances"]["sigma_b2"] == 0
    assert found["variances"]["sigma_b2_raw"] < 0
    said = PLAN.text(path, "--delta", "10pp")
    assert "was estimated below 0" in said
    assert "More runs of the same" not in said


# --- groups of the pilot's tasks ----------------------------------------------------------


@pytest.fixture
def grouped(tmp_path: Path) -> str:
    """Two models whose gap differs from repository to repository."""
    rng = np.random.default_rng(3)
    rows = ["model,item,repo,score"]
    for k in range(400):
        repo = k % 16
        rates = {"ada": 0.6 + 0.15 * np.sin(repo), "bob": 0.55}
        rows += [f"{m},q{k},r{repo},{int(rng.random() < p)}" for m, p in rates.items()]
    path = tmp_path / "grouped.csv"
    path.write_text("\n".join(rows), "utf-8")
    return str(path)


def test_groups_of_a_pilot_are_named_and_both_figures_told(grouped: str) -> None:
    found = PLAN.answer(grouped, "--delta", "5pp")
    (group,) = found["group_plans"]
    assert (group["column"], group["n_groups"], group["cluster_size"]) == ("repo", 16, 25)
    assert group["n_star"] > found["n_star"]
    said = PLAN.text(grouped, "--delta", "5pp")
    assert "grouped by repo (16); these figures assume new tasks from the same groups" in said
    assert f"For new groups defined by repo, the gap takes {group['n_star']:,.0f} tasks in" in said


@pytest.mark.parametrize(
    "asked",
    [("--delta", "5pp"), ("--delta", "0.05", "--alpha", "0.01", "--alternative", "greater")],
)
def test_the_printed_options_give_the_printed_figure(grouped: str, asked: tuple[str, ...]) -> None:
    (group,) = PLAN.answer(grouped, *asked)["group_plans"]
    said = PLAN.text(grouped, *asked)
    command = said[said.index("nstar plan --sd-diff") :].split(". ")[0].split()[2:]
    again = Command("plan").answer(*command)
    assert again["n_star"] == group["n_star"]
    effect = 1 + (again["noise_design"]["cluster_size"] - 1) * again["noise_design"]["icc"]
    assert effect == pytest.approx(group["design_effect"])


def test_money_shows_what_other_groups_hide(grouped: str) -> None:
    found = PLAN.answer(grouped, "--budget", "2000")
    (group,) = found["group_plans"]
    assert group["mde"] > found["best_design"]["mde"]
    options = {"--sd-diff": group["sd"], "--icc": group["icc"]}
    sizes = {"--cluster-size": group["cluster_size"], "--items": found["best_design"]["n_tasks"]}
    again = Command("plan").answer(*(str(x) for pair in (options | sizes).items() for x in pair))
    assert again["mde"] == pytest.approx(group["mde"])
    few = PLAN.text(grouped, "--budget", "60")
    assert (
        "For new groups defined by repo, the same number of tasks detects no gap, because it "
        "does not fill two groups" in few
    )
    both = PLAN.answer(grouped, "--budget", "2000", "--delta", "5pp")
    assert both["group_plans"][0]["power"] < both["power"]


def test_groups_of_one_model_are_named_only(grouped: str) -> None:
    said = PLAN.text(f"{grouped}::ada", "--delta", "5pp", "--rho", "0.5")
    assert "the pilot has logs of one model only" in said
    assert "nstar plan --sd-diff" not in said


def test_the_plan_without_groups_says_nothing_of_them() -> None:
    assert PLAN.answer(AGENTS, "--delta", "5pp")["group_plans"] == []


def test_gaps_are_in_the_units_of_the_pilot(tmp_path: Path) -> None:
    path = tmp_path / "percent.csv"
    lines = ["model,item,run,score"]
    for k in range(30):
        scores = [(7 * k + 3 * r) % 40 + 50 + 4 * (model == "a") for model in "ab" for r in (1, 2)]
        names = [(model, r) for model in "ab" for r in (1, 2)]
        lines += [f"{m},{k},{r},{score}" for (m, r), score in zip(names, scores, strict=True)]
    path.write_text("\n".join(lines))
    given = (str(path), "--cost-run", "1")
    assert PLAN.answer(*given, "--delta", "5")["delta"] == 5
    assert "Detecting a 5 gap costs" in PLAN.text(*given, "--delta", "5")
    assert "Use score units, without pp" in refused(*given, "--delta", "5pp")
    said = refused(AGENTS, "--delta", "5")
    assert "--delta 5 is above 1, but scores are 0–1. Use 5pp" in said


def test_refusals_are_whole_sentences_with_the_names_of_options(tmp_path: Path) -> None:
    judged = written(tmp_path / "judged.csv", ["a,q1,1,0", "b,q1,0,1"], "model,item,verdict,human")
    assert "Columns found: model, item, verdict" in refused(judged, "--delta", "5pp")
    noise = ("--baseline", "60%", "--cost-run", "0.2")
    assert "--budget must be at least 0.8" in refused("--budget", "0.1", *noise, "--flip", "30%")
    assert "--flip 0.6 is impossible" in refused("--budget", "100", *noise, "--flip", "60%")
    one = written(tmp_path / "one.csv", some_runs("a", range(2)))
    assert "no model 'z'. Available: a" in refused(f"{one}::z", "--delta", "5pp")


def judged_board(folder: Path) -> str:
    """Five models by a judge, and labels of some items."""
    path = folder / "judged.csv"
    lines = ["item,model,verdict,human"]
    for k in range(60):
        for j, model in enumerate("vwxyz"):
            verdict = (k + j) % 3 > 0
            lines.append(f"{k},{model},{verdict:d},{'' if k % 2 else int(verdict)}")
    path.write_text("\n".join(lines), "utf-8")
    return str(path)


def test_a_pilot_of_five_models_asks_which_two(tmp_path: Path) -> None:
    judged = judged_board(tmp_path)
    table = Path(judged).read_text("utf-8").replace("verdict", "score", 1)
    Path(judged).write_text(table, "utf-8")
    more = ("--items", "50", "--delta", "1pp", "--test", "better")
    found = Command("simulate").run("--pilot", judged, *more)
    assert found.exit_code != 0
    said = " ".join(found.stderr.split())
    assert "contains 5 models: v, w, x, y, z. Use --pilot" in said
    assert "judged.csv::MODEL once for each of two models" in said


def test_a_log_without_scores_is_refused(tmp_path: Path) -> None:
    said = refused(judged_board(tmp_path), "--delta", "5pp")
    assert "Columns found: item, model, verdict, human" in said
    assert "--column score=NAME" in said


@pytest.mark.parametrize(
    ("arguments", "status", "fix"),
    [
        (("missing.csv", "--delta", "5pp"), 3, "missing.csv: no such file"),
        ((AGENTS, "--delta", "5pp", "--pilot", "x"), 2, "No such option '--pilot'"),
        ((AGENTS, "--delta", "5pp", "--elo", "3"), 2, "Use it with nstar plan votes."),
        ((AGENTS, "--tasks-available", "50"), 2, "--tasks-available also needs --runs"),
        ((AGENTS,), 2, "Set --budget (to get the detectable gap)"),
    ],
)
def test_a_wrong_call_says_what_to_write(
    arguments: tuple[str, ...], status: int, fix: str
) -> None:
    result = PLAN.run(*arguments)
    assert (result.exit_code, fix in " ".join(result.stderr.split())) == (status, True), (
        result.stderr
    )
