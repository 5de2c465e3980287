"""Result about the next votes: pairs to collect, with drawing probabilities, and votes saved."""

from dataclasses import dataclass

from nstar._base.codec import derived
from nstar._base.types import Array, Count, CountArray
from nstar._verbs.audit.tables import ArrayTable


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NextPairTable(ArrayTable):
    """Pairs of models in the next batch, one row each, the most frequent first."""

    model_a: tuple[str, ...]
    """First model, which has the better rating."""
    model_b: tuple[str, ...]
    """Second model."""
    n_votes: CountArray
    """Number of votes between them now."""
    n_next: CountArray
    """Number of votes between them in the next batch."""
    probability: Array
    """Probability of this pair for each vote of the batch."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NextVoteTable(ArrayTable):
    """Votes to collect, one row each, in random order."""

    model_a: tuple[str, ...]
    """Model to show first, at random."""
    model_b: tuple[str, ...]
    """Model to show second."""
    prompt: tuple[str, ...] | None
    """Prompt, at random among those with the fewest votes on this pair; None without ids."""
    pair_probability: Array
    """Probability with which the pair was drawn. Keep this column with the votes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NextVotes:
    """Next batch of votes, and its expected gain over random pairs."""

    n_votes: Count
    """Number of votes in the batch."""
    top: Count | None
    """Number of best models that the batch separates from the others; None: all ranks."""
    n_gaps: Count
    """Number of gaps to decide: adjacent ones, or between the best models and all others."""
    n_open: Count
    """Number of these gaps that are not significant now."""
    n_connecting: Count
    """Number of votes on models without a rating."""
    expected_decided: float
    """Expected number of these gaps that are significant after the batch."""
    expected_decided_uniform: float
    """The same after as many votes on uniformly random pairs."""
    n_votes_uniform: Count | None
    """Number of votes on uniformly random pairs with the same expected number; None if it is over
    20 times the batch."""
    pairs: NextPairTable
    """Pairs in the batch."""
    votes: NextVoteTable
    """Votes to collect."""

    @derived
    def n_saved(self) -> int | None:
        """Number of votes saved, compared with uniformly random pairs."""
        return None if self.n_votes_uniform is None else self.n_votes_uniform - self.n_votes
