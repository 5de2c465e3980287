"""What votes say: ratings with their ranks, neighbors, groups of votes, and what else moves them.

Ratings and gaps are in Elo points, 400 / ln 10 of a log odds; first minus second.
"""

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from nstar._base.codec import derived
from nstar._base.parameter_types import TiesAs
from nstar._base.result import Result
from nstar._base.types import Array, ArrayOrInf, BoolArray, Count, CountArray, IntArray
from nstar._data.findings import Finding
from nstar._verbs.audit.tables import ArrayTable, MedianRange, median_range
from nstar._verbs.battles.question import FamilyBy
from nstar._verbs.verdict import BoardVerdict, Criteria, PairState, pair_states

ELO = 400 / math.log(10)
"""Points of a log odds: 400 points are ten to one."""
MEAN = 1000.0
"""Rating of an average model, unless one is anchored."""

UnratedWhy = Literal["won all", "lost all", "never met", "one group", "few groups"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingTable(ArrayTable):
    """Rated models from best to worst, one row each."""

    model: tuple[str, ...]
    """Model."""
    rating: Array
    """Elo points."""
    ci_low: Array
    """Lower end of the interval of its distance from the mean of all, or from the anchor, of
    coverage 1 - alpha for this model alone. Two such intervals do not compare two models."""
    ci_high: Array
    """Upper end."""
    rank: CountArray
    """Place by rating, 1 is best."""
    rank_low: CountArray
    """Best rank that the votes leave open, for all models at once."""
    rank_high: CountArray
    """Worst rank that the votes leave open, for all models at once."""
    tier: CountArray
    """Tier, 1 is best: every model of a tier beats every model of the next."""
    n_votes: CountArray
    """Votes on it."""
    n_opponents: CountArray
    """Rated models that it met."""
    n_wins: CountArray
    """Votes that it won."""
    n_ties: CountArray
    """Votes that tied."""
    n_losses: CountArray
    """Votes that it lost."""
    uncontrolled_rating: Array | None
    """Rating without controls; None if there are none."""
    uncontrolled_rank: CountArray | None
    """Place by that."""
    df: Array | None = None
    """Degrees of freedom of its error; None without groups. A gap has the fewer of its two."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingGapTable(ArrayTable):
    """Pairs of models, one row each, the better rated first; verdicts come from their gaps."""

    model_a: tuple[str, ...]
    """First model."""
    model_b: tuple[str, ...]
    """Second model."""
    elo: Array
    """Elo points between them."""
    ci_adjusted_low: Array
    """Lower limit of its interval, adjusted as the verdict is: it excludes 0 exactly if the
    verdict is ``significant``. These intervals cover all pairs simultaneously with probability
    1 - alpha (Bonferroni), except pairs that only a later step of the method rejects."""
    ci_adjusted_high: Array
    """Upper limit."""
    ci_unadjusted_low: Array
    """Lower limit of the interval of this pair alone, of coverage 1 - alpha."""
    ci_unadjusted_high: Array
    """Upper limit."""
    expected_score: Array
    """Expected score of the first against the second, a proportion."""
    n_votes: CountArray
    """Votes between the two."""
    observed_score: Array
    """Score of the first in those; NaN without any."""
    pvalue: Array
    """p-value of no gap, this pair alone."""
    pvalue_adjusted: Array
    """p-value for the family of all pairs of rated models."""
    significant_gap: Array
    """Smallest observed gap that is significant in the family with this standard error, in Elo."""
    mde: Array
    """Smallest gap that is found as often as wanted, in the family, in Elo points."""
    q: Array
    """Resolution ratio votes / votes needed at the observed gap, in the family."""
    n_star: ArrayOrInf
    """Votes of all models, in the present mix, that would find a gap of this size in the family;
    with clusters, on as many more of them in proportion."""
    more_direct_votes: ArrayOrInf
    """Votes between these two alone, beside those there are, that would."""
    verdict: tuple[BoardVerdict, ...]
    """What was shown, as one of the family."""
    is_underpowered: BoolArray
    """Whether the gap is significant but q is below 1: the power is less than wanted if the true
    gap equals the observed one."""

    @derived
    def is_resolved(self) -> BoolArray:
        """Whether the gap is significant and not underpowered."""
        significant = np.array([v == "significant" for v in self.verdict], dtype=np.bool_)
        return significant & ~self.is_underpowered

    @property
    def states(self) -> tuple[PairState, ...]:
        """Each verdict, and whether it is underpowered, in words."""
        return pair_states(self.verdict, self.is_underpowered.tolist())

    def resolvable_gap(self) -> MedianRange | None:
        """The gap that these pairs detect, in the family: median and range of ``mde``."""
        return median_range(self.mde)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnratedModel:
    """A model without a rating: no finite rating fits its votes, or its error is not estimable."""

    model: str
    """Model."""
    n_votes: Count
    """Votes on it."""
    reason: UnratedWhy
    """``won all`` or ``lost all`` it played against rated models, or those it leads or follows;
    ``never met`` any of them; ``one group`` has more than 60% of its votes, or so ``few groups``
    have them that its error is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteGroups:
    """One way in which votes belong together, and what it would change."""

    columns: tuple[str, ...]
    """What its groups are: prompts, judges, pairs of answers; two of them at once."""
    n_groups: Count
    """How many there are; of two, of the one that has fewer."""
    n_votes_largest: Count
    """Votes of the largest."""
    is_declared: bool
    """Whether ranks and verdicts allow for it."""
    design_effect: float | None
    """Variance of a gap over that of independent votes, median over all pairs; None for fewer than
    five groups, or for groups as unequal as that."""
    n_could_be_best: Count | None
    """Models that may be the best; None where it was not computed."""
    n_inconclusive: Count | None
    """Neighboring places that are undecided; None where it was not computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteEffect:
    """What all votes share beside the models."""

    name: str
    """``position``, or the covariate."""
    elo: float
    """Points that the first answer has from its place, or from one standard deviation more of the
    covariate than the other answer."""
    ci_low: float
    """Lower end of its interval."""
    ci_high: float
    """Upper end."""
    pvalue: float
    """p-value of no effect."""
    covariate_sd: float | None = None
    """That standard deviation; None for the position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMisfit:
    """A pair whose own votes say otherwise than the ratings."""

    model_a: str
    """First model."""
    model_b: str
    """Second model."""
    n_votes: Count
    """Votes between them."""
    observed_score: float
    """Score of the first in those."""
    expected_score: float
    """Score that the ratings expect."""
    z: float
    """Difference in standard errors, votes independent."""
    pvalue_adjusted: float
    """p-value among all pairs tested (Holm)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LackOfFit:
    """Whether one number for each model explains the votes."""

    n_tested: Count
    """Pairs with enough votes between them to tell."""
    min_votes: Count
    """Votes that are enough."""
    n_significant: Count
    """Of those, pairs that depart from the ratings among all tested."""
    worst_pairs: tuple[PairMisfit, ...]
    """The pairs that depart most."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Battles(Result):
    """Votes between models: ratings, and which of their differences the votes support."""

    n_votes: Count
    """Votes counted."""
    n_models: Count
    """Models that they are about, rated or not."""
    tie_share: float
    """Share of votes that tied."""
    n_both_bad: Count
    """Ties between answers that were both called bad."""
    ties: TiesAs
    """What ties count as."""
    elo_scale: Literal["score", "decisive"]
    """What 400 points are ten to one of: the expected score, ties half; or decisive votes."""
    anchor: tuple[str, float] | None
    """Model whose rating is given; None: the mean of rated models is 1000."""
    prior: float
    """Weight of the tie that was added to each pair that met, after any reduction."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    confidence_level: float
    """Coverage of the intervals, each alone."""
    cluster: tuple[str, ...]
    """Groups of votes that are declared to be a sample."""
    df: float | None
    """Degrees of freedom of a typical model (Satterthwaite): as many as such groups less one, if
    they are alike; fewer if a few have most votes. None without."""
    n_votes_planned: Count | None
    """Votes planned in all, if the answer holds at every look; None: it holds at one."""
    adjust: FamilyBy
    """How ranks and verdicts allow for the number of pairs."""
    adjust_reason: str | None
    """Why that is not what was asked for, if it is not."""
    critical_value: float | None
    """|t| that a gap between typical models must reach in this family to be significant."""
    n_draws: Count | None
    """Simulated draws of max-T; None without it."""
    seed: Count
    """Seed of those draws."""
    ratings: RatingTable
    """Rated models from best to worst."""
    unrated: tuple[UnratedModel, ...]
    """The others."""
    adjacent: RatingGapTable
    """Neighbors in rank."""
    verdict_counts: dict[BoardVerdict, Count]
    """Verdicts over all pairs of rated models."""
    n_underpowered: Count
    """Of the significant pairs, those with less power than wanted."""
    n_pairs: Count
    """Pairs of rated models."""
    groupings: tuple[VoteGroups, ...]
    """Ways in which votes belong together, declared or found, beside each other."""
    position_effect: VoteEffect | None
    """Advantage of the answer that was shown first; None if the order is not known."""
    control_effects: tuple[VoteEffect, ...]
    """What the ratings are cleared of."""
    log_tie: float | None
    """log ν of Davidson's model; None without it."""
    lack_of_fit: LackOfFit
    """Whether one number for each model explains the votes."""
    findings: tuple[Finding, ...] = ()
    """What was found in the data before."""
    caution: str | None = None
    """Why these numbers are a rough guide, if they are: few clusters, or unequal ones."""
    strengths: Array | None = field(default=None, compare=False)
    """Log odds of rated models in the order of ``ratings``, adding up to 0."""
    covariance: Array | None = field(default=None, compare=False)
    """Covariance of those."""
    pair_votes: IntArray | None = field(default=None, compare=False)
    """Votes between rated models, in that order."""
    pair_scores: Array | None = field(default=None, compare=False)
    """Score of the row against the column in those votes; NaN without any."""

    def __len__(self) -> int:
        """Rated models."""
        return len(self.ratings)

    @derived
    def n_could_be_best(self) -> int:
        """Models that may be the best."""
        return int(np.count_nonzero(self.ratings.rank_low == 1))

    @derived
    def n_inconclusive(self) -> int:
        """Neighboring places that are undecided."""
        return sum(word == "inconclusive" for word in self.adjacent.verdict)

    @derived
    def resolvable_gap(self) -> MedianRange | None:
        """The gap that is detected: the MDE of a typical pair of neighbors, in Elo points."""
        return self.adjacent.resolvable_gap()

    @derived
    def significant_gap(self) -> MedianRange | None:
        """The observed gap from which a typical pair of neighbors is significant, in Elo."""
        return median_range(self.adjacent.significant_gap)
