"""Run docs/notebook.md as a reader would, and put below each block what it shows.

The ```python blocks run in order in one namespace, in a folder with the examples and nothing else.
What one prints, with its last value as a notebook would show it in text, becomes the ```text block
below it, where there is one. Then all of them run again with polars, and without pandas: the
statements of the block below ``<!-- polars -->`` take the place of those that set the same name.
Both runs must come to the same results.

python scripts/notebook_page.py            rewrite the page and its figure
python scripts/notebook_page.py --check    exit 1 if either is stale
"""

import ast
import re
import shutil
import sys
import textwrap
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from unittest.mock import patch

from _section import DOCS, keep_page
from nstar._base.result import Result

PAGE = DOCS / "notebook.md"
FIGURE = DOCS / "figures" / "notebook.svg"
EXAMPLES = DOCS.parent / "examples"
BLOCK = re.compile(r"^```python\n(.*?)^```\n(\n```text\n.*?^```\n)?", re.DOTALL | re.MULTILINE)
POLARS = re.compile(r"^<!-- polars -->\n\n```py\n(.*?)^```\n", re.DOTALL | re.MULTILINE)
WIDTH = 88


class Notebook:
    """Blocks of code that were run one after the other."""

    def __init__(self) -> None:
        self.known: dict[str, Any] = {"__name__": "notebook"}
        self.shown: list[Any] = []

    def run(self, code: str) -> str:
        """What the block prints, and its last value."""
        tree = ast.parse(code)
        last = tree.body.pop() if isinstance(tree.body[-1], ast.Expr) else None
        printed = StringIO()
        with redirect_stdout(printed):
            exec(compile(tree, PAGE.name, "exec"), self.known)
            if isinstance(last, ast.Expr):
                value = eval(compile(ast.Expression(last.value), PAGE.name, "eval"), self.known)
                self.shown.append(value)
                print("" if value is None else repr(value))
        return folded(printed.getvalue())

    def results(self) -> dict[str, str]:
        """All that was found, as JSON: by name, and in order as shown."""
        results_by_name = {**self.known, **{f"block {k}": x for k, x in enumerate(self.shown)}}
        return {name: x.to_json() for name, x in results_by_name.items() if isinstance(x, Result)}


def folded(text: str) -> str:
    """Text without trailing blanks, its long lines broken."""
    lines = (textwrap.wrap(x, WIDTH) if len(x) > WIDTH else [x] for x in text.split("\n"))
    return "\n".join(part.rstrip() for line in lines for part in line).strip("\n")


def bound_name(statement: ast.stmt) -> str | None:
    """What the statement sets, if it may be replaced: a name, or the library of frames."""
    if isinstance(statement, ast.Import) and statement.names[0].name in ("pandas", "polars"):
        return "import"
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    return None


def statements(code: str) -> dict[str, str]:
    """The source of all statements that set a name."""
    sources = ((bound_name(s), ast.get_source_segment(code, s)) for s in ast.parse(code).body)
    return {name: source for name, source in sources if name and source}


def replaced(code: str, others: dict[str, str]) -> str:
    """The block with these statements instead of its own of the same names."""
    for name, source in statements(code).items():
        if name in others:
            code = code.replace(source, others[name], 1)
    return code


@contextmanager
def at_hand() -> Iterator[None]:
    """An empty folder with the examples, to read from and to write to."""
    with TemporaryDirectory() as folder:
        shutil.copytree(EXAMPLES, Path(folder, "examples"))
        with chdir(folder):
            yield


def filled(text: str, notebook: Notebook) -> str:
    """The page with what its blocks show."""

    def block(match: re.Match[str]) -> str:
        output = notebook.run(match[1])
        below = f"\n```text\n{output}\n```\n" if match[2] else ""
        return f"```python\n{match[1]}```\n{below}"

    return BLOCK.sub(block, text)


def with_polars(text: str) -> Notebook:
    """The page run without pandas.

    Raises
    ------
    SystemExit
        If a statement for polars replaces nothing.
    """
    blocks = [code for code, _ in BLOCK.findall(text)]
    match = POLARS.search(text)
    others = statements(match[1]) if match else {}
    unused = set(others).difference(*map(statements, blocks))
    if unused or not others:
        raise SystemExit(f"docs/{PAGE.name}: nothing to replace by polars: {sorted(unused)}")
    notebook = Notebook()
    with patch.dict(sys.modules, {"pandas": None}):
        for code in blocks:
            notebook.run(replaced(code, others))
    return notebook


def main() -> int:
    text = PAGE.read_text(encoding="utf-8")
    pandas = Notebook()
    with at_hand():
        new = filled(text, pandas)
    with at_hand():
        polars = with_polars(text)
    one, other = pandas.results(), polars.results()
    differ = [name for name in one | other if one.get(name) != other.get(name)]
    if differ:
        print(f"docs/{PAGE.name}: pandas and polars differ in {', '.join(differ)}")
        return 1
    return keep_page(PAGE, new) | keep_page(FIGURE, pandas.known["picture"].svg)


if __name__ == "__main__":
    sys.exit(main())
