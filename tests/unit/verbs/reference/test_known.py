"""A new model on some items against known ones: the numbers, the refusals, and what is said."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats as law

import nstar
from nstar import Known, compare_known, stats
from nstar._base.types import Array, IntArray
from nstar._data.matrix import ScoreMatrix
from nstar._verbs import reference
from nstar._verbs.verdict import Criteria
from nstar.cli import main
from nstar.errors import DataError, ParameterError
from nstar.report.charts import figure

Rows = dict[str, list[Any]]
NAMES = ["new", "p", "q", "r", "s", "t"]


def board(seed: int = 1, items: int = 900, lead: float = 0.0) -> Array:
    """The new model first, then five known ones, (6, N)."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=items)
    level = np.array([lead, -0.4, -0.2, 0.0, 0.2, 0.4])[:, None]
    return np.asarray(hard + rng.normal(0, 0.8, (6, items)) < level, dtype=float)


def rows(scores: Array, names: list[str], chosen: IntArray | None = None) -> Rows:
    at = np.arange(scores.shape[1]) if chosen is None else chosen
    return {
        "model": [name for name in names for _ in at],
        "item": [f"i{k}" for k in at] * len(names),
        "score": scores[:, at].ravel().tolist(),
    }


def drawn(n: int, items: int = 900, seed: int = 5) -> IntArray:
    return np.sort(np.random.default_rng(seed).permutation(items)[:n])


def compared(scores: Array, n: int = 150, **asked: Any) -> Known:
    at = drawn(n, scores.shape[1])
    return compare_known(rows(scores[:1], NAMES[:1], at), rows(scores[1:], NAMES[1:]), **asked)


def test_numbers_are_those_of_the_kernel() -> None:
    scores, at = board(), drawn(150)
    found = compared(scores, b="r")
    gap = np.full(900, np.nan)
    gap[at] = (scores[0] - scores[3])[at]
    kept = stats.regression_mean(gap, stats.known_covariates(scores[1:], 150, against=2))
    assert found.n_rare_scores >= 10
    wanted = kept.estimate, kept.se, kept.se_own
    assert (found.gap, found.se, found.benchmark_estimate.se) == pytest.approx(wanted, rel=1e-9)
    assert (found.n_sampled, found.n_items, found.n_known_models, found.n_covariates) == (
        150,
        900,
        5,
        2,
    )
    half = law.t.ppf(0.975, found.df) * found.se
    assert found.ci == pytest.approx((found.gap - half, found.gap + half), abs=1e-9)
    assert found.pvalue == pytest.approx(
        2 * law.t.sf(abs(found.gap) / found.se, found.df), rel=1e-6
    )
    plain = law.ttest_1samp(gap[at], 0)
    assert found.paired_estimate.gap == pytest.approx(gap[at].mean(), abs=1e-12)
    assert found.paired_estimate.pvalue == pytest.approx(plain.pvalue, rel=1e-6)
    assert found.gain == pytest.approx((found.paired_estimate.se / found.se) ** 2, rel=1e-12)
    assert found.benchmark_estimate.se < found.se < found.paired_estimate.se
    new, old = found.model_estimates
    assert old.ci is None
    assert old.mean == pytest.approx(scores[3].mean(), abs=1e-12)
    assert new.mean == pytest.approx(old.mean + found.gap, abs=1e-12)


def test_the_best_is_taken_unless_named() -> None:
    found = compared(board())
    assert (found.models, found.known_is_best) == (("new", "t"), True)
    assert "t is the best of 5 known models" in found.render()
    assert compared(board(), b="p").known_is_best is False


def test_a_clear_gap_and_an_open_one() -> None:
    clear = compared(board(lead=1.2), b="p")
    assert (clear.verdict, clear.verdict_benchmark) == ("better", "better")
    assert clear.q > 1
    assert clear.render(level="brief").startswith("new beats p by ")
    still = compared(board(), b="r")
    assert still.verdict == "inconclusive"
    assert "Inconclusive: new scores 3.8 pp below r" in " ".join(
        still.render(level="brief").split()
    )


def test_what_holds_for_these_items_need_not_hold_for_others() -> None:
    """With nearly all items run, hardly an error is left about these, and as much of others."""
    found = compared(board(seed=8, lead=0.1), n=880, b="r")
    assert found.benchmark_estimate.se < found.se / 4
    assert (found.verdict, found.verdict_benchmark) == ("inconclusive", "better")
    text = " ".join(found.render().split())
    assert "On these 900 items themselves, new beats r" in text


def test_less_is_better() -> None:
    scores = 1 - board(lead=1.2)
    scores[0, 150:] = np.nan
    matrix = replace(ScoreMatrix.from_arrays(scores, models=NAMES), lower_is_better=True)
    found = reference.compare_known(matrix, "new", reference.KnownQuestion())
    assert (found.verdict, found.models[1]) == ("better", "t")
    assert found.gap < 0
    question = reference.KnownQuestion(criteria=Criteria(alternative="less"))
    less = reference.compare_known(matrix, "new", question)
    assert less.verdict == "better"
    assert less.pvalue == pytest.approx(found.pvalue / 2)


@pytest.mark.parametrize("graded", [False, True])
def test_scale_and_missing_scores(graded: bool) -> None:
    scores = board() * 40 + (np.random.default_rng(3).random((6, 900)) if graded else 0)
    every = rows(scores[1:], NAMES[1:])
    holes = {k: v[:-30] for k, v in every.items()}
    found = compare_known(rows(scores[:1], ["new"], drawn(150)), holes, b="r")
    assert found.score_range[1] >= 40
    assert any("averages of model and item stand there" in f.text for f in found.findings)
    assert " pp" not in found.render()


def test_items_that_the_known_model_lacks_are_left_out() -> None:
    scores = board()
    every = rows(scores[1:], NAMES[1:])
    holes = {k: v[5:] for k, v in every.items()}
    found = compare_known(rows(scores[:1], ["new"], np.arange(0, 900, 5)), holes, b="p")
    assert (found.n_items, found.n_sampled) == (895, 179)
    assert any("1 item of new, which p lacks" in f.text for f in found.findings)


def test_an_old_run_of_the_new_model_is_not_known() -> None:
    scores = board()
    found = compare_known(rows(scores[:1], ["new"], drawn(150)), rows(scores, NAMES), b="r")
    alone = compared(scores, b="r")
    assert replace(found, findings=alone.findings) == alone
    assert {f.text for f in found.findings} - {f.text for f in alone.findings} == {
        "the frame also has scores of new, which are ignored"
    }


def test_chosen_items_are_told() -> None:
    scores = board()
    easy = np.sort(np.argsort(-scores[1:].mean(axis=0), kind="stable")[:200])
    found = compare_known(rows(scores[:1], ["new"], easy), rows(scores[1:], NAMES[1:]))
    assert found.selection_pvalue is not None
    assert found.selection_pvalue < 0.001
    assert found.findings[0].code == "chosen-items"
    assert "do not look random" in found.render(level="brief")
    assert compared(scores).selection_pvalue > 0.001  # type: ignore[operator]


def test_items_chosen_for_their_spread_are_told() -> None:
    """Items of middling difficulty have the mean of all: only the spread shows the choice."""
    scores = board()
    mean = scores[1:].mean(axis=0)
    middle = np.sort(np.argsort(np.abs(mean - mean.mean()), kind="stable")[:200])
    found = compare_known(rows(scores[:1], ["new"], middle), rows(scores[1:], NAMES[1:]))
    assert found.selection_pvalue is not None
    assert found.selection_pvalue < 0.001
    assert "the standard deviation of the known models is" in found.findings[0].text


def easy(seed: int, items: int = 1000) -> Array:
    """Scores of models that answer about 96% of the items correctly, (6, N)."""
    rng = np.random.default_rng(seed)
    ability, hard = rng.normal(0, 0.5, 6), rng.normal(-4, 1.2, items)
    passes = rng.random((6, items)) < 1 / (1 + np.exp(hard - ability[:, None]))
    return np.asarray(passes, dtype=float)


def test_rare_scores_make_the_interval_wider() -> None:
    """Two unseen differences are added, unless pairing alone has the smaller error."""
    scores, at = board(lead=4.0), drawn(60)
    found = compared(scores, 60, b="r")
    gap = np.full(900, np.nan)
    gap[at] = (scores[0] - scores[3])[at]
    x = stats.known_covariates(scores[1:], 60, against=2)
    assert found.n_rare_scores == np.count_nonzero(scores[0, at] == 0) < 10
    assert found.se == pytest.approx(stats.regression_mean(gap, x, unseen=1.0).se, rel=1e-12)
    assert stats.regression_mean(gap, x).se < found.se < found.paired_estimate.se
    text = " ".join(found.render().split())
    assert found.n_rare_scores == 0
    assert "has its rarer outcome" in text
    assert "on none of the 60 sampled items" in text
    assert "allows for two unobserved differences" in text
    assert "rarer outcome" not in compared(board()).render()


def test_pairing_alone_answers_where_known_scores_hardly_vary() -> None:
    found = compared(easy(0), 50, b="r")
    assert found.n_rare_scores < 10
    assert found.n_covariates == 0
    assert (found.gap, found.r2) == (found.paired_estimate.gap, 0.0)
    assert found.se == pytest.approx(found.paired_estimate.se, rel=1e-12)
    text = " ".join(found.render(level="full").split())
    assert f"on only {found.n_rare_scores} of the 50 sampled items" in text
    assert "The result therefore uses pairing alone" in text
    assert "results of other known models are not used" in text
    assert "what is known of the rest" not in text
    assert "5 known models save nothing here." in text
    assert "of the variance of the gap" not in text  # they are not used: nothing is known of that
    assert "With pairing on the sampled items (t with 49" in found.render(paragraph=True)


def test_half_of_a_graded_scale_may_be_unseen() -> None:
    scores = board(lead=4.0)
    scores[4, 7] = 0.5
    graded, whole = compared(scores, 60, b="r"), compared(board(lead=4.0), 60, b="r")
    assert graded.se < whole.se
    wide = compared(np.exp(3 * board(lead=4.0)), 60, b="r")
    assert "log-normal" in wide.render()
    assert "log-normal" not in whole.render()


def test_an_estimate_stays_within_the_range_of_scores() -> None:
    """A sample of 50 easy items was extrapolated to a gap of 329 pp."""
    rng = np.random.default_rng(16)
    ability, hard = rng.normal(0, 0.5, 11), rng.normal(-4, 1.2, 1000)
    passes = rng.random((11, 1000)) < 1 / (1 + np.exp(-(ability[:, None] - hard)))
    for _ in range(6):
        at = rng.permutation(1000)[:50]
    names = [f"m{k}" for k in range(10)]
    scores = passes.astype(float)
    found = compare_known(rows(scores[:1], ["new"], at), rows(scores[1:], names), b="m0")
    assert found.verdict == found.verdict_benchmark == "inconclusive"
    assert found.benchmark_estimate.se > 0.01
    new, old = found.model_estimates
    assert new.ci is not None
    assert 0 <= new.ci.low < new.mean < new.ci.high == 1
    assert found.benchmark_estimate.ci.high == pytest.approx(1 - old.mean, abs=1e-12)


def test_intervals_of_gaps_and_scores_end_at_the_limits() -> None:
    scores = board(lead=-4.0)
    found = compared(scores, 30, b="t")
    for gap in (found.estimate, *found.other_estimates):
        assert -1 <= gap.ci.low <= gap.gap <= gap.ci.high <= 1
    new = found.model_estimates[0]
    assert new.ci is not None
    assert new.ci.low == 0 <= new.mean


@pytest.mark.slow
def test_intervals_near_the_ceiling_contain_the_gap() -> None:
    """About 80% of them did; 0.92 is 3 standard errors of 400 samples below 0.95."""
    hits = []
    for seed in range(400):
        scores = easy(seed)
        truth = float(scores[0].mean() - scores[3].mean())
        scores[0, np.random.default_rng(seed).permutation(1000)[50:]] = np.nan
        if np.nanmax(np.abs(scores[0] - scores[3])) == 0:
            continue  # refused: no sampled item differs
        matrix = ScoreMatrix.from_arrays(scores, models=NAMES)
        found = reference.compare_known(matrix, "new", reference.KnownQuestion(b="r"))
        hits.append(
            bool(found.benchmark_estimate.ci.low <= truth <= found.benchmark_estimate.ci.high)
        )
    assert np.mean(hits) > 0.92


def test_a_copy_of_a_known_model_is_found_out() -> None:
    scores = board()
    scores[0] = scores[2]
    found = compared(scores, b="r")
    assert 0 < found.benchmark_estimate.se < found.se
    with pytest.raises(DataError, match="All 150 sampled items have the same gap between new and"):
        compared(scores, b="q")


def test_refusals() -> None:
    scores = board()
    every = rows(scores[1:], NAMES[1:])
    with pytest.raises(DataError, match=r"new ran on all 900 items of t, not on a sample"):
        compare_known(rows(scores[:1], ["new"]), every)
    with pytest.raises(DataError, match="new ran on only 29 items of t; at least 30 are needed"):
        compare_known(rows(scores[:1], ["new"], drawn(29)), every)
    strange = rows(scores[:1], ["new"], drawn(50))
    strange["item"][:2] = ["zebra", "gnu"]
    with pytest.raises(DataError, match="2 of 50 items of new are not among those of the"):
        compare_known(strange, every)
    with pytest.raises(DataError, match="no model 'x'"):
        compare_known(rows(scores[:1], ["new"], drawn(50)), every, b="x")
    with pytest.raises(DataError, match="contains no scores of models other than new"):
        compare_known(rows(scores[:1], ["new"], drawn(50)), rows(scores[:1], ["new"]))
    with pytest.raises(ParameterError, match="alpha"):
        compare_known(rows(scores[:1], ["new"], drawn(50)), every, alpha=2)
    halves = rows(scores[1:3, :450], ["p", "q"])
    for key, more in rows(scores[3:5], ["r", "s"], np.arange(450, 900)).items():
        halves[key] += more
    with pytest.raises(DataError, match=r"None of the 4 known models has 95% of the 900 items"):
        compare_known(rows(scores[:1], ["new"], drawn(50)), halves)


def test_formats_and_reading_back() -> None:
    found = compared(board(), b="r")
    assert Known.from_json(found.to_json()) == found
    lines = found.render("csv").splitlines()
    assert [line.split(",")[4] for line in lines] == ["claim", "questions", "benchmark", "paired"]
    assert "regression estimator" in found.render(paragraph=True)
    assert figure(found).table.rows[0][0] == "similar items"


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str]:
    scores, paths = board(), (tmp_path / "new.csv", tmp_path / "old.csv")
    for path, some in zip(
        paths,
        (rows(scores[:1], ["new"], drawn(150)), rows(scores[1:], NAMES[1:])),
        strict=True,
    ):
        table = zip(*some.values(), strict=True)
        lines = ["model,item,score", *(",".join(map(str, row)) for row in table)]
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(paths[0]), str(paths[1])


def test_command(files: tuple[str, str]) -> None:
    new, old = files
    got = CliRunner().invoke(main, ["compare", "known", new, old, "--b", "r", "--format", "json"])
    assert got.exit_code == 0, got.output
    data = json.loads(got.stdout)
    assert data["schema"] == "nstar.known/1"
    found = nstar.compare_known(new, old, b="r")
    assert (data["gap"], data["se"]) == (found.gap, found.se)
    text = CliRunner().invoke(main, ["compare", "known", f"mine={new}", old]).stdout
    assert text.startswith("mine trails t by ")
    assert len(text.splitlines()) <= 30
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (["--strata", "topic"], "No such option '--strata' here. Use it with nstar compare."),
        (
            ["--list", "gained", "--out", "x.csv"],
            "'--list' here. Use it with nstar compare.",
        ),
        (["--judge", "x"], "No such option '--judge' here. Use it with nstar compare judged."),
        (["--b", "r", "extra.csv"], "unexpected extra argument"),
        (["--b", "z"], "no model 'z'"),
    ],
)
def test_command_refuses(files: tuple[str, str], more: list[str], said: str) -> None:
    new, old = files
    got = CliRunner().invoke(main, ["compare", "known", new, old, *more])
    assert got.exit_code != 0
    assert said in " ".join(got.output.split())
