"""Plain tables: files with rows, named columns, and a role for each column."""

# ruff: noqa: PLC0415 what reads one kind of file is loaded for such a file only
from collections.abc import Iterable

from nstar.errors import ReadError
from nstar.readers._base import Journal
from nstar.readers._files import Place
from nstar.readers._stream import text_head
from nstar.readers._tables._frame import Frame

__all__ = ["Frame", "form_of", "open_frame", "suffix_of"]

_STREAM_MARK = b"\xff\xff\xff\xff"
_PACKED = (".gz", ".zst", ".zstd")


def suffix_of(name: str) -> str:
    """Return the suffix of the format, without the suffix of the compression.

    Examples
    --------
    >>> suffix_of("Scores.CSV.gz"), suffix_of("scores")
    ('.csv', '')
    """
    name = name.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    stem, dot, ending = name.rpartition(".")
    return dot + ending if stem else ""


def form_of(head: bytes) -> str:
    """Detect the format from the first bytes: parquet, feather1, arrow, array, object, or text."""
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith(b"FEA1"):
        return "feather1"
    if head.startswith((b"ARROW1", _STREAM_MARK)):
        return "arrow"
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return {b"[": "array", b"{": "object"}.get(start, "text")


def open_frame(place: Place, journal: Journal, requested: Iterable[str] = ()) -> Frame:
    """Open a file as rows and columns. Nested fields can be ``requested`` as ``a.b``."""
    form = form_of(text_head(place, 4096))
    if form == "feather1":
        msg = (
            f"{place}: Feather version 1 is not supported. Write the table as Parquet or "
            "Feather version 2."
        )
        raise ReadError(msg)
    if form in {"parquet", "arrow"}:
        from nstar.readers._tables._arrow import IpcFrame, ParquetFrame

        return (
            ParquetFrame(place, journal, requested)
            if form == "parquet"
            else IpcFrame(place, journal)
        )
    if form in {"array", "object"}:
        from nstar.readers._tables._json import JsonFrame

        return JsonFrame(place, journal, requested, lines=form == "object")
    from nstar.readers._tables._csv import CsvFrame

    return CsvFrame(place, journal)
