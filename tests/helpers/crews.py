"""Executors other than threads; a test is skipped where what it needs is not installed."""

from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from multiprocessing import get_context
from typing import Any

import pytest

from nstar._engine.work import Where

__all__ = ["CREWS", "ON_RAY", "OTHERS", "dask", "processes"]


@contextmanager
def processes() -> Iterator[Where]:
    """Two processes of the standard library, each begun afresh."""
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        yield pool


@contextmanager
def dask() -> Iterator[Where]:
    """The executor of a Dask client."""
    distributed = pytest.importorskip("distributed")
    given: dict[str, Any] = {"n_workers": 1, "threads_per_worker": 2, "dashboard_address": None}
    with (
        distributed.LocalCluster(processes=False, **given) as cluster,
        distributed.Client(cluster) as client,
        client.get_executor() as pool,
    ):
        yield pool


ON_RAY = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]
"""Marks of every test that needs Ray: one after the other, and Ray leaves files open."""

OTHERS: dict[str, Callable[[], AbstractContextManager[Where]]] = {
    "processes": processes,
    "dask": dask,
}

CREWS = [*OTHERS, pytest.param("ray", marks=ON_RAY)]
