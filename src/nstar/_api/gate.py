"""``gate``: may the candidate replace the baseline, from whatever holds their scores."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Unpack

from nstar._api.inputs.data_kinds import Data
from nstar._api.inputs.reading import names_in
from nstar._api.inputs.two_models import Labels, ModelPairData, column_of, two_models
from nstar._api.inputs.weights import WeightsGiven, weights_of
from nstar._api.reading_words import ReadingWords
from nstar._base import checks
from nstar._base.types import LossUnit
from nstar._data.findings import Finding
from nstar._data.table import Source
from nstar._verbs.gate import (
    MISSING_MOST,
    PSI_PLANNED,
    Basis,
    Gate,
    GateQuestion,
    History,
    check_scales,
    gate_criteria,
    invalid,
    judge,
    judge_scores,
    of_matrices,
    of_sample,
)
from nstar._verbs.runs import TaskRule
from nstar.errors import DataError, ParameterError

_UNNAMED = ("candidate", "baseline")
WHOLE = "run them for both models, or leave them out of both"
"""What to do about items that only one model has, where items are weighted."""


def gate(
    candidate: Data,
    baseline: Data = None,
    /,
    *,
    a: str | None = None,
    b: str | None = None,
    margin: float | None = None,
    superiority: bool = False,
    guardrails: Mapping[str, float] | None = None,
    tasks: str | Sequence[str] | None = None,
    metric: str | None = None,
    strata: Labels = None,
    cluster: Labels = None,
    loss: LossUnit = "cluster",
    missing: float = MISSING_MOST,
    weights: WeightsGiven = None,
    score_range: tuple[float, float] | None = None,
    at_least: str | None = None,
    sequential: bool = False,
    items: int | None = None,
    psi: float = PSI_PLANNED,
    history: History | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    seed: int = 0,
    **reading: Unpack[ReadingWords],
) -> Gate:
    """May the candidate replace the baseline: PASS, REGRESSION, INCONCLUSIVE or INVALID DATA?

    PASS: shown not to be worse by the margin (or better, with ``superiority``) on every task.
    REGRESSION: shown to be worse on some task, and there not shown to be within the margin.

    Parameters
    ----------
    candidate, baseline
        Scores of both models, in any form that :func:`nstar.compare` takes: two arrays, two
        Series, two frames, two logs, or one of them that holds both models.
    a, b
        The candidate and the baseline: which of the models in the data, or what to call arrays.
    margin
        How much worse is harmless, a positive number in score units: 0.01 is one point. Not
        with ``superiority``, where no loss is.
    superiority
        Tasks without a guardrail must be shown to be better.
    guardrails
        Margins of single tasks, by name.
    tasks, metric
        Only these tasks, and this metric instead of the first. A task that only one model has
        makes the data invalid unless it is left out here.
    strata, cluster
        Column that defines the benchmark, or whose groups are a sample; at most one. For arrays
        labels per item.
    loss
        With ``cluster``: ``"cluster"`` allows for clusters that fail entirely but are
        not in the sample, so 20 clusters cannot show a margin below 0.139. ``"item"`` assumes
        that losses affect single items, and a PASS states this assumption.
    missing
        Share of items that one model may lack; none with ``weights``.
    weights
        How much each item counts, as in :func:`nstar.compare`; for one look at all items.
    score_range
        Worst and best possible score, like (0, 100), for what missing scores could have been and
        how large a rare loss can be; without it 0 and 1, or those seen if some lie outside.
    at_least
        A rule for every task, ``"4/5"``: it scores 1 if at least 4 of 5 runs pass, else 0, and
        the gap is one of shares of tasks. Needs that many runs of each; for one look.
    sequential
        The gate is asked again as the candidate's run grows, in random order: every look is
        valid. Needs ``items``. Arrays are in the order of the run: a NaN of the candidate before
        its last score is missing, behind it not reached.
    items, psi
        Planned items of each task, and share of items on which exactly one model is right: what
        e-values are tuned for. Wrong ones cost power, never validity if they are the same at
        every look.
    history
        Evidence of earlier evaluations, ``History()`` for none; see :class:`nstar.types.History`.
    alpha
        Level of each one-sided test, below 0.25.
    power
        Probability with which the items named for an INCONCLUSIVE answer would settle it.
    seed
        Seed of random sign flips, used for graded scores.
    **reading
        How data are read, as in :func:`nstar.compare`.

    Returns
    -------
    Gate
        The answer, with a check for each task.

    Raises
    ------
    ParameterError
        The question cannot be meant. Data that cannot are an answer, INVALID DATA.

    References
    ----------
    Methods: Showing that a gap is small

    Examples
    --------
    >>> import numpy as np
    >>> new, old = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [1200, 60, 55, 685], axis=0).T
    >>> gate(new, old, margin=0.01).answer, gate(new, old, superiority=True).answer
    ('PASS', 'INCONCLUSIVE')
    """
    checks.truth(superiority=superiority, sequential=sequential)
    checks.instance("guardrails", guardrails, Mapping, 'like {"safety": 0.005}')
    checks.instance("at_least", at_least, str, 'like "4/5"')
    checks.instance("history", history, History, "a nstar.types.History")
    if history is not None and sequential:
        msg = "give sequential=True or history=, not both: a history is valid at every look"
        raise ParameterError(msg)
    basis: Basis = "history" if history is not None else "sequential" if sequential else "fixed"
    ask = GateQuestion(
        margin=margin,
        superiority=superiority,
        guardrails=dict(guardrails or {}),
        strata=column_of("strata", strata),
        cluster=column_of("cluster", cluster),
        loss=loss,
        criteria=gate_criteria(alpha, power),
        basis=basis,
        items=items,
        psi=psi,
        missing=missing,
        score_range=score_range,
        at_least=None if at_least is None else TaskRule.parse(at_least),
        seed=seed,
    )
    names = (str(a or _UNNAMED[0]), str(b or _UNNAMED[1]))
    both: ModelPairData | None = None
    try:
        both = two_models(
            candidate,
            baseline,
            (a, b),
            usual=_UNNAMED,
            tasks=names_in(tasks),
            metric=metric,
            labels={"strata": strata, "cluster": cluster},
            words=reading,
            verb="gate",
            named=True,
            alpha=alpha,
        )
        both, said = _weighed(both, weights, ask)
        if both.sample is not None:
            given = of_sample(both.sample, both.names, both.unscored)
            if both.items is not None:
                given = given._replace(items=[(both.sample.task, both.items)])
            return judge_scores(given, ask, history, said)
        if both.judged is not None:
            ask.refuse_judged()
        if both.coverage is None:
            return judge_scores(of_matrices(both.matrices, both.names), ask, history, said)
        found = judge(
            both.matrices,
            replace(ask, ended=ended(both.coverage.sources, both.names[0])),
            names=both.names,
            history=history,
            findings=(*both.findings, *said),
            allowed=names_in(reading.get("allow")),
        )
        return replace(found, judged=both.judged)
    except DataError as error:
        known = (names, ()) if both is None else (both.names, both.findings)
        return invalid(str(error), ask=ask, names=known[0], findings=known[1])


def _weighed(
    both: ModelPairData, given: WeightsGiven, ask: GateQuestion
) -> tuple[ModelPairData, tuple[Finding, ...]]:
    """With items that count as they weigh, where weights are given."""
    weights = weights_of(given)
    if weights is None:
        return both, ()
    ask.refuse_weighted()
    if both.judged is None:
        raw = both.sample
        check_scales(
            of_matrices(both.matrices, both.names)
            if raw is None
            else of_sample(raw, both.names, both.unscored)
        )
    return both.weighed(weights, whole_or=WHOLE)


def ended(sources: Sequence[Source], model: str) -> bool:
    """Whether the harness says that the runs of a model are over."""
    logs = [s for s in sources if s.model == model]
    return bool(logs) and all(s.declared_items is not None and s.status == "success" for s in logs)
