"""Gaps and standard errors from a Gram: independent items, strata, clusters, and averages."""

from nstar._engine.pairs.average import AnyPanel, AveragedPanel, gaps
from nstar._engine.pairs.design import DesignKind, ItemDesign, Panel, panel
from nstar._engine.pairs.model_means import MeanStats, mean_stats
from nstar._engine.pairs.pair_gaps import PairStats, counted_stats, pair_stats, pairing

__all__ = [
    "AnyPanel",
    "AveragedPanel",
    "DesignKind",
    "ItemDesign",
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
