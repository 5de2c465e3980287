"""Boards of votes whose truth is known: how votes come about, and what endless ones would say."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.parameter_types import TiesAs
from nstar._base.types import Array, IntArray
from nstar._data.votes import Votes

NODES = 31
"""Points at which a normal law is weighed: gaps of prompts and judges are to 1e-9."""


def outcomes(gap: Array, ties: float) -> tuple[Array, Array, Array]:
    """Chances of a win, a tie and a loss; ``ties`` is the share of them between equal models.

    Davidson's model, in which strengths are log odds of decisive votes.
    """
    if not ties:
        return special.expit(gap), np.zeros_like(gap), special.expit(-gap)
    return stats.davidson_probabilities(gap, np.log(2 * ties / (1 - ties)))


def voted(rng: np.random.Generator, gap: Array, ties: float) -> Array:
    """Scores of the first model in votes with these gaps, in log odds: 1, 0.5 or 0."""
    win, tie, _ = outcomes(gap, ties)
    luck = rng.random(len(gap))
    return np.where(luck < win, 1.0, np.where(luck < win + tie, 0.5, 0.0))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VoteGenerator:
    """How the votes of a board come about.

    Examples
    --------
    >>> kind = VoteGenerator(strengths=np.array([0.5, 0.0, -0.5]), votes=200)
    >>> votes = kind.drawn(np.random.default_rng(0))
    >>> len(votes), votes.models
    (200, ('m00', 'm01', 'm02'))
    """

    strengths: Array
    """Of each model, in log odds of decisive votes, (M,)."""
    votes: int = 1500
    """Votes on the board."""
    ties: float = 0.35
    """Share of ties between equal models."""
    prompts: int = 0
    """Prompts that share the votes, each with strengths of its own; 0: none has."""
    judges: int = 0
    """Judges likewise, whoever has which prompt."""
    spread: float = 0.4
    """Standard deviation of these strengths around those of all prompts or judges, in log odds."""
    cycle: float = 0.0
    """What each model has beside its strength against the half of the others that follow it in a
    ring, and lacks against the other half, in log odds: no ladder describes such models."""
    newcomer: float = 1.0
    """How often the last model plays, over how often the others do."""
    dominant: float = 0.0
    """Share of the votes that the first judge casts; 0: all judges cast as many."""
    weight_spread: float = 0.0
    """Standard deviation of the logarithms of weights; 0: votes have none."""

    @property
    def models(self) -> int:
        """Models."""
        return len(self.strengths)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the models, in the order of their strengths."""
        return tuple(f"m{k:02}" for k in range(self.models))

    @property
    def cluster(self) -> tuple[str, ...]:
        """Groups of votes that are alike."""
        return ("prompt",) * bool(self.prompts) + ("judge",) * bool(self.judges)

    def index(self, names: tuple[str, ...]) -> IntArray:
        """Places of models in the order of their strengths."""
        return np.array([int(name[1:]) for name in names], np.int64)

    def meetings(self) -> Array:
        """Chance of each pair, the row shown first, (M, M)."""
        often = np.append(np.ones(self.models - 1), self.newcomer)
        meet_weights = np.outer(often, often) * (1 - np.eye(self.models))
        return np.asarray(meet_weights / meet_weights.sum())

    def gaps(self, first: IntArray, second: IntArray) -> Array:
        """Of these pairs over all prompts and judges, in log odds."""
        after = (second - first) % self.models
        ring = np.sign(self.models / 2 - after) * (after > 0)
        return np.asarray(self.strengths[first] - self.strengths[second] + self.cycle * ring)

    def drawn(self, rng: np.random.Generator) -> Votes:
        """One board."""
        pair = rng.choice(self.models**2, self.votes, p=self.meetings().ravel())
        a, b = np.divmod(pair, self.models)
        gap, groups = self.gaps(a, b), {}
        for name, count in (("prompt", self.prompts), ("judge", self.judges)):
            if count:
                group = rng.integers(0, count, self.votes)
                if name == "judge" and self.dominant:
                    group = np.where(rng.random(self.votes) < self.dominant, 0, group)
                group_effects = rng.normal(0, self.spread, (count, self.models))
                gap = gap + group_effects[group, a] - group_effects[group, b]
                groups[name] = group.tolist()
        names, score = np.array(self.names), voted(rng, gap, self.ties)
        weight = None
        if self.weight_spread:
            weight = np.exp(rng.normal(0, self.weight_spread, self.votes))
        return Votes.of(names[a], names[b], score, groups=groups, weight=weight)

    def endless(self, gap: Array) -> tuple[Array, Array, Array]:
        """Shares of wins, ties and losses over all prompts and judges, at gaps of all of them."""
        at, weight = np.polynomial.hermite_e.hermegauss(NODES)
        effects = (2 * len(self.cluster)) ** 0.5 * self.spread * at
        each = outcomes(gap[:, None] + effects, self.ties)
        win, tie, loss = (x @ (weight / weight.sum()) for x in each)
        return win, tie, loss

    def truth(self, ties_as: TiesAs = "half") -> Array:
        """Strengths that endless votes of this kind have, (M,): what intervals are to hold.

        Where the model of votes is wrong, these are the strengths that come nearest.

        Examples
        --------
        >>> kind = VoteGenerator(strengths=np.array([0.5, -0.5]), ties=0.35)
        >>> kind.truth("davidson").round(6).tolist()
        [0.5, -0.5]
        >>> kind.truth().round(3).tolist()  # ties as half a win: the scale is narrower
        [0.324, -0.324]
        """
        a, b = np.nonzero(1 - np.eye(self.models))
        shares = np.concatenate(self.endless(self.gaps(a, b)))
        met = np.tile(self.meetings()[a, b], 3)
        score = np.repeat([1.0, 0.5, 0.0], a.size)
        keep_mask = (shares > 0) & ((score != 0.5) | (ties_as != "drop"))
        rows = stats.VoteRows.of(
            np.tile(a, 3)[keep_mask],
            np.tile(b, 3)[keep_mask],
            score[keep_mask],
            weight=(met * shares)[keep_mask],
        )
        fit = stats.davidson_fit if ties_as == "davidson" else stats.bradley_terry_fit
        return fit(rows).strengths.round(9)
