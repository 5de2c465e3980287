"""Components of live screens."""

from rich.table import Table
from rich.text import Text

from nstar.report.formats.text import unheard


def harmless(content: str, style: str = "") -> Text:
    """Return text that neither rich nor a workflow runner interprets."""
    return Text(unheard(content), style)


class LabeledRows:
    """Lines of a label and what belongs to it, none of it read as rich's markup."""

    def __init__(self) -> None:
        self.table = Table.grid(padding=(0, 2))

    def add(self, label: str, content: str, style: str = "") -> None:
        """One more line."""
        self.table.add_row(Text(label), harmless(content, style))
