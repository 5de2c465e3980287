"""Convert dataclasses to JSON values and back, by their declared types.

A field is a key of the same name. ``null`` stands for ``None``. For a number that cannot be
``None``, it stands for infinity if the type is :data:`FloatOrInf`, and for NaN otherwise. If a
number may be infinite or ``None``, infinity is written as ``"Infinity"``, which most languages
parse as that number. A ``null`` limit of an :class:`Interval` is infinite. Fields with
``compare=False`` are omitted. Derived properties are written but not read. A field with a default
may be missing, because results of older versions lack the fields that were added later.

msgspec is used only to parse the text. It cannot replace the codecs, because it supports neither
derived values nor missing numbers, and it writes named tuples as lists.
"""

import math
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from numbers import Real
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from nstar._base.types import ColumnTable, Interval, NonNegative, NullMeans
from nstar.errors import DataError

Defs = dict[str, Any]
Describe = Callable[[type], Mapping[str, str]]
"""Descriptions of the fields of a class."""

LARGEST = 1 << 53
"""Largest number below which every whole number is exact in JSON."""

_BAND = 1024
"""Number of rows that are converted at a time."""


if typing.TYPE_CHECKING:
    derived = property  # the only decorator whose return type is followed
else:

    class derived(property):  # noqa: N801  # a decorator, like property
        """A property that results show in their JSON; reading back computes it again."""


def _refuse(path: str, value: Any, expected: str) -> typing.NoReturn:
    msg = f"{path}: {value!r:.60} is not {expected}"
    raise DataError(msg)


class Codec:
    """Conversion of one type to and from JSON, with its schema."""

    def dump(self, value: Any) -> Any:
        """Return the JSON value."""
        return value

    def stream(self, value: Any) -> Any:
        """Return the JSON value, with an iterator over the rows of long tables."""
        return self.dump(value)

    def load(self, value: Any, path: str) -> Any:
        """Return the value. Raise DataError with the path to an invalid part."""
        raise NotImplementedError

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        """Return the JSON schema. Definitions of classes are added to ``defs``."""
        raise NotImplementedError


class _ScalarCodec(Codec):
    """Codec of text, truth values, whole numbers, and None."""

    NAMES = types.MappingProxyType(
        {
            str: ("text", "string"),
            bool: ("true or false", "boolean"),
            int: ("a whole number", "integer"),
        }
    )

    def __init__(self, kind: Any) -> None:
        self.kind = kind

    def dump(self, value: Any) -> Any:
        return value.item() if hasattr(value, "item") else value

    def load(self, value: Any, path: str) -> Any:
        if type(value) is not self.kind or (self.kind is int and not -LARGEST <= value <= LARGEST):
            _refuse(path, value, self.NAMES[self.kind][0])
        return value

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        return {"type": self.NAMES[self.kind][1]}


class _CountCodec(_ScalarCodec):
    """Codec of a whole number >= 0."""

    def load(self, value: Any, path: str) -> int:
        if type(value) is not int or not 0 <= value <= LARGEST:
            _refuse(path, value, "a whole number of at least 0")
        return value

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        return {"type": "integer", "minimum": 0}


class _FloatCodec(Codec):
    """Codec of a number; null if it is not finite."""

    def __init__(self, null: float | None = None) -> None:
        self.null = null

    def dump(self, value: Any) -> Any:
        plain = float(value)
        return plain if math.isfinite(plain) else None

    def load(self, value: Any, path: str) -> float:
        if value is None:
            return math.nan if self.null is None else self.null
        if type(value) not in (int, float):
            _refuse(path, value, "a number")
        try:
            return float(value)
        except OverflowError:
            _refuse(path, "a whole number with many digits", "a number that fits in a float")

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        return {"type": "number" if self.null is None else ["number", "null"]}


class _IntegralFloatCodec(_FloatCodec):
    """Codec of a whole number stored as a float, because it may be infinite."""

    def dump(self, value: Any) -> Any:
        return int(value) if math.isfinite(value) else None

    def load(self, value: Any, path: str) -> float:
        number = super().load(value, path)
        if value is not None and not number.is_integer():
            _refuse(path, value, "a whole number")
        return number

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        return {"type": ["integer", "null"]}


class _InfiniteOrNoneCodec(Codec):
    """Codec of a number that may be infinite ("Infinity") or None (null)."""

    def __init__(self, inner: _FloatCodec) -> None:
        self.inner = inner

    def dump(self, value: Any) -> Any:
        if value is None:
            return None
        return "Infinity" if value == math.inf else self.inner.dump(value)

    def load(self, value: Any, path: str) -> Any:
        if value is None:
            return None
        return math.inf if value == "Infinity" else self.inner.load(value, path)

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        return {"anyOf": [self.inner.schema(defs, describe), {"const": "Infinity"}]}


class _JsonValueCodec(Codec):
    """Codec of plain JSON values: text, numbers, truth values, and lists and objects of them."""

    def dump(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {str(k): self.dump(v) for k, v in value.items()}
        if isinstance(value, list | tuple):
            return [self.dump(v) for v in value]
        plain = value.item() if hasattr(value, "item") else value
        return None if isinstance(plain, float) and not math.isfinite(plain) else plain

    def load(self, value: Any, path: str) -> Any:
        return tuple(value) if isinstance(value, list) else value

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        return {}


class _LiteralCodec(Codec):
    """Codec of a literal."""

    def __init__(self, choices: tuple[Any, ...]) -> None:
        self.choices = choices

    def load(self, value: Any, path: str) -> Any:
        for choice in self.choices:
            if type(value) is type(choice) and value == choice:
                return choice
        msg = f"{path}: {value!r:.60} is not one of {', '.join(map(str, self.choices))}"
        raise DataError(msg)

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        return {"enum": list(self.choices)}


class _OptionalCodec(Codec):
    """Codec of a value or None."""

    def __init__(self, inner: Codec) -> None:
        self.inner = inner

    def dump(self, value: Any) -> Any:
        return None if value is None else self.inner.dump(value)

    def stream(self, value: Any) -> Any:
        return None if value is None else self.inner.stream(value)

    def load(self, value: Any, path: str) -> Any:
        return None if value is None else self.inner.load(value, path)

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        inner = self.inner.schema(defs, describe)
        if isinstance(inner.get("type"), str):
            return inner | {"type": [inner["type"], "null"]}
        if "enum" in inner:
            return {"enum": [*inner["enum"], None]}
        return {"anyOf": [inner, {"type": "null"}]}


class _UnionCodec(Codec):
    """Codec of one of several classes, distinguished by ``kind``, or of several plain types."""

    def __init__(self, options: tuple[Any, ...]) -> None:
        self.options = {o.__name__: (get_origin(o) or o, codec(o)) for o in options}
        self.tagged = all(is_dataclass(o) for o in options)

    def dump(self, value: Any) -> Any:
        for name, (kind, inner) in self.options.items():
            if isinstance(value, kind):
                body = inner.dump(value)
                return {"kind": name} | body if self.tagged else body
        msg = f"{type(value).__name__} is not one of {', '.join(self.options)}"
        raise TypeError(msg)

    def load(self, value: Any, path: str) -> Any:
        if self.tagged:
            kind = value.get("kind") if isinstance(value, dict) else None
            if kind not in self.options:
                _refuse(path, value, f"one of {', '.join(self.options)}")
            return self.options[kind][1].load(value, path)
        options = self.options.values()
        for _, inner in [o for o in options if o[0] is type(value)] or options:
            try:
                return inner.load(value, path)
            except DataError:
                continue
        return _refuse(path, value, " or ".join(self.options))

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        schemas = []
        for name, (_, inner) in self.options.items():
            body = inner.schema(defs, describe)
            tag = {"properties": {"kind": {"const": name}}, "required": ["kind"]}
            schemas.append({"allOf": [body, tag]} if self.tagged else body)
        return {"anyOf": schemas}


class _TupleCodec(Codec):
    """Codec of a tuple of any length."""

    def __init__(self, inner: Codec) -> None:
        self.inner = inner

    def dump(self, value: Any) -> Any:
        return [self.inner.dump(v) for v in value]

    def stream(self, value: Any) -> Any:
        return [self.inner.stream(v) for v in value]

    def load(self, value: Any, path: str) -> Any:
        if not isinstance(value, list):
            _refuse(path, value, "a list")
        return tuple(self.inner.load(v, f"{path}[{k}]") for k, v in enumerate(value))

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        return {"type": "array", "items": self.inner.schema(defs, describe)}


class _FixedTupleCodec(Codec):
    """Codec of a tuple of fixed length."""

    def __init__(self, inner: tuple[Codec, ...]) -> None:
        self.inner = inner

    def dump(self, value: Any) -> Any:
        return [c.dump(v) for c, v in zip(self.inner, value, strict=True)]

    def load(self, value: Any, path: str) -> Any:
        if not isinstance(value, list) or len(value) != len(self.inner):
            _refuse(path, value, f"a list of {len(self.inner)}")
        pairs = enumerate(zip(self.inner, value, strict=True))
        return tuple(c.load(v, f"{path}[{k}]") for k, (c, v) in pairs)

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        size = len(self.inner)
        items = [c.schema(defs, describe) for c in self.inner]
        return {"type": "array", "prefixItems": items, "minItems": size, "maxItems": size}


class _MappingCodec(Codec):
    """Codec of a mapping with text keys. Declared keys are checked."""

    def __init__(self, inner: Codec, keys: tuple[str, ...]) -> None:
        self.inner, self.keys = inner, keys

    def dump(self, value: Any) -> Any:
        return {k: self.inner.dump(v) for k, v in value.items()}

    def load(self, value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            _refuse(path, value, "an object")
        cells = {k: _cell(value, k, path) for k in self.keys} or value
        return {k: self.inner.load(v, f"{path}.{k}") for k, v in cells.items()}

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        inner = self.inner.schema(defs, describe)
        if self.keys:
            return _properties(dict.fromkeys(self.keys, inner), {})
        return {"type": "object", "additionalProperties": inner}


class _ArrayCodec(Codec):
    """Codec of a one-dimensional NumPy array."""

    def __init__(self, dtype: Any, null: float | None, inner: Codec | None = None) -> None:
        self.dtype = dtype
        self.inner = inner or _ScalarCodec(bool if dtype.kind == "b" else int)
        if dtype.kind == "f":
            self.inner = _FloatCodec(math.nan if null is None else null)

    def dump(self, value: Any) -> Any:
        return [self.inner.dump(v) for v in value.tolist()]

    def load(self, value: Any, path: str) -> Any:
        return np.array(_TupleCodec(self.inner).load(value, path), dtype=self.dtype)

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        return {"type": "array", "items": self.inner.schema(defs, describe)}


class _DataclassCodec(Codec):
    """Codec of a dataclass or a named tuple: an object with a key for each field."""

    def __init__(self, kind: type) -> None:
        self.kind = kind
        hints = get_type_hints(kind, include_extras=True)
        own_fields = _fields(kind)
        self.fields = {name: codec(hints[name]) for name in own_fields}
        self.with_default = _with_default(kind)
        self.more = {name: codec(_returned(p)) for name, p in _derived(kind).items()}

    def dump(self, value: Any) -> dict[str, Any]:
        codecs = self.fields | self.more
        return {name: inner.dump(getattr(value, name)) for name, inner in codecs.items()}

    def stream(self, value: Any) -> Any:
        codecs = self.fields | self.more
        return {name: inner.stream(getattr(value, name)) for name, inner in codecs.items()}

    def load(self, value: Any, path: str) -> Any:
        if not isinstance(value, dict):
            _refuse(path, value, "an object")
        names = [n for n in self.fields if n in value or n not in self.with_default]
        cells = {name: _cell(value, name, path) for name in names}
        read = {n: self.fields[n].load(cell, f"{path}.{n}") for n, cell in cells.items()}
        try:
            return self.kind(**read)
        except ValueError as error:
            msg = f"{path}: {error}"
            raise DataError(msg) from error

    def body(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        """Return the schema itself, not a reference to it."""
        descriptions = describe(self.kind)
        schemas = {
            name: c.schema(defs, describe) | ({"readOnly": True} if name in self.more else {})
            for name, c in (self.fields | self.more).items()
        }
        return _properties(schemas, descriptions)

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        name = self.kind.__name__
        if name not in defs:
            defs[name] = {}  # a class may contain instances of itself
            defs[name] = self.body(defs, describe)
        return {"$ref": f"#/$defs/{name}"}


class _IntervalCodec(_DataclassCodec):
    """Codec of an interval. A null limit is infinite."""

    def __init__(self, low: float | None) -> None:
        self.kind, self.more, self.with_default = Interval, {}, frozenset()
        null = -math.inf if low is None else low
        self.fields = {"low": _FloatCodec(null), "high": _FloatCodec(math.inf)}


class _ColumnTableCodec(_DataclassCodec):
    """Codec of columns of equal length, written as a list of rows, each an object."""

    def __init__(self, kind: type) -> None:
        super().__init__(kind)
        codecs = (self.fields | self.more).items()
        self.columns = {n: c.inner if isinstance(c, _OptionalCodec) else c for n, c in codecs}
        self.may_lack = {n for n, c in codecs if isinstance(c, _OptionalCodec)}

    def dump(self, value: Any) -> Any:
        return list(self.stream(value))

    def stream(self, value: Any) -> Iterator[dict[str, Any]]:
        columns = {name: getattr(value, name) for name in self.columns}
        present = {name: column for name, column in columns.items() if column is not None}
        for start in range(0, len(value), _BAND):
            band = slice(start, start + _BAND)
            cells = [self.columns[name].dump(column[band]) for name, column in present.items()]
            for row in zip(*cells, strict=True):
                yield dict(zip(present, row, strict=True))

    def load(self, value: Any, path: str) -> Any:
        if not isinstance(value, list):
            _refuse(path, value, "a list")
        for k, row in enumerate(value):
            if not isinstance(row, dict):
                _refuse(f"{path}[{k}]", row, "an object")
        read = {name: self._column(value, name, path) for name in self.fields}
        return self.kind(**read)

    def _column(self, rows: list[dict[str, Any]], name: str, path: str) -> Any:
        if name in self.may_lack and not any(name in row for row in rows):
            return None
        for k, row in enumerate(rows):
            if name not in row:
                _cell(row, name, f"{path}[{k}]")
        return self.columns[name].load([row[name] for row in rows], f"{path}[].{name}")

    def schema(self, defs: Defs, describe: Describe) -> dict[str, Any]:
        name = f"{self.kind.__name__}Row"
        if name not in defs:
            rows = {
                n: c.schema(defs, describe)["items"]
                | ({"readOnly": True} if n in self.more else {})
                for n, c in self.columns.items()
            }
            defs[name] = _properties(rows, describe(self.kind), self.may_lack)
        return {"type": "array", "items": {"$ref": f"#/$defs/{name}"}}


def _properties(
    schemas: dict[str, Any], descriptions: Mapping[str, str], may_lack: Collection[str] = ()
) -> dict[str, Any]:
    known = {
        n: s | ({"description": descriptions[n]} if n in descriptions else {})
        for n, s in schemas.items()
    }
    required = [n for n in schemas if n not in may_lack]
    return {"type": "object", "properties": known, "required": required}


def _cell(row: dict[str, Any], name: str, path: str) -> Any:
    if name not in row:
        msg = f"{path}: {name!r} is missing"
        raise DataError(msg)
    return row[name]


def _fields(kind: type) -> list[str]:
    if is_dataclass(kind):
        return [f.name for f in fields(kind) if is_in_json(f)]
    return list(kind._fields)  # type: ignore[attr-defined]


def _with_default(kind: type) -> frozenset[str]:
    """Return the fields that an older version may not have written, so a reader may lack them."""
    if not is_dataclass(kind):
        return frozenset(kind._field_defaults)  # type: ignore[attr-defined]
    empty = (MISSING, MISSING)
    return frozenset(f.name for f in fields(kind) if (f.default, f.default_factory) != empty)


def is_in_json(field: "Field[Any]") -> bool:
    """Return whether a field is part of the JSON. Other fields need a default."""
    if not field.compare and field.default is MISSING and field.default_factory is MISSING:
        msg = f"{field.name} is left out of JSON, so it needs a default"
        raise TypeError(msg)
    return field.compare


def _derived(kind: type) -> dict[str, derived]:
    by_name: dict[str, derived] = {}
    for base in reversed(kind.__mro__):
        by_name |= {n: v for n, v in vars(base).items() if isinstance(v, derived)}
    return by_name


def _returned(prop: derived) -> Any:
    if prop.fget is None:
        msg = "a derived property needs a function"
        raise TypeError(msg)
    return get_type_hints(prop.fget, include_extras=True)["return"]


def _union(options: tuple[Any, ...], null: float | None) -> Codec:
    choices = tuple(o for o in options if o is not types.NoneType)
    inner = codec(choices[0], null) if len(choices) == 1 else _UnionCodec(choices)
    if isinstance(inner, _FloatCodec) and inner.null == math.inf and len(choices) < len(options):
        return _InfiniteOrNoneCodec(inner)
    if all(get_origin(o) is Literal for o in choices):
        inner = _LiteralCodec(tuple(c for o in choices for c in get_args(o)))
    return inner if len(choices) == len(options) else _OptionalCodec(inner)


def codec(kind: Any, null: float | None = None) -> Codec:
    """Return the codec of a type, which is built once."""
    return _codec(kind, null)


@cache
def _codec(kind: Any, null: float | None = None) -> Codec:  # noqa: PLR0911, C901, PLR0912
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        if NonNegative() in args[1:]:
            return (
                _CountCodec(int)
                if args[0] is int
                else _ArrayCodec(np.dtype(np.int64), None, _CountCodec(int))
            )
        mark = next((m for m in args[1:] if isinstance(m, NullMeans)), None)
        if mark is not None and mark.whole:
            return _IntegralFloatCodec(mark.value)
        return codec(args[0], None if mark is None else mark.value)
    if origin is Literal:
        return _LiteralCodec(args)
    if origin in (Union, types.UnionType):
        return _union(args, null)
    if origin is tuple:
        if args[-1] is Ellipsis:
            return _TupleCodec(codec(args[0]))
        return _FixedTupleCodec(tuple(codec(a) for a in args))
    if origin in (dict, Mapping):
        return _MappingCodec(codec(args[1]), get_args(args[0]))
    if origin is not None and origin.__name__ == "ndarray":
        return _ArrayCodec(np.dtype(get_args(args[1])[0]), null)
    if kind is float:
        return _FloatCodec(null)
    if kind in (str, bool, int):
        return _ScalarCodec(kind)
    if kind in (Any, object):
        return _JsonValueCodec()
    if kind is Interval:
        return _IntervalCodec(null)
    if isinstance(kind, type) and issubclass(kind, ColumnTable):
        return _ColumnTableCodec(kind)
    if is_dataclass(kind) or hasattr(kind, "_fields"):
        return _DataclassCodec(kind)
    msg = f"{kind} has no place in JSON"
    raise TypeError(msg)


def streamed(value: Any) -> dict[str, Any]:
    """Return a dataclass as JSON, with an iterator over the rows of each of its tables."""
    return dict(codec(type(value)).stream(value))


def same(a: Any, b: Any) -> bool:  # noqa: PLR0911
    """Return whether two values are equal: arrays elementwise, and NaN equal to NaN."""
    if isinstance(a, Real) and isinstance(b, Real):
        return bool(a == b) or bool(a != a and b != b)  # noqa: PLR0124
    if isinstance(a, Mapping) and isinstance(b, Mapping):
        return a.keys() == b.keys() and all(same(v, b[k]) for k, v in a.items())
    if type(a) is not type(b):
        return False
    if is_dataclass(a):
        return all(same(getattr(a, n), getattr(b, n)) for n in _fields(type(a)))
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray):
        equal_nan = a.dtype.kind == "f"
        return a.dtype == b.dtype and bool(np.array_equal(a, b, equal_nan=equal_nan))
    return bool(a == b)
