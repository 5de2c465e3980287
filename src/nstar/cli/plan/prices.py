"""``--price``: what tokens cost, from the user; nstar ships no prices."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nstar._verbs.budget.prices import Price


def _of_file(path: Path) -> "dict[str, Price]":
    """``"acme/model" = "3/15"``, a line each."""
    import tomllib

    from nstar._verbs.budget.prices import Price
    from nstar.errors import DataError

    try:
        given = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        msg = f"{path}: no price table: {error}"
        raise DataError(msg) from error
    for model, value in given.items():
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            msg = f'{path}: price of {model!r} must be a line such as "{model}" = "3/15"'
            raise DataError(msg)
    return {model: Price.parse(str(value)) for model, value in given.items()}


def read_prices(values: Sequence[str]) -> "dict[str, Price]":
    """Prices by model; what comes later counts.

    Parameters
    ----------
    values
        ``MODEL=IN/OUT``, ``IN/OUT`` for all models, or the path of a TOML file.
    """
    from nstar._verbs.budget.prices import Price

    prices: dict[str, Price] = {}
    for value in values:
        if value.lower().endswith(".toml"):
            prices |= _of_file(Path(value))
            continue
        model, sign, price = value.rpartition("=")
        prices[model if sign else "*"] = Price.parse(price)
    return prices
