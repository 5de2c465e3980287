"""``claim_wins``: check whether the best value on several benchmarks is more than chance."""

from typing import TYPE_CHECKING

from nstar._base.parameter_types import BenchmarkCount, ModelCount, Proportion, WinCount
from nstar._base.verb import verb

if TYPE_CHECKING:
    from nstar._verbs.claim import WinsClaim


@verb()
def claim_wins(
    wins: WinCount,
    benchmarks: BenchmarkCount,
    /,
    *,
    ties: WinCount = 0,
    models: ModelCount = 2,
    picked_from: BenchmarkCount | None = None,
    alpha: Proportion = 0.05,
) -> "WinsClaim":
    """Check whether a number of wins over benchmarks could be due to chance alone.

    Parameters
    ----------
    wins : int
        Number of benchmarks on which the model has the best value, alone or tied.
    benchmarks : int
        Number of reported benchmarks.
    ties : int, default 0
        Number of wins that are shared with another model.
    models : int, default 2
        Number of models that were compared.
    picked_from : int, optional
        Number of benchmarks that were run, if not all of them are reported.

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests.

    Returns
    -------
    WinsClaim
        Sign tests under different assumptions about the values that are not reported.

    Raises
    ------
    ParameterError
        There are more wins than benchmarks, or more ties than wins.

    References
    ----------
    Methods: Reported figures

    Examples
    --------
    >>> c = claim_wins(7, 9, models=5)
    >>> c.verdict, c.picked_turn
    ('depends', 14)
    """
    from nstar._verbs.claim import judged_wins
    from nstar._verbs.verdict import Criteria

    return judged_wins(
        wins,
        benchmarks,
        ties=ties,
        models=models,
        picked_from=picked_from,
        criteria=Criteria(alpha=alpha, power=max(0.8, (1 + alpha) / 2)),
    )
