"""``gate``: decide whether a candidate can replace a baseline."""

from typing import TYPE_CHECKING, Unpack

from nstar._api.inputs.gate_rules import GATE_RULES
from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import (
    Gap,
    Groups,
    ItemWeights,
    MetricName,
    ModelLog,
    Proportion,
    Range,
    Score,
    Seed,
    TaskMargins,
    TaskNames,
)
from nstar._base.types import LossUnit
from nstar._base.verb import excludes, verb

if TYPE_CHECKING:
    from nstar._verbs.gate import Gate


@verb(
    *GATE_RULES,
    excludes(threshold="score to exceed", weights="weights of items, which need a baseline"),
)
def gate(
    candidate: ModelLog,
    baseline: ModelLog = None,
    *,
    a: str | None = None,
    b: str | None = None,
    margin: Gap | None = None,
    superiority: bool = False,
    threshold: Score | None = None,
    guardrails: TaskMargins | None = None,
    tasks: TaskNames | None = None,
    metric: MetricName | None = None,
    strata: Groups | None = None,
    cluster: Groups | None = None,
    loss: LossUnit = "cluster",
    missing: Proportion = 0.05,
    weights: ItemWeights = None,
    score_range: Range | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    seed: Seed = 0,
    **reading: Unpack[ReadingWords],
) -> "Gate":
    """Decide whether a candidate can replace the baseline, or exceeds a threshold.

    The verdict is PASS if the candidate is non-inferior at the margin (or better, with
    ``superiority``) on every task. It is REGRESSION if the candidate is significantly worse on a
    task, and not shown to be within the margin. Otherwise, it is INCONCLUSIVE, or INVALID DATA if
    the data cannot be used. The exit status is 0 (PASS), 1 (REGRESSION), 3 (INCONCLUSIVE), or 4
    (INVALID DATA).

    You can also put settings in nstar.toml under [gate], or in pyproject.toml under
    [tool.nstar.gate].

    Parameters
    ----------
    candidate : path, array, Series, frame, mapping, records, Table, or ScoreMatrix
        Log, folder, or table of the model to test, written as [NAME=]PATH[::MODEL]. In Python,
        also scores in any form that :func:`nstar.compare` accepts.
    baseline : path, array, Series, frame, mapping, records, Table, or ScoreMatrix, optional
        Log, folder, or table of the current model, written as [NAME=]PATH[::MODEL]. It must have
        the same form as ``candidate``. Omit it if ``candidate`` contains both models.
    a, b : str, optional
        Names of the candidate and the baseline, if the data contain several models. For arrays,
        these names are shown in the report. On the command line, use PATH::MODEL.
    margin : float, optional
        Largest acceptable loss, such as 0.01 (1 pp). It is in score units.
    superiority : bool, default False
        Require a significant improvement instead of non-inferiority at a margin.
    threshold : float, optional
        Compare with this score, such as 0.7, instead of a second model. A PASS shows
        that the candidate's score is above the threshold or, with ``margin``, above the threshold
        minus the margin. A REGRESSION shows that it is below the threshold.
    guardrails : mapping from str to float, optional
        Separate margin for one task, in place of the common margin. Tasks with a guardrail are
        tested even if ``tasks`` does not include them.
    tasks : str or sequence of str, optional
        Include only these tasks. The data are invalid if only one model has scores on a task,
        unless the task is excluded here.
    metric : str, optional
        Metric to use instead of the first one in the log.
    strata : str or sequence, optional
        Column of fixed groups, such as subjects, that define the benchmark. For arrays, pass one
        label per item.
    cluster : str or sequence, optional
        Column of groups, such as passages, that are a random sample of a larger population. For
        arrays, pass one label per item.

    Other Parameters
    ----------------
    loss : {"cluster", "item"}, default "cluster"
        With clusters, allow for losses of entire clusters, or only of single items.
        ``"cluster"`` allows for clusters outside the sample that fail entirely, so that 20
        clusters cannot show a margin below 0.139. ``"item"`` assumes that no such clusters exist,
        and a PASS states this assumption.
    missing : float, default 0.05
        Largest share of items that may be missing for one model. With ``weights``, no items may be
        missing.
    weights : path, frame, mapping, or sequence, optional
        Weights of the items, in a .csv, .jsonl, or .parquet file. The weights have the same form
        as in :func:`nstar.compare`.
    score_range : tuple of float, optional
        Worst and best possible score, such as ``(0, 100)``. The default is 0 and 1, or the
        observed range if some scores are outside. The range bounds missing scores, and the size of
        rare losses.
    alpha : float, default 0.05
        Significance level of the tests. It applies to each one-sided test, and must be below 0.25.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed. It determines
        the number of items that an inconclusive verdict recommends.
    seed : int, default 0
        Seed of the random number generator. It determines the random sign flips that test graded
        scores.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Gate
        The verdict, with one result for each task in ``tasks``.

    Raises
    ------
    ParameterError
        A parameter is outside its domain. If the data cannot be used, the verdict is INVALID DATA
        and no error is raised.

    References
    ----------
    Methods: Margins

    Examples
    --------
    >>> import numpy as np
    >>> new, old = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [1200, 60, 55, 685], axis=0).T
    >>> gate(new, old, margin=0.01).verdict, gate(new, old, superiority=True).verdict
    ('pass', 'inconclusive')
    """
    from nstar._api.inputs.gate_verdict import gate_question, gate_verdict

    question = gate_question(
        margin=margin,
        superiority=superiority or (threshold is not None and margin is None),
        threshold=threshold,
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
    return gate_verdict(
        candidate,
        baseline,
        (a, b),
        question,
        reading,
        tasks=tasks,
        metric=metric,
        labels={"strata": strata, "cluster": cluster},
        weights=weights,
    )
