"""Write the stubs of the package, its kernel, and its types for type checkers and editors.

python scripts/names_stub.py            rewrite the stubs
python scripts/names_stub.py --check    exit 1 if one is stale

The names are listed in ``_HOMES`` of each of these modules.
"""

import sys
from pathlib import Path
from types import ModuleType

import nstar
from _section import keep_page

SOURCE = Path(__file__).parents[1] / "src" / "nstar"


def stub(module: ModuleType, *first: str) -> str:
    """An import for each name."""
    homes: dict[str, str] = vars(module)["_HOMES"]
    lines = ["# Written by scripts/names_stub.py.", *first]
    for home, names in homes.items():
        lines += [f"from nstar.{home} import {name} as {name}" for name in names.split()]
    listed = "".join(f'    "{name}",\n' for name in sorted(module.__all__))
    return "\n".join(lines) + f"\n\n__all__ = [\n{listed}]\n"


MODULES = [
    f"from nstar import {name} as {name}" for name in ("errors", "report", "stats", "types")
]
VERSION = "from nstar._base.version import __version__ as __version__"

if __name__ == "__main__":
    stale = [
        keep_page(SOURCE / "__init__.pyi", stub(nstar, *MODULES, VERSION)),
        keep_page(SOURCE / "stats" / "__init__.pyi", stub(nstar.stats)),
        keep_page(SOURCE / "types.pyi", stub(nstar.types)),
    ]
    sys.exit(max(stale))
