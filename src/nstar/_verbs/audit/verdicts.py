"""Apply significance rules to the pairs of a tile to get verdicts."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray
from nstar._engine.pairs import PairStats
from nstar._verbs.audit.family import SignificanceRule
from nstar._verbs.audit.tiles import Tile
from nstar._verbs.verdict import judge_pairs


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisiveLead:
    """Bounds on wins minus losses beyond which a pair passes all rules without a test.

    Such a pair is significant and resolved under every adjustment.
    """

    lead: float
    """Smallest decisive lead, in square roots of the discordant items."""
    fewest: float
    """Smallest number of discordant items for which the bound is used."""

    @classmethod
    def of(cls, rulers: Iterable[SignificanceRule]) -> "DecisiveLead":
        """Return the bounds from Hoeffding's inequality.

        A lead of z √m in m tosses has p ≤ 2 exp(-z² / 2).
        """
        # Hoeffding holds for the exact and the mid-p test, so one bound covers both. With the
        # strictest rule, a skipped pair is significant under every one of them.
        lead = fewest = 0.0
        for one in rulers:
            test = one.mcnemar()
            lead = max(lead, test.shift, math.sqrt(-2 * math.log(one.p / 2)))
            fewest = max(fewest, test.rare)
        return cls(lead=lead, fewest=fewest)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CountingRules:
    """Rules for counting pairs."""

    rulers: Mapping[str, SignificanceRule]
    """Rule of each adjustment; ``""`` is without adjustment."""
    verdict: str
    """Adjustment of the verdicts."""
    ranking: str
    """Adjustment of rank ranges and tiers."""
    interval: float
    """Level of an adjusted interval, unless the verdict is from a later step."""
    alone: float
    """Largest significant p-value if only one model's comparisons are of interest."""
    edges: tuple[float, ...]
    """Limits of the bins of gaps, ascending, from 0."""
    better: int
    """1 if higher is better, -1 if lower is."""
    width: float
    """Largest possible gap."""
    beyond: DecisiveLead
    """Leads of 0/1 scores that are significant and resolved under every rule."""
    margin: float | None = None
    """Margin of equivalence."""
    margin_alpha: float = 0.05
    """Level of the equivalence test."""

    def significant(self, reading: str, tile: Tile) -> BoolArray:
        """Return a mask of the pairs of a tile that an adjustment rejects."""
        return np.asarray(tile.p <= self.rulers[reading].p)

    def resolved(self, reading: str, tile: Tile) -> BoolArray:
        """Return a mask of gaps with the target power if the true gap is the observed one."""
        return self.rulers[reading].resolves(tile.pairs)

    def settled(self, reading: str, tile: Tile) -> BoolArray:
        """Return a mask of gaps that are significant and resolved."""
        out = self.significant(reading, tile)
        if out.any():
            out &= self.resolved(reading, tile)
        return out

    def codes(self, tile: Tile, settled: BoolArray | None = None) -> Any:
        """Return the verdict of each pair, as an index of PAIR_STATES."""
        if settled is None:
            settled = self.settled(self.verdict, tile)
        equivalent = None
        if self.margin is not None:
            equivalent = equivalent_pairs(tile.pairs, self.margin, self.width) <= self.margin_alpha
        return judge_pairs(
            significant=self.significant(self.verdict, tile),
            resolved=settled,
            equivalent=equivalent,
        )


def equivalent_pairs(pairs: PairStats, margin: float, width: float) -> Array:
    """Return the p-value of a gap at or beyond the margin; 1 if the gap is outside.

    The test is Tango's for 0/1 scores. Otherwise it is a t test that allows for losses too rare to
    be observed.
    """
    p = np.ones(pairs.delta.shape)
    with np.errstate(invalid="ignore"):
        inside = (np.abs(pairs.delta) < margin) & (pairs.se >= 0)
    inside_pairs = pairs.take(inside)
    if not inside_pairs.delta.size:
        return p
    if inside_pairs.gram.binary and np.isinf(inside_pairs.df).all():
        p[inside] = stats.equivalence_pvalue(
            *inside_pairs.gram.discordant, inside_pairs.n, margin=margin
        )
        return p
    p[inside] = stats.margin_pvalue(
        inside_pairs.delta,
        inside_pairs.se,
        inside_pairs.exposed(),
        df=inside_pairs.df,
        width=width,
        margin=margin,
        sides=2,
        clusters=inside_pairs.clusters is not None,
    )
    return p
