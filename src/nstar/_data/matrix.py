"""ScoreMatrix: models × items of one task and metric, stored compactly.

Scores that are all 0 or 1, with one run per cell, are stored as bits: one for the score and one
for its presence. Other scores are stored as float64 means, with run counts and within-cell
variances if there are runs. A missing cell is NaN in a row, and never zero.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Any

import numpy as np
import numpy.typing as npt

from nstar._base.parameter_types import Coded
from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.measures import is_measure
from nstar._data.sentinels import SentinelScan, replace_sentinels
from nstar._data.series import aligned, in_order, labels_of, numbers
from nstar.errors import DataError

LABEL_WEIGHT = "label_weight"
"""Group of items with the same number of judged items per label, if labels were drawn by strata.
"""
NOTHING = 1e-12
"""Rounding error of the difference between equal scores, relative to the scale."""

Bits = npt.NDArray[np.uint8]
Codes = npt.NDArray[np.int32]


def two_values(*rows: Array) -> tuple[float, float] | None:
    """Return the two values that all scores have, if not both in [0, 1], or None for other scores.

    Such scores are 0/1 scores in a different notation, such as 0 and 100, or -1 and 1. They
    indicate whether the item was solved, and the test must not depend on the notation. Within [0,
    1], the scale is known and the values are meaningful: 0.9 and 1 are graded scores. At least one
    model must have both values. Otherwise, they are constant scores of two models.

    >>> two_values(np.array([0.0, 100.0, np.nan]), np.array([100.0, 100.0]))
    (0.0, 100.0)
    """
    scores = [row[~np.isnan(row)] for row in rows]
    ends = [(float(x.min()), float(x.max())) for x in scores if x.size]
    if not ends:
        return None
    low, high = min(x for x, _ in ends), max(y for _, y in ends)
    if low == high or (low >= 0 and high <= 1) or (low, high) not in ends:
        return None
    return (low, high) if all(bool(((x == low) | (x == high)).all()) for x in scores) else None


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Grouping:
    """Assignment of items to groups."""

    codes: Codes = field(repr=False)
    """Group of each item, or -1 if unknown, (N,)."""
    labels: tuple[str, ...]
    """Names of the groups."""

    @classmethod
    def from_labels(cls, labels: Sequence[Any]) -> "Grouping":
        """Build a grouping from one name per item. None and NaN are unknown.

        Examples
        --------
        >>> Grouping.from_labels(["law", "math", "law"]).codes.tolist()
        [0, 1, 0]
        """
        names: dict[str, int] = {}
        codes = [
            -1 if v is None or _is_nan(v) else names.setdefault(str(v), len(names)) for v in labels
        ]
        return cls(codes=np.asarray(codes, np.int32), labels=tuple(names))


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Record of how rows were aligned by item."""

    rows: int = 0
    """Number of rows read, with or without a score."""
    unscored: Mapping[str, int] = field(default_factory=dict)
    """Number of rows without a score, by model."""
    repeated: int = 0
    """Number of rows that repeat an earlier row of the same cell and run. These rows are
    ignored.
    """
    conflicting: int = 0
    """Number of rows whose score differs from an earlier row of the same cell and run."""
    conflicts: tuple[str, ...] = ()
    """Examples of conflicting rows: ``model, item``."""
    settled: str = "refuse"
    """Rule for conflicts: ``first``, ``last``, ``mean``, or ``runs``. ``refuse`` if none was
    chosen.
    """
    content_differs: int = 0
    """Number of item ids that belong to different questions in different rows."""
    content_examples: tuple[str, ...] = ()
    """Examples of these ids."""
    by_content: bool = False
    """Whether items were paired by the content of the question, because ids were inconsistent."""
    unverified: tuple[str, ...] = ()
    """Models whose rows have no content, so that their items are identified only by ids."""
    codes: Mapping[float, Mapping[str, int]] = field(default_factory=dict)
    """Numbers that look like codes for missing scores, such as -1 among 0 and 1, with their rows
    by model.
    """
    coded: Coded = "harness"
    """Treatment of these codes: ``missing``, ``zero``, or ``keep``. ``harness`` if none was
    chosen.
    """
    group_differs: Mapping[str, int] = field(default_factory=dict)
    """Number of items with different groups in different rows, by group column."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """Correction of scores, and the items that determine their errors.

    The scores come from a judge and are corrected by labels, or their items have unequal weights.
    """

    known: BoolArray = field(repr=False)
    """Items that were labeled for every model, (N,), or all items for unequal weights."""
    limits: tuple[float, float]
    """Worst and best possible score. The contribution of an item to a corrected mean may lie
    outside this range.
    """
    weights: Array | None = field(default=None, repr=False)
    """Weights of the items, (N,). None for a judge's scores."""
    unseen: float = 0.0
    """Variance that standard errors add for unobserved disagreements between judge and labels, if
    the scores come from a judge.
    """
    df: float = math.inf
    """Degrees of freedom of standard errors from labels."""
    statistic: str | None = None
    """Name of a metric that is not an average, such as F1. The scores are its pseudo-values, and
    no item has a score of its own. None for a correction or weights.
    """

    @property
    def labels(self) -> int:
        """Return the number of labeled items."""
        return int(np.count_nonzero(self.known))


def _pack(cells: BoolArray) -> Bits:
    return np.packbits(cells, axis=-1, bitorder="little")


def _unpack(bits: Bits, n: int) -> Bits:
    return np.unpackbits(bits, axis=-1, count=n, bitorder="little")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoreMatrix:
    """Scores of models on the items of one task and metric.

    Examples
    --------
    >>> m = ScoreMatrix.from_arrays([[1, 0, 1], [1, 1, float("nan")]], models=["a", "b"])
    >>> m.binary, m.row("b").tolist(), m.present("b").tolist()
    (True, [1.0, 1.0, nan], [True, True, False])
    """

    task: str = ""
    """Name of the benchmark."""
    metric: str = "score"
    """Name of the metric."""
    models: tuple[str, ...]
    """Names of the rows."""
    items: tuple[str, ...] = field(repr=False)
    """Names of the columns."""
    groups: Mapping[str, Grouping] = field(default_factory=dict, repr=False)
    """Groups of items, by the name of the group column."""
    bits: Bits | None = field(default=None, repr=False)
    """Scores of a binary matrix, one bit each, little-endian, (M, ⌈N/8⌉)."""
    mask: Bits | None = field(default=None, repr=False)
    """Presence bits of a binary matrix, in the same format. None if no cell is missing."""
    means: Array | None = field(default=None, repr=False)
    """Mean score of each cell of a matrix that is not binary, NaN if missing, (M, N)."""
    counts: Codes | None = field(default=None, repr=False)
    """Number of runs of each cell, (M, N). None if no cell has several runs."""
    variances: Array | None = field(default=None, repr=False)
    """Unbiased variance between the runs of a cell, NaN with fewer than two runs. None without
    runs.
    """
    lower_is_better: bool = False
    """Whether lower scores are better, so that a positive gap is a loss."""
    alignment: Alignment = field(default_factory=Alignment, repr=False)
    """Record of how rows were aligned."""
    correction: Correction | None = None
    """Correction of a judge's scores, or weighting of items. None for scores as measured."""
    content: npt.NDArray[np.uint64] | None = field(default=None, repr=False)
    """Hash of the text of each item, 0 if unknown, (N,). None if the log has no hashes."""

    @property
    def binary(self) -> bool:
        """Return whether every score is 0 or 1 and no cell has several runs."""
        return self.bits is not None

    @property
    def shape(self) -> tuple[int, int]:
        """Return the numbers of models and items."""
        return len(self.models), len(self.items)

    def index(self, model: str | int) -> int:
        """Return the row of a model, by name."""
        if isinstance(model, int):
            return model
        try:
            return self.models.index(model)
        except ValueError:
            suggestions = (
                get_close_matches(model, self.models, n=3, cutoff=0.5) or self.models[:10]
            )
            msg = (
                f"No model {model!r} among {len(self.models)} models. Similar names: "
                f"{', '.join(suggestions)}."
            )
            raise DataError(msg) from None

    def row(self, model: str | int) -> Array:
        """Return the mean score per item (NaN if missing) as an array of shape (N,)."""
        i = self.index(model)
        if self.means is not None:
            return self.means[i]
        out = _unpack(self._bits[i], len(self.items)).astype(np.float64)
        out[~self.present(i)] = np.nan
        return out

    def present(self, model: str | int) -> BoolArray:
        """Return a mask, of shape (N,), of the items that have a score of this model."""
        i = self.index(model)
        if self.means is not None:
            return ~np.isnan(self.means[i])
        if self.mask is None:
            return np.ones(len(self.items), np.bool_)
        return _unpack(self.mask[i], len(self.items)).view(np.bool_)

    def runs(self, model: str | int) -> IntArray | None:
        """Return the number of runs per item (0 if missing) as an array of shape (N,).

        Return None if no cell has several runs.
        """
        return None if self.counts is None else self.counts[self.index(model)].astype(np.int64)

    @property
    def run_range(self) -> tuple[int, int]:
        """Return the smallest and largest number of runs in a cell with a score."""
        run_counts = np.empty(0) if self.counts is None else self.counts[self.counts > 0]
        return (int(run_counts.min()), int(run_counts.max())) if run_counts.size else (1, 1)

    def within(self, model: str | int) -> Array | None:
        """Return the unbiased variance between runs per item, NaN with fewer than two runs.

        Return None without runs.
        """
        return None if self.variances is None else self.variances[self.index(model)]

    def part(self, models: Sequence[str], items: IntArray) -> "ScoreMatrix":
        """Return the matrix of some models and some items.

        Examples
        --------
        >>> m = ScoreMatrix.from_arrays([[1, 0, 1], [1, 1, 0]], models=["a", "b"])
        >>> m.part(["b"], np.array([0, 2])).row("b").tolist()
        [1.0, 0.0]
        """
        rows = [self.index(name) for name in models]
        return ScoreMatrix.from_means(
            np.stack([self.row(i)[items] for i in rows]),
            models=models,
            items=[self.items[k] for k in items.tolist()],
            counts=None if self.counts is None else self.counts[rows][:, items],
            variances=None if self.variances is None else self.variances[rows][:, items],
            task=self.task,
            metric=self.metric,
            lower_is_better=self.lower_is_better,
            alignment=self.alignment,
            groups=self.groups_on(items),
            content=None if self.content is None else self.content[items],
        )

    def groups_on(self, items: IntArray | BoolArray) -> dict[str, Grouping]:
        """Return the groups of some items, by the name of their column."""
        return {
            name: Grouping(codes=g.codes[items], labels=g.labels)
            for name, g in self.groups.items()
        }

    def as_binary(self) -> tuple["ScoreMatrix", tuple[float, float]] | None:
        """Return the matrix with 0 and 1 in place of its only two values, and these values.

        Return None if the scores have other values.
        """
        if self.means is None or self.counts is not None or self.correction is not None:
            return None
        if is_measure(self.metric):
            return None
        values = two_values(*self.means)
        if values is None:
            return None
        means = np.where(np.isnan(self.means), np.nan, self.means == values[1])
        names = ("task", "metric", "groups", "lower_is_better", "alignment", "content")
        fields = {name: getattr(self, name) for name in names}
        return ScoreMatrix.from_means(
            means, models=self.models, items=self.items, **fields
        ), values

    def dense(self) -> Array:
        """Return all means (NaN if missing) as an array of shape (M, N).

        The array takes eight bytes per cell.
        """
        return np.stack([self.row(i) for i in range(len(self.models))])

    @property
    def _bits(self) -> Bits:
        if self.bits is None:
            msg = "The matrix is not binary."
            raise DataError(msg)
        return self.bits

    @classmethod
    def from_cells(
        cls,
        cells: npt.NDArray[np.int8],
        *,
        models: Sequence[str],
        items: Sequence[str],
        **fields: Any,
    ) -> "ScoreMatrix":
        """Build a matrix from rows of 0, 1, and -1 (missing), which are packed one at a time."""
        full = all(row.min(initial=0) >= 0 for row in cells)
        return cls(
            models=tuple(models),
            items=tuple(items),
            bits=np.stack([_pack(row == 1) for row in cells]),
            mask=None if full else np.stack([_pack(row >= 0) for row in cells]),
            **fields,
        )

    @classmethod
    def from_means(
        cls,
        means: Array,
        *,
        models: Sequence[str],
        items: Sequence[str],
        counts: Codes | None = None,
        variances: Array | None = None,
        **fields: Any,
    ) -> "ScoreMatrix":
        """Build a matrix from means with NaN for missing scores. It is binary if possible."""
        single = counts is None or counts.max(initial=0) <= 1
        present = ~np.isnan(means)
        if single and np.all((means == 0) | (means == 1) | ~present):
            cells = np.where(present, means == 1, np.int8(-1)).astype(np.int8)
            return cls.from_cells(cells, models=models, items=items, **fields)
        return cls(
            models=tuple(models),
            items=tuple(items),
            means=means,
            counts=None if single else counts,
            variances=None if single else variances,
            **fields,
        )

    @classmethod
    def from_arrays(
        cls,
        scores: npt.ArrayLike,
        *,
        models: Sequence[str],
        items: Sequence[Any] | None = None,
        groups: Mapping[str, Sequence[Any]] | None = None,
        task: str = "",
        metric: str = "score",
        errors: Coded = "harness",
    ) -> "ScoreMatrix":
        """Build a matrix from arrays of numbers.

        Parameters
        ----------
        scores : array_like
            Scores of shape (models, items) or (models, items, runs), with NaN for missing scores.
            A list of pandas Series is paired by index.
        models : sequence of str
            Names of the models.
        items : sequence, optional
            Names of the items. The default is the index of a Series, or numbers.
        groups : mapping from str to sequence, optional
            Label of each item, by the name of the group column.
        task, metric : str
            Names of the task and the metric.
        errors : Coded, default "harness"
            Treatment of numbers that look like codes for "no score", such as -1 among 0 and 1:
            ``"missing"``, ``"zero"``, or ``"keep"`` if they are scores. Public functions raise an
            error until the user chooses.
        """
        rows, groups = _by_index(scores, groups or {})
        listed = isinstance(rows, list | tuple)
        x = np.asarray([numbers(row) for row in rows] if listed else numbers(rows), np.float64)
        if x.ndim not in {2, 3} or not len(x):
            msg = f"scores must have 2 or 3 dimensions (models, items, runs); got shape {x.shape}"
            raise DataError(msg)
        names = tuple(map(str, _names(rows, x.shape[1]) if items is None else items))
        _check_names("models", models, x.shape[0])
        _check_names("items", names, x.shape[1])
        if np.isinf(x).any():
            msg = "Scores contain infinity; use NaN for missing scores."
            raise DataError(msg)
        groupings = {n: Grouping.from_labels(list(in_order(v, names))) for n, v in groups.items()}
        for name, grouping in groupings.items():
            if grouping.codes.size != x.shape[1]:
                msg = (
                    f"Group {name!r} must have one label per item; got {grouping.codes.size} for "
                    f"{x.shape[1]} items"
                )
                raise DataError(msg)
        x, alignment = _decoded(x, models, errors)
        fields: dict[str, Any] = {"task": task, "metric": metric, "groups": groupings}
        fields["alignment"] = alignment
        if x.ndim == 2:
            return cls.from_means(x, models=models, items=names, **fields)
        counts = (~np.isnan(x)).sum(axis=-1).astype(np.int32)
        means, variances = _moments(x, counts)
        return cls.from_means(
            means, models=models, items=names, counts=counts, variances=variances, **fields
        )


def _by_index(
    scores: Any, groups: Mapping[str, Sequence[Any]]
) -> tuple[Any, Mapping[str, Sequence[Any]]]:
    """Return rows and groups, with every Series in the order of the first one."""
    if not isinstance(scores, list | tuple):
        return scores, groups
    rows = {f"row {k} of scores": row for k, row in enumerate(scores, 1)}
    aligned_values = aligned(rows | {f"group {name}": labels for name, labels in groups.items()})
    return [aligned_values[k] for k in rows], {
        name: aligned_values[f"group {name}"] for name in groups
    }


def _names(rows: Any, size: int) -> Sequence[Any]:
    """Return the names of items: the labels of rows with an index, else numbers."""
    known = (labels_of(row) for row in rows) if isinstance(rows, list) else ()
    return next((labels for labels in known if labels is not None), range(size))


def _decoded(x: Array, models: Sequence[str], errors: Coded) -> tuple[Array, Alignment]:
    """Return a copy of the scores in which codes are replaced according to ``errors``."""
    present = ~np.isnan(x)
    scan = SentinelScan()
    scan.add(x[present], np.nonzero(present)[0])
    codes = scan.codes({k: int(n) for k, n in enumerate(present.reshape(len(x), -1).sum(axis=1))})
    if not codes:
        return x.copy(), Alignment()
    counts_by_code = {
        code: {models[k]: n for k, n in by.items()} for code, by in scan.by_model(codes).items()
    }
    return replace_sentinels(x, codes, errors), Alignment(codes=counts_by_code, coded=errors)


def _moments(x: Array, counts: Codes) -> tuple[Array, Array]:
    """Return mean and unbiased variance over the last axis, NaN if there are too few values."""
    filled = np.nan_to_num(x)
    with np.errstate(invalid="ignore", divide="ignore"):
        means = np.where(counts > 0, filled.sum(axis=-1) / counts, np.nan)
        squares = np.nansum((x - means[..., None]) ** 2, axis=-1)
        variances = np.where(counts > 1, squares / (counts - 1), np.nan)
    return means, variances


def _check_names(subject: str, names: Sequence[str], size: int) -> None:
    if len(names) != size:
        msg = f"{len(names)} names of {subject} for {size} in the scores. Pass one name for each."
        raise DataError(msg)
    if len(set(names)) != size:
        twice = Counter(names).most_common(1)[0][0]
        msg = f"{subject} must have unique names; {twice!r} is repeated"
        raise DataError(msg)
