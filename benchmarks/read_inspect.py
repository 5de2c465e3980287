"""An Inspect log into a table of scores, against Inspect's own readers.

Each side runs in a process of its own, in turns: seconds of the whole process and of the
reading alone, without imports, by the clock and of the CPU. ``bare`` is the least that could do:
the summaries unzipped and decoded into the needed fields, and nothing made of them.

    python benchmarks/read_inspect.py LOG --repeat 5
    python benchmarks/read_inspect.py LOG --theirs venv/bin/python    where inspect-ai lives

``samples_df`` needs pandas and pyarrow beside inspect-ai.
"""

# mypy: disable-error-code="import-not-found"
# ruff: noqa: D103, S603, T201, PLC0415
import argparse
import io
import json
import os
import resource
import statistics
import struct
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

SRC = Path(__file__).parents[1] / "src"


def nstar(log: str) -> Callable[[], int]:
    from turns import load_readers

    from nstar.readers import read

    load_readers()
    return lambda: len(read(log))


def bare(log: str) -> Callable[[], int]:
    import msgspec
    import pyarrow as pa

    from nstar.readers.inspect_ai._log import LogSample

    class Log(msgspec.Struct):
        samples: list[LogSample]

    def run() -> int:
        if log.endswith(".json"):
            return len(msgspec.json.decode(Path(log).read_bytes(), type=Log).samples)
        with zipfile.ZipFile(log) as archive, Path(log).open("rb") as file:
            info = archive.getinfo("summaries.json")
            file.seek(info.header_offset + 26)
            file.seek(sum(struct.unpack("<HH", file.read(4))), io.SEEK_CUR)
            packed = file.read(info.compress_size)
            codec = "zstd" if info.compress_type == 93 else None
            if codec is None:
                packed = archive.read(info)
        text = pa.input_stream(pa.py_buffer(packed), compression=codec).read()
        return len(msgspec.json.decode(text, type=list[LogSample]))

    return run


def summaries(log: str) -> Callable[[], int]:
    from inspect_ai.log import read_eval_log_sample_summaries

    return lambda: len(read_eval_log_sample_summaries(log))


def whole_log(log: str) -> Callable[[], int]:
    from inspect_ai.log import read_eval_log

    return lambda: len(read_eval_log(log).samples or [])


def frame(log: str) -> Callable[[], int]:
    from inspect_ai.analysis import samples_df

    return lambda: len(samples_df(log, quiet=True))


SIDES = {
    "nstar": nstar,
    "bare msgspec": bare,
    "read_eval_log_sample_summaries": summaries,
    "read_eval_log": whole_log,
    "samples_df": frame,
}
CLOCKS = ("wall", "read", "cpu", "cpu read")
OURS = ("nstar", "bare msgspec")


def worker(log: str, side: str) -> None:
    run = SIDES[side](log)
    start, busy = time.perf_counter(), time.process_time()
    rows = run()
    read, cpu_read = time.perf_counter() - start, time.process_time() - busy
    mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    cpu = time.process_time()
    print(json.dumps({"rows": rows, "read": read, "cpu": cpu, "cpu read": cpu_read, "mb": mb}))


def spend(python: str, log: str, side: str) -> dict[str, Any] | str:
    """Figures of one process, or why there are none."""
    env = {**os.environ, "PYTHONPATH": str(SRC)}
    command = [python, __file__, log, "--side", side]
    start = time.perf_counter()
    done = subprocess.run(command, check=False, capture_output=True, text=True, env=env)
    wall = time.perf_counter() - start
    if done.returncode:
        return (done.stderr.strip().splitlines() or ["failed"])[-1][:80]
    return {"wall": wall, **json.loads(done.stdout.splitlines()[-1])}


def measure(log: str, repeat: int, theirs: str) -> None:
    taken: dict[str, list[dict[str, Any]]] = {side: [] for side in SIDES}
    failed: dict[str, str] = {}
    for _ in range(repeat):
        for side, results in taken.items():
            if side in failed:
                continue
            result = spend(sys.executable if side in OURS else theirs, log, side)
            if isinstance(result, str):
                failed[side] = result
            else:
                results.append(result)
    print(f"{Path(log).stat().st_size / 1e6:.1f} MB, median of {repeat}, × of nstar\n")
    print(f"| | rows | {' | '.join(f'{name} s | ×' for name in CLOCKS)} | peak MB |")
    print(f"|---|--:|{'--:|' * 2 * len(CLOCKS)}--:|")
    base: dict[str, float] = {}
    for side, results in taken.items():
        if side in failed:
            print(f"| {side} | {failed[side]} |")
            continue
        middle = {k: statistics.median(r[k] for r in results) for k in results[0]}
        base = base or middle
        cells = [f"{middle[k]:.2f} | {middle[k] / base[k]:.1f}" for k in CLOCKS]
        print(f"| {side} | {middle['rows']:.0f} | {' | '.join(cells)} | {middle['mb']:.0f} |")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("log", help=".eval or .json file")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--theirs", default=sys.executable, help="Python that has inspect-ai")
    parser.add_argument("--side", choices=SIDES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.side:
        worker(given.log, given.side)
    else:
        measure(given.log, given.repeat, given.theirs)


if __name__ == "__main__":
    main()
