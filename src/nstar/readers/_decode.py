"""JSON bytes into values: msgspec, with mends for what strict JSON lacks."""

import re
from typing import Any, Generic, TypeVar

import msgspec

from nstar.readers._files import printable

__all__ = ["BOM", "BadJSON", "Decoder", "snippet"]

T = TypeVar("T")

BOM = b"\xef\xbb\xbf"
"""Byte order mark of UTF-8."""

# Numbers that stand for the three that JSON lacks, while msgspec decodes.
_STAND_IN = {
    b"NaN": b"-7.060426193235801e-274",
    b"Infinity": b"-7.060426193235802e-274",
    b"-Infinity": b"-7.060426193235803e-274",
}
_MEANT = {float(v): float(k.decode()) for k, v in _STAND_IN.items()}
_CONSTANT = re.compile(rb'"(?:[^"\\]++|\\.)*+"|-?Infinity|NaN', re.DOTALL)
_STANDING = re.compile(b"|".join(re.escape(v) for v in _STAND_IN.values()))
_LITERAL = {v: k for k, v in _STAND_IN.items()}
_SURROGATE = re.compile(
    rb"\\(?:u[dD][89aAbB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    rb"|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+)\]")


class BadJSON(ValueError):  # noqa: N818 - it is the data that err
    """Bytes that are no JSON, or not of the wanted shape; the message says what is wrong."""


class Decoder(Generic[T]):
    """Values of one type out of JSON bytes.

    Examples
    --------
    >>> Decoder(Any)(b'{"x": NaN}')
    {'x': nan}
    """

    def __init__(self, kind: Any) -> None:
        self.strict = msgspec.json.Decoder(kind).decode
        """msgspec's own; on any Exception go on with :meth:`mend`."""

    def __call__(self, data: bytes) -> T:
        """The value, or :class:`BadJSON`."""
        try:
            return self.strict(data)
        except Exception as error:
            return self.mend(data, error)

    def mend(self, data: bytes, error: Exception) -> T:
        """Another try that knows byte order marks, NaN, Infinity and half surrogate pairs."""
        mended = data.removeprefix(BOM)
        if b"NaN" in data or b"Infinity" in data:
            mended = _CONSTANT.sub(lambda m: _STAND_IN.get(m[0], m[0]), mended)
        if rb"\ud" in data or rb"\uD" in data:
            mended = _SURROGATE.sub(lambda m: rb"\ufffd" if m[1] else m[0], mended)
        if mended != data:
            try:
                return _restored(self.strict(mended))
            except Exception as second:
                error = second
        raise BadJSON(_problem(data, error)) from error


def _restored(value: Any) -> Any:
    """The value with NaN and infinities where their stand-ins are."""
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
    """What is wrong with the bytes, in words."""
    if isinstance(error, RecursionError):
        return "is nested too deeply"
    damage = _damage(data)
    if damage is not None:
        return damage
    if isinstance(error, msgspec.ValidationError):
        return f"has a wrong value: {printable(str(error))[:200]}: {_value(data, str(error))}"
    if "truncated" in str(error):
        return f"is cut off (truncated file, or JSON over several lines?): …{snippet(data[-60:])}"
    return f"is not JSON: {error}: {snippet(data)}"


def _damage(data: bytes) -> str | None:
    """Why the bytes are no text at all."""
    if not data.strip():
        return "is empty (a comma too many?)"
    if b"\0" in data:
        return f"holds NUL bytes (byte {data.index(0)}); the file is damaged or not text"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as found:
        byte = f"byte {found.start} (0x{data[found.start]:02x})"
        return f"is not UTF-8 at {byte}; convert the file with iconv -t UTF-8"
    return None


def _value(data: bytes, message: str) -> str:
    """The value at the path that msgspec's message names, else the beginning of the data."""
    path = message.rpartition(" - at `$")[2].rstrip("`") if " - at `$" in message else ""
    try:
        value = msgspec.json.decode(data)
        for name, index in _STEP.findall(path):
            value = value[int(index)] if index else value[name]
        return snippet(msgspec.json.encode(value))
    except Exception:
        return snippet(data)


def snippet(data: bytes, length: int = 80) -> str:
    """The beginning of the data, fit for a terminal."""
    text = printable(data[: 4 * length].decode("utf-8", "replace").strip())
    return text if len(text) <= length else text[: length - 1] + "…"
