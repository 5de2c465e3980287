"""Items that a candidate loses and gains, beside what luck alone would do."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest

import nstar
from nstar._verbs.gate import ItemChanges
from nstar.report import render
from nstar.report.formats.github import comment

RUNS = {  # passes of candidate, of baseline
    "q1": ([0, 0, 0], [1, 1, 1]),
    "q2": ([1, 1, 0], [0, 1, 0]),
    "q3": ([1, 0, 1], [1, 1, 0]),
    "q4": ([1, 1], [1, 1, 1]),
    "q5": ([0, 1], [1, 1, 1]),
}


def rows(scores: Any) -> dict[str, list[Any]]:
    out: dict[str, list[Any]] = {"item": [], "model": [], "run": [], "score": []}
    for item, both in scores.items():
        for model, runs in zip(("new", "old"), both, strict=True):
            for k, score in enumerate(runs):
                for key, value in zip(out, (item, model, k, score), strict=True):
                    out[key].append(value)
    return out


def gate(scores: Any, **options: Any) -> Any:
    asked: dict[str, Any] = {"a": "new", "b": "old", "margin": 0.3} | options
    judge = nstar.gate_runs if "at_least" in asked else nstar.gate
    return judge(rows(scores), **asked)


def changes(found: Any) -> ItemChanges:
    (task,) = found.tasks
    assert task.item_changes is not None
    return task.item_changes


def by_enumeration(lost: bool) -> tuple[list[float], float]:
    """Chance of each item to be lost, and runs lost, over every way to deal its runs."""
    chances, runs = [], 0.0
    for first, second in RUNS.values():
        cards, hand = first + second, len(first)
        sizes = []
        for dealt in combinations(range(len(cards)), hand):
            mine = sum(cards[k] for k in dealt)
            other = sum(cards) - mine
            gain = mine - other * hand / (len(cards) - hand)
            sizes.append(max(-gain if lost else gain, 0.0))
        chances.append(float(np.mean(np.array(sizes) > 1e-9)))
        runs += float(np.mean(sizes))
    return chances, runs


@pytest.mark.parametrize("lost", [True, False])
def test_luck_agrees_with_every_deal(lost: bool) -> None:
    found = changes(gate(RUNS))
    total = found.lost if lost else found.gained
    chances, runs = by_enumeration(lost)
    assert total.n_items_by_chance == pytest.approx(sum(chances))
    assert total.n_runs_by_chance == pytest.approx(runs)


def test_items_and_runs_are_counted() -> None:
    found = changes(gate(RUNS))
    assert (found.lost.n_items, found.lost.n_runs) == (2, 4.0)
    assert (found.gained.n_items, found.gained.n_runs) == (1, 1.0)
    assert [(x.item, x.is_lost, x.candidate, x.baseline) for x in found.items] == [
        ("q1", True, (0, 3), (3, 3)),
        ("q5", True, (1, 2), (3, 3)),
        ("q2", False, (2, 3), (1, 3)),
    ]
    assert found.items[0].pvalue == pytest.approx(1 / 20)
    assert found.items[1].pvalue == pytest.approx(2 / 5)


def test_single_runs_are_lost_half_the_time() -> None:
    single = {f"q{k}": ([int(k >= 6)], [int(k < 6 or k > 8)]) for k in range(30)}
    found = changes(gate(single))
    assert (found.lost.n_items, found.gained.n_items) == (6, 3)
    assert found.lost.n_items_by_chance == found.gained.n_items_by_chance == pytest.approx(4.5)
    assert found.lost.n_items_by_chance_range == (2, 7)
    assert {x.pvalue for x in found.items} == {0.5}
    text = " ".join(render(gate(single)).split())
    assert "lost 6 4.5 2 to 7 gained 3 4.5 2 to 7" in text
    assert "p (unadjusted)" not in text


def test_the_report_and_the_comment_show_them() -> None:
    found = gate(RUNS)
    text = " ".join(render(found).split())
    assert "q1 lost 0/3 3/3 0.05" in text
    assert "lost 2 1.6 0 to 3 4 2.0 gained 1 1.8 0 to 3 1 2.0" in text
    said = comment(found)
    assert said.index("| q1 | lost | 0/3 | 3/3 |") < said.index("<details>")
    assert said.index("by chance") < said.index("<details>")


def test_several_tasks_have_a_row_each() -> None:
    table = rows(RUNS)
    double = {key: value * 2 for key, value in table.items()}
    double["task"] = ["one"] * len(table["item"]) + ["two"] * len(table["item"])
    found = nstar.gate(double, a="new", b="old", margin=0.3)
    text = " ".join(render(found).split())
    assert "one 2 1.6 0 to 3 4 1 1.8 1" in text
    assert "two: q1 lost 0/3 3/3" in text


def test_many_items_are_counted_and_the_clearest_named() -> None:
    many = {f"q{k}": ([0], [1]) for k in range(250)}
    found = gate(many)
    assert changes(found).lost.n_items == 250
    assert len(changes(found).items) == 100
    text = " ".join(render(found).split())
    assert "(245 more: nstar compare --list lost|gained --out FILE.csv)" in text


@pytest.mark.parametrize("scores", [{"a": ([0.4], [0.5]), "b": ([0.1], [0.2])}, {}])
def test_graded_scores_and_rules_have_none(scores: Any) -> None:
    found = gate(scores or RUNS, **({} if scores else {"at_least": "1/2"}))
    assert found.tasks[0].item_changes is None
    assert "by chance" not in render(found)[:300]


def test_nothing_changed_shows_no_table() -> None:
    same = {f"q{k}": ([1], [1]) for k in range(5)}
    assert "Items that" not in render(gate(same))
