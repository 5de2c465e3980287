"""``read``, ``matrices`` and ``coverage``: read data and check their contents."""

from typing import TYPE_CHECKING, Unpack

from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import Boards
from nstar._base.verb import verb

if TYPE_CHECKING:
    from nstar._data.matrix import ScoreMatrix
    from nstar._data.table import Table
    from nstar._verbs.data_summary import Coverage


@verb()
def read(data: Boards, /, **reading: Unpack[ReadingWords]) -> "Table":
    """Read logs, or a frame, into one table of scores.

    Parameters
    ----------
    data : path, frame, mapping, or records
        Files, folders, glob patterns, or URLs.
        In Python, also a frame, a mapping of columns, or records.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Table
        A table with one row for each model, task, item, metric, and run.

    Raises
    ------
    ReadError
        The data cannot be read. The message names the file, the line, the value, and the fix.

    Examples
    --------
    >>> rows = {"qid": [1, 2], "model": ["x", "x"], "score": [1, 0]}
    >>> read(rows, columns={"item": "qid"}).models
    ('x',)
    """
    from nstar import readers
    from nstar._api.inputs.data_kinds import is_rows, readable, refuse_kind
    from nstar._api.inputs.reading import ReadSettings

    if not is_rows(data):
        refuse_kind("read", data)
    return readers.read(readable(data), ReadSettings.of(reading).options)


@verb()
def matrices(data: Boards, /, **reading: Unpack[ReadingWords]) -> "list[ScoreMatrix]":
    """Align the models of each task and metric in a matrix, models × items.

    Parameters
    ----------
    data : path, frame, mapping, or Table
        Anything that :func:`read` takes, a Table, or a mapping from model to scores.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    list of ScoreMatrix
        One matrix for each task and metric, in order of appearance. Rows that contradict each
        other are averaged and counted in ``alignment.conflicting``. Other functions refuse them
        unless ``duplicates`` is set.

    Examples
    --------
    >>> rows = {"model": ["a", "a", "b"], "item": ["q", "r", "r"], "score": [1, 0, 1]}
    >>> m = matrices(rows)[0]
    >>> m.models, m.items, m.row("b").tolist()
    (('a', 'b'), ('q', 'r'), [nan, 1.0])
    """
    from nstar._api.inputs.aligned_rows import aligned
    from nstar._api.inputs.data_kinds import is_rows, lowered, matrices_in, readable, refuse_kind
    from nstar._api.inputs.reading import ReadSettings

    in_memory = matrices_in(data)
    if in_memory is not None:
        return lowered(in_memory, lower_is_better=reading.get("lower_is_better", False))
    if not is_rows(data):
        refuse_kind("matrices", data)
    return aligned(readable(data), ReadSettings.of(reading, "matrices"))[0]


@verb()
def coverage(data: Boards, /, **reading: Unpack[ReadingWords]) -> "Coverage":
    """Show the contents of logs, and report problems.

    The report lists models, tasks, items, runs, missing items, and problems. Other commands stop
    if there is an error, such as a failed run.

    Parameters
    ----------
    data : path, frame, mapping, Table, or ScoreMatrix
        Files, folders, glob patterns, or URLs. In Python, also any data that :func:`matrices`
        accepts, or one or more matrices.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Coverage
        A row for each task and metric, and the problems that were found.

    Raises
    ------
    ReadError
        The data cannot be read. The message names the file, the line, the value, and the fix.

    Examples
    --------
    >>> [f.code for f in coverage({"a": [1, 0, 1], "b": [1, 1, float("nan")]}).findings]
    ['missing-items']
    """
    from nstar._api.inputs.aligned_rows import summarize_rows
    from nstar._api.inputs.data_kinds import is_rows, lowered, matrices_in, readable, refuse_kind
    from nstar._api.inputs.reading import ReadSettings
    from nstar._verbs.data_summary import coverage as coverage_of

    settings = ReadSettings.of(reading, "coverage")
    in_memory = matrices_in(data)
    if in_memory is not None:
        lowered_matrices = lowered(in_memory, lower_is_better=settings.options.lower_is_better)
        return coverage_of(lowered_matrices, allowed=settings.allow)
    if not is_rows(data):
        refuse_kind("coverage", data)
    return summarize_rows(readable(data), settings)
