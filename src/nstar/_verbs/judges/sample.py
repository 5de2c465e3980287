"""Combine judgments of several judges, in one order of items."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from nstar._base.types import Array
from nstar._verbs.runs import RunTable
from nstar.errors import DataError


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgesSample:
    """Judgments and labels of the same answers. Missing ones are NaN."""

    judges: tuple[str, ...]
    """Names of the judges."""
    models: tuple[str, ...]
    """Names of the models."""
    task: str
    """Name of the benchmark."""
    lower_is_better: bool
    """Whether lower is better."""
    scores: Array
    """Judgments, (judges, models, items, repeats)."""
    label: Array
    """Labels, (models, items)."""

    @property
    def means(self) -> Array:
        """Return means over repeats, (judges, models, items)."""
        count = np.count_nonzero(~np.isnan(self.scores), axis=-1)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.nansum(self.scores, axis=-1) / np.where(count, count, np.nan))

    @property
    def limits(self) -> tuple[float, float]:
        """Return the worst and best possible score: 0 and 1, or the observed ones."""
        scores = np.concatenate([self.scores.ravel(), self.label.ravel()])
        low, high = float(np.nanmin(scores)), float(np.nanmax(scores))
        return (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)


def sampled(
    judges: Sequence[tuple[str, Sequence[RunTable]]], label: Sequence[RunTable]
) -> JudgesSample:
    """Return the tables of judges, with one row per model, combined with those of labels.

    Raise DataError if a judge has no scores.
    """
    all_tables = [table for _, tables in judges for table in tables]
    models = tuple(dict.fromkeys(t.model for t in all_tables))
    items = tuple(dict.fromkeys(item for t in all_tables for item in t.items))
    for name, tables in judges:
        if all(np.isnan(t.scores).all() for t in tables):
            msg = f"Judge {name} has no scores. Remove this judge."
            raise DataError(msg)
    width = max(t.scores.shape[1] for t in all_tables)
    scores = np.full((len(judges), len(models), len(items), width), np.nan)
    place = {item: k for k, item in enumerate(items)}
    for cube, (_, tables) in zip(scores, judges, strict=True):
        for table in tables:
            rows = [place[item] for item in table.items]
            cube[models.index(table.model), rows, : table.scores.shape[1]] = table.scores
    return JudgesSample(
        judges=tuple(name for name, _ in judges),
        models=models,
        task=all_tables[0].task,
        lower_is_better=all_tables[0].lower_is_better,
        scores=scores,
        label=_labels(label, models, place),
    )


def _labels(tables: Sequence[RunTable], models: Sequence[str], place: dict[str, int]) -> Array:
    """Return the mean label of each answer whose item was judged."""
    out = np.full((len(models), len(place)), np.nan)
    for table in tables:
        if table.model not in models:
            continue
        indices = [k for k, item in enumerate(table.items) if item in place]
        indices = [k for k in indices if not np.isnan(table.scores[k]).all()]
        rows = [place[table.items[k]] for k in indices]
        out[models.index(table.model), rows] = np.nanmean(table.scores[indices], axis=1)
    return out
