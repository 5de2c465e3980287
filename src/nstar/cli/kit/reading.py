"""Options of every command that reads logs."""

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Protocol

import click

from nstar._base.units import Column, Limit
from nstar.cli.kit.completion import complete_models
from nstar.cli.kit.options import UnitType
from nstar.cli.kit.params import Heading, group, option

if TYPE_CHECKING:
    from nstar._api.inputs.reading import ReadSettings
    from nstar._base.parameter_types import Duplicates, ErrorPolicy, RunPolicy
    from nstar.readers import ReaderOptions

_LIMITS = ("rows", "columns", "names", "cells", "unpacked", "kept")


def column_option(text: str, under: Heading = Heading.READING) -> Any:
    """``--column PART=COLUMN``."""
    return option(
        "--column",
        under=under,
        multiple=True,
        type=UnitType(Column()),
        help=text,
    )


@group
class TableOptions:
    """How files are read."""

    reader: str | None = option(
        "--reader",
        under=Heading.READING,
        metavar="NAME",
        help="Log format, instead of guessing it.",
    )
    columns: tuple[tuple[str, str], ...] = column_option(
        "Which column of a plain table is what: item=question_id, judge=verdict, label=human."
    )
    skip_bad: int = option(
        "--skip-bad",
        under=Heading.READING,
        type=click.IntRange(min=0),
        default=0,
        metavar="N",
        help="Skip and report up to N unreadable rows.",
    )
    limits: tuple[tuple[str, int], ...] = option(
        "--limit",
        under=Heading.READING,
        multiple=True,
        type=UnitType(Limit(_LIMITS)),
        help="Raise a limit for logs you trust: rows=50M, unpacked=2GiB.",
    )
    follow_links: bool = option(
        "--follow-links",
        under=Heading.READING,
        is_flag=True,
        help="Follow links that lead out of a folder.",
    )

    def _said(self) -> dict[str, Any]:
        """What is about the content of logs."""
        return {}

    def options(
        self, progress: "Callable[[str, int, int | None], None] | None" = None
    ) -> "ReaderOptions":
        """As the readers take it."""
        from nstar._data.read_limits import Limits
        from nstar.readers import ReaderOptions

        return ReaderOptions(
            reader=self.reader,
            skip_bad=self.skip_bad,
            columns=self.columns,
            limits=Limits(**dict[str, Any](self.limits)),
            follow_links=self.follow_links,
            progress=progress,
            **self._said(),
        )


@group
class LogOptions(TableOptions):
    """How logs are read."""

    groups: tuple[str, ...] = option(
        "--group",
        under=Heading.READING,
        multiple=True,
        metavar="FIELD",
        help="Field of the question to keep, to group items by.",
    )
    errors: "ErrorPolicy" = option(
        "--errors",
        under=Heading.READING,
        type=click.Choice(["harness", "missing", "zero"]),
        default="harness",
        show_default=True,
        help="Count samples that failed as the harness does, as missing (a code such as -1 too), "
        "or as 0.",
    )
    runs: "RunPolicy" = option(
        "--runs",
        under=Heading.READING,
        type=click.Choice(["latest", "all"]),
        default="latest",
        show_default=True,
        help="Of several logs of one model and task, use the latest complete one, or all as runs.",
    )

    lower_is_better: bool = option(
        "--lower-is-better",
        under=Heading.READING,
        is_flag=True,
        help="Lower scores are better, as for times and error rates.",
    )

    def _said(self) -> dict[str, Any]:
        """What the fields, failed samples, runs and scores of logs mean."""
        return {
            "groups": self.groups,
            "errors": self.errors,
            "runs": self.runs,
            "lower_is_better": self.lower_is_better,
        }


@group
class ReadingOptions(LogOptions):
    """How logs are read, brought together, and what in them is allowed."""

    duplicates: "Duplicates" = option(
        "--duplicates",
        under=Heading.READING,
        type=click.Choice(["refuse", "first", "last", "mean", "runs"]),
        default="refuse",
        show_default=True,
        help="Of several rows for one model, item and run, which counts; or take each as a run.",
    )
    allow: tuple[str, ...] = option(
        "--allow",
        under=Heading.READING,
        multiple=True,
        metavar="CODE",
        help="Continue despite a fatal finding, such as failed-run.",
    )

    def reading(
        self, progress: "Callable[[str, int, int | None], None] | None" = None
    ) -> "ReadSettings":
        """As the adapter of data takes it; notes name flags."""
        from nstar._api.inputs.reading import ReadSettings

        return ReadSettings(
            options=self.options(progress),
            duplicates=self.duplicates,
            allow=self.allow,
        ).declaring(getattr(self, "strata", None), getattr(self, "cluster", None))


def refuse_judge(columns: Iterable[tuple[str, str]], what: str) -> None:
    """Wrong usage if a judge and labels are named where labels would be left out unsaid."""
    if {"judge", "label", "rater"} & {part for part, _ in columns}:
        msg = (
            f"{what} takes scores as they are; a judge is corrected by labels in nstar compare, "
            "audit and gate (to go by the judge alone, --column score=NAME)"
        )
        raise click.UsageError(msg)


class TaskSelection(Protocol):
    """Options that say which tasks and which metric are meant."""

    @property
    def tasks(self) -> tuple[str, ...]:
        """Only these; all if there are none."""

    @property
    def metric(self) -> str | None:
        """Instead of the first one of the log."""


@group
class TaskOptions:
    """Which tasks and which metric are meant."""

    tasks: tuple[str, ...] = option(
        "--task", under=Heading.INPUT, multiple=True, metavar="TASK", help="Only these tasks."
    )
    metric: str | None = option(
        "--metric",
        under=Heading.INPUT,
        metavar="METRIC",
        help="Metric to use.  [default: the first one in the log]",
    )


@group
class ModelOptions:
    """Which models are meant."""

    models: tuple[str, ...] = option(
        "--model",
        under=Heading.INPUT,
        multiple=True,
        metavar="GLOB",
        shell_complete=complete_models,
        help="Only these models: 'meta-*'.",
    )
    exclude: tuple[str, ...] = option(
        "--exclude",
        under=Heading.INPUT,
        multiple=True,
        metavar="MODEL",
        shell_complete=complete_models,
        help="All but these models: 'meta-*'.",
    )
