"""Entry points are found as importlib finds them."""

import importlib.metadata
import sys
from pathlib import Path

import pytest

from nstar._base.plugins import entry_points


def install(folder: Path, name: str, text: str) -> None:
    """A package's metadata in a folder."""
    info = folder / f"{name}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(text, "utf-8")


@pytest.mark.parametrize("group", ["console_scripts", "pytest11", "nstar.readers", "nobody.s"])
def test_as_importlib_has_them(group: str) -> None:
    theirs = importlib.metadata.entry_points(group=group)
    assert sorted(entry_points(group)) == sorted(theirs)


def test_the_first_package_of_a_name_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not entry_points("a.group")
    for folder, value in (("first", "here"), ("second", "there")):
        install(tmp_path / folder, "A-name", f"[a.group]\nx = {value}:X\n")
    install(tmp_path / "second", "other", "[b.group]\ny = b:Y\n\n[a.group]\nz = c:Z\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "first"), str(tmp_path / "second")])
    assert [e.value for e in entry_points("a.group")] == ["here:X", "c:Z"]


def test_what_is_installed_meanwhile_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(tmp_path)
    assert not entry_points("late.group")
    install(tmp_path, "late", "[late.group]\nx = a:X\n")
    assert [e.name for e in entry_points("late.group")] == ["x"]
