"""Several judges: what is read, the numbers, the refusals, and what is said."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import nstar
from nstar import Judges, judges, stats
from nstar.cli import main
from nstar.errors import DataError, ParameterError, ReadError
from nstar.report import render
from nstar.stats.judges import judge_cost

EXAMPLE = str(Path(__file__).parents[4] / "examples" / "judges.csv")
LONG = ["judges", EXAMPLE, "--rater", "judge", "--label", "human"]


def wide(items: int = 200, labels: int = 100, seed: int = 0) -> dict[str, Any]:
    """Two models, a good judge and a poor one, a column each."""
    rng = np.random.default_rng(seed)
    right = rng.random(2 * items) < 0.7
    known = np.isin(np.arange(items), rng.permutation(items)[:labels])
    rows: dict[str, Any] = {"model": ["x"] * items + ["y"] * items, "item": [*range(items)] * 2}
    rows["people"] = np.where(np.tile(known, 2), right, np.nan)
    for name, wrong in (("good", 0.05), ("poor", 0.4)):
        rows[name] = np.where(rng.random(2 * items) < wrong, ~right, right).astype(float)
    return rows


def long_form(rows: dict[str, Any]) -> dict[str, list[Any]]:
    """The same judgments, a row each."""
    size = len(rows["item"])
    out: dict[str, list[Any]] = {k: [] for k in ("model", "item", "who", "score", "people")}
    for name in ("good", "poor"):
        out["who"] += [name] * size
        out["score"] += list(rows[name])
        for part in ("model", "item", "people"):
            out[part] += list(rows[part])
    return out


def asked(rows: dict[str, Any], **words: Any) -> Judges:
    return judges(rows, judge=["good", "poor"], label="people", **words)


def said(*words: str) -> Any:
    return CliRunner().invoke(main, [*words])


def test_numbers_are_those_of_the_kernel() -> None:
    rows = wide()
    found = asked(rows)
    cut = {k: np.asarray(rows[k]).reshape(2, -1).T for k in ("good", "poor", "people")}
    for row in found.judges:
        known = stats.difference_agreement(cut[row.judge], cut["people"])
        assert (row.r, row.r_ci, row.n_labels) == (known.r, known.ci, 100)
        assert row.agreement == stats.rater_agreement(cut[row.judge], cut["people"])
        assert row.r is not None
        assert row.gain == stats.judge_gain(row.r, labels=100, judged=200)
        gap, label = (cut[k][:, 0] - cut[k][:, 1] for k in (row.judge, "people"))
        same = nstar.compare_judged(rows, judge=row.judge, label="people", a="x", b="y")
        assert row.gap_bias == pytest.approx(np.nanmean(gap - label))
        assert row.gap_bias == pytest.approx(same.bias)
        assert row.gap_bias_ci == pytest.approx(same.bias_ci)
        assert row.r == pytest.approx(same.r)
    assert found.best_judge == "good"
    assert found.best_pvalue is not None
    assert found.best_pvalue < 0.001
    assert found.pairs[0].agreement == stats.rater_agreement(cut["good"], cut["poor"])
    parts = np.stack([np.stack([cut["good"][:, m], cut["poor"][:, m]], 1) for m in (0, 1)])
    assert found.variances == stats.judge_components(parts[..., None])


def test_long_and_wide_say_the_same() -> None:
    rows = wide()
    other = judges(long_form(rows), rater="who", label="people")
    assert other.to_dict() == asked(rows).to_dict()


def test_shares_of_the_error_add_up() -> None:
    found = judges(EXAMPLE, rater="judge", label="human")
    s = found.variance_shares
    assert s is not None
    assert s.item + s.judge + s.cross + s.repeat == pytest.approx(1)
    assert s.removable_by_repeats < s.removable_by_judges
    assert [row.mean_repeats for row in found.judges] == [2, 2, 2]
    assert found.combined is not None
    assert found.combined.n_labels == 150


def test_one_model_and_three() -> None:
    one = asked(wide(), a="x")
    assert one.models == ("x",)
    assert one.judges[0].gap_bias is None
    assert one.judges[0].agreement is not None
    assert one.judges[0].r == pytest.approx(one.judges[0].agreement.r)
    rows = wide()
    third = {k: [*v, *list(v)[:200]] for k, v in rows.items()}
    third["model"] = [*rows["model"], *["z"] * 200]
    assert asked(third).models == ("x", "y", "z")


def test_prices() -> None:
    found = asked(wide(), cost_judge={"good": 0.01, "poor": 0.2}, cost_label=1)
    good, poor = found.judges
    assert good.r is not None
    assert good.relative_cost == judge_cost(good.r, cost_label=1, cost_judge=0.01)
    assert poor.relative_cost == 1
    assert "With good, the same precision costs" in str(found)
    dear = asked(wide(), cost_judge=2.0, cost_label=1)
    assert "No judge pays off at these prices" in str(dear)


def test_without_labels_nobody_is_right() -> None:
    found = judges(wide(), judge=["good", "poor"])
    assert (found.best_judge, found.n_labels, found.judges[0].agreement) == (None, 0, None)
    text = " ".join(str(found).split())
    assert "Label 150 items at random" in text
    assert "good and poor agree on" in text


def test_labels_that_look_chosen_are_told() -> None:
    rows = wide(items=600)
    failed = np.asarray(rows["good"]).reshape(2, -1).sum(0) < 2
    truth = np.where(np.tile(failed, 2), rows["good"], np.nan)
    truth[:20] = 1.0
    text = " ".join(str(asked({**rows, "people": truth})).split())
    assert "the labeled items are not a random sample (p < 0.001)" in text


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"people": np.ones(400)}, "too few or too similar"),
        ({"people": np.r_[np.ones(200), np.full(200, np.nan)]}, "No item has human labels"),
        ({"good": np.r_[np.ones(10), np.full(390, np.nan)]}, "poor agrees best with human labels"),
        ({"good": np.ones(400), "poor": np.ones(400)}, "too few or too similar"),
    ],
)
def test_edges_are_told(changes: dict[str, Any], text: str) -> None:
    found = asked({**wide(), **changes})
    assert text in " ".join(str(found).split())
    assert found.render(level="full")
    assert json.loads(found.to_json())["best_judge"] == found.best_judge


def test_where_all_is_labeled_a_judge_helps_with_other_items() -> None:
    found = asked(wide(labels=200))
    good = found.judges[0]
    assert good.r is not None
    assert good.gain == 1
    assert good.gain_unlimited == pytest.approx(1 / (1 - good.r**2))
    assert "labels are as precise as up to" in " ".join(str(found).split())


def test_a_judge_that_is_always_wrong_is_not_near() -> None:
    rows = wide()
    rows |= {name: 1 - rows[name] for name in ("good", "poor")}
    assert "No judge agrees with human labels" in str(asked(rows))


def test_a_judge_without_a_score_is_refused() -> None:
    with pytest.raises(DataError, match="good has no scores"):
        asked({**wide(), "good": np.full(400, np.nan)})


def test_graded_scores_have_no_share() -> None:
    rng = np.random.default_rng(4)
    truth = rng.normal(5, 2, 120)
    rows = {"model": ["x"] * 60 + ["y"] * 60, "item": [*range(60)] * 2, "people": truth}
    rows |= {n: truth + sd * rng.normal(size=120) for n, sd in (("good", 0.5), ("poor", 5.0))}
    found = asked(rows)
    assert found.judges[0].agreement is not None
    assert found.judges[0].agreement.share is None
    assert found.best_judge == "good"
    assert " pp" not in str(found)


@pytest.mark.parametrize(
    ("words", "error", "text"),
    [
        ({}, ParameterError, "judge"),
        ({"judge": ["good", "nobody"]}, ReadError, "no column 'nobody'"),
        ({"judge": ["good", "good"]}, ReadError, "each judge needs its own score column"),
        ({"judge": "good"}, ReadError, "the judge and its labels must be two different columns"),
        ({"judge": ["good", "poor"], "a": "q"}, DataError, "no model 'q'"),
        (
            {"judge": ["good", "poor"], "cost_judge": 1},
            ParameterError,
            "cost_judge also needs cost_label",
        ),
        (
            {"judge": ["good", "poor"], "cost_judge": {"god": 1}, "cost_label": 1},
            ParameterError,
            "Available: good, poor",
        ),
        (
            {"judge": ["good", "poor"], "cost_judge": 0, "cost_label": 1},
            ParameterError,
            "cost_judge",
        ),
    ],
)
def test_refusals(words: dict[str, Any], error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        judges(wide(), **words)


def test_the_command_finds_judges() -> None:
    found = json.loads(said(*LONG, "--format", "json").output)
    assert found["best_judge"] == "large"
    assert [j["judge"] for j in found["judges"]] == ["large", "medium", "small"]
    text = said(*LONG, "--cost-judge", "large=0.05", "--cost-label", "1").output
    assert "With large, the same precision costs" in text
    assert "--rater COLUMN" in said("judges", "--help").output


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (["runs", EXAMPLE], "use nstar judges --rater judge"),
        (["runs", EXAMPLE, "--column", "label=human"], "To compare judges, use nstar judges"),
        (["judges", EXAMPLE, "--label", "human"], "Set --judge"),
        ([*LONG, "--cost-judge", "large=x", "--cost-label", "1"], "not an amount of money"),
        ([*LONG, "--cost-judge", "1", "--cost-judge", "large=1"], "one COST for all judges"),
        (["compare", EXAMPLE, "--column", "judge=score"], "use nstar compare judged"),
    ],
)
def test_what_the_command_refuses(words: list[str], text: str) -> None:
    found = said(*words)
    assert found.exit_code in {2, 3}
    assert text in " ".join(found.output.split())


def test_every_format_and_strangers_names() -> None:
    evil = "\x1b[31m<script>"
    rows = wide()
    rows[evil] = rows.pop("good")
    found = judges(rows, judge=[evil, "poor"], label="people")
    for form in ("text", "markdown", "latex", "html", "csv", "json"):
        shown = render(found, form)
        assert "\x1b[31m<" not in shown
        assert "<script>" not in shown or form != "html"
