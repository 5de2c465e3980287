"""Logs as strangers send them: each case is made in a folder and read by the real program."""

import json
import os
import resource
import shutil
import socket
import struct
import subprocess
import sys
import threading
import time
import zipfile
import zlib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["CASES", "MEMORY", "SECONDS", "Case", "Outcome", "run"]

MEMORY = 3 << 30
"""Address space that reading may take, bytes; pyarrow alone reserves a good part."""

SECONDS = 60
"""CPU seconds that reading may take; ten times as long on the clock, for busy machines."""


@dataclass(frozen=True, slots=True)
class Case:
    """One kind of trouble."""

    name: str
    make: Callable[[Path], list[str]]
    """Writes into an empty folder and gives the arguments of ``nstar read``."""
    status: int
    """Exit status wanted."""
    says: str
    """A part of what must be printed."""
    light: Callable[[Path], list[str]] | None = None
    """The same trouble in less, where making all of it takes long."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What the program did."""

    status: int
    output: str
    error: str
    seconds: float


ROW = {"model": "a", "item": "q", "score": 1}
GOOD = "".join(json.dumps(ROW | {"item": f"q{k}"}) + "\n" for k in range(3))


def _file(name: str, data: str | bytes, *options: str) -> Callable[[Path], list[str]]:
    def make(folder: Path) -> list[str]:
        (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
        return [str(folder / name), *options]

    return make


def _score(value: str) -> str:
    return GOOD + f'{{"model": "a", "item": "q9", "score": {value}}}\n'


def _long_line(folder: Path) -> list[str]:
    path = folder / "long.jsonl"
    with path.open("wb") as file:
        file.write(GOOD.encode() + b'{"model": "')
        file.seek(2 << 30)  # a hole: two gigabytes without a newline, no disk
        file.write(b'"}\n')
    return [str(path)]


def _deep(folder: Path) -> list[str]:
    path = folder / "deep.jsonl"
    path.write_text(GOOD + '{"model": "a", "item": ' + "[" * 200_000 + "]" * 200_000 + "}\n")
    return [str(path)]


def _member(name: str, packed: bytes, size: int, method: int) -> bytes:
    """A zip of one member whose sizes are as we say."""
    head = struct.pack("<HHHHHIII", 20, 0, method, 0, 0, 0, len(packed), size)
    raw = name.encode()
    local = b"PK\3\4" + head + struct.pack("<HH", len(raw), 0) + raw + packed
    tail = struct.pack("<HHHHHII", len(raw), 0, 0, 0, 0, 0, 0)
    central = b"PK\1\2" + struct.pack("<H", 20) + head + tail + raw
    end = struct.pack("<HHHHIIH", 0, 0, 1, 1, len(central), len(local), 0)
    return local + central + b"PK\5\6" + end


def _bomb(folder: Path) -> list[str]:
    press = zlib.compressobj(9, zlib.DEFLATED, -15)
    zeros = press.compress(b"0" * (1 << 20)) + press.flush(zlib.Z_FULL_FLUSH)
    packed = zeros * 3072 + press.flush()
    path = folder / "bomb.eval"
    path.write_bytes(_member("header.json", packed, 3072 << 20, 8))
    return [str(path)]


def _lying_bomb(folder: Path, mebi: int = 256) -> list[str]:
    press = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = press.compress(b" " * (mebi << 20)) + press.flush()
    path = folder / "lying.eval"
    path.write_bytes(_member("header.json", packed, 100, 8))
    return [str(path)]


def _climbing_names(folder: Path) -> list[str]:
    log = sorted((Path(__file__).parents[1] / "fixtures" / "inspect").rglob("*.eval"))[0]
    path = folder / "below" / "climb.eval"
    path.parent.mkdir()
    shutil.copy(log, path)
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../evil.json", "[]")
        archive.writestr(f"{folder}/evil.json", "[]")
    return [str(path)]


def _loop(folder: Path) -> list[str]:
    (folder / "good.jsonl").write_text(GOOD)
    (folder / "again").symlink_to(folder, target_is_directory=True)
    return [str(folder)]


def _many(folder: Path, folders: int = 100) -> list[str]:
    (folder / "good.jsonl").write_text(GOOD)
    for k in range(folders):
        below = folder / f"{k:02d}"
        below.mkdir()
        for n in range(1000):
            os.close(os.open(below / f"{n:03d}.txt", os.O_CREAT | os.O_WRONLY))
    return [str(folder)]


def _fifo(folder: Path) -> list[str]:
    os.mkfifo(folder / "pipe.jsonl")
    return [str(folder / "pipe.jsonl")]


def _socket(folder: Path) -> list[str]:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "s.jsonl"))
    return [str(folder / "s.jsonl")]


def _forbidden(folder: Path) -> list[str]:
    path = folder / "secret.jsonl"
    path.write_text(GOOD)
    path.chmod(0)
    return [str(path)]


def _is_read(path: Path) -> bool:
    """Whether some process is some megabytes into a file."""
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        with suppress(OSError):
            if link.readlink() == path:
                told = (link.parents[1] / "fdinfo" / link.name).read_text()
                if int(told.split()[1]) > 4 << 20:
                    return True
    return False


def _rewritten(folder: Path) -> list[str]:
    """A large file that another program empties soon after reading has begun."""
    path = folder / "moving.jsonl"
    with path.open("w") as file:
        for k in range(3_000_000):
            file.write(f'{{"model": "a", "item": "q{k}", "score": 1}}\n')

    def spoil() -> None:
        end = time.monotonic() + 10 * SECONDS
        while not _is_read(path) and time.monotonic() < end:
            time.sleep(0.02)
        path.write_text(GOOD)

    threading.Thread(target=spoil, daemon=True).start()
    return [str(path)]


TRUNCATED = GOOD + '{"model": "a", "item": "q9", "sc'
CASES = (
    Case("truncated JSON line", _file("cut.jsonl", TRUNCATED), 3, "cut.jsonl:4"),
    Case("… tolerated", _file("cut.jsonl", TRUNCATED, "--skip-bad", "1"), 0, "skipped"),
    Case("UTF-16", _file("wide.jsonl", GOOD.encode("utf-16")), 3, "UTF-16"),
    Case("Latin-1", _file("latin.csv", b"model,item,score\ncaf\xe9,1,1\n"), 3, ""),
    Case("NaN score", _file("nan.jsonl", _score("NaN")), 0, "3 items"),
    Case("infinite score", _file("inf.jsonl", _score("-Infinity")), 3, "inf.jsonl:4"),
    Case("score 1e999", _file("big.jsonl", _score("1e999")), 3, "big.jsonl:4"),
    Case(
        "booleans as strings",
        _file("bool.csv", "model,item,score\na,1,True\na,2,no\n"),
        0,
        "2 items",
    ),
    Case("score that is not a number", _file("word.jsonl", _score('"good"')), 3, "word.jsonl:4"),
    Case("line of 2 GB", _long_line, 3, "long.jsonl:4"),
    Case("200,000 levels deep", _deep, 3, "deep.jsonl:4"),
    Case("zip bomb, 3 GB", _bomb, 3, "bomb.eval"),
    Case(
        "zip that lies about sizes",
        _lying_bomb,
        3,
        "lying.eval",
        lambda folder: _lying_bomb(folder, 66),
    ),
    Case("absolute and .. names in a zip", _climbing_names, 0, "1 model"),
    Case("symlink loop", _loop, 0, "3 items"),
    Case("100,000 other files", _many, 0, "3 items", lambda folder: _many(folder, 5)),
    Case(
        "duplicate ids",
        _file("twice.jsonl", GOOD + GOOD.replace("1}", "0}")),
        1,
        "conflict with another row for the same model, item, and run",
    ),
    Case("empty file", _file("empty.jsonl", ""), 3, "is empty"),
    Case("FIFO", _fifo, 3, "pipe.jsonl"),
    Case("socket", _socket, 3, "s.jsonl"),
    Case("no permission", _forbidden, 3, "secret.jsonl"),
    Case("file emptied while it is read", _rewritten, 3, "changed"),
    Case("no such file", lambda folder: [str(folder / "gone.jsonl")], 3, "gone.jsonl"),
    Case(
        "binary rubbish",
        _file("rubbish.parquet", b"PAR1" + bytes(range(64)) + b"PAR1"),
        3,
        "rubbish",
    ),
)


def _limited() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _powerless() -> list[str]:
    """A prefix under which even root may not read what file modes forbid."""
    tool = shutil.which("setpriv")
    if os.geteuid() or tool is None:
        return []
    drop = "-dac_override,-dac_read_search"
    return [tool, "--bounding-set", drop, "--inh-caps", drop]


def run(case: Case, folder: Path) -> Outcome:
    """Read what the case makes, within the limits of memory and time."""
    arguments = case.make(folder)
    command = [*_powerless(), sys.executable, "-m", "nstar", "read", *arguments]
    began = time.monotonic()
    done = subprocess.run(  # noqa: S603
        command,
        capture_output=True,
        text=True,
        timeout=10 * SECONDS,
        check=False,
        preexec_fn=_limited,
    )
    return Outcome(done.returncode, done.stdout, done.stderr, time.monotonic() - began)
