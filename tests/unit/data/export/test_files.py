"""New files: whole or not at all, and nothing of a killed run stays beside them."""

import subprocess
import sys
from pathlib import Path

import pytest

from nstar._data.export import files
from nstar._data.export.files import NewFile, write_whole

_BEGUN = """
import sys
from pathlib import Path
from nstar._data.export.files import NewFile
with NewFile(Path(sys.argv[1])) as file:
    file.write(b"half")
    file.stream.flush()
    print("begun", flush=True)
    sys.stdin.read()
    file.keep("whole")
"""


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("kill", [True, False])
def test_files_of_a_killed_run_go_and_those_of_a_running_one_stay(
    tmp_path: Path, kill: bool
) -> None:
    (tmp_path / ".nstar-notes").write_text("of somebody else")
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", _BEGUN, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "begun\n"
        if kill:
            other.kill()
            other.wait()
        write_whole(tmp_path / "mine", b"mine")
        assert len(names(tmp_path)) == (2 if kill else 3)
        other.communicate("")
    assert names(tmp_path) == [".nstar-notes", "mine", *([] if kill else ["whole"])]


def test_a_file_deleted_before_it_is_held_is_begun_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process takes it for abandoned just after it was made."""
    hold = files._hold
    held: list[bool] = []

    def late(path: Path, file: object) -> bool:
        if not held:
            path.unlink()
        held.append(hold(path, file))  # type: ignore[arg-type]
        return held[-1]

    monkeypatch.setattr(files, "_hold", late)
    with NewFile(tmp_path) as file:
        file.write(b"all")
        file.keep("whole")
    assert held == [False, True]
    assert (tmp_path / "whole").read_bytes() == b"all"
