"""Run the program in a fork of a process that has already loaded its modules.

Starting Python and loading PyArrow takes longer than most tests in a process with limits.
One small process therefore loads the modules that ``nstar read`` needs. Each run is a fork of
this process. A fork has its own limits, memory, exit status, and output, like a new
``python -m nstar`` process.
"""

import gc
import json
import os
import resource
import runpy
import subprocess
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Ending", "Warm", "warm_program"]


@dataclass(frozen=True, slots=True)
class Ending:
    """How one run ended."""

    status: int
    output: str
    error: str
    cpu: float
    """CPU seconds of all threads."""
    peak: int
    """Peak memory in bytes."""


class Warm:
    """A process that waits for ``nstar`` arguments."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def run(self, arguments: list[str], folder: Path, *, space: int, seconds: int) -> Ending:
        """Run ``nstar`` with limits on address space (bytes) and CPU time (seconds).

        The output is stored in ``folder``. The folder must exist and must not be read as a log.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        names = [str(folder / "stdout"), str(folder / "stderr")]
        asked = [arguments, *names, space, seconds]
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        status, cpu, peak = json.loads(self._process.stdout.readline())
        output, error = (Path(name).read_text("utf-8", "replace") for name in names)
        return Ending(status, output, error, cpu, peak)


@contextmanager
def warm_program() -> Iterator[Warm]:
    """Start the process, and stop it when the context ends."""
    command = [sys.executable, __file__]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:  # noqa: S603
        yield Warm(process)
        assert process.stdin is not None
        process.stdin.close()


def _load() -> None:
    """Import the modules of ``read`` and ``gate``. Start no threads: forks lose threads."""
    import pyarrow.csv  # noqa: PLC0415
    import pyarrow.ipc  # noqa: PLC0415
    import pyarrow.parquet  # noqa: F401, PLC0415

    import nstar  # noqa: PLC0415
    from nstar.cli import main  # noqa: PLC0415

    for name in nstar.__all__:
        getattr(nstar, name)
    for name in ("read", "gate"):
        with suppress(SystemExit):
            main([name, "--help"], standalone_mode=False)


def _become(arguments: list[str], output: str, error: str, space: int, seconds: int) -> int:
    """Run the program in the fork and return its exit status."""
    new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    for target, name, mode in ((0, os.devnull, os.O_RDONLY), (1, output, new), (2, error, new)):
        source = os.open(name, mode, 0o600)
        os.dup2(source, target)
        os.close(source)
    resource.setrlimit(resource.RLIMIT_AS, (space, space))
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.argv = ["nstar", *arguments]
    status = 0
    try:
        runpy.run_module("nstar", run_name="__main__", alter_sys=True)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # like an uncaught exception in Python
        traceback.print_exc()
        status = 1
    sys.stdout.flush()
    sys.stderr.flush()
    return status


def _serve() -> None:
    with Path(os.devnull).open("w") as sink:
        answers, sys.stdout = sys.stdout, sink
        _load()
    sys.stdout = answers
    gc.freeze()
    for line in iter(sys.stdin.readline, ""):
        child = os.fork()
        if not child:
            os._exit(_become(*json.loads(line)))
        _, status, used = os.wait4(child, 0)
        code = os.waitstatus_to_exitcode(status)
        answers.write(json.dumps([code, used.ru_utime + used.ru_stime, used.ru_maxrss << 10]))
        answers.write("\n")
        answers.flush()


if __name__ == "__main__":
    _serve()
