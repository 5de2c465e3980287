"""What is asked of two models that a judge scored and people labeled."""

from dataclasses import field

from nstar._base.record import record
from nstar._verbs.verdict import Criteria


@record()
class JudgedQuestion:
    """What is asked of the judged items."""

    cluster: str | None = None
    """Column whose groups are a sample."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level, power, and alternative hypothesis."""
