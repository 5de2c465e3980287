"""The smallest gap that a watch finds by its end with the wanted power."""

from dataclasses import replace
from functools import cache

from nstar._verbs.watch.question import WatchQuestion
from nstar.stats.eprocess_plan import e_process_power

_STEPS = 12
_FOLLOWED = 20_000
"""Expected discordant items that are followed exactly."""


@cache
def detectable_gap(question: WatchQuestion) -> float | None:
    """Gap found by the end, looked at after every item; None if none is, or scores are graded.

    Exact but for steps of psi / 4096; beyond 20,000 discordant items scaled from there by
    1/√n, as the evidence is tuned to the end.

    Examples
    --------
    >>> round(detectable_gap(WatchQuestion(horizon=1000, psi=0.2)), 3)
    0.05
    """
    psi = question.planned_psi
    if question.scale != "binary":
        return None
    if psi * question.horizon > _FOLLOWED:
        nearer = replace(question, horizon=int(_FOLLOWED / psi))
        gap = detectable_gap(nearer)
        return None if gap is None else gap * (nearer.horizon / question.horizon) ** 0.5

    def found(delta: float) -> float:
        return e_process_power(
            delta, psi=psi, n=question.horizon, alpha=question.alpha, a=question.mixture
        )

    low, high = 0.0, psi
    if found(high) < question.power:
        return None
    for _ in range(_STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if found(middle) >= question.power else (middle, high)
    return high
