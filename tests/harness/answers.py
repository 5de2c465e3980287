"""Two models of different ability, without weights: what each answers to the items in data/."""

import json
import math
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

SUBJECTS = ("addition", "division", "capitals")
LETTERS = "ABCD"
DATA = Path(__file__).parent / "data"
ABILITY = {"alpha": 0.0, "beta": 1.0}


@dataclass(frozen=True)
class Item:
    """A multiple-choice question; `answer` is the index of the right choice."""

    id: str
    subject: str
    question: str
    choices: list[str]
    answer: int

    @property
    def prompt(self) -> str:
        options = (f"{i}. {choice}" for i, choice in zip(LETTERS, self.choices, strict=True))
        return "\n".join([self.question, *options, "Answer:"])


def read(subject: str) -> list[Item]:
    text = (DATA / f"{subject}.jsonl").read_text(encoding="utf-8")
    return [Item(**json.loads(line)) for line in text.splitlines()]


ITEMS = [item for subject in SUBJECTS for item in read(subject)]


def find(prompt: str) -> Item:
    """The item a prompt asks about; its case does not matter."""
    return next(item for item in ITEMS if item.question.lower() in prompt.lower())


def _uniform(*key: object) -> float:
    return int(sha256(repr(key).encode()).hexdigest()[:12], 16) / 16**12


def pick(model: str, item: Item, repeat: int = 0) -> int:
    """Index of the choice that `acme/alpha` or `acme/beta` takes; repeats agree in part."""
    name = model.rpartition("/")[2]
    difficulty = 4 * _uniform(item.id) - 2
    luck = 0.7 * _uniform(name, item.id) + 0.3 * _uniform(name, item.id, repeat)
    right = luck < 1 / (1 + math.exp(difficulty - ABILITY[name]))
    step = 0 if right else 1 + int(3 * _uniform(name, item.id, repeat, "wrong"))
    return (item.answer + step) % len(item.choices)
