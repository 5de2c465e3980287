"""The claim about ``compare known``: the true gap of its scenarios, and its cells."""

import numpy as np
import pytest

from validation import CLAIMS, ValidationRequest
from validation.known import BOARDS, LOG_NORMAL, KnownScenario
from validation.promise import FAST, FULL


@pytest.mark.parametrize("board", [*BOARDS[:5], LOG_NORMAL], ids=lambda b: b.name)
def test_the_true_gap_is_that_of_many_boards(board: KnownScenario) -> None:
    errors = []
    for seed in range(60):
        scores, gap = board.scores(np.random.default_rng(seed))
        errors.append(float(scores[0].mean() - scores[1].mean()) - gap)
    assert abs(np.mean(errors)) < 4 * np.std(errors, ddof=1) / len(errors) ** 0.5


def test_cells() -> None:
    jobs = CLAIMS["known-coverage"].jobs
    assert len(list(jobs(ValidationRequest(effort=FAST)))) == 2
    assert len(list(jobs(ValidationRequest(effort=FULL)))) == 3 * len(BOARDS) + 4
