"""evalplus, BigCodeBench and LiveCodeBench: samples of programs are runs."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, Log, attack, copy, edit, rows
from nstar._data.align import matrices
from nstar._data.matrix import ScoreMatrix
from nstar.errors import ReadError
from nstar.readers import evalplus, livecodebench
from nstar.readers._files import Place

EVALPLUS = FIXTURES / "evalplus"
BIGCODE = FIXTURES / "bigcodebench"
LIVECODE = FIXTURES / "livecodebench"
ALL = "Scenario.codegeneration_3_0.2_eval_all.json"


def means(matrix: ScoreMatrix) -> dict[str, float]:
    return {model: float(matrix.row(model).mean()) for model in matrix.models}


def write(path: Path, samples: Any, **more: Any) -> Path:
    path.write_text(json.dumps({"date": "d", "eval": {"HumanEval/0": samples}, **more}), "utf-8")
    return path


def sample(**more: Any) -> dict[str, Any]:
    return {"task_id": "HumanEval/0", "solution": "", "base_status": "pass", **more}


def test_pass_at_1_is_what_evalplus_printed() -> None:
    found = {m.metric: means(m) for m in matrices(Log(evalplus.READER, EVALPLUS).table)}
    assert found["base"] == {"acme/alpha": 0.75, "acme/beta": 0.5}
    assert found["plus"] == {"acme/alpha": 0.5, "acme/beta": 0.4375}


def test_samples_of_evalplus_are_runs_and_the_hash_is_checked(tmp_path: Path) -> None:
    log = Log(evalplus.READER, EVALPLUS)
    assert log.table.names("run") == ("1", "2")
    assert {s.task for s in log.table.sources} == {"humaneval"}
    for source in log.table.sources:
        assert source.settings.keys() == {"backend", "temperature", "dataset"}
    root = copy(EVALPLUS, tmp_path / "x")
    edit(root / "humaneval" / "acme--beta_openai_temp_0.8_eval_results.json", hash="other")
    base = matrices(Log(evalplus.READER, root).table)[0]
    assert base.alignment.content_differs == 8


def test_plus_needs_base_and_base_only_has_no_plus(tmp_path: Path) -> None:
    several = [sample(plus_status="pass"), sample(base_status="fail", plus_status="pass")]
    path = write(tmp_path / "m.eval_results.json", several)
    found = [r["score"] for r in rows(Log(evalplus.READER, path).table, metric="plus")]
    assert found == [1.0, 0.0]
    path = write(tmp_path / "m.eval_results.json", [sample(plus_status=None)])
    log = Log(evalplus.READER, path)
    assert {r["metric"] for r in rows(log.table)} == {"base"}
    assert log.table.models == ("m",)


def test_other_temperatures_of_a_model_are_told_apart(tmp_path: Path) -> None:
    for heat in ("0.0", "0.8"):
        write(tmp_path / f"m_vllm_temp_{heat}.eval_results.json", [sample()])
    assert len(Log(evalplus.READER, tmp_path).table.models) == 2


def test_pass_at_1_of_bigcodebench_is_its_own() -> None:
    log = Log(evalplus.READER, BIGCODE)
    (matrix,) = matrices(log.table)
    assert (matrix.task, matrix.metric) == ("bigcodebench-instruct", "pass")
    for source in log.table.sources:
        assert source.aggregates["pass"] == means(matrix)[str(source.model)]
        assert source.mismatches == {}
        assert source.harness == "BigCodeBench"


@pytest.mark.parametrize(
    ("samples", "words"),
    [
        ([sample(base_status=7)], "HumanEval/0, sample 1: base_status is 7; .*Evaluate again"),
        ([sample(plus_status=[1])], r"plus_status is \[1\]"),
        ([{"task_id": "HumanEval/0", "status": None}], "status is null"),
        ([sample(), {"task_id": "HumanEval/0"}], "sample 2: status is null"),
        ([sample(), "x"], "Expected `object`"),
    ],
)
def test_wrong_statuses(tmp_path: Path, samples: Any, words: str) -> None:
    path = write(tmp_path / "m_eval_results.json", samples)
    with pytest.raises(ReadError, match=words) as error:
        Log(evalplus.READER, tmp_path)
    assert str(path.parent) in str(error.value)


def test_pass_at_1_of_livecodebench_is_its_own() -> None:
    log = Log(livecodebench.READER, LIVECODE)
    (matrix,) = matrices(log.table)
    assert matrix.task == "livecodebench_codegeneration"
    for source in log.table.sources:
        kept = json.loads((Path(source.path).parent / ALL).read_text("utf-8"))
        theirs = sum(row["pass@1"] for row in kept) / len(kept)
        ours = means(matrix)[str(source.model)]
        assert ours == pytest.approx(theirs) == pytest.approx(source.aggregates["pass"])
        assert source.mismatches == {}
    assert log.table.names("run") == ("1", "2", "3")
    assert set(log.table.groups) == {"contest_date", "difficulty", "platform"}


def test_other_question_under_the_same_id_is_found(tmp_path: Path) -> None:
    root = copy(LIVECODE, tmp_path / "x")
    path = root / "output" / "Beta" / ALL
    path.write_text(path.read_text("utf-8").replace("add 3 to", "add three to"), "utf-8")
    (matrix,) = matrices(Log(livecodebench.READER, root).table)
    assert matrix.alignment.content_differs == 1


def test_other_scenarios_are_not_read() -> None:
    head = b'[{"question_id": 1, "question_content": "", "contest_date": "", "test_id": 0, '
    head += b'"graded_list": [true]'
    assert livecodebench.READER.sniff(Place("x_eval_all.json"), head) is None


@pytest.mark.parametrize("graded", [None, [], "x", [1, 0], [True, None], {"0": True}])
def test_verdicts_that_are_none(tmp_path: Path, graded: Any) -> None:
    root = copy(LIVECODE, tmp_path / "x")
    path = root / "output" / "Beta" / ALL
    kept = json.loads(path.read_text("utf-8"))
    kept[2]["graded_list"] = graded
    path.write_text(json.dumps(kept), "utf-8")
    with pytest.raises(ReadError, match=r"3002: graded_list is .*Evaluate again") as error:
        Log(livecodebench.READER, root)
    assert f"{path.as_posix()}:3" in str(error.value).replace("\\", "/")


def test_packed_and_strange_names_of_tasks(tmp_path: Path) -> None:
    path = write(tmp_path / "m_eval_results.json", [sample()])
    (tmp_path / "p").mkdir()
    packed = tmp_path / "p" / "m_eval_results.json.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    log = Log(evalplus.READER, packed)
    assert (log.table.models, log.source.task) == (("m",), "humaneval")
    path.write_bytes(path.read_bytes().replace(b"HumanEval", b"Human\xff"))
    with pytest.raises(ReadError, match=r"m_eval_results\.json"):
        Log(evalplus.READER, path)


def test_hostile_code_benchmarks(tmp_path: Path) -> None:
    kept = json.loads((LIVECODE / "output" / "Beta" / ALL).read_text("utf-8"))[0]
    used = ("question_id", "question_content", "contest_date", "difficulty", "graded_list")
    (tmp_path / "l").mkdir()
    path = tmp_path / "l" / ALL
    path.write_text(json.dumps([{key: kept[key] for key in used}]), "utf-8")
    assert attack(livecodebench.READER, path.parent, path) == []
    (tmp_path / "e").mkdir()
    path = write(tmp_path / "e" / "m_eval_results.json", [sample(plus_status="fail")], hash="h")
    means = path.with_name("m_pass_at_k.json")
    means.write_text('{"pass@1": 1, "split": "instruct"}', "utf-8")
    assert attack(evalplus.READER, path.parent, path) == []
    assert attack(evalplus.READER, path.parent, means) == []
