"""Items on a site: published if asked for, those of the audit, and only names."""

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers.boards import board, scores
from helpers.nasty import NASTY
from helpers.sites import audited, change, copy_audit, files, leaderboard
from nstar._verbs.audit.item_answers import STEPS, keep_answers
from nstar.errors import DataError
from nstar.report.site import build
from nstar.report.site._names import model_ids


def _home(tmp_path: Path, **options: Any) -> Path:
    build([str(tmp_path / "audit")], str(tmp_path / "site"), items=True, **options)
    return next((tmp_path / "site" / "b").iterdir())


def _answers(home: Path, name: str) -> bytes:
    (id_,) = model_ids([name])
    (path,) = home.glob(f"answers-*/{id_}.bin")
    return zlib.decompress(path.read_bytes())


def test_items_are_published_only_if_asked_for(tmp_path: Path) -> None:
    copy_audit(tmp_path / "audit", leaderboard())
    assert (tmp_path / "audit" / "items.json").exists()
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    there = files(tmp_path / "site")
    assert not [place for place in there if "items-" in place or "answers-" in place]
    home = _home(tmp_path)
    assert len(list(home.glob("answers-*/*.bin"))) == 7
    build([str(tmp_path / "audit")], str(tmp_path / "site"))
    assert files(tmp_path / "site") == there, "what is no longer asked for is gone"


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_bits_are_the_scores(tmp_path: Path, missing: float) -> None:
    matrix = leaderboard(missing=missing)
    copy_audit(tmp_path / "audit", matrix)
    home = _home(tmp_path)
    for name in matrix.models:
        raw, half = _answers(home, name), 19
        right, there = (
            np.unpackbits(np.frombuffer(part, np.uint8), count=150, bitorder="little")
            for part in (raw[:half], raw[half:])
        )
        row = matrix.row(name)
        assert (there == ~np.isnan(row)).all()
        assert (right == (row == 1)).all()


def test_steps_are_the_graded_scores(tmp_path: Path) -> None:
    matrix = leaderboard(graded=True, missing=0.2)
    found = copy_audit(tmp_path / "audit", matrix)
    home = _home(tmp_path)
    low, high = found.score_range
    for name in matrix.models:
        steps = np.frombuffer(_answers(home, name), "<u2")
        row = matrix.row(name)
        assert ((steps > STEPS) == np.isnan(row)).all()
        near = low + (high - low) * steps[steps <= STEPS] / STEPS
        assert near == pytest.approx(row[~np.isnan(row)], abs=(high - low) / STEPS)


def test_ids_and_groups_are_those_of_the_scores(tmp_path: Path) -> None:
    matrix = leaderboard()
    copy_audit(tmp_path / "audit", matrix)
    (path,) = _home(tmp_path).glob("items-*.bin")
    named = json.loads(zlib.decompress(path.read_bytes()))
    assert named["ids"] == list(matrix.items)
    (group,) = named["groups"]
    assert group["column"] == "s"
    assert group["codes"] == matrix.groups["s"].codes.tolist()
    assert group["labels"] == [*matrix.groups["s"].labels, "–"]


def test_ids_are_only_names(tmp_path: Path) -> None:
    ids = list(NASTY.values())
    x = scores(3, models=3, items=len(ids))
    copy_audit(tmp_path / "audit", board(x, models=list("abc"), items=ids, task="t"))
    (path,) = _home(tmp_path).glob("items-*.bin")
    assert json.loads(zlib.decompress(path.read_bytes()))["ids"] == ids


def test_too_many_scores_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for limit in ("_MOST_CELLS", "_MOST_LETTERS"):
        with monkeypatch.context() as patched:
            patched.setattr(f"nstar._verbs.audit.item_answers.{limit}", 100)
            found = audited(tmp_path / limit, leaderboard())
            assert not keep_answers(found, str(tmp_path / limit))
        build([str(tmp_path / limit)], str(tmp_path / "site"), items=True)
        page = (tmp_path / "site/b/some-task/compare.html").read_text()
        assert '"items":null' in page


WRONG: dict[str, dict[str, Any]] = {
    "fewer": {"items": ["a"]},
    "no names": {"items": list(range(150))},
    "no list": {"items": "a" * 150},
    "no groups": {"groups": {}},
    "a group without codes": {"groups": [{"column": "s", "labels": ["a"]}]},
    "codes beyond labels": {"groups": [{"column": "s", "labels": ["a"], "codes": [1] * 150}]},
    "codes that are truth values": {
        "groups": [{"column": "s", "labels": ["a"], "codes": [False] * 150}]
    },
    "labels that are no names": {"groups": [{"column": "s", "labels": [{}], "codes": [0] * 150}]},
    "another schema": {"schema": "nstar.items/2"},
}


@pytest.mark.parametrize("values", WRONG.values(), ids=WRONG)
def test_items_that_are_not_those_of_the_audit(tmp_path: Path, values: dict[str, Any]) -> None:
    copy_audit(tmp_path / "audit", leaderboard())
    change(tmp_path / "audit", "items.json", **values)
    with pytest.raises(DataError, match=r"items\.json"):
        _home(tmp_path)
    assert not (tmp_path / "site").exists()


@pytest.mark.parametrize("graded", [False, True])
def test_scores_that_are_not_those_of_the_audit(tmp_path: Path, graded: bool) -> None:
    copy_audit(tmp_path / "audit", leaderboard(graded=graded))
    path = tmp_path / "audit" / "answers.bin"
    content = path.read_bytes()
    for wrong in (content[:-1], bytes(len(content)), b"\xff" * len(content)):
        path.write_bytes(wrong)
        with pytest.raises(DataError, match=r"answers\.bin"):
            _home(tmp_path)
