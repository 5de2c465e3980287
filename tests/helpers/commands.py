"""Calling the command line from tests, in process."""

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any
from unittest import mock

import jsonschema
from click.testing import CliRunner, Result

from nstar import report
from nstar.cli import main
from nstar.report._kinds import KINDS, printed_by, result_class

__all__ = ["Command"]

_ALSO = {"watch votes": ("Battles",)}
"""What a command prints that another is named for."""


@cache
def _validator(kind: str) -> jsonschema.Draft202012Validator:
    """Made once: that schemas are schemas is a test of its own."""
    path = resources.files("nstar.report").joinpath(f"schemas/{kind}.schema.json")
    return jsonschema.Draft202012Validator(json.loads(path.read_text("utf-8")))


@cache
def _results() -> dict[str, Any]:
    """Results by the name of their schema."""
    return {name.lower(): result_class(name) for name in KINDS}


def obeys(data: Any, kind: str) -> None:
    """The answer is as its schema says, and reads back as the result it was."""
    _validator(kind).validate(data)
    again = _results()[kind].from_dict(data).to_dict()
    assert again == {key: data[key] for key in again}


_RENDER = report.render


def _read_back(result: Any, form: Any = "text", **asked: Any) -> str:
    """What ``nstar.report.render`` gives; JSON reads back equal to the result it was made of."""
    text = _RENDER(result, form, **asked)
    if form == "json":
        assert type(result).from_json(text) == result
    return text


@dataclass(frozen=True, slots=True)
class Command:
    """One subcommand of nstar."""

    name: str

    def run(self, *arguments: str) -> Result:
        """One call; anything but a clean exit is an error of the test."""
        with mock.patch.object(report, "render", _read_back):
            result = CliRunner().invoke(main, [*self.name.split(), *arguments])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    def answer(self, *arguments: str) -> dict[str, Any]:
        """The JSON answer, checked against its schema."""
        result = self.run(*arguments, "--format", "json")
        assert result.exit_code == 0, result.output
        data: dict[str, Any] = json.loads(result.stdout)
        kind = data["schema"].removeprefix("nstar.").removesuffix("/1")
        printed = (*printed_by(self.name.split()[0]), *_ALSO.get(self.name, ()))
        assert kind in {name.lower() for name in printed}
        obeys(data, kind)
        return data

    def text(self, *arguments: str) -> str:
        """The plain answer in one line."""
        result = self.run(*arguments)
        assert result.exit_code == 0, result.output
        return " ".join(result.stdout.split())
