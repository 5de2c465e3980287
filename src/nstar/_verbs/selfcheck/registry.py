"""Which function recomputes which reference value."""

from nstar._verbs.selfcheck import (
    anytime,
    betting,
    cluster,
    equiv,
    graded,
    lemma,
    multi,
    paired,
    paired_ci,
    runs,
    unpaired,
)
from nstar._verbs.selfcheck.types import Evaluator

EVALUATORS: dict[str, Evaluator] = {
    **anytime.EVALUATORS,
    **betting.EVALUATORS,
    **cluster.EVALUATORS,
    **equiv.EVALUATORS,
    **graded.EVALUATORS,
    **lemma.EVALUATORS,
    **multi.EVALUATORS,
    **paired.EVALUATORS,
    **paired_ci.EVALUATORS,
    **runs.EVALUATORS,
    **unpaired.EVALUATORS,
}
"""By the name of the value up to the first space, or by its whole name."""


def family(name: str) -> str:
    """Subject of a reference value.

    Examples
    --------
    >>> family("paired_ci.limits 1,1,7,12")
    'paired_ci'
    """
    return name.split(".", 1)[0]


FAMILIES: tuple[str, ...] = tuple(sorted({family(name) for name in EVALUATORS}))
"""Subjects that have reference values."""


def evaluator(name: str) -> Evaluator | None:
    """Function for a reference value, its whole name before its stem; None if there is none.

    Examples
    --------
    >>> evaluator("paired.K")({"alpha": 0.05, "power": 0.8}).round(6)
    np.float64(2.801585)
    """
    return EVALUATORS.get(name) or EVALUATORS.get(name.split(" ", 1)[0])
