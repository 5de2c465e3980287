"""Criteria of a test, from the parameters of a verb."""

from typing import Any

from nstar._verbs.verdict import Criteria


def criteria(alpha: Any, power: Any, alternative: Any = "two-sided") -> Criteria:
    """Return the criteria. Raise ParameterError if one of them is outside its domain."""
    return Criteria(alpha=alpha, power=power, alternative=alternative)
