"""Sums and cross products of all pairs of models, by tiles. Grams of disjoint items add."""

from nstar._gram.block import Block
from nstar._gram.distance import NEAR, squared_distances
from nstar._gram.gram import Gram, gram, group_grams, spread
from nstar._gram.layout import NO_LABEL, Layout, layout
from nstar._gram.rows import block, present_in_all
from nstar._gram.stored import Stored, scores_of

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
