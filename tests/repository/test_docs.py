"""The documentation says what the program does today."""

import doctest
import json
import pydoc
import re
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from helpers.cases import each
from helpers.scripts_as_modules import loaded
from nstar._verbs.selfcheck.run import reference
from nstar._verbs.simulate import INTERVALS, SCENARIOS, TESTS
from nstar.cli import commands, main

ROOT = Path(__file__).parents[2]
DATA = ROOT.parent / "shared" / "data"
NOT_SHIPPED = "tau_bench_airline_gpt4o.parquet"
PAGES = [ROOT / "README.md", ROOT / "SKILL.md", *sorted((ROOT / "docs").rglob("*.md"))]


def named(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def test_console_blocks_are_current() -> None:
    """Pages with demo data are not checked here: .ci/run runs them from the built site."""
    script = ROOT / "scripts" / "console_blocks.py"
    is_walked = loaded("console_blocks").is_walked
    pages = [p for p in PAGES if "```console" in p.read_text(encoding="utf-8")]
    quick = [p for p in pages if p.name == "README.md" or not is_walked(p)]
    done = subprocess.run(  # noqa: S603
        [sys.executable, script, "--check", *quick], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_readme_counts_the_reference_values() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    carried = json.loads(reference())["items"]
    assert f"recomputes {len(carried)} reference values" in readme


@each(PAGES)
def test_figures_have_the_words_of_their_drawings(page: Path) -> None:
    """Alternative texts and captions come from what drew the figure."""
    text = page.read_text(encoding="utf-8")
    assert loaded("_section").with_figure_words(text) == text


@each(PAGES)
def test_generated_parts_are_filled(page: Path) -> None:
    text = page.read_text("utf-8")
    parts = re.findall(r"<!-- ([\w-]+):begin -->(.*?)<!-- \1:end -->", text, re.S)
    assert [name for name, part in parts if not part.strip()] == []
    assert len(parts) == text.count(":begin -->") == text.count(":end -->")


def python_blocks(page: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", page.read_text("utf-8"), re.S | re.M)


# scripts/notebook_page.py --check runs that page, and compares what it shows
RUN = [p for p in PAGES if python_blocks(p) and p != ROOT / "docs" / "notebook.md"]


@pytest.mark.parametrize("page", RUN, ids=named)
def test_python_blocks_run(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One after the other, as a reader would, where nothing but the examples is at hand."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    if "demo/" in "".join(python_blocks(page)):
        assert CliRunner().invoke(main, ["demo", "--out", str(tmp_path / "demo")]).exit_code == 0
    for registry in (SCENARIOS, TESTS, INTERVALS):  # a page may add to them
        monkeypatch.setattr(registry, "_own", dict(registry._own))
        monkeypatch.setattr(registry, "_all", None)
    known: dict[str, object] = {"__name__": page.stem}
    for block in python_blocks(page):
        foreign = NOT_SHIPPED in block
        if foreign and not (DATA / NOT_SHIPPED).exists():
            pytest.skip(f"no {NOT_SHIPPED}")
        monkeypatch.chdir(DATA if foreign else tmp_path)
        if block.startswith(">>>"):
            test = doctest.DocTestParser().get_doctest(block, known, page.name, str(page), 0)
            assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
            known = test.globs
        else:
            exec(block, known)  # noqa: S102


@each(PAGES)
def test_python_that_needs_other_programs_is_python(page: Path) -> None:
    for block in re.findall(r"^```py\n(.*?)^```", page.read_text("utf-8"), re.S | re.M):
        compile(block, str(page), "exec")


def test_console_blocks_without_the_data_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    script = loaded("console_blocks")
    monkeypatch.setattr(script, "DATA", ROOT / "no" / "such" / "folder")
    monkeypatch.chdir(ROOT)
    page = f"```console\n$ nstar runs {NOT_SHIPPED}\nold\n```\n```console\n$ nstar --version\n```"
    kept, run = script.filled(page).split("```\n")
    assert kept.endswith("old\n")
    assert "nstar, version" in run


@each([*PAGES, ROOT / "CHANGELOG.md"])
def test_classes_that_a_page_names_exist(page: Path) -> None:
    for name in re.findall(r"\bnstar\.(?:[a-z_]+\.)*[A-Z]\w*", page.read_text(encoding="utf-8")):
        assert pydoc.locate(name) is not None, f"{page.name} names {name}"


@each(PAGES)
def test_local_links_exist(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_command_is_documented(name: str) -> None:
    reference = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    assert f"nstar {name}" in reference
    assert CliRunner().invoke(main, [*name.split(), "--help"]).exit_code == 0
