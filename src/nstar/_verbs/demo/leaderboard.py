"""The leaderboard of the story: seven models, 1,250 items, twelve subjects of unequal size."""

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
"""Items of each subject."""

BIG = "law"
"""The subject with a third of all items."""

_RIGHT = {"wren": 892, "heron": 882, "kestrel": 823, "plover": 771, "robin": 758, "finch": 690}
"""Items that each model gets right; what it finds easy is drawn."""

_STRONG = {("kestrel", BIG): 0.75, ("plover", BIG): -0.2}
"""What a model gains in a subject, in standard deviations of an item's difficulty."""

_COPY = ("robin", "robin-4bit", 26, 6)
"""A compressed copy of a model: right answers it loses, wrong ones it gains."""


@dataclass(frozen=True, slots=True)
class Item:
    """A question, made up."""

    name: str
    """``law-017``."""
    subject: str
    """Which of the subjects."""
    question: str
    """What is asked."""
    answer: str
    """What is right."""


@cache
def items() -> tuple[Item, ...]:
    """All items, subject by subject.

    Examples
    --------
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
    """How easy a model finds each item: what all models share, its own part, its strengths."""
    rng = PortableRandom(model)
    return [
        easy + 0.75 * rng.normal() + _STRONG.get((model, item.subject), 0.0)
        for easy, item in zip(shared, items(), strict=True)
    ]


def _copy(scores: Sequence[int], name: str, lost: int, gained: int) -> list[int]:
    """The scores with a few drawn ones changed."""
    chance = PortableRandom(name)
    order = sorted(range(len(scores)), key=lambda _: chance.share())
    flipped = {
        *[k for k in order if scores[k]][:lost],
        *[k for k in order if not scores[k]][:gained],
    }
    return [1 - s if k in flipped else s for k, s in enumerate(scores)]


def _scores() -> dict[str, list[int]]:
    """Every model's scores in the order of the items."""
    chance = PortableRandom("items")
    level = {subject: 0.4 * chance.normal() for subject in SUBJECTS}
    shared = [level[item.subject] + chance.normal() for item in items()]
    scores = {m: easiest(_ease(m, shared), right) for m, right in _RIGHT.items()}
    original, copy, lost, gained = _COPY
    scores[copy] = _copy(scores[original], copy, lost, gained)
    return scores


@cache
def board() -> ScoreMatrix:
    """The scores, with the subject of each item.

    Examples
    --------
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
    """Some models, with every subject as a task of its own."""
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
    """The board as CSV: model, item, subject, score."""
    full_board = board()
    lines = ["model,item,subject,score"]
    for model in full_board.models:
        scores = full_board.row(model).astype(int).tolist()
        lines += [
            f"{model},{item.name},{item.subject},{score}"
            for item, score in zip(items(), scores, strict=True)
        ]
    return "\n".join(lines) + "\n"
