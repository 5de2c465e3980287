"""Reference values of metrics that are not averages, through the public functions."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nstar
from nstar._verbs.compare.quantile import quantile

GOLDEN: dict[str, dict[str, Any]] = {
    item["id"]: item
    for item in json.loads(Path(__file__).with_name("golden_3.json").read_text(encoding="utf-8"))[
        "items"
    ]
}
DATA = GOLDEN["metric.data"]["inputs"]
TEXT = GOLDEN["bleu.data"]["inputs"]
COLUMNS = {
    "f1": ("y", "pred"),
    "precision": ("y", "pred"),
    "recall": ("y", "pred"),
    "macro_f1": ("y", "pred"),
    "rmse": ("gold", "value"),
    "pearson": ("gold", "value"),
    "auroc": ("y", "score"),
    "spearman": ("gold", "value"),
}
CLUSTERED = {
    "f1": 0.063981,
    "precision": 0.119787,
    "recall": 0.100816,
    "macro_f1": 0.074169,
    "rmse": 0.142324,
    "pearson": 0.155376,
}
"""Standard errors of CR2 of the pseudo-values."""


def frame(truth: Sequence[Any], a: Sequence[Any], b: Sequence[Any]) -> dict[str, list[Any]]:
    n = len(truth)
    return {
        "item": [*range(n)] * 2,
        "model": ["a"] * n + ["b"] * n,
        "truth": [*truth, *truth],
        "prediction": [*a, *b],
        "group": [*DATA["group"][:n]] * 2,
    }


def compared(name: str, **parameters: Any) -> nstar.Comparison:
    truth, prefix = COLUMNS[name]
    rows = frame(DATA[truth], DATA[f"{prefix}_a"], DATA[f"{prefix}_b"])
    return nstar.compare(rows, statistic=name.replace("_", "-"), a="a", b="b", **parameters)


@pytest.mark.parametrize("name", COLUMNS)
def test_gap_and_error(name: str) -> None:
    golden, result = GOLDEN[f"metric.{name}"], compared(name)
    assert result.gap == pytest.approx(golden["expected"][0], abs=golden["tol"])
    assert result.tasks[0].estimate.se == pytest.approx(golden["expected"][1], abs=golden["tol"])


@pytest.mark.parametrize(("name", "se"), CLUSTERED.items())
def test_error_of_clusters(name: str, se: float) -> None:
    assert compared(name, cluster="group").tasks[0].estimate.se == pytest.approx(se, abs=1e-6)


def test_ratio_of_sums() -> None:
    passes = [np.equal(DATA[f"pred_{m}"], DATA["y"]).astype(int).tolist() for m in "ab"]
    n = len(DATA["y"])
    rows = {
        "item": [*range(n)] * 2,
        "model": ["a"] * n + ["b"] * n,
        "numerator": [*passes[0], *passes[1]],
        "denominator": [*DATA["cost_a"], *DATA["cost_b"]],
    }
    result, golden = nstar.compare(rows, statistic="ratio"), GOLDEN["metric.pass_per_cost"]
    assert result.gap == pytest.approx(golden["expected"][0], abs=golden["tol"])
    assert result.tasks[0].estimate.se == pytest.approx(golden["expected"][1], abs=golden["tol"])


@pytest.mark.parametrize("name", ["bleu", "chrf"])
def test_translation_metrics(name: str) -> None:
    if name == "bleu":
        pytest.importorskip("sacrebleu")
    golden = GOLDEN[f"metric.{name}"]
    rows = frame(TEXT["reference"], TEXT["system_a"], TEXT["system_b"])
    result = nstar.compare(rows, statistic=name)
    task = result.tasks[0]
    values = [task.mean_a, task.mean_b, result.gap, task.estimate.se]
    assert values == pytest.approx(golden["expected"], abs=golden["tol"])


@pytest.mark.parametrize("name", ["metric.f1", "metric.auroc", "metric.rmse"])
def test_first_pseudo_value(name: str) -> None:
    columns = COLUMNS[name.removeprefix("metric.")]
    truth, prefix = (np.asarray(DATA[columns[0]]), columns[1])
    values = []
    for model in "ab":
        guess = np.asarray(DATA[f"{prefix}_{model}"])
        if name == "metric.auroc":
            values.append(nstar.stats.auroc_pseudo_values(truth, guess)[1][0])
            continue
        terms, function = {
            "metric.f1": (
                np.stack([truth * guess, truth != guess], axis=1),
                lambda s: 2 * s[..., 0] / (2 * s[..., 0] + s[..., 1]),
            ),
            "metric.rmse": (
                np.stack([(truth - guess) ** 2, np.ones(truth.size)], axis=1),
                lambda s: np.sqrt(s[..., 0] / s[..., 1]),
            ),
        }[name]
        values.append(nstar.stats.jackknife_pseudo_values(terms, function)[1][0])
    assert values[0] - values[1] == pytest.approx(GOLDEN[name]["expected"][-1], abs=1e-9)


def test_quantile() -> None:
    golden = GOLDEN["metric.p95"]
    level = golden["inputs"]["p"]
    first, second = (quantile(np.asarray(DATA[f"cost_{model}"]), level) for model in "ab")
    assert float(first - second) == pytest.approx(golden["expected"], abs=golden["tol"])
