"""An audit read back from its JSON is the one that was written, and says the same."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from helpers.boards import board, scores, subjects
from helpers.schemas import validate
from nstar import Audit, ScoreMatrix, audit
from nstar._base.parameter_types import Average
from nstar.errors import DataError

LABELS = [f"g{k % 7}" for k in range(240)]
DECLARED: dict[str, Any] = {"pairs": "all", "delta": 0.01, "margin": 0.1, "draws": 999}


def _disjoint() -> Any:
    """Some pairs have no item in common, one model has a single item."""
    x = scores(3, spread=3)
    x[1, :120], x[2, 120:], x[3, 1:] = np.nan, np.nan, np.nan
    return x


def _constant() -> Any:
    x = np.ones((3, 30))
    x[1] = 0
    return x


def _apart() -> Any:
    """Two models without a common item."""
    x = scores(3, models=2, items=40)
    x[0, :20], x[1, 20:] = np.nan, np.nan
    return x


BOARDS: dict[str, Callable[[], ScoreMatrix]] = {
    "all alike": lambda: board(np.tile(scores(1, models=1, items=30), (3, 1))),
    "nobody varies": lambda: board(_constant()),
    "nobody varies, graded": lambda: board(0.1 + 0.5 * _constant()),
    "no item in common": lambda: board(_apart()),
    "no item in common, graded": lambda: board(0.1 + 0.5 * _apart()),
    "one item": lambda: board(scores(3, items=1)),
    "one item, graded": lambda: board(scores(3, items=1, graded=True)),
    "two models": lambda: board(scores(3, models=2)),
    "two values": lambda: board(100 * scores(3)),
    "less is better": lambda: board(_disjoint(), labels=LABELS, lower_is_better=True),
}


pytestmark = pytest.mark.usefixtures("few_draws")


def assert_reads_back(found: Audit) -> None:
    text = found.to_json()
    again = type(found).from_json(text)
    assert again == found
    assert again.to_dict() == found.to_dict()
    assert str(again) == str(found)
    validate(json.loads(text), found.schema())


@pytest.mark.parametrize("options", [{"draws": 999}, DECLARED], ids=["plain", "declared"])
@pytest.mark.parametrize("kind", BOARDS)
def test_audits_at_the_edge(kind: str, options: dict[str, Any]) -> None:
    unit = 100 if kind == "two values" else 1
    scaled = {k: v * unit if k in ("delta", "margin") else v for k, v in options.items()}
    assert_reads_back(audit(BOARDS[kind](), **scaled))


@pytest.mark.parametrize("graded", [False, True])
@pytest.mark.parametrize("design", ["strata", "cluster"])
def test_every_design(design: str, graded: bool) -> None:
    x = _disjoint() if not graded else 0.1 + 0.5 * _disjoint()
    options: dict[str, Any] = {**DECLARED, design: "s"}
    assert_reads_back(audit(board(x, labels=LABELS), **options))


def test_pairs_that_are_not_held(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pair_analysis", "run", "sensitivity"):
        monkeypatch.setattr(f"nstar._verbs.audit.{module}.MOST_HELD", 4)
    assert_reads_back(audit(board(scores(1, models=9), labels=LABELS), strata="s", pairs="top:3"))


@pytest.mark.parametrize("average", ["macro", "micro"])
def test_several_tasks(average: Average) -> None:
    one, two = (scores(s, missing=m) for s, m in ((1, 0.0), (2, 0.2)))
    same = np.tile(scores(1, models=1, items=30), (6, 1))
    tasks = [
        board(x, labels=subjects(1, x.shape[1]), task=name)
        for x, name in ((one, "one"), (two, "two"), (same, "three"))
    ]
    found = audit(tasks, average=average, **DECLARED)
    assert len(found.tasks) > 1
    assert_reads_back(found)


def test_scores_stay_out() -> None:
    found = audit(board(scores(1)))
    again = Audit.from_json(found.to_json())
    assert (again.matrix, again.columns, again.survey) == (None, None, None)
    with pytest.raises(DataError, match="does not contain the scores"):
        again.compare("m0", "m1")


def test_columns_that_do_not_apply_are_in_no_row() -> None:
    plain, graded = (
        audit(board(scores(1, graded=g))).to_dict()["adjacent"] for g in (False, True)
    )
    assert set(plain[0]) - set(graded[0]) == {
        *("n11", "n10", "n01", "n00", "psi", "pvalue_midp", "pvalue_exact")
    }
    assert not {"delta", "q_at_delta", "pvalue_equivalent"} & set(plain[0])


def test_no_error_is_told_from_no_gap() -> None:
    """The t of a gap without an error is endless, on the side of the gap."""
    found = audit(board(_constant(), lower_is_better=True), pairs="all")
    again = Audit.from_json(found.to_json())
    assert again.pairs.t.tolist() == found.pairs.t.tolist() == [-np.inf, -np.inf, 0.0]
