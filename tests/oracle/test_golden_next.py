"""All 94 reference values of votes, judges, many models and fewer items, by id.

Each is computed, covered by a named test, not built yet, or never to be built.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from helpers.cases import each
from helpers.next_values import EVALUATORS as NEXT
from nstar._verbs.selfcheck.reference import agrees, leaves
from nstar._verbs.selfcheck.run import EVALUATORS as CARRIED

HERE = Path(__file__).parent
GOLDEN: dict[str, dict[str, Any]] = {
    item["id"]: item
    for item in json.loads((HERE / "golden_next.json").read_text(encoding="utf-8"))["items"]
}
EVALUATORS = CARRIED | NEXT
DATA = {"battles.data"}
"""Inputs of others."""
ELSEWHERE = {"battles.llmfao": "test_votes_real.py::test_strengths_of_llmfao"}
NEVER = {"battles.rao_kupper": "ranks as Davidson does and has no sufficient statistic: §A1"}


def stem(name: str) -> str:
    return name.split(" ", 1)[0]


COMPUTED = [name for name in GOLDEN if stem(name) in EVALUATORS]


def given(item: dict[str, Any]) -> dict[str, Any]:
    """Inputs, with the data that they name."""
    inputs = dict(item["inputs"])
    if inputs.get("data") in GOLDEN:
        inputs["data"] = GOLDEN[inputs["data"]]["inputs"]
    return inputs


@each(COMPUTED)
def test_value(name: str) -> None:
    item = GOLDEN[name]
    found = list(leaves(EVALUATORS[stem(name)](given(item)), item["expected"]))
    assert found
    assert [x for x in found if not agrees(x[1], x[2], item["tol"])] == []


def test_every_value_is_accounted_for_once() -> None:
    count = Counter([*COMPUTED, *DATA, *ELSEWHERE, *NEVER])
    assert set(count) == set(GOLDEN)
    assert [name for name, times in count.items() if times > 1] == []
    assert len(GOLDEN) == 94


@each(sorted(ELSEWHERE.values()))
def test_tests_named_here_exist(place: str) -> None:
    file, function = place.split("::")
    assert f"def {function}(" in (HERE / file).read_text(encoding="utf-8")
