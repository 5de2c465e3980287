"""Items missing for one model: whether they could change the verdict, and the headline."""

import numpy as np
import pytest

import nstar
from nstar._base.types import Array

FIRST = np.repeat([1.0, 0.0], [60, 40])
SECOND = np.repeat([1.0, 0.0], [40, 60])


def without_last(scores: Array, missing: int) -> Array:
    out = scores.copy()
    out[out.size - missing :] = np.nan
    return out


@pytest.mark.parametrize(
    ("missing", "effect", "words"),
    [
        (0, None, ""),
        (3, None, ""),  # 20 items won, 3 lost
        (10, "undo", "B lacks 10 of 100 items (10.0%), which could make the gap inconclusive"),
        (30, "reverse", "which could reverse the gap (−10.0 to +20.0 pp)"),
    ],
)
def test_what_missing_items_could_do(missing: int, effect: str | None, words: str) -> None:
    partial = without_last(SECOND, missing)
    ahead = nstar.compare(FIRST, partial)
    behind = nstar.compare(partial, FIRST)
    assert ahead.tasks[0].missing_effect == behind.tasks[0].missing_effect == effect
    said = " ".join(str(ahead).split("\n\n")[0].split())
    assert words in said
    assert ("Caution" in said) is (effect is not None)


def test_no_caution_where_no_gap_was_shown() -> None:
    rng = np.random.default_rng(1)
    first = rng.integers(0, 2, 60).astype(float)
    second = without_last(rng.permutation(first), 20)
    found = nstar.compare(first, second)
    assert found.tasks[0].verdict == "inconclusive"
    assert found.tasks[0].missing_effect is None
