"""``nstar watch votes``: all models, or two of them, while votes come in."""

import json
import re
from collections.abc import Callable, Iterator
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from helpers.ballots import columns, rated
from helpers.commands import Command
from helpers.nasty import NASTY, check_text
from nstar._data.votes import Votes
from nstar.cli.watch import votes
from nstar.report.formats.live import LiveScreen

WATCH, BATTLES = Command("watch votes"), Command("battles")
ROOT = Path(__file__).parents[3]
EXAMPLE, SCORES = str(ROOT / "examples" / "votes.csv"), str(ROOT / "examples" / "results.csv")
HEADER = "model_a,model_b,winner,prompt\n"
FAR = (1.5, 0.5, -0.5, -1.5)
"""Strengths that a few hundred votes tell apart."""
SIDES = {1.0: "model_a", 0.5: "tie", 0.0: "model_b"}

Steps = Callable[..., list[str]]


def rows(strengths: tuple[float, ...] = FAR, n: int = 900, seed: int = 3) -> list[str]:
    """Votes as lines of a CSV; every second prompt is two lines long."""
    made = columns(strengths, n, seed=seed, prompts=150)
    sides = [SIDES[float(s)] for s in made["score"]]
    prompts = [f'"p{p}\nmore"' if p % 2 else f"p{p}" for p in made["groups"]["prompt"]]
    lines = zip(made["first"], made["second"], sides, prompts, strict=True)
    return [",".join(line) + "\n" for line in lines]


def in_json(lines: list[str]) -> list[str]:
    names = HEADER.strip().split(",")
    return [json.dumps(dict(zip(names, x.split(","), strict=True))) + "\n" for x in lines]


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> Steps:
    """What happens to the table while the command waits, one step for each pause."""

    def made(*actions: Callable[[], Any]) -> list[str]:
        screen: list[str] = []

        def wait(_: LiveScreen, reason: str) -> None:
            if not reason.startswith("reading "):
                screen.append(reason)

        left: Iterator[Callable[[], Any]] = iter(actions)
        monkeypatch.setattr("nstar.cli.watch.loop.time.sleep", lambda _: next(left)())
        monkeypatch.setattr(LiveScreen, "wait", wait)
        return screen

    return made


def stop() -> None:
    raise KeyboardInterrupt


def appending(path: Path, text: str) -> Callable[[], Any]:
    def append() -> None:
        with path.open("a", encoding="utf-8") as file:
            file.write(text)

    return append


SOME = ("--only", "prompt=p09", "--only", "prompt=p39")


@pytest.mark.parametrize("more", [(), SOME, ("--prior", "1")])
def test_one_look_is_what_battles_says(more: tuple[str, ...]) -> None:
    asked = (EXAMPLE, "--planned", "2000", *more)
    said = WATCH.answer(*asked, "--once")
    assert said["schema"] == "nstar.battles/1"
    assert said == BATTLES.answer(*asked)
    for form in ("text", "csv", "markdown"):
        once = WATCH.run(*asked, "--once", "--format", form).stdout
        assert once == BATTLES.run(*asked, "--format", form).stdout


def test_clusters(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(HEADER + "".join(rows()), "utf-8")
    asked = (str(path), "--planned", "900", "--cluster", "prompt")
    said = WATCH.answer(*asked, "--once")
    assert said["cluster"] == ["prompt"]
    assert said == BATTLES.answer(*asked)
    few = WATCH.run(EXAMPLE, "--planned", "900", "--cluster", "prompt", "--once")
    assert few.exit_code == 3
    assert "--planned needs at least 100 groups of votes; found 40" in few.stderr


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_board_is_followed_until_every_place_is_decided(
    tmp_path: Path, steps: Steps, form: str
) -> None:
    """From no file by half a line to the last vote it takes; every look is one of battles."""
    path, lines = tmp_path / f"votes.{form}", rows()
    header, lines = (HEADER, lines) if form == "csv" else ("", in_json(lines))
    every = header + "".join(lines)
    cuts = [len(header + "".join(lines[:n])) + 5 for n in (1, 8, 300, 600, 899)]
    parts = [every[a:b] for a, b in zip([0, 9, *cuts], [9, *cuts, None], strict=True)]
    told = steps(*(appending(path, part) for part in parts), stop)
    said = WATCH.answer(str(path), "--planned", "20000")
    assert told[0] == f"{path}: no such file"
    assert told[1] == f"{path}: the file is empty"
    assert any("votes so far: " in t for t in told)
    assert (said["n_inconclusive"], said["unrated"]) == (0, [])
    assert said["n_votes"] in (299, 300, 599, 600, 899, 900)
    whole = tmp_path / f"whole.{form}"
    whole.write_text(header + "".join(lines[: said["n_votes"]]), "utf-8")
    then = BATTLES.answer(str(whole), "--planned", "20000")
    same = ("ratings", "adjacent", "verdict_counts", "position_effect", "n_votes")
    assert [said[key] for key in same] == [then[key] for key in same]


def test_an_unfinished_last_line_is_told(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(HEADER + "".join(rows())[:-3], "utf-8")
    assert "the last line is incomplete and is skipped" in WATCH.text(
        str(path), "--planned", "2000", "--once", "--full"
    )


def test_it_ends_with_the_votes_planned(tmp_path: Path, steps: Steps) -> None:
    path, lines = tmp_path / "votes.csv", rows((0.0,) * 4, 400)
    path.write_text(HEADER + "".join(lines[:200]), "utf-8")
    steps(appending(path, ""), appending(path, "".join(lines[200:])))
    said = WATCH.answer(str(path), "--planned", "400")
    assert said["n_votes"] == 400
    assert said["n_inconclusive"] == 3


def test_a_board_is_open_while_a_model_has_no_rating(tmp_path: Path, steps: Steps) -> None:
    path, lines = tmp_path / "votes.csv", rows((1.5, -1.5), 400)
    newcomer = "new,m0,model_a,p1\n" * 3
    path.write_text(HEADER + "".join(lines) + newcomer, "utf-8")
    told = steps(stop)
    assert not told
    assert WATCH.run(str(path), "--planned", "2000").exit_code == 130
    path.write_text(HEADER + "".join(lines), "utf-8")
    assert WATCH.answer(str(path), "--planned", "2000")["n_inconclusive"] == 0


def test_interrupted(tmp_path: Path, steps: Steps) -> None:
    path = tmp_path / "votes.csv"
    steps(stop)
    nothing = WATCH.run(str(path), "--planned", "2000")
    assert nothing.exit_code == 130
    assert nothing.stderr == f"nstar: waiting: {path}: no such file\nnstar: stopped\n"
    steps(stop)
    last = WATCH.run(EXAMPLE, "--planned", "2000")
    assert last.exit_code == 130
    assert last.stdout == BATTLES.run(EXAMPLE, "--planned", "2000").stdout


@pytest.mark.parametrize("content", [HEADER, "", None, HEADER + "".join(rows(seed=9))])
@pytest.mark.parametrize("two", [(), ("--a", "m1", "--b", "m2")])
def test_a_table_of_another_vote_is_refused(
    tmp_path: Path,
    steps: Steps,
    monkeypatch: pytest.MonkeyPatch,
    content: str | None,
    two: tuple[str, ...],
) -> None:
    monkeypatch.setattr(votes, "_PATIENCE", -1.0)
    path = tmp_path / "votes.csv"
    path.write_text(HEADER + "".join(rows((0.0,) * 4)), "utf-8")

    def replaced() -> None:
        path.unlink()
        if content is not None:
            path.write_text(content, "utf-8")

    steps(replaced)
    wrong = WATCH.run(str(path), "--planned", "20000", *two)
    assert wrong.exit_code == 3
    assert "counted" in wrong.stderr
    assert "Was the vote restarted?" in wrong.stderr


def test_a_table_in_the_midst_of_being_written(tmp_path: Path, steps: Steps) -> None:
    """Rewritten in place: for a moment votes are missing, and a row is cut in two."""
    path, every = tmp_path / "votes.csv", rows((0.0,) * 4, 400)
    path.write_text(HEADER + "".join(every[:200]), "utf-8")
    whole = HEADER + "".join(every)
    told = steps(
        lambda: path.write_text("", "utf-8"),
        lambda: path.write_text(HEADER + "m0,m1\n", "utf-8"),
        lambda: path.write_text(whole, "utf-8"),
    )
    assert WATCH.answer(str(path), "--planned", "400")["n_votes"] == 400
    assert "the file is empty, although 200 votes were counted" in told[0]
    assert "row has 2 cells" in told[1]


def test_a_pair(tmp_path: Path, steps: Steps) -> None:
    """Only votes between the two count, in their order, and others come and go."""
    path, lines = tmp_path / "votes.csv", rows((1.0, 0.0, 0.5), 600)
    path.write_text(HEADER + "".join(lines[:60]), "utf-8")
    steps(*(appending(path, "".join(lines[k : k + 60])) for k in range(60, 600, 60)))
    pair = ("--a", "m0", "--b", "m1", "--planned", "400")
    said = WATCH.answer(str(path), *pair)
    assert (said["verdict"], said["question"]["unit"]) == ("better", "votes")
    met = [x.split(",")[:3] for x in lines if {*x.split(",")[:2]} == {"m0", "m1"}][
        : said["n_items"]
    ]
    won = sum((x[0] == "m0") == (x[2] == "model_a") for x in met if x[2] != "tie")
    tied = sum(x[2] == "tie" for x in met)
    assert said["gap"] == pytest.approx((2 * won + tied - said["n_items"]) / said["n_items"])
    text = WATCH.text(str(path), *pair, "--once", "--full")
    assert "Decided after" in text
    assert "item" not in text
    assert "if 65% of the votes are not ties (assumed)" in text
    turned = ("--a", "m1", "--b", "m0", "--planned", "400")
    assert WATCH.answer(str(path), *turned, "--once")["verdict"] == "worse"


def test_a_pair_with_a_margin_a_price_and_a_picture(tmp_path: Path) -> None:
    path, target = tmp_path / "votes.csv", tmp_path / "path.svg"
    path.write_text(HEADER + "".join(rows((0.0, 0.0), 900)), "utf-8")
    asked = (str(path), "--a", "m0", "--b", "m1", "--planned", "2000", "--once")
    said = WATCH.answer(
        *asked, "--margin", "25pp", "--psi", "75%", "--price", "2", "--figure", str(target)
    )
    assert said["verdict"] == "noninferior"
    assert said["cost_saved"] == 2 * 1100
    assert "vote by vote" in target.read_text("utf-8")


def test_graded_preferences_of_a_pair(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    lines = [f"x,y,{0.7 if k % 4 else 0.4}\n" for k in range(300)]
    path.write_text("first,second,score\n" + "".join(lines), "utf-8")
    asked = (str(path), "--a", "x", "--b", "y", "--planned", "300", "--once")
    assert "For scores between 0 and 1, set --scale graded" in WATCH.run(*asked).stderr
    said = WATCH.answer(*asked, "--scale", "graded")
    assert said["verdict"] == "better"
    assert said["gap"] == pytest.approx(0.25)


def test_what_a_pair_leaves_out_of_account(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    lines = [("x,y," if k % 4 else "y,x,") + f"model_a,{1 + k % 2}\n" for k in range(120)]
    path.write_text("model_a,model_b,winner,weight\n" + "".join(lines), "utf-8")
    said = WATCH.run(str(path), "--a", "x", "--b", "y", "--planned", "300", "--once").stderr
    assert "nstar: x was shown first in 75% of these votes" in said
    assert "nstar: vote weights are not used" in said


def test_models_without_votes_are_waited_for(steps: Steps) -> None:
    told = steps(stop)
    pair = (EXAMPLE, "--a", "heron", "--b", "nobody", "--planned", "90")
    assert WATCH.run(*pair).exit_code == 130
    assert "none of the 640 votes includes nobody. Available models: heron, ibis" in told[0]
    wrong = WATCH.run(*pair, "--once")
    assert wrong.exit_code == 3
    assert "votes includes nobody" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((EXAMPLE,), "Missing option '--planned'"),
        (
            (EXAMPLE, "--planned", "9", "--items", "9"),
            "No such option '--items' here. Use it with nstar watch.",
        ),
        (
            (EXAMPLE, "--planned", "9", "--state", "s"),
            "No such option '--state' here. Use it with nstar watch.",
        ),
        ((EXAMPLE, "--planned", "9", "--asymptotic"), "Use it with nstar watch."),
        ((EXAMPLE, "--planned", "9", "--task", "x"), "Use it with nstar watch."),
        ((EXAMPLE, "--planned", "9", "--margin", "2pp"), "on two models. Add --a and --b."),
        ((EXAMPLE, "--planned", "9", "--psi", "50%"), "on two models. Add --a and --b."),
        ((EXAMPLE, "--planned", "9", "--equivalence"), "--equivalence also needs --margin."),
        ((EXAMPLE, "--planned", "9", "--a", "heron"), "--a also needs --b."),
        ((EXAMPLE, "--planned", "9", "--a", "jay", "--b", "jay"), "two different models"),
        (
            (EXAMPLE, "--planned", "9", "--a", "jay", "--b", "ibis", "--cluster", "prompt"),
            "--cluster applies to votes on all models. Remove --a and --b.",
        ),
        (
            (EXAMPLE, "--planned", "9", "--a", "jay", "--b", "ibis", "--margin", "5"),
            "Use 5pp for percentage points or 0.05",
        ),
        ((SCORES, "--planned", "9"), "contains scores per item. Use nstar watch"),
        (("-", "--planned", "9"), "Votes cannot be read from standard input"),
        (("s3://bucket/votes.csv", "--planned", "9"), "on this machine"),
        ((EXAMPLE, "--planned", "0"), "--planned"),
    ],
)
def test_wrong_usage(arguments: tuple[str, ...], words: str) -> None:
    wrong = WATCH.run(*arguments, "--once")
    assert wrong.exit_code == 2
    assert words in " ".join(wrong.stderr.split())


def test_votes_that_come_where_scores_were_expected(tmp_path: Path, steps: Steps) -> None:
    path = tmp_path / "votes.csv"
    steps(appending(path, HEADER + "".join(rows())))
    wrong = Command("watch").run(str(path), "--items", "30")
    assert wrong.exit_code == 2
    assert "Use nstar watch votes" in " ".join(wrong.stderr.split())


def test_large_tables_leave_the_machine_time() -> None:
    pace = votes._PollInterval(1.0)
    assert pace.after(4.0) == ""
    assert pace.pause == 1.0  # the first look also loads the program
    assert pace.after(0.02) == ""
    assert pace.pause == 1.0
    assert pace.after(2.0) == "Next look in 20 s; one takes 2.0 s."
    assert pace.pause == 20.0


@pytest.mark.parametrize("kind", [*(k for k in NASTY if k != "surrogate"), "closing", "link"])
def test_names_cannot_draw_on_the_board(kind: str) -> None:
    named = {"closing": "gpt[/x]", "link": "[link=file:///etc/passwd]click[/link]"}
    said = named.get(kind, NASTY.get(kind, ""))
    made = columns(FAR, 300)
    first, second = ([said if n == "m0" else n for n in made[e]] for e in ("first", "second"))
    result = rated(Votes.of(first, second, made["score"]), planned=2000)
    screen, shown = LiveScreen(f"nstar watch {said}"), StringIO()
    screen._console = Console(file=shown, force_terminal=True, no_color=True, width=120)
    screen._live.console = screen._console
    with screen:
        screen.show_board(result, "Next look in 20 s; one takes 2.0 s.")
    sent = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown.getvalue())
    check_text(sent.replace("\r", "\n"))
    assert "300 of 2,000 planned" in sent
    assert "Next look in 20 s" in sent
    assert "\x1b]8" not in shown.getvalue()


def test_a_board_fits_the_screen() -> None:
    result = rated(Votes.of(**columns(tuple(k / 9 for k in range(18)), 2000)), planned=9000)
    screen, shown = LiveScreen("nstar watch votes.csv"), StringIO()
    screen._console = Console(file=shown, force_terminal=True, width=100, height=20)
    Console(file=shown, width=100).print(screen.board(result))
    drawn = shown.getvalue().splitlines()
    assert len(drawn) <= 20
    assert "10 more" in drawn[-1]
    assert any(line.startswith("nearest ") for line in drawn)
