"""The command line, Python and agents give the same answer to the same question."""

import json
from collections.abc import Callable
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
}
"""Command line → parameters. Words without dashes are the command and its data."""


def split(line: str) -> tuple[str, list[str], list[str]]:
    """Return the command, its data, and its options."""
    words = line.split()
    first_option = next((k for k, word in enumerate(words) if word.startswith("--")), len(words))
    second = words[1] if len(words) > 1 else ""
    n_words = 2 if hasattr(nstar, f"{words[0]}_{second}") else 1
    return " ".join(words[:n_words]), words[n_words:first_option], words[first_option:]


def as_data(words: list[str]) -> list[str]:
    """Return words that name an example as its path."""
    return [str(EXAMPLES / word) if word.endswith(".csv") else word for word in words]


def without_notes(text: str) -> dict[str, Any]:
    """Return JSON without its notes, which spell parameters as each interface does."""
    answer: dict[str, Any] = json.loads(text)
    del answer["notes"]
    return answer


@pytest.mark.parametrize("line", CASES)
def test_the_command_line_gives_the_answer_of_python(line: str) -> None:
    name, data, options = split(line)
    answer = Command(name).answer(*as_data(data), *options)
    del answer["notes"]
    assert answer == without_notes(call(name, data, CASES[line]).to_json())


@pytest.mark.parametrize("line", CASES)
def test_agents_get_the_answer_of_python(line: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mcp")
    from nstar.cli.mcp import from_function  # noqa: PLC0415 its package is an extra
    from nstar.cli.mcp.tools import Tools  # noqa: PLC0415

    monkeypatch.setattr(from_function, "report_text", lambda result, full: result.to_json())
    name, data, _ = split(line)
    function = function_of(name)
    (tool,) = (t for t in Tools([str(EXAMPLES)]).all if t.__name__ == function.__name__)
    places = [p.name for p in parameters(function) if p.is_positional]
    values = json.loads(json.dumps(CASES[line] | dict(zip(places, as_data(data), strict=False))))
    assert without_notes(tool(**values, full=False)) == without_notes(
        call(name, data, CASES[line]).to_json()
    )


def function_of(name: str) -> Callable[..., Any]:
    """Return the public function of a command."""
    function: Callable[..., Any] = getattr(nstar, name.replace(" ", "_"))
    return function


def call(name: str, data: list[str], values: dict[str, Any]) -> Any:
    """Return the result of the public function."""
    return function_of(name)(*as_data(data), **values)
