"""Columns of data frames. pandas Series are paired by index, all other columns by position.

Neither pandas nor polars is imported. Objects are recognized by their attributes for an index or
columns.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from nstar.errors import DataError

_MAX_LABELS_IN_MESSAGE = 3


def is_frame(values: Any) -> bool:
    """Return whether an object has rows and named columns."""
    return hasattr(values, "columns") and hasattr(values, "shape")


def holds_columns(data: object) -> bool:
    """Return whether an object is a frame, a mapping of columns, or a list of records.

    >>> holds_columns({"item": [1, 2]}), holds_columns("results.csv"), holds_columns([{"item": 1}])
    (True, False, True)
    """
    if isinstance(data, Mapping):
        return True
    if isinstance(data, list):
        return bool(data) and all(isinstance(row, Mapping) for row in data)
    speaks = any(hasattr(data, name) for name in ("__arrow_c_stream__", "__dataframe__"))
    return speaks and any(hasattr(data, name) for name in ("columns", "column_names", "schema"))


def labels_of(values: Any) -> list[Hashable] | None:
    """Return the labels of the rows of a pandas object, or None for other objects."""
    index = getattr(values, "index", None)
    if index is None or callable(index) or not hasattr(index, "tolist"):
        return None  # a list has a method of the same name
    return list(index.tolist())


def refuse_frame(name: str, values: Any) -> None:
    """Raise DataError for a data frame where scores or labels of one model are expected.

    >>> refuse_frame("a", [1, 0])
    """
    if not is_frame(values):
        return
    columns = [str(c)[:40] for c in getattr(values, "column_names", values.columns)]
    columns_text = ", ".join(columns[:10]) + (" …" if len(columns) > 10 else "")
    msg = (
        f"{name} is a data frame (columns {columns_text}); expected one column, such as "
        f'{name}.set_index("item")["score"]. '
        f"For items × runs use {name}.to_numpy(); for a long table use "
        "nstar.matrices(nstar.Table.from_frame(frame))."
    )
    raise DataError(msg)


def aligned(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values, with indexed ones in the order of the first indexed one.

    Raise DataError if two indexes do not contain the same labels, each exactly once.

    >>> aligned({"a": [1, 0], "b": (0, 1)})
    {'a': [1, 0], 'b': (0, 1)}
    """
    out = dict(columns)
    first: tuple[str, list[Hashable]] | None = None
    array_like = {k: v for k, v in columns.items() if v is not None and not isinstance(v, str)}
    known = {name: labels_of(values) for name, values in array_like.items()}
    bare = next((name for name, labels in known.items() if labels is None), None)
    for name, labels in known.items():
        if labels is None:
            continue
        if bare is not None:
            _refuse_shuffled(name, labels, bare)
        if first is None:
            first = name, labels
        elif labels != first[1]:
            out[name] = array_like[name].iloc[_places(first, (name, labels))]
    return out


def _refuse_shuffled(name: str, labels: list[Hashable], bare: str) -> None:
    """Raise DataError if an index is not in order and other values have no index."""
    places = list(range(len(labels)))
    if labels != places and set(labels) == set(places):
        msg = (
            f"{name} has an index of items, but {bare} has no index to pair by. Pass {bare} as a "
            f"Series too, or use {name}.to_numpy() to pair by position."
        )
        raise DataError(msg)


def in_order(values: Any, names: Sequence[str]) -> Any:
    """Return a Series in the order of the names if its index has each once, else unchanged."""
    labels = labels_of(values)
    if labels is None:
        return values
    place = {str(label): k for k, label in enumerate(labels)}
    if len(labels) != len(names) or place.keys() != set(names):
        return values
    return values.iloc[[place[name] for name in names]]


def _places(first: tuple[str, list[Hashable]], second: tuple[str, list[Hashable]]) -> list[int]:
    """Return the positions of the first labels in the second."""
    for name, labels in (first, second):
        label, times = Counter(labels).most_common(1)[0] if labels else ("", 0)
        if times > 1:
            msg = (
                f"{first[0]} and {second[0]} have different indexes, and the index of {name} "
                f"contains {_said(label)} {times} times, so items cannot be paired. Make the "
                "labels unique, or use .to_numpy() to pair by position."
            )
            raise DataError(msg)
    place = {label: k for k, label in enumerate(second[1])}
    lacking = [label for label in first[1] if label not in place]
    known = set(first[1])
    extra = [label for label in second[1] if label not in known]
    if lacking or extra:
        raise DataError(_difference(first[0], second[0], lacking, extra))
    return [place[label] for label in first[1]]


def _difference(first: str, second: str, lacking: list[Hashable], extra: list[Hashable]) -> str:
    parts = [
        f"{len(labels):,} of {whose} are not in {other} (such as {_few(labels)})"
        for labels, whose, other in ((lacking, first, second), (extra, second, first))
        if labels
    ]
    fix = "Give both the same labels"
    if first.isidentifier() and second.isidentifier():
        fix = f"{first}, {second} = {first}.align({second}) keeps all items (NaN = missing)"
    return (
        f"{first} and {second} have different indexes: {' and '.join(parts)}. Series "
        f"are paired by index. {fix}; .to_numpy() pairs by position."
    )


def _few(labels: list[Hashable]) -> str:
    return ", ".join(map(_said, labels[:_MAX_LABELS_IN_MESSAGE])) + (
        " …" if len(labels) > _MAX_LABELS_IN_MESSAGE else ""
    )


def _said(label: Hashable) -> str:
    text = repr(label)
    return text if len(text) <= 40 else text[:39] + "…"


def numbers(values: Any) -> Any:
    """Return values as float64, with NaN for masked values and pandas NA.

    Raise TypeError or ValueError for other values.

    >>> numbers(np.ma.array([1, 0], mask=[False, True])).tolist()
    [1.0, nan]
    """
    if isinstance(values, np.ma.MaskedArray):
        return np.ma.filled(values.astype(np.float64), np.nan)
    if np.asarray(values).dtype.kind in "mM":
        raise TypeError
    if labels_of(values) is not None and hasattr(values, "to_numpy"):
        return values.to_numpy(dtype=np.float64, na_value=np.nan)
    return np.asarray(values, dtype=np.float64)
