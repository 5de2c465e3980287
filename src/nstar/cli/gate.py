"""``nstar gate``."""

from nstar._api.gate import gate
from nstar.cli.kit.front import front
from nstar.cli.kit.gates import GateCommand, GateOutput, gate_errors

gate_command = front(
    gate,
    examples=(
        "nstar gate --baseline old/ --candidate new/ --margin 1pp",
        "nstar gate --baseline old/ --candidate new/ --margin 2pp --guardrail safety:0.5pp",
        "nstar gate --baseline board.csv::gpt-x --candidate board.csv::gpt-y --superiority",
    ),
    output=GateOutput,
    cls=GateCommand,
    errors=gate_errors,
)
