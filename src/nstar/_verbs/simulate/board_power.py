"""Power of a test of all pairs on leaderboards, with Monte Carlo standard errors."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPower:
    """Power on a leaderboard: its winner, its adjacent pairs, its tiers, and its rank ranges."""

    scores: tuple[float, ...]
    """True accuracies, best model first."""
    winner: float | None
    """Probability that a truly best model is ranked first, with ties in random order; None if all
    models are equally good.
    """
    winner_se: float | None
    """Monte Carlo standard error of ``winner``."""
    winner_proved: float | None
    """Probability that the best model is significantly better than every other model; None if two
    are equally good.
    """
    winner_proved_se: float | None
    """Monte Carlo standard error of ``winner_proved``."""
    neighbors: float | None
    """Share of truly adjacent pairs that are significant in the right order; None if all models
    are equal.
    """
    neighbors_se: float | None
    """Monte Carlo standard error of ``neighbors``."""
    all_neighbors: float | None
    """Probability that all adjacent pairs are significant in the right order."""
    all_neighbors_se: float | None
    """Monte Carlo standard error of ``all_neighbors``."""
    each: tuple[float | None, ...]
    """Probability for each model and the next, best first; None for equal models."""
    each_se: tuple[float | None, ...]
    """Monte Carlo standard errors of ``each``."""
    tiers: float
    """Mean number of tiers."""
    tiers_se: float
    """Monte Carlo standard error of ``tiers``."""
    rank_width: float
    """Mean width of the rank ranges."""
    rank_width_se: float
    """Monte Carlo standard error of ``rank_width``."""
