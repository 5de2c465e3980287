"""Settings of the whole test suite, and the Ray nodes that tests share."""

import signal
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import settings

# The same examples on every run and no stop-watch: a red build is a change in the code.
settings.register_profile("nstar", derandomize=True, deadline=None, max_examples=40)
# New examples each time, for a search by hand: pytest --hypothesis-profile=search tests/laws
settings.register_profile("search", deadline=None, max_examples=2000)
settings.load_profile("nstar")

# A job in the background starts with Ctrl-C ignored, and so would every child that a test stops.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)  # before pytest deselects by mark
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test marked ``sampled(n)``, mark all but every n-th case as slow.

    Where several parameters are crossed, choose an n that shares no factor with their numbers of
    values: every value of every parameter is then still met.
    """
    counts: Counter[str] = Counter()
    for item in items:
        mark = item.get_closest_marker("sampled")
        if mark is None:
            continue
        name = item.nodeid.partition("[")[0]
        if counts[name] % mark.args[0]:
            item.add_marker("slow")
        counts[name] += 1


@pytest.fixture(scope="session")
def ray_nodes() -> Iterator[Any]:
    """Three nodes on this machine with a processor each, begun once for all tests."""
    pytest.importorskip("ray")
    from helpers import faults  # noqa: PLC0415 needs Ray

    with faults.cluster(3) as found:
        yield found


@pytest.fixture
def ray_executor(ray_nodes: Any) -> str:
    """Those nodes, with this process connected, so that workers stay from test to test."""
    from helpers import faults  # noqa: PLC0415 needs Ray

    faults.connect(ray_nodes)
    return "ray"
