"""Run the tools of docs/peers.json, each in its own environment, and update their outputs there.

python scripts/peers/run.py                    all of them; an hour, and 8 GB on the disk
python scripts/peers/run.py evalci statsmodels only these; the others keep their records
python scripts/peers/run.py evalci:big         one probe of one tool
  --in DIR    keep inputs and environments there, and use those that are there already

A tool has a ``package`` for pip ("." is this repository) and the ``extra`` packages of its probes.
A probe is a ``command`` in the folder of inputs. Its output keeps the ``first`` lines, and lines
that match one of the patterns of ``keep``; without both, all lines. A cell answers a question of
docs/peers.md and names the probes that show the answer. These are edited by hand.

The package index must be within reach. Then: python scripts/peers/page.py
"""

import argparse
import datetime as dt
import json
import os
import platform
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RECORD = ROOT / "docs" / "peers.json"
sys.path.insert(0, str(HERE.parent))

from peers.inputs import write  # noqa: E402

Record = dict[str, Any]
LATE = 124
STOPPED = (LATE, 137, 152, -9, -24)
"""Exit statuses of commands that took too long: by the clock, by the processor's time."""
SECONDS = 300
"""CPU time that a command may take."""
WIDTH = "110"
WAIT = 12
"""A machine that is shared may take this many times longer than an idle one."""


def environment(tool: Record, folder: Path) -> Path:
    """Its binaries; made if they are not there."""
    where = folder / "venvs" / tool["name"]
    if not where.exists():
        package = str(ROOT) if tool["package"] == "." else tool["package"]
        subprocess.run([sys.executable, "-m", "venv", where], check=True)
        pip = str(where / "bin" / "pip")
        subprocess.run([pip, "install", "-q", *tool.get("extra", ()), package], check=True)
    return where / "bin"


def version(tool: Record, binaries: Path) -> str:
    package = "nstar" if tool["package"] == "." else tool["package"]
    name = re.split(r"[=<>\[]", package)[0]
    code = f"import importlib.metadata as m; print(m.version({name!r}))"
    process = subprocess.run(
        [binaries / "python", "-c", code], capture_output=True, text=True, check=True
    )
    return process.stdout.strip()


def tried(probe: Record, binaries: Path, folder: Path) -> Record:
    """Run it; what it printed, without a word of where."""
    setting = os.environ | {
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "COLUMNS": WIDTH, "NO_COLOR": "1", "TERM": "dumb", "PYTHONWARNINGS": "ignore",
        "OPENBLAS_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "INSPECT_DISPLAY": "plain",
    }  # fmt: skip
    setting.pop("PYTHONPATH", None)
    command = f"ulimit -S -t {SECONDS}\n{probe['command']}"
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.run(
        ["timeout", str(WAIT * SECONDS), "bash", "-c", command],
        cwd=folder / "inputs", env=setting, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
    )  # fmt: skip
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    out = process.stdout.replace(str(folder / "inputs"), ".").replace(str(folder), "…")
    late = cpu if process.returncode == LATE else SECONDS
    stop = late if process.returncode in STOPPED else None
    return {
        "exit": process.returncode,
        "seconds": round(wall, 1),
        "processor_seconds": round(cpu, 1),
        "output": kept_lines(probe, out, after=stop),
    }


def kept_lines(probe: Record, out: str, *, after: float | None) -> list[str]:
    """The lines that matter; of what was stopped a few, and after how many seconds."""
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in out.splitlines()]
    keep, first = probe.get("keep", ()), probe.get("first", 0)
    if keep or first:
        keep_mask = [any(re.search(k, line) for k in keep) for line in lines]
        lines = [x for n, x in enumerate(lines) if n < first or keep_mask[n]]
        lines = [x for n, x in enumerate(lines) if n == 0 or x != lines[n - 1]]
    if after is not None:
        lines = [*lines[:20], f"(stopped after {after:.0f} s of processor time)"]
    elif not "".join(lines):
        sys.exit(f"{probe['name']}: nothing kept of\n{out}")
    return lines


def run(name: str, only: str, folder: Path) -> None:
    """All probes of a tool or one, each stored when it is done."""
    tool = stored()["tools"][name]
    binaries = environment(tool, folder)
    header = {"version": version(tool, binaries), "run": _today()}
    for k, probe in enumerate(tool["probes"]):
        if only and probe["name"] != only:
            continue
        print(name, probe["name"], flush=True)
        outcome = tried(probe, binaries, folder)
        print(*outcome["output"][:12], f"[{outcome['seconds']} s]", sep="\n", flush=True)
        record = stored()  # two runs may go on at once
        record["tools"][name] |= header
        record["tools"][name]["probes"][k] |= outcome
        text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
        RECORD.write_text(text, encoding="utf-8")


def _today() -> str:
    day = dt.datetime.now(dt.UTC).date().isoformat()
    return f"{day}, Python {platform.python_version()}, {os.cpu_count()} processors"


def folder_of_inputs(folder: Path) -> None:
    if not (folder / "inputs").exists():
        write(folder / "inputs")
    for script in (HERE / "logs").iterdir():
        if script.is_file():
            shutil.copy(script, folder / "inputs")


def stored() -> Record:
    record: Record = json.loads(RECORD.read_text("utf-8"))
    return record


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("tools", nargs="*", metavar="TOOL")
    parse.add_argument("--in", dest="folder", type=Path)
    options = parse.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.folder or Path(scratch)).resolve()
        folder_of_inputs(folder)
        for choice in (
            options.tools or stored()["tools"]
        ):  # the first two write logs for the others
            name, _, probe = choice.partition(":")
            run(name, probe, folder)


if __name__ == "__main__":
    main()
