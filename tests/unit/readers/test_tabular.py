"""Plain tables: the same scores from every shape, and which column is taken for what."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import feather

from helpers.logs import FIXTURES, SHARED, Log, rows
from nstar._data.align import matrices
from nstar._data.table import LABEL
from nstar.errors import ReadError
from nstar.readers._base import content_key
from nstar.readers._tables._columns import NO_MODEL
from nstar.readers.tabular import READER

TABLES = FIXTURES / "tabular"
DATA = SHARED.parent / "data"
LONG = ("long.csv", "long.jsonl", "records.json", "long.parquet", "long.feather")
WIDE = ("wide.csv", "wide.tsv")


def write(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path


def records(path: Path, *several: dict[str, Any]) -> Path:
    return write(path, *map(json.dumps, several))


def parquet(path: Path, **columns: Sequence[Any]) -> Path:
    pq.write_table(pa.table(columns), path)
    return path


def cells(log: Log) -> dict[tuple[str, str], float]:
    return {(r["model"], r["item"]): r["score"] for r in log.table.data.to_pylist()}


@pytest.fixture(scope="module")
def expected() -> dict[tuple[str, str], float]:
    lines = (TABLES / "long.jsonl").read_text("utf-8").splitlines()
    return {(r["model"], r["item"]): float(r["score"]) for r in map(json.loads, lines)}


@pytest.mark.parametrize("name", [*LONG, *WIDE])
def test_same_scores_from_every_shape(name: str, expected: dict[tuple[str, str], float]) -> None:
    assert cells(Log(READER, TABLES / name)) == expected


@pytest.mark.parametrize("name", LONG)
def test_groups_and_content(name: str) -> None:
    log = Log(READER, TABLES / name)
    assert log.table.groups == ("subject",)
    assert log.source.notes == ("ignored columns: pred",)
    row = rows(log.table, item="007", model="acme/beta-70b")[0]
    assert row["subject"] == "history"
    assert row["content"] == content_key("What is 7 + 8?")
    matrix = matrices(log.table)[0]
    assert matrix.shape == (2, 24)
    assert matrix.alignment.content_differs == 0


@pytest.mark.parametrize("name", [*LONG, *WIDE])
def test_columns_have_the_types_of_a_table(name: str) -> None:
    data = Log(READER, TABLES / name).table.data
    for column in ("model", "task", "item"):
        assert data.schema.field(column).type == LABEL
    assert data.schema.field("score").type == pa.float64()


def test_wide_tables_say_what_was_decided() -> None:
    assert Log(READER, TABLES / "wide.csv").source.notes == (
        "wide table: one row per item, 2 score columns taken as models",
    )
    assert Log(READER, TABLES / "wide.csv").table.groups == ("subject",)
    assert Log(READER, TABLES / "wide.tsv").source.notes == (
        "wide table: one row per model, 24 score columns taken as items",
    )


def test_file_without_model_is_named_after_its_model(tmp_path: Path) -> None:
    for model in ("alpha-8b", "beta.v2"):
        write(tmp_path / f"{model}.csv", "qid,correct", "q1,1", "q2,0")
    log = Log(READER, tmp_path)
    assert log.table.models == ("alpha-8b", "beta.v2")
    assert {s.model for s in log.table.sources} == {"alpha-8b", "beta.v2"}
    assert log.table.sources[0].notes == (NO_MODEL,)


@pytest.mark.parametrize(
    ("header", "item", "score"),
    [
        ("Question-ID,Is Correct", "Question-ID", "Is Correct"),
        ("instance_id,resolved,id", "instance_id", "resolved"),
        ("id,value", "id", "value"),
        ("item,id,score,acc", "item", "score"),
        ("task_id,reward,task", "task_id", "reward"),
    ],
)
def test_names_of_columns(tmp_path: Path, header: str, item: str, score: str) -> None:
    names = header.split(",")
    cells = dict.fromkeys(names, "x") | {item: "007", score: "1"} | {"acc": "0"}
    path = write(tmp_path / "m.csv", header, ",".join(cells[n] for n in names))
    assert Log(READER, path).scores() == {"007": 1.0}


def test_known_parts(tmp_path: Path) -> None:
    path = records(
        tmp_path / "r.jsonl",
        {
            "llm": "a",
            "benchmark": "b",
            "qid": 1,
            "score": 0.5,
            "metric": "f1",
            "epoch": 2,
            "cost": 0.25,
            "total_tokens": 7,
            "prompt_tokens": 5,
            "completion_tokens": 2,
            "timestamp": "2026-11-15T00:00:00Z",
            "Level": 3,
            "doc_hash": "830499c8" + 56 * "0",
        },
    )
    row = Log(READER, path).table.data.to_pylist()[0]
    moment = row.pop("timestamp")
    assert moment.isoformat() == "2026-11-15T00:00:00+00:00"
    assert row == {
        "model": "a",
        "task": "b",
        "item": "1",
        "score": 0.5,
        "metric": "f1",
        "run": "2",
        "cost": 0.25,
        "tokens": 7,
        "input_tokens": 5,
        "output_tokens": 2,
        "level": "3",
        "content": 0x830499C800000000,
    }


def test_two_candidates_are_an_error_that_names_both(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", "qid,sample_id,score", "1,x,1")
    with pytest.raises(
        ReadError, match=r"both qid and sample_id could be the item.*{.item.: .qid.}"
    ):
        Log(READER, path)
    assert Log(READER, path, columns=(("item", "sample_id"),)).scores() == {"x": 1.0}


def test_named_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "t.csv", "who,what,how,kind", "a,1,0.5,z")
    given = (("model", "who"), ("item", "what"), ("score", "how"))
    log = Log(READER, path, columns=given, groups=("kind",))
    assert log.table.data.to_pylist() == [
        {"model": "a", "item": "1", "score": 0.5, "task": "", "kind": "z"}
    ]


@pytest.mark.parametrize(
    ("columns", "problem"),
    [
        ((("item", "nope"),), r"no column 'nope' \(for item\)\. Columns found: item, score"),
        (
            (("itm", "item"),),
            r"columns=..itm.: .….}: there is no such part\. .* Use one of: model, task",
        ),
        ((("layout", "tall"),), r"unknown layout 'tall'"),
        ((("layout", "wide"),), r"no score column"),
    ],
)
def test_wrong_options(tmp_path: Path, columns: Any, problem: str) -> None:
    path = write(tmp_path / "m.csv", "item,score", "q,1")
    with pytest.raises(ReadError, match=problem):
        Log(READER, path, columns=columns)


def test_unknown_group_is_an_error_that_lists_the_columns(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", "item,score", "q,1")
    with pytest.raises(ReadError, match=r"no column 'color' \(for group\)\. Columns found: item"):
        Log(READER, path, groups=("color",))


def test_tables_that_cannot_be_guessed_say_what_was_found(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", "item,model,f1,bleu", "q,a,1,0.5")
    found = r"Recognized: model \(model\), item \(item\); 2 columns of numbers .*{.score.: .NAME.}"
    with pytest.raises(ReadError, match=found):
        Log(READER, path)
    path = write(tmp_path / "n.csv", "score,name", "1,x")
    with pytest.raises(
        ReadError, match=r"no item column recognized .*Set columns=..item.: .NAME.}"
    ):
        Log(READER, path)


def test_wide_takes_fractions_only_unless_told(tmp_path: Path) -> None:
    path = write(tmp_path / "w.csv", "id,a,b,year", "q1,1,0,1999", "q2,,0.5,2001")
    log = Log(READER, path)
    assert log.table.models == ("a", "b")
    assert log.source.unscored == 1
    forced = Log(READER, path, columns=(("layout", "wide"),))
    assert forced.table.models == ("a", "b", "year")


def test_index_of_a_data_frame_names_the_items_of_a_wide_table(tmp_path: Path) -> None:
    path = write(tmp_path / "w.csv", ",a,b", "q1,True,False", "q2,False,False")
    assert cells(Log(READER, path))["a", "q1"] == 1.0


@pytest.mark.parametrize(
    "lines", [(",a,b", "0,1,0", "1,0,0"), ("a,b", "1,0", "0,0")], ids=["unnamed index", "no index"]
)
def test_rows_of_a_wide_table_without_ids_are_numbered(
    tmp_path: Path, lines: tuple[str, ...]
) -> None:
    log = Log(READER, write(tmp_path / "w.csv", *lines))
    assert cells(log) == {("a", "0"): 1, ("b", "0"): 0, ("a", "1"): 0, ("b", "1"): 0}


def test_averages_beside_names_are_not_items(tmp_path: Path) -> None:
    path = write(tmp_path / "w.csv", "name,mmlu,gsm8k", "a,0.7,0.6", "b,0.6,0.5")
    with pytest.raises(ReadError, match="no score column"):
        Log(READER, path)


def test_numbers_of_rows_go_on_in_the_next_block(tmp_path: Path) -> None:
    n = (1 << 19) + 1  # more than one block of rows
    path = parquet(tmp_path / "w.parquet", a=pa.repeat(pa.scalar(1, pa.int8()), n), b=[0] * n)
    assert matrices(Log(READER, path).table)[0].shape == (2, n)


def test_models_with_scores_of_different_types(tmp_path: Path) -> None:
    path = parquet(tmp_path / "w.parquet", item=["q", "r"], a=[True, False], b=[0.5, 1])
    scores = {("a", "q"): 1, ("b", "q"): 0.5, ("a", "r"): 0, ("b", "r"): 1}
    assert cells(Log(READER, path)) == scores


@pytest.mark.parametrize(
    "lines",
    [("model,task,score", "a,t,1", "b,t,0"), ("task,a,b", "t,1,0")],
    ids=["long", "wide"],
)
def test_tasks_are_items_where_nothing_else_is(tmp_path: Path, lines: tuple[str, ...]) -> None:
    log = Log(READER, write(tmp_path / "t.csv", *lines))
    assert cells(log) == {("a", "t"): 1, ("b", "t"): 0}
    assert any("each task counts as one item" in note for note in log.source.notes)


def test_same_column_twice(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", "item,score,score", "q,1,0")
    with pytest.raises(ReadError, match="'score' is repeated"):
        Log(READER, path)


def test_fields_of_fields_by_name(tmp_path: Path) -> None:
    several = [
        {"id": k, "score": 1, "meta": {"model": "a", "tags": {"x": 1}, "topic": t}}
        for k, t in enumerate("yz")
    ]
    as_lines = records(tmp_path / "r.jsonl", *several)
    as_parquet = tmp_path / "r.parquet"
    pq.write_table(pa.Table.from_pylist(several), as_parquet)
    for path in (as_lines, as_parquet):
        log = Log(READER, path, columns=(("model", "meta.model"),), groups=("meta.topic",))
        assert log.table.models == ("a",)
        assert log.table.names("meta.topic") == ("y", "z")
        with pytest.raises(ReadError, match="contains lists or objects"):
            Log(READER, path, columns=(("model", "meta"),))


def test_int_and_float_ids_are_digits(tmp_path: Path) -> None:
    path = parquet(tmp_path / "i.parquet", item=[7, 300, -2], score=[True, False, None])
    assert Log(READER, path).scores() == {"7": 1.0, "300": 0.0, "-2": None}
    path = parquet(tmp_path / "f.parquet", item=[7.0, 300.0], score=[1, 0])
    assert Log(READER, path).scores() == {"7": 1.0, "300": 0.0}
    path = parquet(tmp_path / "b.parquet", item=[2**62, -(2**62)], score=[1, 0])
    assert set(Log(READER, path).scores()) == {str(2**62), str(-(2**62))}


def test_large_strings_and_dictionaries(tmp_path: Path) -> None:
    item = pa.array(["a", "b"], pa.large_string())
    model = pa.DictionaryArray.from_arrays(pa.array([0, 0], pa.int8()), pa.array(["m"]))
    score = pa.array([1, 0], pa.int8())
    table = pa.table({"item": item, "model": model, "score": score})
    pq.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, tmp_path / "t.feather")
    with pa.ipc.new_stream(tmp_path / "t.arrow", table.schema) as stream:
        stream.write_table(table)
    for name in ("t.parquet", "t.feather", "t.arrow"):
        assert cells(Log(READER, tmp_path / name)) == {("m", "a"): 1.0, ("m", "b"): 0.0}


def test_blocks_of_a_large_file_fit_together(tmp_path: Path) -> None:
    n = 300_000
    path = parquet(
        tmp_path / "big.parquet",
        model=[f"m{k % 3}" for k in range(n)],
        item=[k // 3 for k in range(n)],
        score=[float(k % 2) for k in range(n)],
        prompt=[f"q{k // 3 % 1000}" for k in range(n)],
    )
    table = Log(READER, path).table
    assert len(table) == n
    assert len(table.names("item")) == n // 3
    last = table.data.slice(n - 1).to_pylist()[0]
    assert (last["item"], last["content"]) == (str(n // 3 - 1), content_key("q999"))


def test_percentages_are_remarked_on(tmp_path: Path) -> None:
    path = write(tmp_path / "m.csv", "item,score", "q1,50", "q2,71.5")
    assert "scores look like percentages" in Log(READER, path).source.notes[-1]
    path = write(tmp_path / "m.csv", "item,score", "q1,-5", "q2,71.5")
    assert len(Log(READER, path).source.notes) == 1


needs_data = pytest.mark.skipif(not DATA.exists(), reason="larger data are not at hand")


@needs_data
def test_mmlu_pro_of_29_models() -> None:
    log = Log(READER, DATA / "mmlu_pro.parquet")
    assert len(log.table) == 347_215
    assert (len(log.table.models), len(log.table.names("item"))) == (29, 12_032)
    assert log.table.groups == ("subject", "source")
    assert (len(log.table.names("subject")), len(log.table.names("source"))) == (14, 91)
    assert log.source.notes == ("ignored columns: pred, answer",)
    matrix = matrices(log.table)[0]
    bare = pq.read_table(DATA / "mmlu_pro.parquet", columns=["model", "score"])
    for one in bare.group_by("model").aggregate([("score", "mean")]).to_pylist():
        row = matrix.row(one["model"])
        assert row[matrix.present(one["model"])].mean() == pytest.approx(one["score_mean"])


@needs_data
def test_graded_scores_and_runs() -> None:
    graded = Log(READER, DATA / "alpaca_eval_2.parquet").table
    assert (len(graded), len(graded.models), len(graded.names("item"))) == (46_680, 58, 805)
    runs = Log(READER, DATA / "tau_bench_airline_gpt4o.parquet").table
    assert runs.names("run") == ("0", "1", "2", "3")
    matrix = matrices(runs)[0]
    assert matrix.row(0).mean() == pytest.approx(0.42)
    assert set(matrix.runs(0).tolist()) == {4}  # type: ignore[union-attr]
