"""What several modules of readers' tests share."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from helpers.warm import Warm


@pytest.fixture(scope="session")
def warm() -> Iterator["Warm"]:
    """A process that has loaded nstar and of which each run is a fork."""
    from helpers.warm import warm_program  # noqa: PLC0415 needs POSIX limits

    with warm_program() as program:
        yield program
