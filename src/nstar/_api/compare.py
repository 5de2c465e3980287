"""``compare``: compare two models item by item."""

from dataclasses import replace
from typing import TYPE_CHECKING, Unpack

from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import (
    Alternative,
    Gap,
    Groups,
    ItemWeights,
    MetricName,
    ModelName,
    OtherScores,
    PairedTest,
    Proportion,
    Range,
    Score,
    Scores,
    Seed,
    StatisticName,
    TaskNames,
)
from nstar._base.verb import at_most_one, excludes, verb
from nstar.errors import QuestionError, arg, by_interface

if TYPE_CHECKING:
    from nstar._verbs.compare.result import Comparison


@verb(
    at_most_one(strata="groups that define the benchmark", cluster="groups that are a sample"),
    excludes(
        test="test of independent items",
        strata="groups of items",
        cluster="groups of items",
        weights="weights of items",
        threshold="score to compare with",
        statistic="metric that is not an average",
    ),
    excludes(
        threshold="score to compare with",
        other="scores of a second model",
        b="name of a second model",
        margin="margin of two models",
        weights="weights of items, which need two models",
    ),
    excludes(
        statistic="metric that is not an average",
        threshold="score to compare with",
        strata="fixed groups",
        weights="weights of items",
        margin="margin of mean scores",
        score_range="range of scores",
    ),
)
def compare(
    data: Scores,
    other: OtherScores = None,
    /,
    *,
    a: ModelName | None = None,
    b: ModelName | None = None,
    tasks: TaskNames | None = None,
    metric: MetricName | None = None,
    statistic: StatisticName | None = None,
    strata: Groups | None = None,
    cluster: Groups | None = None,
    threshold: Score | None = None,
    delta: Gap | None = None,
    margin: Gap | None = None,
    weights: ItemWeights = None,
    score_range: Range | None = None,
    test: PairedTest | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: Alternative = "two-sided",
    seed: Seed = 0,
    **reading: Unpack[ReadingWords],
) -> "Comparison":
    """Test whether A beats B, and find the smallest gap that the items can detect.

    A gap is the score of A minus the score of B, on the items that both models answered.

    Parameters
    ----------
    data : path, array, Series, frame, mapping, records, Table, or ScoreMatrix
        Log, folder, or table of one model or of both models, written as [NAME=]PATH[::MODEL]. In
        Python, also scores in any form. Two arrays of shape (items,) or (items, runs) are paired
        by position, with NaN for missing scores. Two pandas Series are paired by index. All other
        data are paired by item.
    other : path, array, Series, frame, mapping, records, Table, or ScoreMatrix, optional
        Log, folder, or table of the second model. It must have the same form as ``data``.
    a : str, optional
        Name of the first model, if the data contain several models. For arrays, this name is shown
        in the report.
    b : str, optional
        Name of the second model, if the data contain several models.
    tasks : str or sequence of str, optional
        Include only these tasks. The report contains their macro average. Each task is also
        compared separately, with p-values adjusted over the tasks (Holm).
    metric : str, optional
        Metric to use instead of the first one in the log.
    statistic : str or callable, optional
        Use a metric that is not an average of scores, such as f1, auroc, or bleu. Others are
        precision, recall, macro-f1, macro-precision, macro-recall, ratio, rmse, pearson, spearman,
        and chrf. ``"f1:spam"`` names the positive class. The data need the columns truth and
        prediction, or numerator and denominator for a ratio. In Python, a function takes the
        columns of one model that ``columns`` names, and returns a number. ``"median"`` and
        ``"p95"``, or any other percentile, are quantiles of the scores.
    strata : str or sequence, optional
        Column of fixed groups, such as subjects, that define the benchmark. For arrays, pass one
        label per item.
    cluster : str or sequence, optional
        Column of groups, such as passages, that are a random sample of a larger population. For
        arrays, pass one label per item. Without strata and clusters, items are assumed to be
        independent, and the report adds a sensitivity analysis for possible groups.
    threshold : float, optional
        Compare with this score, such as 0.7, instead of a second model.
    delta : float, optional
        Smallest gap that matters, declared in advance, such as 0.01 (1 pp). It is in score units.
    margin : float, optional
        Also test equivalence within this margin, such as 0.02 (2 pp). It is in score units.

    Other Parameters
    ----------------
    weights : path, frame, mapping, or sequence, optional
        Weights of the items, in a .csv, .jsonl, or .parquet file. The file has the columns item
        and weight, and also task if item ids repeat. In Python, also a mapping from item to
        weight, or one number per item of arrays. Items that are missing for one model are
        excluded.
    score_range : tuple of float, optional
        Worst and best possible score, such as ``(0, 100)``. The default is 0 and 1, or the
        observed range if some scores are outside. In that case, missing scores have no bounds.
    test : {"wilcoxon", "t", "sign-flip", "bootstrap", "mcnemar-exact", "mcnemar-midp"}, optional
        Test of independent items, instead of the default test. The default is McNemar's test for
        0/1 scores and the sign-flip test for graded scores. Choose the test before you see the
        result. ``"wilcoxon"`` tests whether differences are symmetric about zero, and not the
        mean. Detectable gaps and sample sizes remain those of the default test.
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Alternative hypothesis: the gap is not zero, is above zero, or is below zero. If lower
        scores are better, ``"less"`` tests whether A is better.
    seed : int, default 0
        Seed of the random number generator. It determines the random sign flips that test graded
        scores, and the resamples of the bootstrap.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`. For arrays, ``groups`` can
        contain labels per item, by the name of the column.

    Returns
    -------
    Comparison
        One pair of models for each task, in ``tasks``, and their macro average in ``average``.

    Raises
    ------
    ParameterError
        A parameter is outside its domain, or two parameters contradict each other.
    DataError
        The data cannot be used. The message says what is wrong and how to fix it.

    References
    ----------
    Methods: Tests

    Examples
    --------
    >>> import numpy as np
    >>> cells = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [628, 86, 78, 208], axis=0)
    >>> result = compare(*cells.T)
    >>> round(result.gap, 4), round(result.pvalue, 4), round(result.mde, 4), result.verdict
    (0.008, 0.5335, 0.0358, 'inconclusive')

    A frame, or a mapping of columns, is paired by item:

    >>> rows = {"item": [1, 2, 3, 1, 2, 3], "model": list("xxxyyy"), "score": [1, 1, 0, 0, 1, 0]}
    >>> compare(rows, a="x", b="y").counts
    PairedCounts(n11=1, n10=1, n01=0, n00=1)
    """
    from nstar._api.inputs.gap_units import check_gap_units
    from nstar._api.inputs.reading import names_in
    from nstar._api.inputs.two_models import column_of, single_model, two_models
    from nstar._api.inputs.weights import weights_of
    from nstar._data.findings import refuse_fatal, refuse_stopped
    from nstar._verbs.compare.comparison import compare_board, compare_samples
    from nstar._verbs.compare.question import CompareQuestion
    from nstar._verbs.compare.sample import one_model
    from nstar._verbs.verdict import Criteria

    _refuse_judge(reading)
    labels = {"strata": strata, "cluster": cluster}
    quantile = _quantile_of(statistic, metric)
    if statistic is not None and quantile is None:
        from nstar._api.inputs.metric_pair import metric_pair

        pair = metric_pair(
            data, other, (a, b), statistic, names_in(tasks), cluster=cluster, words=reading
        )
    elif threshold is not None:
        pair = single_model(
            data,
            a,
            usual="A",
            tasks=names_in(tasks),
            metric=metric,
            labels=labels,
            words=reading,
            verb="compare",
        ).against(threshold, score_range)
    else:
        pair = two_models(
            data,
            other,
            (a, b),
            usual=("A", "B"),
            tasks=names_in(tasks),
            metric=metric,
            labels=labels,
            words=reading,
        )
    question = CompareQuestion(
        strata=column_of("strata", strata),
        cluster=column_of("cluster", cluster),
        delta=delta,
        margin=margin,
        test=test,
        quantile=quantile,
        criteria=Criteria(alpha=alpha, power=power, alternative=alternative),
        seed=seed,
        score_range=score_range,
    )
    refuse_fatal(pair.findings)
    refuse_stopped(pair.findings, names_in(reading.get("allow")))
    check_gap_units(pair.matrices, delta=delta, margin=margin)
    pair, notes = pair.weighed(weights_of(weights))
    if pair.sample is not None:
        return compare_samples([pair.sample], pair.names, question, notes)
    if threshold is not None:
        samples = [one_model(matrix, pair.names[0], threshold) for matrix in pair.matrices]
        result = compare_samples(samples, pair.names, question, pair.findings)
        return replace(result, no_average="each task is compared with the threshold")
    return compare_board(pair.matrices, pair.names, question, (*pair.findings, *notes))


def _quantile_of(statistic: StatisticName | None, metric: str | None) -> float | None:
    """Return the level of a quantile; None for other statistics, which refuse a metric."""
    if statistic is None:
        return None
    from nstar._verbs.metrics import quantile_level

    level = quantile_level(statistic)
    if level is None and metric is not None:
        msg = (
            f"{arg('metric')} names scores of a log, and this {arg('statistic')} is computed from "
            f"columns. Remove {arg('metric')}, or use {arg('statistic', 'median')} or p95."
        )
        raise QuestionError(msg)
    return level


def _refuse_judge(reading: ReadingWords) -> None:
    """Raise QuestionError for the columns of a judge and its labels."""
    if not {"judge", "label"}.isdisjoint(reading.get("columns", ())):
        instead = by_interface(
            python="nstar.compare_judged(…, judge=…, label=…)",
            command="nstar compare judged with --judge and --label",
        )
        msg = (
            "compare uses the scores as they are. To correct judge errors with labels, use "
            f"{instead}."
        )
        raise QuestionError(msg)
