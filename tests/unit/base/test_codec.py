"""Values from strangers are refused in words, and results of older versions are read."""

import json
from dataclasses import dataclass, field
from typing import NamedTuple

import pytest

import nstar
from nstar._base.codec import codec
from nstar.errors import DataError


def test_a_number_beyond_every_float_is_refused_in_words() -> None:
    claim = nstar.claim(0.7, 0.6, items=100)
    data = json.loads(claim.to_json()) | {"t_min": 10**400}
    with pytest.raises(DataError, match=r"\$\.t_min: .* is not a number that fits in a float"):
        nstar.Claim.from_json(json.dumps(data))


class _Row(NamedTuple):
    name: str
    size: int = 3


@dataclass(frozen=True)
class _Part:
    rows: tuple[_Row, ...]
    note: str | None
    more: dict[str, int] = field(default_factory=dict)
    level: float = 0.05


def test_only_a_field_with_a_default_may_be_missing() -> None:
    old = {"rows": [{"name": "a"}], "note": None}
    assert codec(_Part).load(old, "$") == _Part(rows=(_Row("a"),), note=None)
    with pytest.raises(DataError, match=r"^\$: 'note' is missing$"):
        codec(_Part).load({"rows": []}, "$")
    with pytest.raises(DataError, match=r"^\$\.rows\[0\]: 'name' is missing$"):
        codec(_Part).load({"rows": [{"size": 1}], "note": None}, "$")
    with pytest.raises(DataError, match=r"^\$\.level: 'x' is not a number$"):
        codec(_Part).load(old | {"level": "x"}, "$")


def test_written_results_have_every_field() -> None:
    part = _Part(rows=(), note=None)
    assert codec(_Part).dump(part) == {"rows": [], "note": None, "more": {}, "level": 0.05}
    assert nstar.Audit.schema()["required"].count("changes") == 1
