"""lm-eval logs as they also come: renamed, mixed, damaged, hostile."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from fixtures.lm_eval.write import TIME, old_row, results, row, write_results, write_samples
from nstar import compare
from nstar._data.table import Source
from nstar.errors import ReadError
from nstar.readers._base import Journal, ReaderOptions, content_key
from nstar.readers._files import Place
from nstar.readers._scan import LogScan, find_units
from nstar.readers.lm_eval import READER, _holds_results, _holds_rows, _sample_name
from nstar.readers.lm_eval._results import Results, benchmarks, unweighted_groups


def read(*paths: Path, **options: Any) -> tuple[list[dict[str, Any]], Journal]:
    journal = Journal(options=ReaderOptions(**options))
    scanned = LogScan(find_units(paths, [READER], journal), journal)
    return [r for batch in scanned.batches() for r in batch.to_pylist()], journal


def one(*paths: Path, **options: Any) -> tuple[list[dict[str, Any]], Source]:
    rows, journal = read(*paths, **options)
    (source,) = journal.sources
    return rows, source


# ---------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("name", "task", "time"),
    [
        ("samples_a_b_2026-11-14T23-08-44.417847.jsonl", "a_b", "2026-11-14T23-08-44.417847"),
        ("samples_a_2026-11-14T23-08-44.jsonl", "a", "2026-11-14T23-08-44"),  # microsecond 0
        ("samples_lb_bbh_2024-06-12T05-01-02.1.json", "lb_bbh", "2024-06-12T05-01-02.1"),
        ("samples_a_2026-11-14T23-08-44.jsonl.gz", "a", "2026-11-14T23-08-44"),
        ("mine.jsonl", "mine", ""),
        ("samples_a.jsonl", "samples_a", ""),
    ],
)
def test_sample_name(name: str, task: str, time: str) -> None:
    assert (_sample_name(name).task, _sample_name(name).time) == (task, time)


@pytest.mark.parametrize(
    ("head", "is_log"),
    [
        (b'{"doc_id": 0, "doc": {}}', True),
        (b'\xef\xbb\xbf{"resps": [], "doc_id": 0}\n{', True),
        (b'[\n  {\n    "doc_id": 0,\n    "resps": []', True),
        (b'{"doc_id": 0, "doc": {"text": "' + 70000 * b"x", True),  # longer than the head
        (b'{"doc_id": 0}', False),
        (b'{"id": 0, "doc": {"doc_id": 1}}', False),
        (b'{"doc_id": NaN, "doc": 1}', True),
        (b"[1, 2]", False),
        (b"[[[[", False),
        (b"{" * 5000, False),
        (b'{"a":' * 30000, False),
        (b"", False),
        (b"\x00\xff\xfe", False),
        (b"PAR1", False),
    ],
)
def test_sniffing_by_content(head: bytes, is_log: bool) -> None:
    assert _holds_rows("x.jsonl", head) is is_log


def test_an_empty_file_of_the_right_name_is_a_log_without_rows(tmp_path: Path) -> None:
    place = Place(str(write_samples(tmp_path, [])))
    assert READER.sniff(place, b"") == "log"
    journal = Journal()
    (unit,) = READER.units([place], journal)
    assert list(READER.read(unit, journal)) == []
    assert "the file has no rows" in journal.drafts[0].notes


@pytest.mark.parametrize(
    ("name", "head", "is_results"),
    [
        ("results.json", b'{\n  "results": {\n "t": {"alias": "t"', True),
        ("out_x.json", b'{"results": {}, "configs": {}', True),
        ("results.json", b'{"results": [{"task_id": "x", "alias": 1}]', False),
        ("results.txt", b'{"results": {"t": {"alias": "t"', False),
        ("results_x.json", b'{"config_general": {}, "results": {}', False),
    ],
)
def test_sniffing_results(name: str, head: bytes, is_results: bool) -> None:
    assert _holds_results(name, head) is is_results


def test_compressed_samples(tmp_path: Path) -> None:
    path = write_samples(tmp_path / "m", [row(0), row(1)])
    packed = path.with_name(path.name + ".gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    rows, source = one(tmp_path)
    assert (len(rows), source.task) == (2, "t")
    packed.write_bytes(gzip.compress(json.dumps([row(i) for i in range(3)]).encode()))
    assert len(one(tmp_path)[0]) == 3


# ---------------------------------------------------------------- pairing with results


def test_without_results_the_folder_names_the_model(tmp_path: Path) -> None:
    write_samples(tmp_path / "acme__m", [row(0)])
    _, source = one(tmp_path)
    assert (source.model, source.task, source.declared_items) == ("acme__m", "t", None)
    assert source.notes[0].startswith(
        "model label: no results file beside it, so model name from the folder"
    )


def test_a_renamed_file_is_its_own_task(tmp_path: Path) -> None:
    path = write_samples(tmp_path / "acme__m", [row(0)])
    path.rename(path.with_name("gsm of monday.jsonl"))
    write_results(tmp_path / "acme__m", results())
    _, source = one(tmp_path)
    assert source.task == "gsm of monday"
    assert any("the task is named after the file" in note for note in source.notes)


def test_a_task_is_not_matched_by_prefix(tmp_path: Path) -> None:
    """A group's name begins those of its tasks; times of two runs differ."""
    other = "2026-01-02T03-04-06.000001"
    write_samples(tmp_path, [row(0, acc=0.0)], task="t_x")
    write_samples(tmp_path, [row(0)], task="t", time=other)
    write_results(tmp_path, results("t_x", model_name="a"))
    write_results(tmp_path, results("t", model_name="b"), f"results_{other}.json")
    rows, _ = read(tmp_path)
    assert {(r["model"], r["task"], r["score"]) for r in rows} == {("a", "t_x", 0), ("b", "t", 1)}


def test_results_of_another_name_are_found_by_time(tmp_path: Path) -> None:
    write_samples(tmp_path, [row(0)])
    write_results(tmp_path, results(), f"out_{TIME}.json")
    (tmp_path / f"notes_{TIME}.json").write_text("{}")
    assert one(tmp_path)[1].model == "acme/m"


def test_a_broken_results_file_is_an_error_that_names_it(tmp_path: Path) -> None:
    write_samples(tmp_path, [row(0)])
    write_results(tmp_path, '{"results": {"t": {"alias": "t"')
    with pytest.raises(ReadError, match=rf"results_{TIME}\.json.*move it away"):
        read(tmp_path)


def test_results_without_results_are_an_error(tmp_path: Path) -> None:
    write_samples(tmp_path, [row(0)])
    write_results(tmp_path, {"results": [], "configs": {}})
    with pytest.raises(ReadError, match="no object under the key 'results'"):
        read(tmp_path)


def test_overwritten_results_of_0_4_2_do_not_rename_the_first_model(tmp_path: Path) -> None:
    """results.json is of the last run; samples of the run before lie beside it."""
    content = results(config={"model_args": "pretrained=acme/new"}, model_name=None)
    write_results(tmp_path, content, "results.json")
    old = [{k: v for k, v in old_row(0, acc=a).items() if k != "doc_hash"} for a in (1.0, 0.0)]
    for name, sample in (("new", old[0]), ("old", old[1])):
        path = tmp_path / f"pretrained__acme__{name}_t.jsonl"
        path.write_text(json.dumps([sample], indent=2))
    rows, _ = read(tmp_path)
    by_model = {r["model"]: (r["task"], r["score"]) for r in rows}
    assert by_model["acme/new"] == ("t", 1.0)
    assert by_model[tmp_path.name] == ("pretrained__acme__old_t", 0.0)
    assert all(r["content"] is not None for r in rows)


def test_open_llm_leaderboard_v2(tmp_path: Path) -> None:
    """Files end in .json, rows name no filter, one umbrella averages over all benchmarks."""
    folder = tmp_path / "acme__m-details" / "acme__m"
    tasks = {"leaderboard_bbh_x": "acc_norm", "leaderboard_ifeval": "prompt_level_strict_acc"}
    scores: dict[str, Any] = {t: {"alias": t, f"{m},none": 1.0} for t, m in tasks.items()}
    scores["leaderboard"] = {f"{m},none": 1.0 for m in tasks.values()}
    scores["leaderboard_bbh"] = {"acc_norm,none": 1.0}
    tree = {
        "leaderboard_bbh": ["leaderboard_bbh_x"],
        "leaderboard": ["leaderboard_ifeval", "leaderboard_bbh"],
    }
    lists = {t: {"metric_list": [{"metric": m}, {"metric": "inst"}]} for t, m in tasks.items()}
    content = results(results=scores, group_subtasks=tree, configs=lists, lm_eval_version=None)
    write_results(folder, content)
    for task, metric in tasks.items():
        scored = old_row(0, **{metric: True, "inst": [True, False]})
        path = write_samples(folder, [{k: v for k, v in scored.items() if k != "acc"}], task)
        path.rename(path.with_suffix(".json"))
    rows, journal = read(tmp_path)
    assert {(r["task"], r["item"], r["metric"], r["score"]) for r in rows} == {
        ("leaderboard_bbh", "leaderboard_bbh_x:0", "acc_norm,none", 1.0),
        ("leaderboard_ifeval", "0", "prompt_level_strict_acc,none", 1.0),
    }
    assert {r["model"] for r in rows} == {"acme/m"}
    assert all(s.dropped == {"metric inst is a list": 1} for s in journal.sources)


# ---------------------------------------------------------------- models


@pytest.mark.parametrize(
    ("name", "arguments", "model"),
    [
        ("acme/m", "pretrained=acme/m,dtype=float", "acme/m"),
        ("", {"pretrained": "acme/m"}, "acme/m"),
        ("", "pretrained=acme/m,peft=acme/lora", "acme/lora"),
        ("", "dtype=float, path = x", "x"),
        (None, None, "folder"),
        ("", [1], "folder"),
        ("abcd1234", {}, "abcd1234"),
        ("m", "pretrained=m,revision=step1000", "m@step1000"),
        ("m", "pretrained=m,revision=main", "m"),
        ("m", "pretrained=m,revision=e4b9872bb803165eb22f0a867d4e6a64d34fce19", "m"),
        (7, {"model": ["x"]}, "folder"),
    ],
)
def test_model_names(tmp_path: Path, name: Any, arguments: Any, model: str) -> None:
    write_samples(tmp_path / "folder", [row(0)])
    content = results(model_name=name, config={"model_args": arguments})
    write_results(tmp_path / "folder", content)
    _, source = one(tmp_path)
    assert source.model == model
    assert (model in {"folder", "abcd1234"}) == any("names no model" in n for n in source.notes)


# ---------------------------------------------------------------- metrics and filters


def test_filters_beyond_those_of_the_task_are_bad_rows(tmp_path: Path) -> None:
    write_samples(tmp_path, [old_row(0), old_row(0)])
    write_results(tmp_path, results())
    with pytest.raises(ReadError, match="occurs 2 times, but the task has 1 filter"):
        read(tmp_path)


def test_unnamed_filters_without_results(tmp_path: Path) -> None:
    write_samples(tmp_path, [old_row(0), old_row(1), old_row(0), old_row(1)])
    rows, source = one(tmp_path)
    assert [r["metric"] for r in rows] == ["acc,none"] * 2 + ["acc,filter-2"] * 2
    assert sum("filter-2" in n for n in source.notes) == 1


def test_without_metric_list_every_number_is_a_metric(tmp_path: Path) -> None:
    write_samples(tmp_path, [old_row(0, f1=0.5, ok=True, note="x", pair=[1, 2])])
    rows, _ = one(tmp_path)
    assert {r["metric"]: r["score"] for r in rows} == {
        "acc,none": 1.0,
        "f1,none": 0.5,
        "ok,none": 1.0,
    }


def test_rows_with_metrics_of_their_own(tmp_path: Path) -> None:
    """As in crows_pairs, where a row has the metric of its category."""
    rows = [
        row(0),
        row(1, metrics=["acc", "acc_age"], acc_age=0.0),
        row(2, metrics=["acc_age"], acc_age=1.0, acc=0.25),
        row(3, metrics=["acc", "pass@1"], **{"pass@1": 0.5}),
    ]
    write_samples(tmp_path, rows)
    found, _ = one(tmp_path)
    assert sorted((r["item"], r["metric"], r["score"]) for r in found) == [
        ("0", "acc,none", 1.0),
        ("1", "acc,none", 1.0),
        ("1", "acc_age,none", 0.0),
        ("2", "acc_age,none", 1.0),
        ("3", "acc,none", 1.0),
        ("3", "pass@1,none", 0.5),
    ]


@pytest.mark.parametrize("name", ['a"b', "a\\b", "a\nb", "", "é", "m0", "class"])
def test_strange_names_of_metrics(tmp_path: Path, name: str) -> None:
    write_samples(tmp_path, [row(i, metrics=[name], **{name: 0.5}) for i in range(3)])
    rows, _ = one(tmp_path)
    assert [(r["metric"], r["score"]) for r in rows] == [(f"{name},none", 0.5)] * 3


def test_a_metric_cannot_be_called_like_a_bookkeeping_field(tmp_path: Path) -> None:
    write_samples(tmp_path, [row(0, metrics=["acc", "doc_id", "filter"])])
    rows, _ = one(tmp_path)
    assert [r["metric"] for r in rows] == ["acc,none"]


@pytest.mark.parametrize(
    ("value", "score"), [("true", 1.0), ("false", 0.0), ("1", 1.0), ("NaN", None), ("-2.5", -2.5)]
)
def test_scores(tmp_path: Path, value: str, score: float | None) -> None:
    write_samples(tmp_path, [json.dumps(row(0)).replace('"acc": 1.0', f'"acc": {value}')])
    rows, source = one(tmp_path)
    assert [r["score"] for r in rows] == [score]
    assert source.unscored == (score is None)


@pytest.mark.parametrize(
    ("value", "reason"),
    [([1, 2], "a list"), (None, "null"), ("[0.1 0.2]", "text"), ({"a": 1}, "an object")],
)
def test_values_that_are_no_scores(tmp_path: Path, value: Any, reason: str) -> None:
    write_samples(tmp_path, [row(0, metrics=["acc", "x"], x=value)])
    rows, source = one(tmp_path)
    assert [r["metric"] for r in rows] == ["acc,none"]
    assert dict(source.dropped) == {f"metric x is {reason}": 1}


def test_predict_only_has_no_scores_and_is_no_complete_run(tmp_path: Path) -> None:
    write_samples(tmp_path, [row(0, metrics=["bypass"], bypass=None)])
    config = {"t": {"metric_list": [{"metric": "bypass"}]}}
    content = results(configs=config)
    content["results"]["t"] = {"alias": "t", "bypass,none": 999}
    write_results(tmp_path, content)
    rows, source = one(tmp_path)
    assert rows == []
    assert source.aggregates == {}
    assert any("--predict_only" in n for n in source.notes)
    (unit,) = READER.units([Place(source.path)], Journal())
    assert not unit.complete


@pytest.mark.parametrize(
    ("metric", "aggregation", "checked"),
    [
        ("acc", "mean", True),
        ("acc", None, True),
        ("acc", "median", False),
        ("acc", ["mean"], False),
        ("perplexity", "perplexity", False),
        ("perplexity", None, False),
        ("own", "nanmean", True),
        ("own", "def agg(items):\n    return 7", False),
    ],
)
def test_only_plain_means_are_compared(
    tmp_path: Path, metric: str, aggregation: Any, checked: bool
) -> None:
    write_samples(tmp_path, [row(0, metrics=[metric], **{metric: 0.5})])
    entry = {"metric": metric, "aggregation": aggregation}
    content = results(configs={"t": {"metric_list": [entry]}})
    content["results"]["t"] = {f"{metric},none": 0.75, f"{metric}_stderr,none": "N/A"}
    write_results(tmp_path, content)
    _, source = one(tmp_path)
    assert source.aggregates == ({f"{metric},none": 0.75} if checked else {})
    assert source.mismatches == ({f"{metric},none": 0.5} if checked else {})


def test_lower_is_better(tmp_path: Path) -> None:
    write_samples(tmp_path, [row(0, metrics=["acc", "err"], err=0.5)])
    write_results(tmp_path, results(higher_is_better={"t": {"acc": True, "err": False}}))
    assert one(tmp_path)[1].lower_is_better == ("err,none",)


# ---------------------------------------------------------------- groups


def _grouped(**more: Any) -> Results:
    values = {
        "results": {
            "top": {"acc,none": 0.5, "em,none": 0.1},
            "sub": {"acc,none": 0.5},
            "a": {"acc,none": 0.4},
            "b": {"acc,none": 0.6},
            "c": {"em,none": 0.1},
        },
        "group_subtasks": {"sub": ["a", "b"], "top": ["sub"]},
    }
    return Results(**(values | more))


def test_the_outermost_group_is_the_benchmark() -> None:
    assert benchmarks(_grouped()) == {"a": "top", "b": "top"}


def test_an_umbrella_over_different_metrics_is_no_benchmark() -> None:
    """``leaderboard`` averages acc_norm over what has it, but holds IFEval as well."""
    tree = {"sub": ["a", "b"], "top": ["sub", "c"]}
    assert benchmarks(_grouped(group_subtasks=tree)) == {"a": "sub", "b": "sub"}


def test_a_tag_without_average_is_no_benchmark() -> None:
    scores = {"top": {" ": " ", "alias": "top"}, "a": {"acc,none": 1.0}}
    assert benchmarks(Results(results=scores, group_subtasks={"top": ["a"]})) == {}


SIZES = {"a": {"effective": 30}, "b": {"effective": 10}}


@pytest.mark.parametrize(
    ("printed", "expected"), [(0.5, {"sub"}), (0.45, set()), (0.47, set()), (0.5 + 1e-12, {"sub"})]
)
def test_a_group_of_unweighted_tasks_is_known_by_its_score(
    printed: float, expected: set[str]
) -> None:
    """The mean of the tasks is 0.5, and the mean of the items 0.45."""
    scores = {"sub": {"acc,none": printed}, "a": {"acc,none": 0.4}, "b": {"acc,none": 0.6}}
    found = Results(results=scores, group_subtasks={"sub": ["a", "b"]}, n_samples=SIZES)
    assert unweighted_groups(found) == expected
    assert unweighted_groups(Results(results=scores, group_subtasks={"sub": ["a", "b"]})) == set()
    huge = {"a": {"effective": 10**400}, "b": {"effective": 1}}
    hostile = Results(results=scores, group_subtasks={"sub": ["a", "b"]}, n_samples=huge)
    assert unweighted_groups(hostile) == set()


@pytest.mark.parametrize("weighted", [False, True])
def test_the_score_of_a_group_is_that_of_lm_eval(tmp_path: Path, weighted: bool) -> None:
    """By a plain mean of the tasks, or by a mean over the items.

    The scores of the model that is always right do not show which; those of the other model do.
    """
    answers = {"a": [1, 1, 0, 0, 0, 0], "b": [1, 0]}
    mean = 3 / 8 if weighted else 5 / 12
    for model in ("one", "two"):
        tasks = {t: sum(x) / len(x) if model == "one" else 1.0 for t, x in answers.items()}
        printed = {"g": mean if model == "one" else 1.0} | tasks
        content = results(
            results={name: {"acc,none": value} for name, value in printed.items()},
            configs={t: {"task": t, "metric_list": [{"metric": "acc"}]} for t in answers},
            group_subtasks={"g": list(answers)},
            model_name=model,
        )
        content["n-samples"] = {
            t: {"original": len(x), "effective": len(x)} for t, x in answers.items()
        }
        write_results(tmp_path / model, content)
        for task, scores in answers.items():
            rows = [row(k, acc=float(x or model == "two")) for k, x in enumerate(scores)]
            write_samples(tmp_path / model, rows, task=task)
    result = compare(str(tmp_path), a="two", b="one")
    assert [task.task for task in result.tasks] == (["g"] if weighted else ["a", "b"])
    average = result.average or result.tasks[0]
    assert average.gap == pytest.approx(1 - mean, abs=1e-12)


@pytest.mark.parametrize(
    "tree",
    [
        {"sub": ["a", "sub"], "top": ["sub"]},
        {"sub": ["a", "top"], "top": ["sub"]},
        {"sub": "ab", "top": [1, None]},
        {f"g{i}": [f"g{i + 1}"] for i in range(5000)},
        [],
        None,
    ],
)
def test_hostile_groups_do_no_harm(tree: Any) -> None:
    assert set(benchmarks(_grouped(group_subtasks=tree))) <= {"a"}


def test_a_task_run_by_itself_joins_its_group(tmp_path: Path) -> None:
    group = results(group_subtasks={"g": ["t"]})
    group["results"]["g"] = {"acc,none": 1.0}
    for model, content in (("a", group), ("b", results())):
        write_samples(tmp_path / model, [row(0)])
        write_results(tmp_path / model, content | {"model_name": model})
    rows, journal = read(tmp_path)
    assert {(r["task"], r["item"], r["subject"]) for r in rows} == {("g", "t:0", "t")}
    assert any("run on its own" in n for n in journal.sources[1].notes)
    assert not journal.sources[0].notes


def test_zero_and_five_shots_are_different_tasks(tmp_path: Path) -> None:
    for folder, shots in (("zero", 0), ("five", 5)):
        write_samples(tmp_path / folder, [row(0)])
        write_results(tmp_path / folder, results() | {"n-shot": {"t": shots}})
    rows, journal = read(tmp_path)
    assert {r["task"] for r in rows} == {"t|0", "t|5"}
    assert len(journal.sources) == 2


def test_group_fields_of_the_document(tmp_path: Path) -> None:
    docs = [
        {"question": "q", "level": 3, "category": "x", "type": ["a"], "passage": 200 * "p"},
        {"question": "q", "level": 4, "category": None, "passage": 200 * "p" + "!"},
        {"question": "q"},
    ]
    write_samples(tmp_path, [row(i, doc=d) for i, d in enumerate(docs)])
    rows, _ = one(tmp_path, groups=("passage", "missing"))
    assert [(r["level"], r["category"]) for r in rows] == [("3", "x"), ("4", None), (None, None)]
    assert "type" not in rows[0]
    assert "missing" not in rows[0]
    passages = [r["passage"] for r in rows]
    assert passages[0] != passages[1]
    assert passages[2] is None
    assert len(passages[0]) == 80


def test_group_fields_that_are_columns_of_the_table_are_renamed(tmp_path: Path) -> None:
    write_samples(tmp_path, [row(0, doc={"task": "sorting", "item": 7})])
    rows, _ = one(tmp_path, groups=("task", "item"))
    assert (rows[0]["doc_task"], rows[0]["doc_item"], rows[0]["item"]) == ("sorting", "7", "0")


# ---------------------------------------------------------------- odd rows among others


@pytest.mark.parametrize(
    "odd",
    [
        row("text"),
        row(2**63),
        row(1, doc_hash="short"),
        row(1, doc_hash=63 * "0" + "x"),
        row(1, doc_hash=64 * "z"),
        row(1, doc_hash=8 * "0 " + 48 * "0"),
        row(1, doc_hash=None),
        row(1, acc=True),
        row(1, acc=None),
        row(1, doc=None),
        row(1, metrics=["acc", "acc"]),
        row(1, metrics=[]),
        {k: v for k, v in row(1).items() if k != "acc"},
    ],
)
def test_an_odd_row_changes_nothing_about_the_others(tmp_path: Path, odd: dict[str, Any]) -> None:
    doc = {"question": "q", "level": 1}
    others = [row(i, doc=doc, acc=i % 2) for i in (7, 8, 9)]
    write_samples(tmp_path / "with", [others[0], odd, *others[1:]])
    write_samples(tmp_path / "without", others)
    found = [one(tmp_path / name)[0] for name in ("with", "without")]
    kept = [[r | {"model": ""} for r in rows if r["item"] in set("789")] for rows in found]
    assert kept[0] == kept[1]
    assert len(kept[0]) == 3
    odd_rows = [r for r in found[0] if r["item"] not in set("789")]
    expected = "acc" in (odd["metrics"] or []) and odd.get("acc") is not None
    assert len(odd_rows) == expected


@pytest.mark.parametrize("first", [row, old_row])
def test_more_odd_rows_than_a_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: Callable[..., dict[str, Any]]
) -> None:
    """One by one, decoded whole, and put off: rows leave in batches all the same."""
    monkeypatch.setattr("nstar.readers.lm_eval._rows._BLOCK", 4)
    monkeypatch.setattr("nstar.readers._base.BATCH", 3)
    lines = [first(i, acc=1) for i in range(10)]
    lines += [row(i, metrics=["other"], other=0.5) for i in range(10, 20)]
    lines += [row(20, acc=None)]
    write_samples(tmp_path, lines)
    rows, _ = one(tmp_path)
    assert sorted(int(r["item"]) for r in rows) == list(range(20))
    assert {r["metric"] for r in rows} == {"acc,none", "other,none"}


@pytest.mark.parametrize(
    "digest",
    [64 * "a", 63 * "0" + "x", 16 * "0" + 48 * "z", 64 * "A", 32 * "0", "-" + 63 * "1", ""],
)
def test_content_is_the_same_for_all_readers(tmp_path: Path, digest: str) -> None:
    write_samples(tmp_path, [row(i, doc_hash=digest) for i in range(2)])
    rows, _ = one(tmp_path)
    assert [r["content"] for r in rows] == [content_key(digest)] * 2


def test_more_rows_than_a_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar.readers.lm_eval._rows._BLOCK", 4)
    lines = [row(i, acc=float(i % 3 == 0)) for i in range(11)]
    lines[5]["acc"] = [1]
    write_samples(tmp_path, lines)
    rows, source = one(tmp_path)
    assert sorted(int(r["item"]) for r in rows) == [i for i in range(11) if i != 5]
    assert (source.rows, dict(source.dropped)) == (10, {"metric acc is a list": 1})
    assert all(r["score"] == (int(r["item"]) % 3 == 0) for r in rows)


# ---------------------------------------------------------------- damage


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (row(None), r"doc_id is null; expected a number or text"),
        (row(True), r"doc_id is true"),
        (row([1]), r"doc_id is \[1\]"),
        (row(1, filter=5), r"filter is 5"),
        (row(1, metrics="acc"), r"Expected `array \| null`.*metrics"),
        (row(1, metrics=[1]), r"Expected `str`.*metrics"),
        (row(1, doc="text"), r"Expected `object \| null`"),
        ('{"doc_id": 1, "acc": Infinity, "filter": "none"}', r"acc has the score inf; .* finite"),
        (f'{{"doc_id": 1, "acc": 1{400 * "0"}, "filter": "none"}}', r"acc has the score inf"),
        ('{"doc_id": 1, "acc": 1e999, "filter": "none"}', r"Number out of range"),
        ('{"doc_id": 1, "acc"', r"appears to be truncated"),
        ("[1, 2]", r"Expected `object`"),
        ("5", r"Expected `object`"),
        ('{"doc_id": 1, "resps": ' + 2000 * "[", r"cut off|nested too deeply"),
    ],
)
def test_bad_rows_name_file_line_value_and_can_be_skipped(
    tmp_path: Path, line: Any, message: str
) -> None:
    good = [row(i, doc={"question": "q", "subject": "s"}) for i in (7, 8)]
    path = write_samples(tmp_path, [good[0], line, good[1]])
    with pytest.raises(ReadError, match=message) as caught:
        read(tmp_path)
    assert f"{path.as_posix()}:2: " in str(caught.value).replace("\\", "/")
    rows, journal = read(tmp_path, skip_bad=1)
    assert [r["item"] for r in rows] == ["7", "8"]
    assert len(journal.bad) == 1


@pytest.mark.parametrize("metrics", ["acc", [1], 5])
def test_bad_lists_of_metrics_in_rows_decoded_whole(tmp_path: Path, metrics: Any) -> None:
    first = {k: v for k, v in row(0).items() if k != "doc_hash"}
    write_samples(tmp_path, [first, row(1, metrics=metrics)])
    with pytest.raises(ReadError, match=r":2: metrics is .*; expected a list of names"):
        read(tmp_path)


def test_a_bad_first_row_is_counted_once(tmp_path: Path) -> None:
    write_samples(tmp_path, ['{"doc_id": 1, "doc": tru', row(2)])
    rows, journal = read(tmp_path, skip_bad=1)
    assert [r["item"] for r in rows] == ["2"]
    assert len(journal.bad) == 1


@pytest.mark.parametrize(
    "content",
    [
        {"results": {}},
        {"results": {"t": []}, "configs": [], "n-samples": 3, "n-shot": "x"},
        {"results": {"t": {"acc,none": "N/A", ",": 1, "x": None}}, "config": {"limit": "5"}},
        {"results": {"t": {"acc,none": True}}, "group_subtasks": {"g": {"t": 1}}, "groups": [1]},
        {"results": {}, "configs": {"t": {"metric_list": "acc", "filter_list": {"name": 1}}}},
        {"results": {}, "configs": {"t": {"metric_list": [1, {"metric": ["a"]}, {}]}}},
        {"results": {}, "configs": {"t": {"repeats": "many", "generation_kwargs": [[[]]]}}},
        {"results": {}, "n-samples": {"t": {"original": -1, "effective": 1e300}}, "date": 1e300},
        {"results": {}, "n-samples": {"t": {"original": 10**30, "effective": None}}, "date": []},
        {"results": {}, "config": {"model_args": {"pretrained": 7}, "limit": float("nan")}},
        {"results": {}, "higher_is_better": {"t": [1]}, "versions": {"t": {"a": 10**40}}},
        {"results": {}, "task_hashes": {"t": 5}, "chat_template_sha": [], "lm_eval_version": 4},
    ],
)
def test_results_of_wrong_types_do_no_harm(tmp_path: Path, content: dict[str, Any]) -> None:
    write_samples(tmp_path, [row(0)])
    write_results(tmp_path, content)
    rows, _ = one(tmp_path)
    assert len(rows) == 1


def test_a_document_nested_too_deeply_to_hash_has_no_content(tmp_path: Path) -> None:
    deep = '{"doc_id": 0, "acc": 1.0, "doc": ' + 900 * "[" + 900 * "]" + ', "resps": []}'
    write_samples(tmp_path, [deep])
    try:
        rows, _ = one(tmp_path)
    except ReadError:
        return
    assert len(rows) == 1


def test_a_folder_may_vanish_between_units_and_read(tmp_path: Path) -> None:
    path = write_samples(tmp_path / "m", [row(0)])
    units = READER.units([Place(str(path))], Journal())
    shutil.rmtree(tmp_path / "m")
    with pytest.raises(ReadError, match="no such file"):
        list(READER.read(units[0], Journal()))
