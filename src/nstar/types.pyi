# Written by scripts/names_stub.py.
from nstar._api.reading_words import PilotWords as PilotWords
from nstar._api.reading_words import PricedPilotWords as PricedPilotWords
from nstar._api.reading_words import ReadingWords as ReadingWords
from nstar._api.reading_words import ScoreWords as ScoreWords
from nstar._api.reading_words import TableWords as TableWords
from nstar._base.types import Interval as Interval
from nstar._data.findings import Finding as Finding
from nstar._data.read_limits import Limits as Limits
from nstar._data.matrix import Grouping as Grouping
from nstar._data.table import Source as Source
from nstar._engine.work import Execution as Execution
from nstar._verbs.benchmarks import BENCHMARKS as BENCHMARKS
from nstar._verbs.benchmarks import TypicalRho as TypicalRho
from nstar._verbs.budget import PilotPower as PilotPower
from nstar._verbs.budget import TaskVariances as TaskVariances
from nstar._verbs.budget.prices import Price as Price
from nstar._verbs.gate import TaskGate as TaskGate
from nstar._verbs.gate import History as History
from nstar._verbs.simulate import Board as Board
from nstar._verbs.simulate import Counts as Counts
from nstar._verbs.simulate import INTERVALS as INTERVALS
from nstar._verbs.simulate import SCENARIOS as SCENARIOS
from nstar._verbs.simulate import Scores as Scores
from nstar._verbs.simulate import TESTS as TESTS
from nstar._verbs.verdict import Criteria as Criteria
from nstar._verbs.watch import Decision as Decision
from nstar._verbs.watch import ItemPair as ItemPair
from nstar.report.charts import Figure as Figure

__all__ = [
    "BENCHMARKS",
    "Board",
    "Counts",
    "Criteria",
    "Decision",
    "Execution",
    "Figure",
    "Finding",
    "Grouping",
    "History",
    "INTERVALS",
    "Interval",
    "ItemPair",
    "Limits",
    "PilotPower",
    "PilotWords",
    "Price",
    "PricedPilotWords",
    "ReadingWords",
    "SCENARIOS",
    "ScoreWords",
    "Scores",
    "Source",
    "TESTS",
    "TableWords",
    "TaskGate",
    "TaskVariances",
    "TypicalRho",
]
