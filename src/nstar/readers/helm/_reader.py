"""Scores per instance of a HELM run.

Perturbed copies of an instance bear its id and are left out, as is whatever belongs to another
split than the one HELM reports.
"""

import math
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import msgspec
import pyarrow as pa

from nstar.readers._base import Journal, Role, Rows, SourceDraft, Unit
from nstar.readers._common import above, mixed
from nstar.readers._files import Place
from nstar.readers._json import json_elements
from nstar.readers.helm._runs import Printed, Questions, Run, Stat, is_score

__all__ = ["READER"]

_LOG = "per_instance_stats.json"
_COMPANIONS = {
    "run_spec.json",
    "stats.json",
    "scenario.json",
    "scenario_state.json",
    "instances.json",
    "display_predictions.json",
    "display_requests.json",
}


class _Instance(msgspec.Struct):
    instance_id: str
    stats: list[Stat]
    train_trial_index: Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)] = 0
    perturbation: Any = None


class _Reader:
    """Runs of HELM."""

    name = "helm"

    def sniff(self, place: Place, head: bytes) -> Role:
        """The statistics per instance; the other files of a run folder are companions."""
        if place.name == _LOG:
            return "log" if head.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] in {b"[", b""} else None
        if place.name in _COMPANIONS and place.sibling(_LOG).exists():
            return "companion"
        return None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:  # noqa: ARG002
        """One per run folder; runs of one model with other arguments make other tasks."""
        runs = [Run.find(place) for place in places]
        apart = mixed((r.scenario, (r.model, r.subject or ""), r.variant) for r in runs)
        return [_unit(p, r.told_apart(apart)) for p, r in zip(places, runs, strict=True)]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """Scores of one run, a row per instance and statistic."""
        run: Run = unit.context
        source = journal.source(unit.place, self.name, harness="HELM", model=run.model)
        source.task, source.settings = run.task, run.settings()
        source.notes += [run.note] if run.note else []
        printed = Printed.load(unit.place)
        source.aggregates, source.declared_items = printed.means, printed.instances
        source.declared_runs = run.trials if run.trials > 1 else None
        questions = Questions.load(unit.place, source, journal)
        repeated = run.trials > 1
        rows = Rows("item", "score", "metric", "content", *questions.groups, *["run"] * repeated)
        fixed = {"model": run.model, "task": run.task, "subject": run.subject}
        fixed["run"] = None if repeated else unit.run
        seen: set[str] = set()
        for line, instance in json_elements(unit.place, None, _Instance, journal):
            item = run.item(instance.instance_id)
            about = questions.about(instance.instance_id)
            about += (_trial(unit, instance),) if repeated else ()
            for metric, score in _scores(instance, printed.split, source):
                if score is not None and math.isinf(score):
                    journal.bad_row(unit.place, line, f"{metric} of {item} is {score}, not finite")
                else:
                    rows.add(item, score, metric, *about)
                    seen.add(metric)
            if rows.full:
                yield rows.batch(**fixed)
        yield rows.batch(**fixed)
        source.aggregates = {m: v for m, v in printed.means.items() if m in seen}


def _unit(place: Place, run: Run) -> Unit:
    suite = next((f.name for f in list(above(place))[1:2]), "")
    return Unit(
        place=place,
        model=run.model,
        task=f"{run.task}/{run.subject}" if run.subject else run.task,
        started=re.sub(r"\d+", lambda m: m[0].zfill(12), suite),  # suites v2 and v10 in order
        context=run,
    )


def _trial(unit: Unit, instance: _Instance) -> str:
    trial = str(instance.train_trial_index)
    return trial if unit.run is None else f"{unit.run}/{trial}"


def _scores(
    instance: _Instance, split: str | None, source: SourceDraft
) -> Iterator[tuple[str, float | None]]:
    """Metric and score; NaN is no score."""
    if instance.perturbation:
        source.drop("perturbed instances")
        return
    for stat in instance.stats:
        name = stat.name
        if not is_score(name.name) or name.perturbation:
            continue
        if split is not None and name.split not in {split, None}:
            source.drop(f"statistics of split {name.split}")
        elif stat.mean is None:
            source.drop("statistics of nothing (count 0)")
        else:
            yield name.name, None if math.isnan(stat.mean) else stat.mean


READER = _Reader()
