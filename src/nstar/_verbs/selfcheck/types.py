"""What an evaluator is: inputs of a reference value → the value as nstar computes it."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Inputs: TypeAlias = Mapping[str, Any]
"""Parsed JSON, under the names of the reference file (pA, pB, N …)."""

Evaluator: TypeAlias = Callable[[Inputs], Any]
"""Returns numbers, or dicts and lists of them, shaped like the reference; inf for null."""
