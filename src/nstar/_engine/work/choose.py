"""From what a user names to a crew: threads, Ray, or an executor."""

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from multiprocessing import cpu_count
from typing import TypeAlias

from nstar._engine.work.crew import Crew
from nstar._engine.work.futures import Futures
from nstar._engine.work.local import Local
from nstar._engine.work.retry import one_thread
from nstar.errors import ParameterError, arg

Where: TypeAlias = str | Executor
"""``local``, ``ray``, ``ray:ADDRESS``, ``ray://HOST:PORT``, or an executor."""


def _ray_address(executor: str) -> str | None:
    """Address in the name of an executor; None for whatever Ray there is."""
    if executor == "ray":
        return None
    return executor if executor.startswith("ray://") else executor.removeprefix("ray:")


def check_executor(executor: Where) -> None:
    """Refuse what is no place to work at.

    Examples
    --------
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
            "executor must be local, ray, ray:ADDRESS, ray://HOST:PORT or an executor as of "
            f"concurrent.futures; got {executor!r}"
        )
        raise ParameterError(msg)
    if isinstance(executor, str) and executor != "local" and find_spec("ray") is None:
        msg = f"{arg('executor')} needs Ray: pip install 'nstar[ray]'"
        raise ParameterError(msg)


@contextmanager
def opened(executor: Where = "local", workers: int = 0) -> Iterator[Crew]:
    """Whoever does the work, for as long as it lasts.

    Examples
    --------
    >>> with opened("local", 2) as crew:
    ...     list(crew.ordered(pow, [(2, 3), (3, 2)]))
    [8, 9]
    """
    check_executor(executor)
    crew: Crew
    with ExitStack() as stack:
        if not isinstance(executor, str):
            stack.enter_context(one_thread())  # its workers may be threads of this process
            crew = Futures(executor, workers)
        elif executor == "local":
            crew = Local(workers or cpu_count())
        else:
            from nstar._engine.work.ray import Ray  # noqa: PLC0415 an extra, and slow to import

            crew = Ray(_ray_address(executor), workers)
        stack.callback(crew.close)
        yield crew
