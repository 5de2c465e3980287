"""Check the generated files of the repository with two processes.

python scripts/check_generated.py            exit 1 if a file is stale, and print its script
python scripts/check_generated.py --all      the same, with the scripts that compute for a minute
python scripts/check_generated.py --write    run every script to rewrite its files

You can also run each script separately with ``--check``. Imports of nstar, NumPy, and PyArrow
take most of the time of a script. Each process here imports these packages only once.
"""

import contextlib
import io
import os
import runpy
import sys
import time
import traceback
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple

SCRIPTS = Path(__file__).parent
SLOW = ("claim_check", "shrink_validation", "looks_tables")
"""Scripts that compute for a minute. Their numbers follow from kernel functions with reference
values, so the default run of the CI omits them.
"""
FIRST = (*SLOW, "figures", "messages_tables")
"""The slowest scripts, which start first so that both processes finish at about the same time."""
ELSEWHERE = {
    "_section": "is a helper of the other scripts",
    "check_generated": "is this script",
    "console_blocks": "runs in tests/repository/test_console_blocks.py",
    "costs_coverage": "simulates for minutes",
    "retired_words": "checks words, not a generated file",
}
"""Scripts that contain ``--check`` but do not run here, with the reason."""
PROCESSES = 2


class Outcome(NamedTuple):
    """The exit status of a script, its output, and its run time in seconds."""

    name: str
    status: int
    output: str
    seconds: float


def list_scripts() -> list[str]:
    """Names of the scripts to run, slowest first."""
    paths = [*SCRIPTS.glob("*.py"), *SCRIPTS.glob("peers/*.py")]
    names = {
        path.relative_to(SCRIPTS).with_suffix("").as_posix()
        for path in paths
        if "--check" in path.read_text(encoding="utf-8")
    }
    unknown = (set(FIRST) | set(ELSEWHERE)) - names
    if unknown:
        sys.exit(f"scripts/check_generated.py names scripts without --check: {sorted(unknown)}")
    names -= set(ELSEWHERE)
    return [*FIRST, *sorted(names - set(FIRST))]


def run_script(name: str, *, check: bool) -> Outcome:
    """Run one script in this process, as ``python scripts/NAME.py`` would."""
    path = SCRIPTS / f"{name}.py"
    arguments, search_path, folder = sys.argv, sys.path, Path.cwd()
    sys.argv = [str(path), *(["--check"] if check else [])]
    sys.path = [str(path.parent), str(SCRIPTS.parent), *search_path]
    output, start, status = io.StringIO(), time.perf_counter(), 0
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            runpy.run_path(str(path), run_name="__main__")
    except SystemExit as stop:
        if isinstance(stop.code, str):
            output.write(f"{stop.code}\n")
        status = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    except Exception:  # continue with the other scripts
        output.write(traceback.format_exc())
        status = 1
    finally:
        sys.argv, sys.path = arguments, search_path
        os.chdir(folder)
    return Outcome(name, status, output.getvalue(), time.perf_counter() - start)


def main() -> int:
    """Run every script and print the failures."""
    check = "--write" not in sys.argv
    omitted = SLOW if check and "--all" not in sys.argv else ()
    failed = []
    with ProcessPoolExecutor(PROCESSES) as pool:
        waiting = [
            pool.submit(run_script, name, check=check)
            for name in list_scripts()
            if name not in omitted
        ]
        for future in as_completed(waiting):
            name, status, output, seconds = future.result()
            print(f"{seconds:6.1f} s  {name}", flush=True)
            if status:
                failed.append(name)
                print(output, flush=True)
    if failed:
        print("stale or failed:", *(f"scripts/{name}.py" for name in sorted(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
