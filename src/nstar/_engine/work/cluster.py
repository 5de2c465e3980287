"""Ray cluster: join or start it, list its nodes, and check that they can work."""

import logging
import os
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from ipaddress import ip_address
from typing import Any

import ray
from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

from nstar._engine.work.node_check import (
    NodeSoftware,
    ResultVersions,
    check_same_versions,
    installed_here,
    node_probe,
    processor_kinds,
    versions_here,
)
from nstar._engine.work.retry import log_event
from nstar.errors import ClusterError, by_interface

_REACH = 5.0
"""Seconds in which an address must answer."""

_QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}

_TROUBLES = (OSError, ValueError, RuntimeError, ImportError, ray.exceptions.RayError)
"""Exceptions that Ray raises if it cannot start or be joined."""

_TOKEN = "RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH"  # noqa: S105 names

_CLUSTERS = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Whether Ray accepts connections from other machines. The default is Linux only."""


def _private_module(name: str) -> Any:
    """Return a private module of Ray, or None if this version has no such module."""
    with suppress(ImportError):
        return __import__(f"ray._private.{name}", fromlist=[name])
    return None


@contextmanager
def _private() -> Iterator[None]:
    """Configure Ray to send no usage statistics and to listen on the loopback interface only.

    On desktops, the loopback interface is Ray's default. Elsewhere, Ray listens on every
    interface.
    """
    constants = _private_module("ray_constants")
    before, clusters = os.environ.copy(), getattr(constants, "ENABLE_RAY_CLUSTER", None)
    ours = {"RAY_USAGE_STATS_ENABLED": "0"}
    ours[getattr(constants, "ENABLE_RAY_CLUSTERS_ENV_VAR", _CLUSTERS)] = "0"
    os.environ.update(ours)
    if clusters is not None:
        constants.ENABLE_RAY_CLUSTER = False
    try:
        yield
    finally:
        if clusters is not None:
            constants.ENABLE_RAY_CLUSTER = clusters
        for name in ours:
            os.environ.pop(name)
            os.environ.update({name: before[name]} if name in before else {})


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def _start(workers: int) -> None:
    """Start Ray on this machine for this process, unreachable from other machines."""
    try:
        with _private():
            ray.init(address="local", num_cpus=workers or None, include_dashboard=False, **_QUIET)
    except _TROUBLES as error:
        ray.shutdown()
        msg = f"Ray cannot be started here: {_first_line(error)}"
        raise ClusterError(msg) from error
    address = next(n["NodeManagerAddress"] for n in ray.nodes() if n["Alive"])
    if not ip_address(address).is_loopback:
        ray.shutdown()
        msg = f"Ray would listen on {address} without access control. Start a cluster yourself."
        raise ClusterError(msg)


def _silence_output() -> None:
    """Silence Ray's messages on standard output, which carries results.

    Nstar logs the events itself.
    """
    worker = _private_module("worker")
    if hasattr(worker, "_worker_logs_enabled"):
        setattr(worker, "_worker_logs_enabled", False)  # noqa: B010 not ours


def _reach(address: str) -> None:
    """Raise OSError at once if the address does not answer, as Ray would retry for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    socket.create_connection((host.strip("[]"), int(port)), timeout=_REACH).close()


def _join(address: str) -> None:
    try:
        if address != "auto":
            _reach(address)
        ray.init(address=address, **_QUIET)
    except _TROUBLES as error:
        raise ClusterError(_refused(address, error)) from error


def _refused(address: str, error: BaseException) -> str:
    """Return the reason why a cluster was not joined, as one line."""
    if _unknown(error):
        if _has_token():
            return (
                f"The Ray cluster at {address} rejected the token of this process. Check the "
                "token."
            )
        return f"The Ray cluster at {address} requires a token. Set {_TOKEN}."
    reason = f"No Ray cluster responds at {address}: {_first_line(error)}"
    if address.startswith("ray://") and "timeout" in str(error).lower() and not _has_token():
        reason += f". If it needs a token, set {_TOKEN}"
    return reason


def _has_token() -> bool:
    tokens = (os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    return os.environ.get("RAY_AUTH_MODE", "").lower() == "token" and any(tokens)


def _unknown(error: BaseException | None) -> bool:
    """Return whether a cluster refused the connection."""
    while error is not None:
        if any(word in str(error) for word in ("AuthToken", "UNAUTHENTICATED", "Unauthenticated")):
            return True
        error = error.__cause__ or error.__context__
    return False


def _running_here() -> str | None:
    """Return the cluster that ``ray start`` joined on this machine, if it still answers."""
    find = getattr(_private_module("services"), "find_bootstrap_address", None)
    if find is None:
        choice = by_interface(
            python='Set executor="ray:auto" to use one, or "ray:local" to start one',
            command="Set --ray auto to use one, or --ray local to start one",
        )
        msg = f"Ray {ray.__version__} does not report whether a cluster is running here. {choice}."
        raise ClusterError(msg)
    address = find(None)
    with suppress(OSError, ValueError):
        if address is not None:
            _reach(address)
            return str(address)
    return None


def join(address: str | None, workers: int) -> None:
    """Connect this process to an address, or to an existing cluster."""
    _silence_output()
    where = address or os.environ.get("RAY_ADDRESS") or _running_here() or "local"
    if where == "local":
        _start(workers)
    else:
        _join(where)


_ANSWER = 60.0
"""Seconds in which a node must report its installed software."""

_IDLE = 300.0
"""Seconds without any node that could run a job, after which the work is abandoned."""

_SILENT = 25.0
"""Seconds without an answer of the head node. After 60, Ray ends the process without a message."""

_AGAIN = "Run the command again. Results that were saved in a folder are not computed again."


@dataclass(slots=True, kw_only=True)
class RayCluster:
    """State of the cluster that this process is connected to."""

    joined: bool
    """Whether nstar connected this process and must disconnect it, which stops a local Ray."""
    head: str | None
    """Address of the head node. None if only Ray's client knows it."""
    nodes: dict[str, str] = field(default_factory=dict)
    """Addresses of the nodes at the start, by node id."""
    idle: float | None = None
    """Time since which no node could run a job."""
    silent: float | None = None
    """Time since which the head node has not answered."""

    def answers(self) -> bool:
        """Return whether the head node answers. Raise ClusterError after a long silence."""
        try:
            if self.head is not None:
                _reach(self.head)
        except OSError:
            now = time.monotonic()
            self.silent = self.silent or now
            if now - self.silent < _SILENT:
                return False
            msg = f"The head of the cluster, {self.head}, no longer responds. {_AGAIN}"
            raise ClusterError(msg) from None
        self.silent = None
        return True

    def wait_for_processors(self, memory: int) -> None:
        """Check, while no task finishes, that some node could run one.

        Logs a warning the first time none can, and raises ClusterError after ``_IDLE`` seconds
        without any.
        """
        if not self.answers():
            return
        if any(_can_run_job(node, memory) for node in ray.nodes()):
            self.idle = None
            return
        now = time.monotonic()
        if self.idle is None:
            self.idle = now
            log_event(
                f"waiting for processors: no node is free now (the limit is {_IDLE / 60:.0f} "
                "minutes)"
            )
        elif now - self.idle > _IDLE:
            msg = f"No node had a free processor for {_IDLE / 60:.0f} minutes. {_AGAIN}"
            raise ClusterError(msg)

    def memory(self, job_bytes: int) -> int | None:
        """Return the memory to request for a job, at most the memory of the largest node."""
        sizes = (n["Resources"].get("memory", 0) for n in ray.nodes() if _can_run_job(n))
        max_bytes = max(sizes, default=0)
        if job_bytes > max_bytes > 0:
            log_event(
                f"a job needs about {job_bytes / 1e9:.1f} GB of memory, but no node has more than "
                f"{max_bytes / 1e9:.1f} GB"
            )
        return int(min(job_bytes, max_bytes)) or None

    def lost(self) -> list[str]:
        """Return the addresses of nodes that have left. Empty if the cluster does not answer."""
        if self.silent is not None:
            return []
        try:
            alive = _alive()
        except (ray.exceptions.RayError, RuntimeError, ConnectionError):
            return []
        return [address for node, address in self.nodes.items() if node not in alive]

    def close(self) -> None:
        """Disconnect. A cluster that already existed keeps running."""
        if self.joined:
            ray.shutdown()


def _can_run_job(node: Mapping[str, Any], memory: int = 0) -> bool:
    """Return whether a node has a processor and enough memory for a job."""
    has = node["Resources"]
    return bool(node["Alive"] and has.get("CPU", 0) >= 1 and has.get("memory", 0) >= memory)


def _alive() -> dict[str, str]:
    return {n["NodeID"]: n["NodeManagerAddress"] for n in ray.nodes() if n["Alive"]}


def _head() -> str | None:
    """Return the address of the head node, which Ray does not pass to a client."""
    try:
        return str(ray.get_runtime_context().gcs_address)
    except (AttributeError, RuntimeError, AssertionError):
        return None


def connect_to_ray(address: str | None, workers: int) -> RayCluster:
    """Connect this process to an address, to a local Ray (``local``), or to any cluster (None).

    A process that is already connected stays connected.
    """
    joined = not ray.is_initialized()
    if joined:
        join(address, workers)
    cluster = RayCluster(joined=joined, head=None)
    try:
        cluster.head, cluster.nodes = _head(), _alive()
        _compare(cluster.nodes)
    except BaseException:
        cluster.close()
        raise
    return cluster


def _compare(nodes: Mapping[str, str]) -> None:
    """Check that all nodes have the same versions, in parallel. Each job checks again."""
    probe = ray.remote(num_cpus=0, max_retries=2)(node_probe())
    references = {
        node: probe.options(
            scheduling_strategy=NodeAffinitySchedulingStrategy(node_id=node, soft=True)
        ).remote()
        for node in nodes
    }
    machines = [installed_here()]
    for node, reference in references.items():
        machines.append(_answer(nodes[node], reference))
        check_same_versions(ResultVersions(*machines[-1][:2]), versions_here(), nodes[node])
    different = processor_kinds(machines)
    if len(different) > 1:
        log_event(
            f"nodes have different processors ({'; '.join(different)}), so the last digits of "
            "p-values and of graded scores may depend on the node"
        )


def _answer(address: str, reference: Any) -> NodeSoftware:
    try:
        return NodeSoftware(*ray.get(reference, timeout=_ANSWER))
    except ray.exceptions.GetTimeoutError as error:
        msg = f"Node {address} did not respond within {_ANSWER:.0f} s."
        raise ClusterError(msg) from error
    except ray.exceptions.RayError as error:
        msg = f"Node {address} did not report its installed versions: {_first_line(error)}"
        raise ClusterError(msg) from error
