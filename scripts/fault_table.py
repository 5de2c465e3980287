"""Faults on several Ray nodes of this machine in the middle of an audit, and what became of it.

python scripts/fault_table.py            print the table, about four minutes
python scripts/fault_table.py --write    and put it into docs/evidence/scale.md

Needs Ray, and Linux to find the processes. The same faults are tests: tests/cluster/.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).parents[1] / part) for part in ("src", "tests")]

from _section import keep  # noqa: E402
from helpers import faults  # noqa: E402

Scene = Callable[[], faults.Outcome]


def _on_nodes(scene: Callable[[Any], faults.Outcome], nodes: int = 3) -> Scene:
    """A fault on a cluster of its own."""

    def run() -> faults.Outcome:
        with faults.cluster(nodes) as nodes_up:
            return scene(nodes_up)

    return run


def scenes(tmp: Path) -> Iterator[tuple[str, Scene]]:
    yield "nothing, three nodes", _on_nodes(faults.nothing_fails)
    yield "SIGKILL to workers in the middle of a job", _on_nodes(faults.workers_killed)
    yield "one of three nodes killed in the first pass", _on_nodes(faults.node_lost, 2)
    yield "shared scores larger than the object store", faults.store_full
    yield "a worker's write of a part fails once", lambda: faults.write_failed(tmp / "write")
    killed = partial(faults.driver_killed, tmp=tmp / "driver")
    yield "SIGKILL to `nstar audit --out`, run again", _on_nodes(killed)


def table(tmp: Path) -> Iterator[str]:
    yield "| failure | result compared with a local audit | message, observation | s |"
    yield "|---|---|---|---|"
    for fault, scene in scenes(tmp):
        outcome = scene()
        text = "; ".join([*(f"“{line}”" for line in outcome.told), outcome.note]).strip("; ")
        same = "the same to the last bit" if outcome.same else "DIFFERENT"
        yield f"| {fault} | {same} | {faults.anonymous(text) or '–'} | {outcome.seconds:.0f} |"
        print(fault, outcome, file=sys.stderr)


def main() -> int:
    with tempfile.TemporaryDirectory() as name:
        for part in ("write", "driver"):
            (Path(name) / part).mkdir()
        text = "\n".join(table(Path(name)))
    print(text)
    return keep("evidence/scale.md", "faults", text) if "--write" in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
