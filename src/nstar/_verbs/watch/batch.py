"""Count many items together, with the same result as :meth:`Watch.update` one by one."""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from nstar._base.types import Array
from nstar._verbs.watch.batch_evidence import EvidenceBatch, stretch
from nstar._verbs.watch.evidence import Evidence
from nstar._verbs.watch.evidence_path import EvidencePath, EvidencePoint
from nstar._verbs.watch.ledger import ItemPair, known
from nstar._verbs.watch.look import look_along, note_end
from nstar._verbs.watch.order import OrderCheck
from nstar._verbs.watch.question import WatchQuestion
from nstar._verbs.watch.state import WatchState


class BatchState(NamedTuple):
    """State of a watch after some items."""

    evidence: Evidence
    standing: WatchState
    order: OrderCheck
    path: EvidencePath


def count_all(
    question: WatchQuestion, before: BatchState, pairs: Sequence[ItemPair]
) -> BatchState | None:
    """Return the state after these new items; None if they must be counted one by one.

    This is the case if one of them must be refused, or if more items arrive than were planned
    while others have no score.
    """
    standing = replace(before.standing)
    order = replace(before.order, groups=dict(before.order.groups))
    scores = [s for p in pairs if None not in (s := (known(p.a), known(p.b)))]
    costs = [p.cost for p in pairs if p.cost is not None]
    table = np.array(scores, dtype=np.float64).reshape(-1, 2)
    standing.unscored += len(pairs) - len(scores)
    beyond = before.evidence.n + len(scores) + standing.unscored > question.items
    fits = question.allows(table) and all(0 <= cost < np.inf for cost in costs)
    names = [p.item for p in pairs if p.item is not None]
    if not fits or (beyond and standing.unscored) or len(set(names)) < len(names):
        return None
    for cost in costs:
        standing.spend(float(cost))
    for p in pairs:
        order.add(item=p.item, group=p.group)
    counted = BatchState(before.evidence, standing, order, before.path)
    if scores:
        counted = _weighed(question, counted, table)
    note_end(counted.evidence.n, question, standing)
    return counted


def _weighed(question: WatchQuestion, before: BatchState, scores: Array) -> BatchState:
    standing, path = before.standing, replace(before.path, points=[*before.path.points])
    standing.low = min(standing.low, float(scores.min()))
    standing.high = max(standing.high, float(scores.max()))
    better, worse = scores.T[::-1] if question.lower_is_better else scores.T
    batch = stretch(before.evidence, question.method, better - worse)
    look_along(batch, question, standing)
    first, last = int(batch.n[0]), int(batch.n[-1])
    n = first + -first % path.stride
    while n <= last:
        path.add(_point(batch, n - first))
        n += path.stride - n % path.stride
    if standing.decided_at is not None and standing.decided_at >= first:
        path.turn = _point(batch, standing.decided_at - first)
    return BatchState(batch.at(len(scores) - 1), standing, before.order, path)


def _point(batch: EvidenceBatch, k: int) -> EvidencePoint:
    evidence = batch.at(k)
    return EvidencePoint(evidence.n, evidence.log_differs(), evidence.seen())
