"""Data of the heat map: bins of items of similar difficulty, by model or band of models."""

import numpy as np

from nstar._base.types import Array, IntArray
from nstar._verbs.audit.selection import AuditedModels
from nstar._verbs.items.result import HeatmapBin, HeatmapRow
from nstar._verbs.items.scan import ItemSums

_BINS = 60
"""Number of columns of discriminating items."""
_ORDER = (1, 0, 3, 2)
"""Codes of a status from easy to hard: all correct, discriminating, all equal, all wrong."""
_NAMES = {0: "live", 1: "all right", 2: "all wrong", 3: "all alike"}


def _columns(code: IntArray, ease: Array) -> list[tuple[int, IntArray]]:
    """Return the items of each column: discriminating ones in bins, from easy to hard."""
    out = []
    for kind in _ORDER:
        indices = np.flatnonzero(code == kind)
        if kind == 0 and indices.size:
            order = indices[np.argsort(-ease[indices], kind="stable")]
            out += [(kind, part) for part in np.array_split(order, min(_BINS, indices.size))]
        elif indices.size:
            out.append((kind, indices))
    return out


def heat_of(
    selection: AuditedModels, item_sums: ItemSums, code: IntArray, limits: tuple[float, float]
) -> tuple[tuple[HeatmapBin, ...], tuple[HeatmapRow, ...]]:
    """Return columns and rows of the heat map; scores as shares of the scale, 1 the best."""
    low, width = limits[0] - item_sums.offset, limits[1] - limits[0]
    ease = selection.better * item_sums.sums / item_sums.n
    bins, shares = [], []
    sums, counts = item_sums.bands
    for kind, items in _columns(code, ease):
        bins.append(HeatmapBin(n_items=len(items), status=_NAMES[kind]))  # type: ignore[arg-type]
        with np.errstate(invalid="ignore"):
            mean = sums[:, items].sum(axis=1) / counts[:, items].sum(axis=1)
        share = np.clip((mean - low) / width, 0.0, 1.0)
        shares.append(share if selection.better > 0 else 1 - share)
    cells = np.stack(shares, axis=1)
    ends = [*item_sums.starts[1:].tolist(), len(selection.names)]
    rows = tuple(
        HeatmapRow(
            model=selection.names[start],
            n_models=end - start,
            mean=float(selection.means[start:end].mean()),
            shares=tuple(cells[k].tolist()),
        )
        for k, (start, end) in enumerate(zip(item_sums.starts.tolist(), ends, strict=True))
    )
    return tuple(bins), rows
