"""The command line, Python and agents give the same answer to the same question."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import nstar
from helpers.commands import Command
from nstar._base.verb import parameters

EXAMPLES = Path(__file__).parents[3] / "examples"

CASES: dict[str, dict[str, Any]] = {
    "compare results.csv --a alpha --b beta": {"a": "alpha", "b": "beta"},
    "compare results.csv --a alpha --b gamma --strata subject": {
        "a": "alpha",
        "b": "gamma",
        "strata": "subject",
    },
    "compare results.csv --a alpha --b gamma --cluster subject --alpha 1%": {
        "a": "alpha",
        "b": "gamma",
        "cluster": "subject",
        "alpha": 0.01,
    },
    "compare results.csv --a alpha --b beta --margin 5pp": {
        "a": "alpha",
        "b": "beta",
        "margin": 0.05,
    },
    "compare results.csv --a alpha --b beta --delta 2pp --power 90%": {
        "a": "alpha",
        "b": "beta",
        "delta": 0.02,
        "power": 0.9,
    },
    "compare results.csv --a beta --b alpha --column item=item": {
        "a": "beta",
        "b": "alpha",
        "columns": {"item": "item"},
    },
    "compare results.csv --a alpha --threshold 75%": {"a": "alpha", "threshold": 0.75},
    "compare results.csv --a alpha --b beta --test wilcoxon --alternative less": {
        "a": "alpha",
        "b": "beta",
        "test": "wilcoxon",
        "alternative": "less",
    },
    "compare results.csv --a alpha --b beta --test bootstrap --seed 3": {
        "a": "alpha",
        "b": "beta",
        "test": "bootstrap",
        "seed": 3,
    },
    "compare judged judged.csv --judge verdict --label human": {
        "judge": "verdict",
        "label": "human",
    },
    "compare judged judged.csv --judge verdict --label human --cluster topic": {
        "judge": "verdict",
        "label": "human",
        "cluster": "topic",
    },
    "compare known newcomer.csv results.csv --b beta": {"b": "beta"},
    "compare known newcomer.csv results.csv": {},
    "battles votes.csv": {},
    "battles votes.csv --ties davidson --alpha 10%": {"ties": "davidson", "alpha": 0.1},
    "battles votes.csv --cluster prompt --anchor kite=1200": {
        "cluster": "prompt",
        "anchor": ["kite", 1200],
    },
    "battles votes.csv --no-position --only judge=judge01": {
        "position": False,
        "only": {"judge": "judge01"},
    },
    "runs agents.csv --a ada": {"a": "ada"},
    "runs agents.csv --a ada --at-least 4/5": {"a": "ada", "at_least": "4/5"},
    "judges judges.csv --rater judge --label human": {"rater": "judge", "label": "human"},
    "items results.csv": {},
    "items results.csv --top 2 --label-errors 5%": {"top": 2, "label_errors": 0.05},
    "items results.csv --items common --exclude gam*": {"items": "common", "exclude": "gam*"},
    "shrink results.csv --items 50 --seed 3": {"items": 50, "seed": 3},
    "shrink results.csv --resolve 8pp --alpha 10%": {"resolve": 0.08, "alpha": 0.1},
    "audit results.csv": {},
    "audit results.csv --strata subject --delta 1pp": {"strata": "subject", "delta": 0.01},
    "audit results.csv --cluster subject --alpha 10%": {"cluster": "subject", "alpha": 0.1},
    "audit results.csv --adjust holm --items common": {"adjust": "holm", "items": "common"},
    "audit results.csv --model alpha --model beta": {"models": ["alpha", "beta"]},
    "audit results.csv --margin 5pp --seed 7": {"margin": 0.05, "seed": 7},
    "claim 71.4% 70.6% --items 1,319": {"items": 1319},
    "claim 71.4% 70.6% --items 1000 --p <0.05 --rho 0.6": {
        "items": 1000,
        "p": "<0.05",
        "rho": 0.6,
    },
    "claim 71.4% 70.6% --items 1000 --rho mmlu --power 90%": {
        "items": 1000,
        "rho": "mmlu",
        "power": 0.9,
    },
    "claim unpaired 71.4% 70.6% --items 1000 --items-b 500": {"items": 1000, "items_b": 500},
    "claim scores 71.4 70.6 --pm 0.5,0.4 --seeds 5": {"pm": "0.5,0.4", "seeds": 5},
    "claim scores 1285 1272 --pm 5 --pm-is ci": {"pm": "5", "pm_is": "ci"},
    "claim table printed.csv --items 1000": {"items": 1000},
    "claim wins 7 9 --models 5": {"models": 5},
    "plan --baseline 70% --delta 1pp": {"baseline": 0.7, "delta": 0.01},
    "plan --baseline 70% --items 1,000 --rho 0.6": {"baseline": 0.7, "items": 1000, "rho": 0.6},
    "plan --psi 15% --items 2k --delta 2pp --power 90%": {
        "psi": 0.15,
        "items": 2000,
        "delta": 0.02,
        "power": 0.9,
    },
    "plan --baseline 70% --delta 1pp,2pp --rho 0.4,0.6": {
        "baseline": 0.7,
        "delta": [0.01, 0.02],
        "rho": [0.4, 0.6],
    },
    "plan --baseline 70% --items 50,100,200": {"baseline": 0.7, "items": [50, 100, 200]},
    "plan --baseline 70% --delta 2pp --icc 0.05 --cluster-size 10": {
        "baseline": 0.7,
        "delta": 0.02,
        "icc": 0.05,
        "cluster_size": 10,
    },
    "plan --sd 0.3 --rho mmlu --delta 0.02 --alternative greater": {
        "sd": 0.3,
        "rho": "mmlu",
        "delta": 0.02,
        "alternative": "greater",
    },
    "plan --baseline 70% --half-width 1pp": {"baseline": 0.7, "half_width": 0.01},
    "plan --baseline 70% --rho unpaired --delta 3pp --alpha 1%": {
        "baseline": 0.7,
        "rho": "unpaired",
        "delta": 0.03,
        "alpha": 0.01,
    },
    "plan margin --margin 2pp --psi 15%": {"margin": 0.02, "psi": 0.15},
    "plan margin --margin 2pp --psi 15% --non-inferiority": {
        "margin": 0.02,
        "psi": 0.15,
        "non_inferiority": True,
    },
    "plan margin --margin 2pp --psi 15% --items 5000": {
        "margin": 0.02,
        "psi": 0.15,
        "items": 5000,
    },
    "plan board --baseline 70% --models 6 --delta 2pp": {
        "baseline": 0.7,
        "models": 6,
        "delta": 0.02,
    },
    "plan board --baseline 70% --models 10 --goal best --items 2000": {
        "baseline": 0.7,
        "models": 10,
        "goal": "best",
        "items": 2000,
    },
    "plan runs --baseline 40% --flip 30% --delta 5pp --cost-run 0.5": {
        "baseline": 0.4,
        "flip": 0.3,
        "delta": 0.05,
        "cost_run": 0.5,
    },
    "plan runs --baseline 40% --flip 30% --budget 5000 --cost-run 2": {
        "baseline": 0.4,
        "flip": 0.3,
        "budget": 5000,
        "cost_run": 2,
    },
    "plan runs agents.csv --delta 5pp": {"delta": 0.05},
    "compare results.csv --a alpha --b beta --alternative greater --seed 5": {
        "a": "alpha",
        "b": "beta",
        "alternative": "greater",
        "seed": 5,
    },
    "battles votes.csv --planned 2000": {"planned": 2000},
    "plan votes --elo 20 --ties 40%": {"elo": 20, "ties": 0.4},
    "plan votes --votes 1000 --ties 40% --models 6": {"votes": 1000, "ties": 0.4, "models": 6},
    "plan looks --baseline 70% --delta 3pp": {"baseline": 0.7, "delta": 0.03},
    "plan looks --psi 20% --delta 5pp --method e-process": {
        "psi": 0.2,
        "delta": 0.05,
        "method": "e-process",
    },
    "plan labels --judge-r 0.65 --judged 10k --delta 3pp --baseline 70%": {
        "judge_r": 0.65,
        "judged": 10000,
        "delta": 0.03,
        "baseline": 0.7,
    },
    "plan labels judged.csv --judge verdict --label human --delta 3pp": {
        "judge": "verdict",
        "label": "human",
        "delta": 0.03,
    },
}
"""Command line → parameters. Words without dashes are the command and its data."""


def split(line: str) -> tuple[str, list[str], list[str]]:
    """Return the command, its data, and its options."""
    words = line.split()
    first_option = next((k for k, word in enumerate(words) if word.startswith("--")), len(words))
    second = words[1] if len(words) > 1 else ""
    n_words = 2 if hasattr(nstar, f"{words[0]}_{second}") else 1
    return " ".join(words[:n_words]), words[n_words:first_option], words[first_option:]


def as_data(words: list[str]) -> list[Any]:
    """Return words that name an example as its path, and counts as numbers."""
    return [
        str(EXAMPLES / word) if word.endswith(".csv") else int(word) if word.isdigit() else word
        for word in words
    ]


SENTENCES = ("headline", "notes", "assumptions")
"""Keys whose texts spell parameters as each interface does."""


def values_of(text: str) -> dict[str, Any]:
    """Return JSON without its sentences."""
    answer: dict[str, Any] = json.loads(text)
    return {key: value for key, value in answer.items() if key not in SENTENCES}


@pytest.mark.parametrize("line", CASES)
def test_the_command_line_gives_the_answer_of_python(line: str) -> None:
    name, data, options = split(line)
    answer = Command(name).text(*map(str, as_data(data)), *options, "--format", "json")
    assert values_of(answer) == values_of(python_answer(line))


@pytest.mark.parametrize("line", CASES)
def test_agents_get_the_answer_of_python(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mcp")
    from nstar.cli.mcp import tools  # noqa: PLC0415 its package is an extra

    monkeypatch.setattr(tools, "report_text", lambda result, full: result.to_json())
    name, data, _ = split(line)
    function = function_of(name)
    (tool,) = (t for t in tools.all_tools([str(EXAMPLES)]) if t.__name__ == function.__name__)
    places = [p.name for p in parameters(function) if p.is_positional]
    values = json.loads(json.dumps(CASES[line] | dict(zip(places, as_data(data), strict=False))))
    assert values_of(tool(**values, full=False)) == values_of(python_answer(line))


def function_of(name: str) -> Callable[..., Any]:
    """Return the public function of a command."""
    function: Callable[..., Any] = getattr(nstar, name.replace(" ", "_"))
    return function


@cache
def python_answer(line: str) -> str:
    """Return the JSON of the public function's result. Each interface is compared with it."""
    name, data, _ = split(line)
    answer: str = function_of(name)(*as_data(data), **CASES[line]).to_json()
    return answer
