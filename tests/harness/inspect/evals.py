"""Tasks for `inspect eval`; mockllm is told what to say, and how many tokens that takes."""

# mypy: disable-error-code="import-not-found", allow-untyped-decorators
import os

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, Scorer, Target, match, mean, scorer, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver

from harness.answers import ITEMS, LETTERS, find, pick


@solver
def answer(poison: str = "") -> Solver:
    """What the model of that name says, or an error at the item of the id `poison`."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.sample_id == poison and "HARNESS_HEALED" not in os.environ:
            raise RuntimeError(f"no answer to {poison}")
        choice = pick(state.model.name, find(state.input_text), state.epoch)
        said = ModelOutput.from_content(str(state.model), LETTERS[choice])
        # without them mockllm would fetch a tokenizer
        read, written = len(state.input_text), 10 + choice
        said.usage = ModelUsage(
            input_tokens=read, output_tokens=written, total_tokens=read + written
        )
        speaker = get_model(str(state.model), custom_outputs=[said], memoize=False)
        state.output = await speaker.generate(state.messages)
        return state

    return solve


@scorer(metrics={"vowel": [mean(), stderr()], "distance": [mean()]})
def graded() -> Scorer:
    """A score with two parts, one binary and one not."""

    async def score(state: TaskState, target: Target) -> Score:
        letter = state.output.completion
        distance = abs(LETTERS.index(letter) - LETTERS.index(target.text)) / 3
        return Score(value={"vowel": letter == "A", "distance": distance}, answer=letter)

    return score


def samples() -> MemoryDataset:
    rows = [
        Sample(
            id=item.id,
            input=item.prompt,
            target=LETTERS[item.answer],
            metadata={"subject": item.subject},
        )
        for item in ITEMS
    ]
    return MemoryDataset(rows, name="mini")


@task
def mini() -> Task:
    return Task(dataset=samples(), solver=answer(), scorer=[match(), graded()], epochs=3)


@task
def flaky() -> Task:
    """Fails at the sixth item unless HARNESS_HEALED is set."""
    return Task(dataset=samples(), solver=answer(poison=ITEMS[5].id), scorer=match())
