"""What type checkers see of an installed nstar: ``consumer_types.py PYTHON``, the one that has it.

mypy --strict checks tests/typed_consumer.py and asks for the type of every public name; exit
status 1 if the program does not pass, or if a name is Any. Away from the checkout, so that
nothing but the wheel answers.
"""

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODULES = ("nstar", "nstar.stats", "nstar.errors")
ASK = "import {0}\nprint(*({0}.__name__ + '.' + n for n in {0}.__all__), sep='\\n')"


def public(python: str) -> list[str]:
    """Public names of the installed package."""
    names: list[str] = []
    for module in MODULES:
        process = subprocess.run(
            [python, "-I", "-c", ASK.format(module)], check=True, capture_output=True, text=True
        )
        names += process.stdout.split()
    return names


def checked(python: str, folder: Path, *files: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "mypy", "--strict", "--config-file=", "--no-incremental"]
    return subprocess.run(
        [*command, f"--python-executable={python}", *files],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )


def main() -> int:
    python = sys.argv[1]
    with tempfile.TemporaryDirectory() as tmp:
        folder = Path(tmp)
        shutil.copy(ROOT / "tests" / "typed_consumer.py", folder)
        names = public(python)
        imports = "".join(f"import {module}\n" for module in MODULES)
        code = imports + "".join(f"reveal_type({name})\n" for name in names)
        (folder / "asked.py").write_text(code, encoding="utf-8")
        process = checked(python, folder, "typed_consumer.py", "asked.py")
    reveals = re.findall(r'^asked\.py:(\d+): note: Revealed type is "(.*)"$', process.stdout, re.M)
    first = len(MODULES) + 1
    unknown = [names[int(line) - first] for line, kind in reveals if kind == "Any"]
    wrong = [line for line in process.stdout.splitlines() if ": error: " in line]
    print(*wrong, *(f"{name} is Any to type checkers" for name in unknown), sep="\n")
    print(f"{len(reveals) - len(unknown)} of {len(names)} public names have a type")
    return 0 if len(reveals) == len(names) and not unknown and not wrong else 1


if __name__ == "__main__":
    sys.exit(main())
