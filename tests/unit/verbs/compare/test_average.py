"""The macro average of ``compare``: that of ``audit``, and one computed by hand."""

import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats as reference

import nstar
from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare import Comparison
from nstar._verbs.compare.comparison import compared_again
from nstar._verbs.verdict import Criteria
from nstar.report import charts, render

SIZES = (40, 70, 110)


def board(kind: str = "binary", *, missing: bool = False, lower: bool = False) -> Any:
    """Two models on three tasks."""
    rng = np.random.default_rng(5)
    matrices = []
    for k, n in enumerate(SIZES):
        easy = rng.normal(size=n)
        scores = easy + rng.normal(size=(2, n)) + [[0.4], [0.0]]
        scores = 1 / (1 + np.exp(-scores)) if kind == "graded" else (scores > 0).astype(float)
        if kind == "percent":
            scores = 100 * scores
        if missing:
            scores[1, :3] = np.nan
        matrix = ScoreMatrix.from_arrays(
            scores,
            models=["first", "second"],
            task=f"task {k}",
            groups={"passage": [i // 5 for i in range(n)]},
        )
        matrices.append(replace(matrix, lower_is_better=lower))
    return matrices


@pytest.mark.parametrize("kind", ["binary", "graded"])
@pytest.mark.parametrize("design", [{}, {"strata": "passage"}, {"cluster": "passage"}])
@pytest.mark.parametrize("missing", [False, True])
def test_it_is_the_average_of_audit(kind: str, design: Any, missing: bool) -> None:
    matrices = board(kind, missing=missing)
    asked = {"delta": 0.02, "margin": 0.3, "alpha": 0.1, **design}
    average = nstar.compare(matrices, **asked).average
    assert average is not None
    pairs = nstar.audit(matrices, items="common", **asked).adjacent
    assert pairs.model_a == ("first",)
    expected = {
        "n_items": average.n_items,
        "mean_a": average.mean_a,
        "mean_b": average.mean_b,
        "gap": average.gap,
        "se": average.se,
        "pvalue": average.pvalue,
        "ci_unadjusted_low": average.ci.low,
        "ci_unadjusted_high": average.ci.high,
        "mde": average.mde,
        "q": average.q,
        "n_star": average.n_star,
        "n_star_low": average.n_star_ci.low,
        "n_star_high": average.n_star_ci.high,
        "q_at_delta": average.q_at_delta,
        "pvalue_equivalent": average.equivalence.pvalue if average.equivalence else None,
    }
    for name, value in expected.items():
        assert getattr(pairs, name)[0] == pytest.approx(value, rel=1e-9), name


def _by_hand(gaps: list[Array]) -> tuple[float, float, float]:
    """Mean of the tasks' gaps, its error, and Satterthwaite's degrees of freedom."""
    parts = np.array([d.var(ddof=1) / d.size for d in gaps]) / len(gaps) ** 2
    freedom = parts.sum() ** 2 / sum(v**2 / (d.size - 1) for v, d in zip(parts, gaps, strict=True))
    return float(np.mean([d.mean() for d in gaps])), math.sqrt(parts.sum()), float(freedom)


@pytest.mark.parametrize("kind", ["binary", "graded", "percent"])
def test_it_agrees_with_an_independent_computation(kind: str) -> None:
    matrices = board(kind)
    unit = 100 if kind == "percent" else 1
    delta, se, df = _by_hand([(m.row(0) - m.row(1)) / unit for m in matrices])
    average = nstar.compare(matrices).average
    assert average is not None
    assert (average.n_tasks, average.n_items) == (3, sum(SIZES))
    assert (average.gap, average.se, average.df) == pytest.approx((delta, se, df))
    assert average.ci == pytest.approx(reference.t.interval(0.95, df, delta, se))
    assert average.pvalue == pytest.approx(2 * reference.t.sf(abs(delta) / se, df))
    assert average.score_range == (0.0, 1.0)
    assert average.gap == pytest.approx(np.mean([p.gap for p in nstar.compare(matrices).tasks]))


def test_one_sided_and_lower_is_better() -> None:
    two = nstar.compare(board()).average
    one = nstar.compare(board(), alternative="greater").average
    assert two is not None
    assert one is not None
    assert one.pvalue == pytest.approx(two.pvalue / 2)
    assert one.confidence_level == pytest.approx(0.9)
    worse = nstar.compare(board(lower=True)).average
    assert worse is not None
    assert (two.verdict, worse.verdict) == ("better", "worse")


def test_other_rules_and_json_keep_it() -> None:
    found = nstar.compare(board(), delta=0.02)
    again = compared_again(found, Criteria(alpha=0.01))
    assert again.average == nstar.compare(board(), delta=0.02, alpha=0.01).average
    assert Comparison.from_json(render(found, "json")) == found
    data = json.loads(render(found, "json"))
    assert data["average"]["n_star"] == found.average.n_star if found.average else False


def test_every_format_begins_with_it() -> None:
    found = nstar.compare(board())
    for shown in ("text", "markdown", "html"):
        said = " ".join(render(found, shown).split())
        assert said.find("first beats second by 18.6 pp on the macro average of 3 tasks") >= 0, (
            shown
        )
        assert 0 <= said.find("Macro average (tasks count equally)") < said.rfind("By task")
    paragraph = " ".join(render(found, paragraph=True).split())
    assert "in the macro average, tasks count equally" in paragraph
    assert charts.figure(found, "forest") is not None


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"lower_is_better": True}, "lower is better only in other"),
        ({"scores": [[0.0, 7, 3], [1, 2, 3]]}, "task 0 ranges from 0 to 1, other from 0 to 7"),
        ({"scores": [[1.0], [0]]}, "other has 1 shared item"),
    ],
)
def test_tasks_without_an_average_say_why(change: Any, why: str) -> None:
    scores = change.pop("scores", [[1.0, 0, 1, 1], [0, 0, 1, 0]])
    other = ScoreMatrix.from_arrays(scores, models=["first", "second"], task="other")
    other = replace(other, **change)
    found = nstar.compare([*board(), other])
    assert found.average is None
    assert why in (found.no_average or "")
    assert why in " ".join(render(found).split())
    assert "Of 4 tasks, first beats second on" in render(found)


def test_declared_gaps_are_in_the_units_of_the_data() -> None:
    """Scores of 0 and 100 are reported as 0/1 scores, and gaps are declared in points."""
    one, hundred = (
        nstar.compare(board(kind), delta=0.02 * unit, margin=0.3 * unit)
        for kind, unit in (("binary", 1), ("percent", 100))
    )
    assert hundred.average is not None
    assert one.average is not None
    assert hundred.average.delta == pytest.approx(0.02)
    assert hundred.average.q_at_delta == pytest.approx(one.average.q_at_delta)
    again = compared_again(hundred, Criteria(alpha=0.05))
    assert again.average == hundred.average
    assert hundred.average.equivalence is not None
    assert hundred.average.equivalence.margin == pytest.approx(0.3)


def test_a_single_task_has_neither() -> None:
    found = nstar.compare(board()[:1])
    assert (found.average, found.no_average) == (None, None)


def test_gaps_without_any_error_are_not_significant() -> None:
    same = [
        ScoreMatrix.from_arrays([[1.0] * 6, [0.0] * 6], models=["a", "b"], task=t) for t in "xy"
    ]
    average = nstar.compare(same, delta=0.1).average
    assert average is not None
    assert (average.gap, average.pvalue, average.verdict) == (1.0, 1.0, "inconclusive")
    assert (average.q, average.mde, average.n_star) == (None, None, math.inf)
