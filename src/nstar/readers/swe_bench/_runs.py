"""Which runs there are: reports of runs, folders of reports per instance, submissions."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from nstar.errors import ReadError
from nstar.readers._base import Unit
from nstar.readers._common import above
from nstar.readers._files import Place, printable
from nstar.readers._json import json_document
from nstar.readers.swe_bench._outcomes import Counts, from_listing

__all__ = ["Kind", "Run", "find_runs", "kind_of"]

Kind: TypeAlias = Literal["report", "instance", "listing", "details"]

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


def kind_of(place: Place, head: bytes) -> Kind | None:
    """Which of SWE-bench's files this is; the report of a run may have any name."""
    if not place.name.endswith(".json") or not head.lstrip().startswith(b"{"):
        return None
    if b'"total_instances"' in head and b'"resolved_instances"' in head:
        return "report"
    if place.name == "report.json" and b'"resolved"' in head and b'"patch_' in head:
        return "instance"
    if place.name == "per_instance_details.json" and b'"resolved"' in head:
        return "details"
    if place.name == "results.json" and _RESOLVED.search(head) and _LISTED.search(head):
        return "listing"
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A model's run: where its outcomes are, and what is known beforehand."""

    kind: Kind
    model: str
    task: str = "SWE-bench"
    size: int | None = None
    """Instances of the benchmark, if its name is known."""
    places: tuple[Place, ...] = ()
    """Reports per instance."""
    others: frozenset[str] = frozenset()
    """Instances known from elsewhere: of the same benchmark, or of this run without a report."""
    limited: str | None = None
    notes: tuple[str, ...] = ()


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
        """The folder as a run of its own; folders of instances without a report are errors."""
        try:
            listed = {p.name for p in self.place.list() if p.is_dir()}
        except ReadError:  # an address that cannot be listed
            listed = set()
        model, notes = _restored(self.model)
        notes += ("no report of the whole run: instances without a patch are not known",)
        lost = frozenset(listed - self.instances())
        run = Run(
            kind="instance", model=model, places=tuple(self.reports), others=lost, notes=notes
        )
        return _unit(self.place, run, self.run)


def find_runs(places: Sequence[Place]) -> list[Unit]:
    """One unit per run; reports per instance count only where the run's own is missing."""
    by_kind: dict[Kind, list[Place]] = {
        k: [] for k in ("report", "instance", "listing", "details")
    }
    for place in places:
        by_kind[kind_of(place, place.head()) or "report"].append(place)
    folders = _folders(by_kind["instance"])
    units = [_report(place, folders) for place in by_kind["report"]]
    units += _submissions(by_kind["listing"], by_kind["details"], folders)
    return units + [folder.unit() for folder in folders.values()]


def _names(place: Place) -> list[str]:
    """Names of the folders above, nearest first; at least four."""
    return [printable(f.name) for f in above(place)] + [""] * 4


def _folders(reports: Iterable[Place]) -> dict[str, _Folder]:
    found: dict[str, _Folder] = {}
    for report in reports:
        instance = Place(report.parent, report.fs)
        place = Place(instance.parent, report.fs)
        _, model, run, *_ = _names(report)
        found.setdefault(place.path, _Folder(place, model, run)).reports.append(report)
    return found


def _report(place: Place, folders: dict[str, _Folder]) -> Unit:
    """The report of a run, named ``<model>.<run>.json``; its folders are done with."""
    stem = place.name.removesuffix(".json")
    model, _, run = stem.rpartition(".")
    for path, folder in list(folders.items()):
        if f"{folder.model}.{folder.run}" == stem:
            model, run = folder.model, folder.run
            del folders[path]
    model, notes = _restored(printable(model or stem))
    notes += ("the report does not name its dataset; check that the models ran the same one",)
    limited = json_document(place, Counts).partial
    return _unit(place, Run(kind="report", model=model, limited=limited, notes=notes), run)


def _submissions(
    listings: list[Place], details: list[Place], folders: dict[str, _Folder]
) -> list[Unit]:
    """Submissions in SWE-bench/experiments: ``<split>/<name>/…``; details before lists."""
    found = {_above(place, 2).path: place for place in listings}
    found |= {_above(place, 1).path: place for place in details}
    named: dict[str, set[str]] = {}
    for path, place in found.items():
        logs = folders.pop(f"{path}/logs", None)
        known = _instances(place) | (logs.instances() if logs else set())
        named.setdefault(_benchmark(path)[0], set()).update(known)
    units = []
    for path, place in found.items():
        task, size = _benchmark(path)
        listing = place.name == "results.json"
        run = Run(
            kind="listing" if listing else "details",
            model=printable(Place(path, place.fs).name),
            task=task,
            size=size,
            others=frozenset(named[task]) if listing else frozenset(),
        )
        units.append(_unit(place, run, run.model))
    return units


def _above(place: Place, levels: int) -> Place:
    for _ in range(levels):
        place = Place(place.parent, place.fs)
    return place


def _benchmark(path: str) -> tuple[str, int | None]:
    """Name and size of the benchmark of a submission's folder."""
    split, *_ = _names(Place(path))
    return _BENCHMARKS.get(split, ("SWE-bench", None))


def _instances(place: Place) -> set[str]:
    if place.name == "results.json":
        return from_listing(place).named()
    return set(json_document(place, dict[str, Any]))


def _restored(name: str) -> tuple[str, tuple[str, ...]]:
    """The model's name with its ``/``, of which SWE-bench makes ``__``."""
    if name.count("__") != 1:
        return name, ()
    model = name.replace("__", "/")
    return model, (f"{name} is taken for {model}",)


def _unit(place: Place, run: Run, started: str) -> Unit:
    return Unit(
        place=place,
        model=run.model,
        task=run.task,
        started=started,
        complete=run.limited is None,
        context=run,
    )
