"""MTEB results: one score per task, and the reader says so."""

import json
from pathlib import Path
from typing import Any

import pytest

from helpers.logs import FIXTURES, SHARED, Log, attack, copy, rows
from nstar._data.align import matrices
from nstar.errors import ReadError
from nstar.readers._files import Place
from nstar.readers.mteb import READER

RESULTS = FIXTURES / "mteb"


def write(path: Path, scores: Any, **more: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = {"dataset_revision": "r", "task_name": path.stem, "mteb_version": "2", **more}
    path.write_text(json.dumps({**whole, "scores": scores}), "utf-8")
    return path


def score(value: Any, subset: str = "default", **more: Any) -> dict[str, Any]:
    return {"main_score": value, "hf_subset": subset, **more}


@pytest.mark.parametrize("root", [RESULTS, SHARED / "mteb"])
def test_scores_are_the_main_scores(root: Path) -> None:
    if not root.exists():
        pytest.skip("larger logs are not at hand")
    log = Log(READER, root / "results", root / "pred")
    assert log.table.models == ("toy/hash64", "toy/hash8")
    for model in log.table.models:
        folder = root / "results" / model.replace("/", "__") / "r1"
        for task, metric in (("MiniClf", "accuracy"), ("MiniRet", "ndcg_at_10")):
            kept = json.loads((folder / f"{task}.json").read_text("utf-8"))["scores"]["test"][0]
            ours = log.scores(model=model)[f"{task}/test/default"]
            assert ours == kept["main_score"] == pytest.approx(kept[metric], abs=1e-6)
    assert log.journal.notes == []  # predictions and settings are known, though of no use


def test_tasks_are_the_items_and_the_log_says_so() -> None:
    log = Log(READER, RESULTS)
    (matrix,) = matrices(log.table)
    assert (matrix.task, matrix.metric, len(matrix.items)) == ("MTEB", "main_score", 2)
    assert log.table.groups == ("dataset", "language")
    for source in log.table.sources:
        assert source.settings == {"level": "task"}
        assert "N is the number of tasks" in source.notes[0]
        assert source.harness == "mteb 2.26.24"
        assert source.dropped == {"scores_per_experiment: resampled training sets, not items": 1}


def test_splits_and_subsets_are_items_of_one_dataset(tmp_path: Path) -> None:
    two = [score(0.5, "de", languages=["deu-Latn"]), score(0.7, "en", languages=None)]
    write(tmp_path / "m" / "r" / "T.json", {"dev": two, "test": [score(float("nan"))]})
    table = Log(READER, tmp_path).table
    assert [(r["item"], r["score"]) for r in rows(table)] == [
        ("T/dev/de", 0.5),
        ("T/dev/en", 0.7),
        ("T/test/default", None),
    ]
    assert table.names("dataset") == ("T",)
    assert table.names("language") == ("deu-Latn",)


def test_other_revision_of_the_dataset_is_other_content(tmp_path: Path) -> None:
    write(tmp_path / "a" / "r" / "T.json", {"test": [score(0.5)]})
    write(tmp_path / "b" / "r" / "T.json", {"test": [score(0.6)]}, dataset_revision="s")
    (matrix,) = matrices(Log(READER, tmp_path).table)
    assert matrix.alignment.by_content or matrix.alignment.content_differs == 1


def test_model_from_the_folder_when_nothing_else_tells(tmp_path: Path) -> None:
    write(tmp_path / "org__name__x" / "r" / "T.json", {"test": [score(1)]})
    assert Log(READER, tmp_path).table.models == ("org/name__x",)


def test_revisions_of_a_model_are_models_of_their_own(tmp_path: Path) -> None:
    write(tmp_path / "m" / "r1" / "T.json", {"test": [score(0.5)]})
    write(tmp_path / "m" / "r2" / "T.json", {"test": [score(0.6)]})
    log = Log(READER, tmp_path)
    assert log.table.models == ("m@r1", "m@r2")
    assert "each revision" in log.journal.notes[0]


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({"test": [{"accuracy": 1}]}, "no main_score"),
        ({"test": ["x"]}, "no main_score"),
        ({"test": 1}, "Expected `array`"),
        ([], "Expected `object`"),
        ({"test": [score(float("-inf"))]}, "finite"),
    ],
)
def test_wrong_values(tmp_path: Path, scores: Any, words: str) -> None:
    path = write(tmp_path / "m" / "r" / "T.json", scores)
    with pytest.raises(ReadError, match=words) as error:
        Log(READER, tmp_path)
    assert path.as_posix() in str(error.value).replace("\\", "/")


def test_main_score_that_is_no_number_is_left_out(tmp_path: Path) -> None:
    write(tmp_path / "m" / "r" / "T.json", {"test": [score(None), score(0.5, "en")]})
    assert Log(READER, tmp_path).source.dropped == {"metric main_score is null": 1}


def test_hostile_results(tmp_path: Path) -> None:
    folder = copy(RESULTS, tmp_path / "x") / "results" / "toy__hash8" / "r1"
    root = folder.parent  # what other models have there would be read again each time
    path = write(folder / "T.json", {"test": [score(0.5, languages=["eng-Latn"])]})
    assert attack(READER, root, path) == []
    assert attack(READER, root, folder / "model_meta.json") == []


def test_truncated_and_other_files(tmp_path: Path) -> None:
    path = write(tmp_path / "m" / "r" / "T.json", {"test": [score(0.5)]})
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(ReadError, match="truncated"):
        Log(READER, tmp_path)
    for name, head in (("a.json", b"[]"), ("a.json", b'{"task": 1}'), ("model_meta.json", b"")):
        assert READER.sniff(Place(name), head) is None
