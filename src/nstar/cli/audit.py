"""``nstar audit``: which rankings of a leaderboard does the benchmark support?"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NoReturn

import click

from nstar.cli.kit.choice import Models, choose_metrics, find_model, other_metrics
from nstar.cli.kit.completion import complete_files, complete_models
from nstar.cli.kit.figure import draw_figure, figure_option
from nstar.cli.kit.options import LOCAL_FOLDER, format_option, level_options, refuse_both_designs
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.packed import open_packs
from nstar.cli.kit.page import html_option, refuse_crowd, write_page
from nstar.cli.kit.ray import cluster_told, ray_option
from nstar.cli.kit.reading import PairProgress, align, reading_options, settled
from nstar.cli.kit.score_gap import SCORE_GAP, refuse_points

if TYPE_CHECKING:
    from nstar._data.findings import Finding
    from nstar._data.matrix import ScoreMatrix
    from nstar._verbs.audit import Audit, Leaderboard
    from nstar.readers._base import Journal


def _pairs(ctx: click.Context, param: click.Parameter, value: str) -> str:
    kind, sign, k = value.partition(":")
    whole = k.isascii() and k.isdigit() and len(k) < 10 and int(k) > 1
    if value in ("adjacent", "all") or (kind == "top" and sign and whole):
        return value
    msg = f"{value!r} is none of adjacent, all and top:K with K of 2 or more"
    raise click.BadParameter(msg, ctx, param)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Board:
    """What is to be ranked."""

    matrices: "list[ScoreMatrix]"
    """One per task, of the models wanted."""
    findings: "tuple[Finding, ...]"
    """What to beware of."""
    chosen: list[str] | None = None
    """Which models of packed matrices; all by default."""

    @property
    def models(self) -> list[str]:
        """Models of any task."""
        every = dict.fromkeys(m for matrix in self.matrices for m in matrix.models)
        return list(every) if self.chosen is None else self.chosen


def _refuse_nothing(models: Models, found: "list[ScoreMatrix]", journal: "Journal") -> None:
    from nstar.errors import ReadError
    from nstar.readers import nothing_in

    if not models.seen:
        raise ReadError(nothing_in(journal.sources))
    models.check(journal.sources)
    _refuse_none([m for m in found if len(m.models) > 1])


def _refuse_none(ranked: "list[ScoreMatrix]") -> None:
    from nstar.errors import ReadError

    if not ranked:
        msg = "no task has scores of two models in one metric"
        raise ReadError(msg)


def _alone(found: "list[ScoreMatrix]", ranked: "list[ScoreMatrix]") -> "Iterator[Finding]":
    """Tasks with one model, which rank nobody."""
    from nstar._data.findings import few, find

    kept = {m.task for m in ranked}
    gone = [m.task or "(no task)" for m in found if m.task not in kept]
    if gone:
        of = "1 task" if len(gone) == 1 else f"{len(gone)} tasks"
        yield find("task-left-out", f"{of} with one model only: {few(gone, 5)}")


def _mapped(
    packs: "list[tuple[ScoreMatrix, tuple[Finding, ...]]]", options: dict[str, Any]
) -> _Board:
    """Packed matrices, left where they are."""
    from nstar._data.findings import allow, find

    models = Models(wanted=options["models"], unwanted=options["exclude"])
    found = [matrix for matrix, _ in packs]
    chosen = choose_metrics(found, options["tasks"], options["metric"])
    size = {m.task: sum(map(models.keeps, m.models)) for m in chosen}
    models.check()
    ranked = [m for m in chosen if size[m.task] > 1]
    _refuse_none(ranked)
    kept = [m for m in dict.fromkeys(n for x in ranked for n in x.models) if models.keeps(m)]
    said = (f for matrix, findings in packs if matrix in ranked for f in findings)
    notes = (find("runs-chosen", note) for note in other_metrics(found, ranked))
    return _Board(
        matrices=ranked,
        findings=(*allow(said, ()), *notes, *_alone(chosen, ranked)),
        chosen=None if all(models.seen.values()) else kept,
    )


def _load(paths: tuple[str, ...], options: dict[str, Any]) -> _Board:
    """Map what is packed, or read the logs; models that are not wanted leave no trace."""
    packed = open_packs(paths, options)
    return _read(paths, options) if packed is None else _mapped(packed, options)


def _read(paths: tuple[str, ...], options: dict[str, Any]) -> _Board:
    from nstar._verbs.coverage import coverage

    models = Models(wanted=options["models"], unwanted=options["exclude"])
    found, journal = align(paths, options | {"duplicates": settled(options)}, models)
    _refuse_nothing(models, found, journal)
    chosen = choose_metrics(found, options["tasks"], options["metric"])
    ranked = [m for m in chosen if len(m.models) > 1]
    tasks = {None, *(m.task for m in ranked)}
    report = coverage(
        ranked,
        [
            source
            for source in journal.sources
            if source.task in tasks and models.seen.get(source.model or "", True)
        ],
        notes=[*journal.notes, *other_metrics(found, chosen)],
        bad=journal.bad,
        allowed=options["allow"],
    )
    return _Board(matrices=ranked, findings=(*report.findings, *_alone(chosen, ranked)))


def _audit(board: _Board, options: dict[str, Any]) -> "Audit | Leaderboard":
    from nstar._verbs.audit import audit_tasks
    from nstar._verbs.verdict import Criteria

    progress = PairProgress()
    same = (
        *("strata", "cluster", "delta", "margin", "adjust", "pairs", "items", "top", "seed"),
        *("out", "work", "workers", "executor"),
    )
    try:
        with cluster_told():
            return audit_tasks(
                board.matrices,
                models=board.chosen,
                average=options["average"],
                criteria=Criteria(alpha=options["alpha"], power=options["power"]),
                progress=progress,
                findings=board.findings,
                **{key: options[key] for key in same},
            )
    except KeyboardInterrupt:
        progress.clear()
        _stopped(options)
    finally:
        progress.clear()


def _stopped(options: dict[str, Any]) -> NoReturn:
    """Said after Ctrl-C: what is kept, and how to go on."""
    from nstar._base.address import without_secrets

    kept = [options[name] for name in ("out", "work") if options[name] is not None]
    said = "nothing was kept; with --out DIR or --work DIR a long audit can go on"
    if kept:
        where = " and ".join(map(without_secrets, kept))
        said = f"what is finished is in {where}; the same command goes on from there"
    click.echo(f"nstar: stopped: {said}", err=True)
    sys.exit(130)


def _summarise(result: "Audit | Leaderboard", directory: str) -> None:
    from nstar import report
    from nstar._base.address import without_secrets
    from nstar._data.export.pair_parts import write_summary
    from nstar._verbs.audit import Audit

    audit = result.without_pairs() if isinstance(result, Audit) else result
    write_summary(directory, report.render(audit, "json", paragraph=True))
    where = without_secrets(directory)
    click.echo(f"nstar: pairs in {where}/pairs, the audit in {where}/audit.json", err=True)


@click.command("audit", short_help="Which rankings of a leaderboard does the benchmark support?")
@click.argument("paths", nargs=-1, required=True, metavar="PATH…", shell_complete=complete_files)
@click.option("--task", "tasks", multiple=True, metavar="TASK", help="Only these tasks.")
@click.option("--metric", metavar="METRIC", help="Metric, instead of the first one of the log.")
@click.option(
    "--models",
    multiple=True,
    metavar="GLOB",
    shell_complete=complete_models,
    help="Only these models: 'meta-*'.",
)
@click.option(
    "--exclude",
    multiple=True,
    metavar="MODEL",
    shell_complete=complete_models,
    help="Not these models; GLOB too.",
)
@click.option(
    "--where",
    metavar="MODEL",
    shell_complete=complete_models,
    help="Where does this model stand? Answered first.",
)
@click.option("--strata", metavar="GROUP", help="Groups that define the benchmark: subjects.")
@click.option(
    "--cluster", metavar="GROUP", help="Groups that are a sample: passages, repositories."
)
@click.option("--delta", type=SCORE_GAP, help="Gap that matters, declared in advance: 1pp.")
@click.option("--margin", type=SCORE_GAP, help="Test equivalence within this margin: 2pp.")
@click.option(
    "--adjust",
    type=click.Choice(["maxt", "holm", "bonferroni", "bh", "none"]),
    default="maxt",
    show_default=True,
    help="How verdicts allow for the number of pairs.",
)
@click.option(
    "--pairs",
    default="adjacent",
    show_default=True,
    callback=_pairs,
    metavar="adjacent|top:K|all",
    help="Pairs to be listed; ranks and counts always rest on all.",
)
@click.option(
    "--items",
    type=click.Choice(["pairwise", "common"]),
    default="pairwise",
    show_default=True,
    help="Items that both models of a pair have, or that every model has.",
)
@click.option(
    "--average",
    type=click.Choice(["macro", "micro"]),
    default="macro",
    show_default=True,
    help="Several tasks: tasks count equally, or items do.",
)
@click.option(
    "--top",
    type=click.IntRange(min=2),
    default=10,
    show_default=True,
    metavar="K",
    help="Models whose pairs are counted apart.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed of max-T."
)
@click.option(
    "--out",
    metavar="DIR",
    type=click.Path(file_okay=False),
    help="Write the pairs to Parquet files in this folder.",
)
@click.option(
    "--work",
    metavar="DIR",
    type=LOCAL_FOLDER,
    help="Keep what is counted so far in this folder; a stopped audit goes on from there.",
)
@click.option(
    "--workers",
    type=click.IntRange(min=0),
    default=0,
    help="Threads, or jobs at once with --ray.  [default: one per processor]",
)
@ray_option
@click.option("--paragraph", is_flag=True, help="Add a paragraph to paste beside the ranking.")
@figure_option("audit")
@html_option(", level and power can be changed in it")
@reading_options
@level_options
@format_option
def audit_command(paths: tuple[str, ...], **options: Any) -> None:
    """Audit a leaderboard: rank sets, tiers, and a verdict on every pair of models.

    PATH is a file, a folder, a pattern or a URL; all models in it are ranked.

    \b
    nstar audit results.parquet
    nstar audit results/ --strata subject --delta 1pp --where my-model
    """  # noqa: D301
    from nstar._data.findings import refuse_fatal

    refuse_both_designs(options)
    with reported_errors():
        board = _load(paths, options)
        refuse_fatal(board.findings)
        refuse_points(options, board.matrices)
        refuse_crowd(len(board.models), options)
        where = options["where"]
        if where is not None:
            where = find_model(where, board.models, "the ranking")
        result = _audit(board, options)
        if options["out"] is not None:
            _summarise(result, options["out"])
        emit(result, options["format_"], paragraph=options["paragraph"], where=where)
        draw_figure(result, options, where=where)
        write_page(result, options, where=where)
