"""Read trajectories of τ-bench and τ²-bench (sierra-research).

The formats were inferred from source code, not from test runs. τ-bench writes an array of
``{task_id, reward, info, traj, trial}``. The file's name contains the model, and the policy in the
first message identifies the domain. τ²-bench writes a document with ``info``, ``tasks``, and
``simulations``, or, for long simulations, ``simulation_index`` and a folder next to it.

A τ-bench trial that ended in an error has reward 0. τ²-bench leaves trials out of its means if
they ended with an infrastructure error or a full context window.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from nstar.readers._base import Journal, Role, Rows, Unit, content_key
from nstar.readers._common import begins, run_label
from nstar.readers._files import Place
from nstar.readers._json import json_elements, json_skeleton
from nstar.readers._values import (
    ScoreCheck,
    canonical,
    entry,
    finite,
    item_name,
    listing,
    settings_of,
    text,
    unfit,
    whole_number,
)

__all__ = ["READER"]

_RUN_FILE = re.compile(
    r"(?P<agent>tool-calling|act|react|few-shot)-(?P<model>.+)-(?P<temperature>[0-9.]+)"
    r"_range_(?P<first>-?\d+)-(?P<last>-?\d+)"
    r"_user-(?P<user>.+)-(?P<strategy>[a-z]+)_(?P<started>\d{10})\.json"
)
_NAMED_FILE = re.compile(r"(?P<model>.+?)[-_](?P<domain>airline|retail)\.json", re.I)
_POLICY = re.compile(rb"(airline|retail) agent policy", re.I)
_NO_ROLLOUT = {"infrastructure_error", "context_window_exceeded"}


class _Trial(msgspec.Struct):
    """A result of τ-bench."""

    task_id: Any = None
    reward: Any = None
    info: Any = None
    trial: Any = None


class _Simulation(msgspec.Struct):
    """A result of τ²-bench, or its entry in the index."""

    task_id: Any = None
    reward: Any = None
    reward_info: Any = None
    trial: Any = None
    termination_reason: Any = None
    agent_cost: Any = None


class _Document(msgspec.Struct):
    """Header of a run of τ²-bench."""

    timestamp: Any = None
    info: Any = None
    tasks: Any = None
    simulation_index: Any = None


class _Run(NamedTuple):
    """Description of a run before the trials are read."""

    model: str
    task: str
    document: _Document | None
    settings: dict[str, str]
    limited: str | None
    started: str


class _Reader:
    name = "tau_bench"

    def sniff(self, place: Place, head: bytes) -> Role:  # noqa: ARG002
        """Return ``log`` for trials or a document, ``companion`` for a simulation."""
        early = head.find(b'"task_id"') < 200
        if early and begins(head, b"[", "task_id", "reward", "info"):
            return "log" if b'"traj"' in head or b'"user_cost"' in head else None
        if begins(head, b"{", "num_trials", "user_info", "agent_info"):
            return "log"
        simulation = begins(head, b"{", "task_id", "termination_reason", "reward_info")
        return "companion" if simulation else None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:  # noqa: ARG002
        for place in places:
            run = _run(place)
            yield Unit(
                place=place,
                model=run.model,
                lent=run.model == place.name.removesuffix(".json"),
                task=run.task,
                started=run.started,
                complete=run.limited is None,
                context=run,
            )

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        run: _Run = unit.context
        source = journal.source(unit.place, self.name, model=run.model, task=run.task)
        source.settings, source.limited = run.settings, run.limited
        if run.document is None:
            source.harness = "tau-bench"
            trials = _trials(unit.place, journal)
        else:
            source.harness = "tau2-bench"
            source.declared_runs = whole_number(entry(run.document.info, "num_trials"))
            source.declared_items = len(listing(run.document.tasks)) or None
            trials = _simulations(unit.place, run.document, journal)
        check = ScoreCheck(unit.place, journal, source.drop)
        rows = Rows("item", "score", "run", "content", "cost")
        for line, item, reward, trial, *extra in trials:
            for score in (None,) if reward is None else check("reward", reward, line):
                rows.add(item, score, run_label(unit.run, trial), *extra)
            if rows.full:
                yield rows.batch(model=run.model, task=run.task, metric="reward")
        yield rows.batch(model=run.model, task=run.task, metric="reward")


def _run(place: Place) -> _Run:
    head = place.head()
    if begins(head, b"["):
        return _named(place, head)
    document = json_skeleton(place, "simulations", _Document)
    info = document.info
    model = text(entry(info, "agent_info", "llm")) or place.name.removesuffix(".json")
    domain = text(entry(info, "environment_info", "domain_name")) or "unknown"
    paths = {
        "git commit": ("git_commit",),
        "agent": ("agent_info", "implementation"),
        "user": ("user_info", "implementation"),
        "user model": ("user_info", "llm"),
        "max steps": ("max_steps",),
        "max errors": ("max_errors",),
        "retrieval": ("retrieval_config",),
    }
    settings = settings_of({name: entry(info, *path) for name, path in paths.items()})
    started = text(document.timestamp) or ""
    return _Run(model, f"tau2_bench_{domain}", document, settings, None, started)


def _named(place: Place, head: bytes) -> _Run:
    """Return a run of τ-bench, from the name of its file and the first message in it."""
    policy = _POLICY.search(head)
    task = f"tau_bench_{policy[1].decode().lower()}" if policy else "tau_bench"
    if match := _RUN_FILE.fullmatch(place.name):
        settings = {
            "agent": match["agent"],
            "user model": match["user"],
            "user": match["strategy"],
        }
        part = (match["first"], match["last"])
        limited = None if part == ("0", "-1") else f"tasks {part[0]} to {part[1]}"
        return _Run(match["model"], task, None, settings, limited, match["started"])
    if match := _NAMED_FILE.fullmatch(place.name):
        return _Run(match["model"], f"tau_bench_{match['domain'].lower()}", None, {}, None, "")
    return _Run(place.name.removesuffix(".json"), task, None, {}, None, "")


_Row = tuple[int, str, Any, str, int | None, float | None]
"""Element, item, reward, trial, content, and cost."""


def _trials(place: Place, journal: Journal) -> Iterator[_Row]:
    for line, trial in json_elements(place, None, _Trial, journal):
        item = _item(place, line, trial.task_id, journal)
        if item is None:
            continue
        failed = entry(trial.info, "error") is not None
        reward = journal.error_score("zero") if failed else trial.reward
        instruction = text(entry(trial.info, "task", "instruction"))
        content = None if instruction is None else content_key(instruction)
        yield line, item, reward, _label(trial.trial), content, None


def _simulations(place: Place, document: _Document, journal: Journal) -> Iterator[_Row]:
    key = "simulations" if document.simulation_index is None else "simulation_index"
    scenarios = {str(entry(t, "id")): entry(t, "user_scenario") for t in listing(document.tasks)}
    contents = {k: content_key(canonical(v)) for k, v in scenarios.items() if v is not None}
    for line, one in json_elements(place, key, _Simulation, journal):
        item = _item(place, line, one.task_id, journal)
        if item is None:
            continue
        reward = one.reward if one.reward_info is None else entry(one.reward_info, "reward")
        if isinstance(one.termination_reason, str) and one.termination_reason in _NO_ROLLOUT:
            reward = journal.error_score("missing")
        cost = finite(one.agent_cost)
        yield line, item, reward, _label(one.trial), contents.get(item), cost


def _item(place: Place, line: int, value: Any, journal: Journal) -> str | None:
    item = item_name(value)
    if item is None:
        journal.bad_row(place, line, unfit("task_id", value, "expected a number or text"))
    return item


def _label(trial: Any) -> str:
    return item_name(trial) or "0"


READER = _Reader()
