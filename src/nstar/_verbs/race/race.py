"""Race: compare several models item by item, and drop those that another model beats."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple, Self, TypeVar

import numpy as np

from nstar._base import checks
from nstar._base.parameter_types import Gap, ItemCount, Proportion
from nstar._base.types import Array, BoolArray, IntArray
from nstar._base.verb import verb
from nstar._verbs.race.answer_store import AnswerStore
from nstar._verbs.race.evidence import RaceEvidence, begin, items_more
from nstar._verbs.race.question import RaceQuestion
from nstar._verbs.race.result import ActiveModel, EliminatedModel, RaceResult
from nstar._verbs.verdict import RaceWord, judge_race
from nstar._verbs.watch.order import OrderCheck
from nstar._verbs.watch.question import WatchScale
from nstar._verbs.watch.result import ArrivalOrder
from nstar.errors import DataError, ParameterError
from nstar.stats.mcnemar import P_FLOOR

T = TypeVar("T")

_TIE = 1e-12
"""Slack in log E at the threshold, far above rounding error."""
_CHECKS = 200
"""Number of checks of the margin before the last item, because each is slow."""


class _Elimination(NamedTuple):
    """Elimination of a model: time, rival, and evidence."""

    by: int
    at: int
    gap: float
    log_e: float


class Race:
    """Race of several models on the same items, until one model is left.

    A model is dropped once another one is shown to be better. You may look after every item and
    stop for any reason: the probability that the best model is ever dropped is at most ``alpha``.
    If several models are equally good, that holds for each of them. Items must be independent, and
    their order must not depend on the scores.

    Parameters
    ----------
    models : sequence of str
        Names of two models or more. No model can join later.
    items : int
        Planned items.
    margin : float, optional
        Largest gap that does not matter, such as 0.02 (2 pp). Also stop once all remaining models
        are shown to be within this margin of each other.
    scale : {"binary", "graded"}, default "binary"
        Type of scores: 0 or 1 (binary), or any number from 0 to 1 (graded).
    lower_is_better : bool, default False
        Declare that lower scores are better, as with times and error rates.

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests. It bounds the probability that the best model is ever
        dropped.

    Examples
    --------
    >>> race = Race(["wren", "heron", "ibis"], items=200)
    >>> for k in race.stream(range(200)):
    ...     right = {"wren": 1, "heron": k % 3 > 0, "ibis": k % 2}
    ...     race.update({name: right[name] for name in race.running})
    >>> race.verdict, race.running, race.n_items
    ('winner', ('wren',), 19)
    >>> [(m.model, m.beaten_by, m.n_items) for m in race.result.eliminated_models]
    [('heron', 'wren', 19), ('ibis', 'wren', 13)]
    """

    @verb()
    def __init__(
        self,
        models: Sequence[str],
        *,
        items: ItemCount,
        margin: Gap | None = None,
        scale: WatchScale = "binary",
        lower_is_better: bool = False,
        alpha: Proportion = 0.05,
    ) -> None:
        self._set(
            RaceQuestion(
                models=tuple(models) if not isinstance(models, str) else (models,),
                items=items,
                alpha=alpha,
                margin=margin,
                scale=scale,
                lower_is_better=lower_is_better,
            )
        )

    def _set(self, question: RaceQuestion) -> None:
        self.question = question
        """What is asked."""
        self.order: OrderCheck = OrderCheck()
        """Whether the items come in random order."""
        self._index = {name: k for k, name in enumerate(question.models)}
        self._evidence: RaceEvidence = begin(question)
        self._bank = AnswerStore(models=len(question.models))
        self._alive = set(self._index.values())
        self._falls: dict[int, _Elimination] = {}
        self._n = self._used = self._unnamed = 0
        self._within = False
        self._sums = np.zeros((2, len(question.models)))

    @classmethod
    def asking(cls, question: RaceQuestion) -> Self:
        """Return a race before its first item."""
        race = cls.__new__(cls)
        race._set(question)  # noqa: SLF001 its own class
        return race

    @property
    def n_items(self) -> int:
        """Return the number of counted items."""
        return self._n

    @property
    def running(self) -> tuple[str, ...]:
        """Return the remaining models, in their original order."""
        return tuple(self.question.models[k] for k in sorted(self._alive))

    def wants(self, model: str) -> bool:
        """Return whether an answer of this model can still matter."""
        return self.verdict == "open" and self._at(model) in self._alive

    @property
    def verdict(self) -> RaceWord:
        """Return the current verdict, which is fast enough after every answer."""
        left = max(self.question.items - self._n, 0)
        return judge_race(len(self._alive), within=self._within, left=left)

    @property
    def n_answers_repeated(self) -> int:
        """Return the number of repeated answers; the first one counts."""
        return self._bank.again

    def _at(self, model: str) -> int:
        if model not in self._index:
            names = ", ".join(name[:40] for name in self.question.models[:8])
            msg = f"No model {str(model)[:80]!r} in the race. Available: {names}."
            raise ParameterError(msg)
        return self._index[model]

    def add(
        self,
        model: str,
        item: str | int,
        score: float | None,
        *,
        group: str | None = None,
        cost: float | None = None,
    ) -> None:
        """Add one answer. An item counts once all active models have answered it.

        Parameters
        ----------
        model : str
            Name of the model.
        item : str or int
            Name of the item. A second answer of the same model to the item is ignored.
        score : float or None
            Score. None or NaN is a missing score, which does not affect comparisons with this
            model.
        group : str, optional
            Group of the item, such as a subject or passage. The order of items is tested for
            sorting by group.
        cost : float, optional
            Cost of the answer.
        """
        at, name = self._at(model), str(item)
        checks.instance("score", score, int | float | np.number | np.bool_, "a number or None")
        known = self.question.checked(None if score is None else float(score), name, model)
        if cost is not None:
            checks.nonnegative("cost", cost)
        if not self._bank.add(at, name, known, group):
            return
        if cost is not None:
            self._bank.pay(float(cost))
        if not self._ended and self._bank.is_complete(name, self._alive):
            self._count(name)

    def update(
        self,
        scores: Mapping[str, float | None],
        item: str | int | None = None,
        group: str | None = None,
        cost: float | None = None,
    ) -> None:
        """Add one item, with the answers of all active models.

        Parameters
        ----------
        scores : mapping from str to float or None
            Score by model. Scores of eliminated models are stored but not needed.
        item : str or int, optional
            Name of the item. A repeated name raises an error.
        group : str, optional
            Group of the item, such as a subject or passage. The order of items is tested for
            sorting by group.
        cost : float, optional
            Cost of each answer.
        """
        missing = [name for name in self.running if name not in scores]
        if missing and not self._ended:
            msg = (
                f"The remaining model {missing[0][:80]!r} has no answer. Use None for a missing "
                "score."
            )
            raise DataError(msg)
        if item is not None and str(item) in self._bank.answers:
            msg = f"Item {str(item)[:80]!r} was already counted, and each item counts only once."
            raise DataError(msg)
        self._unnamed += item is None
        name = f"\0{self._unnamed}" if item is None else str(item)
        for model, score in scores.items():  # nothing is stored if one of them is invalid
            self._at(model)
            checks.instance("score", score, int | float | np.number | np.bool_, "a number")
            value = None if score is None else float(score)
            self.question.checked(value, None if item is None else name, model)
        late = [m for m in scores if m not in self.running]
        for model in (*late, *(m for m in scores if m not in late)):
            self.add(model, name, scores[model], group=group, cost=cost)

    @property
    def _ended(self) -> bool:
        return len(self._alive) == 1 or self._within

    def _count(self, first: str) -> None:
        """Count an item, and those that waited only for a model that it drops."""
        ready = [first]
        while ready and not self._ended:
            before = len(self._alive)
            self._count_one(ready.pop(0))
            if len(self._alive) < before:
                ready = self._bank.complete(self._alive)

    def _count_one(self, item: str) -> None:
        raw, group = self._bank.take(item)
        running = np.zeros(raw.size, dtype=bool)
        running[list(self._alive)] = True
        scores = -raw if self.question.lower_is_better else raw
        self._evidence.add(scores, running)
        self._n += 1
        self._used += len(self._alive)
        known = running & np.isfinite(raw)
        self._sums += np.where(known, [np.nan_to_num(raw), known], 0.0)
        self.order.add(item=None if item.startswith("\0") else item, group=group)
        self._drop(scores, running)
        self._look_at_margin()

    def _drop(self, scores: Array, running: BoolArray) -> None:
        """Drop the models that others beat, by the strongest evidence first."""
        with np.errstate(invalid="ignore"):
            ahead = (scores[:, None] > scores) & running[:, None] & running
        rows, columns = (np.asarray(k, dtype=np.int64) for k in np.nonzero(ahead))
        if not rows.size:
            return
        log_e = self._evidence.lead(rows, columns)
        for k in np.argsort(-log_e, kind="stable").tolist():
            by, model = int(rows[k]), int(columns[k])
            if log_e[k] < self.question.log_e_value_threshold - _TIE:
                return
            if by in self._alive and model in self._alive:
                gap = self._evidence.gap(model, by)
                self._alive.remove(model)
                self._falls[model] = _Elimination(by, self._n, self._raw(gap), float(log_e[k]))

    def _look_at_margin(self) -> None:
        """Check whether all remaining models are within the margin of each other."""
        margin, last = self.question.margin, self.question.items
        due = self._n % max(last // _CHECKS, 1) == 0 or self._n == last
        if margin is None or not due or len(self._alive) == 1:
            return
        rows, columns = self._pairs()
        gaps = [self._evidence.gap(i, j) for i, j in zip(rows, columns, strict=True)]
        if min(gaps) > -margin:
            safe = self._evidence.safe(rows, columns)
            self._within = bool((safe >= self.question.log_e_value_threshold - _TIE).all())

    def _pairs(self) -> tuple[IntArray, IntArray]:
        """Return rows and columns of all active pairs, in both directions."""
        alive = np.array(sorted(self._alive), dtype=np.int64)
        rows, columns = np.repeat(alive, alive.size), np.tile(alive, alive.size)
        return rows[rows != columns], columns[rows != columns]

    def _raw(self, gap: float) -> float:
        """Return a gap in score units, from one that is positive for the better model."""
        return -gap if self.question.lower_is_better and gap else gap

    def stream(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items until the race has ended; call :meth:`update` for each."""
        for item in items:
            if self.verdict != "open":
                return
            yield item

    @property
    def result(self) -> RaceResult:
        """Return the current result, to print, save, or keep."""
        bank, grid = self._bank, self.question.n_answers_planned
        answer_counts = (
            bank.given if self.verdict != "open" else [bank.given[k] for k in self._falls]
        )
        saved = sum(max(self.question.items - count, 0) for count in answer_counts)
        price = bank.paid / bank.priced if bank.priced else None
        survivors = self._survivors()
        return RaceResult(
            question=self.question,
            verdict=self.verdict,
            n_items=self._n,
            n_items_left=max(self.question.items - self._n, 0),
            active_models=survivors,
            eliminated_models=tuple(self._fallen(k) for k in reversed(self._falls)),
            n_answers_used=self._used,
            n_answers=sum(bank.given),
            n_answers_saved=min(saved, grid),
            cost_saved=None if price is None else price * saved,
            n_items_waiting=0 if self._ended else len(bank.open),
            n_answers_unscored=bank.unscored,
            order=ArrivalOrder(
                sorted_by=self.order.sorted,
                n_groups=len(self.order.groups),
                n_blocks=self.order.runs,
            ),
        )

    def _fallen(self, model: int) -> EliminatedModel:
        fall, names = self._falls[model], self.question.models
        p = self.question.rivals * float(np.exp(-fall.log_e))
        return EliminatedModel(
            model=names[model],
            beaten_by=names[fall.by],
            n_items=fall.at,
            gap=fall.gap,
            log_e_value=fall.log_e,
            pvalue=min(max(p, P_FLOOR), 1.0),
            n_answers=self._bank.given[model],
        )

    def _survivors(self) -> tuple[ActiveModel, ...]:
        sums, counts = self._sums
        with np.errstate(invalid="ignore"):
            means = np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)
        best = np.nan_to_num(means if self.question.lower_is_better else -means, nan=np.inf)
        ranked = sorted(self._alive, key=lambda k: (best[k], k))
        rows, columns = self._pairs()
        against: dict[int, tuple[float, int]] = {}
        if rows.size and self._n:
            log_e = self._evidence.lead(rows, columns).tolist()
            for by, model, value in zip(rows.tolist(), columns.tolist(), log_e, strict=True):
                against[model] = max(against.get(model, (-np.inf, -1)), (value, by))
        return tuple(self._runner(k, ranked[0], float(means[k]), against.get(k)) for k in ranked)

    def _runner(
        self, k: int, leader: int, mean: float, against: tuple[float, int] | None
    ) -> ActiveModel:
        names, behind = self.question.models, k != leader and self._n > 0
        sequence = self._evidence.sequence(k, leader) if behind else None
        if sequence is not None and self.question.lower_is_better:
            sequence = type(sequence)(-sequence.high, -sequence.low)
        return ActiveModel(
            model=names[k],
            mean=mean,
            gap=self._raw(self._evidence.gap(k, leader)) if behind else None,
            confidence_sequence=sequence,
            rival=None if against is None else names[against[1]],
            log_e_value=0.0 if against is None else against[0],
            more_items=items_more(self._evidence, leader, k) if behind else None,
            n_answers=self._bank.given[k],
        )

    def __str__(self) -> str:
        """Return the report as plain text."""
        return str(self.result)

    def __repr__(self) -> str:
        """Return the beginning of the report in one line."""
        return repr(self.result).replace("<RaceResult", "<Race", 1)

    def _repr_html_(self) -> str:
        """Return the report for a notebook. Names from logs are escaped."""
        return self.result._repr_html_()
