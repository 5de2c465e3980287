"""Joining a Ray cluster: the one that is there, at an address, or one of our own here."""

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from ipaddress import ip_address
from typing import Any

import ray

from nstar.errors import ClusterError, arg

_REACH = 5.0
"""Seconds in which an address must answer."""

_QUIET: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.CRITICAL}

_TROUBLES = (OSError, ValueError, RuntimeError, ImportError, ray.exceptions.RayError)
"""What Ray raises when it cannot start, or cannot be joined."""

_TOKEN = "RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN or RAY_AUTH_TOKEN_PATH"  # noqa: S105 names

_CLUSTERS = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Whether Ray listens for other machines; by default it does on Linux."""


def _insides(name: str) -> Any:
    """A module of Ray that is not public; None if this version has none of that name."""
    with suppress(ImportError):
        return __import__(f"ray._private.{name}", fromlist=[name])
    return None


@contextmanager
def _private() -> Iterator[None]:
    """Ray that sends no usage statistics, and listens on the loopback interface alone.

    The latter is how Ray is by default on desktops; elsewhere it listens on every interface.
    """
    constants = _insides("ray_constants")
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
    """Ray on this machine, for this process, out of reach of any other machine."""
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
        msg = f"Ray would listen on {address}, for anyone to use; start a cluster yourself"
        raise ClusterError(msg)


def _hush() -> None:
    """Ray prints its troubles to standard output, where results go; we tell them ourselves."""
    worker = _insides("worker")
    if hasattr(worker, "_worker_logs_enabled"):
        setattr(worker, "_worker_logs_enabled", False)  # noqa: B010 not ours


def reach(address: str) -> None:
    """OSError at once if nobody listens; Ray itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    socket.create_connection((host.strip("[]"), int(port)), timeout=_REACH).close()


def _join(address: str) -> None:
    try:
        if address != "auto":
            reach(address)
        ray.init(address=address, **_QUIET)
    except _TROUBLES as error:
        raise ClusterError(_refused(address, error)) from error


def _refused(address: str, error: BaseException) -> str:
    """Why a cluster was not joined, in one line."""
    if _unknown(error):
        if _has_token():
            return f"the Ray cluster at {address} does not accept the token that was shown to it"
        return (
            f"the Ray cluster at {address} wants a token that this process did not show: set "
            f"{_TOKEN}"
        )
    why = f"no Ray cluster answers at {address}: {_first_line(error)}"
    if address.startswith("ray://") and "timeout" in str(error).lower() and not _has_token():
        why += f"; if it wants a token, set {_TOKEN}"
    return why


def _has_token() -> bool:
    """Whether this process shows one."""
    given = (os.environ.get(name) for name in ("RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH"))
    return os.environ.get("RAY_AUTH_MODE", "").lower() == "token" and any(given)


def _unknown(error: BaseException | None) -> bool:
    """Whether a cluster did not let us in."""
    while error is not None:
        if any(word in str(error) for word in ("AuthToken", "UNAUTHENTICATED", "Unauthenticated")):
            return True
        error = error.__cause__ or error.__context__
    return False


def _running_here() -> str | None:
    """The cluster that ``ray start`` has made this machine a part of, if it still answers."""
    find = getattr(_insides("services"), "find_bootstrap_address", None)
    if find is None:
        msg = (
            f"Ray {ray.__version__} does not tell whether a cluster runs here: say "
            f"auto for it, or local for one of its own ({arg('executor')})"
        )
        raise ClusterError(msg)
    address = find(None)
    with suppress(OSError, ValueError):
        if address is not None:
            reach(address)
            return str(address)
    return None


def join(address: str | None, workers: int) -> None:
    """Connect this process, which is not connected, to an address or to what there is."""
    _hush()
    where = address or os.environ.get("RAY_ADDRESS") or _running_here() or "local"
    if where == "local":
        _start(workers)
    else:
        _join(where)
