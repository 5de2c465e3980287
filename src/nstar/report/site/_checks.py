"""Whether an audit can be one: its models, pairs, ranks and levels fit together."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from nstar._verbs.audit import Audit
from nstar._verbs.audit.ranking import places

_SAME = ("task", "metric", "design", "items", "margin", "seed")
"""What the manifest and the audit both tell."""
_MOST_ITEMS = 1 << 31
_NEAR = 1e-9
_MOST_CRITICAL = 1e12
"""Student's t of one degree of freedom asks for this much among 20,000 models."""


def _beyond(values: Any, low: float, high: float) -> bool:
    return bool(((values < low) | (values > high)).any())


def _models(audit: Audit) -> Iterator[str]:
    names, m = audit.ranks.name, len(audit.ranks)
    if m < 2 or len(set(names)) < m:
        yield "holds fewer than two models, or one of them twice"
    if len(audit.adjacent) != m - 1 or audit.all_pairs != m * (m - 1) // 2:
        yield f"does not hold the pairs of {m:,} models"
    if sum(audit.words.values()) != audit.all_pairs:
        yield "counts other verdicts than pairs"
    if list(zip(audit.adjacent.a, audit.adjacent.b, strict=True)) != list(pairwise(names)):
        yield "lists neighbours that are none"


def _parted(audit: Audit, lines: Any) -> bool:
    """Whether no model above a line may rank below it, nor one below above."""
    ranks = audit.ranks
    worst = np.maximum.accumulate(ranks.rank_hi)
    best = np.minimum.accumulate(ranks.rank_lo[::-1])[::-1]
    return not ((worst[lines - 1] > lines) | (best[lines] <= lines)).any()


def _ranks(audit: Audit) -> Iterator[str]:
    ranks, m = audit.ranks, len(audit.ranks)
    steps = np.diff(ranks.tier)
    if ranks.tier[0] != 1 or _beyond(steps, 0, 1):
        yield "holds tiers out of order"
    if not _parted(audit, np.flatnonzero(steps) + 1):
        yield "holds tiers that its rank sets do not part"
    if (ranks.rank != places(ranks.mean, -1 if audit.lower_is_better else 1)).any():
        yield "holds ranks that are not those of the means"
    if audit.complete and ((ranks.rank < ranks.rank_lo) | (ranks.rank > ranks.rank_hi)).any():
        yield "holds ranks outside of their rank sets"
    if any(_beyond(e, 1, m) for e in (ranks.rank_lo, ranks.rank_hi, ranks.rank)):
        yield f"holds ranks beyond {m:,}"
    if (ranks.rank_lo > ranks.rank_hi).any():
        yield "holds rank sets that end before they begin"
    if audit.n > _MOST_ITEMS or (ranks.n > audit.n).any() or (audit.adjacent.n > audit.n).any():
        yield "counts more items than there are"


def _scores(audit: Audit) -> Iterator[str]:
    low, high = audit.limits
    if not -1e300 < low < high < 1e300:
        yield "has limits of scores that are none"
    width, mean = high - low, audit.ranks.mean
    if np.isnan(mean).any() or _beyond(mean, low - _NEAR * width, high + _NEAR * width):
        yield "holds means beyond the limits of scores"
    if audit.complete and not (abs(audit.adjacent.delta + np.diff(mean)) <= _NEAR * width).all():
        yield "holds gaps that are not those of the means"
    for name in ("delta0", "margin"):
        value = getattr(audit, name)
        if value is not None and not 0 < value <= width:
            yield f"has a {name} that no gap can have"


def _levels(audit: Audit) -> Iterator[str]:
    if not 0 < audit.conf < 1:
        yield f"has intervals of a level of {audit.conf:g}"
    if audit.adjust != "none" and audit.critical is None:
        yield "has no critical value"
    if audit.critical is not None and not 0 < audit.critical < _MOST_CRITICAL:
        yield f"has a critical value of {audit.critical:g}"


def objections(audit: Audit) -> Iterator[str]:
    """What an audit cannot be like, gravest first; later ones may fail after the first."""
    for part in (_models, _ranks, _scores, _levels):
        yield from part(audit)


def disagreements(manifest: dict[str, Any], audit: Audit) -> list[str]:
    """What the manifest and the audit tell differently."""
    said = {name: getattr(audit, name) for name in _SAME}
    said |= {name: getattr(audit.criteria, name) for name in ("alpha", "power")}
    return [name for name, value in said.items() if manifest.get(name) != value]
