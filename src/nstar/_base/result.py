"""Results that can show themselves: ``print(result)``, and in a notebook.

The one call upwards in the house: a result asks the report floor for words, by name and only
when somebody looks.
"""

from importlib import import_module

_LONGEST = 500
"""Characters of a report's beginning that stand for it."""


class Shown:
    """A result that prints as its report; its dataclass has ``repr=False``."""

    __slots__ = ()

    def __str__(self) -> str:
        """The report as plain text."""
        return str(import_module("nstar.report").render(self, "text")).rstrip()

    def __repr__(self) -> str:
        """How the report begins, in one line."""
        said = " ".join(str(import_module("nstar.report").document(self).headline).split())
        short = said if len(said) <= _LONGEST else said[: _LONGEST - 1] + "…"
        return f"<{type(self).__name__}: {short}>"

    def _repr_html_(self) -> str:
        """The report for a notebook; names from logs are escaped."""
        return str(import_module("nstar.report").render(self, "html"))
