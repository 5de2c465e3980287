"""A piece of work elsewhere: one thread for BLAS, storage that fails is tried again, and told."""

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
"""Name of the logger that is told what happened on the way: jobs done again, nodes lost."""

_RETRY_DELAYS_SECONDS = (0.2, 1.0, 5.0)
"""Seconds before each new try."""

_PERMANENT_ERRNOS = frozenset(
    {errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EROFS, errno.EDQUOT}
    | {errno.EEXIST, errno.EISDIR, errno.ENOTDIR, errno.ENAMETOOLONG}
)
"""Errors of storage that will be the same next time."""


def log_event(text: str) -> None:
    """One line about what happened; no result depends on it."""
    logging.getLogger(LOGGER).warning(text)


def one_thread() -> Any:
    """Threads are ours, so BLAS gets one; as it was before, at the end of a ``with``.

    Only libraries that are loaded can be limited: numpy has one, and scipy one of its own.
    """
    import scipy.special  # noqa: F401, PLC0415

    return threadpool_limits(1, "blas")


@cache
def one_thread_for_life() -> Any:
    """The same for a process that is there for jobs: they take its processors."""
    return one_thread()


def process() -> tuple[str, int]:
    """What tells this process from all others, on any machine."""
    return _MARK, os.getpid()


def _passing(error: BaseException | None) -> bool:
    """Whether an error, or what caused it, is one of storage that may not come again."""
    while error is not None:
        if isinstance(error, OSError):
            return error.errno not in _PERMANENT_ERRNOS
        error = error.__cause__
    return False


def call_with_retries(work: Callable[..., R], *job: Any) -> tuple[R, int]:
    """``work(*job)``, and how often storage failed before.

    Examples
    --------
    >>> call_with_retries(pow, 2, 3)
    (8, 0)
    """
    for tries, pause in enumerate(_RETRY_DELAYS_SECONDS):
        try:
            return work(*job), tries
        except Exception as error:
            if not _passing(error):
                raise
            time.sleep(pause)
    return work(*job), len(_RETRY_DELAYS_SECONDS)
