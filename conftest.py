"""Doctests are collected from modules that have any and whose extra is installed."""

from collections.abc import Generator
from importlib.util import find_spec
from pathlib import Path

import pytest

_RAY = [f"src/nstar/_engine/work/{name}.py" for name in ("ray", "cluster", "connect")]

collect_ignore = [] if find_spec("ray") else _RAY

Collectors = list[pytest.Collector]


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, Collectors, Collectors]:
    """Skip modules without examples, because pytest would search all their objects for one."""
    collectors = yield
    if file_path.suffix != ".py" or ">>>" in file_path.read_text("utf-8"):
        return collectors
    return [c for c in collectors if type(c).__name__ != "DoctestModule"]
