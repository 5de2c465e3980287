"""Interpret winners: words for a side, for a tie, or for no winner, and names of the two models.

==================================================================== ==================
text (case and outer blanks do not matter)                            vote
==================================================================== ==================
model_a, a, left, first, 1, model_1, leftvote, A>B                    for the first
model_b, b, right, second, 2, model_2, rightvote, B>A                 for the second
A>>B, B>>A                                                            the same, weight 3
tie, draw, equal, tie (inconsistent), tievote, A=B                    a tie
tie (bothbad), both_bad, bothbad, bothbad_vote, neither               a tie of bad answers
nothing, nan, null, none, na, n/a, error                              no winner
name of one of the two models, exactly                                for that one
==================================================================== ==================

Names have priority over words, because a model may be called "a". A file in which one text must be
both raises an error.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from nstar._base.types import Array, BoolArray
from nstar._data import arrow
from nstar.readers._tables._names import TableNames

STRONG = 3.0
"""Weight of the verdict "much better" in arena-hard."""
_FIRST = ("model_a", "a", "left", "first", "1", "model_1", "leftvote", "a>b", "b<a")
_SECOND = ("model_b", "b", "right", "second", "2", "model_2", "rightvote", "b>a", "a<b")
_TIE = ("tie", "draw", "equal", "tie (inconsistent)", "tievote", "a=b", "b=a")
_BAD = ("tie (bothbad)", "both_bad", "both bad", "bothbad", "bothbad_vote", "neither")
_NOBODY = ("", "nan", "null", "none", "na", "n/a", "error")


class Verdict(NamedTuple):
    """Meaning of a word for the winner."""

    score: float
    """Score of the first model; NaN for no winner."""
    weight: float = 1.0
    bad: bool = False


WORDS = {
    **dict.fromkeys(_FIRST, Verdict(1.0)),
    **dict.fromkeys(_SECOND, Verdict(0.0)),
    **dict.fromkeys(("a>>b", "b<<a"), Verdict(1.0, STRONG)),
    **dict.fromkeys(("b>>a", "a<<b"), Verdict(0.0, STRONG)),
    **dict.fromkeys(_TIE, Verdict(0.5)),
    **dict.fromkeys(_BAD, Verdict(0.5, bad=True)),
    **dict.fromkeys(_NOBODY, Verdict(np.nan)),
}
_NONE = Verdict(np.nan)


class VoteOutcomes(NamedTuple):
    """Outcomes of a block of votes."""

    score: Array
    """Score of the first model; NaN if there is no winner or the text is unknown."""
    weight: Array | None
    """Weight of each vote; None if all weights are 1."""
    bad: BoolArray | None
    """Mask of ties between bad answers; None if there are none."""
    unknown: npt.NDArray[np.int64]
    """Rows whose text is neither a word nor the name of one of the two models."""


@dataclass(slots=True)
class Winners:
    """Converts blocks of the column that contains the winner."""

    both: str | None = None
    """Text that was used as the name of a model but means the other side as a word."""
    side: str | None = None
    """Text that was used as a word for a side rather than as a name."""
    _names: TableNames = field(default_factory=TableNames)

    def convert(
        self, column: pa.Array, ends: tuple[Any, Any], code: dict[str, int]
    ) -> VoteOutcomes:
        """Return the outcomes, given the codes of both models in each row and of each name."""
        names = self._names.convert(column)
        texts = names.dictionary.to_pylist()
        rows = arrow.codes(names)
        known = [WORDS.get(text.strip().lower()) for text in texts]
        outcome_list = [*(v or _NONE for v in known), _NONE]  # the last one is for null
        score = np.array([v.score for v in outcome_list])[rows]
        vague = np.array([*(v is None for v in known), False])[rows]
        models = np.array([*(code.get(text, -1) for text in texts), -1], np.int32)
        if models.max() >= 0:
            score = self._by_name(score, vague, models[rows], ends, texts, rows)
        return VoteOutcomes(
            score=score,
            weight=_row_values([v.weight for v in outcome_list], rows, 1.0),
            bad=_row_values([v.bad for v in outcome_list], rows, usual=False),
            unknown=np.flatnonzero(vague & np.isnan(score)),
        )

    def _by_name(
        self, score: Array, vague: Any, model: Any, ends: tuple[Any, Any], texts: Any, rows: Any
    ) -> Array:
        """Return the scores, with names of models in the same row taking priority over words."""
        first, second = ((model >= 0) & (model == end) for end in ends)
        has_name = first | second
        by_name = np.where(first, 1.0, 0.0)
        clash = np.flatnonzero(has_name & ~vague & (score != by_name))
        if clash.size and self.both is None:
            self.both = texts[rows[clash[0]]]
        sides = np.flatnonzero(~has_name & ((score == 0) | (score == 1)))
        if sides.size and self.side is None:
            self.side = texts[rows[sides[0]]]
        return np.where(has_name, by_name, score)


def _row_values(values: list[Any], rows: Any, usual: Any) -> Any:
    """Return the value of each row, or None if all values are the usual one."""
    table = np.array(values)
    return None if (table == usual).all() else table[rows]
