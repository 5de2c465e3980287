"""``compare_judged``: compare two models by a judge, corrected by labels."""

from typing import TYPE_CHECKING, Unpack

from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import (
    Alternative,
    ColumnName,
    GroupName,
    ModelName,
    OtherScores,
    Proportion,
    Scores,
    TaskNames,
)
from nstar._base.verb import verb

if TYPE_CHECKING:
    from nstar._verbs.judged import Judged


@verb()
def compare_judged(
    data: Scores,
    other: OtherScores = None,
    /,
    *,
    judge: ColumnName,
    label: ColumnName,
    a: ModelName | None = None,
    b: ModelName | None = None,
    tasks: TaskNames | None = None,
    cluster: GroupName | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: Alternative = "two-sided",
    **reading: Unpack[ReadingWords],
) -> "Judged":
    """Compare two models by the scores of a judge, corrected with human labels on some items.

    A gap is the score of A minus the score of B. The labeled items must be a random sample of all
    items.

    Parameters
    ----------
    data : path, frame, mapping, or records
        Log, folder, or table of one model or of both models, written as [NAME=]PATH[::MODEL].
    other : path, frame, mapping, or records, optional
        Log, folder, or table of the second model.
    judge : str
        Column with the scores of the judge (in logs, the name of the metric).
    label : str
        Column with the human labels, empty for unlabeled items (in logs, the name of the metric).
    a : str, optional
        Name of the first model, if the data contain several models.
    b : str, optional
        Name of the second model, if the data contain several models.
    tasks : str or sequence of str, optional
        Use only this task.
    cluster : str, optional
        Column of groups, such as passages, that are a random sample of a larger population.

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Alternative hypothesis: the gap is not zero, is above zero, or is below zero. If lower
        scores are better, ``"less"`` tests whether A is better.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Judged
        The corrected gap, the gaps from only the labels and from only the judge, the bias of the
        judge, and the number of labels needed.

    Raises
    ------
    DataError
        There are too few labels, or the labeled items do not appear to be a random sample.

    References
    ----------
    Methods: Judges

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(2)
    >>> right = rng.random((2, 400)) < [[0.8], [0.6]]
    >>> judged = np.where(rng.random((2, 400)) < 0.1, ~right, right)
    >>> label = np.where(np.arange(400) < 100, right, np.nan)
    >>> rows = {"model": ["x"] * 400 + ["y"] * 400, "item": list(range(400)) * 2}
    >>> rows |= {"verdict": judged.ravel().astype(int), "human": label.ravel()}
    >>> result = compare_judged(rows, judge="verdict", label="human", a="x", b="y")
    >>> result.n_labels, result.n_items, result.verdict, round(result.gap, 2)
    (100, 400, 'better', 0.21)
    """
    from nstar._api.inputs.aligned_pair import load_sides
    from nstar._api.inputs.reading import ReadSettings, names_in
    from nstar._api.inputs.two_models import one_or_two
    from nstar._data.findings import refuse_fatal, refuse_stopped
    from nstar._verbs.judged import JudgedQuestion
    from nstar._verbs.judged import compare_judged as compare_by_judge
    from nstar._verbs.verdict import Criteria
    from nstar.readers._tables._columns import JUDGED

    columns = dict(reading.get("columns", {})) | dict(zip(JUDGED, (judge, label), strict=True))
    settings = ReadSettings.of({**reading, "columns": columns}, "compare_judged")
    question = JudgedQuestion(
        cluster=cluster, criteria=Criteria(alpha=alpha, power=power, alternative=alternative)
    )
    sides = one_or_two(data, other, (a, b), ("A", "B"))
    pair = load_sides(
        sides, settings.declaring(cluster), tasks=names_in(tasks), judged=(judge, label)
    )
    refuse_fatal(pair.coverage.findings)
    refuse_stopped(pair.coverage.findings, names_in(reading.get("allow")))
    judge_scores, labels = pair.matrices
    return compare_by_judge(judge_scores, labels, pair.names, question, pair.coverage.findings)
