"""WorkerPool: workers here or elsewhere, whose results come in the order of the jobs."""

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
    """Who does the work.

    Work is a function of a module, jobs are its arguments, and a result depends on its job alone:
    it may be computed anywhere, and again after a failure.
    """

    grain: float
    """Seconds that a job should last at least, to be worth its way; 0 if jobs cost nothing."""
    shares_memory = False
    """Jobs see what others have left in the memory of this process."""

    @property
    @abstractmethod
    def width(self) -> int:
        """Jobs under way at once."""

    def share(self, value: T) -> T:
        """A large value for many jobs, handed out once; what is returned stands for it."""
        return value

    @abstractmethod
    def ordered(
        self, work: Callable[..., R], jobs: Iterable[Job], *, memory: int = 0
    ) -> Iterator[R]:
        """``work(*job)`` of every job, in order; few of them wait at any time.

        ``memory`` is what one job needs, in bytes, for those who place jobs by it.
        """

    def reduced(
        self,
        work: Callable[..., R],
        jobs: Iterable[Job],
        add: Callable[[R, R], R],
        *,
        memory: int = 0,
        done: Callable[[int], None] | None = None,
    ) -> R:
        """The sum of all results; ``add`` must be exact in any order, or sums would differ.

        It may change its first argument.
        ``done`` is called with the number of each job that is finished, in order.
        """
        return reduce_in_order(self.ordered(work, jobs, memory=memory), add, done)

    @abstractmethod
    def close(self) -> None:
        """Send everybody home; what has not begun is dropped."""


class ThreadWorkers(WorkerPool):
    """So many threads; with one, the work is done where it is asked for.

    Examples
    --------
    >>> list(ThreadWorkers(2).ordered(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """

    grain = 0.0
    shares_memory = True

    def __init__(self, width: int) -> None:
        self._width = width

    @property
    def width(self) -> int:
        """As many as there are threads."""
        return self._width

    def close(self) -> None:
        """Threads end with their work."""

    def ordered(
        self,
        work: Callable[..., R],
        jobs: Iterable[Job],
        *,
        memory: int = 0,  # noqa: ARG002 there is nobody to place
    ) -> Iterator[R]:
        """Results in the order of the jobs; few of them wait at any time."""
        if self.width == 1:
            yield from (work(*job) for job in jobs)
            return
        pool = ThreadPoolExecutor(self.width)
        try:
            yield from iter_results(lambda job: pool.submit(work, *job), jobs, 2 * self.width + 1)
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _widths(executor: Any) -> Iterator[int | None]:
    """What an executor says of its size, as those of the standard library and Dask's do."""
    yield getattr(executor, "_max_workers", None)
    client: Any = getattr(executor, "_client", None)
    yield sum(client.ncores().values()) if hasattr(client, "ncores") else None
    yield cpu_count()


def _there(home: tuple[str, int], work: Callable[..., R], *job: Any) -> tuple[R, int]:
    """A job; the process of whoever asked for it keeps its own settings."""
    if home != process():
        one_thread_for_life()
    return call_with_retries(work, *job)


class ExecutorWorkers(WorkerPool):
    """An executor that somebody else made and will close. It has no store: jobs carry all.

    Examples
    --------
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
        """As many as the executor has workers."""
        return self._width

    def close(self) -> None:
        """It is its owner's."""

    def ordered(
        self,
        work: Callable[..., R],
        jobs: Iterable[Job],
        *,
        memory: int = 0,  # noqa: ARG002 there is nobody to place
    ) -> Iterator[R]:
        """Results in the order of the jobs; no more than three for each worker wait."""
        again, home = 0, process()

        def submit(job: Job) -> Future[tuple[R, int]]:
            return self._executor.submit(_there, home, work, *job)

        try:
            for result, tries in iter_results(submit, jobs, 3 * self.width):
                again += tries
                yield result
        except BrokenExecutor as error:
            msg = f"the executor lost its workers: {' '.join(str(error).split())}"
            raise ClusterError(msg) from error
        finally:
            if again:
                log_event(f"{again} storage error{' was' if again == 1 else 's were'} tried again")
