"""What docs/peers.md rests on: the inputs, and cells that point to what was run."""

import csv
import json
import re
from collections import Counter
from pathlib import Path

import numpy as np

from helpers.scripts_as_modules import loaded

inputs = loaded("peers/inputs")


def test_two_models_as_the_page_counts_them() -> None:
    cells = Counter(map(tuple, inputs.p1().tolist()))
    assert cells == {(1, 1): 628, (1, 0): 86, (0, 1): 78, (0, 0): 208}


def test_only_failures_of_b_are_missing(tmp_path: Path) -> None:
    inputs.without_failures(tmp_path)
    with (tmp_path / "missing.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    kept = Counter((row["model"], row["score"]) for row in rows)
    assert kept == {("A", "1"): 714, ("A", "0"): 286, ("B", "1"): 706, ("B", "0"): 194}


def test_passages_differ_more_than_their_items() -> None:
    scores = inputs.clustered().astype(float)
    gap = scores[:, 0] - scores[:, 1]
    by_passage = gap.reshape(50, 20).mean(axis=1)
    naive, clustered = gap.std() / np.sqrt(1000), by_passage.std(ddof=1) / np.sqrt(50)
    assert gap.mean() > 1.96 * naive
    assert gap.mean() < 1.96 * clustered


def test_a_cell_that_points_to_nothing_is_told() -> None:
    page = loaded("peers/page")
    cells = {row: {"word": "yes", "note": "", "shown": ["p1"]} for row in page.QUESTIONS}
    tool = {"probes": [{"name": "p1"}], "cells": cells}
    assert page.faults({"nstar": tool}) == []
    assert page.faults({"unheard-of": tool})[0] == "unheard-of: not in the table"
    assert page.faults({"nstar": tool | {"probes": []}})[0] == (
        "nstar: paired points to p1, which was not run"
    )


def test_readme_agrees_with_the_page() -> None:
    """The short table has the same answers, for some tools and questions."""
    page = loaded("peers/page")
    tools = json.loads((page.DOCS / "peers.json").read_text("utf-8"))["tools"]
    long, short = (
        [[cell.strip() for cell in line.split("|")[1:-1]] for line in text.splitlines()]
        for text in (page.table(tools), page.short(tools))
    )
    columns = [long[0].index(question) for question in short[0]]
    answers = {re.sub(r"[\[\]]|\(.*", "", row[0]): row for row in long[2:]}
    assert len(short) == 2 + len(page.README_TOOLS)
    for name, *words in short[2:]:
        cells = [answers[name][k] for k in columns[1:]]
        assert [re.split(r"[\]( ]", cell.lstrip("["))[0] for cell in cells] == words


def test_a_judge_that_favors_a_is_all_that_tells_the_models_apart() -> None:
    rows = [row.split(",") for row in inputs.judged()]
    said = {m: np.mean([int(r[2]) for r in rows if r[0] == m]) for m in "AB"}
    human = {m: np.mean([int(r[3]) for r in rows if r[0] == m and r[3]]) for m in "AB"}
    assert said["A"] - said["B"] > 0.1
    assert human["A"] < human["B"]
    assert sum(bool(r[3]) for r in rows) == 200


def test_votes_follow_their_strengths() -> None:
    rows = [row.split(",") for row in inputs.votes()]
    won = Counter(a if winner == "model_a" else b for a, b, winner in rows)
    assert [name for name, _ in won.most_common()] == [f"m{k}" for k in range(1, 7)]
