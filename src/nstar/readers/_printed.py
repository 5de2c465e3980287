"""Read files of a reported table, and of the items of its columns."""

from pathlib import PurePath

from nstar.errors import ReadError
from nstar.readers._delimited import Separated, separated
from nstar.readers._files import Place
from nstar.readers._read_errors import in_words, reading

_MAX_FILE_BYTES = 4 << 20
"""Maximum size of a file in bytes."""


def rows_of(path: str, subject: str) -> Separated:
    """Read a small CSV or TSV file, with the line number of each row."""
    place = Place(path)
    suffix = PurePath(place.name).suffix.lower()
    if suffix not in (".csv", ".tsv"):
        msg = f"{place}: {subject} must be a .csv or .tsv file."
        raise ReadError(msg)
    with reading(place), place.open() as file:
        content = file.read(_MAX_FILE_BYTES + 1)
    if len(content) > _MAX_FILE_BYTES:
        msg = (
            f"{place}: the file is larger than {in_words(_MAX_FILE_BYTES)}, the limit for "
            f"{subject}."
        )
        raise ReadError(msg)
    head = content.split(b"\n", 1)[0]
    comma = ";" if b";" in head and b"," not in head else ","
    return separated(str(place), content, "\t" if suffix == ".tsv" else comma)
