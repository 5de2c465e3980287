"""Laws of audited pairs: adjusted intervals exclude 0 exactly where verdicts are significant."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nstar
from helpers.boards import board, scores, subjects
from nstar._base.types import Array, BoolArray
from nstar._verbs.audit.tables import PairTable
from nstar._verbs.battles.result import RatingGapTable

audit: Any = nstar.audit
ADJUST = ("maxt", "holm", "bonferroni", "bh", "none")
DESIGNS: tuple[dict[str, str], ...] = ({}, {"strata": "s"}, {"cluster": "s"})


def significant(pairs: PairTable | RatingGapTable) -> BoolArray:
    """Whether each verdict is that of a difference."""
    return np.array([word == "significant" for word in pairs.verdict], bool)


def assert_agree(pairs: PairTable) -> None:
    """Interval and verdict agree, and the interval holds the gap that was seen."""
    low, high = pairs.ci_adjusted_low, pairs.ci_adjusted_high
    assert (((low > 0) | (high < 0)) == significant(pairs)).all()
    seen = ~np.isnan(pairs.gap)
    assert (np.isnan(low) == ~seen).all()
    slack = 1e-12 * np.abs(pairs.gap[seen])
    assert (low[seen] <= pairs.gap[seen] + slack).all()
    assert (high[seen] >= pairs.gap[seen] - slack).all()


@st.composite
def tables(draw: st.DrawFn) -> tuple[Array, list[str]]:
    """Scores of a few models on a few items with groups: 0/1 or graded, complete or not."""
    m, n = draw(st.integers(2, 5)), draw(st.integers(8, 40))
    levels = draw(st.sampled_from(([0.0, 1.0], [0.0, 0.5, 1.0], [0.5, 0.51, 1.0])))
    seed, lead = draw(st.integers(0, 2**32 - 1)), draw(st.floats(0, 1))
    rng = np.random.default_rng(seed)
    x = rng.choice(levels, (m, n))
    x[0, rng.random(n) < lead] = levels[-1]
    x[-1, rng.random(n) < lead] = levels[0]
    if draw(st.booleans()):
        x[1:, :][rng.random((m - 1, n)) < 0.1] = np.nan
    x[:, 0] = levels[0]
    return x, [f"g{k % 4}" for k in range(n)]


@given(
    tables(),
    st.sampled_from(ADJUST),
    st.sampled_from(DESIGNS),
    st.sampled_from((0.3, 0.05, 0.001)),
)
def test_small_boards(
    table: tuple[Array, list[str]], adjust: str, design: dict[str, str], alpha: float
) -> None:
    x, labels = table
    found = audit(
        board(x, labels=labels), pairs="all", adjust=adjust, alpha=alpha, draws=999, **design
    )
    assert_agree(found.pairs)
    assert_agree(found.adjacent)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("adjust", ADJUST)
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("design", DESIGNS, ids=str)
def test_boards_of_many_pairs(adjust: str, graded: bool, design: dict[str, str]) -> None:
    later = 0
    for seed in range(3):
        x = scores(seed, models=9, items=150, graded=graded, spread=1.2)
        found = audit(
            board(x, labels=subjects(seed, 150)), pairs="all", adjust=adjust, draws=999, **design
        )
        assert_agree(found.pairs)
        late = significant(found.pairs) & (found.pairs.pvalue > found.interval_alpha)
        later += int(late.sum())
        wider = found.pairs.ci_adjusted_high - found.pairs.ci_adjusted_low
        alone = found.pairs.ci_unadjusted_high - found.pairs.ci_unadjusted_low
        assert (wider >= (1 - 1e-9 if graded else 0.95) * alone).all()
    if adjust not in ("maxt", "holm"):
        assert later == 0
    elif not design:
        assert later > 0


@pytest.mark.parametrize("average", ["macro", "micro"])
@pytest.mark.parametrize("adjust", ADJUST)
def test_averages_of_tasks(average: str, adjust: str) -> None:
    for seed in range(2):
        parts = [
            board(scores(seed + 50 * k, models=6, items=120, spread=1.2), task=f"t{k}")
            for k in range(3)
        ]
        found = audit(parts, average=average, adjust=adjust, draws=999)
        assert_agree(found.adjacent)
        assert found.interval_alpha <= 0.05 * (1 + 1e-9)


def test_a_pair_that_only_an_unadjusted_interval_separates() -> None:
    """The reported contradiction: its unadjusted interval excludes 0, its verdict does not."""
    found = audit(board(scores(2, models=9, items=400, spread=0.8)), pairs="all", draws=999)
    p = found.pairs
    apart = (p.ci_unadjusted_low > 0) & ~significant(p)
    assert apart.any()
    assert (p.ci_adjusted_low[apart] <= 0).all()
