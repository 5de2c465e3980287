"""Files opened below certain folders only, component by component."""

import os
from pathlib import Path

import pytest

from nstar._data import confined
from nstar._data.confined import descriptor, entries_of, only_below, open_binary
from nstar.errors import DataError

pytestmark = pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links need a privilege")


@pytest.fixture
def inside(tmp_path: Path) -> Path:
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x").write_bytes(b"secret")
    folder = tmp_path / "inside"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "x").write_bytes(b"public")
    (folder / "way").symlink_to("sub")
    (folder / "out").symlink_to(tmp_path / "outside")
    return folder


def test_links_within_the_folder_are_followed(inside: Path) -> None:
    with only_below([str(inside)]), open_binary(inside / "way" / "x") as file:
        assert file.read() == b"public"
    with only_below([str(inside)]), entries_of(str(inside)) as entries:
        assert sorted(entry.name for entry in entries) == ["out", "sub", "way"]


def test_links_out_of_the_folder_are_refused(inside: Path) -> None:
    with only_below([str(inside)]), pytest.raises(DataError, match="allowed folders"):
        open_binary(inside / "out" / "x")
    with only_below([str(inside)]), pytest.raises(DataError), entries_of(str(inside / "out")):
        pass
    with open_binary(inside / "out" / "x") as file:
        assert file.read() == b"secret"
    with pytest.raises(DataError):
        descriptor(str(inside / "out" / "x"), within=str(inside))


@pytest.mark.parametrize("name", ["sub/x", "sub"])
@pytest.mark.parametrize("by_parts", [True, False])
def test_a_component_replaced_after_the_check_is_refused(
    inside: Path, monkeypatch: pytest.MonkeyPatch, name: str, *, by_parts: bool
) -> None:
    real = os.path.realpath

    def swap(path: str) -> str:
        found = real(path)
        monkeypatch.setattr(os.path, "realpath", real)
        (inside / "sub").rename(inside / "gone")
        (inside / "sub").symlink_to(inside.parent / "outside")
        return found

    monkeypatch.setattr(os.path, "realpath", swap)
    monkeypatch.setattr(confined, "_BY_PARTS", by_parts)
    held = len(os.listdir("/proc/self/fd")) if Path("/proc/self/fd").exists() else None  # noqa: PTH208
    with only_below([str(inside)]), pytest.raises(DataError, match="was replaced while"):
        descriptor(str(inside / name))
    if held is not None:
        assert len(os.listdir("/proc/self/fd")) == held  # noqa: PTH208
