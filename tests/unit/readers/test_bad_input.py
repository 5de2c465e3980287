"""Bad input ends in an answer that names file and mend, within bounded memory and time."""

import sys
from pathlib import Path

import pytest

from helpers.bad_input import CASES, Case, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits and FIFOs as on Linux")


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.name)
def test_bad_input(case: Case, tmp_path: Path) -> None:
    before = set(tmp_path.parent.iterdir())
    outcome = run(case, tmp_path)
    printed = outcome.output + outcome.error
    assert "Traceback" not in printed
    assert outcome.status == case.status, printed
    assert case.says in printed
    assert set(tmp_path.parent.iterdir()) == before
