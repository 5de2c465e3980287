"""Plug-ins from other packages, by the group of their entry points."""

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from typing import TypeAlias

_Folders: TypeAlias = tuple[tuple[str, int], ...]


def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """Return ``importlib.metadata.entry_points(group=…)`` without parsing all packages."""
    return _find_entry_points(group, tuple((folder, _changed(folder)) for folder in sys.path))


def _changed(folder: str) -> int:
    """Return the time when an entry was last added to or removed from a folder."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache
def _find_entry_points(group: str, folders: _Folders) -> tuple[EntryPoint, ...]:
    """Return the entry points. The first package with a name takes precedence, as on import."""
    del folders  # shows whether a cached result is still valid
    packages: dict[str, tuple[EntryPoint, ...]] = {}
    for package in distributions():
        if f"[{group}]" in (package.read_text("entry_points.txt") or ""):
            name = package.name.lower().replace("-", "_").replace(".", "_")
            packages.setdefault(name, tuple(package.entry_points.select(group=group)))
    return tuple(entry for entries in packages.values() for entry in entries)
