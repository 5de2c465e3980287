"""A metric without a known direction: --lower-is-better declares it."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from click.testing import Result

import nstar
from fixtures.lm_eval.write import results, row, write_results, write_samples
from helpers.commands import Command
from nstar.errors import DataError, ParameterError, ReadError

RNG = np.random.default_rng(0)
FAST = RNG.gamma(4, 0.25, 120).round(3)
SLOW = (FAST + 0.3 + RNG.normal(0, 0.05, 120)).round(3)
COLUMNS = {"score": "seconds"}


def invoke(name: str, *words: str) -> Result:
    return Command(name).run(*words)


def _rows() -> dict[str, list[object]]:
    return {
        "model": ["slow"] * 120 + ["fast"] * 120,
        "item": [*range(120)] * 2,
        "seconds": [*SLOW.tolist(), *FAST.tolist()],
    }


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "t.csv"
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(_rows())
        out.writerows(zip(*_rows().values(), strict=True))
    return str(path)


def _log(folder: Path, **better: bool) -> str:
    """An lm-eval log of two metrics of one model."""
    folder.mkdir()
    k = len(folder.name)
    rows = [row(i, metrics=["acc", "err"], acc=1.0, err=(i * k) % 3 / 3) for i in range(40)]
    write_samples(folder, rows)
    content = results(higher_is_better={"t": better})
    content["model_name"] = folder.name
    content["config"] = {"model": "hf", "model_args": f"pretrained={folder.name}"}
    write_results(folder, content)
    return str(folder)


def test_compare(table: str) -> None:
    words = ("compare", f"{table}::slow", f"{table}::fast", "--column", "score=seconds")
    assert "slow beats fast" in invoke(*words).stdout
    said = " ".join(invoke(*words, "--lower-is-better").stdout.split())
    assert "slow trails fast" in said
    assert "A lower score is better." in said


@pytest.mark.parametrize("format_", ["json", "csv"])
def test_compare_in_other_formats(table: str, format_: str) -> None:
    words = ("--column", "score=seconds", "--lower-is-better", "--format", format_)
    said = invoke("compare", f"{table}::slow", f"{table}::fast", *words).stdout
    (task,) = json.loads(said)["tasks"] if format_ == "json" else csv.DictReader(io.StringIO(said))
    assert task["verdict"] == "worse"


def test_audit(table: str) -> None:
    words = ("audit", table, "--column", "score=seconds")
    assert "slow is the clear leader" in invoke(*words).stdout
    text = " ".join(invoke(*words, "--lower-is-better").stdout.split())
    assert "fast is the clear leader" in text
    assert "A lower score is better." in text


def test_gate(table: str) -> None:
    def answer(candidate: str, baseline: str) -> tuple[int, str]:
        sides = ("--candidate", f"{table}::{candidate}", "--baseline", f"{table}::{baseline}")
        how = ("--margin", "0.05", "--column", "score=seconds", "--lower-is-better")
        found = invoke("gate", *sides, *how)
        return found.exit_code, found.stdout

    assert answer("fast", "slow")[0] == 0
    code, said = answer("slow", "fast")
    assert code != 0
    assert "REGRESSION" in said
    assert "lower score is better" in " ".join(said.split())


def _forms() -> dict[str, Any]:
    matrix = nstar.ScoreMatrix.from_arrays([SLOW, FAST], models=["slow", "fast"])
    wide = {"slow": SLOW, "fast": FAST}
    return {
        "columns": _rows(),
        "frame": pa.table(_rows()),
        "wide": wide,
        "matrix": matrix,
        "table": nstar.read(_rows(), columns=COLUMNS),
    }


@pytest.mark.parametrize("form", ["columns", "frame", "wide", "matrix", "table"])
def test_python(form: str) -> None:
    data = _forms()[form]
    how: dict[str, Any] = {"lower_is_better": True}
    if form in ("columns", "frame"):
        how["columns"] = COLUMNS
    pair = nstar.compare(data, a="slow", b="fast", **how).tasks[0]
    assert (pair.verdict, pair.lower_is_better) == ("worse", True)
    assert nstar.audit(data, **how).ranking.model[0] == "fast"
    assert nstar.gate(data, a="slow", b="fast", margin=0.05, **how).verdict == "regression"
    assert nstar.items(data, **how).lower_is_better
    assert nstar.shrink(data, items=60, **how).lower_is_better
    assert all(m.lower_is_better for m in nstar.matrices(data, **how))
    if form not in ("matrix", "wide"):
        assert nstar.runs(data, **how).lower_is_better


def test_arrays() -> None:
    assert nstar.compare(SLOW, FAST).tasks[0].verdict == "better"
    found = nstar.compare(SLOW, FAST, lower_is_better=True)
    assert found.tasks[0].verdict == "worse"
    assert found.headline.endswith("A lower score is better.")
    again = nstar.runs(np.c_[SLOW, SLOW + 0.01], np.c_[FAST, FAST + 0.01], lower_is_better=True)
    assert again.lower_is_better
    with pytest.raises(ParameterError, match="lower_is_better must be True or False"):
        nstar.compare(SLOW, FAST, lower_is_better="no")  # type: ignore[arg-type]


def test_several_tasks() -> None:
    up = nstar.ScoreMatrix.from_arrays([SLOW, FAST], models=["s", "f"], task="t")
    (down,) = nstar.matrices(
        nstar.ScoreMatrix.from_arrays([SLOW, FAST], models=["s", "f"], task="u"),
        lower_is_better=True,
    )
    found = nstar.compare([up, down], a="s", b="f")
    assert "A lower score is better on 1 of the 2 tasks." in found.headline


def test_contradiction(tmp_path: Path) -> None:
    paths = [_log(tmp_path / name, acc=True) for name in ("one", "three")]
    with pytest.raises(DataError, match=r"which contradicts lower_is_better\. Remove"):
        nstar.compare(*paths, metric="acc", lower_is_better=True)
    found = nstar.compare(*paths, metric="err", lower_is_better=True)
    assert found.tasks[0].lower_is_better
    said = invoke("compare", *paths, "--metric", "acc", "--lower-is-better")
    assert said.exit_code != 0
    assert "higher scores are better, which contradicts --lower-is-better. Remove" in " ".join(
        said.stderr.split()
    )


def test_watch_refuses_a_contradiction(tmp_path: Path) -> None:
    paths = [_log(tmp_path / name, acc=True) for name in ("one", "three")]
    words = ("watch", *paths, "--items", "40", "--once", "--lower-is-better", "--format", "json")
    said = invoke(*words, "--metric", "acc,none")
    assert "higher scores are better" in " ".join(said.stderr.split())
    found = json.loads(invoke(*words, "--metric", "err,none", "--scale", "graded").stdout)
    assert found["question"]["lower_is_better"] is True


def test_a_log_that_was_written_keeps_its_direction(tmp_path: Path, table: str) -> None:
    out = str(tmp_path / "out.parquet")
    invoke("read", table, "--out", out, "--column", "score=seconds", "--lower-is-better")
    assert nstar.compare(out, a="slow", b="fast").tasks[0].verdict == "worse"


@pytest.mark.parametrize("part", ["lower_is_better", "lower-is-better"])
def test_column_of_a_table(table: str, part: str) -> None:
    said = invoke("compare", f"{table}::slow", f"{table}::fast", "--column", f"{part}=seconds")
    assert "slow trails fast" in said.stdout
    found = nstar.compare(_rows(), a="slow", b="fast", columns={part: "seconds"})
    assert found.tasks[0].verdict == "worse"


def test_column_of_a_table_is_named_once(table: str) -> None:
    columns = {"score": "seconds", "lower_is_better": "seconds"}
    with pytest.raises(ParameterError, match="also chooses the score column"):
        nstar.compare(table, a="slow", b="fast", columns=columns)
    with pytest.raises(ReadError, match=r"lower_is_better.*no such part"):
        nstar.battles(table, columns={"lower_is_better": "seconds"})


def test_votes_have_no_direction(tmp_path: Path) -> None:
    votes = tmp_path / "v.csv"
    votes.write_text("model_a,model_b,winner\nx,y,model_a\nx,y,model_b\n")
    said = invoke("watch", "votes", str(votes), "--planned", "100", "--lower-is-better")
    assert "No such option '--lower-is-better' here. Use it with nstar watch." in said.stderr
