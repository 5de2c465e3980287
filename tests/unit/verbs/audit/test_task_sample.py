"""Tasks as the unit of an audit, through the public function."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats as scipy_stats

import nstar
from nstar import report
from nstar._base.parameter_types import RankMeasure
from nstar._base.types import Array
from nstar._engine.work import Execution
from nstar._verbs.audit import TaskSample
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.task_sample import TaskScores, audit_tasks
from nstar.errors import DataError, ParameterError, QuestionError, ReadError

TASKS = [f"task{k}" for k in range(8)]
MODELS = ["a", "b", "c", "d"]


def scores(tasks: int = 8, seed: int = 1) -> Array:
    rng = np.random.default_rng(seed)
    lead = np.array([0.12, 0.06, 0.02, 0.0])[:, None]
    return 0.5 + lead + rng.normal(0, 0.03, (4, tasks)) + rng.normal(0, 0.1, tasks)


def board(x: Array) -> nstar.ScoreMatrix:
    names = [f"task{k}" for k in range(x.shape[1])]
    return nstar.ScoreMatrix.from_arrays(x, models=MODELS[: len(x)], items=names)


def sample(result: nstar.Audit) -> TaskSample:
    assert result.task_sample is not None
    return result.task_sample


def test_pairs_are_t_tests_and_families_are_flips() -> None:
    x = scores()
    result = nstar.audit(board(x), unit="task", pairs="all")
    assert (result.rank_method, result.adjust, result.n_draws) == ("maxt", "maxt", 127)
    kernel = nstar.stats.flip_max_t(x.T)
    adjusted = dict(zip(map(tuple, kernel.pairs.tolist()), kernel.p_step, strict=True))
    for k in range(6):
        i, j = (MODELS.index(m[k]) for m in (result.pairs.model_a, result.pairs.model_b))
        p = scipy_stats.ttest_rel(x[i], x[j])
        assert result.pairs.pvalue[k] == pytest.approx(p.pvalue, rel=1e-9)
        low, high = p.confidence_interval(0.95)
        assert result.pairs.ci_unadjusted_low[k] == pytest.approx(low)
        assert result.pairs.ci_unadjusted_high[k] == pytest.approx(high)
        p_adjusted = adjusted[min(i, j), max(i, j)]
        assert result.pairs.pvalue_adjusted[k] == pytest.approx(p_adjusted, abs=1e-12)
        assert (result.pairs.verdict[k] == "significant") == (p_adjusted <= 0.05)
    better = nstar.stats.beats(x.mean(axis=1), kernel)
    low, high = nstar.stats.rank_sets(better)
    order = [MODELS.index(m) for m in result.ranking.model]
    assert result.ranking.rank_low.tolist() == low[order].tolist()
    assert result.ranking.rank_high.tolist() == high[order].tolist()


def test_the_same_table_in_four_layouts(tmp_path: Path) -> None:
    x = np.round(100 * scores(), 2)
    header, rows = ["Rank (Borda)", "Model", "Mean (Task)", *TASKS], []
    for name, row in zip(MODELS, x.tolist(), strict=True):
        rows.append([1, name, 50, *row])
    by_task = [[t, *x[:, k].tolist()] for k, t in enumerate(TASKS)]
    long = [[m, t, x[i, k]] for i, m in enumerate(MODELS) for k, t in enumerate(TASKS)]
    tables = {
        "models.csv": [header, *rows],
        "tasks.csv": [["task", *MODELS], *by_task],
        "long.csv": [["model", "task", "score"], *long],
    }
    results = []
    for name, table in tables.items():
        path = tmp_path / name
        path.write_text("\n".join(",".join(map(str, row)) for row in table))
        results.append(nstar.audit(str(path), unit="task"))
    results.append(nstar.audit(board(x), unit="task"))
    for result in results:
        assert sorted(sample(result).tasks) == TASKS
        assert result.ranking.model == results[0].ranking.model
        np.testing.assert_allclose(result.ranking.mean, results[0].ranking.mean)
        np.testing.assert_allclose(
            result.adjacent.pvalue_adjusted, results[0].adjacent.pvalue_adjusted
        )


def test_win_rate_and_borda_are_one_order() -> None:
    x = scores(20, 3)
    by_rate = nstar.audit(board(x), unit="task", rank_by="win-rate")
    by_borda = nstar.audit(board(x), unit="task", rank_by="borda")
    assert by_rate.ranking.model == by_borda.ranking.model
    np.testing.assert_allclose(3 * by_rate.ranking.mean, by_borda.ranking.mean)
    np.testing.assert_allclose(by_rate.adjacent.pvalue, by_borda.adjacent.pvalue)
    assert by_rate.adjacent.verdict == by_borda.adjacent.verdict
    ranks = sample(by_rate).ranks
    np.testing.assert_allclose(ranks.win_rate, by_rate.ranking.mean)
    np.testing.assert_allclose(ranks.mean_rank, 4 - 3 * ranks.win_rate)
    assert by_rate.statistic == "mean win rate"


def test_a_model_that_always_wins_is_significant() -> None:
    x = np.array([[0.9], [0.5], [0.1]]) + np.random.default_rng(1).normal(0, 0.01, (3, 8))
    result = nstar.audit(board(x), unit="task", rank_by="win-rate")
    assert result.adjacent.pvalue.tolist() == [2**-7, 2**-7]  # all 8 tasks agree
    assert result.adjacent.verdict == ("significant", "significant")
    assert result.ranking.rank_high.tolist() == [1, 2, 3]


def test_five_tasks_have_no_family() -> None:
    result = nstar.audit(board(scores(5)), unit="task")
    assert (result.rank_method, result.adjust) == ("none", "none")
    assert set(result.ranking.rank_low.tolist()) == {1}
    assert set(result.ranking.rank_high.tolist()) == {4}
    assert "0.0625" in str(result.adjust_reason)
    text = " ".join(str(result).split())
    assert text.startswith("5 tasks are too few to rank 4 models; at least 6 are needed.")
    assert "with 5 tasks, sign flips cannot give a p-value below 0.0625" in str(
        result.adjust_reason
    )
    two = nstar.audit(board(scores(5)[:2]), unit="task")
    assert two.rank_method == "holm"  # one pair is no family


def test_missing_tasks() -> None:
    x = scores(12)
    x[1, :2] = np.nan
    result = nstar.audit(board(x), unit="task")
    assert result.rank_method == "holm"
    assert sample(result).n_missing == 2
    k = result.adjacent.model_a.index("a")
    want = scipy_stats.ttest_rel(x[0, 2:], x[1, 2:])
    assert result.adjacent.model_b[k] == "b"
    assert result.adjacent.pvalue[k] == pytest.approx(want.pvalue)
    cases: tuple[dict[str, Any], ...] = ({"rank_by": "win-rate"}, {"items": "common"})
    for options in cases:
        common = nstar.audit(board(x), unit="task", **options)
        assert (len(sample(common).tasks), sample(common).n_tasks_left_out) == (10, 2)
        assert common.rank_method == "maxt"


def test_items_inside_tasks() -> None:
    rng = np.random.default_rng(5)
    boards = []
    for k in range(10):
        rates = np.array([0.75, 0.7]) + rng.normal(0, 0.05, 2)
        x = rng.random((2, 400)) < rates[:, None]
        boards.append(nstar.ScoreMatrix.from_arrays(x, models=["a", "b"], task=f"t{k}"))
    result = nstar.audit(boards, unit="task")
    means = np.array([[m.row(k).mean() for m in boards] for k in range(2)])
    want = scipy_stats.ttest_rel(*means)
    assert result.adjacent.pvalue[0] == pytest.approx(want.pvalue)
    noise = sample(result).items
    assert noise is not None
    d = np.array([m.row(0) - m.row(1) for m in boards])
    v = d.var(axis=1, ddof=1) / 400
    assert noise.se_items == pytest.approx(np.sqrt(v.sum()) / 10)
    tau2 = d.mean(axis=1).var(ddof=1) - v.mean()
    assert noise.task_sd == pytest.approx(np.sqrt(tau2))
    assert noise.n_items_enough == pytest.approx(400 * v.mean() / tau2)
    assert noise.se_tasks == pytest.approx((means[0] - means[1]).std(ddof=1) / np.sqrt(10))
    fixed = nstar.audit(boards)
    assert fixed.adjacent.se[0] == pytest.approx(noise.se_items, rel=0.01)
    assert "on exactly these tasks" in str(result)


def test_scales_that_differ_are_reported() -> None:
    x = scores(12)
    x[:, 0] *= 100
    result = nstar.audit(board(x), unit="task")
    assert [f.code for f in result.findings] == ["task-scales"]
    assert sample(result).n_tasks_effective == pytest.approx(1, abs=0.01)
    rated = nstar.audit(board(x), unit="task", rank_by="win-rate")
    assert not rated.findings


def test_directions_that_differ_have_win_rates_only() -> None:
    x = scores(8)
    mixed = TaskScores(
        models=tuple(MODELS),
        tasks=tuple(TASKS),
        scores=np.where(np.arange(8) < 4, x, -x),
        lower=tuple(k >= 4 for k in range(8)),
    )
    with pytest.raises(DataError, match="no mean"):
        audit_tasks(mixed, AuditQuestion(unit="task"), Execution())
    question = AuditQuestion(unit="task", rank_by="win-rate")
    found = audit_tasks(mixed, question, Execution())
    want = nstar.audit(board(x), unit="task", rank_by="win-rate")
    assert found.ranking.model == want.ranking.model
    np.testing.assert_allclose(found.ranking.mean, want.ranking.mean)
    assert np.isnan(sample(found).ranks.mean).all()
    assert "–" in report.render(found, level="full")


def test_mteb_subsets_belong_to_their_task(tmp_path: Path) -> None:
    for model, lead in (("m1", 0.0), ("m2", 0.1)):
        folder = tmp_path / model / "r1"
        folder.mkdir(parents=True)
        for task in ("A", "B"):
            subsets = ",".join(
                f'{{"hf_subset":"{s}","main_score":{0.5 + lead + k / 10}}}'
                for k, s in enumerate(("de", "fr"))
            )
            (folder / f"{task}.json").write_text(
                f'{{"dataset_revision":"1","task_name":"{task}","mteb_version":"1.38.9",'
                f'"scores":{{"test":[{subsets}]}}}}'
            )
    result = nstar.audit(str(tmp_path), unit="task")
    assert sorted(sample(result).tasks) == ["A", "B"]
    np.testing.assert_allclose(result.ranking.mean, [0.65, 0.55])


def test_tasks_can_be_chosen() -> None:
    result = nstar.audit(board(scores()), unit="task", tasks=TASKS[:6])
    assert sample(result).tasks == tuple(TASKS[:6])
    with pytest.raises(DataError, match="No task 'other'"):
        nstar.audit(board(scores()), unit="task", tasks="other")


def test_refused() -> None:
    zeros = board((scores() > 0.55).astype(float))
    with pytest.raises(DataError, match="not scores of tasks"):
        nstar.audit(zeros, unit="task")
    with pytest.raises(QuestionError, match="cluster is for items"):
        nstar.audit(board(scores()), unit="task", cluster="x")
    with pytest.raises(QuestionError, match="rank_by also needs"):
        nstar.audit(board(scores()), rank_by="borda")
    with pytest.raises(ParameterError, match="out is for audits of items"):
        nstar.audit(board(scores()), unit="task", execution=Execution(out="x"))
    with pytest.raises(DataError, match="at least 2 tasks"):
        nstar.audit(board(scores(1)), unit="task")


@pytest.mark.parametrize("rank_by", ["mean", "win-rate", "borda"])
def test_page_and_json(rank_by: RankMeasure, tmp_path: Path) -> None:
    result = nstar.audit(board(scores(15)), unit="task", rank_by=rank_by)
    path = tmp_path / "page.html"
    result.save(str(path))
    page = path.read_text(encoding="utf-8")
    assert "<b>Tasks as a sample, by" in page
    assert "across new tasks" in page
    assert "Ranks by measure" in page
    assert "Tasks needed" in page
    assert "nstar-data" not in page
    assert nstar.Audit.from_json(result.to_json()) == result
    assert "random sample of a larger set" in report.render(result, "markdown", paragraph=True)


def _full(result: nstar.Audit) -> str:
    return " ".join(report.render(result, "text", level="full").split())


@pytest.mark.parametrize("missing", ["n/a", "NA", "nan", "-", "–", ""])
def test_missing_cell_keeps_its_column(tmp_path: Path, missing: str) -> None:
    table = [["model", *TASKS], *([m, *r] for m, r in zip(MODELS, scores().tolist(), strict=True))]
    table[1][3] = missing
    path = tmp_path / "na.csv"
    path.write_text("\n".join(",".join(map(str, row)) for row in table), encoding="utf-8")
    result = nstar.audit(str(path), unit="task")
    assert sorted(sample(result).tasks) == TASKS
    assert sample(result).n_missing == 1
    assert "8 columns read as tasks" in _full(result)


def test_text_among_scores_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("model,license,f,g\na,MIT,7 pts,0.3\nb,MIT,0.4,0.5\n", encoding="utf-8")
    with pytest.raises(ReadError, match=r"bad.csv:2: f: score '7 pts' is not a number"):
        nstar.audit(str(path), unit="task")


def test_task_that_decides_the_means_is_a_caution() -> None:
    x = scores()
    x[:, 0] *= 770
    text = _full(nstar.audit(board(x), unit="task"))
    assert "Caution: task scales differ, so one of 8 tasks decides the means." in text
    assert "e+0" not in text


def test_header_of_win_rates() -> None:
    text = _full(nstar.audit(board(scores()), unit="task", rank_by="win-rate"))
    assert "model win rate % 95% CI" in text
    assert "model score %" not in text


def test_equal_gaps_have_undefined_power() -> None:
    x = np.stack([np.arange(2, 9) / 10, np.arange(1, 8) / 10])
    text = _full(nstar.audit(board(x), unit="task", rank_by="win-rate"))
    assert "too few to detect" not in text
    assert "Power is undefined: a gap that is equal on all 7 tasks" in text
    assert "Student's t is undefined" in text
