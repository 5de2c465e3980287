"""Watch: a comparison that is valid after every item, and reports when to stop."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, replace
from itertools import islice
from typing import Any, Self, TypeVar

import numpy as np

from nstar._base import checks
from nstar._base.parameter_types import Gap, ItemCount, Name, Proportion
from nstar._base.verb import needs, verb
from nstar._verbs.verdict import WatchWord
from nstar._verbs.watch.batch import BatchState, count_all
from nstar._verbs.watch.evidence import Evidence, begin, restored
from nstar._verbs.watch.evidence_path import EvidencePath, EvidencePoint, moments
from nstar._verbs.watch.ledger import ItemLedger, ItemPair
from nstar._verbs.watch.look import look, note_end, summary, word
from nstar._verbs.watch.order import OrderCheck
from nstar._verbs.watch.question import WatchQuestion, WatchScale
from nstar._verbs.watch.result import ArrivalOrder, Decision, Moment, WatchResult, detectable_gap
from nstar._verbs.watch.state import WatchState
from nstar._verbs.watch.state_checks import opened, sealed
from nstar.errors import DataError, ParameterError

T = TypeVar("T")

_SCHEMA = "nstar.watch-state/1"
_ITEMS_PER_BATCH = 1024
"""Number of items that are counted together."""
_DAMAGE = (KeyError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError)
"""Exceptions that a damaged state can cause."""


class Watch:
    """Comparison of two models, item by item, until there is a decision.

    You may look after every item and stop for any reason. The probability of any false verdict is
    at most ``alpha``, unless ``asymptotic`` is set. The order of the items must not depend on the
    scores.

    Parameters
    ----------
    items : int
        Number of planned items. The test is tuned for this number.
    margin : float, optional
        Largest acceptable loss, such as 0.01 (1 pp). Also stop once A is shown to be non-inferior
        at this margin.
    equivalence : bool, default False
        Stop once the models are shown to be equivalent within the margin.
    scale : {"binary", "graded"}, default "binary"
        Type of scores: 0 or 1 (binary), or any number from 0 to 1 (graded).
    lower_is_better : bool, default False
        Declare that lower scores are better, as with times and error rates. A positive gap is then
        a loss.
    a : str, default "first"
        Name of the first model.
    b : str, default "second"
        Name of the second model.

    Other Parameters
    ----------------
    psi : float, optional
        Share of items that exactly one model answers correctly, for 0/1 scores. The default is
        0.2. A wrong value increases the number of items, but the test remains valid.
    asymptotic : bool, default False
        Allow graded scores without bounds, although the error rate is then only approximate. The
        error rate holds only as averages become normal. Rare large losses can make false positives
        far more frequent than ``alpha``.
    alpha : float, default 0.05
        Significance level of the tests. It bounds the probability of any false verdict, however
        often you look.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed. Gaps of size
        :attr:`detectable` are detected with this probability by the last item.

    Examples
    --------
    >>> watch = Watch(items=200)
    >>> for item in watch.stream(range(200)):
    ...     watch.update(a=1, b=item % 3 > 0)
    >>> watch.decision.verdict, watch.decision.n_items, watch.decision.n_items_saved
    ('better', 25, 175)
    """

    @verb(needs("equivalence", "margin"))
    def __init__(  # noqa: PLR0913
        self,
        *,
        items: ItemCount,
        margin: Gap | None = None,
        equivalence: bool = False,
        scale: WatchScale = "binary",
        lower_is_better: bool = False,
        a: Name = "first",
        b: Name = "second",
        psi: Proportion | None = None,
        asymptotic: bool = False,
        alpha: Proportion = 0.05,
        power: Proportion = 0.8,
    ) -> None:
        question = WatchQuestion(
            items=items,
            alpha=alpha,
            margin=margin,
            equivalence=equivalence,
            scale=scale,
            psi=psi,
            asymptotic=asymptotic,
            lower_is_better=lower_is_better,
            power=power,
            models=(a, b),
        )
        self._set(question, begin(question), WatchState(), OrderCheck(), EvidencePath())

    def _set(
        self,
        question: WatchQuestion,
        evidence: Evidence,
        standing: WatchState,
        order: OrderCheck,
        path: EvidencePath,
    ) -> None:
        self.question = question
        """What is asked."""
        self.order: OrderCheck = order
        """Whether the items come in random order."""
        self.path: EvidencePath = path
        """The way of the evidence so far."""
        self._evidence, self._standing = evidence, standing
        self._ledger = ItemLedger()

    @classmethod
    def asking(cls, question: WatchQuestion) -> Self:
        """Return a watch before its first item."""
        watch = cls.__new__(cls)
        watch._set(question, begin(question), WatchState(), OrderCheck(), EvidencePath())  # noqa: SLF001
        return watch

    @property
    def n_items(self) -> int:
        """Return the number of items so far."""
        return self._evidence.n

    @property
    def n_items_unscored(self) -> int:
        """Return the number of items without a score of one model."""
        return self._standing.unscored

    @property
    def score_range(self) -> tuple[float, float]:
        """Return 0 and 1, or the worst and best score so far if they lie outside."""
        return self._standing.low, self._standing.high

    @property
    def lower_is_better(self) -> bool:
        """Return whether a positive gap is a loss."""
        return self.question.lower_is_better

    def __contains__(self, item: object) -> bool:
        """Return whether an item of this name was counted."""
        return str(item) in self._ledger

    @property
    def items(self) -> Iterable[str]:
        """Return the names of the counted items in order."""
        return self._ledger.names

    def check_again(self, item: str | int, a: float | None, b: float | None) -> None:
        """Raise an error if a counted item has another score now, which indicates another run."""
        self._ledger.check(str(item), a, b)

    def update(
        self,
        a: float | None,
        b: float | None,
        item: str | int | None = None,
        group: str | None = None,
        cost: float | None = None,
    ) -> None:
        """Add one item.

        Parameters
        ----------
        a, b : float or None
            Scores of the first and the second model. None or NaN is a missing score: the item is
            excluded and counted as such.
        item : str or int, optional
            Name of the item. A repeated name raises an error.
        group : str, optional
            Group of the item, such as a subject or passage. The order of items is tested for
            sorting by group.
        cost : float, optional
            Cost of the item.
        """
        if item is not None and item in self:
            msg = f"Item {str(item)[:80]!r} was already counted, and each item counts only once."
            raise DataError(msg)
        evidence, standing = self._evidence, replace(self._standing)
        if cost is not None:
            checks.nonnegative("cost", cost)
            standing.spend(float(cost))
        checks.instance("a", a, int | float | np.number | np.bool_, "a number or None")
        checks.instance("b", b, int | float | np.number | np.bool_, "a number or None")
        if a is None or b is None or np.isnan(a) or np.isnan(b):
            standing.unscored += 1
        else:
            scores = tuple(self.question.checked(float(score), item) for score in (a, b))
            standing.low, standing.high = (
                min(standing.low, *scores),
                max(standing.high, *scores),
            )
            ahead = scores[1] - scores[0] if self.lower_is_better else scores[0] - scores[1]
            evidence = evidence.add(ahead)
            look(evidence, self.question, standing)
        note_end(evidence.n, self.question, standing)
        self._commit(evidence, standing)
        if item is not None:
            self._ledger.add(str(item), a, b)
        self.order.add(item=None if item is None else str(item), group=group)

    def extend(self, pairs: "Iterable[ItemPair | tuple[float, float]]") -> None:
        """Add many items, like :meth:`update` for each of them, but much faster with names.

        Parameters
        ----------
        pairs : iterable of ItemPair or tuple of float
            Scores of both models, ``zip(scores_a, scores_b)``, or :class:`nstar.types.ItemPair`
            with the name of each item.
        """
        rest = iter(pairs)
        while mixed := list(islice(rest, _ITEMS_PER_BATCH)):
            item_pairs = [pair for pair in mixed if isinstance(pair, ItemPair)]
            if len(item_pairs) < len(mixed):
                for pair in mixed:
                    self._update_pair(pair)
                continue
            now = BatchState(self._evidence, self._standing, self.order, self.path)
            new = not any(pair.item is not None and pair.item in self for pair in item_pairs)
            counted = count_all(self.question, now, item_pairs) if new else None
            if counted is None:
                for p in item_pairs:
                    self._update_pair(p)
                continue
            self._evidence, self._standing, self.order, self.path = counted
            self._ledger.add_all(item_pairs)

    def _update_pair(self, pair: "ItemPair | tuple[float, float]") -> None:
        if isinstance(pair, ItemPair):
            self.update(pair.a, pair.b, item=pair.item, group=pair.group, cost=pair.cost)
        else:
            a, b = pair
            self.update(a, b)

    def _commit(self, evidence: Evidence, standing: WatchState) -> None:
        """Store the new state at once, so that an interruption changes nothing."""
        scored = evidence is not self._evidence
        self._evidence, self._standing = evidence, standing
        if scored and self.path.due(self.n_items):
            self.path.add(self._point())
        if scored and standing.decided_at == self.n_items:
            self.path.turn = self._point()

    def _point(self) -> EvidencePoint:
        return EvidencePoint(self.n_items, self._evidence.log_differs(), self._evidence.seen())

    @property
    def verdict(self) -> WatchWord:
        """Return the current verdict, which is fast enough after every item.

        A verdict stays, except that "noninferior" and "equivalent" may become "better".
        """
        return word(self._standing)

    @property
    def decision(self) -> Decision:
        """Return the verdict and the evidence for it."""
        return summary(self._evidence, self.question, self._standing)

    @property
    def result(self) -> WatchResult:
        """Return the current result, to print, save, draw, or keep."""
        decision = self.decision
        return WatchResult(
            **{f.name: getattr(decision, f.name) for f in fields(decision)},
            question=self.question,
            n_items_unscored=self.n_items_unscored,
            score_range=self.score_range,
            order=ArrivalOrder(
                sorted_by=self.order.sorted,
                n_groups=len(self.order.groups),
                n_blocks=self.order.runs,
            ),
            moments=self.moments,
        )

    @property
    def moments(self) -> tuple[Moment, ...]:
        """Return gap, sequence, and e-values at up to 66 items on the way, for a figure."""
        points = self.path.all_with(self._point()) if self.n_items else []
        return moments(self.question, self._standing, points)

    @property
    def mde(self) -> float | None:
        """Return the smallest gap detected by the end with the target power; 0/1 scores only."""
        return detectable_gap(self.question)

    def __str__(self) -> str:
        """Return the report as plain text."""
        return str(self.result)

    def __repr__(self) -> str:
        """Return the beginning of the report in one line."""
        return repr(self.result).replace("<WatchResult", "<Watch", 1)

    def _repr_html_(self) -> str:
        """Return the report for a notebook. Names from logs are escaped."""
        return self.result._repr_html_()

    def stream(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items until there is a reason to stop.

        Call :meth:`update` for each of them. A resumed watch needs the items that it has not had
        yet: ``watch.stream(items[watch.n_items:])``.
        """
        for item in items:
            if self.verdict != "open":
                return
            yield item

    def to_dict(self) -> dict[str, Any]:
        """Return the complete state for JSON, from which :meth:`from_dict` resumes."""
        return sealed(
            {
                "schema": _SCHEMA,
                "question": self.question.to_dict(),
                "evidence": self._evidence.to_dict(),
                "standing": self._standing.to_dict(),
                "order": self.order.to_dict(),
                "path": self.path.to_dict(),
                "items": self._ledger.to_dict(),
            }
        )

    @classmethod
    def from_dict(cls, saved: Mapping[str, Any], *, question: WatchQuestion | None = None) -> Self:
        """Restore a watch.

        Parameters
        ----------
        saved : mapping
            Result of :meth:`to_dict`.
        question : WatchQuestion, optional
            Current question. A state for another question raises an error.
        """
        if saved.get("schema") != _SCHEMA:
            msg = f"The schema of the saved state must be {_SCHEMA}; got {saved.get('schema')!r}"
            raise ParameterError(msg)
        try:
            saved_question = WatchQuestion.from_dict(opened(saved)["question"])
            if question is not None:
                question.refuse_other(saved_question)
            return cls._restored(saved_question, saved)
        except ParameterError:
            raise
        except _DAMAGE as error:
            msg = f"Cannot read the saved state: {error!r:.200}"
            raise ParameterError(msg) from error

    @classmethod
    def _restored(cls, saved_question: WatchQuestion, saved: Mapping[str, Any]) -> Self:
        evidence = restored(saved_question, saved["evidence"])
        standing = WatchState.from_dict(saved["standing"])
        standing.check(saved_question, evidence.n, evidence.log_differs())
        watch = cls.asking(saved_question)
        last = EvidencePoint(evidence.n, evidence.log_differs(), evidence.seen())
        order, path = (
            OrderCheck.from_dict(saved["order"]),
            EvidencePath.from_dict(saved["path"], last),
        )
        watch._set(saved_question, evidence, standing, order, path)  # noqa: SLF001 its own class
        max_items = evidence.n + standing.unscored
        watch._ledger = ItemLedger.from_dict(saved["items"], max_items)  # noqa: SLF001
        return watch
