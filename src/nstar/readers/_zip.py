"""Read a zip file of JSON files, without extracting to disk or trusting declared sizes."""

import struct
import zipfile
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from typing import Any, BinaryIO, Self, TypeVar

import pyarrow as pa

from nstar._data.read_limits import KEPT_PER_BYTE, UNPACKED_PER_BYTE, Limits
from nstar.errors import ReadError
from nstar.readers._decode import MARKS, BadJSON, Decoder
from nstar.readers._files import Place
from nstar.readers._read_errors import in_words, printable, reading

T = TypeVar("T")

MEMBER_CAP = 256 << 20
"""Maximum size in bytes of a member that is kept in memory."""
STREAM_CAP = 4 << 30
"""Maximum size in bytes of a member that is read piece by piece."""
ENTRIES_CAP = 1_000_000
"""Maximum number of members."""
DIRECTORY_CAP = 256 << 20
"""Maximum size of the directory in bytes."""
_EMPTY = 24
"""Bytes of text that take as much memory as a sample without text."""
PIECE = 1 << 20
"""Number of bytes decompressed at a time."""

_HEADER = struct.Struct("<4s5H3L2H")
_HEADER_MAGIC = b"PK\x03\x04"
_ENTRY_MAGIC = b"PK\x01\x02"
_STORED, _DEFLATED, _ZSTD = 0, 8, 93
_ENCRYPTED, _UTF8 = 0x1, 0x800


class _DirectoryFile:
    """Wrapper of a file for zipfile that limits the size of the directory."""

    def __init__(self, place: Place, file: BinaryIO) -> None:
        self._place = place
        self._file = file
        self.seek = file.seek
        self.tell = file.tell

    def read(self, size: int = -1) -> bytes:
        data = self._file.read(min(size, DIRECTORY_CAP + 1) if size >= 0 else DIRECTORY_CAP + 1)
        if len(data) > DIRECTORY_CAP or data.count(_ENTRY_MAGIC) > ENTRIES_CAP:
            msg = (
                f"{self._place}: the archive has more than {ENTRIES_CAP} members, or a directory "
                "of that size."
            )
            raise ReadError(msg)
        return data


class MemoryBudget:
    """Limit on the parts of a log in memory, in bytes of text."""

    def __init__(self, place: Place, limits: Limits) -> None:
        self._place, self._limits = place, limits
        self._vouched = KEPT_PER_BYTE * (place.size() or 0)
        self._spent = 0

    def spend(self, length: int) -> None:
        """Add one value of this length, or raise an error. An empty value also takes memory."""
        self._spent += length + _EMPTY
        if self._spent > self._vouched:
            text = f"{self._place}: at least {self._spent:,} bytes must be kept in memory"
            vouched = self._vouched
            self._limits.refuse("kept", self._spent, text, vouched=vouched, error=ReadError)


class Archive:
    """Members of a zip file. Only its directory and the requested members are read."""

    def __init__(self, place: Place, limits: Limits | None = None) -> None:
        self._place = place
        self._limits = limits or Limits()
        self._taken = self._produced = 0
        self.budget = MemoryBudget(place, self._limits)
        self._decoders: dict[Any, Decoder[Any]] = {}
        self._file = place.open()
        try:
            with reading(place):
                self._read_directory()
        except BaseException:
            self._file.close()
            raise

    def _read_directory(self) -> None:
        file: Any = _DirectoryFile(self._place, self._file)
        try:
            with zipfile.ZipFile(file) as archive:
                infos = archive.infolist()
                end = archive.start_dir
        except ReadError:
            raise
        except Exception as error:  # zipfile does not document what it raises
            reason = printable(str(error))[:200]
            msg = f"{self._place}: not a complete zip file ({reason}). Was the run interrupted?"
            raise ReadError(msg) from error
        self._members = {info.filename: info for info in infos}
        self._times = Counter(info.filename for info in infos)
        self._borders = sorted({info.header_offset for info in infos} | {end})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def names(self) -> list[str]:
        """Return the names of the members in the order of the directory, each once."""
        return list(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def refuse_doubled(self, name: str) -> None:
        """Raise an error if several members have this name.

        Programs differ in their choice of one.
        """
        times = self._times[name]
        if times > 1:
            text = f"occurs {times:,} times in the archive"
            fix = "programs differ about which one they read, so write the log again"
            raise self._error(name, f"{text}; {fix}")

    def json(self, name: str, kind: type[T], *, cap: int = MEMBER_CAP, marks: int = MARKS) -> T:
        """Return the value of a member that contains JSON.

        It may have at most ``cap`` bytes, and ``marks`` commas, colons, and brackets in the
        decoded part.
        """
        decoder = self._decoders.get(kind)
        if decoder is None:
            decoder = self._decoders[kind] = Decoder[Any](kind, marks=marks)
        data = self.member(name, cap=cap)
        try:
            self.budget.spend(decoder.length(data))
            value: T = decoder(data)
        except BadJSON as bad:
            raise self._error(name, str(bad)) from bad
        return value

    def member(self, name: str, *, cap: int = MEMBER_CAP) -> bytes:
        """Return at most ``cap`` bytes of a member; the last one if several share the name."""
        return b"".join(self.pieces(name, cap=cap))

    def pieces(self, name: str, *, cap: int = STREAM_CAP) -> Iterator[bytes]:
        """Yield the bytes of a member in pieces, ``cap`` bytes at most."""
        info = self._members.get(name)
        if info is None:
            raise self._error(name, "was not found in the archive")
        self._refuse(info, cap)
        packed = self._packed(info)
        length = crc = 0
        for piece in self._unpacked(info, packed):
            length, crc = length + len(piece), zlib.crc32(piece, crc)
            self._produced += len(piece)
            if length > info.file_size:
                break
            yield piece
        if length != info.file_size:
            raise self._error(
                name,
                f"is not {info.file_size:,} bytes long, although the archive declares this length",
            )
        if crc != info.CRC:
            raise self._error(name, "is damaged (checksum mismatch); download the file again")

    def _error(self, name: str, problem: str) -> ReadError:
        return ReadError(f"{self._place}: the member {printable(name)} {problem}")

    def _refuse(self, info: zipfile.ZipInfo, cap: int) -> None:
        """Raise an error if the directory shows that the member must not be read."""
        longest = max(info.file_size, info.compress_size)
        if info.flag_bits & _ENCRYPTED:
            raise self._error(info.filename, "is encrypted; decrypt it first")
        if info.compress_type not in {_STORED, _DEFLATED, _ZSTD}:
            method = f"method {info.compress_type}"
            raise self._error(info.filename, f"is compressed with {method}; use deflate")
        if longest > cap:
            raise self._error(
                info.filename, f"is {longest:,} bytes long, above the limit of {in_words(cap)}"
            )
        self._taken += info.compress_size
        produced = self._produced + info.file_size
        text = (
            f"{self._place}: {self._taken:,} bytes of the archive expand to at least "
            f"{produced:,} bytes"
        )
        vouched = UNPACKED_PER_BYTE * self._taken
        self._limits.refuse("unpacked", produced, text, vouched=vouched, error=ReadError)

    def _packed(self, info: zipfile.ZipInfo) -> bytes:
        """Return the compressed bytes of a member."""
        name = info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437", "replace")
        with reading(self._place):
            self._file.seek(info.header_offset)
            header = self._file.read(_HEADER.size + len(name))
            if not header.startswith(_HEADER_MAGIC) or header[_HEADER.size :] != name:
                raise self._error(
                    info.filename, "is not at the position that the archive declares"
                )
            *_, name_length, extra_length = _HEADER.unpack_from(header)
            start = info.header_offset + _HEADER.size + name_length + extra_length
            after = bisect_right(self._borders, info.header_offset)
            if after == len(self._borders) or start + info.compress_size > self._borders[after]:
                raise self._error(info.filename, "overlaps the next member")
            self._file.seek(start)
            data = self._file.read(info.compress_size)
        if len(data) < info.compress_size:
            raise self._error(info.filename, "is truncated")
        return data

    def _unpacked(self, info: zipfile.ZipInfo, packed: bytes) -> Iterator[bytes]:
        """Yield the bytes of a member in pieces, up to the size that it declares."""
        try:
            if info.compress_type == _DEFLATED:
                yield from _inflated(packed)
            elif info.compress_type == _ZSTD:
                with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as unpacked:
                    while piece := bytes(unpacked.read(PIECE)):
                        yield piece
            else:
                yield packed
        except (zlib.error, OSError) as error:
            reason = printable(str(error))
            raise self._error(
                info.filename, f"is damaged ({reason}); download the file again"
            ) from error


def _inflated(packed: bytes) -> Iterator[bytes]:
    press = zlib.decompressobj(-zlib.MAX_WBITS)
    while packed and not press.eof:
        piece = press.decompress(packed, PIECE)
        if not piece:
            break
        yield piece
        packed = press.unconsumed_tail
    if rest := press.flush():
        yield rest
