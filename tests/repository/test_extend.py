"""The code of docs/extend.md works when it is installed as a package."""

import importlib
import json
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import nstar
from helpers.logs import attack
from nstar._verbs.simulate.registry import Registry
from nstar.readers import readers

PAGE = Path(__file__).parents[2] / "docs" / "extend.md"


def block(kind: str, word: str) -> str:
    """The first code block of a language that contains a word."""
    blocks = re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text("utf-8"), re.S)
    return next(text for text in blocks if word in text)


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that Python takes for installed packages."""
    folder = tmp_path / "site-packages"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    return folder


def install(folder: Path, module: str, code: str, toml: str) -> None:
    """The module, and the metadata that an installer makes of its pyproject.toml."""
    (folder / f"{module}.py").write_text(code, "utf-8")
    about = folder / f"{module}-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {module}\nVersion: 1\n")
    entries = re.sub(
        r'\[project\.entry-points\."(.+?)"\]', r"[\1]", toml[toml.index("[project.entry") :]
    )
    (about / "entry_points.txt").write_text(entries.replace('"', ""))
    importlib.invalidate_caches()


@pytest.fixture
def quiz(site: Path, tmp_path: Path) -> Path:
    """The reader of the page installed, and a folder of its logs."""
    install(site, "quiz_reader", block("python", "READER ="), block("toml", "nstar.readers"))
    logs = tmp_path / "logs"
    logs.mkdir()
    for player, right in (("ada", 3), ("bob", 2)):
        about = {"quiz": "capitals", "player": player, "started": "2026", "questions": 5}
        answers = [
            {
                "id": k,
                "points": int(k < right),
                "question": f"Capital of {k}?",
                "topic": f"t{k % 2}",
            }
            for k in range(4)
        ]
        lines = [json.dumps(row) for row in (about, *answers)]
        (logs / f"{player}.jsonl").write_text("\n".join(lines), "utf-8")
    return logs


def test_a_reader_of_others_is_found_and_tried_first(quiz: Path) -> None:
    assert readers()[0].name == "quiz"
    table = nstar.read(quiz)
    (matrix,) = nstar.matrices(table)
    assert (matrix.task, matrix.shape, matrix.row("ada").sum()) == ("capitals", (2, 4), 3)
    assert list(matrix.groups) == ["topic"]
    assert {s.reader for s in table.sources} == {"quiz"}
    findings = nstar.coverage(table).findings
    assert "partial-run" in {f.code for f in findings}  # five questions were declared
    del sys.modules["quiz_reader"]


def test_the_reader_of_the_page_survives_strange_values(quiz: Path) -> None:
    (reader,) = readers("quiz")
    log = quiz / "ada.jsonl"
    about, *_ = log.read_text("utf-8").splitlines()
    for strange in ("[]", "{}", '{"id": [1], "points": 1}', '{"id": 1, "points": 1e999}', "\x00"):
        log.write_text(f"{about}\n{strange}\n", "utf-8")
        found = nstar.readers.scan(
            str(quiz), nstar.readers.ReaderOptions(reader="quiz", skip_bad=9)
        )
        assert sum(b.num_rows for b in found.batches()) == 4
    one = quiz / "one"
    one.mkdir()
    (one / "x.json").write_text(about, "utf-8")
    assert attack(reader, one, one / "x.json") == []
    del sys.modules["quiz_reader"]


def test_a_scenario_of_others_is_found(site: Path) -> None:
    code = block("python", "SCENARIOS.add").partition("nstar.types.SCENARIOS.add")[0]
    toml = block("toml", "nstar.scenarios").partition('[project.entry-points."nstar.tests"]')[0]
    install(site, "my_scenarios", code, toml)
    fresh: Registry[Callable[..., Any]] = Registry("scenario")
    assert list(fresh) == ["long-documents"]
    assert "Parameters" not in (fresh["long-documents"].__doc__ or "").partition("\n")[0]
    del sys.modules["my_scenarios"]
