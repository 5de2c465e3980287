"""From a Gram to gaps with standard errors: independent items, strata, clusters, averages."""

from nstar._engine.pairs.average import Averaged, Lineup, gaps
from nstar._engine.pairs.design import DesignKind, ItemDesign, Panel, panel
from nstar._engine.pairs.means import MeanStats, mean_stats
from nstar._engine.pairs.pairs import PairStats, counted_stats, pair_stats, pairing

__all__ = [
    "Averaged",
    "DesignKind",
    "ItemDesign",
    "Lineup",
    "MeanStats",
    "PairStats",
    "Panel",
    "counted_stats",
    "gaps",
    "mean_stats",
    "pair_stats",
    "pairing",
    "panel",
]
