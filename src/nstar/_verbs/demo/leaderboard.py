"""Generate the leaderboard of the demo: seven models, and 1,250 items in twelve subjects."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from nstar._data.matrix import Grouping, ScoreMatrix
from nstar._verbs.demo.portable_random import PortableRandom, easiest

SUBJECTS = {
    "law": 400,
    "biology": 150,
    "history": 130,
    "physics": 110,
    "chemistry": 95,
    "economics": 85,
    "medicine": 70,
    "geography": 60,
    "philosophy": 50,
    "statistics": 40,
    "music": 35,
    "astronomy": 25,
}
"""Number of items of each subject."""

BIG = "law"
"""Subject with a third of all items."""

_RIGHT = {"wren": 892, "heron": 882, "kestrel": 823, "plover": 771, "robin": 758, "finch": 690}
"""Number of items that each model answers correctly. The items themselves are random."""

_STRONG = {("kestrel", BIG): 0.75, ("plover", BIG): -0.2}
"""Advantage of a model in a subject, in standard deviations of item difficulty."""

_COPY = ("robin", "robin-4bit", 26, 6)
"""Compressed copy of a model: numbers of correct answers lost and gained."""


@dataclass(frozen=True, slots=True)
class Item:
    """A fictional question."""

    name: str
    """Name of the item, such as ``law-017``."""
    subject: str
    """Name of the subject."""
    question: str
    """Text of the question."""
    answer: str
    """Correct answer."""


@cache
def items() -> tuple[Item, ...]:
    """Return all items, in the order of subjects.

    >>> items()[0].name, len(items())
    ('law-001', 1250)
    """
    chance = PortableRandom("questions")
    rows = []
    for subject, size in SUBJECTS.items():
        for k in range(1, size + 1):
            a, b = 10 + chance.below(90), 10 + chance.below(90)
            question = f"Synthetic {subject} question {k}: what is {a} + {b}?"
            rows.append(Item(f"{subject}-{k:03d}", subject, question, str(a + b)))
    return tuple(rows)


def _ease(model: str, shared: Sequence[float]) -> list[float]:
    """Return the ease of each item for a model: shared ease, individual ease, and strengths."""
    rng = PortableRandom(model)
    return [
        easy + 0.75 * rng.normal() + _STRONG.get((model, item.subject), 0.0)
        for easy, item in zip(shared, items(), strict=True)
    ]


def _copy(scores: Sequence[int], name: str, lost: int, gained: int) -> list[int]:
    """Return the scores with a few random changes."""
    chance = PortableRandom(name)
    order = sorted(range(len(scores)), key=lambda _: chance.share())
    flipped = {
        *[k for k in order if scores[k]][:lost],
        *[k for k in order if not scores[k]][:gained],
    }
    return [1 - s if k in flipped else s for k, s in enumerate(scores)]


def _scores() -> dict[str, list[int]]:
    """Return the scores of every model in the order of items."""
    chance = PortableRandom("items")
    level = {subject: 0.4 * chance.normal() for subject in SUBJECTS}
    shared = [level[item.subject] + chance.normal() for item in items()]
    scores = {m: easiest(_ease(m, shared), right) for m, right in _RIGHT.items()}
    original, copy, lost, gained = _COPY
    scores[copy] = _copy(scores[original], copy, lost, gained)
    return scores


@cache
def board() -> ScoreMatrix:
    """Return the matrix of scores, with the subject of each item.

    >>> board().shape, int(board().row("wren").sum()), int(board().row("heron").sum())
    ((7, 1250), 892, 882)
    """
    scores = _scores()
    return ScoreMatrix.from_cells(
        np.array(list(scores.values()), np.int8),
        models=list(scores),
        items=[item.name for item in items()],
        groups={"subject": Grouping.from_labels([item.subject for item in items()])},
    )


def subject_boards(models: Sequence[str]) -> list[ScoreMatrix]:
    """Return the matrices of some models, with each subject as a task."""
    full_board = board()
    subject = full_board.groups["subject"]
    return [
        ScoreMatrix.from_means(
            np.stack([full_board.row(m)[subject.codes == code] for m in models]),
            models=models,
            items=[i.name for i in items() if i.subject == label],
            task=label,
        )
        for code, label in enumerate(subject.labels)
    ]


def table() -> str:
    """Return the leaderboard as CSV with columns model, item, subject, and score."""
    full_board = board()
    lines = ["model,item,subject,score"]
    for model in full_board.models:
        scores = full_board.row(model).astype(int).tolist()
        lines += [
            f"{model},{item.name},{item.subject},{score}"
            for item, score in zip(items(), scores, strict=True)
        ]
    return "\n".join(lines) + "\n"
