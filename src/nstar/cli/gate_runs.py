"""``nstar gate runs``."""

from nstar._api.gate_runs import gate_runs
from nstar.cli.kit.front import front
from nstar.cli.kit.gates import GateCommand, GateOutput, gate_errors

gate_runs_command = front(
    gate_runs,
    examples=("nstar gate runs --baseline old/ --candidate new/ --at-least 4/5 --margin 5pp",),
    output=GateOutput,
    cls=GateCommand,
    errors=gate_errors,
)
