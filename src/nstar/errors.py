"""Everything nstar raises or warns about.

::

    Exception
    └── NstarError
        ├── ParameterError      (also a ValueError)  a number outside its domain
        │   ├── InfeasibleError  numbers that are each possible, but not together
        │   └── QuestionError    words that make no question: too many, too few, another unit
        ├── DataError           (also a ValueError)  results that cannot mean what they say
        │   └── ReadError        a log that cannot be read: file, line, value, mend
        └── ClusterError        machines that do not answer, or cannot do the work
    UserWarning
    └── NstarWarning
        └── DegenerateDataWarning  the data leave a quantity poorly determined
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Self

__all__ = [
    "ClusterError",
    "DataError",
    "DegenerateDataWarning",
    "InfeasibleError",
    "NstarError",
    "NstarWarning",
    "ParameterError",
    "QuestionError",
    "ReadError",
    "SeveralTasksError",
    "Speller",
    "arg",
    "by_interface",
    "fill_parameters",
    "spelling",
]


class Speller:
    """Spells the parameters in messages as Python does. Other interfaces override it."""

    is_python = True
    """Whether :func:`by_interface` chooses the text for Python users."""

    def spell(self, name: str, value: str | None) -> str:
        """Spell a parameter, with its value if there is one."""
        return name if value is None else f"{name}={_literal(value)}"


_SPELLER: ContextVar[Speller] = ContextVar("_SPELLER", default=Speller())  # noqa: B039 no state
"""Speller of the current interface."""


@contextmanager
def spelling(speller: Speller) -> Iterator[None]:
    """Use ``speller`` in every message that is written inside the block.

    Examples
    --------
    >>> class Shouting(Speller):
    ...     def spell(self, name, value):
    ...         return name.upper()
    >>> with spelling(Shouting()):
    ...     print(f"set {arg('strata')} or {arg('cluster')}")
    set STRATA or CLUSTER
    """
    token = _SPELLER.set(speller)
    try:
        yield
    finally:
        _SPELLER.reset(token)


def arg(name: str, value: object = None) -> str:
    """Spell a parameter, and optionally its value, as the current interface does.

    Examples
    --------
    >>> f"set {arg('strata')} or {arg('cluster', 'passage')}"
    'set strata or cluster="passage"'
    """
    return _SPELLER.get().spell(name, None if value is None else str(value))


def by_interface(*, python: str, command: str) -> str:
    """Choose the text for Python users or the text for the command line.

    Examples
    --------
    >>> f"write {by_interface(python='0.01', command='1pp or 0.01')}"
    'write 0.01'
    """
    return python if _SPELLER.get().is_python else command


class _TemplateFields(dict[str, str]):
    """The fields of a template: each key is a parameter, or a parameter and its value."""

    def __missing__(self, key: str) -> str:
        name, separator, value = key.partition("=")
        return arg(name, value if separator else None)


def fill_parameters(template: str) -> str:
    """Spell the parameters of a constant message as the current interface does.

    Examples
    --------
    >>> fill_parameters("set {errors=missing}, or omit {tasks}")
    'set errors="missing", or omit tasks'
    """
    return template.format_map(_TemplateFields())


def _literal(value: str) -> str:
    """A number, a string, or of ``item=qid`` a dictionary."""
    part, sign, rest = value.partition("=")
    if sign:
        return f'{{"{part}": {_literal(rest)}}}'
    if value == "N":  # stands for a number
        return value
    try:
        float(value)
    except ValueError:
        return f'"{value}"' if value.isprintable() and '"' not in value else repr(value)
    return value


class NstarError(Exception):
    """Base of every error that nstar raises on purpose."""

    def within(self, where: str) -> Self:
        """The same error about a part, such as a task or a file."""
        return type(self)(f"{where}: {self}")


class ParameterError(NstarError, ValueError):
    """A parameter lies outside its domain; the message names it, the range and the value."""


class InfeasibleError(ParameterError):
    """Parameters that no joint distribution can have; the message gives the feasible range."""


class QuestionError(ParameterError):
    """Words that make no question: two that exclude each other, one missing, another unit.

    On the command line it is wrong usage, exit status 2.
    """


class DataError(NstarError, ValueError):
    """Results that cannot mean what they say; the message names the column or the item."""


class SeveralTasksError(NstarError, AttributeError):
    """An attribute of one task was read from a result of several tasks."""


class ReadError(DataError):
    """A log that cannot be read; the message names the file, the line, the value, the mend."""


class ClusterError(NstarError):
    """Machines that do not answer, have other versions, or failed too often at one job."""


class NstarWarning(UserWarning):
    """Base of every warning that nstar issues."""


class DegenerateDataWarning(NstarWarning):
    """The data leave a quantity poorly determined (one huge cluster, very few clusters …)."""
