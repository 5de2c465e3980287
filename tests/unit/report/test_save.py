"""Every result is saved by the end of a file's name, and is a data frame where it is a table."""

import csv
import sys
from io import StringIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import nstar
from nstar import report
from nstar._base.result import Result
from nstar.errors import DataError, NstarError, ParameterError
from nstar.report.charts import KINDS, figure
from nstar.report.formats.csv import _cell
from unit.report.test_shown import RESULTS

TEXTS = {"txt": "text", "md": "markdown", "tex": "latex", "json": "json"}
SMALL = nstar.claim(0.783, 0.775, items=12032)


@pytest.fixture(scope="module", params=RESULTS)
def result(request: pytest.FixtureRequest) -> Any:
    return RESULTS[request.param]()


def kind_of(result: Any) -> str:
    return type(result).__name__


# --- files --------------------------------------------------------------------------------


@pytest.mark.sampled(3)
@pytest.mark.parametrize("suffix", TEXTS)
def test_reports(result: Any, suffix: str, tmp_path: Path) -> None:
    target = tmp_path / f"r.{suffix}"
    result.save(target)
    wanted = report.render(result, TEXTS[suffix])  # type: ignore[arg-type]
    assert target.read_bytes().decode() == wanted
    assert list(tmp_path.iterdir()) == [target]


def test_tables(result: Any, tmp_path: Path) -> None:
    target = tmp_path / "r.csv"
    result.save(target)
    assert target.read_bytes().decode() == report.render(result, "csv")


def test_pages(result: Any, tmp_path: Path) -> None:
    target = tmp_path / "r.HTML"
    result.save(str(target))
    page = target.read_text("utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "<script>alert" not in page


def test_pictures(result: Any, tmp_path: Path) -> None:
    target = tmp_path / "r.svg"
    if kind_of(result) not in KINDS:
        with pytest.raises(ParameterError, match="No figure is available"):
            result.save(target)
        return
    if kind_of(result) in ("Simulation", "WatchResult"):  # of one cell, of one item
        with pytest.raises(ParameterError, match=r"one cell|Nothing to draw yet"):
            result.save(target)
        return
    result.save(target)
    assert target.read_text("utf-8") == figure(result).svg


@pytest.mark.parametrize("suffix", ["pdf", "png"])
def test_pictures_that_need_an_extra(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = RESULTS["Plan"]()
    target = tmp_path / f"r.{suffix}"
    renderer = {"pdf": "cairosvg", "png": "resvg_py"}[suffix]
    monkeypatch.setitem(sys.modules, renderer, None)
    with pytest.raises(NstarError, match=rf"pip install 'nstar\[{suffix}\]'"):
        plan.save(target)
    assert not any(tmp_path.iterdir())
    drawn = {name: lambda **_: b"drawn" for name in ("svg2pdf", "svg_to_bytes")}
    monkeypatch.setitem(sys.modules, renderer, SimpleNamespace(**drawn))
    plan.save(target)
    assert target.read_bytes() == b"drawn"


@pytest.mark.parametrize("name", ["r.docx", "r", "r.json.bak", ".json"])
def test_other_names_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match=r"\.html, \.svg, .* \.csv or \.json; got"):
        SMALL.save(tmp_path / name)
    assert not any(tmp_path.iterdir())


def test_a_file_is_replaced_whole_or_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "r.txt"
    target.write_text("before")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", full)
        with pytest.raises(DataError, match="No space left"):
            SMALL.save(target)
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]
    SMALL.save(target)
    assert target.read_text("utf-8").startswith("Depends: +")


def test_where_nothing_can_be_written(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="Cannot write"):
        SMALL.save(tmp_path / "nowhere" / "r.txt")
    (tmp_path / "r.txt").mkdir()
    with pytest.raises(DataError, match="Cannot write"):
        SMALL.save(tmp_path / "r.txt")
    with pytest.raises(DataError, match="is an address"):
        SMALL.save("s3://bucket/r.txt")


# --- data frames --------------------------------------------------------------------------


def cells(frame: Any, library: str) -> list[list[Any]]:
    """Rows of Python values, "no number" as None."""
    if library == "polars":
        return [list(row) for row in frame.rows()]
    return [
        [None if value != value else value for value in row]  # noqa: PLR0124
        for row in frame.astype(object).to_numpy().tolist()
    ]


@pytest.fixture(params=["pandas", "polars"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    pytest.importorskip(request.param)
    if request.param == "polars":
        monkeypatch.setitem(sys.modules, "pandas", None)
    return str(request.param)


def test_frames_are_the_csv(result: Any, library: str) -> None:
    check_frame(result, library)


def check_frame(result: Result, library: str) -> None:
    frame = result.to_frame()
    assert type(frame).__module__.startswith(library)
    header, *rows = csv.reader(StringIO(report.render(result, "csv")))
    assert list(frame.columns) == header
    found = cells(frame, library)
    assert len(found) == len(rows) > 0
    for row, texts in zip(found, rows, strict=True):
        for value, text in zip(row, texts, strict=True):
            assert same(value, text), (value, text)


def same(value: Any, text: str) -> bool:
    if isinstance(value, float) and not isinstance(value, bool) and text:
        return value == float(text)  # a column with a gap holds whole numbers as floats
    return _cell(value) == text


def test_frames_hold_numbers_and_names_as_they_are() -> None:
    pytest.importorskip("pandas")
    ranked = RESULTS["Audit"]().to_frame()
    assert ranked["mean"].dtype == float
    assert ranked["model"].str.startswith("<script>").all()
    plan = RESULTS["Plan"]().to_frame()
    assert plan["n_star"].dtype.kind in "if"


def test_without_a_library_for_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(NstarError, match="needs pandas or polars"):
        SMALL.to_frame()
