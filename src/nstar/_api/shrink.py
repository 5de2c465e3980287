"""``shrink``: some items of a benchmark, from whatever holds models' scores on all of them."""

from collections.abc import Sequence
from typing import Unpack

from nstar._api.criteria import criteria
from nstar._api.inputs.board import board_of
from nstar._api.inputs.data_kinds import Data
from nstar._api.inputs.reading import ReadingWords, ReadSettings, names_in
from nstar._api.inputs.selection import ModelFilter
from nstar._base import checks
from nstar._data.findings import refuse_fatal
from nstar._verbs.shrink import ShrinkQuestion, Subset, shrunk


def shrink(
    data: Data,
    /,
    *,
    resolve: float | None = None,
    items: int | None = None,
    models: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    tasks: str | Sequence[str] | None = None,
    metric: str | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    seed: int = 0,
    **reading: Unpack[ReadingWords],
) -> Subset:
    """Which items are enough, and what will they resolve?

    Items are drawn at random from 20 strata of difficulty, by the scores of the models in the
    data, in proportion to the strata. ``found.save("subset.csv")`` writes the list with
    its weights; freeze it before anybody looks at a new model's scores.

    Parameters
    ----------
    data
        Scores of two models or more on all items: a frame, long or wide, a mapping from model to
        scores, records, a Table, a ScoreMatrix or one for each task, paths to logs, or folders of
        packed matrices. The items of several tasks are drawn from together.
    resolve
        Gap in the benchmark's own score that two new models are to be told apart by, in score
        units; this or ``items``.
    items
        Items of the part.
    models, exclude
        Only these models, and not those; patterns such as ``"meta-*"`` will do.
    tasks, metric
        Only these tasks, and this metric instead of the first.
    alpha, power
        Level, two-sided, and wanted power.
    seed
        Seed by which items are drawn. Neither the order of the rows nor the number of workers
        matters.
    **reading
        How data are read; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Subset
        The items, with what they resolve between two new models and against a known one.

    Raises
    ------
    ParameterError, DataError
        The question, or the data, cannot be meant.

    References
    ----------
    Methods: Fewer items

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> hard = rng.random(2000)
    >>> scores = {m: (rng.random(2000) < hard).astype(int) for m in "abcde"}
    >>> found = shrink(scores, items=400)
    >>> found.items, found.total, round(found.reading("new", "benchmark").mde, 3)
    (400, 2000, 0.073)
    """
    for name, value in (("resolve", resolve), ("items", items)):
        checks.instance(name, value, (int, float), "a number")
    ask = ShrinkQuestion(resolve=resolve, items=items, criteria=criteria(alpha, power), seed=seed)
    wanted = ModelFilter(wanted=names_in(models), unwanted=names_in(exclude))
    how = ReadSettings.of(reading, "shrink")
    board = board_of("shrink", data, wanted, names_in(tasks), metric, how)
    refuse_fatal(board.findings)
    return shrunk(board.matrices, ask, board.findings, board.chosen)
