"""Which reader, which runs, and the harness's own mean."""

import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

import nstar.readers
from nstar.errors import ReadError
from nstar.readers import BUILT_IN, ReaderOptions, readers, scan
from nstar.readers._base import Journal, Role, Rows, Unit, content_key
from nstar.readers._files import Place
from nstar.readers._scan import LogScan, choose_runs, find_units


class _Lines:
    """A toy format: ``item score`` per line, model and task in the name, printed mean first."""

    name = "lines"

    def sniff(self, place: Place, head: bytes) -> Role:
        return "log" if place.name.endswith(".lines") else None

    def units(self, places: Sequence[Place], journal: Journal) -> list[Unit]:
        parts = [p.name.split(".") for p in places]
        return [
            Unit(place=p, model=n[0], task=n[1], started=n[2], complete=n[3] == "all")
            for p, n in zip(places, parts, strict=True)
        ]

    def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
        source = journal.source(unit.place, self.name, model=unit.model, task=unit.task)
        rows = Rows("item", "score")
        with unit.place.open() as file:
            source.aggregates["score"] = float(file.readline())
            for line in file:
                item, score = line.decode().split()
                rows.add(item, float(score))
        yield rows.batch(model=unit.model, task=unit.task, run=unit.run)


def _scan(folder: Path, **options: object) -> LogScan:
    journal = Journal(options=ReaderOptions(**options))  # type: ignore[arg-type]
    return LogScan(find_units([folder], [_Lines()], journal), journal)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.t.1.all.lines").write_text("0.5\nq 1\nr 0\n")
    (tmp_path / "a.t.2.part.lines").write_text("1\nq 1\n")
    (tmp_path / "b.t.1.all.lines").write_text("0.25\nq 1\nr 0\n")
    (tmp_path / "readme.txt").write_text("hello")
    return tmp_path


def test_a_later_partial_run_does_not_win(folder: Path) -> None:
    found = _scan(folder)
    assert [u.place.name for _, u in found.units] == ["a.t.1.all.lines", "b.t.1.all.lines"]
    assert any("a has 2 logs of t" in n and "1 ignored" in n for n in found.journal.notes)
    assert any("1 file of unknown format ignored" in n for n in found.journal.notes)


def test_all_complete_runs_can_be_kept(folder: Path) -> None:
    (folder / "a.t.3.all.lines").write_text("0.5\nq 1\nr 0\n")
    found = _scan(folder, runs="all")
    assert [u.run for _, u in found.units] == ["1", "3", None]


def test_runs_that_look_alike_get_names_of_their_own() -> None:
    same = [Unit(place=Place(f"{d}/x"), model="a", task="t") for d in "12"]
    twice = [Unit(place=Place("1/x"), model="a", task="t", started="now") for _ in "12"]
    for units, names in ((same, ["1/x", "2/x"]), (twice, ["1/x#1", "1/x#2"])):
        found = choose_runs(units, Journal(options=ReaderOptions(runs="all")))
        assert [u.run for u in found] == names


def test_items_of_a_limited_log_are_counted(folder: Path) -> None:
    class Limited(_Lines):
        def read(self, unit: Unit, journal: Journal) -> Iterator[pa.RecordBatch]:
            for batch in super().read(unit, journal):
                journal.drafts[-1].aggregates.clear()
                journal.drafts[-1].limited = "limit=2"
                yield batch

    journal = Journal()
    found = LogScan(find_units([folder], [Limited()], journal), journal)
    list(found.batches())
    assert [s.items for s in journal.sources] == [2, 2]


def test_the_harness_mean_is_recomputed(folder: Path) -> None:
    found = _scan(folder)
    assert sum(b.num_rows for b in found.batches()) == 4
    a, b = found.journal.sources
    assert (a.rows, a.items, a.mismatches) == (2, 2, {})
    assert b.mismatches == {"score": 0.5}
    list(found.batches())
    assert len(found.journal.sources) == 2  # a second pass writes nothing down


def test_nothing_to_read_names_the_formats(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_bytes(b"hello\x00")
    with pytest.raises(ReadError, match=r"no results found \(1 file, such as .*notes.txt"):
        _scan(tmp_path)
    with pytest.raises(ReadError, match=r"notes.txt: unknown format \(starts with 'hello\\x00'"):
        _scan(tmp_path / "notes.txt")


def test_a_wrong_reader_is_told_a_right_one() -> None:
    with pytest.raises(ReadError, match=r"No reader 'lmeval'. Did you mean lm_eval\?"):
        scan("x", ReaderOptions(reader="lmeval"))
    with pytest.raises(ReadError, match=r"No reader 'zzz'. Available: inspect_ai, lm_eval"):
        scan("x", ReaderOptions(reader="zzz"))


@pytest.mark.parametrize(
    ("head", "mend"),
    [
        (
            b"\x80\x04\x95",
            "looks like a pickle file, which can run code when opened. Instead, save the table",
        ),
        (b"PK\x03\x04", "xlsx"),
        (b"\xd0\xcf\x11\xe0", "old Excel file"),
        (b"\x93NUMPY", "NumPy array"),
        (b"SQLite format 3\0", "SQLite"),
        (b"%PDF-1.7", "nstar claim"),
    ],
)
def test_files_people_have_are_named_with_a_mend(tmp_path: Path, head: bytes, mend: str) -> None:
    (tmp_path / "board.bin").write_bytes(head + bytes(100))
    with pytest.raises(ReadError, match=mend):
        _scan(tmp_path / "board.bin")


def test_names_are_unique_and_tables_come_last() -> None:
    names = [r.name for r in readers()]
    assert len(set(names)) == len(names) == len(BUILT_IN)
    assert BUILT_IN[-1] == "tabular"


def test_units_of_unknown_model_are_never_rivals() -> None:
    units = [Unit(place=Place("x")), Unit(place=Place("y"))]
    assert choose_runs(units, Journal()) == units


def test_bad_rows_up_to_the_number_allowed() -> None:
    journal = Journal(options=ReaderOptions(skip_bad=1))
    journal.bad_row("f", 3, "score 'x' is not a number")
    with pytest.raises(ReadError, match=r"f:4: .*\(1 unreadable row was allowed\)"):
        journal.bad_row("f", 4, "score 'y' is not a number")
    with pytest.raises(ReadError, match=r"f:1: oops. Set skip_bad=N"):
        Journal().bad_row("f", 1, "oops")


def test_errors_count_as_asked() -> None:
    for policy, harness, score in (
        ("harness", "zero", 0.0),
        ("harness", "missing", None),
        ("missing", "zero", None),
        ("zero", "missing", 0.0),
    ):
        journal = Journal(options=ReaderOptions(errors=policy))  # type: ignore[arg-type]
        source = journal.source("f", "r")
        source.aggregates["acc"] = 0.5
        assert journal.error_score(harness) == score  # type: ignore[arg-type]
        assert source.dropped["errors"] == 1
        assert bool(source.aggregates) == (policy == "harness")


def test_content_keys() -> None:
    assert content_key("é") == content_key("é".encode())
    assert content_key("-123456789012345" + 16 * "0") >= 0
    assert content_key(16 * "0" + 16 * "x") != content_key(16 * "0" + 16 * "y")
    assert content_key("x" * 64) != content_key("y" * 64)
    assert 0 <= content_key("\ud800") < 2**64


LINES = _Lines()


def _plug_in(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    entry = EntryPoint(name="lines", value=value, group="nstar.readers")
    monkeypatch.setattr(nstar.readers, "entry_points", lambda group: [entry])


def test_a_package_brings_its_reader(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "plugin", SimpleNamespace(READER=LINES))
    _plug_in(monkeypatch, "plugin:READER")
    assert readers()[0].name == "lines"
    assert len(nstar.read(folder)) == 4


@pytest.mark.parametrize(
    ("value", "says"),
    [
        ("no_such_package:READER", "Cannot load the reader 'lines'"),
        ("math:pi", "reader 'lines' .*is missing name, sniff"),
    ],
)
def test_a_broken_plug_in_is_named(value: str, says: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _plug_in(monkeypatch, value)
    with pytest.raises(ReadError, match=says):
        readers()


def test_a_damaged_log_in_a_folder_is_told_apart(folder: Path) -> None:
    (folder / "c.eval").write_bytes(b"garbage\x1b[2J")
    (folder / "d.csv").write_bytes(b"")
    notes = _scan(folder).journal.notes
    told = next(n for n in notes if n.startswith("not read: "))
    assert "c.eval (not a log: it starts with 'garbage" in told
    assert "d.csv (empty)" in told
    assert "readme.txt" not in told
    assert any("1 file of unknown format ignored" in n for n in notes)
