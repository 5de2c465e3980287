"""Tie letters: shared by two models exactly if neither is shown to beat the other."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.boards import board, scores, with_task
from nstar import Audit, audit, stats
from nstar._verbs.audit import RankTable
from nstar.report.prose.letter_display import (
    LetterDisplay,
    _from_ranks,
    _lettered,
    _without,
    letters,
)

WON = ("significant",)


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.default_draws", lambda _: 999)


def sharing(ties: LetterDisplay) -> set[tuple[int, int]]:
    assert ties.of is not None
    return {
        (i, j) for i, j in combinations(range(len(ties.of)), 2) if {*ties.of[i]} & {*ties.of[j]}
    }


def open_pairs(found: Audit) -> set[tuple[int, int]]:
    """Pairs that are not told apart."""
    place = {model: k for k, model in enumerate(found.ranking.model)}
    p = found.pairs
    return {
        (min(place[a], place[b]), max(place[a], place[b]))
        for a, b, word in zip(p.model_a, p.model_b, p.verdict, strict=True)
        if word not in WON
    }


def ranks(better: np.ndarray) -> RankTable:
    """Rank sets of these wins."""
    low, high = stats.rank_sets(better)
    m = len(better)
    places = np.arange(1, m + 1)
    return RankTable(
        model=tuple(f"m{k}" for k in range(m)),
        mean=np.linspace(1, 0, m),
        ci_low=np.full(m, np.nan),
        ci_high=np.full(m, np.nan),
        n_items=np.full(m, 9),
        rank=places,
        rank_low=low,
        rank_high=high,
        marginal_rank_low=low,
        marginal_rank_high=high,
        tier=places,
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_two_models_share_a_letter_if_neither_beats_the_other(seed: int, missing: float) -> None:
    found = audit(board(scores(seed, models=9, missing=missing)), pairs="all")
    ties = letters(found)
    assert sharing(ties) == open_pairs(found)
    assert ties.of is not None
    assert all(ties.of)


def test_rank_sets_are_enough_where_models_stand_in_line() -> None:
    seen = [audit(board(scores(seed, models=8))) for seed in range(8)]
    whole = [audit(board(scores(seed, models=8)), pairs="all") for seed in range(8)]
    said = [letters(found) for found in seen]
    assert any(ties.of for ties in said)
    for ties, found in zip(said, whole, strict=True):
        assert ties.of is None or sharing(ties) == open_pairs(found)


@given(st.integers(2, 7), st.data())
def test_rank_sets_never_say_more_than_the_wins(m: int, data: st.DataObject) -> None:
    pairs = list(combinations(range(m), 2))
    better = np.zeros((m, m))
    for i, j in data.draw(st.lists(st.sampled_from(pairs), unique=True)):
        better[i, j] = 1
    sets = _from_ranks(ranks(better))
    won = [(i, j) for i, j in pairs if better[i, j]]
    expected = {pair for pair in pairs if not better[pair]}
    assert sharing(_lettered(_without(won, m), m)) == expected
    if sets is not None:
        assert sharing(_lettered(sets, m)) == expected
        assert sorted(sets) == sorted(_without(won, m) or [])


def test_letters_run_in_rank_order() -> None:
    chain = np.triu(np.ones((5, 5)), 2)
    assert _lettered(_from_ranks(ranks(chain)), 5).of == ("a", "ab", "bc", "cd", "d")
    apart = np.triu(np.ones((3, 3)), 1)
    assert _lettered(_from_ranks(ranks(apart)), 3).of == ("a", "b", "c")


def test_why_there_are_none() -> None:
    whole = audit(board(scores(1, models=4)), pairs="all")
    better = np.zeros((4, 4))
    better[0, 2] = better[1, 3] = 1  # or 0 beats 3 and 1 beats 2: the counts are the same
    found = replace(whole, ranking=replace(ranks(better), model=whole.ranking.model))
    assert letters(found).of is not None
    short = with_task(whole, pairs=whole.adjacent, ranking=found.ranking)
    assert letters(short).why_not == 'letters need every pair (pairs="all")'
    assert 'adjust="maxt"' in letters(replace(found, adjust="bh")).why_not


def test_more_letters_than_the_alphabet_has(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "alphabet" in _lettered(_from_ranks(ranks(np.triu(np.ones((60, 60)), 1))), 60).why_not
    monkeypatch.setattr(
        "nstar.report.prose.letter_display._MAX_LETTER_SETS", 52
    )  # at 416 this takes 40 s
    assert _without(combinations(range(60), 2), 60) is None
    assert _without(combinations(range(52), 2), 52) is not None


def test_an_average_has_letters_where_rank_sets_give_them() -> None:
    found = audit([board(scores(s, models=5), task=f"t{s}") for s in (1, 2)])
    assert len(found.tasks) > 1
    ties = letters(found)
    assert ties.of is None or len(ties.of) == 5
    better = np.zeros((5, 5))
    better[0, 2] = better[1, 3] = 1
    mixed = replace(found, ranking=replace(ranks(better), model=found.ranking.model))
    assert "an average over tasks does not keep" in letters(mixed).why_not
