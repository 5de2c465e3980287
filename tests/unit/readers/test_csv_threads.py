"""Arrow's threads read ahead in CSV files; a reader that is left leaves none of them at work."""

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from nstar.errors import ReadError
from nstar.readers import ReaderOptions, _stream, scan
from nstar.readers._tables import _csv
from nstar.readers._tables._csv import _ArrowBlocks

ROWS = "".join(f"a,{k},1\n" for k in range(50_000))
"""A dozen of the small blocks that these tests use."""

_SLOW = """
import sys, time
from nstar.errors import ReadError
from nstar.readers import _stream, scan
from nstar.readers._tables import _csv

_csv._BLOCK = _csv._LEAST_BLOCK = 1 << 16
_stream.CHUNK = 1 << 14
take, slow = _stream._BoundedFile.take, []

def slowly(self, n):
    if self.taken > 300_000 and slow in ([], [self]):
        slow[:] = [self]
        time.sleep(0.5)
    return take(self, n)

_stream._BoundedFile.take = slowly
try:
    list(scan(sys.argv[1]).batches())
except ReadError as error:
    print(error)
"""
"""The file stalls while Arrow reads ahead of the first rows, and its second row is refused."""


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Reads of small pieces for small blocks, of any file."""
    monkeypatch.setattr(_csv, "_BLOCK", 1 << 16)
    monkeypatch.setattr(_csv, "_LEAST_BLOCK", 1 << 16)
    monkeypatch.setattr(_stream, "CHUNK", 1 << 13)
    take, reads = _stream._BoundedFile.take, [0]

    def counted(self: Any, n: int) -> bytes:
        reads[0] += 1
        time.sleep(0.001)
        return take(self, n)

    monkeypatch.setattr(_stream._BoundedFile, "take", counted)
    return reads


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[_ArrowBlocks]:
    """Every reader of Arrow's that a test opens."""
    found: list[_ArrowBlocks] = []

    class Noted(_ArrowBlocks):
        def __init__(self, *args: Any) -> None:
            super().__init__(*args)
            found.append(self)

    monkeypatch.setattr(_csv, "_ArrowBlocks", Noted)
    return found


def table(path: Path, second: str, end: str = "") -> str:
    path.write_bytes(f"model,item,score\n{second}\n{ROWS}{end}".encode("latin-1"))
    return str(path)


def at_rest(opened: list[_ArrowBlocks], taken: list[int]) -> bool:
    """Whether Arrow holds nothing of Python, and nothing is read any more."""
    before = taken[0]
    time.sleep(0.05)
    return taken[0] == before and not any(held() for blocks in opened for held in blocks._held)


@pytest.mark.parametrize("second", ["a,x,1,1", "a,x,abc"])
def test_a_refusal_ends_the_reading(
    tmp_path: Path, taken: list[int], opened: list[_ArrowBlocks], second: str
) -> None:
    path = table(tmp_path / "t.csv", second)
    with pytest.raises(ReadError, match=r"t\.csv:2"):
        list(scan(path).batches())
    assert len(opened) == 2
    assert at_rest(opened, taken)


def test_whoever_stops_early_ends_the_reading(
    tmp_path: Path, taken: list[int], opened: list[_ArrowBlocks]
) -> None:
    batches = iter(scan(table(tmp_path / "t.csv", "a,x,1")).batches())
    assert next(batches).num_rows
    del batches
    assert at_rest(opened, taken)


def test_what_ends_the_reading_is_told(tmp_path: Path, taken: list[int]) -> None:
    """Not the row that is cut where the reading ended, though a bad row may be skipped."""
    path = table(tmp_path / "t.csv", "a,x,1", end="a,é,1\n")
    at = len(f"model,item,score\na,x,1\n{ROWS}a,")
    with pytest.raises(ReadError, match=rf"t\.csv: not valid UTF-8 at byte {at} \(0xe9\)"):
        list(scan(path, ReaderOptions(skip_bad=1)).batches())
    assert taken[0]


def test_exit_waits_for_a_slow_file(tmp_path: Path) -> None:
    path = table(tmp_path / "t.csv", "a,x,1,1")
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-c", _SLOW, path],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "t.csv:2: the row has 4 cells" in done.stdout
