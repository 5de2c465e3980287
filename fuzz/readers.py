"""Coverage-guided fuzzing of every reader: only an NstarError may come out.

    pip install atheris
    python fuzz/readers.py --reader lm_eval --seconds 60
    python fuzz/readers.py --seconds 20            every reader in turn

The committed fixtures are copied aside; one file of them at a time is replaced by mutated bytes
and its folder read again, with its companions as they were. A crash leaves its bytes beside this
file; once mended it becomes a test in tests/unit/readers.
"""

# ruff: noqa: T201
import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

import atheris

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "src"))

with atheris.instrument_imports(include=["nstar"]):
    from nstar._data.align import matrices
    from nstar._verbs.data_summary import coverage
    from nstar.errors import NstarError
    from nstar.readers import ReaderOptions, readers, scan
    from nstar.readers._files import Place
    from nstar.readers._votes._layout import VoteSelection
    from nstar.readers._votes._read import read_votes

    READERS = {reader.name: reader for reader in readers()}

FIXTURES = ROOT / "tests" / "fixtures"
LARGEST = 1 << 17
MOST = 256


class Target:
    """One reader, and copies of the files that it knows."""

    def __init__(self, name: str) -> None:
        self.options = ReaderOptions(reader=name, skip_bad=3)
        self.votes = name == "arena"
        home = Path(tempfile.mkdtemp()) / "fixtures"
        shutil.copytree(FIXTURES, home)
        files = sorted(p for p in home.rglob("*") if p.is_file() and p.stat().st_size < LARGEST)
        known = [p for p in files if READERS[name].sniff(Place(str(p)), Place(str(p)).head())]
        self.files = (known or files)[:MOST]
        self.whole = [p.read_bytes() for p in self.files]

    def __call__(self, data: bytes) -> None:
        """Read the folder of one file whose bytes are these."""
        if not data:
            return
        k = data[0] % len(self.files)
        path = self.files[k]
        path.write_bytes(data[1:])
        try:
            if self.votes:
                read_votes(str(path), self.options, VoteSelection(groups=("turn",)))
            scanned = scan(str(path.parent), self.options)
            found = matrices(scanned.batches)
            coverage(found, scanned.journal.sources, notes=scanned.journal.notes)
        except NstarError:
            pass
        finally:
            path.write_bytes(self.whole[k])


def worker(name: str, seconds: int) -> None:
    """Fuzz one reader; libFuzzer ends the process."""
    corpus = Path(tempfile.mkdtemp())
    target = Target(name)
    for k, data in enumerate(target.whole):
        (corpus / f"{k:04d}").write_bytes(bytes([k]) + data)
    arguments = [
        sys.argv[0],
        f"-max_total_time={seconds}",
        f"-max_len={LARGEST}",
        "-rss_limit_mb=4096",
        "-timeout=20",
        "-print_final_stats=1",
        f"-artifact_prefix={ROOT}/fuzz/crash-{name}-",
        str(corpus),
    ]
    atheris.Setup(arguments, target)
    atheris.Fuzz()


def apart(name: str, seconds: int) -> tuple[int, list[str]]:
    """Fuzz one reader in a copy of this process: its exit status and what it printed."""
    with tempfile.TemporaryFile("w+", errors="replace") as said:
        if not (pid := os.fork()):
            for stream in (1, 2):
                os.dup2(said.fileno(), stream)
            worker(name, seconds)
        _, status = os.waitpid(pid, 0)
        said.seek(0)
        return os.waitstatus_to_exitcode(status), said.read().splitlines()


def everyone(seconds: int) -> int:
    """Each reader in a process of its own; the number of those that crashed."""
    crashed = 0
    for name in READERS:
        status, lines = apart(name, seconds)
        runs = next((s.split(":")[-1].strip() for s in lines if "number_of_executed" in s), "?")
        word = "ok" if status == 0 else "CRASHED"
        print(f"{name:>16} {runs:>9} executions  {word}", flush=True)
        if status:
            crashed += 1
            print("\n".join(lines[-40:]), flush=True)
    return crashed


def main() -> None:
    """As the first lines of this file say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reader", choices=READERS)
    parser.add_argument("--seconds", type=int, default=30)
    given = parser.parse_args()
    if given.reader:
        worker(given.reader, given.seconds)
    elif everyone(given.seconds):
        sys.exit(1)


if __name__ == "__main__":
    main()
