"""Find problems in the cells of one matrix: copies, constants, missing and invalid scores."""

from collections.abc import Iterator
from dataclasses import replace
from hashlib import blake2b
from itertools import islice

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.findings import Finding, contradicting_rows, find, similar
from nstar._data.matrix import NOTHING, ScoreMatrix
from nstar._data.sentinels import two_units
from nstar._engine.gram import block, gram, layout
from nstar._verbs.data_summary.finding_text import limits, where
from nstar.errors import arg

_ROWS = 256
"""Number of models whose pairs with all others are processed together."""


def _shared(n: int) -> str:
    return "1 item is shared" if n == 1 else f"{n:,} items are shared"


def gap_findings(matrix: ScoreMatrix) -> Iterator[Finding]:
    """Yield findings about missing cells."""
    if matrix.bits is not None and matrix.mask is None:
        return
    present = np.stack([matrix.present(k) for k in range(len(matrix.models))])
    lacking = np.flatnonzero(~present.all(axis=1))
    if not len(lacking):
        return
    gone = (~present).sum(axis=1)
    parts = [
        f"{matrix.models[k]} lacks {_missing(matrix, ~present[k])}"
        for k in lacking[np.argsort(-gone[lacking], kind="stable")][:_MAX_EXAMPLES]
    ]
    others = len(lacking) - _MAX_EXAMPLES
    overflow_text = (
        f" and {others:,} more {'model' if others == 1 else 'models'}" if others > 0 else ""
    )
    yield find(
        "missing-items",
        f"{where(matrix)}{'; '.join(parts)}{overflow_text}; "
        f"{_shared(int(present.all(axis=0).sum()))} by all models",
    )
    first, second, common, raw, gap = _flips(matrix, present.sum(axis=1), lacking)
    if len(first):
        points = limits(matrix) == (0.0, 1.0)
        sentences = (
            f"on all its items {matrix.models[i]} leads {matrix.models[j]} by "
            f"{_size(by, points=points)}; on the {int(n):,} shared items it trails by "
            f"{_size(behind, points=points)}"
            for i, j, n, by, behind in zip(first, second, common, raw, gap, strict=True)
        )
        rest = f" … {len(first) - _MAX_EXAMPLES} more pairs" if len(first) > _MAX_EXAMPLES else ""
        yield find(
            "order-flips", f"{where(matrix)}{'; '.join(islice(sentences, _MAX_EXAMPLES))}{rest}"
        )


def _size(gap: float, *, points: bool) -> str:
    """Return the size of a gap as text, in points or in score units."""
    if not points:
        return f"{abs(gap):.3g}"
    size = abs(100 * gap)
    return "<0.01 pp" if size < 0.005 else f"{size:.2f} pp"


def _missing(matrix: ScoreMatrix, missing: BoolArray) -> str:
    """Return a sentence on the items that a model lacks, and their groups."""
    n, total = int(missing.sum()), len(matrix.items)
    group = _mostly_in(matrix, missing)
    return f"{n:,} of {total:,} items ({100 * n / total:.2g}%{f'; {group}' if group else ''})"


def _mostly_in(matrix: ScoreMatrix, missing: BoolArray) -> str:
    """Return the group with most of the missing items, if they are not spread evenly."""
    total = int(missing.sum())
    for name, grouping in matrix.groups.items():
        known = grouping.codes >= 0
        if not 1 < len(grouping.labels) <= 200:
            continue
        sizes = np.bincount(grouping.codes[known], minlength=len(grouping.labels))
        inside = np.bincount(grouping.codes[known & missing], minlength=len(grouping.labels))
        top = int(inside.argmax())
        even = total * sizes[top] / max(sizes.sum(), 1)
        if inside[top] >= max(10, 0.3 * total, 2 * even):
            is_complete = inside[top] == sizes[top]
            amount = "all" if is_complete else f"{inside[top]:,} of"
            return f"{amount} {sizes[top]:,} in {name} {grouping.labels[top]}"
    return ""


def _flips(
    matrix: ScoreMatrix, counts: IntArray, lacking: IntArray
) -> tuple[IntArray, IntArray, IntArray, Array, Array]:
    """Return the pairs whose order by mean is reversed on their shared items.

    Each entry has the model with the better mean, the other model, their shared items, and both
    gaps. Entries are ordered by the model that lacks items, then by rank.
    """
    m, sign = len(matrix.models), -1 if matrix.lower_is_better else 1
    data = block(matrix, range(m), layout(np.arange(len(matrix.items))))
    with np.errstate(invalid="ignore"):
        means = data.sums / counts
    order = np.argsort(-means, kind="stable")
    place = np.full(m, m, dtype=np.int64)
    place[lacking] = np.arange(len(lacking))
    slack = NOTHING * max(map(abs, limits(matrix)))
    flips = []
    columns = data[order]
    for start in range(0, len(lacking), _ROWS):
        rows = lacking[start : start + _ROWS]
        g = gram(data[rows], columns)
        with np.errstate(invalid="ignore", divide="ignore"):
            gap = g.gap / np.asarray(g.n, dtype=np.float64)
            raw = means[rows][:, None] - means[order][None, :]
            is_clear = np.minimum(np.abs(gap), np.abs(raw)) > slack
            i, j = np.nonzero(is_clear & (gap * raw < 0))
        first, second = rows[i], order[j]
        new = place[first] < place[second]  # a pair in which both lack items is reported once
        common = np.broadcast_to(np.asarray(g.n), gap.shape)
        parts = (first, second, common[i, j], raw[i, j], gap[i, j])
        flips.append([part[new] for part in parts])
    first, second, common, raw, gap = (np.concatenate(parts) for parts in zip(*flips, strict=True))
    up = raw * sign > 0
    return np.where(up, first, second), np.where(up, second, first), common, raw, gap


_COUNTS_AS = {"missing": "no score", "zero": "0"}


def _scale_findings(matrix: ScoreMatrix) -> Iterator[Finding]:
    """Yield findings about sentinels, and about scores outside the scale of other models."""
    if matrix.alignment.codes:
        yield _codes(matrix)
    elif matrix.means is not None and len(matrix.models) > 1:
        yield from [*_units(matrix)] or _scale_outlier(matrix)


def _codes(matrix: ScoreMatrix) -> Finding:
    parts = []
    for code, by in matrix.alignment.codes.items():
        model, rows = max(by.items(), key=lambda pair: pair[1])
        overflow_text = f" and {len(by) - 1} more" if len(by) > 1 else ""
        model_text = f"{model}: {rows:,}{_item(matrix, model, code)}{overflow_text}"
        parts.append(f"{sum(by.values()):,} of {code:g} ({model_text})")
    text = f"{where(matrix)}scores that look like codes for missing scores: {'; '.join(parts)}"
    coded = matrix.alignment.coded
    if coded in _COUNTS_AS:
        finding = find("off-scale", f"{text}; they count as {_COUNTS_AS[coded]}")
        return replace(finding, level="warning")
    return find("off-scale", f"{text}; all other scores are on a different scale")


def _item(matrix: ScoreMatrix, model: str, code: float) -> str:
    """Return the first item with this code, if cells still show it."""
    at = np.flatnonzero(matrix.row(model) == code)
    return f", item {matrix.items[at[0]]}" if at.size else ""


def _units(matrix: ScoreMatrix) -> Iterator[Finding]:
    """Yield a finding about percentages of one model and proportions of another."""
    rows = (matrix.row(k) for k in range(len(matrix.models)))
    mixed = None if matrix.lower_is_better else two_units(rows)
    if mixed is None:
        return
    percent, share = mixed
    yield find(
        "off-scale",
        f"{where(matrix)}the scores of {matrix.models[percent]} reach "
        f"{np.nanmax(matrix.row(percent)):g} and look like percentages, but those of "
        f"{matrix.models[share]} are between 0 and 1; divide percentages by 100",
    )


def _scale_outlier(matrix: ScoreMatrix) -> Iterator[Finding]:
    """Yield the only model with scores outside [0, 1], if all others have 0/1 scores."""
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
        f"{where(matrix)}{at.size:,} of the {np.count_nonzero(~np.isnan(row)):,} "
        f"scores of {matrix.models[k]} {lie} outside 0 to 1, but those of all other "
        f"models are 0 or 1: {row[at[0]]:g} for item {matrix.items[at[0]]}",
    )


_ENOUGH = 20
"""Number of items from which a pattern is unlikely to be accidental."""

_MAX_EXAMPLES = 5


def cell_findings(matrix: ScoreMatrix) -> Iterator[Finding]:
    """Yield findings about the alignment of rows and the contents of cells."""
    yield from _collisions(matrix)
    yield from _scale_findings(matrix)
    yield from _identity(matrix)
    yield from _patterns(matrix)
    yield from similar(matrix.models)
    if matrix.lower_is_better:
        yield find(
            "lower-is-better",
            f"{where(matrix)}lower is better for this metric: a positive gap is a loss",
        )
    low, high = matrix.run_range
    if low < high:
        yield find("unequal-runs", f"{where(matrix)}items have {low} to {high} runs")


def _collisions(matrix: ScoreMatrix) -> Iterator[Finding]:
    a = matrix.alignment
    if a.conflicting:
        finding = find(
            "conflicting-rows",
            f"{where(matrix)}{contradicting_rows(a.conflicting)} with another row for the "
            f"same model, item, and run ({'; '.join(a.conflicts)})",
        )
        counts = "if this is allowed, their mean counts"
        if a.settled != "refuse":
            finding, counts = replace(finding, level="warning"), f"the {a.settled} counts"
        yield replace(finding, text=f"{finding.text}; {counts}")
    if a.repeated:
        finding = find("repeated-rows", f"{where(matrix)}{_repeated(a.repeated)}")
        yield finding if a.settled == "refuse" else replace(finding, level="note")
    for name, n in a.group_differs.items():
        yield find("group-differs", f"{where(matrix)}{n:,} items belong to more than one {name}")


def _repeated(rows: int) -> str:
    row, runs = ("row is", "it is a run") if rows == 1 else ("rows are", "they are runs")
    return f"{rows:,} duplicate {row} ignored; if {runs}, set {arg('duplicates', 'runs')}"


def _identity(matrix: ScoreMatrix) -> Iterator[Finding]:
    a = matrix.alignment
    examples = ", ".join(a.content_examples)
    if a.content_differs and a.by_content:
        yield find(
            "paired-by-content",
            f"{where(matrix)}{a.content_differs:,} item ids stand for different "
            f"questions in different logs (such as {examples}); items are paired by "
            f"content, {len(matrix.items):,} in all",
        )
    elif a.content_differs:
        yield find(
            "ids-disagree",
            f"{where(matrix)}{a.content_differs:,} item ids stand for different "
            f"questions in different logs (such as {examples}), and "
            f"{', '.join(a.unverified[:_MAX_EXAMPLES])} has no questions to pair the items by",
        )
    elif len(a.unverified) == len(matrix.models):
        yield find(
            "unverified-items",
            (f"{where(matrix)}items are paired by id only (no question text or hash in the logs)"),
        )
    elif a.unverified:
        yield find(
            "unverified-items",
            f"{where(matrix)}items of {', '.join(a.unverified[:_MAX_EXAMPLES])} are "
            "paired by id only (no question text or hash)",
        )


def _patterns(matrix: ScoreMatrix) -> Iterator[Finding]:
    models_by_pattern: dict[bytes, list[str]] = {}
    for k, model in enumerate(matrix.models):
        row = matrix.row(k)
        scores = row[~np.isnan(row)]
        if len(scores) < _ENOUGH:
            continue
        if (scores == scores[0]).all():
            yield find(
                "constant-scores",
                f"{where(matrix)}{model} scores {scores[0]:g} on every item "
                f"({len(scores):,}); check for a broken parser or empty output",
            )
            continue
        if _sorted(scores):
            yield find(
                "sorted-scores",
                f"{where(matrix)}the scores of {model} are sorted by item",
            )
        models_by_pattern.setdefault(blake2b(row.tobytes(), digest_size=16).digest(), []).append(
            model
        )
    for models in (m for m in models_by_pattern.values() if len(m) > 1):
        rest = len(models) - _MAX_EXAMPLES
        names = [*models[:_MAX_EXAMPLES], *([f"{rest} more"] if rest > 0 else [])]
        yield find(
            "identical-models",
            f"{where(matrix)}{', '.join(names[:-1])} and {names[-1]} have identical scores on "
            "every item; check whether they are the same model",
        )


def _sorted(scores: Array) -> bool:
    """Return whether scores are monotone except for a few items at one end."""
    steps = np.diff(scores)
    if not ((steps >= 0).all() or (steps <= 0).all()):
        return False
    lowest = np.count_nonzero(scores == scores.min())
    highest = np.count_nonzero(scores == scores.max())
    return bool(min(lowest, highest) >= _ENOUGH // 4 or np.count_nonzero(steps) >= _ENOUGH // 2)
