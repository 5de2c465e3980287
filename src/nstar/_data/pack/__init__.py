"""Packed matrices: memory-mapped files with a ScoreMatrix that may be larger than memory."""

from nstar._data.pack.load import is_pack, open_pack, packed_findings
from nstar._data.pack.write import pack

__all__ = ["is_pack", "open_pack", "pack", "packed_findings"]
