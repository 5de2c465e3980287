"""Sums and cross products of all pairs of models, by tiles. Grams of disjoint items add."""

from nstar._engine.gram.block import Block
from nstar._engine.gram.distance import NEAR, squared_distances
from nstar._engine.gram.gram import Gram, gram, group_grams, spread
from nstar._engine.gram.layout import NO_LABEL, Layout, layout
from nstar._engine.gram.rows import block, present_in_all
from nstar._engine.gram.stored import Stored, scores_of

__all__ = [
    "NEAR",
    "NO_LABEL",
    "Block",
    "Gram",
    "Layout",
    "Stored",
    "block",
    "gram",
    "group_grams",
    "layout",
    "present_in_all",
    "scores_of",
    "spread",
    "squared_distances",
]
