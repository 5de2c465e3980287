"""Scanner: where a JSON document has its brackets, commas, colons and quotes, and how deep.

numpy finds them a piece at a time and follows strings, escapes and depth by cumulative sums,
so that a large document costs little more than reading it. Nothing is checked: text that is
no JSON gives some tokens or other, and the decoder of the parts will complain.
"""

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from nstar._base.types import IntArray

_Bytes: TypeAlias = npt.NDArray[np.uint8]
Token: TypeAlias = tuple[int, int, int]
"""Position in the document, byte, depth (of a bracket: that outside the pair)."""

QUOTE, COMMA, COLON, ARRAY, ARRAY_END, OBJECT = b'",:[]{'
_BACKSLASH = ord("\\")
_STRUCTURE = bytes(1 if c in b'",:[]{}' else 0 for c in range(256))
_STEP = bytes(1 if c in b"[{" else 255 if c in b"]}" else 0 for c in range(256))


class Scanner:
    """Structure of a document that comes piece by piece.

    Parameters
    ----------
    depth
        How deep tokens are wanted; of the next depth there are commas only.

    Examples
    --------
    >>> scanner = Scanner(0)
    >>> [(at, chr(byte)) for at, byte, _ in scanner.scan(b'[{"a": [1, 2]}, "]"]')]
    [(0, '['), (14, ','), (19, ']')]
    """

    def __init__(self, depth: int) -> None:
        self._wanted = depth
        self._depth = 0
        self._in_string = np.uint8(0)
        self._escaped = False
        self._offset = 0

    def scan(self, piece: bytes) -> Iterator[Token]:
        """The tokens of the next piece."""
        array = np.frombuffer(piece, np.uint8)
        marks = np.frombuffer(piece.translate(_STRUCTURE), np.bool_).copy()
        marks[self._escaped_bytes(array)] = False
        at = np.flatnonzero(marks)
        at, byte = self._outside(at, array[at])
        step = np.frombuffer(byte.tobytes().translate(_STEP), np.int8)
        depth = np.cumsum(step, dtype=np.int64)
        wanted = self._wanted - self._depth  # as counted from the beginning of the piece
        self._depth += int(depth[-1]) if depth.size else 0
        depth -= step > 0
        shallow = np.flatnonzero(depth <= wanted + (byte == COMMA))
        where = (at[shallow] + self._offset).tolist()
        depths = (depth[shallow] + (self._wanted - wanted)).tolist()
        self._offset += len(piece)
        return zip(where, byte[shallow].tolist(), depths, strict=True)

    def _escaped_bytes(self, array: _Bytes) -> IntArray:
        """Where a backslash takes the meaning away: every second one in a row does so."""
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
        """Tokens that are not part of a string; its quotes are."""
        quote = byte == QUOTE
        inside = np.bitwise_xor.accumulate(quote.view(np.uint8)) ^ self._in_string
        if inside.size:
            self._in_string = inside[-1]
        kept = np.flatnonzero(quote | (inside == 0))
        return at[kept], byte[kept]
