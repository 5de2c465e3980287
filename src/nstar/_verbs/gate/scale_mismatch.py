"""Detect scores of one model on another scale, which suggests a corrupt log."""

from collections.abc import Sequence

import numpy as np

from nstar._base.types import Array, IntArray
from nstar.errors import DataError, arg

_ANOTHER = 0.1
"""Share of scores beyond [0, 1] from which a model is on another scale, and not one cell corrupt.
"""
_SIDES = ("candidate", "baseline")


def _count(scores: Array) -> int:
    return int((~np.isnan(scores)).sum())


def _binary(scores: Array) -> bool:
    return bool(np.isin(scores[~np.isnan(scores)], (0.0, 1.0)).all())


def _first_mismatch(
    scores: Array, side_name: str, at: IntArray, items: Sequence[str] | None, other: str
) -> str:
    """Return side, item, and value of the first score that does not fit."""
    are = "is" if at.size == 1 else "are"
    place = int(at[0])
    item = f"number {place + 1:,}" if items is None else repr(items[place])
    return (
        f"{at.size:,} of {_count(scores):,} scores of the {side_name} {are} outside 0–1 "
        f"({scores[place]:g} for item {item}), unlike those of the {other}. Fix the log or, if "
        f"this score is an error code, set {arg('errors')} to missing or zero."
    )


def refuse_misfit(
    scores: tuple[Array, Array],
    names: tuple[str, str],
    items: Sequence[str] | None = None,
    *,
    points: bool = False,
    where: str = "",
) -> None:
    """Raise DataError if one model has scores outside [0, 1] and the other has only 0 and 1.

    Parameters
    ----------
    scores : tuple of ndarray
        Scores per item of candidate and baseline, NaN = absent.
    names : tuple of str
        Names of both models.
    items : sequence of str, optional
        Names of the items. Default: their positions.
    points : bool, default False
        Whether the margin is in percentage points, so that the other model may have any scores in
        [0, 1].
    where : str, default ""
        Name of the task, with which the message starts.

    Examples
    --------
    >>> import numpy as np
    >>> refuse_misfit((np.array([1.0, 7, 0]), np.array([1.0, 0, 0])), ("new", "old"))
    Traceback (most recent call last):
        ...
    nstar.errors.DataError: 1 of 3 scores of the candidate (new) is outside 0–1 (7 for item
    number 2), unlike those of the baseline. Fix the log or, if this score is an error code,
    set errors to missing or zero.
    """
    beyond = [np.flatnonzero((x < 0) | (x > 1)) for x in scores]
    share = [at.size / max(_count(x), 1) for at, x in zip(beyond, scores, strict=True)]
    if min(share) >= _ANOTHER:
        return
    for k in (0, 1):
        if beyond[k].size and (points or _binary(scores[1 - k])):
            other = "others" if beyond[1 - k].size else _SIDES[1 - k]
            side_name = _SIDES[k] if names[k] == _SIDES[k] else f"{_SIDES[k]} ({names[k]})"
            raise DataError(where + _first_mismatch(scores[k], side_name, beyond[k], items, other))
