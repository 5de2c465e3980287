"""Two agents that try 60 tasks four times each, with what every run cost."""

import math

from nstar._verbs.demo.chance import Dice

_TASKS, _RUNS = 60, 4
_AGENTS = {"osprey": (1.0, 0.40), "gull": (0.0, 0.15)}
"""Ability, and mean cost of a run in dollars."""


def table() -> str:
    """The runs as CSV: model, item, run, score, cost.

    Examples
    --------
    >>> table().splitlines()[0], len(table().splitlines())
    ('model,item,run,score,cost', 481)
    """
    chance = Dice("tasks")
    difficulty = [2.2 * chance.normal() for _ in range(_TASKS)]
    lines = ["model,item,run,score,cost"]
    for model, (ability, money) in _AGENTS.items():
        own = Dice(model)
        for k, hard in enumerate(difficulty, start=1):
            rate = 1 / (1 + math.exp(hard - ability - 1.6 * own.normal()))
            for run in range(1, _RUNS + 1):
                passed = int(own.share() < rate)
                cost = money * (0.5 + own.share()) * (1.2 - 0.4 * rate)
                lines.append(f"{model},t{k:02d},{run},{passed},{cost:.3f}")
    return "\n".join(lines) + "\n"
