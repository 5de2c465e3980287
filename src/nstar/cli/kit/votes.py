"""Options of every command that rates models by votes."""

import click

from nstar.cli.kit.params import Heading, group, option


@group
class VoteOptions:
    """Which votes count, how they come about, and how many are planned."""

    only: tuple[str, ...] = option(
        "--only",
        under=Heading.INPUT,
        multiple=True,
        metavar="COLUMN=VALUE",
        help="Only votes with this value: source=crowd.",
    )
    cluster: tuple[str, ...] = option(
        "--cluster",
        under=Heading.STATISTICS,
        multiple=True,
        metavar="GROUP",
        help="Groups of votes sampled from many: prompt, judge, or a column; at most two.",
    )
    prior: float = option(
        "--prior",
        under=Heading.STATISTICS,
        type=click.FloatRange(min=0),
        default=0.0,
        metavar="WEIGHT",
        help="Add a tie of this weight to each pair that met, to rate whoever won or lost all.",
    )
    planned: int | None = option(
        "--planned",
        under=Heading.STATISTICS,
        type=click.IntRange(min=1),
        metavar="N",
        help="Votes planned in all: the answer then holds at every look before and after.",
    )
