"""``compare_judged``: two models by a judge, corrected by labels."""

from collections.abc import Sequence
from typing import Unpack

from nstar._api.compare import one_or_two
from nstar._api.criteria import criteria
from nstar._api.inputs.aligned_pair import load_sides
from nstar._api.inputs.data_kinds import Data
from nstar._api.inputs.reading import ReadSettings, names_in, refuse_unknown
from nstar._api.reading_words import ReadingWords
from nstar._data.findings import refuse_fatal, refuse_stopped
from nstar._verbs.judged import Judged, JudgedQuestion
from nstar._verbs.judged import compare_judged as corrected
from nstar.readers._tables._columns import JUDGED


def compare_judged(
    data: Data,
    other: Data = None,
    /,
    *,
    judge: str,
    label: str,
    a: str | None = None,
    b: str | None = None,
    tasks: str | Sequence[str] | None = None,
    cluster: str | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    one_sided: bool = False,
    **reading: Unpack[ReadingWords],
) -> Judged:
    """Which model would people find better, by a judge of all items and labels of some?

    Parameters
    ----------
    data, other
        A frame, a mapping of columns, records or paths, with both models in it, or one for each.
    judge
        Column of the judge's scores; in logs with several metrics, the judge's metric.
    label
        Column of the labels, empty where nobody labelled the answer; in logs, their metric.
        Labelled items must be a random part of all.
    a, b
        The first and the second model.
    tasks
        The task, if there are several.
    cluster
        Column whose groups of items are a sample (passages, repositories).
    alpha, power, one_sided
        Level, wanted power, and whether only "a is better" is of interest.
    **reading
        How data are read; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Judged
        The corrected gap, the gap by labels and by the judge alone, how far the judge favours one
        of the two, and the labels that would settle it.

    Raises
    ------
    DataError
        There are too few labels, or the labelled items look chosen.

    References
    ----------
    Methods: Judges

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(2)
    >>> right = rng.random((2, 400)) < [[0.8], [0.6]]
    >>> said = np.where(rng.random((2, 400)) < 0.1, ~right, right)
    >>> label = np.where(np.arange(400) < 100, right, np.nan)
    >>> rows = {"model": ["x"] * 400 + ["y"] * 400, "item": list(range(400)) * 2}
    >>> rows |= {"verdict": said.ravel().astype(int), "human": label.ravel()}
    >>> found = compare_judged(rows, judge="verdict", label="human", a="x", b="y")
    >>> found.labels, found.items, found.verdict, round(found.delta, 2)
    (100, 400, 'better', 0.21)
    """
    refuse_unknown(reading, "compare_judged")
    columns = dict(reading.get("columns", {})) | dict(zip(JUDGED, (judge, label), strict=True))
    how = ReadSettings.of({**reading, "columns": columns}, "compare_judged").declaring(cluster)
    ask = JudgedQuestion(cluster=cluster, criteria=criteria(alpha, power, one_sided=one_sided))
    sides = one_or_two(data, other, (a, b), ("A", "B"))
    ready = load_sides(sides, how, tasks=names_in(tasks), judged=(judge, label))
    refuse_fatal(ready.coverage.findings)
    refuse_stopped(ready.coverage.findings, names_in(reading.get("allow")))
    said, told = ready.matrices
    return corrected(said, told, ready.names, ask, ready.coverage.findings)
