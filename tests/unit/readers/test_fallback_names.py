"""Models that no log names: two of them never become one because files or folders share a name."""

import json
from pathlib import Path

import pytest

from helpers.logs import SHARED
from nstar import read
from nstar._data.align import matrices
from nstar._verbs.data_summary import coverage
from nstar._verbs.runs import run_tables
from nstar.errors import DataError
from nstar.readers import ReaderOptions, scan
from nstar.readers._fallback_names import by_file
from nstar.readers._files import Place

ROWS = "item,score\nq1,1\nq2,0\n"


def _models(root: Path, *files: str, text: str = ROWS) -> list[str]:
    for k, name in enumerate(files):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("q2,0", f"q2,{k % 2}"), "utf-8")
    table = read(root)
    assert len(table.data) == 2 * len(files)
    return sorted(table.models)


@pytest.mark.parametrize(
    ("files", "models"),
    [
        (["a/results.csv", "b/results.csv"], ["a", "b"]),
        (["a/mine.csv", "b/mine.csv"], ["a", "b"]),
        (["a/output.csv", "b/predictions.csv", "c.csv"], ["a", "b", "c"]),
        (["a/eval_results.csv", "b.csv"], ["a", "b"]),
        (["a/outputs/results.csv", "b/outputs/results.csv"], ["a", "b"]),
        (["a/cb7a1799/results.csv", "b/dbaac595/results.csv"], ["a", "b"]),
        (["a/2026-11-16/results.csv", "b/2026-11-17/results.csv"], ["a", "b"]),
        (
            ["a/cb7a1799/results.csv", "a/dbaac595/results.csv"],
            ["a/cb7a1799", "a/dbaac595"],
        ),
        (["x/m/results.csv", "y/m/results.csv"], ["x/m", "y/m"]),
        (["a/results.csv", "a/outputs.csv"], ["a/outputs", "a/results"]),
        (["a/results.csv", "a.csv"], ["a", "a/results"]),
        (["a/results.csv", "a/results.tsv"], ["a/results.csv", "a/results.tsv"]),
        (
            ["a/mmlu.csv", "a/arc.csv", "b/mmlu.csv", "b/arc.csv"],
            ["a/arc", "a/mmlu", "b/arc", "b/mmlu"],
        ),
        (["new.csv", "old.csv"], ["new", "old"]),
        (["run1.csv", "run2.csv"], ["run1", "run2"]),
    ],
)
def test_names_of_tables(tmp_path: Path, files: list[str], models: list[str]) -> None:
    text = ROWS.replace(",", "\t") if files[-1].endswith("tsv") else ROWS
    assert _models(tmp_path / "all", *files, text=text) == models


def test_address_lends_no_host() -> None:
    places = [Place("https://user:secret@host/results.csv", object())]
    assert by_file(places, ["results"]) == ["results"]


def test_real_verifiers_runs_are_two_models() -> None:
    """As tables; their own reader knows more (test_verifiers)."""
    if not (folder := SHARED / "next" / "verifiers").exists():
        pytest.skip("no real logs beside the repository")
    as_table = ReaderOptions(reader="tabular")
    scanned = scan(folder, as_table)
    (matrix,) = matrices(scanned.batches)
    assert sorted(matrix.models) == ["math-python--gpt-4.1-mini", "math-python--gpt-5-nano"]
    found = {f.code: f for f in coverage([matrix], scanned.journal.sources).findings}
    assert found["repeated-rows"].level == "warning"
    assert found["repeated-rows"].text.startswith("default: 20 duplicate rows are ignored")
    (runs,) = matrices(scan(folder, as_table).batches, duplicates="runs")
    assert runs.run_range == (3, 3)


@pytest.mark.parametrize("policy", ["latest", "all"])
def test_harness_logs_without_a_name(tmp_path: Path, policy: str) -> None:
    """lm-eval samples whose results file is gone: both folders are called ``out``."""
    row = {"doc_id": 0, "doc": {"q": "?"}, "target": "1", "arguments": [], "resps": [["1"]]}
    for name, score in (("a", 1.0), ("b", 0.0)):
        path = tmp_path / name / "out" / "samples_t_2026-11-14T23-08-44.417847.jsonl"
        path.parent.mkdir(parents=True)
        more = {"filtered_resps": ["1"], "filter": "none", "metrics": ["acc"], "acc": score}
        path.write_text(json.dumps(row | more) + "\n", "utf-8")
    table = read(tmp_path, runs=policy)  # type: ignore[arg-type]
    assert sorted(table.models) == ["a/out", "b/out"]
    assert sorted(s.model or "" for s in table.sources) == ["a/out", "b/out"]
    assert len(table.data) == 2


def test_repeats_in_one_log(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("item,score\nq1,1\nq1,1\nq1,0\nq2,1\nq2,1\nq2,1\n", "utf-8")
    (runs,) = matrices(read(path), duplicates="runs")
    assert runs.row("m").tolist() == pytest.approx([2 / 3, 1])
    assert runs.run_range == (3, 3)
    assert (runs.alignment.repeated, runs.alignment.conflicting) == (0, 0)
    (once,) = matrices(read(path), duplicates="first")
    assert {f.level for f in coverage([once]).findings if f.code == "repeated-rows"} == {"note"}
    (refused,) = matrices(read(path))
    codes = {f.code: f.level for f in coverage([refused]).findings}
    assert codes == {"conflicting-rows": "fatal", "repeated-rows": "warning"}


def test_repeats_as_runs_of_a_model(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    path.write_text("item,score\nq1,1\nq2,1\nq1,1\nq1,0\nq2,0\nq2,1\n", "utf-8")
    with pytest.raises(DataError, match="conflict with another for the same model"):
        run_tables(read(path))
    (table,) = run_tables(read(path), duplicates="runs")
    assert table.scores.tolist() == [[1, 1, 0], [1, 0, 1]]
    assert not table.blocks
