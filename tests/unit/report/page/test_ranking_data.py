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
from nstar._verbs.audit.maxt import MaxTResult
from nstar._verbs.verdict import Criteria
from nstar.report import document
from nstar.report.page import _items, _ranking_data, _rules, page
from nstar.report.page._ranking_data import deck
from nstar.report.page._rules import level_choices, power_choices

FEW = 99
"""Draws of max-T where its levels are not the point."""


@pytest.mark.parametrize("models", [3, 12, 25])
def test_max_t_asks_at_each_level_what_it_would_ask_alone(models: int) -> None:
    survey = nstar.audit(board(scores(1, models=models, items=300)), draws=1500).survey
    assert survey is not None
    assert survey.cov is not None
    assert isinstance(survey.step, MaxTResult)
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


@pytest.mark.sampled(3)
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


SCORES: dict[str, dict[str, Any]] = {
    "binary": {},
    "absent": {"missing": 0.1},
    "graded": {"graded": True},
}


def _check_choices(kind: str, part: slice) -> None:
    matrix = board(scores(4, models=6, items=150, **SCORES[kind]), labels=subjects(4, 150, 5))
    found = nstar.audit(matrix, draws=999, strata="s")
    rules = deck(found)["rules"]
    choices = itertools.product(rules["levels"], rules["powers"], rules["policies"])
    every = list(zip(choices, _unpacked(rules["words"]), strict=True))
    for (alpha, power, adjust), words in every[part]:
        asked: dict[str, Any] = {"alpha": alpha, "power": power, "adjust": adjust}
        wanted = nstar.audit(matrix, draws=999, strata="s", **asked)
        doc = document(wanted, paragraph=True)
        top, tiles, caution, mde, *rest = words
        assert wanted.resolvable_gap is not None
        assert top == list(doc.spoken()), asked
        assert tiles == [[t.number, t.unit, t.label, t.more] for t in doc.tiles], asked
        assert (caution, mde) == (doc.caution, wanted.resolvable_gap.median), asked
        assert rest == [doc.paragraph, list(doc.assumptions)], asked


@pytest.mark.sampled(3)
@pytest.mark.parametrize("kind", SCORES)
def test_every_choice_of_rules_says_what_an_audit_by_them_says(kind: str) -> None:
    """Each choice by one kind of scores, the next by another."""
    _check_choices(kind, slice(list(SCORES).index(kind), None, len(SCORES)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", SCORES)
def test_every_choice_of_rules_by_every_kind_of_scores(kind: str) -> None:
    _check_choices(kind, slice(None))


def test_the_place_of_a_model_follows_the_rules() -> None:
    matrix = board(scores(4, models=6, items=300))
    rules = deck(nstar.audit(matrix, draws=999), where="m3")["rules"]
    at = (rules["levels"].index(0.01) * len(rules["powers"])) * len(rules["policies"])
    wanted = nstar.audit(matrix, draws=999, alpha=0.01)
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
    found = nstar.audit(board(scores(1, models=4, items=150)), power=0.7, draws=FEW)
    assert deck(found)["rules"]["powers"] == (0.7,)


@pytest.mark.usefixtures("own_rules_only")
def test_items_are_there_as_long_as_they_take_little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    matrix = board(scores(3, models=4, items=150, missing=0.1), labels=subjects(3, 150, 5))
    found = nstar.audit(matrix, draws=FEW)
    items = deck(found)["items"]
    ids = _unpacked(items["ids"])
    assert ids == list(matrix.items)
    bits = np.frombuffer(zlib.decompress(base64.b64decode(items["right"]["z"])), dtype=np.uint8)
    right = np.unpackbits(bits.reshape(4, -1), axis=1, bitorder="little")[:, : len(ids)]
    assert (right == [np.nan_to_num(matrix.row(name)) for name in found.ranking.model]).all()
    assert items["groups"][0]["column"] == "s"
    monkeypatch.setattr(_items, "ROOM", 100)
    assert deck(found)["items"]["ids"] is None


@pytest.mark.usefixtures("own_rules_only")
def test_why_there_is_no_max_t() -> None:
    absent = board(scores(2, models=4, items=150, missing=0.1))
    for adjust in ("holm", "maxt", "none"):
        assert "different items" in deck(nstar.audit(absent, adjust=adjust, draws=FEW))["why"]
    whole = nstar.audit(board(scores(2, models=4, items=150)), draws=FEW)
    assert deck(whole)["why"] is None


def _grouped(x: Any) -> nstar.ScoreMatrix:
    items = x.shape[1]
    groups = {"many": subjects(1, items, 30), "few": subjects(2, items, 3)}
    return nstar.ScoreMatrix.from_arrays(
        x, models=[f"m{k}" for k in range(len(x))], groups={k: groups[k] for k in groups}
    )


@pytest.mark.usefixtures("own_rules_only")
def test_a_column_without_room_leaves_room_for_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_ranking_data, "_ROOM", 400)
    found = nstar.audit(_grouped(scores(3, models=6, items=400)), strata="many", draws=FEW)
    assert [(g["column"], "rate" in g) for g in deck(found)["groups"]] == [
        ("many", True),
        ("few", False),
    ]


@pytest.mark.usefixtures("own_rules_only")
def test_means_over_other_items_than_the_pairs_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    matrix = _grouped(scores(3, models=6, items=400, missing=0.1))
    monkeypatch.setattr(_ranking_data, "_ROOM", 400)
    found = deck(nstar.audit(matrix, strata="many", draws=FEW))["groups"]
    assert [g["column"] for g in found] == ["few"]
