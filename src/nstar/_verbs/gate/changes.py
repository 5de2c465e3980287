"""How the question of a gate differs from the one that its history was begun with, in words."""

from collections.abc import Iterator, Mapping
from typing import Any

from nstar.errors import arg

_SETTINGS = {
    "candidate": "the candidate",
    "baseline": "the baseline",
    "alpha": arg("alpha"),
    "psi": arg("psi"),
    "items": arg("horizon"),
    "strata": arg("strata"),
    "cluster": arg("cluster"),
}


def _said(value: Any) -> str:
    if value is None:
        return "not given"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _size(margin: float | None) -> str:
    return "none" if margin is None else f"{margin:g}"


def _listed(tasks: Mapping[str, Any]) -> str:
    return ", ".join(t or "(no task)" for t in tasks) or "none"


def _of_tasks(old: list[Any], new: list[Any]) -> Iterator[str]:
    was, now = ({t["task"]: t for t in tasks} for tasks in (old, new))
    if set(was) != set(now):
        yield f"its tasks were {_listed(was)} and are {_listed(now)}"
        return
    for task, asked in now.items():
        before, of = was[task], f" of {task}" if task else ""
        if before["metric"] != asked["metric"]:
            yield f"the metric{of} was {before['metric']} and is {asked['metric']}"
        if before["aim"] != asked["aim"]:
            yield f"it asked for {before['aim']}{of} and asks for {asked['aim']}"
        if before["margin"] != asked["margin"]:
            sizes = (_size(t["margin"]) for t in (before, asked))
            yield f"the margin{of} was {' and is '.join(sizes)}"
    if list(was) != list(now):
        yield "its tasks stand in another order"


def changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> Iterator[str]:
    """What differs between the question then and now; margins are in score units.

    Examples
    --------
    >>> from nstar.errors import spelled
    >>> list(map(spelled, changes({"items": None, "tasks": []}, {"items": 2000, "tasks": []})))
    ['horizon was not given and is 2,000']
    """
    for key, name in _SETTINGS.items():
        if old.get(key) != new.get(key):
            yield f"{name} was {_said(old.get(key))} and is {_said(new.get(key))}"
    if old.get("tasks") != new.get("tasks"):
        yield from _of_tasks(old["tasks"], new["tasks"])
