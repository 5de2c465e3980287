"""Plan an e-process on 0/1 scores: exact error rate, power, horizon, and mean stopping time.

The lead of one model over the other changes by one at each discordant item until it reaches the
boundary. The distribution of this walk is computed exactly for a fair coin. The walk stops at the
boundary itself, and never beyond it, so any other coin reweights each exit by a known ratio. Each
item is discordant with probability psi, so the probability of an event by item n is a binomial
mixture of its probabilities by discordant item d.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import special

from nstar._base import checks
from nstar._base.types import Array, IntArray
from nstar.errors import ParameterError
from nstar.stats._binomial import log_pmf
from nstar.stats._roots import first_whole
from nstar.stats._stopping import Stopping
from nstar.stats.eprocess import e_process_leads, tuned_beta
from nstar.stats.power import paired_n_star

__all__ = ["EProcessHorizon", "e_process_horizon", "e_process_power"]

_MOST_DISCORDANT = 50_000
"""Number of discordant items above which the exact computation takes seconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EProcessHorizon:
    """Maximum and mean number of items."""

    n: int
    """Number of items after which the e-process has rejected with the target power."""
    mean_stop: float
    """Expected number of items until it rejects or reaches n, at the planned gap."""
    mean_stop_null: float
    """Expected number of items if the models are equal."""
    a: float
    """Parameter of the Beta(a, a) mixture."""
    inflation: float
    """n divided by the items of a fixed sample (Connor's formula)."""


@lru_cache(maxsize=8)
def _fair_exits(discordant: int, alpha: float, a: float) -> tuple[Array, IntArray]:
    """Return the probability that a fair walk exits at each discordant item, and its lead then.

    Leads are absolute values, and all have the same parity: entry i is the lead 2i or 2i + 1.
    """
    leads = e_process_leads(discordant, alpha, a)
    reach = int(np.max(np.minimum(leads, np.arange(discordant + 1)), initial=0)) // 2
    going, moved = np.zeros(reach + 3), np.zeros(reach + 3)
    going[0] = 1.0
    out = np.zeros(discordant + 1)
    for d, edge in enumerate((leads[1:] // 2).tolist(), start=1):
        last = min(edge, d // 2, reach) + 1
        if d % 2:
            np.add(going[:last], going[1 : last + 1], out=moved[:last])
            moved[0] += going[0]
        else:
            np.add(going[: last - 1], going[1:last], out=moved[1:last])
            moved[0] = going[0]
        moved[:last] *= 0.5
        if edge < last:
            out[d] = moved[edge]
            moved[edge] = 0.0
        going, moved = moved, going
    out.setflags(write=False)
    return out, leads


def e_process_crossing(
    discordant: int, *, theta: float = 0.5, alpha: float = 0.05, a: float = 0.5
) -> Array:
    """Return the exact probability that E has reached 1/alpha by each discordant item.

    The probabilities are those after 0, 1, …, ``discordant`` discordant items.
    """
    checks.counts(discordant=discordant)
    checks.probability("theta", theta)
    fair, leads = _fair_exits(int(discordant), float(alpha), float(a))
    d = np.arange(discordant + 1, dtype=np.float64)
    lead = np.minimum(leads, d)
    wins, losses = (d + lead) / 2, (d - lead) / 2
    with np.errstate(over="ignore", invalid="ignore"):
        above = np.exp(special.xlogy(wins, 2 * theta) + special.xlogy(losses, 2 - 2 * theta))
        below = np.exp(special.xlogy(losses, 2 * theta) + special.xlogy(wins, 2 - 2 * theta))
        out = np.where(fair > 0, fair * (above + below) / 2, 0.0)
    return np.minimum(np.cumsum(out), 1.0)


def _thinned(crossed: Array, n: float, psi: float) -> float:
    """Return the probability of a rejection by item n, with discordant items at rate psi."""
    d = np.arange(min(int(n), len(crossed) - 1) + 1, dtype=np.float64)
    weight = np.exp(log_pmf(d, np.full_like(d, n), psi)) if psi < 1 else (d == n) * 1.0
    return float(weight @ crossed[: len(d)])


def _mean_stop(crossed: Array, n: float, psi: float) -> float:
    """Return E min(tau, n), summed over the items during which d discordant ones were observed."""
    d = np.arange(min(int(n), len(crossed)), dtype=np.float64)
    passes = special.betainc(d + 1, n - d, psi)  # P(more than d discordant among n)
    return float(((1 - crossed[: len(d)]) * passes).sum() / psi)


def e_process_power(
    delta: float, *, psi: float, n: int, alpha: float = 0.05, a: float | None = None
) -> float:
    """Return the probability that an e-process, inspected after every item, rejects by item ``n``.

    Parameters
    ----------
    delta : float
        True gap, a proportion, |delta| ≤ psi. At 0, the result is the type I error rate.
    psi : float
        Share of items on which exactly one model is right, in (0, 1].
    n : int
        Number of items at the end, a whole number, at least 0.
    alpha : float, default 0.05
        Level of the test, in (0, 1).
    a : float, optional
        Parameter of the Beta(a, a) mixture, > 0. The default is tuned to psi · n.

    Returns
    -------
    float
        Probability of rejecting in favor of either model.

    Raises
    ------
    ParameterError
        Among n items, there may be more than 50,000 discordant ones, which is too many for an
        exact computation.

    References
    ----------
    Derived at the head of this module. Methods: Interim looks.

    Examples
    --------
    >>> round(e_process_power(0.05, psi=0.2, n=1028, a=5), 3)
    0.8
    """
    checks.within("psi", psi, (0, 1), "in (0, 1]", ends=(False, True))
    checks.require(abs(delta) <= psi, "|delta|", "at most psi", abs(delta))
    checks.counts(n=n)
    shape = float(tuned_beta(psi * n, alpha=alpha)) if a is None else a
    max_discordant = _discordant(n, psi)
    theta = (psi + delta) / (2 * psi)
    return _thinned(e_process_crossing(max_discordant, theta=theta, alpha=alpha, a=shape), n, psi)


def e_process_stopping(
    delta: float, *, psi: float, n: int, alpha: float = 0.05, a: float | None = None
) -> Stopping:
    """Return the exact power and expected items of an e-process with at most ``n`` items."""
    shape = float(tuned_beta(psi * n, alpha=alpha)) if a is None else a
    power = e_process_power(delta, psi=psi, n=n, alpha=alpha, a=shape)
    theta = (psi + delta) / (2 * psi)
    crossed = e_process_crossing(_discordant(n, psi), theta=theta, alpha=alpha, a=shape)
    return Stopping(power, _mean_stop(crossed, n, psi))


def _discordant(n: float, psi: float) -> int:
    """Return the number of discordant items that n items exceed with probability 1e-15."""
    max_discordant = int(min(n, np.ceil(psi * n + 8 * np.sqrt(psi * (1 - psi) * n) + 10)))
    if max_discordant > _MOST_DISCORDANT:
        msg = (
            f"the number of discordant items must be at most {_MOST_DISCORDANT}; got "
            f"{max_discordant}. Use a smaller n or psi."
        )
        raise ParameterError(msg)
    return max_discordant


def e_process_horizon(
    delta: float,
    *,
    psi: float,
    alpha: float = 0.05,
    power: float = 0.8,
    a: float | None = None,
) -> EProcessHorizon:
    """Return the items at which an e-process has the target power, and its mean stopping time.

    Parameters
    ----------
    delta : float
        Gap to detect, a proportion, 0 < |delta| ≤ psi.
    psi : float
        Share of items on which exactly one model is right, in (0, 1].
    alpha : float, default 0.05
        Level of the test, in (0, 1).
    power : float, default 0.8
        Target power: probability of detecting the gap, in (0, 1); above alpha / 2.
    a : float, optional
        Parameter of the Beta(a, a) mixture, > 0. The default is tuned to 1.6 times the discordant
        items of the fixed sample, which is close to the resulting horizon.

    Returns
    -------
    EProcessHorizon
        Maximum and mean number of items, the mixture, and the ratio of the horizon to the fixed
        sample.

    Raises
    ------
    ParameterError
        There may be more than 50,000 discordant items, which is too many for an exact computation,
        because the gap is small relative to the discordance.

    References
    ----------
    Derived at the head of this module. Connor (1987), Biometrics 43, for the fixed sample.
    Methods: Interim looks.

    Examples
    --------
    >>> plan = e_process_horizon(0.05, psi=0.2, a=5)
    >>> plan.n, round(plan.mean_stop), round(plan.inflation, 2)
    (1028, 602, 1.64)
    """
    checks.within("psi", psi, (0, 1), "in (0, 1]", ends=(False, True))
    checks.require(0 < abs(delta) <= psi, "|delta|", "above 0 and at most psi", abs(delta))
    checks.fraction("power", power)
    fixed = float(paired_n_star(delta, psi=psi, alpha=alpha, power=power))
    shape = float(tuned_beta(1.6 * psi * fixed, alpha=alpha)) if a is None else a
    theta = (psi + abs(delta)) / (2 * psi)
    n = max(8.0, np.ceil(2 * fixed))
    while True:
        crossed = e_process_crossing(_discordant(n, psi), theta=theta, alpha=alpha, a=shape)
        if _thinned(crossed, n, psi) >= power:
            break
        n *= 2
    first = first_whole(lambda items: _thinned(crossed, items, psi) >= power, 0.0, n)
    null = e_process_crossing(_discordant(first, psi), alpha=alpha, a=shape)
    return EProcessHorizon(
        n=int(first),
        mean_stop=_mean_stop(crossed, first, psi),
        mean_stop_null=_mean_stop(null, first, psi),
        a=shape,
        inflation=float(first / fixed),
    )
