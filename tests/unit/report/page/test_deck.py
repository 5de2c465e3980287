"""What a page holds of a ranking: no more than it shows, and no less."""

from typing import Any

import numpy as np
import pytest

import nstar
from helpers.boards import board, scores, subjects
from nstar import stats
from nstar._verbs.audit.maxt import StepDown
from nstar.report.page import _deck, page
from nstar.report.page._deck import deck


@pytest.mark.parametrize("models", [3, 12, 40])
def test_max_t_asks_at_each_level_what_it_would_ask_alone(models: int) -> None:
    survey = nstar.audit(board(scores(1, models=models, items=300)), draws=1500).survey
    assert survey is not None
    assert survey.cov is not None
    assert isinstance(survey.step, StepDown)
    every = np.stack(np.triu_indices(models, 1), axis=1)
    found = survey.max_t_scores((0.01, 0.1, 0.05, 0.001))
    assert list(found) == [0.1, 0.05, 0.01, 0.001]
    for alpha, score in found.items():
        rest = every[survey.step.p > alpha]
        alone: Any = {"pairs": rest, "alpha": alpha, "draws": 1500, "rng": survey.seed}
        few = len(rest) < 2
        assert score == (
            stats.z_alpha(alpha) if few else stats.max_t_critical(survey.cov, **alone)
        )
    assert found[0.05] == survey.step.critical


@pytest.mark.parametrize(
    ("draws", "levels"),
    [
        (19, [0.05, 0.1]),
        (500, [0.01, 0.05, 0.1]),
        (999, [0.001, 0.01, 0.05, 0.1]),
    ],
)
def test_levels_are_those_that_the_draws_can_give(draws: int, levels: list[float]) -> None:
    found = nstar.audit(board(scores(1, models=4, items=150)), draws=draws)
    assert sorted(a for a, _ in deck(found)["maxt"]["levels"]) == levels
    assert page(found)


def test_why_there_is_no_max_t() -> None:
    absent = board(scores(2, models=4, items=150, missing=0.1))
    for adjust in ("holm", "maxt", "none"):
        assert "different items" in deck(nstar.audit(absent, adjust=adjust))["why"]
    assert deck(nstar.audit(board(scores(2, models=4, items=150))))["why"] is None


def _grouped(x: Any) -> nstar.ScoreMatrix:
    items = x.shape[1]
    groups = {"many": subjects(1, items, 30), "few": subjects(2, items, 3)}
    return nstar.ScoreMatrix.from_arrays(
        x, models=[f"m{k}" for k in range(len(x))], groups={k: groups[k] for k in groups}
    )


def test_a_column_without_room_leaves_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_deck, "_ROOM", 400)
    found = nstar.audit(_grouped(scores(3, models=6, items=400)), strata="many")
    assert [(g["column"], "rate" in g) for g in deck(found)["groups"]] == [
        ("many", True),
        ("few", False),
    ]


def test_means_over_other_items_than_the_pairs_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matrix = _grouped(scores(3, models=6, items=400, missing=0.1))
    monkeypatch.setattr(_deck, "_ROOM", 400)
    found = deck(nstar.audit(matrix, strata="many"))["groups"]
    assert [g["column"] for g in found] == ["few"]
