"""Scenarios: how the scores of two models come about, replication by replication."""

from nstar._verbs.simulate.scenarios import (
    binary,
    board,
    graded,
    grouped,
    mixed,
    pilot,
    pilot_runs,
)
from nstar._verbs.simulate.scenarios.base import SCENARIOS, Scenario, counted

__all__ = [
    "SCENARIOS",
    "Scenario",
    "binary",
    "board",
    "counted",
    "graded",
    "grouped",
    "mixed",
    "pilot",
    "pilot_runs",
]
