"""Compact letter display of a ranking: models share a letter if neither is significantly better.

"Not significantly different" is not transitive, so letters overlap and a model may have several.
They belong to the family of the rank ranges and tier lines.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from string import ascii_letters

import numpy as np

from nstar._verbs.audit import Audit, PairTable, RankTable
from nstar.errors import arg

_MAX_LETTER_SETS = 8 * len(ascii_letters)
"""Number of sets of models at which the search for a smallest display stops."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LetterDisplay:
    """Letters of each model in rank order, or the reason why there are none."""

    of: tuple[str, ...] | None = None
    """Letters ``a``, ``ab``, ``b``, …; None if there are none."""
    why_not: str = ""
    """Reason why there are no letters."""


def _from_ranks(ranks: RankTable) -> list[int] | None:
    """Return the sets of models if rank ranges determine all significant pairs; else None.

    Rank ranges count the wins and defeats of each model. If lower-ranked models have fewer wins
    and more defeats, and the two counts are conjugate, only one table of wins has these counts
    (Gale and Ryser). Models that do not differ significantly are then adjacent.
    """
    last = ranks.rank_high - 1
    first = ranks.rank_low - 1
    ordered = (np.diff(last) >= 0).all() and (np.diff(first) >= 0).all()
    if not ordered or (np.searchsorted(last, np.arange(len(ranks))) != first).any():
        return None
    opens = np.flatnonzero(np.diff(last, prepend=-1) > 0)
    return [(1 << int(last[k]) + 1) - (1 << int(k)) for k in opens]


def _without(told_apart: Iterable[tuple[int, int]], models: int) -> list[int] | None:
    """Return the largest sets without any of these pairs, as bits; None if too many.

    The algorithm is insert and absorb (Piepho 2004): a set that contains a pair is split into two,
    each without one model of the pair, unless another set contains all of it.
    """
    sets = [(1 << models) - 1]
    for i, j in told_apart:
        pair_bits = 1 << i | 1 << j
        torn = [s for s in sets if s & pair_bits == pair_bits]
        sets = [s for s in sets if s & pair_bits != pair_bits]
        parts = {s ^ 1 << k for s in torn for k in (i, j)}
        for part in sorted(parts, key=lambda s: (-s.bit_count(), s)):
            if not any(part & s == part for s in sets):
                sets.append(part)
        if len(sets) > _MAX_LETTER_SETS:
            return None
    return sets


def _told_apart(ranks: RankTable, pairs: PairTable) -> Iterator[tuple[int, int]]:
    place = {model: k for k, model in enumerate(ranks.model)}
    for a, b, verdict in zip(pairs.model_a, pairs.model_b, pairs.verdict, strict=True):
        if verdict == "significant":
            yield place[a], place[b]


def _lettered(sets: list[int] | None, models: int) -> LetterDisplay:
    if sets is None or len(sets) > len(ascii_letters):
        return LetterDisplay(why_not="the models need more letters than the alphabet has")
    in_order = sorted(sets, key=lambda s: (s & -s, s))
    return LetterDisplay(
        of=tuple(
            "".join(sign for sign, s in zip(ascii_letters, in_order, strict=False) if s >> k & 1)
            for k in range(models)
        )
    )


def letters(result: Audit) -> LetterDisplay:
    """Return letters from the rank ranges if they suffice, else from all pairs if available."""
    m = len(result)
    sets = _from_ranks(result.ranking)
    if sets is not None:
        return _lettered(sets, m)
    if len(result.tasks) > 1:
        return LetterDisplay(
            why_not="letters need every pair, and an average over tasks does not keep the pairs"
        )
    if len(result.listed) < result.n_pairs:
        return LetterDisplay(why_not=f"letters need every pair ({arg('pairs', 'all')})")
    if result.adjust != result.rank_method:
        return LetterDisplay(
            why_not="letters need verdicts with the same adjustment as the rank ranges "
            f"({arg('adjust', result.rank_method)})"
        )
    return _lettered(_without(_told_apart(result.ranking, result.listed), m), m)
