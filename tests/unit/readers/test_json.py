"""Lines, elements and documents: what is read, what is mended, what is refused and how."""

import gzip
import json
import math
import os
import time
import tracemalloc
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nstar._data.read_limits import Limits
from nstar.errors import ReadError
from nstar.readers import _json, _stream
from nstar.readers._base import Journal, ReaderOptions
from nstar.readers._decode import BadJSON, Decoder, snippet
from nstar.readers._files import Place
from nstar.readers._json import json_document, json_elements, json_lines, json_skeleton
from nstar.readers._json_array_splitter import JsonArraySplitter
from nstar.readers._stream import stream, text_head

HERE = Place("x.json")
ANY: Any = Any
"""The kind, for mypy, which takes ``Any`` itself for a type that nothing equals."""


class Row(msgspec.Struct):
    """A row as a reader would declare it."""

    id: int
    note: Any = None
    raw: msgspec.Raw = msgspec.Raw(b"")
    inner: dict[str, float] | None = None


class Log(msgspec.Struct):
    """A document whose samples are streamed."""

    name: str = ""
    samples: Any = None
    end: Any = None


def write(folder: Path, data: bytes | str, name: str = "x.json") -> Place:
    path = folder / name
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    return Place(str(path))


def lines(place: Place, kind: Any = Any, skip: int = 0) -> tuple[list[Any], list[str]]:
    journal = Journal(options=ReaderOptions(skip_bad=skip))
    return list(json_lines(place, kind, journal)), journal.bad


def elements(
    place: Place, key: str | None = None, kind: Any = Any, skip: int = 0
) -> tuple[list[Any], list[str]]:
    journal = Journal(options=ReaderOptions(skip_bad=skip))
    return [v for _, v in json_elements(place, key, kind, journal)], journal.bad


def pieces(data: bytes, size: int) -> list[bytes]:
    return [data[i : i + size] for i in range(0, len(data), size)]


# JSON as strangers write it: escapes, brackets in strings, odd numbers and spaces.
texts = st.text(
    st.sampled_from('a"\\{}[],:\n\t\0é€😀 ') | st.characters(codec="utf-8"), max_size=8
)
numbers = st.integers(-(2**70), 2**70) | st.floats()
scalars = st.none() | st.booleans() | numbers | texts
values = st.recursive(
    scalars,
    lambda v: st.lists(v, max_size=4) | st.dictionaries(texts, v, max_size=4),
    max_leaves=12,
)
sizes = st.sampled_from([1, 2, 3, 7, 64])
layouts = st.sampled_from([None, 0, 2])
ascii_only = st.booleans()


def same(a: Any, b: Any) -> bool:
    return repr(a) == repr(b)  # NaN equals NaN, 1 differs from 1.0


# ---- laws ------------------------------------------------------------------------------------


@given(st.lists(values, max_size=6), sizes, layouts, ascii_only)
def test_elements_are_the_list(
    rows: list[Any], size: int, indent: int | None, plain: bool
) -> None:
    data = json.dumps(rows, indent=indent, ensure_ascii=plain).encode()
    got = JsonArraySplitter(HERE, None, cap=1 << 20).elements(pieces(data, size))
    decode = Decoder[Any](Any)
    assert same([decode(e) for e in got if e is not None], rows)


@settings(max_examples=50)
@given(
    st.lists(values, max_size=4),
    st.dictionaries(texts, values, max_size=3),
    st.dictionaries(texts, values, max_size=3),
    sizes,
    layouts,
)
def test_elements_and_skeleton_under_a_key(
    rows: list[Any], before: dict[str, Any], after: dict[str, Any], size: int, indent: int | None
) -> None:
    others = {"results": {**before, "key": rows, **after}}
    if before.keys() & {"key"} or after.keys() & {"key", *before}:
        return
    document = {"x" + k: v for k, v in before.items()} | others | {"y": after}
    data = json.dumps(document, indent=indent).encode()
    decode = Decoder[Any](Any)
    got = JsonArraySplitter(HERE, "results.key", cap=1 << 20).elements(pieces(data, size))
    assert same([decode(e) for e in got if e is not None], rows)
    rest = decode(JsonArraySplitter(HERE, "results.key", cap=1 << 20).rest(pieces(data, size)))
    document["results"] = {**before, "key": [], **after}
    assert same(rest, document)


@given(st.binary(max_size=60) | st.text(st.sampled_from('[]{}",:\\1an \n'), max_size=40), sizes)
def test_no_bytes_break_the_splitter(data: bytes | str, size: int) -> None:
    raw = data.encode() if isinstance(data, str) else data
    for key in (None, "a", "a.n"):
        for start in (b"", b"[", b'{"a":[', b'{"a":{"n":['):
            splitter = JsonArraySplitter(HERE, key, cap=7)
            cut = pieces(start + raw, size)
            for read in (lambda s, c: list(s.elements(c)), lambda s, c: s.rest(c)):
                try:
                    read(splitter, cut)
                except ReadError as error:
                    assert "x.json" in str(error)  # noqa: PT017
                splitter = JsonArraySplitter(HERE, key, cap=7)


@given(st.binary(max_size=60) | texts.map(str.encode))
def test_no_bytes_break_the_decoder(data: bytes) -> None:
    for kind in (Any, Row, list[Row]):
        try:
            Decoder[Any](kind)(data)
        except BadJSON as bad:
            assert str(bad).isprintable()  # noqa: PT017


@given(rows=st.lists(values, max_size=6), size=sizes, end=st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_lines_are_the_list(
    tmp_path_factory: pytest.TempPathFactory, rows: list[Any], size: int, end: str
) -> None:
    place = write(tmp_path_factory.mktemp("lines"), end.join(json.dumps(r) for r in rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_stream, "CHUNK", size)
        got, bad = lines(place)
    step = end.count("\n")
    assert same(got, [(1 + step * i, r) for i, r in enumerate(rows)])
    assert not bad


# ---- mends -----------------------------------------------------------------------------------


def test_nan_and_infinity_are_read_in_every_kind_of_field(tmp_path: Path) -> None:
    data = '{"id": 1, "note": [NaN, "NaN"], "raw": {"x": -Infinity}, "inner": {"a": Infinity}}'
    ((number, row),), _ = lines(write(tmp_path, data), Row)
    assert number == 1
    assert math.isnan(row.note[0])
    assert row.note[1] == "NaN"
    assert bytes(row.raw) == b'{"x": -Infinity}'
    assert row.inner == {"a": math.inf}
    assert same(json_document(write(tmp_path, "[NaN, [-Infinity]]")), [math.nan, [-math.inf]])


def test_half_a_surrogate_pair_becomes_the_replacement_character(tmp_path: Path) -> None:
    place = write(tmp_path, r'{"id": 1, "note": "a\ud83d b\\ud83d \ud83d\ude00 \udc00"}')
    ((_, row),), _ = lines(place, Row)
    assert row.note == "a\ufffd b\\ud83d \U0001f600 \ufffd"


@pytest.mark.parametrize(
    "text", ['{"a": [1, NaN', '"NaN', '[NaN, "\\ud800', "NaN" * 3, "[-NaN]", "[-]", "[NaN]-", "In"]
)
def test_constants_of_what_is_not_json_are_refused(text: str) -> None:
    with pytest.raises(BadJSON):
        Decoder[Any](Any)(text.encode())


@settings(max_examples=200)
@given(st.lists(st.sampled_from(["NaN", "Infinity", "-Infinity", '"NaN,\\""', '"N"', "-1", '""'])))
def test_repairs_are_those_of_the_standard_library(values: list[str]) -> None:
    text = f"[{', '.join(values)}]"
    assert same(Decoder[Any](Any)(text.encode()), json.loads(text))


@pytest.mark.parametrize("unit", [b',""', b',"\\n"', b',"NaN"', b',"\\\\"', b",-", b",I"])
def test_time_of_repairs_grows_with_the_length_only(unit: bytes) -> None:
    data = b"[NaN" + unit * 300_000 + b"]"
    began = time.process_time()
    Decoder[Any](Any).reads(data)
    assert time.process_time() - began < 2


@pytest.mark.parametrize("unit", [b",NaN", rb',"\udc00"'])
def test_repairs_have_a_limit(unit: bytes) -> None:
    data = b"[1" + unit * 1001 + b"]"
    assert len(Decoder[Any](Any, marks=2000)(data)) == 1002
    with pytest.raises(BadJSON, match=r"needs more than 1,000 repairs \(NaN, Infinity, half"):
        Decoder[Any](Any, marks=1000)(data)


def test_values_beside_a_constant_are_counted() -> None:
    decoder = Decoder[Row](Row, marks=1000)
    kept, unread = (b'{"id": 1, "%s": [NaN%s]}' % (f, b",[]" * 400_000) for f in (b"note", b"x"))
    with pytest.raises(BadJSON, match="contains more than 1,000 values"):
        decoder(kept)
    assert decoder.length(kept) > len(kept) - 50
    assert decoder(unread).id == decoder.length(unread) == 1


def test_whole_numbers_of_any_length_are_exact(tmp_path: Path) -> None:
    place = write(tmp_path, '{"id": 9999999999999999999999999, "note": -18446744073709551617}')
    ((_, row),), _ = lines(place, Row)
    assert (row.id, row.note) == (10**25 - 1, -(2**64) - 1)


def test_byte_order_mark_and_blank_lines_are_passed_over(tmp_path: Path) -> None:
    got, _ = lines(write(tmp_path, b"\xef\xbb\xbf1\r\n\r\n  \n2"))
    assert got == [(1, 1), (4, 2)]
    assert json_document(write(tmp_path, b"\xef\xbb\xbf[1]")) == [1]
    assert elements(write(tmp_path, b"\xef\xbb\xbf \n [1]"))[0] == [1]
    assert lines(write(tmp_path, b""))[0] == []
    assert lines(write(tmp_path, b"\xef\xbb\xbf"))[0] == []


@pytest.mark.parametrize("pack", ["gzip", "zstd", "two members"])
def test_compressed_logs_are_recognized_by_content(tmp_path: Path, pack: str) -> None:
    text = b"".join(b'{"id": %d}\n' % i for i in range(999))
    if pack == "zstd":
        half = [pa.compress(t, "zstd", asbytes=True) for t in (text[:700], text[700:])]
        packed = b"".join(half)
    elif pack == "gzip":
        packed = gzip.compress(text)
    else:
        packed = gzip.compress(text[:700]) + gzip.compress(text[700:])
    place = write(tmp_path, packed, "log.bin")
    got, _ = lines(place, Row)
    assert [row.id for _, row in got] == list(range(999))
    assert text_head(place, 10) == text[:10]
    cut = write(tmp_path, packed[:-9], "cut.bin")
    with pytest.raises(ReadError, match=r"cut\.bin: the compressed data are truncated or damaged"):
        lines(cut, Row)


def test_gzip_members_without_text_take_no_time(tmp_path: Path) -> None:
    empty, text = gzip.compress(b""), gzip.compress(b'{"id": 1}\n')
    place = write(tmp_path, text + bytes(9000) + empty * 40_000 + text + bytes(100))
    began = time.process_time()
    assert [row.id for _, row in lines(place, Row)[0]] == [1, 1]
    assert time.process_time() - began < 1


def test_compression_bomb_is_refused(tmp_path: Path) -> None:
    text = b'{"id": 1, "a": 2}' + b" " * (8 << 20)
    place = write(tmp_path, gzip.compress(text, 9))
    few, many = (ReaderOptions(limits=Limits(unpacked=n)) for n in (1 << 20, 9 << 20))
    wanted = (
        r"x\.json: .* compressed bytes expand to at least .*, more than the limit of 1,048,576"
    )
    with pytest.raises(
        ReadError, match=wanted + r" bytes. If you trust the file, set limits=..unpacked.:"
    ):
        list(json_lines(place, Any, Journal(options=few)))
    assert len(list(json_lines(place, Any, Journal(options=many)))) == 1
    vouched = write(tmp_path, gzip.compress(text[:600_000], 9) + bytes(10_000))
    assert len(list(json_lines(vouched, Any, Journal(options=many)))) == 1


def test_head_for_sniffing_never_fails_on_damage(tmp_path: Path) -> None:
    assert text_head(write(tmp_path, b"\x1f\x8bjunk")) == b"\x1f\x8bjunk"
    assert text_head(write(tmp_path, b"plain"), 3) == b"pla"


# ---- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (b'{"id": 1', r"x\.json:2: line appears to be truncated \(is the file incomplete"),
        (
            b'{"id": "one"}',
            r"x\.json:2: line has a wrong value: Expected `int`.*`\$\.id`: \"one\"",
        ),
        (b"[1]", r"Expected `object`, got `array`: \[1\]"),
        (b'{"id": 1, "note": "\xff"}', r"not valid UTF-8 at byte 19 \(0xff\)"),
        (b'{"id": 1, "note": \0\0}', r"contains NUL bytes \(first at byte 18\)"),
        (b'{"id": 1, "note": ' + b"[" * 99999, "nested too deeply"),
        (b'{"id": 1, "note": ' + b"9" * 9999 + b"}", "out of range"),
        (b'{"id": 1e999}', "wrong value"),
        (b'{"id": NaN}', "wrong value"),
        (b'{"id": 1} {"id": 2}', "not valid JSON: .*trailing"),
        (b"\x1b[31mred", r"not valid JSON: .*\\x1b\[31mred"),
        (b"nonsense NaN", "not valid JSON"),
    ],
)
def test_bad_line_is_named_and_can_be_skipped(tmp_path: Path, line: bytes, says: str) -> None:
    place = write(tmp_path, b'{"id": 1}\n' + line + b'\n{"id": 3}\n')
    with pytest.raises(ReadError, match=says) as caught:
        lines(place, Row)
    assert str(caught.value).isprintable()
    got, bad = lines(place, Row, skip=1)
    assert [(n, row.id) for n, row in got] == [(1, 1), (3, 3)]
    assert len(bad) == 1


@pytest.mark.parametrize("start", ["[", '{"samples": ['])
def test_bad_element_is_named_and_can_be_skipped(tmp_path: Path, start: str) -> None:
    key = "samples" if start.startswith("{") else None
    end = "]}" if key else "]"
    place = write(tmp_path, f'{start}{{"id": 1}}, {{"id": "x"}}, , {{"id": 4}}{end}')
    with pytest.raises(ReadError, match=r'x\.json:2: element has a wrong value.*"x"'):
        elements(place, key, Row)
    got, bad = elements(place, key, Row, skip=2)
    assert [row.id for row in got] == [1, 4]
    assert "x.json:3: element is empty (extra comma?)" in bad[1]


def test_truncated_array_tells_which_element(tmp_path: Path) -> None:
    whole = json.dumps({"name": "n", "samples": [{"id": i, "note": "x[]"} for i in range(3)]})
    place = write(tmp_path, whole[:-12])
    with pytest.raises(ReadError, match=r"x\.json:3: element is truncated: the file ends in"):
        elements(place, "samples")
    assert len(elements(place, "samples", skip=1)[0]) == 2
    with pytest.raises(ReadError, match=r"x\.json: the file ends in the middle of an array"):
        json_skeleton(place, "samples", Log)
    with pytest.raises(ReadError, match=r"document (appears to be truncated|is incomplete)"):
        json_document(place)
    with pytest.raises(ReadError, match=r"document (appears to be truncated|is incomplete)"):
        elements(place, "other")


@pytest.mark.parametrize(
    ("text", "key", "says"),
    [
        ('{"a": 1}', None, "expected an array, found an object"),
        ("[1]", "a", "expected an object, found an array"),
        ("12", None, "found a number"),
        ('"text"', "a", "found a string"),
        ("null", "a", "found null"),
        ("true", None, "found true or false"),
        ("<html>", None, "found no JSON: <html>"),
        ("  \n", None, "is empty"),
        ("", "a", "is empty"),
        ('{"a": {"b": 1}}', "a", "a must be an array; found an object"),
        ('{"a": "x"}', "a", "a must be an array; found a string"),
        ('{"a": 7, "b": 1}', "a", "a must be an array; found a number"),
        ('{"a":', "a", "document (appears to be truncated|is incomplete)"),
        ('{"a":}', "a", "a must be an array; found no JSON: }"),
        ("[1] [2]", None, r"text after the end of the array: \[2\]"),
        ("[1}", None, "ends with }"),
    ],
)
def test_wrong_documents_are_refused(
    tmp_path: Path, text: str, key: str | None, says: str
) -> None:
    with pytest.raises(ReadError, match=r"x\.json: .*" + says):
        elements(write(tmp_path, text), key)


def test_missing_key_and_null_hold_nothing(tmp_path: Path) -> None:
    for text in ('{"b": {"a": [1]}}', '{"a": null, "b": 1}', '{"x": "a", "c": ["a"]}', "{}"):
        place = write(tmp_path, text)
        assert elements(place, "a")[0] == []
        assert json_skeleton(place, "a", ANY) == json.loads(text)
    assert elements(write(tmp_path, '{"a": [1, 2]}'), "a.b")[0] == []


def test_skeleton_has_what_stands_before_and_after(tmp_path: Path) -> None:
    log = {"name": "n", "samples": [{"id": i, "note": "]}"} for i in range(999)], "end": [1, 2]}
    place = write(tmp_path, json.dumps(log))
    got = json_skeleton(place, "samples", Log)
    assert (got.name, got.samples, got.end) == ("n", [], [1, 2])
    assert json_skeleton(write(tmp_path, "[1, 2]"), None, list[int]) == []
    with pytest.raises(ReadError, match=r"x\.json: document has a wrong value.*`\$\.name`"):
        json_skeleton(write(tmp_path, '{"name": 1, "samples": []}'), "samples", Log)


def test_caps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_json, "CAP", 100)
    monkeypatch.setattr(_stream, "CHUNK", 10)
    long = json.dumps("x" * 200)
    place = write(tmp_path, f"1\n{long}\n3\n{long}")
    with pytest.raises(ReadError, match=r"x\.json:2: line is longer than 100 bytes"):
        lines(place)
    got, bad = lines(place, skip=2)
    assert got == [(1, 1), (3, 3)]
    assert len(bad) == 2
    place = write(tmp_path, f"[1, {long}, 3]")
    got, bad = elements(place, skip=1)
    assert got == [1, 3]
    assert "x.json:2: element is longer than 100 bytes" in bad[0]
    place = write(tmp_path, f'{{"a": [{long}, {long}], "b": 1}}')
    assert json_skeleton(place, "a", ANY) == {"a": [], "b": 1}
    with pytest.raises(ReadError, match="too large even without"):
        json_skeleton(write(tmp_path, f'{{"a": [], "b": {long}}}'), "a", ANY)
    assert elements(write(tmp_path, f'{{{long}: 0, "b": {long}, "a": [7]}}'), "a")[0] == [7]
    with pytest.raises(ReadError, match="larger than 100 bytes"):
        json_document(write(tmp_path, long), cap=100)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_wide_encodings_get_the_mend(tmp_path: Path, encoding: str) -> None:
    place = write(tmp_path, '[{"id": 1}]'.encode(encoding))
    for read in (lines, elements, json_document):
        with pytest.raises(ReadError, match="iconv -f UTF-16"):
            read(place)


@pytest.mark.parametrize(
    ("magic", "name"), [(b"BZh91", "bzip2"), (b"PK\x03\x04", "zip"), (b"\xfd7zXZ\0", "xz")]
)
def test_other_packings_are_named(tmp_path: Path, magic: bytes, name: str) -> None:
    with pytest.raises(
        ReadError, match=f"compressed with {name}, which nstar does not read. Decompress it first"
    ):
        lines(write(tmp_path, magic + b"...."))


def test_empty_document(tmp_path: Path) -> None:
    with pytest.raises(ReadError, match="is empty"):
        json_document(write(tmp_path, " \n"))


def test_snippets_fit_a_terminal() -> None:
    assert len(snippet(b"x" * 999)) == 80
    assert snippet("\x1b]0;é\n\xff".encode("latin-1")).isprintable()


# ---- files that change, progress, memory -----------------------------------------------------


def test_growing_file_is_read_to_where_it_was(tmp_path: Path) -> None:
    place = write(tmp_path, '{"id": 1}\n{"id": 2}\n{"id"')
    journal = Journal()
    rows = json_lines(place, Row, journal)
    assert next(rows)[1].id == 1
    with Path(place.path).open("ab") as file:
        file.write(b': 3}\n{"id": 4}\n')
    assert [row.id for _, row in rows] == [2]  # the third was half written: no bad row
    assert not journal.bad


@pytest.mark.parametrize("new", [b"", b'{"id": 7}\n{"id": 8}\n'])
def test_rewritten_file_is_refused(tmp_path: Path, new: bytes) -> None:
    place = write(tmp_path, '{"id": 1}\n{"id": 2}\n')
    rows = json_lines(place, Row, Journal())
    next(rows)
    Path(place.path).write_bytes(new)
    os.utime(place.path, ns=(1, 1))
    with pytest.raises(ReadError, match="changed while nstar read it"):
        list(rows)


def test_progress_counts_bytes_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_stream, "CHUNK", 1000)
    monkeypatch.setattr(_stream, "REPORT", 4000)
    place = write(tmp_path, b"1\n" * 5000)
    calls: list[tuple[str, int, int | None]] = []
    journal = Journal(options=ReaderOptions(progress=lambda *a: calls.append(a)))
    assert sum(1 for _ in json_lines(place, Any, journal)) == 5000
    assert calls == [(place.path, n, 10000) for n in (4000, 8000, 10000)]


def test_reading_may_be_left_early(tmp_path: Path) -> None:
    rows = json_lines(write(tmp_path, b"1\n2\n"), ANY, Journal())
    assert next(rows) == (1, 1)
    rows.close()  # type: ignore[attr-defined]
    with stream(write(tmp_path, b"1\n")) as opened:
        assert list(opened) == [b"1\n"]


def test_one_line_of_200_mb_is_never_held(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_json, "CAP", 4 << 20)
    path = tmp_path / "long.jsonl"
    with path.open("wb") as file:
        file.write(b'["')
        for _ in range(200):
            file.write(b"x" * (1 << 20))
        file.write(b'"]\n2\n')
    place = Place(str(path))
    tracemalloc.start()
    try:
        got, bad = lines(place, skip=1)
        assert got == [(2, 2)]
        assert "longer than 4 MiB" in bad[0]
        with pytest.raises(ReadError, match="text after the end"):
            elements(place, skip=1)
        assert tracemalloc.get_traced_memory()[1] < 24 << 20
    finally:
        tracemalloc.stop()


def test_remote_logs_are_streamed() -> None:
    fs = pytest.importorskip("fsspec").filesystem("memory")
    fs.pipe("/json/x.jsonl", b"1\n2\n")
    fs.pipe("/json/x.gz", gzip.compress(b"[1, 2]"))
    try:
        calls: list[Any] = []
        journal = Journal(options=ReaderOptions(progress=lambda *a: calls.append(a)))
        place = Place("memory://json/x.jsonl", fs)
        assert list(json_lines(place, ANY, journal)) == [(1, 1), (2, 2)]
        assert calls == [("memory://json/x.jsonl", 4, 4)]
        assert elements(Place("memory://json/x.gz", fs))[0] == [1, 2]
    finally:
        fs.rm("/json", recursive=True)


# ---- swarms of values ------------------------------------------------------------------------


class Small(msgspec.Struct):
    id: Any = None
    a: Any = None


def test_a_swarm_of_values_is_refused_before_it_is_built(tmp_path: Path) -> None:
    swarm = b",".join([b"[]"] * 3_000_000)
    place = write(tmp_path, b'{"id": 1, "a": [' + swarm + b"]}\n")
    tracemalloc.start()
    with pytest.raises(ReadError, match=r"x\.json:1: line contains more than 4,000,000 values"):
        lines(place, Small)
    with pytest.raises(ReadError, match=r"document contains more than 1,000,000 values"):
        json_document(place, Small)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * len(swarm)
    unread = write(tmp_path, b'{"id": 1, "x": [' + swarm + b"]}\n")
    assert lines(unread, Small)[0] == [(1, Small(id=1))]
    assert json_document(unread, Small) == Small(id=1)
    few = write(tmp_path, b'{"id": 1, "a": "' + b"x" * (2 << 20) + b'"}\n')
    assert len(lines(few, Small)[0]) == 1


class Typed(msgspec.Struct):
    id: int
    deep: dict[str, list[int]] = {}


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        (b'{"x": [%s], "id": "one"}', 'id`: "one"'),
        (b'{"id": 1, "x": [%s], "deep": {"k": [1, 2, {"a": 3}]}}', r'{"a": 3}'),
        (b'{"id": 1, "deep": {"k": [%s]}, "x": 1}', "[]"),
    ],
)
def test_a_bad_value_is_quoted_from_the_bytes(text: bytes, quoted: str) -> None:
    data = text % b",".join([b"[]"] * 200_000)
    tracemalloc.start()
    with pytest.raises(BadJSON, match="has a wrong value") as found:
        Decoder[Typed](Typed)(data)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert quoted in str(found.value)
    assert peak < 4 * len(data)


def test_mends_of_long_texts_take_little(tmp_path: Path) -> None:
    text = b'{"id": NaN, "a": [' + b",".join([b'"NaN"'] * 60_000) + b"]}"
    tracemalloc.start()
    value = json_document(write(tmp_path, text), Small)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert math.isnan(value.id)
    assert value.a[-1] == "NaN"
    assert peak < 60 * len(text)
