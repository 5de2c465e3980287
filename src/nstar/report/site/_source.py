"""A folder that ``nstar audit --out`` wrote, read as if a stranger had sent it."""

import json
import os
import stat
from dataclasses import dataclass
from hashlib import blake2b
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from nstar._audit import Audit
from nstar.errors import DataError
from nstar.report._clean import cleaned
from nstar.report._document import Document
from nstar.report.site._revive import published, revive, words_of

__all__ = ["MEND", "Source", "read_source"]

MEND = "write the audit again, into a new folder: nstar audit … --out FOLDER"
_MOST_MODELS = 20_000
_MANIFEST = ("manifest.json", 1 << 20)
_AUDIT = ("audit.json", 1 << 28)
_SAME = ("task", "metric", "design", "items", "margin", "seed")
"""What the manifest and the audit both tell."""
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A named pipe must not keep us waiting."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Source:
    """One audit, with a folder of pairs beside it."""

    folder: Path
    """Where it lies."""
    audit: Audit
    """Ranks, neighbours, counts."""
    words: Document
    """Headline, notes, assumptions, paragraph."""
    data: dict[str, Any]
    """``audit.json``, as it may be shown to all."""
    scores: str
    """Digest of the scores."""

    @property
    def pairs(self) -> Path:
        """Folder of the parts."""
        return self.folder / "pairs"

    @property
    def design(self) -> str:
        """``items``, ``strata`` or ``cluster``."""
        return self.audit.design.partition(":")[0]

    @property
    def counted(self) -> bool:
        """Whether a pair is told by counts: 0/1 scores on independent items."""
        return self.audit.scale == "binary" and self.design == "items"

    def digest(self) -> str:
        """A name for these pairs in this order; other pairs have another."""
        audit = self.audit
        order = json.dumps([self.scores, audit.design, audit.items, audit.n, *audit.ranks.name])
        return blake2b(order.encode(), digest_size=6).hexdigest()


def _bytes(folder: Path, name: str, most: int) -> bytes:
    """A small regular file."""
    path = folder / name
    try:
        with os.fdopen(os.open(path, _FLAGS), "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                msg = f"{path}: is no regular file"
                raise DataError(msg)
            content = file.read(most + 1)
    except FileNotFoundError as error:
        msg = f"{folder}: has no {name}; give a folder written by nstar audit … --out FOLDER"
        raise DataError(msg) from error
    except OSError as error:
        msg = f"{path}: cannot be read: {error.strerror or error}"
        raise DataError(msg) from error
    if len(content) > most:
        msg = f"{path}: is larger than {most >> 20:,} MB, which no audit is; {MEND}"
        raise DataError(msg)
    return content


def _no_constant(text: str) -> Any:
    msg = f"{text} is no number of JSON"
    raise ValueError(msg)


def _object(folder: Path, name: str, content: bytes, schema: str) -> dict[str, Any]:
    path = folder / name
    try:
        found = json.loads(content, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        msg = f"{path}: is no JSON: {error}; {MEND}"
        raise DataError(msg) from error
    said = found.get("schema") if isinstance(found, dict) else None
    if said == "nstar.leaderboard/1":
        msg = f"{path}: holds several tasks; a site shows one per audit (--task TASK --out FOLDER)"
        raise DataError(msg)
    if said != schema:
        msg = f"{path}: is not of the schema {schema} but of {said!r:.60}; {MEND}"
        raise DataError(msg)
    return dict(found)


def _refuse(path: Path, why: str) -> None:
    msg = f"{path}: {why}; {MEND}"
    raise DataError(msg)


def _check_ranks(path: Path, audit: Audit) -> None:
    names, m = audit.ranks.name, len(audit.ranks)
    if m > _MOST_MODELS:
        msg = f"{path}: a site holds up to {_MOST_MODELS:,} models, here are {m:,}; choose some"
        raise DataError(msg)
    if m < 2 or len(set(names)) < m:
        _refuse(path, "holds fewer than two models, or one of them twice")
    if len(audit.adjacent) != m - 1 or audit.all_pairs != m * (m - 1) // 2:
        _refuse(path, f"does not hold the pairs of {m:,} models")
    if list(zip(audit.adjacent.a, audit.adjacent.b, strict=True)) != list(pairwise(names)):
        _refuse(path, "lists neighbours that are none")
    ranks = audit.ranks
    steps = np.diff(ranks.tier, prepend=ranks.tier[:1])
    if ((steps < 0) | (steps > 1)).any() or not np.isfinite(ranks.mean).all():
        _refuse(path, "holds means or tiers out of order")
    ends = (ranks.rank_lo, ranks.rank_hi, ranks.rank)
    if any(((e < 1) | (e > m)).any() for e in ends) or (ranks.rank_lo > ranks.rank_hi).any():
        _refuse(path, f"holds ranks beyond {m:,}")
    if audit.n > 1 << 31 or (ranks.n > audit.n).any() or not audit.limits[0] < audit.limits[1]:
        _refuse(path, "counts more items than there are")


def _check_manifest(folder: Path, manifest: dict[str, Any], data: dict[str, Any]) -> None:
    said = {**data, **data["criteria"]}
    other = [k for k in (*_SAME, "alpha", "power") if manifest.get(k) != said.get(k)]
    if other:
        _refuse(folder, f"manifest.json and audit.json differ in {', '.join(other)}")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def read_source(folder: str) -> Source:
    """One AUDIT folder.

    Raises
    ------
    DataError
        If it is none, or does not agree with itself; the message names the file and the mend.
    """
    root = Path(folder)
    if not root.is_dir():
        msg = f"{folder}: is no folder; give one written by nstar audit … --out FOLDER"
        raise DataError(msg)
    manifest = _object(root, _MANIFEST[0], _bytes(root, *_MANIFEST), "nstar.pairs/1")
    data = _object(root, _AUDIT[0], _bytes(root, *_AUDIT), "nstar.audit/1")
    try:
        audit, words, shown = revive(data), cleaned(words_of(data)), published(data)
        _check_manifest(root, manifest, data)
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        if isinstance(error, DataError):
            raise
        what = f"lacks {error}" if isinstance(error, KeyError) else str(error)
        msg = f"{root / _AUDIT[0]}: {what}; {MEND}"
        raise DataError(msg) from error
    _check_ranks(root / _AUDIT[0], audit)
    scores = _text(manifest.get("scores"))
    return Source(folder=root, audit=audit, words=words, data=shown, scores=scores)
