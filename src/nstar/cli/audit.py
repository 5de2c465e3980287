"""``nstar audit``: which rankings of a leaderboard does the benchmark support?"""

import sys
from typing import TYPE_CHECKING, NoReturn

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.completion import complete_files, complete_models
from nstar.cli.kit.figure import FigureOptions, PageOptions, figure_kind
from nstar.cli.kit.gap_options import GapOptions, refuse_points
from nstar.cli.kit.options import (
    LOCAL_FOLDER,
    SIZE,
    GroupOptions,
    LevelAndPower,
    ReportOptions,
    seed_option,
)
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.params import Command, Heading, argument, group, option, takes
from nstar.cli.kit.progress import PairProgress, reading_shown
from nstar.cli.kit.ray import WorkOptions, log_ray_events
from nstar.cli.kit.reading import ModelOptions, ReadingOptions, TaskOptions, refuse_reading

if TYPE_CHECKING:
    from collections.abc import Iterable

    from nstar._api.inputs.board import BoardInput
    from nstar._base.parameter_types import ItemChoice
    from nstar._verbs.audit import Audit, Leaderboard
    from nstar._verbs.audit.result import Average
    from nstar._verbs.audit.tables import Adjust


def _pairs(ctx: click.Context, param: click.Parameter, value: str) -> str:
    kind, sign, k = value.partition(":")
    whole = k.isascii() and k.isdigit() and len(k) < 10 and int(k) > 1
    if value in ("adjacent", "all") or (kind == "top" and sign and whole):
        return value
    msg = f"{value!r} is not one of adjacent, all and top:K with K of 2 or more"
    raise click.BadParameter(msg, ctx, param)


@group
class _ModelOptions(ModelOptions):
    """Which models are ranked, and which of them is asked about."""

    where: str | None = option(
        "--where",
        under=Heading.INPUT,
        metavar="MODEL",
        shell_complete=complete_models,
        help="Where does this model stand? Answered first.",
    )


@group
class _PairOptions(GapOptions):
    """What is asked of which pairs."""

    adjust: "Adjust" = option(
        "--adjust",
        under=Heading.STATISTICS,
        type=click.Choice(["maxt", "holm", "bonferroni", "bh", "none"]),
        default="maxt",
        show_default=True,
        help="How to correct for comparing many pairs.",
    )
    pairs: str = option(
        "--pairs",
        under=Heading.OUTPUT,
        default="adjacent",
        show_default=True,
        callback=_pairs,
        metavar="adjacent|top:K|all",
        help="Pairs to list; ranks and counts always use all.",
    )
    items: "ItemChoice" = option(
        "--items",
        under=Heading.STATISTICS,
        type=click.Choice(["pairwise", "common"]),
        default="pairwise",
        show_default=True,
        help="Use items that both models of a pair answered, or only those that all did.",
    )
    average: "Average" = option(
        "--average",
        under=Heading.STATISTICS,
        type=click.Choice(["macro", "micro"]),
        default="macro",
        show_default=True,
        help="Over several tasks: weight tasks equally, or items.",
    )
    weights: str | None = option(
        "--weights",
        under=Heading.STATISTICS,
        metavar="FILE",
        shell_complete=complete_files,
        help="Items that count unequally: a table of item and weight (.csv, .jsonl, .parquet); "
        "of task and weight for the average.",
    )
    top: int = option(
        "--top",
        under=Heading.STATISTICS,
        type=click.IntRange(min=2),
        default=10,
        show_default=True,
        metavar="K",
        help="Count pairs among the first K models separately.",
    )
    seed: int = seed_option("Seed of max-T.")


@group
class _OutputOptions:
    """What is written, and kept, on the way."""

    out: str | None = option(
        "--out",
        under=Heading.OUTPUT,
        metavar="DIR",
        type=click.Path(file_okay=False),
        help="Write all pairs to this folder, as Parquet; nstar site reads it.",
    )
    work: str | None = option(
        "--work",
        under=Heading.WORK,
        metavar="DIR",
        type=LOCAL_FOLDER,
        help="Save progress in this folder; a stopped audit resumes from it.",
    )
    memory: int | None = option(
        "--memory",
        under=Heading.WORK,
        type=SIZE,
        help="Keep counts of pairs in so much memory.  [default: a quarter of what is free, "
        "at most 1GB]",
    )


@group
class AuditOptions(
    ReportOptions,
    LevelAndPower,
    ReadingOptions,
    PageOptions,
    FigureOptions,
    WorkOptions,
    _OutputOptions,
    _PairOptions,
    GroupOptions,
    _ModelOptions,
    TaskOptions,
):
    """Everything that can be said to ``nstar audit``."""

    figure_kind: str | None = figure_kind("audit")

    paths: tuple[str, ...] = argument(
        nargs=-1, required=True, metavar="PATH…", shell_complete=complete_files
    )


def _load(given: AuditOptions) -> "BoardInput":
    from nstar._api.inputs.board import load_board
    from nstar._api.inputs.selection import ModelFilter

    refuse_reading(given.paths)
    with reading_shown() as progress:
        return load_board(
            list(given.paths),
            given.reading(progress),
            ModelFilter(wanted=given.models, unwanted=given.exclude),
            tasks=given.tasks,
            metric=given.metric,
            alpha=given.alpha,
        )


def _audit(board: "BoardInput", given: "AuditOptions") -> "Audit | Leaderboard":
    from nstar._api.audit import with_findings
    from nstar._api.inputs.weights import weighed_board
    from nstar._engine.work import Execution
    from nstar._verbs.audit.question import AuditQuestion
    from nstar._verbs.audit.tasks import audit_board
    from nstar._verbs.verdict import Criteria

    ask = AuditQuestion(
        strata=given.strata,
        cluster=given.cluster,
        delta=given.delta,
        margin=given.margin,
        criteria=Criteria(alpha=given.alpha, power=given.power),
        adjust=given.adjust,
        pairs=given.pairs,
        items=given.items,
        top=given.top,
        seed=given.seed,
    )
    if board.judged is not None:
        ask.refuse_judged()
    board, shares = weighed_board(board, given.weights, ask, given.average)
    progress = PairProgress()
    how = Execution(
        workers=given.workers,
        executor=given.executor,
        progress=progress,
        out=given.out,
        work=given.work,
        memory=given.memory,
    )
    try:
        with log_ray_events():
            found = audit_board(
                board.matrices,
                ask,
                how,
                average=given.average,
                models=board.chosen,
                shares=shares,
            )
            return with_findings(found, board)
    except KeyboardInterrupt:
        progress.clear()
        _stopped(given)
    finally:
        progress.clear()


def _stopped(folders: _OutputOptions) -> NoReturn:
    """Said after Ctrl-C: what is kept, and how to go on."""
    from nstar._base.address import without_secrets

    kept = [folder for folder in (folders.out, folders.work) if folder is not None]
    said = "nothing was kept; with --out DIR or --work DIR a long audit can go on"
    if kept:
        where = " and ".join(map(without_secrets, kept))
        said = f"what is finished is in {where}; the same command resumes from there"
    click.echo(f"nstar: stopped: {said}", err=True)
    sys.exit(130)


def _summarise(result: "Audit | Leaderboard", directory: str) -> None:
    from nstar import report
    from nstar._base.address import without_secrets
    from nstar._data.export.audit_folders import write_summary
    from nstar._verbs.audit import Audit
    from nstar._verbs.audit.item_answers import keep_answers

    audit = result.without_pairs() if isinstance(result, Audit) else result
    if isinstance(result, Audit):
        keep_answers(result, directory)
    write_summary(directory, report.render(audit, "json", paragraph=True))
    where = without_secrets(directory)
    click.echo(f"nstar: pairs in {where}/pairs, the audit in {where}/audit.json", err=True)


_MAX_QUIET_JSON_PAIRS = 100_000
"""Pairs in JSON, about 1 kB each, of which to say beforehand how large they are."""


def _tell_size(given: "AuditOptions", models: "Iterable[int]") -> None:
    """That all pairs in JSON will be large, and what is smaller."""
    pairs = sum(m * (m - 1) // 2 for m in models if m <= 1000)  # of more, none are listed
    if given.pairs == "all" and given.format_ == "json" and pairs > _MAX_QUIET_JSON_PAIRS:
        text = f"{pairs:,} pairs in JSON are about {pairs / 1e6:.1f} GB"
        click.echo(f"nstar: {text}; as Parquet they are small: --out DIR", err=True)


@click.command(
    "audit",
    cls=Command,
    short_help=SUMMARIES["audit"],
    most_used=("where", "delta", "strata", "html", "out"),
)
@takes(given=AuditOptions)
def audit_command(given: AuditOptions) -> None:
    """Audit a leaderboard: rank sets, tiers, and a verdict on every pair of models.

    PATH is a file, folder, pattern or URL; every model in it is ranked.

    \b
    nstar audit results.parquet
    nstar audit results/ --strata subject --delta 1pp --where my-model
    """  # noqa: D301
    from nstar._api.inputs.selection import find_model
    from nstar._data.findings import refuse_fatal

    given.refuse_both()
    with reported_errors():
        board = _load(given)
        refuse_fatal(board.findings)
        refuse_points(board.matrices, delta=given.delta, margin=given.margin)
        given.refuse_crowd(len(board.models))
        _tell_size(given, [len(m.models) for m in board.matrices])
        where = given.where
        if where is not None:
            where = find_model(where, board.models, "the ranking")
        result = _audit(board, given)
        if given.out is not None:
            _summarise(result, given.out)
        emit(result, given, where=where)
        given.draw(result, where=where)
        given.write(result, where=where)
