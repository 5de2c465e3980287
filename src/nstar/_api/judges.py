"""``judges``: compare several judges of the same answers."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import (
    Boards,
    ColumnName,
    ColumnNames,
    Cost,
    JudgeCosts,
    ModelName,
    Proportion,
    TaskName,
)
from nstar._base.verb import at_least_one, needs, together, verb
from nstar.errors import ParameterError, arg

if TYPE_CHECKING:
    from nstar._verbs.judges import Judges, JudgesSample


@verb(
    at_least_one(judge="columns of the judges' scores", rater="column of the judges' names"),
    needs("b", a="name of the first model"),
    together("cost_judge", "cost_label"),
)
def judges(
    data: Boards,
    /,
    *,
    judge: ColumnNames | None = None,
    rater: ColumnName | None = None,
    label: ColumnName | None = None,
    cost_judge: JudgeCosts | None = None,
    cost_label: Cost | None = None,
    a: ModelName | None = None,
    b: ModelName | None = None,
    task: TaskName | None = None,
    alpha: Proportion = 0.05,
    **reading: Unpack[ReadingWords],
) -> "Judges":
    """Compare several judges that score the same answers.

    The report shows how well each judge agrees with human labels and with the other judges. It
    also splits the variance of a gap into items, judges, and repeats.

    Parameters
    ----------
    data : path, frame, mapping, or records
        Judged answers of one or more models, as a file, folder, glob pattern, or URL.
    judge : str or sequence of str, optional
        Column with the scores of one judge (in logs, the name of the metric).
        With ``rater``, the column of scores if nstar cannot infer it from its name.
    rater : str, optional
        Column that names the judge of each row, if all scores are in one column.
    label : str, optional
        Column with the human labels, empty for unlabeled items (in logs, the name of the metric).
        The labeled items must be a random sample of all items.
    cost_judge : float or mapping, optional
        Cost of one judgment, either for all judges or for the named judge.
    cost_label : float, optional
        Cost of one human label.
        It has the same currency as ``cost_judge``.
    a : str, optional
        Name of the first model, if the data contain several models.
    b : str, optional
        Name of the second model, if the data contain several models. The gap is A minus B.
    task : str, optional
        Task to use, if the data contain several tasks.

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`. Runs of an item are
        repeated judgments.

    Returns
    -------
    Judges
        Agreement of each judge with human labels and with the other judges, the labels that each
        judge saves, and the variance of a gap by item, judge, and repeat.

    Raises
    ------
    ParameterError
        A parameter is outside its domain, or two parameters contradict each other.
    DataError
        The data cannot be used. The message says what is wrong and how to fix it.

    References
    ----------
    Methods: Judges

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> right = rng.random(400) < 0.7
    >>> rows = {"model": ["x"] * 200 + ["y"] * 200, "item": [*range(200)] * 2}
    >>> rows |= {"people": np.where(np.arange(400) % 200 < 80, right, np.nan)}
    >>> for name, wrong in (("good", 0.05), ("poor", 0.4)):
    ...     rows[name] = np.where(rng.random(400) < wrong, ~right, right).astype(int)
    >>> result = judges(rows, judge=["good", "poor"], label="people")
    >>> result.best_judge, result.n_labels, [round(j.gain, 1) for j in result.judges]
    ('good', 80, [1.9, 1.0])
    """
    from nstar._api.inputs.data_kinds import readable
    from nstar._api.inputs.judged_logs import JudgeColumns, judged_logs
    from nstar._api.inputs.reading import ReadSettings, names_in
    from nstar._api.inputs.run_logs import LogGroup, RunSelection
    from nstar._base import checks
    from nstar._verbs.judges import measured
    from nstar.readers._tables._columns import JUDGED, RATER

    columns = JudgeColumns(judges=names_in(judge), rater=rater, label=label)
    settings = ReadSettings.of(reading, "judges", runs="all")
    roles = [(JUDGED[0], name) for name in columns.judges]
    roles += [(role, name) for role, name in ((JUDGED[1], label), (RATER, rater)) if name]
    options = replace(settings.options, columns=(*settings.options.columns, *roles))
    checks.fraction("alpha", alpha)
    sample, findings = judged_logs(
        [LogGroup(data=readable(data), usual=a or "A")],
        replace(settings, options=options),
        RunSelection(a=a, b=b, task=task),
        columns,
    )
    costs = prices_of(sample, cost_judge, cost_label)
    return measured(sample, alpha=alpha, costs=costs, cost_label=cost_label, findings=findings)


def prices_of(
    sample: "JudgesSample",
    cost_judge: float | Mapping[str, float] | None,
    cost_label: float | None,
) -> dict[str, float]:
    """Return the cost of one judgment for each judge. Every judge named must exist."""
    from nstar._base import checks

    if cost_judge is None or cost_label is None:
        return {}
    checks.positive("cost_label", cost_label)
    if not isinstance(cost_judge, Mapping):
        checks.positive("cost_judge", cost_judge)
        return dict.fromkeys(sample.judges, float(cost_judge))
    for name, cost in cost_judge.items():
        checks.positive("cost_judge", cost)
        if name not in sample.judges:
            available = ", ".join(sample.judges)
            msg = f"{arg('cost_judge')}: no judge {name!r}. Available: {available}."
            raise ParameterError(msg)
    return {name: float(cost) for name, cost in cost_judge.items()}
