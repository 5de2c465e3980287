"""Every function of the kernel says what goes in, what comes out, whose it is, and shows it."""

import ast
import inspect
import re
import textwrap
from pathlib import Path
from typing import Any

from helpers.cases import each
from nstar import stats

PAGES = (Path(__file__).parents[2] / "docs" / "methods").glob("*.md")
FUNCTIONS = [n for n in stats.__all__ if inspect.isfunction(getattr(stats, n))]
REQUIRED = {"Parameters", "Returns", "References", "Examples"}
ORDER = ["Parameters", "Returns", "Raises", "Warns", "Notes", "References", "Examples"]
TEXTS = [page.read_text(encoding="utf-8") for page in PAGES]
METHODS = {title for text in TEXTS for title in re.findall(r"^#+ (.+)$", text, re.M)}
HEADING = re.compile(r"^(\S.*)\n(-{3,})\n", re.M)


def sections(function: Any) -> list[tuple[str, str]]:
    """Heading and text of each section, as written."""
    _, *parts = HEADING.split(inspect.getdoc(function) or "")
    assert all(len(a) == len(line) for a, line in zip(parts[::3], parts[1::3], strict=True))
    return list(zip(parts[::3], parts[2::3], strict=True))


@each(FUNCTIONS)
def test_sections_are_there_and_in_order(name: str) -> None:
    found = sections(getattr(stats, name))
    headings = [heading for heading, _ in found]
    assert headings == [heading for heading in ORDER if heading in headings]
    assert set(headings) >= REQUIRED
    assert all(text.strip() for _, text in found)
    assert re.search(r"^>>> ", dict(found)["Examples"], re.M)
    references = " ".join(dict(found)["References"].split())
    assert set(re.findall(r"Methods: ([^.;]+)", references)) <= METHODS


@each(FUNCTIONS)
def test_parameters_are_those_of_the_signature(name: str) -> None:
    function = getattr(stats, name)
    text = dict(sections(function)).get("Parameters", "")
    entries = re.findall(r"^(\S.*)\n {4}\S", text, re.M)
    assert len(entries) == len(re.findall(r"^\S", text, re.M)), "an entry without a text"
    names = [name for entry in entries for name in entry.partition(" : ")[0].split(", ")]
    assert names == list(inspect.signature(function).parameters)


@each(FUNCTIONS)
def test_what_is_returned_has_its_type(name: str) -> None:
    function = getattr(stats, name)
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(definition, ast.FunctionDef)
    assert definition.returns is not None
    told = dict(sections(function)).get("Returns", "").partition("\n")[0]
    assert told == ast.unparse(definition.returns)
