"""MMLU-Pro's own outputs: files, folders and zips; letters that were not found."""

import json
import shutil
import zipfile
from pathlib import Path
from typing import Any

import pytest

import nstar
from helpers.commands import Command
from helpers.logs import FIXTURES, Log, attack, rows
from nstar._data.align import matrices
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers.mmlu_pro import READER

RUNS = FIXTURES / "mmlu_pro"
FILE = RUNS / "model_outputs_Acme-7B_5shots.json"


def record(number: Any = 1, pred: Any = "A", **more: Any) -> dict[str, Any]:
    whole = {"question_id": number, "question": "Why?", "options": ["x", "y"], "answer": "A"}
    return {**whole, "answer_index": 0, "category": "law", "src": "s", "pred": pred, **more}


def write(folder: Path, *records: Any, name: str = "model_outputs_m_0shots.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(records), "utf-8")
    return path


def test_file_and_folder() -> None:
    log = Log(READER, RUNS)
    assert log.table.models == ("gpt-x", "Acme-7B")
    assert log.table.tasks == ("mmlu_pro",)
    assert log.table.groups == ("subject", "source")
    assert log.table.names("subject") == ("law", "math")
    raw = json.loads(FILE.read_text("utf-8"))
    expected = {str(r["question_id"]): float(r["pred"] == r["answer"]) for r in raw}
    assert log.scores(model="Acme-7B") == expected
    matrix = matrices(log.table)[0]
    assert matrix.shape == (2, 12)
    assert matrix.alignment.content_differs == 0


def test_records_that_are_not_objects_are_counted(tmp_path: Path) -> None:
    log = Log(READER, write(tmp_path, record(1), "is truncated", record(2, "B"), None))
    assert log.scores() == {"1": 1, "2": 0}
    assert log.source.dropped == {"records that are not objects": 2}


def test_letters_that_were_not_found_score_zero() -> None:
    log = Log(READER, FILE)
    assert log.scores()["104"] == log.scores()["109"] == 0.0
    assert log.source.notes == (
        "2 answers contain no letter and score 0; the summaries of MMLU-Pro guess there",
    )
    assert log.source.settings == {"few-shot": "5"}
    assert log.source.aggregates == {}


def test_mean_is_that_of_the_summaries(tmp_path: Path) -> None:
    log = Log(READER, RUNS / "gpt-x")
    totals = [json.loads(p.read_text("utf-8"))["total"] for p in RUNS.glob("gpt-x/*_summary.json")]
    right = sum(t["corr"] for t in totals)
    assert log.source.aggregates == {"acc": right / 12}
    assert log.source.mismatches == {}
    assert log.source.items == 12
    shutil.copytree(RUNS / "gpt-x", tmp_path / "gpt-x")
    (tmp_path / "gpt-x" / "law_summary.json").write_text('{"total": {"corr": 6, "wrong": 0}}')
    assert set(Log(READER, tmp_path).source.mismatches) == {"acc"}


def test_local_runs_name_the_model_above_the_method(tmp_path: Path) -> None:
    folder = tmp_path / "results" / "Qwen-7B" / "CoT" / "all"
    folder.mkdir(parents=True)
    write(folder, record(1), name="law.json")
    write(folder, record(2, pred="B"), name="math.json")
    log = Log(READER, tmp_path)
    assert log.source.model == "Qwen-7B"
    assert log.scores() == {"1": 1.0, "2": 0.0}


def test_zip(tmp_path: Path) -> None:
    path = tmp_path / "model_outputs_Acme-7B_5shots.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.write(FILE, FILE.name)
        archive.writestr(f"__MACOSX/._{FILE.name}", "{")
    assert Log(READER, path).scores() == Log(READER, FILE).scores()


@pytest.mark.parametrize(
    ("bad", "problem"),
    [
        (record(None), "question_id is null; expected a number or text"),
        (record(True), "question_id is true"),
        (record(answer=3), "answer is 3; expected a letter"),
        (record(pred=["A"]), r'pred is \["A"\]; expected a letter'),
        ({k: v for k, v in record().items() if k != "pred"}, "has no 'pred'"),
    ],
)
def test_bad_records(tmp_path: Path, bad: Any, problem: str) -> None:
    path = write(tmp_path, record(1), bad)
    with pytest.raises(ReadError, match=rf"shots\.json:2: {problem}"):
        Log(READER, path)
    assert Log(READER, path, skip_bad=1).scores() == {"1": 1.0}


def test_options_filled_up_with_nothing_are_the_same_question(tmp_path: Path) -> None:
    path = write(tmp_path, record(1, options=["x", "y", "N/A"]), record(2, options=["y", "x"]))
    write(tmp_path, record(1), name="model_outputs_n_0shots.json")
    table = Log(READER, path.parent).table
    content = {(r["model"], r["item"]): r["content"] for r in rows(table)}
    assert content["m", "1"] == content["n", "1"] != content["m", "2"]


def test_roles() -> None:
    def role(path: Path) -> str | None:
        return READER.sniff(Place(str(path)), path.read_bytes()[:65536])

    assert role(FILE) == "log"
    assert role(RUNS / "gpt-x" / "law_summary.json") == "companion"
    assert role(FIXTURES / "tabular" / "records.json") is None


def test_strange_values(tmp_path: Path) -> None:
    path = write(tmp_path, record(1), record(2))
    assert attack(READER, tmp_path, path) == []


@pytest.mark.parametrize(
    ("name", "model", "shots"),
    [
        ("arx_0314_5shots.json.zip", "arx_0314", "5"),
        ("opus_2shots_00_37_14.zip", "opus", "2"),
        ("gemini-3.1-pro_5-shots.zip", "gemini-3.1-pro", "5"),
        ("gpt4o(2024-05-13)_5shots.zip", "gpt4o(2024-05-13)", "5"),
        ("m.zip", "m", None),
    ],
)
def test_names_of_published_zips(tmp_path: Path, name: str, model: str, shots: str | None) -> None:
    path = tmp_path / f"model_outputs_{name}"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("outputs.json", json.dumps([record(1)]))
    source = Log(READER, path).source
    assert (source.model, source.settings.get("few-shot")) == (model, shots)


@pytest.fixture
def eval_results(tmp_path: Path) -> Path:
    """One zip for each model, as in the repository; one holds texts, and one is cut off."""
    folder = tmp_path / "eval_results"
    folder.mkdir()
    for shift, model in enumerate(("Yi-34B", "gemma-7b", "jamba-1.5-large", "mathstral-7B")):
        records: list[Any] = [record(k, "AB"[(k * 7 + shift) % 5 < shift]) for k in range(60)]
        if model == "Yi-34B":
            records[20:20] = ["error"] * 43
        name = f"model_outputs_{model}_5shots"
        with zipfile.ZipFile(folder / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{name}.json", json.dumps(records))
    damaged = folder / "model_outputs_gemma-7b_5shots.zip"
    damaged.write_bytes(damaged.read_bytes()[:-100])
    shutil.copy(damaged, folder / "model_outputs_gemma-7b_0shots.zip")
    return folder


def test_a_damaged_zip_of_an_excluded_model_is_not_read(eval_results: Path) -> None:
    path = str(eval_results)
    answer = Command("audit").answer(path, "--exclude", "gemma-7b")
    names = sorted(m["model"] for m in answer["ranking"])
    assert names == ["Yi-34B", "jamba-1.5-large", "mathstral-7B"]
    assert [m["n_items"] for m in answer["ranking"]] == [60, 60, 60]
    notes = [finding["text"] for finding in answer["findings"]]
    assert any("43 values excluded: records that are not objects" in note for note in notes)
    assert not any("gemma" in note for note in notes)
    with pytest.raises(ReadError, match="gemma-7b"):
        nstar.audit(path)


def test_models_that_are_not_selected_are_not_read(eval_results: Path) -> None:
    path = str(eval_results)
    selected = nstar.audit(path, models=["Yi*", "jamba*", "mathstral*"])
    assert nstar.audit(path, exclude="gemma*") == selected
    pair = nstar.compare(f"{path}::Yi-34B", f"{path}::jamba-1.5-large")
    assert pair.models == ("Yi-34B", "jamba-1.5-large")
