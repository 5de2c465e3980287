"""What an audit depends on, in a form that tells it from every other."""

from collections.abc import Sequence
from dataclasses import asdict
from hashlib import blake2b
from typing import Any

import numpy as np

from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.selection import Field

_ROWS = 1024
"""Rows of a matrix that are read at once."""


def _fingerprint(field: Field) -> dict[str, str]:
    """Digests of the models, the scores and the groups of items that an audit is about."""
    matrix = field.matrix
    names, scores, groups = (blake2b(digest_size=16) for _ in range(3))
    _add_texts(names, field.names)
    for part in (matrix.bits, matrix.mask, matrix.means, field.items, np.array(field.models)):
        _add_array(scores, part)
    for name, grouping in sorted(matrix.groups.items()):
        _add_texts(groups, (name, *grouping.labels))
        _add_array(groups, grouping.codes)
    return {
        "models": names.hexdigest(),
        "scores": scores.hexdigest(),
        "groups": groups.hexdigest(),
    }


def _add_texts(digest: Any, texts: Sequence[str]) -> None:
    """Texts, each with its length, so that no other texts add up to the same."""
    digest.update(b"%d texts:" % len(texts))
    for text in texts:
        content = text.encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(content))
        digest.update(content)


def _add_array(digest: Any, rows: Any) -> None:
    """An array, with its type and shape; or that there is none."""
    if rows is None:
        digest.update(b"none;")
        return
    digest.update(f"{rows.dtype.str}{rows.shape}:".encode())
    for start in range(0, len(rows), _ROWS):
        digest.update(np.ascontiguousarray(rows[start : start + _ROWS]).data)


def told_apart(field: Field, design: str, ask: AuditQuestion) -> dict[str, Any]:
    """Scores, models, criteria, and who adds them up, as JSON values."""
    return {
        "task": field.matrix.task,
        "metric": field.matrix.metric,
        "lower_is_better": field.matrix.lower_is_better,
        "design": design,
        "items": ask.items,
        "adjust": ask.adjust,
        **asdict(ask.criteria),
        "margin": ask.margin,
        "draws": ask.draws,
        "seed": ask.seed,
        "numpy": np.__version__,
        **_fingerprint(field),
    }
