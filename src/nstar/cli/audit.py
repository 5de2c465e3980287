"""``nstar audit``."""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NoReturn

import click

from nstar._api.audit import audit
from nstar.cli.kit.front import LeaderboardOutput, front
from nstar.cli.kit.options import LOCAL_FOLDER, SIZE
from nstar.cli.kit.params import Heading, group, option
from nstar.cli.kit.progress import PairProgress
from nstar.cli.kit.ray import WorkOptions

if TYPE_CHECKING:
    from nstar._engine.work import Execution

_MAX_QUIET_JSON_PAIRS = 100_000
"""Number of pairs in JSON, about 1 kB each, above which the size is reported."""


def _beside(place: str) -> str:
    """Return the next name of a folder: ``mmlu-2`` after ``mmlu``."""
    stem, _, number = place.rstrip("/").rpartition("-")
    is_numbered = bool(stem) and number.isdecimal() and len(number) < 4
    return f"{stem}-{int(number) + 1}" if is_numbered else f"{place.rstrip('/')}-2"


@group
class _Output(LeaderboardOutput, WorkOptions):
    out: str | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Write all pairs to this folder as Parquet files, which nstar site can read.",
    )
    work: str | None = option(
        "--work",
        under=Heading.WORK,
        metavar="DIR",
        type=LOCAL_FOLDER,
        help="Save progress in this folder, so that a stopped audit can resume.",
    )
    memory: int | None = option(
        "--memory",
        under=Heading.WORK,
        type=SIZE,
        help="Memory for the counts of all pairs.  [default: a quarter of the free memory, "
        "at most 1GB]",
    )

    @contextmanager
    def execution(self) -> "Iterator[Execution]":
        """Return the settings for running the work, with a progress line."""
        progress = PairProgress()
        try:
            with super().execution() as execution:
                yield replace(
                    execution, progress=progress, out=self.out, work=self.work, memory=self.memory
                )
        except KeyboardInterrupt:
            progress.clear()
            self._exit_stopped()
        finally:
            progress.clear()

    def _exit_stopped(self) -> NoReturn:
        """Report which results were saved, and how to resume."""
        from nstar._base.address import without_secrets

        folders = [folder for folder in (self.out, self.work) if folder is not None]
        text = "nothing was saved. With --out DIR or --work DIR, an audit can be resumed."
        if folders:
            names = " and ".join(map(without_secrets, folders))
            text = f"finished parts are in {names}. Run the same command to resume."
        click.echo(f"nstar: stopped: {text}", err=True)
        sys.exit(130)

    def highlight(self, result: Any) -> str | None:
        """Return the name of the model of interest, which may omit its organization."""
        if self.where is None:
            return None
        from nstar._api.inputs.selection import find_model

        return find_model(self.where, result.ranking.model, "the ranking")

    def call(
        self, function: Callable[..., Any], data: Sequence[Any], values: Mapping[str, Any]
    ) -> Any:
        """Return the audit. If its folder contains an older one, write beside it and compare."""
        from nstar._data.export.folder import OtherWorkError, folder

        compared = dict(values)
        can_compare = not {"since", "statistic", "weights"} & values.keys()
        can_compare = can_compare and "judge" not in (values.get("columns") or {})
        while True:
            execution = replace(values["execution"], out=self.out)
            try:
                return function(*data, **{**compared, "execution": execution})
            except OtherWorkError as error:
                if self.out is None or error.where != folder(self.out).where:
                    raise
                older = self.out
                vars(self)["out"] = _beside(older)  # type checkers treat groups as frozen
                compared |= {"since": older} if can_compare else {}
                text = f"{error.where} contains an older audit. Writing to {self.out} instead."
                click.echo(f"nstar: {text}", err=True)

    def deliver(self, result: Any) -> None:
        """Write the folder before the report is printed."""
        if self.out is not None:
            self._write_summary(result, self.out)
        if self.format_ == "json":
            self._report_size(result)
        super().deliver(result)

    @staticmethod
    def _write_summary(result: Any, folder: str) -> None:
        from nstar import report
        from nstar._base.address import without_secrets
        from nstar._data.export.audit_folders import write_summary
        from nstar._verbs.audit.item_answers import keep_answers

        keep_answers(result, folder)
        write_summary(folder, report.render(result.without_pairs(), "json", paragraph=True))
        name = without_secrets(folder)
        text = f"wrote the pairs to {name}/pairs, and the audit to {name}/audit.json"
        click.echo(f"nstar: {text}", err=True)

    @staticmethod
    def _report_size(result: Any) -> None:
        """Report the size of many pairs as JSON, and recommend Parquet."""
        pairs = sum(len(task.pairs) for task in result.tasks)
        if pairs > _MAX_QUIET_JSON_PAIRS:
            text = f"{pairs:,} pairs in JSON are about {pairs / 1e6:.1f} GB"
            click.echo(
                f"nstar: {text}. To write them as smaller Parquet files, use --out DIR.", err=True
            )


audit_command = front(
    audit,
    examples=(
        "nstar audit results.parquet",
        "nstar audit results/ --strata subject --delta 1pp --where my-model",
    ),
    output=_Output,
)
