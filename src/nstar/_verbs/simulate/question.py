"""What is asked of a simulation: everything that its numbers depend on."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from nstar._base import checks
from nstar._verbs.simulate.procedures import INTERVALS, TESTS
from nstar._verbs.simulate.scenarios import SCENARIOS
from nstar.errors import ParameterError, arg

_USUAL: dict[str, tuple[str, ...]] = {"board": ("audit",)}
"""Tests of a scenario if none is asked for, and no interval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulateQuestion:
    """Which cells, which procedures, and how often."""

    scenario: str
    """How scores come about, by name."""
    items: tuple[int, ...]
    """Items of an evaluation."""
    tests: tuple[str, ...] = ()
    """Tests by name: how often do they reject "no gap"? ``audit`` of a board if none is given."""
    intervals: tuple[str, ...] = ()
    """Intervals by name: how often do they hold the truth?"""
    values: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """Parameters of the scenario, several values each; all combinations are simulated."""
    reps: int = 1000
    """Replications of each cell; with ``precision`` those it begins with."""
    precision: float | None = None
    """Monte Carlo standard error of every rate at which a cell is done."""
    most: int = 10_000_000
    """Replications at which a cell is left in any case."""
    alpha: float = 0.05
    """Level."""
    seed: int = 0
    """Of all random numbers."""
    common: bool = False
    """Cells with the same items get the same random numbers."""

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
        """What the numbers depend on, defaults of the scenario included."""
        usual = {k: (v,) for k, v in SCENARIOS.parameters(self.scenario).items()}
        settings = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "most"}
        return {**settings, "values": {**usual, **self.values}}
