"""First sentences of docstrings, read from the source: constants and aliases have them too."""

import ast
import re
from functools import cache
from pathlib import Path

__all__ = ["docstring", "summary"]

SOURCE = Path(__file__).parents[1] / "src"


@cache
def _tree(module: str) -> ast.Module:
    path = SOURCE.joinpath(*module.split("."))
    file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    return ast.parse(file.read_text(encoding="utf-8"))


def _names(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
    return [t.id for t in targets if isinstance(t, ast.Name)]


def _is_overload(node: ast.stmt) -> bool:
    decorators = node.decorator_list if isinstance(node, ast.FunctionDef) else []
    return any(isinstance(d, ast.Name) and d.id == "overload" for d in decorators)


def docstring(module: str, name: str) -> str:
    """The docstring of a name, followed to where it is written; of an alias, its value."""
    body = _tree(module).body
    for k, node in enumerate(body):
        if isinstance(node, ast.ImportFrom) and name in [a.asname or a.name for a in node.names]:
            return docstring(str(node.module), name)
        if name not in _names(node) or _is_overload(node):
            continue
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            return ast.get_docstring(node) or ""
        after = body[k + 1] if k + 1 < len(body) else None
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            return str(after.value.value)
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        return f"``{ast.unparse(value)}``" if value is not None else ""
    msg = f"{module} has no {name}"
    raise LookupError(msg)


def summary(module: str, name: str) -> str:
    """The first sentence about a name, for a cell of a table."""
    first = " ".join(docstring(module, name).strip().partition("\n\n")[0].split())
    plain = re.sub(r":[a-z]+:`~?([^`]*)`", r"`\1`", first).replace("``", "`")
    pieces = re.split(r"(`[^`]*`)", plain)
    escaped = [p if p.startswith("`") else re.sub(r"([_<])", r"\\\1", p) for p in pieces]
    return "".join(escaped).replace("|", "\\|")
