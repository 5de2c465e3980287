"""Every result prints as its report, is one line as a repr, and is escaped in a notebook."""

import importlib
import json
from collections.abc import Callable
from dataclasses import is_dataclass, replace
from typing import Any

import numpy as np
import pytest

import nstar
from helpers.nasty import check_html
from helpers.schemas import validate
from nstar import report
from nstar._base.result import Result
from nstar._data.findings import find
from nstar._verbs.data_summary import coverage
from nstar._verbs.gate import GateQuestion, false_alarms, gate_feasibility
from nstar.report._kinds import KINDS
from nstar.report.page import page
from nstar.report.prose.numbers import name
from nstar.report.prose.page_top import MAX_TITLE, with_top

EVIL = "<script>alert(1)</script>\n&\x1b[31m"
RNG = np.random.default_rng(0)
A, B = (RNG.random((2, 60)) < [[0.7], [0.6]]).astype(float)
RHO = nstar.PairedRho(baseline=0.7, rho=0.4)
EVIL_FINDING = find("reader", EVIL)


def _matrix(models: int = 2) -> nstar.ScoreMatrix:
    names = [f"{EVIL}{k}" for k in range(models)]
    scores = (RNG.random((models, 60)) < 0.6).astype(float)
    return nstar.ScoreMatrix.from_arrays(scores, models=names, task=EVIL)


def _watched() -> nstar.WatchResult:
    watch = nstar.Watch(items=100, a=EVIL, b="b")
    watch.update(a=1, b=0, item="q")
    return watch.result


def _raced() -> nstar.RaceResult:
    race = nstar.Race([EVIL, "b", "c"], items=100)
    for _ in range(20):
        race.update({EVIL: 1, "b": 0, "c": 1})
    return race.result


RESULTS: dict[str, Callable[[], Any]] = {
    "Plan": lambda: nstar.plan(RHO, delta=0.02),
    "SequentialPlan": lambda: nstar.plan_looks(baseline=0.7, rho=0.6, delta=0.05, method="bets"),
    "SinglePlan": lambda: nstar.plan_single(threshold=0.7, delta=0.03),
    "VotePlan": lambda: nstar.plan_votes(elo=50, ties=0.4),
    "LabelPlan": lambda: nstar.plan_labels(
        {
            "model": [EVIL] * 60 + ["b"] * 60,
            "item": [*range(60)] * 2,
            "said": [*A, *B],
            "people": [*A[:40], *[None] * 20, *B[20:40], *B[20:40], *[None] * 20],
        },
        judge="said",
        label="people",
        delta=0.2,
    ),
    "PlanGrid": lambda: nstar.plan(baseline=0.7, items=[50, 100], rho=[0.3, 0.5]),
    "BoardPlan": lambda: nstar.plan_board(
        {
            "model": [EVIL] * 60 + ["b"] * 60 + ["c"] * 60,
            "item": [*range(60)] * 3,
            "score": [*A, *B, *A[::-1]],
        },
        items=200,
    ),
    "TaskPlan": lambda: nstar.plan_runs(delta=0.05, sd_between=0.16, sd_within=(0.35, 0.46)),
    "Checklist": lambda: nstar.compare(A, B, a=EVIL, b="b").checklist(),
    "Claim": lambda: nstar.claim(0.783, 0.775, items=12032),
    "ScoreClaim": lambda: nstar.claim_scores(71.4, 70.6, pm=(0.5, 0.4), seeds=5),
    "TableClaim": lambda: nstar.claim_table(
        {"model": [EVIL, "b", "c"], EVIL: ["71.4", "60.2", "60.1"], "B": ["9.1", "–", "8.8"]},
        items=1000,
    ),
    "ClaimList": lambda: nstar.claim_list(
        [{"paper": EVIL, "a": "71.4%", "b": "70.6%", "items": 1000, "p": "0.04"}]
    ),
    "GapClaim": lambda: nstar.claim_gap("-2.34pp", ci="-11.09pp,6.20pp", p="0.71", items=216),
    "WinsClaim": lambda: nstar.claim_wins(7, 9, ties=1, models=5, picked_from=20),
    "UnpairedClaim": lambda: nstar.claim_unpaired(0.783, 0.775, items=12032, items_b=500),
    "Comparison": lambda: replace(nstar.compare(A, B, a=EVIL, b="b"), findings=(EVIL_FINDING,)),
    "Battles": lambda: nstar.battles(
        {"first": [EVIL, "b", "b"] * 9, "second": ["b", EVIL, EVIL] * 9, "score": [1, 0.5, 1] * 9}
    ),
    "Items": lambda: nstar.items(
        nstar.ScoreMatrix.from_arrays(
            [A, B, A[::-1]],
            models=[EVIL, "b", "c"],
            items=[EVIL, *range(1, 60)],
            groups={EVIL: [EVIL, "x"] * 30},
            task=EVIL,
        ),
        split=EVIL,
        label_errors=0.05,
    ),
    "Judged": lambda: nstar.compare_judged(
        {
            "model": [EVIL] * 60 + ["b"] * 60,
            "item": [*range(60)] * 2,
            "said": [*A, *B],
            "people": [*A[:40], *[None] * 20, *B[20:40], *B[20:40], *[None] * 20],
        },
        judge="said",
        label="people",
        a=EVIL,
        b="b",
    ),
    "Known": lambda: nstar.compare_known(
        {"model": [EVIL] * 40, "item": [*range(40)], "score": A[:40]},
        {"model": ["b"] * 60 + ["c"] * 60, "item": [*range(60)] * 2, "score": [*B, *A[::-1]]},
        b="b",
    ),
    "Judges": lambda: nstar.judges(
        {
            "model": [EVIL] * 60 + ["b"] * 60,
            "item": [*range(60)] * 2,
            EVIL: [*A, *B],
            "other": [*B, *A],
            "people": [*A[:40], *[None] * 20, *B[20:40], *B[20:40], *[None] * 20],
        },
        judge=[EVIL, "other"],
        label="people",
    ),
    "Subset": lambda: replace(
        nstar.shrink(_matrix(3), items=20), tasks=(EVIL,), findings=(EVIL_FINDING,)
    ),
    "Runs": lambda: nstar.runs([[1, 0], [1, 1], [0, 0]], a=EVIL, b="b"),
    "Coverage": lambda: coverage([_matrix()], notes=[EVIL]),
    "Selfcheck": lambda: nstar.selfcheck(["lemma"]),
    "Audit": lambda: nstar.audit(_matrix(3)),
    "Gate": lambda: nstar.gate(A, B, margin=0.1, a=EVIL, b="b"),
    "FalseAlarms": lambda: false_alarms([_matrix(3)], GateQuestion(margin=0.1)),
    "GateFeasibility": lambda: gate_feasibility(200, margin=0.05, noise=RHO),
    "RaceResult": _raced,
    "WatchResult": _watched,
    "Simulation": lambda: nstar.simulate(
        "bernoulli", items=20, tests=["midp"], values={"delta": [0.1]}, reps=50
    ),
}
HOMES = {"Study": "nstar._verbs.simulate"}
"""Those that take minutes to make."""


def test_every_kind_is_here() -> None:
    assert set(KINDS) == {*RESULTS, *HOMES}


@pytest.mark.parametrize("kind", RESULTS)
def test_shows_itself(kind: str) -> None:
    result = RESULTS[kind]()
    assert type(result).__name__ == kind
    assert str(result) == report.render(result, "text").rstrip()
    assert "\x1b" not in str(result)
    assert result.headline == json.loads(result.to_json())["headline"]
    said = repr(result)
    assert said.startswith(f"<{kind}: ")
    assert said.isprintable()
    assert len(said) < 600
    assert " ".join(str(result).split())[:30] in said
    check_html(result._repr_html_())
    assert "<script" not in result._repr_html_()


@pytest.mark.parametrize(
    "kind", sorted(RESULTS.keys() - {"Audit", "Battles", "Comparison", "Gate"})
)
def test_page_has_a_title_a_lead_and_tiles_at_the_top(kind: str) -> None:
    result = RESULTS[kind]()
    doc = with_top(kind, result, report.document(result))
    assert doc.title
    assert len(doc.title.replace(name(EVIL), "model")) <= MAX_TITLE
    assert doc.title not in doc.lead
    assert len(doc.tiles) <= 3
    text = page(result)
    assert "<script" not in text
    assert "\x1b" not in text


@pytest.mark.parametrize("kind", HOMES)
def test_dataclasses_leave_the_repr_alone(kind: str) -> None:
    made = getattr(importlib.import_module(HOMES[kind]), kind)
    assert is_dataclass(made)
    assert made.__repr__ is Result.__repr__
    assert made.__str__ is Result.__str__


@pytest.mark.parametrize("kind", RESULTS)
def test_reads_back_equal(kind: str) -> None:
    result = RESULTS[kind]()
    again = type(result).from_json(result.to_json())
    assert again == result
    assert again.to_dict() == result.to_dict()
    validate(json.loads(result.to_json()), result.schema())
