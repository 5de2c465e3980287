"""List retired names of modules, classes, functions, constants, parameters, and local variables.

python scripts/retired_names.py            list each with its file and line; exit 1 if any
python scripts/retired_names.py --count    print how often each name occurs

A name is reported where it is bound, not where it is used. Fields and methods are not checked.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("scripts", "src", "validation")

WORDS = {
    *("found", "told", "said", "seen", "given", "asked", "wanted", "kept", "shown", "held"),
    *("named", "drawn", "made", "done", "taken", "there", "here", "what", "how", "who", "why"),
    *("which", "both", "some", "such", "own", "every", "again", "alone", "apart", "several"),
    *("few", "more", "most", "least", "whole", "way", "about", "ask", "mend", "enough", "near"),
    *("far", "middle", "room", "crew", "mosaic", "recall", "ruler"),
}
"""Vague words, such as participles, adverbs, and question words."""
CONSTANTS = {
    *("_MOST", "_LEAST", "_SHOWN", "_FEW", "_MANY", "_FAR", "_NEAR", "_SEEN", "_LONGEST"),
    *("_FEWEST", "_AT_ONCE"),
}
"""Constants whose names do not state the quantity."""
CLASSES = {
    *("Mosaic", "Spots", "Lineup", "Recall", "Ruler", "Beyond", "Middle", "Crew", "Stretch"),
    *("Survey", "Field", "Weighed", "Gathered", "Looked", "Compared", "Reading", "Spread"),
    *("LeftOut", "Ballots", "Night", "Dice", "Court", "Duel", "Doubt", "Truth", "Chances"),
    *("Together", "Beside", "Between", "Seen"),
}
"""Classes and type aliases whose names do not describe them.

``Judged`` and ``Known`` are not listed: they are the results of ``nstar compare judged`` and
``nstar compare known``, and the names of their JSON schemas.
"""
RETIRED = WORDS | CONSTANTS | CLASSES
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def bindings(node: ast.AST) -> Iterator[tuple[int, str]]:
    """Line and name of what a node binds by itself: a definition, parameter, or target."""
    match node:
        case (
            ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name)
        ):
            yield node.lineno, name
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            yield node.lineno, name
        case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)):
            yield node.lineno, name
        case ast.MatchMapping(rest=str(name)) | ast.ExceptHandler(name=str(name)):
            yield node.lineno, name


def bound_names(node: ast.AST, *, in_class: bool = False) -> Iterator[tuple[int, str]]:
    """Line and name of every binding below a node, except the fields and methods of classes."""
    for child in ast.iter_child_nodes(node):
        if not in_class or not isinstance(child, ast.stmt | ast.Name):
            yield from bindings(child)
        is_statement_of_class = in_class and not isinstance(child, Function)
        yield from bound_names(
            child, in_class=isinstance(child, ast.ClassDef) or is_statement_of_class
        )


def retired_in(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and name of every retired name that a module binds.

    If the file name of the module is retired, it is reported on line 0.
    """
    if path.stem.lstrip("_") in WORDS:
        yield 0, path.name
    tree = ast.parse(path.read_text(encoding="utf-8"))
    yield from ((line, name) for line, name in bound_names(tree) if name in RETIRED)


def main() -> int:
    """Print the retired names."""
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    hits = [(path.relative_to(ROOT), *hit) for path in paths for hit in retired_in(path)]
    if "--count" in sys.argv:
        for name, count in Counter(name for _, _, name in hits).most_common():
            print(f"{count:6} {name}")
    else:
        for path, line, name in hits:
            print(f"{path}:{line}: {name}")
    print(f"{len(hits)} retired names in {len(paths)} files", file=sys.stderr)
    return 1 if hits else 0


if __name__ == "__main__":
    sys.exit(main())
