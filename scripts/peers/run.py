"""Run the tools that docs/peers.md compares, each in its own environment, into docs/peers.json.

python scripts/peers/run.py                    all of them; an hour, and 8 GB on the disk
python scripts/peers/run.py evalci statsmodels only these; the others keep their records
python scripts/peers/run.py evalci:big         one probe of one tool
python scripts/peers/run.py --texts            run nothing: readings and cells as tools/ has them
  --in DIR    keep inputs and environments there, and use those that are there already

The package index must be within reach. Then: python scripts/peers/page.py
"""

import argparse
import dataclasses
import datetime as dt
import importlib
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
from peers.tool import LATE, STOPPED, Probe, Tool  # noqa: E402

ORDER = (
    "inspect_ai", "lm_eval", "nstar", "evalstats", "evalsig", "evalci", "deltagate",
    "statsmodels", "errorbars", "statgate", "evaltrust", "abeval", "evalconfidence", "judgy",
    "eval_integrity", "evalica", "arena_rank",
)  # fmt: skip
"""The first two write the logs that the others read."""
WIDTH = "110"
WAIT = 12
"""A machine that is shared may take this many times longer than an idle one."""


def tool(name: str) -> Tool:
    the_tool: Tool = importlib.import_module(f"peers.tools.{name}").TOOL
    return the_tool


def environment(tool: Tool, folder: Path) -> Path:
    """Its binaries; made if they are not there."""
    where = folder / "venvs" / tool.name
    if not where.exists():
        package = str(ROOT) if tool.package == "." else tool.package
        subprocess.run([sys.executable, "-m", "venv", where], check=True)
        pip = str(where / "bin" / "pip")
        subprocess.run([pip, "install", "-q", *tool.extra, package], check=True)
    return where / "bin"


def version(tool: Tool, binaries: Path) -> str:
    name = "nstar" if tool.package == "." else re.split(r"[=<>\[]", tool.package)[0]
    code = f"import importlib.metadata as m; print(m.version({name!r}))"
    process = subprocess.run(
        [binaries / "python", "-c", code], capture_output=True, text=True, check=True
    )
    return process.stdout.strip()


def tried(probe: Probe, binaries: Path, folder: Path) -> dict[str, Any]:
    """Run it; what it printed, without a word of where."""
    setting = os.environ | {
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "COLUMNS": WIDTH, "NO_COLOR": "1", "TERM": "dumb", "PYTHONWARNINGS": "ignore",
        "OPENBLAS_NUM_THREADS": "1",
        "HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "INSPECT_DISPLAY": "plain",
    }  # fmt: skip
    setting.pop("PYTHONPATH", None)
    command = f"ulimit -S -t {probe.seconds}\n{probe.command}"
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    process = subprocess.run(
        ["timeout", str(WAIT * probe.seconds), "bash", "-c", command],
        cwd=folder / "inputs", env=setting, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
    )  # fmt: skip
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    out = process.stdout.replace(str(folder / "inputs"), ".").replace(str(folder), "…")
    late = cpu if process.returncode == LATE else probe.seconds
    stop = late if process.returncode in STOPPED else None
    return {
        "exit": process.returncode,
        "seconds": round(wall, 1),
        "processor_seconds": round(cpu, 1),
        "output": kept_lines(probe, out, after=stop),
    }


def kept_lines(probe: Probe, out: str, *, after: float | None) -> list[str]:
    """The lines that matter; of what was stopped a few, and after how many seconds."""
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).rstrip() for line in out.splitlines()]
    if probe.keep or probe.first:
        keep_mask = [any(re.search(k, line) for k in probe.keep) for line in lines]
        lines = [x for n, x in enumerate(lines) if n < probe.first or keep_mask[n]]
        lines = [x for n, x in enumerate(lines) if n == 0 or x != lines[n - 1]]
    if after is not None:
        lines = [*lines[:20], f"(stopped after {after:.0f} s of processor time)"]
    elif not "".join(lines):
        sys.exit(f"{probe.name}: nothing kept of\n{out}")
    return lines


def texts(tool: Tool, record: dict[str, Any]) -> dict[str, Any]:
    """The record with readings and cells of today; commands must be those that were run."""
    runs = {old_probe["name"]: old_probe for old_probe in record["probes"]}
    probes = []
    for probe in tool.probes:
        if probe.name not in runs or runs[probe.name]["command"] != probe.command:
            sys.exit(f"{tool.name}: {probe.name} has not been run as it is; run.py {tool.name}")
        probes.append(runs[probe.name] | {"reading": probe.reading})
    cells = {row: dataclasses.asdict(cell) for row, cell in tool.cells.items()}
    fields = {"name": tool.name, "what": tool.what, "better": tool.better}
    return record | fields | {"probes": probes, "cells": cells}


def run(tool: Tool, only: str, folder: Path) -> None:
    """All its probes or one, each stored when it is done."""
    binaries = environment(tool, folder)
    header = {"version": version(tool, binaries), "run": _today()}
    for probe in tool.probes:
        if only and probe.name != only:
            continue
        print(tool.name, probe.name, flush=True)
        outcome = tried(probe, binaries, folder)
        print(*outcome["output"][:12], f"[{outcome['seconds']} s]", sep="\n", flush=True)
        old = stored()["tools"].get(tool.name, {})
        probes = {old_probe["name"]: old_probe for old_probe in old.get("probes", ())}
        probes[probe.name] = {"name": probe.name, "command": probe.command} | outcome
        store(tool.name, old | header | {"probes": list(probes.values())})


def _today() -> str:
    day = dt.datetime.now(dt.UTC).date().isoformat()
    return f"{day}, Python {platform.python_version()}, {os.cpu_count()} processors"


def folder_of_inputs(folder: Path) -> None:
    if not (folder / "inputs").exists():
        write(folder / "inputs")
    for script in (HERE / "logs").iterdir():
        if script.is_file():
            shutil.copy(script, folder / "inputs")


def stored() -> dict[str, Any]:
    return json.loads(RECORD.read_text("utf-8")) if RECORD.exists() else {"tools": {}}


def store(name: str, record_part: dict[str, Any]) -> None:
    """Into what is there by now: two runs may go on at once."""
    record = stored()
    record["tools"][name] = record_part
    record["tools"] = {n: record["tools"][n] for n in ORDER if n in record["tools"]}
    text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
    RECORD.write_text(text, encoding="utf-8")


def main() -> None:
    parse = argparse.ArgumentParser(description=__doc__)
    parse.add_argument("tools", nargs="*", metavar="TOOL")
    parse.add_argument("--in", dest="folder", type=Path)
    parse.add_argument("--texts", action="store_true")
    options = parse.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = (options.folder or Path(scratch)).resolve()
        if not options.texts:
            folder_of_inputs(folder)
        for choice in () if options.texts else options.tools or ORDER:
            name, _, probe = choice.partition(":")
            run(tool(name), probe, folder)
    for name in stored()["tools"]:
        store(name, texts(tool(name), stored()["tools"][name]))


if __name__ == "__main__":
    main()
