"""Places and walks: what is opened, what is refused and how."""

import builtins
import os
import socket
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from nstar.errors import ReadError
from nstar.readers import ReaderOptions, scan
from nstar.readers import read as read_logs
from nstar.readers._files import Place, walk

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX files")
links = pytest.mark.skipif(
    sys.platform == "win32", reason="links to ../x lead nowhere on Windows, which needs ..\\x"
)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (
        "b/2.json",
        "b/1.json",
        "a.json",
        "c/d/3.json",
        ".git/x",
        "b/.hidden",
        "__pycache__/y",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path


def names(root: Path, *paths: str | Path, **options: Any) -> list[str]:
    found = walk(paths or [root], **options)
    return [Path(str(p)).relative_to(root).as_posix() for p in found]


# ---- places ----------------------------------------------------------------------------------


def test_parts_of_a_place() -> None:
    assert Place("a/b.json").name == "b.json"
    assert Place("a/b/").name == "b"
    assert Place("b.json").parent == "."
    assert Place("/b.json").parent == "/"
    assert str(Place("b.json").sibling("c.json")) == "c.json"
    assert str(Place("/b.json").sibling("c.json")) == "/c.json"
    assert (
        str(Place("a/b.json").sibling("./x/2023-01-01T10:00.json")) == "a/x/2023-01-01T10:00.json"
    )
    assert Place("hf://d/o/n/x.json", fs=1).parent == "hf://d/o/n"
    assert Place("https://h/d/x.json?token=1", fs=1).name == "x.json"
    assert str(Place("a\x1b\n\udcff")) == r"a\x1b\n\udcff"


@pytest.mark.parametrize("name", ["../x", "a/../../x", "/etc/passwd", "", "a\0b", "C:x", r"..\x"])
def test_siblings_stay_in_the_directory(name: str) -> None:
    with pytest.raises(ReadError, match="outside its folder"):
        Place("a/b.json").sibling(name)


def test_reading_a_place(tree: Path) -> None:
    place = Place(str(tree / "a.json"))
    assert place.exists()
    assert not place.is_dir()
    assert place.size() == 6
    assert place.head(3) == b"a.j"
    with place.open() as file:
        assert file.read() == b"a.json"
        assert file.seek(0) == 0
    assert [p.name for p in Place(str(tree)).list()] == ["a.json", "b", "c"]
    assert Place(str(tree)).is_dir()


@pytest.mark.parametrize("path", ["missing", "nul\0nul", "x" * 5000])
def test_places_that_are_not_there(tmp_path: Path, path: str) -> None:
    place = Place(f"{tmp_path}/{path}")
    assert not place.exists()
    assert not place.is_dir()
    assert place.size() is None
    readers: tuple[Callable[[], Any], ...] = (place.open, place.head, place.list)
    for read in readers:
        with pytest.raises(ReadError, match=r"no such file|Cannot read"):
            read()


@posix
def test_only_regular_files_are_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as server:
        here = Path.cwd()
        os.chdir(tmp_path)  # the path of a socket must be short
        try:
            server.bind("socket")
        finally:
            os.chdir(here)
        (tmp_path / "link").symlink_to("pipe")
        refused = [
            (tmp_path / "pipe", "named pipe. Save its output"),
            (tmp_path / "link", "named pipe"),
            (tmp_path / "socket", "a socket"),
            (tmp_path, "a folder"),
            (Path("/dev/null"), "a device"),
        ]
        for path, kind in refused:
            with pytest.raises(ReadError, match=kind):
                Place(str(path)).open()
    assert names(tmp_path) == []  # passed over when not named
    with pytest.raises(ReadError, match="named pipe"):
        names(tmp_path, tmp_path / "pipe")


@posix
def test_replaced_by_a_pipe_between_look_and_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "x"
    path.write_text("x")
    genuine = os.open

    def swapped(*args: Any) -> int:
        path.unlink()
        os.mkfifo(path)
        return genuine(*args)

    monkeypatch.setattr(os, "open", swapped)
    with pytest.raises(ReadError, match="named pipe"):
        Place(str(path)).open()


def test_permission_denied_names_the_mend(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    place = Place(str(tree / "a.json"))
    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(ReadError, match=r"a\.json: permission denied. Change its permissions"):
        place.open()
    monkeypatch.setattr(os, "scandir", denied)
    with pytest.raises(ReadError, match="permission denied"):
        names(tree)
    with pytest.raises(ReadError, match="permission denied"):
        Place(str(tree)).list()


# ---- walks -----------------------------------------------------------------------------------


def test_walk_is_sorted_and_leaves_hidden_things_out(tree: Path) -> None:
    assert names(tree) == ["a.json", "b/1.json", "b/2.json", "c/d/3.json"]
    assert names(tree, tree / "c", tree / "b" / ".hidden") == ["c/d/3.json", "b/.hidden"]


def test_walk_gives_each_file_once(tree: Path) -> None:
    assert names(tree, tree / "b", tree / "b" / "1.json", tree) == [
        "b/1.json",
        "b/2.json",
        "a.json",
        "c/d/3.json",
    ]


def test_paths_are_shown_as_given(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tree)
    assert list(map(str, walk(["./b", "a.json", "c/"]))) == [
        "./b/1.json",
        "./b/2.json",
        "a.json",
        "c/d/3.json",
    ]
    assert list(map(str, walk([f"file://{tree}/a.json"]))) == [f"{tree}/a.json"]


def test_patterns(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert names(tree, tree / "*.json") == ["a.json"]
    assert names(tree, tree / "**" / "*.json") == names(tree)
    assert names(tree, tree / "b" / "*") == ["b/1.json", "b/2.json"]
    assert names(tree, tree / "b" / ".h*") == ["b/.hidden"]
    with pytest.raises(ReadError, match="no file matches"):
        names(tree, tree / "*.eval")
    monkeypatch.chdir(tree)
    assert [Path(str(p)).as_posix() for p in walk(["*/1.json"])] == ["b/1.json"]
    star = tree / "*"
    if os.name == "posix":
        star.write_text("a file of that name")
        assert names(tree, star) == ["*"]


@posix
def test_links_are_followed_once(tree: Path) -> None:
    (tree / "b" / "up").symlink_to(tree)
    (tree / "b" / "self").symlink_to("self")
    (tree / "b" / "nowhere").symlink_to("missing")
    (tree / "b" / "z.json").symlink_to(tree / "a.json")
    (tree / "e").symlink_to(tree / "c")
    assert names(tree) == ["a.json", "b/1.json", "b/2.json", "b/z.json", "c/d/3.json"]
    assert "b/1.json" in names(tree, tree / "**" / "*.json")


def test_walk_refuses_what_is_not_there(tree: Path) -> None:
    with pytest.raises(ReadError, match=r"a\.jsn: no such file or folder. Did you mean .*a\.json"):
        names(tree, tree / "a.jsn")
    with pytest.raises(ReadError, match="Check the spelling"):
        names(tree, tree / "entirely" / "different")
    for nothing in ("", "-"):
        with pytest.raises(ReadError, match="Save standard input to a file first"):
            list(walk([nothing]))
    with pytest.raises(ReadError, match="Cannot read"):
        list(walk(["x\0y"]))


def test_cap_on_files(tree: Path) -> None:
    assert len(names(tree, cap=4)) == 4
    with pytest.raises(ReadError, match="more than 3 files"):
        names(tree, cap=3)


def test_many_files_are_walked_fast(tmp_path: Path) -> None:
    for folder in range(10):
        (tmp_path / str(folder)).mkdir()
        for number in range(500):
            (tmp_path / str(folder) / f"{number}.json").touch()
    start = time.process_time()
    assert len(names(tmp_path)) == 5000
    assert time.process_time() - start < 3


# ---- addresses -------------------------------------------------------------------------------


@pytest.fixture
def memory() -> Iterator[Any]:
    fsspec = pytest.importorskip("fsspec")
    fs = fsspec.filesystem("memory")
    for name in ("/runs/b.json", "/runs/a.json", "/runs/sub/c.json", "/runs/.h/d.json"):
        fs.pipe(name, name.encode())
    yield fs
    fs.rm("/runs", recursive=True)


def test_remote_files(memory: Any) -> None:
    found = list(walk(["memory://runs"]))
    assert [p.name for p in found] == ["a.json", "b.json", "c.json"]
    place = found[0]
    assert str(place).startswith("memory://")
    assert place.exists()
    assert place.head(5) == b"/runs"
    assert place.size() == 12
    with place.open() as file:
        assert file.read() == b"/runs/a.json"
    assert place.sibling("sub/c.json").head() == b"/runs/sub/c.json"
    assert not place.sibling("none.json").exists()
    assert [p.name for p in Place("memory://runs", memory).list()] == ["a.json", "b.json", "sub"]
    assert [p.name for p in walk(["memory://runs/b.json"])] == ["b.json"]
    assert [p.name for p in walk(["memory://runs/*.json"])] == ["a.json", "b.json"]


def test_remote_troubles(memory: Any) -> None:
    with pytest.raises(ReadError, match="memory://none: no file at this address"):
        list(walk(["memory://none"]))
    with pytest.raises(ReadError, match=r"memory://runs/x\.json: no such file"):
        Place("memory://runs/x.json", memory).open()
    with pytest.raises(ReadError, match=r"Cannot reach|needs more packages"):
        list(walk(["nosuchprotocol://x"]))


class Faulty:
    """A file system that fails in its own way."""

    def __getattr__(self, name: str) -> Any:
        def fail(*_: Any, **__: Any) -> Any:
            msg = f"{name} \x1b[31m failed"
            raise LookupError(msg)

        return fail


def test_remote_errors_of_any_kind_are_read_errors() -> None:
    place = Place("odd://x/y.json", Faulty())
    assert not place.exists()
    assert not place.is_dir()
    assert place.size() is None
    readers: tuple[Callable[[], Any], ...] = (place.open, place.head, place.list)
    for read in readers:
        with pytest.raises(ReadError, match=r"Cannot read odd://x/y\.json: .*failed") as caught:
            read()
        assert str(caught.value).isprintable()


def test_web_address_of_a_file_is_not_asked_for_a_list() -> None:
    pytest.importorskip("fsspec")
    pytest.importorskip("aiohttp")
    (place,) = walk(["https://example.invalid/x.jsonl"])
    assert place.name == "x.jsonl"


def test_address_without_fsspec_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = builtins.__import__

    def without(name: str, *args: Any, **more: Any) -> Any:
        if name.startswith("fsspec"):
            msg = "No module named 'fsspec'"
            raise ImportError(msg)
        return genuine(name, *args, **more)

    for name in [n for n in sys.modules if n.startswith("fsspec")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ReadError, match=r'pip install "nstar\[hub\]"'):
        list(walk(["hf://datasets/o/n"]))


def _linked(tmp_path: Path) -> Path:
    """A folder with a log, beside one with a secret that links in it lead to."""
    own, secret = tmp_path / "own", tmp_path / "secret"
    for folder, model in ((own, "mine"), (secret, "theirs")):
        folder.mkdir()
        (folder / f"{model}.csv").write_text(f"model,item,score\n{model},1,1\n{model},2,0\n")
    (own / "more").symlink_to("../secret", target_is_directory=True)
    (own / "one.csv").symlink_to(secret / "theirs.csv")
    (own / "deep").mkdir()
    (own / "deep" / "again").symlink_to("..", target_is_directory=True)
    (own / "deep" / "same.csv").symlink_to("../mine.csv")
    return own


@links
def test_links_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    own = _linked(tmp_path)
    told: list[str] = []
    found = [p.path.removeprefix(f"{own}/") for p in walk([own], outside=told.append)]
    assert found == ["deep/same.csv", "mine.csv"]
    secret = tmp_path / "secret"
    assert told == [f"{own}/more -> {secret}", f"{own}/one.csv -> {secret}/theirs.csv"]
    found = [p.path.removeprefix(f"{own}/") for p in walk([own], links=True)]
    assert found == ["deep/same.csv", "mine.csv", "more/theirs.csv", "one.csv"]


@links
def test_a_link_that_the_user_names_is_followed(tmp_path: Path) -> None:
    own = _linked(tmp_path)
    assert [p.name for p in walk([own / "more"])] == ["theirs.csv"]
    assert [p.name for p in walk([own / "one.csv"])] == ["one.csv"]
    assert [p.name for p in walk([f"{own}/*.csv"])] == ["mine.csv", "one.csv"]
    (tmp_path / "link").symlink_to(own)
    assert len(list(walk([tmp_path / "link"]))) == 2


@links
def test_no_log_leads_to_a_linked_file_elsewhere(tmp_path: Path) -> None:
    own = _linked(tmp_path)
    for log in (next(iter(walk([own / "mine.csv"]))), list(walk([own]))[-1]):
        assert log.name == "mine.csv"
        assert not log.sibling("one.csv").exists()
        assert not log.sibling("more/theirs.csv").exists()
        with pytest.raises(ReadError, match=r"one\.csv: this link points outside its folder"):
            log.sibling("one.csv").open()
    log = next(iter(walk([own / "mine.csv"], links=True)))
    assert log.sibling("one.csv").exists()


@links
def test_links_that_are_not_followed_are_told_of(tmp_path: Path) -> None:
    own = _linked(tmp_path)
    journal = scan(own).journal
    (note,) = [n for n in journal.notes if "follow_links" in n]
    assert note.startswith("Not followed: 2 links that lead out of the folder: ")
    assert f"{own}/more -> {tmp_path}/secret" in note
    assert len(read_logs(own, ReaderOptions(follow_links=True)).data) == 8
    (tmp_path / "bare").mkdir()
    (tmp_path / "bare" / "x").symlink_to(own)
    with pytest.raises(ReadError, match=r"no results found.*1 link that leads out"):
        scan(tmp_path / "bare")
