"""A task whose answers are drawn by chance, to be stopped early; mockllm says nothing itself."""

# mypy: disable-error-code="import-not-found", allow-untyped-decorators
import json
import os
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from typing import Any

import inspect_ai
from inspect_ai import Task, task, task_with
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import match
from inspect_ai.solver import Generate, Solver, TaskState, solver

from harness.chance import is_right, shuffled
from nstar.integrations.inspect import EarlyStopping, RaceStopping


@solver
def draw(ability: float, seed: str) -> Solver:
    """Right with this probability; models agree on easy and hard questions in part."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        right = is_right(ability, seed, str(state.sample_id), state.epoch)
        answer = "A" if right else "B"
        state.output = ModelOutput.from_content(str(state.model), answer)
        return state

    return solve


@task
def mini(items: int = 300, ability: float = 0.5, seed: str = "old", baseline: str = "") -> Task:
    """Questions in random order; with a baseline, stopped once the comparison is decided."""
    samples = [Sample(id=k, input=f"question {k}", target="A") for k in shuffled(items)]
    dataset = MemoryDataset(samples, name="mini")
    run = Task(dataset=dataset, solver=draw(ability, seed), scorer=match())
    if baseline:
        run.early_stopping = EarlyStopping(baseline)
    return run


def pair(
    folder: str, items: int, abilities: tuple[float, float], epochs: int = 1, **how: str
) -> None:
    """A baseline and a run that is compared with it; prints what the log says of the latter."""
    common = {"model": "mockllm/model", "log_dir": folder, "display": "none", "max_samples": 4}
    old = inspect_ai.eval(mini(items, abilities[0], how.get("old", "old")), **common)[0]
    stopping = EarlyStopping(old.location, futility=False)
    run = task_with(mini(items, abilities[1], how.get("new", "new")), early_stopping=stopping)
    (log,) = inspect_ai.eval(run, epochs=epochs, **common)
    _tell(log)


def refused(folder: str, items: int, covered: int, name: str = "mini") -> None:
    """A run that its baseline does not fit: the baseline has other samples, or another task."""
    common = {"model": "mockllm/model", "log_dir": folder, "display": "none", "max_samples": 4}
    (old,) = inspect_ai.eval(mini(items), limit=covered, **common)
    run = task_with(mini(items, 0.5, "new"), early_stopping=EarlyStopping(old.location), name=name)
    (log,) = inspect_ai.eval(run, **common)
    told = {"status": log.status, "completed": len(log.samples or ())}
    print(json.dumps(told | {"error": log.error and log.error.message}))  # noqa: T201


def together(folder: str, items: int, abilities: tuple[float, float]) -> None:
    """Two models at once that share one task; prints what each log says."""
    common = {"log_dir": folder, "display": "none", "max_samples": 4}
    (old,) = inspect_ai.eval(mini(items, abilities[0]), model="mockllm/old", **common)
    stopping = EarlyStopping(old.location, futility=False)
    run = task_with(mini(items, abilities[1], "new"), early_stopping=stopping)
    models = ["mockllm/one", "mockllm/two"]
    for log in inspect_ai.eval(run, model=models, max_tasks=2, **common):
        _tell(log)


@solver
def draw_by_model(abilities: dict[str, float]) -> Solver:
    """As :func:`draw`, with an ability for each model."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        model = str(state.model)
        right = is_right(abilities[model], model, str(state.sample_id), state.epoch)
        state.output = ModelOutput.from_content(model, "A" if right else "B")
        return state

    return solve


def racing(folder: str, items: int, abilities: dict[str, float], **how: Any) -> None:
    """Several models at once that stop one another; prints what each log says."""
    names = how.pop("names", list(abilities))
    tasks = how.pop("max_tasks", len(abilities))
    race = RaceStopping(names, **how)
    run = mini(items)
    run = task_with(run, solver=draw_by_model(abilities), early_stopping=race)
    common = {"log_dir": folder, "display": "none", "max_samples": 4, "max_tasks": tasks}
    for log in inspect_ai.eval(run, model=list(abilities), **common):
        if log.status == "success":
            _tell(log)
        else:
            print(json.dumps({"status": log.status, "error": log.error.message}))  # noqa: T201


def eval_set(folder: str, items: int, abilities: tuple[float, float]) -> None:
    """A baseline, an eval set that is compared with it, and one whose baseline does not exist."""
    success, stdout, stderr = [], [], StringIO()
    for name, ability, baseline in zip(
        ("old", "new", "new"), (*abilities, abilities[1]), ("", "old", "none"), strict=True
    ):
        os.environ["NSTAR_BASELINE"] = baseline and f"{folder}/{baseline}"
        common = {"model": "mockllm/model", "log_dir": f"{folder}/{name}", "display": "none"}
        with redirect_stdout(StringIO()) as printed, redirect_stderr(stderr):
            done, _ = inspect_ai.eval_set(mini(items, ability, name), **common)
        success.append(done)
        stdout.append(printed.getvalue().strip())
    told = {"success": success, "stdout": stdout, "stderr": stderr.getvalue()}
    print(json.dumps(told))  # noqa: T201


def _tell(log: Any) -> None:
    told = log.results.early_stopping
    reasons = sorted({stop.reason for stop in told.early_stops})
    done = {"status": log.status, "completed": log.results.completed_samples}
    more = {"reasons": reasons, "not_run": len(told.early_stops)}
    print(json.dumps(told.metadata | done | more))  # noqa: T201
