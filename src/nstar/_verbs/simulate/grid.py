"""Cells of a simulation: one scenario with all combinations of its parameters."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from nstar._verbs.simulate.registry import Registry
from nstar._verbs.simulate.stream import key
from nstar.errors import ParameterError

_MOST_CELLS = 100_000
"""Maximum number of cells of one simulation. More are probably a mistake."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One scenario with values of all its parameters."""

    scenario: str
    """Name of the scenario."""
    items: int
    """Number of items of each replication."""
    parameters: dict[str, Any]
    """Values of all other parameters, by name."""
    unnamed: tuple[str, ...] = ()
    """Parameters that do not affect the random numbers."""
    _streams: dict[bool, int] = field(default_factory=dict, repr=False, compare=False)

    def stream(self, *, common: bool) -> int:
        """Return the key of the random numbers, which cells with these items may share."""
        if common not in self._streams:
            identity: dict[str, Any] = {"scenario": self.scenario, "items": self.items}
            named_parameters = {k: v for k, v in self.parameters.items() if k not in self.unnamed}
            own_identity = {} if common else {"parameters": named_parameters}
            self._streams[common] = key(identity | own_identity)
        return self._streams[common]


def cells(
    registry: Registry[Any],
    scenario: str,
    items: Sequence[int],
    values: Mapping[str, Sequence[Any]],
) -> tuple[Cell, ...]:
    """Return all combinations, with items varying slowest. Others have their defaults."""
    defaults = registry.parameters(scenario)
    unknown = [name for name in values if name not in defaults]
    if unknown:
        available = ", ".join(defaults) or "none"
        msg = f"Scenario {scenario} has no parameter {unknown[0]!r}. Available: {available}."
        raise ParameterError(msg)
    registry.check_numbers(scenario, values)
    if not items or any(n < 2 or n != int(n) for n in items):
        msg = f"items must be whole numbers of at least 2; got {list(items)!r}"
        raise ParameterError(msg)
    lists = {name: values.get(name, (default,)) for name, default in defaults.items()}
    count = len(items)
    for value_list in lists.values():
        count *= len(value_list)
    if not 0 < count <= _MOST_CELLS:
        msg = f"{count:,} cells are out of range. Simulate 1 to {_MOST_CELLS:,} cells."
        raise ParameterError(msg)
    later = getattr(registry[scenario], "later", ())

    def cell(n: int, chosen: tuple[Any, ...]) -> Cell:
        parameters = dict(zip(lists, chosen, strict=True))
        usual = tuple(name for name in later if parameters[name] == defaults[name])
        return Cell(scenario=scenario, items=int(n), parameters=parameters, unnamed=usual)

    return tuple(cell(n, chosen) for n in items for chosen in product(*lists.values()))
