"""``nstar gate aa``."""

from nstar._api.gate_aa import gate_aa
from nstar.cli.kit.front import front
from nstar.cli.kit.gates import GateCommand, GatePlanOptions, gate_errors

gate_aa_command = front(
    gate_aa,
    examples=("nstar gate aa runs/* --margin 1pp",),
    output=GatePlanOptions,
    cls=GateCommand,
    errors=gate_errors,
)
