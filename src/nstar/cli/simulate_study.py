"""``nstar simulate study``."""

from nstar._api.simulate import simulate_study
from nstar.cli.kit.front import front
from nstar.cli.simulate import SimulationOutput

simulate_study_command = front(
    simulate_study,
    examples=("nstar simulate study --reps 10,000 --out study/",),
    output=SimulationOutput,
)
