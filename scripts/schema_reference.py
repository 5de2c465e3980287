"""Write the JSON schemas of all results, and their table in docs/reference/results.md.

python scripts/schema_reference.py            rewrite the schemas and the page
python scripts/schema_reference.py --check    exit 1 if one of them is stale

Schemas follow from the dataclasses; the sentences about fields are taken from their source.
"""

import ast
import inspect
import json
import sys
import textwrap
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from _section import keep, keep_page
from nstar.report._kinds import KINDS, result_class

ROOT = Path(__file__).parents[1]
SCHEMAS = "src/nstar/report/schemas"

HEAD = """| schema | printed by | top-level keys |
|---|---|---|"""


def _first(text: str | None) -> str:
    return " ".join((text or "").split("\n\n")[0].split())


@cache
def described(kind: type) -> Mapping[str, str]:
    """The sentence below each field of a class, and the first one of each derived property."""
    descriptions: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if not base.__module__.startswith("nstar"):
            continue
        (tree,) = ast.parse(textwrap.dedent(inspect.getsource(base))).body
        body = tree.body if isinstance(tree, ast.ClassDef) else []
        for node, after in zip(body, [*body[1:], None], strict=True):
            if isinstance(node, ast.FunctionDef):
                descriptions[node.name] = _first(ast.get_docstring(node))
            if isinstance(node, ast.AnnAssign) and isinstance(after, ast.Expr):
                text = after.value.value if isinstance(after.value, ast.Constant) else ""
                descriptions[ast.unparse(node.target)] = _first(str(text))
    return descriptions


def json_text(schema: Mapping[str, Any], depth: int = 2) -> str:
    """An object with a line for each key, and for each key of these values."""
    lines = (
        f"{json.dumps(key)}: "
        + (json_text(value, 1) if depth > 1 and isinstance(value, dict) else json.dumps(value))
        for key, value in schema.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}"


def schema_text(name: str, command: str) -> str:
    """The schema of a result as a file."""
    schema = result_class(name).schema(described)
    head = {"$schema": schema.pop("$schema"), "$id": schema.pop("$id"), "title": command}
    return json_text(head | schema) + "\n"


def row(path: Path) -> str:
    """One schema."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    command, comma, suffix = schema["title"].replace(" --format json", "").partition(",")
    keys = ", ".join(f"`{key}`" for key in schema["properties"] if key != "schema")
    link = f"[`{schema['$id']}`](../../{SCHEMAS}/{path.name})"
    return f"| {link} | `{command}`{comma}{suffix} | {keys} |"


def table() -> str:
    """A line for each schema."""
    rows = [row(path) for path in sorted((ROOT / SCHEMAS).glob("*.json"))]
    return "\n".join([HEAD, *rows])


def main() -> int:
    """Write the schemas and the table, or print which is stale."""
    stale = 0
    for name, kind in KINDS.items():
        path = ROOT / SCHEMAS / f"{name.lower()}.schema.json"
        stale |= keep_page(path, schema_text(name, f"nstar {kind.printed_by}"))
    return stale | keep("reference/results.md", "schemas", table())


if __name__ == "__main__":
    sys.exit(main())
