"""Print the tests for the files changed in git, one path per line, for ``nox -s quick``.

python scripts/changed_tests.py           since the last commit, including untracked files
python scripts/changed_tests.py main      since the branch diverged from main

A changed module selects its doctests, the unit tests of its package, and tests with the same
name in other packages. For example, ``_verbs/gate`` selects ``unit/cli/test_gate.py``.
A changed helper or script selects the tests that mention its name. CI runs all other tests.
"""

import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
SOURCE = PurePosixPath("src/nstar")
KERNEL_TESTS = (
    "tests/oracle/test_golden.py",
    "tests/oracle/test_golden_next.py",
    "tests/oracle/test_golden_3.py",
)


def run_git(*arguments: str) -> list[str]:
    """Run git in this repository and return the lines of its output."""
    command = ["git", "-C", str(ROOT), *arguments]
    process = subprocess.run(command, capture_output=True, check=True, text=True)
    return process.stdout.splitlines()


def list_changes(base: str | None = None) -> list[str]:
    """Paths changed since the last commit, or since this branch diverged from ``base``."""
    since = run_git("merge-base", base, "HEAD")[0] if base else "HEAD"
    untracked = run_git("ls-files", "--others", "--exclude-standard")
    return sorted({*run_git("diff", "--name-only", since), *untracked})


def tests_that_mention(word: str) -> Iterator[str]:
    """Test files that contain the word."""
    pattern = re.compile(rf"\b{re.escape(word)}\b")
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if pattern.search(path.read_text(encoding="utf-8")):
            yield path.relative_to(ROOT).as_posix()


def tests_of_module(path: PurePosixPath) -> Iterator[str]:
    """Tests for one changed file in the package."""
    if path.suffix == ".py":
        yield str(path)  # its doctests
    layer, *inner = path.relative_to(SOURCE).with_suffix("").parts
    if not inner:  # top-level modules such as nstar/errors.py
        yield from ("tests/unit/api", "tests/unit/base")
        return
    layer = layer.removeprefix("_")
    if layer == "stats":
        yield from KERNEL_TESTS
    name = inner[0].strip("_")
    unit = ROOT / "tests/unit"
    folder = unit / layer / name
    namesakes = sorted(unit.glob(f"**/test_{name}.py"))
    own_tests = [p for p in namesakes if p.is_relative_to(unit / layer)]
    if folder.is_dir():
        yield folder.relative_to(ROOT).as_posix()
    elif not own_tests:
        yield f"tests/unit/{layer}"
    for test in namesakes:
        yield test.relative_to(ROOT).as_posix()


def tests_of(name: str) -> Iterator[str]:
    """Tests for one changed file in the repository."""
    path = PurePosixPath(name)
    if path.is_relative_to(SOURCE):
        yield from tests_of_module(path)
    elif path.is_relative_to("tests") and path.match("test_*.py"):
        yield name
    elif path.is_relative_to("tests") and path.name == "conftest.py":
        yield str(path.parent)
    elif path.suffix == ".py" and path.parts[0] in {"tests", "scripts"}:
        yield from tests_that_mention(path.stem)


def select_tests(changes: Iterable[str]) -> list[str]:
    """Paths for pytest, without paths inside another selected path."""
    paths = {PurePosixPath(test) for name in changes for test in tests_of(name)}
    paths = {p for p in paths if (ROOT / p).exists()}
    return sorted(str(p) for p in paths if not paths & set(p.parents))


if __name__ == "__main__":
    print(*select_tests(list_changes(*sys.argv[1:2])), sep="\n")
