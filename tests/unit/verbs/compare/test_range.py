"""Scores off the 0-1 scale: what is known of those missing, and what is not."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.commands import Command
from nstar import compare, gate, runs
from nstar._verbs.runs.table import RunTable
from nstar.errors import DataError, ParameterError
from nstar.report import render
from nstar.report.prose import comparison

NAN = math.nan
A = [55, 60, NAN, 72, 80, 35, 44]
B = [50, 61, 66, 70, NAN, 30, 41]


def told(result: Any) -> str:
    return " ".join(render(result).split())


def test_a_range_that_nobody_declared_is_told_as_seen() -> None:
    result = compare(A, B)
    pair = result.tasks[0]
    assert (pair.score_range_observed, pair.score_range) == (True, (30, 80))
    text = comparison.paragraph(result)
    assert "For any scores on them in the observed range, 30 to 80, the gap over all" in text
    assert (
        'excluded items in the observed range, 30 to 80 (score_range="LOW:HIGH" declares'
        in told(result)
    )


def test_a_declared_range_bounds_the_gap() -> None:
    result = compare(A, B, score_range=(0, 100))
    pair = result.tasks[0]
    # by hand: the missing score of either model is 0 or 100
    seen = np.nansum(A) - np.nansum(B)
    low, high = (seen + 0 - 100) / 7, (seen + 100 - 0) / 7
    assert pair.missing_items.bounds == pytest.approx((low, high))
    assert high == pytest.approx(18.2857, abs=1e-4)
    assert not pair.score_range_observed
    text = comparison.paragraph(result)
    assert f"For any scores on them, the gap over all items lies within −{-low:.3g}" in text
    assert (pair.pvalue, pair.ci) == (compare(A, B).tasks[0].pvalue, compare(A, B).tasks[0].ci)


def test_no_spread_is_measured_on_the_range() -> None:
    a, b = [60] * 8, [50] * 8
    narrow, wide = (compare(a, b, score_range=r) for r in (None, (0, 100)))
    (low, high), (least, most) = narrow.tasks[0].ci, wide.tasks[0].ci
    share = 3.841458820694124 / (8 + 3.841458820694124)
    assert (least, most) == pytest.approx((10 - share * 110, 10 + share * 90))
    assert least < low <= high < most
    assert "The CI assumes that scores lie in the observed range, 50 to 60." in (
        comparison.paragraph(narrow)
    )
    assert "could differ, for scores from 50 to 60, as observed" in told(narrow)
    assert "observed" not in told(wide) + comparison.paragraph(wide)


def test_intervals_end_where_gaps_can_go_and_no_earlier() -> None:
    rng = np.random.default_rng(1)
    codes = np.repeat(np.arange(3), 4)
    a = np.array([8.0, 0, 0])[codes] + rng.uniform(0, 1, 12)
    for score_range, most in ((None, math.inf), ((0, 9.5), 9.5)):
        pair = compare(a, a * 0, cluster=codes.tolist(), score_range=score_range).tasks[0]
        assert pair.ci.high == pytest.approx(min(14.9, most), abs=0.5)
        row = pair.breakdowns[0].groups[0]
        assert row.ci is not None
        assert row.ci.high <= most


@pytest.mark.parametrize("scores", [A, [0.5, 0.4, 0.3, 0.2, 0.1, NAN, 0.9]])
def test_scores_must_lie_within_the_range_declared(scores: Any) -> None:
    with pytest.raises(DataError, match=r"outside the declared range 0\.35–1"):
        compare(scores, B if scores is A else scores, score_range=(0.35, 1))


@pytest.mark.parametrize("wrong", [(1, 0), (0, 0), (0, math.inf), (NAN, 1), (0,), "ab", 5])
def test_a_range_is_two_numbers(wrong: Any) -> None:
    with pytest.raises(ParameterError, match="score_range must be two numbers"):
        compare(A, B, score_range=wrong)
    with pytest.raises(ParameterError, match="score_range must be two numbers"):
        gate(A, B, margin=1, score_range=wrong)


def test_gaps_asked_about_fit_the_range() -> None:
    assert compare(A, B, delta=5, score_range=(0, 100)).tasks[0].q_at_delta is not None
    with pytest.raises(ParameterError, match=r"delta must be in \(0, 100\), inside the range"):
        compare(A, B, delta=100, score_range=(0, 100))


def test_a_gate_fills_the_range_declared() -> None:
    rng = np.random.default_rng(2)
    b = rng.uniform(60, 70, 400)
    a = b + rng.normal(0.5, 1, 400)
    a[:3] = NAN
    answers = [gate(a, b, margin=0.5, missing=0.05, score_range=r) for r in (None, (0, 100))]
    assert answers[0].verdict == "pass"
    assert answers[1].verdict != "pass"
    seen = told(answers[0])
    assert "within the observed range 58.89 to 72.18" in seen
    assert "Scores are assumed to stay in the observed range" in seen
    assert "observed range" not in told(answers[1])


def test_runs_say_so_too() -> None:
    items = tuple("abcdefg")
    first, second = (
        RunTable(model=m, task="t", items=items, runs=("1",), scores=np.array(x)[:, None])
        for m, x in (("a", A), ("b", B))
    )
    assert "of the other model in the observed range, 30 to 80" in told(runs(first, second))


def test_the_command_takes_a_range(tmp_path: Path) -> None:
    table = tmp_path / "s.csv"
    cells = [(m, k, x) for m, xs in (("a", A), ("b", B)) for k, x in enumerate(xs)]
    rows = [f"{m},q{k},{x}" for m, k, x in cells if not math.isnan(x)]
    table.write_text("\n".join(["model,item,score", *rows]), "utf-8")
    command = Command("compare")
    (found,) = command.answer(str(table), "--score-range", "0:100")["tasks"]
    assert found["score_range"] == [0, 100]
    assert found["score_range_observed"] is False
    assert command.answer(str(table))["tasks"][0]["score_range_observed"] is True
    for wrong in ("100", "100:0", "a:b", "0:inf"):
        result = command.run(str(table), "--score-range", wrong)
        assert result.exit_code == 2
        assert "not a score range. Use LOW:HIGH, such as 0:100" in result.stderr
    result = command.run(str(table), "--score-range", "0:60")
    assert "outside the declared range 0–60" in result.stderr
