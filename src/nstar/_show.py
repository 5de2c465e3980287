"""Results that can show themselves: ``print(result)``, and in a notebook.

The one call upwards in the house: a result asks the report floor for words, by name and only
when somebody looks.
"""

from importlib import import_module

__all__ = ["Shown"]


class Shown:
    """A result that prints as its report."""

    __slots__ = ()

    def __str__(self) -> str:
        """The report as plain text."""
        return str(import_module("nstar.report").render(self, "text")).rstrip()

    def __repr__(self) -> str:
        """The first sentence of the report."""
        document = import_module("nstar.report").document(self)
        return f"<{type(self).__name__}: {document.headline}>"

    def _repr_html_(self) -> str:
        """The report for a notebook; names from logs are escaped."""
        return str(import_module("nstar.report").render(self, "html"))
