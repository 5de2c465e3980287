"""The items on which two models differ, one row each."""

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from nstar._base import checks
from nstar._verbs.compare.sample import PairedSample
from nstar.errors import DataError, arg

Which = Literal["gained", "lost"]


def _better(sample: PairedSample, which: Which) -> Any:
    """Places of the items on which one model does better, the widest gap first."""
    gap = sample.a - sample.b
    ahead = -gap if sample.lower_is_better != (which == "lost") else gap
    there = np.flatnonzero(ahead > 0)
    return there[np.argsort(-ahead[there], kind="stable")]


def _rows(sample: PairedSample, places: Any, columns: Sequence[str]) -> dict[str, list[Any]]:
    """Columns of some items of one task."""
    first, second = (x[places].tolist() for x in (sample.a, sample.b))
    labels = {}
    for name in columns:
        grouping = sample.groups.get(name)
        codes = [-1] * len(places) if grouping is None else grouping.codes[places].tolist()
        known = () if grouping is None else grouping.labels
        labels[name] = [None if code < 0 else known[code] for code in codes]
    return {
        "task": [sample.task] * len(places),
        "item": [sample.items[k] for k in places.tolist()],
        **labels,
        "first": first,
        "second": second,
        "gap": [x - y for x, y in zip(first, second, strict=True)],
    }


def differing(samples: Sequence[PairedSample], which: Which) -> dict[str, list[Any]]:
    """Items on which the first model does better (``gained``) or worse (``lost``), by task."""
    checks.choice("which", which, ("gained", "lost"))
    if not samples or not all(sample.items for sample in samples):
        msg = "this comparison was made without its items"
        raise DataError(msg)
    if any(sample.correction is not None for sample in samples):
        msg = f"weighted items have no score of their own; ask without {arg('weights')}"
        raise DataError(msg)
    columns = list(dict.fromkeys(name for sample in samples for name in sample.groups))
    parts = [_rows(sample, _better(sample, which), columns) for sample in samples]
    return {key: [x for part in parts for x in part[key]] for key in parts[0]}
