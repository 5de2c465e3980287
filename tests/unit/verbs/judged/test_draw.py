"""Labels that are drawn by strata of the judge's scores, and their weights."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import special

import nstar
from nstar._base.types import Array
from nstar.cli import main
from nstar.errors import DataError, ParameterError, QuestionError
from nstar.stats._label_strata import (
    LabelStrata,
    allocate_labels,
    judge_strata,
    stratified_scores,
)
from nstar.stats.judge import judge_scores

MODELS = ("alpha", "beta", "gamma")
T = 1500
FLAGS = ["--judge", "verdict", "--label", "human"]


def scored(models: int = 3, items: int = T, seed: int = 3) -> tuple[Array, Array]:
    """Right answers of each model, and those that a judge passes."""
    rng = np.random.default_rng(seed)
    z = (rng.standard_normal(items) + rng.standard_normal((models, items))) / 2**0.5
    right = (z < special.ndtri(np.linspace(0.8, 0.65, models))[:, None]).astype(float)
    return right, np.where(rng.random(right.shape) < 0.1, 1 - right, right)


def table(
    right: Array, judged: Array, known: Any, weights: dict[str, float] | None = None
) -> dict[str, list[Any]]:
    models, items = right.shape
    rows: dict[str, list[Any]] = {
        "model": [MODELS[m] for m in range(models) for _ in range(items)],
        "item": [f"q{i}" for _ in range(models) for i in range(items)],
        "verdict": judged.astype(int).ravel().tolist(),
        "human": [
            int(right[m, i]) if known[i] else None for m in range(models) for i in range(items)
        ],
    }
    if weights is not None:
        rows["label_weight"] = [weights[item] for item in rows["item"]]
    return rows


def written(rows: dict[str, list[Any]], path: Path) -> Path:
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(rows)
        writer.writerows(zip(*rows.values(), strict=True))
    return path


def labeled(models: int = 3, labels: int = 300) -> tuple[dict[str, list[Any]], nstar.LabelPlan]:
    """A pilot, a draw from it, and all labels with their weights."""
    right, judged = scored(models)
    pilot = table(right, judged, np.arange(T) % 20 == 0)
    plan = nstar.plan_labels(pilot, judge="verdict", label="human", labels=labels, draw=True)
    assert plan.draw is not None
    known = [row.is_drawn for row in plan.draw.items]
    weights = {row.item: row.label_weight for row in plan.draw.items}
    return table(right, judged, known, weights), plan


def test_golden_allocations() -> None:
    """METHODS-3 F(iii): shares of 0.228, 0.494, and 0.278, and of 0.2, 0.6, and 0.2."""
    share, sd = np.array([0.15, 0.65, 0.2]), np.array([0.6, 0.3, 0.55])
    assert allocate_labels(share * 10_000, sd, 300).tolist() == [68, 148, 84]
    share, sd = np.array([0.08, 0.84, 0.08]), np.array([0.7, 0.2, 0.7])
    assert allocate_labels(share * 10_000, sd, 100).tolist() == [20, 60, 20]


def test_allocation_respects_its_floors_and_the_items() -> None:
    items = np.array([3.0, 500, 40])
    counts = allocate_labels(items, np.array([0.9, 0.0, 0.9]), 100)
    assert counts.sum() == 100
    assert (counts <= items).all()
    assert counts[1] >= 0.25 * 100 * 500 / 543
    least = allocate_labels(items, np.array([0.9, 0.0, 0.9]), 100, np.array([0.0, 80, 10]))
    assert least[1] == 80


def test_one_stratum_is_a_random_sample() -> None:
    right, judged = scored(4)
    known = np.random.default_rng(1).permutation(T) < 200
    label = np.where(known, right, np.nan)
    strata = LabelStrata(np.zeros(T, np.int64), np.array([float(T)]), np.array([200.0]))
    mine, plain = stratified_scores(label, judged, strata), judge_scores(label, judged)
    np.testing.assert_allclose(mine.scores.mean(axis=1), plain.scores.mean(axis=1), atol=1e-12)
    np.testing.assert_allclose(np.cov(mine.scores), np.cov(plain.scores), rtol=0.02, atol=1e-3)


def test_two_models_and_a_judge_of_pass_and_fail_are_the_stratified_mean() -> None:
    """Cochran's formula: Σ W D̄, with Σ W² (1 - n/T) s²/n + s_D²/T."""
    right, judged = scored(2)
    codes = judge_strata(judged)
    known = np.random.default_rng(2).random(T) < np.array([0.3, 0.1, 0.2])[codes]
    label = np.where(known, right, np.nan)
    items, labels = (np.bincount(codes[x]).astype(float) for x in (known | ~known, known))
    found = stratified_scores(label, judged, LabelStrata(codes, items, labels))
    gap = found.scores[0] - found.scores[1]
    d, share = right[0] - right[1], items / T
    parts = [d[known & (codes == k)] for k in range(3)]
    mean = share @ [x.mean() for x in parts]
    s2 = np.array([x.var(ddof=1) for x in parts])
    centers = np.array([x.mean() for x in parts])
    s2_d = share @ (s2 * (labels - 1) / labels + (centers - mean) ** 2)
    expected = (share**2 * (1 - labels / items) / labels) @ s2 + s2_d / T
    assert gap.mean() == pytest.approx(mean, abs=1e-12)
    assert gap.var(ddof=1) / T == pytest.approx(expected, rel=0.005)


def test_weights_are_honored() -> None:
    rows, plan = labeled()
    assert plan.draw is not None
    assert sum(x.n_labels for x in plan.draw.strata) == 300
    assert plan.draw.gain > 1
    right, _ = scored()
    result = nstar.compare_judged(rows, judge="verdict", label="human", a="alpha", b="gamma")
    assert result.n_label_strata == 2
    assert result.ci.low < right[0].mean() - right[2].mean() < result.ci.high
    first, second = result.model_estimates
    assert first.mean - second.mean == pytest.approx(result.gap)
    audit = nstar.audit(rows, columns={"judge": "verdict", "label": "human"})
    assert audit.judge_correction is not None
    assert audit.judge_correction.n_label_strata == 2


def test_labels_without_their_weights_are_refused() -> None:
    rows, _ = labeled()
    del rows["label_weight"]
    with pytest.raises(DataError, match="label_weight"):
        nstar.compare_judged(rows, judge="verdict", label="human", a="alpha", b="beta")


def test_labels_by_strata_are_refused_where_their_errors_are_unknown() -> None:
    rows, _ = labeled()
    rows["topic"] = [f"t{k % 20}" for k in range(len(rows["item"]))]
    columns = {"judge": "verdict", "label": "human"}
    with pytest.raises(ParameterError, match="only for independent items"):
        nstar.audit(rows, columns=columns, cluster="topic")
    with pytest.raises(ParameterError, match="only for independent items"):
        nstar.compare_judged(
            rows, judge="verdict", label="human", a="alpha", b="beta", cluster="topic"
        )
    with pytest.raises(DataError, match="random subset"):
        nstar.judges(rows, judge="verdict", label="human")
    with pytest.raises(DataError, match="random subset"):
        nstar.plan_labels(rows, judge="verdict", label="human", delta=0.05)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: [None if x == max(w) else x for x in w], "empty for"),
        (lambda w: ["many"] * len(w), "judged items per label"),
        (lambda w: [3 * x for x in w], "items per label"),
    ],
)
def test_wrong_weights(change: Any, message: str) -> None:
    rows, _ = labeled()
    rows["label_weight"] = change(rows["label_weight"])
    with pytest.raises(DataError, match=message):
        nstar.compare_judged(rows, judge="verdict", label="human", a="alpha", b="beta")


def test_command(tmp_path: Path) -> None:
    right, judged = scored()
    path = written(table(right, judged, np.arange(T) % 20 == 0), tmp_path / "pilot.csv")
    out = tmp_path / "items.csv"
    command = ["plan", "labels", str(path), *FLAGS, "--labels", "200", "--draw"]
    shown = CliRunner().invoke(main, [*command, "--out", str(out)])
    assert shown.exit_code == 0, shown.output
    assert "Items to label" in shown.stdout
    with out.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == T
    assert sum(int(row["to_label"]) for row in rows) == 200 - T // 20
    again = CliRunner().invoke(main, [*command, "--out", str(tmp_path / "again.jsonl")])
    assert again.exit_code == 0
    first = json.loads((tmp_path / "again.jsonl").read_text().splitlines()[0])
    assert first == {**rows[0], "to_label": int(rows[0]["to_label"])}
    bare = CliRunner().invoke(main, [*command[:-1], "--out", str(out)])
    assert bare.exit_code == 2
    assert "Add --draw" in bare.stderr


def test_draws_from_what_is_there() -> None:
    right, judged = scored()
    rows = table(right, judged, np.arange(T) % 20 == 0)
    given: dict[str, Any] = {"judge": "verdict", "label": "human", "draw": True}
    with pytest.raises(QuestionError, match="draws from the judged items"):
        nstar.plan_labels(rows, labels=200, judged=9000, **given)
    with pytest.raises(ParameterError, match="judged items to"):
        nstar.plan_labels(rows, delta=0.01, **given)
    with pytest.raises(QuestionError, match="pilot"):
        nstar.plan_labels(judge_r=0.6, judged=1000, delta=0.05, sd_diff=0.5, draw=True)
