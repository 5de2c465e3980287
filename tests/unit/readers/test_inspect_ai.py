"""Inspect logs: our own runs against what Inspect printed, then logs made to be difficult."""

import json
import math
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from helpers.logs import FIXTURES, SHARED, Log, hostile, rows
from nstar.errors import ReadError
from nstar.readers._base import Journal, ReaderOptions, Unit
from nstar.readers._files import Place
from nstar.readers.inspect_ai import READER

HERE = FIXTURES / "inspect"
NAN = math.nan


def read(*paths: Path | str, **options: Any) -> Log:
    return Log(READER, *paths, **options)


def sample(item: Any = "q1", epoch: Any = 1, **more: Any) -> dict[str, Any]:
    scores = more.pop("scores", {"match": {"value": "C"}})
    return {"id": item, "epoch": epoch, "input": "1 + 1?", "target": "2", "scores": scores} | more


def header(**more: Any) -> dict[str, Any]:
    spec = {
        "task": "sums",
        "model": "m",
        "created": "2026-01-01T00:00:00+00:00",
        "task_id": "T1",
        "task_args": {},
        "dataset": {"name": "sums", "samples": 2},
        "config": {"epochs": 1},
        "packages": {"inspect_ai": "0.3.285"},
        "scorers": [{"name": "match", "metrics": []}],
    } | more.pop("eval", {})
    results = {"total_samples": 2, "scores": [printed("match", 1.0)]}
    return {"version": 2, "status": "success", "eval": spec, "results": results} | more


def printed(name: str, value: float, metric: str = "accuracy", **more: Any) -> dict[str, Any]:
    metrics = {metric: {"name": metric, "value": value}}
    return {"name": name, "scorer": name, "metrics": metrics} | more


def save(path: Path, head: Any, samples: Any, **members: Any) -> Path:
    """A log, as ``.eval`` or ``.json`` after its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".json":
        path.write_text(json.dumps({**head, "samples": samples}), "utf-8")
        return path
    given: dict[str, Any] = {"_journal/start.json": {k: head.get(k) for k in ("version", "eval")}}
    if samples is not None:
        given["summaries.json"] = samples
    return pack(path, {**given, "header.json": head, **members})


def pack(path: Path, members: Mapping[str, Any]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, value in members.items():
            archive.writestr(name, value if isinstance(value, bytes) else json.dumps(value))
    return path


def pack_zstd(path: Path, members: Mapping[str, list[bytes]]) -> Path:
    """A zip of method 93, each part of a member a frame of its own."""
    body, directory = b"", b""
    for name, parts in members.items():
        packed = b"".join(pa.compress(part, "zstd", asbytes=True) for part in parts)
        plain = b"".join(parts)
        sizes = struct.pack("<3L", zlib.crc32(plain), len(packed), len(plain))
        common = struct.pack("<5H", 63, 0, 93, 0, 0) + sizes + struct.pack("<2H", len(name), 0)
        entry = b"PK\x01\x02\x3f\x00" + common + struct.pack("<3H2L", 0, 0, 0, 0, len(body))
        directory += entry + name.encode()
        body += b"PK\x03\x04" + common + name.encode() + packed
    count = len(members)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, count, count, len(directory), len(body), 0)
    path.write_bytes(body + directory + end)
    return path


# ------------------------------------------------------------------------------ real logs


@pytest.mark.parametrize("name", ["zstd.eval", "deflate.eval", "log.json"])
def test_means_are_those_that_inspect_printed(name: str) -> None:
    log = read(HERE / name)
    assert set(log.source.aggregates) == {
        "match",
        "partial_scorer",
        "dict_scorer.quality",
        "dict_scorer.n_words",
        "nan_scorer",
    }
    assert log.source.mismatches == {}
    assert set(log.table.names("metric")) == set(log.source.aggregates)


def test_what_a_log_says_about_itself() -> None:
    source = read(HERE / "zstd.eval").source
    assert source.harness == "inspect-ai 0.3.285"
    assert (source.model, source.task, source.status) == ("mockllm/alpha-8b", "mini_wp", "success")
    assert (source.declared_items, source.declared_runs, source.limited) == (10, 3, None)
    assert (source.items, source.rows, source.unscored) == (10, 147, 3)
    assert source.settings["epochs_reducer"] == '["mean","at_least_1"]'
    assert source.settings["solver"] == "generate"
    assert source.aggregates["match"] == pytest.approx(2 / 3)


def test_rows_carry_item_epoch_content_tokens_and_groups() -> None:
    log = read(HERE / "deflate.eval")
    first = rows(log.table, item="wp-000", metric="match", run="1")[0]
    assert first["score"] == 1.0
    assert (first["tokens"], first["subject"], first["template"]) == (15, "pens", "t0")
    assert (first["input_tokens"], first["output_tokens"]) == (10, 5)
    assert set(log.table.groups) == {"subject", "template", "long"}
    assert first["long"] is None, "a summary holds '...' in place of a long value"
    by_item = {r["item"]: r["content"] for r in log.table.data.to_pylist()}
    assert len(set(by_item.values())) == len(by_item) == 5


def test_both_formats_give_one_question_one_content() -> None:
    contents = []
    for name in ("deflate.eval", "log.json"):
        table = read(HERE / name).table
        contents.append({r["item"]: r["content"] for r in table.data.to_pylist()})
    assert contents[0] == contents[1]


def test_header_of_a_json_log_is_the_same_however_it_is_laid_out(tmp_path: Path) -> None:
    log = json.loads((HERE / "log.json").read_text("utf-8"))
    layouts = {
        "dense": json.dumps(log),
        "sorted": json.dumps(log, sort_keys=True, indent=2),
    }
    whole = read(HERE / "log.json")
    for name, text in layouts.items():
        (tmp_path / f"{name}.json").write_text(text, "utf-8")
        source = read(tmp_path / f"{name}.json").source
        assert source.aggregates == whole.source.aggregates
        assert source.settings == whole.source.settings
        assert source.status == "success"


def test_nan_is_no_score() -> None:
    log = read(HERE / "zstd.eval")
    scores = [r["score"] for r in rows(log.table, metric="nan_scorer")]
    assert scores.count(None) == 3
    assert len(scores) == 30


def test_killed_run_is_read_from_its_journal() -> None:
    log = read(HERE / "killed.eval")
    assert log.source.status == "started"
    assert (log.source.declared_items, log.source.items) == (400, 80)
    assert [r["item"] for r in log.table.data.to_pylist()] == [f"q{i}" for i in range(80)]
    assert "80 samples taken from its journal" in " ".join(log.source.notes)
    (unit,) = READER.units([Place(str(HERE / "killed.eval"))], Journal())
    assert not unit.complete


@pytest.mark.skipif(not SHARED.is_dir(), reason="the larger logs are not at hand")
def test_larger_logs_agree_with_inspect() -> None:
    log = read(SHARED / "inspect" / "v0.3.285_zstd")
    assert len(log.table.sources) == 4
    assert all(s.aggregates and not s.mismatches for s in log.table.sources)
    grouped = log.of("mockllm/beta-70b", "mini_mc")[0]
    assert grouped.aggregates == {"choice": pytest.approx(5 / 6)}, "not the mean of a group"


def test_sniff_goes_by_content(tmp_path: Path) -> None:
    def role(data: bytes, name: str = "x") -> str | None:
        return READER.sniff(Place(name), data)

    for name in ("zstd.eval", "deflate.eval", "killed.eval", "log.json"):
        assert READER.sniff(Place("x"), Place(str(HERE / name)).head()) == "log"
    other = pack(tmp_path / "x.eval", {"word/document.xml": "x"})
    listing = json.dumps({"a.eval": {"version": 2, "status": "success", "eval": {"eval_id": "x"}}})
    assert role(other.read_bytes(), "x.eval") is None
    assert role(listing.encode(), "logs.json") is None, "the index of a folder of logs"
    assert role(b'{"eval": {"a": 1}, "version": 2}') is None
    assert role(b"") is None
    assert role(b"PK\x03\x04") is None


# ------------------------------------------------------------------------------ the zip


def test_member_of_several_zstd_frames(tmp_path: Path) -> None:
    text = json.dumps([sample("q1"), sample("q2")]).encode()
    members = {
        "header.json": [json.dumps(header()).encode()],
        "summaries.json": [text[:50], text[50:]],
    }
    assert read(pack_zstd(tmp_path / "a.eval", members)).scores() == {"q1": 1.0, "q2": 1.0}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("name", ["summaries.json", "header.json"])
def test_several_entries_of_a_name_are_refused(tmp_path: Path, name: str) -> None:
    """Zip readers take the last entry or the first, so no choice would be everybody's."""
    path = save(tmp_path / "a.eval", header(), [sample("old")])
    again = {"summaries.json": [sample("new")], "header.json": header()}[name]
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr(name, json.dumps(again))
    with pytest.raises(ReadError, match=f"member {name} occurs 2 times in the archive"):
        read(path)


@pytest.mark.parametrize("key", ["value", "val\\u0075e"])
@pytest.mark.parametrize("samples", [2, 9000])
def test_a_key_that_stands_twice_is_refused(tmp_path: Path, key: str, samples: int) -> None:
    every = [sample(f"q{k}", input="x" * 100) for k in range(samples)]
    path = save(tmp_path / "a.eval", header(), every)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    once = members["summaries.json"]
    at = once.rindex(b'"value": ')
    members["summaries.json"] = once[:at] + f'"{key}": "I", '.encode() + once[at:]
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    with pytest.raises(ReadError, match=f"json:{samples}: element repeats the key 'value'"):
        read(path)
    with zipfile.ZipFile(path, "w") as archive:
        doubled = b'"status": "error", "status":'
        text = members["header.json"].replace(b'"status":', doubled, 1)
        archive.writestr("header.json", text)
        archive.writestr("summaries.json", once)
    with pytest.raises(ReadError, match=r"member header\.json repeats the key 'status'"):
        read(path)


@pytest.mark.parametrize("indent", [None, 2])
def test_an_array_of_samples_that_stands_twice_is_refused(
    tmp_path: Path, indent: int | None
) -> None:
    path = tmp_path / "a.json"
    one = json.dumps({**header(), "samples": [sample("q1")]}, indent=indent)
    path.write_text(one)
    assert read(path).scores() == {"q1": 1.0}
    path.write_text(one.rstrip()[:-1] + f', "samples": [{json.dumps(sample("q2"))}]}}')
    with pytest.raises(ReadError, match=r"repeats the key 'samples'|'samples' is repeated"):
        read(path)


def test_journal_is_read_in_numeric_order_and_the_last_summary_counts(tmp_path: Path) -> None:
    members: dict[str, Any] = {"_journal/start.json": header(status="ignored")}
    for number in (10, 9, 1):
        value = {"match": {"value": "I" if number == 9 else "C"}}
        name = f"_journal/summaries/{number}.json"
        members[name] = [sample("q1", scores=value), sample(f"only {number}")]
    log = read(pack(tmp_path / "a.eval", members))
    assert [*log.scores()] == ["q1", "only 1", "only 9", "only 10"]
    assert log.scores()["q1"] == 1.0


@pytest.mark.parametrize("name", ["samples/q1_epoch_1.json", "samples/q1_epoch_1/sample.json"])
def test_samples_themselves_serve_where_there_are_no_summaries(tmp_path: Path, name: str) -> None:
    path = save(tmp_path / "a.eval", header(status="error"), None, **{name: sample("q1")})
    log = read(path)
    assert log.scores() == {"q1": 1.0}
    assert "1 samples taken from its samples" in " ".join(log.source.notes)


def test_summaries_alone_are_unpacked(tmp_path: Path) -> None:
    broken = {"samples/q1_epoch_1.json": b"{", "reductions.json": b"{"}
    assert read(save(tmp_path / "a.eval", header(), [sample()], **broken)).scores() == {"q1": 1.0}


# ------------------------------------------------------------------------------ scores


@pytest.mark.parametrize("suffix", [".eval", ".json"])
def test_values_mean_what_inspect_takes_them_for(tmp_path: Path, suffix: str) -> None:
    values = ["C", "I", "P", "N", True, 2, 0.25, "0.5", "yes", "False", NAN]
    samples = [sample(i, scores={"s": {"value": v}}) for i, v in enumerate(values)]
    log = read(save(tmp_path / f"a{suffix}", header(), samples))
    assert [*log.scores().values()] == [1, 0, 0.5, 0, 1, 2, 0.25, 0.5, 1, 0, None]
    assert log.source.unscored == 1


def test_what_is_no_number_is_left_out_and_counted(tmp_path: Path) -> None:
    values: list[Any] = ["Paris", [1, 2], None, "nan", "-1e999", {"a": [1], "b": "C"}]
    samples = [sample(i, scores={"s": {"value": v}}) for i, v in enumerate(values)]
    log = read(save(tmp_path / "a.eval", header(), samples))
    assert rows(log.table)[0]["metric"] == "s.b"
    assert len(log.table) == 1
    assert log.source.dropped == {
        "metric s is text": 3,
        "metric s is a list": 1,
        "metric s is null": 1,
        "metric s.a is a list": 1,
    }


def test_infinite_score_is_a_bad_row(tmp_path: Path) -> None:
    path = save(
        tmp_path / "a.eval", header(), [sample(scores={"s": {"value": math.inf}}), sample(2)]
    )
    with pytest.raises(ReadError, match=r"a\.eval.*metric s has the score inf"):
        read(path)
    assert read(path, skip_bad=1).scores() == {"2": 1.0}


def test_parts_of_an_object_are_metrics_and_unscored_objects_lack_all_of_them(
    tmp_path: Path,
) -> None:
    parts = {"a": 1, "s": NAN}
    samples = [sample(1, scores={"s": {"value": parts}}), sample(2, scores={"s": {"value": NAN}})]
    means = [printed("a", 1.0, "mean", scorer="s"), printed("s", 0.0, "mean", scorer="s")]
    log = read(save(tmp_path / "a.eval", header(results={"scores": means}), samples))
    assert log.scores(metric="s.a") == {"1": 1.0, "2": None}
    assert log.scores(metric="s.s") == {"1": None, "2": None}
    assert log.source.aggregates == {"s.a": 1.0, "s.s": 0.0}
    assert log.source.mismatches == {}


def test_errored_samples_lack_every_metric(tmp_path: Path) -> None:
    samples = [
        sample(1, scores={"match": {"value": "C"}, "d": {"value": {"a": 1, "b": 0}}}),
        sample(2, scores={}, error="RuntimeError('boom')"),
        sample(3, scores={"match": {"value": "I"}}, error={"message": "boom"}),
        sample(4, scores=None),
    ]
    path = save(tmp_path / "a.eval", header(), samples)
    log = read(path)
    assert log.scores(metric="match") == {"1": 1, "2": None, "3": 0, "4": None}
    assert log.scores(metric="d.a") == {"1": 1, "2": None, "3": None, "4": None}
    assert log.source.errors_as == "missing"
    assert log.source.dropped == {"errors": 2}
    zero = read(path, errors="zero")
    assert zero.scores(metric="match") == {"1": 1, "2": 0, "3": 0, "4": None}
    assert zero.source.aggregates == {}, "Inspect's means do not count errors as zero"


def test_mean_over_scored_samples_is_inspects(tmp_path: Path) -> None:
    samples = [sample(1), sample(2, scores={}, error="boom")]
    log = read(save(tmp_path / "a.eval", header(), samples))
    assert (log.source.aggregates, log.source.mismatches) == ({"match": 1.0}, {})
    wrong = header(results={"scores": [printed("match", 0.5)]})
    assert read(save(tmp_path / "b.eval", wrong, samples)).source.mismatches == {"match": 1.0}


def test_all_samples_errored(tmp_path: Path) -> None:
    planned = [
        {"name": "match", "metrics": [{"name": "accuracy", "options": {}}]},
        {"name": "d", "metrics": {"a": [], "*": []}},
        {"name": "e", "metrics": [{"b": []}, {"name": "mean"}]},
    ]
    head = header(eval={"scorers": planned}, results=None)
    log = read(
        save(tmp_path / "a.eval", head, [sample(1, scores={}, error="boom")]), errors="zero"
    )
    assert {r["metric"]: r["score"] for r in rows(log.table)} == {"match": 0, "d.a": 0, "e.b": 0}
    assert "ended in errors" in log.source.notes[0]


def test_cancelled_sample_is_no_failure_of_the_model(tmp_path: Path) -> None:
    samples = [sample(1), sample(2, scores={}, error="CancelledError('Cancelled')")]
    log = read(save(tmp_path / "a.eval", header(status="error"), samples), errors="zero")
    assert log.scores() == {"1": 1.0}
    assert log.source.dropped == {"samples canceled before they finished": 1}


def test_log_without_scores_says_so(tmp_path: Path) -> None:
    path = save(tmp_path / "a.eval", header(results=None), [sample(1, scores={})])
    with pytest.raises(ReadError, match="--no-score"):
        read(path)


def test_log_of_which_nothing_could_be_scored(tmp_path: Path) -> None:
    samples = [sample(1, scores={"match": {"value": NAN}})]
    log = read(save(tmp_path / "a.eval", header(), samples))
    assert (log.scores(metric="match"), log.source.notes) == ({"1": None}, ())


def test_only_mean_over_epochs_is_compared(tmp_path: Path) -> None:
    epochs = {"epochs": 2, "epochs_reducer": ["mean", "at_least_1"]}
    samples = [sample(1, 1), sample(1, 2, scores={"match": {"value": "I"}})]
    means = [
        printed("match", 0.7, reducer=None),
        printed("match", 0.5, reducer="mean"),
        printed("match", 1.0, reducer="at_least_1"),
        printed("other", 1.0),
    ]
    head = header(eval={"config": epochs}, results={"scores": means})
    log = read(save(tmp_path / "a.eval", head, samples))
    assert (log.source.aggregates, log.source.mismatches) == ({"match": 0.5}, {})
    head["eval"]["config"] = {"epochs": 2, "epochs_reducer": []}
    assert read(save(tmp_path / "b.eval", head, samples)).source.aggregates == {}


def test_group_of_the_name_mean_is_not_the_mean(tmp_path: Path) -> None:
    group = printed("match", 0.3, "mean")
    group["metrics"]["mean"]["group"] = "grouped"
    log = read(save(tmp_path / "a.eval", header(results={"scores": [group]}), [sample()]))
    assert log.source.aggregates == {}


@pytest.mark.parametrize("suffix", [".eval", ".json"])
def test_invalid_samples_are_left_out(tmp_path: Path, suffix: str) -> None:
    mark = {"author": "me"}
    samples = [sample(1), sample(2, invalidation=mark if suffix == ".json" else None)]
    member = {"samples/2_epoch_1.json": sample(2, invalidation=mark)}
    members = member if suffix == ".eval" else {}
    log = read(save(tmp_path / f"a{suffix}", header(invalidated=True), samples, **members))
    assert log.scores() == {"1": 1.0}
    assert log.source.dropped == {"samples declared invalid": 1}
    assert "invalid" in log.source.notes[0]
    assert log.source.aggregates == {}


def test_edited_scores_are_noted(tmp_path: Path) -> None:
    scores = {"match": {"value": "C", "history": [{"value": "I"}, {"value": "C"}]}}
    log = read(
        save(tmp_path / "a.json", header(), [sample(scores=scores), sample(2, scores=scores)])
    )
    assert log.source.notes == (
        "scores of this log were edited after the run; the edited scores are used",
    )
    assert log.scores() == {"q1": 1.0, "2": 1.0}


def test_single_score_of_old_logs(tmp_path: Path) -> None:
    old = {"id": 1, "epoch": 1, "input": "x", "target": "y", "score": {"value": "C"}}
    assert read(save(tmp_path / "a.json", header(), [old])).scores(metric="score") == {"1": 1.0}


# ------------------------------------------------------------------------------ columns


def test_long_logs_come_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nstar.readers._base.BATCH", 2)
    path = save(tmp_path / "a.eval", header(), [sample(i) for i in range(5)])
    batches = READER.read(Unit(place=Place(str(path))), Journal())
    assert [b.num_rows for b in batches] == [2, 2, 1]


def test_one_epoch_needs_no_run_column(tmp_path: Path) -> None:
    path = save(tmp_path / "a.eval", header(), [sample(7)])
    assert "run" not in read(path).table.data.column_names
    unit = Unit(place=Place(str(path)), run="again")
    (batch,) = READER.read(unit, Journal())
    assert batch.column("run").to_pylist() == ["again"]
    assert batch.column("item").to_pylist() == ["7"], "numbered items are named by their number"


def test_epochs_are_runs(tmp_path: Path) -> None:
    path = save(tmp_path / "a.eval", header(eval={"config": {}}), [sample(1, 1), sample(1, 2)])
    assert [r["run"] for r in rows(read(path).table)] == ["1", "2"]
    (batch,) = READER.read(Unit(place=Place(str(path)), run="again"), Journal())
    assert batch.column("run").to_pylist() == ["again/1", "again/2"]


def test_content_is_left_open_where_the_summary_is_partial(tmp_path: Path) -> None:
    def user(*parts: Any) -> list[Any]:
        return [{"role": "user", "id": "random", "content": list(parts)}]

    words = {"type": "text", "text": "see"}
    inputs: list[Any] = [
        "whole",
        "long ...\n(content truncated)",
        user(words),
        user(words, {"type": "text", "text": "(Image)"}),
        user(words, {"type": "image", "image": "attachment://x"}),
        [{"role": "user", "content": "see"}],
        None,
        7,
        [7],
    ]
    samples = [sample(i, input=text) for i, text in enumerate(inputs)]
    samples.append(sample("t", target=["2", "two ...\n(content truncated)"]))
    table = read(save(tmp_path / "a.eval", header(), samples)).table
    got = [r["content"] for r in rows(table)]
    assert [c is not None for c in got] == [1, 0, 1, 0, 0, 1, 0, 0, 0, 0]
    assert got[2] == got[5], "ids of messages are random"


def test_groups_are_short_scalars(tmp_path: Path) -> None:
    metadata = {
        "subject": "art",
        "level": 3,
        "hard": True,
        "share": 0.5,
        "notes": "x" * 200,
        "tags": ["a"],
        "cut": "...",
        "model": "gpt",
        "removed": "Key removed from summary (> 1k)",
    }
    samples = [sample(1, metadata=metadata), sample(2, metadata=[]), sample(3)]
    table = read(save(tmp_path / "a.eval", header(), samples)).table
    first, second, _ = rows(table)
    assert {name: first[name] for name in table.groups} == {
        "subject": "art",
        "level": "3",
        "hard": "true",
        "metadata.model": "gpt",
    }
    assert second["subject"] is None


def test_fields_that_name_every_item_or_are_too_many_are_no_groups(tmp_path: Path) -> None:
    many = {f"f{i}": "same" for i in range(30)}
    samples = [
        sample(i, metadata={"uid": f"u{i}", **many, "subject": f"s{i % 3}"}) for i in range(60)
    ]
    path = save(tmp_path / "a.eval", header(), samples)
    groups = read(path).table.groups
    assert "uid" not in groups
    assert "subject" in groups
    assert len(groups) == 16
    assert {"uid", "f29"} <= set(read(path, groups=("uid", "f29")).table.groups)


def test_tokens_and_cost_are_summed_over_models(tmp_path: Path) -> None:
    usage = {"m": {"total_tokens": 5, "total_cost": 0.25}, "grader": {"total_tokens": 2}}
    odd = {"m": {"total_tokens": "many", "total_cost": -1}}
    samples = [sample(1, model_usage=usage), sample(2, model_usage=odd), sample(3)]
    got = rows(read(save(tmp_path / "a.eval", header(), samples)).table)
    assert [(r["tokens"], r["cost"]) for r in got] == [(7, 0.25), (None, None), (None, None)]
    assert [r["input_tokens"] for r in got] == [None, None, None]


def test_what_a_cache_gave_is_input_too(tmp_path: Path) -> None:
    cached = {"input_tokens_cache_read": 100, "input_tokens_cache_write": 20}
    usage = {
        "m": {"input_tokens": 3, "output_tokens": 4, "total_tokens": 127, **cached},
        "grader": {"input_tokens": 50, "output_tokens": 1, "total_tokens": 51},
    }
    (got,) = rows(read(save(tmp_path / "a.eval", header(), [sample(1, model_usage=usage)])).table)
    found = tuple(got[name] for name in ("tokens", "input_tokens", "output_tokens"))
    assert found == (178, 173, 5)


# ------------------------------------------------------------------------------ which logs


def test_limited_and_drained_runs_are_not_complete(tmp_path: Path) -> None:
    limited = header(eval={"config": {"limit": 5, "sample_id": ["a"]}, "task_id": "A"})
    drained = header(eval={"task_id": "B"})
    drained["results"] |= {"total_samples": 9, "logged_samples": 1}
    whole = header(eval={"task_id": "C", "created": "2025-01-01T00:00:00Z"})
    for name, head in (("a", limited), ("b", drained), ("c", whole)):
        save(tmp_path / f"{name}.eval", head, [sample()])
    places = [Place(str(tmp_path / f"{name}.eval")) for name in "abc"]
    assert [u.complete for u in READER.units(places, Journal())] == [False, False, True]
    log = read(tmp_path)
    assert log.source.path.endswith("c.eval"), "an earlier complete run wins"
    assert read(tmp_path / "a.eval").source.limited == 'limit=5, sample_id=["a"]'
    assert "drained" in read(tmp_path / "b.eval").source.notes[0]


def test_stopped_runs_are_told_and_not_complete(tmp_path: Path) -> None:
    head = header()
    stops = [{"id": k, "epoch": 1} for k in range(1200)]
    head["results"] |= {"early_stopping": {"manager": "nstar", "early_stops": stops}}
    path = save(tmp_path / "a.eval", head, [sample()])
    assert [u.complete for u in READER.units([Place(str(path))], Journal())] == [False]
    assert read(path).source.stopped == "by nstar, 1,200 samples not run"
    for odd in ({"manager": "nstar", "early_stops": []}, {"early_stops": 7}, [1], None):
        head["results"]["early_stopping"] = odd
        assert read(save(tmp_path / "b.eval", head, [sample()])).source.stopped is None


def test_retry_replaces_what_it_retried(tmp_path: Path) -> None:
    failed = header(status="error", results=None, error={"message": "boom"})
    retried = header(eval={"created": "2026-01-01T02:00:00+02:00"})
    again = header(status="cancelled", results=None, eval={"created": "2026-01-03T00:00:00+00:00"})
    save(tmp_path / "a.eval", failed, [sample(1, uuid="u1"), sample(2, scores={}, error="boom")])
    save(tmp_path / "b.eval", retried, [sample(1, uuid="u1"), sample(2)])
    save(tmp_path / "c.eval", again, [sample(1, uuid="u1")])
    for policy in ("latest", "all"):
        log = read(tmp_path, runs=policy)
        assert log.source.path.endswith("b.eval")
        assert log.scores() == {"1": 1.0, "2": 1.0}
    assert "3 logs of one run of sums by m" in log.journal.notes[0]
    alone = read(tmp_path / "a.eval").source
    assert (alone.status, alone.notes) == ("error", ("the run ended with boom",))


def test_task_with_other_arguments_is_another_task_for_every_model(tmp_path: Path) -> None:
    for i, (model, args) in enumerate(
        [
            ("a", {"level": 1, "same": 0}),
            ("a", {"level": 2, "same": 0}),
            ("b", {"level": 1, "same": 0}),
        ]
    ):
        spec = {"model": model, "task_args": args, "task_id": f"T{i}"}
        save(tmp_path / f"{i}.eval", header(eval=spec), [sample()])
    log = read(tmp_path)
    assert {(s.model, s.task) for s in log.table.sources} == {
        ("a", "sums[level=1]"),
        ("a", "sums[level=2]"),
        ("b", "sums[level=1]"),
    }
    assert log.table.tasks == ("sums[level=1]", "sums[level=2]")
    assert "sums was run with different settings" in log.journal.notes[0]
    assert read(tmp_path / "0.eval", tmp_path / "2.eval").table.tasks == ("sums",)


def test_model_with_other_generation_settings_is_another_model(tmp_path: Path) -> None:
    settings: list[dict[str, Any]] = [
        {"model_generate_config": {"reasoning_effort": "low", "max_connections": 9}},
        {"model_generate_config": {"reasoning_effort": "high", "seed": 1}},
        {"model_generate_config": {"reasoning_effort": "high", "seed": 2}},
        {"model_args": {"api_key": "hunter2"}, "task": "other"},
    ]
    for i, spec in enumerate(settings):
        save(tmp_path / f"{i}.eval", header(eval={"task_id": f"T{i}"} | spec), [sample()])
    log = read(tmp_path, runs="all")
    assert set(log.table.models) == {"m", "m[reasoning_effort=low]", "m[reasoning_effort=high]"}
    high = rows(log.table, model="m[reasoning_effort=high]")
    assert len({r["run"] for r in high}) == 2, "a seed makes no other model, only another run"
    assert "hunter2" not in repr(log.table.sources) + repr(log.journal.notes)


def test_settings(tmp_path: Path) -> None:
    spec = {
        "task_version": 3,
        "task_args": {"shots": 5, "seed": None},
        "model_generate_config": {"temperature": 0.5, "max_connections": 9},
        "config": {"epochs": 1, "message_limit": 30, "score_on_error": False},
        "packages": {"inspect_ai": "0.3.285", "inspect_evals": "1.0"},
    }
    steps = [{"solver": "system", "params_passed": {"text": "x" * 99}}, {"solver": "generate"}]
    head = header(eval=spec, plan={"steps": steps, "config": {"seed": 3}})
    settings = dict(read(save(tmp_path / "a.eval", head, [sample()])).source.settings)
    solver = settings.pop("solver")
    assert solver.startswith("system(text=xxx")
    assert solver.endswith(") > generate")
    assert settings == {
        "dataset": "sums",
        "task_version": "3",
        "task_args": '{"shots":5}',
        "epochs": "1",
        "message_limit": "30",
        "temperature": "0.5",
        "seed": "3",
        "packages": '{"inspect_evals":"1.0"}',
    }
    long = header(eval={"solver": "s" * 500, "solver_args": {"x": 1}})
    assert len(read(save(tmp_path / "b.eval", long, [sample()])).source.settings["solver"]) == 200


def test_shards_of_a_merged_log_are_left_out(tmp_path: Path) -> None:
    save(tmp_path / "run.eval", header(), [sample(1), sample(2)])
    shard = header(eval={"task_id": "S", "created": "2027-01-01T00:00:00+00:00"})
    save(tmp_path / "run.shards" / "1" / "x.eval", shard, [sample(1)])
    log = read(tmp_path)
    assert log.scores() == {"1": 1.0, "2": 1.0}
    assert "1 shards ignored" in log.journal.notes[0]
    assert read(tmp_path / "run.shards").scores() == {"1": 1.0}


# ------------------------------------------------------------------------------ bad logs


@pytest.mark.parametrize("suffix", [".eval", ".json"])
@pytest.mark.parametrize(
    ("bad", "says"),
    [
        (sample(1.5), "id is 1.5"),
        (sample(None), "id is null"),
        (sample(True), "id is true"),
        (sample(["x"]), "id"),
        (sample(1, "one"), "epoch is one"),
        (sample(1, scores=[1]), "scores"),
        (sample(1, scores={"match": "C"}), "match|object"),
        ("text", "object"),
    ],
)
def test_bad_sample_is_named_and_can_be_skipped(
    tmp_path: Path, suffix: str, bad: Any, says: str
) -> None:
    unscored = sample("n", scores={"match": {"value": NAN}})
    samples = [sample("good"), unscored, bad]
    path = save(tmp_path / f"a{suffix}", header(eval={"config": {"epochs": 2}}), samples)
    with pytest.raises(ReadError, match=says) as caught:
        read(path)
    assert f"a{suffix}" in str(caught.value)
    assert ":3:" in str(caught.value)
    assert read(path, skip_bad=1).scores() == {"good": 1.0, "n": None}


def test_summaries_that_end_early_can_be_read_as_far_as_they_go(tmp_path: Path) -> None:
    text = json.dumps([sample(1), sample(2)]).encode()
    path = save(tmp_path / "a.eval", header(), None, **{"summaries.json": text[:-9]})
    with pytest.raises(ReadError, match=r"summaries\.json:2: element is truncated"):
        read(path)
    assert read(path, skip_bad=1).scores() == {"1": 1.0}


def test_bad_summary_with_nan_in_it(tmp_path: Path) -> None:
    samples = [sample(1), sample(2, scores={"match": NAN})]
    with pytest.raises(ReadError, match=r"summaries\.json:2: element .*scores"):
        read(save(tmp_path / "a.eval", header(), samples))


def test_epoch_that_was_not_declared_and_comes_late(tmp_path: Path) -> None:
    samples = [sample(i) for i in range(4100)] + [sample(1, 2)]
    path = save(tmp_path / "a.eval", header(), samples)
    with pytest.raises(ReadError, match="the row has epoch 2, but the log declares only one"):
        read(path)


def test_repeated_sample_of_a_json_log_is_left_out(tmp_path: Path) -> None:
    log = read(save(tmp_path / "a.json", header(), [sample(1), sample("1")]))
    assert log.source.dropped == {"samples logged twice": 1}


@pytest.mark.parametrize(
    ("members", "says"),
    [
        ({"header.json": header(), "summaries.json": b"[{"}, "summaries.json"),
        ({"header.json": header(), "summaries.json": {"a": 1}}, "does not contain a list"),
        ({"header.json": header(), "summaries.json": b""}, "does not contain a list"),
        ({"header.json": b"{", "summaries.json": []}, "header.json"),
        ({"header.json": {"eval": {"task": "t"}}}, "model"),
        ({"header.json": {"eval": []}}, "header.json"),
        ({"_journal/other.json": {}}, "no header.json or"),
    ],
)
def test_bad_archive(tmp_path: Path, members: Mapping[str, Any], says: str) -> None:
    path = pack(tmp_path / "a.eval", members)
    with pytest.raises(ReadError, match=says) as caught:
        read(path)
    assert "a.eval" in str(caught.value)


@pytest.mark.parametrize("name", ["zstd.eval", "deflate.eval", "killed.eval", "log.json"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_cut_off_file(tmp_path: Path, name: str, share: float) -> None:
    data = (HERE / name).read_bytes()
    scores_end = data.find(b'"reductions"') if name == "log.json" else len(data)
    path = tmp_path / name
    path.write_bytes(data[: int(scores_end * share) - 9])
    with pytest.raises(ReadError, match=name):
        read(path)


def test_header_that_looks_like_one_but_is_not(tmp_path: Path) -> None:
    keys = '{"a": [\n  "status": 1,\n  "eval": {"eval_id": 1},\n  "results": 1,\n  "samples": []]}'
    path = tmp_path / "a.json"
    path.write_text(keys, "utf-8")
    with pytest.raises(ReadError, match=r"a\.json"):
        READER.units([Place(str(path))], Journal())


def test_half_a_surrogate_pair_beside_nan(tmp_path: Path) -> None:
    text = json.dumps([sample("q\ud800", scores={"match": {"value": NAN}}), sample(2)])
    log = read(save(tmp_path / "a.eval", header(), None, **{"summaries.json": text.encode()}))
    assert log.scores() == {"q\ufffd": None, "2": 1.0}


def test_nothing_strange_in_a_summary_breaks_the_reader(tmp_path: Path) -> None:
    usage = {"m": {"total_tokens": 1, "input_tokens": 1, "output_tokens": 0, "total_cost": 1.0}}
    message = {"role": "user", "content": [{"type": "text", "text": "x"}]}
    scores = {"match": {"value": {"a": 1}, "history": []}}
    whole = sample(input=[message], scores=scores, metadata={"k": "v"}, model_usage=usage)
    for strange in hostile(whole | {"error": {"message": "m"}, "invalidation": None}):
        path = save(tmp_path / "a.eval", header(), [sample("sound"), strange])
        log = read(path, skip_bad=1)
        assert "sound" in log.scores()


def test_nothing_strange_in_a_header_breaks_the_reader(tmp_path: Path) -> None:
    spec = {
        "solver": None,
        "solver_args": {"a": 1},
        "model_args": {"a": 1},
        "model_generate_config": {"temperature": 1},
        "task_version": 1,
        "scorers": [{"name": "match", "metrics": [{"a": []}]}],
        "config": {"epochs": 1, "epochs_reducer": ["mean"], "limit": [1, 2]},
    }
    plan = {"steps": [{"solver": "s", "params_passed": {"a": 1}}], "config": {"seed": 1}}
    whole = header(eval=spec, plan=plan, error={"message": "m"}, invalidated=False)
    samples = [sample("sound"), sample(2, scores={}, error="boom")]
    for strange in hostile(whole):
        path = pack(tmp_path / "a.eval", {"header.json": strange, "summaries.json": samples})
        try:
            log = read(path, skip_bad=1)
        except ReadError as error:
            assert "a.eval" in str(error)  # noqa: PT017
        else:
            assert log.scores()["sound"] == 1.0


def test_remote_places_are_read_through_their_file_system() -> None:
    fsspec = pytest.importorskip("fsspec")
    fs = fsspec.filesystem("memory")
    fs.pipe("/inspect/a.eval", (HERE / "zstd.eval").read_bytes())
    journal = Journal(options=ReaderOptions())
    (unit,) = READER.units([Place("/inspect/a.eval", fs)], journal)
    assert sum(b.num_rows for b in READER.read(unit, journal)) == 150
