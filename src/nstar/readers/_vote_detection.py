"""Distinguish votes from scores by a quick check."""

import re
from collections.abc import Iterable

from nstar.errors import ReadError, by_interface
from nstar.readers._common import begins
from nstar.readers._files import Place
from nstar.readers._tables._columns import plain

ONE_HOT = ("winner_model_a", "winner_model_b", "winner_tie")
"""Columns of which exactly one has the value 1."""
SCORES = ("model", "item", "score")
"""Columns of a table of scores."""
_SIGNS = {
    "arena-hard": (rb'"model"\s*:', rb'"games"\s*:\s*\['),
    "fastchat": (rb'"model_1"\s*:', rb'"model_2"\s*:', rb'"g1_winner"\s*:'),
    "fastchat-log": (rb'"type"\s*:', rb'"models"\s*:\s*\[', rb'"states"\s*:\s*\['),
}
"""Fields that identify each kind of file."""


def looks_like_votes(names: Iterable[str]) -> bool:
    """Return whether columns with these names contain two models and a winner.

    >>> looks_like_votes(["Model_A", "model_b", "winner"]), looks_like_votes(["model", "item"])
    (True, False)
    """
    plain_names = {plain(name) for name in names}
    pair = {"model_a", "model_b"} <= plain_names
    return pair and ("winner" in plain_names or set(ONE_HOT) <= plain_names)


def looks_like_scores(names: Iterable[str]) -> bool:
    """Return whether columns with these names contain a model's scores of items.

    >>> looks_like_scores(["model", "Item", "score", "cost"]), looks_like_scores(["item", "a"])
    (True, False)
    """
    return set(SCORES) <= {plain(name) for name in names}


def refused_as_scores(place: Place) -> ReadError:
    """Return a message about votes in a place where scores are needed."""
    use = by_interface(python="nstar.battles(FILE)", command="`nstar battles FILE`")
    return ReadError(f"{place}: contains pairwise votes, not scores per item. Use {use}.")


def kind_of_games(head: bytes) -> str | None:
    """Return the kind of file that starts with these bytes; None if it is neither kind."""
    if not begins(head, b"{"):
        return None
    kinds = (kind for kind, signs in _SIGNS.items() if all(re.search(s, head) for s in signs))
    return next(kinds, None)
