"""Early-stopping protocol of Inspect."""

import warnings
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nstar._base.parameter_types import Gap, MetricName, Name, Proportion
from nstar._base.verb import needs, verb
from nstar._verbs.watch import Watch, WatchQuestion
from nstar._verbs.watch.question import WatchScale
from nstar.errors import DataError, NstarWarning
from nstar.integrations.inspect.baseline import Baseline, read_baseline, refuse_missing
from nstar.integrations.inspect.watched_run import SampleQueue, WatchedRun, metadata
from nstar.stats.confseq import FIRST_LOOK

if TYPE_CHECKING:
    from inspect_ai.dataset import Sample
    from inspect_ai.log import EvalSpec
    from inspect_ai.scorer import SampleScore
    from inspect_ai.util import EarlyStop

__all__ = ["EarlyStopping"]


_RUNS: ContextVar[Mapping["EarlyStopping", WatchedRun]] = ContextVar("nstar_inspect_runs")
"""Run of each sample. Inspect does not pass it, and may run several tasks at once."""


class EarlyStopping:
    """Early stopping in Inspect with a bound on the error rate.

    Parameters
    ----------
    baseline : path
        Log of the model to compare with, on the same samples. A relative path starts at the folder
        in which ``inspect eval`` was called.
    scorer : str, optional
        Scorer to use for the comparison, ``scorer`` or ``scorer.part``. The default is the
        baseline's first scorer.
    scale : {"binary", "graded"}, optional
        Type of scores: 0 or 1 (binary), or any number from 0 to 1 (graded). The default is binary
        for one epoch and a baseline of 0 and 1. A score outside the scale ends the comparison but
        not the evaluation.
    group : str, default "subject"
        Metadata field of the samples, used to check whether the dataset is sorted by it.
    futility : bool, default False
        Also stop once a decision by the last sample is unlikely.
        Such a run ends without a decision, and the remaining samples are lost.
    margin : float, optional
        Largest acceptable loss, such as 0.01 (1 pp).
        Also stop once A is shown to be non-inferior at this margin.
    equivalence : bool, default False
        Stop once the models are shown to be equivalent within the margin.
    psi : float, optional
        Share of items that exactly one model answers correctly, for 0/1 scores.
    asymptotic : bool, default False
        Allow graded scores without bounds, although the error rate is then only approximate.
    lower_is_better : bool, default False
        Declare that lower scores are better, as with times and error rates.
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.

    Notes
    -----
    With several epochs, a sample is counted once all of its epochs are finished. Inspect runs
    every sample once before it repeats any, so such a run can stop only in its last epoch. Inspect
    does not report a sample that ends in an error without a score, and all samples after it wait
    until the run ends. To avoid this, let Inspect score errors (``--score-on-error``).

    An error in the comparison never ends the evaluation. The comparison is abandoned with a
    warning, every sample is run, and ``watch_failed`` in the metadata gives the reason. A missing
    baseline raises an error at construction. Before any sample runs, an error is raised for a
    baseline that belongs to another task, lacks more than 5% of the samples, or is otherwise
    incompatible. A warning reports the number of samples without a baseline score.

    Raises
    ------
    ReadError
        The baseline is missing.
    ParameterError
        A parameter is outside its domain.
    """

    @verb(needs("equivalence", "margin"))
    def __init__(  # noqa: PLR0913
        self,
        baseline: str | Path,
        *,
        scorer: MetricName | None = None,
        scale: WatchScale | None = None,
        group: Name = "subject",
        futility: bool = False,
        margin: Gap | None = None,
        equivalence: bool = False,
        psi: Proportion | None = None,
        asymptotic: bool = False,
        lower_is_better: bool = False,
        alpha: Proportion = 0.05,
        power: Proportion = 0.8,
    ) -> None:
        question: dict[str, Any] = {
            "margin": margin,
            "equivalence": equivalence,
            "psi": psi,
            "asymptotic": asymptotic,
            "lower_is_better": lower_is_better,
            "alpha": alpha,
            "power": power,
        }
        known: WatchScale = "graded" if asymptotic else "binary"
        WatchQuestion(items=FIRST_LOOK, scale=scale or known, **question)
        refuse_missing(str(baseline))
        self._path, self._scorer, self._scale = str(baseline), scorer, scale
        self._group, self._futility, self._question = group, futility, question
        self._latest: WatchedRun | None = None

    @property
    def watch(self) -> Watch | None:
        """Return the comparison, or None before the task starts."""
        run = self._run
        return None if run is None else run.watch

    @property
    def _run(self) -> WatchedRun | None:
        return _RUNS.get({}).get(self, self._latest)

    async def start_task(self, task: "EvalSpec", samples: "list[Sample]", epochs: int) -> str:
        """Read the baseline and start the comparison. Inspect calls this once per run."""
        base = read_baseline(self._path, task.task, self._scorer)
        names = _names(str(task.model), base)
        watch = Watch.asking(self._asked(base, base.common(samples), epochs, names))
        _warn_of_unscored(base, samples)
        groups = {str(s.id): _label((s.metadata or {}).get(self._group)) for s in samples}
        line = SampleQueue([str(s.id) for s in samples], epochs)
        run = self._latest = WatchedRun(watch, base, line, groups, self._futility)
        _RUNS.set({**_RUNS.get({}), self: run})
        return "nstar"

    def _asked(
        self, base: Baseline, common: int, epochs: int, names: tuple[str, str]
    ) -> WatchQuestion:
        binary = epochs == 1 and base.binary and not self._question["asymptotic"]
        scale = self._scale or ("binary" if binary else "graded")
        question = WatchQuestion(items=common, scale=scale, models=names, **self._question)
        if question.method == "bets" and not base.bounded:
            msg = f"{base.path} has scores outside [0, 1], which need asymptotic=True."
            raise DataError(msg)
        if scale == "binary" and not base.binary:
            msg = f"{base.path} has scores other than 0 and 1, which need scale='graded'."
            raise DataError(msg)
        return question

    async def schedule_sample(self, id: str | int, epoch: int) -> "EarlyStop | None":  # noqa: A002
        """Return a reason if the sample need not be run, or None if it must be."""
        run = self._run
        if run is None:
            return None
        stop = run.stop
        if stop is None:
            run.line.schedule(str(id), epoch)
            return None
        from inspect_ai.util import EarlyStop

        run.line.stop(str(id), epoch)
        evidence = {"verdict": stop.verdict, "n_items": stop.n_items}
        return EarlyStop(id=id, epoch=epoch, reason=stop.reason, metadata=evidence)

    async def complete_sample(
        self,
        id: str | int,  # noqa: A002
        epoch: int,
        scores: "dict[str, SampleScore]",
    ) -> None:
        """Count the sample once all samples before it are available."""
        run = self._run
        if run is not None:
            run.complete(str(id), epoch, scores)

    async def complete_task(self) -> dict[str, Any]:
        """Return the decision and the evidence for ``results.early_stopping.metadata``."""
        run = self._run
        if run is None:
            return {}
        run.end()
        try:
            return metadata(run)
        except Exception as error:
            return {"watch_failed": run.failure or repr(error)}


def _warn_of_unscored(base: Baseline, samples: "list[Sample]") -> None:
    unscored = sum(str(s.id) not in base.scores for s in samples)
    if unscored:
        text = (
            f"{base.path} has no score for {unscored:,} of the {len(samples):,} samples. These "
            "samples run but are not compared, and a decision may stop them."
        )
        warnings.warn(f"nstar's early stopping: {text}", NstarWarning, stacklevel=3)


def _label(value: Any) -> str | None:
    return None if value is None else str(value)


def _names(model: str, base: Baseline) -> tuple[str, str]:
    if model != base.model:
        return model, base.model
    return f"{model} (running)", f"{model} (baseline)"
