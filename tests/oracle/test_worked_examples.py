"""The worked examples of docs/metrics.md, against reference libraries."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats as reference
from sklearn.metrics import f1_score, roc_auc_score

import nstar

EXAMPLES = Path(__file__).parents[2] / "examples" / "metrics"


def columns(name: str, model: str) -> dict[str, Any]:
    with (EXAMPLES / name).open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["model"] == model]
    return {key: np.array([row[key] for row in rows]) for key in rows[0]}


def means(name: str, models: tuple[str, str], **parameters: Any) -> tuple[float, float]:
    result = nstar.compare(str(EXAMPLES / name), a=models[0], b=models[1], **parameters)
    return result.tasks[0].mean_a, result.tasks[0].mean_b


def test_f1() -> None:
    values = means("breast_cancer.csv", ("logistic", "bayes"), statistic="f1")
    for model, value in zip(("logistic", "bayes"), values, strict=True):
        data = columns("breast_cancer.csv", model)
        truth, guess = data["truth"] == "1", data["prediction"] == "1"
        hits = (truth & guess).sum()
        assert value == pytest.approx(2 * hits / (truth.sum() + guess.sum()), abs=1e-12)
        assert value == pytest.approx(f1_score(truth, guess), abs=1e-12)


def test_auroc() -> None:
    values = means(
        "breast_cancer.csv",
        ("logistic", "bayes"),
        statistic="auroc",
        columns={"prediction": "probability"},
    )
    for model, value in zip(("logistic", "bayes"), values, strict=True):
        data = columns("breast_cancer.csv", model)
        truth, score = data["truth"] == "1", data["probability"].astype(float)
        u = reference.mannwhitneyu(score[truth], score[~truth]).statistic
        assert value == pytest.approx(u / truth.sum() / (~truth).sum(), abs=1e-12)
        assert value == pytest.approx(roc_auc_score(truth, score), abs=1e-12)


def test_spearman() -> None:
    values = means("diabetes.csv", ("ridge", "neighbors"), statistic="spearman")
    for model, value in zip(("ridge", "neighbors"), values, strict=True):
        data = columns("diabetes.csv", model)
        pair = (data["truth"].astype(float), data["prediction"].astype(float))
        assert value == pytest.approx(reference.spearmanr(*pair).statistic, abs=1e-12)


def test_bleu() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    values = means("translations.csv", ("large", "small"), statistic="bleu")
    for model, value in zip(("large", "small"), values, strict=True):
        data = columns("translations.csv", model)
        score = sacrebleu.corpus_bleu(data["prediction"].tolist(), [data["truth"].tolist()]).score
        assert value == pytest.approx(score, abs=1e-9)


def test_p95_latency() -> None:
    result = nstar.compare(
        str(EXAMPLES / "fast.json"),
        str(EXAMPLES / "slow.json"),
        metric="latency",
        statistic="p95",
    )
    values = (result.tasks[0].mean_a, result.tasks[0].mean_b)
    for name, value in zip(("fast", "slow"), values, strict=True):
        log = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
        seconds = [sample["working_time"] for sample in log["samples"]]
        assert value == pytest.approx(np.quantile(seconds, 0.95), abs=1e-12)
