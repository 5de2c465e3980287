"""Archive: a zip of JSON files; nothing is extracted to disk and no size is believed."""

import struct
import zipfile
import zlib
from bisect import bisect_right
from typing import Any, BinaryIO, Self, TypeVar

import pyarrow as pa

from nstar.errors import ReadError
from nstar.readers._decode import BadJSON, Decoder
from nstar.readers._files import Place, in_words, printable, reading

__all__ = ["Archive"]

T = TypeVar("T")

MEMBER_CAP = 1 << 30
"""Bytes of one member."""
ENTRIES_CAP = 2_000_000
"""Members."""
DIRECTORY_CAP = 512 << 20
"""Bytes of the directory."""
RATIO_FREE = 64 << 20
"""Bytes that a member may have before the ratio is looked at."""
RATIO_CAP = 5000
"""Bytes out per byte in that no log reaches."""

_HEADER = struct.Struct("<4s5H3L2H")
_HEADER_MAGIC = b"PK\x03\x04"
_ENTRY_MAGIC = b"PK\x01\x02"
_STORED, _DEFLATED, _ZSTD = 0, 8, 93
_ENCRYPTED, _UTF8 = 0x1, 0x800


class _DirectoryFile:
    """A file as zipfile sees it while it reads the directory: too much of one is refused."""

    def __init__(self, place: Place, file: BinaryIO) -> None:
        self._place = place
        self._file = file
        self.seek = file.seek
        self.tell = file.tell

    def read(self, size: int = -1) -> bytes:
        """So many bytes."""
        data = self._file.read(min(size, DIRECTORY_CAP + 1) if size >= 0 else DIRECTORY_CAP + 1)
        if len(data) > DIRECTORY_CAP or data.count(_ENTRY_MAGIC) > ENTRIES_CAP:
            msg = f"{self._place}: more than {ENTRIES_CAP} members, or a directory as long"
            raise ReadError(msg)
        return data


class Archive:
    """Members of a zip file.

    Parameters
    ----------
    place
        The file; only its directory and the members asked for are read.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
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
        except Exception as error:  # what hostile bytes make zipfile raise is not documented
            reason = printable(str(error))[:200]
            msg = f"{self._place}: is no whole zip file ({reason}); was the run or copy cut short?"
            raise ReadError(msg) from error
        self._members = {info.filename: info for info in infos}
        self._borders = sorted({info.header_offset for info in infos} | {end})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def names(self) -> list[str]:
        """Names of the members in the order of the directory, each once."""
        return list(self._members)

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def json(self, name: str, kind: type[T]) -> T:
        """The value of a member that holds JSON.

        Parameters
        ----------
        name
            The member.
        kind
            Type of the value, as for msgspec.
        """
        decoder = self._decoders.get(kind)
        if decoder is None:
            decoder = self._decoders[kind] = Decoder[Any](kind)
        try:
            value: T = decoder(self.member(name))
        except BadJSON as bad:
            raise self._error(name, str(bad)) from bad
        return value

    def member(self, name: str, *, cap: int = MEMBER_CAP) -> bytes:
        """The bytes of a member; of several of one name, the last.

        Parameters
        ----------
        name
            The member.
        cap
            Bytes at most.
        """
        info = self._members.get(name)
        if info is None:
            raise self._error(name, "there is no such member")
        self._refuse(info, cap)
        data = self._unpacked(info, self._packed(info))
        if len(data) != info.file_size:
            raise self._error(name, f"does not have the {info.file_size} bytes it claims to have")
        if zlib.crc32(data) != info.CRC:
            raise self._error(name, "is damaged (its check sum differs); fetch the file again")
        return data

    def _error(self, name: str, problem: str) -> ReadError:
        return ReadError(f"{self._place}: member {printable(name)}: {problem}")

    def _refuse(self, info: zipfile.ZipInfo, cap: int) -> None:
        """Raise if the directory already tells that the member is not for us."""
        longest = max(info.file_size, info.compress_size)
        absurd = info.file_size > RATIO_FREE and info.file_size > RATIO_CAP * info.compress_size
        if info.flag_bits & _ENCRYPTED:
            raise self._error(info.filename, "is encrypted; decrypt it first")
        if info.compress_type not in {_STORED, _DEFLATED, _ZSTD}:
            method = f"method {info.compress_type}"
            raise self._error(info.filename, f"is packed with {method}; pack it with deflate")
        if longest > cap:
            raise self._error(info.filename, f"has {longest} bytes, more than {in_words(cap)}")
        if absurd:
            raise self._error(info.filename, "unpacks to an absurd length, as a zip bomb does")

    def _packed(self, info: zipfile.ZipInfo) -> bytes:
        """The bytes of a member as they are in the file."""
        name = info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437", "replace")
        with reading(self._place):
            self._file.seek(info.header_offset)
            header = self._file.read(_HEADER.size + len(name))
            if not header.startswith(_HEADER_MAGIC) or header[_HEADER.size :] != name:
                raise self._error(info.filename, "is not where the directory says")
            *_, name_length, extra_length = _HEADER.unpack_from(header)
            start = info.header_offset + _HEADER.size + name_length + extra_length
            after = bisect_right(self._borders, info.header_offset)
            if after == len(self._borders) or start + info.compress_size > self._borders[after]:
                raise self._error(info.filename, "overlaps what comes after it")
            self._file.seek(start)
            data = self._file.read(info.compress_size)
        if len(data) < info.compress_size:
            raise self._error(info.filename, "is cut off")
        return data

    def _unpacked(self, info: zipfile.ZipInfo, packed: bytes) -> bytes:
        """The bytes of a member, or one more than it claims to have."""
        limit = info.file_size + 1
        try:
            if info.compress_type == _DEFLATED:
                return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, limit)
            if info.compress_type == _ZSTD:
                with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as unpacked:
                    return bytes(unpacked.read(limit))
        except (zlib.error, OSError) as error:
            reason = printable(str(error))
            raise self._error(info.filename, f"is damaged ({reason}); fetch it again") from error
        return packed
