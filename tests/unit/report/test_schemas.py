"""JSON output obeys the schema it names."""

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from helpers.schemas import validate
from nstar.cli import main
from nstar.report._kinds import KINDS

CASES = [
    "plan --baseline 70% --delta 1pp --rho 0.4",
    "plan --baseline 70% --items 1000 --rho gsm8k",
    "plan --baseline 70% --items 1000 --delta 2pp,5pp --rho 0.3,0.6",
    "plan --sd 0.12 --rho 0.5 --delta 0.01",
    "plan --sd-diff 0.12 --items 200",
    "plan --baseline 74% --rho unpaired --items 216",
    "plan --baseline 70% --icc 0.05 --clusters 14 --delta 1pp",
    "plan --baseline 70% --icc 0.05 --clusters 14 --cluster-size 100",
    "plan board --baseline 70% --models 10 --goal adjacent --delta 2pp",
    "plan margin --psi 15% --margin 2pp",
    "plan margin --psi 15% --margin 2pp --items 3000 --non-inferiority",
    "plan --psi 15% --half-width 1pp --items 100",
    "plan --baseline 90% --rho 0.6 --items 50",
    "claim 71.4% 70.6% --items 1000",
    "claim 78.3% 77.5% --items 12032 --p 0.04 --ci -0.1pp,1.7pp --printed-n 9888",
    "claim 100% 97% --items 100 --p 0",
    "claim 71.4 70.6 --items 1250 --p <0.05 --ci -1.83pp,3.43pp",
    "claim 90% 80% --items 30 --p 0.47 --ci -8pp,28pp",
    "claim 0.5 0.7 --items 300 --rho 0.5 --alternative greater",
    "selfcheck",
]


def schema(kind: str) -> Any:
    return json.loads((files("nstar.report") / "schemas" / f"{kind}.schema.json").read_text())


@pytest.mark.parametrize("kind", KINDS)
def test_schemas_are_schemas(kind: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema(kind.lower()))


@pytest.mark.parametrize("command", CASES)
def test_output_obeys_its_schema(command: str) -> None:
    result = CliRunner().invoke(main, [*command.split(), "--format", "json"])
    assert result.exit_code == 0, result.output
    data = json.loads(result.stdout)
    kind = data["schema"].removeprefix("nstar.").removesuffix("/1")
    validate(data, schema(kind))
