"""Fictional leaderboard for the demo, with the same scores in the log formats of harnesses.

This package opens no files: :func:`files` returns names and contents.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from nstar._engine.work import Execution
from nstar._verbs.audit import Audit, audit_board
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.compare import Comparison, compare_board
from nstar._verbs.compare.question import CompareQuestion
from nstar._verbs.demo import inspect_log, leaderboard, lm_eval
from nstar._verbs.demo.leaderboard import board, subject_boards
from nstar._verbs.demo.portable_random import PortableRandom

__all__ = ["DemoStory", "board", "files", "story"]

_TIE = ("wren", "heron")
_FLIP = ("kestrel", "plover")
_REAL = ("robin", "robin-4bit")


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoStory:
    """Comparisons of three adjacent pairs, and the audit of all models."""

    tie: Comparison
    """Comparison of the first two models, which is inconclusive."""
    by_items: Comparison
    """Comparison of two models with independent items."""
    by_clusters: Comparison
    """The same comparison with subjects as clusters."""
    by_subjects: Audit
    """The same comparison with equal weights of subjects: the macro average."""
    real: Comparison
    """Comparison of a model with its compressed copy, which agrees on most items."""
    whole: Audit
    """Audit of all models."""


def story() -> DemoStory:
    """Return all results of the demo.

    >>> demo = story()
    >>> demo.tie.tasks[0].verdict, demo.by_items.tasks[0].verdict, demo.real.tasks[0].is_resolved
    ('inconclusive', 'better', True)
    """
    return DemoStory(
        tie=_compared(_TIE),
        by_items=_compared(_FLIP),
        by_clusters=_compared(_FLIP, cluster="subject"),
        by_subjects=audit_board(subject_boards(_FLIP), AuditQuestion(), Execution()),
        real=_compared(_REAL),
        whole=audit_board([board()], AuditQuestion(), Execution()),
    )


def _compared(names: tuple[str, str], cluster: str | None = None) -> Comparison:
    return compare_board([board()], names, CompareQuestion(cluster=cluster))


_TASKS, _RUNS = 60, 4
_AGENTS = {"osprey": (1.0, 0.40), "gull": (0.0, 0.15)}
"""Ability of each agent, and the mean cost of a run in dollars."""


def _agent_runs() -> str:
    """Return CSV of two agents with four runs per task, and the cost of each run."""
    chance = PortableRandom("tasks")
    difficulty = [2.2 * chance.normal() for _ in range(_TASKS)]
    lines = ["model,item,run,score,cost"]
    for model, (ability, money) in _AGENTS.items():
        rng = PortableRandom(model)
        for k, hard in enumerate(difficulty, start=1):
            rate = 1 / (1 + math.exp(hard - ability - 1.6 * rng.normal()))
            for run in range(1, _RUNS + 1):
                passed = int(rng.share() < rate)
                cost = money * (0.5 + rng.share()) * (1.2 - 0.4 * rate)
                lines.append(f"{model},t{k:02d},{run},{passed},{cost:.3f}")
    return "\n".join(lines) + "\n"


def files() -> Iterator[tuple[str, bytes]]:
    """Yield the names and contents of the files that ``nstar demo --out`` writes, except the page.

    >>> [name for name, _ in files()][0], len(dict(files()))
    ('board.csv', 8)
    """
    yield "board.csv", leaderboard.table().encode()
    yield from lm_eval.files()
    yield from inspect_log.files()
    yield "agents.csv", _agent_runs().encode()
