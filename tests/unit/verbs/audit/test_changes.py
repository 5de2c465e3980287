"""``audit --since``: every change has its step, and only scores on the same items test a model."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nstar
from helpers.commands import Command
from nstar import ScoreMatrix, report
from nstar._verbs.audit import run as audit_run
from nstar._verbs.board_replay import lasting_changes
from nstar.errors import DataError, QuestionError
from nstar.stats._nested import nested_change, nested_changes

audit: Any = nstar.audit
GOLDEN = Path(__file__).parents[3] / "oracle" / "golden_3.json"
RATES = np.array([0.75, 0.7, 0.66, 0.6, 0.4])
NAMES = ("a", "b", "c", "d", "e")


@pytest.fixture(autouse=True)
def _few_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.default_draws", lambda _: 999)


def rows(items: int, seed: int = 1, rates: Any = RATES) -> Any:
    rng = np.random.default_rng(seed)
    ease = rng.normal(size=items)
    logit = np.log(rates / (1 - rates))[:, None] + ease
    return (rng.random((len(rates), items)) < 1 / (1 + np.exp(-logit))).astype(float)


def board(scores: Any, models: Sequence[str] = NAMES, items: Any = None, **fields: Any) -> Any:
    return ScoreMatrix.from_arrays(scores, models=models[: len(scores)], items=items, **fields)


def changes(new: Any, old: Any, **options: Any) -> Any:
    return audit(new, since=old, **options).changes


def test_same_scores_have_no_changes() -> None:
    x = rows(400)
    c = changes(board(x), board(x))
    assert (c.rank_changes, c.verdict_changes, c.reruns, c.n_verdict_changes) == ((), (), (), 0)
    assert (c.models_added, c.models_removed, c.n_added, c.n_removed) == ((), (), 0, 0)
    assert [b.step for b in c.boards] == [None]
    assert "No rank range changed." in nstar.audit(board(x), since=board(x)).headline


def test_snapshots_without_a_common_item() -> None:
    old, new = (
        board(rows(300, seed), items=[f"{seed}-{k}" for k in range(300)]) for seed in (1, 2)
    )
    result = nstar.audit(new, since=old)
    changes = result.changes
    assert changes is not None
    assert (changes.n_added, changes.n_removed) == (300, 300)
    assert (changes.reruns, changes.item_effects) == ((), ())
    assert "No item is in both snapshots." in result.headline
    assert "same items" not in result.headline


def test_order_of_items_and_models_does_not_matter() -> None:
    x, order = rows(400), np.random.default_rng(2).permutation(400)
    old = board(x, items=[f"q{k}" for k in range(400)])
    new = board(x[::-1][:, order], NAMES[::-1], items=[f"q{k}" for k in order])
    c = changes(new, old)
    assert (c.rank_changes, c.reruns, c.n_added) == ((), (), 0)


def test_rerun_is_the_paired_comparison_of_both_runs() -> None:
    x = rows(600)
    y = x.copy()
    y[4, :90] = 1.0
    y[1, :4] = 1 - y[1, :4]
    c = changes(board(y), board(x))
    assert [b.step for b in c.boards] == [None, "scores"]
    assert [(r.model, r.is_significant) for r in c.reruns] == [("b", False), ("e", True)]
    pair = nstar.compare(y[4], x[4])
    e = c.reruns[1]
    assert e.change == pytest.approx(pair.gap)
    assert e.pvalue_adjusted == pytest.approx(min(1.0, 2 * pair.pvalue), rel=1e-6)
    assert e.n_changed == int((x[4] != y[4]).sum())
    assert {r.reasons for r in c.rank_changes} <= {("scores",)}


def test_golden_value_of_added_items() -> None:
    items = {x["id"]: x for x in json.loads(GOLDEN.read_text(encoding="utf-8"))["items"]}
    item = items["change.items_added"]
    d, n_old = np.array(item["inputs"]["d"]), item["inputs"]["old"]
    is_old = np.arange(d.size) < n_old
    change, se = nested_change(d, is_old, np.ones(d.size, np.bool_))
    gap = d[is_old].mean() - d[~is_old].mean()
    pooled = float(se) / np.sqrt(1 / n_old - 1 / d.size)
    pooled *= np.sqrt(1 / n_old + 1 / (d.size - n_old))
    assert [float(change), float(se), gap, pooled] == pytest.approx(item["expected"], abs=1e-10)


def test_error_of_replaced_items_is_that_of_the_linear_form() -> None:
    d = np.random.default_rng(3).normal(size=60)
    old, new = np.arange(60) < 40, np.arange(60) >= 25
    weights = new / 35 - old / 40
    change, se = nested_change(d, old, new)
    assert float(change) == pytest.approx(d[new].mean() - d[old].mean())
    assert float(se) == pytest.approx(d.std(ddof=1) * np.sqrt((weights**2).sum()))


def test_added_items_come_before_new_models() -> None:
    x = rows(900)
    old, new = board(x[:4, :300]), board(x)
    c = changes(new, old)
    assert [(b.step, b.n_models, b.n_units) for b in c.boards] == [
        (None, 4, 300),
        ("items", 4, 900),
        ("new_models", 5, 900),
    ]
    assert (c.models_added, c.n_added, c.n_removed) == (("e",), 600, 0)
    assert c.rank_changes
    assert all(r.reasons[0] == "items" for r in c.rank_changes)
    for r in c.rank_changes:
        assert r.pair is not None
        assert r.model in (r.pair.model_a, r.pair.model_b)
        assert r.pair.reason == "items"


def test_each_board_is_the_audit_of_its_part() -> None:
    x = rows(900)
    c = changes(board(x), board(x[:4, :300]))
    between = nstar.audit(board(x[:4]))
    assert c.boards[1].critical_value == between.critical_value
    old = nstar.audit(board(x[:4, :300]))
    now = nstar.audit(board(x))
    ranges = [
        dict(zip(r.model, zip(r.rank_low, r.rank_high, strict=True), strict=True))
        for r in (old.ranking, now.ranking)
    ]
    differs = {m for m in "abcd" if ranges[0][m] != ranges[1][m]}
    assert {r.model for r in c.rank_changes} == differs


def test_new_leader_displaces_all_others() -> None:
    x = rows(900, rates=np.array([0.97, 0.7, 0.6, 0.4]))
    c = changes(board(x, ("z", "a", "b", "c")), board(x[1:], ("a", "b", "c")))
    assert [(r.model, r.reasons, r.pair) for r in c.rank_changes] == [
        (name, ("new_models",), None) for name in "abc"
    ]


def test_verdict_that_only_the_number_of_models_changed() -> None:
    a = np.arange(500) < 350
    b = (np.arange(500) >= 35) & (np.arange(500) < 362)
    few = np.stack([a, b]).astype(float)
    rng = np.random.default_rng(5)
    many = np.vstack([few, rng.random((30, 500)) < 0.2]).astype(float)
    names = ["a", "b", *(f"m{k}" for k in range(30))]
    assert 0.05 / 496 < nstar.compare(few[0], few[1]).pvalue < 0.05
    c = changes(board(many, names), board(few, names), adjust="bonferroni")
    assert [v.reason for v in c.verdict_changes] == ["family_size"]
    assert c.verdict_changes[0].gap == c.verdict_changes[0].old_gap


def test_removed_models_leave_before_items_change() -> None:
    x = rows(900)
    c = changes(board(x[:3]), board(x[:, :300]))
    assert [b.step for b in c.boards] == [None, "removed_models", "items"]
    assert c.models_removed == ("d", "e")


def table(scores: Any, texts: Sequence[int], ids: Sequence[str]) -> Any:
    """Scores with a hash of each item's text."""
    m, n = scores.shape
    return nstar.Table.from_columns(
        model=np.repeat(NAMES[:m], n),
        item=np.tile(np.array(ids), m),
        score=scores.ravel(),
        content=np.tile(np.array(texts, np.uint64), m),
    )


def test_item_with_another_text_is_another_item() -> None:
    x = rows(300)
    ids = [f"q{k}" for k in range(300)]
    texts = list(range(1000, 1300))
    y, others = x.copy(), [*range(5000, 5040), *texts[40:]]
    y[:, :40] = 1 - y[:, :40]
    c = changes(table(y, others, ids), table(x, texts, ids))
    assert (c.n_corrected, c.n_added, c.n_removed, c.reruns) == (40, 0, 0, ())
    assert c.items_corrected[:2] == ("q0", "q1")
    assert [b.step for b in c.boards] == [None, "items"]


def test_item_with_another_id_is_the_same_by_its_text() -> None:
    x, texts = rows(300), list(range(1000, 1300))
    old = table(x, texts, [f"q{k}" for k in range(300)])
    c = changes(table(x, texts, [f"renamed-{k}" for k in range(300)]), old)
    assert (c.n_added, c.n_removed, c.n_corrected) == (0, 0, 0)
    assert [b.step for b in c.boards] == [None]


def test_pack_keeps_the_text_hashes(tmp_path: Path) -> None:
    x, texts = rows(300), list(range(1000, 1300))
    ids = [f"q{k}" for k in range(300)]
    nstar.pack(nstar.ScoreMatrix.from_arrays(x, models=NAMES, items=ids), tmp_path / "bare")
    from nstar._data.align import matrices  # noqa: PLC0415

    nstar.pack(matrices(table(x, texts, ids))[0], tmp_path / "hashed")
    y = x.copy()
    y[:, :40] = 1 - y[:, :40]
    new = table(y, [*range(5000, 5040), *texts[40:]], ids)
    assert changes(new, tmp_path / "hashed").n_corrected == 40
    assert changes(new, tmp_path / "bare").n_corrected == 0
    assert len(changes(new, tmp_path / "bare").reruns) == 5


def test_audit_without_scores_gives_changes_without_reasons(tmp_path: Path) -> None:
    x = rows(900)
    path = tmp_path / "old.json"
    path.write_text(nstar.audit(board(x[:4, :300])).to_json(), encoding="utf-8")
    c = changes(board(x), path)
    full = changes(board(x), board(x[:4, :300]))
    assert not c.has_reasons
    assert [(r.model, r.low, r.high) for r in c.rank_changes] == [
        (r.model, r.low, r.high) for r in full.rank_changes
    ]
    assert all(r.reasons == () for r in c.rank_changes)
    assert (c.n_added, c.n_units_old, c.n_units) == (None, 300, 900)
    assert "has no item scores" in str(audit(board(x), since=path))


def test_critical_values_of_holm_are_not_compared() -> None:
    x = rows(900)
    for adjust, is_written in (("holm", False), ("bonferroni", True)):
        result = audit(board(x), since=board(x[:4]), adjust=adjust)
        text = report.render(result, "text", level="full")
        assert ("a gap is significant from" in " ".join(text.split())) is is_written


def test_all_boards_use_holm_if_the_newer_audit_does(monkeypatch: pytest.MonkeyPatch) -> None:
    x = rows(900)
    old, new = board(x[:4]), board(x)
    assert changes(new, old).method == "maxt"
    assert changes(new, old, adjust="holm").method == "maxt"  # verdicts only
    monkeypatch.setattr("nstar._verbs.audit.pair_analysis.MOST_MODELS", 4)
    result = audit(new, since=old)
    c = result.changes
    assert (c.old_method, c.method) == ("maxt", "holm")
    assert c.boards[0].critical_value == audit(old, adjust="holm").critical_value
    assert "Both snapshots are compared with Holm's method. The older results alone use max-T" in (
        " ".join(report.render(result, "text", level="full").split())
    )
    result = audit(old, since=new)
    assert (result.changes.old_method, result.changes.method) == ("holm", "maxt")
    assert "The older results use Holm's method, and these use max-T" in result.headline


def test_older_audit_without_scores_needs_the_same_level(tmp_path: Path) -> None:
    x, path = rows(300), tmp_path / "old.json"
    path.write_text(audit(board(x[:4])).to_json(), encoding="utf-8")
    with pytest.raises(DataError, match=r"another alpha \(0.05; now 0.01\)"):
        audit(board(x), since=path, alpha=0.01)


def test_no_common_model() -> None:
    x = rows(300)
    names = [f"new{k}" for k in range(len(x))]
    text = " ".join(str(audit(board(x, names), since=board(x))).split())
    assert "If models were renamed, use the same names in both files." in text


def test_older_result_has_its_scores() -> None:
    x = rows(900)
    c = changes(board(x), nstar.audit(board(x[:4, :300])))
    assert c.has_reasons
    assert c.rank_changes == changes(board(x), board(x[:4, :300])).rank_changes


def test_average_of_tasks() -> None:
    x = rows(600)
    old = [board(x[:4, :200], task="s"), board(x[:4, 200:400], task="t")]
    y = x.copy()
    y[3, 200:300] = 1
    new = [board(x[:, :200], task="s"), board(y[:, 200:], task="t")]
    c = changes(new, old)
    assert [b.step for b in c.boards] == [None, "scores", "items", "new_models"]
    assert [r.model for r in c.reruns] == ["d"]
    assert c.reruns[0].change == pytest.approx(((y - x)[3, 200:400].mean()) / 2)
    assert c.item_effects == ()
    result = audit(new, since=old)
    assert result.headline.startswith("Since the older results: 1 new model (e) and 200 new items")


def test_exchanged_items_give_exact_pvalues() -> None:
    d = np.array([[0.0, 0.1, 0.2, 0.3, 0.4, 3.0]])
    found = nested_changes(d, np.arange(6) < 5, np.ones(6, np.bool_), alpha=0.05, seed=1)
    assert float(found.pvalue[0]) == pytest.approx(1 / 6, abs=0.04)


def test_clusters_have_no_item_effects() -> None:
    x = rows(400)
    assert len(changes(board(x), board(x[:, :300])).item_effects) == 5
    groups = {"g": [str(k // 10) for k in range(400)]}
    clustered = board(x, groups=groups)
    old = board(x[:, :300], groups={"g": groups["g"][:300]})
    assert changes(clustered, old, cluster="g").item_effects == ()


def test_items_that_favor_a_model() -> None:
    x = rows(600)
    x[2, 400:] = 1
    effects = {e.model: e for e in changes(board(x), board(x[:, :400])).item_effects}
    assert effects["c"].is_significant
    assert effects["c"].change > 0
    assert "favor c" in audit(board(x), since=board(x[:, :400])).render(level="full")


def test_reads_back_from_json() -> None:
    x = rows(900)
    result = audit(board(x), since=board(x[:4, :300]))
    assert nstar.Audit.from_json(result.to_json()).changes == result.changes


@pytest.mark.parametrize("options", [{"statistic": "f1"}, {"weights": {"0": 1.0}}])
def test_refused_options(options: dict[str, Any]) -> None:
    with pytest.raises(QuestionError, match="since"):
        audit(board(rows(50)), since=board(rows(50)), **options)


def test_refuses_what_cannot_be_compared() -> None:
    x = rows(50)
    with pytest.raises(DataError, match="no task in common"):
        audit(board(x, task="s"), since=board(x, task="t"))
    with pytest.raises(DataError, match="another scale"):
        audit(board(x), since=board(100 * rows(50) + rows(50, 2)))
    with pytest.raises(DataError, match="metric"):
        audit(board(x, metric="acc"), since=board(x, metric="f1"))


def test_lasting_changes() -> None:
    assert lasting_changes([1, 2, 1, 3]) == [3]
    assert lasting_changes([1, 2, 3, 2]) == [1, 2, 3]


def test_out_beside_an_older_audit(tmp_path: Path) -> None:
    x, folder = rows(300), tmp_path / "board"
    for n in (200, 250, 300):
        path = tmp_path / "scores.csv"
        lines = [f"{NAMES[m]},q{k},{int(x[m, k])}" for m in range(5) for k in range(n)]
        path.write_text("\n".join(["model,item,score", *lines]), encoding="utf-8")
        run = Command("audit").run(str(path), "--out", str(folder))
        assert run.exit_code == 0
    assert "contains an older audit. Writing to " in run.stderr
    assert "Since board-2: 50 new items." in run.stdout
    files = [tmp_path / f"board{number}" / "audit.json" for number in ("", "-2", "-3")]
    sizes = [json.loads(file.read_text())["tasks"][0]["n_items"] for file in files]
    assert sizes == [200, 250, 300]


def test_since_an_audit_of_an_older_version(tmp_path: Path) -> None:
    """An older version wrote neither ``changes`` nor ``task_sample``."""
    x = rows(400)
    data = json.loads(nstar.audit(board(x[:4])).to_json())
    del data["changes"], data["findings"]
    for task in data["tasks"]:
        del task["task_sample"]
    old = tmp_path / "audit.json"
    old.write_text(json.dumps(data))
    c = changes(board(x), str(old))
    assert (c.has_reasons, c.models_added, c.models_removed) == (False, ("e",), ())


def test_replayed_boards_omit_what_changes_do_not_need(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sensitivity analysis and the ranges of single models take a third of an audit."""
    counts = {"stress_rows": 0, "ranking": 0}

    def counted(name: str) -> Any:
        run = getattr(audit_run, name)

        def call(*args: Any, **options: Any) -> Any:
            counts[name] += name == "stress_rows" or options["simulate_marginal"]
            return run(*args, **options)

        return call

    for name in counts:
        monkeypatch.setattr(audit_run, name, counted(name))
    x = rows(400)
    c = changes(board(x), board(x[:4, :300]))
    assert [b.step for b in c.boards] == [None, "items", "new_models"]
    assert counts == {"stress_rows": 1, "ranking": 1}
