"""A mosaic cut into jobs and stretches: every tile once, however long a pair seems to take."""

from typing import Any

import numpy as np
import pytest

from helpers.boards import board, scores, subjects
from nstar import audit
from nstar._engine.pairs import panel
from nstar._engine.work import Execution, ThreadWorkers
from nstar._verbs.audit import checkpoint
from nstar._verbs.audit.tile_grid import TileGrid
from nstar.errors import DataError

MODELS = 45


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for part in ("pair_analysis", "run"):
        monkeypatch.setattr(f"nstar._verbs.audit.{part}.MOST_HELD", 4)
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.MOST_MODELS", 4)
    monkeypatch.setattr("nstar._verbs.audit.tiles.TILE", 4)


class Far(ThreadWorkers):
    grain = 1.0


def mosaic(seconds: float, crew: ThreadWorkers | None = None) -> TileGrid:
    """Twelve strips, where a pair seems to take so long."""
    matrix = board(scores(2, models=MODELS, items=60))
    models, items = range(MODELS), np.arange(60)
    found = TileGrid(panel(matrix, models, items, "independent", None), crew or ThreadWorkers(1))
    found.__dict__["pair_seconds"] = seconds
    return found


EVERY = [(i, j) for i in range(12) for j in range(i, 12)]


@pytest.mark.parametrize("seconds", [1e-9, 1e-3, 1e-2, 0.04, 1.0, 100.0])
def test_stretches_and_batches_hold_every_tile_once(seconds: float) -> None:
    found = mosaic(seconds, Far(2))
    assert found.count == len(EVERY)
    parts = list(found.stretches(0, 20.0))
    assert [t for part in parts for t in part] == list(range(found.count))
    for part in parts:
        tiles = sorted(t for batch in found.batches(part) for t in batch)
        assert tiles == [EVERY[t] for t in part]
    assert sorted(t for batch in found.batches() for t in batch) == EVERY


def test_a_stretch_goes_by_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("nstar._verbs.audit.tile_grid.time.monotonic", lambda: now[0])
    found = mosaic(1e-9)
    parts = []
    for part in found.stretches(50, 20.0):
        parts.append(part)
        now[0] += 10.0 * len(part)  # a tile takes ten seconds, not what was thought
    assert [len(p) for p in parts][1:-1] == [2] * (len(parts) - 2)


def test_a_job_lasts_as_long_as_is_wanted() -> None:
    assert mosaic(1.0, Far(1)).side == 1  # a tile lasts long enough
    assert mosaic(1 / 64, Far(1)).side == 2
    assert mosaic(1e-9, Far(1)).side == 4  # short, but everybody shall have some work
    assert mosaic(1e-9, Far(20)).side == 1
    assert mosaic(1e-9).side == 1  # threads like small jobs


def test_a_pair_is_timed() -> None:
    matrix = board(scores(2, models=MODELS, items=60))
    models, items = range(MODELS), np.arange(60)
    found = TileGrid(panel(matrix, models, items, "independent", None), Far(2))
    assert 0 < found.pair_seconds < 1


@pytest.mark.parametrize("graded", [False, True])
def test_an_audit_stopped_within_a_row_goes_on(
    graded: bool, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix = board(
        scores(3, models=MODELS, items=90, graded=graded, missing=0.1),
        labels=subjects(3, 90, groups=9),
    )
    want = audit(matrix)
    monkeypatch.setattr(checkpoint, "_SECONDS_BETWEEN_CHECKPOINTS", 1e-9)  # a tile at a time
    seen: list[int] = []

    def stopping(done: int, _: int) -> None:
        seen.append(done)
        if len(seen) == 37:
            msg = "stopped"
            raise DataError(msg)

    with pytest.raises(DataError, match="stopped"):
        audit(matrix, execution=Execution(work=str(tmp_path / "w"), progress=stopping))
    rest: list[int] = []
    found = audit(
        matrix,
        execution=Execution(work=str(tmp_path / "w"), progress=lambda done, _: rest.append(done)),
    )
    assert rest[0] <= seen[-1]
    assert rest == sorted(rest)
    assert rest[-1] == MODELS * (MODELS - 1)
    for part in ("ranking", "adjacent", "verdict_counts", "gap_bins", "rho", "pairing_gain"):
        assert repr(getattr(found, part)) == repr(getattr(want, part))
