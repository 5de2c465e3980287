"""Outcomes: which instances a model resolved, failed, or lost to an error, from any file."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from nstar.readers._base import Journal
from nstar.readers._files import Place
from nstar.readers._json import json_document
from nstar.readers._values import brief, number

__all__ = ["Counts", "Outcomes", "from_listing", "from_map", "from_report"]

_LISTED_ERRORS = ("no_logs", "install_fail", "reset_failed")
_LISTED_FAILURES = ("no_generation", "no_apply", "test_errored", "test_timeout")
_LISTED_OTHERS = ("generated", "with_logs", "applied")


class _Report(msgspec.Struct):
    resolved_ids: list[str]
    submitted_ids: list[str] = []
    completed_ids: list[str] = []
    incomplete_ids: list[str] = []
    empty_patch_ids: list[str] = []
    unresolved_ids: list[str] = []
    infra_failure_ids: list[str] = []
    ambiguous_failure_ids: list[str] = []
    error_ids: list[str] = []
    total_instances: int | None = None
    resolved_instances: int | None = None


class Counts(msgspec.Struct):
    """How many instances a report is about."""

    total_instances: int | None = None
    submitted_instances: int | None = None

    @property
    def partial(self) -> str | None:
        """Words for a run that left instances of the benchmark out."""
        total, submitted = self.total_instances, self.submitted_instances
        if total is None or submitted is None or submitted >= total:
            return None
        return f"{submitted} of {total} instances submitted"


@dataclass(slots=True)
class Outcomes:
    """Instances by outcome; each is in one set only."""

    resolved: set[str] = field(default_factory=set)
    """Solved."""
    failed: set[str] = field(default_factory=set)
    """Tried and not solved, or given up with an empty patch."""
    errors: set[str] = field(default_factory=set)
    """Never judged: not submitted, or lost to the machinery."""
    costs: dict[str, float] = field(default_factory=dict)
    """Money spent, where known."""
    total: int | None = None
    """Instances of the benchmark, if the file says so."""
    printed: float | None = None
    """The harness's own share of resolved instances."""

    def named(self) -> set[str]:
        """All instances."""
        return self.resolved | self.failed | self.errors


def from_report(place: Place) -> Outcomes:
    """Outcomes in the report of a whole run."""
    report = json_document(place, _Report)
    resolved = set(report.resolved_ids)
    errors = {*report.incomplete_ids, *report.error_ids, *report.infra_failure_ids} - resolved
    tried = {
        *report.submitted_ids,
        *report.completed_ids,
        *report.empty_patch_ids,
        *report.unresolved_ids,
        *report.ambiguous_failure_ids,
    }
    total, solved = report.total_instances, report.resolved_instances
    return Outcomes(
        resolved=resolved,
        failed=tried - resolved - errors,
        errors=errors,
        total=total if total is not None and total > 0 else None,
        printed=solved / total if total and solved is not None else None,
    )


def from_map(places: Iterable[Place], journal: Journal) -> Outcomes:
    """Outcomes in files that map instances to what became of them, such as report.json."""
    out = Outcomes()
    for place in places:
        for name, about in json_document(place, dict[str, dict[str, Any]]).items():
            resolved = about.get("resolved")
            if not isinstance(resolved, bool):
                problem = f"{name} has resolved {brief(resolved)[:60]}, but must be true or false"
                journal.bad_row(place, None, problem)
                continue
            chosen = out.resolved if resolved else out.failed
            if about.get("infra_failure") is True and not resolved:
                chosen = out.errors
            chosen.add(name)
            cost = number(about.get("cost"))
            if cost is not None and 0 <= cost < 1e12:
                out.costs[name] = cost
    out.failed -= out.resolved
    out.errors -= out.resolved | out.failed
    return out


def from_listing(place: Place) -> Outcomes:
    """Outcomes in results.json of SWE-bench/experiments, which names few but the resolved."""
    lists = json_document(place, dict[str, Any])
    out = Outcomes(resolved=_ids(lists, "resolved"))
    for key in _LISTED_ERRORS:
        out.errors |= _ids(lists, key) - out.resolved
    for key in (*_LISTED_FAILURES, *_LISTED_OTHERS):
        out.failed |= _ids(lists, key) - out.resolved - out.errors
    return out


def _ids(lists: dict[str, Any], key: str) -> set[str]:
    ids = lists.get(key)
    return {i for i in ids if isinstance(i, str)} if isinstance(ids, list) else set()
