"""``judges``: several judges of the same answers, held against people and each other."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Unpack

from nstar._api.inputs.data_kinds import Data, readable
from nstar._api.inputs.judged_logs import JudgeColumns, judged_logs
from nstar._api.inputs.reading import ReadSettings, names_in, refuse_unknown
from nstar._api.inputs.run_logs import LogGroup, RunSelection
from nstar._api.reading_words import ReadingWords
from nstar._base import checks
from nstar._verbs.judges import Judges, JudgesSample, measured
from nstar.errors import ParameterError, arg
from nstar.readers._tables._columns import JUDGED, RATER


def judges(
    data: Data,
    /,
    *,
    judge: str | Sequence[str] | None = None,
    rater: str | None = None,
    label: str | None = None,
    cost_judge: float | Mapping[str, float] | None = None,
    cost_label: float | None = None,
    a: str | None = None,
    b: str | None = None,
    task: str | None = None,
    alpha: float = 0.05,
    **reading: Unpack[ReadingWords],
) -> Judges:
    """Which judge agrees with people, which with which, and which is worth its money?

    Parameters
    ----------
    data
        A frame, a mapping of columns, records or paths, with answers of one model or more.
    judge
        Columns of the judges' scores, one for each judge; in logs with several metrics, the
        judges' metrics. With ``rater`` the column of scores, where its name does not tell.
    rater
        Column that names the judge of each row, where all scores stand in one column.
    label
        Column of people's labels, empty where nobody labelled the answer; in logs, their metric.
        Labelled items must be a random part of all.
    cost_judge, cost_label
        Price of one judgement, for all judges or by judge, and of one label, in the same money.
    a, b
        One model or two of those in the data; all by default.
    task
        The task, if there are several.
    alpha
        Intervals cover 1 - alpha.
    **reading
        How data are read; see :class:`nstar.types.ReadingWords`. Runs are repeats of a judgement.

    Returns
    -------
    Judges
        Agreement of each judge with people and with the others, what each saves, and the variance
        of a gap by item, judge and repeat.

    Raises
    ------
    ParameterError, DataError
        The question, or the data, cannot be meant.

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
    >>> found = judges(rows, judge=["good", "poor"], label="people")
    >>> found.best, found.labels, [round(j.gain, 1) for j in found.judges]
    ('good', 80, [1.9, 1.0])
    """
    refuse_unknown(reading, "judges")
    columns = JudgeColumns(judges=names_in(judge), rater=rater, label=label)
    if not columns.judges and rater is None:
        msg = f"name the columns of the judges with {arg('judge')}, or that of their names with "
        raise ParameterError(msg + arg("rater"))
    how = ReadSettings.of(reading, "judges", runs="all")
    said = [(JUDGED[0], name) for name in columns.judges]
    said += [(part, name) for part, name in ((JUDGED[1], label), (RATER, rater)) if name]
    options = replace(how.options, columns=(*how.options.columns, *said))
    sample, findings = judged_logs(
        [LogGroup(data=readable(data), usual=a or "A")],
        replace(how, options=options),
        RunSelection(a=a, b=b, task=task),
        columns,
    )
    checks.fraction("alpha", alpha)
    costs = prices_of(sample, cost_judge, cost_label)
    return measured(sample, alpha=alpha, costs=costs, cost_label=cost_label, findings=findings)


def prices_of(
    sample: JudgesSample,
    cost_judge: float | Mapping[str, float] | None,
    cost_label: float | None,
) -> dict[str, float]:
    """Price of one judgement by judge; both prices are needed, and every judge must be there."""
    if (cost_judge is None) != (cost_label is None):
        msg = f"{arg('cost_judge')} and {arg('cost_label')} are held against each other; give both"
        raise ParameterError(msg)
    if cost_judge is None or cost_label is None:
        return {}
    checks.positive("cost_label", cost_label)
    if not isinstance(cost_judge, Mapping):
        checks.positive("cost_judge", cost_judge)
        return dict.fromkeys(sample.judges, float(cost_judge))
    for name, cost in cost_judge.items():
        checks.positive("cost_judge", cost)
        if name not in sample.judges:
            there = ", ".join(sample.judges)
            msg = f"{arg('cost_judge')} names {name!r}; the judges here are {there}"
            raise ParameterError(msg)
    return {name: float(cost) for name, cost in cost_judge.items()}
