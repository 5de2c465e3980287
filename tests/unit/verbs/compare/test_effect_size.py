"""Effect sizes, and the exaggeration of underpowered significant gaps."""

import json
import math
from typing import Any

import numpy as np
import pytest

import nstar

RIGHT_A = np.repeat([1.0, 1.0, 0.0, 0.0], [400, 70, 48, 182])
RIGHT_B = np.repeat([1.0, 0.0, 1.0, 0.0], [400, 70, 48, 182])
RNG = np.random.default_rng(8)
A, B = RNG.beta(4, 3, 60), RNG.beta(3, 3, 60)


def flat(result: nstar.Comparison) -> str:
    return " ".join(result.render(level="full").split())


def test_effect_sizes_of_0_1_scores() -> None:
    size = nstar.compare(RIGHT_A, RIGHT_B).effect_size
    d = RIGHT_A - RIGHT_B
    assert size is not None
    assert size.d_z == pytest.approx(d.mean() / d.std(ddof=1))
    p_a, p_b = 470 / 700, 448 / 700
    assert size.h == pytest.approx(2 * math.asin(math.sqrt(p_a)) - 2 * math.asin(math.sqrt(p_b)))


def test_effect_size_of_graded_scores() -> None:
    result = nstar.compare(A, B)
    d = A - B
    assert result.effect_size is not None
    assert result.effect_size.d_z == pytest.approx(d.mean() / d.std(ddof=1))
    assert result.effect_size.h is None
    assert "Cohen's h" not in flat(result)


def test_effect_size_does_not_depend_on_the_design_or_the_test() -> None:
    groups = np.arange(700) % 20
    plain = nstar.compare(RIGHT_A, RIGHT_B).effect_size
    for options in ({"cluster": groups}, {"strata": groups}, {"test": "t"}):
        options_: Any = options
        assert nstar.compare(RIGHT_A, RIGHT_B, **options_).effect_size == plain


@pytest.mark.parametrize(
    ("a", "b", "options"),
    [
        ([1.0, 0, 1], [1.0, 0, 1], {}),
        ([1.0], [0.0], {}),
        ([1.0, 1, 1], None, {"threshold": 0.5}),
        ([1.0, 0, 1], None, {"threshold": 0.5}),
        ([1.0, 0, 1, 1], [0.0, 0, 1, 0], {"weights": [1.0, 2, 3, 4]}),
        ([1.0, 0, 1, 1], [0.0, 0, 1, 0], {"weights": [1.0, 2, 3, 4], "cluster": list("aabc")}),
    ],
)
def test_without_pairs_or_variance_there_is_no_effect_size(
    a: Any, b: Any, options: dict[str, Any]
) -> None:
    result = nstar.compare(a, b, **options)
    assert result.effect_size is None
    assert "effect size" not in flat(result).lower()


def test_report_and_json() -> None:
    result = nstar.compare(RIGHT_A, RIGHT_B)
    assert result.is_underpowered
    text = flat(result)
    assert "effect size d_z 0.077" in text
    assert "effect size h 0.066" in text
    assert "Effect sizes are not comparable between benchmarks." in text
    assert "Effect sizes" not in " ".join(result.render().split())
    assert result.exaggeration is not None
    assert result.effect_size is not None
    share = result.exaggeration - 1
    assert f"exaggerate it by {100 * share:.0f}% on average" in text
    task = json.loads(result.to_json())["tasks"][0]
    assert task["effect_size"] == {"d_z": result.effect_size.d_z, "h": result.effect_size.h}
    assert task["exaggeration"] == result.exaggeration
    assert nstar.Comparison.from_json(result.to_json()) == result


def test_exaggeration_agrees_with_simulation() -> None:
    result = nstar.compare(RIGHT_A, RIGHT_B)
    n, draws = (
        700,
        np.random.default_rng(0).multinomial(700, [70 / 700, 48 / 700, 582 / 700], 4000),
    )
    tests = {(b, c): float(nstar.stats.mcnemar_pvalue(b, c)) for b, c, _ in draws.tolist()}
    gaps = np.array([(b - c) / n for b, c, _ in draws.tolist() if tests[b, c] <= 0.05])
    assert result.exaggeration == pytest.approx(np.abs(gaps).mean() / result.gap, abs=0.03)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_exaggeration_with_one_side(alternative: Any) -> None:
    a, b = (RIGHT_A, RIGHT_B) if alternative == "greater" else (RIGHT_B, RIGHT_A)
    result = nstar.compare(a, b, alternative=alternative)
    assert result.is_underpowered
    two_sided = nstar.compare(a, b)
    assert result.exaggeration is not None
    assert two_sided.exaggeration is not None
    assert 1 < result.exaggeration < two_sided.exaggeration


def test_exaggeration_follows_the_verdict() -> None:
    assert nstar.compare(RIGHT_A, RIGHT_B, alpha=0.01).exaggeration is None
    strong = nstar.compare(np.tile(RIGHT_A, 4), np.tile(RIGHT_B, 4))
    assert strong.verdict == "better"
    assert not strong.is_underpowered
    assert strong.exaggeration is None


def test_holm_may_remove_the_exaggeration() -> None:
    scores = [*RIGHT_A, *RIGHT_B]
    rows = {
        "task": np.repeat(["one", "two", "three"], 1400).tolist(),
        "item": [*range(700), *range(700)] * 3,
        "model": (["x"] * 700 + ["y"] * 700) * 3,
        "score": scores * 3,
    }
    tasks = nstar.compare(rows, a="x", b="y").tasks
    assert {task.verdict for task in tasks} == {"inconclusive"}
    assert [task.exaggeration for task in tasks] == [None] * 3
