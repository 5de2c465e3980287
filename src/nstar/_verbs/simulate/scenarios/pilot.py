"""A scenario made of a pilot: its own items, drawn again and again."""

from collections.abc import Sequence

import numpy as np

from nstar._base import checks
from nstar._base.types import Array
from nstar._verbs.simulate.sample import Counts, Scores, SimulatedSample
from nstar._verbs.simulate.scenarios.base import SCENARIOS, UNBOUNDED
from nstar._verbs.simulate.scenarios.binary import table
from nstar.errors import ParameterError


def _counts(
    rng: np.random.Generator, reps: int, items: int, values: Array, delta: float | None
) -> Counts:
    psi = float(np.count_nonzero(values) / values.size)
    return table(rng, reps, items, psi, float(values.mean()) if delta is None else delta)


@SCENARIOS.add
def pilot(
    rng: np.random.Generator,
    reps: int,
    items: int,
    *,
    d: Sequence[float] = (),
    delta: float | None = None,
) -> SimulatedSample:
    """Items of a pilot drawn with replacement, moved to the gap asked for.

    Parameters
    ----------
    rng, reps, items
        Random numbers, replications, items.
    d
        Differences of the pilot, one per item, first minus second; at least 2.
    delta
        True gap; the pilot's own if None. Graded differences are all moved by the same amount.
        If all are -1, 0 or 1, the share of discordant items stays and wins are drawn among them.
    """
    values = np.asarray(d, dtype=np.float64)
    if values.ndim != 1 or values.size < 2:
        msg = "pilot needs d, the per-item differences of a pilot with at least 2 items"
        raise ParameterError(msg)
    checks.finite("d", values)
    if np.isin(values, (-1.0, 0.0, 1.0)).all():
        return _counts(rng, reps, items, values, delta)
    own = float(values.mean())
    truth = own if delta is None else float(delta)
    drawn = (values + (truth - own)).take(rng.integers(0, values.size, size=(reps, items)))
    return Scores(d=drawn, truth=truth, limits=UNBOUNDED, sigma=float(values.std()))
