"""What the site of an audit does not tell: where the logs of its author lay."""

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from helpers.commands import Command
from helpers.logs import FIXTURES
from helpers.sites import change, copy_audit, files, leaderboard
from nstar._data.table import Source
from nstar.readers.tidy import write_tidy
from nstar.report.site import build

AUDIT = Command("audit")
LOGS = FIXTURES / "openai_evals"


def _sources(folder: Path) -> list[Source]:
    """Logs that say nothing of model and task, so that only a path can name them."""
    good = Source(path=str(folder / "logs" / "good.json"), reader="r", items=5)
    settings = [replace(good, task="t", settings={"shots": k, "v": "1"}) for k in ("0", "5")]
    return [
        replace(good, path=str(folder / "logs" / "a.json"), status="killed"),
        replace(good, path=str(folder / "logs" / "b.json"), declared_items=9, limited="limit=5"),
        replace(good, path=str(folder / "logs" / "c.json"), dropped={"errors": 2}),
        replace(good, path=str(folder / "logs" / "d.json"), notes=("odd",)),
        replace(
            good,
            path=str(folder / "more" / "e.json"),
            aggregates={"acc": 0.5},
            mismatches={"acc": 0.25},
        ),
        replace(settings[0], path=str(folder / "more" / "f.json")),
        replace(settings[1], path=str(folder / "more" / "g.json")),
    ]


def _table() -> pa.RecordBatch:
    rows = [
        (m, str(k), float((k * s) % 3 == 0)) for m, s in (("a", 1), ("b", 2)) for k in range(9)
    ]
    columns = dict(zip(("model", "item", "score"), zip(*rows, strict=True), strict=True))
    return pa.RecordBatch.from_pydict({"task": ["t"] * len(rows), **columns})


def _codes(folder: Path) -> set[str]:
    return {f["code"] for f in json.loads((folder / "audit.json").read_text())["findings"]}


def _assert_silent(site: Path, word: str) -> None:
    told = [place for place, content in files(site).items() if word.encode() in content]
    assert told == []


def test_findings_name_no_folder_of_the_author(tmp_path: Path) -> None:
    table, out = tmp_path / "table.parquet", tmp_path / "audit"
    write_tidy([_table()], _sources(tmp_path), table)
    result = AUDIT.run(str(table), "--out", str(out), "--allow", "failed-run")
    assert result.exit_code == 0, result.output
    expected = {"failed-run", "partial-run", "errors", "mean-differs", "different-settings"}
    assert expected | {"reader"} <= _codes(out)
    build([str(out)], str(tmp_path / "site"))
    _assert_silent(tmp_path / "site", str(tmp_path))


def test_rows_that_were_skipped_name_no_folder(tmp_path: Path) -> None:
    logs = shutil.copytree(LOGS, tmp_path / "logs")
    path = logs / "alpha-8b.jsonl"
    path.write_text(path.read_text() + "{broken\n")
    out = tmp_path / "audit"
    result = AUDIT.run(str(logs), "--out", str(out), "--skip-bad", "3")
    assert result.exit_code == 0, result.output
    assert "bad-rows" in _codes(out)
    build([str(out)], str(tmp_path / "site"))
    _assert_silent(tmp_path / "site", str(tmp_path))


def test_notes_of_readers_stay_at_home(tmp_path: Path) -> None:
    folder, site = tmp_path / "audit", tmp_path / "site"
    copy_audit(folder, leaderboard())
    finding = {"level": "note", "code": "reader", "text": "/home/me/x.csv: odd"}
    other = {"level": "warning", "code": "few-items", "text": "Something else."}
    change(folder, notes=["note [reader]: /home/me/x.csv: odd"], findings=[finding, other])
    build([str(folder)], str(site))
    assert "Something else." in (site / "b/some-task/index.html").read_text()
    _assert_silent(site, "/home/me")
