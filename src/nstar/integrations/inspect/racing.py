"""Early stopping of several models that run at the same time."""

import json
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from nstar._base.parameter_types import Gap, MetricName, Name, Proportion
from nstar._base.verb import verb
from nstar._verbs.race import Race, RaceQuestion
from nstar._verbs.watch.question import WatchScale
from nstar.errors import DataError, NstarError, NstarWarning
from nstar.integrations.inspect.watched_run import SampleQueue, score_of

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalSpec
    from inspect_ai.scorer import SampleScore
    from inspect_ai.util import EarlyStop

__all__ = ["RaceStopping"]

_LANES: ContextVar[Mapping["RaceStopping", "_ModelRun"]] = ContextVar("nstar_inspect_lanes")
"""Run of each sample. Inspect does not pass it, and runs several models at once."""


@dataclass(slots=True)
class _ModelRun:
    """Run of one model."""

    model: str
    line: SampleQueue
    reason: str | None = None
    """Reason for scheduling no further samples. Later results do not change it."""
    scorers: dict[str, None] = field(default_factory=dict)
    """Scorers that returned scores."""


class RaceStopping:
    """Early stopping in Inspect for several models at once. Only the best model runs to the end.

    Pass an instance to the task, and let Inspect run all models at the same time::

        race = RaceStopping(["openai/gpt-4o", "openai/gpt-4o-mini", "mistral/large"])
        eval(task_with(task, early_stopping=race), model=race.models, max_tasks=3)

    No further samples are scheduled for a model once another model is shown to be better. All
    models stop when only one is left, or when all remaining models are within the margin. The
    probability that the best model is stopped is at most alpha.

    Parameters
    ----------
    models : sequence of str
        Names of the models in Inspect. A run of any other model raises an error before it begins.
    scorer : str, optional
        Scorer to use for the comparison, ``scorer`` or ``scorer.part``. The default is the first
        scorer.
    scale : {"binary", "graded"}, optional
        Type of scores: 0 or 1 (binary), or any number from 0 to 1 (graded).
        The default is binary for one epoch.
    group : str, default "subject"
        Metadata field of the samples, used to check whether the dataset is sorted by it.
    margin : float, optional
        Largest gap that does not matter, such as 0.02 (2 pp).
        Also stop once all remaining models are shown to be within this margin of each other.
    lower_is_better : bool, default False
        Declare that lower scores are better, as with times and error rates.
    alpha : float, default 0.05
        Significance level of the tests.

    Notes
    -----
    A sample is counted once every running model has answered it. Models that run one after another
    can therefore not be stopped: set ``max_tasks`` to the number of models. An error in the race
    never ends an evaluation. The race is abandoned with a warning, every sample is run, and
    ``race_failed`` in the metadata gives the reason.
    """

    @verb()
    def __init__(
        self,
        models: Sequence[str],
        *,
        scorer: MetricName | None = None,
        scale: WatchScale | None = None,
        group: Name = "subject",
        margin: Gap | None = None,
        lower_is_better: bool = False,
        alpha: Proportion = 0.05,
    ) -> None:
        question: dict[str, Any] = {
            "margin": margin,
            "lower_is_better": lower_is_better,
            "alpha": alpha,
        }
        race_question = RaceQuestion(
            models=tuple(models) if not isinstance(models, str) else (models,),
            items=2,
            scale=scale or "binary",
            **question,
        )
        self._models, self._scorer, self._scale = race_question.models, scorer, scale
        self._group, self._question = group, question
        self._race: Race | None = None
        self._items: frozenset[str] = frozenset()
        self._groups: dict[str, str | None] = {}
        self._lanes: dict[str, _ModelRun] = {}
        self._failure: str | None = None

    @property
    def models(self) -> list[str]:
        """Return all models in the race, in the form that ``eval`` takes."""
        return list(self._models)

    @property
    def race(self) -> Race | None:
        """Return the race, or None before the first run starts."""
        return self._race

    async def start_task(self, task: "EvalSpec", samples: "list[Sample]", epochs: int) -> str:
        """Add a model to the race. Inspect calls this once per run."""
        model, items = str(task.model), [str(s.id) for s in samples]
        self._refuse_unfit(model, frozenset(items))
        if self._race is None:
            self._race = Race.asking(self._asked(len(items), epochs))
            self._items = frozenset(items)
            known = (((s.metadata or {}).get(self._group), s.id) for s in samples)
            self._groups = {str(k): None if g is None else str(g) for g, k in known}
        lane = self._lanes[model] = _ModelRun(model, SampleQueue(items, epochs))
        _LANES.set({**_LANES.get({}), self: lane})
        return "nstar"

    def _asked(self, items: int, epochs: int) -> RaceQuestion:
        scale: WatchScale = self._scale or ("binary" if epochs == 1 else "graded")
        return RaceQuestion(models=self._models, items=items, scale=scale, **self._question)

    def _refuse_unfit(self, model: str, items: frozenset[str]) -> None:
        """Raise an error for a run that does not belong to this race."""
        if model not in self._models:
            names = ", ".join(self._models)
            msg = (
                f"{model} is not one of the models of this race: {names}. Add it to the models of "
                "the race."
            )
            raise DataError(msg)
        if model in self._lanes:
            msg = (
                f"{model} has already run in this race. Create a new RaceStopping for "
                "another race."
            )
            raise DataError(msg)
        if self._race is not None and items != self._items:
            odd = min(items ^ self._items)
            msg = (
                f"{model} would run different samples from the earlier models (for example "
                f"{odd[:80]!r}). All models of a race need the same samples."
            )
            raise DataError(msg)

    async def schedule_sample(self, id: str | int, epoch: int) -> "EarlyStop | None":  # noqa: A002
        """Return a reason if the sample need not be run, or None if it must be."""
        lane = self._lane
        if lane is None:
            return None
        if lane.reason is None and self._failure is None:
            lane.reason = self._why(lane.model)
        if lane.reason is None:
            lane.line.schedule(str(id), epoch)
            return None
        from inspect_ai.util import EarlyStop

        lane.line.stop(str(id), epoch)
        return EarlyStop(id=id, epoch=epoch, reason=lane.reason, metadata={"model": lane.model})

    @property
    def _lane(self) -> _ModelRun | None:
        return _LANES.get({}).get(self)

    def _why(self, model: str) -> str | None:
        """Return the reason why a model need not continue, or None if it must."""
        race = self._race
        if race is None or race.wants(model) or race.verdict == "tied":
            return None
        for fall in race.result.eliminated_models:
            if fall.model == model:
                return f"{fall.beaten_by} was significantly better after {fall.n_items:,} samples"
        from nstar.report.prose.race import short

        return short(race.result)

    async def complete_sample(
        self,
        id: str | int,  # noqa: A002
        epoch: int,
        scores: "dict[str, SampleScore]",
    ) -> None:
        """Count the sample once all samples before it are available."""
        lane = self._lane
        if lane is None:
            return

        def count() -> None:
            lane.scorers |= dict.fromkeys(scores)
            metric = self._scorer or next(iter(scores), "")
            lane.line.add(str(id), epoch, score_of(scores, metric))
            self._add(lane, lane.line.ready())

        self._guarded(count)

    def _add(self, lane: _ModelRun, answers: "list[tuple[str, float | None]]") -> None:
        race = self._race
        if race is not None:
            for item, score in answers:
                race.add(lane.model, item, score, group=self._groups.get(item))

    def _guarded(self, count: Callable[[], None]) -> None:
        if self._failure is not None:
            return
        try:
            count()
        except Exception as error:
            self._failure = str(error) if isinstance(error, NstarError) else repr(error)
            msg = f"The race of nstar ended with an error, so all samples run: {self._failure}"
            warnings.warn(msg, NstarWarning, stacklevel=3)

    async def complete_task(self) -> dict[str, Any]:
        """Return the state of the race for the log, in ``results.early_stopping.metadata``."""
        lane = self._lane
        if lane is None or self._race is None:
            return {}
        self._guarded(lambda: self._add(lane, lane.line.rest()))
        try:
            result: dict[str, Any] = json.loads(self._race.result.to_json())
        except Exception as error:
            return {"race_failed": self._failure or repr(error)}
        return result | {
            "model": lane.model,
            "stopped_for": lane.reason if lane.line.stopped else None,
            "race_failed": self._failure,
            "samples_scheduled": len(lane.line.scheduled),
            "samples_not_run": len(lane.line.stopped),
            "samples_without_score": lane.line.without_score,
        }
