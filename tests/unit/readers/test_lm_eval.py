"""Real lm-eval logs: rows, groups, versions, and means equal to what lm-eval printed."""

import hashlib
import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.compute as pc
import pytest

from nstar._data.table import Source, Table
from nstar.readers import collect
from nstar.readers._base import Journal, ReaderOptions, Unit, content_key
from nstar.readers._files import Place, walk
from nstar.readers._scan import LogScan, find_units
from nstar.readers.lm_eval import READER

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "lm_eval"
SHARED = Path(__file__).resolve().parents[4] / "shared" / "formats" / "lm_eval"
NO_LIST = {"mini_rolling"}  # tasks of which every metric is a list


def scan(*paths: Path, **options: Any) -> tuple[Table, Journal]:
    journal = Journal(options=ReaderOptions(**options))
    scanned = LogScan(find_units(paths, [READER], journal), journal)
    return collect(scanned), journal


def only(journal: Journal, **wanted: str) -> Source:
    """The one log with these attributes."""
    (source,) = [s for s in journal.sources if all(getattr(s, k) == v for k, v in wanted.items())]
    return source


def means(table: Table, *columns: str) -> dict[tuple[str, ...], float]:
    cells = table.data.group_by(list(columns)).aggregate([("score", "mean")]).to_pylist()
    return {tuple(c[k] for k in columns): c["score_mean"] for c in cells}


def check_against_harness(journal: Journal, table: Table) -> int:
    """Every aggregate that lm-eval printed is our mean, to nine digits; how many there were."""
    checked = 0
    for source in journal.sources:
        assert source.mismatches == {}
        if not source.rows:
            continue
        keep = pc.equal(table.data["model"].cast("string"), source.model)
        rows = table.data.filter(keep).to_pylist()
        leaf = Path(source.path).name
        for metric, theirs in source.aggregates.items():
            ours = [r["score"] for r in rows if r["metric"] == metric and _is_of(r, source, leaf)]
            assert np.mean(ours) == pytest.approx(theirs, abs=1e-9), (leaf, metric)
            checked += 1
    return checked


def _is_of(row: dict[str, Any], source: Source, name: str) -> bool:
    return row["task"] == source.task and (row.get("subject") is None or row["subject"] in name)


def test_two_models_of_0_4_13() -> None:
    table, journal = scan(FIXTURES / "v0.4.13")
    assert table.models == ("acme/alpha-8b", "acme/beta-70b")
    assert table.tasks == ("mini_gsm", "mini_mmlu")
    assert len(journal.sources) == 6
    assert len(table) == 2 * (24 * 2 + 2 * 12 * 2)
    assert check_against_harness(journal, table) == 2 * (2 + 2 * 2)
    found = means(table, "model", "task", "metric")
    assert found["acme/alpha-8b", "mini_gsm", "exact_match,strict-match"] == 0.5
    assert found["acme/alpha-8b", "mini_gsm", "exact_match,flexible-extract"] == pytest.approx(
        14 / 24
    )


def test_tasks_of_a_group_are_one_benchmark_with_subjects() -> None:
    table, _ = scan(FIXTURES / "v0.4.13")
    mmlu = table.data.filter(pc.equal(table.data["task"].cast("string"), "mini_mmlu"))
    assert set(mmlu["subject"].to_pylist()) == {"mini_mmlu_addition", "mini_mmlu_capitals"}
    assert set(mmlu["doc_subject"].to_pylist()) == {"addition", "capitals"}
    per_model = Counter(mmlu["model"].to_pylist())
    assert set(per_model.values()) == {48}
    assert "mini_mmlu_addition:0" in mmlu["item"].to_pylist()
    gsm = table.data.filter(pc.equal(table.data["task"].cast("string"), "mini_gsm"))
    assert set(gsm["item"].to_pylist()) == {str(i) for i in range(24)}
    assert set(gsm["subject"].to_pylist()) == {None}
    assert "t0" in gsm["template"].to_pylist()


def test_content_is_lm_evals_own_hash() -> None:
    path = next((FIXTURES / "v0.4.13/acme__alpha-8b").glob("samples_mini_gsm_*"))
    table, _ = scan(path)
    wanted = {
        str(r["doc_id"]): content_key(r["doc_hash"])
        for r in map(json.loads, path.read_text().splitlines())
    }
    got = zip(table.data["item"].to_pylist(), table.data["content"].to_pylist(), strict=True)
    assert dict(got) == wanted


def test_source_of_0_4_13() -> None:
    _, journal = scan(FIXTURES / "v0.4.13")
    source = only(journal, model="acme/alpha-8b", task="mini_gsm")
    assert source.harness == "lm-eval 0.4.13"
    assert (source.rows, source.items, source.declared_items) == (48, 24, 24)
    assert source.limited is None
    assert source.settings["n-shot"] == "0"
    assert source.settings["version"] == "3.0"
    assert source.settings["output_type"] == "generate_until"
    assert '"temperature":0.0' in source.settings["gen_kwargs"]
    assert "fewshot_as_multiturn" not in source.settings  # without examples it means nothing
    assert source.notes == ()


def test_settings_of_two_models_agree() -> None:
    _, journal = scan(FIXTURES / "v0.4.13")
    gsm = [s for s in journal.sources if s.task == "mini_gsm"]
    assert gsm[0].settings == gsm[1].settings


def test_limited_run_does_not_replace_the_whole_one() -> None:
    table, journal = scan(FIXTURES / "v0.4.13_two_runs")
    assert len(journal.sources) == 1
    assert only(journal).items == 12
    assert len(table) == 24
    assert any("1 ignored" in note for note in journal.notes)


def test_limited_run_alone_says_so() -> None:
    folder = FIXTURES / "v0.4.13_two_runs" / "acme__alpha-8b"
    _, journal = scan(next(folder.glob("samples_*00-36-37*")))
    source = only(journal)
    assert (source.items, source.declared_items, source.limited) == (8, 12, "limit=8")


def test_0_4_5_names_no_filters() -> None:
    """Filters by order of appearance; two models in one folder, told apart by their time."""
    table, journal = scan(FIXTURES / "v0.4.5")
    assert set(table.models) == {"acme/alpha-8b", "acme/beta-70b"}  # model_name is ""
    assert check_against_harness(journal, table) == 4
    found = means(table, "task", "metric")
    assert found["mini_gsm", "exact_match,strict-match"] == 0.5
    assert found["mini_gsm", "exact_match,flexible-extract"] == pytest.approx(14 / 24)
    assert only(journal, task="mini_mmlu").harness == "lm-eval <0.4.7"


def test_0_4_2_is_an_array_without_hashes() -> None:
    table, journal = scan(FIXTURES / "v0.4.2")
    source = only(journal)
    assert (source.model, source.task) == ("acme/dummy-7b", "mini_mmlu_addition")
    assert source.harness == "lm-eval <0.4.3"
    assert source.aggregates["acc,none"] == 0.25
    assert check_against_harness(journal, table) == 2
    assert table.data["item"].to_pylist()[:2] == ["0", "0"]  # acc and acc_norm


def test_hash_of_0_4_2_is_that_of_later_versions() -> None:
    old, _ = scan(FIXTURES / "v0.4.2")
    new, _ = scan(next((FIXTURES / "v0.4.13/acme__alpha-8b").glob("samples_mini_mmlu_addition_*")))
    by_item = []
    for table in (old.data, new.data):
        pairs = zip(table["item"].to_pylist(), table["content"].to_pylist(), strict=True)
        by_item.append({item.rpartition(":")[2]: content for item, content in pairs})
    assert by_item[0] == by_item[1]


def test_recomputed_hash_is_sha256_of_indented_json() -> None:
    path = next((FIXTURES / "v0.4.13/acme__alpha-8b").glob("samples_mini_mmlu_capitals_*"))
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        text = json.dumps(row["doc"], indent=2, ensure_ascii=False)
        assert hashlib.sha256(text.encode()).hexdigest() == row["doc_hash"]


@pytest.mark.parametrize("folder", ["v0.4.13", "v0.4.13_two_runs", "v0.4.5"])
def test_rows_one_by_one_give_what_blocks_of_rows_give(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def rows() -> list[str]:
        table, _ = scan(FIXTURES / folder, groups=("question", "choices"))
        names = sorted(table.data.column_names)
        return sorted(map(repr, table.data.select(names).to_pylist()))

    at_once = rows()
    monkeypatch.setattr("nstar.readers.lm_eval._rows._batches", lambda *_: None)
    assert rows() == at_once
    assert at_once


def test_roles() -> None:
    roles = Counter(READER.sniff(p, p.head()) for p in walk([FIXTURES]))
    assert roles == {"log": 11, "companion": 7, None: 2}  # README and the test's own module


def test_units_know_model_task_time_and_completeness() -> None:
    folder = FIXTURES / "v0.4.13_two_runs" / "acme__alpha-8b"
    places = [Place(str(p)) for p in sorted(folder.glob("samples_*"))]
    units = READER.units(places, Journal())
    assert [(u.model, u.task, u.complete) for u in units] == [
        ("acme/alpha-8b", "mini_mmlu_addition", True),
        ("acme/alpha-8b", "mini_mmlu_addition", False),
    ]
    assert [u.started for u in units] == [
        "2026-11-15T00-36-15.037727",
        "2026-11-15T00-36-37.684921",
    ]


def test_a_unit_without_context_is_read_all_the_same() -> None:
    path = next((FIXTURES / "v0.4.13/acme__beta-70b").glob("samples_mini_gsm_*"))
    (batch,) = READER.read(Unit(place=Place(str(path)), run="x"), Journal())
    assert batch.num_rows == 48
    assert set(batch.column("run").to_pylist()) == {"x"}


def run_of(folder: Path, name: str, arguments: Any, kind: str = "hf") -> Path:
    """A copy of a real run, as lm-eval names it for these arguments."""
    folder.mkdir(parents=True)
    for path in (FIXTURES / "v0.4.13/acme__alpha-8b").iterdir():
        text = path.read_text("utf-8")
        if path.name.startswith("results"):
            found = json.loads(text) | {"model_name": name}
            found["config"] |= {"model_args": arguments, "model": kind}
            text = json.dumps(found)
        (folder / path.name).write_text(text, "utf-8")
    return folder


@pytest.mark.parametrize(
    ("folder", "name", "arguments", "model"),
    [
        ("k3j9x0ab", "k3j9x0ab", {"pretrained": "acme/alpha-8b"}, "acme/alpha-8b"),
        ("k3j9x0ab", "k3j9x0ab", "pretrained=acme/alpha-8b,dtype=float", "acme/alpha-8b"),
        ("k3j9x0ab", "k3j9x0ab", '{"pretrained": "acme/alpha-8b"}', "acme/alpha-8b"),
        ("k3j9x0ab", "k3j9x0ab", "{cut off", "hf"),
        ("tmpx9f3k2", "acme/alpha-8b", {"pretrained": "acme/alpha-8b"}, "acme/alpha-8b"),
        ("cb7a1799", "", {"model": "gpt-x"}, "gpt-x"),
        ("tmpx9f3k2", "", {}, "hf"),
        ("my-run", "", {}, "my-run"),
    ],
)
def test_the_configuration_names_the_model_of_a_random_folder(
    tmp_path: Path, folder: str, name: str, arguments: Any, model: str
) -> None:
    table, _ = scan(run_of(tmp_path / folder, name, arguments))
    assert table.models == (model,)


def test_models_without_a_name_stay_apart(tmp_path: Path) -> None:
    run_of(tmp_path / "one" / "k3j9x0ab", "k3j9x0ab", {}, "dummy")
    run_of(tmp_path / "two" / "p0q1r2s3", "p0q1r2s3", {}, "dummy")
    table, _ = scan(tmp_path)
    assert table.models == ("dummy/k3j9x0ab", "dummy/p0q1r2s3")


# ---------------------------------------------------------------- all real logs at hand

EXPECTED = {  # folder: units, scores
    "v0.4.13": (31, 904),
    "v0.4.13_http": (2, 96),
    "v0.4.13_two_runs": (4, 104),
    "v0.4.13_traps": (8, 66),
    "v0.4.5": (20, 624),
    "v0.4.2": (2, 48),
}


@pytest.mark.skipif(not SHARED.exists(), reason="the full logs are not at hand")
@pytest.mark.parametrize("folder", EXPECTED)
def test_every_real_log(folder: str) -> None:
    journal = Journal()
    logs = [p for p in walk([SHARED / folder]) if READER.sniff(p, p.head()) == "log"]
    units = READER.units(logs, journal)
    scanned = LogScan([(READER, u) for u in units], journal)
    rows = sum(b.num_rows for b in scanned.batches())
    assert (len(units), rows) == EXPECTED[folder]
    for unit, source in zip(units, journal.sources, strict=True):
        assert source.mismatches == {}
        if unit.task not in NO_LIST and "predict_only" not in source.path:
            assert source.aggregates, source.path
            assert source.rows


@pytest.mark.skipif(not SHARED.exists(), reason="the full logs are not at hand")
def test_traps_of_real_logs() -> None:
    table, journal = scan(SHARED / "v0.4.13_traps", runs="all")
    by_file = {Path(s.path).parent.parent.name: s for s in journal.sources}
    assert by_file["noname"].model == "dummy"  # the configuration's, not the random "qdpv68r5"
    assert "names no model" in by_file["noname"].notes[0]
    assert by_file["noname"].limited == "limit=5"
    assert "/models/acme/dummy:7b" in table.models  # from out_<time>.json, no model folder
    assert {s.limited for s in journal.sources if s.model == "/models/acme/dummy:7b"} == {
        "limit=0.5"
    }
    flagged = [s for s in journal.sources if "samplesflag" in s.path]
    assert {s.limited for s in flagged} == {"2 of 24 items", "2 of 12 items"}
    assert any("run on its own" in n for s in flagged for n in s.notes)


@pytest.mark.skipif(not SHARED.exists(), reason="the full logs are not at hand")
def test_list_metrics_are_left_out_and_counted() -> None:
    _, journal = scan(SHARED / "v0.4.13" / "acme__alpha-8b")
    weird = only(journal, task="mini_weird")
    assert dict(weird.dropped) == {"metric mcc is a list": 8, "metric brier_score is a list": 8}
    assert set(weird.aggregates) == {"acc,none"}
    assert only(journal, task="mini_rolling").rows == 0
    multi = only(journal, task="mini_gen_multi")
    assert multi.lower_is_better == ("n_tokens,all-k",)
    assert "run-to-run variance" in multi.notes[0]


@pytest.mark.skipif(not SHARED.exists(), reason="the full logs are not at hand")
def test_duplicated_documents_stay_apart() -> None:
    table, _ = scan(next((SHARED / "v0.4.13" / "acme__alpha-8b").glob("samples_mini_dups_*")))
    assert len(set(table.data["item"].to_pylist())) == 8
    assert len(set(table.data["content"].to_pylist())) == 6
