"""Scenarios: generate the scores of models, replication by replication."""

from nstar._verbs.simulate.scenarios import (
    binary,
    boards,
    graded,
    grouped,
    judged,
    pilot,
)
from nstar._verbs.simulate.scenarios.base import SCENARIOS, Scenario, counted

__all__ = [
    "SCENARIOS",
    "Scenario",
    "binary",
    "boards",
    "counted",
    "graded",
    "grouped",
    "judged",
    "pilot",
]
