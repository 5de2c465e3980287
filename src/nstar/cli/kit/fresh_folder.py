"""A folder that gets all of its files or none, and never any beside somebody else's."""

import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_BEGUN = ".nstar-begun"
"""Where files are until all are there; what a killed run left of it is deleted."""


def refuse_filled(folder: Path) -> None:
    """Raise if there is anything in the folder, or no folder can be there."""
    from nstar.errors import DataError

    msg = ""
    try:
        if any(entry.name != _BEGUN for entry in folder.iterdir()):
            msg = f"{folder} is not empty; name a folder that is new or empty"
    except FileNotFoundError:
        return
    except NotADirectoryError:
        msg = f"{folder} is a file; name a folder that is new or empty"
    except OSError as error:
        msg = f"{folder}: cannot be looked into: {error.strerror or error}"
    if msg:
        raise DataError(msg)


def fill(folder: Path, files: Iterable[tuple[str, bytes]]) -> None:
    """Write the files, named with ``/`` below the folder."""
    from nstar.errors import DataError

    refuse_filled(folder)
    try:
        with _begun(folder) as begun:
            for name, content in files:
                path = begun.joinpath(*name.split("/"))
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content)
            _settle(begun, folder)
    except OSError as error:
        msg = f"{folder}: cannot be written: {error.strerror or error}"
        raise DataError(msg) from error


@contextmanager
def _begun(folder: Path) -> Iterator[Path]:
    """A folder inside, gone in the end; so is the one around it if nothing came of it."""
    begun = folder / _BEGUN
    there = folder.exists()
    shutil.rmtree(begun, ignore_errors=True)
    begun.mkdir(parents=True)
    try:
        yield begun
    finally:
        shutil.rmtree(begun, ignore_errors=True)
        if not there:
            with suppress(OSError):
                folder.rmdir()


def _settle(begun: Path, folder: Path) -> None:
    """Move everything up; after a Ctrl-C in between, take back what was moved."""
    names = sorted(entry.name for entry in begun.iterdir())
    try:
        for name in names:
            (begun / name).rename(folder / name)
    except BaseException:
        for name in names:
            path = folder / name
            shutil.rmtree(path, ignore_errors=True)
            with suppress(OSError):
                path.unlink()
        raise
