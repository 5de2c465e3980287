"""Votes or scores? What a path holds, and which options go with that."""

from typing import Literal, TypeAlias

import click
from click.core import ParameterSource

from nstar.cli.kit.reading import refuse_judge
from nstar.cli.watch.logs import STDIN
from nstar.cli.watch.options import WatchOptions

WatchedKind: TypeAlias = Literal["scores", "race", "board", "pair"]
"""Scores of two models, of several; votes on all models; votes between two."""

_OF_SCORES = "is about scores per item, and these are votes"
_OF_TWO = "is about two models; name them with --a and --b"
_OF_VOTES = "is about votes between models; give --planned N with a table of them"
_NO_GROUPS = (
    "is about votes between models. Scores count item by item, and no log says when a group is "
    "complete. Shuffle the items, which tells the models apart on these groups; to speak of other "
    "groups like them, give one row per group with its mean score, groups in random order, and "
    "--scale graded"
)
_TWO = 2
_NO_STATE = "is not needed: the table holds every vote, and the answer follows from it alone"
_UNFIT: dict[WatchedKind, dict[str, str]] = {
    "scores": {**dict.fromkeys(("only", "prior"), _OF_VOTES), "cluster": _NO_GROUPS},
    "race": {
        **dict.fromkeys(("only", "prior"), _OF_VOTES),
        "cluster": _NO_GROUPS,
        **dict.fromkeys(("a", "b"), "is for two models, and --models for several; leave one out"),
        "equivalence": "is for two models; --margin alone ends a race once all are within it",
        "psi": "is for two models: a race bets without a plan",
        "power": "is for two models: a race drops a model when it can",
        "asymptotic": "is for two models: a race needs scores from 0 to 1",
        "state": "is not needed for a race: the logs hold every answer",
    },
    "board": {
        **dict.fromkeys(("margin", "equivalence", "scale", "psi", "price"), _OF_TWO),
        "figure_kind": _OF_TWO,
    },
    "pair": {
        "cluster": "is about a board: two models are watched by an e-process, which needs votes "
        "that are given independently. Leave out --a and --b",
        "prior": "is about a board; leave it out, or --a and --b",
    },
}
_UNFIT["board"]["models"] = _UNFIT["pair"]["models"] = _OF_SCORES
for _kind in ("board", "pair"):
    _UNFIT[_kind] |= dict.fromkeys(
        ("task", "metric", "errors", "runs", "lower_is_better"), _OF_SCORES
    )
    _UNFIT[_kind] |= {
        "items": "is about scores per item; of votes, give --planned N",
        "asymptotic": "is for scores without limits, and votes have some",
        "state": _NO_STATE,
    }


def votes_in(path: str) -> bool:
    """Whether a file is there and holds votes."""
    from nstar.errors import ReadError
    from nstar.readers.arena import kind_of_table

    try:
        return path != STDIN and kind_of_table(path) == "votes"
    except ReadError:
        return False


def refuse_unplanned(options: WatchOptions) -> None:
    """Raise if the path holds votes, whose number must be planned."""
    if len(options.paths) != 1 or not votes_in(options.paths[0]):
        return
    for name in ("items", "state"):
        _refuse("board", name)
    between = "" if options.a is None else f" between {options.a} and {options.b}"
    msg = (
        f"{options.paths[0]} holds votes: give --planned N, the votes{between} that you plan to "
        "collect. The answer then holds at every look"
    )
    raise click.UsageError(msg)


def kind_of(options: WatchOptions) -> WatchedKind:
    """What is watched; wrong usage if an option says nothing about that."""
    kind: WatchedKind = "scores"
    refuse_judge(options.columns, "a watch")
    if options.planned is None:
        refuse_unplanned(options)
        if races(options):
            kind = "race"
    else:
        _refuse_scores(options)
        kind = "board" if options.a is None and options.b is None else "pair"
    for name in _UNFIT[kind]:
        _refuse(kind, name)
    return kind


def races(options: WatchOptions) -> bool:
    """Whether more than two models are meant, as far as can be told now."""
    if options.models is not None or len(options.paths) > _TWO:
        return True
    path = options.paths[0]
    if len(options.paths) == _TWO or path == STDIN or options.a or options.b:
        return False
    return _more_than_two(path, options)


def _more_than_two(path: str, options: WatchOptions) -> bool:
    """Whether a table that is there holds more models than two."""
    from nstar.errors import NstarError
    from nstar.readers.follow import follow

    try:
        rows = follow(path, options.options(None)).poll()
    except NstarError:  # told again, and better, by who follows it
        return False
    return len({row.model for row in rows}) > _TWO


def _refuse_scores(options: WatchOptions) -> None:
    """Raise unless the paths may be one table of votes."""
    from nstar._base.address import is_address, without_secrets
    from nstar.errors import ReadError
    from nstar.readers.arena import kind_of_table

    path = options.paths[0]
    if len(options.paths) != 1 or path == STDIN:
        what = "standard input" if path == STDIN else "two logs"
        msg = f"--planned is about votes in one table; of scores from {what} give --items N"
        raise click.UsageError(msg)
    if is_address(path):
        msg = f"votes are watched in a table on this machine; {without_secrets(path)} is elsewhere"
        raise click.UsageError(msg)
    if (options.a is None) != (options.b is None) or (options.a and options.a == options.b):
        msg = "--a and --b name the two models whose votes are watched; give two names"
        raise click.UsageError(msg)
    try:
        scores = not options.columns and kind_of_table(path) == "scores"
    except ReadError:
        return
    if scores:
        msg = f"--planned is about votes, and {path} holds scores per item; give --items N"
        raise click.UsageError(msg)


def _refuse(kind: WatchedKind, name: str) -> None:
    """Raise if an option was given that says nothing about such data."""
    ctx = click.get_current_context()
    if ctx.get_parameter_source(name) in (None, ParameterSource.DEFAULT):
        return
    flags = next(p.opts for p in ctx.command.params if p.name == name)
    msg = f"{max(flags, key=len)} {_UNFIT[kind][name]}"
    raise click.UsageError(msg)
