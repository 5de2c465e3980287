"""``gate_looks``: decide as ``gate`` does, with a test that is valid at every look."""

from typing import TYPE_CHECKING, Unpack

from nstar._api.inputs.gate_rules import GATE_RULES
from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import (
    EvidenceFolder,
    Gap,
    Groups,
    ItemCount,
    MetricName,
    ModelLog,
    Proportion,
    Range,
    Score,
    TaskMargins,
    TaskNames,
)
from nstar._base.types import LossUnit
from nstar._base.verb import needs, verb
from nstar.errors import QuestionError, arg

if TYPE_CHECKING:
    from nstar._verbs.gate import Gate


@verb(
    *GATE_RULES,
    needs("fresh_items", "history"),
)
def gate_looks(
    candidate: ModelLog,
    baseline: ModelLog = None,
    *,
    a: str | None = None,
    b: str | None = None,
    margin: Gap | None = None,
    superiority: bool = False,
    threshold: Score | None = None,
    guardrails: TaskMargins | None = None,
    items: ItemCount | None = None,
    psi: Proportion = 0.2,
    history: EvidenceFolder = None,
    fresh_items: bool = False,
    tasks: TaskNames | None = None,
    metric: MetricName | None = None,
    strata: Groups | None = None,
    cluster: Groups | None = None,
    loss: LossUnit = "cluster",
    missing: Proportion = 0.05,
    score_range: Range | None = None,
    alpha: Proportion = 0.05,
    **reading: Unpack[ReadingWords],
) -> "Gate":
    """Decide whether a candidate can replace the baseline, with repeated looks at the data.

    The verdict is based on e-values, and is valid at every look. Set ``items`` to look at one run
    whose items arrive in random order. Set ``history`` to accumulate evidence over several
    evaluations of the same question.

    You can also put settings in nstar.toml under [gate.looks]. Settings under [gate] also apply.

    Parameters
    ----------
    candidate : path, array, Series, frame, mapping, records, Table, or ScoreMatrix
        Log, folder, or table of the model to test, written as [NAME=]PATH[::MODEL].
        In Python, also scores in any form that :func:`nstar.compare` accepts.
    baseline : path, array, Series, frame, mapping, records, Table, or ScoreMatrix, optional
        Log, folder, or table of the current model, written as [NAME=]PATH[::MODEL].
        It must have the same form as ``candidate``. Omit it if ``candidate`` contains both models.
    a, b : str, optional
        Names of the candidate and the baseline, if the data contain several models.
        For arrays, these names are shown in the report. On the command line, use PATH::MODEL.
    margin : float, optional
        Largest acceptable loss, such as 0.01 (1 pp). It is in score units.
    superiority : bool, default False
        Require a significant improvement instead of non-inferiority at a margin.
    threshold : float, optional
        Compare with this score, such as 0.7, instead of a second model. A PASS shows
        that the candidate's score is above the threshold or, with ``margin``, above the threshold
        minus the margin. A REGRESSION shows that it is below the threshold.
    guardrails : mapping from str to float, optional
        Separate margin for one task, in place of the common margin.
        Tasks with a guardrail are tested even if ``tasks`` does not include them.
    items : int, optional
        Total number of items planned per task, which must be the same at every look.
        The default is the number of items of the baseline. Arrays must be in the order of the run.
        A NaN of the candidate before its last score is a missing score. A NaN after its last score
        is an item that was not reached.
    psi : float, default 0.2
        Share of items that exactly one model answers correctly, for 0/1 scores.
        The e-values are tuned for this value. A wrong value reduces power, but the verdict remains
        valid if the value is the same at every look.
    history : path or History, optional
        Folder that accumulates evidence over several evaluations of the same question.
        In Python, also a :class:`nstar.types.History`. The result then contains the updated
        history.
    fresh_items : bool, default False
        Declare that each evaluation uses new items.
        The folder stores this setting. In Python, use ``History(fresh=True)``.
    tasks : str or sequence of str, optional
        Include only these tasks.
        The data are invalid if only one model has scores on a task, unless the task is excluded
        here.
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
        Largest share of items that may be missing for one model.
    score_range : tuple of float, optional
        Worst and best possible score, such as ``(0, 100)``.
        The default is 0 and 1, or the observed range if some scores are outside. The range bounds
        missing scores, and the size of rare losses.
    alpha : float, default 0.05
        Significance level of the tests. It applies to each one-sided test, and must be below 0.25.
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
    >>> gate_looks(new, old, margin=0.02, items=2000, psi=0.06).verdict
    'pass'
    """
    from nstar._api.inputs.gate_verdict import gate_question, gate_verdict

    if items is None and history is None:
        msg = (
            f"Repeated looks need {arg('items')}: the total planned, unchanged at every look. To "
            f"accumulate evidence over complete evaluations, set {arg('history')} instead."
        )
        raise QuestionError(msg)
    question = gate_question(
        margin=margin,
        superiority=superiority or (threshold is not None and margin is None),
        threshold=threshold,
        guardrails=guardrails,
        strata=strata,
        cluster=cluster,
        loss=loss,
        monitoring="sequential" if history is None else "history",
        items=items,
        psi=psi,
        missing=missing,
        score_range=score_range,
        alpha=alpha,
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
        history=history,
        fresh_items=fresh_items,
    )
