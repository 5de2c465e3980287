"""A user's program. It never runs: scripts/consumer_types.py checks it against the wheel."""

from pathlib import Path
from typing import assert_type

import nstar
from nstar.errors import NstarError


def program() -> None:
    noise = nstar.PairedRho(baseline=0.70, rho=0.6)
    planned = nstar.plan(nstar.Design(noise=noise), items=1000)
    assert_type(planned, nstar.Plan)

    table = nstar.read([Path("logs")])
    [matrix, *_] = nstar.matrices(table)
    assert_type(matrix, nstar.ScoreMatrix)

    board = nstar.audit(matrix, strata="subject")
    assert_type(board, nstar.Audit)
    assert_type(nstar.render(board, "json"), str)
    assert_type(nstar.figure(board), nstar.Figure)

    compared = nstar.compare([1, 0, 1], [1, 1, 0])
    assert_type(compared, nstar.Comparison)

    answer = nstar.gate([1, 0, 1], [1, 1, 0], margin=0.02)
    assert_type(answer, nstar.Gate)
    assert_type(answer.passed, bool)
    assert_type(answer.tasks[0].gain, float)

    watch = nstar.Watch(horizon=500)
    watch.update(1, 0)
    assert_type(watch.decision, nstar.Decision)

    try:
        nstar.claim(0.714, 0.706, 1000)
    except NstarError as error:
        assert_type(error, NstarError)
