"""WorkerPool: workers in this process or elsewhere, with results in the order of the jobs."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future, ThreadPoolExecutor
from multiprocessing import cpu_count
from typing import Any, TypeVar

from nstar._engine.work.reduction import Job, iter_results, reduce_in_order
from nstar._engine.work.retry import call_with_retries, log_event, one_thread_for_life, process
from nstar.errors import ClusterError

R = TypeVar("R")
T = TypeVar("T")


class WorkerPool(ABC):
    """Abstract pool of workers that runs independent jobs and returns results in job order.

    Work is a module-level function, and jobs are its arguments. A result depends only on its job,
    so it can be computed anywhere, and again after a failure.
    """

    grain: float
    """Duration in seconds of the shortest job that is worth sending. 0 if sending is free."""
    shares_memory = False
    """Whether jobs can use data in the memory of this process."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Return the number of parallel jobs."""

    def share(self, value: T) -> T:
        """Distribute a large value once for many jobs, and return a reference to it."""
        return value

    @abstractmethod
    def ordered(
        self, work: Callable[..., R], jobs: Iterable[Job], *, memory: int = 0
    ) -> Iterator[R]:
        """Yield ``work(*job)`` of every job in order. Only a few results wait at any time.

        ``memory`` is the number of bytes that one job needs, for pools that schedule by memory.
        """

    def reduced(
        self,
        work: Callable[..., R],
        jobs: Iterable[Job],
        add: Callable[[R, R], R],
        *,
        memory: int = 0,
        on_done: Callable[[int], None] | None = None,
    ) -> R:
        """Return the sum of all results. ``add`` must be exact in any order.

        ``add`` may change its first argument. ``on_done`` is called with the number of each
        finished job, in order.
        """
        return reduce_in_order(self.ordered(work, jobs, memory=memory), add, on_done)

    @abstractmethod
    def close(self) -> None:
        """Shut down the pool. Jobs that have not started are cancelled."""


class ThreadWorkers(WorkerPool):
    """Pool of threads. If it has one thread, work runs in the calling thread.

    >>> list(ThreadWorkers(2).ordered(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """

    grain = 0.0
    shares_memory = True

    def __init__(self, width: int) -> None:
        self._width = width

    @property
    def width(self) -> int:
        """Return the number of threads."""
        return self._width

    def close(self) -> None:
        """Do nothing, because threads end with their work."""

    def ordered(
        self,
        work: Callable[..., R],
        jobs: Iterable[Job],
        *,
        memory: int = 0,  # noqa: ARG002 there is nobody to place
    ) -> Iterator[R]:
        """Yield results in the order of the jobs. Only a few results wait at any time."""
        if self.width == 1:
            yield from (work(*job) for job in jobs)
            return
        pool = ThreadPoolExecutor(self.width)
        try:
            yield from iter_results(lambda job: pool.submit(work, *job), jobs, 2 * self.width + 1)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _widths(executor: Any) -> Iterator[int | None]:
    """Return the number of workers that an executor of the standard library or Dask reports."""
    yield getattr(executor, "_max_workers", None)
    client: Any = getattr(executor, "_client", None)
    yield sum(client.ncores().values()) if hasattr(client, "ncores") else None
    yield cpu_count()


def _run_job(home: tuple[str, int], work: Callable[..., R], *job: Any) -> tuple[R, int]:
    """Run one job.

    In a worker process, first limit BLAS to one thread. In the calling process, leave its thread
    settings unchanged.
    """
    if home != process():
        one_thread_for_life()
    return call_with_retries(work, *job)


class ExecutorWorkers(WorkerPool):
    """Pool around an executor that the caller provides and closes. Jobs carry all their data.

    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     list(ExecutorWorkers(pool).ordered(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """

    grain = 1.0

    def __init__(self, executor: Executor, width: int = 0) -> None:
        self._executor = executor
        self._width = width or next(w for w in _widths(executor) if w)

    @property
    def width(self) -> int:
        """Return the number of workers of the executor."""
        return self._width

    def close(self) -> None:
        """Do nothing, because the executor belongs to the caller."""

    def ordered(
        self,
        work: Callable[..., R],
        jobs: Iterable[Job],
        *,
        memory: int = 0,  # noqa: ARG002 there is nobody to place
    ) -> Iterator[R]:
        """Yield results in the order of the jobs. At most three per worker wait."""
        n_retries, home = 0, process()

        def submit(job: Job) -> Future[tuple[R, int]]:
            return self._executor.submit(_run_job, home, work, *job)

        try:
            for result, tries in iter_results(submit, jobs, 3 * self.width):
                n_retries += tries
                yield result
        except BrokenExecutor as error:
            msg = f"The executor lost its workers: {' '.join(str(error).split())}"
            raise ClusterError(msg) from error
        finally:
            if n_retries:
                log_event(
                    f"{n_retries} storage operation{' was' if n_retries == 1 else 's were'} "
                    "retried after an error"
                )
