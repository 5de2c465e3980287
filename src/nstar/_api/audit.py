"""``audit``: a whole leaderboard, from whatever holds its scores."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack, overload

from nstar._api.criteria import criteria
from nstar._api.inputs.board import BoardInput, board_of
from nstar._api.inputs.data_kinds import Data
from nstar._api.inputs.reading import ReadSettings, names_in
from nstar._api.inputs.selection import ModelFilter
from nstar._api.inputs.weights import WeightsGiven, weighed_board
from nstar._api.reading_words import ReadingWords
from nstar._base import checks
from nstar._base.parameter_types import ItemChoice
from nstar._data.findings import refuse_fatal
from nstar._data.matrix import ScoreMatrix
from nstar._engine.work import Execution
from nstar._verbs.audit import Audit, Leaderboard, audit_board
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.result import Average
from nstar._verbs.audit.tables import Adjust


@overload
def audit(data: ScoreMatrix, /, **asked: Any) -> Audit: ...
@overload
def audit(
    data: Data,
    /,
    *,
    models: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    tasks: str | Sequence[str] | None = None,
    metric: str | None = None,
    strata: str | None = None,
    cluster: str | None = None,
    delta: float | None = None,
    margin: float | None = None,
    adjust: Adjust = "maxt",
    pairs: str = "adjacent",
    items: ItemChoice = "pairwise",
    average: Average = "macro",
    weights: WeightsGiven = None,
    top: int = 10,
    alpha: float = 0.05,
    power: float = 0.8,
    draws: int | None = None,
    seed: int = 0,
    execution: Execution | None = None,
    **reading: Unpack[ReadingWords],
) -> Audit | Leaderboard: ...
def audit(  # type: ignore[misc] # of the first signature too
    data: Data,
    /,
    *,
    models: str | Sequence[str] | None = None,
    exclude: str | Sequence[str] | None = None,
    tasks: str | Sequence[str] | None = None,
    metric: str | None = None,
    strata: str | None = None,
    cluster: str | None = None,
    delta: float | None = None,
    margin: float | None = None,
    adjust: Adjust = "maxt",
    pairs: str = "adjacent",
    items: ItemChoice = "pairwise",
    average: Average = "macro",
    weights: WeightsGiven = None,
    top: int = 10,
    alpha: float = 0.05,
    power: float = 0.8,
    draws: int | None = None,
    seed: int = 0,
    execution: Execution | None = None,
    **reading: Unpack[ReadingWords],
) -> Audit | Leaderboard:
    """Which statements of a leaderboard does its benchmark support?

    Parameters
    ----------
    data
        Scores of several models: a frame, long or wide, a mapping from model to scores, records,
        a Table, a ScoreMatrix or one for each task, paths to logs, or folders of packed matrices.
    models, exclude
        Only these models, and not those; patterns such as ``"meta-*"`` will do.
    tasks, metric
        Only these tasks, and this metric instead of the first.
    strata, cluster
        Group column that says how items come about, at most one of the two. Strata define the
        benchmark (subjects); clusters are a sample (passages). Without either, items are
        independent and the stress table shows the other readings.
    delta
        Smallest gap of interest, declared before looking, in score units.
    margin
        Largest gap that does not matter, for equivalence, in score units.
    adjust
        How verdicts allow for the number of pairs: ``maxt`` (step-down, family-wise; Holm where
        that is not available), ``holm``, ``bonferroni``, ``bh`` (false discoveries) or ``none``.
    pairs
        Pairs to list in full: ``adjacent``, ``top:K`` or ``all``.
    items
        ``pairwise``: each pair on the items both have; ``common``: items that all models have.
    average
        Several tasks: ``macro``: they count equally; ``micro``: their items do. The average is
        over models that all tasks have.
    weights
        How much each item counts, if not the same: a path to a table with columns item and weight
        (and task, where ids repeat), such a frame, a mapping from item to weight.
        Rows of task and weight, without items, weigh the tasks in the average.
    top
        k of the top-k family in the stress table.
    alpha, power
        Level and wanted power; an audit is two-sided.
    draws, seed
        Draws of max-T and their seed.
    execution
        Workers, cluster, progress, and folders for pairs and counts; see
        :class:`nstar.types.Execution`. No number depends on it.
    **reading
        How data are read; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Audit or Leaderboard
        Of one task, or of several with an Audit for each in ``tasks``.

    Raises
    ------
    ParameterError, DataError
        The question, or the data, cannot be meant.

    References
    ----------
    Methods: Many comparisons

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> scores = dict(zip("abc", rng.random((3, 900)) < [[0.8], [0.79], [0.6]]))
    >>> found = audit(scores)
    >>> found.ranks.rank_low.tolist(), found.ranks.rank_high.tolist(), found.ranks.tier.tolist()
    ([1, 1, 3], [2, 2, 3], [1, 1, 2])
    """
    checks.instance("execution", execution, Execution, "a nstar.types.Execution")
    ask = AuditQuestion(
        strata=strata,
        cluster=cluster,
        delta=delta,
        margin=margin,
        criteria=criteria(alpha, power),
        adjust=adjust,
        pairs=pairs,
        items=items,
        top=top,
        draws=draws,
        seed=seed,
    )
    wanted = ModelFilter(wanted=names_in(models), unwanted=names_in(exclude))
    how = ReadSettings.of(reading, "audit").declaring(strata, cluster)
    board = board_of("audit", data, wanted, names_in(tasks), metric, how, alpha)
    refuse_fatal(board.findings)
    if board.judged is not None:
        ask.refuse_judged()
    board, shares = weighed_board(board, weights, ask, average)
    found = audit_board(
        board.matrices,
        ask,
        execution or Execution(),
        average=average,
        models=board.chosen,
        shares=shares,
    )
    return with_findings(found, board)


def with_findings(found: Audit | Leaderboard, board: BoardInput) -> Audit | Leaderboard:
    """With what was found on the way to the scores.

    What corrected scores of two models have in common says nothing of pairing.
    """
    if isinstance(found, Audit) and board.judged is not None:
        found = replace(found, judged=board.judged, correlation=None, saving=None)
    return replace(found, findings=board.findings)
