"""A Ray cluster that this process is connected to: its nodes, and whether they can do the work."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from nstar._engine.work.connect import join, reach
from nstar._engine.work.log import tell
from nstar._engine.work.machines import (
    Installed,
    Versions,
    asker,
    installed_here,
    kinds,
    refuse_others,
    versions_here,
)
from nstar.errors import ClusterError

_ANSWER = 60.0
"""Seconds in which a node must say what it has installed."""

_IDLE = 300.0
"""Seconds for which nobody is there who could take a job."""

_SILENT = 25.0
"""Seconds without an answer of the head; after 60, Ray ends this process without a word."""

_AGAIN = "run it again: what was kept in a folder is not done twice"


@dataclass(slots=True, kw_only=True)
class Cluster:
    """What is known of a cluster that this process is connected to."""

    joined: bool
    """We connected this process, so we disconnect it; Ray of our own ends with that."""
    head: str | None
    """Where the head listens; None if only Ray's client knows."""
    nodes: dict[str, str] = field(default_factory=dict)
    """Addresses of the nodes at the beginning, by their id."""
    idle: float | None = None
    """Since when nobody could take a job."""
    silent: float | None = None
    """Since when the head did not answer."""

    def answers(self) -> bool:
        """Whether the head does; ClusterError if it did not for long."""
        try:
            if self.head is not None:
                reach(self.head)
        except OSError:
            now = time.monotonic()
            self.silent = self.silent or now
            if now - self.silent < _SILENT:
                return False
            msg = f"the head of the cluster, {self.head}, does not answer any more; {_AGAIN}"
            raise ClusterError(msg) from None
        self.silent = None
        return True

    def wait_for_processors(self, memory: int) -> None:
        """Called while nothing happens: told once if nobody can take a job, refused in the end."""
        if not self.answers():
            return
        if any(_able(node, memory) for node in ray.nodes()):
            self.idle = None
            return
        now = time.monotonic()
        if self.idle is None:
            self.idle = now
            tell(
                "waiting for processors: no node can take a job now; given up after "
                f"{_IDLE / 60:.0f} minutes"
            )
        elif now - self.idle > _IDLE:
            msg = f"no node had a processor for a job in {_IDLE / 60:.0f} minutes; {_AGAIN}"
            raise ClusterError(msg)

    def memory(self, wanted: int) -> int | None:
        """Memory to ask for: what a job needs, but no more than the largest node has."""
        sizes = (n["Resources"].get("memory", 0) for n in ray.nodes() if _able(n))
        most = max(sizes, default=0)
        if wanted > most > 0:
            tell(
                f"a job needs about {wanted / 1e9:.1f} GB, and no node has more than "
                f"{most / 1e9:.1f}"
            )
        return int(min(wanted, most)) or None

    def lost(self) -> list[str]:
        """Addresses of nodes that are gone since; none if nobody can be asked any more."""
        if self.silent is not None:
            return []
        try:
            alive = _alive()
        except (ray.exceptions.RayError, RuntimeError, ConnectionError):
            return []
        return [address for node, address in self.nodes.items() if node not in alive]

    def close(self) -> None:
        """Leave a cluster that was there before as it is."""
        if self.joined:
            ray.shutdown()


def _able(node: Mapping[str, Any], memory: int = 0) -> bool:
    """Whether a node has a processor, and the memory, for a job."""
    has = node["Resources"]
    return bool(node["Alive"] and has.get("CPU", 0) >= 1 and has.get("memory", 0) >= memory)


def _alive() -> dict[str, str]:
    return {n["NodeID"]: n["NodeManagerAddress"] for n in ray.nodes() if n["Alive"]}


def _head() -> str | None:
    """Where the head of the cluster listens; a client of Ray is not told."""
    try:
        return str(ray.get_runtime_context().gcs_address)
    except (AttributeError, RuntimeError, AssertionError):
        return None


def connected(address: str | None, workers: int) -> Cluster:
    """Connect this process: to an address, ``local`` for Ray of our own, None for what there is.

    A process that is connected already stays where it is.
    """
    joined = not ray.is_initialized()
    if joined:
        join(address, workers)
    found = Cluster(joined=joined, head=None)
    try:
        found.head, found.nodes = _head(), _alive()
        _compare(found.nodes)
    except BaseException:
        found.close()
        raise
    return found


def _compare(nodes: Mapping[str, str]) -> None:
    """Every node must run the same versions; asked all at a time. Jobs look again."""
    ask = ray.remote(num_cpus=0, max_retries=2)(asker())
    asked = {
        node: ask.options(
            scheduling_strategy=NodeAffinitySchedulingStrategy(node_id=node, soft=True)
        ).remote()
        for node in nodes
    }
    machines = [installed_here()]
    for node, reference in asked.items():
        machines.append(_answer(nodes[node], reference))
        refuse_others(Versions(*machines[-1][:2]), versions_here(), nodes[node])
    different = kinds(machines)
    if len(different) > 1:
        tell(
            f"nodes have different processors ({'; '.join(different)}): the last digits of "
            "p-values and of graded scores may depend on where a tile was computed"
        )


def _answer(address: str, reference: Any) -> Installed:
    """What a node says of itself."""
    try:
        return Installed(*ray.get(reference, timeout=_ANSWER))
    except ray.exceptions.GetTimeoutError as error:
        msg = f"node {address} did not answer within {_ANSWER:.0f} s"
        raise ClusterError(msg) from error
    except ray.exceptions.RayError as error:
        why = str(error).strip().splitlines() or [type(error).__name__]
        msg = f"node {address} cannot be asked what it has installed: {why[0]}"
        raise ClusterError(msg) from error
