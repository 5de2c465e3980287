"""Result of a comparison: a Comparison with a TaskComparison for each task."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeVar

from nstar._base import checks
from nstar._base.of_task import OfTask
from nstar._base.parameter_types import PairedTest
from nstar._base.result import Result
from nstar._base.types import Interval
from nstar._data.findings import Finding
from nstar._verbs.compare.question import CompareQuestion
from nstar._verbs.compare.sample import PairedSample
from nstar._verbs.compare.task_comparison import AverageGap, TaskComparison
from nstar._verbs.verdict import Criteria
from nstar.errors import DataError, SeveralTasksError

T = TypeVar("T")


def _of_task(read: Callable[[TaskComparison], T]) -> OfTask[T]:
    return OfTask(read)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class Comparison(Result):
    """Comparison of two models on one or several tasks.

    With one task, it has the attributes of its :class:`TaskComparison`: ``result.gap`` is
    ``result.tasks[0].gap``. With several tasks, these raise ``SeveralTasksError``.
    """

    models: tuple[str, str]
    """Names of the first and the second model."""
    criteria: Criteria
    """Level, power, and alternative hypothesis."""
    tasks: tuple[TaskComparison, ...]
    """Comparison on each task, at least one."""
    adjust: Literal["holm"] | None
    """Adjustment of p-values over tasks; None for one task."""
    test: PairedTest | None = None
    """Test that was chosen by name; None for the default test. It tests each task, not their
    average."""
    seed: int | None
    """Seed of the random sign flips and of the bootstrap; None if a generator was passed."""
    findings: tuple[Finding, ...]
    """Findings about the data, and about tasks left out."""
    average: AverageGap | None = None
    """Macro average over the tasks; None for one task, and for tasks without an average."""
    no_average: str | None = None
    """Why several tasks have no average; None if they have one, and for one task."""
    samples: tuple[PairedSample, ...] = field(default=(), compare=False)
    """Scores of each task, for questions about single items; empty if they were not kept."""
    question: CompareQuestion | None = field(default=None, compare=False)
    """Question, for the same comparison at another level."""

    task = _of_task(lambda task: task.task)
    metric = _of_task(lambda task: task.metric)
    is_binary = _of_task(lambda task: task.is_binary)
    threshold = _of_task(lambda task: task.threshold)
    statistic = _of_task(lambda task: task.statistic)
    lower_is_better = _of_task(lambda task: task.lower_is_better)
    score_range = _of_task(lambda task: task.score_range)
    score_range_observed = _of_task(lambda task: task.score_range_observed)
    binary_values = _of_task(lambda task: task.binary_values)
    n_items = _of_task(lambda task: task.n_items)
    mean_a = _of_task(lambda task: task.mean_a)
    mean_b = _of_task(lambda task: task.mean_b)
    gap = _of_task(lambda task: task.gap)
    sigma = _of_task(lambda task: task.sigma)
    rho = _of_task(lambda task: task.rho)
    rho_ci = _of_task(lambda task: task.rho_ci)
    counts = _of_task(lambda task: task.counts)
    confidence_level = _of_task(lambda task: task.confidence_level)
    estimate = _of_task(lambda task: task.estimate)
    other_designs = _of_task(lambda task: task.other_designs)
    pvalue_adjusted = _of_task(lambda task: task.pvalue_adjusted)
    pvalue_midp = _of_task(lambda task: task.pvalue_midp)
    pvalue_exact = _of_task(lambda task: task.pvalue_exact)
    pvalue_t = _of_task(lambda task: task.pvalue_t)
    pvalue_signflip = _of_task(lambda task: task.pvalue_signflip)
    significant_gap = _of_task(lambda task: task.significant_gap)
    mde = _of_task(lambda task: task.mde)
    mde_lower_bound = _of_task(lambda task: task.mde_lower_bound)
    q = _of_task(lambda task: task.q)
    q_ci = _of_task(lambda task: task.q_ci)
    n_star = _of_task(lambda task: task.n_star)
    n_star_ci = _of_task(lambda task: task.n_star_ci)
    delta = _of_task(lambda task: task.delta)
    q_at_delta = _of_task(lambda task: task.q_at_delta)
    n_star_at_delta = _of_task(lambda task: task.n_star_at_delta)
    more_items = _of_task(lambda task: task.more_items)
    verdict = _of_task(lambda task: task.verdict)
    is_resolved = _of_task(lambda task: task.is_resolved)
    is_underpowered = _of_task(lambda task: task.is_underpowered)
    effect_size = _of_task(lambda task: task.effect_size)
    exaggeration = _of_task(lambda task: task.exaggeration)
    equivalence = _of_task(lambda task: task.equivalence)
    missing_items = _of_task(lambda task: task.missing_items)
    missing_effect = _of_task(lambda task: task.missing_effect)
    breakdowns = _of_task(lambda task: task.breakdowns)
    run_variance = _of_task(lambda task: task.run_variance)
    few_items = _of_task(lambda task: task.few_items)
    unanimous = _of_task(lambda task: task.unanimous)
    is_quantile = _of_task(lambda task: task.is_quantile)
    design = _of_task(lambda task: task.design)
    df = _of_task(lambda task: task.df)
    se = _of_task(lambda task: task.se)
    t = _of_task(lambda task: task.t)
    ci = _of_task(lambda task: task.ci)
    pvalue = _of_task(lambda task: task.pvalue)

    def confidence_interval(self, confidence_level: float | None = None) -> Interval:
        """Return the confidence interval of the gap, as ``ci`` or at another level.

        Parameters
        ----------
        confidence_level : float, optional
            Confidence level. The default is that of ``ci``.

        Returns
        -------
        Interval
            Lower and upper limit.

        Raises
        ------
        SeveralTasksError
            The comparison has several tasks.
        DataError
            The comparison has no scores, because it was read from JSON.

        Examples
        --------
        >>> import nstar
        >>> result = nstar.compare([1, 1, 0, 1, 1, 1], [0, 1, 0, 0, 1, 0])
        >>> result.confidence_interval() == result.ci
        True
        >>> narrow, wide = map(result.confidence_interval, (0.8, 0.99))
        >>> bool(wide.low < narrow.low < narrow.high < wide.high)
        True
        """
        if len(self.tasks) > 1:
            average = "" if self.average is None else ".average.ci or "
            msg = (
                f"This comparison has {len(self.tasks)} tasks. Use {average}.tasks[0].ci, "
                "and alpha=0.1 in compare for 90% CIs."
            )
            raise SeveralTasksError(msg)
        if confidence_level is None or confidence_level == self.confidence_level:
            return self.ci
        from nstar._verbs.compare.pair import compare_sample  # noqa: PLC0415 loads the kernel

        checks.fraction("confidence_level", confidence_level)
        if self.question is None:
            msg = "This comparison does not contain the scores. Run it again from the scores."
            raise DataError(msg)
        criteria = self.criteria
        alpha = (1 - confidence_level) * criteria.sides / 2
        # An interval has no power; criteria need one above alpha.
        criteria = replace(criteria, alpha=alpha, power=max(criteria.power, (1 + alpha) / 2))
        return compare_sample(self.samples[0], replace(self.question, criteria=criteria)).ci

    def differing(self, direction: Literal["gained", "lost"]) -> dict[str, list[Any]]:
        """Return the items on which one model is better than the other, largest gap first.

        Parameters
        ----------
        direction : {"gained", "lost"}
            ``gained``: the first model does better than the second; ``lost``: it does worse.

        Returns
        -------
        dict
            Columns for pandas or a file: ``task``, ``item``, the groups of the item, the score of
            each model under its name, its runs (``NAME runs``), and ``gap``, first minus second.
            If a name is that of another column, ``(first)`` or ``(second)`` follows the names.

        Examples
        --------
        >>> import nstar
        >>> nstar.compare([1, 1, 0], [0, 1, 1]).differing("gained")["item"]
        ['0']
        """
        from nstar._verbs.compare.differing import differing  # noqa: PLC0415

        return differing(self.samples, direction, self.models)
