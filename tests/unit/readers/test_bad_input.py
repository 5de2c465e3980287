"""Bad input ends in an answer that names file and mend, within bounded memory and time."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits of POSIX, which the helpers import")

from helpers.bad_input import CASES, MEMORY, SECONDS, Case, run
from helpers.warm import Warm

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and FIFOs as on Linux")

REAL = ("no permission", "truncated JSON line")
"""Those that the real program reads in the default run: one whose rights must be taken away before
it starts, and one for all others, which forks of a process that has loaded nstar read."""
RACE = "file emptied while it is read"
"""Two programs at once, which needs a large file and the clock: in the full run only. The common
run has the same without a clock: test_json.py, test_rewritten_file_is_refused."""


@pytest.mark.parametrize(
    "case", [c for c in CASES if c.name not in {*REAL, RACE}], ids=lambda c: c.name
)
def test_bad_input(
    case: Case, warm: Warm, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    prints = tmp_path_factory.mktemp("prints")
    before = set(tmp_path.parent.iterdir())
    arguments = ["read", *(case.light or case.make)(tmp_path)]
    outcome = warm.run(arguments, prints, space=MEMORY, seconds=SECONDS)
    _check(case, outcome.status, outcome.output + outcome.error)
    assert set(tmp_path.parent.iterdir()) == before


@pytest.mark.parametrize(
    "case",
    [c if c.name in REAL else pytest.param(c, marks=pytest.mark.slow) for c in CASES],
    ids=lambda c: c.name,
)
def test_bad_input_of_the_program(case: Case, tmp_path: Path) -> None:
    """As large as the page of bad input says, read by a process that starts for it."""
    before = set(tmp_path.parent.iterdir())
    outcome = run(case, tmp_path)
    _check(case, outcome.status, outcome.output + outcome.error)
    assert set(tmp_path.parent.iterdir()) == before


def _check(case: Case, status: int, printed: str) -> None:
    assert "Traceback" not in printed
    assert status == case.status, printed
    assert case.says in printed
