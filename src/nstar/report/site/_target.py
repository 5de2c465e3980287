"""Output folder of a site: writes only changes, completely or not at all, and only own files."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Self

from nstar._data.export.files import UNFINISHED, NewFile, subdirectory, sweep
from nstar.errors import DataError, ParameterError
from nstar.report.site._card import checked_address
from nstar.report.site._json import parsed, text
from nstar.report.site._names import is_slug

INDEX = "index.json"
SCHEMA = "nstar.site/1"
_MAX_FILE_BYTES = 1 << 24
_NEUTRAL = {".git", ".gitattributes", ".nojekyll", "CNAME", "README.md"}
"""What a new folder may hold: that of a repository that is published."""
_OURS = re.compile(
    r"(?:index|compare|embed)\.html|(?:badge|ladder|ladder-narrow|ladder-small)\.svg|share\.png"
    r"|(?:audit|battles|history|models)\.json|feed\.xml|(?:models|ranks|items)-[0-9a-f]{12}\.bin"
    r"|m/[a-z0-9-]+\.html|(?:rows|answers)-[0-9a-f]{12}/[a-z0-9-]+\.bin|ranks-[0-9a-f]{12}/\d+\.json"
    r"|(?:m/|(?:rows|answers|ranks)-[0-9a-f]{12}/)?\.nstar-[0-9a-f]{16}"
)
"""Files of a benchmark that a build may remove, and what is left of one that was stopped."""
_FOLDERS = re.compile(r"m|(?:rows|answers|ranks)-[0-9a-f]{12}")
"""Folders that it may remove once they are empty."""


@dataclass(slots=True, kw_only=True)
class SiteFolder:
    """A folder with a site, or one for it."""

    root: Path
    index: dict[str, Any] = field(init=False)
    """What ``index.json`` says: ``title`` and ``benchmarks``."""
    removed: int = 0
    """Files of an earlier build that are no longer wanted."""
    _made: set[str] = field(default_factory=set)
    _wanted: set[str] = field(default_factory=set)
    _changed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.index = self._found()

    def __enter__(self) -> Self:
        """Begin to write."""
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Leave nothing half written, even if stopped while a file was opened."""
        if kind is not None:
            for folder in self._made:
                for path in (self.root / folder).glob(UNFINISHED):
                    path.unlink(missing_ok=True)

    @property
    def written(self) -> int:
        """Files that are new or other than before."""
        return len(self._changed)

    @property
    def kept(self) -> int:
        """Files that were as they should be."""
        return len(self._wanted) - len(self._changed)

    @property
    def title(self) -> str | None:
        """Name of the site that is there."""
        title = self.index.get("title")
        return title if isinstance(title, str) and title.strip() else None

    @property
    def url(self) -> str | None:
        """Where the site that is there stands, as it was told."""
        url = self.index.get("address")
        try:
            return checked_address(url) if isinstance(url, str) else None
        except ParameterError:
            return None

    def begin(self) -> None:
        """Mark a new folder as ours, so that a build that was stopped can go on."""
        self.write(".nojekyll", b"")
        if not (self.root / INDEX).exists():
            header = {"schema": SCHEMA, "benchmarks": []}
            self.write(INDEX, text(header))

    def _found(self) -> dict[str, Any]:
        """The index of a site that is there; an empty one for a new folder."""
        try:
            names = sorted(p.name for p in self.root.iterdir()) if self.root.exists() else []
            others = [n for n in names if n not in _NEUTRAL and not fnmatchcase(n, UNFINISHED)]
            index = self._index() if INDEX in names else None
        except OSError as error:
            msg = f"Cannot create or read {self.root}: {error.strerror or error}."
            raise DataError(msg) from error
        if not others:
            return {"benchmarks": []}
        if index is None:
            name = INDEX if INDEX in names else others[0]
            msg = (
                f"{self.root} is not empty (contains {name}) and is not a site of nstar. Choose a "
                "new folder."
            )
            raise DataError(msg)
        header = {key: index.get(key) for key in ("title", "address")}
        return {**header, "benchmarks": list(self._known(index))}

    def _index(self) -> dict[str, Any] | None:
        """``index.json``, if it is that of a site."""
        path = self.root / INDEX
        if path.is_symlink() or path.stat().st_size > _MAX_FILE_BYTES:
            return None
        try:
            index = parsed(path.read_bytes())
        except (ValueError, RecursionError):
            return None
        return index if isinstance(index, dict) and index.get("schema") == SCHEMA else None

    def _known(self, index: dict[str, Any]) -> Iterable[dict[str, Any]]:
        """Benchmarks whose folders are still there."""
        entries = index.get("benchmarks")
        for entry in entries if isinstance(entries, list) else ():
            slug = entry.get("slug") if isinstance(entry, dict) else None
            if isinstance(slug, str) and is_slug(slug):
                page = self.root / "b" / slug / "index.html"
                if page.is_file() and isinstance(entry.get("name"), str):
                    yield entry

    def write(self, place: str, content: bytes) -> None:
        """A file below the folder, unless it is there already."""
        folder, _, name = place.rpartition("/")
        if folder not in self._made:
            sweep(subdirectory(self.root, *folder.split("/") if folder else ()))
            self._made.add(folder)
        self._wanted.add(place)
        path = self.root / place
        if self._same(path, content):
            return
        with NewFile(path.parent) as file:
            file.write(content)
            file.keep(name)
        self._changed.add(place)

    @staticmethod
    def _same(path: Path, content: bytes) -> bool:
        try:
            regular = path.is_file() and not path.is_symlink()
            return regular and path.stat().st_size == len(content) and path.read_bytes() == content
        except OSError:
            return False

    def tidy(self, folder: str) -> None:
        """Remove what an earlier build left in a benchmark; files that are not ours stay."""
        root = self.root / folder
        for path in sorted(root.rglob("*"), reverse=True):
            place = path.relative_to(root).as_posix()
            try:
                if path.is_dir() and not path.is_symlink():
                    if _FOLDERS.fullmatch(place) and not any(path.iterdir()):
                        path.rmdir()
                elif _OURS.fullmatch(place) and f"{folder}/{place}" not in self._wanted:
                    path.unlink()
                    self.removed += 1
            except OSError as error:
                msg = f"Cannot remove {path}: {error.strerror or error}."
                raise DataError(msg) from error
