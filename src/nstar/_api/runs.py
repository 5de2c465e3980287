"""``runs``: measure the variation of repeated runs of one or two models."""

from typing import TYPE_CHECKING, Any, Unpack

from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import (
    Alternative,
    Logs,
    MetricName,
    ModelName,
    PassRule,
    Proportion,
    TaskName,
)
from nstar._base.verb import needs, verb
from nstar.errors import QuestionError, arg, by_interface

if TYPE_CHECKING:
    from nstar._verbs.runs import Runs


@verb(needs("b", a="name of the first model"))
def runs(
    data: Logs,
    other: Any = None,
    /,
    *,
    a: ModelName | None = None,
    b: ModelName | None = None,
    task: TaskName | None = None,
    metric: MetricName | None = None,
    at_least: PassRule | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: Alternative = "two-sided",
    **reading: Unpack[ReadingWords],
) -> "Runs":
    """Measure how much repeated runs vary.

    For one model, the report separates the variance between tasks from the variance between runs.
    It also contains pass@k, pass^k, and the tasks whose runs disagree. For two models, it shows
    how much additional runs would reduce the standard error of the gap. Each log of a model counts
    as a run, and so does each epoch or trial within a log.

    Parameters
    ----------
    data : path, array, frame, or RunTable
        Logs of one model, or of two models on the same tasks, written as [NAME=]PATH[::MODEL].
        In Python, also an array of tasks by runs with NaN for missing runs, or a data frame. The
        frame has a numbered column for each run, a column for each model, or columns for the item,
        the run, and the score.
    other : path, array, frame, or RunTable, optional
        Scores of the second model, in the same form. Arrays are paired by position, and data
        frames by index.
    a : str, optional
        Name of the first model, if the data contain several models.
    b : str, optional
        Name of the second model, if the data contain several models. The gap is A minus B.
    task : str, optional
        Task to use, if the data contain several tasks.
    metric : str, optional
        Metric to use instead of the first one in the log.
    at_least : str, optional
        Count a task as passed if at least M of N runs pass, such as 4/5.
        The report shows how often this rule fails if nothing has changed. It requires 0/1 scores.

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Alternative hypothesis: the gap is not zero, is above zero, or is below zero.
        If lower scores are better, ``"less"`` tests whether A is better.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Runs
        The variance between tasks and between runs of each model, and the gap between two models.

    Raises
    ------
    ParameterError
        A parameter is outside its domain, or two parameters contradict each other.
    DataError
        The data cannot be used. The message says what is wrong and how to fix it.

    References
    ----------
    Methods: Repeated runs

    Examples
    --------
    Two of four tasks went both ways in three runs; all three runs passed on one task of four.

    >>> result = runs([[1, 0, 1], [1, 1, 1], [0, 0, 1], [0, 0, 0]])
    >>> model = result.model_runs[0]
    >>> model.mean, model.n_mixed, round(model.flip_probability, 4)
    (0.5, 2, 0.3333)
    >>> model.pass_hat.estimate.round(3).tolist()
    [0.5, 0.333, 0.25]
    """
    from nstar._api.inputs.data_kinds import model_named
    from nstar._api.inputs.run_logs import RunSelection
    from nstar._api.inputs.run_tables import run_tables_in
    from nstar._verbs.runs import TaskRule, analyzed
    from nstar._verbs.verdict import Criteria

    if not {"judge", "label", "rater"}.isdisjoint(reading.get("columns", ())):
        judges = by_interface(python="nstar.judges", command="nstar judges")
        msg = f"runs does not correct judges by labels. To compare judges, use {judges}."
        raise QuestionError(msg)
    if a is not None and a == b:
        msg = (
            f"{arg('a')} and {arg('b')} are both {a}. Choose two different models, or set only "
            f"{arg('a')}."
        )
        raise QuestionError(msg)
    selection = RunSelection(
        a=model_named("a", a), b=model_named("b", b), task=task, metric=metric
    )
    task_rule = None if at_least is None else TaskRule.parse(at_least)
    test_criteria = Criteria(alpha=alpha, power=power, alternative=alternative)
    tables, findings = run_tables_in(data, other, selection, reading)
    return analyzed(tables, test_criteria, findings, task_rule)
