"""Simulate evaluations: scenarios, tests, and intervals by name, and all their combinations."""

from nstar._verbs.simulate.grid import Cell
from nstar._verbs.simulate.procedures import INTERVALS, TESTS
from nstar._verbs.simulate.result import Rate, Simulation
from nstar._verbs.simulate.run import SimulationJournal, simulate
from nstar._verbs.simulate.sample import Board, Counts, Scores, SimulatedSample
from nstar._verbs.simulate.scenarios import SCENARIOS
from nstar._verbs.simulate.study import Study, embedding_study

__all__ = [
    "INTERVALS",
    "SCENARIOS",
    "TESTS",
    "Board",
    "Cell",
    "Counts",
    "Rate",
    "Scores",
    "SimulatedSample",
    "Simulation",
    "SimulationJournal",
    "Study",
    "embedding_study",
    "simulate",
]
