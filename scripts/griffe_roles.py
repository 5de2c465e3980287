"""An extension of Griffe: what docstrings write for Python becomes what Markdown writes.

``:func:`max_t``` turns into a link to ``nstar.stats.max_t``, or into code if the name is not
public; ``::`` before a block of code into ``:``; fields of a dataclass, told about one by one,
into one list.
"""

import re
import textwrap
from typing import Any

import griffe

import nstar
import nstar.errors
import nstar.stats

ROLE = re.compile(r":[a-z]+:`~?([^`]+)`")
BLOCK = re.compile(r"::$", re.MULTILINE)


def _public(name: str) -> str:
    """The dotted public name that is meant; empty if there is none."""
    last = name.rpartition(".")[2]
    if name.startswith("nstar.stats.") or "." not in name:
        if last in nstar.stats.__all__:
            return f"nstar.stats.{last}"
        if last in nstar.errors.__all__:
            return f"nstar.errors.{last}"
    if name in (last, f"nstar.{last}") and last in nstar.__all__:
        return f"nstar.{last}"
    return ""


def _link(match: re.Match[str]) -> str:
    target = _public(match[1])
    label = match[1].rpartition(".")[2] if target else match[1]
    return f"[`{label}`][{target}]" if target else f"`{label}`"


def plain(text: str) -> str:
    """A docstring as Markdown."""
    return BLOCK.sub(":", ROLE.sub(_link, text))


def fields(members: dict[str, Any]) -> str:
    """What the fields of a dataclass are, as a section of its docstring."""
    entries = [
        f"{name}\n" + textwrap.indent(field.docstring.value, "    ")
        for name, field in members.items()
        if field.is_attribute and field.docstring and "property" not in field.labels
    ]
    return "\n".join(["", "", "Attributes", "----------", *entries]) if entries else ""


class Roles(griffe.Extension):  # type: ignore[misc]
    """Rewrites every docstring of the package."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Before anything is rendered."""
        if obj.docstring:
            obj.docstring.value = plain(obj.docstring.value)

    def on_class_members(self, *, cls: griffe.Class, **_: Any) -> None:
        """A dataclass lists its fields; the pages show none of them by itself."""
        decorators = [str(decorator.value) for decorator in cls.decorators]
        if cls.docstring and any(text.startswith("dataclass") for text in decorators):
            cls.docstring.value += fields(cls.members)
