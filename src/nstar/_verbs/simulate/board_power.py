"""What boards show by a test of all their pairs, with Monte Carlo standard errors."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BoardPower:
    """Power of a whole board: its winner, its neighbors, its tiers and ranks."""

    scores: tuple[float, ...]
    """True accuracies, from the best model down."""
    winner: float | None
    """Probability that a truly best model is on top, equal scores in random order; None if all
    models are equally good."""
    winner_se: float | None
    """Monte Carlo standard error of that."""
    winner_proved: float | None
    """Probability that the best is significantly ahead of every other model; None if two are
    equally good."""
    winner_proved_se: float | None
    """Monte Carlo standard error of that."""
    neighbors: float | None
    """Share of true neighbors that are told apart, in the right order; None if all are equal."""
    neighbors_se: float | None
    """Monte Carlo standard error of that."""
    all_neighbors: float | None
    """Probability that all of them are, together."""
    all_neighbors_se: float | None
    """Monte Carlo standard error of that."""
    each: tuple[float | None, ...]
    """Probability for each model and the next, from the best down; None for equal ones."""
    each_se: tuple[float | None, ...]
    """Monte Carlo standard errors of those."""
    tiers: float
    """Mean number of tiers."""
    tiers_se: float
    """Monte Carlo standard error of that."""
    rank_width: float
    """Mean number of ranks that a model may have."""
    rank_width_se: float
    """Monte Carlo standard error of that."""
