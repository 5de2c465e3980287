"""``items``: find non-discriminating items and suspect answer keys."""

from typing import TYPE_CHECKING, Unpack

from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import (
    Boards,
    Day,
    GroupName,
    ItemChoice,
    MetricName,
    ModelCount,
    ModelPatterns,
    Proportion,
    TaskNames,
)
from nstar._base.verb import needs, verb
from nstar.errors import DataError, ParameterError, arg

if TYPE_CHECKING:
    from nstar._verbs.items import Items


@verb(needs("after", split="column of dates"))
def items(
    data: Boards,
    /,
    *,
    models: ModelPatterns | None = None,
    exclude: ModelPatterns | None = None,
    tasks: TaskNames | None = None,
    metric: MetricName | None = None,
    top: ModelCount = 8,
    items: ItemChoice = "pairwise",
    label_errors: Proportion | None = None,
    split: GroupName | None = None,
    after: Day | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    **reading: Unpack[ReadingWords],
) -> "Items":
    """Find non-discriminating items and suspect answer keys.

    An item is non-discriminating if all models have the same score on it.

    Parameters
    ----------
    data : path, frame, mapping, Table, or ScoreMatrix
        Scores of two or more models on one task, as a file, folder, glob pattern, or URL.
        In Python, any data that :func:`nstar.audit` accepts.
    models : str or sequence of str, optional
        Include only these models, such as ``"meta-*"``.
    exclude : str or sequence of str, optional
        Exclude these models, such as ``"meta-*"``.
    tasks : str or sequence of str, optional
        Use only this task.
    metric : str, optional
        Metric to use instead of the first one in the log.
    top : int, default 8
        Number of top models among which non-discriminating items are also counted.
    items : {"pairwise", "common"}, default "pairwise"
        Use the items that any model answered (pairwise), or only the items that all models
        answered (common).
    label_errors : float, optional
        Report the effect of this share of wrong answer keys, such as 0.05.
    split : str, optional
        Column that divides the items into two groups, such as public and private, whose gaps are
        compared.
    after : str, optional
        Date, such as 2024-06-01, that divides the items into older and newer ones by the ``split``
        column.

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Items
        Counts of items and item-rest correlations, with a row for each item in ``table``.

    Raises
    ------
    ParameterError
        A parameter is outside its domain, or two parameters contradict each other.
    DataError
        The data cannot be used. The message says what is wrong and how to fix it.

    References
    ----------
    Methods: Items

    Examples
    --------
    Both models get the first item right and the last one wrong; two items decide.

    >>> result = items({"a": [1, 1, 1, 0], "b": [1, 0, 0, 0], "c": [1, 0, 1, 0]})
    >>> counts = result.item_counts
    >>> counts.n_all_correct, counts.n_all_wrong, counts.n_discriminating
    (1, 1, 2)
    """
    from nstar._api.inputs.board import board_of
    from nstar._api.inputs.reading import ReadSettings, names_in
    from nstar._api.inputs.selection import ModelFilter
    from nstar._data.findings import abbreviate, refuse_fatal
    from nstar._verbs.items import ItemsQuestion, examined
    from nstar._verbs.verdict import Criteria

    question = ItemsQuestion(
        top=top,
        items=items,
        label_errors=label_errors,
        split=split,
        after=after,
        criteria=Criteria(alpha=alpha, power=power),
    )
    selection = ModelFilter(wanted=names_in(models), unwanted=names_in(exclude))
    settings = ReadSettings.of(reading, "items").declaring(split)
    if settings.judged is not None:
        column = arg("columns", "score=NAME")
        msg = (
            "items uses the scores as they are and does not correct for judge errors. Choose the "
            f"column of scores with {column}."
        )
        raise ParameterError(msg)
    board = board_of("items", data, selection, names_in(tasks), metric, settings)
    refuse_fatal(board.findings)
    if len(board.matrices) > 1:
        names = abbreviate([repr(m.task) for m in board.matrices], 5)
        msg = f"items analyzes one task at a time. Set {arg('tasks')} to one of them: {names}."
        raise DataError(msg)
    return examined(board.matrices[0], board.chosen, question, board.findings)
