"""Groups of tasks: which of lm-eval's groups is the benchmark that a task is a part of."""

from collections.abc import Mapping
from typing import Any

from nstar.readers._values import finite, listing, mapping

_MOST_GROUPS = 1000
"""Groups beyond which a results file is not lm-eval's; the tree is walked once per group."""


def benchmarks(results: Any) -> dict[str, str]:
    """For every task in a group the outermost group that lm-eval averages over all its tasks.

    A group counts if one of its averages is of a metric that every task below it has. So the
    57 subjects of ``mmlu`` belong together, but not the benchmarks below ``leaderboard``, of
    which each has metrics of its own; nor do tasks that merely share a tag.
    """
    listed = mapping(results.group_subtasks)
    children = {
        g: [c for c in cs if isinstance(c, str)] for g, cs in listed.items() if listing(cs)
    }
    if len(children) > _MOST_GROUPS:
        return {}
    scores = mapping(results.results)
    averages = mapping(results.groups)
    found: dict[str, tuple[int, str]] = {}
    for group in children:
        below = _below(group, children)
        tasks = [t for t in below if t not in children and t in scores]
        keys = _numbers(averages.get(group) or scores.get(group))
        for task in tasks:
            keys &= _numbers(scores[task])
        if not keys:
            continue
        for task in tasks:
            found[task] = max(found.get(task, (0, "")), (len(below), group))
    return {task: group for task, (_, group) in found.items()}


def _below(group: str, children: Mapping[str, list[str]]) -> set[str]:
    """Groups and tasks in a group, at any depth; a group that holds itself is no harm."""
    seen: set[str] = set()
    waiting = [group]
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in seen and child != group:
                seen.add(child)
                waiting.append(child)
    return seen


def _numbers(values: Any) -> set[str]:
    """``metric,filter`` keys of an entry that have a number."""
    found = mapping(values).items()
    return {k for k, v in found if "," in k and "_stderr," not in k and finite(v) is not None}
