"""Checklist: every rule has a source and an answer or a next step, in every kind of result."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import nstar
from helpers.nasty import check_latex
from nstar.cli import main
from nstar.errors import ParameterError
from nstar.report.prose.checklist import RULES, Checklist

RNG = np.random.default_rng(3)
SCORES = {
    name: (RNG.random(400) < p).astype(float) for name, p in (("a", 0.8), ("b", 0.6), ("c", 0.5))
}
VOTES = {
    "first": ["a", "b", "c"] * 40,
    "second": ["b", "c", "a"] * 40,
    "score": [1, 0, 0.5, 1] * 30,
}
GROUPS = {
    "model": ["a"] * 80 + ["b"] * 80,
    "item": [*range(80)] * 2,
    "passage": [k // 4 for k in range(80)] * 2,
    "score": [*SCORES["a"][:80], *SCORES["b"][:80]],
}
RESULTS: dict[str, Callable[[], Any]] = {
    "compare": lambda: nstar.compare(SCORES["a"], SCORES["b"]),
    "audit": lambda: nstar.audit(SCORES),
    "battles": lambda: nstar.battles(VOTES),
    "gate": lambda: nstar.gate(SCORES["a"], SCORES["b"], margin=0.02),
    "claim": lambda: nstar.claim(0.783, 0.775, items=12032),
    "claim table": lambda: nstar.claim_table({"model": ["a", "b"], "x": ["71", "60"]}, items=500),
    "claim wins": lambda: nstar.claim_wins(7, 9, models=5),
    "claim scores": lambda: nstar.claim_scores(71.4, 70.6, pm=(0.5, 0.4), seeds=5),
    "claim unpaired": lambda: nstar.claim_unpaired(0.78, 0.77, items=1200, items_b=500),
}


def states(result: Any) -> dict[str, str]:
    checked = result.checklist()
    return {row.rule: row.state for row in checked.rows}


@pytest.mark.parametrize("command", RESULTS)
def test_each_rule_is_answered_or_says_how(command: str) -> None:
    checked = RESULTS[command]().checklist()
    assert isinstance(checked, Checklist)
    assert [row.rule for row in checked.rows] == [rule.rule for rule in RULES]
    assert all(row.text and row.source for row in checked.rows)
    assert checked.kind == command
    assert checked.n_answered + checked.n_open <= len(RULES)
    assert f"{checked.n_answered} of" in str(checked)
    assert Checklist.from_json(checked.to_json()) == checked
    check_latex(checked.render("latex"))
    assert "| models and prompts | no |" in checked.render("markdown")


def test_what_a_comparison_answers() -> None:
    plain = states(RESULTS["compare"]())
    assert plain["error bars"] == plain["correlation of the models"] == "yes"
    assert plain["related items"] == plain["smallest gap that matters"] == "no"
    assert plain["multiple comparisons"] == "does not apply"
    declared = states(nstar.compare(GROUPS, a="a", b="b", cluster="passage", delta=0.05))
    assert declared["related items"] == declared["smallest gap that matters"] == "yes"


def test_runs_and_threshold() -> None:
    rows = {
        **GROUPS,
        "item": [k // 2 for k in range(80)] * 2,
        "run": [k % 2 for k in range(80)] * 2,
    }
    del rows["passage"]
    assert states(nstar.compare(rows, a="a", b="b"))["run-to-run variance"] == "yes"
    one = states(nstar.compare(SCORES["a"], threshold=0.7))
    assert one["paired comparison"] == "does not apply"


def test_a_claim_without_an_interval_or_a_test_does_not_answer() -> None:
    bare = states(RESULTS["claim"]())
    assert bare["error bars"] == bare["named test, p above 0"] == bare["paired comparison"] == "no"
    full = states(nstar.claim(0.714, 0.706, items=1000, p=0.04, ci=(0.001, 0.015)))
    assert full["error bars"] == full["named test, p above 0"] == "yes"


def test_boards_answer_ranks_and_adjustment() -> None:
    for command in ("audit", "battles"):
        found = states(RESULTS[command]())
        assert found["ranks with uncertainty"] == found["multiple comparisons"] == "yes"
    assert states(nstar.audit(SCORES, adjust="none"))["multiple comparisons"] == "no"


def test_a_plan_has_none() -> None:
    with pytest.raises(ParameterError, match="A Plan has no checklist"):
        nstar.plan(baseline=0.7, delta=0.01).checklist()


def test_the_option_replaces_the_report() -> None:
    call = ["claim", "78.3%", "77.5%", "--items", "12032", "--checklist"]
    text = CliRunner().invoke(main, call)
    assert text.exit_code == 0
    assert text.stdout.startswith("This report meets")
    assert (
        '"schema": "nstar.checklist/1"'
        in CliRunner().invoke(main, [*call, "--format", "json"]).stdout
    )
    assert (
        CliRunner().invoke(main, [*call, "--format", "csv"]).stdout.startswith("rule,source,state")
    )
    scores = ["--baseline", "x.csv", "--candidate", "y.csv", "--margin", "1pp"]
    junit = CliRunner().invoke(main, ["gate", *scores, "--checklist", "--format", "junit"])
    assert "either --checklist or --format junit" in junit.output
