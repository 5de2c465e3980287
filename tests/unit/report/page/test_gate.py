"""The page of a gate: every answer, every task once, and commands that work."""

import math
import re
import shlex
from functools import cache
from pathlib import Path

import pytest

from helpers import gates, nasty
from helpers.commands import Command
from helpers.names import MARK, with_name
from nstar import gate
from nstar._verbs.gate import Gate
from nstar._verbs.gate.fixed_look import upper_bounds
from nstar._verbs.verdict import EXIT_STATUS
from nstar.report.page import page
from nstar.report.prose.gate.task import verdict_text
from nstar.report.prose.numbers import name

SEVERAL = ("pass", "regression", "inconclusive")


@cache
def shown(*answers: str) -> str:
    return page(gates.made(*answers))


def title(text: str) -> str:
    found = re.search(r'<h1 id="headline">(.*?)</h1>', text, re.S)
    assert found is not None
    return found[1]


def body(text: str) -> str:
    return text[text.index("<header>") : text.index("</body>")]


@pytest.mark.parametrize("answer", gates.ANSWERS)
def test_answer_icon_tiles_and_exit_status(answer: str) -> None:
    text = shown(answer)
    word = verdict_text(answer)
    assert title(text).startswith(f"{word}: ")
    assert len(title(text)) <= 70
    assert f'<div class="banner {answer[:3] if answer != "pass" else answer}">' in text
    assert f"exit status {EXIT_STATUS[gates.made(answer).verdict]}</p>" in text
    assert all(f"<dt>{verdict_text(verdict)}</dt>" in text for verdict in EXIT_STATUS)
    assert text.count('<div class="tile">') == (3 if answer != "invalid_data" else 0)
    assert "<script" not in text


def test_titles_of_several_tasks_count_them() -> None:
    assert title(shown(*SEVERAL)) == "REGRESSION on 1 of 3 tasks"
    assert title(shown("pass", "inconclusive")) == "INCONCLUSIVE on 1 of 2 tasks"
    assert "1 task passes; a PASS needs all 2 tasks." in shown("pass", "inconclusive")
    two = gate(
        [*gates.tasks("pass", task="x"), *gates.tasks("pass", task="y")],
        a="new",
        b="old",
        margin=0.02,
    )
    assert title(page(two)) == "PASS on all 2 tasks"


def test_each_task_is_drawn_against_its_margin_the_worst_first() -> None:
    text = shown(*SEVERAL)
    chart = text[text.index('<div class="forest"') :]
    places = [chart.index(f">{task}<") for task in ("regression", "inconclusive", "pass")]
    assert places == sorted(places)
    assert chart.count('class="limit"') == 3
    assert chart.count('class="iv thin"') == chart.count('class="iv thick"') == 3
    assert 'class="iv thin"' not in shown("regression"), "one task needs no adjustment"


def test_tasks_that_got_worse_have_a_command_and_the_others_a_size() -> None:
    text = shown(*SEVERAL)
    assert text.count('<div class="card">') == 1
    assert "nstar compare CANDIDATE BASELINE --task regression --list lost --out lost.csv" in text
    needs = text[text.index('id="needs"') : text.index('id="verdicts"')]
    assert ">inconclusive<" in needs
    assert ">regression<" not in needs
    assert 'id="needs"' not in shown("pass")


def test_no_sentence_stands_twice() -> None:
    for text in map(body, (shown(*SEVERAL), shown("regression"), shown("invalid_data"))):
        sentences = re.findall(r">([^<>]{40,})<", text)
        assert len(sentences) == len(set(sentences))


def test_thin_ends_agree_with_the_verdict() -> None:
    made = gates.made(*SEVERAL)
    bounds = dict(zip((c.task for c in made.tasks), upper_bounds(made.tasks, 0.05), strict=True))
    assert bounds["regression"] < 0 < min(bounds["pass"], bounds["inconclusive"])
    (alone,) = gates.made("regression").tasks
    assert math.isclose(upper_bounds([alone], 0.05)[0], alone.ci.high)


def test_the_command_of_a_loss_reads_the_same_logs(tmp_path: Path) -> None:
    scores, target = tmp_path / "my scores.csv", tmp_path / "gate.html"
    scores.write_text(gates.scores_csv("regression"), encoding="utf-8")
    asked = ["--baseline", f"{scores}::old", "--candidate", f"{scores}::new", "--margin", "2pp"]
    assert Command("gate").run(*asked, "--html", str(target)).exit_code == 1
    text = target.read_text(encoding="utf-8")
    found = re.search(r"nstar compare (.*?)</code>", text)
    assert found is not None
    words = shlex.split(found[1].replace("&#x27;", "'"))
    assert words[:2] == ["my scores.csv::new", "my scores.csv::old"]
    paths = [str(tmp_path / word) for word in words[:2]]
    assert Command("compare").run(*paths, *words[2:-1], str(tmp_path / "l.csv")).exit_code == 0
    assert len((tmp_path / "l.csv").read_text().splitlines()) == 61


def test_nothing_passes_if_its_page_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scores = tmp_path / "scores.csv"
    scores.write_text(gates.scores_csv("pass"), encoding="utf-8")
    asked = ["--baseline", f"{scores}::old", "--candidate", f"{scores}::new", "--margin", "2pp"]
    assert Command("gate").run(*asked).exit_code == 0

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("nstar._data.export.files.write_whole", full, raising=True)
    assert Command("gate").run(*asked, "--html", str(tmp_path / "x.html")).exit_code == 4


@pytest.fixture(scope="module")
def marked() -> Gate:
    options = {"task": f"{MARK} task", "metric": MARK}
    return gate(
        [
            *gates.tasks("regression", names=(MARK, f"{MARK}2"), **options),
            *gates.tasks("inconclusive", names=(MARK, f"{MARK}2"), **options | {"task": MARK}),
        ],
        a=MARK,
        b=f"{MARK}2",
        margin=0.02,
    )


@pytest.mark.parametrize("said", nasty.IN_MARKUP)
def test_nasty_names_are_only_shown(said: str, marked: Gate) -> None:
    plain = nasty._Markup()
    plain.feed(body(page(marked)))
    plain.close()
    text = body(page(with_name(marked, said)))
    assert name(said) in nasty.check_markup(text, tags=plain.tags, attributes=plain.attributes)
