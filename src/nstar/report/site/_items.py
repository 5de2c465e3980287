"""Files of each model's scores per item, checked as untrusted input."""

import json
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nstar._verbs.audit import Audit
from nstar._verbs.audit.item_answers import STEPS, scores_in
from nstar.report.site._source import AuditFolder, key_of, object_of, refuse, small_file

_ITEMS = ("items.json", 1 << 27)
_ANSWERS = ("answers.bin", 1 << 28)
_LEVEL = 9
_FIELDS = {"column": str, "labels": list, "codes": list}


def _is_group(group: Any, n: int) -> bool:
    """Whether this can be a column of groups."""
    if not isinstance(group, dict) or set(group) != set(_FIELDS):
        return False
    if not all(isinstance(group[key], kind) for key, kind in _FIELDS.items()):
        return False
    labels, codes = group["labels"], group["codes"]
    return (
        len(codes) == n
        and all(isinstance(label, str) for label in labels)
        and all(type(code) is int and -1 <= code < len(labels) for code in codes)
    )


def _named(source: AuditFolder, path: Path, content: bytes) -> dict[str, Any]:
    """Ids and groups of the items audited."""
    data = object_of(path, content, "nstar.items/1")
    ids, groups, n = data.get("items"), data.get("groups"), source.audit.n_items
    if not isinstance(ids, list) or len(ids) != n or not all(isinstance(i, str) for i in ids):
        refuse(path, f"does not list the {n:,} items of audit.json")
    if not isinstance(groups, list) or not all(_is_group(group, n) for group in groups):
        refuse(path, "contains groups that nstar did not write")
    return {"ids": ids, "groups": [_shown(group) for group in groups]}


def _shown(group: dict[str, Any]) -> dict[str, Any]:
    """Groups with one for items of which it is not known."""
    unknown = len(group["labels"])
    codes = [unknown if code < 0 else code for code in group["codes"]]
    return group | {"labels": [*group["labels"], "–"], "codes": codes}


def _fits(audit: Audit, i: int, row: bytes) -> bool:
    """Whether the scores of a model give its mean over as many items."""
    scores, (low, high) = scores_in(audit, row), audit.score_range
    present = ~np.isnan(scores)
    tolerance = 1e-9 if audit.is_binary else 1 / STEPS
    if int(present.sum()) != int(audit.ranking.n_items[i]):
        return False
    return bool(abs(scores[present].mean() - audit.ranking.mean[i]) <= tolerance * (high - low))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ItemFiles:
    """Items of an audit, and the scores of each model, best first."""

    key: str
    """A name for them; others have another."""
    named: bytes
    """Ids and groups, deflated JSON."""
    answers: tuple[bytes, ...]
    """Of each model: bits and where they are, or steps of the scale; deflated."""


def _rows(source: AuditFolder, path: Path, content: bytes) -> list[bytes]:
    """The scores of each model, which must be those of the audit."""
    audit = source.audit
    size = 2 * ((audit.n_items + 7) // 8) if audit.is_binary else 2 * audit.n_items
    if len(content) != size * len(audit):
        refuse(path, f"does not contain {audit.n_items:,} scores of each of {len(audit):,} models")
    rows = [content[k * size : (k + 1) * size] for k in range(len(audit))]
    for i, row in enumerate(rows):
        if not _fits(audit, i, row):
            refuse(
                path, f"has scores of {audit.ranking.model[i]!r:.40} that differ from audit.json"
            )
    return rows


def read_items(source: AuditFolder) -> ItemFiles | None:
    """Items of an audit; None if its folder has none."""
    paths = [source.folder / name for name, _ in (_ITEMS, _ANSWERS)]
    if not all(path.exists() for path in paths):
        return None
    sizes = (max_bytes for _, max_bytes in (_ITEMS, _ANSWERS))
    items_bytes, scores = map(small_file, paths, sizes)
    item_names = _named(source, paths[0], items_bytes)
    rows = _rows(source, paths[1], scores)
    return ItemFiles(
        key=key_of(items_bytes + scores),
        named=zlib.compress(json.dumps(item_names, separators=(",", ":")).encode(), _LEVEL),
        answers=tuple(zlib.compress(row, _LEVEL) for row in rows),
    )
