"""Benchmarks know every function of the kernel, and compare like with like."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_kernel_agrees_with_bare_numpy() -> None:
    """A function that is neither measured nor excused ends it with status 1, named on stderr."""
    script = ROOT / "benchmarks" / "kernel.py"
    told = subprocess.run(  # noqa: S603
        [sys.executable, script, "--verify", "--pairs", "500"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
