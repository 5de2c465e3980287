# Written by scripts/names_stub.py.
from nstar import errors as errors
from nstar import report as report
from nstar import stats as stats
from nstar import types as types
from nstar._base.version import __version__ as __version__
from nstar._api.audit import audit as audit
from nstar._api.battles import battles as battles
from nstar._api.claim import claim as claim
from nstar._api.claim_gap import claim_gap as claim_gap
from nstar._api.claim_list import claim_list as claim_list
from nstar._api.claim_scores import claim_scores as claim_scores
from nstar._api.claim_table import claim_table as claim_table
from nstar._api.claim_unpaired import claim_unpaired as claim_unpaired
from nstar._api.claim_wins import claim_wins as claim_wins
from nstar._api.compare import compare as compare
from nstar._api.gate import gate as gate
from nstar._api.gate_aa import gate_aa as gate_aa
from nstar._api.gate_looks import gate_looks as gate_looks
from nstar._api.gate_plan import gate_plan as gate_plan
from nstar._api.gate_runs import gate_runs as gate_runs
from nstar._api.items import items as items
from nstar._api.judged import compare_judged as compare_judged
from nstar._api.known import compare_known as compare_known
from nstar._api.judges import judges as judges
from nstar._api.plan.board import plan_board as plan_board
from nstar._api.plan.items import plan as plan
from nstar._api.plan.labels import plan_labels as plan_labels
from nstar._api.plan.looks import plan_looks as plan_looks
from nstar._api.plan.margin import plan_margin as plan_margin
from nstar._api.plan.runs import plan_runs as plan_runs
from nstar._api.plan.single import plan_single as plan_single
from nstar._api.plan.votes import plan_votes as plan_votes
from nstar._api.read import coverage as coverage
from nstar._api.read import matrices as matrices
from nstar._api.read import read as read
from nstar._api.runs import runs as runs
from nstar._api.shrink import shrink as shrink
from nstar._api.simulate import simulate as simulate
from nstar._api.simulate import simulate_study as simulate_study
from nstar._base.result import Result as Result
from nstar._data.matrix import ScoreMatrix as ScoreMatrix
from nstar._data.pack import open_pack as open_pack
from nstar._data.pack import pack as pack
from nstar._data.table import Table as Table
from nstar._verbs.audit import Audit as Audit
from nstar._verbs.audit import TaskAudit as TaskAudit
from nstar._verbs.battles import Battles as Battles
from nstar._verbs.budget import TaskPlan as TaskPlan
from nstar._verbs.claim import Claim as Claim
from nstar._verbs.claim import ClaimList as ClaimList
from nstar._verbs.claim import GapClaim as GapClaim
from nstar._verbs.claim import ScoreClaim as ScoreClaim
from nstar._verbs.claim import TableClaim as TableClaim
from nstar._verbs.claim import UnpairedClaim as UnpairedClaim
from nstar._verbs.claim import WinsClaim as WinsClaim
from nstar._verbs.compare import Comparison as Comparison
from nstar._verbs.compare import TaskComparison as TaskComparison
from nstar._verbs.data_summary import Coverage as Coverage
from nstar._verbs.gate import Gate as Gate
from nstar._verbs.items import Items as Items
from nstar._verbs.judged import Judged as Judged
from nstar._verbs.judged.plan_result import LabelPlan as LabelPlan
from nstar._verbs.reference import Known as Known
from nstar._verbs.judges import Judges as Judges
from nstar._verbs.plan import Design as Design
from nstar._verbs.plan import Graded as Graded
from nstar._verbs.plan import PairedPsi as PairedPsi
from nstar._verbs.plan import PairedRho as PairedRho
from nstar._verbs.plan import Plan as Plan
from nstar._verbs.plan import Unpaired as Unpaired
from nstar._verbs.plan.votes_result import VotePlan as VotePlan
from nstar._verbs.plan.board_result import BoardPlan as BoardPlan
from nstar._verbs.plan.result import PlanGrid as PlanGrid
from nstar._verbs.plan.sequential_result import SequentialPlan as SequentialPlan
from nstar._verbs.plan.single import SinglePlan as SinglePlan
from nstar._verbs.runs import RunTable as RunTable
from nstar._verbs.runs import Runs as Runs
from nstar._verbs.race import Race as Race
from nstar._verbs.race import RaceResult as RaceResult
from nstar._verbs.selfcheck import Selfcheck as Selfcheck
from nstar._verbs.selfcheck import selfcheck as selfcheck
from nstar._verbs.shrink import Subset as Subset
from nstar._verbs.simulate import Simulation as Simulation
from nstar._verbs.simulate import Study as Study
from nstar._verbs.watch import Watch as Watch
from nstar._verbs.watch import WatchResult as WatchResult

__all__ = [
    "Audit",
    "Battles",
    "BoardPlan",
    "Claim",
    "ClaimList",
    "Comparison",
    "Coverage",
    "Design",
    "GapClaim",
    "Gate",
    "Graded",
    "Items",
    "Judged",
    "Judges",
    "Known",
    "LabelPlan",
    "PairedPsi",
    "PairedRho",
    "Plan",
    "PlanGrid",
    "Race",
    "RaceResult",
    "Result",
    "RunTable",
    "Runs",
    "ScoreClaim",
    "ScoreMatrix",
    "Selfcheck",
    "SequentialPlan",
    "Simulation",
    "SinglePlan",
    "Study",
    "Subset",
    "Table",
    "TableClaim",
    "TaskAudit",
    "TaskComparison",
    "TaskPlan",
    "Unpaired",
    "UnpairedClaim",
    "VotePlan",
    "Watch",
    "WatchResult",
    "WinsClaim",
    "__version__",
    "audit",
    "battles",
    "claim",
    "claim_gap",
    "claim_list",
    "claim_scores",
    "claim_table",
    "claim_unpaired",
    "claim_wins",
    "compare",
    "compare_judged",
    "compare_known",
    "coverage",
    "errors",
    "gate",
    "gate_aa",
    "gate_looks",
    "gate_plan",
    "gate_runs",
    "items",
    "judges",
    "matrices",
    "open_pack",
    "pack",
    "plan",
    "plan_board",
    "plan_labels",
    "plan_looks",
    "plan_margin",
    "plan_runs",
    "plan_single",
    "plan_votes",
    "read",
    "report",
    "runs",
    "selfcheck",
    "shrink",
    "simulate",
    "simulate_study",
    "stats",
    "types",
]
