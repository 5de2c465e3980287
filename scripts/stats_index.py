"""Write the index of the kernel: ``nstar/stats/__init__.py`` and its stub ``__init__.pyi``.

A public function is listed in the ``__all__`` of its module and nowhere else; this script
makes it importable from ``nstar.stats``. The index loads a module when one of its names is
first used, because importing all of them would cost ``nstar plan`` a third of its time.

    python scripts/stats_index.py            rewrite both files
    python scripts/stats_index.py --check    exit 1 if one is stale
"""

import ast
import sys
from pathlib import Path

STATS = Path(__file__).parents[1] / "src" / "nstar" / "stats"

HEAD = '''"""The statistical kernel: functions of scalars and arrays that return NumPy arrays.

The kernel uses no files, names, clocks, or output.

Every function broadcasts, states its units, and is checked against values obtained by other
means (``nstar selfcheck``). Only numpy and scipy.special are imported. This index is written
by ``scripts/stats_index.py``; a module is loaded when one of its names is first used.
"""

from importlib import import_module
from typing import Any

'''

TAIL = """

def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        msg = f"module 'nstar.stats' has no attribute {name!r}"
        raise AttributeError(msg)
    value = globals()[name] = getattr(import_module(f"nstar.stats.{_HOMES[name]}"), name)
    return value


def __dir__() -> list[str]:
    return __all__
"""


def public_names() -> dict[str, str]:
    """Each public name of the kernel and the module it lives in."""
    homes: dict[str, str] = {}
    for path in sorted(STATS.glob("[!_]*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
                for name in ast.literal_eval(node.value):
                    if name in homes:
                        sys.exit(f"{name} is public in both {homes[name]} and {path.stem}")
                    homes[name] = path.stem
    return homes


def index(homes: dict[str, str]) -> str:
    names = sorted(homes, key=lambda n: (not n.isupper(), not n[0].isupper(), n))
    listed = "__all__ = [\n" + "".join(f'    "{n}",\n' for n in names) + "]\n"
    table = "_HOMES = {\n" + "".join(f'    "{n}": "{homes[n]}",\n' for n in names) + "}\n"
    return f"{HEAD}{listed}\n{table}{TAIL}"


def stub(homes: dict[str, str]) -> str:
    lines = ["# Written by scripts/stats_index.py: what type checkers see of nstar.stats."]
    for name, home in sorted(homes.items(), key=lambda pair: (pair[1], pair[0])):
        lines.append(f"from nstar.stats.{home} import {name} as {name}")
    listed = "".join(f'    "{n}",\n' for n in sorted(homes))
    return "\n".join(lines) + f"\n\n__all__ = [\n{listed}]\n"


def main() -> int:
    homes = public_names()
    stale = False
    for name, text in (("__init__.py", index(homes)), ("__init__.pyi", stub(homes))):
        path = STATS / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale = True
            if "--check" in sys.argv:
                print(f"{path.name} is stale: run python scripts/stats_index.py")
            else:
                path.write_text(text, encoding="utf-8")
    return 1 if stale and "--check" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
