"""Tables with names of their own: what is reported when something is not recognized."""

from pathlib import Path

import pytest

from helpers.commands import Command
from nstar.report.documents import Document, TextTable
from nstar.report.formats.terminal import print_terminal

AUDIT, COMPARE = Command("audit"), Command("compare")
SCORES = {"a": "110110101", "b": "100010111"}


def table(path: Path, header: str = "model,item,score", items: str = "q{}") -> str:
    rows = [f"{m},{items.format(k)},{s}" for m, all_ in SCORES.items() for k, s in enumerate(all_)]
    path.write_text("\n".join([header, *rows, ""]), "utf-8")
    return str(path)


def test_checkpoints_and_question_numbers_are_known(tmp_path: Path) -> None:
    path = table(tmp_path / "mine.csv", "checkpoint,question_number,correct")
    assert COMPARE.answer(path)["models"] == ["a", "b"]


def test_better_known_names_go_first(tmp_path: Path) -> None:
    path = Path(table(tmp_path / "mine.csv"))
    rows = [f"{line},7,7" for line in path.read_text("utf-8").splitlines()[1:]]
    path.write_text("\n".join(["llm,id,score,checkpoint,question_number", *rows]), "utf-8")
    assert COMPARE.answer(str(path))["tasks"][0]["n_items"] == len(SCORES["a"])


def test_a_column_of_models_under_another_name_is_asked_for(tmp_path: Path) -> None:
    path = table(tmp_path / "mine.csv", "which,nr,correct")
    first = COMPARE.run(path)
    assert "no item column recognized (model: none, item: none, score: correct)" in first.stderr
    for command in (COMPARE, AUDIT):
        second = command.run(path, "--column", "item=nr")
        assert second.exit_code == 3
        assert "has no column recognized as the model (ignored columns: which)" in second.stderr
        assert "--column model=NAME" in second.stderr
        assert command.run(path, "--column", "item=nr", "--column", "model=which").exit_code == 0


@pytest.mark.parametrize("command", [AUDIT, COMPARE])
@pytest.mark.parametrize("option", ["--delta", "--margin"])
def test_one_for_one_point(command: Command, option: str, tmp_path: Path) -> None:
    result = command.run(table(tmp_path / "t.csv"), option, "1")
    assert result.exit_code == 2
    assert f"{option} 1 is not below 1, but scores are 0–1. Use 1pp" in result.stderr
    assert "or 0.01" in result.stderr


def test_a_gap_above_one_suits_larger_scores(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{m},q{k},{7 * k + 10 * int(s)}" for m in SCORES for k, s in enumerate(SCORES[m])]
    path.write_text("\n".join(["model,item,score", *rows]), "utf-8")
    assert COMPARE.run(str(path), "--delta", "1").exit_code == 0


def test_bad_rows_are_reported_once_and_the_order_too(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"{m},q{k},{s}" for k in range(9) for m, s in (("a", SCORES["a"][k]), ("b", "1"))]
    for k in (0, 4, 6):
        rows[k] = rows[k][:-1] + f"odd{k}"
    path.write_text("\n".join(["model,item,score", *rows]), "utf-8")
    text = " ".join(COMPARE.text(str(path), "--skip-bad", "9").split())
    assert "3 unreadable rows were skipped: t.csv:2: score 'odd0' is not a number or" in text
    assert "(also t.csv:6, t.csv:8)" in text
    assert text.count("is not a number") == 1
    assert "set --a and --b to choose the order" in text
    named = COMPARE.text(str(path), "--skip-bad", "9", "--a", "a", "--b", "b")
    assert "choose the order" not in " ".join(named.split())


def test_a_stray_table_can_be_left_out(tmp_path: Path) -> None:
    board = table(tmp_path / "board.csv")
    assert "pass only the other files" not in AUDIT.run(board, "--column", "item=x").stderr
    (tmp_path / "costs.csv").write_text("x,y\n1,2\n", "utf-8")
    assert f"Otherwise, pass only the other files: {board}" in AUDIT.run(str(tmp_path)).stderr


def test_items_of_other_names_are_shown(tmp_path: Path) -> None:
    for model, begin in (("a", "q"), ("b", "Q-")):
        rows = [f"{model},{begin}{k},{s}" for k, s in enumerate(SCORES[model])]
        (tmp_path / f"{model}.csv").write_text("\n".join(["model,item,score", *rows]), "utf-8")
    result = COMPARE.run(str(tmp_path / "a.csv"), str(tmp_path / "b.csv"))
    assert result.exit_code == 3
    assert "Items of a: q0 and q1. Items of b: Q-0 and Q-1." in result.stderr


def test_only_near_names_are_offered(tmp_path: Path) -> None:
    path = table(tmp_path / "mine.csv")
    assert (
        "no such file or folder. Check the spelling."
        in AUDIT.run(str(tmp_path / "nothere.csv")).stderr
    )
    assert f"Did you mean {path}?" in AUDIT.run(str(tmp_path / "mien.csv")).stderr
    text = Path(path).read_text("utf-8").replace("a,q", "wren,q").replace("b,q", "robin,q")
    Path(path).write_text(text, "utf-8")
    assert "Did you mean wren?" in COMPARE.run(path, "--a", "wrne", "--b", "robin").stderr


def test_a_page_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = table(tmp_path / "t.csv")
    monkeypatch.setattr("nstar._data.export.files.NewFile.write", _refused)
    monkeypatch.chdir(tmp_path)
    result = COMPARE.run(path, "--html", "r.html")
    assert result.exit_code == 3
    assert "Cannot write the page r.html: Read-only file system" in result.stderr


def _refused(self: object, _: bytes) -> None:
    raise self._failed(OSError(30, "Read-only file system"))  # type: ignore[attr-defined]


@pytest.mark.parametrize("kind", ["pdf", "png"])
def test_a_picture_without_its_extra_is_refused_at_once(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nstar.cli.kit.figure.find_spec", lambda _: None)
    result = COMPARE.run(table(tmp_path / "t.csv"), "--figure", str(tmp_path / f"g.{kind}"))
    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"nstar[{kind}]" in " ".join(result.stderr.split())


def test_titles_of_tables_are_wrapped_on_a_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    grid = TextTable(title="word " * 30, header=("a",), rows=(("1",),))
    print_terminal(Document(headline="x", grids=(grid,)))
    lines = capsys.readouterr().out.splitlines()
    assert sum("word" in line for line in lines) == 3
    assert max(map(len, lines)) <= 60
