"""Read HELM logs: a folder per run, with per_instance_stats.json and run_spec.json.

Perturbed copies of an instance, which share its id, are left out. Splits that HELM does not report
are also left out.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice
from typing import Annotated, Any

import msgspec
import pyarrow as pa

from nstar._data.findings import LABELED
from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, Rows, SourceDraft, Unit, content_key
from nstar.readers._common import (
    above,
    begins,
    folder_name,
    group_fields,
    group_label,
    mixed,
    run_label,
)
from nstar.readers._files import Place
from nstar.readers._json import json_document, json_elements
from nstar.readers._values import ScoreCheck, brief, entry, listing, mapping, means_of, settings_of

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
_STATE_CAP = 256 << 20
"""Size in bytes above which the questions in scenario_state.json are not read."""
_BOOKKEEPING = (
    "num_",
    "inference_",
    "training_",
    "prompt_",
    "finish_reason_",
    "estimated_num_",
    "batch_size",
    "logprob",
    "max_prob",
    "predicted_index",
)
"""Prefixes of statistics that describe how a run went rather than the quality of answers."""
_NOT_DATA = {"model", "model_deployment", "groups"}
_ADAPTER_SETTINGS = (
    "method",
    "max_train_instances",
    "max_eval_instances",
    "num_outputs",
    "max_tokens",
    "temperature",
)


class _Name(msgspec.Struct):
    name: str
    split: str | None = None
    perturbation: Any = None


class _Stat(msgspec.Struct):
    """One statistic. It has no mean if nothing was counted."""

    name: _Name
    mean: float | None = None


class _Instance(msgspec.Struct):
    instance_id: str
    stats: list[_Stat]
    train_trial_index: Annotated[int, msgspec.Meta(ge=0, lt=1 << 31)] = 0
    perturbation: Any = None


class _State(msgspec.Struct):
    instance: dict[str, Any]


class _Spec(msgspec.Struct):
    name: str = ""
    scenario_spec: dict[str, Any] = {}
    adapter_spec: dict[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Contents of run_spec.json, or, if it is missing, of the folder's name."""

    model: str
    lent: bool
    """Whether the model is named after the folder."""
    scenario: str
    """Scenario and the arguments that select its data, without the subject."""
    subject: str | None
    variant: str
    """Other arguments of the run."""
    adapter: dict[str, Any]
    notes: tuple[str, ...] = ()
    task: str = ""
    """Name of the task in the table."""

    @classmethod
    def find(cls, place: Place) -> "_Run":
        """Return the run whose statistics are in this file."""
        folder = folder_name(place)
        file = place.sibling("run_spec.json")
        known = file.exists()
        spec = json_document(file, _Spec) if known else _Spec(name=folder)
        base, _, rest = (spec.name or folder).partition(":")
        arguments = dict(a.partition("=")[::2] for a in rest.split(",") if "=" in a)
        scenario_args = sorted(mapping(entry(spec.scenario_spec, "args")).items())
        data = {k: brief(v)[:80] for k, v in scenario_args} if known else arguments
        data = {k: v for k, v in data.items() if k not in _NOT_DATA}
        subject = data.pop("subject", None)
        other = {k: v for k, v in arguments.items() if k not in {*_NOT_DATA, *data, "subject"}}
        model = entry(spec.adapter_spec, "model") or arguments.get("model")
        return cls(
            model=brief(model or folder),
            lent=not model,
            scenario=f"{base}:{_joined(data)}" if data else base,
            subject=subject,
            variant=_joined(other),
            adapter=spec.adapter_spec,
            notes=()
            if known
            else (f"{LABELED}no run_spec.json; {model or folder} is the name of the folder",),
        )

    def with_task_name(self, tasks: set[str]) -> "_Run":
        """Return the run with its task's name, with arguments if it is in ``tasks``."""
        needs_arguments = self.scenario in tasks and self.variant
        return replace(
            self, task=f"{self.scenario}[{self.variant}]" if needs_arguments else self.scenario
        )

    def unit(self, place: Place) -> Unit:
        suite = next((f.name for f in islice(above(place), 1, 2)), "")
        return Unit(
            place=place,
            model=self.model,
            lent=self.lent,
            task=f"{self.task}/{self.subject}" if self.subject else self.task,
            started=re.sub(r"\d+", lambda m: m[0].zfill(12), suite),  # sort suite v2 before v10
            context=self,
        )

    @property
    def trials(self) -> int:
        """Return the number of repetitions with other few-shot examples."""
        number = self.adapter.get("num_train_trials")
        return number if isinstance(number, int) and number > 0 else 1

    def item(self, instance: str) -> str:
        """Return the name of an instance. Ids start at zero in every subject."""
        return f"{self.subject}:{instance}" if self.subject else instance

    def settings(self) -> dict[str, str]:
        """Return the prompt, the sampling, and the arguments that do not select data."""
        values = {name: self.adapter.get(name) for name in _ADAPTER_SETTINGS}
        if not self.subject:  # instructions often contain the subject
            values["instructions"] = self.adapter.get("instructions")
        return settings_of({**values, "arguments": self.variant})


class _Reader:
    name = "helm"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Return ``log`` for statistics per instance, ``companion`` for other files."""
        if place.name == _LOG:
            return "log" if begins(head, b"[") or not head.strip() else None
        if place.name in _COMPANIONS and place.sibling(_LOG).exists():
            return "companion"
        return None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:  # noqa: ARG002
        """Return a unit per run folder.

        Runs of one model with other arguments become other tasks.
        """
        runs = [_Run.find(place) for place in places]
        mixed_tasks = mixed((r.scenario, (r.model, r.subject or ""), r.variant) for r in runs)
        return [
            r.with_task_name(mixed_tasks).unit(place)
            for place, r in zip(places, runs, strict=True)
        ]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """Yield the scores of one run, with a row per instance and statistic."""
        run: _Run = unit.context
        source = journal.source(unit.place, self.name, harness="HELM", model=run.model)
        source.task, source.settings = run.task, run.settings()
        source.notes += run.notes
        split, means, source.declared_items = _printed(unit.place)
        source.aggregates = means
        source.declared_runs = run.trials if run.trials > 1 else None
        groups, questions = _questions(unit.place, source, journal)
        repeated = run.trials > 1
        rows = Rows("item", "score", "metric", "content", *groups, *["run"] * repeated)
        fixed = {"model": run.model, "task": run.task, "subject": run.subject}
        fixed["run"] = None if repeated else unit.run
        check = ScoreCheck(unit.place, journal, source.drop)
        metrics: set[str] = set()
        for line, instance in json_elements(unit.place, None, _Instance, journal):
            item = run.item(instance.instance_id)
            attributes = questions.get(instance.instance_id) or (None,) * (1 + len(groups))
            if repeated:
                attributes += (run_label(unit.run, str(instance.train_trial_index)),)
            for metric, mean in _means(instance, split, source):
                for score in check(metric, mean, line):
                    rows.add(item, score, metric, *attributes)
                    metrics.add(metric)
            if rows.full:
                yield rows.batch(**fixed)
        yield rows.batch(**fixed)
        source.aggregates = {m: v for m, v in means.items() if m in metrics}


def _joined(args: dict[str, str]) -> str:
    return ",".join(f"{k}={v}" for k, v in args.items())


def _printed(place: Place) -> tuple[str | None, dict[str, float], int | None]:
    """Return the reported split, with the means and number of its instances in stats.json.

    The reported split is ``test`` if it was evaluated, else the other one.
    """
    file = place.sibling("stats.json")
    if not file.exists():
        return None, {}, None
    stats = [s for s in json_document(file, list[_Stat]) if not s.name.perturbation]
    splits = [s.name.split for s in stats if _is_score(s.name.name) and s.name.split]
    split = "test" if "test" in splits else next(iter(splits), None)
    means = means_of({s.name.name: s.mean for s in stats if s.name.split == split})
    count = means.pop("num_instances", 0)
    return split, means, int(count) if 0 < count < 1e12 else None


@lru_cache(maxsize=4096)
def _is_score(name: str) -> bool:
    return not name.startswith(_BOOKKEEPING) and not name.endswith("_cost")


def _means(
    instance: _Instance, split: str | None, source: SourceDraft
) -> Iterator[tuple[str, float]]:
    if instance.perturbation:
        source.drop("perturbed instances")
        return
    for stat in instance.stats:
        name = stat.name
        if not _is_score(name.name) or name.perturbation:
            continue
        if split is not None and name.split not in {split, None}:
            source.drop(f"statistics of split {name.split}")
        elif stat.mean is None:
            source.drop("statistics of nothing (count 0)")
        else:
            yield name.name, stat.mean


def _questions(
    place: Place, source: SourceDraft, journal: Journal
) -> tuple[list[str], dict[str, tuple[Any, ...]]]:
    """Return the fields that group questions, and the content key and groups of each instance.

    They come from scenario_state.json, if it exists and is not too large.
    """
    file = place.sibling("scenario_state.json")
    size = file.size() if file.exists() else None
    if size is None or size > _STATE_CAP:
        return [], {}
    groups = group_fields(journal.options, "subject")
    try:
        states = json_elements(file, "request_states", _State, Journal())
        known = dict(_question(s.instance, groups) for _, s in states)
    except ReadError as error:
        source.notes.append(f"questions are not compared: {error}")
        return [], {}
    used = [
        i for i in range(len(groups)) if any(attributes[i + 1] for attributes in known.values())
    ]
    slim = {
        name: (attributes[0], *(attributes[i + 1] for i in used))
        for name, attributes in known.items()
    }
    return [groups[i] for i in used], slim


def _question(instance: dict[str, Any], groups: Sequence[str]) -> tuple[str, tuple[Any, ...]]:
    """Return the id, content key, and groups of an instance. A perturbed one has the id ""."""
    name = instance.get("id")
    if not isinstance(name, str) or instance.get("perturbation"):
        return "", (None,) * (1 + len(groups))
    options = [entry(r, "output", "text") for r in listing(instance.get("references"))]
    content = entry(instance, "input", "text"), sorted(o for o in options if isinstance(o, str))
    extra = instance.get("extra_data")
    return name, (content_key(repr(content)), *(group_label(entry(extra, g)) for g in groups))


READER = _Reader()
