"""Two models by a judge and labels: the numbers, the refusals, and what is said."""

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats as law

import nstar
from nstar import Judged, compare_judged, stats
from nstar._base.types import Array
from nstar.cli import main
from nstar.errors import DataError, ParameterError, ReadError
from nstar.report import render
from nstar.stats.judge import departure_variance

EXAMPLE = Path(__file__).parents[4] / "examples" / "judged.csv"
COLUMNS = ["--judge", "verdict", "--label", "human"]


def made(
    items: int = 600, labels: int = 120, seed: int = 1, *, lenient: float = 0.3, gap: float = 0.3
) -> dict[str, list[Any]]:
    """Two models, a judge that is lenient to the second, labels of a random part."""
    rng = np.random.default_rng(seed)
    ability, known = rng.normal(size=items), rng.permutation(items) < labels
    rows: dict[str, list[Any]] = {k: [] for k in ("model", "item", "topic", "said", "people")}
    for model, lead, wrong in (("a", gap, 0.1), ("b", 0.0, lenient)):
        right = ability + rng.normal(size=items) < 0.6 + lead
        luck = rng.random(items)
        rows["model"] += [model] * items
        rows["item"] += [f"q{k}" for k in range(items)]
        rows["topic"] += [f"t{k % 30}" for k in range(items)]
        rows["said"] += np.where(right, luck >= 0.1, luck < wrong).astype(int).tolist()
        rows["people"] += [int(r) if k else None for r, k in zip(right, known, strict=True)]
    return rows


def compared(rows: dict[str, list[Any]], **asked: Any) -> Judged:
    return compare_judged(rows, judge="said", label="people", a="a", b="b", **asked)


def arrays(rows: dict[str, list[Any]]) -> tuple[Array, Array]:
    """Differences of labels, NaN where there is none, and of judgments."""
    half = len(rows["model"]) // 2
    out = []
    for name in ("people", "said"):
        values = np.array(rows[name], dtype=float)
        out.append(values[:half] - values[half:])
    return out[0], out[1]


def test_numbers_are_those_of_least_squares() -> None:
    rows = made()
    d, f = arrays(rows)
    known, found = ~np.isnan(d), compared(rows)
    line = law.linregress(f[known], d[known])
    assert found.gap == pytest.approx(line.intercept + line.slope * f.mean(), abs=1e-12)
    assert (found.n_labels, found.n_items) == (120, 600)
    assert found.slope == pytest.approx(line.slope, abs=1e-12)
    assert found.r == pytest.approx(line.rvalue, abs=1e-12)
    kept = stats.judge_corrected(d, f, departure=1)
    assert (found.se, found.df) == (kept.se, 118)
    half = law.t.ppf(0.975, 118) * found.se
    assert found.ci == pytest.approx((found.gap - half, found.gap + half), abs=1e-9)
    assert found.pvalue == pytest.approx(2 * law.t.sf(found.gap / found.se, 118), rel=1e-6)
    bias = f[known] - d[known]
    assert found.bias == pytest.approx(bias.mean(), abs=1e-12)
    assert found.bias_pvalue == pytest.approx(law.ttest_1samp(bias, 0).pvalue, rel=1e-6)
    labels, judge = found.other_estimates
    assert labels.gap == pytest.approx(np.nanmean(d), abs=1e-12)
    assert judge.gap == pytest.approx(f.mean(), abs=1e-12)


def test_counts_of_each_model() -> None:
    rows = made()
    people, said = (np.array(rows[n], dtype=float)[:600] for n in ("people", "said"))
    known = ~np.isnan(people)
    first = compared(rows).model_estimates[0]
    assert first.n_correct == int((people == 1).sum())
    assert first.n_correct_passed == int(((people == 1) & (said == 1)).sum())
    assert first.n_incorrect == int((people == 0).sum())
    assert first.n_incorrect_failed == int(((people == 0) & (said == 0)).sum())
    assert first.bias == pytest.approx((said - people)[known].mean(), abs=1e-12)
    found = stats.youden(
        first.n_correct_passed, first.n_correct, first.n_incorrect_failed, first.n_incorrect
    )
    assert first.youden == pytest.approx(float(found.j), abs=1e-12)


def test_labels_that_are_asked_for_have_the_power_promised() -> None:
    tried = (compared(made(2000, 60, seed, gap=0.25, lenient=0.1)) for seed in range(20))
    found = next(x for x in tried if x.verdict == "inconclusive" and x.more_labels)
    assert found.more_labels == found.n_star - 60
    design: dict[str, Any] = {
        "judged": 2000,
        "sigma": found.sigma,
        "r": found.r,
        "departure": 1,
    }
    assert stats.judge_mde(found.n_star, **design) <= abs(found.gap)
    assert stats.judge_mde(found.n_star - 1, **design) > abs(found.gap)
    assert found.q == pytest.approx(60 / found.n_star)
    assert found.mde == pytest.approx(float(stats.judge_mde(60, **design)), rel=0.02)


def test_groups_of_items_are_a_sample() -> None:
    rows = made()
    d, f = arrays(rows)
    found = compared(rows, cluster="topic")
    sums = stats.cluster_sums(stats.judge_influence(d, f, fitted=2), np.arange(600) % 30)
    unseen = departure_variance(120, judged=600, departure=1)
    between = stats.cluster_variance(sums.sums, sums.sizes)
    assert found.se == pytest.approx((between + unseen) ** 0.5)
    assert found.n_groups == 30
    labels = np.bincount((np.arange(600) % 30)[~np.isnan(d)])
    assert found.df == pytest.approx(float(stats.bell_mccaffrey_df(labels)))
    assert found.df < 29  # labels are spread less evenly than items
    assert "judged items in 30" in str(found)


def test_labels_of_one_group_say_nothing_of_others() -> None:
    rows = made(items=1200, labels=1200)
    rows["people"] = [
        p if t == "t0" else None for p, t in zip(rows["people"], rows["topic"], strict=True)
    ]
    with pytest.raises(DataError, match="All labeled items are in one topic"):
        compared(rows, cluster="topic")


def test_few_labels_are_used_alone() -> None:
    found = compared(made(labels=20))
    assert (found.method, found.method_reason, found.slope) == (
        "labels",
        "fewer than 30 labels",
        0,
    )
    assert found.estimate.method == "labels"
    assert [x.method for x in found.other_estimates] == ["judge"]
    assert found.gap == pytest.approx(np.nanmean(arrays(made(labels=20))[0]), abs=1e-12)
    assert "The judge is not used, because fewer than 30 labels" in str(found)


def test_a_judge_that_always_says_the_same_is_not_used() -> None:
    rows = made()
    rows["said"] = [1] * 1200
    found = compared(rows)
    assert (found.method, found.r, found.gain) == ("labels", None, 1.0)


def test_chosen_labels_are_refused() -> None:
    rows = made(items=1000)
    said = np.array(rows["said"]).reshape(2, 1000)
    chosen = np.flatnonzero(said[0] != said[1])[:100]
    rows["people"] = [int(k % 3 == 0) if k % 1000 in chosen else None for k in range(2000)]
    with pytest.raises(DataError, match=r"do not look random: .* Label a random subset"):
        compared(rows)


def test_graded_scores() -> None:
    rng = np.random.default_rng(2)
    truth = rng.normal(3, 1, (2, 300))
    rows = {
        "model": ["a"] * 300 + ["b"] * 300,
        "item": [*range(300)] * 2,
        "said": (truth + rng.normal(0, 0.5, truth.shape)).ravel().tolist(),
        "people": np.where(np.arange(300) < 60, truth, np.nan).ravel().tolist(),
    }
    found = compared(rows)
    assert found.model_estimates[0].n_correct is None
    assert found.model_estimates[0].youden is None
    assert found.gain > 1.5  # above 2 without departures of half of the scale
    assert "pp" not in str(found)


def test_a_shift_of_the_judge_changes_nothing_but_the_judge() -> None:
    rows = made()
    for name in ("said", "people"):
        rows[name] = [None if x is None else 10 * x for x in rows[name]]
    other = {
        **rows,
        "said": [x + 5 * (m == "b") for x, m in zip(rows["said"], rows["model"], strict=True)],
    }
    one, two = compared(rows, allow="off-scale"), compared(other, allow="off-scale")
    assert two.gap == pytest.approx(one.gap, abs=1e-12)
    assert two.other_estimates[1].gap == pytest.approx(one.other_estimates[1].gap - 5, abs=1e-12)
    assert two.bias == pytest.approx(one.bias - 5, abs=1e-12)


def test_json_reads_back_and_formats_agree() -> None:
    found = compared(made())
    assert Judged.from_json(found.to_json()) == found
    assert "judge and labels" in render(found, "markdown")
    assert render(found, "csv").splitlines()[1].startswith("a,b,,120,corrected,600,")
    assert r"\begin{tabular}" in render(found, "latex")
    assert len(found.to_frame()) == 3


def test_the_paragraph_says_both_gaps() -> None:
    found = compared(made())
    text = " ".join(str(render(found, paragraph=True)).split())
    assert "humans labeled a random 120 of them" in text
    assert "The judge alone would report" in text


def test_the_headline_names_whom_the_judge_favors() -> None:
    found = compare_judged(EXAMPLE, judge="verdict", label="human")
    assert found.models == ("alpha", "beta")
    assert " ".join(str(found).split()).startswith("alpha beats beta by")
    assert "it favors beta by" in " ".join(str(found).split())


def test_an_open_gap_says_what_it_would_take() -> None:
    found = compared(made(gap=0.02, items=400, labels=60, lenient=0.1))
    said = " ".join(str(found).split())
    assert "Inconclusive: a scores 2.6 pp above b" in said
    assert "a true gap of 19.8 pp is detected" in said
    assert math.isinf(found.n_star) or "resolving it would take" in said


def test_the_command_says_the_same() -> None:
    told = CliRunner().invoke(
        main, ["compare", "judged", str(EXAMPLE), *COLUMNS, "--format", "json"]
    )
    assert told.exit_code == 0, told.output
    found = compare_judged(EXAMPLE, judge="verdict", label="human")
    assert json.loads(told.stdout)["gap"] == json.loads(found.to_json())["gap"]


@pytest.mark.parametrize(
    ("more", "say"),
    [
        (["--strata", "topic"], "No such option '--strata' here. Use it with nstar compare."),
        (["--margin", "2pp"], "No such option '--margin' here. Use it with nstar compare."),
        (["--metric", "judge"], "No such option '--metric' here. Use it with nstar compare."),
    ],
)
def test_options_that_say_nothing_of_a_judge(more: list[str], say: str) -> None:
    told = CliRunner().invoke(main, ["compare", "judged", str(EXAMPLE), *COLUMNS, *more])
    assert told.exit_code == 2
    assert say in told.output


def test_one_column_of_two() -> None:
    told = CliRunner().invoke(main, ["compare", "judged", str(EXAMPLE), *COLUMNS[:2]])
    assert told.exit_code == 2
    assert "Missing option '--label'" in told.output
    with pytest.raises(ReadError, match=r"no column 'nobody' \(for label\)"):
        compare_judged(EXAMPLE, judge="verdict", label="nobody")
    with pytest.raises(ReadError, match="must be two different columns"):
        compare_judged(EXAMPLE, judge="verdict", label="verdict")


@pytest.mark.parametrize(("column", "part"), [(3, "judge"), (4, "label")])
def test_a_bad_value_names_the_column_it_is_of(column: int, part: str, tmp_path: Path) -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    cells = lines[2].split(",")
    cells[column] = "maybe"
    bad = tmp_path / "bad.csv"
    bad.write_text("\n".join([*lines[:2], ",".join(cells), *lines[3:]]), encoding="utf-8")
    told = CliRunner().invoke(main, ["compare", "judged", str(bad), *COLUMNS])
    assert told.exit_code != 0
    assert f"bad.csv:3: {('verdict', 'human')[column - 3]}: score 'maybe'" in told.output
    assert f"choose another column with --column {part}=NAME" in told.output
    assert "score=NAME" not in told.output


def test_too_few_labels_and_no_common_ones() -> None:
    rows = made(labels=2)
    with pytest.raises(DataError, match="Only 2 judged items are labeled for both models"):
        compared(rows)


def test_compare_sends_judges_elsewhere() -> None:
    columns = {"judge": "verdict", "label": "human"}
    with pytest.raises(ParameterError, match=r"nstar\.compare_judged"):
        nstar.compare(str(EXAMPLE), columns=columns)


def test_in_logs_judge_and_labels_are_metrics() -> None:
    logs = Path(__file__).parents[3] / "fixtures" / "inspect"
    sides = f"one={logs / 'log.json'}", f"two={logs / 'deflate.eval'}"
    with pytest.raises(DataError, match="All 4 labeled items have the same gap"):
        compare_judged(*sides, judge="match", label="nan_scorer")


def test_labels_that_contradict_each_other_are_refused() -> None:
    rows = made()
    known = next(k for k, x in enumerate(rows["people"]) if x is not None)
    for name, values in rows.items():
        values.append(1 - values[known] if name == "people" else values[known])
    with pytest.raises(DataError, match="conflicts with another"):
        compared(rows)


def test_two_corrected_means_have_the_corrected_gap() -> None:
    found = compared(made())
    first, second = found.model_estimates
    assert first.mean - second.mean == pytest.approx(found.gap, abs=1e-12)


def test_no_interval_is_a_point() -> None:
    rows = made()
    rows["said"] = [
        s if p is None else p for s, p in zip(rows["said"], rows["people"], strict=True)
    ]
    found = compared(rows)
    assert found.bias == 0
    assert found.bias_ci.low < 0 < found.bias_ci.high
    assert "the judge and the labels report the same gap" in str(found)


def perfect(items: int = 600, labels: int = 60, wrong: float = 0.0) -> dict[str, list[Any]]:
    """A judge that is right, but for a share of the failures of b."""
    rows, rng = made(items, labels=items), np.random.default_rng(4)
    known = rng.permutation(items) < labels
    right = np.array(rows["people"]).reshape(2, items)
    said = right.copy()
    said[1] |= rng.random(items) < wrong
    rows["said"] = said.ravel().tolist()
    rows["people"] = [
        int(x) if k else None for x, k in zip(right.ravel(), np.tile(known, 2), strict=True)
    ]
    return rows


@pytest.mark.parametrize("cluster", [None, "topic"])
def test_a_perfect_judge_gets_an_answer_with_an_error(cluster: str | None) -> None:
    found = compared(perfect(), cluster=cluster)
    assert (found.method, found.r) == ("corrected", 1.0)
    assert found.slope == pytest.approx(1)
    least = float(departure_variance(60, judged=600, departure=1))
    assert found.se**2 > least
    assert found.se < 3 * least**0.5
    for model in found.model_estimates:  # one model alone as well
        half = (model.ci.high - model.ci.low) / 2
        assert half > law.t.ppf(0.975, found.df) * least**0.5
    assert math.isfinite(found.n_star)
    text = " ".join(render(found, "text", level="full").split())
    assert "two unobserved disagreements between the judge and the labels" in text


def test_labels_alone_take_the_interval_of_counts() -> None:
    rows = made(labels=20)
    d, _ = arrays(rows)
    found = compared(rows)
    more, fewer = int((d == 1).sum()), int((d == -1).sum())
    assert found.ci == pytest.approx(stats.paired_interval(more, fewer, 20), abs=1e-12)
    assert found.pvalue == pytest.approx(float(stats.mcnemar_default_pvalue(more, fewer, 20)))
    assert math.isinf(found.df)
    people = np.array(rows["people"], dtype=float)[:600]
    right = int(np.nansum(people))
    assert found.model_estimates[0].ci == pytest.approx(
        stats.wilson_interval(right, 20), abs=1e-12
    )
    assert "Tango's interval and McNemar's test" in str(render(found, paragraph=True))
    corrected = compared(made())
    n10, n01 = (int((arrays(made())[0] == x).sum()) for x in (1, -1))
    assert corrected.other_estimates[0].ci == pytest.approx(stats.paired_interval(n10, n01, 120))


def test_labels_alone_of_two_other_values() -> None:
    rows = made(labels=20)
    one = compared(rows)
    for name in ("said", "people"):
        rows[name] = [None if x is None else 10 * x for x in rows[name]]
    ten = compared(rows, allow="off-scale")
    assert ten.ci == pytest.approx([10 * x for x in one.ci])
    assert ten.model_estimates[1].ci == pytest.approx([10 * x for x in one.model_estimates[1].ci])
    assert ten.pvalue == one.pvalue


def test_a_judge_that_adds_to_the_error_is_not_used() -> None:
    rows = made(labels=60)
    rows["said"] = (np.random.default_rng(2).random(1200) < 0.5).astype(int).tolist()
    found = compared(rows)
    assert (found.method, found.slope, found.gain) == ("labels", 0, 1)
    assert found.method_reason == "it does not reduce the standard error"
    text = " ".join(str(found).split())
    assert "The judge is not used, because it does not reduce the standard error." in text


def test_with_every_item_labeled_the_labels_are_the_answer() -> None:
    found = compared(made(items=200, labels=200))
    assert (found.method, found.method_reason) == ("labels", "every item is labeled")


def test_intervals_of_models_know_of_clusters() -> None:
    rows = made()
    rows["topic"] = [f"t{int(x)}" for x in np.argsort(np.argsort(rows["said"])) // 100]
    apart, together = compared(rows), compared(rows, cluster="topic")
    for one, many in zip(apart.model_estimates, together.model_estimates, strict=True):
        assert many.mean == one.mean
        assert many.ci.high - many.ci.low > 1.2 * (one.ci.high - one.ci.low)


def test_labels_collected_where_the_judge_sees_a_difference_are_refused() -> None:
    """As many for one model as for the other, so that neither mean nor difference shows it."""
    rows = made(items=1000, labels=1000)
    said = np.array(rows["said"]).reshape(2, 1000)
    ahead, behind = (np.flatnonzero(said[0] - said[1] == x)[:60] for x in (1, -1))
    chosen = {*ahead.tolist(), *behind.tolist()}
    rows["people"] = [x if k % 1000 in chosen else None for k, x in enumerate(rows["people"])]
    with pytest.raises(DataError, match="the judge's mean for the spread of the models is"):
        compared(rows)
    columns = {"judge": "said", "label": "people"}
    with pytest.raises(DataError, match="the judge's mean for the spread of the models is"):
        nstar.plan_labels(rows, judge="said", label="people", delta=0.05)
    with pytest.raises(DataError, match="the judge's mean for the spread of the models is"):
        nstar.audit(rows, columns=columns)
