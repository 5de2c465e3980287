"""Decode JSON with msgspec, including values that strict JSON does not allow."""

import codecs
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Generic, TypeVar

import msgspec

from nstar.readers._doubled_keys import BOM, DoubledKeys
from nstar.readers._read_errors import printable

T = TypeVar("T")

# Numbers that replace NaN and the infinities, which JSON lacks, while msgspec decodes.
_STAND_IN = {
    b"NaN": b"-7.060426193235801e-274",
    b"Infinity": b"-7.060426193235802e-274",
    b"-Infinity": b"-7.060426193235803e-274",
}
_MEANT = {float(v): float(k.decode()) for k, v in _STAND_IN.items()}
_CONSTANT = re.compile(
    rb"""[^"NI-]*+
    (?: (?: "(?:[^"\\]++|\\.)*+" | N(?!aN) | I(?!nfinity) | -(?!Infinity) ) [^"NI-]*+ )*+
    ( (?:-?Infinity|NaN) (?: [^"NI-]*+ (?:-?Infinity|NaN) )*+ )""",
    re.DOTALL | re.VERBOSE,
)
"""Regular expression of a run of constants outside strings, and of all that precedes it.

One match consumes all that precedes, possessively. Time is therefore linear in the length, and
Python code runs once for each run of constants, not once for each string.
"""
_STANDING = re.compile(b"|".join(re.escape(v) for v in _STAND_IN.values()))
_LITERAL = {v: k for k, v in _STAND_IN.items()}
_PAIR = rb"u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_HALF = rb"u[dD][89a-fA-F][0-9a-fA-F]{2}"
_SURROGATE = re.compile(
    rb"(?:[^\\]++|\\(?:" + _PAIR + rb"|(?!" + _HALF + rb").))*+"
    rb"((?:\\(?!" + _PAIR + rb")" + _HALF + rb")++)",
    re.DOTALL,
)
"""Regular expression of a run of unpaired surrogates, and of all that precedes it."""
_HALF_LENGTH = len(rb"\ud800")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")

SMALL = 1 << 20
"""Size in bytes up to which JSON may contain any number of values."""
MARKS = 4_000_000
"""Maximum number of commas, colons, and brackets in the decoded part of longer JSON."""
WHOLE = 1_000_000
"""Maximum number of commas, colons, and brackets in a document that is decoded as a whole."""
_PIECE = 1 << 20
_PAGE = 4096
_MAX_QUOTED_CHARACTERS = 80
"""Maximum number of characters of bad data that a message quotes."""
_MAX_ELEMENTS_SEARCHED = 64
"""Largest number of array elements that are searched for the bad one."""


class BadJSON(ValueError):  # noqa: N818 - it is the data that err
    """Error for bytes that are not JSON, or whose values do not have the expected types."""


class Decoder(Generic[T]):
    """Decoder from JSON bytes to values of one type.

    >>> Decoder(Any)(b'{"x": NaN}')
    {'x': nan}
    """

    def __init__(
        self, kind: Any, *, marks: int = MARKS, doubled: DoubledKeys | None = None
    ) -> None:
        self._most = marks
        self.strict = msgspec.json.Decoder(kind).decode
        """Strict decoder of msgspec. If it raises, call :meth:`mend`."""
        self._doubled = doubled or DoubledKeys()
        self._kind = kind
        self._raw: Any = None
        self._last: tuple[bytes, bytes] = b"", b""

    def refuse_swarm(self, data: bytes) -> None:
        """Raise an error, before decoding, if the decoded data would contain too many values.

        Fields that the type does not name are neither decoded nor counted.
        """
        if _marks(data) <= self._most or sum(map(_marks, self._kept(data))) <= self._most:
            return
        msg = (
            f"contains more than {self._most:,} values, far more than a log needs. Check the file"
        )
        raise BadJSON(msg)

    def refuse_doubled(self, data: bytes) -> None:
        """Raise an error for a duplicate key that :class:`DoubledKeys` finds."""
        problem = self._doubled.problem(data)
        if problem is not None:
            raise BadJSON(problem)

    def length(self, data: bytes) -> int:
        """Return the number of bytes in the fields of an object that are decoded."""
        return len(data) if len(data) <= _PAGE else sum(map(len, self._kept(data)))

    def _kept(self, data: bytes) -> tuple[Any, ...]:
        """Return the raw fields to decode, or all of the data if there are no fields."""
        if not isinstance(self._kind, type) or not issubclass(self._kind, msgspec.Struct):
            return (data,)
        if self._raw is None:
            self._raw = _raw_twin(self._kind)
        try:
            return msgspec.structs.astuple(self._raw.decode(data))
        except Exception:
            repaired = self._repaired(data)
        try:
            return () if repaired == data else msgspec.structs.astuple(self._raw.decode(repaired))
        except Exception:
            return ()  # not JSON; decoding it later raises the error

    def _repaired(self, data: bytes) -> bytes:
        """Return the data as strict JSON. The last result is cached until it is decoded."""
        if self._last[0] is not data:
            self._last = data, _repaired(data, self._most)
        return self._last[1]

    def __call__(self, data: bytes) -> T:
        """Return the value, or raise :class:`BadJSON`."""
        if len(data) > SMALL:
            self.refuse_swarm(data)
        try:
            value = self.strict(data)
        except Exception as error:
            value = self.mend(data, error)
        self.refuse_doubled(data)
        return value

    def reads(self, data: bytes) -> bool:
        """Return whether the data encode a value of the type."""
        try:
            self(data)
        except BadJSON:
            return False
        return True

    def mend(self, data: bytes, error: Exception) -> T:
        """Decode again, allowing byte order marks, NaN, Infinity, and unpaired surrogates."""
        mended, self._last = self._repaired(data), (b"", b"")
        if mended != data:
            if len(mended) > SMALL:
                self.refuse_swarm(mended)
            try:
                return _restored(self.strict(mended))
            except Exception as second:
                error = second
        raise BadJSON(_problem(data, error)) from error


def _marks(data: Any) -> int:
    """Return the number of commas, colons, and opening brackets: a bound on the values."""
    text = bytes(data)
    return sum(text.count(mark) for mark in (b",", b":", b"[", b"{"))


def _raw_twin(kind: type[msgspec.Struct]) -> Any:
    """Return a decoder that finds the same fields of an object but leaves them undecoded."""
    names = dict(zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True))
    fields = [(name, msgspec.Raw, msgspec.Raw(b"")) for name in names]
    return msgspec.json.Decoder(msgspec.defstruct("Twin", fields, rename=names, gc=False))


def _repaired(data: bytes, max_repairs: int) -> bytes:
    """Return the data with at most ``max_repairs`` non-standard parts replaced."""
    mended = data.removeprefix(BOM)
    if b"NaN" in data or b"Infinity" in data:
        mended = _replaced(mended, _CONSTANT, _stand_ins, max_repairs)
    if rb"\ud" in data or rb"\uD" in data:
        mended = _replaced(mended, _SURROGATE, _replacement_characters, max_repairs)
    return mended


def _stand_ins(constants: bytes) -> tuple[bytes, int]:
    """Return the text with numbers in place of its constants, and the number of constants."""
    count = constants.count(b"NaN") + constants.count(b"Infinity")
    for name in (b"-Infinity", b"Infinity", b"NaN"):
        constants = constants.replace(name, _STAND_IN[name])
    return constants, count


def _replacement_characters(halves: bytes) -> tuple[bytes, int]:
    count = len(halves) // _HALF_LENGTH
    return rb"\ufffd" * count, count


def _replaced(
    data: bytes,
    pattern: re.Pattern[bytes],
    meant: Callable[[bytes], tuple[bytes, int]],
    max_repairs: int,
) -> bytes:
    """Return the data with the group of each match replaced.

    Each match starts where the last ended.
    """
    out, last, count = bytearray(), 0, 0
    while match := pattern.match(data, last):
        new, n_repairs = meant(match[1])
        count += n_repairs
        if count > max_repairs:
            msg = (
                f"needs more than {max_repairs:,} repairs (NaN, Infinity, half of a surrogate "
                "pair). "
            )
            msg += "Write the file again as strict JSON"
            raise BadJSON(msg)
        out += data[last : match.start(1)]
        out += new
        last = match.end()
    if not last:
        return data
    out += memoryview(data)[last:]
    return bytes(out)


def _restored(value: Any) -> Any:
    """Return the value with NaN and infinities in place of the numbers that stood for them."""
    if isinstance(value, float):
        return _MEANT.get(value, value)
    if isinstance(value, list):
        return [_restored(v) for v in value]
    if isinstance(value, tuple):
        return tuple(_restored(v) for v in value)
    if isinstance(value, dict):
        return {k: _restored(v) for k, v in value.items()}
    if isinstance(value, msgspec.Raw):
        return msgspec.Raw(_STANDING.sub(lambda m: _LITERAL[m[0]], bytes(value)))
    if isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            msgspec.structs.force_setattr(value, name, _restored(getattr(value, name)))
    return value


def _problem(data: bytes, error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    damage = _damage(data)
    if damage is not None:
        return damage
    if isinstance(error, msgspec.ValidationError):
        return f"has a wrong value: {printable(str(error))[:200]}: {_value(data, str(error))}"
    if "truncated" in str(error):
        return (
            "appears to be truncated (is the file incomplete, or does the JSON span several "
            f"lines?): …{snippet(data[-60:])}"
        )
    return f"is not valid JSON: {error}: {snippet(data)}"


def _damage(data: bytes) -> str | None:
    """Return the reason why the bytes are not text."""
    if not data.strip():
        return "is empty (extra comma?)"
    if b"\0" in data:
        return (
            f"contains NUL bytes (first at byte {data.index(0)}); the file is damaged or not text"
        )
    wrong = _not_utf8(data)
    if wrong is None:
        return None
    byte = f"byte {wrong} (0x{data[wrong]:02x})"
    return f"is not valid UTF-8 at {byte}; convert the file with iconv -t UTF-8"


def _not_utf8(data: bytes) -> int | None:
    """Return the first byte that is not UTF-8, searching one piece at a time."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _PIECE):
        pending = len(decoder.getstate()[0])
        try:
            decoder.decode(data[start : start + _PIECE], start + _PIECE >= len(data))
        except UnicodeDecodeError as error:
            return start - pending + error.start
    return None


def _value(data: bytes, message: str) -> str:
    """Return the value at the path in msgspec's message, or the start of the data."""
    path = message.rpartition(" - at `$")[2].rstrip("`") if " - at `$" in message else ""
    part: Any = data
    with suppress(Exception):
        for name, index in _STEP.findall(path):
            part = _part(part, name, int(index) if index else None)
    return snippet(bytes(part))


def _part(data: Any, name: str, index: int | None) -> Any:
    """Return the text of one field or element. The others are skipped, not decoded."""
    if index is None:
        kind = msgspec.defstruct("Part", [("part", msgspec.Raw)], rename={"part": name})
        return getattr(msgspec.json.decode(data, type=kind), "part")  # noqa: B009
    if index >= _MAX_ELEMENTS_SEARCHED:
        msg = "too far from the start to inspect"
        raise ValueError(msg)
    fields = [(f"e{k}", msgspec.Raw) for k in range(index + 1)]
    row = msgspec.json.decode(data, type=msgspec.defstruct("Row", fields, array_like=True))
    return getattr(row, f"e{index}")


def snippet(data: bytes) -> str:
    """Return the start of the data, escaped for a terminal."""
    text = printable(data[: 4 * _MAX_QUOTED_CHARACTERS].decode("utf-8", "replace").strip())
    return (
        text if len(text) <= _MAX_QUOTED_CHARACTERS else text[: _MAX_QUOTED_CHARACTERS - 1] + "…"
    )
