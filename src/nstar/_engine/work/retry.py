"""Run work on a worker with one BLAS thread, retries after storage errors, and a log of events."""

import errno
import logging
import os
import time
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar
from uuid import uuid4

from threadpoolctl import threadpool_limits

_MARK = uuid4().hex

R = TypeVar("R")

LOGGER = "nstar.work"
"""Name of the logger for events such as repeated jobs and lost nodes."""

_RETRY_DELAYS_SECONDS = (0.2, 1.0, 5.0)
"""Seconds before each retry."""

_PERMANENT_ERRNOS = frozenset(
    {errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EROFS, errno.EDQUOT}
    | {errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG}
)
"""Storage errors that a retry cannot resolve."""


def log_event(text: str) -> None:
    """Log an event in one line. No result depends on it."""
    logging.getLogger(LOGGER).warning(text)


def one_thread() -> Any:
    """Limit BLAS to one thread inside a ``with`` block, because nstar uses its own threads.

    Only loaded libraries can be limited. NumPy and SciPy each have their own.
    """
    # threadpoolctl can only limit BLAS libraries that are loaded, and SciPy's wheel brings its
    # own. Without this import the limit would miss it, and threads would be oversubscribed.
    import scipy.special  # noqa: F401, PLC0415

    return threadpool_limits(1, "blas")


@cache
def one_thread_for_life() -> Any:
    """Limit BLAS to one thread for the life of a worker process."""
    return one_thread()


def process() -> tuple[str, int]:
    """Return an identifier that is unique to this process on all machines."""
    return _MARK, os.getpid()


def _is_temporary(error: BaseException | None) -> bool:
    """Return whether an error, or its cause, is a possibly temporary storage error."""
    while error is not None:
        if isinstance(error, OSError):
            return error.errno not in _PERMANENT_ERRNOS
        error = error.__cause__
    return False


def call_with_retries(work: Callable[..., R], *job: Any) -> tuple[R, int]:
    """Return ``work(*job)``, and the number of storage failures before it succeeded.

    >>> call_with_retries(pow, 2, 3)
    (8, 0)
    """
    for tries, pause in enumerate(_RETRY_DELAYS_SECONDS):
        try:
            return work(*job), tries
        except Exception as error:
            if not _is_temporary(error):
                raise
            time.sleep(pause)
    return work(*job), len(_RETRY_DELAYS_SECONDS)
