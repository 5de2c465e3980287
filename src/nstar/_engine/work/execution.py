"""Execution: settings that determine where work runs, and the workers that they open."""

from collections.abc import Callable, Iterator
from concurrent.futures import Executor
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from multiprocessing import cpu_count
from typing import TypeAlias

from nstar._engine.work.retry import one_thread
from nstar._engine.work.worker_pool import ExecutorWorkers, ThreadWorkers, WorkerPool
from nstar.errors import ParameterError, arg

Where: TypeAlias = str | Executor
"""``local``, ``ray``, ``ray:ADDRESS``, ``ray://HOST:PORT``, or an executor."""
Progress: TypeAlias = Callable[[int, int], None]
"""Callback with the finished and the total amount of work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """Settings for where work runs, how many parts run in parallel, and what is stored.

    Results do not depend on these settings.

    Examples
    --------
    >>> with Execution(workers=2).crew() as workers:
    ...     list(workers.ordered(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """

    workers: int = 0
    """Number of threads, or of parallel jobs on other workers. 0 means one per processor."""
    executor: Where = "local"
    """Workers: ``local`` (threads of this process), ``ray`` (an existing cluster, or Ray on this
    machine), ``ray:ADDRESS``, ``ray://HOST:PORT``, or any executor as of
    :mod:`concurrent.futures`, such as Dask's ``client.get_executor()``."""
    progress: Progress | None = None
    """Callback with the finished and the total amount of work of the current pass."""
    out: str | None = None
    """Folder for every pair of an audit, as a Parquet dataset with a manifest, or for the
    completed batches of a simulation. An interrupted run resumes from it.
    """
    memory: int | None = None
    """Memory in bytes in which an audit of more than 1,000 models stores counts of pairs, so that
    it counts them once instead of twice. None means a quarter of the free memory, but at most 1
    GB.
    """
    work: str | None = None
    """Folder in which an audit of more than 1,000 models stores its counts. An interrupted audit
    resumes from it.
    """

    def __post_init__(self) -> None:
        workers: object = self.workers
        if not isinstance(workers, int) or workers < 0:
            msg = f"{arg('workers')} must be a whole number of at least 0; got {self.workers!r}"
            raise ParameterError(msg)
        memory: object = self.memory
        if memory is not None and (not isinstance(memory, int) or memory < 0):
            msg = f"{arg('memory')} must be a whole number of bytes, or None; got {memory!r}"
            raise ParameterError(msg)
        check_executor(self.executor)

    def crew(self) -> "AbstractContextManager[WorkerPool]":
        """Open the workers, as a context manager."""
        return open_workers(self.executor, self.workers)


def _ray_address(executor: str) -> str | None:
    """Return the address in the name of an executor. None means any Ray cluster."""
    if executor == "ray":
        return None
    return executor if executor.startswith("ray://") else executor.removeprefix("ray:")


def check_executor(executor: Where) -> None:
    """Raise ParameterError for a value that is not an executor.

    >>> check_executor("local")
    >>> check_executor("dask")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    nstar.errors.ParameterError: executor must be local, ray, ray:ADDRESS, ...
    """
    if isinstance(executor, str):
        known = executor in ("local", "ray") or (executor.startswith("ray:") and executor[4:])
    else:
        known = callable(getattr(executor, "submit", None))
    if not known:
        msg = (
            "executor must be local, ray, ray:ADDRESS, ray://HOST:PORT or a concurrent.futures "
            f"executor; got {executor!r}"
        )
        raise ParameterError(msg)
    if isinstance(executor, str) and executor != "local" and find_spec("ray") is None:
        msg = f"{arg('executor')} needs Ray: pip install 'nstar[ray]'"
        raise ParameterError(msg)


@contextmanager
def open_workers(executor: Where = "local", workers: int = 0) -> Iterator[WorkerPool]:
    """Open the workers, as a context manager.

    >>> with open_workers("local", 2) as workers:
    ...     list(workers.ordered(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    check_executor(executor)
    pool: WorkerPool
    with ExitStack() as stack:
        if not isinstance(executor, str):
            stack.enter_context(one_thread())  # its workers may be threads of this process
            pool = ExecutorWorkers(executor, workers)
        elif executor == "local":
            pool = ThreadWorkers(workers or cpu_count())
        else:
            from nstar._engine.work.ray import RayWorkers  # noqa: PLC0415 an extra, and slow to import

            pool = RayWorkers(_ray_address(executor), workers)
        stack.callback(pool.close)
        yield pool
