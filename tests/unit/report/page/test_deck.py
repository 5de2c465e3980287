"""What a page holds of a ranking: no more than it shows, and no less."""

import base64
import itertools
import json
import zlib
from typing import Any

import numpy as np
import pytest

import nstar
from helpers.boards import board, scores, subjects
from nstar import stats
from nstar._verbs.audit.maxt import StepDown
from nstar._verbs.verdict import Criteria
from nstar.report import document
from nstar.report.page import _deck, _items, _rules, page
from nstar.report.page._deck import deck
from nstar.report.page._rules import level_choices, power_choices


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


@pytest.mark.parametrize(("draws", "known"), [(19, 2), (500, 3), (999, 4)])
def test_levels_that_the_draws_cannot_give_are_judged_by_holm(draws: int, known: int) -> None:
    found = nstar.audit(board(scores(1, models=4, items=150)), draws=draws)
    rules = deck(found)["rules"]
    assert rules["levels"] == (0.1, 0.05, 0.01, 0.001)
    assert rules["ranking"] == ["maxt"] * known + ["holm"] * (4 - known)
    assert [used[0] for used in rules["used"]] == rules["ranking"]
    assert page(found)


def _unpacked(packed: dict[str, Any]) -> Any:
    return json.loads(zlib.decompress(base64.b64decode(packed["z"])))


@pytest.mark.parametrize(
    "options", [{}, {"missing": 0.1}, {"graded": True}], ids=["binary", "absent", "graded"]
)
def test_every_choice_of_rules_says_what_an_audit_by_them_says(options: dict[str, Any]) -> None:
    matrix = board(scores(4, models=6, items=300, **options), labels=subjects(4, 300, 5))
    found = nstar.audit(matrix, draws=2000, strata="s")
    rules = deck(found)["rules"]
    choices = itertools.product(rules["levels"], rules["powers"], rules["policies"])
    for (alpha, power, adjust), words in zip(choices, _unpacked(rules["words"]), strict=True):
        asked: dict[str, Any] = {"alpha": alpha, "power": power, "adjust": adjust}
        wanted = nstar.audit(matrix, draws=2000, strata="s", **asked)
        doc = document(wanted, paragraph=True)
        assert words == [list(doc.spoken()), doc.paragraph, list(doc.assumptions)]


def test_the_place_of_a_model_follows_the_rules() -> None:
    matrix = board(scores(4, models=6, items=300))
    rules = deck(nstar.audit(matrix, draws=2000), where="m3")["rules"]
    at = (rules["levels"].index(0.01) * len(rules["powers"])) * len(rules["policies"])
    wanted = nstar.audit(matrix, draws=2000, alpha=0.01)
    said = _unpacked(rules["words"])[at][0]
    assert said == list(document(wanted, where="m3").spoken())
    assert said[0].startswith("m3 ranks ")


@pytest.mark.parametrize(
    ("rule", "levels", "powers"),
    [
        ({}, (0.1, 0.05, 0.01, 0.001), (0.8, 0.9)),
        ({"alpha": 0.02, "power": 0.95}, (0.1, 0.05, 0.02, 0.01, 0.001), (0.8, 0.9, 0.95)),
        ({"alpha": 0.85, "power": 0.95}, (0.85, 0.1, 0.05, 0.01, 0.001), (0.9, 0.95)),
        ({"alpha": 1e-8, "power": 0.09}, (0.05, 0.01, 0.001, 1e-8), (0.09, 0.8, 0.9)),
    ],
)
def test_every_power_is_above_every_level(
    rule: dict[str, float], levels: tuple[float, ...], powers: tuple[float, ...]
) -> None:
    criteria = Criteria(**rule)  # type: ignore[arg-type]
    assert level_choices(criteria) == levels
    assert power_choices(criteria) == powers


def test_a_crowd_has_the_power_of_the_audit_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_rules, "_CROWD", 3)
    found = nstar.audit(board(scores(1, models=4, items=150)), power=0.7)
    assert deck(found)["rules"]["powers"] == (0.7,)


def test_items_are_there_as_long_as_they_take_little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = board(scores(3, models=4, items=150, missing=0.1), labels=subjects(3, 150, 5))
    items = deck(nstar.audit(matrix))["items"]
    ids = _unpacked(items["ids"])
    assert ids == list(matrix.items)
    bits = np.frombuffer(zlib.decompress(base64.b64decode(items["right"]["z"])), dtype=np.uint8)
    right = np.unpackbits(bits.reshape(4, -1), axis=1, bitorder="little")[:, : len(ids)]
    ranked = nstar.audit(matrix).ranks.name
    assert (right == [np.nan_to_num(matrix.row(name)) for name in ranked]).all()
    assert items["groups"][0]["column"] == "s"
    monkeypatch.setattr(_items, "ROOM", 100)
    assert deck(nstar.audit(matrix))["items"]["ids"] is None


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
