"""Runs of SWE-bench, from whichever of its files are there.

============================================ ===============================================
``<model>.<run>.json``                       report of a run: every instance by outcome
``…/<run>/<model>/<instance>/report.json``   read only where the report of the run is missing
``<split>/<name>/results/results.json``      SWE-bench/experiments: hardly more than the resolved
``<split>/<name>/per_instance_details.json`` the same, every instance, with its cost
============================================ ===============================================
"""

from collections.abc import Iterator, Sequence

import pyarrow as pa

from nstar.readers._base import Journal, Role, Rows, SourceDraft, Unit
from nstar.readers._files import Place
from nstar.readers.swe_bench._outcomes import Outcomes, from_listing, from_map, from_report
from nstar.readers.swe_bench._runs import Run, find_runs, kind_of

__all__ = ["READER"]

_LEFT = {"run_instance.log", "test_output.txt", "patch.diff", "eval.sh"}
"""Files that the harness leaves beside the report of an instance."""


class _Reader:
    """Reports of SWE-bench."""

    name = "swe_bench"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Any of the files is a log; what else an instance leaves is a companion."""
        if kind_of(place, head) is not None:
            return "log"
        left = place.name in _LEFT and "run_evaluation" in place.path
        return "companion" if left else None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:  # noqa: ARG002
        """One per run."""
        return find_runs(places)

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """A row per instance."""
        run: Run = unit.context
        source = journal.source(unit.place, self.name, harness="SWE-bench", model=run.model)
        source.task, source.limited = run.task, run.limited
        source.notes += run.notes
        outcomes = _outcomes(unit, source, journal)
        if outcomes.printed is not None:
            source.aggregates = {"resolved": outcomes.printed}
        scores = dict.fromkeys(outcomes.resolved, 1.0) | dict.fromkeys(outcomes.failed, 0.0)
        errors = {name: journal.error_score("zero") for name in outcomes.errors}
        rows = Rows("item", "score", "repo", "cost")
        for name, score in sorted((scores | errors).items()):
            rows.add(name, score, name.rpartition("-")[0] or name, outcomes.costs.get(name))
        yield rows.batch(model=run.model, task=run.task, metric="resolved", run=unit.run)


def _outcomes(unit: Unit, source: SourceDraft, journal: Journal) -> Outcomes:
    """Outcomes of the run; fills in how many instances there should be."""
    run: Run = unit.context
    source.declared_items = run.size
    if run.kind == "details":
        return from_map([unit.place], journal)
    if run.kind == "listing":
        return _listed(unit, source)
    if run.kind == "instance":
        out = from_map(run.places, journal)
        out.errors |= run.others - out.resolved - out.failed
        return out
    out = from_report(unit.place)
    source.declared_items, named = out.total, len(out.named())
    if out.total is not None and named != out.total:
        source.notes.append(f"names {named} instances, but counts {out.total}")
    return out


def _listed(unit: Unit, source: SourceDraft) -> Outcomes:
    """Outcomes of a listing; instances that only other logs name were not resolved here."""
    run: Run = unit.context
    out = from_listing(unit.place)
    filled = run.others - out.named()
    out.failed |= filled
    source.notes.append(
        f"results.json names hardly more than the resolved instances; {len(filled)} others, named "
        "by the logs read with it, count as failed, and those that none names are left out"
    )
    return out


READER = _Reader()
