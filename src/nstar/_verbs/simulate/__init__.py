"""Simulation: scenarios, tests and intervals by name, and the verb that crosses them."""

from nstar._verbs.simulate.board import Board
from nstar._verbs.simulate.grid import Cell
from nstar._verbs.simulate.procedures import INTERVALS, TESTS
from nstar._verbs.simulate.result import Rate, Simulation
from nstar._verbs.simulate.run import Journal, simulate
from nstar._verbs.simulate.sample import Counts, Sample, Scores
from nstar._verbs.simulate.scenarios import SCENARIOS
from nstar._verbs.simulate.study import Study, embedding_study

__all__ = [
    "INTERVALS",
    "SCENARIOS",
    "TESTS",
    "Board",
    "Cell",
    "Counts",
    "Journal",
    "Rate",
    "Sample",
    "Scores",
    "Simulation",
    "Study",
    "embedding_study",
    "simulate",
]
