"""Read runs of SWE-bench from any of its files.

============================================ ===============================================
``<model>.<run>.json``                       report of a run: every instance by outcome
``…/<run>/<model>/<instance>/report.json``   read only where the report of the run is missing
``<split>/<name>/results/results.json``      SWE-bench/experiments: hardly more than the resolved
``<split>/<name>/per_instance_details.json`` the same, every instance, with its cost
============================================ ===============================================
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pyarrow as pa

from nstar._data.findings import LABELED
from nstar.readers._base import Journal, Role, Rows, Unit
from nstar.readers._common import above, begins, listed
from nstar.readers._files import Place
from nstar.readers._json import json_document
from nstar.readers._read_errors import printable
from nstar.readers._values import finite, listing, unfit

__all__ = ["READER"]

_BENCHMARKS = {
    "test": ("SWE-bench", 2294),
    "lite": ("SWE-bench Lite", 300),
    "verified": ("SWE-bench Verified", 500),
    "bash-only": ("SWE-bench Verified", 500),
    "multimodal": ("SWE-bench Multimodal", 517),
    "multilingual": ("SWE-bench Multilingual", 300),
}
"""Name and size of the benchmark behind each folder of SWE-bench/experiments."""
_RESOLVED = re.compile(rb'"resolved"\s*:\s*\[')
_LISTED = re.compile(rb'"(?:no_generation|no_logs|generated|with_logs|applied)"\s*:\s*\[')
_LISTED_ERRORS = ("no_logs", "install_fail", "reset_failed")
_LISTED_FAILURES = ("no_generation", "no_apply", "test_errored", "test_timeout")
_LISTED_OTHERS = ("generated", "with_logs", "applied")
_LEFT = {"run_instance.log", "test_output.txt", "patch.diff", "eval.sh"}
"""Files that the harness writes next to the report of an instance."""
_FILLED = (
    "results.json names little more than the resolved instances; {} others, named by "
    "the logs read with it, count as failed, and any others are missing"
)


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
    submitted_instances: int | None = None
    resolved_instances: int | None = None

    def outcomes(self) -> "_Outcomes":
        resolved = set(self.resolved_ids)
        errors = {*self.incomplete_ids, *self.error_ids, *self.infra_failure_ids} - resolved
        tried = {*self.submitted_ids, *self.completed_ids, *self.empty_patch_ids}
        tried |= {*self.unresolved_ids, *self.ambiguous_failure_ids}
        return _Outcomes(resolved, tried - resolved - errors, errors)


@dataclass(slots=True)
class _Outcomes:
    """Instances by outcome. Each instance is in only one set."""

    resolved: set[str] = field(default_factory=set)
    failed: set[str] = field(default_factory=set)
    """Instances that were attempted but not resolved, or have an empty patch."""
    errors: set[str] = field(default_factory=set)
    """Instances without a verdict: not submitted, or lost to an infrastructure error."""
    costs: dict[str, float] = field(default_factory=dict)

    @property
    def named(self) -> set[str]:
        return self.resolved | self.failed | self.errors


def _from_maps(places: Iterable[Place], journal: Journal) -> _Outcomes:
    """Return the outcomes in files that map instances to results, such as report.json."""
    out = _Outcomes()
    for place in places:
        for name, outcome in json_document(place, dict[str, dict[str, Any]]).items():
            resolved = outcome.get("resolved")
            if not isinstance(resolved, bool):
                problem = unfit(f"resolved of {name}", resolved, "expected true or false")
                journal.bad_row(place, None, problem)
                continue
            lost = out.errors if outcome.get("infra_failure") is True else out.failed
            (out.resolved if resolved else lost).add(name)
            cost = finite(outcome.get("cost"))
            if cost is not None and cost >= 0:
                out.costs[name] = cost
    out.failed -= out.resolved
    out.errors -= out.resolved | out.failed
    return out


def _from_listing(place: Place) -> _Outcomes:
    """Return the outcomes in results.json of SWE-bench/experiments."""
    lists = json_document(place, dict[str, Any])
    resolved, errors, others = (
        {i for key in keys for i in listing(lists.get(key)) if isinstance(i, str)}
        for keys in (("resolved",), _LISTED_ERRORS, (*_LISTED_FAILURES, *_LISTED_OTHERS))
    )
    return _Outcomes(resolved, others - resolved - errors, errors - resolved)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """A model's run: its outcomes or their files, and other information."""

    model: str
    task: str = "SWE-bench"
    size: int | None = None
    """Number of instances of the benchmark, if known."""
    outcomes: _Outcomes = field(default_factory=_Outcomes)
    maps: tuple[Place, ...] = ()
    """Files that map instances to outcomes, still to be read."""
    means: dict[str, float] = field(default_factory=dict)
    """Share of resolved instances according to the harness."""
    limited: str | None = None
    notes: tuple[str, ...] = ()

    def unit(self, place: Place, started: str) -> Unit:
        return Unit(
            place=place,
            model=self.model,
            task=self.task,
            started=started,
            complete=self.limited is None,
            context=self,
        )


@dataclass(slots=True)
class _Folder:
    """Reports per instance in one folder: ``…/<run>/<model>/<instance>/report.json``."""

    place: Place
    model: str
    run: str
    reports: list[Place] = field(default_factory=list)

    def instances(self) -> set[str]:
        return {_names(report)[0] for report in self.reports}

    def unit(self) -> Unit:
        """Return the folder as a run. Folders of instances without a report count as errors."""
        tried = {p.name for p in listed(self.place) if p.is_dir()}
        model, notes = _restored_name(self.model)
        notes += ("no report of the whole run: instances without a patch are unknown",)
        lost = _Outcomes(errors=tried - self.instances())
        run = _Run(model=model, maps=tuple(self.reports), outcomes=lost, notes=notes)
        return run.unit(self.place, self.run)


class _Reader:
    name = "swe_bench"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Return ``log`` for these files, ``companion`` for other files of an instance."""
        if _kind_of(place, head) is not None:
            return "log"
        return "companion" if place.name in _LEFT and "run_evaluation" in place.path else None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:  # noqa: ARG002
        """Return a unit per run. Reports per instance count only if the run has no report."""
        by_kind: dict[str, list[Place]] = defaultdict(list)
        for place in places:
            by_kind[_kind_of(place, place.head()) or "report"].append(place)
        folders = _folders(by_kind["instance"])
        units = [_report(place, folders) for place in by_kind["report"]]
        units += _submissions(by_kind["listing"], by_kind["details"], folders)
        return units + [folder.unit() for folder in folders.values()]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        run: _Run = unit.context
        source = journal.source(unit.place, self.name, harness="SWE-bench", model=run.model)
        source.task, source.limited, source.declared_items = run.task, run.limited, run.size
        source.aggregates = dict(run.means)
        source.notes += run.notes
        out = run.outcomes
        if run.maps:
            out = _from_maps(run.maps, journal)
            out.errors |= run.outcomes.errors - out.named
        scores = dict.fromkeys(out.resolved, 1.0) | dict.fromkeys(out.failed, 0.0)
        errors = {name: journal.error_score("zero") for name in out.errors}
        rows = Rows("item", "score", "repo", "cost")
        for name, score in sorted((scores | errors).items()):
            rows.add(name, score, name.rpartition("-")[0] or name, out.costs.get(name))
        yield rows.batch(model=run.model, task=run.task, metric="resolved", run=unit.run)


def _kind_of(place: Place, head: bytes) -> str | None:
    """Return which of SWE-bench's files this is. The report of a run may have any name."""
    if not place.name.endswith(".json") or not begins(head, b"{"):
        return None
    if begins(head, b"{", "total_instances", "resolved_instances"):
        return "report"
    if place.name == "report.json" and b'"resolved"' in head and b'"patch_' in head:
        return "instance"
    if place.name == "per_instance_details.json" and b'"resolved"' in head:
        return "details"
    if place.name == "results.json" and _RESOLVED.search(head) and _LISTED.search(head):
        return "listing"
    return None


def _names(place: Place) -> list[str]:
    """Return the names of the folders above, nearest first; at least four."""
    return [printable(f.name) for f in above(place)] + [""] * 4


def _folders(reports: Iterable[Place]) -> dict[str, _Folder]:
    by_path: dict[str, _Folder] = {}
    for report in reports:
        _, model, run, *_ = _names(report)
        folder = _Folder(report.folder.folder, model, run)
        by_path.setdefault(folder.place.path, folder).reports.append(report)
    return by_path


def _report(place: Place, folders: dict[str, _Folder]) -> Unit:
    """Return the report of a run, named ``<model>.<run>.json``; mark its folders as done."""
    stem = place.name.removesuffix(".json")
    model, _, run = stem.rpartition(".")
    for path, folder in list(folders.items()):
        if f"{folder.model}.{folder.run}" == stem:
            model, run = folder.model, folder.run
            del folders[path]
    model, notes = _restored_name(printable(model or stem))
    notes += ("the report does not name its dataset; check that the models ran the same one",)
    report = json_document(place, _Report)
    out, total = report.outcomes(), report.total_instances or 0
    if total and len(out.named) != total:
        notes += (f"names {len(out.named)} instances, but counts {total}",)
    solved, submitted = report.resolved_instances, report.submitted_instances
    part = submitted is not None and submitted < total
    report_run = _Run(
        model=model,
        size=total if total > 0 else None,
        outcomes=out,
        means={"resolved": solved / total} if total and solved is not None else {},
        limited=f"{submitted} of {total} instances submitted" if part else None,
        notes=notes,
    )
    return report_run.unit(place, run)


def _submissions(
    listings: list[Place], details: list[Place], folders: dict[str, _Folder]
) -> Iterator[Unit]:
    """Yield the submissions in SWE-bench/experiments: ``<split>/<name>/…``.

    A submission that only lists resolved instances did not resolve the instances that only other
    submissions name.
    """
    by_path = {place.folder.folder.path: place for place in listings}
    by_path |= {place.folder.path: place for place in details}
    lists = {path: _from_listing(place) for path, place in by_path.items() if place in listings}
    resolved_by_task: dict[str, set[str]] = {}
    for path, place in by_path.items():
        known = resolved_by_task.setdefault(_benchmark(path)[0], set())
        known.update(lists[path].named if path in lists else json_document(place, dict))
        known.update(folders.pop(f"{path}/logs").instances() if f"{path}/logs" in folders else ())
    for path, place in by_path.items():
        task, size = _benchmark(path)
        parts: dict[str, Any] = {"maps": (place,)}
        if path in lists:
            filled = resolved_by_task[task] - lists[path].named
            lists[path].failed |= filled
            parts = {"outcomes": lists[path], "notes": (_FILLED.format(len(filled)),)}
        model = printable(Place(path, place.fs).name)
        yield _Run(model=model, task=task, size=size, **parts).unit(place, model)


def _benchmark(path: str) -> tuple[str, int | None]:
    """Return the name and size of the benchmark of a submission's folder."""
    return _BENCHMARKS.get(_names(Place(path))[0], ("SWE-bench", None))


def _restored_name(name: str) -> tuple[str, tuple[str, ...]]:
    """Return the model's name with ``/``, which SWE-bench replaces by ``__``."""
    if name.count("__") != 1:
        return name, ()
    model = name.replace("__", "/")
    return model, (f"{LABELED}{name} is used as {model}",)


READER = _Reader()
