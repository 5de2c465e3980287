"""``compare`` on 0/1 scores: by hand, by symmetry, at the edges; every form of input."""

import math
from dataclasses import replace
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from helpers.strategies import Cells, paired_cells
from nstar import compare
from nstar._base.types import Array
from nstar._data.align import matrices as aligned
from nstar._data.matrix import ScoreMatrix
from nstar._data.table import Table
from nstar._verbs.compare import Comparison
from nstar.errors import DataError, ParameterError
from nstar.report import render

NAN = float("nan")
Z = NormalDist().inv_cdf(0.975)
K = Z + NormalDist().inv_cdf(0.8)


def scores(n11: int, n10: int, n01: int, n00: int) -> tuple[Array, Array]:
    cells = np.repeat([[1.0, 1], [1, 0], [0, 1], [0, 0]], [n11, n10, n01, n00], axis=0)
    return cells[:, 0], cells[:, 1]


def one(comparison: Comparison) -> Any:
    assert len(comparison.tasks) == 1
    return comparison.tasks[0]


def mid_p(gained: int, lost: int) -> float:
    n, k = gained + lost, max(gained, lost)
    tail = sum(math.comb(n, i) for i in range(k, n + 1))
    return (2 * tail - math.comb(n, k)) / 2**n


# --- numbers ------------------------------------------------------------------------------


def connor(delta: float, psi: float) -> float:
    """Items needed (Connor 1987), which for so many discordant items is all there is to it."""
    return ((Z * math.sqrt(psi) + (K - Z) * math.sqrt(psi - delta**2)) / delta) ** 2


def test_a_binary_pair_by_hand() -> None:
    pair = one(compare(*scores(40, 30, 12, 18)))
    assert pair.is_binary
    assert (pair.n_items, pair.mean_a, pair.mean_b) == (100, 0.7, 0.52)
    assert pair.gap == pytest.approx(0.18)
    assert pair.counts is not None
    assert pair.counts.psi == pytest.approx(0.42)
    sigma = math.sqrt(0.42 - 0.18**2)
    assert pair.sigma == pytest.approx(sigma)
    assert pair.t == pytest.approx(0.18 * 10 / sigma)
    assert pair.pvalue == pair.pvalue_midp == pytest.approx(mid_p(30, 12))
    assert pair.pvalue_exact == pytest.approx(
        2 * sum(math.comb(42, i) for i in range(30, 43)) / 2**42
    )
    assert pair.n_star == pytest.approx(connor(0.18, 0.42))
    assert pair.q == pytest.approx(100 / pair.n_star)
    low, high = (connor(float(gap), 0.42) for gap in pair.ci)
    assert pair.n_star_ci == pytest.approx((high, low))
    assert pair.q_ci == pytest.approx((100 / low, 100 / high))
    assert pair.verdict == "better"
    assert pair.is_resolved == (pair.q >= 1)
    assert pair.pvalue_t is None
    assert pair.pvalue_signflip is None
    assert pair.pvalue_adjusted == pair.pvalue


def test_the_mde_is_the_gap_that_needs_these_items() -> None:
    pair = one(compare(*scores(628, 86, 78, 208)))
    assert pair.mde is not None
    assert connor(pair.mde, 0.164) == pytest.approx(1000)
    assert pair.mde_lower_bound is None


def test_a_declared_gap_uses_the_noise_only() -> None:
    pair = one(compare(*scores(628, 86, 78, 208), delta=0.02))
    assert pair.n_star_at_delta == pytest.approx(connor(0.02, 0.164))
    assert pair.q_at_delta == pytest.approx(1000 / pair.n_star_at_delta)
    assert pair.more_items == math.ceil(pair.n_star_at_delta) - 1000
    assert pair.more_items < math.ceil(pair.n_star) - 1000


@given(paired_cells())
def test_first_minus_second(cells: Cells) -> None:
    a, b = scores(*cells)
    there, back = one(compare(a, b)), one(compare(b, a))
    assert there.gap == pytest.approx(-back.gap, abs=1e-15)
    assert there.ci == pytest.approx((-back.ci[1], -back.ci[0]), abs=1e-12)
    assert (there.pvalue, there.pvalue_exact, there.mde, there.n_star) == pytest.approx(
        (back.pvalue, back.pvalue_exact, back.mde, back.n_star), nan_ok=True
    )
    swap = {"better": "worse", "worse": "better"}
    assert there.verdict == swap.get(back.verdict, back.verdict)


@given(paired_cells())
def test_whatever_the_table_every_number_is_one(cells: Cells) -> None:
    pair = one(compare(*scores(*cells), margin=0.05, delta=0.02))
    assert -1 <= pair.ci.low <= pair.gap + 1e-12
    assert pair.gap - 1e-12 <= pair.ci.high <= 1
    assert 0 < pair.pvalue <= 1
    assert pair.se >= 0
    assert pair.mde is None or 0 < pair.mde <= 1
    assert (pair.q is None) == (pair.se == 0)
    assert pair.rho is None or -1 <= pair.rho <= 1
    assert pair.few_items == (cells.n < 10)
    if pair.verdict in ("better", "worse"):
        assert pair.pvalue <= 0.05
        assert not pair.ci.low <= 0 <= pair.ci.high


def test_order_of_items_is_nothing() -> None:
    a, b = scores(40, 30, 12, 18)
    mixed = np.random.default_rng(1).permutation(100)
    assert one(compare(a, b)) == one(compare(a[mixed], b[mixed]))


# --- edges --------------------------------------------------------------------------------


def test_identical_models_are_not_said_to_be_equal() -> None:
    pair = one(compare(*scores(60, 0, 0, 40)))
    assert (pair.gap, pair.se, pair.pvalue, pair.t) == (0, 0, 1, 0)
    bound = Z * Z / (100 + Z * Z)
    assert pair.ci == pytest.approx((-bound, bound))
    assert (pair.mde, pair.q, pair.q_ci, pair.more_items) == (None, None, None, None)
    assert pair.n_star == math.inf
    assert pair.mde_lower_bound is not None
    assert 0 < pair.mde_lower_bound < 1
    assert pair.verdict == "inconclusive"
    assert not pair.is_resolved
    assert pair.unanimous


def test_a_gap_of_zero_needs_no_number_of_items() -> None:
    pair = one(compare(*scores(50, 20, 20, 10)))
    assert (pair.gap, pair.q, pair.n_star, pair.more_items) == (0, 0, math.inf, None)
    assert pair.mde is not None
    assert pair.verdict == "inconclusive"


def test_all_items_discordant_one_way() -> None:
    pair = one(compare(np.ones(30), np.zeros(30)))
    assert pair.verdict == "better"
    assert pair.estimate.pvalue_method == "McNemar exact"
    assert pair.pvalue == pair.pvalue_exact == pytest.approx(2 / 2**30)
    assert pair.t == math.inf
    assert (pair.q, pair.is_resolved, pair.rho) == (None, False, None)


def test_one_item() -> None:
    pair = one(compare([1], [0]))
    assert pair.n_items == 1
    assert pair.pvalue == 1
    assert pair.verdict == "inconclusive"
    assert pair.few_items


def test_constant_models_have_no_correlation() -> None:
    pair = one(compare([1, 1, 1, 1], [1, 0, 1, 0]))
    assert pair.rho is None
    assert pair.rho_ci is None


def test_dense_disagreement_takes_the_exact_test() -> None:
    pair = one(compare(*scores(1, 9, 8, 1)))
    assert pair.pvalue == pair.pvalue_exact
    assert pair.pvalue_midp != pair.pvalue_exact


@pytest.mark.parametrize(("gained", "lost"), [(9, 1), (1, 9), (5, 5), (0, 0), (30, 12)])
def test_one_sided_p_is_the_upper_tail(gained: int, lost: int) -> None:
    pair = one(compare(*scores(40, gained, lost, 10), alternative="greater"))
    n = gained + lost
    above = sum(math.comb(n, i) for i in range(gained + 1, n + 1)) / 2**n
    at = math.comb(n, gained) / 2**n
    assert pair.pvalue_exact == pytest.approx(above + at)
    assert pair.pvalue_midp == pytest.approx(above + at / 2 if n else 1)
    assert pair.confidence_level == pytest.approx(0.9)


def test_one_side_shows_better_only() -> None:
    assert one(compare(*scores(40, 30, 12, 18), alternative="greater")).verdict == "better"
    behind = one(compare(*scores(40, 12, 30, 18), alternative="greater"))
    assert behind.verdict == "inconclusive"
    assert (behind.q, behind.n_star, behind.is_resolved) == (0, math.inf, False)


def test_one_side_at_a_level_of_one_half() -> None:
    with pytest.raises(ParameterError, match=r"below 0\.5"):
        compare([1, 0], [0, 1], alpha=0.6, alternative="greater")


# --- input --------------------------------------------------------------------------------


def test_missing_scores_are_dropped_in_pairs() -> None:
    pair = one(compare([1, 0, NAN, 1, 1], [0, NAN, 1, 1, 1]))
    assert pair.n_items == 3
    assert pair.gap == pytest.approx(1 / 3)
    assert (pair.missing_items.n_only_a, pair.missing_items.n_only_b) == (1, 1)


def matrices() -> tuple[ScoreMatrix, ScoreMatrix]:
    a = ScoreMatrix.from_arrays(
        [[1, 0, 1, 1]], models=["x"], items=list("pqrs"), groups={"g": list("1122")}
    )
    b = ScoreMatrix.from_arrays(
        [[0, 1, 0, 1]], models=["y"], items=list("rqtp"), groups={"g": list("2131")}
    )
    return a, b


def test_two_matrices_are_paired_by_item() -> None:
    result = compare(*matrices())
    pair = one(result)
    assert result.models == ("x", "y")
    # p: 1 and 1, q: 0 and 1, r: 1 and 0
    assert (pair.n_items, pair.mean_a, pair.mean_b) == (
        3,
        pytest.approx(2 / 3),
        pytest.approx(2 / 3),
    )
    assert (pair.missing_items.n_only_a, pair.missing_items.n_only_b) == (1, 1)
    assert {r.group: r.n_items for r in pair.breakdowns[0].groups} == {"1": 2, "2": 1}


def test_two_matrices_must_agree_on_groups() -> None:
    a, b = matrices()
    other = ScoreMatrix.from_arrays([[1]], models=["y"], items=["p"], groups={"g": ["2"]})
    with pytest.raises(DataError, match="is in g '1' for the first model but in '2'"):
        compare(a, other)
    assert one(compare(a, b, a="one", b="two")).n_items == 3


def test_two_rows_of_one_matrix() -> None:
    grades = np.array([[1, 1, 0], [0.5, 0.5, 0.5], [0, 1, 1]])
    m = ScoreMatrix.from_arrays(grades, models=["x", "y", "z"])
    pair = one(compare(m, a="x", b="z"))
    assert pair.is_binary  # a third model's grades are none of their business
    assert pair.gap == 0
    two = ScoreMatrix.from_arrays([[1, 1, 0], [0, 1, 1]], models=["x", "z"])
    assert compare(two).models == ("x", "z")


def test_runs_that_are_single_among_these_two_stay_binary() -> None:
    cells = np.array([[[1, NAN], [0, NAN]], [[0, NAN], [0, NAN]], [[1, 0], [1, 1]]])
    m = ScoreMatrix.from_arrays(cells, models=["x", "y", "z"])
    assert one(compare(m, a="x", b="y")).is_binary
    assert not one(compare(m, a="x", b="z")).is_binary


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, 0], [1]), "a has 2 scores but b has 1.*paired by position"),
        (([1, NAN], [NAN, 1]), "No shared items.*Check that task"),
        (([], []), "No shared items"),
        (([NAN], [1]), "No shared items"),
        (([1, math.inf], [1, 0]), "infinity"),
        (([1, "a"], [0, "b"]), "must be numbers"),
        (([[[1]]], [1]), "1 dimension .items. or 2"),
        ((matrices()[0], [1, 0]), "same form"),
        (([1, 0], None), "The scores must be of two models"),
        ((ScoreMatrix.from_arrays([[1], [0], [1]], models=list("xyz")), None), "models found"),
        (
            (ScoreMatrix.from_arrays([[1], [0]], models=list("xy")), matrices()[0]),
            "a contains 2 models",
        ),
    ],
)
def test_what_cannot_be_compared(arguments: tuple[object, object], message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        compare(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"delta": 2}, r"delta must be in \(0, 1\), a proportion; got 2"),
        ({"margin": 0}, "margin must be"),
        ({"margin": -0.1}, "margin must be"),
        ({"strata": "g", "cluster": "g"}, "not both"),
        ({"strata": "g"}, "No group column .*Available: none"),
        ({"groups": {"g": ["a"]}}, "must have one label per item; got 1 for 2 items"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, object], message: str) -> None:
    with pytest.raises((DataError, ParameterError), match=message):
        compare([1, 0], [0, 1], **options)  # type: ignore[arg-type]


def test_a_matrix_brings_its_own_groups() -> None:
    with pytest.raises(ParameterError, match="one label per item, which works only with arrays"):
        compare(*matrices(), groups={"g": [1, 2, 3]})
    with pytest.raises(ParameterError, match="one label per item, which works only with arrays"):
        compare(*matrices(), cluster=[1, 2, 3])


def test_a_model_against_itself() -> None:
    m = ScoreMatrix.from_arrays([[1], [0]], models=["x", "y"])
    with pytest.raises(DataError, match="Both models are x"):
        compare(m, a="x", b="x")


# --- several tasks ------------------------------------------------------------------------


def task(name: str, cells: tuple[int, int, int, int], model: str = "b") -> ScoreMatrix:
    return ScoreMatrix.from_arrays(np.stack(scores(*cells)), models=["a", model], task=name)


TASKS = [
    task("clear", (40, 40, 10, 10)),
    task("weak", (40, 30, 14, 16)),
    task("lost", (40, 10, 40, 10)),
    task("even", (40, 20, 20, 20)),
]


def test_holm_over_tasks() -> None:
    result = compare(TASKS, a="a", b="b")
    assert result.adjust == "holm"
    p = sorted(pair.pvalue for pair in result.tasks)
    adjusted = {pair.task: pair.pvalue_adjusted for pair in result.tasks}
    assert adjusted["clear"] == adjusted["lost"] == pytest.approx(4 * p[0])
    assert adjusted["weak"] == pytest.approx(2 * p[2])
    assert [pair.verdict for pair in result.tasks] == ["better", "better", "worse", "inconclusive"]


def test_significant_alone_but_not_among_others() -> None:
    weak = task("weak", (40, 30, 15, 15))
    alone = one(compare([weak], a="a", b="b"))
    assert alone.verdict == "better"
    among = compare([weak, TASKS[3], replace(TASKS[3], task="also")], a="a", b="b").tasks[0]
    assert among.pvalue == alone.pvalue <= 0.05 < among.pvalue_adjusted
    assert among.verdict == "inconclusive"
    assert among.ci == alone.ci


def test_tasks_without_both_models_are_named() -> None:
    extra = task("other", (1, 1, 1, 1), model="c")
    result = compare([TASKS[0], extra], a="a", b="b")
    assert len(result.tasks) == 1
    assert result.adjust is None
    assert [f.code for f in result.findings] == ["task-left-out"]
    assert "other" in result.findings[0].text


def test_no_task_at_all() -> None:
    with pytest.raises(DataError, match=r"no model 'nobody'\. Available: a, b"):
        compare([TASKS[0]], a="a", b="nobody")
    apart = [replace(TASKS[0], models=("a", "x")), replace(TASKS[1], models=("b", "x"))]
    with pytest.raises(DataError, match="share no items on any of 2 tasks"):
        compare(apart, a="a", b="b")


def test_an_error_names_the_task() -> None:
    with pytest.raises(DataError, match="clear: No group column g for cluster"):
        compare(TASKS, a="a", b="b", cluster="g")


def test_mixed_tasks() -> None:
    graded = ScoreMatrix.from_arrays(
        np.random.default_rng(0).random((2, 40)), models=["a", "b"], task="graded"
    )
    result = compare([TASKS[0], graded], a="a", b="b")
    assert [pair.is_binary for pair in result.tasks] == [True, False]


def test_where_less_is_better_the_words_turn_round() -> None:
    scores = [[1.0] * 30 + [2.0] * 10, [3.0] * 40]
    matrix = replace(
        ScoreMatrix.from_arrays(scores, models=["a", "b"], metric="loss"), lower_is_better=True
    )
    result = compare(matrix, a="a", b="b")
    assert result.tasks[0].gap < 0
    assert result.tasks[0].verdict == "better"
    text = " ".join(render(result).split())
    assert text.startswith("a beats b by 1.75")
    assert "a lower score is better" in text
    less = compare(matrix, a="a", b="b", alternative="less")
    assert less.tasks[0].verdict == "better"
    assert less.tasks[0].pvalue == pytest.approx(result.tasks[0].pvalue / 2)
    assert "observed gap below −" in " ".join(render(less).split())
    greater = compare(matrix, a="a", b="b", alternative="greater")
    assert greater.tasks[0].verdict == "inconclusive"
    assert render(greater).startswith("Inconclusive: a scores 1.75 below b (90% CI")


GRADED = np.random.default_rng(5).random((2, 60)) ** [[1.0], [1.3]]


@pytest.mark.parametrize(
    ("x", "y"), [([1, 1, 1, 0, 1, 0], [0, 1, 0, 1, 0, 0]), GRADED, (GRADED[0], 0 * GRADED[1])]
)
@pytest.mark.parametrize("cluster", [False, True])
def test_less_mirrors_greater(x: Any, y: Any, *, cluster: bool) -> None:
    groups = (np.arange(np.size(x)) // 2).tolist() if cluster else None
    less = compare(x, y, alternative="less", cluster=groups).tasks[0]
    greater = compare(y, x, alternative="greater", cluster=groups).tasks[0]
    assert less.pvalue == pytest.approx(greater.pvalue)
    assert (less.pvalue_midp, less.pvalue_exact, less.pvalue_t) == pytest.approx(
        (greater.pvalue_midp, greater.pvalue_exact, greater.pvalue_t)
    )
    assert less.ci == pytest.approx((-greater.ci.high, -greater.ci.low))
    assert (less.n_star, less.q) == pytest.approx((greater.n_star, greater.q))
    word = {"better": "worse", "worse": "better"}
    assert less.verdict == word.get(greater.verdict, greater.verdict)


def test_matrices_of_different_things_are_not_paired() -> None:
    one, two = (
        ScoreMatrix.from_arrays([[1, 0]], models=[m], task=t) for m, t in (("a", "t"), ("b", "u"))
    )
    with pytest.raises(DataError, match="a has task 't', but b has 'u'"):
        compare(one, two)
    with pytest.raises(DataError, match="a has metric 'score', but b has 'f1'"):
        compare(one, replace(one, metric="f1"))
    assert compare(one, replace(two, task="")).tasks[0].task == "t"


def test_rows_that_contradict_each_other_are_refused_in_python_too() -> None:
    table = Table.from_columns(model=list("aab"), item=list("qqq"), score=[1, 0, 1])
    with pytest.raises(DataError, match="1 row conflicts"):
        compare(aligned(table)[0], a="a", b="b")
    settled = aligned(table, duplicates="first")[0]
    assert compare(settled, a="a", b="b").tasks[0].n_items == 1


def test_a_gap_as_text_is_refused() -> None:
    with pytest.raises(ParameterError, match=r"margin must be a number; got '2pp'\. Use 0\.02"):
        compare([1, 0, 1], [0, 0, 1], margin="2pp")  # type: ignore[arg-type]


# --- to JSON and back ---------------------------------------------------------------------

GROUPS = ["x", "y", "z"] * 8
UP, DOWN = scores(10, 6, 3, 5)
RUNS = np.array([[[1.0, 0], [1, 1]], [[0, 1], [0, NAN]]])
EDGES: dict[str, Comparison] = {
    "equal": compare(UP, UP),
    "one item": compare([1], [0]),
    "one graded item": compare([0.3], [0.1]),
    "all one way": compare([1] * 9, [0] * 9, margin=0.1, delta=0.05),
    "all the other way": compare([0] * 9, [1] * 9),
    "graded, no spread": compare([0.3] * 9, [0.1] * 9, margin=0.1, delta=0.05),
    "clusters": compare(UP, DOWN, cluster=GROUPS),
    "clusters that agree": compare([1] * 24, [0] * 24, cluster=GROUPS),
    "strata": compare(UP, DOWN, strata=GROUPS, margin=0.1),
    "two values": compare(100 * UP, 100 * DOWN),
    "range unknown": compare(30 * UP + 7, 20 * DOWN + np.arange(24)),
    "missing": compare([1, 0, NAN, 1, 0], [1, NAN, 0, 0, 1]),
    "one side": compare(UP, DOWN, alternative="greater", seed=1),
    "runs": compare(ScoreMatrix.from_arrays(RUNS, models=["a", "b"])),
}


@pytest.mark.parametrize("case", EDGES)
def test_reads_back_as_it_was(case: str) -> None:
    found = EDGES[case]
    again = Comparison.from_json(found.to_json())
    assert again == found
    assert str(again) == str(found)
    assert again.to_dict() == found.to_dict()


def test_a_sign_that_json_cannot_show_is_kept() -> None:
    found = EDGES["all the other way"]
    assert found.to_dict()["tasks"][0]["t"] is None
    assert one(Comparison.from_json(found.to_json())).t == -math.inf
    assert one(EDGES["all one way"]).t == math.inf


def test_no_items_suffice() -> None:
    pair = one(Comparison.from_json(EDGES["equal"].to_json()))
    assert pair.n_star == math.inf
    assert pair.n_star_ci == (math.inf, math.inf)
