"""Several models' runs that stop one another."""

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
"""The run that a sample belongs to: Inspect does not say, and runs several models at once."""


@dataclass(slots=True)
class _ModelRun:
    """One model's run."""

    model: str
    line: SampleQueue
    reason: str | None = None
    """Why no further sample is scheduled; it stands, whatever samples on their way bring."""
    scorers: dict[str, None] = field(default_factory=dict)
    """Those that gave scores."""


class RaceStopping:
    """Inspect's early stopping for several models at once: the best one runs on.

    Give one of these to the task, and let Inspect run all models at the same time::

        race = RaceStopping(["openai/gpt-4o", "openai/gpt-4o-mini", "mistral/large"])
        eval(task_with(task, early_stopping=race), model=race.models, max_tasks=3)

    A model that another one is shown to beat has no further samples scheduled; when one is left,
    or all that are left lie within the margin, nor has any. The probability that the best model
    is stopped is at most alpha.

    Parameters
    ----------
    models : sequence of str
        All that race, as Inspect calls them; a run of another model is refused before it begins.
    scorer : str, optional
        Scorer to compare by, ``scorer`` or ``scorer.part``.
        The default is the first scorer.
    scale : {"binary", "graded"}, optional
        Scores of 0 and 1 (binary), or any from 0 to 1 (graded).
        The default is binary for one epoch.
    group : str, default "subject"
        Field of the samples' metadata, to check whether the dataset is sorted by it.
    margin : float, optional
        Largest gap that does not matter, such as 0.02.
        Also stop once all models left are shown to be within it.
    lower_is_better : bool, default False
        Lower scores are better, as for times and error rates.
    alpha : float, default 0.05
        Significance level.

    Notes
    -----
    A sample counts once every model that is running has answered it, so models that run one
    after another stop nobody: let ``max_tasks`` be the number of models. Nothing that goes wrong
    while samples run ends an evaluation: the race is given up with a warning, every sample is
    run, and ``race_failed`` in the metadata says why.
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
        """All that race, as ``eval`` wants them."""
        return list(self._models)

    @property
    def race(self) -> Race | None:
        """The race so far; None before the first run starts."""
        return self._race

    async def start_task(self, task: "EvalSpec", samples: "list[Sample]", epochs: int) -> str:
        """Take a model into the race; Inspect calls it once per run."""
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
        """Raise for a run that is not of this race."""
        if model not in self._models:
            names = ", ".join(self._models)
            msg = (
                f"{model} is not one of the models of this race: {names}. Name all models "
                "of the race."
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
                f"{model} would run other samples than the models before it (for "
                f"example {odd[:80]!r}). All models of a race need the same samples."
            )
            raise DataError(msg)

    async def schedule_sample(self, id: str | int, epoch: int) -> "EarlyStop | None":  # noqa: A002
        """Whether the sample need not be run any more."""
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
        """Why a model need not go on; None if it has to."""
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
        """Count the sample, when all before it are in."""
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
            msg = f"nstar's race has ended with an error, so every sample is run: {self._failure}"
            warnings.warn(msg, NstarWarning, stacklevel=3)

    async def complete_task(self) -> dict[str, Any]:
        """The race as it stands, for the log: ``results.early_stopping.metadata``."""
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
