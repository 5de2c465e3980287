"""Split one array out of a JSON document that is too large for memory.

Only the structure around the elements is parsed. The decoder checks the elements.
"""

from collections.abc import Iterable, Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from nstar._base.types import IntArray
from nstar.errors import ReadError
from nstar.readers._decode import BadJSON, Decoder, snippet
from nstar.readers._files import Place
from nstar.readers._read_errors import in_words

_Bytes: TypeAlias = npt.NDArray[np.uint8]
_Token: TypeAlias = tuple[int, int, int]
"""Position in the document, byte, and depth. The depth of a bracket is that outside its pair."""

QUOTE, COMMA, COLON, ARRAY, ARRAY_END, OBJECT = b'",:[]{'
_BACKSLASH = ord("\\")
_STRUCTURE = bytes(1 if c in b'",:[]{}' else 0 for c in range(256))
_DEPTH_STEP = bytes(1 if c in b"[{" else 255 if c in b"]}" else 0 for c in range(256))
"""Change of depth at each byte; 255 is -1 as int8."""


class _Scanner:
    """Scanner of the structure of a document that arrives in pieces.

    Strings, escapes, and depth are tracked by cumulative sums in numpy, so that scanning a large
    document costs little more than reading it. Nothing is checked: text that is not JSON gives
    arbitrary tokens, and the decoder of the parts reports the error.

    Tokens are reported up to a given depth. At the next depth, only commas are reported.

    >>> scanner = _Scanner(0)
    >>> [(at, chr(byte)) for at, byte, _ in scanner.scan(b'[{"a": [1, 2]}, "]"]')]
    [(0, '['), (14, ','), (19, ']')]
    """

    def __init__(self, depth: int) -> None:
        self._wanted = depth
        self._depth = 0
        self._in_string = np.uint8(0)
        self._escaped = False
        self._offset = 0

    def scan(self, piece: bytes) -> Iterator[_Token]:
        """Return the tokens of the next piece."""
        array = np.frombuffer(piece, np.uint8)
        marks = np.frombuffer(piece.translate(_STRUCTURE), np.bool_).copy()
        marks[self._escaped_bytes(array)] = False
        at = np.flatnonzero(marks)
        at, byte = self._outside(at, array[at])
        step = np.frombuffer(byte.tobytes().translate(_DEPTH_STEP), np.int8)
        depth = np.cumsum(step, dtype=np.int64)
        max_depth = self._wanted - self._depth  # counted from the start of the piece
        self._depth += int(depth[-1]) if depth.size else 0
        depth -= step > 0
        shallow = np.flatnonzero(depth <= max_depth + (byte == COMMA))
        where = (at[shallow] + self._offset).tolist()
        depths = (depth[shallow] + (self._wanted - max_depth)).tolist()
        self._offset += len(piece)
        return zip(where, byte[shallow].tolist(), depths, strict=True)

    def _escaped_bytes(self, array: _Bytes) -> IntArray:
        """Return the positions of escaped bytes.

        In a row of backslashes, every second one is escaped.
        """
        slash = np.flatnonzero(array == _BACKSLASH)
        if self._escaped:
            slash = np.concatenate(([-1], slash))
        if not slash.size:
            return slash
        order = np.arange(slash.size)
        row_begins = np.diff(slash, prepend=-9) != 1
        in_row = order - np.maximum.accumulate(np.where(row_begins, order, 0))
        escaped = slash[in_row & 1 == 0] + 1
        self._escaped = bool(escaped[-1] == array.size)
        return escaped[:-1] if self._escaped else escaped

    def _outside(self, at: IntArray, byte: _Bytes) -> tuple[IntArray, _Bytes]:
        """Return the tokens outside strings, including the quotes of strings."""
        quote = byte == QUOTE
        inside = np.bitwise_xor.accumulate(quote.view(np.uint8)) ^ self._in_string
        if inside.size:
            self._in_string = inside[-1]
        positions = np.flatnonzero(quote | (inside == 0))
        return at[positions], byte[positions]


_PIECE = 1 << 20
"""Number of bytes scanned at a time."""

_STRING = Decoder[str](str)

_WORDS = {OBJECT: "an object", ARRAY: "an array", QUOTE: "a string"}
_WORDS |= dict.fromkeys(b"-0123456789", "a number")
_WORDS |= dict.fromkeys(b"tf", "true or false") | {ord("n"): "null"}


class JsonArraySplitter:
    """Splitter of a document into the elements of one array and the document around it.

    ``key`` is the path to the array, such as ``"results.results"``, or None if the document is the
    array. ``cap`` limits the bytes in one element, and in the document without the array.

    >>> list(
    ...     JsonArraySplitter(Place("x"), "a", cap=99).elements(
    ...         [b'{"b": [0], "a": [1, [2]', b", 3]}"]
    ...     )
    ... )
    [b'1', b' [2]', b' 3']
    """

    def __init__(self, place: Place, key: str | None, *, cap: int) -> None:
        self._place = place
        self._path = [] if key is None else key.split(".")
        self._cap = cap
        self._held: list[bytes] = []
        self._held_from = self._end = 0
        self._keep: int | None = 0  # start of the part of the document that is still needed
        self.problem = ""
        """Description of the problem with an element that was yielded as ``None``."""

    def elements(self, pieces: Iterable[bytes]) -> Iterator[bytes | None]:
        """Yield the text of each element, or ``None`` for an unreadable one; see ``problem``."""
        source = self._opened(pieces)
        tokens = self._tokens(source)
        begin = self._find(tokens)
        if begin is None:
            return
        start = self._keep = begin + 1
        for at, byte, depth in tokens:  # commas between elements, and the end of the array
            element = self._text(start, at)
            closes = depth == len(self._path)
            if element is None:
                self.problem = f"is longer than {in_words(self._cap)}"
            if not closes or start > begin + 1 or element is None or element.strip():
                yield element
            start = self._keep = at + 1
            if closes:
                self._refuse_more(byte, self._text(start, self._end) or b"", source)
                self._refuse_second(tokens)
                return
        self.problem = "is truncated: the file ends in the middle of it"
        yield None

    def rest(self, pieces: Iterable[bytes]) -> bytes:
        """Return the document with the array emptied."""
        record = _TeeBuffer(self._place, self._opened(pieces), self._cap)
        tokens = self._tokens(iter(record))
        begin = self._find(tokens)
        if begin is None:
            return record.all()
        self._keep = None
        record.pause(begin + 1)
        for at, _, depth in tokens:
            if depth == len(self._path):
                record.resume(at)
                return record.all()
        msg = f"{self._place}: the file ends in the middle of an array. Is it truncated?"
        raise ReadError(msg)

    def _opened(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        """Yield small pieces of the document from its first bracket on; check that bracket."""
        opener = OBJECT if self._path else ARRAY
        small = (p[i : i + _PIECE] for p in pieces for i in range(0, len(p), _PIECE))
        first = next(filter(None, map(bytes.lstrip, small)), b"")
        if not first:
            msg = f"{self._place}: the file is empty."
            raise ReadError(msg)
        if first[0] != opener:
            token_name = _WORDS.get(first[0], "no JSON")
            msg = f"{self._place}: expected {_WORDS[opener]}, found {token_name}: {snippet(first)}"
            raise ReadError(msg)
        yield first
        yield from small

    def _tokens(self, pieces: Iterator[bytes]) -> Iterator[_Token]:
        """Yield the tokens of the structure around the array and between its elements."""
        scanner = _Scanner(len(self._path))
        for piece in pieces:
            keep = self._end if self._keep is None else self._keep
            if self._end - keep > self._cap:
                keep = self._end
            if keep == self._end:
                self._held = []
            elif keep > self._held_from:
                self._held = [b"".join(self._held)[keep - self._held_from :]]
            self._held.append(piece)
            self._held_from = keep
            self._end += len(piece)
            yield from scanner.scan(piece)

    def _text(self, start: int, end: int) -> bytes | None:
        """Return a part of the document, or ``None`` if it is too long for memory."""
        if start < self._held_from or end - start > self._cap:
            return None
        if len(self._held) > 1:
            self._held = [b"".join(self._held)]
        return self._held[0][start - self._held_from : end - self._held_from]

    def _find(self, tokens: Iterator[_Token]) -> int | None:
        """Return the position at which the array opens; ``None`` without such a key."""
        at, byte, _ = next(tokens)
        for level, name in enumerate(self._path, 1):
            if byte != OBJECT:
                return None
            colon = self._colon(tokens, level, name)
            if colon is None:
                return None
            self._keep = colon
            at, byte, _ = next(tokens, (-1, 0, 0))
            if level == len(self._path):
                return self._array(colon + 1, at, byte)
        return at

    def _colon(self, tokens: Iterator[_Token], level: int, name: str) -> int | None:
        """Return the start of the value of a key at this level; ``None`` without it."""
        opened = closed = -1
        in_string = False
        for at, byte, depth in tokens:
            if byte == QUOTE:
                in_string = not in_string
                if in_string:
                    opened = self._keep = at
                else:
                    closed = at + 1
                continue
            if byte == COLON and depth == level and self._spells(opened, closed, name):
                return at
            if depth < level:
                return None
            self._keep = None
        raise self._cut_off()

    def _cut_off(self) -> ReadError:
        return ReadError(f"{self._place}: the document is incomplete. Is the file truncated?")

    def _spells(self, start: int, end: int, name: str) -> bool:
        text = self._text(start, end)
        try:
            return text is not None and _STRING(text) == name
        except BadJSON:
            return False

    def _array(self, start: int, at: int, byte: int) -> int | None:
        """Return the bracket that opens the requested array; ``None`` if the value is null."""
        if byte == ARRAY:
            return at
        text = (self._text(start, self._end) or b"").strip()
        if not text:
            raise self._cut_off()
        if text.startswith(b"null"):
            return None
        key, token_name = ".".join(self._path), _WORDS.get(text[0], "no JSON")
        msg = f"{self._place}: {key} must be an array; found {token_name}: {snippet(text)}"
        raise ReadError(msg)

    def _refuse_more(self, closer: int, rest: bytes, pieces: Iterator[bytes]) -> None:
        """Raise an error unless the array is closed by its own bracket and the document ends."""
        if closer != ARRAY_END:
            msg = (
                f"{self._place}: an array ends with {chr(closer)}, so the file is damaged. Copy "
                "or write it again."
            )
            raise ReadError(msg)
        while not self._path:
            if rest.strip():
                msg = f"{self._place}: unexpected text after the end of the array: {snippet(rest)}"
                raise ReadError(msg)
            piece = next(pieces, None)
            if piece is None:
                return
            rest = piece

    def _refuse_second(self, tokens: Iterator[_Token]) -> None:
        """Raise an error if the object has the key of the array twice."""
        if not self._path:
            return
        try:
            second = self._colon(tokens, len(self._path), self._path[-1])
        except ReadError:  # the document is cut off after the array, which is complete
            return
        if second is not None:
            key = ".".join(self._path)
            msg = (
                f"{self._place}: the key {key!r} is repeated, and programs differ "
                "about which value counts. Remove one of the two."
            )
            raise ReadError(msg)


class _TeeBuffer:
    """Iterator over pieces of a document that keeps a copy, except while it is paused."""

    def __init__(self, place: Place, pieces: Iterable[bytes], cap: int) -> None:
        self._place = place
        self._pieces = iter(pieces)
        self._cap = cap
        self._kept: list[bytes] = []
        self._last = b""
        self._end = 0
        self._paused = False

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self._last = piece
            self._end += len(piece)
            if not self._paused:
                self._add(piece)
            yield piece

    def _add(self, text: bytes) -> None:
        self._kept.append(text)
        self._cap -= len(text)
        if self._cap < 0:
            msg = f"{self._place}: the document is too large even without its array of samples."
            raise ReadError(msg)

    def pause(self, at: int) -> None:
        """Stop keeping the document at this position."""
        self._kept = [b"".join(self._kept)[:at]]
        self._paused = True

    def resume(self, at: int) -> None:
        """Keep the document again from this position of the latest piece."""
        self._paused = False
        self._add(self._last[at - self._end :])

    def all(self) -> bytes:
        """Return the part that was kept, and the document to its end."""
        for _ in self:
            pass
        return b"".join(self._kept)
