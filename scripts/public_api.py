"""What docs/security.md promises, a line each: writes tests/public_api.txt.

``--check`` compares instead: exit status 1, and the lines that came and went.
"""

import difflib
import importlib
import inspect
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import MISSING, Field, fields, is_dataclass
from pathlib import Path
from typing import Any, is_typeddict

import click

import nstar
from nstar.cli import commands

ROOT = Path(__file__).parents[1]
LISTED = ROOT / "tests" / "public_api.txt"
MODULES = (
    "nstar",
    "nstar.types",
    "nstar.stats",
    "nstar.errors",
    "nstar.readers.kit",
    "nstar.integrations.pytest_plugin",
)
WRITTEN_BY_PYTHON = {"count", "index"}  # methods that every named tuple has


def signature(function: Any) -> str:
    """Parameters and defaults. Types are left out: each Python prints them in another way."""
    full_signature = inspect.signature(function)
    plain = [
        p.replace(annotation=inspect.Parameter.empty) for p in full_signature.parameters.values()
    ]
    text = str(inspect.Signature([p for p in plain if p.name not in ("self", "cls")]))
    return re.sub(r" at 0x[0-9a-f]+", "", text)


def with_default(field: Field[Any]) -> str:
    if field.default is not MISSING:
        return f" = {field.default!r}"
    return " = …" if field.default_factory is not MISSING else ""


def of_class(name: str, cls: type) -> Iterator[str]:
    attributes = {k: v for base in reversed(cls.__mro__[:-1]) for k, v in vars(base).items()}
    if issubclass(cls, BaseException):
        yield f"{name}({', '.join(base.__name__ for base in cls.__bases__)})"
        return
    if is_typeddict(cls):
        yield f"class {name}({', '.join(cls.__annotations__)})"
        return
    if is_dataclass(cls):
        yield f"class {name}"
        for field in fields(cls):
            if not field.name.startswith("_"):
                yield f"{name}.{field.name}{with_default(field)}"
                attributes.pop(field.name, None)
    elif hasattr(cls, "_fields"):
        yield f"class {name}({', '.join(cls._fields)})"
        attributes = {
            k: v for k, v in attributes.items() if k not in {*cls._fields, *WRITTEN_BY_PYTHON}
        }
    else:
        yield f"class {name}{signature(cls)}"
    for member, value in attributes.items():
        if member.startswith("_"):
            continue
        function = getattr(cls, member)
        if isinstance(value, property) or not callable(function):
            yield f"{name}.{member}"
        else:
            yield f"{name}.{member}{signature(function)}"


def of_module(module: str) -> Iterator[str]:
    home = importlib.import_module(module)
    for short in home.__all__:
        value, name = getattr(home, short), f"{module}.{short}"
        if inspect.isclass(value):
            yield from of_class(name, value)
        elif inspect.isfunction(value):
            yield f"{name}{signature(value)}"
        else:
            yield name


def of_command(command: click.Command, name: str) -> Iterator[str]:
    yield name
    for param in command.params:
        if param.name == "help":
            continue
        kind = param.type
        choices = f" {'|'.join(map(str, kind.choices))}" if isinstance(kind, click.Choice) else ""
        if isinstance(param, click.Argument):
            yield f"{name} {param.human_readable_name}{choices}"
        else:
            for flag in (*param.opts, *param.secondary_opts):
                yield f"{name} {flag}{choices}"


def of_files() -> Iterator[str]:
    """Versions of all that nstar writes for programs, and the keys of its JSON."""
    source = Path(nstar.__file__).parent
    for path in sorted(source.rglob("*.py")):
        for kind in re.findall(r'"(nstar\.[a-z-]+/\d+)"', path.read_text(encoding="utf-8")):
            yield f"file {kind}"
    for path in sorted((source / "report" / "schemas").glob("*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        kind = schema["properties"]["schema"]["const"]
        for key in schema["properties"]:
            yield f"file {kind} {key}"


def lines() -> list[str]:
    interface = {line for module in MODULES for line in of_module(module)}
    for name, command in commands().items():
        interface |= set(of_command(command, f"$ nstar {name}"))
    return sorted(interface | set(of_files()))


def main() -> int:
    new = "\n".join(lines()) + "\n"
    old = LISTED.read_text(encoding="utf-8") if LISTED.exists() else ""
    if new == old:
        return 0
    if "--check" not in sys.argv:
        LISTED.write_text(new, encoding="utf-8")
        return 0
    diff = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0, lineterm="")
    print(*(line for line in diff if not line.startswith(("---", "+++", "@@"))), sep="\n")
    print("The public interface is not what tests/public_api.txt says. If that is meant:")
    print("python scripts/public_api.py, and a fragment in changelog.d (docs/security.md).")
    return 1


if __name__ == "__main__":
    sys.exit(main())
