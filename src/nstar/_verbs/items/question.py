"""Question about the items of a benchmark."""

from dataclasses import dataclass, field
from datetime import date
from typing import Any, get_args

from nstar._base import checks
from nstar._base.parameter_types import ItemChoice
from nstar._verbs.verdict import Criteria
from nstar.errors import ParameterError, arg


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemsQuestion:
    """Question about items: number of best models, label errors, and splits."""

    top: int = 8
    """Number of best models whose non-discriminating items are counted separately."""
    items: ItemChoice = "pairwise"
    """Items that any of the models has, or that all of them have."""
    label_errors: float | None = None
    """Assumed share of items with a wrong key."""
    split: str | None = None
    """Group column with two kinds of items, such as public and private, or with dates."""
    after: str | None = None
    """Date that splits a column of dates in two."""
    criteria: Criteria = field(default_factory=Criteria)
    """Level and power; the test is two-sided."""

    def __post_init__(self) -> None:
        if self.criteria.sides != 2:
            msg = "items is two-sided, because the data determine which model is better."
            raise ParameterError(msg)
        checks.choice("items", self.items, get_args(ItemChoice))
        top: Any = self.top
        if not isinstance(top, int) or top < 2:
            msg = f"{arg('top')} must be a whole number of at least 2; got {top!r}"
            raise ParameterError(msg)
        if self.label_errors is not None:
            checks.within(
                "label_errors",
                self.label_errors,
                (0, 0.5),
                "a share of wrong keys of at least 0 and less than 0.5",
                ends=(True, False),
            )
        if self.after is not None:
            day_of(self.after, arg("after"))


def day_of(text: str, subject: str) -> date:
    """Return the date at the beginning of a text, as in 2024-06-01.

    ``subject`` names it in errors.
    """
    try:
        return date.fromisoformat(str(text).strip()[:10])
    except ValueError:
        msg = f"{subject} must be a date such as 2024-06-01; got {text!r:.60}"
        raise ParameterError(msg) from None
