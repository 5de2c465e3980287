"""Executors shared by the tests of verbs, because a process pool takes seconds to start."""

from collections.abc import Iterator

import pytest

from helpers.crews import CREWS, OTHERS
from nstar._engine.work import Where


@pytest.fixture(scope="session")
def process_crew() -> Iterator[Where]:
    """Two processes for all tests; tests that break a pool start their own."""
    with OTHERS["processes"]() as where:
        yield where


@pytest.fixture(scope="module")
def dask_crew() -> Iterator[Where]:
    """Dask client for one test module, so that its threads do not run during other modules."""
    with OTHERS["dask"]() as where:
        yield where


@pytest.fixture(params=CREWS)
def crew(request: pytest.FixtureRequest) -> Where:
    """Each executor other than nstar's own threads, started once."""
    shared = {"processes": "process_crew", "dask": "dask_crew", "ray": "ray_executor"}
    where: Where = request.getfixturevalue(shared[request.param])
    return where


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audits use 999 draws for max-T instead of 10,000 or more."""
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.default_draws", lambda _: 999)
