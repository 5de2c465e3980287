"""Several tasks: an average that says what it averages, and how an audit shows itself."""

import itertools
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import special

from helpers.boards import board, scores, subjects
from nstar import Audit, ScoreMatrix, audit, stats
from nstar._base.types import Array
from nstar._engine.work import Execution
from nstar.errors import DataError, ParameterError

SIZES = {"one": 150, "two": 400, "three": 220}
DESIGNS: list[dict[str, Any]] = [{}, {"strata": "s"}, {"cluster": "s"}]


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.default_draws", lambda _: 999)


def tasks(*, graded: bool = False, missing: float = 0.0) -> dict[str, Array]:
    return {
        name: scores(n, models=6, items=n, graded=graded, missing=missing)
        for name, n in SIZES.items()
    }


def boards(data: dict[str, Array]) -> list[ScoreMatrix]:
    return [
        board(x, labels=subjects(1, x.shape[1], groups=9), task=name) for name, x in data.items()
    ]


def variance(d: Array, labels: list[str], declared: dict[str, Any]) -> float:
    """Squared error of a mean of per-item differences under a design."""
    codes = np.unique(labels, return_inverse=True)[1]
    parts = stats.cluster_sums(d, codes)
    if "strata" in declared:
        return float(stats.strata_variance(parts.sums, parts.squares, parts.sizes))
    if "cluster" in declared:
        return float(stats.cluster_variance(parts.sums, parts.sizes))
    return float(d.var(ddof=1)) / d.size


def by_hand(
    data: dict[str, Array], a: int, b: int, weights: dict[str, float], **how: Any
) -> tuple[float, float]:
    """Gap of averages and its standard error."""
    delta, total = 0.0, 0.0
    for name, x in data.items():
        d, labels = x[a] - x[b], np.array(subjects(1, x.shape[1], groups=9))
        there = ~np.isnan(d)
        delta += weights[name] * float(d[there].mean())
        total += weights[name] ** 2 * variance(d[there], labels[there].tolist(), **how)
    return delta, total**0.5


def satterthwaite(data: dict[str, Array], a: int, b: int, weights: dict[str, float]) -> float:
    """Degrees of freedom of a weighted sum of independent means."""
    parts = {}
    for name, x in data.items():
        d = (x[a] - x[b])[~np.isnan(x[a] - x[b])]
        parts[name] = (weights[name] ** 2 * d.var(ddof=1) / d.size, d.size - 1)
    total = sum(v for v, _ in parts.values())
    return float(total**2 / sum(v**2 / df for v, df in parts.values()))


@pytest.mark.sampled(5)
@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("declared", DESIGNS)
@pytest.mark.parametrize(("graded", "missing"), [(False, 0.0), (True, 0.0), (False, 0.1)])
def test_averages_by_hand(
    graded: bool, missing: float, declared: dict[str, Any], average: Any
) -> None:
    data = tasks(graded=graded, missing=missing)
    found = audit(boards(data), average=average, **declared)
    assert len(found.tasks) > 1
    whole = sum(SIZES.values())
    weights = {k: n / whole if average == "micro" else 1 / 3 for k, n in SIZES.items()}
    assert found.weights == pytest.approx(weights)
    means = sum(w * np.nanmean(data[k], axis=1) for k, w in weights.items())
    order = np.argsort(-np.asarray(means))
    assert found.ranking.model == tuple(f"m{k}" for k in order)
    assert found.ranking.mean == pytest.approx(np.asarray(means)[order])
    assert found.ranking.n_items.sum() == sum((~np.isnan(x)).sum() for x in data.values())
    for k, (a, b) in enumerate(itertools.pairwise(order)):
        delta, se = by_hand(data, a, b, weights, declared=declared)
        assert found.adjacent.gap[k] == pytest.approx(delta)
        assert found.adjacent.se[k] == pytest.approx(se)
        assert found.adjacent.t[k] == pytest.approx(delta / se)
        if not declared and not graded:
            df = satterthwaite(data, a, b, weights)
            p = 2 * special.stdtr(df, -abs(delta / se))
            assert found.adjacent.pvalue[k] == pytest.approx(p)
            reach = stats.t_quantile(0.975, df)
            assert found.adjacent.ci_unadjusted_low[k] == pytest.approx(delta - reach * se)
            more = 1 / stats.StudentTest().growth(delta / se, df)
            assert found.adjacent.q[k] == pytest.approx(more)
    holm = missing > 0 or "cluster" in declared
    assert found.rank_method == found.adjust == ("holm" if holm else "maxt")


def test_tasks_are_audited_on_their_own() -> None:
    matrices = boards(tasks())
    found = audit(matrices, strata="s", adjust="holm")
    assert len(found.tasks) > 1
    for matrix, one in zip(matrices, found.tasks, strict=True):
        alone = audit(matrix, strata="s", adjust="holm")
        assert one.task == matrix.task
        assert one.verdict_counts == alone.verdict_counts
        assert one.ranking.rank_high.tolist() == alone.ranking.rank_high.tolist()


def test_twice_the_same_task_is_that_task_with_twice_the_items() -> None:
    x = scores(3, items=400)
    one, two = (board(x, task=name) for name in ("one", "two"))
    both = audit([one, two], adjust="none")
    alone = audit(one, adjust="none")
    assert len(both.tasks) > 1
    assert both.adjacent.gap == pytest.approx(alone.adjacent.gap)
    unbiased = 400 / 399  # averages have divisor n - 1
    assert both.adjacent.se == pytest.approx(alone.adjacent.se * (unbiased / 2) ** 0.5)
    assert both.adjacent.q == pytest.approx(2 * alone.adjacent.q, rel=0.01)
    assert both.adjacent.rho == pytest.approx(alone.adjacent.rho, abs=1e-3)


def test_one_task_is_an_audit() -> None:
    assert isinstance(audit(boards(tasks())[:1]), Audit)
    rows = [
        {"model": m, "item": k, "task": task, "score": (k + len(m)) % 2}
        for task in ("one", "two")
        for m in ("a", "bb")
        for k in range(20 - (m == "a"))
    ]
    one = audit(rows, tasks="one")
    assert isinstance(one, Audit)
    assert [f.code for f in one.findings] == ["missing-items"]
    assert {f.code for f in audit(rows).findings} == {"missing-items"}


def test_models_that_a_task_lacks_have_no_average() -> None:
    data = tasks()
    matrices = boards(data)
    matrices[1] = board(data["two"][1:], models=[f"m{k}" for k in range(1, 6)], task="two")
    found = audit(matrices)
    assert len(found.tasks) > 1
    assert found.models_left_out == ("m0",)
    assert sorted(found.ranking.model) == ["m1", "m2", "m3", "m4", "m5"]
    assert [len(t) for t in found.tasks] == [6, 5, 6]
    some = audit(matrices, models=["m0", "m2", "m4"])
    assert len(some.tasks) > 1
    assert (some.models_left_out, sorted(some.ranking.model)) == (("m0",), ["m2", "m4"])
    assert [len(t) for t in some.tasks] == [3, 2, 3]


def test_less_may_be_better_everywhere() -> None:
    matrices = [replace(m, lower_is_better=True) for m in boards(tasks())]
    found = audit(matrices)
    assert len(found.tasks) > 1
    assert (np.diff(found.ranking.mean) >= 0).all()
    assert found.ranking.rank.tolist() == [1, 2, 3, 4, 5, 6]


def test_what_has_no_average() -> None:
    first, second, third = boards(tasks())
    wide = board(100 * scores(1, graded=True), task="wide")
    cases: list[tuple[list[ScoreMatrix], dict[str, Any], type[Exception], str]] = [
        ([], {}, ParameterError, "needs scores by model; got list"),
        ([first, wide], {}, DataError, "one ranges from 0 to 1, wide from 0 to 100"),
        (
            [first, replace(second, lower_is_better=True)],
            {},
            DataError,
            "lower is better only in two",
        ),
        ([first, first], {}, ParameterError, "Task 'one' is repeated. Pass each task once"),
        ([first, second], {"average": "median"}, ParameterError, "must be macro or micro"),
        (
            [first, second],
            {"execution": Execution(out="x")},
            ParameterError,
            "for one task only. Set tasks to one of them",
        ),
        (
            [first, board(scores(1), models=list("abcdef"), task="z")],
            {},
            DataError,
            "An average needs at least 2 models with all 2 tasks; found 0",
        ),
        ([first, replace(third, groups={})], {"cluster": "s"}, DataError, "No group column"),
    ]
    for matrices, options, error, words in cases:
        with pytest.raises(error, match=words):
            audit(matrices, **options)


def test_an_error_names_its_task() -> None:
    first, second, _ = boards(tasks())
    x = scores(1)
    x[:, :120], x[3, 120:], x[3, 0] = np.nan, np.nan, 1
    bad = board(x, task="bad")
    with pytest.raises(DataError, match=r"^bad: No item was answered by all 6 models"):
        audit([first, second, bad], items="common")


# --- how results show themselves ----------------------------------------------------------

HOSTILE = ["<script>x</script>", "a\nb", "👩‍🚀", "\ud800", "|x|", "\x1b[31mred"]


@pytest.mark.parametrize("names", [["m0", "m1", "m2", "m3", "m4", "m5"], HOSTILE])
def test_results_print_themselves(names: list[str]) -> None:
    one = board(scores(1), models=names, task="one", labels=subjects(1, 240))
    other = board(scores(2), models=names, task="<b>two</b>")
    for found in (audit(one), audit([one, other])):
        text, html = str(found), found._repr_html_()
        assert "Ranking by mean" in text or "average" in text
        assert repr(found).startswith(f"<{type(found).__name__}: ")
        assert "\n" not in repr(found)
        for shown in (text, html, repr(found)):
            shown.encode("utf-8")
            assert "\x1b" not in shown
            assert "<script>" not in html
            assert "<b>two" not in html


def test_small_tasks_keep_the_level() -> None:
    """Equal models on 20 tasks of 5 items: with divisor n the error was 8.4%, not 5%."""
    rng, pairs_, items = np.random.default_rng(5), 4000, 5
    x = (rng.random((20, 2, pairs_ * items)) < 0.6).astype(float)
    d = (x[:, 0] - x[:, 1]).reshape(20, pairs_, items)
    variance = d.var(axis=2, ddof=1) / items / 400
    variance[variance == 0] = 1 / (items + 1) ** 2 / 400  # which is not certain
    df = variance.sum(axis=0) ** 2 / (variance**2).sum(axis=0) * (items - 1)
    t = d.mean(axis=(0, 2)) / np.sqrt(variance.sum(axis=0))
    p = 2 * special.stdtr(df, -np.abs(t))
    for k in range(3):
        found = audit(
            [board(x[i, :, items * k : items * (k + 1)], task=f"t{i}") for i in range(20)]
        )
        assert found.adjacent.pvalue[0] == pytest.approx(p[k])
    assert (p <= 0.05).mean() <= 0.05 + 3 * (0.05 * 0.95 / pairs_) ** 0.5


def test_a_task_of_one_item_has_no_error() -> None:
    data = [board(np.array([[1.0], [0.0]]), task="tiny"), board(scores(1, models=2), task="two")]
    with pytest.raises(DataError, match="Task 'tiny' has only 1 item"):
        audit(data)


def test_a_task_whose_gaps_do_not_vary_is_not_certain() -> None:
    """Six items that all show one gap have the error of one more that differs."""
    data = tasks() | {"tiny": np.zeros((6, 6))}
    data["tiny"][0] = 1.0
    found = audit(boards(data))
    assert len(found.tasks) > 1
    for k, (a, b) in enumerate(zip(found.adjacent.model_a, found.adjacent.model_b, strict=True)):
        rows = (int(a.removeprefix("m")), int(b.removeprefix("m")))
        seen = by_hand(data, *rows, weights=dict.fromkeys(data, 0.25), declared={})[1]
        assert found.adjacent.se[k] == pytest.approx(np.hypot(seen, 0.25 / 7))


def test_an_average_with_a_small_task_keeps_the_level() -> None:
    """Equal averages, one model far ahead on six items: taken as certain they deceive."""
    rng, draws, weights = np.random.default_rng(5), 4000, np.full((3, 1), 1 / 3)
    d = [rng.choice([1, -1, 0], (draws, 400), p=[0.05, 0.45, 0.5]) for _ in range(2)]
    d.append(rng.choice([1, -1, 0], (draws, 6), p=[0.85, 0.05, 0.1]))
    gap, df = weights.T @ [x.mean(axis=1) for x in d], np.array([[399], [399], [5]])
    seen = np.array([x.var(axis=1, ddof=1) / x.shape[1] for x in d])
    false = []
    for flat in (0, 1 / 49):
        parts = weights**2 * np.where(seen > 0, seen, flat)
        freedom = parts.sum(axis=0) ** 2 / (parts**2 / df).sum(axis=0)
        p = 2 * special.stdtr(freedom, -np.abs(gap[0]) / np.sqrt(parts.sum(axis=0)))
        false.append((p <= 0.05).mean())
    assert false[0] > 0.2
    assert false[1] <= 0.05
    for k in np.flatnonzero(seen[2] == 0)[:3]:
        found = audit(
            [board(np.array([x[k] > 0, x[k] < 0]) * 1.0, task=f"t{i}") for i, x in enumerate(d)]
        )
        assert found.adjacent.pvalue[0] == pytest.approx(p[k])
