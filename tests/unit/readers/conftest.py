"""What several modules of readers' tests share."""

from collections.abc import Iterator

import pytest

from helpers.warm import Warm, warm_program


@pytest.fixture(scope="session")
def warm() -> Iterator[Warm]:
    """A process that has loaded nstar and of which each run is a fork."""
    with warm_program() as program:
        yield program
