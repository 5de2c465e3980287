"""``--max`` and ``--follow-links``: doors that are closed to logs unless the user opens them."""

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from nstar._data.limits import Limits

_NAMES = ("rows", "columns", "names", "cells", "unpacked", "kept")
_AMOUNT = re.compile(r"(\d[\d_,]*(?:\.\d+)?(?:e\d{1,2})?)\s*([kmgt]?)(i?b)?", re.IGNORECASE)


def _amount(text: str) -> int | None:
    """A number such as 20000000, 2e7, 20M or 2GiB; None for anything else.

    Examples
    --------
    >>> _amount("2e7"), _amount("1.5k"), _amount("2GiB"), _amount("many")
    (20000000, 1500, 2147483648, None)
    """
    found = _AMOUNT.fullmatch(text.strip())
    if found is None:
        return None
    base = 1024 if (found[3] or "").lower() == "ib" else 1000
    power = " kmgt".index(found[2].lower() or " ")
    return round(float(found[1].replace("_", "").replace(",", "")) * base**power)


def _parsed(
    ctx: click.Context, param: click.Parameter, values: Sequence[str]
) -> tuple[tuple[str, int], ...]:
    pairs = []
    for value in values:
        name, _, text = re.sub(r"[=:]", "=", value, count=1).partition("=")
        amount = _amount(text)
        if name.strip() not in _NAMES or not amount:
            known = ", ".join(_NAMES)
            msg = f"{value!r} is not NAME=NUMBER, such as rows=50M; names are {known}"
            raise click.BadParameter(msg, ctx, param)
        pairs.append((name.strip(), amount))
    return tuple(pairs)


def limit_options() -> tuple[Callable[..., Any], ...]:
    """--max and --follow-links."""
    return (
        click.option(
            "--max",
            "most",
            multiple=True,
            callback=_parsed,
            metavar="NAME=NUMBER",
            help="Raise a limit for logs you trust: rows=50M, unpacked=2GiB.",
        ),
        click.option(
            "--follow-links",
            is_flag=True,
            help="Follow links that lead out of a folder.",
        ),
    )


def to_limits(given: Sequence[tuple[str, int]]) -> "Limits":
    """The limits with those that the user raised."""
    from nstar._data.limits import Limits

    raised: dict[str, Any] = dict(given)
    return Limits(**raised)
