"""Write src/nstar/__init__.pyi, so that type checkers and editors know the public names.

python scripts/names_stub.py            rewrite the stub
python scripts/names_stub.py --check    exit 1 if it is stale

The names are listed once, in ``_HOMES`` of ``nstar/__init__.py``.
"""

import sys
from pathlib import Path

import nstar
from _section import keep_page

STUB = Path(__file__).parents[1] / "src" / "nstar" / "__init__.pyi"


def stub() -> str:
    """An import for each name."""
    homes: dict[str, str] = vars(nstar)["_HOMES"]
    lines = [
        "# Written by scripts/names_stub.py.",
        "from nstar import stats as stats",
        "from nstar._base.version import __version__ as __version__",
    ]
    for home, names in homes.items():
        lines += [f"from nstar.{home} import {name} as {name}" for name in names.split()]
    public = ["__version__", "stats", *(n for names in homes.values() for n in names.split())]
    listed = "".join(f'    "{name}",\n' for name in sorted(public))
    return "\n".join(lines) + f"\n\n__all__ = [\n{listed}]\n"


if __name__ == "__main__":
    sys.exit(keep_page(STUB, stub()))
