"""One evaluation while it runs: what is counted, and whether it may stop."""

import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nstar._verbs.verdict import WatchWord
from nstar._verbs.watch import Watch
from nstar.errors import NstarError, NstarWarning
from nstar.integrations.inspect.baseline import Baseline
from nstar.integrations.inspect.line import SampleLine

if TYPE_CHECKING:
    from inspect_ai.scorer import SampleScore

__all__ = ["Stop", "WatchedRun", "score_of"]

_SILENT = 20
"""Samples after which it is odd that none has a score."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Why no further sample is scheduled; it stands, whatever samples on their way bring."""

    state: WatchWord
    n: int
    """Items after which there was reason to stop."""
    reason: str


@dataclass(slots=True)
class WatchedRun:
    """A comparison with a baseline; nothing that goes wrong in it ends the evaluation."""

    watch: Watch
    baseline: Baseline
    line: SampleLine
    groups: Mapping[str, str | None]
    futility: bool
    stop: Stop | None = None
    failure: str | None = None
    """Why the comparison was given up."""
    scorers: dict[str, None] = field(default_factory=dict)
    """Those that gave scores."""

    def complete(self, item: str, epoch: int, scores: "Mapping[str, SampleScore]") -> None:
        """Count a sample, when all before it are in."""

        def count() -> None:
            self.line.add(item, epoch, score_of(scores, self.baseline.metric))
            self.scorers |= dict.fromkeys(scores)
            for done, score in self.line.ready():
                self._count(done, score)

        self._guarded(count)

    def end(self) -> None:
        """Count what waited for samples that never came."""

        def count() -> None:
            for done, score in self.line.rest():
                self._count(done, score)

        self._guarded(count)

    def _guarded(self, count: Callable[[], None]) -> None:
        if self.failure is not None:
            return
        try:
            count()
        except Exception as error:
            self.failure = str(error) if isinstance(error, NstarError) else repr(error)
            self._warn(f"compares no further, so every sample is run: {self.failure}")

    def _count(self, item: str, score: float | None) -> None:
        if item not in self.baseline.scores:
            return
        watch, other = self.watch, self.baseline.scores[item]
        watch.update(score, other, item=item, group=self.groups.get(item))
        state = watch.state
        if self.stop is None and state != "open" and (self.futility or state != "futile"):
            from nstar.report.words.watch import short

            self.stop = Stop(state, watch.n, short(watch, watch.decision))
        if score is None and watch.n == 0 and watch.unscored == _SILENT:
            self._wonder()

    def _wonder(self) -> None:
        """Say, once and early, that nothing may come of it."""
        found = ", ".join(self.scorers) or "none"
        self._warn(
            f"finds no score of {self.baseline.metric!r} in the first {_SILENT} samples; scorers "
            f"that gave one: {found}. Choose a scorer that both runs have"
        )

    def _warn(self, what: str) -> None:
        warnings.warn(f"nstar's early stopping {what}", NstarWarning, stacklevel=4)


def score_of(scores: "Mapping[str, SampleScore]", metric: str) -> float | None:
    """A sample's score by the metric, ``scorer`` or ``scorer.part``; None if there is none."""
    from nstar.readers.inspect_ai._values import graded

    value: Any = None
    for scorer, found in scores.items():
        whole = found.score.value
        if metric == scorer:
            value = whole
        elif metric.startswith(f"{scorer}.") and isinstance(whole, Mapping):
            value = whole.get(metric[len(scorer) + 1 :])
    value = graded(value)
    is_number = isinstance(value, bool | int | float) and math.isfinite(value)
    return float(value) if is_number else None
