"""The functions of ``pyarrow.compute``, which is loaded when the first of them is called."""

from importlib import import_module
from typing import Any


def __getattr__(name: str) -> Any:
    return getattr(import_module("pyarrow.compute"), name)
