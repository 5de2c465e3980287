"""How many standard errors a gap must be to be detected, by the number of tasks."""

from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.polynomial.chebyshev import Chebyshev

from nstar import stats
from nstar._base.types import Array
from nstar._verbs.verdict import Criteria

_TABLE = 32
"""Degrees of freedom up to which every value is held; beyond, a polynomial in 1 / df."""
_DEGREE = 8
"""Of that polynomial: it agrees with the noncentral t to twelve digits."""


def _shift(df: Array, criteria: Criteria) -> Array:
    """Noncentrality at which a t test with so many degrees of freedom has the wanted power."""
    n = df + 1
    c = criteria
    mde = stats.t_mde(n, sigma=1.0, alpha=c.alpha, power=c.power, sides=c.sides)
    return np.asarray(mde * np.sqrt(n))


@dataclass(frozen=True, slots=True, eq=False)
class Factor:
    """Detectable gap over its standard error, for the t test over tasks.

    With the same tasks for both models the test has tasks - 1 degrees of freedom, with
    different tasks for each 2 (tasks - 1).

    Examples
    --------
    >>> k = np.array([2.0, 10.0, 1e6])
    >>> np.round(Factor(Criteria(), paired=True)(k), 4)
    array([16.334 ,  3.1496,  2.8016])
    """

    criteria: Criteria
    """Level, power and sides."""
    paired: bool
    """Whether both models have the same tasks."""
    _table: Array = field(init=False, repr=False)
    _beyond: Chebyshev = field(init=False, repr=False)

    def __post_init__(self) -> None:
        angles = np.pi * (np.arange(_DEGREE + 1) + 0.5) / (_DEGREE + 1)
        x = (np.cos(angles) + 1) / 2 / _TABLE
        shifts = _shift(np.append(np.arange(1.0, _TABLE + 1), 1 / x), self.criteria)
        fitted = Chebyshev.fit(x, shifts[_TABLE:], _DEGREE, domain=[0, 1 / _TABLE])
        object.__setattr__(self, "_table", shifts[:_TABLE])
        object.__setattr__(self, "_beyond", fitted)

    def __call__(self, tasks: Array) -> Array:
        """By whole numbers of tasks, at least 2."""
        df = (tasks - 1) * (1 if self.paired else 2)
        few = self._table[np.minimum(df, _TABLE).astype(np.intp) - 1]
        return np.where(df <= _TABLE, few, self._beyond(1 / df))

    def squared(self, tasks: Array) -> Array:
        """What a variance is multiplied by to give a squared detectable gap."""
        shift = self(tasks)
        return shift * shift


@lru_cache(maxsize=16)
def factor_for(criteria: Criteria, *, paired: bool) -> Factor:
    """The factor of a test; made once, for a plan asks for it hundreds of times."""
    return Factor(criteria, paired)
