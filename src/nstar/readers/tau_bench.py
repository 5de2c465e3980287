"""Trajectories of τ-bench and τ²-bench (sierra-research): read from source, not run.

τ-bench writes an array of ``{task_id, reward, info, traj, trial}``; the file's name holds the
model, and the policy in the first message tells the domain. τ²-bench writes a document with
``info``, ``tasks`` and ``simulations``, or, for long simulations, ``simulation_index`` and a
folder beside it.

A trial of τ-bench that ended in an error has reward 0; τ²-bench leaves trials that an
infrastructure error or a full context window ended out of its means.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec
import pyarrow as pa

from nstar.readers._base import Journal, Role, Rows, SourceDraft, Unit, content_key
from nstar.readers._files import Place, printable
from nstar.readers._json import json_elements, json_skeleton
from nstar.readers._values import ScoreCheck, brief, canonical, entry, number, text, whole

__all__ = ["READER"]

_RUN_FILE = re.compile(
    r"(?P<agent>tool-calling|act|react|few-shot)-(?P<model>.+)-(?P<temperature>[0-9.]+)"
    r"_range_(?P<first>-?\d+)-(?P<last>-?\d+)"
    r"_user-(?P<user>.+)-(?P<strategy>[a-z]+)_(?P<started>\d{10})\.json"
)
_NAMED_FILE = re.compile(r"(?P<model>.+?)[-_](?P<domain>airline|retail)\.json", re.I)
_POLICY = re.compile(rb"(airline|retail) agent policy", re.I)
_HEADER = (b'"num_trials"', b'"user_info"', b'"agent_info"')
_SIMULATION = (b'"task_id"', b'"termination_reason"', b'"reward_info"')
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
    """What τ²-bench says of a run."""

    timestamp: Any = None
    info: Any = None
    tasks: Any = None
    simulation_index: Any = None


class _Run(NamedTuple):
    """What is known before the trials are read."""

    model: str
    task: str
    document: _Document | None
    settings: dict[str, str]
    limited: str | None
    started: str


class _Reader:
    name = "tau_bench"

    def sniff(self, place: Place, head: bytes) -> Role:
        """An array of trials, or a document of simulations; a simulation goes with the latter."""
        del place
        start = head.lstrip()[:1]
        if start == b"[":
            shape = (b'"task_id"', b'"reward"', b'"info"')
            beginning = head.find(b'"task_id"')
            whole_shape = all(field in head for field in shape) and beginning < 200
            return "log" if whole_shape and (b'"traj"' in head or b'"user_cost"' in head) else None
        if start == b"{" and all(field in head for field in _HEADER):
            return "log"
        if start == b"{" and all(field in head for field in _SIMULATION):
            return "companion"
        return None

    def units(self, places: Sequence[Place], journal: Journal) -> Iterable[Unit]:
        """Each file by itself."""
        del journal
        for place in places:
            run = _run(place)
            yield Unit(
                place=place,
                model=run.model,
                task=run.task,
                started=run.started,
                complete=run.limited is None,
                context=run,
            )

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        """The rewards."""
        run: _Run = unit.context or _run(unit.place)
        source = journal.source(unit.place, self.name)
        source.model, source.task = run.model, run.task
        source.settings |= run.settings
        source.limited = run.limited
        if run.document is None:
            source.harness = "tau-bench"
            trials = _trials(unit.place, journal)
        else:
            source.harness = "tau2-bench"
            _declare(source, run.document)
            trials = _simulations(unit.place, run.document, journal)
        check = ScoreCheck(unit.place, journal, source.drop)
        rows = Rows("item", "score", "run", "content", "cost")
        for line, item, reward, trial, *more in trials:
            label = trial if unit.run is None else f"{unit.run}/{trial}"
            for score in (None,) if reward is None else check("reward", reward, line):
                rows.add(item, score, label, *more)
            if rows.full:
                yield rows.batch(model=run.model, task=run.task, metric="reward")
        yield rows.batch(model=run.model, task=run.task, metric="reward")


def _run(place: Place) -> _Run:
    head = place.head()
    if head.lstrip()[:1] == b"[":
        return _named(place, head)
    document = json_skeleton(place, "simulations", _Document)
    info = document.info
    model = text(entry(info, "agent_info", "llm")) or _stem(place)
    domain = text(entry(info, "environment_info", "domain_name")) or "unknown"
    kept = {
        "git commit": ("git_commit",),
        "agent": ("agent_info", "implementation"),
        "user": ("user_info", "implementation"),
        "user model": ("user_info", "llm"),
        "max steps": ("max_steps",),
        "max errors": ("max_errors",),
        "retrieval": ("retrieval_config",),
    }
    found = {name: entry(info, *path) for name, path in kept.items()}
    settings = {name: brief(value) for name, value in found.items() if value is not None}
    started = text(document.timestamp) or ""
    return _Run(model, f"tau2_bench_{domain}", document, settings, None, started)


def _named(place: Place, head: bytes) -> _Run:
    """A run of τ-bench by the name of its file and the first message in it."""
    policy = _POLICY.search(head)
    domain = policy[1].decode().lower() if policy else None
    match = _RUN_FILE.fullmatch(place.name)
    if match:
        task = f"tau_bench_{domain}" if domain else "tau_bench"
        settings = {
            "agent": match["agent"],
            "user model": match["user"],
            "user": match["strategy"],
        }
        part = (match["first"], match["last"])
        limited = None if part == ("0", "-1") else f"tasks {part[0]} to {part[1]}"
        return _Run(match["model"], task, None, settings, limited, match["started"])
    match = _NAMED_FILE.fullmatch(place.name)
    if match:
        return _Run(match["model"], f"tau_bench_{match['domain'].lower()}", None, {}, None, "")
    task = f"tau_bench_{domain}" if domain else "tau_bench"
    return _Run(_stem(place), task, None, {}, None, "")


def _stem(place: Place) -> str:
    return place.name.removesuffix(".json")


def _declare(source: SourceDraft, document: _Document) -> None:
    source.declared_runs = whole(entry(document.info, "num_trials"))
    if isinstance(document.tasks, list) and document.tasks:
        source.declared_items = len(document.tasks)


_Row = tuple[int, str, Any, str, int | None, float | None]
"""Element, item, reward, trial, content, cost."""


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
    contents = _task_contents(document.tasks)
    for line, one in json_elements(place, key, _Simulation, journal):
        item = _item(place, line, one.task_id, journal)
        if item is None:
            continue
        reward = one.reward if one.reward_info is None else entry(one.reward_info, "reward")
        if isinstance(one.termination_reason, str) and one.termination_reason in _NO_ROLLOUT:
            reward = journal.error_score("missing")
        cost = number(one.agent_cost)
        yield line, item, reward, _label(one.trial), contents.get(item), cost


def _task_contents(tasks: Any) -> dict[str, int]:
    """Hash of what the user is told in each task."""
    found = {}
    for task in tasks if isinstance(tasks, list) else ():
        scenario = entry(task, "user_scenario")
        if scenario is not None:
            found[str(entry(task, "id"))] = content_key(canonical(scenario))
    return found


def _item(place: Place, line: int, value: Any, journal: Journal) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        said = printable(repr(value)[:60])
        journal.bad_row(place, line, f"task_id {said} is neither a number nor a text")
        return None
    return str(value)


def _label(trial: Any) -> str:
    return str(trial) if isinstance(trial, int | str) and trial != "" else "0"


READER = _Reader()
