"""Everything nstar raises or warns about.

::

    Exception
    └── NstarError
        └── ParameterError      (also a ValueError)  a number outside its domain
            └── InfeasibleError  numbers that are each possible, but not together
    UserWarning
    └── NstarWarning
        └── DegenerateDataWarning  the data leave a quantity poorly determined
"""

__all__ = [
    "DegenerateDataWarning",
    "InfeasibleError",
    "NstarError",
    "NstarWarning",
    "ParameterError",
]


class NstarError(Exception):
    """Base of every error that nstar raises on purpose."""


class ParameterError(NstarError, ValueError):
    """A parameter lies outside its domain; the message names it, the range and the value."""


class InfeasibleError(ParameterError):
    """Parameters that no joint distribution can have; the message gives the feasible range."""


class NstarWarning(UserWarning):
    """Base of every warning that nstar issues."""


class DegenerateDataWarning(NstarWarning):
    """The data leave a quantity poorly determined (one huge cluster, very few clusters …)."""
