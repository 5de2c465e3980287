"""Simulation: scenarios, tests and intervals by name, and the verb that crosses them."""

from nstar._simulate.board import Board
from nstar._simulate.grid import Cell
from nstar._simulate.procedures import INTERVALS, TESTS
from nstar._simulate.result import Rate, Simulation
from nstar._simulate.run import Journal, Progress, simulate
from nstar._simulate.sample import Counts, Sample, Scores
from nstar._simulate.scenarios import SCENARIOS
from nstar._simulate.study import Study, embedding_study

__all__ = [
    "INTERVALS",
    "SCENARIOS",
    "TESTS",
    "Board",
    "Cell",
    "Counts",
    "Journal",
    "Progress",
    "Rate",
    "Sample",
    "Scores",
    "Simulation",
    "Study",
    "embedding_study",
    "simulate",
]
