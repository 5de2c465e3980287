"""``PlanQuestion``: words that make a question."""

from nstar._api.plan.conflicts import refuse_conflicts
from nstar._api.plan.parameters import PlanParameters
from nstar._api.plan.values import plain_values, refuse_values
from nstar._base.record import record


@record()
class PlanQuestion(PlanParameters):
    """What is asked of a plan; words that make no question are refused.

    Examples
    --------
    >>> question = PlanQuestion(baseline=0.7, delta=(0.01, 0.02))
    >>> question.deltas
    (0.01, 0.02)
    """

    def __post_init__(self) -> None:
        refuse_values(self)
        for name, value in plain_values(self):
            object.__setattr__(self, name, value)
        refuse_conflicts(self)
