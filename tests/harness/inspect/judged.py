"""A task with two scorers: a model grades every answer, people have labeled some."""

# mypy: disable-error-code="import-not-found", allow-untyped-decorators
import random
import re
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import (
    Score,
    Scorer,
    Target,
    accuracy,
    model_graded_qa,
    scorer,
    stderr,
)
from inspect_ai.solver import Generate, Solver, TaskState, solver

ITEMS, LABELS = 120, 60
ABILITY = {"alpha": 0.8, "beta": 0.6}
PASSED = {"alpha": 0.1, "beta": 0.4}
"""Share of a model's wrong answers that the grader passes."""


def chance(*about: Any) -> float:
    return random.Random(repr(about)).random()  # noqa: S311 not a secret


def right(model: str, item: int) -> bool:
    return chance("answer", model, item) < ABILITY[model]


def said(text: str) -> ModelOutput:
    found = ModelOutput.from_content("mockllm", text)
    found.usage = ModelUsage(input_tokens=9, output_tokens=3, total_tokens=12)
    return found


@solver
def answer() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model, item = state.model.name, int(state.sample_id)
        word = "right" if right(model, item) else "wrong"
        state.output = said(f"{model} is {word} on {item}")
        return state

    return solve


def grade(messages: Any, *_: Any) -> ModelOutput:
    """Right answers pass but for 8 in 100, wrong ones at times, by the model."""
    text = " ".join(m.text for m in messages)
    model, word, item = re.findall(r"(alpha|beta) is (right|wrong) on (\d+)", text)[0]
    luck = chance("grade", model, item)
    passed = luck >= 0.08 if word == "right" else luck < PASSED[model]
    return said(f"GRADE: {'C' if passed else 'I'}")


@scorer(metrics=[accuracy(), stderr()])
def human() -> Scorer:
    """People, who have seen a random half of the items."""
    seen = set(random.Random(3).sample(range(ITEMS), LABELS))  # noqa: S311 not a secret

    async def score(state: TaskState, target: Target) -> Score | None:
        item = int(state.sample_id)
        if item not in seen:
            return None
        return Score(value="C" if right(state.model.name, item) else "I")

    return score


@task
def judged() -> Task:
    rows = [Sample(id=str(k), input=f"Question {k}", target="right") for k in range(ITEMS)]
    grader = get_model("mockllm/grader", custom_outputs=grade, memoize=False)
    return Task(
        dataset=MemoryDataset(rows, name="judged"),
        solver=answer(),
        scorer=[model_graded_qa(model=grader), human()],
    )
