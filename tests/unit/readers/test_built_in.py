"""A reader is loaded for every file that is its, and for few others."""

from importlib import import_module
from itertools import chain
from pathlib import Path

import pytest

from helpers.logs import FIXTURES, SHARED
from nstar.readers import BUILT_IN
from nstar.readers._built_in import SIGNS, FileSignature, LazyReader
from nstar.readers._files import Place
from nstar.readers._stream import text_head


def files() -> list[Path]:
    """Logs of every format, as their harnesses write them."""
    return [p for p in chain(FIXTURES.rglob("*"), SHARED.rglob("*")) if p.is_file()]


@pytest.mark.parametrize("name", BUILT_IN)
def test_no_file_of_a_reader_is_without_a_sign(name: str) -> None:
    reader, lazy = import_module(f"nstar.readers.{name}").READER, LazyReader(name)
    assert reader.name == lazy.name
    roles = 0
    for path in files():
        place = Place(str(path))
        head = text_head(place)
        role = reader.sniff(place, head)
        roles += role is not None
        assert lazy.sniff(place, head) == role, path
    assert roles or name == "open_llm"  # whose files are made by its own tests


def test_a_plain_table_has_a_sign_of_none_but_its_reader() -> None:
    table = Place("results/alpha.csv")
    for head in (b"item,score\nq1,1\n", b'{"item": "q1", "score": 1}\n'):
        assert [n for n, signs in SIGNS.items() if signs.allow(table, head)] == ["tabular"]


def test_signs_are_inside_or_outside() -> None:
    signs = FileSignature((b"mark",), ("name.json",))
    assert signs.allow(Place("x"), b"a mark")
    assert signs.allow(Place("a/name.json"), b"")
    assert not signs.allow(Place("x"), b"")
