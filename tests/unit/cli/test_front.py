"""Commands that follow from public functions."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nstar
from helpers.commands import Command
from nstar._base.verb import parameters
from nstar.cli import commands
from nstar.cli.kit.front import flag_of
from nstar.cli.watch.racing import watch_race
from nstar.cli.watch.two_models import watch
from nstar.cli.watch.votes import watch_votes

EXAMPLES = Path(__file__).parents[3] / "examples"
EXAMPLE = str(EXAMPLES / "results.csv")
DATA = {
    "battles": ["votes.csv"],
    "compare judged": ["judged.csv"],
    "compare known": ["newcomer.csv", "results.csv"],
    "judges": ["judges.csv"],
    "runs": ["agents.csv"],
    "gate aa": ["agents.csv::ada"],
    "gate plan": [],
    "plan": [],
    "simulate": [],
    "plan margin": [],
}
"""Examples of each command that does not take results.csv."""
RHOS = [round(0.001 * k, 12) for k in range(11)]
FRONTS: dict[str, Callable[..., Any]] = {
    name.replace("_", " "): getattr(nstar, name)
    for name in (
        *("audit", "battles", "compare", "compare_judged", "compare_known", "items", "judges"),
        *("gate", "gate_aa", "gate_looks", "gate_plan", "gate_runs", "plan", "plan_board"),
        *("plan_labels", "plan_looks", "plan_margin", "plan_runs", "plan_single", "plan_votes"),
        *("runs", "shrink"),
    )
} | {
    "read": nstar.coverage,
    "simulate": nstar.simulate,
    "simulate study": nstar.simulate_study,
}
"""Every command that is made from a public function."""
COMMANDS = FRONTS | {f.__name__.replace("_", " "): f for f in (watch, watch_race, watch_votes)}
"""Every command that is made from a function."""


@pytest.mark.parametrize("name", COMMANDS)
def test_options_are_the_parameters(name: str) -> None:
    declared = parameters(COMMANDS[name])
    options = {p.name: p for p in commands()[name].params}
    for p in declared:
        assert p.sentence, p.name
        if not p.is_positional:
            assert options[p.name].opts == [flag_of(p)]
    visible = [p for p in declared if p.section in ("main", "other")]
    is_gate_of_logs = name.startswith("gate") and name != "gate plan"
    logs = {"candidate", "baseline"} if is_gate_of_logs else set()
    most = 19 if name in ("audit", "plan", "plan labels") else 17
    assert len([p for p in visible if not p.is_positional and p.name not in logs]) <= most


DECLARATIONS: dict[str, Callable[..., Any]] = {
    **{
        name: getattr(nstar, name)
        for name in nstar.__all__
        if hasattr(getattr(nstar, name), "rules")
    },
    **{f.__name__: f for f in (watch, watch_race, watch_votes)},
    "Watch": nstar.Watch,
    "Race": nstar.Race,
}
"""Every public function and class whose signature declares units."""
OTHER_MEANINGS: dict[str, set[str]] = {
    "a": {"compare_known"},
    "b": {"compare_known"},
    "baseline": {"gate_plan", "plan_runs", "plan_single"},
    "confidence_level": {"claim_scores", "claim_table"},
    "cost_label": {"plan_labels"},
    "delta": {"audit", "compare", "plan_margin", "plan_single"},
    "items": {"audit", "claim", "claim_scores", "gate_looks", "gate_plan", "plan_board"}
    | {"plan_looks", "plan_single", "shrink", "claim_unpaired", "Watch", "Race"}
    | {"claim_gap"},
    "margin": {"audit", "compare", "plan_margin", "watch_race", "Race"},
    "models": {"claim_wins"},
    "psi": {"watch_votes"},
    "rho": {"claim", "claim_list", "claim_scores", "gate_plan", "plan_board"},
    "sd": {"plan_looks"},
    "sd_diff": {"plan_looks"},
    "tasks": {"items", "compare_judged", "compare_known"},
}
"""Declarations in which a parameter means something else than in all others."""


def test_a_sentence_about_one_parameter_is_the_same_everywhere() -> None:
    """A parameter of one name and one type has one sentence, so that it is learned once."""
    sentences: dict[tuple[str, object], dict[str, list[str]]] = {}
    for name, function in DECLARATIONS.items():
        for p in parameters(function):
            if not p.is_positional and name not in OTHER_MEANINGS.get(p.name, ()):
                texts = sentences.setdefault((p.name, p.choices or id(p.unit)), {})
                texts.setdefault(p.sentence, []).append(name)
    assert not [texts for texts in sentences.values() if len(texts) > 1]


@pytest.mark.parametrize(("command", "cls"), [(watch, nstar.Watch), (watch_race, nstar.Race)])
def test_a_watch_has_the_parameters_of_its_class(command: Any, cls: type) -> None:
    """The command resolves what the class requires: the scale, and the number of items."""
    options = {p.name: p for p in parameters(command)}
    shared = [p for p in parameters(cls) if p.name in options.keys() - {"a", "b"}]
    assert len(shared) == len(parameters(cls)) - (2 if cls is nstar.Watch else 0)
    for p in shared:
        other = options[p.name]
        assert (p.unit, p.choices) == (other.unit, other.choices), p.name
        assert p.default == other.default or p.name in ("items", "scale", "lower_is_better")


@pytest.mark.parametrize(
    ("name", "args", "values"),
    [
        (
            "audit",
            ["--strata", "subject", "--margin", "5pp", "--pairs", "top:2", "--items", "common"],
            {"strata": "subject", "margin": 0.05, "pairs": "top:2", "items": "common"},
        ),
        ("items", ["--top", "2", "--label-errors", "5%"], {"top": 2, "label_errors": 0.05}),
        (
            "items",
            ["--items", "common", "--exclude", "gam*"],
            {"items": "common", "exclude": "gam*"},
        ),
        ("shrink", ["--items", "50", "--seed", "3"], {"items": 50, "seed": 3}),
        ("shrink", ["--resolve", "8pp", "--alpha", "10%"], {"resolve": 0.08, "alpha": 0.1}),
        (
            "battles",
            ["--cluster", "prompt", "--anchor", "kite=1200"],
            {"cluster": "prompt", "anchor": ("kite", 1200)},
        ),
        (
            "battles",
            ["--no-position", "--only", "judge=judge01"],
            {"position": False, "only": {"judge": "judge01"}},
        ),
        ("judges", ["--rater", "judge", "--label", "human"], {"rater": "judge", "label": "human"}),
        (
            "compare",
            ["--a", "alpha", "--b", "beta", "--strata", "subject", "--margin", "5pp"],
            {"a": "alpha", "b": "beta", "strata": "subject", "margin": 0.05},
        ),
        (
            "compare judged",
            ["--judge", "verdict", "--label", "human"],
            {"judge": "verdict", "label": "human"},
        ),
        (
            "compare known",
            ["--b", "beta", "--alternative", "greater"],
            {"b": "beta", "alternative": "greater"},
        ),
        ("runs", ["--a", "ada", "--at-least", "4/5"], {"a": "ada", "at_least": "4/5"}),
        (
            "gate plan",
            ["--margin", "1pp", "--items", "9,000", "--psi", "10%"],
            {"margin": 0.01, "items": 9000, "psi": 0.1},
        ),
        ("gate aa", ["--margin", "5pp", "--missing", "9%"], {"margin": 0.05, "missing": 0.09}),
        (
            "plan",
            ["--baseline", "70%", "--items", "100, 400", "--rho", "MMLU"],
            {"baseline": 0.7, "items": [100, 400], "rho": "mmlu"},
        ),
        ("read", ["--duplicates", "first"], {"duplicates": "first"}),
        (
            "simulate",
            ["--scenario", "normal", "--items", "50", "--test", "t", "--reps=20", "--rho=0:1pp"],
            {"scenario": "normal", "items": 50, "tests": "t", "reps": 20, "rho": RHOS},
        ),
        (
            "plan margin",
            ["--sd-diff", "30", "--margin", "3", "--score-range", "0:100"],
            {"sd_diff": 30, "margin": 3, "score_range": (0, 100)},
        ),
    ],
)
def test_the_command_and_the_function_agree(
    name: str, args: list[str], values: dict[str, Any]
) -> None:
    data = [str(EXAMPLES / file) for file in DATA.get(name, ["results.csv"])]
    answer = Command(name).answer(*data, *args)
    result = json.loads(FRONTS[name](*data, **values).to_json())
    answer.pop("notes")  # which spell parameters as flags
    result.pop("notes")
    assert answer == result


def test_reading_options_are_listed_on_request() -> None:
    command = Command("items")
    assert "--skip-bad" not in command.text("--help")
    every = command.text("--help-all")
    assert "--skip-bad n" in every
    assert "item=question_id, judge=verdict, label=human" in every
    assert "--skip-bad" not in command.text("--help")


def test_reading_options_of_a_pack_are_refused(tmp_path: Path) -> None:
    pack = tmp_path / "board"
    nstar.pack(nstar.matrices(EXAMPLE), pack)
    result = Command("items").run(str(pack), "--skip-bad", "3")
    assert result.exit_code == 2
    assert "is a pack, so --skip-bad has no effect" in " ".join(result.output.split())
    with pytest.raises(nstar.errors.ParameterError, match="is a pack, so skip_bad has no effect"):
        nstar.items(pack, skip_bad=3)
