"""Codes for "no score" among scores: nothing is compared until it is said what they are."""

from pathlib import Path

import numpy as np
import pytest

import nstar
from helpers.commands import Command
from helpers.logs import SHARED
from nstar._data.sentinels import two_units
from nstar._verbs.data_summary import coverage
from nstar._verbs.runs import run_tables
from nstar.errors import DataError

RIGHT = [1.0, 0, 1, 1, 0, 1, 0, 1, 1, 1] * 4
OTHER = [1.0, 1, 0, 1, 0, 1, 0, 1, 0, 1] * 4


def _with(code: float, at: int = 3, rows: list[float] = RIGHT) -> list[float]:
    return [*rows[:at], code, *rows[at + 1 :]]


def _table(a: list[float], b: list[float], runs: int = 1) -> nstar.Table:
    n = len(a) // runs
    return nstar.Table.from_columns(
        model=["a"] * len(a) + ["b"] * len(b),
        item=[f"q{k % n}" for k in range(len(a))] * 2,
        run=[str(k // n) for k in range(len(a))] * 2,
        score=[*a, *b],
    )


def _levels(a: list[float], b: list[float]) -> dict[str, str]:
    found = coverage(nstar.matrices(_table(a, b))).findings
    return {f.code: f.level for f in found if f.code == "off-scale"}


@pytest.mark.parametrize("code", [-1, -9, -99, -999, -9999, 99, 999, 9999, 99999])
def test_codes_among_fractions(code: float) -> None:
    assert _levels(_with(code), OTHER) == {"off-scale": "fatal"}
    with pytest.raises(
        DataError, match=f"1 score of {code} looks like a code for a missing score"
    ):
        nstar.compare(_with(code), OTHER)
    assert nstar.gate(_with(code), OTHER, margin=0.1).verdict == "invalid_data"
    matrix = nstar.ScoreMatrix.from_arrays([_with(code), OTHER], models=["a", "b"])
    with pytest.raises(DataError, match="set errors to missing, zero, or keep"):
        nstar.audit(matrix)
    halves = [x / 2 for x in OTHER]
    assert _levels(_with(code, rows=halves), halves) == {"off-scale": "fatal"}


@pytest.mark.parametrize("code", [-1, -99, 999, 9999])
def test_codes_among_percentages(code: float) -> None:
    a, b = ([100 * x - 7 * (x > 0) for x in rows] for rows in (RIGHT, OTHER))
    assert _levels(_with(code, rows=a), b) == {"off-scale": "fatal"}


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([1 - 2 * x for x in RIGHT], [1 - 2 * x for x in OTHER]),  # right or wrong
        (RIGHT, OTHER),
        ([-1, 0, 1, 1] * 10, [-1, -1, 0, 1] * 10),  # losses, ties and wins
        ([0.5, -0.2, -1, 1] * 10, [0.1, -0.7, 0.3, 1] * 10),  # rewards from -1 to 1
        ([1, 2, 3, 4] * 10, [5, 5, 2, 1] * 10),
        ([999, 1500, 20, 7] * 10, [200, 2000, 3, 99] * 10),
        ([-1] * 40, [-1] * 40),
    ],
    ids=["-1 or 1", "0 or 1", "losses", "rewards", "grades", "tokens", "nothing else"],
)
def test_scores_that_are_no_codes(a: list[float], b: list[float]) -> None:
    assert _levels(a, b) == {}
    nstar.compare(a, b)


def test_few_losses_are_asked_about() -> None:
    a: list[float] = [-1, 0, 1, 1] * 10
    b: list[float] = [-1, *[0, 1, 1] * 13]
    assert _levels(a, b) == {"off-scale": "fatal"}
    kept = nstar.ScoreMatrix.from_arrays([a, b], models=["a", "b"], errors="keep")
    assert nstar.compare(kept).tasks[0].mean_a == pytest.approx(0.25)


@pytest.mark.parametrize(("errors", "wanted"), [("missing", np.nan), ("zero", 0.0), ("keep", -1)])
def test_what_codes_count_as(errors: str, wanted: float) -> None:
    table = _table(_with(-1), OTHER)
    (read,) = nstar.matrices(table, errors=errors)  # type: ignore[arg-type]
    made = nstar.ScoreMatrix.from_arrays(
        [_with(-1), OTHER],
        models=["a", "b"],
        errors=errors,  # type: ignore[arg-type]
    )
    for matrix in (read, made):
        np.testing.assert_equal(matrix.row("a")[3], wanted)
        assert matrix.row("a")[4:].tolist() == RIGHT[4:]
        nstar.compare(matrix)


def test_codes_of_single_runs_are_seen() -> None:
    """The mean of a cell with a code among its runs looks like any other."""
    a = _with(-1, 3)
    assert _levels_of_runs(a) == {"off-scale": "fatal"}
    (matrix,) = nstar.matrices(_table(a, OTHER, runs=4), errors="missing")
    runs = matrix.runs("a")
    assert runs is not None
    assert runs[3] == 3


def _levels_of_runs(a: list[float]) -> dict[str, str]:
    found = coverage(nstar.matrices(_table(a, OTHER, runs=4))).findings
    return {f.code: f.level for f in found if f.code == "off-scale"}


def test_one_model_leaves_the_scale() -> None:
    assert _levels(_with(7), OTHER) == {"off-scale": "fatal"}
    assert _levels(_with(7), [x / 2 for x in OTHER]) == {}
    assert _levels(_with(2), _with(2, rows=OTHER)) == {}  # a scale of 0, 1, 2


@pytest.mark.parametrize("verb", ["read", "compare", "audit", "runs"])
def test_real_livebench_log(verb: str) -> None:
    """As a table; the reader of such logs knows what -1 is (test_livebench)."""
    folder = SHARED / "next" / "livebench"
    if not folder.exists():
        pytest.skip("no real logs beside the repository")
    command = Command(verb)
    table = (str(folder), "--reader", "tabular")
    refused = command.run(*table)
    assert refused.exit_code == (1 if verb == "read" else 3)
    said = refused.output + refused.stderr
    assert "1 of -1 (gpt-x: 1, item 0003000300030003)" in " ".join(said.split())
    for more in (["--errors", "missing"], ["--errors", "zero"], ["--allow", "off-scale"]):
        assert command.run(*table, *more).exit_code == 0
    assert command.run(str(folder)).exit_code == 0


def test_runs_count_codes_as_said(tmp_path: Path) -> None:
    path = tmp_path / "m.csv"
    rows = [
        f"q{k},{r},{-1 if (k, r) == (1, 1) else (k + r) % 2}" for k in range(9) for r in (1, 2)
    ]
    path.write_text("\n".join(["item,run,score", *rows]) + "\n", "utf-8")
    means = {
        how: Command("runs").answer(str(path), "--errors", how)["model_runs"][0]["mean"]
        for how in ("missing", "zero")
    }
    assert means["missing"] > means["zero"]
    with pytest.raises(DataError, match="1 score of -1 looks like a code"):
        run_tables(nstar.read(path))
    with pytest.raises(DataError, match="1 score of -1 looks like a code"):
        nstar.runs([[1, 0], [0, 1], [-1, 1], [0, 1]])


SHARES = [0.2, 0.0, 1.0, 0.7, 0.55] * 8
PERCENTS = [100 * x for x in reversed(SHARES)]


@pytest.mark.parametrize("share", [SHARES, RIGHT], ids=["graded", "right or wrong"])
def test_percentages_beside_proportions(share: list[float]) -> None:
    """A gap of fifty points and p < 1e-300 would be a wrong verdict; the units are the fault."""
    assert _levels(share, PERCENTS) == {"off-scale": "fatal"}
    with pytest.raises(DataError, match=r"[Ss]cores of b reach 100 \(percentages\?\), but"):
        nstar.compare(share, PERCENTS)
    assert nstar.gate(PERCENTS, share, margin=0.1).verdict == "invalid_data"
    assert nstar.compare(share, PERCENTS, errors="keep").tasks[0].mean_b == pytest.approx(49)


def test_what_is_no_mix_of_units() -> None:
    low = [x / 2 for x in SHARES]
    assert _levels(SHARES, low) == _levels(PERCENTS, [100 * x for x in low]) == {}
    assert two_units([np.zeros(40), np.array(PERCENTS)]) is None  # all wrong, on any scale
    assert _levels(SHARES, [10 * x for x in SHARES]) == {}  # rewards, seconds
    assert _levels([x - 0.5 for x in SHARES], PERCENTS) == {}
