"""Two sides of a comparison, as a command names them: ``[NAME=]PATH[::MODEL]``."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from nstar.cli.kit.progress import reading_shown
from nstar.cli.kit.reading import ReadingOptions, TaskSelection

if TYPE_CHECKING:
    from nstar._api.inputs.aligned_pair import AlignedPair
    from nstar._api.inputs.model_source import ModelSource

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")
"""What is hardly a path: no dot, slash, sign or pattern in it."""


def parse_sides(
    paths: Sequence[str], a: str | None, b: str | None
) -> "tuple[ModelSource, ModelSource]":
    """From the arguments of ``nstar compare`` to two sides."""
    from nstar._api.inputs.model_source import ModelSource, one_side

    if (a is None) != (b is None):
        msg = "--a and --b name the two models of one path; give both"
        raise click.UsageError(msg)
    if a is not None and b is not None:
        if len(paths) != 1:
            msg = "--a and --b go with one path; with two paths write PATH::MODEL"
            raise click.UsageError(msg)
        return ModelSource(data=paths[0], model=a), ModelSource(data=paths[0], model=b)
    if len(paths) == 2:
        return one_side(paths[0]), one_side(paths[1])
    if len(paths) == 1:
        alone = one_side(paths[0])
        if alone.label is not None:
            msg = f"{paths[0]} names one model of two; add the log of the other model"
            raise click.UsageError(msg)
        both = ModelSource(data=paths[0], choice=f"{paths[0]}::MODEL, or --a MODEL --b MODEL")
        return both, both
    msg = f"give two logs, or one with --a MODEL --b MODEL; got {len(paths)} paths"
    raise click.UsageError(msg)


def check_model_names(paths: Sequence[str]) -> None:
    """Raise UsageError for models without --a and --b: ``board.csv wren heron``."""
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


def load_sides(
    sides: "tuple[ModelSource, ModelSource]",
    reading: ReadingOptions,
    wanted: TaskSelection,
    *,
    named: bool = False,
    judged: tuple[str, str] | None = None,
) -> "AlignedPair":
    """Read both sides and bring them together by item.

    With ``named`` it matters which is which: two models of one path must both be named,
    ``PATH::MODEL``.
    """
    from nstar._api.inputs.aligned_pair import load_sides as load

    with reading_shown() as progress:
        return load(
            sides,
            reading.reading(progress),
            tasks=wanted.tasks,
            metric=wanted.metric,
            named=named,
            judged=judged,
        )
