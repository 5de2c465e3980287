"""Items in groups: a race of group means keeps the best model, one of items in a row does not."""

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import special

import nstar
from nstar.cli import main
from validation.races import left_of

EXAMPLE = Path(__file__).parents[4] / "examples" / "results.csv"
LUCK = 1.5
"""Of each model on each group, in logits."""


def grouped(races: int, groups: int, size: int, ahead: float = 0.0) -> np.ndarray:
    """Scores of five models, (races, groups, size, models); the first is ahead, in logits."""
    rng = np.random.default_rng(1)
    luck = rng.normal(0, LUCK, (races, groups, 1, 5))
    luck[..., 0] += ahead
    hard = rng.normal(0, 1.5, (races, groups, size, 1))
    return (rng.random((races, groups, size, 5)) < special.expit(luck + hard)).astype(float)


def dropped(scores: np.ndarray, *, graded: bool) -> float:
    """How often the first of equally good models is dropped."""
    return float(1 - left_of(scores, graded=graded)[:, 0].mean())


def test_the_best_is_kept_by_group_means_and_not_by_items() -> None:
    """Figures of docs/evidence/races.md. Shuffled, some model is the best on these very groups."""
    scores = grouped(400, 60, 10)
    in_a_row = scores.reshape(400, 600, 5)
    shuffled = in_a_row[:, np.random.default_rng(3).permutation(600)]
    assert dropped(in_a_row, graded=False) == pytest.approx(0.48, abs=0.08)
    assert dropped(shuffled, graded=False) == pytest.approx(0.15, abs=0.06)
    assert dropped(scores.mean(axis=2), graded=True) <= 0.05


@pytest.mark.slow
@pytest.mark.parametrize("size", [2, 10, 30])
def test_group_means_keep_the_promise(size: int) -> None:
    races = 4000
    kept = dropped(grouped(races, 60, size).mean(axis=2), graded=True)
    assert kept <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / races)


def test_sums_over_the_largest_group_weigh_items_alike() -> None:
    """Groups of unequal sizes: the promise is then about the mean of items."""
    scores = grouped(400, 60, 10)
    there = np.arange(10) < np.random.default_rng(2).integers(1, 11, (400, 60, 1))
    sums = (scores * there[..., None]).sum(axis=2) / 10
    assert dropped(sums, graded=True) <= 0.05


def test_a_leader_is_found_by_group_means() -> None:
    means = grouped(1, 300, 10, ahead=1.5)[0].mean(axis=1)
    race = nstar.Race(["m0", "m1", "m2", "m3", "m4"], items=300, scale="graded")
    for k in race.stream(range(300)):
        race.update({name: float(means[k, int(name[1])]) for name in race.running})
    assert (race.verdict, race.running) == ("winner", ("m0",))


@pytest.mark.parametrize("command", ["watch", "watch race"])
def test_the_command_says_what_to_do_instead(command: str) -> None:
    words = [*command.split(), str(EXAMPLE), "--items", "800", "--once"]
    found = CliRunner().invoke(main, [*words, "--cluster", "subject"])
    assert found.exit_code == 2
    said = " ".join(found.stderr.split())
    assert "one row per group" in said
    assert "shuffle the items" in said
    assert "--scale graded" in said
