"""Stream JSON logs: lines, the elements of one array, and the document around the array."""

from collections.abc import Iterable, Iterator
from typing import Any, TypeVar, get_origin

from nstar._data.read_limits import Limits
from nstar.errors import ReadError
from nstar.readers._base import Journal
from nstar.readers._decode import MARKS, SMALL, WHOLE, BadJSON, Decoder
from nstar.readers._doubled_keys import BOM, DoubledKeys
from nstar.readers._files import Place
from nstar.readers._json_array_splitter import JsonArraySplitter
from nstar.readers._read_errors import UNFINISHED, in_words
from nstar.readers._stream import LogStream, stream

T = TypeVar("T")

CAP = 64 << 20
"""Maximum number of bytes in a line, an element, or the document around an array."""

_WIDE = (b"\xff\xfe", b"\xfe\xff")


def json_lines(place: Place, kind: type[T], journal: Journal) -> Iterator[tuple[int, T]]:
    """Yield the values of a file with one JSON value per line.

    Parameters
    ----------
    place : Place
        The file. Gzip and zstd are recognized.
    kind : type
        Type of a value, as for msgspec.
    journal : Journal
        Records lines that cannot be read.

    Yields
    ------
    tuple
        Line number, starting at 1, and the value. Empty lines are skipped.
    """
    decoder = Decoder[T](kind)
    decode, doubled = decoder.strict, DoubledKeys().problem
    with stream(place, journal.options.progress, journal.options.limits) as pieces:
        for number, line in _lines(place, pieces, journal):
            text = bytes(line)
            if len(text) > SMALL:
                try:
                    decoder.refuse_swarm(text)
                except BadJSON as bad:
                    journal.bad_row(place, number, f"line {bad}")
                    continue
            if problem := doubled(text):
                journal.bad_row(place, number, f"line {problem}")
                continue
            try:
                value = decode(text)
            except Exception as error:
                if not text or text.isspace():
                    continue
                try:
                    value = decoder.mend(text, error)
                except BadJSON as bad:
                    journal.bad_row(place, number, f"line {bad}")
                    continue
            yield number, value


def _lines(
    place: Place, pieces: LogStream, journal: Journal
) -> Iterator[tuple[int, bytes | memoryview]]:
    """Yield lines with their numbers. For a line above the limit, yield only the number."""
    number = 0
    pieces_of_line: list[bytes] = []  # parts of a line that spans several pieces
    length = 0
    for piece in _text(place, pieces):
        end = piece.find(b"\n")
        known = length > CAP
        length += len(piece) if end < 0 else end
        if length <= CAP:
            pieces_of_line.append(piece if end < 0 else piece[:end])
        elif not known:
            pieces_of_line.clear()
            problem = f"line is longer than {in_words(CAP)}. Is this file JSON Lines?"
            journal.bad_row(place, number + 1, problem)
        if end < 0:
            continue
        number += 1
        if length <= CAP:
            yield number, b"".join(pieces_of_line)
        for line in _inner_lines(piece, end + 1):
            number += 1
            yield number, line
        rest = piece[piece.rfind(b"\n") + 1 :]
        pieces_of_line, length = [rest], len(rest)
    if 0 < length <= CAP and not pieces.growing:
        yield from _last_line(place, number + 1, b"".join(pieces_of_line), journal)


def _last_line(
    place: Place, number: int, line: bytes, journal: Journal
) -> Iterator[tuple[int, bytes | memoryview]]:
    """Yield a last line without a line end, unless it is still being written."""
    is_complete = line.rstrip().endswith(b"}") and Decoder[Any](Any).reads(line)
    if is_complete or not journal.options.growing:
        yield number, line
    elif line.strip():
        journal.notes.append(f"{place}: {UNFINISHED}")


def _inner_lines(piece: bytes, start: int) -> Iterator[memoryview]:
    """Yield the lines that end in a piece, without copying them."""
    view, find = memoryview(piece), piece.find
    while (end := find(b"\n", start)) >= 0:
        yield view[start:end]
        start = end + 1


def _text(place: Place, pieces: LogStream) -> Iterator[bytes]:
    """Yield the pieces without a byte order mark; raise an error for UTF-16."""
    beginning = b""
    begun = False
    for piece in pieces:
        if begun:
            yield piece
            continue
        beginning += piece
        if len(beginning) >= 4:
            begun = True
            yield _begin(place, beginning)
    if not begun and beginning:
        yield _begin(place, beginning)


def _begin(place: Place, head: bytes) -> bytes:
    if head.startswith(_WIDE) or b"\0" in head[:4]:
        msg = f"{place}: looks like UTF-16. Convert it with iconv -f UTF-16 -t UTF-8."
        raise ReadError(msg)
    return head.removeprefix(BOM)


def json_elements(
    place: Place, key: str | None, kind: type[T], journal: Journal
) -> Iterator[tuple[int, T]]:
    """Yield the elements of one array of a JSON document, with one in memory at a time.

    ``key`` is the path to the array, such as ``"results.results"``, or None if the document is the
    array. Elements are numbered from 1. Nothing is yielded if the key does not exist.
    """
    with stream(place, journal.options.progress, journal.options.limits) as pieces:
        yield from elements(place, _text(place, pieces), key, kind, journal)
        pieces.finish()


def elements(
    place: Place, pieces: Iterable[bytes], key: str | None, kind: type[T], journal: Journal
) -> Iterator[tuple[int, T]]:
    """Yield elements like :func:`json_elements`, from a document that arrives in pieces."""
    decoder = Decoder[T](kind)
    splitter = JsonArraySplitter(place, key, cap=CAP)
    for number, element in enumerate(splitter.elements(pieces), 1):
        if element is None:
            journal.bad_row(place, number, f"element {splitter.problem}")
            continue
        try:
            value = decoder(element)
        except BadJSON as bad:
            journal.bad_row(place, number, f"element {bad}")
            continue
        yield number, value


def json_skeleton(place: Place, key: str | None, kind: type[T], limits: Limits | None = None) -> T:
    """Return the document with the array at ``key`` emptied, which is the header of a log."""
    with stream(place, None, limits) as pieces:
        rest = JsonArraySplitter(place, key, cap=CAP).rest(_text(place, pieces))
    return _whole(place, rest, kind)


def json_document(place: Place, kind: type[T] = Any, *, cap: int = CAP) -> T:  # type: ignore[assignment]
    """Return the value of a JSON file of limited size. Gzip and zstd are recognized."""
    chunks: list[bytes] = []
    length = 0
    with stream(place) as pieces:
        for piece in _text(place, pieces):
            length += len(piece)
            if length > cap:
                msg = (
                    f"{place}: the file is larger than {in_words(cap)}, the limit for this kind "
                    "of file."
                )
                raise ReadError(msg)
            chunks.append(piece)
    return _whole(place, b"".join(chunks), kind)


def _whole(place: Place, data: bytes, kind: type[T]) -> T:
    if not data or data.isspace():
        msg = f"{place}: the file is empty."
        raise ReadError(msg)
    try:
        marks = MARKS if get_origin(kind) is list else WHOLE
        return Decoder[T](kind, marks=marks)(data)
    except BadJSON as bad:
        msg = f"{place}: document {bad}"
        raise ReadError(msg) from bad
