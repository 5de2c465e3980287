"""``nstar compare``: does A beat B, and could this benchmark tell?"""

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.figure import FigureOptions, PageOptions, figure_kind
from nstar.cli.kit.gap_options import GapOptions, range_option, refuse_points
from nstar.cli.kit.options import (
    GroupOptions,
    LevelOptions,
    ReportOptions,
    TwoModels,
    seed_option,
    weights_option,
)
from nstar.cli.kit.output import check_target, emit, reported_errors, usage_errors, write_whole
from nstar.cli.kit.params import Command, Heading, group, option, takes
from nstar.cli.kit.progress import reading_shown
from nstar.cli.kit.reading import ReadingOptions, TaskOptions
from nstar.cli.kit.sides import load_sides, parse_sides, refuse_models

if TYPE_CHECKING:
    from nstar._api.inputs.model_source import ModelSource
    from nstar._verbs.compare import Comparison

SUFFIXES = (".csv", ".jsonl")
"""Kinds of file that items are written to."""


def _check_items(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    return None if value is None else check_target(ctx, param, value, SUFFIXES)


@group
class _GapOptions(GapOptions):
    weights: str | None = weights_option()
    score_range: tuple[float, float] | None = range_option()


@group
class CompareOptions(
    ReportOptions,
    LevelOptions,
    ReadingOptions,
    PageOptions,
    FigureOptions,
    _GapOptions,
    GroupOptions,
    TaskOptions,
    TwoModels,
):
    """Everything that can be said to ``nstar compare``."""

    figure_kind: str | None = figure_kind("compare")
    list_: Literal["gained", "lost"] | None = option(
        "--list",
        under=Heading.OUTPUT,
        type=click.Choice(("gained", "lost")),
        help="Write the items on which A does better than B (gained), or worse (lost), to --out.",
    )
    out: str | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="FILE",
        callback=_check_items,
        shell_complete=complete_files,
        help="File for the items of --list: FILE.csv or FILE.jsonl, widest gap first.",
    )
    known: str | None = option(
        "--known",
        under=Heading.INPUT,
        metavar="PATH",
        shell_complete=complete_files,
        help="Models known on all items, of which A ran on a random part; --b is one of them, "
        "the best if not given.",
    )
    seed: int = seed_option("Seed of random sign flips, for graded scores.")

    def refuse_half(self) -> None:
        """``--list`` and ``--out`` go together."""
        if (self.list_ is None) != (self.out is None):
            given, other = (
                ("--out FILE", "--list") if self.list_ is None else ("--list", "--out FILE")
            )
            msg = f"{given} needs {other}: --list gained --out items.csv"
            raise click.UsageError(msg)
        if self.list_ is not None and self.weights is not None:
            msg = "--list shows scores as measured; leave --weights out"
            raise click.UsageError(msg)

    def write_items(self, result: "Comparison") -> None:
        """Write the items that were asked for, if any were."""
        if self.list_ is None or self.out is None:
            return
        from nstar.report.differing import differing_file

        rows, content = differing_file(result.differing(self.list_), Path(self.out).suffix)
        write_whole(self.out, content, "items")
        click.echo(f"nstar: {rows:,} items in {self.out}", err=True)


_NOT_JUDGED = {
    "strata": "groups of a judged comparison are clusters",
    "delta": "what labels detect is told beside the answer",
    "margin": "margins are not tested by a judge and labels yet",
    "metric": "the judge and the labels are the metrics",
    "list_": "single items have no corrected score",
    "weights": "judged items count the same yet",
    "score_range": "a judge's scale is learnt from the labels",
}
"""Options that say nothing about a judge with labels, and why."""


_NOT_KNOWN = {
    "strata": "known models say what the sample happened to be",
    "cluster": "items of the sample are independent draws here",
    "delta": "what the sample detects is told beside the answer",
    "margin": "margins are not tested against a known model yet",
    "list_": "compare the two without --known",
    "weights": "sampled items count the same",
    "score_range": "the scale is that of the known scores",
}
"""Options that say nothing about a new model and known ones, and why."""


def _refuse_beside(given: CompareOptions, what: str, reasons: dict[str, str]) -> None:
    for option_, why in reasons.items():
        if getattr(given, option_) is not None:
            flag = f"--{option_.rstrip('_').replace('_', '-')}"
            msg = f"{flag} does not go with {what}: {why}"
            raise click.UsageError(msg)


def compare_with_known(given: CompareOptions, known: str) -> None:
    """A new model on some items against models that are known on all."""
    from dataclasses import replace

    from nstar._api.inputs.model_source import one_side
    from nstar._api.inputs.reference_logs import load_known
    from nstar._data.findings import refuse_fatal, refuse_stopped
    from nstar._verbs.reference import KnownQuestion, compare_known

    _refuse_beside(given, "--known", _NOT_KNOWN)
    if len(given.paths) != 1:
        msg = f"--known goes with one path, that of the new model; got {len(given.paths)}"
        raise click.UsageError(msg)
    side = one_side(given.paths[0])
    side = replace(side, model=given.a or side.model, choice=f"{side.data}::MODEL, or --a MODEL")
    with reading_shown() as progress:
        reading = given.reading(progress)
        ready = load_known(side, known, given.b, reading, tasks=given.tasks, metric=given.metric)
    refuse_fatal(ready.findings)
    refuse_stopped(ready.findings, given.allow)
    ask = KnownQuestion(b=ready.b, criteria=given.criteria())
    result = compare_known(ready.matrix, ready.new, ask, ready.findings)
    emit(result, given)
    given.draw(result)
    given.write(result)


def compare_by_judge(
    sides: "tuple[ModelSource, ModelSource]", given: CompareOptions, judged: tuple[str, str]
) -> None:
    """By a judge of all items, corrected by labels of some."""
    from nstar._data.findings import refuse_fatal, refuse_stopped
    from nstar._verbs.judged import JudgedQuestion, compare_judged

    _refuse_beside(given, "a judge and labels", _NOT_JUDGED)
    ready = load_sides(sides, given, given, judged=judged)
    refuse_fatal(ready.coverage.findings)
    refuse_stopped(ready.coverage.findings, given.allow)
    ask = JudgedQuestion(cluster=given.cluster, criteria=given.criteria())
    judge, label = ready.matrices
    result = compare_judged(judge, label, ready.names, ask, ready.coverage.findings)
    emit(result, given)
    given.draw(result)
    given.write(result)


def compare_by_scores(sides: "tuple[ModelSource, ModelSource]", given: CompareOptions) -> None:
    """By the scores of both, paired by item."""
    from nstar._api.compare import ModelPairData
    from nstar._api.inputs.weights import weights_of
    from nstar._data.findings import refuse_fatal, refuse_stopped
    from nstar._verbs.compare.comparison import compare_board
    from nstar._verbs.compare.question import CompareQuestion

    ready = load_sides(sides, given, given)
    refuse_fatal(ready.coverage.findings)
    refuse_stopped(ready.coverage.findings, given.allow)
    refuse_points(ready.matrices, delta=given.delta, margin=given.margin)
    ask = CompareQuestion(
        strata=given.strata,
        cluster=given.cluster,
        delta=given.delta,
        margin=given.margin,
        criteria=given.criteria(),
        score_range=given.score_range,
        seed=given.seed,
    )
    both, said = ModelPairData(ready.names, ready.matrices).weighed(weights_of(given.weights))
    found = (*ready.coverage.findings, *said)
    result = compare_board(both.matrices, both.names, ask, found)
    emit(result, given)
    given.draw(result)
    given.write(result)
    given.write_items(result)


@click.command(
    "compare",
    cls=Command,
    short_help=SUMMARIES["compare"],
    most_used=("a", "b", "delta", "strata", "html"),
)
@takes(given=CompareOptions)
def compare_command(given: CompareOptions) -> None:
    """Compare two models on the items both answered: A minus B.

    A and B are logs, folders or tables; write NAME=PATH to label one and PATH::MODEL to choose
    a model in it. One path is enough if it holds two models, or with --a and --b.

    \b
    nstar compare results/alpha results/beta
    nstar compare run.parquet --a gpt-x --b gpt-y --strata subject
    nstar compare results/alpha results/beta --list gained --out gained.csv
    nstar compare judged.csv --a x --b y --column judge=verdict --column label=human
    nstar compare new.csv --known results.parquet --b gpt-y
    """  # noqa: D301
    given.refuse_both()
    given.refuse_half()
    with usage_errors():
        judged = given.reading().judged
    if given.known is not None:
        if judged is not None:
            msg = "--column judge does not go with --known: scores are taken for what they are"
            raise click.UsageError(msg)
        with reported_errors():
            compare_with_known(given, given.known)
        return
    if given.a is None:
        refuse_models(given.paths)
    sides = parse_sides(given.paths, given.a, given.b)
    with reported_errors():
        if judged is None:
            compare_by_scores(sides, given)
        else:
            compare_by_judge(sides, given, judged)
