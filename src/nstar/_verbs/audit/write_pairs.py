"""Write all pairs of an audit to a directory, with one part for each strip of models."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast, get_args

import numpy as np
import pyarrow as pa

from nstar._base.parameter_types import Adjust
from nstar._base.types import Array, IntArray
from nstar._data.export.audit_folders import PairTableFolder
from nstar._engine.pairs import AnyPanel, ItemDesign, PairStats, Panel
from nstar._verbs.audit.checkpoint import audit_fingerprint
from nstar._verbs.audit.family import PairFamily
from nstar._verbs.audit.maxt import MaxTResult, MaxTUnavailable
from nstar._verbs.audit.pair_analysis import PairAnalysis, adjusted
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.selection import AuditedModels
from nstar._verbs.audit.tile_grid import TileGrid, TileJob
from nstar._verbs.audit.tiles import Tile
from nstar._verbs.audit.verdicts import CountingRules
from nstar._verbs.verdict import UNDERPOWERED, VERDICT_OF_STATE, BoardVerdict
from nstar.errors import DataError

_VERDICTS = get_args(BoardVerdict)
_VERDICT_CODE = np.array([_VERDICTS.index(v) for v in VERDICT_OF_STATE], dtype=np.int8)
"""Index of each state's verdict among the verdicts."""


def _names(index: IntArray, shape: tuple[int, ...], names: pa.Array) -> pa.DictionaryArray:
    places = np.broadcast_to(index, shape).reshape(-1)
    first = int(places.min())
    dictionary = names.slice(first, int(places.max()) - first + 1)
    return pa.DictionaryArray.from_arrays((places - first).astype(np.int16), dictionary)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _PairColumns:
    """Converter of tiles to columns, which is sent to workers and contains no scores."""

    counting: CountingRules
    family: PairFamily
    step: MaxTResult | MaxTUnavailable
    used: Adjust
    names: pa.Array
    design: ItemDesign
    complete: bool
    offset: float

    def adjusted(self, tile: Tile) -> Array:
        """Return adjusted p-values of a tile."""
        return adjusted(tile, self.family, self.step, self.used, len(self.names))

    def beyond_counts(self, pairs: PairStats) -> dict[str, Any]:
        """Return the values of a pair that counts and means do not determine."""
        g, shape, columns = pairs.gram, pairs.delta.shape, dict[str, Any]()
        if not self.complete:
            with np.errstate(divide="ignore", invalid="ignore"):
                means = (s / np.asarray(g.n) + self.offset for s in (g.first, g.second))
                named_means = zip(("mean_a", "mean_b"), means, strict=True)
                columns |= {k: m.reshape(-1) for k, m in named_means}
        if self.design.kind != "independent" or not g.binary:
            df = np.broadcast_to(np.asarray(pairs.df, dtype=np.float64), shape)
            columns["df"] = df.reshape(-1)
        if self.design.kind == "cluster":
            units = np.broadcast_to(np.asarray(pairs.units, dtype=np.int32), shape)
            columns["n_clusters"] = units.reshape(-1)
            if self.counting.margin is not None:
                columns["n_exposed"] = pairs.exposed().reshape(-1)
        return columns

    def batch(self, tile: Tile) -> pa.RecordBatch:
        """Return one tile as columns."""
        pairs, shape = tile.pairs, tile.p.shape
        g, unadjusted_rule = pairs.gram, self.counting.rulers[""]
        columns: dict[str, Any] = {
            "model_a": _names(tile.first, shape, self.names),
            "model_b": _names(tile.second, shape, self.names),
            "n_items": np.broadcast_to(np.asarray(g.n, dtype=np.int32), shape).reshape(-1),
        }
        if g.binary:
            discordant = (x.reshape(-1) for x in g.discordant)
            columns |= dict(zip(("n10", "n01"), discordant, strict=True))
        q = pairs.n / unadjusted_rule.needed(pairs, np.abs(pairs.delta))
        codes = self.counting.codes(tile).reshape(-1)
        columns |= {
            "gap": pairs.delta.reshape(-1),
            "se": pairs.se.reshape(-1),
            "pvalue": tile.p.reshape(-1),
            "pvalue_adjusted": self.adjusted(tile).reshape(-1),
            "q": q.reshape(-1),
            "verdict": pa.DictionaryArray.from_arrays(_VERDICT_CODE[codes], pa.array(_VERDICTS)),
            "is_underpowered": codes == UNDERPOWERED,
            **self.beyond_counts(pairs),
        }
        return pa.record_batch(columns)


def _sheet(
    analysis: PairAnalysis, models: tuple[str, ...], question: AuditQuestion
) -> _PairColumns:
    panel = cast("Panel", analysis.panel).light()
    return _PairColumns(
        counting=analysis.counting,
        family=analysis.family,
        step=analysis.step,
        used=analysis.adjust(question.adjust),
        names=pa.array([n.encode("utf-8", "replace").decode() for n in models]),
        design=panel.design,
        complete=panel.complete,
        offset=panel.block.offset,
    )


def open_parts(
    field: AuditedModels, design: str, question: AuditQuestion, out: str
) -> PairTableFolder:
    """Open the requested directory. Raise DataError if it contains anything else."""
    return PairTableFolder(out, audit_fingerprint(field, design, question))


def _write(
    number: int, parts: PairTableFolder, spots: TileJob, sheet: _PairColumns, *strips: AnyPanel
) -> int:
    """Write one part on the worker that computes it, unless a valid part exists."""
    if not parts.whole(number):
        batches = (sheet.batch(tile) for tile in spots.tiles(strips))
        parts.write(number, (batch for batch in batches if batch.num_rows))
    return number


def write_pairs(
    analysis: PairAnalysis,
    grid: TileGrid,
    models: tuple[str, ...],
    parts: PairTableFolder,
    question: AuditQuestion,
) -> None:
    """Write all pairs, one part per strip of rows. Valid parts are kept."""
    parts.confirm()
    m, last = len(models), len(grid.starts)
    sheet = grid.crew.share(_sheet(analysis, models, question))
    part_numbers = [k for k in range(last) if k + 1 < last or grid.sizes[k] > 1]

    def jobs() -> Iterator[tuple[Any, ...]]:
        for number in part_numbers:
            meet = grid.meeting(range(number, number + 1), range(last))
            spots, strips = grid.spots(meet)
            yield number, parts, spots, sheet, *strips

    pairs = {k: sum(grid.sizes[k:]) - (grid.sizes[k] + 1) / 2 for k in part_numbers}
    size = {k: round(grid.sizes[k] * each) for k, each in pairs.items()}
    n_done = 0
    for number in grid.crew.ordered(_write, jobs(), memory=grid.memory):
        if not parts.has(number):
            msg = (
                f"{parts.where}: part {number} was written by a worker but is missing here. Use a "
                "folder that all workers share, or an address such as s3://…."
            )
            raise DataError(msg)
        n_done += size[number]
        if grid.progress is not None:
            grid.progress(n_done, m * (m - 1) // 2)
    parts.confirm()
