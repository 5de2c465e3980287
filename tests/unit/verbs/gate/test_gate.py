"""The answers of a gate, against direct tests and brute fillings of what is missing."""

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import nstar
from helpers.comparisons import cells
from nstar import ScoreMatrix, Table, gate, gate_looks, matrices, stats
from nstar._base.types import Array
from nstar._verbs.compare.sample import from_arrays
from nstar._verbs.gate import GateQuestion, History, judge
from nstar._verbs.gate.bets import bet_shares, graded_log_e, graded_sequence
from nstar._verbs.gate.fixed_look import least_items
from nstar._verbs.gate.task_gate import look, night_log_e
from nstar.errors import DataError, ParameterError

NAN = float("nan")


def tasks(**tables: tuple[int, int, int, int]) -> list[ScoreMatrix]:
    return [
        ScoreMatrix.from_arrays(cells(*table), models=["new", "old"], task=task)
        for task, table in tables.items()
    ]


@pytest.mark.parametrize(
    ("table", "margin", "answer"),
    [
        ((1200, 60, 55, 685), 0.01, "pass"),
        ((1200, 30, 100, 685), 0.01, "regression"),
        ((1200, 60, 70, 685), 0.01, "inconclusive"),
        ((12000, 60, 130, 6850), 0.01, "pass"),
        ((500, 0, 0, 0), 0.01, "pass"),
        ((200, 0, 0, 0), 0.01, "inconclusive"),
    ],
)
def test_answer(table: tuple[int, int, int, int], margin: float, answer: str) -> None:
    result = gate(*cells(*table), margin=margin)
    assert result.verdict == answer
    assert result.passed == (answer == "pass")


def test_claims_are_those_tests() -> None:
    check = gate(*cells(1200, 60, 70, 685), margin=0.01).tasks[0]
    e = check.evidence
    n = 2015
    assert e.pvalue_not_worse == pytest.approx(
        float(stats.noninferiority_pvalue(60, 70, n, margin=0.01))
    )
    assert e.pvalue_worse == pytest.approx(float(stats.mcnemar_pvalue(60, 70)) / 2)
    low, high = stats.paired_interval(60, 70, n, conf=0.9)
    assert (e.ci.low, e.ci.high) == pytest.approx((float(low), float(high)))
    assert e.is_shown_not_worse == (low > -0.01)


def test_harmless_loss_passes_and_says_so() -> None:
    result = gate(*cells(12000, 60, 130, 6850), margin=0.01)
    assert result.tasks[0].is_harmless_loss
    assert "worse than baseline, within the 1 pp margin" in repr(result)
    assert gate(*cells(12000, 60, 130, 6850), superiority=True).verdict == "regression"


def test_superiority() -> None:
    a, b = cells(500, 80, 30, 390)
    assert gate(a, b, superiority=True).verdict == "pass"
    assert gate(b, a, superiority=True).verdict == "regression"
    open_ = gate(*cells(500, 31, 30, 439), superiority=True)
    assert open_.verdict == "inconclusive"
    assert open_.tasks[0].needed_to_decide is not None
    assert open_.tasks[0].needed_to_decide.n_items_if_equal == math.inf


def test_lower_is_better_turns_everything() -> None:
    scores = cells(1200, 30, 100, 685)
    up = ScoreMatrix.from_arrays(scores, models=["new", "old"])
    down = replace(up, lower_is_better=True)
    assert gate(up, margin=0.01, a="new", b="old").verdict == "regression"
    better = gate(down, margin=0.01, a="new", b="old")
    assert better.verdict == "pass"
    assert better.tasks[0].improvement == pytest.approx(70 / 2015)


def test_several_tasks_need_every_pass() -> None:
    fine, worse, so = (1200, 60, 55, 685), (1200, 30, 100, 685), (1200, 60, 70, 685)
    names = ("new", "old")
    assert gate(tasks(a=fine, b=fine), margin=0.01, a=names[0], b=names[1]).verdict == "pass"
    assert gate(tasks(a=fine, b=so), margin=0.01, a=names[0], b=names[1]).verdict == "inconclusive"
    assert (
        gate(tasks(a=fine, b=so, c=worse), margin=0.01, a=names[0], b=names[1]).verdict
        == "regression"
    )


def test_regression_is_adjusted_over_tasks() -> None:
    alone = (400, 10, 24, 66)  # one-sided mid-p 0.0088
    calm = (400, 20, 20, 60)
    names = ("new", "old")
    assert gate(tasks(a=alone), margin=0.001, a=names[0], b=names[1]).verdict == "regression"
    many = {f"t{k}": calm for k in range(9)} | {"a": alone}
    result = gate(tasks(**many), margin=0.001, a=names[0], b=names[1])
    assert result.verdict == "inconclusive"
    check = result.tasks[-1]
    assert check.pvalue_worse_adjusted == pytest.approx(10 * check.evidence.pvalue_worse)


def test_guardrail_has_its_own_margin_and_aim() -> None:
    loss = (1200, 30, 60, 685)
    names = ("new", "old")
    for margin, answer in ((0.05, "pass"), (0.001, "regression")):
        result = gate(
            tasks(main=(500, 80, 30, 390), safety=loss),
            superiority=True,
            guardrails={"safety": margin},
            a=names[0],
            b=names[1],
        )
        assert result.verdict == answer
        assert [c.goal for c in result.tasks] == ["superiority", "non-inferiority"]
    absent = gate(
        tasks(main=loss), margin=0.05, guardrails={"safetx": 0.1}, a=names[0], b=names[1]
    )
    assert absent.verdict == "invalid_data"
    assert "safetx" in str(absent.invalid_reason)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("table", [(60, 2, 1, 20), (60, 1, 3, 20), (40, 0, 8, 20), (60, 2, 3, 9)])
@pytest.mark.parametrize("margin", [0.08, 0.16])
def test_answer_survives_every_filling(table: tuple[int, int, int, int], margin: float) -> None:
    a, b = (x.copy() for x in cells(*table))
    a[[0, -1, 61]] = NAN
    b[[1]] = NAN
    here = gate(a, b, margin=margin, missing=0.2)
    answers = {gate(*filled, margin=margin).verdict for filled in fillings(a, b)}
    if here.verdict != "inconclusive":
        assert answers == {here.verdict}
    common = ~(np.isnan(a) | np.isnan(b))
    alone = gate(a[common], b[common], margin=margin).verdict
    assert here.tasks[0].missing_items_decide == (alone != here.verdict)


def fillings(a: Array, b: Array) -> list[tuple[Array, Array]]:
    gone = [(x, i) for x in (0, 1) for i in np.flatnonzero(np.isnan((a, b)[x]))]
    out = []
    for values in itertools.product((0.0, 1.0), repeat=len(gone)):
        both = (a.copy(), b.copy())
        for (x, i), value in zip(gone, values, strict=True):
            both[x][i] = value
        out.append(both)
    return out


def test_too_much_missing_is_invalid() -> None:
    a, b = cells(300, 10, 10, 80)
    a[:30] = NAN
    result = gate(a, b, margin=0.05)
    assert (result.verdict, result.tasks) == ("invalid_data", ())
    assert "lacks 30 of 400" in str(result.invalid_reason)
    assert "set missing=0.08" in str(result.invalid_reason)
    assert gate(a, b, margin=0.05, missing=0.1).verdict != "invalid_data"


def crashed(*, kept: bool) -> ScoreMatrix:
    """A candidate without a score on the items that the baseline fails, 373 of 1,000."""
    wrong = np.arange(1000) < 373
    rows: dict[str, Any] = {
        "model": ["new"] * 1000 + ["old"] * 1000,
        "item": [f"q{k}" for k in range(1000)] * 2,
        "score": [*np.where(wrong, np.nan, 1.0), *np.where(wrong, 0.0, 1.0)],
    }
    if not kept:
        rows = {name: [*column[373:]] for name, column in rows.items()}
    return matrices(Table.from_columns(**rows))[0]


def test_a_crash_is_missing_and_the_rest_is_to_come() -> None:
    names, ask = ("new", "old"), GateQuestion(margin=0.02, monitoring="sequential", items=1000)
    lacking = r"the candidate lacks 373 of 1,000 items \(37%; limit 5%\)"
    with pytest.raises(DataError, match=lacking):
        judge([crashed(kept=True)], ask, names=names)
    growing = judge([crashed(kept=False)], ask, names=names)
    assert growing.verdict == "pass"
    assert growing.tasks[0].n_unreached == 373
    assert "373 of 1,000 baseline items have not been reached yet." in str(growing)
    with pytest.raises(DataError, match="lacks 373 of 1,000 items"):
        judge([crashed(kept=False)], replace(ask, ended=True), names=names)


def test_arrays_are_in_the_order_of_the_run() -> None:
    a, b = cells(300, 10, 10, 80)
    a[:30] = NAN
    options: dict[str, Any] = {"margin": 0.05, "items": 400}
    assert gate_looks(a, b, **options).verdict == "invalid_data"
    assert gate_looks(a[::-1], b[::-1], **options).verdict != "invalid_data"


@pytest.mark.parametrize("right", [0.0, 1.0])
def test_tried_items_count_at_their_worst(right: float) -> None:
    """Of 100 absent items 3 were tried, any 3: no choice and no score may undo the answer."""
    b = np.r_[np.ones(300), np.zeros(100), np.full(50, 1.0), np.full(50, 0.0)]
    a = np.r_[np.ones(300), np.zeros(100), np.full(100, NAN)]
    ask = GateQuestion(margin=0.05, monitoring="sequential", items=500)
    sample = from_arrays(a, b)
    looked = look(sample, ask, 3)
    assert looked.filled is not None
    held = night_log_e(looked)
    for where in (400, 450):
        full = a.copy()
        full[where : where + 3] = right
        one = night_log_e(look(from_arrays(full, b), ask))
        assert held.not_worse is not None
        assert one.not_worse is not None
        assert (held.not_worse <= one.not_worse, held.worse <= one.worse) == (True, True)


def test_sequential_needs_the_planned_items() -> None:
    with pytest.raises(ParameterError, match="need items"):
        gate_looks(*cells(300, 10, 10, 80), margin=0.05)


def rare(seed: int, n: int) -> Array:
    """Differences that are exactly 3 points worse on average, by rare and large losses."""
    rng = np.random.default_rng(seed)
    return np.where(rng.random(n) < 0.03, -1.0, rng.uniform(-0.02, 0.02, n))


def test_rare_large_losses_do_not_pass() -> None:
    """The null is true; asymptotic e-values pass 40% of such histories."""
    false = 0
    for seed in range(200):
        total = 0.0
        for night in range(20):
            d = rare(100 * seed + night, 50)
            total += math.exp(graded_log_e(d, null=-0.03, a=1.0, tail="above")) / (
                (night + 1) * (night + 2)
            )
        false += total >= 20
    assert false <= 18  # 5% of 200 and 2.6 standard errors


def test_graded_bets_are_a_mean_of_products() -> None:
    d = np.random.default_rng(1).uniform(-0.5, 0.6, 40)
    for null, tail, sign in ((-0.1, "above", 1.0), (0.05, "below", -1.0)):
        e = []
        for k in bet_shares(3.0):
            product = 1.0
            for x in d:
                product *= 1 + k * sign * (x - null) / (1 + sign * null)
            e.append(product)
        got = graded_log_e(d, null=null, a=3.0, tail=tail)  # type: ignore[arg-type]
        assert got == pytest.approx(math.log(sum(e) / len(e)), rel=1e-10)
        turned = graded_log_e(d[::-1], null=null, a=3.0, tail=tail)  # type: ignore[arg-type]
        assert turned == pytest.approx(got, rel=1e-12)
    low, high = graded_sequence(d, conf=0.9, a=3.0)
    for end, tail in ((low, "above"), (high, "below")):
        at = graded_log_e(d, null=end, a=3.0, tail=tail)  # type: ignore[arg-type]
        assert at == pytest.approx(math.log(20), abs=1e-4)


def test_graded_gates_bet() -> None:
    rng = np.random.default_rng(3)
    b = rng.uniform(0.3, 0.7, 600)
    a = b + rng.uniform(-0.1, 0.1, 600)
    options: dict[str, Any] = {"margin": 0.03, "items": 600}
    result = gate_looks(a, b, **options)
    assert (result.verdict, result.tasks[0].evidence.pvalue_method[:14]) == (
        "pass",
        "e-values of be",
    )
    wide = gate_looks(10 * a, 10 * b, **options)
    assert "rare and large" in str(wide)
    assert "rare and large" not in str(result)


def test_missing_scores_are_tried_at_the_ends_only() -> None:
    rng = np.random.default_rng(0)
    b = np.full(200, 0.5)
    a = np.clip(b + rng.normal(0, 0.003, 200), 0, 1)
    a[0] = NAN
    graded = str(gate(a, b, margin=0.05))
    assert "The verdict holds even if all of them favor either model" in " ".join(graded.split())
    x, y = (v.copy() for v in cells(1200, 60, 55, 685))
    x[0] = NAN
    assert "The verdict holds whatever their scores are" in " ".join(
        str(gate(x, y, margin=0.02)).split()
    )


def test_invalid_data() -> None:
    nothing = gate([1.0, NAN], [NAN, 1.0], margin=0.1)
    assert nothing.verdict == "invalid_data"
    assert "No shared items" in str(nothing.invalid_reason)
    fatal = nstar.types.Finding(level="fatal", code="failed-run", text="a run died")
    lost = nstar.types.Finding(level="warning", code="task-left-out", text="one task is left out")
    ask = GateQuestion(margin=0.1)
    given = tasks(a=(500, 0, 0, 0))
    with pytest.raises(DataError, match="a run died"):
        judge(given, ask, names=("new", "old"), findings=[fatal])
    with pytest.raises(DataError, match=r"one task is left out\. Set tasks to choose the tasks"):
        judge(given, ask, names=("new", "old"), findings=[lost])
    allowed = judge(given, ask, names=("new", "old"), findings=[lost], allowed=("task-left-out",))
    assert allowed.verdict == "pass"


def test_too_few_items_are_told() -> None:
    result = gate(*cells(200, 0, 0, 0), margin=0.01)
    assert result.tasks[0].identical_scores_pass is False
    headline = nstar.report.document(result).headline
    assert "At this margin, even identical scores need 268 items to pass." in headline
    better = gate(*cells(2, 5, 0, 1), margin=0.01)
    assert (better.verdict, better.tasks[0].identical_scores_pass) == ("pass", False)
    least = least_items(0.01, 1.0, 0.05)
    assert least is not None
    for n, answer in ((least - 1, "inconclusive"), (least, "pass")):
        assert gate(*cells(n, 0, 0, 0), margin=0.01).verdict == answer


@pytest.mark.parametrize("graded", [False, True])
def test_many_looks_have_numbers_of_their_own(graded: bool) -> None:
    """No number of one look; identical scores pass by e-values from ``least`` items on."""
    a, b = cells(400, 20, 22, 158)
    options: dict[str, Any] = {"margin": 0.02, "items": 600}
    if graded:
        a, b = 0.9 * a, 0.9 * b
    check = gate_looks(a, b, **options).tasks[0]
    assert (check.verdict, check.pass_probability, check.needed_to_decide) == (
        "inconclusive",
        None,
        None,
    )
    assert check.min_items_to_pass is not None
    assert check.min_items_to_pass > 133  # at one look
    for n, answer in (
        (check.min_items_to_pass - 1, "inconclusive"),
        (check.min_items_to_pass, "pass"),
    ):
        same = np.full(n, 0.9) if graded else np.ones(n)
        if graded:
            same[::2] = 0.0
        assert gate_looks(same, same, **options | {"items": 600}).verdict == answer
    gathered = gate_looks(a, b, margin=0.02, history=History())
    one = gathered.tasks[0]
    assert (one.pass_probability, one.needed_to_decide, one.min_items_to_pass) == (
        None,
        None,
        None,
    )
    assert "1 evaluation neither shows nor rules out" in " ".join(str(gathered).split())
    for text in (str(gathered), str(gate_looks(a, b, **options))):
        assert "a new run of" not in text


def test_a_margin_or_superiority() -> None:
    with pytest.raises(ParameterError, match="not both"):
        gate(*cells(500, 10, 10, 80), margin=0.01, superiority=True)
    with pytest.raises(ParameterError, match="margin must be a number"):
        gate(*cells(500, 10, 10, 80), margin="1pp")  # type: ignore[arg-type]


@pytest.mark.parametrize("more", [{}, {"items": 84}])
def test_interval_is_at_the_worst_of_missing_scores(more: dict[str, Any]) -> None:
    """The interval shown says what the answer says."""
    gate: Any = nstar.gate_looks if more else nstar.gate
    a, b = (v.copy() for v in cells(60, 2, 1, 20))
    a[[0, 30, 61]] = NAN
    whole = gate(a, b, margin=0.05, missing=0.2, **more).tasks[0]
    common = ~(np.isnan(a) | np.isnan(b))
    cases = [(a[common], b[common]), *fillings(a, b)]
    ends = [gate(*c, margin=0.05, **more).tasks[0].evidence.ci for c in cases]
    ci = whole.evidence.ci
    assert ci.low == pytest.approx(min(e.low for e in ends))
    assert ci.high == pytest.approx(max(e.high for e in ends))
    assert (ci.low > -0.05) == whole.evidence.is_shown_not_worse
    said = " ".join(str(gate(a, b, margin=0.05, missing=0.2, **more)).split())
    assert "The CI and the p-values assume the worst case for missing scores" in said


def test_several_passes_name_the_margin_and_the_closest() -> None:
    fine, near = (1200, 60, 50, 685), (1200, 60, 55, 685)
    names = ("new", "old")
    said = str(
        nstar.report.document(gate(tasks(a=fine, law=near), margin=0.01, a=names[0], b=names[1]))
    )
    assert "new is non-inferior to old at the 1 pp margin on all 2 tasks (closest: law)." in said
    two = gate(
        tasks(a=fine, law=near), margin=0.01, guardrails={"a": 0.02}, a=names[0], b=names[1]
    )
    assert "at each task's margin on all 2 tasks" in nstar.report.document(two).headline
    won = (500, 80, 30, 390)
    best = gate(tasks(a=won, b=won), superiority=True, a=names[0], b=names[1])
    assert "new beats old on all 2 tasks" in nstar.report.document(best).headline


def test_open_answers_say_what_missing_scores_did() -> None:
    a, b = (v.copy() for v in cells(1200, 60, 70, 685))
    a[0] = NAN
    open_ = " ".join(str(gate(a, b, margin=0.01)).split())
    assert "The result is inconclusive even without them" in open_
    a, b = (v.copy() for v in cells(60, 2, 1, 20))
    a[[0, -1, 61]] = NAN
    a[:5] = NAN
    undone = gate(a, b, margin=0.05, missing=0.2)
    assert undone.tasks[0].missing_items_decide
    assert "The verdict depends on them" in " ".join(str(undone).split())


def test_regression_to_come_is_told_without_holm() -> None:
    calm, loss = (400, 20, 20, 60), (400, 10, 24, 66)
    many = {f"t{k}": calm for k in range(9)} | {"a": loss}
    answer = gate(tasks(**many), margin=0.001, a="new", b="old")
    several = " ".join(answer.render(level="full").split())
    assert "without the adjustment for several tasks" in several
    assert "after Holm's adjustment for all tasks" in several
    alone = str(gate(tasks(a=(400, 18, 24, 66)), margin=0.001, a="new", b="old"))
    assert "a REGRESSION with 80% probability takes a new run of about" in " ".join(alone.split())
    assert "several tasks" not in alone


@pytest.mark.parametrize("table", [(1200, 60, 70, 685), (1200, 60, 64, 685), (300, 30, 60, 100)])
def test_settling_items_settle_it(table: tuple[int, int, int, int]) -> None:
    """As many items with the same shares, the answer promised: a rough check of size."""
    check = gate(*cells(*table), margin=0.012).tasks[0]
    if check.needed_to_decide is None:
        return
    factor = check.needed_to_decide.n_items_if_observed / sum(table)
    more = tuple(round(1.05 * factor * k) for k in table)
    assert gate(*cells(*more), margin=0.012).verdict == check.needed_to_decide.verdict_if_observed


def test_runs_that_would_settle_it() -> None:
    rng = np.random.default_rng(2)
    rate = rng.random(300)
    a, b = (rng.random((300, 4)) < rate[:, None] for _ in range(2))
    check = gate(a.astype(float), b.astype(float), margin=0.02).tasks[0]
    assert check.needed_to_decide is not None
    assert check.comparison.run_variance is not None
    assert check.comparison.run_variance.is_identified
    if check.needed_to_decide.n_runs is not None:
        assert check.needed_to_decide.n_runs > 4


@pytest.mark.parametrize("seed", range(12))
def test_laws(seed: int) -> None:
    """A wider margin never undoes a PASS; turning the sides round turns "better" round."""
    rng = np.random.default_rng(seed)
    table = rng.multinomial(600, [0.5, 0.06, 0.06 + 0.01 * (seed % 4), 0.3])
    a, b = cells(*table.tolist())
    answers = [gate(a, b, margin=m).verdict for m in (0.005, 0.02, 0.05, 0.1, 0.3)]
    assert "pass" not in answers or set(answers[answers.index("pass") :]) == {"pass"}
    one, other = (gate(*pair, superiority=True).verdict for pair in ((a, b), (b, a)))
    turned = {"pass": "regression", "regression": "pass", "inconclusive": "inconclusive"}
    assert other == turned[one]


@pytest.mark.parametrize("kind", ["strata", "cluster"])
def test_designs(kind: str) -> None:
    labels = [f"g{k}" for k in np.random.default_rng(1).integers(0, 40, 2000)]
    a, b = cells(1200, 60, 55, 685)
    result = gate(a, b, margin=0.02, groups={"g": labels}, **{kind: "g"})  # type: ignore[arg-type]
    check = result.tasks[0]
    assert check.comparison.estimate.kind == kind
    assert check.min_items_to_pass == (None if kind == "cluster" else 133)
    sequential = gate_looks(
        a,
        b,
        margin=0.02,
        groups={"g": labels},
        items=2000,
        **{kind: "g"},  # type: ignore[arg-type]
    )
    assert "asymptotic" in sequential.tasks[0].evidence.pvalue_method


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"margin": -0.01},
        {"margin": 1.5},
        {"margin": 0.01, "alpha": 0.3},
        {"margin": 0.01, "missing": 2.0},
        {"margin": 0.01, "strata": "g", "cluster": "g"},
    ],
)
def test_impossible_questions(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError):
        gate(*cells(500, 10, 10, 80), **wrong)  # type: ignore[arg-type]


def corrupt(rows: int, where: int = 0) -> Array:
    scores = np.array(cells(600, 0, 0, 400), dtype=float)
    scores[where, :rows] = 7.0
    return scores


@pytest.mark.parametrize("side", [0, 1])
@pytest.mark.parametrize("rows", [1, 20, 1000])
def test_corrupt_scores_are_invalid_in_python_too(side: int, rows: int) -> None:
    scores = corrupt(rows, side)
    plain = gate(*scores, margin=0.01)
    assert plain.verdict == "invalid_data"
    assert plain.invalid_reason is not None
    assert "outside 0–1" in plain.invalid_reason
    assert f"scores of the {('candidate', 'baseline')[side]} " in plain.invalid_reason
    assert "(7 for item number 1)" in plain.invalid_reason
    named = ScoreMatrix.from_arrays(
        scores, models=["new", "old"], items=[f"q{i}" for i in range(1000)], task="math"
    )
    told = gate(named, a="new", b="old", margin=0.01).invalid_reason
    assert told is not None
    assert told.startswith("math: ")
    assert f"({('new', 'old')[side]})" in told
    assert "7 for item 'q0'" in told


def test_scores_of_another_scale_are_not_corrupt() -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 11, (2, 400)).astype(float)
    assert gate(*scores, margin=5).verdict == "pass"
    assert gate(*(scores / 10), margin=0.5).verdict == "pass"


def test_result_shows_itself() -> None:
    result = gate(*cells(1200, 60, 55, 685), margin=0.01, a="new", b="old")
    assert repr(result).startswith("<Gate: PASS: new is non-inferior to old at the 1 pp margin")
    assert "one-sided α = 0.05" in str(result)
