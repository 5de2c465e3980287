"""``nstar shrink`` as typed: lists, refusals, hostile names."""

import csv
import hashlib
import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from nstar.cli import main

EVIL = "<script>x</script>\x1b[31m"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    rng = np.random.default_rng(4)
    ease = rng.random(400)
    path = tmp_path_factory.mktemp("shrink") / "results.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        write = csv.writer(file).writerow
        write(("model", "item", "score"))
        for model in ("ada", "bob", EVIL):
            for k, score in enumerate((rng.random(400) < ease).astype(int)):
                write((model, f"q{k}", score))
    return str(path)


def ran(*args: str) -> Result:
    return CliRunner().invoke(main, ["shrink", *args])


def test_the_list_is_written_and_its_hash_told(table: str, tmp_path: Path) -> None:
    out = tmp_path / "subset.csv"
    result = ran(
        table,
        "--resolve",
        "5pp",
        "--seed",
        "7",
        "--out",
        str(out),
        "--html",
        str(tmp_path / "page.html"),
        "--figure",
        str(tmp_path / "mde.svg"),
    )
    assert result.exit_code == 0, result.output
    digest = hashlib.sha256(out.read_bytes()).hexdigest()
    assert digest in result.stdout
    assert digest in result.stderr
    again = ran(table, "--resolve", "5pp", "--seed", "7", "--format", "json")
    assert json.loads(again.stdout)["sha256"] == digest
    assert ran(table, "--resolve", "5pp", "--seed", "7", "--format", "csv").stdout_bytes == (
        out.read_bytes()
    )
    assert "<script>x" not in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "400" in (tmp_path / "mde.svg").read_text(encoding="utf-8")


def test_json_lines_hold_the_same(table: str, tmp_path: Path) -> None:
    out = tmp_path / "subset.jsonl"
    assert ran(table, "--items", "50", "--out", str(out)).exit_code == 0
    rows = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == 50
    assert set(rows[0]) == {"item", "stratum", "weight"}


@pytest.mark.parametrize(
    ("args", "status", "told"),
    [
        ((), 2, "Set --resolve (gap to detect) or --items (subset size)."),
        (
            ("--resolve", "1pp", "--items", "50"),
            2,
            "Use either --resolve (gap to detect) or --items (subset size), not both.",
        ),
        (("--items", "5"), 2, "at least 20"),
        (("--items", "401"), 2, "must be at most 400, the number of items"),
        (("--resolve", "1"), 2, "Use 1pp"),
        (("--resolve", "-1pp"), 2, "resolve"),
        (("--items", "50", "--out", "list.txt"), 2, ".csv or .jsonl"),
        (("--items", "50", "--model", "ada"), 3, "two models"),
    ],
)
def test_what_cannot_be_meant(table: str, args: tuple[str, ...], status: int, told: str) -> None:
    result = ran(table, *args)
    assert (result.exit_code, told in result.output) == (status, True), result.output
    assert "Traceback" not in result.output
