"""Scores off the scale of all others: codes for "no score", and models that stand alone."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from nstar._data.findings import Finding, find
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.coverage.words import where

_COUNTS_AS = {"missing": "no score", "zero": "0"}


def scale_findings(matrix: ScoreMatrix) -> Iterator[Finding]:
    """Codes that stand for "no score", and scores of one model that leave the others' 0 and 1."""
    if matrix.alignment.codes:
        yield _codes(matrix)
    elif matrix.means is not None and len(matrix.models) > 1:
        yield from _alone(matrix)


def _codes(matrix: ScoreMatrix) -> Finding:
    parts = []
    for code, by in matrix.alignment.codes.items():
        model, rows = max(by.items(), key=lambda pair: pair[1])
        more = f" and {len(by) - 1} more" if len(by) > 1 else ""
        who = f"{model}: {rows:,}{_item(matrix, model, code)}{more}"
        parts.append(f"{sum(by.values()):,} of {code:g} ({who})")
    told = f"{where(matrix)}scores that look like a code for no score: {'; '.join(parts)}"
    coded = matrix.alignment.coded
    if coded in _COUNTS_AS:
        found = find("off-scale", f"{told}; they count as {_COUNTS_AS[coded]}")
        return replace(found, level="warning")
    return find("off-scale", f"{told}, and all others lie on another scale")


def _item(matrix: ScoreMatrix, model: str, code: float) -> str:
    """The first item with this code, where cells still show it."""
    at = np.flatnonzero(matrix.row(model) == code)
    return f", item {matrix.items[at[0]]}" if at.size else ""


def _alone(matrix: ScoreMatrix) -> Iterator[Finding]:
    """The only model with scores outside 0 to 1, where all others have 0 and 1 only."""
    off = []
    for k in range(len(matrix.models)):
        row = matrix.row(k)
        scores = row[~np.isnan(row)]
        if ((scores == 0) | (scores == 1)).all():
            continue
        off.append(k)
        if len(off) > 1 or not ((scores < 0) | (scores > 1)).any():
            return
    if not off:
        return
    (k,) = off
    row = matrix.row(k)
    with np.errstate(invalid="ignore"):
        at = np.flatnonzero((row < 0) | (row > 1))
    lie = "lies" if at.size == 1 else "lie"
    yield find(
        "off-scale",
        f"{where(matrix)}{at.size:,} of the {np.count_nonzero(~np.isnan(row)):,} scores of "
        f"{matrix.models[k]} {lie} outside 0 to 1, where those of all other models are 0 or 1: "
        f"{row[at[0]]:g} for item {matrix.items[at[0]]}",
    )
