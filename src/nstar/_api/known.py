"""``compare_known``: compare a new model on some items with models known on all items."""

from typing import TYPE_CHECKING, Unpack

from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import (
    Alternative,
    KnownScores,
    MetricName,
    ModelName,
    NewScores,
    Proportion,
    TaskNames,
)
from nstar._base.verb import verb

if TYPE_CHECKING:
    from nstar._verbs.reference import Known


@verb()
def compare_known(
    data: NewScores,
    known: KnownScores,
    /,
    *,
    a: ModelName | None = None,
    b: ModelName | None = None,
    tasks: TaskNames | None = None,
    metric: MetricName | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: Alternative = "two-sided",
    **reading: Unpack[ReadingWords],
) -> "Known":
    """Compare a new model that ran on a random subset with models scored on all items.

    A gap is the score of the new model minus the score of the known model. The scores of the known
    models show how the subset differs from all items. A larger number of known models makes the
    estimate more precise.

    Parameters
    ----------
    data : path, frame, mapping, or records
        Log or table of the new model, on a random subset of the items.
    known : path, frame, mapping, or records
        Results of models that were scored on all items.
    a : str, optional
        Name of the new model, if the data contain several models.
    b : str, optional
        Name of the known model to compare with (default: the best one).
    tasks : str or sequence of str, optional
        Use only this task.
    metric : str, optional
        Metric to use instead of the first one in the log.

    Other Parameters
    ----------------
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Alternative hypothesis: the gap is not zero, is above zero, or is below zero.
        The gap is the new model minus the known model. If lower scores are better, ``"less"``
        tests whether the new model is better.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    Known
        The gap on similar items, on the full benchmark, and on the sampled items, with the gain in
        precision from the known results and the number of items needed.

    Raises
    ------
    DataError
        The new model ran on fewer than 30 items, on all items, or on items that the known models
        lack.

    References
    ----------
    Methods: Fewer items

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(4)
    >>> hard = rng.random(800)
    >>> right = (rng.random((6, 800)) * 0.7 + 0.4 > hard).astype(int)
    >>> old = {"item": list(range(800)) * 5, "model": [m for m in "pqrst" for _ in range(800)]}
    >>> old["score"] = right[1:].ravel().tolist()
    >>> ran = sorted(rng.permutation(800)[:120].tolist())
    >>> new = {"item": ran, "model": ["new"] * 120, "score": right[0, ran].tolist()}
    >>> result = compare_known(new, old, b="q")
    >>> result.n_sampled, result.n_items, result.verdict, result.gain > 1
    (120, 800, 'inconclusive', True)
    """
    from dataclasses import replace

    from nstar._api.inputs.data_kinds import model_named, readable
    from nstar._api.inputs.model_source import ModelSource, one_side
    from nstar._api.inputs.reading import ReadSettings, names_in
    from nstar._api.inputs.reference_logs import load_known
    from nstar._data.findings import refuse_fatal, refuse_stopped
    from nstar._verbs.reference import KnownQuestion
    from nstar._verbs.reference import compare_known as compare_with_known
    from nstar._verbs.verdict import Criteria
    from nstar.errors import arg

    settings = ReadSettings.of(reading, "compare_known")
    side = one_side(data) if isinstance(data, str) else ModelSource(data=readable(data))
    side = replace(
        side, model=model_named("a", a) or side.model, usual="new", choice=arg("a", "MODEL")
    )
    test_criteria = Criteria(alpha=alpha, power=power, alternative=alternative)
    pair = load_known(
        side, readable(known), model_named("b", b), settings, tasks=names_in(tasks), metric=metric
    )
    refuse_fatal(pair.findings)
    refuse_stopped(pair.findings, names_in(reading.get("allow")))
    question = KnownQuestion(b=pair.b, criteria=test_criteria)
    return compare_with_known(pair.matrix, pair.new, question, pair.findings)
