"""Divide a panel into strips, and process the tiles in which two strips meet.

A tile is the unit of computation and has a fixed size, so that results are bitwise identical. A
job is a square batch of tiles of the length that the pool prefers, so that few strips are read.
"""

import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar, cast

from nstar._engine.gram import CompactGram, grams, popcount
from nstar._engine.pairs import AnyPanel, Panel
from nstar._engine.work import Progress, TileCache, WorkerPool, memory_budget, reduce_in_order
from nstar._verbs.audit import tiles
from nstar._verbs.audit.tiles import (
    CountedTile,
    Tile,
    counted_tile,
    is_counted,
    tile_of,
    tile_pairs,
)

R = TypeVar("R")

_TIMING_SECONDS = 0.05
"""Seconds of work that are enough to time a pair."""

_MAX_STRIP_BYTES_PER_JOB = 1 << 29
"""Maximum bytes of strips per job. A node holds the strips of all its jobs."""

_MIN_SECONDS_PER_DISK_READ = 0.25
"""Seconds of work that justify reading strips from disk."""

_STRIPS_PER_BLAS_CALL = 4
"""Number of strips per side of one BLAS product: 1,024 models."""

_JOB_OVERHEAD_BYTES = 1 << 28
"""Bytes of one job other than its strips: statistics of a tile, and the p-value table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TileJob:
    """Tiles of one job, each given as a pair of indices into the strips sent with the job."""

    meet: tuple[tuple[int, int], ...]
    """Rows and columns of each tile."""
    starts: tuple[int, ...]
    """First model of each strip."""
    bound: bool
    """Whether a bound replaces p-values that are too small to matter."""
    counted: bool = False
    """Whether tiles contain only counts."""
    recall: TileCache | None = None
    """Cache of results of an earlier pass in this process."""

    def tiles(self, strips: Sequence[AnyPanel]) -> Iterator[Tile]:
        """Yield each tile, computed on demand. Strips are read once and dropped after use."""
        if is_counted(strips[0]):
            panels = cast("Sequence[Panel]", strips)
            yield from (tile.whole(bound=self.bound) for tile in self.counts(panels))
            return
        in_memory: dict[int, AnyPanel] = {}
        # Strips may be mapped files larger than memory. Count the tiles of this job that still
        # need each strip, and drop the strip after its last tile.
        left = Counter(k for ij in self.meet for k in ij)
        for i, j in self.meet:
            in_memory |= {k: strips[k].load() for k in {i, j} if k not in in_memory}
            yield tile_of(
                in_memory[i], in_memory[j], (self.starts[i], self.starts[j]), self.recall
            )
            left.subtract((i, j))
            in_memory = {k: strip for k, strip in in_memory.items() if left[k]}

    def counts(self, strips: Sequence[Panel]) -> Iterator[CountedTile]:
        """Yield the counts of each tile of 0/1 scores, from an earlier pass or computed now."""
        cached_counts = [self._kept(ij) for ij in self.meet]
        missing = [ij for ij, known in zip(self.meet, cached_counts, strict=True) if known is None]
        panels = [strip.load() for strip in strips]
        new = grams([p.data for p in panels], missing)
        for (i, j), known in zip(self.meet, cached_counts, strict=True):
            starts = self.starts[i], self.starts[j]
            g = next(new) if known is None else known.whole()
            if known is None and self.recall is not None:
                self.recall.keep(starts, CompactGram.of(g))
            yield counted_tile(g, panels[i], panels[j], starts)

    def _kept(self, ij: tuple[int, int]) -> CompactGram | None:
        if self.recall is None:
            return None
        gram: CompactGram | None = self.recall.find((self.starts[ij[0]], self.starts[ij[1]]))
        return gram


def _sum(
    work: Callable[..., R],
    add: Callable[[R, R], R],
    spots: TileJob,
    context: Any,
    *strips: Any,
) -> R:
    tiles = spots.counts(strips) if spots.counted else spots.tiles(strips)
    return reduce_in_order((work(tile, context) for tile in tiles), add)


class TileGrid:
    """Tiles on and above the diagonal of a panel, processed by workers.

    ``work`` is a module-level function that takes a tile and a value shared by all tiles.
    """

    def __init__(
        self,
        panel: AnyPanel,
        workers: WorkerPool,
        progress: Progress | None = None,
        memory: int | None = 0,
    ) -> None:
        self.panel, self.crew, self.progress = panel, workers, progress
        self._recall = TileCache(memory_budget(memory)) if workers.shares_memory else None
        self.size = tiles.TILE
        self.starts = tuple(range(0, len(panel), self.size))
        self.sizes = tuple(min(self.size, len(panel) - start) for start in self.starts)

    @cached_property
    def pair_seconds(self) -> float:
        """Return the seconds per pair, timed on the first models. Only job sizes depend on it."""
        n_models, took = 16, 0.0
        # Time 32, 64, … models until the clock has something to measure. Only the sizes of jobs
        # depend on it, never a result, so a noisy estimate is harmless.
        while True:
            n_models = min(2 * n_models, self.size, len(self.panel))
            first, last = self.panel[:n_models].load(), self.panel[-n_models:].load()
            start = time.perf_counter()
            tile_of(first, last, (0, n_models))
            took = time.perf_counter() - start
            if took >= _TIMING_SECONDS or n_models in (self.size, len(self.panel)):
                return took / n_models**2

    @property
    def _at_once(self) -> bool:
        """Return whether several tiles are counted together, which BLAS does faster."""
        return self.counted and popcount.name() == "numpy"

    @property
    def counted(self) -> bool:
        """Return whether tiles need only counts of 0/1 scores."""
        return is_counted(self.panel)

    @cached_property
    def strips(self) -> tuple[AnyPanel, ...]:
        """Return the strips of models, shared with the workers."""
        self.panel.count()
        light = self.panel.light()
        return tuple(self.crew.share(light[i : i + self.size]) for i in self.starts)

    @cached_property
    def side(self) -> int:
        """Return the number of strips per side of a batch, for jobs of the preferred length."""
        grain = (
            max(self.crew.grain, _MIN_SECONDS_PER_DISK_READ)
            if self.panel.stored
            else self.crew.grain
        )
        if len(self.starts) < 3:
            return 1
        if not grain:
            return min(_STRIPS_PER_BLAS_CALL, len(self.starts) // 3) if self._at_once else 1
        each = self.pair_seconds
        total_seconds = len(self.panel) ** 2 / 2 * each
        # At least four jobs per worker, even where the pool prefers longer ones: with fewer,
        # workers would be idle while the last, longest job finishes.
        job_seconds = min(grain, total_seconds / (4 * self.crew.width))
        fits = _MAX_STRIP_BYTES_PER_JOB // (2 * max(1, self.panel[: self.size].nbytes))
        return max(1, min(round(math.sqrt(job_seconds / each) / self.size), fits))

    @property
    def memory(self) -> int:
        """Return the bytes of one job: its strips as stored, and as an engine packs them."""
        return 4 * self.side * self.panel[: self.size].nbytes + _JOB_OVERHEAD_BYTES

    def _pairs(self, meet: Iterable[tuple[int, int]]) -> int:
        return sum(tile_pairs(self.sizes[i], self.sizes[j], upper=i == j) for i, j in meet)

    @property
    def count(self) -> int:
        """Return the number of tiles, which are numbered row by row."""
        return self._first(len(self.starts))

    def _first(self, row: int) -> int:
        """Return the number of the first tile of a row."""
        return row * len(self.starts) - row * (row - 1) // 2

    def _row(self, tile: int) -> int:
        """Return the row of a tile."""
        ends = (self._first(row + 1) for row in range(len(self.starts)))
        return next(row for row, end in enumerate(ends) if tile < end)

    def batches(self, part: range | None = None) -> Iterator[list[tuple[int, int]]]:
        """Yield all tiles in batches, or those of whole rows or of a part of one row."""
        last = len(self.starts)
        part = range(self.count) if part is None else part
        row = self._row(part.start)
        if part.stop < self._first(row + 1) or part.start > self._first(row):
            shift = row - self._first(row)
            columns = range(part.start + shift, part.stop + shift)
            for k in range(0, len(columns), self.side):
                yield self.meeting(range(row, row + 1), columns[k : k + self.side])
            return
        below = self._row(part.stop - 1) + 1
        for top in range(row, below, self.side):
            above = range(top, min(top + self.side, below))
            for left in range(top, last, self.side):
                yield self.meeting(above, range(left, left + self.side))

    def stretches(self, start: int, seconds: float) -> Iterator[range]:
        """Yield consecutive ranges of tiles that each keep all workers busy for ``seconds``.

        The first size is estimated from a timed pair, and later ones from the range before.
        """
        tile, speed = start, self.crew.width / self.pair_seconds
        while tile < self.count:
            part = self._stretch(tile, speed * seconds)
            begun, before = time.monotonic(), self._pairs_before(tile)
            yield part
            tile = part.stop
            took = time.monotonic() - begun
            speed = max(1, self._pairs_before(tile) - before) / max(took, 1e-3)

    def _stretch(self, tile: int, pairs: float) -> range:
        """Return about ``pairs`` pairs of tiles: a part of a row, or whole rows."""
        row = self._row(tile)
        n_tiles = max(1, int(pairs / self.size**2))
        end = self._first(row + 1)
        if tile > self._first(row) or n_tiles < end - tile:
            return range(tile, min(tile + n_tiles, end))
        while row + 1 < len(self.starts) and self._first(row + 2) <= tile + n_tiles:
            row += 1
        return range(tile, self._first(row + 1))

    def meeting(self, rows: range, columns: range) -> list[tuple[int, int]]:
        """Return the tiles on and above the diagonal in which some strips meet others."""
        last = len(self.starts)
        return [(i, j) for i in rows if i < last for j in columns if i <= j < last]

    def spots(
        self, meet: Sequence[tuple[int, int]], *, bound: bool = False, counted: bool = False
    ) -> tuple[TileJob, tuple[AnyPanel, ...]]:
        """Return the tiles and their strips, which are the last arguments of a job."""
        used = sorted({k for ij in meet for k in ij})
        place = {k: at for at, k in enumerate(used)}
        spots = TileJob(
            meet=tuple((place[i], place[j]) for i, j in meet),
            starts=tuple(self.starts[k] for k in used),
            bound=bound,
            counted=counted,
            recall=self._recall,
        )
        return spots, tuple(self.strips[k] for k in used)

    def reduced(
        self,
        work: Callable[[Any, Any], R],
        context: Any,
        add: Callable[[R, R], R],
        *,
        bound: bool = False,
        counted: bool = False,
        progress: Progress | None = None,
        part: range | None = None,
    ) -> R:
        """Return the sum of ``work`` over all tiles, or over some. Addition must be exact.

        If ``counted``, tiles contain only counts.
        """
        shared, batches = self.crew.share(context), list(self.batches(part))
        sizes, total = [self._pairs(b) for b in batches], self._pairs_before(self.count)
        n_done = 0 if part is None else self._pairs_before(part.start)

        def on_done(number: int) -> None:
            nonlocal n_done
            n_done += sizes[number]
            if progress is not None:
                progress(n_done, total)

        def jobs() -> Iterator[tuple[Any, ...]]:
            for batch in batches:
                spots, strips = self.spots(batch, bound=bound, counted=counted)
                yield work, add, spots, shared, *strips

        return self.crew.reduced(_sum, jobs(), add, memory=self.memory, on_done=on_done)

    def _pairs_before(self, tile: int) -> int:
        """Return the number of pairs in all tiles before one."""
        row = self._row(tile) if tile < self.count else len(self.starts)
        m, rest = sum(self.sizes), sum(self.sizes[row:])
        n_pairs = (m * (m - 1) - rest * (rest - 1)) // 2
        return n_pairs + self._pairs((row, row + k) for k in range(tile - self._first(row)))
