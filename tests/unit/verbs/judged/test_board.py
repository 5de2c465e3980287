"""Many models by a judge and labels: corrected scores, rankings and gates made of them."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import nstar
from nstar import stats
from nstar._base.types import Array
from nstar._data.matrix import ScoreMatrix
from nstar._engine.pairs import pair_stats, panel
from nstar._verbs.judged import corrected_matrix
from nstar.cli import main
from nstar.errors import DataError, ParameterError
from nstar.report import render
from nstar.report.page._ranking_data import deck
from nstar.stats.judge import departure_variance, judge_scores

COLUMNS = {"judge": "verdict", "label": "human"}
FLAGS = ["--column", "judge=verdict", "--column", "label=human"]
pytestmark = pytest.mark.usefixtures("few_draws")
RATES = (0.9, 0.6, 0.6, 0.3)
LENIENT = 2
"""The model that the judge favors."""


def drawn(
    items: int = 1200,
    labels: int = 240,
    seed: int = 3,
    *,
    rates: tuple[float, ...] = RATES,
    lenient: float = 0.6,
) -> tuple[Array, Array]:
    """Labels with NaN where there are none, and judgments, (M, T)."""
    rng = np.random.default_rng(seed)
    ease = rng.normal(size=items)
    right = np.stack([ease + rng.normal(size=items) < 3 * (x - 0.5) for x in rates])
    luck = rng.random(right.shape)
    passed = np.full((len(rates), 1), 0.1)
    if len(rates) > LENIENT:
        passed[LENIENT] = lenient
    said = np.where(right, luck >= 0.1, luck < passed)
    known = rng.permutation(items) < labels
    return np.where(known, right, np.nan), said.astype(float)


def rows(truth: Array, said: Array) -> dict[str, list[Any]]:
    models, items = truth.shape
    return {
        "model": np.repeat([f"m{k}" for k in range(models)], items).tolist(),
        "item": [f"q{k}" for _ in range(models) for k in range(items)],
        "topic": [f"t{k % 40}" for _ in range(models) for k in range(items)],
        "verdict": said.ravel().astype(int).tolist(),
        "human": [None if np.isnan(x) else int(x) for x in truth.ravel()],
    }


def matrices(truth: Array, said: Array) -> tuple[ScoreMatrix, ScoreMatrix]:
    names = [f"m{k}" for k in range(len(truth))]
    judge, label = (ScoreMatrix.from_arrays(x, models=names) for x in (said, truth))
    return judge, label


def ranked(table: dict[str, list[Any]], **asked: Any) -> nstar.Audit:
    found = nstar.audit(table, **asked)
    assert isinstance(found, nstar.Audit)
    return found


def written(table: dict[str, list[Any]], folder: Path) -> Path:
    path = folder / "board.csv"
    lines = [
        ",".join("" if v is None else str(v) for v in row)
        for row in zip(*table.values(), strict=True)
    ]
    path.write_text("\n".join([",".join(table), *lines]))
    return path


@pytest.fixture(scope="module")
def board() -> dict[str, list[Any]]:
    return rows(*drawn())


def test_two_models_are_those_of_the_pair() -> None:
    truth, said = drawn()
    found = judge_scores(truth[:2], said[:2])
    pair = stats.judge_corrected(truth[0] - truth[1], said[0] - said[1])
    gap = found.scores[0] - found.scores[1]
    assert found.slope == pytest.approx(pair.slope, abs=1e-12)
    assert gap.mean() == pytest.approx(pair.estimate, abs=1e-12)
    assert found.df == pair.df
    # the pair takes the variance of D from labels, the scores that of f from all items
    assert gap.std(ddof=1) / np.sqrt(gap.size) == pytest.approx(pair.se, rel=0.02)


def test_all_labeled_is_the_labels() -> None:
    truth, said = drawn(items=300, labels=300)
    found = judge_scores(truth, said)
    assert found.scores.mean(axis=1) == pytest.approx(truth.mean(axis=1), abs=1e-12)
    gap, told = found.scores[0] - found.scores[1], truth[0] - truth[1]
    assert gap.std() == pytest.approx(told.std(), rel=0.02)


def test_one_slope_is_least_squares_within_items() -> None:
    truth, said = drawn(labels=60)
    known = ~np.isnan(truth[0])
    models, labels = len(truth), int(known.sum())
    columns = [said[:, known].ravel()]
    columns += [np.repeat(np.arange(models) == k, labels).astype(float) for k in range(models)]
    columns += [np.tile(np.arange(labels) == i, models).astype(float) for i in range(labels - 1)]
    slope = np.linalg.lstsq(np.stack(columns, axis=1), truth[:, known].ravel(), rcond=None)[0][0]
    assert judge_scores(truth, said).slope == pytest.approx(slope, abs=1e-9)


@pytest.mark.parametrize(
    ("truth", "said", "message"),
    [
        (np.ones((1, 5)), np.ones((1, 5)), "models"),
        (np.ones((2, 5)), np.ones((2, 4)), "judged"),
        (np.ones((2, 2)), np.ones((2, 2)), "labels"),
        ([[1, 1, 1, 1], [1, 1, 1, np.nan]], np.ones((2, 4)), "all models or for none"),
    ],
)
def test_the_kernel_refuses(truth: Any, said: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        judge_scores(truth, said)


def test_favors_are_told_at_the_level_asked(board: dict[str, list[Any]], tmp_path: Path) -> None:
    usual, strict = (
        ranked(board, columns=COLUMNS, alpha=x).judge_correction for x in (0.05, 1e-6)
    )
    assert usual is not None
    assert strict is not None
    assert (usual.confidence_level, strict.confidence_level) == (0.95, 1 - 1e-6)
    for narrow, wide in zip(usual.models, strict.models, strict=True):
        assert narrow.bias_pvalue == wide.bias_pvalue
        assert wide.bias_ci.low < narrow.bias_ci.low < narrow.bias_ci.high
    assert len(strict.favored_models) < len(usual.favored_models)
    asked = {"a": "m0", "b": "m1", "columns": COLUMNS, "superiority": True}
    found = nstar.gate(board, alpha=0.2, **asked).judge_correction  # type: ignore[arg-type]
    assert found is not None
    assert found.confidence_level == pytest.approx(0.8)
    path = written(board, tmp_path)
    for words in (
        ["audit", str(path)],
        ["gate", "--superiority", "--candidate", f"{path}::m0", "--baseline", f"{path}::m3"],
    ):
        shown = CliRunner().invoke(main, [*words, *FLAGS, "--alpha", "0.2", "--format", "json"])
        answer = json.loads(shown.stdout)
        holder = answer["tasks"][0] if words[0] == "audit" else answer
        assert holder["judge_correction"]["confidence_level"] == pytest.approx(0.8)


def test_the_judge_alone_would_rank_otherwise(board: dict[str, list[Any]]) -> None:
    found = ranked(board, columns=COLUMNS)
    judged = found.judge_correction
    assert judged is not None
    assert (judged.n_items, judged.n_labels, judged.n_items_left_out) == (1200, 240, 0)
    assert found.ranking.model[0] == "m0"
    assert judged.favored_models[0].model == "m2"
    assert judged.favored_models[0].bias > 0
    by_judge = {x.model: x.judge_rank for x in judged.models}
    assert by_judge["m2"] < by_judge["m1"]
    assert found.adjust == "maxt"
    assert found.rho is None


def test_errors_know_of_labels_only(board: dict[str, list[Any]]) -> None:
    found = ranked(board, columns=COLUMNS, pairs="all")
    mine = nstar.compare_judged(board, judge="verdict", label="human", a="m0", b="m1")
    place = list(zip(found.pairs.model_a, found.pairs.model_b, strict=True)).index(("m0", "m1"))
    assert found.pairs.se[place] == pytest.approx(mine.se, rel=0.05)
    assert found.pairs.gap[place] == pytest.approx(mine.gap, abs=0.01)
    half = (found.pairs.ci_unadjusted_high[place] - found.pairs.ci_unadjusted_low[place]) / 2
    assert half == pytest.approx(stats.t_quantile(0.975, 238.0) * found.pairs.se[place])


def test_few_labels_take_holm() -> None:
    found = ranked(rows(*drawn(labels=60)), columns=COLUMNS)
    assert found.adjust == "holm"
    assert "labels" in str(found.adjust_reason)


def test_clusters_go_with_it_and_strata_do_not(board: dict[str, list[Any]]) -> None:
    found = ranked(board, columns=COLUMNS, cluster="topic")
    assert found.design == "cluster:topic"
    assert not [row for row in found.sensitivity if row.assumption.startswith("strata")]
    with pytest.raises(ParameterError, match="cannot be combined with a judge"):
        ranked(board, columns=COLUMNS, strata="topic")


def test_labels_of_some_models_only() -> None:
    truth, said = drawn(labels=200)
    known = np.flatnonzero(~np.isnan(truth[0]))
    truth[1, known[20:]] = np.nan
    with pytest.raises(DataError, match="20 items are labeled for every model"):
        corrected_matrix(*matrices(truth, said))
    judge, label = matrices(truth, said)
    some = label.part(["m0", "m2", "m3"], np.arange(len(label.items)))
    with pytest.raises(DataError, match="m1 has no labels"):
        corrected_matrix(judge, some)


def test_chosen_labels_are_refused() -> None:
    truth, said = drawn(labels=1200)
    truth[:, said.mean(axis=0) > 0.5] = np.nan
    with pytest.raises(DataError, match="do not look random"):
        corrected_matrix(*matrices(truth, said))


def test_items_that_the_judge_lacks_are_left_out() -> None:
    truth, said = drawn()
    said[1, :100] = np.nan
    matrix, about = corrected_matrix(*matrices(truth, said))
    assert (about.n_items_left_out, about.n_items, len(matrix.items)) == (100, 1100, 1100)


def test_every_format_tells_of_the_judge(board: dict[str, list[Any]]) -> None:
    found = ranked(board, columns=COLUMNS)
    text = render(found, "text", level="full", paragraph=True)
    assert "1,200 judged items, 240 labeled" in " ".join(text.split())
    assert "favors m2" in text
    assert "Labels are correct" in text
    assert "corrected with human labels" in " ".join(text.split())
    (task,) = json.loads(render(found, "json"))["tasks"]
    assert task["judge_correction"]["n_labels"] == 240
    assert "240 labeled" in render(found, "html")


def test_no_judge_no_word() -> None:
    truth, said = drawn()
    text = render(ranked(rows(truth, said), columns={"score": "verdict"}), "text")
    assert "judge" not in text


def test_a_gate_by_labels(board: dict[str, list[Any]]) -> None:
    lost = nstar.gate(board, a="m2", b="m1", margin=0.1, columns={"score": "verdict"})
    assert lost.verdict == "pass"  # the judge alone
    found = nstar.gate(board, a="m1", b="m2", margin=0.15, columns=COLUMNS)
    check, mine = (
        found.tasks[0],
        nstar.compare_judged(board, a="m1", b="m2", judge="verdict", label="human"),
    )
    assert check.comparison.estimate.n_labels == 240
    assert check.comparison.estimate.df == 238
    assert check.comparison.gap == pytest.approx(mine.gap, abs=1e-9)
    assert check.comparison.estimate.se == pytest.approx(mine.se, rel=0.02)
    assert found.verdict == "pass"
    assert "240 labeled" in render(found, "text")


def test_a_gate_is_looked_at_once(board: dict[str, list[Any]]) -> None:
    with pytest.raises(ParameterError, match="only in a single evaluation"):
        nstar.gate_looks(board, a="m1", b="m2", margin=0.1, columns=COLUMNS, items=2000)
    with pytest.raises(ParameterError, match="set both columns"):
        nstar.gate(board, a="m1", b="m2", margin=0.1, columns={"judge": "verdict"})


def test_a_gate_needs_the_judge_on_both() -> None:
    truth, said = drawn()
    table = rows(truth, said)
    some = {k: v[10:] for k, v in table.items()}
    found = nstar.gate(some, a="m0", b="m1", margin=0.1, columns=COLUMNS)
    assert found.verdict == "invalid_data"
    assert "scored 10 items for only one of the models" in str(found.invalid_reason)


def test_an_open_gate_says_what_to_label() -> None:
    truth, said = drawn(labels=60)
    found = nstar.gate(rows(truth, said), a="m1", b="m2", margin=0.1, columns=COLUMNS)
    assert found.verdict == "inconclusive"
    assert "1 in 20 of them labeled" in " ".join(render(found, "text").split())


def test_commands(board: dict[str, list[Any]], tmp_path: Path) -> None:
    path = written(board, tmp_path)
    shown = CliRunner().invoke(main, ["audit", str(path), *FLAGS])
    assert shown.exit_code == 0, shown.output
    assert "240 labeled" in shown.stdout
    half = CliRunner().invoke(main, ["audit", str(path), *FLAGS[:2]])
    assert half.exit_code == 3
    assert "must be two different columns" in half.output
    sides = ["--candidate", f"{path}::m0", "--baseline", f"{path}::m3", "--margin", "5pp"]
    passed = CliRunner().invoke(main, ["gate", *sides, *FLAGS])
    assert passed.exit_code == 0, passed.output
    assert passed.stdout.startswith("PASS")


def test_equal_models_are_not_told_apart_more_often_than_said() -> None:
    wrong = 0
    for seed in range(20):
        truth, said = drawn(items=400, labels=110, seed=seed, rates=(0.6,) * 5, lenient=0.4)
        found = ranked(rows(truth, said), columns=COLUMNS, draws=1000)
        wrong += bool((found.ranking.rank_low > 1).any())
    assert wrong <= 4  # chance of more, at 5%: 0.3%


def test_a_gate_with_few_of_many_labeled(tmp_path: Path) -> None:
    """What an item adds to a corrected mean lies off the scale, and is no score of a log."""
    path = written(rows(*drawn(items=2000, labels=60)), tmp_path)
    sides = ["--candidate", f"{path}::m0", "--baseline", f"{path}::m3", "--margin", "5pp"]
    assert CliRunner().invoke(main, ["gate", *sides, *FLAGS]).stdout.startswith("PASS")


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (["watch", "--items", "1200"], "To correct judge errors with labels"),
        (["read", "--out", "new.pack"], "cannot correct for judge errors"),
    ],
)
def test_labels_are_not_dropped_in_silence(
    board: dict[str, list[Any]], tmp_path: Path, command: list[str], words: str
) -> None:
    path = written(board, tmp_path)
    found = CliRunner().invoke(main, [command[0], str(path), *command[1:], *FLAGS])
    assert found.exit_code == 2
    assert words in found.stderr


def test_a_judge_on_another_scale_is_stretched() -> None:
    truth, said = drawn()
    matrix, about = corrected_matrix(*matrices(truth, said))
    scaled, other = corrected_matrix(*matrices(truth, 1 + 4 * said))
    assert (about.judge_score_range, other.judge_score_range) == (None, (1.0, 5.0))
    assert scaled.dense() == pytest.approx(matrix.dense())
    assert other.models == about.models
    found = ranked(rows(truth, 100 * said), columns=COLUMNS)
    text = " ".join(render(found, "text").split())
    assert "range from 0 to 100, a different scale from that of the labels" in text


def test_a_reversed_judge_is_told() -> None:
    truth, said = drawn()
    found = ranked(rows(truth, 1 - said), columns=COLUMNS)
    assert "negatively correlated" in render(found, "text")


def test_the_page_shows_no_items(board: dict[str, list[Any]]) -> None:
    shown = deck(ranked(board, columns=COLUMNS))
    assert shown["items"] is None
    assert shown["groups"] == []
    assert shown["design"]["labeled"] == "1 in 5 of them labeled"


def test_a_perfect_judge_does_not_rank_without_error() -> None:
    truth, _ = drawn(items=2000, labels=2000)
    said = truth.copy()
    truth[:, np.random.default_rng(1).permutation(2000)[60:]] = np.nan
    unseen = float(departure_variance(60, judged=2000, departure=1))
    found = ranked(rows(truth, said), columns=COLUMNS, pairs="all")
    assert (found.pairs.se > unseen**0.5).all()
    mine = nstar.compare_judged(rows(truth, said), judge="verdict", label="human", a="m1", b="m2")
    place = list(zip(found.pairs.model_a, found.pairs.model_b, strict=True)).index(("m1", "m2"))
    assert found.pairs.se[place] == pytest.approx(mine.se, rel=0.1)  # s² of the judge, of labels
    half = (found.ranking.ci_high - found.ranking.ci_low) / 2
    assert (half > stats.t_quantile(0.975, 58.0) * unseen**0.5 * 0.999).all()
    gate = nstar.gate(rows(truth, said), a="m0", b="m3", margin=0.05, columns=COLUMNS)
    assert gate.tasks[0].comparison.estimate.se ** 2 > unseen
    assert gate.verdict == "pass"


def test_departures_do_not_make_labels_fewer() -> None:
    """A rare loss could have shown on as many items as were labeled."""
    truth, said = drawn(labels=240)
    matrix, _ = corrected_matrix(*matrices(truth, said))
    pair = pair_stats(*(panel(matrix, [k], np.arange(1200)) for k in (0, 1)))
    assert pair.exposed() == pytest.approx(240)


def _own_estimates(truth: Array, said: Array, i: int, j: int) -> tuple[float, float]:
    """The gap of a pair by least squares, with the slope of the pair and with that of all."""
    known = ~np.isnan(truth[0])
    models, n = truth.shape[0], int(known.sum())

    def slope(rows: list[int]) -> float:
        effects = (
            np.kron(np.eye(len(rows)), np.ones((n, 1))),
            np.kron(np.ones((len(rows), 1)), np.eye(n)[:, 1:]),
        )
        predictors = np.column_stack([said[rows][:, known].ravel(), *effects])
        return float(np.linalg.lstsq(predictors, truth[rows][:, known].ravel(), rcond=None)[0][0])

    labels, judged = truth[i] - truth[j], said[i] - said[j]
    moved = judged.mean() - judged[known].mean()
    own, shared = (
        float(labels[known].mean() + slope(rows) * moved) for rows in ([i, j], list(range(models)))
    )
    return own, shared


def test_gaps_of_compare_and_audit_differ_by_the_slope_only() -> None:
    """The slope of a pair has the smallest variance; gaps by such slopes do not add up."""
    truth, said = drawn(items=400, labels=120)
    table = rows(truth, said)
    board = nstar.audit(table, columns=COLUMNS, pairs="all")
    assert isinstance(board, nstar.Audit)
    every = board.pairs
    gaps = {}
    for a, b, delta in zip(every.model_a, every.model_b, every.gap.tolist(), strict=True):
        own, shared = _own_estimates(truth, said, int(a[1:]), int(b[1:]))
        pair = nstar.compare_judged(table, a=a, b=b, judge="verdict", label="human")
        assert pair.method == "corrected"
        assert delta == pytest.approx(shared, abs=1e-9)
        assert pair.estimate.gap == pytest.approx(own, abs=1e-9)
        gaps[a, b] = (delta, pair.estimate.gap)
    names = list(dict.fromkeys(name for pair in gaps for name in pair))
    a, b, c = names[:3]
    together, apart = (gaps[a, b][k] + gaps[b, c][k] - gaps[a, c][k] for k in (0, 1))
    assert together == pytest.approx(0, abs=1e-9)
    assert abs(apart) > 1e-4
    two = nstar.audit(table, columns=COLUMNS, models=[a, b]).adjacent
    assert abs(two.gap[0]) == pytest.approx(abs(gaps[a, b][1]), abs=1e-9)


def test_both_reports_say_why_their_gaps_differ() -> None:
    table = rows(*drawn(items=400, labels=120))
    board = " ".join(render(nstar.audit(table, columns=COLUMNS)).split())
    assert "All models share one slope of labels on judgments" in board
    pair = nstar.compare_judged(table, a="m0", b="m1", judge="verdict", label="human")
    assert "is estimated from these two models. An audit of more models" in " ".join(
        render(pair, level="full").split()
    )
    two = nstar.audit(table, columns=COLUMNS, models=["m0", "m1"])
    assert "share one slope" not in render(two, level="full")
