"""Sums and cross products of all pairs of models, by tiles. Grams of disjoint items add up."""

from nstar._engine.gram.block import ScoreBlock
from nstar._engine.gram.gram import (
    NEAR,
    CompactGram,
    Gram,
    gram,
    gram_along,
    grams,
    group_grams,
    spread,
    squared_distances,
)
from nstar._engine.gram.rows import (
    NO_LABEL,
    ItemLayout,
    StoredBlock,
    block,
    layout,
    present_in_all,
    scores_of,
)

__all__ = [
    "NEAR",
    "NO_LABEL",
    "CompactGram",
    "Gram",
    "ItemLayout",
    "ScoreBlock",
    "StoredBlock",
    "block",
    "gram",
    "gram_along",
    "grams",
    "group_grams",
    "layout",
    "present_in_all",
    "scores_of",
    "spread",
    "squared_distances",
]
