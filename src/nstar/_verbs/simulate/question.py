"""Question that a simulation answers: all inputs that its numbers depend on."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from nstar._base import checks
from nstar._verbs.simulate.procedures import INTERVALS, TESTS
from nstar._verbs.simulate.scenarios import SCENARIOS
from nstar.errors import ParameterError, arg

_USUAL: dict[str, tuple[str, ...]] = {"board": ("audit",)}
"""Default test of a scenario if neither tests nor intervals are requested."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulateQuestion:
    """Cells, procedures, and numbers of replications."""

    scenario: str
    """Name of the scenario that generates scores."""
    items: tuple[int, ...]
    """Number of items of an evaluation."""
    tests: tuple[str, ...] = ()
    """Names of tests, whose rejections of a zero gap are counted. Default for leaderboards:
    ``audit``.
    """
    intervals: tuple[str, ...] = ()
    """Names of intervals, whose coverage is counted."""
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Several values of each parameter of the scenario. All combinations are simulated."""
    reps: int = 1000
    """Number of replications of each cell, or the initial number with ``precision``."""
    precision: float | None = None
    """Monte Carlo standard error of every rate at which a cell is complete."""
    most: int = 10_000_000
    """Maximum number of replications of a cell."""
    alpha: float = 0.05
    """Level of tests."""
    seed: int = 0
    """Random seed."""
    common: bool = False
    """Whether cells with the same items use the same random numbers."""

    def __post_init__(self) -> None:
        if not self.tests and not self.intervals:
            object.__setattr__(self, "tests", _USUAL.get(self.scenario, ()))
        if not self.tests and not self.intervals:
            msg = f"Set {arg('tests')} or {arg('intervals')}."
            raise ParameterError(msg)
        for name in self.tests:
            TESTS[name]
        for name in self.intervals:
            INTERVALS[name]
        if self.reps < 1 or self.reps != int(self.reps):
            msg = f"{arg('reps')} must be a whole number of at least 1; got {self.reps!r}"
            raise ParameterError(msg)
        if self.precision is not None:
            checks.require(0 < self.precision < 0.5, "precision", "in (0, 0.5)", self.precision)
        checks.fraction("alpha", self.alpha)

    def identity(self) -> dict[str, Any]:
        """Return all inputs that the numbers depend on, including defaults of the scenario."""
        usual = {k: (v,) for k, v in SCENARIOS.parameters(self.scenario).items()}
        settings = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "most"}
        return {**settings, "values": {**usual, **self.values}}
