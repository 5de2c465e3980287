"""One running evaluation: counted samples, reasons to stop, and metadata for its log."""

import json
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from nstar._verbs.verdict import WatchWord
from nstar._verbs.watch import Watch
from nstar.errors import NstarError, NstarWarning
from nstar.integrations.inspect.baseline import Baseline

if TYPE_CHECKING:
    from inspect_ai.scorer import SampleScore

__all__ = ["SampleQueue", "WatchedRun", "metadata", "score_of"]


_Key: TypeAlias = tuple[str, int]
"""Id of a sample and its epoch."""


@dataclass(slots=True)
class SampleQueue:
    """Queue in which each result waits for the results before it.

    Examples
    --------
    >>> line = SampleQueue(["q1", "q2", "q3"], epochs=1)
    >>> for item in line.items:
    ...     line.schedule(item, 1)
    >>> line.add("q2", 1, 1.0)
    >>> line.ready()
    []
    >>> line.add("q1", 1, 0.0)
    >>> line.ready()
    [('q1', 0.0), ('q2', 1.0)]
    >>> line.rest()  # the run has ended, and q3 is without a result
    [('q3', None)]
    """

    items: Sequence[str]
    epochs: int
    results: dict[_Key, float | None] = field(default_factory=dict)
    """Scores by sample and epoch. A result without a score is None."""
    scheduled: set[_Key] = field(default_factory=set)
    stopped: set[_Key] = field(default_factory=set)
    counted: int = 0
    """Number of samples, from the first on, that were returned for counting."""

    def schedule(self, item: str, epoch: int) -> None:
        """Record that a sample runs. A second attempt after an error changes nothing."""
        self.scheduled.add((item, epoch))

    def stop(self, item: str, epoch: int) -> None:
        """Record that a sample will not run."""
        self.stopped.add((item, epoch))

    def add(self, item: str, epoch: int, score: float | None) -> None:
        """Record a result."""
        self.results[item, epoch] = score

    def ready(self) -> list[tuple[str, float | None]]:
        """Return completed samples in order, up to the first sample without all of its epochs."""
        out = []
        while self.counted < len(self.items) and not self._missing(self.items[self.counted]):
            out.append(self._mean_score(self.items[self.counted]))
            self.counted += 1
        return out

    def rest(self) -> list[tuple[str, float | None]]:
        """Return the samples that were waiting when the run ended. Missing scores are None."""
        left = self.items[self.counted :]
        self.counted = len(self.items)
        return [self._mean_score(item) for item in left if self._missing(item) <= self.scheduled]

    def _missing(self, item: str) -> set[_Key]:
        """Return the epochs of a sample that have no result."""
        return {(item, k) for k in range(1, self.epochs + 1)} - self.results.keys()

    def _mean_score(self, item: str) -> tuple[str, float | None]:
        scores = (self.results.get((item, k)) for k in range(1, self.epochs + 1))
        known = [s for s in scores if s is not None]
        return item, (math.fsum(known) / len(known) if known else None)

    @property
    def reused(self) -> int:
        """Return the number of unscheduled results, which a retried run left behind."""
        return len(self.results.keys() - self.scheduled)

    @property
    def without_score(self) -> int:
        """Return the number of runs without a score, because of an error or a silent scorer."""
        scored = {key for key, score in self.results.items() if score is not None}
        return len((self.scheduled | self.results.keys()) - scored)


_SILENT = 20
"""Number of samples after which it is suspicious if none has a score."""


@dataclass(frozen=True, slots=True)
class _StopReason:
    """Reason for scheduling no further samples. Later results do not change it."""

    verdict: WatchWord
    n_items: int
    """Number of items at which this reason arose."""
    reason: str


@dataclass(slots=True)
class WatchedRun:
    """Live comparison of a running evaluation with a baseline.

    An error in the comparison is recorded in ``failure``, and the evaluation goes on.
    """

    watch: Watch
    baseline: Baseline
    line: SampleQueue
    groups: Mapping[str, str | None]
    futility: bool
    stop: _StopReason | None = None
    failure: str | None = None
    """Reason why the comparison was abandoned."""
    scorers: dict[str, None] = field(default_factory=dict)
    """Scorers that returned scores."""

    def complete(self, item: str, epoch: int, scores: "Mapping[str, SampleScore]") -> None:
        """Count a sample once all samples before it are available."""

        def count() -> None:
            self.line.add(item, epoch, score_of(scores, self.baseline.metric))
            self.scorers |= dict.fromkeys(scores)
            for sample, score in self.line.ready():
                self._count(sample, score)

        self._guarded(count)

    def end(self) -> None:
        """Count results that waited for samples without a result."""

        def count() -> None:
            for sample, score in self.line.rest():
                self._count(sample, score)

        self._guarded(count)

    def _guarded(self, count: Callable[[], None]) -> None:
        if self.failure is not None:
            return
        try:
            count()
        except Exception as error:
            self.failure = str(error) if isinstance(error, NstarError) else repr(error)
            self._warn(f"ended with an error, so all samples run: {self.failure}")

    def _count(self, item: str, score: float | None) -> None:
        if item not in self.baseline.scores:
            return
        watch, other = self.watch, self.baseline.scores[item]
        watch.update(score, other, item=item, group=self.groups.get(item))
        state = watch.verdict
        if self.stop is None and state != "open" and (self.futility or state != "futile"):
            from nstar.report.prose.watch import short

            self.stop = _StopReason(state, watch.n_items, short(watch, watch.decision))
        if score is None and watch.n_items == 0 and watch.n_items_unscored == _SILENT:
            self._warn_without_scores()

    def _warn_without_scores(self) -> None:
        """Warn once, early in the run, that the comparison may not lead to a decision."""
        scorers_text = ", ".join(self.scorers) or "none"
        self._warn(
            f"finds no {self.baseline.metric!r} score in the first {_SILENT} samples. "
            f"Scorers found: {scorers_text}. Choose a scorer that both runs have."
        )

    def _warn(self, problem: str) -> None:
        warnings.warn(f"nstar's early stopping {problem}", NstarWarning, stacklevel=4)


def score_of(scores: "Mapping[str, SampleScore]", metric: str) -> float | None:
    """Return a sample's score by the metric ``scorer`` or ``scorer.part``, or None."""
    from nstar.readers.inspect_ai._rows import graded

    value: Any = None
    for scorer, sample_score in scores.items():
        full_value = sample_score.score.value
        if metric == scorer:
            value = full_value
        elif metric.startswith(f"{scorer}.") and isinstance(full_value, Mapping):
            value = full_value.get(metric[len(scorer) + 1 :])
    value = graded(value)
    is_number = isinstance(value, bool | int | float) and math.isfinite(value)
    return float(value) if is_number else None


def metadata(run: WatchedRun) -> dict[str, Any]:
    """Return the decision and the evidence as ``nstar.watchresult/1``, with details of the run."""
    result: dict[str, Any] = json.loads(run.watch.result.to_json())
    result.pop("moments")
    line = run.line
    stop = run.stop if line.stopped else None
    return result | {
        "notes": [*result["notes"], *_notes(run)],
        "stopped_for": None if stop is None else stop.verdict,
        "stopped_at": None if stop is None else stop.n_items,
        "watch_failed": run.failure,
        "baseline": run.baseline.path,
        "baseline_without_score": _unmatched(run),
        "metric": run.baseline.metric,
        "samples_scheduled": len(line.scheduled),
        "samples_not_run": len(line.stopped),
        "samples_reused": line.reused,
        "samples_without_score": line.without_score,
    }


def _unmatched(run: WatchedRun) -> int:
    """Return the samples without a baseline score."""
    return sum(item not in run.baseline.scores for item in run.line.items)


def _notes(run: WatchedRun) -> Iterator[str]:
    """Return notes on facts that the watch itself cannot know."""
    line, unmatched = run.line, _unmatched(run)
    if unmatched:
        yield (
            f"{unmatched:,} of {len(line.items):,} samples have no score in the "
            "baseline and are excluded. If missingness depends on the answers, the gap "
            "is biased."
        )
    if line.epochs > 1 and line.without_score:
        yield (
            f"{line.without_score:,} runs of a sample have no score; its other epochs "
            "count. If missingness depends on the answers, the gap is biased."
        )
    if line.epochs > 1 and line.stopped:
        planned = len(line.items) * line.epochs
        yield (
            f"Of {planned:,} runs ({len(line.items):,} samples, {line.epochs} epochs) "
            f"{len(line.stopped):,} were not scheduled. A sample counts with all its epochs only."
        )
    if line.stopped:
        yield (
            "Inspect's own means use only the samples that ran. A run that stops "
            "because of its scores tends to overstate the gap; the confidence sequence "
            "accounts for that."
        )
