"""The reference knows every command, option, public name and schema."""

import re
from pathlib import Path

import pytest

import nstar
import nstar.errors
import nstar.integrations.inspect
import nstar.integrations.pytest_plugin
import nstar.stats
from helpers.scripts_as_modules import loaded
from nstar.cli import commands

ROOT = Path(__file__).parents[2]
REFERENCE = ROOT / "docs" / "reference"


def test_every_public_name_is_told_about_once() -> None:
    told = [
        name
        for page in REFERENCE.rglob("*.md")
        for name in re.findall(r"^::: (\S+)$", page.read_text("utf-8"), re.M)
    ]
    modules = [
        nstar.stats,
        nstar.errors,
        nstar.types,
        nstar.integrations.pytest_plugin,
        nstar.integrations.inspect,
    ]
    inner = {"errors", "report", "stats", "types", "__version__"}
    public = {f"nstar.{n}" for n in nstar.__all__ if n not in inner}
    public |= {n for n in told if n.startswith("nstar.report.")}
    public |= {f"{m.__name__}.{name}" for m in modules for name in m.__all__}
    kernel = set(vars(nstar.stats)["_MODULES"].values())
    assert set(told) - kernel == public - kernel
    assert len(told) == len(set(told))
    pages = ("functions", "results", "stats", "types-errors")
    overview = "".join((REFERENCE / f"{page}.md").read_text("utf-8") for page in pages)
    assert all(f"#{name})" in overview for name in public)


@pytest.mark.parametrize("name", sorted(commands()))
def test_every_option_is_told_about(name: str) -> None:
    page = (REFERENCE / "cli.md").read_text("utf-8")
    part = page.partition(f"### nstar {name}\n")[2].partition("\n### ")[0]
    for parameter in commands()[name].params:
        if parameter.name == "help_all":
            continue
        for option in parameter.opts:
            assert not option.startswith("-") or f"`{option}" in part


def test_every_schema_is_listed() -> None:
    page = (REFERENCE / "results.md").read_text("utf-8")
    for path in (ROOT / "src" / "nstar" / "report" / "schemas").glob("*.json"):
        assert path.name in page


def test_summaries_are_followed_to_their_home() -> None:
    script = loaded("_docstrings")
    assert (
        script.summary("nstar._verbs.compare", "Comparison")
        == "Comparison of two models on one or several tasks."
    )
    assert script.summary("nstar.stats.mcnemar", "McNemarMethod").startswith("`Literal[")
    with pytest.raises(LookupError):
        script.summary("nstar.stats.mcnemar", "nothing")
