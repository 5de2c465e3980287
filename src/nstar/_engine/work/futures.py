"""Futures: any executor that works like those of concurrent.futures, such as Dask's or MPI's."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import BrokenExecutor, Executor, Future
from multiprocessing import cpu_count
from typing import Any, TypeVar

from nstar._engine.work.crew import Job
from nstar._engine.work.direct import Nearby
from nstar._engine.work.fold import in_order
from nstar._engine.work.log import tell
from nstar._engine.work.retry import one_thread_for_life, process, steadily
from nstar.errors import ClusterError

R = TypeVar("R")


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
    return steadily(work, *job)


class Futures(Nearby):
    """An executor that somebody else made and will close. It has no store: jobs carry all.

    Examples
    --------
    >>> from concurrent.futures import ThreadPoolExecutor
    >>> with ThreadPoolExecutor(2) as pool:
    ...     list(Futures(pool).ordered(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """

    grain = 1.0

    def __init__(self, executor: Executor, width: int = 0) -> None:
        self._executor = executor
        self.width = width or next(w for w in _widths(executor) if w)

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
            for result, tries in in_order(submit, jobs, 3 * self.width):
                again += tries
                yield result
        except BrokenExecutor as error:
            msg = f"the executor lost its workers: {' '.join(str(error).split())}"
            raise ClusterError(msg) from error
        finally:
            if again:
                tell(f"{again} storage error{' was' if again == 1 else 's were'} tried again")

    def close(self) -> None:
        """The executor is its owner's."""
