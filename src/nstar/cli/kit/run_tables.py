"""Logs with repeated runs, as commands name them: ``[NAME=]PATH[::MODEL]``."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.completion import complete_models
from nstar.cli.kit.params import Heading, group, option

if TYPE_CHECKING:
    from nstar._api.inputs.run_logs import LogGroup, RunSelection


@group
class RunOptions:
    """Which models, task set and metric are meant."""

    a: str | None = option(
        "--a",
        under=Heading.INPUT,
        metavar="MODEL",
        shell_complete=complete_models,
        help="The model, or the first of two.",
    )
    b: str | None = option(
        "--b",
        under=Heading.INPUT,
        metavar="MODEL",
        shell_complete=complete_models,
        help="Second model: the gap is A minus B.",
    )
    task: str | None = option(
        "--task", under=Heading.INPUT, metavar="TASK", help="Task set, if the logs hold several."
    )
    metric: str | None = option(
        "--metric",
        under=Heading.INPUT,
        metavar="METRIC",
        help="Metric to use.  [default: the first one in the log]",
    )

    def refuse_second_only(self) -> None:
        """Usage error for --b without --a, or the same model twice."""
        if self.b is not None and self.a is None:
            msg = "--b names the second model; name the first with --a"
            raise click.UsageError(msg)
        if self.a is not None and self.a == self.b:
            msg = f"--a and --b are both {self.a}; name two models, or one with --a"
            raise click.UsageError(msg)

    def chosen(self) -> "RunSelection":
        """As the reading takes it."""
        from nstar._api.inputs.run_logs import RunSelection

        return RunSelection(a=self.a, b=self.b, task=self.task, metric=self.metric)


def log_groups(texts: Sequence[str]) -> "list[LogGroup]":
    """``[NAME=]PATH[::MODEL]`` each; what has no name of its own is read by model."""
    from nstar._api.inputs.model_source import one_side
    from nstar._api.inputs.run_logs import LogGroup

    sides = [one_side(text) for text in texts]
    plain = [side for side in sides if side.label is None]
    groups = [
        LogGroup(
            data=list(dict.fromkeys(side.data for side in plain if side.model == model)),
            model=model,
        )
        for model in dict.fromkeys(side.model for side in plain)
    ]
    return groups + [
        LogGroup(data=[side.data], model=side.model, label=side.label)
        for side in sides
        if side.label is not None
    ]
