"""The documentation says what the program does today."""

import doctest
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from nstar._selfcheck.run import reference
from nstar.cli import main
from scripts_as_modules import loaded

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
NOT_SHIPPED = "tau_bench_airline_gpt4o.parquet"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def test_console_blocks_are_current() -> None:
    script = ROOT / "scripts" / "console_blocks.py"
    done = subprocess.run(  # noqa: S603
        [sys.executable, script, "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_readme_counts_the_reference_values() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    carried = json.loads(reference())["items"]
    assert f"recomputes {len(carried)} reference values" in readme


def test_readme_python_runs() -> None:
    failures, tried = doctest.testfile(str(ROOT / "README.md"), module_relative=False)
    assert tried > 0
    assert failures == 0


@pytest.mark.parametrize(
    "page",
    [
        "agents",
        "audit",
        "budget",
        "compare",
        "gate",
        "pack",
        "pages",
        "read",
        "runs",
        "site",
        "watch",
    ],
)
def test_python_blocks_run(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / f"{page}.md").read_text("utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert blocks
    for block in blocks:
        foreign = NOT_SHIPPED in block
        if foreign and not (DATA / NOT_SHIPPED).exists():
            pytest.skip(f"no {NOT_SHIPPED}")
        monkeypatch.chdir(DATA if foreign else ROOT)
        exec(block, {})  # noqa: S102


def test_console_blocks_without_the_data_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    script = loaded("console_blocks")
    monkeypatch.setattr(script, "DATA", ROOT / "no" / "such" / "folder")
    monkeypatch.chdir(ROOT)
    page = f"```console\n$ nstar runs {NOT_SHIPPED}\nold\n```\n```console\n$ nstar --version\n```"
    kept, run = script.filled(page).split("```\n")
    assert kept.endswith("old\n")
    assert "nstar, version" in run


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_local_links_exist(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("name", sorted(main.commands))
def test_every_command_is_documented(name: str) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"nstar {name}" in readme
    command = main.commands[name]
    page = ROOT / "docs" / f"{name}.md"
    text = page.read_text(encoding="utf-8") if page.exists() else readme
    for option in command.params:
        flags = [o for o in option.opts if o.startswith("--")]
        shown = flags and flags[0] not in ("--help",)
        if shown:
            assert any(f in text for f in flags), f"{flags[0]} is not on {page.name}"
    assert CliRunner().invoke(main, [name, "--help"]).exit_code == 0
