"""Question about a new model that ran on some items."""

from dataclasses import dataclass, field

from nstar._verbs.verdict import Criteria


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownQuestion:
    """Question about the new model."""

    b: str | None = None
    """Known model of the comparison; None for the best one."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level, power, and alternative hypothesis."""
