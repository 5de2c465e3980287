"""Can this evaluation tell these two models apart?

logs → Table → ScoreMatrix → Gram → PairStats → Verdict → report

Names are loaded on first use, so that ``import nstar`` and ``nstar --help`` stay instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nstar._version import __version__

if TYPE_CHECKING:
    from nstar import stats
    from nstar._benchmarks import BENCHMARKS, TypicalRho
    from nstar._claim import Claim, Printed, claim
    from nstar._plan import (
        Design,
        Graded,
        PairedPsi,
        PairedRho,
        Plan,
        Unpaired,
        plan,
        plan_margin,
        plan_precision,
    )
    from nstar._selfcheck import Selfcheck, selfcheck
    from nstar._typing import Interval
    from nstar._verdict import Criteria
    from nstar.report import render

__all__ = [
    "BENCHMARKS",
    "Claim",
    "Criteria",
    "Design",
    "Graded",
    "Interval",
    "PairedPsi",
    "PairedRho",
    "Plan",
    "Printed",
    "Selfcheck",
    "TypicalRho",
    "Unpaired",
    "__version__",
    "claim",
    "plan",
    "plan_margin",
    "plan_precision",
    "render",
    "selfcheck",
    "stats",
]

_HOMES = {
    "BENCHMARKS": "nstar._benchmarks",
    "Claim": "nstar._claim",
    "Criteria": "nstar._verdict",
    "Design": "nstar._plan",
    "Graded": "nstar._plan",
    "Interval": "nstar._typing",
    "PairedPsi": "nstar._plan",
    "PairedRho": "nstar._plan",
    "Plan": "nstar._plan",
    "Printed": "nstar._claim",
    "Selfcheck": "nstar._selfcheck",
    "TypicalRho": "nstar._benchmarks",
    "Unpaired": "nstar._plan",
    "claim": "nstar._claim",
    "plan": "nstar._plan",
    "plan_margin": "nstar._plan",
    "plan_precision": "nstar._plan",
    "render": "nstar.report",
    "selfcheck": "nstar._selfcheck",
}


def __getattr__(name: str) -> Any:
    if name == "stats":
        return import_module("nstar.stats")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    msg = f"module 'nstar' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
