"""``nstar site``: from an audit's folder to a website."""

import json
import sys
from pathlib import Path

import pytest

from helpers.commands import Command

AUDIT, SITE = Command("audit"), Command("site")
EXAMPLE = str(Path(__file__).parents[3] / "examples" / "results.csv")


@pytest.fixture
def folder(tmp_path: Path) -> str:
    path = str(tmp_path / "audit")
    assert AUDIT.run(EXAMPLE, "--out", path).exit_code == 0
    return path


def test_an_audit_becomes_a_site(folder: str, tmp_path: Path) -> None:
    out = tmp_path / "new" / "site"
    result = SITE.run(folder, "-o", str(out), "--title", "Mine", "--name", "The example")
    assert result.exit_code == 0, result.output
    assert result.stdout == ""
    assert f"b/the-example to {out}: " in result.stderr
    assert ", 0 unchanged, 0 removed" in result.stderr
    index = json.loads((out / "index.json").read_text())
    assert index["title"] == "Mine"
    assert [b["title"] for b in index["benchmarks"]] == ["The example"]
    assert "alpha" in (out / "b/the-example/index.html").read_text()


def test_plain_tables_are_called_after_their_folders(tmp_path: Path) -> None:
    folders = [str(tmp_path / "audits" / name) for name in ("mmlu-pro", "gpqa")]
    for folder in folders:
        assert AUDIT.run(EXAMPLE, "--out", folder).exit_code == 0
    result = SITE.run(*folders, "-o", str(tmp_path / "site"))
    assert result.exit_code == 0, result.output
    assert "b/mmlu-pro, b/gpqa to " in result.stderr
    result = SITE.run(folders[0], "-o", str(tmp_path / "site"))
    assert "0 files written" in result.stderr


def test_a_second_time_nothing_is_written(folder: str, tmp_path: Path) -> None:
    out = str(tmp_path / "site")
    SITE.run(folder, "-o", out)
    assert "0 files written" in SITE.run(folder, "-o", out).stderr


def test_a_title_stays(folder: str, tmp_path: Path) -> None:
    out = tmp_path / "site"
    SITE.run(folder, "-o", str(out), "--title", "Mine")
    SITE.run(folder, "-o", str(out))
    assert json.loads((out / "index.json").read_text())["title"] == "Mine"


def test_another_version(folder: str, tmp_path: Path) -> None:
    out = tmp_path / "site"
    SITE.run(folder, "-o", str(out), "--name", "old")
    path = out / "index.json"
    path.write_text(path.read_text().replace('"nstar": "', '"nstar": "0.'))
    said = SITE.run(folder, "-o", str(out), "--name", "new").stderr
    assert "b/old: built by another version of nstar. Build the site again." in said


def test_errors_are_one_line(folder: str, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    color = "" if sys.platform == "win32" else "\x1b[31m"  # no name on Windows holds such signs
    (tmp_path / "site" / f"thesis{color}.txt").write_text("mine")
    for arguments, said in (
        ((str(tmp_path / "none"), "-o", str(tmp_path / "x")), "not a folder or file"),
        ((folder, folder, "-o", str(tmp_path / "x")), "would both use the folder b/audit"),
        ((folder, folder, "--name", "x", "-o", str(tmp_path / "x")), "one benchmark; got 2"),
        ((folder, "-o", str(tmp_path / "site")), "is not a site of nstar"),
        ((EXAMPLE, "-o", str(tmp_path / "x")), "is not valid JSON"),
    ):
        result = SITE.run(*arguments)
        assert result.exit_code == 3
        assert said in result.stderr
        assert result.stderr.count("\n") == 1
        assert "\x1b" not in result.stderr
    assert not (tmp_path / "x").exists()


def test_usage(folder: str) -> None:
    assert SITE.run(folder).exit_code == 2
    assert SITE.run("-o", "x").exit_code == 2
