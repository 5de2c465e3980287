"""Keys that stand twice in one object."""

import json
from pathlib import Path

import pytest

import nstar
from nstar.errors import ReadError
from nstar.readers._decode import BadJSON, Decoder
from nstar.readers._doubled_keys import DoubledKeys, doubled_key


@pytest.mark.parametrize(
    "text",
    [
        '{"x": 1, "x": 2}',
        '\ufeff{"x": 1, "x": 2}',
        '{"x": NaN, "y": "tab\there", "x": Infinity}',
        '[{"y": [{"z": {"x": "\\ud800", "\\u0078": 1}}]}]',
        f'{{"x": {"9" * 5000}, "x": 1}}',
        '{"x": {"y": 1}, "x": {"y": 1}}',
    ],
)
def test_a_doubled_key_is_found(text: str) -> None:
    assert doubled_key(text.encode("utf-8", "surrogatepass")) == "x"


@pytest.mark.parametrize(
    "text", ['{"x": {"x": 1}, "y": {"x": 2}}', "[1, 2, 2]", "{", "", '"x"', "[" * 100_000]
)
def test_other_texts_have_none(text: str) -> None:
    assert doubled_key(text.encode()) is None


def test_bytes_that_are_not_utf_8_hide_nothing() -> None:
    assert doubled_key(b'{"x": 1, "y": "\xff", "x": 2}') == "x"


def test_every_decoder_refuses() -> None:
    with pytest.raises(BadJSON, match="repeats the key 'x'"):
        Decoder[dict[str, int]](dict[str, int])(b'{"x": 1, "x": 2}')
    with pytest.raises(BadJSON, match="repeats the key 'x'"):
        Decoder[dict[str, float]](dict[str, float])(b'{"x": NaN, "x": 2}')


def _rows(count: int, **more: object) -> list[str]:
    rows = ({"model": m, "item": f"q{k}", "score": 1, **more} for m in "ab" for k in range(count))
    return [json.dumps(row) for row in rows]


@pytest.mark.parametrize("form", ["lines", "array"])
@pytest.mark.parametrize("at", [0, 29_990])
def test_a_row_with_a_doubled_key_is_refused(tmp_path: Path, form: str, at: int) -> None:
    """Also far behind the first MiB, where only rows of a new shape are checked."""
    rows = _rows(15_000)
    rows[at] = rows[at].replace('"score": 1', '"score": 0, "score": 1')
    path = tmp_path / f"x.json{'l' * (form == 'lines')}"
    path.write_text("\n".join(rows) if form == "lines" else f"[{','.join(rows)}]")
    with pytest.raises(ReadError, match=f":{at + 1}: (line|element) repeats the key 'score'"):
        nstar.read(path)
    assert len(nstar.read(path, skip_bad=1)) == len(rows) - 1


def test_long_values_are_checked_in_part() -> None:
    """A check of each would take longer than all else that is done with it."""
    text = b'{"x": "%s", "x": 1}' % (b"a" * 2000)
    keys, clean = DoubledKeys(), b'{"x": "%s", "y": 1}' % (b"a" * 2000)
    assert [keys.problem(clean) for _ in range(600)] == [None] * 600
    found = sum(keys.problem(text) is not None for _ in range(6400))
    assert 200 <= found <= 300
