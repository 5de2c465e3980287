"""Tests of two models that the user chose by name."""

import json
import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import nstar
from nstar._base.types import Array
from nstar.errors import DataError, QuestionError

reference: Any = stats
"""SciPy's functions, whose overloads do not accept a side that is only a string."""

SIDES = ("two-sided", "greater", "less")
RNG = np.random.default_rng(5)
A, B = RNG.beta(4, 3, 70), RNG.beta(3, 3, 70)
SMALL = np.array([0.9, -0.4, 1.3, 0.2, -0.7, 0.6, 1.1, -0.1, 0.35, 0.8])
RIGHT_A = np.repeat([1.0, 1.0, 0.0, 0.0], [40, 18, 7, 15])
RIGHT_B = np.repeat([1.0, 0.0, 1.0, 0.0], [40, 18, 7, 15])
NAMES = ("wilcoxon", "t", "sign-flip", "bootstrap", "mcnemar-exact", "mcnemar-midp")


def pvalue(a: Any, b: Any, test: str, side: str = "two-sided", **options: Any) -> float:
    result = nstar.compare(a, b, test=test, alternative=side, **options)  # type: ignore[arg-type]
    return float(result.pvalue)


@pytest.mark.parametrize("side", SIDES)
def test_t_agrees_with_scipy(side: str) -> None:
    for a, b in ((A, B), (RIGHT_A, RIGHT_B)):
        expected = reference.ttest_rel(a, b, alternative=side)
        assert pvalue(a, b, "t", side) == pytest.approx(expected.pvalue, rel=1e-9)
    two_sided = nstar.compare(RIGHT_A, RIGHT_B, test="t")
    interval = reference.ttest_rel(RIGHT_A, RIGHT_B).confidence_interval()
    assert two_sided.ci == pytest.approx([interval.low, interval.high])
    assert two_sided.df == RIGHT_A.size - 1


@pytest.mark.parametrize("side", SIDES)
def test_wilcoxon_agrees_with_scipy(side: str) -> None:
    for a, b in ((A, B), (B, A)):
        expected = reference.wilcoxon(a, b, alternative=side, method="exact")
        assert pvalue(a, b, "wilcoxon", side) == pytest.approx(expected.pvalue, rel=1e-9)
    a, b = RNG.random((2, 300))
    expected = reference.wilcoxon(a, b, alternative=side, method="asymptotic")
    assert pvalue(a, b, "wilcoxon", side) == pytest.approx(expected.pvalue, rel=1e-9)


@pytest.mark.parametrize("side", SIDES)
def test_wilcoxon_follows_the_ranks_and_not_the_mean(side: str) -> None:
    d = np.array([-1.0, -2, -3, -4, -5, -6, 40])  # the mean and the ranks have opposite signs
    expected = reference.wilcoxon(d, alternative=side, method="exact")
    assert pvalue(d, 0 * d, "wilcoxon", side) == pytest.approx(expected.pvalue, rel=1e-12)


def test_wilcoxon_ties_differences_that_are_equal_but_for_rounding() -> None:
    a, b = np.array([0.3, 0.7, 0.9, 0.1]), np.array([0.1, 0.5, 0.7, 0.6])
    exact = reference.permutation_test(
        (np.array([2.0, 2, 2, -4]),),  # ranks, of which three are equal
        np.sum,
        permutation_type="samples",
        n_resamples=10**5,
    )
    assert pvalue(a, b, "wilcoxon") == pytest.approx(exact.pvalue)


@pytest.mark.parametrize("side", ["two-sided", "greater"])
def test_sign_flips_agree_with_enumeration(side: str) -> None:
    d = SMALL
    sums = np.array([np.dot(signs, d) for signs in product((-1, 1), repeat=d.size)])
    far = sums >= d.sum() - 1e-9 if side == "greater" else np.abs(sums) >= abs(d.sum()) - 1e-9
    assert pvalue(d, 0 * d, "sign-flip", side) == pytest.approx(far.mean())
    assert pvalue(A, B, "sign-flip") == nstar.compare(A, B).pvalue


@pytest.mark.parametrize("side", SIDES)
def test_mcnemar_agrees_with_scipy(side: str) -> None:
    p = reference.binomtest(18, 25, 0.5, alternative=side).pvalue
    assert pvalue(RIGHT_A, RIGHT_B, "mcnemar-exact", side) == pytest.approx(p, rel=1e-9)
    sides = 2 if side == "two-sided" else 1
    half = sides * reference.binom.pmf(18, 25, 0.5) / 2
    assert pvalue(RIGHT_A, RIGHT_B, "mcnemar-midp", side) == pytest.approx(p - half, rel=1e-9)
    exact = nstar.compare(RIGHT_A, RIGHT_B, test="mcnemar-exact")
    assert exact.ci == nstar.compare(RIGHT_A, RIGHT_B).ci
    assert exact.pvalue == exact.pvalue_exact


@pytest.mark.parametrize("side", SIDES)
def test_the_bootstrap_agrees_with_scipy(side: str) -> None:
    d = A - B

    def reject(x: Array, axis: int) -> Any:
        return x.mean(axis=axis) - d.mean()

    draws = reference.bootstrap(
        (d,), reject, vectorized=True, n_resamples=20_000, rng=1
    ).bootstrap_distribution
    expected = {
        "two-sided": np.mean(np.abs(draws) >= abs(d.mean())),
        "greater": np.mean(draws >= d.mean()),
        "less": np.mean(draws <= d.mean()),
    }[side]
    assert pvalue(A, B, "bootstrap", side) == pytest.approx(expected, abs=0.012)
    result = nstar.compare(A, B, test="bootstrap")
    interval = reference.bootstrap(
        (d,), np.mean, method="percentile", n_resamples=20_000, rng=1
    ).confidence_interval
    assert result.ci == pytest.approx([interval.low, interval.high], abs=0.004)


@pytest.mark.parametrize("test", NAMES)
@pytest.mark.parametrize("side", SIDES)
def test_order_of_items_and_of_models_does_not_matter(test: str, side: str) -> None:
    a, b = (RIGHT_A, RIGHT_B) if test.startswith("mcnemar") else (A, B)
    result = nstar.compare(a, b, test=test, alternative=side)  # type: ignore[arg-type]
    order = np.random.default_rng(2).permutation(a.size)
    shuffled = nstar.compare(a[order], b[order], test=test, alternative=side)  # type: ignore[arg-type]
    assert shuffled.pvalue == pytest.approx(result.pvalue, rel=1e-12)
    assert shuffled.ci == pytest.approx(result.ci)
    other: Any = {"two-sided": "two-sided", "greater": "less", "less": "greater"}[side]
    swapped = nstar.compare(b, a, test=test, alternative=other)  # type: ignore[arg-type]
    assert swapped.pvalue == pytest.approx(result.pvalue, rel=1e-12)
    assert swapped.ci == pytest.approx((-result.ci.high, -result.ci.low))


@pytest.mark.parametrize("test", NAMES)
def test_only_the_interval_and_the_p_value_change(test: str) -> None:
    default = nstar.compare(RIGHT_A, RIGHT_B).to_dict()["tasks"][0]
    named = nstar.compare(RIGHT_A, RIGHT_B, test=test).to_dict()["tasks"][0]  # type: ignore[arg-type]
    assert default.keys() == named.keys()
    changed = {key for key in default if default[key] != named[key]}
    own = {"estimate", "pvalue", "pvalue_adjusted", "ci", "se", "df", "t"}
    own |= {"verdict", "exaggeration", "is_underpowered", "is_resolved"}  # follow the p-value
    assert changed <= own


@pytest.mark.parametrize("test", NAMES)
def test_models_with_equal_scores_have_a_p_value_of_1(test: str) -> None:
    assert nstar.compare([1.0, 0, 1, 0], [1.0, 0, 1, 0], test=test).pvalue == 1  # type: ignore[arg-type]


def test_seed_changes_the_bootstrap() -> None:
    first, second = (nstar.compare(A, B, test="bootstrap", seed=seed) for seed in (1, 2))
    assert first.ci != second.ci
    assert first.ci == nstar.compare(A, B, test="bootstrap", seed=1).ci


@pytest.mark.parametrize("test", NAMES)
def test_json_names_the_test(test: str) -> None:
    result = nstar.compare(RIGHT_A, RIGHT_B, test=test)  # type: ignore[arg-type]
    answer = json.loads(result.to_json())
    assert answer["test"] == test
    assert answer["tasks"][0]["estimate"]["pvalue_method"] == result.estimate.pvalue_method
    assert nstar.Comparison.from_json(result.to_json()) == result


@pytest.mark.parametrize(
    "other",
    [
        {"strata": list("aabb")},
        {"cluster": list("aabb")},
        {"weights": [1.0, 2, 1, 2]},
    ],
)
def test_groups_and_weights_are_refused(other: dict[str, Any]) -> None:
    with pytest.raises(QuestionError, match="test of independent items"):
        nstar.compare([1.0, 0, 1, 0], [0.0, 0, 1, 1], test="t", **other)


def test_threshold_is_refused() -> None:
    with pytest.raises(QuestionError, match="test of independent items"):
        nstar.compare([1.0, 0, 1, 0], threshold=0.5, test="t")


@pytest.mark.parametrize("test", ["mcnemar-exact", "mcnemar-midp"])
def test_mcnemar_needs_0_1_scores_with_one_run(test: Any) -> None:
    with pytest.raises(DataError, match=r'these scores are graded\. Use test="sign-flip"'):
        nstar.compare(A, B, test=test)
    runs = np.array([[1.0, 0], [0, 0], [1, 1]])
    with pytest.raises(DataError, match="one score per item"):
        nstar.compare(runs, runs[::-1], test=test)


@pytest.mark.parametrize("test", ["t", "bootstrap"])
@pytest.mark.parametrize("n", [1, 5])
def test_equal_differences_are_refused(test: Any, n: int) -> None:
    with pytest.raises(DataError, match="every item shows the same gap"):
        nstar.compare(np.full(n, 0.75), np.full(n, 0.25), test=test)


def test_missing_scores_are_tested_by_the_named_test() -> None:
    a, b = RIGHT_A.copy(), RIGHT_B.copy()
    a[:4] = math.nan
    for test in ("mcnemar-exact", "wilcoxon", "bootstrap"):
        result = nstar.compare(a, b, test=test, score_range=(-1, 1))
        assert result.missing_effect in (None, "undo", "reverse")


def test_several_tasks_are_each_tested_by_the_named_test() -> None:
    rows = {
        "task": ["one"] * 160 + ["two"] * 160,
        "item": [*range(80), *range(80)] * 2,
        "model": (["x"] * 80 + ["y"] * 80) * 2,
        "score": [*RIGHT_A, *RIGHT_B, *RIGHT_A, *RIGHT_B[::-1]],
    }
    result = nstar.compare(rows, a="x", b="y", test="t")
    assert {pair.estimate.pvalue_method for pair in result.tasks} == {"paired t"}
    assert "(by the paired t test, Holm-adjusted)" in " ".join(result.render().split())


# --- report -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("test", "words"),
    [
        ("wilcoxon", "by the Wilcoxon signed-rank test"),
        ("t", "by the paired t test"),
        ("sign-flip", "by the sign-flip test"),
        ("bootstrap", "by the bootstrap"),
        ("mcnemar-exact", "by McNemar's exact test"),
        ("mcnemar-midp", "by McNemar's mid-p test"),
    ],
)
def test_the_first_sentence_names_the_test(test: Any, words: str) -> None:
    result = nstar.compare(RIGHT_A, RIGHT_B, test=test)
    for level in ("brief", "short", "full"):
        text = " ".join(result.render(level=level).split())
        assert words in text.partition(" items)")[0]
    assert words in " ".join(result.render(paragraph=True).split())
    assert "those of the default test" in " ".join(result.render().split())
    assert "By the default test, an" in " ".join(result.render().split()) or result.is_underpowered


def test_notes_say_what_a_test_means() -> None:
    text = " ".join(nstar.compare(A, B, test="wilcoxon").render().split())
    assert "symmetric about zero. It does not test the mean" in text
    text = " ".join(nstar.compare(A, B, test="bootstrap", seed=4).render().split())
    assert "9,999 bootstrap resamples each (seed 4)" in text
    text = " ".join(nstar.compare(A, B, test="sign-flip").render(level="full").split())
    assert "default test" not in text.replace("p-value of the default test", "")


def test_the_default_is_not_named() -> None:
    result = nstar.compare(RIGHT_A, RIGHT_B)
    assert result.test is None
    assert "by McNemar" not in result.render(level="full")
