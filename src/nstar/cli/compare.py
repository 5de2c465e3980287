"""``nstar compare``."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import click

from nstar._api.compare import compare
from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.front import EvaluationOutput, front
from nstar.cli.kit.output import check_target, write_whole
from nstar.cli.kit.params import Command, Heading, group, option

_SUFFIXES = (".csv", ".jsonl")
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
"""Pattern of a word that is unlikely to be a path: it has no dot, slash, sign, or wildcard."""


def _check_items(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    return None if value is None else check_target(ctx, param, value, _SUFFIXES)


@group
class _Output(EvaluationOutput):
    list_: Literal["gained", "lost"] | None = option(
        "--list",
        under=Heading.OUTPUT,
        type=click.Choice(("gained", "lost")),
        help="Items to write to --out: those on which A scores higher (gained) or lower (lost).",
    )
    out: str | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="FILE",
        callback=_check_items,
        shell_complete=complete_files,
        help="Write the items of --list to FILE.csv or FILE.jsonl, with the largest gap first.",
    )

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise UsageError if ``--list`` or ``--out`` is used without the other."""
        if (self.list_ is None) != (self.out is None):
            name, other = ("--out", "--list") if self.list_ is None else ("--list", "--out")
            msg = f"{name} also needs {other}: --list gained --out items.csv."
            raise click.UsageError(msg)
        if self.list_ is not None and "weights" in values:
            msg = "Use either --list or --weights, because --list writes unweighted scores."
            raise click.UsageError(msg)

    def deliver(self, result: Any) -> None:
        """Write the list of items after printing the report."""
        super().deliver(result)
        if self.list_ is None or self.out is None:
            return
        from nstar.report.formats.csv import differing_file

        rows, content = differing_file(result.differing(self.list_), Path(self.out).suffix)
        write_whole(self.out, content, "items")
        click.echo(f"nstar: wrote {rows:,} items to {self.out}", err=True)


def _check_model_names(paths: Sequence[str]) -> None:
    """Raise UsageError for models without --a and --b, as in ``board.csv wren heron``."""
    from nstar._api.inputs.model_source import path_exists

    names = [p for p in paths if _NAME.fullmatch(p) and not path_exists(p)]
    if not names or len(paths) < 2 or list(paths[-len(names) :]) != names:
        return
    if len(paths) - len(names) > 1:
        return
    table = paths[0] if len(names) < len(paths) else "TABLE"
    a, b = (*names, "OTHER")[:2]
    are = "not files" if len(names) > 1 else "not a file"
    msg = (
        f"{', '.join(names[:2])}: {are}. To compare models in one table: "
        f"nstar compare {table} --a {a} --b {b}."
    )
    raise click.UsageError(msg)


class _CompareCommand(Command):
    """The command ``compare``, with a helpful error for ``board.csv model_a model_b``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Check that the positional arguments are files."""
        if not ctx.resilient_parsing:
            values, extra, _ = self.make_parser(ctx).parse_args(list(args))
            paths = [values.get(p.name) for p in self.params if isinstance(p, click.Argument)]
            _check_model_names([path for path in paths if isinstance(path, str)] + extra)
        return super().parse_args(ctx, args)


compare_command = front(
    compare,
    examples=(
        "nstar compare results/alpha results/beta",
        "nstar compare run.parquet --a gpt-x --b gpt-y --strata subject",
        "nstar compare results/alpha --threshold 70%",
        "nstar compare results/alpha results/beta --list gained --out gained.csv",
    ),
    output=_Output,
    cls=_CompareCommand,
)
