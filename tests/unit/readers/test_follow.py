"""Logs that grow: complete lines only, other formats again when they change."""

import errno
import io
import json
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO, cast

import pytest

from nstar.errors import ReadError
from nstar.readers import ReaderOptions
from nstar.readers.follow import Follower, Row, follow, follow_stream

FIXTURES = Path(__file__).parents[2] / "fixtures"


def add(path: Path, *records: object, end: str = "\n") -> None:
    with path.open("a", encoding="utf-8") as file:
        file.write("\n".join(map(json.dumps, records)) + end)


def scores(rows: list[Row]) -> list[tuple[str, str, float | None]]:
    return [(r.model, r.item, r.score) for r in rows]


def test_new_lines_only(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    log = follow(str(path), ReaderOptions())
    assert log.poll() == []
    assert "No such file" in (log.trouble or "")
    add(path, {"model": "m", "item": 1, "score": True, "subject": "law", "cost": 0.5})
    (row,) = log.poll()
    assert row == Row("m", "", "score", "1", None, 1.0, "law", 0.5)
    assert not log.trouble
    assert log.poll() == []
    add(path, {"model": "m", "item": "q2", "score": None})
    assert scores(log.poll()) == [("m", "q2", None)]


def test_half_a_line_waits_for_its_end(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    add(path, {"item": "q1", "a": 1, "b": 0}, {"item": "q2", "a": 1}, end="")
    text = path.read_text("utf-8")
    path.write_text(text[:-3], "utf-8")
    log = follow(str(path), ReaderOptions())
    assert scores(log.poll()) == [("a", "q1", 1.0), ("b", "q1", 0.0)]
    path.write_text(text[:-1] + ', "b": 1}\n', "utf-8")
    assert scores(log.poll()) == [("a", "q2", 1.0), ("b", "q2", 1.0)]


def test_a_shorter_file_is_another_run(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    add(path, {"item": "q1", "a": 1, "b": 0})
    log = follow(str(path), ReaderOptions())
    log.poll()
    path.write_text("", "utf-8")
    with pytest.raises(ReadError, match="shorter"):
        log.poll()


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("[1]", "expected an object"),
        ("{", "run.jsonl:2"),
        ('{"item": "q", "score": 1}', "no field 'model'"),
        ('{"a": 1, "b": 0}', "no field 'item'"),
        ('{"item": "q", "a": "yes", "b": 0}', "score must be a number"),
        ('{"item": 1.5, "a": 1, "b": 0}', "item must be text or a whole number"),
        ("5", "expected an object"),
        ("null", "expected an object"),
        ('"item score a b"', "expected an object"),
        ('{"item": "q", "a": %s, "b": 0}' % ("9" * 400), "too large"),
        ("[" * 200_000, "run.jsonl:2"),
    ],
)
def test_bad_lines_are_told_by_number(tmp_path: Path, line: str, words: str) -> None:
    path = tmp_path / "run.jsonl"
    add(path, {"item": "q1", "a": 1, "b": 0})
    with path.open("a", encoding="utf-8") as file:
        file.write(line + "\n")
    with pytest.raises(ReadError, match=words):
        follow(str(path), ReaderOptions()).poll()
    assert len(follow(str(path), ReaderOptions(skip_bad=1)).poll()) == 2


def test_columns_of_other_names(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    add(path, {"qid": "q1", "new": 1, "old": 0, "field": "law"})
    options = ReaderOptions(
        columns=(("item", "qid"), ("a", "new"), ("b", "old")), groups=("field",)
    )
    (first, second) = follow(str(path), options).poll()
    assert (first.item, first.score, second.score, first.group) == ("q1", 1.0, 0.0, "law")


def test_inspect_logs_are_read_again_when_they_change(tmp_path: Path) -> None:
    path = tmp_path / "run.eval"
    shutil.copy(FIXTURES / "inspect" / "killed.eval", path)
    log = follow(str(path), ReaderOptions())
    before = log.poll()
    assert before
    assert log.poll() == []
    shutil.copy(FIXTURES / "inspect" / "zstd.eval", path)
    after = log.poll()
    assert len(after) != len(before) or after != before
    assert log.sources


def test_lm_eval_samples_are_read_as_such() -> None:
    path = next((FIXTURES / "lm_eval").rglob("samples_*.jsonl"))
    log = follow(str(path), ReaderOptions())
    assert log.poll(), log.trouble
    assert {s.reader for s in log.sources} == {"lm_eval"}


def until(log: Follower, done: Callable[[], bool]) -> list[Row]:
    rows: list[Row] = []
    for _ in range(200):
        rows += log.poll()
        if done():
            break
        time.sleep(0.01)
    return rows


def test_standard_input_ends() -> None:
    stream = io.BytesIO(b'{"item": "q1", "a": 1, "b": 0}\n\n{"item": "q2", "a": 0, "b": 0}\n')
    log = follow_stream(stream, ReaderOptions())
    rows = until(log, lambda: log.ended)
    assert log.ended
    assert [r.item for r in rows] == ["q1", "q1", "q2", "q2"]


class Producer(io.RawIOBase):
    """A pipe that another program fills without end, or until it fails."""

    def __init__(self, *, lines: int | None = None) -> None:
        self.written, self.lines = 0, lines

    def read(self, size: int = -1) -> bytes | None:
        if self.written == self.lines:
            raise OSError(errno.EIO, "Input/output error")
        self.written += 1
        if self.written % 2:
            return None  # nothing is there yet
        return b'{"item": %d, "a": 1, "b": 0}\n' % self.written


def test_an_endless_producer_has_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar.readers.follow._PAUSE", 0.0)
    producer = Producer()
    log = follow_stream(cast("BinaryIO", producer), ReaderOptions())
    while producer.written < 512:  # all places of the queue are taken
        time.sleep(0.01)
    time.sleep(0.05)
    assert producer.written <= 520
    assert 1 <= len(log.poll()) <= 2 * 256
    assert not log.ended


def test_a_failing_standard_input_is_told() -> None:
    log = follow_stream(cast("BinaryIO", Producer(lines=2)), ReaderOptions())
    with pytest.raises(ReadError, match="Cannot read standard input: Input/output"):
        until(log, lambda: log.ended)


@pytest.mark.parametrize("line", ["5", "null", '"item a b"', "[" * 200_000, "{"])
def test_a_first_line_that_is_no_object_is_told(tmp_path: Path, line: str) -> None:
    path = tmp_path / "run.jsonl"
    path.write_text(line + "\n", "utf-8")
    with pytest.raises(ReadError, match=r"run\.jsonl:1"):
        follow(str(path), ReaderOptions()).poll()


def test_a_replaced_file_is_another_run(tmp_path: Path) -> None:
    """Longer than before, by another run: its first lines were never read."""
    path, other = tmp_path / "run.jsonl", tmp_path / "new.jsonl"
    add(path, *({"model": "m", "item": k, "score": 1} for k in range(10)))
    log = follow(str(path), ReaderOptions())
    assert len(log.poll()) == 10
    add(other, *({"model": "m", "item": k, "score": 0} for k in range(12)))
    other.replace(path)
    with pytest.raises(ReadError, match="another log"):
        log.poll()


def test_a_file_replaced_by_itself_and_more_is_read_on(tmp_path: Path) -> None:
    path, other = tmp_path / "run.jsonl", tmp_path / "new.jsonl"
    add(path, *({"model": "m", "item": k, "score": 1} for k in range(10)))
    log = follow(str(path), ReaderOptions())
    log.poll()
    shutil.copy(path, other)
    add(other, {"model": "m", "item": "new", "score": 0})
    other.replace(path)
    assert scores(log.poll()) == [("m", "new", 0.0)]


def test_a_file_written_anew_in_place_is_another_run(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    add(path, {"item": "q1", "a": 1, "b": 0})
    log = follow(str(path), ReaderOptions())
    log.poll()
    path.write_text('{"item": "q9", "a": 0, "b": 0}\n{"item": "q8", "a": 0, "b": 0}\n', "utf-8")
    with pytest.raises(ReadError, match="another log"):
        log.poll()


def test_another_run_in_a_log_that_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "run.csv"
    path.write_text("model,item,score\nm,q1,1\nm,q2,0\n", "utf-8")
    log = follow(str(path), ReaderOptions())
    assert len(log.poll()) == 2
    path.write_text("model,item,score\nm,q1,1\nm,q2,0\nm,q3,0\n", "utf-8")
    assert len(log.poll()) == 3
    path.write_text("model,item,score\nm,q1,0\nm,q2,0\nm,q3,0\nm,q4,0\n", "utf-8")
    with pytest.raises(ReadError, match="item 'q1' changed"):
        log.poll()


def test_a_last_line_without_an_end_counts_once_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    add(path, {"item": "q1", "a": 1, "b": 0}, {"item": "q2", "a": 1, "b": 1}, end="")
    log = follow(str(path), ReaderOptions())
    assert [r.item for r in log.poll()] == ["q1", "q1", "q2", "q2"]
    with path.open("a", encoding="utf-8") as file:
        file.write('\n{"item": "q3", "a"')
    assert log.poll() == []
    assert "incomplete" in (log.left or "")
    with path.open("a", encoding="utf-8") as file:
        file.write(": 1}\n")
    with pytest.raises(ReadError, match=r"run\.jsonl:3: no field"):
        log.poll()


def test_long_lines_are_refused_from_files_and_from_standard_input(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nstar.readers.follow._MAX_LINE_BYTES", 64)
    line = b'{"item": "' + b"x" * 100 + b'", "a": 1, "b": 0}\n'
    path = tmp_path / "run.jsonl"
    path.write_bytes(line)
    with pytest.raises(ReadError, match=r"run\.jsonl: a line exceeds 64 bytes"):
        follow(str(path), ReaderOptions()).poll()
    log = follow_stream(io.BytesIO(line), ReaderOptions())
    with pytest.raises(ReadError, match="standard input: a line exceeds 64 bytes"):
        until(log, lambda: log.ended)
