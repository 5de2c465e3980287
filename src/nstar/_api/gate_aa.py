"""``gate_aa``: estimate the false alarms of a gate from repeated runs of one model."""

from typing import TYPE_CHECKING, Unpack

from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import (
    Gap,
    GroupName,
    Logs,
    MetricName,
    Proportion,
    Range,
    Seed,
    TaskMargins,
    TaskNames,
)
from nstar._base.types import LossUnit
from nstar._base.verb import at_most_one, exactly_one, verb

if TYPE_CHECKING:
    from nstar._verbs.gate import FalseAlarms


@verb(
    exactly_one(margin="largest acceptable loss", superiority="a required improvement"),
    at_most_one(strata="groups that define the benchmark", cluster="groups that are a sample"),
)
def gate_aa(
    data: Logs,
    /,
    *,
    margin: Gap | None = None,
    superiority: bool = False,
    guardrails: TaskMargins | None = None,
    tasks: TaskNames | None = None,
    metric: MetricName | None = None,
    strata: GroupName | None = None,
    cluster: GroupName | None = None,
    loss: LossUnit = "cluster",
    missing: Proportion = 0.05,
    score_range: Range | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    seed: Seed = 0,
    **reading: Unpack[ReadingWords],
) -> "FalseAlarms":
    """Estimate the false alarm rate of a gate from repeated runs of one model (A/A test).

    The gate compares every pair of runs as candidate and baseline. All runs are of the same model,
    so each REGRESSION is a false alarm.

    You can also put settings in nstar.toml under [gate.aa]. Settings under [gate] also apply.

    Parameters
    ----------
    data : path, several paths, frame, records, Table, or ScoreMatrix
        Logs of one model, one for each run, or a table with a run column, written as
        PATH[::MODEL].
        In a ScoreMatrix, each row is a run.
    margin : float, optional
        Largest acceptable loss, such as 0.01 (1 pp). It is in score units.
    superiority : bool, default False
        Require a significant improvement instead of non-inferiority at a margin.
    guardrails : mapping from str to float, optional
        Separate margin for one task, in place of the common margin.
        Tasks with a guardrail are tested even if ``tasks`` does not include them.
    tasks : str or sequence of str, optional
        Include only these tasks.
        The data are invalid if only one model has scores on a task, unless the task is excluded
        here.
    metric : str, optional
        Metric to use instead of the first one in the log.
    strata : str, optional
        Column of fixed groups, such as subjects, that define the benchmark.
    cluster : str, optional
        Column of groups, such as passages, that are a random sample of a larger population.

    Other Parameters
    ----------------
    loss : {"cluster", "item"}, default "cluster"
        With clusters, allow for losses of entire clusters, or only of single items.
        ``"cluster"`` allows for clusters outside the sample that fail entirely, so that 20
        clusters cannot show a margin below 0.139. ``"item"`` assumes that no such clusters exist,
        and a PASS states this assumption.
    missing : float, default 0.05
        Largest share of items that may be missing for one model.
    score_range : tuple of float, optional
        Worst and best possible score, such as ``(0, 100)``.
        The default is 0 and 1, or the observed range if some scores are outside. The range bounds
        missing scores, and the size of rare losses.
    alpha : float, default 0.05
        Significance level of the tests. It applies to each one-sided test, and must be below 0.25.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed. It determines
        the number of items that an inconclusive verdict recommends.
    seed : int, default 0
        Seed of the random number generator.
        It determines the random sign flips that test graded scores.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    FalseAlarms
        Verdicts for pairs of runs, and the false alarm rate.

    Raises
    ------
    ParameterError
        A parameter is outside its domain, or two parameters contradict each other.
    DataError
        The data cannot be used. The message says what is wrong and how to fix it.

    References
    ----------
    Methods: Margins

    Examples
    --------
    >>> import numpy as np
    >>> from nstar import ScoreMatrix
    >>> scores = np.random.default_rng(1).integers(0, 2, (4, 400))
    >>> runs = ScoreMatrix.from_arrays(scores, models=["r1", "r2", "r3", "r4"])
    >>> gate_aa(runs, margin=0.2).ordered_pairs.n_regression
    0
    """
    from nstar._api.inputs.gate_runs import matrices_of_runs
    from nstar._api.inputs.gate_verdict import gate_question, guarded_tasks
    from nstar._verbs.gate import false_alarms

    question = gate_question(
        margin=margin,
        superiority=superiority,
        guardrails=guardrails,
        strata=strata,
        cluster=cluster,
        loss=loss,
        missing=missing,
        score_range=score_range,
        alpha=alpha,
        power=power,
        seed=seed,
    )
    matrices = matrices_of_runs(
        data, reading, guarded_tasks(tasks, guardrails), metric, (strata, cluster)
    )
    return false_alarms(matrices, question)
