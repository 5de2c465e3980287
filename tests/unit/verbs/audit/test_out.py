"""Every pair to a directory: whole, once, and on from where it stopped."""

import hashlib
import json
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.boards import board, scores, subjects
from nstar import Audit, ScoreMatrix, audit
from nstar._data.export.files import NewFile
from nstar._data.export.folder import _LocalStore
from nstar._engine.work import Execution
from nstar._verbs.audit import write_pairs
from nstar.errors import DataError

MODELS, PAIRS, PARTS = 23, 253, 4


@pytest.fixture(autouse=True)
def _small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.default_draws", lambda _: 999)
    for module in ("tiles", "pair_analysis"):
        monkeypatch.setattr(f"nstar._verbs.audit.{module}.TILE", 6)


def leaderboard(**options: Any) -> ScoreMatrix:
    x = scores(12, models=MODELS, items=130, **options)
    return board(x, labels=subjects(12, 130, groups=9), task="t")


def parts(out: Path) -> list[Path]:
    return sorted((out / "pairs").glob("part-*.parquet"))


def table(out: Path) -> dict[str, list[Any]]:
    return dict(pa.concat_tables(pq.read_table(p) for p in parts(out)).to_pydict())


def stamps(out: Path) -> dict[str, tuple[int, int]]:
    return {p.name: (p.stat().st_ino, p.stat().st_mtime_ns) for p in parts(out)}


def bytes_of(out: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in parts(out)}


def left_over(out: Path) -> list[str]:
    return [p.name for p in out.rglob("*") if p.name.startswith(".nstar")]


def assert_same(out: Path, found: Audit) -> None:
    """The files hold what the audit holds, pair by pair."""
    written, held = table(out), found.pairs.columns()
    place = {
        ab: k for k, ab in enumerate(zip(written["model_a"], written["model_b"], strict=True))
    }
    assert len(place) == len(written["model_a"]) == found.n_pairs
    order = [place[ab] for ab in zip(held["model_a"], held["model_b"], strict=True)]
    for name in written.keys() & held.keys():
        values = written[name]
        if name in {"model_a", "model_b", "verdict", "is_underpowered"}:
            assert [values[k] for k in order] == list(held[name]), name
        else:
            column = np.array(values, dtype=np.float64)[order]
            assert column == pytest.approx(held[name], rel=1e-5, nan_ok=True), name
    words = {w: written["verdict"].count(w) for w in found.verdict_counts}
    assert words == found.verdict_counts


@pytest.mark.sampled(5)
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("declared", [{}, {"strata": "s"}, {"cluster": "s"}])
def test_files_hold_every_pair(
    tmp_path: Path, declared: dict[str, Any], graded: bool, missing: float
) -> None:
    matrix = leaderboard(graded=graded, missing=missing)
    found = audit(
        matrix,
        pairs="all",
        execution=Execution(out=str(tmp_path / "new" / "dir")),
        margin=0.1,
        **declared,
    )
    assert_same(tmp_path / "new" / "dir", found)
    assert len(parts(tmp_path / "new" / "dir")) == PARTS
    assert left_over(tmp_path) == []
    written = table(tmp_path / "new" / "dir")  # with what a pair needs to be told again
    beyond = {"mean_a", "mean_b"} if missing else set()
    beyond |= {"df"} if graded or declared else set()
    beyond |= {"n_clusters"} if "cluster" in declared else set()
    assert beyond == set(written) & {"mean_a", "mean_b", "df", "n_clusters"}
    assert found.survey is not None
    assert found.survey.held is not None
    held = found.survey.held.pairs
    place = {
        ab: k for k, ab in enumerate(zip(written["model_a"], written["model_b"], strict=True))
    }
    order = [place[ab] for ab in zip(found.pairs.model_a, found.pairs.model_b, strict=True)]
    for name, values in (("df", held.df), ("n_clusters", held.units)):
        if name in written:
            expected = np.broadcast_to(values, held.delta.shape)
            assert np.array(written[name])[order] == pytest.approx(expected, nan_ok=True)


def test_gaps_without_an_error_and_pairs_without_an_item(tmp_path: Path) -> None:
    x = scores(12, models=8, items=130)
    x[0], x[1] = 1, 0
    x[2, :65], x[3, 65:] = np.nan, np.nan
    assert_same(tmp_path, audit(board(x), pairs="all", execution=Execution(out=str(tmp_path))))


@pytest.mark.parametrize("models", [2, 6, 7, 13])
def test_any_number_of_models(tmp_path: Path, models: int) -> None:
    matrix = board(scores(3, models=models, items=130))
    assert_same(tmp_path, audit(matrix, pairs="all", execution=Execution(out=str(tmp_path))))


def test_streamed_pairs_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = leaderboard(missing=0.2)
    held = audit(matrix, pairs="all")
    for module in ("pair_analysis", "run"):
        monkeypatch.setattr(f"nstar._verbs.audit.{module}.MOST_HELD", 4)
    found = audit(matrix, pairs="all", execution=Execution(out=str(tmp_path), workers=3))
    assert (len(found.pairs), len(found.listed)) == (0, MODELS - 1)
    assert found.verdict_counts == held.verdict_counts
    assert_same(tmp_path, held)


# --- on from where it stopped -------------------------------------------------------------


def test_a_finished_run_is_not_done_again(tmp_path: Path) -> None:
    matrix = leaderboard()
    audit(matrix, execution=Execution(out=str(tmp_path)))
    before = stamps(tmp_path)
    assert len(before) == PARTS
    audit(matrix, execution=Execution(out=str(tmp_path)))
    assert stamps(tmp_path) == before


def test_only_what_is_missing_is_written(tmp_path: Path) -> None:
    matrix = leaderboard(missing=0.1)
    audit(matrix, execution=Execution(out=str(tmp_path)))
    before, data = stamps(tmp_path), bytes_of(tmp_path)
    gone = parts(tmp_path)[1]
    gone.unlink()
    audit(matrix, execution=Execution(out=str(tmp_path), workers=3))
    after = stamps(tmp_path)
    assert bytes_of(tmp_path) == data
    assert after.pop(gone.name) != before.pop(gone.name)
    assert after == before


def halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def empty(path: Path) -> None:
    path.write_bytes(b"")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("harm", [halve, flip, empty, Path.unlink])
@pytest.mark.parametrize("what", ["pairs/part-00001.parquet", "sums/part-00001.json"])
def test_a_part_that_does_not_add_up_is_written_again(
    tmp_path: Path, what: str, harm: Callable[[Path], None]
) -> None:
    matrix = leaderboard()
    found = audit(matrix, execution=Execution(out=str(tmp_path)), pairs="all")
    before, data = stamps(tmp_path), bytes_of(tmp_path)
    harm(tmp_path / what)
    audit(matrix, execution=Execution(out=str(tmp_path)))
    after = stamps(tmp_path)
    assert bytes_of(tmp_path) == data
    assert_same(tmp_path, found)
    assert after.pop("part-00001.parquet") != before.pop("part-00001.parquet")
    assert after == before


def test_the_sum_of_a_part_is_that_of_its_bytes(tmp_path: Path) -> None:
    audit(leaderboard(), execution=Execution(out=str(tmp_path)))
    for path in parts(tmp_path):
        told = json.loads((tmp_path / "sums" / f"{path.stem}.json").read_text("utf-8"))
        content = path.read_bytes()
        wanted = hashlib.blake2b(content, digest_size=16).hexdigest()
        assert told == {"bytes": len(content), "blake2b": wanted}


def test_what_a_killed_run_left_is_deleted(tmp_path: Path) -> None:
    audit(leaderboard(), execution=Execution(out=str(tmp_path)))
    for folder in ("", "pairs", "sums"):
        (tmp_path / folder / ".nstar-0123").write_bytes(b"half")
    audit(leaderboard(), execution=Execution(out=str(tmp_path)))
    assert left_over(tmp_path) == []


def test_another_that_takes_the_directory_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim = _LocalStore.claim

    def second(self: _LocalStore, name: str, content: bytes) -> None:
        claim(self, name, content.replace(b'"maxt"', b'"bh"'))
        claim(self, name, content)

    monkeypatch.setattr(_LocalStore, "claim", second)
    with pytest.raises(DataError, match=r'another audit \(differences: adjust: "bh" there'):
        audit(leaderboard(), execution=Execution(out=str(tmp_path)))
    assert parts(tmp_path) == []


def test_another_that_takes_the_directory_while_pairs_are_counted(tmp_path: Path) -> None:
    def steal(done: int, total: int) -> None:
        path = tmp_path / "manifest.json"
        path.write_text(path.read_text("utf-8").replace('"maxt"', '"bh"'))

    with pytest.raises(DataError, match="differences: adjust"):
        audit(leaderboard(), execution=Execution(out=str(tmp_path), progress=steal))


def test_stopped_between_parts(tmp_path: Path) -> None:
    def stop(done: int, total: int) -> None:
        if 0 < done < total and len(parts(tmp_path)) == 2:
            raise KeyboardInterrupt

    matrix = leaderboard()
    with pytest.raises(KeyboardInterrupt):
        audit(matrix, execution=Execution(out=str(tmp_path), progress=stop, workers=1))
    before = stamps(tmp_path)
    assert len(before) == 2
    assert left_over(tmp_path) == []
    found = audit(matrix, execution=Execution(out=str(tmp_path)), pairs="all")
    assert_same(tmp_path, found)
    assert before.items() <= stamps(tmp_path).items()


@pytest.mark.parametrize("workers", [1, 3])
def test_stopped_within_a_part(
    tmp_path: Path, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    matrix, batch, calls = leaderboard(), write_pairs._PairColumns.batch, []

    def stop(*arguments: Any) -> Any:
        calls.append(1)
        if len(calls) > 5:
            raise KeyboardInterrupt
        return batch(*arguments)

    monkeypatch.setattr(write_pairs._PairColumns, "batch", stop)
    with pytest.raises(KeyboardInterrupt):
        audit(matrix, execution=Execution(out=str(tmp_path), workers=workers))
    assert len(parts(tmp_path)) == 1 if workers == 1 else len(parts(tmp_path)) < PARTS
    assert left_over(tmp_path) == []
    assert len(list((tmp_path / "pairs").iterdir())) == len(parts(tmp_path))
    monkeypatch.setattr(write_pairs._PairColumns, "batch", batch)
    assert_same(tmp_path, audit(matrix, execution=Execution(out=str(tmp_path)), pairs="all"))


def test_progress_counts_pairs(tmp_path: Path) -> None:
    calls: list[tuple[int, int]] = []
    audit(
        leaderboard(),
        execution=Execution(out=str(tmp_path), progress=lambda *call: calls.append(call)),
    )
    assert calls[-1][0] == calls[-1][1]
    assert len(calls) >= PARTS


# --- another audit ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "differs"),
    [
        ({"adjust": "bh"}, "adjust"),
        ({"strata": "s"}, "design"),
        ({"items": "common"}, "item_set"),
        ({"alpha": 0.01}, "alpha"),
        ({"power": 0.9}, "power"),
        ({"margin": 0.02}, "margin"),
        ({"seed": 5, "draws": 999}, "draws; seed"),
        ({"models": [f"m{k}" for k in range(20)]}, "models; scores"),
    ],
)
def test_another_audit_is_not_mixed_in(
    tmp_path: Path, options: dict[str, Any], differs: str
) -> None:
    matrix = leaderboard()
    audit(matrix, execution=Execution(out=str(tmp_path)))
    before = stamps(tmp_path)
    with pytest.raises(DataError, match=r"another audit \(differences:") as caught:
        audit(matrix, execution=Execution(out=str(tmp_path)), **options)
    names = re.sub(r"(?<!differences): [^;)]* here", "", str(caught.value))
    assert f"(differences: {differs}). Choose another folder" in names
    assert stamps(tmp_path) == before


def test_one_other_score_is_another_audit(tmp_path: Path) -> None:
    x = scores(12, models=5, items=130)
    audit(board(x), execution=Execution(out=str(tmp_path)))
    x[3, 7] = 1 - x[3, 7]
    with pytest.raises(
        DataError, match=r"differences: (models; )?scores\). Choose another folder"
    ):
        audit(board(x), execution=Execution(out=str(tmp_path)))


def swapped(matrix: ScoreMatrix) -> ScoreMatrix:
    a, b = matrix.groups["a"], matrix.groups["b"]
    return replace(matrix, groups={"a": b, "b": a})


def relabeled(matrix: ScoreMatrix) -> ScoreMatrix:
    a = matrix.groups["a"]
    return replace(matrix, groups={**matrix.groups, "a": replace(a, labels=a.labels[::-1])})


@pytest.mark.parametrize(
    ("change", "differs"),
    [
        (swapped, "groups"),
        (relabeled, "groups"),
        (lambda m: replace(m, groups={}), "groups"),
        (lambda m: replace(m, lower_is_better=True), "lower_is_better"),
    ],
)
@pytest.mark.parametrize("kept", ["out", "work"])
def test_other_groups_are_another_audit(
    tmp_path: Path, kept: str, change: Callable[[ScoreMatrix], ScoreMatrix], differs: str
) -> None:
    groups = {"a": ["x", "y"] * 65, "b": ["x"] * 65 + ["y"] * 65}
    x = scores(3, models=5, items=130)
    matrix = ScoreMatrix.from_arrays(x, models=list("vwxyz"), groups=groups)
    how = Execution(**{kept: str(tmp_path)})  # type: ignore[arg-type]
    audit(matrix, execution=how)
    with pytest.raises(DataError, match=rf"\(differences: .*{differs}"):
        audit(change(matrix), execution=how)


def test_another_numpy_is_another_audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    audit(leaderboard(), execution=Execution(out=str(tmp_path)))
    monkeypatch.setattr(np, "__version__", "9.9.9")
    with pytest.raises(DataError, match=r"differences: numpy: .* there, \"9.9.9\" here\)"):
        audit(leaderboard(), execution=Execution(out=str(tmp_path)))


def test_workers_and_what_is_listed_do_not_matter(tmp_path: Path) -> None:
    audit(leaderboard(), execution=Execution(out=str(tmp_path), workers=1))
    audit(
        leaderboard(),
        execution=Execution(out=str(tmp_path), workers=2),
        pairs="top:3",
        delta=0.01,
    )


def test_a_directory_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(DataError, match=r"is not empty \(it contains thesis.txt\)"):
        audit(leaderboard(), execution=Execution(out=str(tmp_path)))
    assert (tmp_path / "thesis.txt").read_text() == "mine"
    assert parts(tmp_path) == []


@pytest.mark.parametrize("text", ["{", "[]", '"x"', "\udcff"])
def test_a_manifest_that_is_none(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(DataError, match="not a valid manifest of an audit"):
        audit(leaderboard(), execution=Execution(out=str(tmp_path)))


def test_a_manifest_says_what_the_pairs_are(tmp_path: Path) -> None:
    audit(leaderboard(), execution=Execution(out=str(tmp_path)), margin=0.1)
    about = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    assert about["schema"] == "nstar.pairs/1"
    assert (about["task"], about["design"], about["adjust"]) == ("t", "independent", "maxt")
    assert (about["alpha"], about["power"], about["margin"]) == (0.05, 0.8, 0.1)


# --- names and places ---------------------------------------------------------------------


def test_odd_names(tmp_path: Path) -> None:
    names = ["<script>x</script>", "a\nb", "👩‍🚀", "x\ud800y", "../up", "", "nul\0l"]
    matrix = board(scores(4, models=7, items=130), models=names, task="\ud800/..")
    audit(matrix, execution=Execution(out=str(tmp_path)))
    written = table(tmp_path)
    assert {*written["model_a"], *written["model_b"]} == {n.replace("\ud800", "?") for n in names}
    assert len(written["model_a"]) == 21
    audit(matrix, execution=Execution(out=str(tmp_path)))


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="Cannot create"):
        audit(leaderboard(), execution=Execution(out=str(tmp_path / "file" / "dir")))
    with pytest.raises(DataError, match="Cannot create"):
        audit(leaderboard(), execution=Execution(out=str(tmp_path / "file")))


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind this user"
)
def test_a_directory_that_is_read_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(DataError, match="cannot be"):
            audit(leaderboard(), execution=Execution(out=str(tmp_path)))
    finally:
        tmp_path.chmod(0o700)


def test_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_batch", full)
    with pytest.raises(DataError, match="No space left on device"):
        audit(leaderboard(), execution=Execution(out=str(tmp_path)))
    assert left_over(tmp_path) == []
    assert parts(tmp_path) == []


class Full:
    """A stream to a disk that is full, also for what waits to be written."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)

    def close(self) -> None:
        self._file.close()
        raise OSError(28, "No space left on device")


def test_a_disk_that_is_full_to_the_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begin = NewFile.__enter__

    def full(self: Any) -> Any:
        begin(self)
        self._file = Full(self._file)
        return self

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    audit(leaderboard(), execution=Execution(out=str(tmp_path)))
    for path in parts(tmp_path):
        path.unlink()
    monkeypatch.setattr(NewFile, "__enter__", full)
    monkeypatch.setattr(pq.ParquetWriter, "write_batch", fail)
    with pytest.raises(DataError, match="No space left on device"):
        audit(leaderboard(), execution=Execution(out=str(tmp_path)))
    assert left_over(tmp_path) == []


def test_a_directory_that_cannot_be_searched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    audit(leaderboard(), execution=Execution(out=str(tmp_path)))
    stat = Path.stat

    def refused(self: Path, **options: Any) -> Any:
        if self.parent.name == "pairs":
            raise PermissionError(13, "Permission denied")
        return stat(self, **options)

    monkeypatch.setattr(Path, "stat", refused)
    with pytest.raises(DataError, match=r"Cannot read .*part-00000.parquet: Permission denied"):
        audit(leaderboard(), execution=Execution(out=str(tmp_path)))


def test_nothing_is_written_through_links(tmp_path: Path) -> None:
    elsewhere, out = tmp_path / "elsewhere", tmp_path / "out"
    elsewhere.mkdir()
    out.mkdir()
    (out / "pairs").symlink_to(elsewhere)
    with pytest.raises(DataError, match="is a link"):
        audit(leaderboard(), execution=Execution(out=str(out)))
    assert list(elsewhere.iterdir()) == []
