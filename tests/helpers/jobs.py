"""Work that workers of a cluster do in tests: functions of a module that they can import."""

import errno
import os
import signal
import time
from pathlib import Path
from typing import Any

from nstar.errors import DataError


def square(x: int) -> int:
    return x * x


def slow_square(x: int, seconds: float) -> int:
    time.sleep(seconds)
    return x * x


def once(flag: str) -> bool:
    """Whether nobody was here before."""
    try:
        Path(flag).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def _die() -> None:
    """End this process at once, without any clean-up."""
    if hasattr(signal, "SIGKILL"):
        os.kill(os.getpid(), signal.SIGKILL)
    os._exit(9)  # Windows has no such signal


def killed_once(x: int, flag: str) -> int:
    """Its worker is gone the first time."""
    if x == 3 and once(flag):
        _die()
    return x * x


def killed_always(x: int) -> int:
    _die()
    return x


def storage_fails_once(x: int, flag: str) -> int:
    if x == 3 and once(flag):
        raise OSError(errno.EIO, "the disk hiccups")
    return x * x


def storage_wrapped(x: int, flag: str) -> int:
    """As the writers of nstar tell it."""
    try:
        return storage_fails_once(x, flag)
    except OSError as error:
        msg = f"cannot be written: {error}"
        raise DataError(msg) from error


def disk_is_full(x: int) -> int:
    raise OSError(errno.ENOSPC, "no space")


def refuses(x: int) -> int:
    msg = f"{x} cannot mean what it says"
    raise DataError(msg)


def joined(a: Any, b: Any) -> Any:
    """An addition whose order can be seen."""
    return a + b


def threads_of_blas(_: int) -> list[int]:
    import numpy as np  # noqa: F401, PLC0415 loads BLAS
    from threadpoolctl import threadpool_info  # noqa: PLC0415

    return [found["num_threads"] for found in threadpool_info() if found["user_api"] == "blas"]


def break_storage() -> None:
    """The next file that any worker wants to keep fails, once; a hook for new workers."""
    from nstar._data.export import files  # noqa: PLC0415

    flag, keep = os.environ["NSTAR_BREAK_STORAGE"], files.NewFile.keep

    def failing(self: Any, *given: Any, **also: Any) -> Any:
        if once(flag):
            raise OSError(errno.EIO, "the disk hiccups")
        return keep(self, *given, **also)

    files.NewFile.keep = failing  # type: ignore[method-assign]


def leaf(k: int) -> list[int]:
    return [k]
