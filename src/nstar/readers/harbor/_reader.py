"""Trials of Harbor jobs.

Two models may share a job's folder, and a task's attempts bear no numbers, only random names;
they are numbered here by the time they began. A trial that ended in an exception counts 0, as
it does in Harbor's own means.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa

from nstar.errors import ReadError
from nstar.readers._base import Journal, Role, Rows, Unit
from nstar.readers._common import agent_and_model, balanced
from nstar.readers._files import Place
from nstar.readers._values import ScoreCheck
from nstar.readers.harbor._trials import Job, Key, Trial

__all__ = ["READER"]


@dataclass(frozen=True, slots=True)
class _Part:
    """The trials of one unit."""

    key: Key
    job: Job
    trials: list[Trial]


class _Reader:
    """Jobs of Harbor."""

    name = "harbor"

    def sniff(self, place: Place, head: bytes) -> Role:
        """The result of a trial; the job's files and what a trial leaves are companions."""
        if place.name == "result.json" and head.lstrip().startswith(b"{"):
            if b'"trial_name"' in head and b'"task_name"' in head and b'"task_checksum"' in head:
                return "log"
            return "companion" if b'"n_total_trials"' in head and b'"stats"' in head else None
        return "companion" if _beside(place, head) else None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:
        """One per job, agent, model and dataset; every trial is read here, and only here."""
        found: dict[Key, list[Trial]] = {}
        for place in places:
            try:
                key, trial = Trial.load(place)
            except ReadError as error:
                journal.bad_row(place, None, str(error).removeprefix(f"{place}: "))
            else:
                found.setdefault(key, []).append(trial)
        agents = {key.agent for key in found}
        jobs = {key.job: Job.load(trials[0].place) for key, trials in found.items()}
        parts = [_Part(key, jobs[key.job], trials) for key, trials in found.items()]
        return [
            _unit(part, agent_and_model(part.key.agent, part.key.model, agents)) for part in parts
        ]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """A row per trial and metric."""
        part: _Part = unit.context
        source = journal.source(unit.place, self.name, harness="Harbor", model=unit.model)
        source.task = part.key.dataset
        source.status = "success" if part.job.finished else "unfinished"
        source.notes += [part.job.note] if part.job.note else []
        source.declared_runs, source.declared_items = part.job.attempts, part.job.tasks()
        source.settings = dict(part.trials[0].settings)
        metrics = sorted({m for t in part.trials for m in t.rewards or ()}) or ["reward"]
        if balanced(trial.item for trial in part.trials):
            source.aggregates = part.job.means(part.key, metrics)
        rows = Rows("item", "cost", "tokens", "content", "run", "metric", "score")
        for trial, run in _numbered(part.trials, unit.run):
            check = ScoreCheck(trial.place, journal, source.drop)
            rewards = trial.rewards or {}
            for metric in metrics:
                lost = metric not in rewards
                scores = (
                    (journal.error_score("zero"),)
                    if lost
                    else check(metric, rewards[metric], None)
                )
                for score in scores:
                    rows.add(*trial.about, run, metric, score)
            if rows.full:
                yield rows.batch(model=unit.model, task=source.task)
        yield rows.batch(model=unit.model, task=source.task)


def _beside(place: Place, head: bytes) -> bool:
    """Whether it is a file that Harbor writes beside a result."""
    if place.name == "config.json":
        return b'"job_name"' in head or (b'"trials_dir"' in head and b'"trial_name"' in head)
    if place.name in {"lock.json", "exception.txt"}:
        return place.sibling("result.json").exists()
    if place.name in {"reward.txt", "reward.json"}:
        return Place(place.parent, place.fs).sibling("result.json").exists()
    return False


def _unit(part: _Part, model: str) -> Unit:
    return Unit(
        place=part.key.job,
        model=model,
        task=part.key.dataset,
        started=part.job.started or min(trial.started for trial in part.trials),
        complete=part.job.finished,
        context=part,
    )


def _numbered(trials: list[Trial], run: str | None) -> Iterator[tuple[Trial, str]]:
    """Trials with the number of the attempt, counted from 1 in order of time."""
    attempts: dict[str, int] = {}
    for trial in sorted(trials, key=lambda t: (t.started, t.name)):
        attempts[trial.item] = attempts.get(trial.item, 0) + 1
        number = str(attempts[trial.item])
        yield trial, number if run is None else f"{run}/{number}"


READER = _Reader()
