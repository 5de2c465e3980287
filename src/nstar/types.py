"""Types that verbs take or give beside their results, and the registries of ``simulate``.

They are loaded on first use; most people need none of them.
"""

from importlib import import_module
from typing import Any

_HOMES = {
    "_api.reading_words": "PilotWords PricedPilotWords ReadingWords ScoreWords TableWords",
    "_base.types": "Interval",
    "_data.findings": "Finding",
    "_data.read_limits": "Limits",
    "_data.matrix": "Grouping",
    "_data.table": "Source",
    "_engine.work": "Execution",
    "_verbs.benchmarks": "BENCHMARKS TypicalRho",
    "_verbs.budget": "PilotPower TaskVariances",
    "_verbs.budget.prices": "Price",
    "_verbs.gate": "TaskGate History",
    "_verbs.simulate": "Board Counts INTERVALS SCENARIOS Scores TESTS",
    "_verbs.verdict": "Criteria",
    "_verbs.watch": "Decision ItemPair",
    "report.charts": "Figure",
}
"""Every name, by where it lives; scripts/names_stub.py tells type checkers."""

_MODULES = {name: f"nstar.{home}" for home, names in _HOMES.items() for name in names.split()}

__all__ = [*_MODULES]  # noqa: PLE0604


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    msg = f"module 'nstar.types' has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return __all__
