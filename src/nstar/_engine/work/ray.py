"""Run jobs on the nodes of a Ray cluster, and repeat jobs if a worker or a node is lost."""

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import suppress
from copy import deepcopy
from typing import Any, TypeVar

import ray
from ray import exceptions

from nstar._engine.work.cluster import connect_to_ray
from nstar._engine.work.node_check import ResultVersions, check_same_versions, versions_here
from nstar._engine.work.reduction import InOrderNotifier, Job, SumTree
from nstar._engine.work.retry import call_with_retries, log_event, one_thread_for_life
from nstar._engine.work.worker_pool import WorkerPool
from nstar.errors import ClusterError

R = TypeVar("R")
T = TypeVar("T")

_RETRIES = 5
"""Number of times a job is started again after its worker or node was lost."""

_JOBS_PER_CPU = 3
"""Number of jobs that are sent for each processor: one that runs, and others that wait."""

_REFRESH_SECONDS = 5.0
"""Seconds between updates of the number of processors, and longest wait for an event."""


_RETRIED_ERRORS = (exceptions.WorkerCrashedError, exceptions.NodeDiedError)
"""Exceptions after which Ray restarts a job. All others are final."""


def _attempt() -> int:
    """Return the number of earlier starts of this job, or 0 if Ray does not report it."""
    with suppress(AttributeError):  # it is not part of Ray's public API
        worker = ray._private.worker.global_worker.core_worker  # noqa: SLF001
        return int(worker.get_current_task_attempt_number())
    return 0


def _run_job(expected: ResultVersions, work: Callable[..., R], *job: Any) -> tuple[R, int]:
    """Run a job and return its result, with the number of failed attempts.

    Nodes may join at any time, so every job checks the versions of its own node.
    """
    if versions_here() != expected:
        check_same_versions(versions_here(), expected, ray.util.get_node_ip_address())
    one_thread_for_life()
    result, tries = call_with_retries(work, *job)
    return result, tries + _attempt()


def _run_job_with_signal(
    expected: ResultVersions, work: Callable[..., R], *job: Any
) -> tuple[None, tuple[R, int]]:
    """Run a job and return ``(None, result)`` as two Ray objects.

    The driver waits for the empty object and does not fetch the result.
    """
    return None, _run_job(expected, work, *job)


def _add_results(add: Callable[[R, R], R], *parts: tuple[R, int]) -> tuple[R, int]:
    """Add the results of several jobs. Objects from the store are copied before changes."""
    # `add` may update its first argument in place, and objects in the store are shared.
    total, n_retries = deepcopy(parts[0])
    for part, tries in parts[1:]:
        total, n_retries = add(total, part), n_retries + tries
    return total, n_retries + _attempt()


def _work_error(error: exceptions.RayError) -> BaseException:
    """Return the exception raised by the work, or a ClusterError that describes its failure."""
    cause = error.cause if isinstance(error, exceptions.RayTaskError) else None
    text = (str(cause or error).strip().splitlines() or [type(error).__name__])[0]
    if "failed to import" in str(cause):
        return ClusterError(
            f"A node cannot run the job because nstar is not installed on it: {text}"
        )
    if isinstance(cause, BaseException):
        return cause
    if isinstance(error, exceptions.RayTaskError):
        return error
    if isinstance(error, _RETRIED_ERRORS):
        return ClusterError(f"A job failed after {_RETRIES + 1} tries: {text}")
    return ClusterError(f"A job failed: {text}")


class RayWorkers(WorkerPool):
    """Workers on the Ray cluster at an address, or on any cluster.

    See :func:`nstar._engine.work.open_workers`.
    """

    grain = 1.0

    def __init__(self, address: str | None = None, workers: int = 0) -> None:
        self._cluster = connect_to_ray(address, workers)
        self._workers, self._again, self._news = workers, 0, 0.0
        self._cpus = 1
        options = {"num_cpus": 1, "max_retries": _RETRIES}
        self._versions = versions_here()
        self._send = ray.remote(**options)(_run_job)
        self._send_for_sign = ray.remote(num_returns=2, **options)(_run_job_with_signal)
        self._add = ray.remote(**options)(_add_results)

    @property
    def width(self) -> int:
        """Return the number of processors of the cluster, or the requested number."""
        if self._workers:
            return self._workers
        now = time.monotonic()
        if now - self._news > _REFRESH_SECONDS and self._cluster.answers():
            self._cpus = max(1, int(ray.cluster_resources().get("CPU", 1)))
            self._news = now
        return self._cpus

    @property
    def _limit(self) -> int:
        return self._workers or _JOBS_PER_CPU * self.width

    def share(self, value: T) -> T:
        """Put the value in the object store. Every node reads it from there once."""
        if value is None:
            return value
        reference: Any = ray.put(value)
        return reference

    def ordered(
        self, work: Callable[..., R], jobs: Iterable[Job], *, memory: int = 0
    ) -> Iterator[R]:
        """Yield results in the order of the jobs. Arrays from the store are read-only."""
        waiting: deque[Any] = deque()
        placed = self._cluster.memory(memory)
        send = self._send.options(memory=placed)
        try:
            for job in jobs:
                waiting.append(send.remote(self._versions, work, *job))
                if len(waiting) >= self._limit:
                    yield self._result(waiting, placed)
            while waiting:
                yield self._result(waiting, placed)
        finally:
            _cancel(waiting)

    def _result(self, waiting: deque[Any], memory: int | None) -> Any:
        """Return the first result. The others stay in ``waiting`` and can be cancelled."""
        self._ready(list(waiting)[:1], memory)
        try:
            result, n_retries = ray.get(waiting.popleft())
        except exceptions.RayError as error:
            raise _work_error(error) from None
        self._again += n_retries
        return result

    def _ready(self, references: list[Any], memory: int | None) -> list[Any]:
        """Wait until at least one task has finished, and return those that have.

        Raises ClusterError if no node has been able to run a task for five minutes (``_IDLE``), or
        if the connection is lost.
        """
        try:
            while True:
                ready, _ = ray.wait(references, num_returns=1, timeout=_REFRESH_SECONDS)
                if ready:
                    return list(ready)
                self._cluster.wait_for_processors(memory or 0)
        except ConnectionError as error:
            msg = f"The connection to the cluster was lost: {error}"
            raise ClusterError(msg) from error

    def reduced(
        self,
        work: Callable[..., R],
        jobs: Iterable[Job],
        add: Callable[[R, R], R],
        *,
        memory: int = 0,
        on_done: Callable[[int], None] | None = None,
    ) -> R:
        """Sum the results in a tree on the workers, eight at a time."""
        tree = SumTree(lambda parts: self._add.remote(add, *parts))
        under_way: dict[Any, tuple[int, Any]] = {}
        order = InOrderNotifier(on_done)
        placed = self._cluster.memory(memory)
        send = self._send_for_sign.options(memory=placed)
        try:
            for number, job in enumerate(jobs):
                sign, result = send.remote(self._versions, work, *job)
                under_way[sign] = number, result
                if len(under_way) >= self._limit:
                    self._collect(self._ready(list(under_way), placed), under_way, tree, order)
            while under_way:
                self._collect(self._ready(list(under_way), placed), under_way, tree, order)
            total: R = deepcopy(self._result(deque([tree.root()]), None))
        finally:
            _cancel(under_way)
        return total

    @staticmethod
    def _collect(
        ready: list[Any],
        under_way: dict[Any, tuple[int, Any]],
        tree: SumTree,
        order: InOrderNotifier,
    ) -> None:
        """Add finished results to the tree."""
        for sign in ready:
            number, result = under_way.pop(sign)
            try:
                ray.get(sign)
            except exceptions.RayError as error:
                with suppress(exceptions.RayError):
                    ray.get(result)  # otherwise Ray reports that nothing retrieved the result
                raise _work_error(error) from None
            tree.add(result)
            order.finished(number)

    def close(self) -> None:
        """Log the events, and shut down what nstar started."""
        lost = self._cluster.lost()
        if self._again:
            jobs = "1 job was" if self._again == 1 else f"{self._again} jobs were"
            log_event(f"{jobs} begun again after a failure; results are the same")
        if lost:
            nodes = "1 node was" if len(lost) == 1 else f"{len(lost)} nodes were"
            log_event(f"{nodes} lost on the way: {', '.join(lost)}")
        self._cluster.close()


def _cancel(references: Collection[Any]) -> None:
    """Cancel the Ray tasks that are still pending.

    Errors are ignored: a task may have finished, or the cluster may be gone.
    """
    for reference in references:
        with suppress(exceptions.RayError, ValueError, RuntimeError):
            ray.cancel(reference)
