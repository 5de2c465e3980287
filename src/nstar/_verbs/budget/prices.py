"""Compute the cost of a run from logs: a cost column, or tokens times a price."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from nstar._base import checks
from nstar._base.types import Array
from nstar._verbs.runs.table import RunTable
from nstar.errors import DataError, ParameterError, arg
from nstar.stats import RunCosts

_MILLION = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Price:
    """Price per million tokens."""

    input: float
    """Price of input tokens, cached or not."""
    output: float
    """Price of output tokens, including reasoning."""

    def __post_init__(self) -> None:
        checks.nonnegative("price of input", self.input)
        checks.nonnegative("price of output", self.output)

    @classmethod
    def parse(cls, text: str) -> "Price":
        """Parse ``IN/OUT``, or one number for both.

        Examples
        --------
        >>> Price.parse("3/15")
        Price(input=3.0, output=15.0)
        """
        first, _, second = text.partition("/")
        try:
            numbers = float(first), float(second or first)
        except ValueError as error:
            msg = f"{text!r} is not a price. Use 3/15 (cost per million tokens, in and out)."
            raise ParameterError(msg) from error
        return cls(input=numbers[0], output=numbers[1])


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPrice:
    """Mean cost of one run of one model."""

    model: str
    """Name of the model."""
    cost: float
    """Cost per run of a task."""
    runs: int
    """Number of runs with a known cost."""
    of: int
    """Number of runs in the logs."""
    source: str
    """Source of the cost."""


def _of_tokens(table: RunTable, price: Price) -> Array:
    """Return the cost of each run from its tokens; NaN if unknown."""
    if price.input == price.output and table.tokens is not None:
        return table.tokens * (price.input / _MILLION)
    if table.tokens is None and table.input_tokens is None and table.output_tokens is None:
        msg = f"The logs of {table.model} record no tokens, so a price cannot be applied. Set "
        msg += f"{arg('cost_run')}."
        raise DataError(msg)
    if table.input_tokens is None or table.output_tokens is None:
        msg = (
            f"The logs of {table.model} do not separate input and output tokens, so "
            f"{price.input:g}/"
            f"{price.output:g} cannot be applied. Set one price for all tokens, or "
            f"{arg('cost_run')}."
        )
        raise DataError(msg)
    return (table.input_tokens * price.input + table.output_tokens * price.output) / _MILLION


def _price_for(model: str, prices: Mapping[str, Price]) -> Price | None:
    """Return the price by full name, by the last part of the name, or for all models (``*``)."""
    for name in (model, model.rpartition("/")[2], "*"):
        if name in prices:
            return prices[name]
    return None


def price_of_run(table: RunTable, prices: Mapping[str, Price] | None = None) -> RunPrice:
    """Return the mean cost of a run, from tokens and a price or from the cost column.

    ``table`` has the runs of one model, with costs or tokens. ``prices`` is the price of each
    model by name, or of the last part of its name; ``*`` for all others.

    Raise DataError if the logs contain neither costs nor, for a model with a price, tokens.
    """
    price = _price_for(table.model, prices or {})
    if price is not None:
        source = f"tokens × {price.input:g}/{price.output:g} per million"
        money: Array | None = _of_tokens(table, price)
    else:
        source, money = "cost in the logs", table.cost
    known = np.asarray([]) if money is None else money[~np.isnan(money)]
    if (known < 0).any():
        msg = f"The logs of {table.model} contain negative costs. Set {arg('cost_run')}."
        raise DataError(msg)
    if not known.size or not known.sum() > 0:
        msg = (
            f"The logs of {table.model} do not record the cost of a run. Set {arg('cost_run')}, "
            "or "
            f"{arg('price', f'{table.model}=IN/OUT')} if they record tokens."
        )
        raise DataError(msg)
    return RunPrice(
        model=table.model,
        cost=float(known.mean()),
        runs=known.size,
        of=max(int((~np.isnan(table.scores)).sum()), known.size),
        source=source,
    )


def log_costs(
    tables: Sequence[RunTable], prices: Mapping[str, Price] | None = None, *, task: float = 0.0
) -> RunCosts:
    """Return costs for a plan. A second model without logs costs as much as the first.

    >>> used = {"tokens": np.array([[1000.0, 3000.0]]), "scores": np.array([[1.0, 0.0]])}
    >>> a = RunTable(model="m", task="t", items=("q",), runs=("1", "2"), **used)
    >>> log_costs([a], {"m": Price.parse("5")}).run_b
    0.01
    """
    spent = [price_of_run(table, prices).cost for table in tables]
    return RunCosts(task=task, run_a=spent[0], run_b=spent[-1])
