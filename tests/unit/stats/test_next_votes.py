"""The benefit of votes equals that of a new inverse, and blocks go to the largest one."""

from typing import Any

import numpy as np
from scipy import special

from nstar import stats
from nstar.stats._next_votes import (
    between,
    block_shares,
    decision_weights,
    vote_benefits,
    with_votes,
)

STRENGTHS = np.array([0.9, 0.4, 0.3, -0.5, -1.1])
ADJACENT = np.stack([np.arange(4), np.arange(1, 5)], axis=1)


def information() -> tuple[np.ndarray, np.ndarray]:
    """Votes of a round robin: their information, and that of one vote of each pair."""
    p = special.expit(STRENGTHS[:, None] - STRENGTHS)
    each = p * (1 - p) * (1 - np.eye(5))
    votes = each * np.arange(20, 45).reshape(5, 5)
    votes = votes + votes.T
    return np.diag(votes.sum(axis=1)) - votes, each


def test_benefit_is_the_decrease_of_the_variances() -> None:
    h, each = information()
    inverse = np.linalg.pinv(h)
    weights = np.array([0.3, 0.0, 2.0, 0.7])
    benefit = vote_benefits(inverse, ADJACENT, weights, each, 12)
    for i, j in ((0, 1), (1, 3), (2, 4)):
        x = np.eye(5)[i] - np.eye(5)[j]
        after = np.linalg.pinv(h + 12 * each[i, j] * np.outer(x, x))
        lost = stats.resistance(inverse, pairs=ADJACENT) - stats.resistance(after, pairs=ADJACENT)
        np.testing.assert_allclose(benefit[i, j], weights @ lost, rtol=1e-9)
        np.testing.assert_allclose(with_votes(inverse, (i, j), 12 * each[i, j]), after, atol=1e-12)


def test_weights_are_the_slope_of_the_decisions() -> None:
    gap, se, z = np.array([0.3, 0.8]), np.array([0.2, 0.5]), 2.5
    step = 1e-6
    more = special.ndtr(gap / np.sqrt(se**2 - step) - z) - special.ndtr(gap / se - z)
    np.testing.assert_allclose(decision_weights(gap, se, z), more / step, rtol=1e-4)
    assert decision_weights(1.0, 0.2, z) == 0  # significant already


def test_shares() -> None:
    h, each = information()
    inverse = np.linalg.pinv(h)
    common: Any = {"information": each, "ratio": 0.8, "votes": 500}
    for criterion in ("decisions", "variance"):
        shares, is_open = block_shares(
            STRENGTHS, inverse, ADJACENT, critical=2.8, criterion=criterion, **common
        )
        assert abs(shares.sum() - 1) < 1e-12
        assert not np.tril(shares).any()
        gap = STRENGTHS[:-1] - STRENGTHS[1:]
        se = np.sqrt(0.8 * between(inverse)[ADJACENT[:, 0], ADJACENT[:, 1]])
        assert is_open.tolist() == (gap < 2.8 * se).tolist()
    none, is_open = block_shares(
        STRENGTHS, inverse, ADJACENT, critical=1e-3, criterion="decisions", **common
    )
    assert not none.any()
    assert not is_open.any()
