"""Read logs of Harbor, the harness of terminal-bench 2: a folder per job with a folder per trial.

Two models may share the folder of a job. The attempts at a task have random names, so they are
numbered by their start times. A trial that ended in an exception scores 0, as in Harbor's own
means.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Annotated, Any, NamedTuple

import msgspec
import pyarrow as pa

from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, Rows, Unit, content_key
from nstar.readers._common import agent_and_model, balanced, begins, run_label
from nstar.readers._files import Place
from nstar.readers._json import json_document
from nstar.readers._values import (
    ScoreCheck,
    entry,
    listing,
    means_of,
    seconds,
    settings_of,
    text,
    total,
    whole_number,
)

__all__ = ["READER"]

_Tokens = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]


class _Model(msgspec.Struct):
    name: str | None = None
    provider: str | None = None


class _Agent(msgspec.Struct):
    name: str = ""
    version: str | None = None
    model_info: _Model | None = None


class _TokenUsage(msgspec.Struct):
    n_input_tokens: _Tokens | None = None
    n_output_tokens: _Tokens | None = None
    cost_usd: Annotated[float, msgspec.Meta(ge=0, lt=1e12)] | None = None


class _Verdict(msgspec.Struct):
    rewards: dict[str, Any] | None = None


class _Trial(msgspec.Struct):
    """One attempt at one task."""

    task_name: str
    trial_name: str
    source: str | None = None
    task_checksum: str | None = None
    config: dict[str, Any] | None = None
    agent_info: _Agent | None = None
    agent_result: _TokenUsage | None = None
    verifier_result: _Verdict | None = None
    agent_execution: Any = None
    started_at: str | None = None

    @property
    def agent(self) -> _Agent:
        return self.agent_info or _Agent()

    @property
    def rewards(self) -> dict[str, Any]:
        """Reward of each metric; empty if the trial ended without a verdict."""
        return (self.verifier_result and self.verifier_result.rewards) or {}

    @property
    def latency(self) -> float | None:
        """Seconds that the agent ran; None if the trial ended without a verdict."""
        try:
            start, end = (
                datetime.fromisoformat(entry(self.agent_execution, key))
                for key in ("started_at", "finished_at")
            )
            return seconds((end - start).total_seconds()) if self.rewards else None
        except (TypeError, ValueError):
            return None

    @property
    def about(self) -> tuple[Any, ...]:
        """Item, cost, seconds, tokens (total, input, output), and content key."""
        spent = self.agent_result or _TokenUsage()
        content = content_key(self.task_checksum.encode()) if self.task_checksum else None
        read, written = spent.n_input_tokens, spent.n_output_tokens
        tokens = (total(read, written), read, written)
        return self.task_name, spent.cost_usd, self.latency, *tokens, content

    @property
    def settings(self) -> dict[str, str]:
        environment = entry(self.config, "environment")
        return settings_of(
            {
                "agent": " ".join(filter(None, (self.agent.name, self.agent.version))),
                "timeout_multiplier": entry(self.config, "timeout_multiplier"),
                "environment": entry(environment, "type") or entry(environment, "import_path"),
            }
        )


class _Key(NamedTuple):
    """Key of a unit: one agent with one model on one dataset in one job."""

    job: Place
    agent: str
    model: str
    """Return the provider and name of the model, or the agent's name if it needs no model."""
    short: str
    """Return the model's name without its provider, as in Harbor's own keys."""
    dataset: str

    @classmethod
    def of(cls, place: Place, trial: _Trial) -> "_Key":
        agent = trial.agent
        model = agent.model_info or _Model()
        full = "/".join(filter(None, (model.provider, model.name)))
        full = full or text(entry(trial.config, "agent", "model_name")) or agent.name or "unknown"
        dataset = trial.source or "adhoc"
        return cls(place.folder.folder, agent.name, full, model.name or "", dataset)


class _Job(NamedTuple):
    """Contents of the job's own files, all of which may be missing."""

    result: Any = None
    config: Any = None
    notes: tuple[str, ...] = ()

    @classmethod
    def load(cls, trial: Place) -> "_Job":
        """Return the job that a trial belongs to."""
        files = [trial.folder.sibling(f"{n}.json") for n in ("result", "config")]
        try:
            result, config = (json_document(f) if f.exists() else None for f in files)
        except ReadError as error:
            return cls(notes=(f"means are not compared with those of the job: {error}",))
        return cls(result if entry(result, "stats") is not None else None, config)

    @property
    def finished(self) -> bool:
        """Return whether the job ended, as far as its files show."""
        return self.result is None or entry(self.result, "finished_at") is not None

    @property
    def attempts(self) -> int | None:
        """Return the number of trials of each task by each agent."""
        return whole_number(entry(self.config, "n_attempts"))

    @property
    def tasks(self) -> int | None:
        each = (self.attempts or 0) * len(listing(entry(self.config, "agents")))
        trials = whole_number(entry(self.result, "n_total_trials"))
        return trials // each if trials and each and trials % each == 0 else None

    def means(self, key: _Key, metrics: list[str]) -> dict[str, float]:
        """Return Harbor's own means, under ``mean`` if there is only one metric."""
        evals = "__".join(filter(None, (key.agent, key.short, key.dataset)))
        printed = listing(entry(self.result, "stats", "evals", evals, "metrics"))
        if len(printed) != 1:
            return {}
        names = {metrics[0]: "mean"} if len(metrics) == 1 else {m: m for m in metrics}
        return means_of({metric: entry(printed[0], name) for metric, name in names.items()})


class _Part(NamedTuple):
    """Trials of one unit."""

    key: _Key
    job: _Job
    trials: list[tuple[Place, _Trial]]

    def unit(self, model: str) -> Unit:
        first = min(trial.started_at or "" for _, trial in self.trials)
        return Unit(
            place=self.key.job,
            model=model,
            task=self.key.dataset,
            started=text(entry(self.job.result, "started_at")) or first,
            complete=self.job.finished,
            context=self,
        )

    def numbered(self, run: str | None) -> Iterator[tuple[Place, _Trial, str]]:
        """Yield the trials with the number of the attempt, counted from 1 in order of time."""
        attempts: Counter[str] = Counter()
        in_time = sorted(self.trials, key=lambda t: (t[1].started_at or "", t[1].trial_name))
        for place, trial in in_time:
            attempts[trial.task_name] += 1
            yield place, trial, run_label(run, str(attempts[trial.task_name]))


class _Reader:
    name = "harbor"

    def sniff(self, place: Place, head: bytes) -> Role:
        """Return ``log`` for results of trials, ``companion`` for other files of jobs."""
        trial = begins(head, b"{", "trial_name", "task_name", "task_checksum")
        if place.name == "result.json" and trial:
            return "log"
        return "companion" if _is_companion(place, head) else None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:
        """Return a unit per job, agent, model, and dataset. All trials are read here."""
        trials_by_key: dict[_Key, list[tuple[Place, _Trial]]] = {}
        for place in places:
            try:
                trial = json_document(place, _Trial)
            except ReadError as error:
                journal.bad_row(place, None, str(error).removeprefix(f"{place}: "))
            else:
                trials_by_key.setdefault(_Key.of(place, trial), []).append((place, trial))
        agents = {key.agent for key in trials_by_key}
        jobs = {key.job: _Job.load(trials[0][0]) for key, trials in trials_by_key.items()}
        return [
            _Part(key, jobs[key.job], trials).unit(agent_and_model(key.agent, key.model, agents))
            for key, trials in trials_by_key.items()
        ]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """Yield a row per trial and metric."""
        part: _Part = unit.context
        source = journal.source(unit.place, self.name, harness="Harbor", model=unit.model)
        source.task = part.key.dataset
        source.status = "success" if part.job.finished else "unfinished"
        source.notes += part.job.notes
        source.declared_runs, source.declared_items = part.job.attempts, part.job.tasks
        source.settings = part.trials[0][1].settings
        metrics = sorted({m for _, t in part.trials for m in t.rewards}) or ["reward"]
        if balanced(trial.task_name for _, trial in part.trials):
            source.aggregates = part.job.means(part.key, metrics)
        tokens = ("tokens", "input_tokens", "output_tokens")
        rows = Rows("item", "cost", "latency_s", *tokens, "content", "run", "metric", "score")
        for place, trial, run in part.numbered(unit.run):
            check = ScoreCheck(place, journal, source.drop)
            for metric in metrics:
                scores: tuple[float | None, ...]
                if metric in trial.rewards:
                    scores = check(metric, trial.rewards[metric], None)
                else:
                    scores = (journal.error_score("zero"),)
                for score in scores:
                    rows.add(*trial.about, run, metric, score)
            if rows.full:
                yield rows.batch(model=unit.model, task=source.task)
        yield rows.batch(model=unit.model, task=source.task)


def _is_companion(place: Place, head: bytes) -> bool:
    """Return whether Harbor writes this file next to a result."""
    if place.name == "result.json":
        return begins(head, b"{", "n_total_trials", "stats")
    if place.name == "config.json":
        return b'"job_name"' in head or (b'"trials_dir"' in head and b'"trial_name"' in head)
    if place.name in {"lock.json", "exception.txt"}:
        return place.sibling("result.json").exists()
    if place.name in {"reward.txt", "reward.json"}:
        return place.folder.sibling("result.json").exists()
    return False


READER = _Reader()
