"""Small files that would be large are refused before they are: in bounded memory and time."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("resource", reason="limits of POSIX, which the helpers import")

from helpers.bombs import BOMBS, LIGHT_MEMORY, MEMORY, SECONDS, SPACE, Bomb, run
from helpers.warm import Warm

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="limits as on Linux")


@pytest.mark.parametrize("bomb", BOMBS, ids=lambda b: b.name)
def test_bomb(
    bomb: Bomb, warm: Warm, tmp_path: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    arguments = (bomb.light or bomb.make)(tmp_path)
    prints = tmp_path_factory.mktemp("prints")
    outcome = warm.run(arguments, prints, space=SPACE, seconds=2 * SECONDS)
    printed = outcome.output + outcome.error
    assert "Traceback" not in printed
    assert outcome.status == bomb.status, outcome
    assert (bomb.light_prints or bomb.says) in " ".join(printed.split())
    assert outcome.cpu < SECONDS
    assert outcome.peak < LIGHT_MEMORY


@pytest.mark.slow
@pytest.mark.parametrize("bomb", BOMBS, ids=lambda b: b.name)
def test_bomb_in_full(bomb: Bomb, tmp_path: Path) -> None:
    """Set off by the real program, as large as the page of security says."""
    outcome = run(bomb, tmp_path)
    assert "Traceback" not in outcome.printed
    assert outcome.status == bomb.status, outcome
    assert bomb.says in " ".join(outcome.printed.split())
    assert outcome.cpu < SECONDS
    assert outcome.peak < MEMORY
