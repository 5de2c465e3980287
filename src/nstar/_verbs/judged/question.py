"""Question about two models that a judge scored and people labeled."""

from dataclasses import dataclass, field

from nstar._verbs.verdict import Criteria


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedQuestion:
    """Question about the judged items."""

    cluster: str | None = None
    """Column whose groups are a random sample."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level, power, and alternative hypothesis."""
