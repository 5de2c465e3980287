"""What is asked of a new model that ran on some items."""

from dataclasses import field

from nstar._base.record import record
from nstar._verbs.verdict import Criteria


@record()
class KnownQuestion:
    """What is asked of the new model."""

    b: str | None = None
    """Known model that it is compared with; None: the best."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level, power, and alternative hypothesis."""
