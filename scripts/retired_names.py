"""List retired names of classes, modules, functions, and constants; exit 1 if there are any.

python scripts/retired_names.py            list each with its file and line
python scripts/retired_names.py --count    print how often each name occurs

A name is reported where it is defined, not where it is used. Methods and local variables are not
checked. Public names are exempt until the front end changes them.
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDER = "src"

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
    *("Survey", "Field", "Known", "Judged", "Weighed", "Gathered", "Looked", "Compared"),
    *("Reading", "Spread", "LeftOut", "Ballots", "Night", "Dice", "Court", "Duel", "Doubt"),
    *("Truth", "Chances", "Together", "Beside", "Between", "Seen"),
}
"""Classes and type aliases whose names do not describe them."""
PUBLIC = {
    ("src/nstar/_verbs/judged/result.py", "Judged"),
    ("src/nstar/_verbs/reference/result.py", "Known"),
    ("src/nstar/readers/_values.py", "whole"),
}
"""Public names that wait for the front end."""


def top_level_names(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of every class, function, and assignment at the top level of a module."""
    for node in tree.body:
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                yield node.lineno, name
            case ast.Assign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    names = (n for n in ast.walk(target) if isinstance(n, ast.Name))
                    yield from ((node.lineno, n.id) for n in names)


def retired_in(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and name of every retired name that a module defines.

    If the file name of the module is retired, it is reported on line 0.
    """
    if path.stem.lstrip("_") in WORDS:
        yield 0, path.name
    relative = path.relative_to(ROOT).as_posix()
    for line, name in top_level_names(ast.parse(path.read_text(encoding="utf-8"))):
        if name in WORDS | CONSTANTS | CLASSES and (relative, name) not in PUBLIC:
            yield line, name


def main() -> int:
    """Print the retired names."""
    paths = sorted((ROOT / FOLDER).rglob("*.py"))
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
