"""A user's program. It never runs: scripts/consumer_types.py checks it against the wheel."""

from pathlib import Path
from typing import assert_type

import nstar
from nstar.errors import NstarError


def plans() -> None:
    noise = nstar.PairedRho(baseline=0.70, rho=0.6)
    planned = nstar.plan(nstar.Design(noise=noise), items=1000)
    assert_type(planned, nstar.Plan)
    assert_type(nstar.plan(baseline=0.7, delta=[0.01, 0.02], rho=0.6), nstar.Plan)
    assert_type(nstar.plan(baseline=0.7, items=[100, 200]), nstar.PlanGrid)
    assert_type(nstar.plan(baseline=0.7, delta=[0.01, 0.02], rho=[0.3, 0.5]), nstar.PlanGrid)
    assert_type(nstar.plan_margin(margin=0.02, psi=0.15), nstar.Plan)
    assert_type(nstar.plan_margin(margin=0.02, psi=0.15, items=[100, 400]), nstar.PlanGrid)
    looked_at = nstar.plan_looks(psi=0.2, delta=0.05, method="e-process")
    assert_type(looked_at, nstar.SequentialPlan)
    assert_type(nstar.plan_single(threshold=0.7, delta=0.03), nstar.SinglePlan)
    assert_type(nstar.plan_runs(budget=500, baseline=0.5, flip=0.3), nstar.TaskPlan)
    assert_type(nstar.plan_board(models=9, delta=0.02, baseline=0.7), nstar.BoardPlan)
    assert_type(nstar.plan_labels(labels=99, judge_r=0.6, baseline=0.7), nstar.LabelPlan)
    assert_type(nstar.plan_votes(elo=20, ties=0.4, models=6), nstar.VotePlan)


def results() -> None:
    table = nstar.read([Path("logs")])
    [matrix, *_] = nstar.matrices(table)
    assert_type(matrix, nstar.ScoreMatrix)

    board: nstar.Audit = nstar.audit(matrix, strata="subject")
    assert_type(board.render("json"), str)
    assert_type(board.figure().svg, str)

    compared = nstar.compare([1, 0, 1], [1, 1, 0])
    assert_type(compared, nstar.Comparison)

    answer = nstar.gate([1, 0, 1], [1, 1, 0], margin=0.02)
    assert_type(answer, nstar.Gate)
    assert_type(answer.passed, bool)
    assert_type(answer.tasks[0].improvement, float)

    watch = nstar.Watch(items=500)
    watch.update(1, 0)
    assert_type(watch.decision, nstar.types.Decision)

    try:
        nstar.claim(0.714, 0.706, items=1000)
    except NstarError as error:
        assert_type(error, NstarError)
