"""Faults in the middle of an audit on several nodes: it ends as it would have ended."""

import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray")

from helpers import faults

pytestmark = [pytest.mark.cluster, pytest.mark.filterwarnings("default")]

AGAIN = re.compile(r"\d+ jobs? (was|were) begun again after a failure; results are the same")


@pytest.mark.slow
@pytest.mark.usefixtures("ray_executor")
def test_workers_killed(ray_nodes: Any) -> None:
    found = faults.workers_killed(ray_nodes)
    assert found.same
    assert AGAIN.fullmatch(found.told[0])


@pytest.mark.slow
@pytest.mark.usefixtures("ray_executor")
def test_a_node_lost(ray_nodes: Any) -> None:
    found = faults.node_lost(ray_nodes)
    assert found.same
    assert found.told[-1].startswith("1 node was lost on the way: ")


@pytest.mark.slow
def test_a_store_that_is_full() -> None:
    faults.disconnect()
    found = faults.store_full()
    assert found.same
    assert found.note == "spilled to disk"


@pytest.mark.slow
def test_a_write_that_fails_once(tmp_path: Path) -> None:
    faults.disconnect()
    found = faults.write_failed(tmp_path)
    assert found.same
    assert found.note == "a write failed"
    assert AGAIN.fullmatch(found.told[0])


@pytest.mark.slow
def test_a_driver_that_is_killed_goes_on(ray_nodes: Any, tmp_path: Path) -> None:
    found = faults.driver_killed(ray_nodes, tmp_path)
    assert found.same
    assert not found.note.startswith("0 of")
