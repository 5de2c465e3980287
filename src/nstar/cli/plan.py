"""``nstar plan labels``."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from nstar._api.plan.labels import plan_labels
from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.front import OutputOptions, front
from nstar.cli.kit.output import check_list, write_whole
from nstar.cli.kit.params import Heading, group, option


@group
class _Output(OutputOptions):
    out: str | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="FILE",
        callback=check_list,
        shell_complete=complete_files,
        help="Write the drawn items and their weights (set --draw) to FILE.csv or FILE.jsonl.",
    )

    def check(self, values: Mapping[str, Any]) -> None:
        """Refuse a list of items that are not drawn."""
        if self.out is not None and not values.get("draw"):
            msg = "--out writes the items that --draw draws. Add --draw."
            raise click.UsageError(msg)

    def deliver(self, result: Any) -> None:
        """Write the list of items after the report is printed."""
        super().deliver(result)
        if self.out is None:
            return
        from nstar._data.export.subset import list_bytes
        from nstar._verbs.judged.draw import DRAW_COLUMNS, draw_rows

        rows = draw_rows(result.draw)
        content = list_bytes(DRAW_COLUMNS, rows, Path(self.out).suffix.lower())
        write_whole(self.out, content, "list")
        new = sum(to_label for *_, to_label in rows)
        text = f"{len(rows):,} items with weights, {new:,} of them to label, to {self.out}"
        click.echo(f"nstar: wrote {text}", err=True)


plan_labels_command = front(
    plan_labels,
    examples=(
        "nstar plan labels --judge-r 0.65 --judged 10000 --delta 3pp --baseline 70%",
        "nstar plan labels --judge-r 0.65 --delta 3pp --baseline 70% --cost-label 1 "
        "--cost-judge 0.01",
        "nstar plan labels scores.csv --judge verdict --label human --delta 3pp",
        "nstar plan labels scores.csv --judge verdict --label human --labels 300 --draw "
        "--out items.csv",
    ),
    output=_Output,
)
