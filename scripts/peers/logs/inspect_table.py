"""A table as an Inspect task: the model answers 1 where the table says that it was right."""

# mypy: disable-error-code="import-not-found", allow-untyped-decorators
import csv
from pathlib import Path

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ModelOutput
from inspect_ai.scorer import accuracy, match, stderr
from inspect_ai.solver import Generate, Solver, TaskState, solver


@solver
def scripted() -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        model = str(state.model).rpartition("/")[2]
        answer = state.metadata.get(f"{model}{state.epoch}") or state.metadata[model]
        state.output = ModelOutput.from_content(str(state.model), answer)
        return state

    return solve


@task
def scores(table: str = "p1", cluster: str = "") -> Task:
    """Models of one table; with a cluster column, Inspect's clustered standard error."""
    rows: dict[str, dict[str, str]] = {}
    with Path(f"{table}.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            run = row["model"] + row.get("run", "")
            metadata = {run: row["score"], "passage": row.get("passage", "")}
            rows.setdefault(row["item"], {}).update(metadata)
    samples = [
        Sample(id=q, input=q, target="1", metadata=metadata) for q, metadata in rows.items()
    ]
    error = stderr(cluster=cluster) if cluster else stderr()
    return Task(
        dataset=MemoryDataset(samples, name=table),
        solver=scripted(),
        scorer=match(location="exact"),
        metrics=[accuracy(), error],
        name=table,
    )
