"""``read``, ``matrices`` and ``coverage``: what data hold, before anything is compared."""

from typing import Unpack

from nstar import readers
from nstar._api.inputs.aligned_rows import aligned, summarize_rows
from nstar._api.inputs.data_kinds import Data, is_rows, lowered, matrices_in, readable, refuse_kind
from nstar._api.inputs.reading import ReadSettings
from nstar._api.reading_words import ReadingWords
from nstar._data.matrix import ScoreMatrix
from nstar._data.table import Table
from nstar._verbs.data_summary import Coverage
from nstar._verbs.data_summary import coverage as coverage_of


def read(data: Data, /, **reading: Unpack[ReadingWords]) -> Table:
    """All scores of logs, or of a frame, in one table.

    Parameters
    ----------
    data
        Files, folders, patterns or URLs; or a frame, a mapping of columns, records.
    **reading
        How data are read; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Table
        One row for each model, task, item, metric and run.

    Raises
    ------
    ReadError
        The data cannot be read; names the file, the line, the value and the mend.

    Examples
    --------
    >>> rows = {"qid": [1, 2], "model": ["x", "x"], "score": [1, 0]}
    >>> read(rows, columns={"item": "qid"}).models
    ('x',)
    """
    if not is_rows(data):
        refuse_kind("read", data)
    return readers.read(readable(data), ReadSettings.of(reading).options)


def matrices(data: Data, /, **reading: Unpack[ReadingWords]) -> list[ScoreMatrix]:
    """One matrix, models × items, for each task and metric, in order of appearance.

    Parameters
    ----------
    data
        Anything that :func:`read` takes, a Table, or a mapping from model to scores.
    **reading
        How data are read; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    list of ScoreMatrix
        Rows that contradict each other are averaged and counted in ``alignment.conflicting``;
        verbs refuse them until ``duplicates`` says which counts.

    Examples
    --------
    >>> rows = {"model": ["a", "a", "b"], "item": ["q", "r", "r"], "score": [1, 0, 1]}
    >>> m = matrices(rows)[0]
    >>> m.models, m.items, m.row("b").tolist()
    (('a', 'b'), ('q', 'r'), [nan, 1.0])
    """
    there = matrices_in(data)
    if there is not None:
        return lowered(there, lower_is_better=reading.get("lower_is_better", False))
    if not is_rows(data):
        refuse_kind("matrices", data)
    return aligned(readable(data), ReadSettings.of(reading, "matrices"))[0]


def coverage(data: Data, /, **reading: Unpack[ReadingWords]) -> Coverage:
    """What data hold and what to beware of: models, tasks, items, runs, what is missing.

    Parameters
    ----------
    data
        Anything that :func:`matrices` takes, or a matrix, or several.
    **reading
        How data are read; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Coverage
        A row for each task, and findings; a fatal one stops every verb.

    Examples
    --------
    >>> [f.code for f in coverage({"a": [1, 0, 1], "b": [1, 1, float("nan")]}).findings]
    ['missing-items']
    """
    there = matrices_in(data)
    if there is not None:
        how = ReadSettings.of(reading, "coverage")
        there = lowered(there, lower_is_better=how.options.lower_is_better)
        return coverage_of(there, allowed=how.allow)
    if not is_rows(data):
        refuse_kind("coverage", data)
    return summarize_rows(readable(data), ReadSettings.of(reading, "coverage"))
