"""``nstar battles``: who is ahead, by votes between pairs of models?"""

import math
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.command_list import SUMMARIES
from nstar.cli.kit.completion import complete_files
from nstar.cli.kit.figure import FigureOptions, PageOptions, figure_kind
from nstar.cli.kit.options import LevelAndPower, ReportOptions, seed_option
from nstar.cli.kit.output import emit, reported_errors
from nstar.cli.kit.params import Command, Heading, argument, group, option, takes
from nstar.cli.kit.progress import reading_shown
from nstar.cli.kit.ray import WorkOptions, log_ray_events
from nstar.cli.kit.reading import TableOptions
from nstar.cli.kit.votes import VoteOptions

if TYPE_CHECKING:
    from nstar._data.votes import Votes
    from nstar._engine.vote_sums import TiesAs
    from nstar._verbs.battles import Battles, BattlesQuestion
    from nstar._verbs.battles.question import RankBy


def _anchor(
    ctx: click.Context, param: click.Parameter, value: str | None
) -> tuple[str, float] | None:
    if value is None:
        return None
    name, sign, rating = value.rpartition("=")
    try:
        number = float(rating)
    except ValueError:
        number = math.nan
    if not sign or not name or not math.isfinite(number):
        msg = f"{value!r} is not MODEL=RATING, such as gpt-4=1000"
        raise click.BadParameter(msg, ctx, param)
    return name, number


@group
class _VoteQuestionOptions(VoteOptions):
    """What is asked of the votes."""

    where: str | None = option(
        "--where",
        under=Heading.INPUT,
        metavar="MODEL",
        help="Where does this model stand? Answered first.",
    )
    groups: tuple[str, ...] = option(
        "--group",
        under=Heading.READING,
        multiple=True,
        metavar="COLUMN",
        help="Another column by which votes may belong together, to show what it would change.",
    )
    control: tuple[str, ...] = option(
        "--control",
        under=Heading.STATISTICS,
        multiple=True,
        metavar="length|COL_A:COL_B",
        help="Compare as if answers were alike in this; both answers are printed.",
    )
    ties: "TiesAs" = option(
        "--ties",
        under=Heading.STATISTICS,
        type=click.Choice(["half", "davidson", "drop"]),
        default="half",
        show_default=True,
        help="Count a tie as half a win for each, model it, or leave it out.",
    )
    position: bool | None = option(
        "--position/--no-position",
        under=Heading.STATISTICS,
        default=None,
        help="Allow for which answer was shown first.  [default: if the order is known]",
    )
    anchor: tuple[str, float] | None = option(
        "--anchor",
        under=Heading.STATISTICS,
        metavar="MODEL=RATING",
        callback=_anchor,
        help="Fix one model's rating.  [default: the mean of all is 1000]",
    )
    adjust: "RankBy" = option(
        "--adjust",
        under=Heading.STATISTICS,
        type=click.Choice(["maxt", "holm"]),
        default="maxt",
        show_default=True,
        help="How to correct for comparing many pairs.",
    )
    seed: int = seed_option("Seed of max-T.")


@group
class BattlesOptions(
    ReportOptions,
    LevelAndPower,
    TableOptions,
    PageOptions,
    FigureOptions,
    WorkOptions,
    _VoteQuestionOptions,
):
    """Everything that can be said to ``nstar battles``."""

    figure_kind: str | None = figure_kind("battles")

    paths: tuple[str, ...] = argument(
        nargs=-1, required=True, metavar="VOTES…", shell_complete=complete_files
    )


def _load(given: BattlesOptions) -> "Votes":
    from nstar._api.inputs.reading import ReadSettings
    from nstar._api.inputs.votes import load_votes

    with reading_shown() as progress:
        reading = ReadSettings(options=given.options(progress))
        return load_votes(
            list(given.paths),
            reading,
            only=given.only,
            groups=tuple(dict.fromkeys((*given.cluster, *given.groups))),
            covariates=given.control,
        )


def _question(given: BattlesOptions) -> "BattlesQuestion":
    from nstar._verbs.battles import BattlesQuestion
    from nstar._verbs.verdict import Criteria

    return BattlesQuestion(
        ties=given.ties,
        cluster=given.cluster,
        control=given.control,
        position=given.position,
        prior=given.prior,
        anchor=given.anchor,
        adjust=given.adjust,
        planned=given.planned,
        criteria=Criteria(alpha=given.alpha, power=given.power),
        seed=given.seed,
    )


def _rate(votes: "Votes", ask: "BattlesQuestion", given: BattlesOptions) -> "Battles":
    from nstar._engine.work import Execution
    from nstar._verbs.battles import rate

    with log_ray_events():
        return rate(votes, ask, Execution(workers=given.workers, executor=given.executor))


@click.command(
    "battles",
    cls=Command,
    short_help=SUMMARIES["battles"],
    most_used=("only", "cluster", "control", "html", "format_"),
)
@takes(given=BattlesOptions)
def battles_command(given: BattlesOptions) -> None:
    """Rate models by votes: ratings, rank sets that hold at once, and votes still needed.

    VOTES is a table with two models and a winner in each row: an export of LMArena, FastChat,
    arena-hard or AlpacaEval, or your own CSV, JSON Lines or Parquet. Prompts, judges and sessions
    are found by their columns; what they would change is shown beside the answer, and --cluster
    makes it the answer.

    \b
    nstar battles votes.parquet
    nstar battles votes.csv --cluster prompt --control length --html votes.html
    """  # noqa: D301
    with reported_errors():
        ask = _question(given)
        result = _rate(_load(given), ask, given)
        emit(result, given, where=given.where)
        given.draw(result, where=given.where)
        given.write(result, where=given.where)
