"""Sums and cross products of all pairs of models, by tiles. Grams of disjoint items add."""

from nstar._gram.block import NO_LABEL, Block, Layout, block, layout, present_in_all
from nstar._gram.distance import NEAR, squared_distances
from nstar._gram.gram import Gram, gram, group_grams, spread

__all__ = [
    "NEAR",
    "NO_LABEL",
    "Block",
    "Gram",
    "Layout",
    "block",
    "gram",
    "group_grams",
    "layout",
    "present_in_all",
    "spread",
    "squared_distances",
]
