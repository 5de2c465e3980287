"""``--html FILE`` as a user meets it."""

from pathlib import Path

import pytest

from helpers.commands import Command

EXAMPLE = str(Path(__file__).parents[3] / "examples" / "results.csv")
CALLS = {"audit": (EXAMPLE,), "compare": (EXAMPLE, "--a", "alpha", "--b", "beta")}


@pytest.mark.parametrize("command", CALLS)
def test_a_page_beside_the_report(command: str, tmp_path: Path) -> None:
    target = tmp_path / "report.html"
    result = Command(command).run(*CALLS[command], "--html", str(target))
    assert result.exit_code == 0, result.output
    assert result.stdout == Command(command).run(*CALLS[command]).stdout
    assert result.stderr.endswith(f"nstar: wrote the page to {target}\n")
    page = target.read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "default-src 'none'" in page


@pytest.mark.parametrize("command", CALLS)
@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("report.txt", "the extension must be .html or .htm"),
        (".html", "the extension must be .html or .htm"),
        ("folder.html", "is a folder"),
        ("nowhere/report.html", "does not exist. Create it"),
    ],
)
def test_what_cannot_be_written_is_refused_first(
    command: str, name: str, why: str, tmp_path: Path
) -> None:
    (tmp_path / "folder.html").mkdir()
    result = Command(command).run(*CALLS[command], "--html", str(tmp_path / name))
    assert result.exit_code == 2
    assert why in result.stderr
    assert not result.stdout


def test_too_many_models_for_a_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.MOST_HELD", 2)
    result = Command("audit").run(EXAMPLE, "--html", str(tmp_path / "report.html"))
    assert result.exit_code == 3
    assert "at most 2 models; got 3" in result.stderr
    assert "nstar site" in result.stderr
    assert "Ranking by mean" in result.stdout  # the answer does not need the page
