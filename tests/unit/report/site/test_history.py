"""A site keeps one entry per snapshot, with rank ranges over time and a feed."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from helpers.commands import Command
from nstar.errors import DataError
from nstar.report.site import build

AUDIT = Command("audit")
NAMES = ("a<b>", "b", "c", "d")


def audit(folder: Path, models: int, items: int, since: str | None = None) -> str:
    x = np.random.default_rng(1).random((4, 400)) < np.array([[0.8], [0.7], [0.6], [0.5]])
    table = "model,item,score\n" + "".join(
        f"{NAMES[m]},q{k},{int(x[m, k])}\n" for m in range(models) for k in range(items)
    )
    path = folder.with_suffix(".csv")
    path.write_text(table, encoding="utf-8")
    more = [] if since is None else ["--since", since]
    args = [str(path), "--out", str(folder), *more]
    assert AUDIT.run(*args).exit_code == 0
    return str(folder)


def test_each_new_ranking_is_an_entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1794000000")
    site = tmp_path / "site"
    build([audit(tmp_path / "old", 3, 300)], str(site), name="board")
    home = site / "b" / "board"
    assert "History" not in (home / "index.html").read_text(encoding="utf-8")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1794700000")
    now = audit(tmp_path / "now", 4, 400, since=str(tmp_path / "old"))
    for _ in range(2):
        build([now], str(site), name="board")
    entries = json.loads((home / "history.json").read_text(encoding="utf-8"))["snapshots"]
    assert [(e["n_models"], e["n_units"]) for e in entries] == [(3, 300), (4, 400)]
    assert entries[1]["changes"].startswith("Since old: 1 new model (d) and 100 new items.")
    page = (home / "index.html").read_text(encoding="utf-8")
    assert page.count('class="wire"') >= 7
    assert "a&lt;b&gt;" in page
    assert "a<b>" not in page
    feed = ET.fromstring((home / "feed.xml").read_bytes())  # noqa: S314 ours
    ids = [e.text for e in feed.iter("{http://www.w3.org/2005/Atom}id")]
    assert len(ids) == len(set(ids)) == 3


def test_ratings_with_changes_are_an_entry(tmp_path: Path) -> None:
    lines = ["model_a,model_b,winner", *["x,y,model_b"] * 20, *["x,y,model_a"] * 60]
    site, paths = tmp_path / "site", [tmp_path / "old.csv", tmp_path / "new.csv"]
    for path, n in zip(paths, (60, 81), strict=True):
        path.write_text("\n".join(lines[:n]), encoding="utf-8")
    for path, args in zip(paths, ([], ["--since", str(paths[0])]), strict=True):
        run = Command("battles").run(str(path), *args, "--format", "json")
        (tmp_path / "board.json").write_text(run.stdout, encoding="utf-8")
        build([str(tmp_path / "board.json")], str(site), name="board")
    home = site / "b" / "board"
    entries = json.loads((home / "history.json").read_text(encoding="utf-8"))["snapshots"]
    assert entries[1]["changes"].startswith("Since old.csv: 21 new votes.")
    page = (home / "index.html").read_text(encoding="utf-8")
    assert ">What changed</h2>" in page
    assert page.count("A changed rank range is not evidence") <= 1


def test_refuses_another_history(tmp_path: Path) -> None:
    site, folder = tmp_path / "site", audit(tmp_path / "old", 3, 300)
    build([folder], str(site), name="board")
    path = site / "b" / "board" / "history.json"
    for text in ("[]", "{", '{"schema": "nstar.history/1", "snapshots": [{"time": "x"}]}'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(DataError, match="not a history of nstar"):
            build([folder], str(site), name="board")
