"""``claim_wins``: best on so many of so many benchmarks."""

from nstar._api.criteria import criteria
from nstar._verbs.claim import WinsClaim, judged_wins


def claim_wins(
    wins: int,
    of: int,
    *,
    ties: int = 0,
    models: int = 2,
    picked_from: int | None = None,
    alpha: float = 0.05,
) -> WinsClaim:
    """What does "best on 7 of 9 benchmarks" support?

    Parameters
    ----------
    wins, of
        Benchmarks on which the model is best, of those shown.
    ties
        Of these wins, those shared with another model.
    models
        Models that were compared.
    picked_from
        Benchmarks that were run, if those shown were picked from more.
    alpha
        Level.

    Returns
    -------
    WinsClaim
        Sign tests under each reading of what was not said, and where they turn.

    Raises
    ------
    ParameterError
        More wins than benchmarks, and the like.

    References
    ----------
    Methods: Printed figures

    Examples
    --------
    >>> c = claim_wins(7, 9, models=5)
    >>> c.significance, c.picked_turn
    ('depends', 14)
    """
    return judged_wins(
        wins,
        of,
        ties=ties,
        models=models,
        picked_from=picked_from,
        criteria=criteria(alpha, max(0.8, (1 + alpha) / 2)),
    )
