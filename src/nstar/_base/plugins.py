"""What other packages bring, by the group of their entry points."""

import sys
from functools import lru_cache
from importlib.metadata import EntryPoint, distributions
from pathlib import Path
from typing import TypeAlias

_Folders: TypeAlias = tuple[tuple[str, int], ...]


def entry_points(group: str) -> tuple[EntryPoint, ...]:
    """As ``importlib.metadata.entry_points(group=…)``, without parsing those of all packages."""
    return _found(group, tuple((folder, _changed(folder)) for folder in sys.path))


def _changed(folder: str) -> int:
    """When something was last put into a folder, or taken out."""
    try:
        return Path(folder).stat().st_mtime_ns
    except OSError:
        return 0


@lru_cache
def _found(group: str, folders: _Folders) -> tuple[EntryPoint, ...]:
    """The first package of a name counts, as it does where it is imported."""
    del folders  # tells whether an earlier answer still holds
    packages: dict[str, tuple[EntryPoint, ...]] = {}
    for package in distributions():
        if f"[{group}]" in (package.read_text("entry_points.txt") or ""):
            name = package.name.lower().replace("-", "_").replace(".", "_")
            packages.setdefault(name, tuple(package.entry_points.select(group=group)))
    return tuple(entry for entries in packages.values() for entry in entries)
