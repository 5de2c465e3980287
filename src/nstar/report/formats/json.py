"""Stable JSON: proportions, not points; ``null`` for "no number"; a schema for each kind.

Schemas are in ``nstar/report/schemas``. The key ``schema`` holds name and version.
"""

import json
import math
from collections.abc import Iterator
from io import StringIO
from typing import Any

from nstar._base.version import __version__
from nstar.report.documents import Document


def _clean(value: Any) -> Any:
    """Plain JSON values; infinities become null."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {k: _clean(v) for k, v in value.items()}
    if hasattr(value, "_asdict"):
        return _clean(value._asdict())
    if isinstance(value, list | tuple | Iterator):
        return [_clean(v) for v in value]
    return value


def dump(schema: str, doc: Document, data: dict[str, Any]) -> str:
    """Return indented JSON with the schema's name and the headline first. NaN is refused."""
    head = {"schema": schema, "nstar": __version__, "headline": doc.headline}
    words: dict[str, Any] = {"notes": doc.notes, "assumptions": doc.assumptions}
    if doc.paragraph is not None:
        words["paragraph"] = doc.paragraph
    out = StringIO()
    for number, (key, value) in enumerate((head | data | words).items()):
        out.write(f"{',' if number else '{'}\n  {json.dumps(key)}: ")
        _write(out, value, "  ")
    out.write("\n}\n")
    return out.getvalue()


def _has_rows(value: Any) -> bool:
    """Whether a value holds tables, whose rows are not in memory yet."""
    if isinstance(value, dict):
        return any(map(_has_rows, value.values()))
    return isinstance(value, Iterator) or (isinstance(value, list) and any(map(_has_rows, value)))


def _write(out: StringIO, value: Any, indent: str) -> None:
    """A value as JSON, whose lines but the first begin with the indent."""
    if isinstance(value, Iterator):
        _write_rows(out, value, indent)
    elif not _has_rows(value):
        out.write(_text(value, indent))
    else:
        is_list = isinstance(value, list)
        inner = f"{indent}  "
        for number, (key, part) in enumerate(enumerate(value) if is_list else value.items()):
            out.write(f"{',' if number else '[' if is_list else '{'}\n{inner}")
            out.write("" if is_list else f"{json.dumps(key)}: ")
            _write(out, part, inner)
        out.write(f"\n{indent}{']' if is_list else '}'}")


def _write_rows(out: StringIO, rows: Iterator[dict[str, Any]], indent: str) -> None:
    """Write a list row by row, because there may be one row for each pair."""
    # json.dumps(indent=…) writes the same five times as slowly
    row_indent, key_indent = f"\n{indent}  ", f"\n{indent}    "
    encoder = json.JSONEncoder(separators=(f",{key_indent}", ": "), allow_nan=False)
    number = -1
    for number, row in enumerate(rows):
        text = _unheard(encoder.encode(row))
        start = f"{',' if number else '['}{row_indent}"
        out.write(f"{start}{{{key_indent}{text[1:-1]}{row_indent}}}")
    out.write("[]" if number < 0 else f"\n{indent}]")


def _text(value: Any, indent: str) -> str:
    """A value as JSON whose lines, but the first, begin with so many blanks."""
    text = json.dumps(_clean(value), indent=2, allow_nan=False)  # ASCII: safe in any pipe
    return _unheard(text).replace("\n", f"\n{indent}")


def _unheard(text: str) -> str:
    """Text without workflow commands, and without the one control character that JSON allows."""
    return text.replace("##[", "\\u0023#[").replace("\x7f", "\\u007f")
