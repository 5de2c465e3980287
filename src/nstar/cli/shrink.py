"""``nstar shrink``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from nstar._api.shrink import shrink
from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.front import PaperOutput, front
from nstar.cli.kit.output import check_list, write_whole
from nstar.cli.kit.params import Heading, group, option

if TYPE_CHECKING:
    from nstar._verbs.shrink import Subset


@group
class _Output(PaperOutput):
    out: str | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="FILE",
        callback=check_list,
        shell_complete=complete_files,
        help="Write the items and their weights to FILE.csv or FILE.jsonl, for use with the "
        "--weights option of other commands.",
    )

    def deliver(self, result: Any) -> None:
        """Write the list of items after the report is printed."""
        super().deliver(result)
        if self.out is not None:
            self._write_list(result, self.out)

    @staticmethod
    def _write_list(subset: "Subset", path: str) -> None:
        from hashlib import sha256

        from nstar._data.export.subset import subset_bytes

        rows = ((c.task, c.item, c.stratum, c.weight) for c in subset.items)
        content = subset_bytes(rows, Path(path).suffix.lower())
        write_whole(path, content, "list")
        text = f"wrote {subset.n_items:,} items with weights to {path}"
        click.echo(f"nstar: {text}, SHA-256 {sha256(content).hexdigest()}", err=True)


shrink_command = front(
    shrink,
    examples=(
        "nstar shrink results.parquet --resolve 1pp --out subset.csv",
        "nstar shrink results.parquet --items 1000 --seed 7 --out subset.csv",
    ),
    output=_Output,
)
