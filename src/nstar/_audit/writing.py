"""Every pair of an audit to a directory, a band of tiles at a time."""

from collections.abc import Iterator
from dataclasses import asdict
from hashlib import blake2b
from typing import Any, cast

import numpy as np
import pyarrow as pa

from nstar._audit.field import Field
from nstar._audit.parts import Adjust
from nstar._audit.question import Question
from nstar._audit.survey import Survey
from nstar._audit.tiles import TILE, Tile, by_tiles
from nstar._pairs import PairStats, Panel
from nstar._typing import IntArray
from nstar._verdict import AUDIT_WORDS
from nstar.export.pair_parts import PairParts

__all__ = ["open_parts", "write_pairs"]


def _fingerprint(field: Field) -> dict[str, str]:
    """Digests of the models and the scores that an audit is about."""
    digest, matrix = blake2b(digest_size=16), field.matrix
    for part in (matrix.bits, matrix.mask, matrix.means, field.items, np.array(field.models)):
        digest.update(b"-" if part is None else np.ascontiguousarray(part).tobytes())
    for grouping in matrix.groups.values():
        digest.update(grouping.codes.tobytes())
    names = blake2b("\n".join(field.names).encode("utf-8", "surrogatepass"), digest_size=16)
    return {"models": names.hexdigest(), "scores": digest.hexdigest()}


def _names(index: IntArray, shape: tuple[int, ...], names: pa.Array) -> pa.DictionaryArray:
    places = np.broadcast_to(index, shape).reshape(-1)
    first = int(places.min())
    few = names.slice(first, int(places.max()) - first + 1)
    return pa.DictionaryArray.from_arrays((places - first).astype(np.int16), few)


def _beyond_counts(pairs: PairStats, panel: Panel) -> dict[str, Any]:
    """What a pair needs to be told again where counts and the models' own means will not do."""
    g, shape, columns = pairs.gram, pairs.delta.shape, dict[str, Any]()
    if not panel.complete:
        with np.errstate(divide="ignore", invalid="ignore"):
            means = (s / np.asarray(g.n) + panel.block.offset for s in (g.first, g.second))
            columns |= {k: m.reshape(-1) for k, m in zip(("mean_a", "mean_b"), means, strict=True)}
    if panel.design.kind != "items" or not g.binary:
        df = np.broadcast_to(np.asarray(pairs.df, dtype=np.float64), shape)
        columns["df"] = df.reshape(-1)
    if panel.clustered:
        units = np.broadcast_to(np.asarray(pairs.units, dtype=np.int32), shape)
        columns["clusters"] = units.reshape(-1)
    return columns


def _batch(tile: Tile, seen: Survey, used: Adjust, names: pa.Array) -> pa.RecordBatch:
    """One tile as columns."""
    pairs, shape = tile.pairs, tile.p.shape
    g, alone = pairs.gram, seen.counting.rulers[""]
    columns: dict[str, Any] = {
        "a": _names(tile.first, shape, names),
        "b": _names(tile.second, shape, names),
        "n": np.broadcast_to(np.asarray(g.n, dtype=np.int32), shape).reshape(-1),
    }
    if g.binary:
        columns |= dict(zip(("n10", "n01"), (x.reshape(-1) for x in g.discordant), strict=True))
    with np.errstate(invalid="ignore"):
        q = np.square(np.where(pairs.se > 0, pairs.t, np.nan) / alone.needed())
    codes = seen.counting.codes(tile).reshape(-1).astype(np.int8)
    columns |= {
        "delta": pairs.delta.reshape(-1),
        "se": pairs.se.reshape(-1),
        "p": tile.p.reshape(-1),
        "p_adjusted": seen.adjusted(tile, used).reshape(-1),
        "q": q.reshape(-1),
        "verdict": pa.DictionaryArray.from_arrays(codes, pa.array(AUDIT_WORDS)),
        **_beyond_counts(pairs, cast("Panel", seen.panel)),
    }
    return pa.record_batch(columns)


def open_parts(field: Field, design: str, ask: Question) -> PairParts:
    """The directory asked for; DataError if it holds something else."""
    about = {
        "task": field.matrix.task,
        "metric": field.matrix.metric,
        "design": design,
        "items": ask.items,
        "adjust": ask.adjust,
        **asdict(ask.criteria),
        "margin": ask.margin,
        "draws": ask.draws,
        "seed": ask.seed,
        **_fingerprint(field),
    }
    return PairParts(str(ask.out), about)


def write_pairs(seen: Survey, models: tuple[str, ...], parts: PairParts, ask: Question) -> None:
    """Every pair; parts that are there already are left alone."""
    names = pa.array([n.encode("utf-8", "replace").decode() for n in models])
    m, used = len(models), seen.adjust(ask.adjust)
    starts = range(0, m, TILE)

    def band(start: int) -> Iterator[pa.RecordBatch]:
        tiles = by_tiles(
            seen.panel,
            lambda tile: _batch(tile, seen, used, names),
            workers=ask.threads,
            table=seen.table,
            rows=slice(start, min(start + TILE, m)),
        )
        return (batch for batch in tiles if batch.num_rows)

    done = 0
    for number, start in enumerate(starts):
        rows = min(TILE, m - start)
        if (start + rows < m or rows > 1) and not parts.has(number):
            parts.write(number, band(start))
        done += rows * (m - start - rows) + rows * (rows - 1) // 2
        if ask.progress is not None:
            ask.progress(done, m * (m - 1) // 2)
