"""Metrics that are not averages, against loops over items and reference libraries."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats as reference

import nstar
from nstar._base.types import Array
from nstar._verbs.metrics import METRICS, metric_of
from nstar.errors import DataError, ParameterError, QuestionError


def columns(rng: np.random.Generator, n: int) -> dict[str, Array]:
    truth = (rng.random(n) < 0.4).astype(int)
    return {
        "truth": truth,
        "prediction": np.where(rng.random(n) < 0.8, truth, 1 - truth),
        "numerator": rng.random(n),
        "denominator": rng.random(n) + 0.5,
    }


NUMBERS = ("auroc", "rmse", "pearson", "spearman")
TEXTS = ("bleu", "chrf")


def data_of(name: str, n: int) -> dict[str, Any]:
    rng = np.random.default_rng(5)
    values: dict[str, Any] = columns(rng, n)
    if name in NUMBERS:
        values["prediction"] = values["truth"] + rng.normal(0, 1, n)
    if name in TEXTS:
        words = np.array(["the", "cat", "sat", "on", "a", "mat", "dog", "ran"])
        truth = [" ".join(rng.choice(words, 9)) for _ in range(n)]
        changed = [" ".join(rng.permutation(t.split()[:7])) for t in truth]
        guess = [t if rng.random() < 0.5 else c for t, c in zip(truth, changed, strict=True)]
        values |= {"truth": np.array(truth), "prediction": np.array(guess)}
    return {part: values[part] for part in METRICS[name].parts}


@pytest.mark.parametrize("name", [name for name in METRICS if name != "spearman"])
def test_pseudo_values_are_those_of_a_loop(name: str) -> None:
    if name == "bleu":
        pytest.importorskip("sacrebleu")
    metric, _ = metric_of(name, ())
    values = data_of(name, 60)
    result = metric.compute(values, None)
    keep = ~np.eye(60, dtype=np.bool_)
    without = np.array(
        [metric.compute({p: v[k] for p, v in values.items()}, None).value for k in keep]
    )
    expected = result.value + 59 * (without.mean() - without)
    np.testing.assert_allclose(result.scores, expected, rtol=1e-8, atol=1e-8)
    assert result.scores.mean() == pytest.approx(result.value, rel=1e-9)


def test_values_are_those_of_scikit_learn() -> None:
    metrics = pytest.importorskip("sklearn.metrics")
    for name, function, more in (
        ("f1", metrics.f1_score, {}),
        ("precision", metrics.precision_score, {}),
        ("recall", metrics.recall_score, {}),
        ("macro-f1", metrics.f1_score, {"average": "macro"}),
        ("auroc", metrics.roc_auc_score, {}),
    ):
        values = data_of(name, 200)
        result = METRICS[name].compute(values, None)
        expected = function(values["truth"], values["prediction"], **more)
        assert result.value == pytest.approx(expected, rel=1e-12)


def test_values_are_those_of_sacrebleu() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    for name, function in (("bleu", sacrebleu.corpus_bleu), ("chrf", sacrebleu.corpus_chrf)):
        values = data_of(name, 40)
        expected = function(values["prediction"].tolist(), [values["truth"].tolist()]).score
        assert METRICS[name].compute(values, None).value == pytest.approx(expected, abs=1e-9)


def test_correlations_are_those_of_scipy() -> None:
    values = data_of("pearson", 80)
    x, y = values["truth"], values["prediction"]
    pearson = METRICS["pearson"].compute(values, None)
    spearman = METRICS["spearman"].compute(values, None)
    assert pearson.value == pytest.approx(reference.pearsonr(x, y).statistic)
    assert spearman.value == pytest.approx(reference.spearmanr(x, y).statistic)
    assert spearman.scores.mean() == pytest.approx(spearman.value)


def rows(**parts: Any) -> dict[str, Any]:
    n = len(next(iter(parts.values()))) // 2
    return {"item": [*range(n)] * 2, "model": ["x"] * n + ["y"] * n, **parts}


def test_items_that_a_model_lacks_are_excluded_for_both() -> None:
    values = data_of("f1", 100)
    truth, guess = values["truth"].tolist(), values["prediction"].tolist()
    other: list[int | None] = [*guess[::-1][:90], *[None] * 10]
    result = nstar.compare(rows(truth=truth * 2, prediction=guess + other), statistic="f1")
    assert result.n_items == 90
    expected = METRICS["f1"].compute({p: v[:90] for p, v in values.items()}, None).value
    assert result.tasks[0].mean_a == pytest.approx(expected)
    assert any("10 items are excluded" in f.text for f in result.findings)


@pytest.mark.parametrize("who", ["", " of 1 of 2 models"])
def test_an_auroc_of_two_values_is_that_of_one_cutoff(who: str) -> None:
    rng = np.random.default_rng(4)
    truth = (rng.random(200) < 0.4).astype(int)
    scores = rng.normal(size=(2, 200)) + truth
    guess = (scores > 0.5).astype(float)
    if who:
        guess[1] = scores[1]
    both = rows(truth=truth.tolist() * 2, prediction=guess.ravel().tolist())
    text = " ".join(str(nstar.compare(both, statistic="auroc")).split())
    assert f"Warning: the predictions{who} take two values, so this AUROC is that of one" in text
    assert "Use a column of scores, such as" in text
    scored = nstar.compare(both | {"prediction": scores.ravel().tolist()}, statistic="auroc")
    assert "two values" not in str(scored)


def test_a_function_is_a_statistic() -> None:
    values = data_of("f1", 80)
    both = rows(truth=[*values["truth"]] * 2, prediction=[*values["prediction"], *values["truth"]])

    def agreement(parts: Any) -> float:
        return float(np.mean(parts["truth"] == parts["prediction"]))

    columns_of = {"truth": "truth", "prediction": "prediction"}
    result = nstar.compare(both, statistic=agreement, columns=columns_of)
    assert result.gap == pytest.approx(np.mean(values["truth"] == values["prediction"]) - 1)
    assert "in agreement" in str(result)


def test_a_class_is_named() -> None:
    truth = ["spam", "ham"] * 30
    guess = ["spam", "ham", "ham"] * 20
    both = rows(truth=truth * 2, prediction=guess + truth)
    with pytest.raises(QuestionError, match="f1:spam"):
        nstar.compare(both, statistic="f1")
    spam = nstar.compare(both, statistic="f1:spam")
    hits = sum(t == g == "spam" for t, g in zip(truth, guess, strict=True))
    assert spam.tasks[0].mean_a == pytest.approx(2 * hits / (30 + 20))


def test_an_audit_ranks_by_the_statistic() -> None:
    rng = np.random.default_rng(0)
    truth = (rng.random(400) < 0.3).astype(int)
    data: dict[str, list[Any]] = {"item": [], "model": [], "truth": [], "prediction": []}
    for model, accuracy in (("ada", 0.95), ("bob", 0.8), ("cy", 0.6)):
        data["item"] += range(400)
        data["model"] += [model] * 400
        data["truth"] += truth.tolist()
        data["prediction"] += np.where(rng.random(400) < accuracy, truth, 1 - truth).tolist()
    audit = nstar.audit(data, statistic="f1")
    assert list(audit.ranking.model) == ["ada", "bob", "cy"]
    assert "ada is the clear leader in F1" in str(audit)
    pair = nstar.compare(data, a="ada", b="bob", statistic="f1")
    assert audit.adjacent.gap[0] == pytest.approx(pair.gap)


@pytest.mark.parametrize(
    ("parts", "options", "message"),
    [
        (
            {"truth": [1, 0] * 20, "prediction": [1, 0] * 20},
            {"statistic": "f2"},
            "must be one of f1",
        ),
        ({"truth": [1, 0] * 20}, {"statistic": "f1"}, "no column 'prediction'"),
        (
            {"truth": ([1] * 4 + [0] * 16) * 2, "prediction": [1] * 40},
            {"statistic": "f1"},
            "at least 5",
        ),
        ({"truth": [1, 0] * 20, "prediction": ["a"] * 40}, {"statistic": "rmse"}, "numbers"),
        (
            {"truth": [1, 0] * 10 + [0, 1] * 10, "prediction": [1] * 40},
            {"statistic": "f1"},
            "truth of item '0' differs",
        ),
        ({"truth": [1, 0] * 20, "prediction": [1] * 40}, {"statistic": "rmse:x"}, "no positive"),
    ],
)
def test_impossible_questions(
    parts: dict[str, Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises((DataError, ParameterError, QuestionError), match=message):
        nstar.compare(rows(**parts), **options)


def test_models_without_a_difference_have_no_error() -> None:
    data = rows(truth=[1, 0] * 20, prediction=[1, 0] * 20)
    with pytest.raises(DataError, match="no standard error"):
        nstar.compare(data, statistic="f1")


def test_each_file_can_have_its_own_model(tmp_path: Path) -> None:
    values = data_of("f1", 60)
    for name, guess in (("x", values["prediction"]), ("y", 1 - values["truth"])):
        lines = [
            f"{k},{t},{g}" for k, (t, g) in enumerate(zip(values["truth"], guess, strict=True))
        ]
        (tmp_path / f"{name}.csv").write_text(
            "\n".join(["item,truth,prediction", *lines]), "utf-8"
        )
    result = nstar.compare(str(tmp_path / "x.csv"), f"old={tmp_path / 'y.csv'}", statistic="f1")
    assert result.models == ("x", "old")
    assert result.tasks[0].mean_b == 0
    with pytest.raises(DataError, match=r"only one model \(x\) found"):
        nstar.compare(str(tmp_path / "x.csv"), statistic="f1")


def test_repeated_rows_are_refused() -> None:
    data = rows(truth=[1, 0] * 20, prediction=[1] * 40)
    data["item"][1] = 0
    with pytest.raises(DataError, match="one row per model and item"):
        nstar.compare(data, statistic="f1")


@pytest.mark.parametrize("other", [float, str, bool, "1.0"])
def test_classes_do_not_depend_on_their_notation(other: Any) -> None:
    values = data_of("f1", 80)
    truth, guess = values["truth"].tolist(), values["prediction"].tolist()
    written = [f"{v}.0" for v in guess] if other == "1.0" else [other(v) for v in guess]
    one = {"item": [*range(80)], "model": ["x"] * 80, "truth": truth}
    other_model = {**one, "model": ["y"] * 80, "prediction": truth}
    same = nstar.compare({**one, "prediction": guess}, other_model, statistic="f1")
    mixed = nstar.compare({**one, "prediction": written}, other_model, statistic="f1")
    assert mixed.tasks[0].mean_a == same.tasks[0].mean_a


def test_other_classes_are_refused() -> None:
    data = rows(truth=[1, 0] * 40, prediction=["yes", "no"] * 20 + ["1", "0"] * 20)
    with pytest.raises(DataError, match="No prediction is a class of the truth"):
        nstar.compare(data, statistic="f1")


def test_missing_predictions_are_excluded() -> None:
    values = data_of("auroc", 60)
    truth, score = values["truth"].tolist(), values["prediction"].tolist()
    for missing in (None, float("nan")):
        data = rows(truth=truth * 2, prediction=score + [missing] * 5 + score[:55])
        assert nstar.compare(data, statistic="auroc").n_items == 55


def test_short_references_as_in_sacrebleu() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    truth = np.array(["cat", "a dog ran", "ox", "the cat sat on the mat"] * 5)
    guess = np.array(["a cat", "the dog ran", "", "the cat sat"] * 5)
    expected = sacrebleu.corpus_chrf(guess.tolist(), [truth.tolist()]).score
    value = METRICS["chrf"].compute({"truth": truth, "prediction": guess}, None).value
    assert value == pytest.approx(expected, abs=1e-9)


def test_a_function_that_fails_is_reported() -> None:
    data = rows(truth=[1, 0] * 10, prediction=[1, 0] * 10)
    with pytest.raises(DataError, match="The statistic failed with ZeroDivisionError"):
        nstar.compare(data, statistic=lambda _: 1 / 0, columns={"truth": "truth"})
    with pytest.raises(QuestionError, match="needs the columns"):
        nstar.compare(data, statistic=lambda _: 1.0)
