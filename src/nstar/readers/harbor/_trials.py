"""Trials and jobs of Harbor, as far as their files tell."""

from dataclasses import dataclass
from typing import Annotated, Any

import msgspec

from nstar.errors import ReadError
from nstar.readers._base import content_key
from nstar.readers._files import Place
from nstar.readers._json import json_document
from nstar.readers._values import brief, entry, number, text, whole

__all__ = ["Job", "Key", "Trial"]

_Tokens = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]


class _Model(msgspec.Struct):
    name: str | None = None
    provider: str | None = None


class _Agent(msgspec.Struct):
    name: str = ""
    version: str | None = None
    model_info: _Model | None = None


class _Spent(msgspec.Struct):
    n_input_tokens: _Tokens | None = None
    n_output_tokens: _Tokens | None = None
    cost_usd: Annotated[float, msgspec.Meta(ge=0, lt=1e12)] | None = None


class _Verdict(msgspec.Struct):
    rewards: dict[str, Any] | None = None


class _Result(msgspec.Struct):
    task_name: str
    trial_name: str
    source: str | None = None
    task_checksum: str | None = None
    config: dict[str, Any] | None = None
    agent_info: _Agent | None = None
    agent_result: _Spent | None = None
    verifier_result: _Verdict | None = None
    started_at: str | None = None


@dataclass(frozen=True, slots=True)
class Key:
    """What a unit is about: one agent with one model on one dataset in one job."""

    job: Place
    """Folder of the job."""
    agent: str
    model: str
    """Provider and name; the agent's name if it needs no model."""
    short: str
    """The model's name without its provider, as Harbor's own keys have it."""
    dataset: str

    @property
    def evals(self) -> str:
        """The key of these trials in the job's statistics."""
        return "__".join(filter(None, (self.agent, self.short, self.dataset)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One attempt at one task."""

    place: Place
    item: str
    name: str
    started: str
    rewards: dict[str, Any] | None
    """By metric; ``None`` if the trial ended without a verdict."""
    cost: float | None
    tokens: int | None
    content: int | None
    settings: tuple[tuple[str, str], ...]
    """Agent, time limit and environment."""

    @property
    def about(self) -> tuple[Any, ...]:
        """Item, cost, tokens and content key."""
        return self.item, self.cost, self.tokens, self.content

    @classmethod
    def load(cls, place: Place) -> tuple[Key, "Trial"]:
        """The trial in a result.json, and what it is about."""
        result = json_document(place, _Result)
        agent = result.agent_info or _Agent()
        model = agent.model_info or _Model()
        spent = result.agent_result or _Spent()
        tokens = [t for t in (spent.n_input_tokens, spent.n_output_tokens) if t is not None]
        full = "/".join(filter(None, (model.provider, model.name)))
        trial = cls(
            place=place,
            item=result.task_name,
            name=result.trial_name,
            started=result.started_at or "",
            rewards=result.verifier_result.rewards if result.verifier_result else None,
            cost=spent.cost_usd,
            tokens=sum(tokens) if tokens else None,
            content=content_key(result.task_checksum.encode()) if result.task_checksum else None,
            settings=_settings(result),
        )
        job = Place(Place(place.parent, place.fs).parent, place.fs)
        full = full or text(entry(result.config, "agent", "model_name")) or agent.name or "unknown"
        return Key(job, agent.name, full, model.name or "", result.source or "adhoc"), trial


def _settings(result: _Result) -> tuple[tuple[str, str], ...]:
    agent = result.agent_info or _Agent()
    found = {
        "agent": " ".join(filter(None, (agent.name, agent.version))),
        "timeout_multiplier": entry(result.config, "timeout_multiplier"),
        "environment": entry(result.config, "environment", "type")
        or entry(result.config, "environment", "import_path"),
    }
    return tuple((name, brief(value)) for name, value in found.items() if value is not None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What the job's own files say; all of it may be missing."""

    result: Any = None
    config: Any = None
    note: str | None = None

    @classmethod
    def load(cls, trial: Place) -> "Job":
        """The job that this trial belongs to."""
        folder = Place(trial.parent, trial.fs)
        try:
            result, config = (_small(folder.sibling(n)) for n in ("result.json", "config.json"))
        except ReadError as error:
            return cls(note=f"means are not compared with the job's: {error}")
        return cls(result=result if entry(result, "stats") is not None else None, config=config)

    @property
    def started(self) -> str:
        """When it began."""
        return text(entry(self.result, "started_at")) or ""

    @property
    def finished(self) -> bool:
        """Whether it ended, as far as one knows."""
        return self.result is None or entry(self.result, "finished_at") is not None

    @property
    def attempts(self) -> int | None:
        """Trials of each task by each agent."""
        return whole(entry(self.config, "n_attempts"))

    def tasks(self) -> int | None:
        """Tasks of the job."""
        agents = entry(self.config, "agents")
        each = (self.attempts or 0) * len(agents if isinstance(agents, list) else ())
        total = whole(entry(self.result, "n_total_trials"))
        return total // each if total and each and total % each == 0 else None

    def means(self, key: Key, metrics: list[str]) -> dict[str, float]:
        """Harbor's own means: under ``mean`` if there is one metric, else under its name."""
        printed = entry(self.result, "stats", "evals", key.evals, "metrics")
        if not isinstance(printed, list) or len(printed) != 1:
            return {}
        names = {metrics[0]: "mean"} if len(metrics) == 1 else {m: m for m in metrics}
        found = {metric: number(entry(printed[0], name)) for metric, name in names.items()}
        return {m: v for m, v in found.items() if v is not None and abs(v) < 1e300}


def _small(place: Place) -> Any:
    return json_document(place) if place.exists() else None
