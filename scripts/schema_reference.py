"""Write docs/reference/schemas.md: what JSON the commands print.

python scripts/schema_reference.py            rewrite the page
python scripts/schema_reference.py --check    exit 1 if it is stale
"""

import json
import sys
from pathlib import Path

from _section import keep_page

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "schemas.md"
SCHEMAS = "src/nstar/report/schemas"

HEAD = """# JSON schemas

<!-- Written by scripts/schema_reference.py. -->

`--format json`, and `nstar.render(result, "json")`, write an object whose key `schema` names one
of these. Gaps and accuracies are proportions, never percentage points; `null` stands for "no such
number". Keys may be added within a version; what else may change is told in
[what stays](../stability.md). The schemas are JSON Schema 2020-12 and come with the package, in
`nstar/report/schemas`.

| schema | printed by | top-level keys |
|---|---|---|"""


def row(path: Path) -> str:
    """One schema."""
    schema = json.loads(path.read_text(encoding="utf-8"))
    command, _, more = schema["title"].partition(" --format json")
    keys = ", ".join(f"`{key}`" for key in schema["properties"] if key != "schema")
    link = f"[`{schema['$id']}`](../../{SCHEMAS}/{path.name})"
    return f"| {link} | `{command}`{more} | {keys} |"


def page() -> str:
    """A line for each schema."""
    rows = [row(path) for path in sorted((ROOT / SCHEMAS).glob("*.json"))]
    return "\n".join([HEAD, *rows]) + "\n"


def main() -> int:
    """Write the page, or say that it is stale."""
    return keep_page(PAGE, page())


if __name__ == "__main__":
    sys.exit(main())
