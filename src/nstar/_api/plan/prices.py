"""Prices of tokens, as people give them."""

from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nstar.errors import DataError, ParameterError, arg

if TYPE_CHECKING:
    from nstar._verbs.budget.prices import Price


def _of_file(path: Path) -> "dict[str, Price]":
    """``"acme/model" = "3/15"``, a line each."""
    import tomllib

    try:
        given = tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        msg = f"{path}: no price table: {error}"
        raise DataError(msg) from error
    for model, value in given.items():
        if not isinstance(value, str | int | float) or isinstance(value, bool):
            msg = f'{path}: price of {model!r} must be a line such as "{model}" = "3/15"'
            raise DataError(msg)
    return {model: _price(value) for model, value in given.items()}


def _price(value: Any) -> "Price":
    """``"3/15"``, ``(3, 15)``, or one number for tokens in and out."""
    from nstar._verbs.budget.prices import Price

    if isinstance(value, Price):
        return value
    if isinstance(value, str | int | float):
        return Price.parse(str(value))
    if _is_pair(value):
        return Price(input=float(value[0]), output=float(value[1]))
    msg = f"{arg('price')} must be money per million tokens in and out, (3, 15); got {value!r}"
    raise ParameterError(msg)


def _is_pair(value: Any) -> bool:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    return all(isinstance(number, Real) for number in value)


def _of_text(text: str) -> "dict[str, Price]":
    """``MODEL=IN/OUT``, ``IN/OUT`` for all models, or the name of a TOML file."""
    if text.lower().endswith(".toml"):
        return _of_file(Path(text))
    model, sign, price = text.rpartition("=")
    return {model if sign else "*": _price(price)}


def read_prices(price: Any) -> "dict[str, Price]":
    """Prices by model, ``*`` for all others; of several for one model the last counts.

    Parameters
    ----------
    price
        A price: ``"3/15"``, ``(3, 15)``, or one number for tokens in and out. A mapping of
        prices by model. Lines such as ``"MODEL=3/15"``, or the name of a TOML file of them.

    Examples
    --------
    >>> read_prices({"acme/model": (3, 15)})
    {'acme/model': Price(input=3.0, output=15.0)}
    >>> read_prices(["acme/model=3/15", "2"])["*"]
    Price(input=2.0, output=2.0)
    """
    if price is None:
        return {}
    if isinstance(price, Mapping):
        return {str(model): _price(value) for model, value in price.items()}
    if isinstance(price, str | Path):
        return _of_text(str(price))
    if isinstance(price, list | tuple) and not _is_pair(price):
        found: dict[str, Price] = {}
        for text in price:
            found |= read_prices(text)
        return found
    return {"*": _price(price)}
