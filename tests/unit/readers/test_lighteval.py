"""lighteval details: both schemas, subjects, few-shot settings, and lighteval's own means."""

import json
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from helpers.logs import FIXTURES, SHARED, Log, attack, copy, edit, rows
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers.lighteval import READER

ROOT = FIXTURES / "lighteval"
TIME = "2026-11-14T23-48-49.470257"
ALPHA = f"details/acme/alpha-8b/{TIME}"
RESULTS = f"results/acme/alpha-8b/results_{TIME}.json"
NO_WINDOWS = pytest.mark.skipif(sys.platform == "win32", reason="| in names of files")
WP = f"details_mini_wp-0_{TIME}.parquet"


def doc(
    number: Any = "0", task: str = "t|0", question: str = "1+1?", **more: Any
) -> dict[str, Any]:
    return {"id": number, "task_name": task, "query": question, "choices": ["2"], **more}


def write(path: Path, *rows_: dict[str, Any]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows_)), path)
    return path


def nested(path: Path, *pairs: tuple[dict[str, Any], dict[str, Any]]) -> Path:
    return write(path, *({"doc": d, "metric": m} for d, m in pairs))


def flat(question: str, metrics: Any, **more: Any) -> dict[str, Any]:
    row = {"example": question, "full_prompt": f"Q: {question}", "metrics": metrics}
    return row | {"gold": ["2"], "choices": ["1", "2"]} | more


def means(log: Log) -> None:
    for source in log.table.sources:
        assert source.aggregates
        assert source.mismatches == {}
        for metric, theirs in source.aggregates.items():
            where = {"model": source.model or "", "task": source.task or "", "metric": metric}
            subject = Path(source.path).name.partition("mmlu")[2][1:9].rstrip("-")
            kept = [r for r in rows(log.table, **where) if (r["subject"] or "") == subject]
            ours = sum(r["score"] for r in kept) / len(kept)
            assert ours == pytest.approx(theirs, abs=1e-9)


def test_every_mean_is_lightevals_own() -> None:
    log = Log(READER, ROOT)
    assert len(log.table.sources) == 6
    assert log.table.models == ("acme/alpha-8b", "acme/beta-70b")
    means(log)


@pytest.mark.skipif(not (SHARED / "lighteval").exists(), reason="larger logs are not at hand")
def test_whole_files_under_their_own_names() -> None:
    log = Log(READER, SHARED / "lighteval")
    assert len(log.table.sources) == 10
    assert len(log.table) == 240
    assert log.journal.notes == []
    assert all(s.aggregates and s.mismatches == {} for s in log.table.sources)


def test_items_are_named_by_subject_and_id_not_by_position() -> None:
    log = Log(READER, ROOT)
    assert log.table.tasks == ("mini_mmlu", "mini_wp")
    first = next(r for r in rows(log.table, task="mini_wp"))
    assert first["item"] == "15"
    assert (first["subject"], first["template"]) == (None, "t3")
    mmlu = rows(log.table, task="mini_mmlu")
    assert {r["subject"] for r in mmlu} == {"addition", "capitals"}
    assert all(r["item"].startswith(f"{r['subject']}:") for r in mmlu)


def test_content_is_that_of_the_question() -> None:
    log = Log(READER, ROOT)
    of = {(r["model"], r["task"], r["item"]): r["content"] for r in rows(log.table)}
    for (_, task, item), content in of.items():
        assert of["acme/beta-70b", task, item] == content
    assert len({c for (m, _, _), c in of.items() if "alpha" in m}) == 48


def test_metrics_are_fields() -> None:
    (source,) = Log(READER, ROOT).of("acme/alpha-8b", "mini_wp")
    assert set(source.aggregates) == {"extractive_match", "avg@n:n=4", "pass@k:k=1&n=4"}
    assert (source.rows, source.items) == (72, 24)
    assert source.settings["few_shot"] == "0"
    assert source.settings["dataset"] == "acme/wp"


def test_groups_on_demand(tmp_path: Path) -> None:
    path = tmp_path / "details_t-0_2026-01-01T00-00-00.parquet"
    nested(path, (doc(specific={"orig_id": "a", "model": "x"}), {"acc": 1}))
    log = Log(READER, path, groups=("orig_id", "model"))
    assert log.table.groups == ("orig_id",)
    assert rows(log.table)[0]["orig_id"] == "a"


def test_without_results_the_folders_name_the_model(tmp_path: Path) -> None:
    details = copy(ROOT / "details", tmp_path / "details")
    log = Log(READER, details)
    assert log.table.models == ("acme/alpha-8b", "acme/beta-70b")
    assert all("no results_" in s.notes[0] and not s.aggregates for s in log.table.sources)
    alone = tmp_path / "somewhere" / "details_x-0_2026-01-01T00-00-00.parquet"
    nested(alone, (doc(), {"acc": 1}))
    assert Log(READER, alone).source.model == "somewhere"


def test_results_beside_the_details(tmp_path: Path) -> None:
    path = nested(tmp_path / f"details_t-0_{TIME}.parquet", (doc(), {"acc": 1}))
    general = {"model_name": "a/m", "max_samples": 1, "lighteval_sha": "abc"}
    results = {"config_general": general, "results": {"t|0": {"acc": 1.0}}}
    (tmp_path / f"results_{TIME}.json").write_text(json.dumps(results), "utf-8")
    source = Log(READER, path).source
    assert (source.model, source.limited) == ("a/m", "max_samples=1")
    assert source.harness == "lighteval abc"
    assert source.aggregates == {"acc": 1.0}


def test_later_runs_replace_earlier_ones_unless_limited(tmp_path: Path) -> None:
    root = copy(ROOT, tmp_path / "out")
    later = "2027-01-01T00-00-00"
    copy(root / ALPHA, root / f"details/acme/alpha-8b/{later}")
    for path in (root / f"details/acme/alpha-8b/{later}").iterdir():
        path.rename(path.with_name(path.name.replace(TIME, later)))
    results = json.loads((root / RESULTS).read_text("utf-8"))
    (root / RESULTS.replace(TIME, later)).write_text(json.dumps(results), "utf-8")
    kept = Log(READER, root).of("acme/alpha-8b")
    assert len(kept) == 3
    assert all(later in source.path for source in kept)
    edit(
        root / RESULTS.replace(TIME, later),
        config_general={"model_name": "acme/alpha-8b", "max_samples": 5},
    )
    log = Log(READER, root)
    assert all(TIME in source.path for source in log.of("acme/alpha-8b"))
    assert sum("1 ignored" in note for note in log.journal.notes) == 3


def test_few_shot_settings_of_one_run_are_tasks(tmp_path: Path) -> None:
    for shots in "05":
        name = f"lighteval|gsm8k|{shots}|0"
        nested(tmp_path / "m" / f"details_{shots}_{TIME}.parquet", (doc(task=name), {"em": 1}))
    other = tmp_path / "n" / f"details_5_{TIME}.parquet"
    nested(other, (doc(task="lighteval|gsm8k|5|0"), {"em": 0}))
    log = Log(READER, tmp_path)
    assert log.table.tasks == ("gsm8k|0", "gsm8k|5")
    assert log.of("n")[0].task == "gsm8k|5"
    assert Log(READER, other).source.task == "gsm8k"
    assert Log(READER, other).source.settings == {"few_shot": "5", "suite": "lighteval"}


def test_values_that_are_no_scores(tmp_path: Path) -> None:
    path = tmp_path / f"details_t-0_{TIME}.parquet"
    bad = {"acc": float("nan"), "ok": True, "list": [1.0], "word": "x", "nothing": None}
    nested(path, (doc("0"), bad), (doc("1"), bad | {"acc": None, "ok": False}))
    log = Log(READER, path)
    assert log.scores(metric="acc") == {"0": None, "1": None}
    assert log.scores(metric="ok") == {"0": 1.0, "1": 0.0}
    assert log.source.unscored == 2
    assert [r for r in log.source.dropped if r.startswith("metric list is list")]
    assert log.source.dropped["metric word is string"] == 2
    assert log.source.dropped["metric nothing is null"] == 2


def test_corpus_metrics_are_not_compared_and_direction_is_kept(tmp_path: Path) -> None:
    root = copy(ROOT, tmp_path / "out")
    results = json.loads((root / RESULTS).read_text("utf-8"))
    metrics = [
        {"metric_name": ["extractive_match"], "corpus_level_fn": {"extractive_match": "max"}},
        {"metric_name": "avg@n:n=4", "corpus_level_fn": "mean", "higher_is_better": False},
    ]
    results["config_tasks"]["mini_wp|0"]["metrics"] = metrics
    (root / RESULTS).write_text(json.dumps(results), "utf-8")
    (source,) = Log(READER, root).of("acme/alpha-8b", "mini_wp")
    assert set(source.aggregates) == {"avg@n:n=4", "pass@k:k=1&n=4"}
    assert source.lower_is_better == ("avg@n:n=4",)


@pytest.mark.parametrize(
    ("document", "metrics", "said"),
    [
        (doc(None), {"acc": 1.0}, "doc.id is null"),
        (doc(task="u|0"), {"acc": 1.0}, "task is u|0"),
        (doc(), {"acc": float("inf")}, "metric acc has the score inf"),
    ],
)
def test_bad_rows(tmp_path: Path, document: Any, metrics: Any, said: str) -> None:
    path = tmp_path / f"details_t-0_{TIME}.parquet"
    nested(path, (doc("9"), {"acc": 0.5}), (document, metrics))
    with pytest.raises(ReadError, match=f"{path.name}.*{said.replace('|', '.')}"):
        Log(READER, path)
    log = Log(READER, path, skip_bad=1)
    assert log.scores() == {"9": 0.5}


@NO_WINDOWS
def test_flat_files_name_items_by_content(tmp_path: Path) -> None:
    asked = [flat("1+1?", {"em": 1.0}), flat("2+2?", {"em": 0.0}), flat("1+1?", {"em": 0.0})]
    for model, order in (("a", asked), ("b", asked[::-1])):
        write(tmp_path / f"details/{model}/{TIME}/details_lighteval|sums|5_{TIME}.parquet", *order)
    log = Log(READER, tmp_path)
    assert log.table.tasks == ("sums",)
    items = log.scores(model="a")
    assert set(items) == set(log.scores(model="b"))
    assert len(items) == 3
    assert sum(item.endswith("#2") for item in items) == 1
    assert "no item ids" in log.table.sources[0].notes[-1]
    assert log.table.sources[0].settings == {"few_shot": "5", "suite": "lighteval"}


@NO_WINDOWS
def test_flat_results_are_found(tmp_path: Path) -> None:
    task = "lighteval|sums|5"
    path = tmp_path / f"details/a/{TIME}/details_{task}_{TIME}.parquet"
    write(path, flat("1+1?", {"em": 1.0}), flat("2+2?", {"em": 0.0}))
    results = tmp_path / f"results/a/results_{TIME}.json"
    results.parent.mkdir(parents=True)
    config = {"lighteval|sums": {"version": 3, "original_num_docs": 2}}
    known = {"config_general": {"model_name": "a"}, "config_tasks": config}
    results.write_text(json.dumps(known | {"results": {task: {"em": 0.5}}}), "utf-8")
    source = Log(READER, tmp_path).source
    assert source.aggregates == {"em": 0.5}
    assert source.mismatches == {}
    assert source.declared_items == 2
    assert source.settings["version"] == "3"


def test_flat_metrics_stored_as_text(tmp_path: Path) -> None:
    path = write(tmp_path / "details_t_x.parquet", flat("1+1?", "{'em': 1.0}"))
    with pytest.raises(ReadError, match="column metrics contains string"):
        Log(READER, path)


def test_damaged_files(tmp_path: Path) -> None:
    root = copy(ROOT, tmp_path / "out")
    path = root / ALPHA / WP
    whole = path.read_bytes()
    for damaged in (whole[:-20], whole[: len(whole) // 2], b"PAR1", b"PAR1" + bytes(500)):
        path.write_bytes(damaged)
        with pytest.raises(ReadError, match="not valid Parquet"):
            Log(READER, root)
    for at in range(4, len(whole), 97):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :])
        try:
            Log(READER, path, skip_bad=1000)
        except ReadError:
            continue


def test_nothing_but_read_errors_from_strange_results(tmp_path: Path) -> None:
    nested(tmp_path / f"details_t-0_{TIME}.parquet", (doc(), {"acc": 1}))
    metric = {"metric_name": ["acc"], "corpus_level_fn": {"acc": "mean"}, "higher_is_better": {}}
    config = {"hf_repo": "x", "original_num_docs": 1, "metrics": [metric]}
    general = {"model_name": "m", "max_samples": None, "model_config": {"system_prompt": ""}}
    results = tmp_path / f"results_{TIME}.json"
    whole = {"config_general": general, "config_tasks": {"t|0": config}}
    results.write_text(json.dumps(whole | {"results": {"t|0": {"acc": 1.0}}}), "utf-8")
    assert attack(READER, tmp_path, results) == []


def test_sniff(tmp_path: Path) -> None:
    roles = {
        p: READER.sniff(Place(str(p)), p.read_bytes()) for p in ROOT.rglob("*") if p.is_file()
    }
    assert {role for p, role in roles.items() if p.suffix == ".parquet"} == {"log"}
    assert {role for p, role in roles.items() if p.suffix == ".json"} == {"companion"}
    plain = write(tmp_path / "details_x.parquet", {"model": "m", "item": "i", "score": 1.0})
    assert READER.sniff(Place(str(plain)), plain.read_bytes()) is None
    old = write(tmp_path / "old.parquet", flat("?", {"acc": 1.0}, hashes={"example": "x"}))
    assert READER.sniff(Place(str(old)), old.read_bytes()) is None
