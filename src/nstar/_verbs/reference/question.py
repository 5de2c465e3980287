"""Question about a new model that ran on some items."""

from dataclasses import field

from nstar._base.record import record
from nstar._verbs.verdict import Criteria


@record()
class KnownQuestion:
    """Question about the new model."""

    b: str | None = None
    """Known model of the comparison; None for the best one."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level, power, and alternative hypothesis."""
