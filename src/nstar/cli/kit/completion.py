"""Shell completion of file names, and of the models in files that are already named."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

_QUICK = 20_000_000
"""Largest number of bytes that completion reads."""

_PLAIN = re.compile(r"[\w./+@-][\w./+@:-]*", re.ASCII)
"""Pattern of names that need no quotes in any shell, because names in logs are untrusted."""


def complete_files(
    ctx: click.Context,  # noqa: ARG001
    param: click.Parameter,  # noqa: ARG001
    incomplete: str,
) -> "list[CompletionItem[Any]]":
    """Complete files and folders, as the shell does."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_models(
    ctx: click.Context,
    param: click.Parameter,  # noqa: ARG001
    incomplete: str,
) -> "list[CompletionItem[Any]]":
    """Complete models from the paths already typed, if they are local and quick to read."""
    from click.shell_completion import CompletionItem

    arguments = [p.name or "" for p in ctx.command.params if isinstance(p, click.Argument)]
    paths = next((ctx.params[name] for name in arguments if ctx.params.get(name)), ctx.args)
    paths = [paths] if isinstance(paths, str) else paths
    names = (name for name in _models(paths) if _PLAIN.fullmatch(name))
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _size(paths: Iterable[Path]) -> int:
    files = (f for p in paths for f in (p.rglob("*") if p.is_dir() else (p,)) if f.is_file())
    total = 0
    for file in files:
        total += file.stat().st_size
        if total > _QUICK:
            break
    return total


def _models(paths: Iterable[str]) -> list[str]:
    from nstar._api.inputs.aligned_pair import models_of
    from nstar.errors import NstarError
    from nstar.readers import scan

    local_paths = [Path(p) for p in paths]
    try:
        if (
            not local_paths
            or not all(p.exists() for p in local_paths)
            or _size(local_paths) > _QUICK
        ):
            return []
        return models_of(scan(local_paths))
    except (NstarError, OSError):
        return []
