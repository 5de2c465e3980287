"""Scores written as Every Eval Ever records: read back, checked, and safe from their names."""

import json
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from helpers.logs import FIXTURES, Log
from nstar._data.export.every_eval_ever import write_eee
from nstar._data.export.files import NewFile, path_part
from nstar._data.table import Source, Table
from nstar.errors import DataError
from nstar.readers.every_eval_ever import READER
from nstar.readers.promptfoo import READER as PROMPTFOO
from nstar.stats import t_interval, wilson_interval


def table(**more: Any) -> Table:
    columns: dict[str, Any] = {
        "model": ["acme/a"] * 6 + ["acme/b"] * 6,
        "task": ["t"] * 12,
        "item": ["1", "2", "3", "4", "5", "6"] * 2,
        "score": [1, 0, 1, 1, 1, 0, 0.5, 0.25, 1, 0, 0.75, None],
        "content": list(range(1, 7)) * 2,
        "subject": ["x", "x", "x", "y", "y", None] * 2,
    }
    source = Source(path="log", reader="r", harness="lm-eval 0.4.13", lower_is_better=("loss",))
    return Table.from_columns(columns | more, sources=[source])


def written(scores: Table, folder: Path, **more: Any) -> dict[str, Any]:
    """Aggregates by model."""
    paths = write_eee(scores, folder, version="1.2", retrieved=7.0, **more)
    aggregates = [json.loads(p.read_text("utf-8")) for p in paths if p.suffix == ".json"]
    return {a["model_info"]["id"]: a for a in aggregates}


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    ours = Log(PROMPTFOO, FIXTURES / "promptfoo" / "out.json").table
    write_eee(ours, tmp_path, version="1.2")
    log = Log(READER, tmp_path)
    names = ["model", "task", "item", "metric", "run", "score", "content", "template"]
    back = {tuple(r[n] for n in names) for r in log.table.data.to_pylist()}
    assert back == {tuple(r[n] for n in names) for r in ours.data.to_pylist()}
    assert len(log.table) == len(ours)
    assert all(s.mismatches == {} for s in log.table.sources)
    assert log.table.sources[0].harness == "promptfoo 0.123.1"


def test_uncertainty_of_counts_and_of_graded_scores(tmp_path: Path) -> None:
    found = written(table(), tmp_path)
    (counts,) = found["acme/a"]["evaluation_results"]
    assert counts["score_details"]["score"] == pytest.approx(4 / 6)
    uncertainty = counts["score_details"]["uncertainty"]
    low, high = wilson_interval(4, 6)
    assert uncertainty["confidence_interval"] == {
        "lower": pytest.approx(float(low)),
        "upper": pytest.approx(float(high)),
        "confidence_level": 0.95,
        "method": "Wilson score",
    }
    sd = np.std([1, 0, 1, 1, 1, 0], ddof=1)
    assert uncertainty["standard_deviation"] == pytest.approx(sd)
    assert uncertainty["standard_error"]["value"] == pytest.approx(sd / 6**0.5)
    assert uncertainty["num_samples"] == 6
    assert counts["metric_config"]["score_type"] == "binary"

    (graded,) = found["acme/b"]["evaluation_results"]
    scores = [0.5, 0.25, 1, 0, 0.75]
    limits = graded["score_details"]["uncertainty"]["confidence_interval"]
    low, high = t_interval(np.mean(scores), np.std(scores, ddof=1), 5)
    assert (limits["lower"], limits["upper"]) == pytest.approx((float(low), float(high)))
    assert limits["method"] == "Student t"
    assert "score_type" not in graded["metric_config"]
    assert graded["score_details"]["details"]["unscored_rows"] == "1"


@pytest.mark.parametrize("right", [1, 7, 29, 49])
def test_counts_of_any_size(tmp_path: Path, right: int) -> None:
    scores = [1] * right + [0] * (49 - right)  # 49 · (1 / 49) is not 1 in floating point
    one = Table.from_columns(model=["m"] * 49, item=range(49), score=scores)
    details = written(one, tmp_path)["m"]["evaluation_results"][0]["score_details"]
    low, _ = wilson_interval(right, 49)
    assert details["uncertainty"]["confidence_interval"]["lower"] == pytest.approx(float(low))


def test_runs_are_averaged_within_items(tmp_path: Path) -> None:
    runs = {"item": ["1", "1", "1", "2"], "run": ["1", "2", "3", "1"], "score": [1, 1, 0, 0]}
    scores = Table.from_columns(runs, model=["m"] * 4)
    details = written(scores, tmp_path)["m"]["evaluation_results"][0]["score_details"]
    assert details["score"] == pytest.approx(1 / 3)
    assert details["uncertainty"]["num_samples"] == 2
    assert details["uncertainty"]["confidence_interval"]["method"] == "Student t"


def test_one_item_has_no_standard_error(tmp_path: Path) -> None:
    one = Table.from_columns(model=["a", "b"], item=[1, 1], score=[1, 0.5])
    found = written(one, tmp_path)
    parts = [found[m]["evaluation_results"][0]["score_details"]["uncertainty"] for m in "ab"]
    assert parts[0].keys() == {"num_samples", "confidence_interval"}
    assert parts[1].keys() == {"num_samples"}


def test_the_aggregate_points_to_its_samples(tmp_path: Path) -> None:
    for aggregate in written(table(), tmp_path).values():
        detail = aggregate["detailed_evaluation_results"]
        data = (tmp_path / detail["file_path"]).read_bytes()
        assert sha256(data).hexdigest() == detail["checksum"]
        lines = [json.loads(line) for line in data.splitlines()]
        assert len(lines) == detail["total_rows"]
        assert {line["evaluation_id"] for line in lines} == {aggregate["evaluation_id"]}


def test_the_same_scores_have_the_same_names(tmp_path: Path) -> None:
    def files(scores: Table, when: float) -> list[Path]:
        return write_eee(scores, tmp_path, version="1", retrieved=when)

    first = files(table(), 1)
    before = [p.read_bytes() for p in first]
    assert files(table(), 2) == first
    assert [p.read_bytes() for p in first] != before
    assert [p.read_bytes() for p in files(table(), 1)] == before
    assert files(table(item=["1", "2", "3", "4", "5", "7"] * 2), 1) != first
    there = [p for p in tmp_path.rglob("*") if p.is_file()]
    assert len(there) == 6  # the last item of b has no score


def test_metrics_and_their_direction(tmp_path: Path) -> None:
    scores = table(metric=["acc", "loss"] * 6)
    found = written(scores, tmp_path)["acme/a"]
    lower = {
        r["evaluation_result_id"]: r["metric_config"]["lower_is_better"]
        for r in found["evaluation_results"]
    }
    assert lower == {"acc": False, "loss": True}
    assert found["eval_library"] == {"name": "lm-eval", "version": "0.4.13"}
    assert found["source_metadata"]["source_organization_name"] == "unknown"
    assert found["source_metadata"]["evaluator_relationship"] == "other"


HOSTILE = ["../../evil", "/etc/passwd", "..", ".", "", "a/../..", "\0", "CON", "x" * 500, "é/ü"]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_never_lead_out_of_the_directory(tmp_path: Path, name: str) -> None:
    root = tmp_path / "in" / "side"
    scores = Table.from_columns(model=[name] * 2, task=[name] * 2, item=[1, 2], score=[1, 0])
    for path in write_eee(scores, root, version="1"):
        assert path.resolve().is_relative_to(root.resolve())
        assert len(path.relative_to(root).parts) == 5
    outside = [p for p in tmp_path.rglob("*") if not p.is_relative_to(tmp_path / "in")]
    assert outside == []
    if name:
        assert Log(READER, root).table.models == (name,)


@pytest.mark.parametrize("name", [*HOSTILE, "data", "nul.txt", "trailing.", "a b", "-"])
def test_parts_of_paths(name: str) -> None:
    part = path_part(name)
    assert part.isascii()
    assert 0 < len(part) <= 100
    assert not {"/", "\\", ":", "\0", " "} & set(part)
    assert ".." not in part
    assert part not in {".", "data"}
    assert part[0] != "."
    assert part.split(".")[0].lower() not in {"con", "nul"}


def test_altered_names_stay_apart() -> None:
    names = ["a b", "a\tb", "a?b", "x" * 101, "x" * 102]
    assert len({path_part(n) for n in names}) == len(names)
    assert path_part("Llama-3.1_8B") == "Llama-3.1_8B"


def test_links_are_not_followed(tmp_path: Path) -> None:
    root, elsewhere = tmp_path / "root", tmp_path / "elsewhere"
    root.mkdir()
    elsewhere.mkdir()
    (root / "data").symlink_to(elsewhere)
    with pytest.raises(DataError, match="link"):
        write_eee(table(), root, version="1")
    assert list(elsewhere.iterdir()) == []


def test_a_file_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with NewFile(tmp_path) as file:
        file.write(b"half")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(DataError, match="Cannot write"), NewFile(tmp_path / "absent"):
        pass
    (tmp_path / "file").write_text("x")
    with pytest.raises(DataError, match="Cannot create"):
        write_eee(table(), tmp_path / "file", version="1")


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="not finite"):
        write_eee(table(score=[np.inf] * 12), tmp_path, version="1")
    assert write_eee(table(score=[None] * 12), tmp_path, version="1") == []


def validator() -> ModuleType:
    return pytest.importorskip(
        "every_eval_ever.validator.validation_core", reason="every-eval-ever is not installed"
    )


def test_the_format_s_own_validator_accepts_it(tmp_path: Path) -> None:
    core = validator()
    ours = Log(PROMPTFOO, FIXTURES / "promptfoo" / "out.json").table
    hostile = Table.from_columns(model=HOSTILE, task=HOSTILE, item=HOSTILE, score=[1] * 10)
    paths = [p for t in (ours, table(), hostile) for p in write_eee(t, tmp_path, version="1")]
    files = {p.relative_to(tmp_path).as_posix(): p for p in paths}
    for name, path in files.items():
        report = core.validate_file(
            path,
            repo_path=name,
            available_files=frozenset(files),
            read_repo_file=lambda n: files[n].read_text("utf-8"),
            run_semantic_checks=True,
        )
        assert report.errors == []
        assert report.valid
