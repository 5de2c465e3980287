"""Commands on an installation without numkong, as on platforms that have no wheel of it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from nstar._engine.gram import popcount

BOARD = Path(__file__).parents[3] / "examples" / "results.csv"


def output(without: bool, *arguments: str) -> str:
    """Output of the command in a process of its own, which may be unable to import numkong."""
    code = (
        f"import sys\nsys.modules.update({{'numkong': None}} if {without} else {{}})\n"
        f"from nstar.cli import main\nmain({arguments}, prog_name='nstar')\n"
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_an_audit_without_numkong_returns_the_same_numbers() -> None:
    audits: list[dict[str, Any]] = [
        json.loads(output(without, "audit", str(BOARD), "--format", "json"))
        for without in (False, True)
    ]
    engines = [task.pop("engine") for audit in audits for task in audit["tasks"]]
    assert engines == [popcount.name(), "numpy"]
    assert audits[0] == audits[1]


def test_reference_values_hold_without_numkong() -> None:
    assert "match" in output(True, "selfcheck")
