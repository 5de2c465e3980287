"""Commands that have no options of their own, only those of a function and of its output."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import click

import nstar
from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.front import (
    EvaluationOutput,
    FigureOutput,
    LeaderboardOutput,
    OutputOptions,
    PrintOptions,
    ReportOutput,
    front,
)
from nstar.cli.kit.output import check_list, write_whole
from nstar.cli.kit.params import Heading, group, option
from nstar.cli.kit.ray import WorkOptions

EXAMPLES: dict[str, tuple[str, ...]] = {
    "compare judged": (
        "nstar compare judged scores.csv --a x --b y --judge verdict --label human",
    ),
    "compare known": ("nstar compare known new.csv results.parquet --b gpt-y",),
    "battles": (
        "nstar battles votes.parquet",
        "nstar battles votes.csv --cluster prompt --control length --html votes.html",
        "nstar battles votes.csv --next 500 --out next.csv",
        "nstar battles votes.csv --since votes-last-week.csv",
    ),
    "runs": (
        "nstar runs logs/*.eval",
        "nstar runs tau.parquet --a gpt-x --b gpt-y --html runs.html",
        "nstar runs ada=monday.csv ada=tuesday.csv",
        "nstar runs tau.parquet --at-least 4/5",
    ),
    "items": (
        "nstar items results.parquet",
        "nstar items results.parquet --top 5 --label-errors 5% --html items.html",
        "nstar items results.parquet --split released --after 2024-06-01",
        "nstar items results.parquet --format csv > items.csv",
    ),
    "plan": (
        "nstar plan --baseline 70% --delta 1pp --rho 0.4           items needed",
        "nstar plan --baseline 70% --items 1000 --rho 0.6          smallest detectable gap",
        "nstar plan --baseline 70% --items 1000 --delta 2pp        power",
        "nstar plan --baseline 70% --delta 1pp,2pp --rho 0.4,0.6   a grid",
    ),
    "plan margin": (
        "nstar plan margin --margin 2pp --psi 15%                      equivalence",
        "nstar plan margin --margin 2pp --psi 15% --non-inferiority    not worse by 2 points",
        "nstar plan margin --margin 2pp --psi 15% --items 5000         power",
    ),
    "plan board": (
        "nstar plan board --models 10 --delta 2pp --baseline 70%",
        "nstar plan board --models 10 --delta 2pp --baseline 70% --goal best",
        "nstar plan board results.parquet --items 800 --models 20",
    ),
    "plan single": (
        "nstar plan single --threshold 70% --delta 3pp     items needed",
        "nstar plan single --threshold 70% --items 1000    smallest detectable gap",
        "nstar plan single --threshold 70% --items 1000 --delta 3pp    power",
        "nstar plan single --half-width 5pp                items for a confidence interval",
    ),
    "plan looks": (
        "nstar plan looks --baseline 70% --delta 3pp                   five planned looks",
        "nstar plan looks --psi 20% --delta 5pp --method e-process     after every item",
        "nstar plan looks --baseline 70% --items 2000 --method pocock  smallest detectable gap",
    ),
    "plan runs": (
        "nstar plan runs --budget 5000 --cost-run 1 --baseline 50% --flip 30%",
        "nstar plan runs tau.parquet --delta 5pp --cost-run 0.2",
        "nstar plan runs tau.parquet::gpt-x --budget 500 --price 3/15",
    ),
    "plan votes": (
        "nstar plan votes --elo 20 --ties 40%                votes needed",
        "nstar plan votes --votes 1000 --ties 40%            smallest detectable gap",
        "nstar plan votes --elo 20 --ties 40% --models 6     all pairs of six models",
        "nstar plan votes --elo 20 --pilot votes.csv         ties and models of a pilot",
    ),
    "claim unpaired": ("nstar claim unpaired 71.4% 70.6% --items 1000 --items-b 500",),
    "claim list": (
        "nstar claim list claims.csv",
        "nstar claim list claims.csv --rho 0.5 --format markdown",
    ),
    "claim table": (
        "nstar claim table table.tex --seeds 5 --pm-is sd",
        "nstar claim table table.csv --items items.csv",
        "nstar claim table table.csv --items 1000 --format latex",
    ),
    "claim wins": ("nstar claim wins 7 9 --models 5",),
    "judges": (
        "nstar judges scores.csv --judge gpt --judge claude --label human",
        "nstar judges long.csv --rater judge --label human --cost-judge 0.01 --cost-label 1",
    ),
    "gate": (
        "nstar gate --baseline old/ --candidate new/ --margin 1pp",
        "nstar gate --baseline old/ --candidate new/ --margin 2pp --guardrail safety:0.5pp",
        "nstar gate --baseline board.csv::gpt-x --candidate board.csv::gpt-y --superiority",
        "nstar gate --candidate new/ --threshold 70%",
    ),
    "gate looks": (
        "nstar gate looks --baseline old/ --candidate new/ --margin 1pp --items 2000",
        "nstar gate looks --baseline old/ --candidate new/ --margin 1pp --history nightly",
    ),
    "gate runs": ("nstar gate runs --baseline old/ --candidate new/ --at-least 4/5 --margin 5pp",),
    "gate aa": ("nstar gate aa runs/* --margin 1pp",),
}
"""Examples of each command."""


@group
class _VoteOutput(LeaderboardOutput, WorkOptions):
    """Options for printing and writing a rating of models, and for the work."""

    out: str | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="FILE",
        callback=check_list,
        shell_complete=complete_files,
        help="Write the votes of --next to FILE.csv or FILE.jsonl, one row for each vote.",
    )

    def check(self, values: Mapping[str, Any]) -> None:
        """Raise UsageError if there are no votes to write."""
        if self.out is not None and "next" not in values:
            msg = "--out needs --next N, the number of votes to collect."
            raise click.UsageError(msg)

    def deliver(self, result: Any) -> None:
        """Write the votes to collect after the report is printed."""
        super().deliver(result)
        if self.out is None:
            return
        from nstar._data.export.subset import list_bytes

        columns = result.next_votes.votes.columns()
        cells = (
            values if isinstance(values, tuple) else values.tolist() for values in columns.values()
        )
        content = list_bytes(
            tuple(columns), zip(*cells, strict=True), Path(self.out).suffix.lower()
        )
        write_whole(self.out, content, "list")
        click.echo(f"nstar: wrote {len(result.next_votes.votes):,} votes to {self.out}", err=True)


_OUTPUTS: dict[str, type[PrintOptions]] = {
    "compare judged": EvaluationOutput,
    "compare known": EvaluationOutput,
    "battles": _VoteOutput,
    "runs": FigureOutput,
    "items": FigureOutput,
    "plan": FigureOutput,
    "plan margin": FigureOutput,
    "plan board": FigureOutput,
    "plan runs": FigureOutput,
    "claim unpaired": ReportOutput,
    "claim list": ReportOutput,
    "claim table": ReportOutput,
    "claim wins": ReportOutput,
}
"""Output options of the commands with more than a report and a page."""


@cache
def plain_command(name: str) -> click.Command:
    """Return a command, whose function has the same name."""
    function, examples = getattr(nstar, name.replace(" ", "_")), EXAMPLES[name]
    if not name.startswith("gate"):
        return front(function, examples=examples, output=_OUTPUTS.get(name, OutputOptions))
    from nstar.cli.kit.gates import GateCommand, GateOutput, GatePlanOptions, gate_errors

    output = GatePlanOptions if name == "gate aa" else GateOutput
    return front(function, examples=examples, output=output, cls=GateCommand, errors=gate_errors)
