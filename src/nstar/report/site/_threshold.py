"""From which p-value on a pair is significant: as the audit says, and as its verdicts show.

An audit tells the critical |t| of its family, which with few degrees of freedom is the middle
one of all pairs; the p-value behind it is found from theirs. The verdicts bear it out: each says
on which side of the threshold its pair lies.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array
from nstar._verbs.audit import Audit
from nstar._verbs.audit.survey import MOST_HELD
from nstar._verbs.audit.tiles import TILE

_NEAR = 1e-9


def _tail(t: Any, df: Any) -> Any:
    """Two-sided p-value of a |t|."""
    with np.errstate(invalid="ignore"):
        return 2 * np.where(np.isinf(df), special.ndtr(-t), special.stdtr(df, -t))


def _behind(critical: float, freedom: Array) -> float:
    """The p-value whose critical |t|, in the middle of some degrees of freedom, is this one."""
    ordered, half = np.sort(freedom), len(freedom) // 2
    two = ordered[[half, ~half]]
    low, high = np.sort(_tail(critical, two))
    for _ in range(100):
        p = math.sqrt(low * high)
        if float(np.mean(-np.asarray(stats.t_quantile(p / 2, two)))) > critical:
            low = p
        else:
            high = p
    return float(high)


@dataclass(slots=True, kw_only=True, eq=False)
class Threshold:
    """The largest significant p-value of an audit."""

    audit: Audit
    low: float = 0.0
    """It is at least this, by the verdicts."""
    high: float = 1.0
    """It is at most this."""
    _freedom: list[Array] = field(default_factory=list)

    def see(self, columns: Mapping[str, Any], near: Any) -> None:
        """Learn from some pairs; ``near`` are the places of neighbours among them."""
        codes, p = columns["verdict"], columns["p"]
        self.low = max(self.low, float(p[codes <= 1].max(initial=0.0)))
        self.high = min(self.high, float(p[codes > 1].min(initial=1.0)))
        if self.audit.adjust == "none":
            return
        df = np.asarray(columns.get("df", math.inf))
        self._remember(np.where(df > 0, df, math.inf), near)

    def _remember(self, df: Array, near: Any) -> None:
        """Degrees of freedom that the audit took the middle of: all, or of the first pairs."""
        if not df.ndim:
            self._freedom = [np.array([math.inf])]
        elif len(self.audit) <= MOST_HELD:
            self._freedom.append(df)
        elif not self._freedom:
            self._freedom.append(df[near[: TILE - 1]])

    def value(self) -> float | None:
        """The threshold; None if the verdicts do not follow it."""
        audit = self.audit
        if audit.adjust == "none":
            p = audit.criteria.alpha
        elif audit.critical is None:
            return None
        else:
            p = _behind(audit.critical, np.concatenate(self._freedom))
        return p if self.low * (1 - _NEAR) <= p <= self.high * (1 + _NEAR) else None
