"""Where no error was measured, few clusters, and items that were left out."""

from typing import Any

import numpy as np
import pytest

from helpers.boards import board
from nstar import ScoreMatrix, audit, compare
from nstar._engine.work import Execution
from nstar._verbs.audit.family import ExactFamily
from nstar.errors import ParameterError


@pytest.mark.parametrize("sizes", [(4, 8), (20, 40), (5, 5, 5)])
def test_clusters_that_agree_are_no_evidence(sizes: tuple[int, ...]) -> None:
    """Every cluster shows the same gap: rounding must not become an error of 1e-17."""
    gap = np.concatenate([np.arange(m) < m // 4 for m in sizes]).astype(float)
    labels = [f"g{k}" for k, m in enumerate(sizes) for _ in range(m)]
    matrix = board(np.stack([gap, np.zeros_like(gap)]), labels=labels)
    found = audit(matrix, cluster="s").adjacent
    pair = compare(matrix, a=found.model_a[0], b=found.model_b[0], cluster="s").tasks[0]
    assert found.pvalue[0] == pytest.approx(pair.pvalue)
    assert found.verdict[0] == "inconclusive"


def test_strata_that_agree_count_the_items_that_differ() -> None:
    a, b = np.ones(200), np.ones(200)
    b[:2] = 0
    labels = ["two"] * 2 + ["rest"] * 198
    matrix = board(np.stack([a, b]), labels=labels)
    found = audit(matrix, strata="s").adjacent
    assert found.se[0] == 0
    assert found.pvalue[0] == pytest.approx(0.5)


@pytest.mark.parametrize("missing", [False, True])
def test_strata_almost_without_spread(missing: bool) -> None:
    """9 of 10 items won in one stratum and no difference in the other: p was 4.4e-8."""
    x = np.zeros((3, 21))
    x[0, :9] = x[2, ::2] = 1
    if missing:
        x[2, 5] = np.nan
    x[:2, 20] = np.nan  # of the third model alone
    labels = ["won"] * 10 + ["even"] * 11
    matrix = board(x, labels=labels)
    found = audit(matrix, strata="s", pairs="all", items="pairwise").pairs
    k = next(i for i in range(3) if {found.model_a[i], found.model_b[i]} == {"m0", "m1"})
    pair = compare(matrix, a=found.model_a[k], b=found.model_b[k], strata="s").tasks[0]
    assert found.pvalue[k] == pytest.approx(2**-8)
    assert pair.pvalue == pytest.approx(2**-8)


def test_clusters_of_the_pair_count_and_not_those_of_the_board() -> None:
    scores = np.full((3, 28), np.nan)
    scores[0, [0, 2]] = 1
    scores[1, [0, 2]] = 0
    scores[2] = np.arange(28) % 2
    labels = [f"g{k // 2}" for k in range(28)]
    found = audit(board(scores, labels=labels), cluster="s", pairs="all").pairs
    k = next(i for i in range(3) if {found.model_a[i], found.model_b[i]} == {"m0", "m1"})
    assert found.pvalue[k] == pytest.approx(0.5)


def test_a_near_copy_keeps_its_p_value() -> None:
    """The same model run twice: a variance of 1e-13 of the models' own is not none."""
    rng = np.random.default_rng(2)
    x = rng.random(300)
    scores = np.stack([x, x + 1e-7 * rng.normal(size=300), rng.random(300)])
    found = audit(ScoreMatrix.from_arrays(scores, models=["a", "b", "c"]), pairs="all").pairs
    k = next(i for i in range(3) if {found.model_a[i], found.model_b[i]} == {"a", "b"})
    assert found.pvalue[k] > 0.01
    assert found.pvalue_adjusted[k] >= found.pvalue[k] * 0.9


def test_a_declared_gap_that_is_the_mde_has_q_1() -> None:
    rng = np.random.default_rng(3)
    labels = [f"g{k % 5}" for k in range(100)]
    matrix = board((rng.random((2, 100)) < [[0.8], [0.6]]).astype(float), labels=labels)
    mde = float(audit(matrix, cluster="s").adjacent.mde[0])
    found = audit(matrix, cluster="s", delta=mde).adjacent
    assert found.q_at_delta is not None
    assert found.q_at_delta[0] == pytest.approx(1)
    pair = compare(matrix, a=found.model_a[0], b=found.model_b[0], cluster="s", delta=mde).tasks[0]
    assert pair.q_at_delta == pytest.approx(1)


def test_a_pair_in_full_is_on_the_items_of_the_audit() -> None:
    rng = np.random.default_rng(4)
    scores = (rng.random((3, 200)) < 0.5).astype(float)
    scores[2, :50] = np.nan
    found = audit(board(scores), items="common")
    pair = found.compare(found.adjacent.model_a[0], found.adjacent.model_b[0]).tasks[0]
    assert pair.n_items == found.adjacent.n_items[0] == 150
    assert pair.gap == pytest.approx(found.adjacent.gap[0])


def test_identical_models_are_equivalent_under_every_design() -> None:
    x = (np.random.default_rng(5).random(600) < 0.5).astype(float)
    matrix = board(np.stack([x, x]), labels=[f"g{k % 30}" for k in range(600)])
    for strata in (None, "s"):
        assert audit(matrix, margin=0.05, strata=strata).adjacent.verdict[0] == "equivalent"


def test_a_p_value_rounded_otherwise_is_the_same_one() -> None:
    family = ExactFamily(np.array([0.001, 0.002, 0.04]))
    p = np.array([0.002]) * (1 + 1e-13)
    assert family.adjusted(p, "holm")[0] == pytest.approx(0.004)


@pytest.mark.parametrize(
    ("argument", "value"),
    [("pairs", "top:1"), ("seed", -1), ("draws", 5), ("delta", "1pp"), ("margin", 2)],
)
def test_arguments_are_looked_at_first(argument: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=argument):
        audit(board(np.eye(2)), **{argument: value})
    with pytest.raises(ParameterError, match="workers"):
        Execution(workers=-1)


def test_a_level_too_small_for_draws_falls_back_to_holm() -> None:
    scores = (np.random.default_rng(0).random((4, 500)) < 0.5).astype(float)
    found = audit(board(scores), alpha=1e-9)
    assert (found.adjust, found.rank_method) == ("holm", "holm")
    assert found.adjust_reason == "50,000 draws are too few for such a small level"
    assert {s.reason for s in found.sensitivity if s.assumption == "maxt"} == {found.adjust_reason}
