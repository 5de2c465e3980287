"""Each format is taken by its own reader, and by no other."""

from importlib import import_module
from pathlib import Path

import pytest

from helpers.logs import FIXTURES
from nstar.readers import readers
from nstar.readers._base import Journal
from nstar.readers._files import Place
from nstar.readers._scan import find_units
from nstar.readers._stream import text_head

OWN = {
    "evalplus": ("evalplus", "bigcodebench"),
    "livebench": ("livebench",),
    "livecodebench": ("livecodebench",),
    "verifiers": ("verifiers",),
    "bfcl": ("bfcl",),
    "opencompass": ("opencompass",),
    "pydantic_evals": ("pydantic_evals",),
    "dspy": ("dspy",),
}


@pytest.mark.parametrize("name", OWN)
def test_files_of_others_are_left_alone(name: str) -> None:
    reader = import_module(f"nstar.readers.{name}").READER
    for path in (p for p in FIXTURES.rglob("*") if p.is_file()):
        if path.relative_to(FIXTURES).parts[0] not in OWN[name]:
            place = Place(str(path))
            assert reader.sniff(place, text_head(place)) is None, path


@pytest.mark.parametrize(("name", "folder"), [(n, f) for n, fs in OWN.items() for f in fs])
def test_its_own_are_taken_by_no_other(name: str, folder: str) -> None:
    found = find_units([FIXTURES / folder], readers(), Journal())
    assert {reader.name for reader, _ in found} == {name}


def test_a_plain_table_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    path.write_text('{"id": 1, "model": "a", "score": 1}\n{"id": 1, "model": "b", "score": 0}\n')
    ((reader, _),) = find_units([path], readers(), Journal())
    assert reader.name == "tabular"
