"""``--weights`` of compare, audit and gate."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result

from helpers.commands import Command
from nstar.cli import main

N = 120


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("weights")
    rng = np.random.default_rng(4)
    rows = ["item,model,score"]
    for model, skill in (("a", 0.8), ("b", 0.7), ("c", 0.5)):
        rows += [f"q{k},{model},{int(rng.random() < skill)}" for k in range(N)]
    (path / "r.csv").write_text("\n".join(rows), encoding="utf-8")
    weights = ["item,weight", *(f"q{k},{rng.lognormal():.4f}" for k in range(N))]
    (path / "w.csv").write_text("\n".join(weights), encoding="utf-8")
    (path / "short.csv").write_text("\n".join(weights[:-3]), encoding="utf-8")
    return path


def run(*words: object) -> Result:
    return CliRunner().invoke(main, [str(word) for word in words])


def test_compare_audit_and_gate_tell_what_items_are_worth(folder: Path) -> None:
    table, weights = folder / "r.csv", folder / "w.csv"
    asked = (
        ("compare", table, "--a", "a", "--b", "c"),
        ("audit", table),
        ("gate", "--candidate", f"{table}::a", "--baseline", f"{table}::c", "--margin", "5pp"),
    )
    for words in asked:
        found = run(*words, "--weights", weights)
        assert found.exit_code == 0, found.output
        assert "120 items are worth" in " ".join(found.output.split())


def test_answers_in_json_obey_their_schemas(folder: Path) -> None:
    table, weights = str(folder / "r.csv"), ("--weights", str(folder / "w.csv"))
    pair = Command("compare").answer(table, "--a", "a", "--b", "b", *weights)["tasks"][0]
    (task,) = Command("audit").answer(table, *weights)["tasks"]
    assert task["n_effective"] == pair["estimate"]["n_effective"]


def test_items_without_a_weight_are_named(folder: Path) -> None:
    found = run(
        "compare", folder / "r.csv", "--a", "a", "--b", "b", "--weights", folder / "short.csv"
    )
    assert found.exit_code != 0
    assert "has no weight for 3 of 120 items (first: 'q117')" in found.output


def test_a_gate_without_all_weights_is_invalid(folder: Path) -> None:
    sides = ("--candidate", f"{folder / 'r.csv'}::a", "--baseline", f"{folder / 'r.csv'}::b")
    found = run("gate", *sides, "--margin", "5pp", "--weights", folder / "short.csv")
    assert found.exit_code == 4
    assert "INVALID DATA" in found.output


def test_single_items_are_listed_without_weights(folder: Path) -> None:
    words = ("compare", folder / "r.csv", "--a", "a", "--b", "b", "--weights", folder / "w.csv")
    found = run(*words, "--list", "gained", "--out", folder / "g.csv")
    assert found.exit_code == 2
    assert "Use either --list" in found.output
