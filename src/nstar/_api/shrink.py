"""``shrink``: choose a smaller subset of a benchmark."""

from typing import TYPE_CHECKING, Unpack

from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import (
    Boards,
    Gap,
    ItemCount,
    MetricName,
    ModelPatterns,
    Proportion,
    Seed,
    TaskNames,
)
from nstar._base.verb import exactly_one, verb

if TYPE_CHECKING:
    from nstar._verbs.shrink import Subset


@verb(exactly_one(resolve="gap to detect", items="subset size"))
def shrink(
    data: Boards,
    /,
    *,
    resolve: Gap | None = None,
    items: ItemCount | None = None,
    models: ModelPatterns | None = None,
    exclude: ModelPatterns | None = None,
    tasks: TaskNames | None = None,
    metric: MetricName | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    seed: Seed = 0,
    **reading: Unpack[ReadingWords],
) -> "Subset":
    """Choose a smaller subset of the items of a benchmark.

    Items are drawn at random from 20 strata of difficulty, in proportion to the size of each
    stratum, and receive weights. Fix the list of items before you run a new model.

    Parameters
    ----------
    data : path, frame, mapping, Table, or ScoreMatrix
        Scores of two or more models on all items, as a file, folder, glob pattern, or URL.
        In Python, also a data frame, a mapping from models to scores, records, a Table, one
        ScoreMatrix for each task, or packed matrices. Items are drawn from all tasks together.
    resolve : float, optional
        Gap between two new models on the full benchmark that the subset must detect, such as 0.01
        (1 pp).
    items : int, optional
        Number of items in the subset.
    models : str or sequence of str, optional
        Include only these models, such as ``"meta-*"``.
    exclude : str or sequence of str, optional
        Exclude these models, such as ``"meta-*"``.
    tasks : str or sequence of str, optional
        Include only these tasks.
    metric : str, optional
        Metric to use instead of the first one in the log.
    seed : int, default 0
        Seed of the random number generator.
        The result depends neither on the order of the rows nor on the number of workers.

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
    Subset
        The items of the subset, and the gaps that they can detect between two new models, or
        between a new model and a known one.
        ``save("subset.csv")`` writes the items with their weights.

    Raises
    ------
    ParameterError
        A parameter is outside its domain, or two parameters contradict each other.
    DataError
        The data cannot be used. The message says what is wrong and how to fix it.

    References
    ----------
    Methods: Fewer items

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> hard = rng.random(2000)
    >>> scores = {m: (rng.random(2000) < hard).astype(int) for m in "abcde"}
    >>> result = shrink(scores, items=400)
    >>> result.n_items, result.n_items_total, round(result.resolution("new", "benchmark").mde, 3)
    (400, 2000, 0.073)
    """
    from nstar._api.inputs.board import board_of
    from nstar._api.inputs.gap_units import check_gap_units
    from nstar._api.inputs.reading import ReadSettings, names_in
    from nstar._api.inputs.selection import ModelFilter
    from nstar._data.findings import refuse_fatal
    from nstar._verbs.shrink import ShrinkQuestion, shrunk
    from nstar._verbs.verdict import Criteria

    question = ShrinkQuestion(
        resolve=resolve, items=items, criteria=Criteria(alpha=alpha, power=power), seed=seed
    )
    selection = ModelFilter(wanted=names_in(models), unwanted=names_in(exclude))
    settings = ReadSettings.of(reading, "shrink")
    board = board_of("shrink", data, selection, names_in(tasks), metric, settings)
    refuse_fatal(board.findings)
    check_gap_units(board.matrices, resolve=resolve)
    return shrunk(board.matrices, question, board.findings, board.chosen)
