"""``items``: the items of a benchmark, from whatever holds its scores."""

from collections.abc import Sequence
from typing import Unpack

from nstar._api.criteria import criteria
from nstar._api.inputs.board import BoardInput, board_of
from nstar._api.inputs.data_kinds import Data
from nstar._api.inputs.reading import ReadingWords, ReadSettings, names_in
from nstar._api.inputs.selection import ModelFilter
from nstar._data.findings import abbreviate, refuse_fatal
from nstar._verbs.audit.tables import ItemChoice
from nstar._verbs.items import Items, ItemsQuestion, examined
from nstar.errors import DataError, ParameterError, arg


def items(
    data: Data,
    /,
    *,
    models: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    tasks: str | Sequence[str] | None = None,
    metric: str | None = None,
    top: int = 8,
    items: ItemChoice = "pairwise",
    label_errors: float | None = None,
    split: str | None = None,
    since: str | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    **reading: Unpack[ReadingWords],
) -> Items:
    """Which items of a benchmark decide, which are dead so far, and whose key to look at?

    Parameters
    ----------
    data
        Scores of several models on one task, as :func:`nstar.audit` takes them.
    models, exclude
        Only these models, and not those; patterns such as ``"meta-*"`` will do.
    tasks, metric
        Which task, if the data hold several, and this metric instead of the first.
    top
        Models, from the best, whose dead items are counted apart.
    items
        ``pairwise``: items that any model has; ``common``: items that all models have.
    label_errors
        Share of items whose key is wrong, supposed: what would that cost?
    split, since
        Group column with two kinds of items, such as public and private, on which gaps are
        compared; or with dates, and the day that splits them.
    alpha, power
        Level and wanted power behind smallest detectable gaps.
    **reading
        How data are read; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Items
        Dead and live items, item-rest correlations, and a row for each item in ``table``.

    Raises
    ------
    ParameterError, DataError
        The question, or the data, cannot be meant.

    References
    ----------
    Methods: Items

    Examples
    --------
    Both models get the first item right and the last one wrong; two items decide.

    >>> found = items({"a": [1, 1, 1, 0], "b": [1, 0, 0, 0], "c": [1, 0, 1, 0]})
    >>> found.every.right, found.every.wrong, found.every.live, found.pairs.live.tolist()
    (1, 1, 2, [1, 1])
    """
    ask = ItemsQuestion(
        top=top,
        items=items,
        label_errors=label_errors,
        split=split,
        since=since,
        criteria=criteria(alpha, power),
    )
    wanted = ModelFilter(wanted=names_in(models), unwanted=names_in(exclude))
    how = ReadSettings.of(reading, "items").declaring(split)
    if how.judged is not None:
        named = arg("columns", "score=NAME")
        msg = f"items are looked at as they were scored; name the scores ({named}), not a judge"
        raise ParameterError(msg)
    return items_of(board_of("items", data, wanted, names_in(tasks), metric, how), ask)


def items_of(board: BoardInput, ask: ItemsQuestion) -> Items:
    """The items of a board that holds one task."""
    refuse_fatal(board.findings)
    if len(board.matrices) > 1:
        there = abbreviate([m.task for m in board.matrices], 5)
        msg = f"items are looked at one task at a time; choose one of {there} ({arg('tasks')})"
        raise DataError(msg)
    return examined(board.matrices[0], board.chosen, ask, board.findings)
