"""``nstar audit`` as a user meets it."""

from pathlib import Path

import numpy as np
import pytest

from helpers.commands import Command
from nstar._base.units import ByteSize

AUDIT = Command("audit")
EXAMPLE = str(Path(__file__).parents[3] / "examples" / "results.csv")


@pytest.fixture
def board(tmp_path: Path) -> str:
    """Four models of two makers on two tasks; one of them lacks the second task."""
    rng = np.random.default_rng(2)
    lines = ["model,task,item,topic,score"]
    for model, level in (("x/one", 0.9), ("x/two", 0.7), ("y/one-chat", 0.5), ("y/two-chat", 0.4)):
        for task in ("easy", "hard") if model != "y/two-chat" else ("easy",):
            right = rng.random(200) < level - 0.2 * (task == "hard")
            lines += [f"{model},{task},q{k},t{k % 4},{int(r)}" for k, r in enumerate(right)]
    path = tmp_path / "board.csv"
    path.write_text("\n".join(lines))
    return str(path)


def test_a_table() -> None:
    answer = AUDIT.answer(EXAMPLE)
    assert [m["model"] for m in answer["ranking"]] == ["alpha", "beta", "gamma"]
    assert [m["rank"] for m in answer["ranking"]] == [1, 2, 3]
    assert [m["n_items"] for m in answer["ranking"]] == [800, 800, 740]
    assert [(p["model_a"], p["model_b"]) for p in answer["adjacent"]] == [
        ("alpha", "beta"),
        ("beta", "gamma"),
    ]
    assert (answer["adjacent"][0]["n10"], answer["adjacent"][0]["n01"]) == (104, 70)
    assert answer["adjust"] == answer["rank_method"] == "holm"
    assert {s["assumption"] for s in answer["tasks"][0]["sensitivity"]} >= {
        "independent",
        "strata:subject",
        "maxt",
    }


def test_the_size_of_all_pairs_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar.cli.audit._MAX_QUIET_JSON_PAIRS", 2)
    told = (
        "nstar: 3 pairs in JSON are about 0.0 GB. To write them as smaller Parquet files, use "
        "--out DIR."
    )
    assert told in AUDIT.run(EXAMPLE, "--pairs", "all", "--format", "json").stderr
    assert told not in AUDIT.run(EXAMPLE, "--format", "json").stderr


def test_common_items_and_a_declared_design() -> None:
    answer = AUDIT.answer(EXAMPLE, "--items", "common", "--strata", "subject", "--seed", "7")
    assert (
        answer["tasks"][0]["n_items"],
        answer["tasks"][0]["n_items_left_out"],
        answer["tasks"][0]["design"],
    ) == (
        740,
        60,
        "strata:subject",
    )
    assert (answer["adjust"], answer["seed"]) == ("maxt", 7)


def test_declared_gaps_reach_the_pairs() -> None:
    answer = AUDIT.answer(EXAMPLE, "--delta", "2pp", "--margin", "10pp", "--alpha", "0.01")
    assert (
        answer["tasks"][0]["delta"],
        answer["tasks"][0]["margin"],
        answer["criteria"]["alpha"],
    ) == (0.02, 0.1, 0.01)
    assert answer["adjacent"][0]["q_at_delta"] > 0
    assert answer["adjacent"][0]["pvalue_equivalent"] is not None


def test_where_is_my_model() -> None:
    opening = "beta ranks 2 of 3 (95% rank range 2)."
    assert AUDIT.text(EXAMPLE, "--where", "beta").startswith(opening)
    headline = AUDIT.answer(EXAMPLE, "--where", "beta")["headline"]
    assert headline.startswith(opening)
    assert "gap to alpha above is significant but underpowered" in headline


def test_the_paragraph_is_asked_for() -> None:
    assert "To paste" not in AUDIT.text(EXAMPLE)
    assert "To paste" in AUDIT.text(EXAMPLE, "--paragraph")
    assert "paragraph" not in AUDIT.answer(EXAMPLE)
    assert AUDIT.answer(EXAMPLE, "--paragraph")["paragraph"].startswith("3 models are ranked")


@pytest.mark.parametrize("adjust", ["maxt", "holm", "bonferroni", "bh", "none"])
def test_every_adjustment(adjust: str) -> None:
    answer = AUDIT.answer(EXAMPLE, "--adjust", adjust, "--items", "common")
    assert answer["adjust"] == adjust
    assert answer["rank_method"] == "maxt"


def test_pairs() -> None:
    assert AUDIT.answer(EXAMPLE)["tasks"][0]["pairs"] == []
    assert len(AUDIT.answer(EXAMPLE, "--pairs", "all")["tasks"][0]["pairs"]) == 3
    assert len(AUDIT.answer(EXAMPLE, "--pairs", "top:2")["tasks"][0]["pairs"]) == 1


def test_models_by_pattern(board: str) -> None:
    def names(*arguments: str) -> list[str]:
        answer = AUDIT.answer(board, "--task", "easy", *arguments)
        return [m["model"] for m in answer["ranking"]]

    assert names() == ["x/one", "x/two", "y/one-chat", "y/two-chat"]
    assert names("--model", "x/*") == ["x/one", "x/two"]
    assert names("--model", "*-chat", "--model", "one") == ["x/one", "y/one-chat", "y/two-chat"]
    assert names("--exclude", "*-chat") == ["x/one", "x/two"]
    assert names("--exclude", "two", "--exclude", "y/two-chat") == ["x/one", "y/one-chat"]


def test_what_is_excluded_leaves_no_trace() -> None:
    answer = AUDIT.answer(EXAMPLE, "--exclude", "gamma")
    assert "missing-items" not in {f["code"] for f in answer["findings"]}
    assert answer["tasks"][0]["is_complete"]
    assert answer["adjust"] == "maxt"


def test_contradictions_of_an_excluded_model_do_not_matter(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = [f"{m},{k},{(k * p) % 2}" for m, p in (("a", 1), ("b", 3), ("c", 5)) for k in range(30)]
    log.write_text("\n".join(["model,item,score", *rows, "c,1,0"]))
    assert AUDIT.run(str(log)).exit_code == 3
    assert AUDIT.run(str(log), "--exclude", "c").exit_code == 0
    assert AUDIT.run(str(log), "--allow", "conflicting-rows").exit_code == 0


def test_several_tasks_are_averaged_openly(board: str) -> None:
    answer = AUDIT.answer(board)
    assert answer["schema"] == "nstar.audit/1"
    assert [t["task"] for t in answer["tasks"]] == ["easy", "hard"]
    assert [m["model"] for m in answer["ranking"]] == ["x/one", "x/two", "y/one-chat"]
    assert answer["models_left_out"] == ["y/two-chat"]
    assert answer["weights"] == {"easy": 0.5, "hard": 0.5}
    text = " ".join(AUDIT.text(board, "--where", "x/two", "--average", "micro").split())
    assert text.startswith("x/two ranks 2 of 3 (95% rank range 2).")
    assert "x/one is the clear leader on the micro average of 2 tasks" in text
    assert "Ranking by micro average (items count equally)" in text
    full = " ".join(AUDIT.text(board, "--full").split())
    assert "The average is over these tasks" in full
    assert "reflects item sampling, not the choice of tasks" in full


def test_tasks_with_one_model_are_named(board: str) -> None:
    answer = AUDIT.answer(board, "--model", "x/one", "--model", "y/two-chat")
    assert answer["schema"] == "nstar.audit/1"
    texts = [f["text"] for f in answer["findings"] if f["code"] == "task-left-out"]
    assert texts == ["1 task with only one model: hard"]


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        ([EXAMPLE, "--model", "alfa"], 3, "No model matches 'alfa'. Did you mean alpha"),
        (
            [EXAMPLE, "--exclude", "zzz"],
            3,
            "No model matches 'zzz'. Available: alpha, beta, gamma",
        ),
        (
            [EXAMPLE, "--model", "alpha"],
            3,
            "At least two models are needed; of 3, only 'alpha' remains",
        ),
        ([EXAMPLE, "--exclude", "*a"], 3, "none remain"),
        ([EXAMPLE, "--where", "bta"], 3, "no model 'bta'. Did you mean beta"),
        ([EXAMPLE, "--exclude", "beta", "--where", "beta"], 3, "no model 'beta'"),
        ([EXAMPLE, "--pairs", "top:1"], 2, "not adjacent, all, or top:K"),
        ([EXAMPLE, "--pairs", "some"], 2, "not adjacent, all, or top:K"),
        ([EXAMPLE, "--strata", "a", "--cluster", "b"], 2, "--cluster (groups that are a sample)"),
        ([EXAMPLE, "--strata", "topic"], 3, "subject"),
        ([EXAMPLE, "--task", "mmlu"], 3, "No task 'mmlu'"),
        ([EXAMPLE, "--metric", "f1"], 3, "No metric 'f1'"),
        ([EXAMPLE, "--alternative", "greater"], 2, "No such option '--alternative'"),
        ([EXAMPLE, "--memory", "5XB"], 2, "'5XB' is not a size. Use 500MB, 2GB or 0"),
        ([EXAMPLE, "--memory", "-1"], 2, "is not a size"),
        (["nowhere"], 3, "nowhere"),
    ],
)
def test_wrong_usage_says_what_to_do(arguments: list[str], status: int, says: str) -> None:
    result = AUDIT.run(*arguments)
    assert result.exit_code == status, result.output
    assert says in result.stderr


@pytest.mark.parametrize(
    ("said", "wanted"),
    [("0", 0), ("1,000", 1000), ("500MB", 5 * 10**8), ("1.5 gb", 15 * 10**8), ("2MiB", 1 << 21)],
)
def test_sizes_as_people_write_them(said: str, wanted: int) -> None:
    assert ByteSize().parse(said) == wanted
    assert AUDIT.answer(EXAMPLE, "--memory", said)["tasks"][0]["n_pairs"] == 3


def test_points_are_of_scores_from_0_to_1(tmp_path: Path) -> None:
    log = tmp_path / "log.csv"
    rows = [f"{m},{k},{10 * (k * p % 7)}" for m, p in (("a", 3), ("b", 5)) for k in range(30)]
    log.write_text("\n".join(["model,item,score", *rows]))
    assert AUDIT.answer(str(log), "--delta", "5")["tasks"][0]["delta"] == 5
    assert "but scores range from" in AUDIT.run(str(log), "--margin", "1pp").stderr


def test_messages_carry_no_escapes(tmp_path: Path) -> None:
    """A model name from a log must not steer the terminal of whoever mistypes another."""
    names = ("\x1b[31mred\x1b]0;title\x07", "plain")
    rows = [f"{name},{k},{k % 2}" for name in names for k in range(20)]
    path = tmp_path / "board.csv"
    path.write_text("\n".join(["model,item,score", *rows]), encoding="utf-8")
    result = AUDIT.run(str(path), "--where", "nope")
    assert result.exit_code == 3
    assert "nope" in result.stderr
    assert "\x1b" not in result.stderr
    assert "\x07" not in result.stderr


def test_few_items_are_a_caution(tmp_path: Path) -> None:
    """t: p = 0.0499, sign flips: 0.12. The audit must not sound surer than the comparison."""
    first = (1, 1, 1, 0.5, 0.5, 0.5, 1, 1)
    gap = (0, 2 / 3, 1, 0, 0, 0, 1 / 3, 2 / 3)
    rows = [f"a,q{k},{s}" for k, s in enumerate(first)]
    rows += [f"b,q{k},{s - g}" for k, (s, g) in enumerate(zip(first, gap, strict=True))]
    path = tmp_path / "few.csv"
    path.write_text("\n".join(["model,item,score", *rows]))
    text = " ".join(AUDIT.text(str(path)).split())
    assert "There are only 8 items; one more or one fewer could change the ranking" in text
    assert "nstar compare adds a sign-flip test" in text
    assert "one more or one fewer" not in AUDIT.text(EXAMPLE)
