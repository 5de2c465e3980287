"""Small files that would be large are refused before they are: in bounded memory and time."""

import sys
from pathlib import Path

import pytest

from helpers.bombs import BOMBS, MEMORY, SECONDS, Bomb, run

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits as on Linux")


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda b: b.name)
def test_bomb(bomb: Bomb, tmp_path: Path) -> None:
    found = run(bomb, tmp_path)
    assert "Traceback" not in found.printed
    assert found.status == bomb.status, found
    assert bomb.says in " ".join(found.printed.split())
    assert found.cpu < SECONDS
    assert found.peak < MEMORY
