"""Draw the items to label, more often where the judge sees a difference between models."""

import numpy as np

from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.matrix import LABEL_WEIGHT, ScoreMatrix
from nstar._verbs.judged.plan_result import LabelDraw, LabelItem, LabelStratum, StratumName
from nstar._verbs.judged.sample import labels_on
from nstar.errors import ParameterError, arg
from nstar.stats._label_strata import allocate_labels, judge_strata

_LEAST_FOR_SD = 10
"""Smallest number of labels in each stratum from which their SD is estimated."""
_ASSUMED_SD = (0.25, 0.5)
"""Relative SD of label differences where the judge sees no difference, and where it sees one."""
_PAIR: tuple[StratumName, ...] = ("second", "neither", "first")
_SEVERAL: tuple[StratumName, ...] = ("equal", "small", "large")


def draw_labels(
    judge: ScoreMatrix, label: ScoreMatrix, models: tuple[str, ...], labels: float, *, seed: int
) -> LabelDraw:
    """Draw items by strata of the judge's scores, so that labels exist for so many items.

    Items that are already labeled, which must be a random sample, count as drawn.
    """
    judgments = np.stack([judge.row(name) for name in models])
    judged: BoolArray = np.asarray(~np.isnan(judgments).any(axis=0))
    judgments = judgments[:, judged]
    label_scores = labels_on(judge, label, models)[:, judged]
    known: BoolArray = np.asarray(~np.isnan(label_scores).any(axis=0))
    total = known.size
    if not labels <= total:
        msg = (
            f"{labels:,.0f} labels are needed, but the pilot has only {total:,} judged items to "
            f"draw from. Judge more items, or set {arg('labels')}."
        )
        raise ParameterError(msg)
    stratum_codes = judge_strata(judgments)
    used, place = np.unique(stratum_codes, return_inverse=True)
    codes = np.asarray(place.reshape(-1), np.int64)
    items, existing = np.bincount(codes), np.bincount(codes[known], minlength=used.size)
    names = [(_PAIR if len(models) == 2 else _SEVERAL)[k] for k in used.tolist()]
    sd, is_estimated = _spread(label_scores, codes, existing, names)
    counts = allocate_labels(
        items.astype(np.float64), sd, int(labels), existing.astype(np.float64)
    )
    rng = np.random.default_rng(seed)
    label_mask = known.copy()
    for k, n in enumerate(counts.tolist()):
        candidates = np.flatnonzero((codes == k) & ~known)
        label_mask[rng.permutation(candidates)[: n - existing[k]]] = True
    weights = items / counts
    share = items / total
    variance = float((share**2 * sd**2 / counts).sum())
    identifiers = [x for x, keep in zip(judge.items, judged.tolist(), strict=True) if keep]
    rows = zip(identifiers, codes.tolist(), label_mask.tolist(), known.tolist(), strict=True)
    return LabelDraw(
        strata=tuple(
            LabelStratum(
                judge_prefers=name,
                n_items=int(items[k]),
                n_labels=int(counts[k]),
                n_existing=int(existing[k]),
                sd=float(sd[k]),
                weight=float(weights[k]),
            )
            for k, name in enumerate(names)
        ),
        is_sd_estimated=is_estimated,
        gain=float(share @ sd**2) / int(counts.sum()) / variance if variance else 1.0,
        seed=seed,
        items=tuple(
            LabelItem(
                item=item,
                label_weight=float(weights[code]),
                is_drawn=is_drawn,
                is_labeled=is_labeled,
            )
            for item, code, is_drawn, is_labeled in rows
        ),
    )


def _spread(
    label_scores: Array, codes: IntArray, existing: IntArray, names: list[StratumName]
) -> tuple[Array, bool]:
    """Return the SD of label differences in each stratum, and whether labels show it."""
    if existing.min() < _LEAST_FOR_SD:
        return np.array([_ASSUMED_SD[name not in ("neither", "equal")] for name in names]), False
    models = len(label_scores)
    variances = []
    for k in range(existing.size):
        y = label_scores[:, codes == k]
        y = y[:, ~np.isnan(y).any(axis=0)]
        contrasts = y - y.mean(axis=0)
        variances.append(2 * contrasts.var(axis=1, ddof=1).sum() / (models - 1))
    if not any(variances):
        return np.ones(existing.size), False
    return np.sqrt(variances), True


def draw_rows(draw: LabelDraw) -> list[tuple[str, str, int]]:
    """Return the list of items: name, weight, and 1 for items that still need labels."""
    return [
        (row.item, repr(row.label_weight), int(row.is_drawn and not row.is_labeled))
        for row in draw.items
    ]


DRAW_COLUMNS = ("item", LABEL_WEIGHT, "to_label")
"""Columns of that list."""
