"""Everything nstar raises or warns about.

::

    Exception
    └── NstarError
        ├── ParameterError      (also a ValueError)  a number outside its domain
        │   └── InfeasibleError  numbers that are each possible, but not together
        ├── DataError           (also a ValueError)  results that cannot mean what they say
        │   └── ReadError        a log that cannot be read: file, line, value, mend
        └── ClusterError        machines that do not answer, or cannot do the work
    UserWarning
    └── NstarWarning
        ├── DegenerateDataWarning  the data leave a quantity poorly determined
        └── NstarDeprecationWarning  (also a DeprecationWarning)  goes away in a later version
"""

__all__ = [
    "ClusterError",
    "DataError",
    "DegenerateDataWarning",
    "InfeasibleError",
    "NstarDeprecationWarning",
    "NstarError",
    "NstarWarning",
    "ParameterError",
    "ReadError",
]


class NstarError(Exception):
    """Base of every error that nstar raises on purpose."""


class ParameterError(NstarError, ValueError):
    """A parameter lies outside its domain; the message names it, the range and the value."""


class InfeasibleError(ParameterError):
    """Parameters that no joint distribution can have; the message gives the feasible range."""


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
