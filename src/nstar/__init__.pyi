# Written by scripts/names_stub.py.
from nstar import stats as stats
from nstar._base.version import __version__ as __version__
from nstar._base.result import Result as Result
from nstar._base.types import Interval as Interval
from nstar._data.align import matrices as matrices
from nstar._data.findings import Finding as Finding
from nstar._data.limits import Limits as Limits
from nstar._data.matrix import Grouping as Grouping
from nstar._data.matrix import ScoreMatrix as ScoreMatrix
from nstar._data.pack import open_pack as open_pack
from nstar._data.pack import pack as pack
from nstar._data.table import Source as Source
from nstar._data.table import Table as Table
from nstar._engine.work import Execution as Execution
from nstar._verbs.audit import Audit as Audit
from nstar._verbs.audit import Leaderboard as Leaderboard
from nstar._verbs.audit import audit as audit
from nstar._verbs.audit import audit_tasks as audit_tasks
from nstar._verbs.benchmarks import BENCHMARKS as BENCHMARKS
from nstar._verbs.benchmarks import TypicalRho as TypicalRho
from nstar._verbs.budget import BudgetPlan as BudgetPlan
from nstar._verbs.budget import PilotPower as PilotPower
from nstar._verbs.budget import Spread as Spread
from nstar._verbs.budget import plan_budget as plan_budget
from nstar._verbs.budget.pilot import pilot_power as pilot_power
from nstar._verbs.budget.pilot import pilot_spread as pilot_spread
from nstar._verbs.budget.prices import Price as Price
from nstar._verbs.budget.prices import log_costs as log_costs
from nstar._verbs.claim import Claim as Claim
from nstar._verbs.claim import Printed as Printed
from nstar._verbs.claim import claim as claim
from nstar._verbs.compare import Comparison as Comparison
from nstar._verbs.compare import Pair as Pair
from nstar._verbs.compare import compare as compare
from nstar._verbs.compare import compare_tasks as compare_tasks
from nstar._verbs.coverage import Coverage as Coverage
from nstar._verbs.coverage import coverage as coverage
from nstar._verbs.gate import Gate as Gate
from nstar._verbs.gate import History as History
from nstar._verbs.gate import gate as gate
from nstar._verbs.plan import Design as Design
from nstar._verbs.plan import Graded as Graded
from nstar._verbs.plan import PairedPsi as PairedPsi
from nstar._verbs.plan import PairedRho as PairedRho
from nstar._verbs.plan import Plan as Plan
from nstar._verbs.plan import Unpaired as Unpaired
from nstar._verbs.plan import plan as plan
from nstar._verbs.plan.margin import plan_margin as plan_margin
from nstar._verbs.plan.precision import plan_precision as plan_precision
from nstar._verbs.plan.sequential import plan_sequential as plan_sequential
from nstar._verbs.plan.sequential_result import SequentialPlan as SequentialPlan
from nstar._verbs.runs import RunTable as RunTable
from nstar._verbs.runs import Runs as Runs
from nstar._verbs.runs import run_tables as run_tables
from nstar._verbs.runs import runs as runs
from nstar._verbs.selfcheck import Selfcheck as Selfcheck
from nstar._verbs.selfcheck import selfcheck as selfcheck
from nstar._verbs.simulate import Board as Board
from nstar._verbs.simulate import Counts as Counts
from nstar._verbs.simulate import INTERVALS as INTERVALS
from nstar._verbs.simulate import SCENARIOS as SCENARIOS
from nstar._verbs.simulate import Scores as Scores
from nstar._verbs.simulate import Simulation as Simulation
from nstar._verbs.simulate import TESTS as TESTS
from nstar._verbs.simulate import simulate as simulate
from nstar._verbs.validate import Validation as Validation
from nstar._verbs.validate import validate as validate
from nstar._verbs.verdict import Criteria as Criteria
from nstar._verbs.watch import Decision as Decision
from nstar._verbs.watch import Watch as Watch
from nstar._verbs.watch import Watched as Watched
from nstar.readers import Options as Options
from nstar.readers import read as read
from nstar.report import render as render
from nstar.report.charts import Figure as Figure
from nstar.report.charts import figure as figure
from nstar.report.page import page as page

__all__ = [
    "Audit",
    "BENCHMARKS",
    "Board",
    "BudgetPlan",
    "Claim",
    "Comparison",
    "Counts",
    "Coverage",
    "Criteria",
    "Decision",
    "Design",
    "Execution",
    "Figure",
    "Finding",
    "Gate",
    "Graded",
    "Grouping",
    "History",
    "INTERVALS",
    "Interval",
    "Leaderboard",
    "Limits",
    "Options",
    "Pair",
    "PairedPsi",
    "PairedRho",
    "PilotPower",
    "Plan",
    "Price",
    "Printed",
    "Result",
    "RunTable",
    "Runs",
    "SCENARIOS",
    "ScoreMatrix",
    "Scores",
    "Selfcheck",
    "SequentialPlan",
    "Simulation",
    "Source",
    "Spread",
    "TESTS",
    "Table",
    "TypicalRho",
    "Unpaired",
    "Validation",
    "Watch",
    "Watched",
    "__version__",
    "audit",
    "audit_tasks",
    "claim",
    "compare",
    "compare_tasks",
    "coverage",
    "figure",
    "gate",
    "log_costs",
    "matrices",
    "open_pack",
    "pack",
    "page",
    "pilot_power",
    "pilot_spread",
    "plan",
    "plan_budget",
    "plan_margin",
    "plan_precision",
    "plan_sequential",
    "read",
    "render",
    "run_tables",
    "runs",
    "selfcheck",
    "simulate",
    "stats",
    "validate",
]
