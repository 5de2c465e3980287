"""``nstar read``."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nstar._api.read import coverage
from nstar._base.address import is_address, without_secrets
from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.front import PrintOptions, front
from nstar.cli.kit.options import LOCAL_FOLDER
from nstar.cli.kit.params import Heading, group, option

if TYPE_CHECKING:
    from nstar.readers._base import Journal

_APPLIED = ("reader", "columns", "groups", "errors", "skip_bad")
"""Parameters that have no further effect once a table is written."""


def _check_out(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Reject an address, and a file name whose suffix does not set a format."""
    if value is None:
        return None
    if is_address(value):
        msg = f"{without_secrets(value)} is an address. Choose a folder or file on this machine."
        raise click.BadParameter(msg, ctx, param)
    path = Path(value)
    if path.suffix not in (".parquet", ".pack"):
        msg = (
            f"The extension must be .parquet (a table) or .pack, such as {path.stem}.parquet; got "
            f"{path.name}"
        )
        raise click.BadParameter(msg, ctx, param)
    return value


def _refuse_judge(columns: Mapping[str, str]) -> None:
    """Reject a judge and labels, which would be left out without notice."""
    if {"judge", "label", "rater"} & set(columns):
        msg = (
            "A pack stores the scores as they are and cannot correct for judge errors. To store "
            "only the judge's scores, use --column score=NAME. To correct judge errors, use "
            "nstar compare judged or nstar audit on the logs."
        )
        raise click.UsageError(msg)


@group
class _Output(PrintOptions):
    out: str | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="FILE",
        callback=_check_out,
        shell_complete=complete_files,
        help="Write the scores to FILE.parquet (a table) or FILE.pack (a folder for data larger "
        "than memory).",
    )
    task: str | None = option(
        "--task",
        under=Heading.OUTPUT,
        metavar="TASK",
        help="Task to store in FILE.pack, if the logs contain several tasks.",
    )
    metric: str | None = option(
        "--metric",
        under=Heading.OUTPUT,
        metavar="METRIC",
        help="Metric to store in FILE.pack (default: the first one in the log).",
    )
    eee: str | None = option(
        "--eee",
        under=Heading.OUTPUT,
        metavar="DIR",
        type=LOCAL_FOLDER,
        help="Write Every Eval Ever records with standard errors and confidence intervals.",
    )

    def check(self, values: Mapping[str, Any]) -> None:
        """Reject options that only apply to a pack, and a judge in a pack."""
        if self._is_pack:
            _refuse_judge(values.get("columns", {}))
        elif self.task is not None or self.metric is not None:
            msg = f"--{'metric' if self.task is None else 'task'} also needs --out FILE.pack."
            raise click.UsageError(msg)

    def call(self, function: Callable[..., Any], data: Sequence[Any], keywords: Any) -> Any:
        """Write the files, and return a summary of their contents."""
        from nstar._api.inputs.aligned_rows import summarize_rows
        from nstar._api.inputs.reading import ReadSettings

        paths = list(data[0])
        if self.out is None:
            result = function(paths, **keywords)
        elif self._is_pack:
            result = self._pack(paths, self.out, keywords)
        else:
            journal = _write_table(paths, self.out, keywords)
            paths = [self.out]
            keywords = {name: v for name, v in keywords.items() if name not in _APPLIED}
            settings = ReadSettings.of(keywords)
            result = summarize_rows(paths, settings, notes=journal.notes, bad=journal.bad)
        if self.eee is not None:
            _write_records(paths, self.eee, keywords)
        return result

    def deliver(self, result: Any) -> None:
        """Print the report. Exit with status 1 if a finding is fatal."""
        super().deliver(result)
        if any(finding.level == "fatal" for finding in result.findings):
            raise SystemExit(1)

    @property
    def _is_pack(self) -> bool:
        return self.out is not None and Path(self.out).suffix == ".pack"

    def _pack(self, paths: list[str], folder: str, keywords: Any) -> Any:
        """Pack one task, with the findings about its logs."""
        from nstar._api.inputs.aligned_rows import choose_task
        from nstar._api.inputs.reading import ReadSettings
        from nstar._data.findings import refuse_fatal
        from nstar._data.pack import pack

        matrix, result = choose_task(paths, ReadSettings.of(keywords), self.task, self.metric)
        refuse_fatal(result.findings)
        pack(matrix, folder, findings=result.findings)
        models, items = matrix.shape
        click.echo(f"nstar: wrote {models:,} models × {items:,} items to {folder}", err=True)
        return result


def _check_replaceable(out: str) -> None:
    """Raise an error if the file is not a table of nstar, so that no log is overwritten."""
    import pyarrow.parquet as pq

    from nstar.errors import ReadError
    from nstar.readers.tidy import SOURCES_KEY

    if not Path(out).exists():
        return
    try:
        is_ours = SOURCES_KEY in (pq.read_metadata(out).metadata or {})
    except (OSError, ValueError):
        is_ours = False
    if not is_ours:
        msg = f"{out} exists and was not written by nstar read --out. Choose another name."
        raise ReadError(msg)


def _write_table(paths: list[str], out: str, keywords: Any) -> "Journal":
    """Write the table, and return the notes of the readers."""
    from nstar._api.inputs.reading import ReadSettings
    from nstar.readers import scan
    from nstar.readers.tidy import write_tidy

    _check_replaceable(out)
    scanned = scan(paths, ReadSettings.of(keywords).options)
    rows = write_tidy(scanned.batches(), lambda: scanned.journal.sources, out)
    click.echo(f"nstar: wrote {rows:,} rows to {out}", err=True)
    return scanned.journal


def _write_records(paths: list[str], folder: str, keywords: Any) -> None:
    """Write records in the format Every Eval Ever."""
    from nstar._api.read import read
    from nstar._base.version import __version__
    from nstar._data.export.every_eval_ever import write_eee

    files = write_eee(read(paths, **keywords), folder, version=__version__)
    click.echo(f"nstar: wrote {len(files):,} files to {folder}", err=True)


read_command = front(
    coverage,
    name="read",
    examples=(
        "nstar read results/",
        "nstar read logs/*.eval --out results.parquet",
        "nstar read results/ --out results.pack",
    ),
    output=_Output,
)
