"""The reference values of judges, votes, boards and gates of the third file, by id.

Each value is computed, is data for other values, or belongs to a method that is not built.
"""

import json
from pathlib import Path
from typing import Any

from helpers.cases import each
from nstar._verbs.selfcheck.reference import agrees, leaves
from nstar._verbs.selfcheck.run import EVALUATORS

GOLDEN: dict[str, dict[str, Any]] = {
    item["id"]: item
    for item in json.loads(Path(__file__).with_name("golden_3.json").read_text(encoding="utf-8"))[
        "items"
    ]
}
NOT_BUILT = ("metric.", "bleu.", "change.")
"""Most metrics that are not averages (test_golden_metrics.py), snapshots."""
COMPUTED = [name for name in GOLDEN if name.split(" ", 1)[0] in EVALUATORS]


def inputs(item: dict[str, Any]) -> dict[str, Any]:
    """Inputs, with the data that they name."""
    values = dict(item["inputs"])
    if values.get("data") in GOLDEN:
        values["data"] = GOLDEN[values["data"]]["inputs"]
    return values


@each(COMPUTED)
def test_value(name: str) -> None:
    item = GOLDEN[name]
    values = list(leaves(EVALUATORS[name.split(" ", 1)[0]](inputs(item)), item["expected"]))
    assert values
    assert [x for x in values if not agrees(x[1], x[2], item["tol"])] == []


def test_every_value_is_accounted_for() -> None:
    data = {name for name in GOLDEN if name.endswith(".data")}
    later = {name for name in GOLDEN if name.startswith(NOT_BUILT)}
    assert {*COMPUTED, *data, *later} == set(GOLDEN)
