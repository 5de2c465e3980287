"""Archives: what is unpacked, and that no size, offset or count in them is believed."""

import io
import os
import struct
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nstar._data.read_limits import Limits
from nstar.errors import ReadError
from nstar.readers import _zip
from nstar.readers._files import Place
from nstar.readers._zip import Archive

ANY: Any = Any
TEXT = b'{"score": NaN, "text": "%s"}' % (b"word " * 2000)


def packed(method: int, data: bytes) -> bytes:
    if method == 8:
        squeeze = zlib.compressobj(9, zlib.DEFLATED, -15)
        return squeeze.compress(data) + squeeze.flush()
    if method == 93:
        return bytes(pa.compress(data, "zstd", asbytes=True))
    return data


def build(
    members: dict[str, bytes],
    method: int = 0,
    pack: Callable[[int, bytes], bytes] = packed,
    **claims: int,
) -> bytes:
    """A zip written by hand, so that it may lie: size, crc, flags, offset, packed_size."""
    body, directory = b"", b""
    for name, data in members.items():
        raw, label = pack(method, data), name.encode()
        offset = claims.get("offset", len(body))
        numbers = (
            claims.get("crc", zlib.crc32(data)),
            claims.get("packed_size", len(raw)),
            claims.get("size", len(data)),
        )
        flags = claims.get("flags", 0x800)
        common = struct.pack("<HHHHLLLHH", flags, method, 0, 0x21, *numbers, len(label), 0)
        body += b"PK\x03\x04\x14\0" + common + label + raw
        directory += b"PK\x01\x02\x14\0\x14\0" + common
        directory += struct.pack("<HHHLL", 0, 0, 0, 0, offset) + label
    count = len(members)
    end = struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, count, count, len(directory), len(body), 0)
    return body + directory + end


def archive(folder: Path, data: bytes) -> Archive:
    path = folder / "log.eval"
    path.write_bytes(data)
    return Archive(Place(str(path)))


def refused(folder: Path, data: bytes, says: str, name: str = "a.json") -> None:
    with pytest.raises(ReadError, match=says) as caught, archive(folder, data) as opened:
        opened.member(name)
    assert "log.eval" in str(caught.value)
    assert str(caught.value).isprintable()


# ---- reading ---------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [0, 8, 93])
def test_members_of_every_method(tmp_path: Path, method: int) -> None:
    with archive(tmp_path, build({"a.json": TEXT, "dir/b.json": b"[1]", "c": b""}, method)) as z:
        assert z.names() == ["a.json", "dir/b.json", "c"]
        assert "c" in z
        assert "d" not in z
        assert z.member("a.json") == TEXT
        assert z.member("c") == b""
        assert z.json("dir/b.json", list[int]) == [1]
        assert repr(z.json("a.json", ANY)["score"]) == "nan"


def test_what_zipfile_wrote(tmp_path: Path) -> None:
    path = tmp_path / "x.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("é.json", "1")
        z.writestr(zipfile.ZipInfo("plain"), b"2", zipfile.ZIP_STORED)
        with z.open("streamed", "w", force_zip64=True) as member:
            member.write(b"3" * 999)
    with zipfile.ZipFile(path, "a") as z, pytest.warns(UserWarning, match="Duplicate"):
        z.writestr("plain", b"22")
    with Archive(Place(str(path))) as opened:
        assert opened.names() == ["é.json", "plain", "streamed"]
        assert opened.json("é.json", int) == 1
        assert opened.member("plain") == b"22"  # the later one
        assert opened.member("streamed") == b"3" * 999
    path.write_bytes(b"#!/bin/sh\n" + path.read_bytes())
    with Archive(Place(str(path))) as opened:
        assert opened.member("streamed") == b"3" * 999


def test_zstd_in_several_frames(tmp_path: Path) -> None:
    def frames(_: int, data: bytes) -> bytes:
        return b"".join(packed(93, data[i : i + 700]) for i in range(0, len(data), 700))

    with archive(tmp_path, build({"a.json": TEXT}, 93, frames)) as opened:
        assert opened.member("a.json") == TEXT


def test_zstd_as_the_reference_library_streams_it(tmp_path: Path) -> None:
    zstandard = pytest.importorskip("zstandard")

    def streamed(_: int, data: bytes) -> bytes:
        out = io.BytesIO()
        for part in (data[:5], b"", data[5:]):
            with zstandard.ZstdCompressor(level=9).stream_writer(out, closefd=False) as writer:
                writer.write(part)
                writer.flush()
        return out.getvalue()

    with archive(tmp_path, build({"a.json": TEXT}, 93, streamed)) as opened:
        assert opened.member("a.json") == TEXT


def test_only_what_is_asked_for_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    members = {f"{i}.json": bytes(100_000) for i in range(50)} | {"small": b"7"}
    (tmp_path / "log.eval").write_bytes(build(members))
    read: list[int] = []

    class Counted(io.FileIO):
        def readinto(self, buffer: Any) -> int:
            read.append(super().readinto(buffer) or 0)
            return read[-1]

        def read(self, size: int | None = -1) -> bytes | None:  # type: ignore[override]
            data = super().read(size)
            read.append(len(data or b""))
            return data

    path = str(tmp_path / "log.eval")
    monkeypatch.setattr(Place, "open", lambda _: Counted(path))
    with Archive(Place(path)) as opened:
        assert opened.member("small") == b"7"
    assert sum(read) < 100_000


def test_names_that_point_elsewhere_are_only_names(tmp_path: Path) -> None:
    with archive(tmp_path, build({"../../etc/x": b"1", "/abs": b"2", "a\x1bb": b"x"})) as opened:
        assert opened.member("../../etc/x") == b"1"
        assert opened.member("/abs") == b"2"
        with pytest.raises(ReadError, match=r"a\\x1bb is not valid JSON"):
            opened.json("a\x1bb", ANY)


# ---- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [0, 8, 93])
@pytest.mark.parametrize("size", [1, len(TEXT) - 1, len(TEXT) + 1, 60 << 20])
def test_lies_about_the_length(tmp_path: Path, method: int, size: int) -> None:
    says = f"is not {size:,} bytes long"
    refused(tmp_path, build({"a.json": TEXT}, method, size=size), says)


@pytest.mark.parametrize("method", [8, 93])
def test_damage(tmp_path: Path, method: int) -> None:
    def broken(number: int, data: bytes) -> bytes:
        good = packed(number, data)
        return good[:20] + b"\xff\0\xff" + good[23:]

    refused(tmp_path, build({"a.json": TEXT}, method, broken), "is damaged|is not")
    refused(tmp_path, build({"a.json": TEXT}, method, crc=1), "checksum mismatch")
    refused(tmp_path, build({"a.json": TEXT}, method, packed_size=30), "damaged|is not")
    refused(tmp_path, build({"a.json": TEXT}, method, lambda *_: b""), "damaged|is not")


def test_what_we_do_not_read(tmp_path: Path) -> None:
    refused(tmp_path, build({"a.json": TEXT}, flags=0x801), "is encrypted; decrypt it first")
    refused(tmp_path, build({"a.json": TEXT}, 12), "method 12; use deflate")
    refused(tmp_path, build({"a.json": TEXT}), "member none was not found in the archive", "none")
    refused(tmp_path, build({"a\x1b": TEXT}, 12), r"member a\\x1b .*method", "a\x1b")


def test_offsets_that_lie(tmp_path: Path) -> None:
    refused(
        tmp_path,
        build({"a.json": TEXT}, offset=5),
        "not at the position that the archive declares",
    )
    refused(
        tmp_path, build({"a.json": TEXT}, offset=9 << 20), "not at the position|not a complete zip"
    )
    refused(tmp_path, build({"b.json": TEXT, "a.json": b"2"}, offset=0), "not at the position")
    refused(tmp_path, build({"a.json": TEXT, "b.json": b"2"}, packed_size=99999), "overlaps")
    long = build({"a.json": TEXT}, packed_size=2_000_000_000, size=2_000_000_000)
    refused(tmp_path, long, "limit of 256 MiB")


def test_caps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = build({"a.json": TEXT, "b": b"1"}, 8)
    with archive(tmp_path, data) as opened, pytest.raises(ReadError, match="limit of 100 bytes"):
        opened.member("a.json", cap=100)
    monkeypatch.setattr(_zip, "ENTRIES_CAP", 1)
    refused(tmp_path, data, "more than 1 members")
    monkeypatch.setattr(_zip, "ENTRIES_CAP", 9)
    monkeypatch.setattr(_zip, "DIRECTORY_CAP", 50)
    refused(tmp_path, data, "more than 9 members")


def test_a_bomb_is_not_unpacked(tmp_path: Path) -> None:
    bomb = packed(8, bytes(100 << 20))
    data = build({"a.json": b"0" * 1000}, 8, lambda *_: bomb)
    refused(tmp_path, data, "is not 1,000 bytes long")
    honest = build({"a.json": b""}, 93, lambda *_: packed(93, bytes(100 << 20)), size=100 << 20)
    refused(tmp_path, honest, "checksum mismatch")


def test_all_members_together_have_a_limit(tmp_path: Path) -> None:
    """No member is large, and no single one is packed too well."""
    members = {f"{k}.json": b'"' + b" " * (1 << 20) + b'"' for k in range(20)}
    path = tmp_path / "log.eval"
    path.write_bytes(build(members, 93))
    with Archive(Place(str(path)), Limits(unpacked=8 << 20)) as opened:
        told = "bytes of the archive expand to at least .*, more than the limit of 8,388,608 bytes"
        with pytest.raises(
            ReadError, match=told + ". If you trust the file, set limits=..unpacked.:"
        ):
            [opened.member(name) for name in opened.names()]
    with Archive(Place(str(path)), Limits(unpacked=21 << 20)) as opened:
        assert len([opened.member(name) for name in opened.names()]) == 20
    noise = {f"{k}.json": os.urandom(1 << 20) for k in range(3)}
    path.write_bytes(build(noise, 8))
    with Archive(Place(str(path)), Limits(unpacked=1)) as opened:
        assert len([opened.member(name) for name in opened.names()]) == 3


def test_what_is_kept_has_a_limit(tmp_path: Path) -> None:
    class Few(msgspec.Struct):
        id: int

    members = {f"{k}.json": b'{"id": 1, "x": "' + b" " * (1 << 20) + b'"}' for k in range(3)}
    path = tmp_path / "log.eval"
    path.write_bytes(build(members, 93))
    with Archive(Place(str(path)), Limits(kept=100_000)) as opened:
        assert [opened.json(name, Few).id for name in opened.names()] == [1, 1, 1]
    told = r"bytes must be kept in memory, more than the limit of 100,000 bytes"
    few = Limits(kept=100_000)
    with Archive(Place(str(path)), few) as opened, pytest.raises(ReadError, match=told):
        opened.json("0.json", dict[str, object])


@pytest.mark.parametrize("data", [b"", b"PK", b"no zip at all" * 99, b"PK\3\4" + bytes(200)])
def test_no_zip(tmp_path: Path, data: bytes) -> None:
    refused(tmp_path, data, r"log\.eval: not a complete zip file")


def test_wrong_json_names_the_member(tmp_path: Path) -> None:
    with archive(tmp_path, build({"a.json": b"[1"})) as opened:
        with pytest.raises(
            ReadError, match=r"log\.eval: the member a\.json appears to be truncated"
        ):
            opened.json("a.json", ANY)
        with pytest.raises(ReadError, match="wrong value: Expected `int`"):
            opened.json("a.json", int)


WHOLE = build({"a.json": TEXT[:300], "b.json": b"[1, 2]"}, 8)
ZSTD = build({"a.json": TEXT[:300], "b.json": b"[1, 2]"}, 93)


@given(
    st.sampled_from([WHOLE, ZSTD]),
    st.lists(st.tuples(st.integers(0, len(WHOLE)), st.binary(min_size=1, max_size=4)), max_size=3),
    st.integers(0, 2 * len(WHOLE)),
)
def test_no_bytes_break_it(
    tmp_path_factory: pytest.TempPathFactory,
    whole: bytes,
    edits: list[tuple[int, bytes]],
    length: int,
) -> None:
    for at, new in edits:
        whole = whole[:at] + new + whole[at + len(new) :]
    try:
        with archive(tmp_path_factory.getbasetemp(), whole[:length]) as opened:
            for name in opened.names():
                opened.json(name, ANY)
    except ReadError as error:
        assert "log.eval" in str(error)  # noqa: PT017
