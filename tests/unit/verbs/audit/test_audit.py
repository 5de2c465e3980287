"""``audit``: every pair is what ``compare`` says of it, and one word that follows from it."""

import itertools
import math
from typing import Any

import numpy as np
import pytest

import nstar
from helpers.boards import board, scores, subjects
from nstar import ScoreMatrix, stats
from nstar._verbs.audit.tables import PairTable
from nstar.errors import DataError, NstarError, ParameterError
from nstar.types import Criteria

audit: Any = nstar.audit  # results have parts that may be absent; a test knows which are there
DESIGNS: dict[str, dict[str, Any]] = {
    "items": {},
    "strata": {"strata": "s"},
    "cluster": {"cluster": "s"},
}
ADJUST = ("maxt", "holm", "bonferroni", "bh", "none")
DELTA, MARGIN = 0.01, 0.06


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.default_draws", lambda _: 999)


def near(found: Any, wanted: Any) -> bool:
    """Equal to nine digits; None is NaN."""
    want = math.nan if wanted is None else float(wanted)
    return float(found) == pytest.approx(want, rel=1e-9, abs=1e-12, nan_ok=True)


def as_compared(row: dict[str, Any], pair: Any) -> dict[str, tuple[Any, Any]]:
    """What the audit and ``compare`` say of one pair, by name."""
    counted = pair.counts or pair.design != "independent"
    told = {
        name: (row[name], getattr(pair, name))
        for name in ("n_items", "mean_a", "mean_b", "gap", "se", "t", "rho", "sigma", "mde", "q")
    } | {
        "pvalue": (row["pvalue"], pair.pvalue if counted else pair.pvalue_t),
        "ci_unadjusted_low": (row["ci_unadjusted_low"], pair.ci.low),
        "ci_unadjusted_high": (row["ci_unadjusted_high"], pair.ci.high),
        "q_low": (row["q_low"], pair.q_ci and pair.q_ci.low),
        "q_high": (row["q_high"], pair.q_ci and pair.q_ci.high),
        "n_star": (row["n_star"], pair.n_star),
        "n_star_low": (row["n_star_low"], pair.n_star_ci.low),
        "n_star_high": (row["n_star_high"], pair.n_star_ci.high),
        "q_at_delta": (row["q_at_delta"], pair.q_at_delta),
        "delta": (row["delta"], pair.delta),
    }
    inside = abs(pair.gap) < MARGIN and pair.equivalence.pvalue is not None
    told["pvalue_equivalent"] = (
        row["pvalue_equivalent"],
        pair.equivalence.pvalue if inside else 1.0,
    )
    if pair.counts:
        told |= {k: (row[k], getattr(pair.counts, k)) for k in ("n11", "n10", "n01", "n00", "psi")}
        told |= {k: (row[k], getattr(pair, k)) for k in ("pvalue_midp", "pvalue_exact")}
    return told


def assert_as_compared(matrix: ScoreMatrix, pairs: PairTable, **declared: Any) -> None:
    for row in pairs.rows():
        names = row["model_a"], row["model_b"]
        one = nstar.compare(
            matrix, a=names[0], b=names[1], delta=DELTA, margin=MARGIN, **declared
        ).tasks[0]
        for what, (found, wanted) in as_compared(row, one).items():
            assert near(found, wanted), (names, what, found, wanted)


@pytest.mark.sampled(5)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("items", [60, 240])
@pytest.mark.parametrize("kind", DESIGNS)
def test_every_pair_is_as_compared(kind: str, items: int, graded: bool, missing: float) -> None:
    x = scores(items, models=4, items=items, graded=graded, missing=missing)
    matrix, declared = board(x, labels=subjects(items, items)), DESIGNS[kind]
    found = audit(matrix, pairs="all", delta=DELTA, margin=MARGIN, **declared)
    assert len(found.pairs) == found.n_pairs == 6
    assert_as_compared(matrix, found.pairs, **declared)
    every = {(row["model_a"], row["model_b"]): row for row in found.pairs.rows()}
    assert len(found.adjacent) == 3
    for row in found.adjacent.rows():
        for name, value in every[row["model_a"], row["model_b"]].items():
            if isinstance(value, float):
                assert near(row[name], value), (row["model_a"], row["model_b"], name)
            else:
                assert row[name] == value, (row["model_a"], row["model_b"], name)


def test_every_pair_is_as_compared_on_another_scale() -> None:
    matrix = board(100 * scores(3, models=4, graded=True, missing=0.1) - 20)
    found = audit(matrix, pairs="all", delta=DELTA, margin=MARGIN)
    assert found.score_range == (matrix.dense()[~np.isnan(matrix.dense())].min(), 80.0)
    assert_as_compared(matrix, found.pairs)


def test_runs_of_an_item_are_averaged() -> None:
    x = np.random.default_rng(4).random((4, 150, 3)).round()
    matrix = board(x)
    found = audit(matrix, pairs="all", delta=DELTA, margin=MARGIN)
    assert not found.is_binary
    assert_as_compared(matrix, found.pairs)


def test_a_pair_in_full() -> None:
    matrix = board(scores(1), labels=subjects(1, 240))
    criteria = Criteria(alpha=0.01, power=0.9)
    found = audit(
        matrix, cluster="s", delta=0.02, margin=0.1, alpha=criteria.alpha, power=criteria.power
    )
    a, b = found.ranking.model[0], found.ranking.model[3]
    one, want = (
        found.compare(a, b),
        nstar.compare(
            matrix,
            a=a,
            b=b,
            cluster="s",
            delta=0.02,
            margin=0.1,
            alpha=criteria.alpha,
            power=criteria.power,
            alternative=criteria.alternative,
        ),
    )
    assert one.models == (a, b)
    assert one.tasks[0] == want.tasks[0]
    with pytest.raises(DataError, match="No model 'm77' among 6 models"):
        found.compare(a, "m77")


# --- words --------------------------------------------------------------------------------


SHAPES = ((False, 0.0), (True, 0.0), (False, 0.1))
WORDS = [  # every adjustment with every design and with every shape, every design with each shape
    (adjust, kind, *SHAPES[(k + turn) % 3])
    for turn, adjust in enumerate(ADJUST)
    for k, kind in enumerate(DESIGNS)
]


@pytest.mark.parametrize(("adjust", "kind", "graded", "missing"), WORDS)
def test_words_follow_adjusted_p_and_q(
    adjust: Any, kind: str, graded: bool, missing: float
) -> None:
    x = scores(5, models=9, items=300, graded=graded, missing=missing)
    matrix = board(x, labels=subjects(5, 300))
    found = audit(matrix, pairs="all", margin=0.2, adjust=adjust, **DESIGNS[kind])
    p = found.pairs
    significant = p.pvalue_adjusted <= 0.05
    words = np.array(p.verdict)
    assert ((words == "significant") == significant).all()
    assert (p.is_underpowered == (significant & ~p.is_resolved)).all()
    assert (p.is_resolved == (significant & (p.q_adjusted >= 1))).all()
    level = 0.05 if adjust in {"bh", "none"} else 0.05 / len(p)
    assert ((words == "equivalent") == (~significant & (p.pvalue_equivalent <= level))).all()
    assert found.verdict_counts == {w: int((words == w).sum()) for w in found.verdict_counts}
    assert sum(found.verdict_counts.values()) == found.n_pairs == 36
    settled = p.is_resolved | (words == "equivalent")
    assert found.n_underpowered == p.is_underpowered.sum()
    assert (p.more_items[settled] == 0).all()
    with np.errstate(divide="ignore"):
        missing_items = np.ceil(p.n_items / p.q_adjusted - 1e-9) - p.n_items
    assert (p.more_items[~settled] == np.maximum(missing_items, 0)[~settled]).all()


@pytest.mark.parametrize("kind", DESIGNS)
def test_without_adjustment_a_pair_is_resolved_as_compared(kind: str) -> None:
    matrix = board(scores(6, items=500), labels=subjects(6, 500))
    found = audit(matrix, pairs="all", adjust="none", **DESIGNS[kind])
    for row in found.pairs.rows():
        one = nstar.compare(matrix, a=row["model_a"], b=row["model_b"], **DESIGNS[kind]).tasks[0]
        assert row["is_resolved"] == one.is_resolved
        assert row["pvalue_adjusted"] == pytest.approx(row["pvalue"])
        if not one.is_resolved:
            assert row["more_items"] == one.more_items


@pytest.mark.parametrize(
    ("adjust", "by_hand"),
    [("holm", stats.holm), ("bonferroni", stats.bonferroni), ("bh", stats.benjamini_hochberg)],
)
def test_adjusted_p_values_are_for_all_pairs(adjust: Any, by_hand: Any) -> None:
    matrix = board(scores(8, models=8, missing=0.1))
    every = audit(matrix, pairs="all", adjust=adjust).pairs
    assert every.pvalue_adjusted == pytest.approx(by_hand(every.pvalue))
    place = {(a, b): k for k, (a, b) in enumerate(zip(every.model_a, every.model_b, strict=True))}
    some = audit(matrix, pairs="top:3", adjust=adjust).pairs
    at = [place[ab] for ab in zip(some.model_a, some.model_b, strict=True)]
    assert len(some) == 3
    assert some.pvalue_adjusted == pytest.approx(every.pvalue_adjusted[at])


def test_a_declared_gap_decides_how_many_items_are_missing() -> None:
    found = audit(board(scores(2)), delta=0.03, adjust="none").adjacent
    for row in found.rows():
        need = math.ceil(float(stats.paired_n_star(0.03, psi=row["psi"])) - 1e-9) - row["n_items"]
        assert row["more_items"] == (0 if row["is_resolved"] else max(need, 0))


# --- columns ------------------------------------------------------------------------------


def test_columns_are_arrays_of_one_length_and_rows_plain_numbers() -> None:
    found = audit(board(scores(1)), pairs="top:4")
    columns = found.to_columns()
    assert {len(v) for v in columns.values()} == {6} == {len(found.pairs)}
    assert "q_at_delta" not in columns
    assert "n10" in columns
    assert "n10" not in audit(board(scores(1, graded=True))).to_columns()
    row = next(found.pairs.rows())
    assert type(row["n_items"]) is int
    assert type(row["gap"]) is float
    assert type(row["is_resolved"]) is bool
    assert [r["model_a"] for r in found.pairs.rows([2, 0])] == [
        found.pairs.model_a[2],
        found.pairs.model_a[0],
    ]
    assert len(found) == len(found.ranking) == 6


def test_pairs_asked_for() -> None:
    matrix = board(scores(1))
    adjacent = audit(matrix)
    assert len(adjacent.pairs) == 0
    assert adjacent.listed is adjacent.adjacent
    names = adjacent.ranking.model
    assert list(zip(adjacent.adjacent.model_a, adjacent.adjacent.model_b, strict=True)) == list(
        itertools.pairwise(names)
    )
    every = audit(matrix, pairs="all").pairs
    assert list(zip(every.model_a, every.model_b, strict=True)) == list(
        itertools.combinations(names, 2)
    )
    assert len(audit(matrix, pairs="top:99").pairs) == 15


# --- what is refused ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"strata": "s", "cluster": "s"}, "not both"),
        ({"pairs": "top:1"}, "top:K with K >= 2"),
        ({"pairs": "some"}, "adjacent, all, or top:K"),
        ({"adjust": "sidak"}, "adjust must be one of maxt, holm"),
        ({"items": "mine"}, "items must be common or pairwise"),
        ({"delta": 1.5}, "above 1, but scores are 0–1"),
        ({"margin": 0.0}, "between 0 and 1"),
        ({"cluster": "passage"}, "No group column .*Available: s"),
        (
            {"models": ["m0"]},
            "At least two models are needed; of 6, only 'm0' remains after models",
        ),
        (
            {"models": ["m0", "m0"]},
            "At least two models are needed; of 6, only 'm0' remains after models",
        ),
        ({"models": ["m0", "m_9"]}, "No model matches 'm_9'"),
        ({"draws": 5}, "draws must be at least 19"),
    ],
)
def test_what_cannot_be_asked(options: dict[str, Any], words: str) -> None:
    with pytest.raises(NstarError, match=words):
        audit(board(scores(1), labels=subjects(1, 240)), **options)


def test_a_model_without_a_score_is_named() -> None:
    x = scores(1)
    x[2] = np.nan
    with pytest.raises(DataError, match=r"m2 has no score on this task. Exclude it"):
        audit(board(x))
    assert len(audit(board(x), models=["m0", "m1", "m5"])) == 3


def test_no_common_item_names_the_model_with_fewest() -> None:
    x = scores(1)
    x[0, 100:], x[1, :90] = np.nan, np.nan
    x[2, 90:100] = np.nan
    with pytest.raises(
        DataError, match=r"answered by all 6 models \(m0 has the fewest, 100 of 240\)"
    ):
        audit(board(x), items="common")


def test_all_pairs_of_very_many_models_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pair_analysis", "run"):
        monkeypatch.setattr(f"nstar._verbs.audit.{module}.MOST_HELD", 5)
    with pytest.raises(ParameterError, match=r"15 pairs are too many to list\. Write them"):
        audit(board(scores(1, items=60)), pairs="all")
