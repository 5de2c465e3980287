"""Read logs of terminal-bench before Harbor: results.json of a run, with run_metadata.json.

A trial without a verdict counts as failed, as in the harness's accuracy.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

import msgspec
import pyarrow as pa

from nstar._data.findings import LABELED
from nstar.readers._base import Journal, Role, Rows, Unit, content_key
from nstar.readers._common import agent_and_model, balanced, begins, folder_name, run_label
from nstar.readers._files import Place
from nstar.readers._json import json_document, json_elements, json_skeleton
from nstar.readers._values import brief, means_of, settings_of, text, total, whole_number

__all__ = ["READER"]

_RESULTS = re.compile(rb'"results"\s*:\s*\[')
_ATTEMPT = re.compile(r"\.(\d+)-of-\d+\.")
_LOST = {"unknown", "unknown_agent_error", "agent_installation_failed", "parse_error"}
"""Failure modes of the infrastructure rather than of the model."""
_SETTINGS = ("dataset_version", "agent_name", "agent_kwargs")

_TOKENS = ("tokens", "input_tokens", "output_tokens")
_Tokens = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]


class _Trial(msgspec.Struct):
    task_id: str
    trial_name: str = ""
    instruction: str | None = None
    is_resolved: bool | None = None
    failure_mode: str | None = None
    total_input_tokens: _Tokens | None = None
    total_output_tokens: _Tokens | None = None

    @property
    def lost(self) -> bool:
        """Return whether there is no verdict on the model's work."""
        return self.is_resolved is None or (not self.is_resolved and self.failure_mode in _LOST)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """Contents of run_metadata.json."""

    model: str
    agent: str | None
    meta: dict[str, Any]
    notes: tuple[str, ...] = ()

    @classmethod
    def find(cls, place: Place) -> "_Run":
        file = place.sibling("run_metadata.json")
        meta = json_document(file, dict[str, Any]) if file.exists() else {}
        agent = text(meta.get("agent_name"))
        model = text(meta.get("model_name")) or agent
        if model:
            return cls(model=model, agent=agent, meta=meta)
        folder = folder_name(place)
        note = f"{LABELED}no run_metadata.json names the model; {folder} is the name of its folder"
        return cls(model=folder, agent=agent, meta=meta, notes=(note,))

    @property
    def task(self) -> str:
        """Return the dataset's name, or the last part of its path."""
        dataset_name = text(self.meta.get("dataset_name"))
        path = Place(text(self.meta.get("dataset_path")) or "")
        return dataset_name or path.name or "terminal-bench"

    @property
    def limited(self) -> str | None:
        """Return a description of how the run was limited on purpose."""
        for name in ("n_tasks", "task_ids", "exclude_task_ids"):
            value = self.meta.get(name)
            if value:
                return f"{name}={brief(value)[:80]}"
        return None


class _Reader:
    name = "terminal_bench"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Return ``log`` for results of a run, ``companion`` for trials and metadata."""
        if place.name.endswith(".json") and begins(head, b"{", "trial_name", "is_resolved"):
            return "log" if _RESULTS.search(head) else "companion"
        metadata = begins(head, b"{", "agent_name", "n_concurrent_trials")
        return "companion" if metadata and place.name == "run_metadata.json" else None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:  # noqa: ARG002
        """Return a unit per run.

        If there are several agents, names of models start with the agent.
        """
        runs = [_Run.find(place) for place in places]
        agents = {run.agent for run in runs}
        runs = [replace(r, model=agent_and_model(r.agent, r.model, agents)) for r in runs]
        return [_unit(place, run) for place, run in zip(places, runs, strict=True)]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        run: _Run = unit.context
        source = journal.source(unit.place, self.name, harness="terminal-bench", model=run.model)
        source.task, source.limited = run.task, run.limited
        source.notes += run.notes
        source.declared_items = whole_number(run.meta.get("dataset_size"))
        source.declared_runs = whole_number(run.meta.get("n_attempts"))
        source.settings = settings_of({name: run.meta.get(name) for name in _SETTINGS})
        trials = list(_trials(unit, journal))
        if balanced(t[0] for t in trials):
            summary = json_skeleton(unit.place, "results", dict[str, Any])
            source.aggregates = means_of({"resolved": summary.get("accuracy")})
        rows = Rows("item", "run", *_TOKENS, "content", "score")
        for *attributes, resolved in trials:
            rows.add(
                *attributes, journal.error_score("zero") if resolved is None else float(resolved)
            )
        yield rows.batch(model=run.model, task=run.task, metric="resolved")


def _unit(place: Place, run: _Run) -> Unit:
    return Unit(
        place=place,
        model=run.model,
        lent=bool(run.notes),
        task=run.task,
        started=text(run.meta.get("start_time")) or "",
        complete=run.limited is None,
        context=run,
    )


def _trials(unit: Unit, journal: Journal) -> Iterator[tuple[Any, ...]]:
    """Yield task, run, tokens, content key, and verdict of each trial; ``None`` for no verdict."""
    counts: Counter[tuple[str, str]] = Counter()
    tries: Counter[str] = Counter()
    for _, trial in json_elements(unit.place, "results", _Trial, journal):
        item = trial.task_id
        tries[item] += 1
        attempt = _ATTEMPT.search(trial.trial_name)
        run = attempt[1] if attempt else str(tries[item])
        counts[item, run] += 1
        run = run_label(unit.run, run if counts[item, run] == 1 else f"{run}.{counts[item, run]}")
        content = None if trial.instruction is None else content_key(trial.instruction.encode())
        read, written = trial.total_input_tokens, trial.total_output_tokens
        tokens = (total(read, written), read, written)
        yield item, run, *tokens, content, None if trial.lost else trial.is_resolved


READER = _Reader()
