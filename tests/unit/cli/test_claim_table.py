"""``nstar claim table``: against enumeration and single claims; tables as pasted."""

from itertools import product
from math import comb
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import nstar
from helpers.commands import Command
from nstar._data.printed_table import items_of, table_of
from nstar.errors import DataError, ParameterError, ReadError
from nstar.report.prose.claim.table import document

COMMAND = Command("claim table")
run, answer, text = COMMAND.run, COMMAND.answer, COMMAND.text

TABLE = r"""Model,MMLU (5-shot),GSM8K,**ARC**,HumanEval,WikiText PPL,Avg.
ours,\textbf{74.2},**58.1**,61.3,\textbf{34.1}\%,8.1,52.6
base,62.5,50.9%,**61.9**,34.1*,7.9,51
third,60.1,52.2,$59.0$,–,9.0,–
"""
ITEMS = 'benchmark,items\nmmlu,"14,042"\nGSM8K,1319\nARC,1172\nHumanEval,164\n'


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    table, items = tmp_path / "table.csv", tmp_path / "items.csv"
    table.write_text(TABLE, encoding="utf-8")
    items.write_text(ITEMS, encoding="utf-8")
    return str(table), str(items)


def mid_p(won: int, lost: int, n: int) -> float:
    """McNemar's mid-p, exact beyond a discordance of 0.8, by whole numbers."""
    d, k = won + lost, min(won, lost)
    if d == 0:
        return 1.0
    tail = 2 * sum(comb(d, i) for i in range(k + 1))
    if d <= 0.8 * n:
        tail -= comb(d, k)
    return min(tail / 2**d, 1.0)


def every_p(first: str, second: str, n: int) -> list[float]:
    """p of every two by two table whose accuracies print so."""

    def right(shown: str) -> list[int]:
        return [k for k in range(n + 1) if abs(100 * k / n - float(shown)) <= 0.05 + 1e-9]

    out = []
    for a, b in product(right(first), right(second)):
        for both in range(max(0, a + b - n), min(a, b) + 1):
            won, lost = a - both, b - both
            out.append(mid_p(won, lost, n) if won > lost else 1.0)
    return out


@pytest.mark.parametrize(
    ("first", "second", "n"),
    [("80.0", "71.0", 100), ("62.5", "55.0", 40), ("97.0", "53.0", 100), ("50.0", "49.2", 130)],
)
def test_bounds_are_those_of_every_table_that_prints_so(first: str, second: str, n: int) -> None:
    found = nstar.claim_table({"a": {"X": first}, "b": {"X": second}}, items=n).columns[0]
    ps = every_p(first, second, n)
    assert found.pvalue.low == pytest.approx(min(ps))
    assert found.pvalue.high == pytest.approx(max(ps))


def test_one_column_of_two_models_is_the_claim() -> None:
    seen = set()
    for a, b, n in (("71.4%", "70.6%", 1000), ("30.4%", "30.0%", 150), ("75.0%", "50.0%", 1000)):
        one = nstar.claim(a, b, items=n).verdict
        found = nstar.claim_table({"a": {"X": a}, "b": {"X": b}}, items=n)
        assert found.columns[0].verdict == one
        seen.add(one)
    assert seen == {"supported", "not_supported", "depends"}


def test_the_family_is_columns_times_rivals() -> None:
    rows = {m: dict.fromkeys("XYZ", v) for m, v in (("a", "71.4"), ("b", "70.6"), ("c", "60.0"))}
    alone = nstar.claim_table({m: {"X": rows[m]["X"]} for m in "ab"}, items=1000).columns[0]
    table = nstar.claim_table(rows, items=1000)
    assert [c.n_tests for c in table.columns] == [6, 6, 6]
    lead = table.columns[0].leads[0]
    assert lead.model == "b"
    assert lead.pvalue.low == pytest.approx(min(6 * alone.pvalue.low, 1))
    assert table.most_wins is not None
    assert table.most_wins.pvalue_any == nstar.claim_wins(3, 3, models=3).pvalue_any


def test_errors_are_rare_where_all_models_are_alike() -> None:
    """However the best is picked: called supported though none is better, in few tables."""
    rng = np.random.default_rng(7)
    wrong = 0
    for _ in range(60):
        right = rng.binomial(300, 0.5, size=(5, 4))
        rows = {
            f"m{k}": {f"B{j}": f"{x / 3:.1f}" for j, x in enumerate(r)}
            for k, r in enumerate(right)
        }
        wrong += nstar.claim_table(rows, items=300).n_supported > 0
    assert wrong <= 0.05 * 60


def test_a_pasted_table(files: tuple[str, str]) -> None:
    found = answer(files[0], "--items", files[1])
    verdicts = {c["benchmark"]: c["verdict"] for c in found["columns"]}
    assert verdicts == {
        "MMLU (5-shot)": "supported",
        "GSM8K": "depends",
        "ARC": "depends",
        "HumanEval": "not_supported",
    }
    assert (found["n_supported"], found["n_depends"], found["n_not_supported"]) == (1, 2, 1)
    assert found["headline"].startswith(
        "1 of 4 bold scores is supported (MMLU (5-shot)); 2 depend on how the models correlate; 1 "
        "is not supported."
    )
    mmlu, *_, human = found["columns"]
    assert mmlu["bold"] == ["ours"]
    assert mmlu["rho_assumed"]["name"] == "MMLU"
    assert human["best"] == ["ours", "base"]
    assert human["shares"] == [0.341, 0.341, None]
    why = {c["benchmark"]: c["reason"] for c in found["skipped"]}
    assert why["WikiText PPL"].startswith("lower is better")
    assert "no count" in why["Avg."]


def test_marks_in_every_format(files: tuple[str, str]) -> None:
    ask = (files[0], "--items", files[1])
    assert r"ours & \textbf{74.2} & 58.1\dag{} & 61.3 & 34.1" in text(*ask, "--format", "latex")
    assert "| ours | **74.2** | 58.1† | 61.3 | 34.1 |" in text(*ask, "--format", "markdown")
    plain = text(*ask)
    assert "*74.2* 58.1†" in plain
    assert "bold values are shown as *x*" in plain
    page = nstar.claim_table(files[0], items=files[1]).render("html")
    assert ";font-weight:bold" in page
    rows = run(*ask, "--format", "csv").stdout.splitlines()
    assert len(rows) == 1 + 2 + 2 + 2 + 1
    assert "The table compares 3 models on 4 benchmarks" in text(*ask, "--paragraph")


def test_a_page(files: tuple[str, str], tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    nstar.claim_table(files[0], items=files[1]).save(out)
    page = out.read_text(encoding="utf-8")
    assert "<strong>74.2</strong>" in page
    assert "58.1†" in page


def test_frames_and_mappings_say_the_same(files: tuple[str, str]) -> None:
    frame = pd.DataFrame({"model": ["a", "b"], "X": [71.0, 65.5], "Y": [40.0, np.nan]})
    found = nstar.claim_table(frame, items={"X": 5000, "Y": 10})
    assert found.columns[0].decimals == (3, 3)  # 71.0, as the column prints
    assert [c.benchmark for c in found.skipped] == ["Y"]
    indexed = nstar.claim_table(
        frame.set_index("model"), items=pd.DataFrame({"b": ["X"], "n": [5000]})
    )
    assert indexed.columns == found.columns
    shares = nstar.claim_table({"m": ["a", "b"], "X": [0.71, 0.655]}, items=5000)
    assert shares.columns[0].shares == found.columns[0].shares
    assert not shares.columns[0].is_percent


def test_what_is_left_out_says_why() -> None:
    rows = [
        ("2", ["a", "71", "1.3", "0.4", "1285", "**3.0**", "5"]),
        ("3", ["b", "70", "–", "0.3", "1272", "4.0", "4"]),
    ]
    heads = ["", "X", "one", "shares", "Elo", "bold low", "Err ↓"]
    why = {c.name: c.refused for c in table_of("t", heads, rows).columns}
    assert why["X"] == ""
    assert "fewer than two" in why["one"]
    assert "Use 0.4% or 40" in why["shares"]
    assert "1285 is not a share" in why["Elo"]
    assert "its smallest value is bold" in why["bold low"]
    assert "lower is better" in why["Err ↓"]


@pytest.mark.parametrize(
    ("table", "items", "said"),
    [
        (
            "m,X\na,71.4 / 70.2\nb,70",
            "9",
            "line 2, column 'X': '71.4 / 70.2' is more than one number",
        ),
        ('m,X\na,"71,4"\nb,70', "9", "line 2, column 'X': '71,4' has a comma. Use 71.4"),
        ("m,X\na,high\nb,70", "9", "line 2, column 'X': 'high' is not a number"),
        ("m,X\na,0.714\nb,70", "9", "line 2, column 'X': 0.714 is in a column of percentages"),
        ("m,X\na,71\na,70", "9", "line 3: 'a' is repeated"),
        ("m,X\n,71\na,70", "9", "line 2: no model name in the first column"),
        ("m,X,X\na,71,2\nb,70,3", "9", "two columns are called 'X'"),
        ("m,X\na,71,2\nb,70", "9", "line 2: the row has 3 cells, but the header has 2"),
        ("m,X\na,71", "9", "1 row and 1 column of values"),
        ("m,Avg\na,71\nb,70", "9", "no column can be checked. 'Avg': an average is not a share"),
        ("m,X\na,\x1b[31m\nb,70", "9", "'\\x1b[31m' is not a number"),
    ],
)
def test_errors_name_the_place_and_the_mend(
    tmp_path: Path, table: str, items: str, said: str
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(table, encoding="utf-8")
    result = run(str(path), "--items", items)
    assert result.exit_code == 3
    assert said in result.stderr.replace("\n", " ")


def test_items_are_counts() -> None:
    assert items_of("i", ["b", "n"], [("i, row 1", ["X", None]), ("i", ["Y", 1319.0])]) == {
        "y": 1319
    }
    for rows, said in (
        ([("i, row 1", ["X", "many"])], "row 1: 'many' is not a valid number of items"),
        ([("i, row 1", ["X", 9]), ("i, row 2", ["X", 8])], "row 2: 'X' has 8 items here but 9"),
    ):
        with pytest.raises(DataError, match=said):
            items_of("i", ["b", "n"], rows)
    with pytest.raises(DataError, match="found 3 columns"):
        items_of("i", ["b", "n", "x"], [])
    with pytest.raises(ParameterError, match="items"):
        nstar.claim_table({"a": {"X": "3"}, "b": {"X": "2"}}, items=1)
    with pytest.raises(ParameterError, match="must be a path, a frame or a mapping"):
        nstar.claim_table(3, items=9)
    with pytest.raises(ReadError, match="must be a"):
        nstar.claim_table("t.parquet", items=9)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("70%", "--items", "9"), "Got unexpected extra argument"),
        (("--items", "9", "--rho", "0.4"), "'--rho' here. Use it with nstar claim."),
        (
            ("--items", "9", "--alternative", "greater"),
            "'--alternative' here. Use it with nstar claim.",
        ),
        ((), "no ±, so --items is needed"),
        (("--items", "none.csv"), "none.csv"),
    ],
)
def test_what_does_not_go_with_a_table(
    files: tuple[str, str], more: tuple[str, ...], said: str
) -> None:
    result = run(files[0], *more)
    assert result.exit_code == (3 if "none.csv" in more or not more else 2)
    assert said in " ".join(result.stderr.split())


def test_impossible_values_and_bold_elsewhere_are_said() -> None:
    rows = {
        "a": {"X": "71.4", "Y": "50.0"},
        "b": {"X": "**70.6**", "Y": "**40.0**"},
        "c": {"X": "20.2", "Y": "2.0"},
    }
    said = nstar.claim_table(rows, items={"X": 1000, "Y": 7}).render(level="full")
    assert "In bold in the source, but not the highest: X (a exceeds b)" in said
    assert "No whole number of correct answers" in " ".join(said.split())


def test_a_table_that_is_too_large() -> None:
    rows = {f"m{k}": dict.fromkeys(map(str, range(201)), "5") for k in range(100)}
    with pytest.raises(DataError, match="exceed 20,000 cells"):
        nstar.claim_table(rows, items=100)


def test_truncated_values_are_named() -> None:
    rows = {"a": {"X": "53.6"}, "b": {"X": "50.0"}}
    found = nstar.claim_table(rows, items=164)
    assert found.columns[0].not_shares == found.columns[0].truncations == ("a",)
    assert "The digits may be truncated" in " ".join(str(found).split())
    other = nstar.claim_table(rows | {"c": {"X": "53.1"}}, items=164)
    assert other.columns[0].truncations == ("a",)
    assert "1 of these 2 fit if digits are truncated." in " ".join(str(other).split())


def test_a_list_of_claims_is_refused_with_the_right_form(tmp_path: Path) -> None:
    path = tmp_path / "claims.csv"
    path.write_text("paper,a,b,items\nX 2024,71.4,70.6,1000\nY,80,79,500\n", encoding="utf-8")
    result = run(str(path), "--items", "1000")
    assert result.exit_code == 3
    assert "'items' contains item counts" in result.output
    assert "nstar claim list" in result.output
    with pytest.raises(DataError, match=r"nstar\.claim_list\("):
        nstar.claim_table(path, items=1000)


def test_a_table_whose_models_are_a_and_b_has_its_own_form(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text("model,a,b\nX,71.4,80.0\nY,70.2,79.0\n", encoding="utf-8")
    result = Command("claim").run(str(path), "--items", "1000")
    assert result.exit_code == 2
    form = "To read it as a table of scores, use: nstar claim table FILE --items 1000"
    assert form in " ".join(result.stderr.split())
    assert run(str(path), "--items", "1000").exit_code == 0
    with pytest.raises(DataError, match=r"For a table of scores, use nstar\.claim_table"):
        nstar.claim_list(path)


def test_leads_have_the_decimals_of_the_scores() -> None:
    scores = {"a": ["71.4 ± 0.1", "70.2 ± 0.1"], "b": ["80.0 ± 0.1", "79 ± 0.1"]}
    table = nstar.claim_table({"model": ["X", "Y"], **scores}, seeds=5)
    leads = [row[2] for row in document(table).key[1].rows]
    assert leads == ["1.2", "1.0"]
