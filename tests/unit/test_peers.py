"""What docs/peers.md rests on: the inputs, and cells that point to what was run."""

import csv
from collections import Counter
from pathlib import Path

import numpy as np

from scripts_as_modules import loaded

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
    assert page.faults({"nstar": tool | {"probes": []}})[0] == (
        "nstar: paired points to p1, which was not run"
    )
