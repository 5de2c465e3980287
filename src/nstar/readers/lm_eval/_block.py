"""Many rows at once, the fast way, as long as nothing about them is unusual."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from msgspec import UNSET
from msgspec.structs import astuple

from nstar._base.types import Array
from nstar._data.table import constant, labels
from nstar.readers._common import group_label
from nstar.readers.lm_eval._layout import RowLayout

_DIGEST = 64
"""Hexadecimal digits of a document's hash; the first 16 are kept, as by ``content_key``."""
_ABSENT: Array = np.empty(0)


def batches(
    rows: Sequence[Any], layout: RowLayout, prefix: str, constants: Mapping[str, str | None]
) -> list[pa.RecordBatch] | None:
    """A batch per metric; ``None`` if some row needs a closer look.

    Parameters
    ----------
    rows
        Rows of the layout's kind.
    layout
        How the rows of the file look.
    prefix
        What comes before the document's number in an item's name.
    constants
        Columns that are the same in all rows.
    """
    doc_ids, hashes, filters, listed, *values = zip(*map(astuple, rows), strict=True)
    docs = values.pop() if layout.groups else ()
    if listed.count(layout.listed) < len(rows) or not _all(filters, str):
        return None
    items, contents = _items(doc_ids, prefix), _contents(hashes)
    scores = [_scores(column) for column in values]
    if items is None or contents is None or any(s is None for s in scores):
        return None
    shared = {"item": items, "content": contents, **_groups(docs, layout, constants)}
    shared |= {k: constant(v, len(rows)) for k, v in constants.items() if v is not None}
    names = labels(filters)
    return [
        pa.RecordBatch.from_pydict(shared | {"score": pa.array(of), "metric": _metric(m, names)})
        for m, of in zip(layout.metrics, scores, strict=True)
        if of is not None and of is not _ABSENT
    ]


def _all(column: Sequence[Any], kind: type) -> bool:
    return set(map(type, column)) == {kind}


def _items(doc_ids: Sequence[Any], prefix: str) -> pa.Array | None:
    if not _all(doc_ids, int):
        return None
    try:
        names = labels(pa.array(doc_ids, pa.int64()).dictionary_encode())
    except (pa.ArrowException, OverflowError):
        return None
    if not prefix:
        return names
    longer = pc.binary_join_element_wise(prefix, names.dictionary, "")
    return pa.DictionaryArray.from_arrays(names.indices, longer)


def _contents(hashes: Sequence[Any]) -> pa.Array | None:
    if not _all(hashes, str) or set(map(len, hashes)) != {_DIGEST}:
        return None
    try:
        digests = bytes.fromhex("".join(hashes))
    except ValueError:
        return None
    if len(digests) != _DIGEST // 2 * len(hashes):  # there were blanks
        return None
    return pa.array(np.frombuffer(digests, ">u8")[:: _DIGEST // 16].astype(np.uint64))


def _scores(column: Sequence[Any]) -> Array | None:
    """The scores if all are finite numbers; nothing at all if no row has the metric."""
    kinds = set(map(type, column))
    if kinds == {type(UNSET)}:
        return _ABSENT
    if not kinds <= {float, int, bool}:
        return None
    try:
        scores = np.array(column, float)
    except OverflowError:
        return None
    return scores if np.isfinite(scores).all() else None


def _groups(
    docs: Sequence[Any], layout: RowLayout, constants: Mapping[str, str | None]
) -> dict[str, pa.Array]:
    """Columns of labels."""
    nothing = (None,) * len(layout.groups)
    fields = zip(*[nothing if d is None else astuple(d) for d in docs], strict=True)
    names = layout.columns(subject=constants.get("subject") is not None)
    return {
        name: labels(pa.array(map(group_label, column), pa.string()))
        for name, column in zip(names, fields, strict=False)
    }


def _metric(metric: str, filters: pa.DictionaryArray) -> pa.DictionaryArray:
    """``metric,filter`` of every row."""
    names = [f"{metric},{f}" for f in filters.dictionary.to_pylist()]
    return pa.DictionaryArray.from_arrays(filters.indices, pa.array(names, pa.string()))
