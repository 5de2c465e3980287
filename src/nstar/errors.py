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
        ├── DegenerateDataWarning  the data leave a quantity poorly determined
        └── NstarDeprecationWarning  (also a DeprecationWarning)  goes away in a later version
"""

import re
from collections.abc import Callable
from typing import Self

__all__ = [
    "ClusterError",
    "DataError",
    "DegenerateDataWarning",
    "InfeasibleError",
    "NstarDeprecationWarning",
    "NstarError",
    "NstarWarning",
    "ParameterError",
    "QuestionError",
    "ReadError",
    "arg",
    "named",
    "spelled",
    "worded",
]

_ARG = re.compile("\ufdd0([^\ufdd0\ufdd1\ufdd2]*)(?:\ufdd2([^\ufdd0\ufdd1]*))?\ufdd1")
"""A parameter in a message: characters that Unicode keeps out of texts hold it."""
_WORDED = re.compile("\ufdd3([^\ufdd3-\ufdd5]*)\ufdd4([^\ufdd3-\ufdd5]*)\ufdd5")
"""Words for Python users and for the command line, likewise."""


def arg(name: str, value: object = None) -> str:
    """A parameter in a message, if wanted with a value; whoever shows it knows how it is spelled.

    Examples
    --------
    >>> error = ParameterError(f"give {arg('strata')} or {arg('cluster', 'passage')}")
    >>> print(error)
    give strata or cluster="passage"
    >>> error.told(lambda name: f"--{name}")
    'give --strata or --cluster passage'
    """
    return f"\ufdd0{name}\ufdd1" if value is None else f"\ufdd0{name}\ufdd2{value}\ufdd1"


def worded(*, python: str, command: str) -> str:
    """A part of a message that is another one for Python users than on the command line.

    Examples
    --------
    >>> error = ParameterError(f"write {worded(python='0.01', command='1pp or 0.01')}")
    >>> print(error)
    write 0.01
    >>> error.told(lambda name: f"--{name}")
    'write 1pp or 0.01'
    """
    return f"\ufdd3{python}\ufdd4{command}\ufdd5"


def named(text: str) -> list[str]:
    """The parameters that a message names."""
    return [found[1] for found in _ARG.finditer(text)]


def spelled(text: str, flag: Callable[[str], str] | None = None) -> str:
    """A message with its parameters as Python spells them, or as flags of the command line."""
    text = _WORDED.sub(lambda found: found[1 if flag is None else 2], text)

    def one(found: re.Match[str]) -> str:
        name, value = found[1], found[2]
        if flag is not None:
            return flag(name) if value is None else f"{flag(name)} {value}"
        return name if value is None else f"{name}={_literal(value)}"

    return _ARG.sub(one, text)


def _literal(value: str) -> str:
    """A number, a string, or of ``item=qid`` a dictionary."""
    part, sign, rest = value.partition("=")
    if sign:
        return f'{{"{part}": {_literal(rest)}}}'
    try:
        float(value)
    except ValueError:
        return f'"{value}"' if value.isprintable() and '"' not in value else repr(value)
    return value


class NstarError(Exception):
    """Base of every error that nstar raises on purpose."""

    def __str__(self) -> str:
        """The message, with parameters as Python spells them."""
        return spelled(super().__str__())

    def within(self, where: str) -> Self:
        """The same error about a part, such as a task or a file."""
        return type(self)(f"{where}: {self.args[0]}")

    def told(self, flag: Callable[[str], str]) -> str:
        """The message, with parameters as ``flag`` spells them."""
        return spelled(super().__str__(), flag)


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


class ReadError(DataError):
    """A log that cannot be read; the message names the file, the line, the value, the mend."""


class ClusterError(NstarError):
    """Machines that do not answer, have other versions, or failed too often at one job."""


class NstarWarning(UserWarning):
    """Base of every warning that nstar issues."""


class DegenerateDataWarning(NstarWarning):
    """The data leave a quantity poorly determined (one huge cluster, very few clusters …)."""


class NstarDeprecationWarning(NstarWarning, DeprecationWarning):
    """What goes away in a later version; the message names the version and what to use."""
