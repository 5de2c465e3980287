"""From a Gram to gaps with standard errors: independent items, strata, clusters, averages."""

from nstar._engine.pairs.average import Averaged, Lineup, gaps
from nstar._engine.pairs.design import DesignKind, ItemDesign, Panel, panel
from nstar._engine.pairs.pairs import PairStats, pair_stats

__all__ = [
    "Averaged",
    "DesignKind",
    "ItemDesign",
    "Lineup",
    "PairStats",
    "Panel",
    "gaps",
    "pair_stats",
    "panel",
]
