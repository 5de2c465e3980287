"""Decimal commas, spreadsheets and options of other programs: what it is, and how to go on."""

import re
import zipfile
from pathlib import Path

import pytest

from helpers.commands import Command
from nstar import read
from nstar.errors import ReadError

TABLES = {
    "long": "item;model;score\n1;a;0,5\n1;b;1\n",
    "quoted": 'item,model,score\n1,a,"0,5"\n1,b,1\n',
    "bare": "item,model,score\n1,a,0,5\n1,b,1\n",
    "wide": "item;a;b\n1;0,5;1\n2;1;0,25\n",
}
CODED = "item,model,score\n3,a,-1\n3,b,1\n" + "".join(
    f"{k},{model},{k % 2}\n" for k in range(4, 14) for model in "ab"
)


@pytest.mark.parametrize("kind", TABLES)
def test_decimal_commas(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "t.csv"
    path.write_text(TABLES[kind], "utf-8")
    with pytest.raises(ReadError, match=r"(decimal comma|decimal separator).*use decimal points"):
        read(path)


@pytest.mark.parametrize("name", ["t.xlsx", "t.XLSM", "t.ods", "t.numbers"])
def test_spreadsheets(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "<x/>")
    for where in (path, tmp_path):
        with pytest.raises(ReadError, match=r"which nstar does not read. Save the sheet as CSV"):
            read(where)
    table = tmp_path / "a.csv"
    table.write_text("item,score\n1,1\n", "utf-8")
    said = Command("read").text(str(tmp_path))
    assert f"{name} is a" in said
    assert "Save the sheet as CSV" in said


@pytest.mark.parametrize("option", ["--n", "-n", "--samples", "--sample-size", "--num-items"])
@pytest.mark.parametrize("verb", ["plan", "claim", "simulate"])
def test_items_by_other_names(verb: str, option: str) -> None:
    found = Command(verb).run(option, "100")
    assert found.exit_code == 2
    assert "Did you mean '--items'?" in found.output


def test_no_items_where_there_are_none() -> None:
    assert "--items" not in Command("compare").run("--n", "100").output


@pytest.mark.parametrize(
    ("verb", "more"),
    [
        ("simulate", ["--items", "50", "--test", "t", "--pilot"]),
        ("plan runs", ["--delta", "1pp"]),
    ],
)
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("item,name,grade,result\n1,a,x,y\n2,b,y,z\n", "result"),
        ("item,model,score\n1,a,what\n1,b,1\n", "score 'what' is not a number"),
        ("item,a,b\n" + "".join(f"{k},{k % 2},{-(k == 3)}\n" for k in range(9)), "of numbers in"),
        (
            CODED,
            "look like codes for missing scores",
        ),
    ],
    ids=["columns", "words", "wide", "codes"],
)
def test_a_pilot_is_not_told_options_that_are_not_there(
    tmp_path: Path, verb: str, more: list[str], text: str, says: str
) -> None:
    path = tmp_path / "p.csv"
    path.write_text(text, "utf-8")
    found = Command(verb).run(*more, str(path))
    assert found.exit_code == 3
    said = found.output + found.stderr
    assert says in said
    advised = set(re.findall(r"--[a-z][a-z-]*", said.replace("nstar read FILE --out", "")))
    help_ = Command(verb).run("--help-all" if verb == "plan runs" else "--help").output
    assert all(option in help_ for option in advised)


def test_a_column_with_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "d.txt"
    path.write_text("gap\n0,5\n0\n-0,25\n", "utf-8")
    found = Command("simulate").run("--pilot", str(path), "--items", "50", "--test", "t")
    assert "'0,5' has a decimal comma" in found.output + found.stderr
