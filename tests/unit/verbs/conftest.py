"""Executors that the tests of verbs share: a pool of processes takes seconds to begin."""

from collections.abc import Iterator

import pytest

from helpers.crews import CREWS, OTHERS
from nstar._engine.work import Where


@pytest.fixture(scope="session")
def process_crew() -> Iterator[Where]:
    """Two processes for all tests; those that are to be harmed begin their own."""
    with OTHERS["processes"]() as where:
        yield where


@pytest.fixture(scope="module")
def dask_crew() -> Iterator[Where]:
    """A Dask client for a module's tests: its threads shall not run beside other modules."""
    with OTHERS["dask"]() as where:
        yield where


@pytest.fixture(params=CREWS)
def crew(request: pytest.FixtureRequest) -> Where:
    """Each executor that is not threads of ours, begun once."""
    shared = {"processes": "process_crew", "dask": "dask_crew", "ray": "ray_executor"}
    where: Where = request.getfixturevalue(shared[request.param])
    return where


@pytest.fixture
def few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Audits draw 999 times for max-T, where they would draw 10,000 times or more."""
    monkeypatch.setattr("nstar._verbs.audit.survey.default_draws", lambda _: 999)
