"""``audit``: rank the models of a leaderboard and test every pair."""

from typing import TYPE_CHECKING, Unpack

from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import (
    Adjust,
    Average,
    Boards,
    Gap,
    GroupName,
    ItemChoice,
    ItemWeights,
    MetricName,
    ModelPatterns,
    OlderBoards,
    PairChoice,
    Proportion,
    RankMeasure,
    SampleUnit,
    Seed,
    StatisticName,
    TaskNames,
)
from nstar._base.verb import at_most_one, excludes, verb

if TYPE_CHECKING:
    from nstar._engine.work import Execution
    from nstar._verbs.audit.result import Audit


@verb(
    at_most_one(strata="groups that define the benchmark", cluster="groups that are a sample"),
    excludes(
        statistic="metric that is not an average",
        metric="metric of a log",
        strata="fixed groups",
        margin="margin of mean scores",
        weights="weights of items",
    ),
    excludes(
        since="comparison with an older board",
        statistic="metric that is not an average",
        weights="weights of items",
    ),
)
def audit(  # noqa: PLR0915 a statement for each import
    data: Boards,
    /,
    *,
    models: ModelPatterns | None = None,
    exclude: ModelPatterns | None = None,
    tasks: TaskNames | None = None,
    metric: MetricName | None = None,
    statistic: StatisticName | None = None,
    strata: GroupName | None = None,
    cluster: GroupName | None = None,
    unit: SampleUnit = "item",
    rank_by: RankMeasure | None = None,
    delta: Gap | None = None,
    margin: Gap | None = None,
    since: OlderBoards = None,
    adjust: Adjust = "maxt",
    pairs: PairChoice = "adjacent",
    items: ItemChoice = "pairwise",
    average: Average = "macro",
    weights: ItemWeights = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    draws: int | None = None,
    seed: Seed = 0,
    execution: "Execution | None" = None,
    **reading: Unpack[ReadingWords],
) -> "Audit":
    """Rank the models of a leaderboard, and test every pair of models.

    The rank ranges and tiers hold for all models simultaneously.

    Parameters
    ----------
    data : path, frame, mapping, Table, or ScoreMatrix
        Scores of two or more models, as a file, folder, glob pattern, or URL.
        In Python, also a long or wide data frame, a mapping from models to scores, records, a
        Table, one ScoreMatrix for each task, or folders of packed matrices.
    models : str or sequence of str, optional
        Include only these models, such as ``"meta-*"``.
    exclude : str or sequence of str, optional
        Exclude these models, such as ``"meta-*"``.
    tasks : str or sequence of str, optional
        Include only these tasks.
    metric : str, optional
        Metric to use instead of the first one in the log.
    statistic : str or callable, optional
        Use a metric that is not an average of scores, such as f1, auroc, or bleu. Others are
        precision, recall, macro-f1, macro-precision, macro-recall, ratio, rmse, pearson, spearman,
        and chrf. ``"f1:spam"`` names the positive class. The data need the columns truth and
        prediction, or numerator and denominator for a ratio. In Python, a function takes the
        columns of one model that ``columns`` names, and returns a number.
    strata : str, optional
        Column of fixed groups, such as subjects, that define the benchmark.
    cluster : str, optional
        Column of groups, such as passages, that are a random sample of a larger population.
        Without strata and clusters, items are assumed to be independent, and the report adds a
        sensitivity analysis for possible groups.
    unit : {"item", "task"}, default "item"
        Sampling unit: items of these tasks (item), or the tasks (task).
        With ``task``, each task has one score: a table of models and tasks, or the mean of the
        items of a task. The result then generalizes to new tasks.
    rank_by : {"mean", "win-rate", "borda"}, default "mean"
        With tasks as the unit, rank by the mean score or by the share of other models beaten.
        The win rate and the Borda count give the same order, and depend on the other models.
    delta : float, optional
        Smallest gap that matters, declared in advance, such as 0.01 (1 pp). It is in score units.
    margin : float, optional
        Also test equivalence within this margin, such as 0.02 (2 pp). It is in score units.
    since : path, frame, mapping, Table, ScoreMatrix, or Audit, optional
        Report what changed since an older snapshot: logs, a table, a pack, or an audit.
        Each changed rank range and verdict has its reason: other scores on the same items, other
        items, or other models. The JSON of an audit has no scores of items, so its changes have
        no reasons.

    Other Parameters
    ----------------
    adjust : {"maxt", "holm", "bonferroni", "bh", "none"}, default "maxt"
        Method that adjusts for multiple comparisons.
        ``maxt`` (step-down) and ``holm`` control the family-wise error rate, and ``bh`` controls
        the false discovery rate. If max-T is not available, Holm is used.
    pairs : str, default "adjacent"
        Pairs to list in the report (ranks and counts always use all pairs).
        One of ``"adjacent"``, ``"all"``, or ``"top:20"``. With ``"top:20"``, the sensitivity
        analysis includes the 20 best models as a family, instead of the 10 best.
    items : {"pairwise", "common"}, default "pairwise"
        Use the items that both models of a pair answered (pairwise), or only the items that all
        models answered (common).
    average : {"macro", "micro"}, default "macro"
        Average over several tasks: weight the tasks equally (macro) or the items equally (micro).
        The average includes only models that have scores on all tasks.
    weights : path, frame, or mapping, optional
        Weights of the items, in a .csv, .jsonl, or .parquet file. The file has the columns item
        and weight, and also task if item ids repeat. In Python, also a mapping from item to
        weight. Rows with a task and a weight, but without an item, weight the tasks in the
        average.
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    draws : int, optional
        Number of random draws for the max-T adjustment.
    seed : int, default 0
        Seed of the random number generator.
        It determines the random draws of the max-T adjustment.
    execution : nstar.types.Execution, optional
        Threads or a cluster, and folders for pairs and counts. The results do not depend on it.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`. With a judge and labels in
        ``columns``, the ranking uses the judge's scores, corrected with the labels.

    Returns
    -------
    Audit
        The ranking, with the audit of each task in ``tasks``.

    Raises
    ------
    ParameterError
        A parameter is outside its domain, or two parameters contradict each other.
    DataError
        The data cannot be used. The message says what is wrong and how to fix it.

    References
    ----------
    Methods: Families of comparisons

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> scores = dict(zip("abc", rng.random((3, 900)) < [[0.8], [0.79], [0.6]]))
    >>> ranking = audit(scores).ranking
    >>> ranking.rank_low.tolist(), ranking.rank_high.tolist(), ranking.tier.tolist()
    ([1, 1, 3], [2, 2, 3], [1, 1, 2])
    """
    from dataclasses import replace

    from nstar._api.inputs.board import board_of
    from nstar._api.inputs.gap_units import check_gap_units
    from nstar._api.inputs.reading import ReadSettings, names_in
    from nstar._api.inputs.selection import ModelFilter
    from nstar._api.inputs.weights import weighed_board
    from nstar._base import checks
    from nstar._data.findings import refuse_fatal
    from nstar._engine.work import Execution
    from nstar._verbs.audit import Audit, audit_board
    from nstar._verbs.audit.question import AuditQuestion
    from nstar._verbs.compare.question import refuse_strata
    from nstar._verbs.verdict import Criteria
    from nstar.errors import QuestionError, arg

    checks.instance("execution", execution, Execution, "a nstar.types.Execution")
    question = AuditQuestion(
        strata=strata,
        cluster=cluster,
        delta=delta,
        margin=margin,
        criteria=Criteria(alpha=alpha, power=power),
        adjust=adjust,
        pairs=pairs,
        items=items,
        draws=draws,
        seed=seed,
        unit=unit,
        rank_by=rank_by or "mean",
    )
    selection = ModelFilter(wanted=names_in(models), unwanted=names_in(exclude))
    settings = ReadSettings.of(reading, "audit").declaring(strata, cluster)
    if unit == "task":
        from nstar._api.inputs.task_board import refuse_items, task_board_of
        from nstar._verbs.audit import audit_tasks

        refuse_items(
            average,
            statistic=statistic,
            strata=strata,
            cluster=cluster,
            weights=weights,
            since=since,
        )
        of_tasks = task_board_of(data, selection, names_in(tasks), metric, settings)
        refuse_fatal(of_tasks.findings)
        return audit_tasks(of_tasks.scores, question, execution or Execution(), of_tasks.findings)
    if rank_by is not None:
        msg = f"{arg('rank_by')} also needs {arg('unit', 'task')}."
        raise QuestionError(msg)
    if statistic is not None:
        from nstar._api.inputs.metric_pair import metric_board_of

        board = metric_board_of(data, statistic, selection, names_in(tasks), settings, cluster)
    else:
        board = board_of("audit", data, selection, names_in(tasks), metric, settings, alpha)
    refuse_fatal(board.findings)
    check_gap_units(board.matrices, delta=delta, margin=margin)
    if board.judged is not None:
        refuse_strata(question.strata, weighted=False)
    board, shares = weighed_board(board, weights, question, average)
    result = audit_board(
        board.matrices,
        question,
        execution or Execution(),
        average=average,
        models=board.chosen,
        shares=shares,
    )
    if len(result.tasks) == 1 and board.judged is not None:
        # Scores corrected by labels that all models share are correlated by construction.
        # Reported as item correlation, this would overstate the gain of pairing.
        task = replace(result.tasks[0], judge_correction=board.judged, rho=None, pairing_gain=None)
        result = Audit.of_task(task)
    if since is None:
        return replace(result, findings=board.findings)
    from nstar._api.inputs.since import changes_since

    changes = changes_since(
        since,
        board,
        result,
        question,
        execution or Execution(),
        selection=selection,
        tasks=names_in(tasks),
        metric=metric,
        settings=settings,
        average=average,
    )
    return replace(result, findings=board.findings, changes=changes)
