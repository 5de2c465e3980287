"""Result of an analysis of votes: ratings with ranks, adjacent pairs, groups, and other effects.

Ratings and gaps are in Elo points, 400 / ln 10 per log odds; first minus second.
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
from nstar._verbs.battles.contrasts import Contrasts
from nstar._verbs.battles.next_result import NextVotes
from nstar._verbs.battles.question import FamilyBy
from nstar._verbs.board_changes import BoardChanges
from nstar._verbs.verdict import BoardVerdict, Criteria, PairState, pair_states

ELO = 400 / math.log(10)
"""Elo points per log odds: 400 points are odds of ten to one."""
MEAN = 1000.0
"""Rating of an average model, unless one is anchored."""

WeightedWhy = Literal["lack of fit", "shift"]
UnratedWhy = Literal["won all", "lost all", "never met", "one group", "few groups"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingTable(ArrayTable):
    """Rated models from best to worst, one row each."""

    model: tuple[str, ...]
    """Name of the model."""
    rating: Array
    """Rating in Elo points."""
    ci_low: Array
    """Lower limit of the interval of its distance from the mean of all, or from the anchor, of
    coverage 1 - alpha for this model alone. Two such intervals do not compare two models."""
    ci_high: Array
    """Upper limit of this interval."""
    rank: CountArray
    """Rank by rating, 1 is best."""
    rank_low: CountArray
    """Best rank that the votes support, simultaneously for all models."""
    rank_high: CountArray
    """Worst rank that the votes support, simultaneously for all models."""
    tier: CountArray
    """Tier, 1 is best: every model in a tier beats every model in the next."""
    n_votes: CountArray
    """Number of votes on the model."""
    n_opponents: CountArray
    """Number of rated models that it met."""
    n_wins: CountArray
    """Number of votes that it won."""
    n_ties: CountArray
    """Number of tied votes."""
    n_losses: CountArray
    """Number of votes that it lost."""
    uncontrolled_rating: Array | None
    """Rating without controls; None if there are none."""
    uncontrolled_rank: CountArray | None
    """Rank by the rating without controls."""
    df: Array | None = None
    """Degrees of freedom of its error; None without groups. A gap has the smaller of its two."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RatingGapTable(ArrayTable):
    """Pairs of models, one row each, the better rated first."""

    model_a: tuple[str, ...]
    """First model."""
    model_b: tuple[str, ...]
    """Second model."""
    elo: Array
    """Gap in Elo points."""
    ci_adjusted_low: Array
    """Lower limit of the adjusted interval, which excludes 0 exactly if the verdict is
    ``significant``. These intervals cover all pairs simultaneously with probability 1 - alpha
    (Bonferroni), except pairs that only a later step of the method rejects."""
    ci_adjusted_high: Array
    """Upper limit of the adjusted interval."""
    ci_unadjusted_low: Array
    """Lower limit of the unadjusted interval, of coverage 1 - alpha."""
    ci_unadjusted_high: Array
    """Upper limit of the unadjusted interval."""
    expected_score: Array
    """Expected score of the first against the second, a proportion."""
    n_votes: CountArray
    """Number of votes between the two."""
    observed_score: Array
    """Score of the first model in these votes; NaN without any."""
    pvalue: Array
    """p-value of a zero gap, unadjusted."""
    pvalue_adjusted: Array
    """p-value in the family of all pairs of rated models."""
    significant_gap: Array
    """Smallest observed gap that is significant in the family with this standard error, in Elo."""
    mde: Array
    """Smallest gap detected with the target power in the family, in Elo points."""
    q: Array
    """Resolution ratio votes / votes needed at the observed gap, in the family."""
    n_star: ArrayOrInf
    """Votes of all models, in the present mix, needed to detect a gap of this size in the family;
    with clusters, on proportionally more of them."""
    more_direct_votes: ArrayOrInf
    """Additional votes between these two models needed to detect the gap."""
    verdict: tuple[BoardVerdict, ...]
    """Verdict in the family."""
    is_underpowered: BoolArray
    """Whether the gap is significant but q is below 1: the power is below the target if the true
    gap equals the observed one."""

    @derived
    def is_resolved(self) -> BoolArray:
        """Return whether the gap is significant and not underpowered."""
        significant = np.array([v == "significant" for v in self.verdict], dtype=np.bool_)
        return significant & ~self.is_underpowered

    @property
    def states(self) -> tuple[PairState, ...]:
        """Return each verdict, and whether it is underpowered, in words."""
        return pair_states(self.verdict, self.is_underpowered.tolist())

    def resolvable_gap(self) -> MedianRange | None:
        """Return the gap that these pairs detect in the family: median and range of ``mde``."""
        return median_range(self.mde)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnratedModel:
    """A model without a rating, because no finite rating fits or its error is not estimable."""

    model: str
    """Name of the model."""
    n_votes: Count
    """Number of votes on the model."""
    reason: UnratedWhy
    """``won all`` or ``lost all`` it played against rated models, or those it leads or follows;
    ``never met`` any of them; ``one group`` has more than 60% of its votes, or so ``few groups``
    have them that its error is not known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteGroups:
    """One grouping of dependent votes, and its effect."""

    columns: tuple[str, ...]
    """Columns that define the groups: prompts, judges, pairs of answers; or two of them."""
    n_groups: Count
    """Number of groups; the smaller number for two columns."""
    n_votes_largest: Count
    """Number of votes in the largest group."""
    is_declared: bool
    """Whether ranks and verdicts account for it."""
    design_effect: float | None
    """Variance of a gap over that of independent votes, median over all pairs; None for fewer than
    five groups, or for groups as unequal as that."""
    n_could_be_best: Count | None
    """Number of models that could be best; None where it was not computed."""
    n_inconclusive: Count | None
    """Number of inconclusive adjacent pairs; None where it was not computed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoteEffect:
    """Effect shared by all votes, in addition to the effects of the models."""

    name: str
    """``position``, or the name of the covariate."""
    elo: float
    """Elo points that the first answer gains from its position, or from one standard deviation
    more of the covariate than the other answer."""
    ci_low: float
    """Lower limit of its interval."""
    ci_high: float
    """Upper limit of its interval."""
    pvalue: float
    """p-value of no effect."""
    covariate_sd: float | None = None
    """Standard deviation of the covariate; None for the position."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMisfit:
    """A pair whose own votes contradict the ratings."""

    model_a: str
    """First model."""
    model_b: str
    """Second model."""
    n_votes: Count
    """Number of votes between them."""
    observed_score: float
    """Score of the first model in these votes."""
    expected_score: float
    """Score of the first model that the ratings predict."""
    z: float
    """Difference in standard errors, for independent votes."""
    pvalue_adjusted: float
    """p-value among all pairs tested (Holm)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LackOfFit:
    """Test of whether one rating per model explains the votes."""

    n_tested: Count
    """Number of pairs with enough votes for the test."""
    min_votes: Count
    """Number of votes that suffice."""
    n_significant: Count
    """Number of pairs that depart significantly from the ratings, among all tested."""
    worst_pairs: tuple[PairMisfit, ...]
    """Pairs that depart most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChosenPairs:
    """Votes on pairs that earlier votes chose, and whether ratings are weighted for it."""

    n_votes: Count
    """Number of votes on chosen pairs."""
    weighted_because: WeightedWhy | None
    """Why votes are weighted as if these pairs were random: some pairs deviate from the ratings,
    or a gap to the leader shifts by more than two standard errors. None: votes are not."""
    largest_shift: float
    """Largest shift of a gap to the leader by the weights, in standard errors."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Battles(Result):
    """Ratings of models from votes, and the differences that the votes support."""

    n_votes: Count
    """Number of votes counted."""
    n_models: Count
    """Number of models in these votes, rated or not."""
    tie_share: float
    """Share of tied votes."""
    n_both_bad: Count
    """Number of ties between answers that were both rated bad."""
    ties: TiesAs
    """Treatment of ties."""
    elo_scale: Literal["score", "decisive"]
    """Meaning of 400 points, ten to one: of expected scores with ties half, or of decisive votes.
    """
    anchor: tuple[str, float] | None
    """Model with a fixed rating; None: the mean of rated models is 1000."""
    prior: float
    """Weight of the tie that was added to each pair that met, after any reduction."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    confidence_level: float
    """Coverage of each interval."""
    cluster: tuple[str, ...]
    """Groups of votes that are declared to be a sample."""
    df: float | None
    """Degrees of freedom of a typical model (Satterthwaite): the number of groups less one if they
    are alike, and fewer if a few have most votes. None without groups."""
    n_votes_planned: Count | None
    """Total number of planned votes if the result holds at every look; None if it holds at one."""
    adjust: FamilyBy
    """Multiple-comparison adjustment of ranks and verdicts."""
    adjust_reason: str | None
    """Why the adjustment differs from the requested one, if it does."""
    critical_value: float | None
    """|t| at which a gap between typical models is significant in this family."""
    n_draws: Count | None
    """Number of max-T draws; None without max-T."""
    seed: Count
    """Random seed of the draws."""
    ratings: RatingTable
    """Rated models from best to worst."""
    unrated: tuple[UnratedModel, ...]
    """Models without a rating."""
    adjacent: RatingGapTable
    """Pairs of adjacent models."""
    verdict_counts: dict[BoardVerdict, Count]
    """Number of pairs of rated models by verdict."""
    n_underpowered: Count
    """Number of significant pairs with less than the target power."""
    n_pairs: Count
    """Number of pairs of rated models."""
    groupings: tuple[VoteGroups, ...]
    """Groupings of dependent votes, declared or detected."""
    position_effect: VoteEffect | None
    """Advantage of the answer that was shown first; None if the order is not known."""
    control_effects: tuple[VoteEffect, ...]
    """Effects of the covariates that the ratings are adjusted for."""
    log_tie: float | None
    """log ν of Davidson's model; None without it."""
    lack_of_fit: LackOfFit
    """Test of whether one rating per model explains the votes."""
    findings: tuple[Finding, ...] = ()
    """Findings about the data."""
    caution: str | None = None
    """Why these numbers are approximate, if they are: few clusters, or unequal ones."""
    chosen_pairs: ChosenPairs | None = None
    """Votes on pairs that earlier votes chose; None if there are none."""
    next_votes: NextVotes | None = None
    """Votes to collect next; None if not requested."""
    changes: BoardChanges | None = None
    """Changes since older votes; None without them."""
    strengths: Array | None = field(default=None, compare=False)
    """Log odds of rated models in the order of ``ratings``. They add up to 0."""
    covariance: Array | None = field(default=None, compare=False)
    """Covariance of ``strengths``."""
    pair_votes: IntArray | None = field(default=None, compare=False)
    """Votes between rated models, in that order."""
    pair_scores: Array | None = field(default=None, compare=False)
    """Score of the row against the column in these votes; NaN without any."""
    contrasts: Contrasts | None = field(default=None, compare=False)
    """Gaps of all pairs; None if they were not kept."""

    def __len__(self) -> int:
        """Return the number of rated models."""
        return len(self.ratings)

    @derived
    def n_could_be_best(self) -> int:
        """Number of models that could be best."""
        return int(np.count_nonzero(self.ratings.rank_low == 1))

    @derived
    def n_inconclusive(self) -> int:
        """Number of inconclusive adjacent pairs."""
        return sum(word == "inconclusive" for word in self.adjacent.verdict)

    @derived
    def resolvable_gap(self) -> MedianRange | None:
        """Return the detectable gap: the MDE of a typical adjacent pair, in Elo points."""
        return self.adjacent.resolvable_gap()

    @derived
    def significant_gap(self) -> MedianRange | None:
        """Return the smallest significant gap of a typical adjacent pair, in Elo points."""
        return median_range(self.adjacent.significant_gap)
