"""``nstar gate looks``."""

from nstar._api.gate_looks import gate_looks
from nstar.cli.kit.front import front
from nstar.cli.kit.gates import GateCommand, GateOutput, gate_errors

gate_looks_command = front(
    gate_looks,
    examples=(
        "nstar gate looks --baseline old/ --candidate new/ --margin 1pp --items 2000",
        "nstar gate looks --baseline old/ --candidate new/ --margin 1pp --history nightly",
    ),
    output=GateOutput,
    cls=GateCommand,
    errors=gate_errors,
)
