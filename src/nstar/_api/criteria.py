"""Level, power and sides, from plain words."""

from typing import Any

from nstar._base import checks
from nstar._verbs.verdict import Criteria


def criteria(alpha: Any, power: Any, *, one_sided: Any = False) -> Criteria:
    """As verbs take them; ParameterError for anything but proportions, True and False."""
    checks.truth(one_sided=one_sided)
    return Criteria(alpha=alpha, power=power, sides=1 if one_sided else 2)
