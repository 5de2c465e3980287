"""Functions of ``pyarrow.compute``, which is loaded when one of them is first called."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(import_module("pyarrow.compute"), name)
