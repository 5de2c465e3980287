"""Packed matrices: what comes back, what is refused, and nothing between."""

import json
import os
import pickle
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from click.testing import CliRunner

from helpers.boards import board, scores, subjects
from nstar import ScoreMatrix, audit, open_pack, pack
from nstar._data.findings import find
from nstar._data.matrix import Alignment, Grouping
from nstar._data.pack import is_pack, packed_findings
from nstar._data.pack.manifest import digest
from nstar._data.pack.write import _ArrayWriter
from nstar._engine.gram import StoredBlock, layout, scores_of
from nstar._engine.work import Execution
from nstar._verbs.audit import tiles
from nstar.cli import main
from nstar.errors import DataError

DESIGNS: list[dict[str, Any]] = [{}, {"strata": "s"}, {"cluster": "s"}]
KINDS: list[dict[str, Any]] = [
    {},
    {"missing": 0.2},
    {"graded": True},
    {"graded": True, "missing": 0.2},
]


def leaderboard(models: int = 40, items: int = 131, **options: Any) -> ScoreMatrix:
    x = scores(12, models=models, items=items, **options)
    return board(x, labels=subjects(12, items, groups=9), task="t")


def packed(matrix: ScoreMatrix, where: Path) -> ScoreMatrix:
    pack(matrix, where)
    return open_pack(where)


def _parts(several: Any) -> Any:
    return several.items() if isinstance(several, Mapping) else several


def assert_same(a: Any, b: Any, path: str = "") -> None:
    """Everything in two results is the same, to the last bit."""
    if isinstance(a, np.ndarray):
        assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f"), path
    elif is_dataclass(a):
        for f in fields(a):
            if f.name not in {"matrix", "survey"}:
                assert_same(getattr(a, f.name), getattr(b, f.name), f"{path}.{f.name}")
    elif isinstance(a, tuple | list | Mapping):
        assert len(a) == len(b), path
        for k, (x, y) in enumerate(zip(_parts(a), _parts(b), strict=True)):
            assert_same(x, y, f"{path}[{k}]")
    else:
        both_nan = isinstance(a, float) and a != a and b != b  # noqa: PLR0124 NaN
        assert a == b or both_nan, path


# --- what comes back ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("items", [1, 7, 8, 9, 131])
def test_a_matrix_comes_back(tmp_path: Path, kind: dict[str, Any], items: int) -> None:
    x = scores(3, models=5, items=items, **kind)
    matrix = ScoreMatrix.from_arrays(
        x,
        models=["a", "b/c", "👩‍🚀", "", "e\nf"],
        groups={"s": labels(items)},
        task="t",
        metric="acc",
    )
    found = packed(matrix, tmp_path / "p")
    assert (found.task, found.metric, found.models, found.items) == ("t", "acc", *names(matrix))
    assert_same(found.dense(), matrix.dense())
    codes, back = matrix.groups["s"], found.groups["s"]
    told = [[g.labels[k] if k >= 0 else None for k in g.codes.tolist()] for g in (codes, back)]
    assert told[0] == told[1]


def labels(items: int) -> list[str | None]:
    return [("x", None, "y")[k % 3] for k in range(items)]


def names(matrix: ScoreMatrix) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return matrix.models, matrix.items


def test_runs_come_back(tmp_path: Path) -> None:
    x = np.random.default_rng(1).random((3, 20, 4))
    matrix = ScoreMatrix.from_arrays(x, models=["a", "b", "c"])
    found = packed(matrix, tmp_path / "p")
    for name in ("means", "counts", "variances"):
        assert np.array_equal(getattr(found, name), getattr(matrix, name)), name


@pytest.mark.parametrize("masked", [(), (0,), (2,), (0, 1, 2)])
def test_parts_are_one_matrix(tmp_path: Path, masked: tuple[int, ...]) -> None:
    x = scores(5, models=30, items=77)
    for k in masked:
        x[10 * k + 3, 5] = np.nan
    models = [f"m{k}" for k in range(30)]
    parts = (
        ScoreMatrix.from_arrays(x[k : k + 10], models=models[k : k + 10]) for k in (0, 10, 20)
    )
    pack(parts, tmp_path / "p")
    found = open_pack(tmp_path / "p")
    assert found.models == tuple(models)
    assert np.array_equal(found.dense(), x, equal_nan=True)
    assert (found.mask is None) == (not masked)


def test_several_blocks_have_a_checksum_each(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nstar._data.pack.write._BLOCK_BYTES", 7 * 17)
    monkeypatch.setattr("nstar._data.pack.write._ROWS_PER_WRITE", 3)
    matrix = leaderboard(missing=0.1)
    found = packed(matrix, tmp_path / "p")
    about = json.loads((tmp_path / "p" / "manifest.json").read_text())
    assert about["block"] == 7
    assert [len(sums) for sums in about["arrays"].values()] == [6, 6]
    assert_same(found.dense(), matrix.dense())


@pytest.mark.parametrize("kind", KINDS)
def test_checksums_do_not_depend_on_what_is_read_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: dict[str, Any]
) -> None:
    monkeypatch.setattr("nstar._data.pack.load._CHUNK", 40)
    matrix = leaderboard(**kind)
    assert_same(packed(matrix, tmp_path / "p").dense(), matrix.dense())
    file = tmp_path / "p" / ("means.bin" if matrix.bits is None else "bits.bin")
    flip(file)
    with pytest.raises(DataError, match="differ from the packed data"):
        open_pack(tmp_path / "p")


def test_findings_are_kept(tmp_path: Path) -> None:
    said = (find("missing-items", "a lacks 3"),)
    pack(leaderboard(), tmp_path / "p", findings=said)
    assert packed_findings(tmp_path / "p") == said


def test_a_worker_gets_a_path_and_not_the_scores(tmp_path: Path) -> None:
    found = packed(leaderboard(models=300, items=4001), tmp_path / "p")
    assert found.bits is not None
    sent = pickle.dumps(found.bits)
    assert len(sent) < 1000
    assert np.array_equal(pickle.loads(sent), found.bits)  # noqa: S301 our own
    some = pickle.loads(pickle.dumps(found.bits[5:7]))  # noqa: S301
    assert np.array_equal(some, found.bits[5:7])
    strip = scores_of(found, range(300), layout(np.arange(4001)))[:256]
    assert isinstance(strip, StoredBlock)
    assert len(pickle.dumps(strip)) < 10_000
    assert np.array_equal(pickle.loads(pickle.dumps(strip)).load().bits, found.bits[:256])  # noqa: S301


def test_a_worker_that_does_not_see_the_file(tmp_path: Path) -> None:
    found = packed(leaderboard(), tmp_path / "p")
    sent = pickle.dumps(found.bits).replace(b"bits.bin", b"gone.bin")
    with pytest.raises(DataError, match="storage that every worker sees"):
        pickle.loads(sent)  # noqa: S301 our own


def test_a_worker_that_sees_another_pack_there(tmp_path: Path) -> None:
    found = packed(leaderboard(), tmp_path / "p")
    ours, theirs = (str(Path("/", name, "bits.bin")).encode() for name in "pq")
    sent = pickle.dumps(found.bits).replace(ours, theirs)
    pack(board(1 - scores(12, models=40, items=131), task="t"), tmp_path / "q")
    with pytest.raises(
        DataError, match=r"differs from the one that was opened first.* every worker sees"
    ):
        pickle.loads(sent)  # noqa: S301 our own


# --- audits -------------------------------------------------------------------------------


@pytest.mark.sampled(5)
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("held", [True, False])
def test_an_audit_is_the_same_to_the_bit(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    design: dict[str, Any],
    kind: dict[str, Any],
    held: bool,
) -> None:
    monkeypatch.setattr(tiles, "TILE", 16)
    if not held:
        for module in ("pair_analysis", "run"):
            monkeypatch.setattr(f"nstar._verbs.audit.{module}.MOST_HELD", 4)
    matrix = leaderboard(**kind)
    found = packed(matrix, tmp_path / "p")
    options: dict[str, Any] = {"draws": 999, "margin": 0.1, **design}
    assert_same(
        audit(found, execution=Execution(workers=2), **options),
        audit(matrix, execution=Execution(workers=1), **options),
    )


@pytest.mark.parametrize("items", ["common", "pairwise"])
def test_some_models_on_some_items(tmp_path: Path, items: Any) -> None:
    matrix = leaderboard(missing=0.01)
    found = packed(matrix, tmp_path / "p")
    some = list(matrix.models[3:20])
    one, other = (audit(m, models=some, items=items, draws=999) for m in (found, matrix))
    assert_same(one, other)
    assert_same(one.compare(some[0], some[1]), other.compare(some[0], some[1]))


def test_gaps_are_those_of_plain_numpy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pair_analysis", "run"):
        monkeypatch.setattr(f"nstar._verbs.audit.{module}.MOST_HELD", 4)
    monkeypatch.setattr(tiles, "TILE", 8)
    x = scores(7, models=37, items=211)
    found = audit(
        packed(board(x), tmp_path / "p"), execution=Execution(workers=2), adjust="bonferroni"
    )
    order = [int(name[1:]) for name in found.ranking.model]
    d = x[order[:-1]] - x[order[1:]]
    assert found.adjacent.gap == pytest.approx(d.mean(axis=1), abs=1e-15)
    assert found.adjacent.se == pytest.approx(d.std(axis=1) / np.sqrt(211), rel=1e-12)
    means = x.mean(axis=1)
    assert list(found.ranking.mean) == pytest.approx(sorted(means, reverse=True), abs=1e-15)


# --- what is refused ----------------------------------------------------------------------


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def grow(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(bytes(content))


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def link(path: Path) -> None:
    path.rename(path.with_suffix(".elsewhere"))
    path.symlink_to(path.with_suffix(".elsewhere"))


def gone(path: Path) -> None:
    path.unlink()


PIPES = ["bits.bin", "models.parquet", "manifest.json"] if hasattr(os, "mkfifo") else []


@pytest.mark.parametrize(
    ("file", "harm", "said"),
    [
        ("bits.bin", cut, "bytes where"),
        ("bits.bin", grow, "bytes where"),
        ("bits.bin", flip, r"models 1 to 40 differ from the packed data \(checksum"),
        ("mask.bin", flip, "differ from the packed data"),
        ("mask.bin", gone, "Cannot read"),
        ("bits.bin", link, "is a link"),
        ("models.parquet", flip, "checksum mismatch"),
        ("items.parquet", cut, "checksum mismatch"),
        ("items.parquet", gone, "Cannot read"),
        ("items.parquet", link, "is a link"),
        ("manifest.json", cut, "not valid JSON"),
        ("manifest.json", gone, "Cannot read"),
        ("manifest.json", link, "is a link"),
        *((name, pipe, "is not a regular file") for name in PIPES),
    ],
)
def test_a_pack_that_was_harmed(
    tmp_path: Path, file: str, harm: Callable[[Path], None], said: str
) -> None:
    pack(leaderboard(missing=0.1), tmp_path / "p")
    target = tmp_path / "p" / file
    if file == "manifest.json" and harm is cut:
        target.write_text(target.read_text().rstrip()[:-1])
    else:
        harm(target)
    with pytest.raises(DataError, match=said):
        open_pack(tmp_path / "p")


def test_checksums_are_read_only_if_wanted(tmp_path: Path) -> None:
    pack(leaderboard(), tmp_path / "p")
    flip(tmp_path / "p" / "bits.bin")
    assert open_pack(tmp_path / "p", verify=False).shape == (40, 131)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"schema": "nstar.matrix/2"}, "nstar.matrix/2"),
        ({"models": 0}, "models is 0"),
        ({"models": 10**15}, "models is 1000000000000000"),
        ({"models": True}, "models is True"),
        ({"models": 41}, "bytes where"),
        ({"items": -5}, "items is -5"),
        ({"items": "131"}, "items is 131"),
        ({"items": 2**40}, "items is"),
        ({"block": 0}, "block is 0"),
        ({"block": 1}, "one checksum per block"),
        ({"task": 5}, "task is missing"),
        ({"lower_is_better": "yes"}, "lower_is_better is missing"),
        ({"arrays": {"../../etc/passwd": ["0" * 32]}}, "arrays have different sizes"),
        ({"arrays": {"bits": ["0" * 32], "means": ["0" * 32]}}, "arrays have different sizes"),
        ({"arrays": {"bits": ["../../etc"]}}, "a checksum is invalid"),
        ({"arrays": {"bits": "0" * 32}}, "one checksum per block"),
        ({"names": {"models": "0" * 32}}, "checksums of names"),
        ({"names": {"models": 7, "items": 8}}, "a checksum is invalid"),
        ({"findings": None}, "findings are missing"),
        ({"findings": [{"level": "fatal"}]}, "a finding is invalid"),
        ({"findings": [{"level": "note", "code": "zzz", "text": ""}]}, "unknown finding 'zzz'"),
    ],
)
def test_a_manifest_that_cannot_be_true(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    pack(leaderboard(), tmp_path / "p")
    path = tmp_path / "p" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(DataError, match=said):
        open_pack(tmp_path / "p")


@pytest.mark.parametrize("text", ["[]", "5", "null", '"nstar.matrix/1"', "[" * 100_000])
def test_a_manifest_that_is_no_object(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(DataError, match="not a usable pack"):
        open_pack(tmp_path)


def test_names_that_are_not_those_of_the_manifest(tmp_path: Path) -> None:
    pack(leaderboard(), tmp_path / "p")
    path, file = tmp_path / "p" / "manifest.json", tmp_path / "p" / "models.parquet"
    about = json.loads(path.read_text())
    for models, said in (
        (["a"] * 40, "and unique"),
        (["a", None, *map(str, range(38))], "and unique"),
        (["a"], "has 1 names; expected 40"),
        ([[str(k)] for k in range(40)], "not a table of names"),
    ):
        pq.write_table(pa.table({"model": models}), file)
        mine = digest()
        mine.update(file.read_bytes())
        path.write_text(
            json.dumps(about | {"names": about["names"] | {"models": mine.hexdigest()}})
        )
        with pytest.raises(DataError, match=said):
            open_pack(tmp_path / "p")


@pytest.mark.parametrize("chunk", [8, 24, 16 << 20])
def test_bits_beyond_the_items_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, chunk: int
) -> None:
    monkeypatch.setattr("nstar._data.pack.load._CHUNK", chunk)
    pack(leaderboard(), tmp_path / "p")
    path, file = tmp_path / "p" / "manifest.json", tmp_path / "p" / "bits.bin"
    content = bytearray(file.read_bytes())
    content[-1] |= 0x80
    file.write_bytes(bytes(content))
    mine = digest()
    mine.update(content)
    about = json.loads(path.read_text())
    path.write_text(json.dumps(about | {"arrays": {"bits": [mine.hexdigest()]}}))
    with pytest.raises(DataError, match="contains values that are not scores"):
        open_pack(tmp_path / "p")


def grouped(model: str, **groups: list[str | None]) -> ScoreMatrix:
    return ScoreMatrix.from_arrays([[1, 0]], models=[model], groups=groups)


def test_groups_of_parts_are_the_same_whatever_they_are_numbered(tmp_path: Path) -> None:
    one = grouped("a", g=["x", None])
    for groups in ({"g": ["y", None]}, {"h": ["x", None]}, {"g": ["x", "x"]}, {}):
        with pytest.raises(DataError, match="same groups of items"):
            pack([one, grouped("b", **groups)], tmp_path / "p")
    other = ScoreMatrix(
        models=("b",),
        items=one.items,
        bits=np.ones((1, 1), np.uint8),
        groups={"g": Grouping(codes=np.array([1, -1], np.int32), labels=("never", "x"))},
    )
    pack([one, other], tmp_path / "p")
    assert open_pack(tmp_path / "p").models == ("a", "b")


def test_parts_that_do_not_belong_together(tmp_path: Path) -> None:
    one = ScoreMatrix.from_arrays([[1, 0]], models=["a"])
    for other, said in (
        (ScoreMatrix.from_arrays([[1, 0, 1]], models=["b"]), "the same items"),
        (ScoreMatrix.from_arrays([[1, 0]], models=["b"], task="x"), "the same task"),
        (ScoreMatrix.from_arrays([[1, 0.5]], models=["b"]), "must have the same binary"),
        (ScoreMatrix.from_arrays([[1, 1]], models=["a"]), "a is in two parts"),
        (grouped("b", g=["x", "y"]), "same groups of items"),
    ):
        with pytest.raises(DataError, match=said):
            pack([one, other], tmp_path / "p")
        assert list(tmp_path.iterdir()) == []
    with pytest.raises(DataError, match="Nothing to pack"):
        pack([], tmp_path / "p")


def test_rows_that_contradict_each_other(tmp_path: Path) -> None:
    matrix = ScoreMatrix(
        models=("a",),
        items=("x",),
        bits=np.ones((1, 1), np.uint8),
        alignment=Alignment(conflicting=3),
    )
    with pytest.raises(DataError, match="3 rows conflict"):
        pack(matrix, tmp_path / "p")


# --- where it goes ------------------------------------------------------------------------


def test_a_directory_in_use_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(DataError, match="already exists"):
        pack(leaderboard(), tmp_path)
    pack(leaderboard(), tmp_path / "p")
    with pytest.raises(DataError, match="already exists"):
        pack(leaderboard(), tmp_path / "p")
    (tmp_path / "empty").mkdir()
    pack(leaderboard(), tmp_path / "empty")
    assert open_pack(tmp_path / "empty").shape == (40, 131)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="Cannot write"):
        pack(leaderboard(), tmp_path / "file" / "p")


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="permissions do not bind this user"
)
def test_a_path_that_is_read_only(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(DataError, match="Cannot write"):
            pack(leaderboard(), tmp_path / "p")
    finally:
        tmp_path.chmod(0o700)


def test_nothing_remains_of_a_pack_that_failed(tmp_path: Path) -> None:
    def parts() -> Any:
        yield leaderboard()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pack(parts(), tmp_path / "p")
    assert list(tmp_path.iterdir()) == []


class Full:
    """A file on a disk that is full, of what was written and what waits to be."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def write(self, _: Any) -> int:
        raise OSError(28, "No space left on device")

    def close(self) -> None:
        self._file.close()
        raise OSError(28, "No space left on device")


def test_nothing_remains_of_a_pack_on_a_full_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begin = _ArrayWriter.__init__

    def full(self: Any, *arguments: Any) -> None:
        begin(self, *arguments)
        self.file = Full(self.file)

    monkeypatch.setattr(_ArrayWriter, "__init__", full)
    with pytest.raises(DataError, match="No space left on device"):
        pack(leaderboard(), tmp_path / "p")
    assert list(tmp_path.iterdir()) == []


_KILLED = """
import sys, time
from nstar import ScoreMatrix, pack
def parts():
    yield ScoreMatrix.from_arrays([[1, 0]], models=["a"])
    print("begun", flush=True)
    time.sleep(60)
pack(parts(), sys.argv[1])
"""


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no such signal here")
def test_a_pack_that_was_killed_is_not_taken_for_one(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _KILLED, str(tmp_path / "p")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as run:  # noqa: S603
        assert run.stdout is not None
        run.stdout.readline()
        run.kill()
    assert [p.name for p in tmp_path.iterdir()] == ["p.part"]
    assert not is_pack(tmp_path / "p")
    assert not is_pack(tmp_path / "p.part")
    with pytest.raises(DataError, match=r"p.part exists: an interrupted pack"):
        pack(leaderboard(), tmp_path / "p")


# --- the command line ---------------------------------------------------------------------


def run(*arguments: Any) -> Any:
    return CliRunner().invoke(main, [str(a) for a in arguments])


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "results.csv"
    x = scores(12, models=6, items=90, missing=0.05)
    rows = [
        f"m{i},q{k},{x[i, k]:.0f},{'ab'[k % 2]}"
        for i in range(6)
        for k in range(90)
        if x[i, k] == x[i, k]
    ]
    path.write_text("\n".join(["model,item,score,subject", *rows]))
    return path


@pytest.mark.parametrize(
    "more", [(), ("--strata", "subject"), ("--exclude", "m3"), ("--model", "m[0-2]")]
)
def test_an_audit_of_a_pack_reads_like_one_of_its_logs(
    tmp_path: Path, table: Path, more: tuple[str, ...]
) -> None:
    done = run("read", table, "--out", tmp_path / "p.pack", "--group", "subject")
    assert done.exit_code == 0, done.output
    assert "wrote 6 models × 90 items to" in done.output
    one, other = (
        run("audit", *given, *more, "--format", "json").output
        for given in ((tmp_path / "p.pack",), (table, "--group", "subject"))
    )
    said = [json.loads(text) for text in (one, other)]
    if more[:1] in (("--exclude",), ("--model",)):  # findings are those of all packed models
        for data in said:
            data.pop("findings")
            data.pop("notes")
    assert said[0] == said[1]


def test_what_the_command_refuses(tmp_path: Path, table: Path) -> None:
    packed = tmp_path / "p.pack"
    run("read", table, "--out", packed)
    for arguments, said in (
        (("read", table, "--out", packed), "already exists. Choose a new folder."),
        (("read", packed, "--out", tmp_path / "q.pack"), "is a pack"),
        (("audit", packed, table), "Pass only packs or only logs"),
        (("read", packed), "is a pack"),
        (("compare", packed, "--a", "m0", "--b", "m1"), "is a pack"),
    ):
        done = run(*arguments)
        assert done.exit_code == 3, arguments
        assert said in done.output
    cut(packed / "bits.bin")
    done = run("audit", packed)
    assert done.exit_code == 3
    assert "may be truncated" in done.output


def test_two_packs_of_one_task_are_refused(tmp_path: Path) -> None:
    for name, metric in (("a", "acc"), ("b", "acc"), ("c", "f1")):
        x = scores(ord(name), models=5, items=60)
        pack(board(x, task="t", metric=metric), tmp_path / name)
    done = run("audit", tmp_path / "a", tmp_path / "b")
    assert done.exit_code == 3
    assert "both contain task 't', metric 'acc'. Pass one" in done.output
    done = run("audit", tmp_path / "a", tmp_path / "c", "--format", "json")
    assert done.exit_code == 0, done.output
    told = json.loads(done.output)
    assert told["tasks"][0]["metric"] == "acc"
    assert any("--metric chooses f1" in f["text"] for f in told["findings"])


def test_a_packed_task_of_one_model_ranks_nobody(tmp_path: Path) -> None:
    for name, models in (("a", ["x", "y", "z"]), ("b", ["x"]), ("c", ["x", "w"])):
        x = scores(ord(name), models=len(models), items=60)
        said = (find("missing-items", f"of {name}"),)
        pack(board(x, task=name, models=models), tmp_path / name, findings=said)
    done = run("audit", tmp_path / "a", tmp_path / "b", "--format", "json")
    assert done.exit_code == 0, done.output
    told = [f["text"] for f in json.loads(done.output)["findings"]]
    assert told == ["of a", "1 task with only one model: b"]
    done = run("audit", *(tmp_path / n for n in "abc"), "--model", "[xyz]", "--format", "json")
    assert done.exit_code == 0, done.output
    assert any("2 tasks with only one model: b, c" in f for f in finding_texts(done.output))
    done = run("audit", tmp_path / "b", tmp_path / "c", "--model", "[xyz]")
    assert done.exit_code == 3


def finding_texts(output: str) -> list[str]:
    return [f["text"] for f in json.loads(output)["findings"]]


@pytest.mark.parametrize(
    "given",
    [
        ("--reader", "csv"),
        ("--column", "item=q"),
        ("--group", "subject"),
        ("--errors", "harness"),
        ("--runs", "all"),
        ("--skip-bad", "0"),
        ("--duplicates", "mean"),
    ],
)
def test_options_about_logs_are_refused_of_a_pack(tmp_path: Path, given: tuple[str, str]) -> None:
    pack(leaderboard(), tmp_path / "p")
    done = run("audit", tmp_path / "p", *given)
    assert done.exit_code == 2
    assert f"is a pack, so {given[0]} has no effect" in flat(done.output)


def flat(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("harm", [gone, cut])
def test_a_pack_with_a_broken_manifest_is_no_folder_of_logs(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    pack(leaderboard(), tmp_path / "p")
    path = tmp_path / "p" / "manifest.json"
    path.write_text(path.read_text().rstrip())
    harm(path)
    assert is_pack(tmp_path / "p")
    done = run("audit", tmp_path / "p")
    assert done.exit_code == 3
    assert "manifest" in done.output


def test_a_manifest_with_sorted_keys_is_one(tmp_path: Path) -> None:
    pack(leaderboard(), tmp_path / "p", findings=[find("missing-items", "x" * 300)])
    path = tmp_path / "p" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()), sort_keys=True))
    assert is_pack(tmp_path / "p")
    assert open_pack(tmp_path / "p").shape == (40, 131)


def test_a_pack_goes_to_no_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match=r"^s3://bucket/x is an address"):
        pack(leaderboard(), "s3://KEY:SECRET@bucket/x")
    assert list(tmp_path.iterdir()) == []


def test_several_tasks_are_packed_one_at_a_time(tmp_path: Path) -> None:
    rows = [f"{m},{t},{i},1" for m in "ab" for t in ("x", "y") for i in range(3)]
    (tmp_path / "r.csv").write_text("\n".join(["model,task,item,score", *rows]))
    arguments = ("read", tmp_path / "r.csv", "--out", tmp_path / "p.pack")
    done = run(*arguments)
    assert done.exit_code == 3
    assert "A pack holds one task. Set --task to one of them: x, y." in done.output
    assert run(*arguments, "--task", "y").exit_code == 0
    assert open_pack(tmp_path / "p.pack").task == "y"


def test_task_and_metric_choose_what_is_packed(table: Path) -> None:
    done = run("read", table, "--task", "y")
    assert done.exit_code == 2
    assert "--task also needs --out FILE.pack." in done.output


def test_the_command_pack_names_its_successor() -> None:
    done = run("pack", "results/")
    assert done.exit_code == 2
    message = "No command 'pack'. Write a pack with `nstar read DATA --out x.pack`."
    assert message in done.output
