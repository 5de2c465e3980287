"""Parse prices of tokens."""

from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

from nstar.errors import ParameterError, arg

if TYPE_CHECKING:
    from nstar._verbs.budget.prices import Price


def _price(value: Any) -> "Price":
    """Parse ``"3/15"``, ``(3, 15)``, or one number for tokens in and out."""
    from nstar._verbs.budget.prices import Price

    if isinstance(value, Price):
        return value
    if isinstance(value, str | int | float):
        return Price.parse(str(value))
    if _is_pair(value):
        return Price(input=float(value[0]), output=float(value[1]))
    msg = (
        f"{arg('price')} must be the prices of a million input and output tokens, such as (3, "
        f"15); got {value!r}"
    )
    raise ParameterError(msg)


def _is_pair(value: Any) -> bool:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    return all(isinstance(number, Real) for number in value)


def read_prices(price: Any) -> "dict[str, Price]":
    """Return prices by model, with ``*`` for all other models.

    Parameters
    ----------
    price : object
        A price: ``"3/15"``, ``(3, 15)``, or one number for tokens in and out. Or a mapping from
        models to prices.

    Examples
    --------
    >>> read_prices({"acme/model": (3, 15)})
    {'acme/model': Price(input=3.0, output=15.0)}
    >>> read_prices(2)["*"]
    Price(input=2.0, output=2.0)
    """
    if price is None:
        return {}
    if isinstance(price, Mapping):
        return {str(model): _price(value) for model, value in price.items()}
    return {"*": _price(price)}
