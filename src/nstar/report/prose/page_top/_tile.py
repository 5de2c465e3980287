"""One number in large type."""

from nstar.report.documents import Tile


def tile(text: str, label: str, explanation: str) -> Tile:
    """Return a tile of a number with its unit, such as ``3.6 pp``.

    Examples
    --------
    >>> tile("3.6 pp", "MDE", "").unit
    'pp'
    """
    number, _, unit = text.partition(" ")
    if unit.startswith("to "):  # a range
        end, _, unit = unit.removeprefix("to ").partition(" ")
        number = f"{number} to {end}"
    return Tile(number=number, unit=unit, label=label, more=explanation)
