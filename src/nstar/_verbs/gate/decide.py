"""``gate``: may the candidate replace the baseline?"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nstar import stats
from nstar._base.types import FloatLike, RNGLike
from nstar._data.findings import Finding, refuse_fatal
from nstar._data.matrix import ScoreMatrix
from nstar._verbs.compare.sample import Sample, from_arrays, from_matrices, from_matrix
from nstar._verbs.gate.check import Looked, evidence_of, finished, look, night_log_e
from nstar._verbs.gate.claims import LogE
from nstar._verbs.gate.history import History, Night, fingerprint, item_digests
from nstar._verbs.gate.question import (
    MISSING_MOST,
    PSI_PLANNED,
    Basis,
    GateQuestion,
    gate_criteria,
)
from nstar._verbs.gate.result import Check, Gate, Gathered
from nstar._verbs.gate.scale import refuse_misfit
from nstar._verbs.verdict import judge_tasks
from nstar.errors import DataError, ParameterError, arg

_UNNAMED = ("candidate", "baseline")
"""What the models are called if nobody says."""


class _Given(NamedTuple):
    """Scores by task, and the names of the items where they have any."""

    samples: list[Sample]
    items: list[tuple[str, Sequence[str]]] | None
    names: tuple[str, str]
    unscored: list[int]
    """Items by task that the candidate was tried on without a score."""


def _given_scores(candidate: Any, baseline: Any, names: tuple[str, str], groups: Any) -> _Given:
    """Scores in any of the forms that ``compare`` takes, or a list of matrices."""
    if isinstance(candidate, ScoreMatrix) and isinstance(baseline, ScoreMatrix):
        if names == _UNNAMED:
            names = (candidate.models[0], baseline.models[0])
        every = list(dict.fromkeys((*candidate.items, *baseline.items)))
        sample = from_matrices(candidate, baseline)
        count = candidate.alignment.unscored.get(candidate.models[0], 0)
        return _Given([sample], [(sample.task, every)], names, [count])
    matrices = [candidate] if isinstance(candidate, ScoreMatrix) else candidate
    if baseline is None and all(isinstance(m, ScoreMatrix) for m in matrices):
        items = [(m.task, m.items) for m in matrices]
        counts = [m.alignment.unscored.get(names[0], 0) for m in matrices]
        return _Given([_of(m, names) for m in matrices], items, names, counts)
    if baseline is None or isinstance(baseline, ScoreMatrix):
        msg = "give the scores of both models in the same form: two arrays or two matrices"
        raise ParameterError(msg)
    sample = from_arrays(candidate, baseline, groups)
    return _Given([sample], None, names, [_gaps(sample)])


def _gaps(sample: Sample) -> int:
    """Items before the candidate's last score that have none: arrays are in the order of runs."""
    scored = np.flatnonzero(~np.isnan(sample.a))
    return int(scored[-1]) + 1 - scored.size if scored.size else 0


def _of(matrix: ScoreMatrix, names: tuple[str, str]) -> Sample:
    absent = [n for n in names if n not in matrix.models]
    if absent:
        msg = f"{matrix.task or 'the task'} has no score of {absent[0]}"
        raise DataError(msg)
    return from_matrix(matrix, names)


def judged(
    looks: Sequence[Looked], ask: GateQuestion, gathered: Sequence[LogE] | None = None
) -> tuple[Check, ...]:
    """Every task judged; "worse" is adjusted over them by Holm, "not worse" needs them all."""
    held = gathered if gathered is not None else [None] * len(looks)
    claims = [evidence_of(x, ask, e) for x, e in zip(looks, held, strict=True)]
    seems, sure = (stats.holm([both[k].p_worse for both in claims]).tolist() for k in (0, 1))
    return tuple(
        finished(x, ask, both, p)
        for x, both, p in zip(looks, claims, zip(seems, sure, strict=True), strict=True)
    )


def _check_tasks(samples: Sequence[Sample], ask: GateQuestion) -> None:
    tasks = [s.task for s in samples]
    for name in ask.guardrails:
        if name not in tasks:
            there = ", ".join(t or "(no task)" for t in tasks) or "none"
            msg = f"the guardrail {name!r} names no task of both models; there are: {there}"
            raise DataError(msg)
    if not samples:
        msg = "no task of both models: nothing can be compared"
        raise DataError(msg)


def _check_scales(given: _Given) -> None:
    items = [names for _, names in given.items] if given.items else [None] * len(given.samples)
    for sample, named in zip(given.samples, items, strict=True):
        where = f"{sample.task}: " if sample.task else ""
        refuse_misfit((sample.a, sample.b), given.names, named, where=where)


def _gather(looks: Sequence[Looked], given: _Given, history: History) -> tuple[History, Gathered]:
    """The history with this evaluation, and what it amounts to."""
    if history.fresh and given.items is None:
        msg = "a history of fresh items needs their names: give a ScoreMatrix, not arrays"
        raise ParameterError(msg)
    if history.fresh and not all(x.common.bets for x in looks):
        msg = (
            f"{arg('fresh_items')} multiplies e-values, which must then be valid one by one: bets "
            "on 0/1 scores or scores in [0, 1] of independent items; leave it out for other "
            "scores, strata and clusters"
        )
        raise DataError(msg)
    night = Night(
        log_e=tuple(night_log_e(x) for x in looks),
        scores=fingerprint(given.samples),
        items=item_digests(given.items or ()) if history.fresh else None,
    )
    after, repeated = history.with_night(night)
    return after, Gathered(
        evaluations=len(after.nights),
        repeated=repeated,
        fresh_items=after.fresh,
        log_e=tuple(after.gathered()),
    )


def _gate(
    given: _Given, ask: GateQuestion, history: History | None, findings: Sequence[Finding]
) -> Gate:
    samples, names = given.samples, given.names
    _check_tasks(samples, ask)
    _check_scales(given)
    looks = [look(s, ask, unscored) for s, unscored in zip(samples, given.unscored, strict=True)]
    after = gathered = None
    if history is not None:
        named = [(s.task, s.metric) for s in samples]
        asked = history.asked(names, named, ask)
        after, gathered = _gather(looks, given, asked)
    tasks = judged(looks, ask, None if gathered is None else gathered.log_e)
    return Gate(
        candidate=names[0],
        baseline=names[1],
        answer=judge_tasks(c.answer for c in tasks),
        aim="superiority" if ask.superiority else "non-inferiority",
        margin=ask.margin,
        criteria=ask.criteria,
        basis=ask.basis,
        missing_most=ask.missing_most,
        tasks=tasks,
        reason=None,
        gathered=gathered,
        findings=tuple(findings),
        history=after,
    )


def invalid(
    reason: str,
    *,
    ask: GateQuestion,
    names: tuple[str, str] = _UNNAMED,
    findings: Sequence[Finding] = (),
) -> Gate:
    """The answer when nothing can be compared."""
    return Gate(
        candidate=names[0],
        baseline=names[1],
        answer="INVALID DATA",
        aim="superiority" if ask.superiority else "non-inferiority",
        margin=ask.margin,
        criteria=ask.criteria,
        basis=ask.basis,
        missing_most=ask.missing_most,
        tasks=(),
        reason=reason,
        gathered=None,
        findings=tuple(findings),
    )


def _refuse_left_out(findings: Sequence[Finding]) -> None:
    """DataError if a task of only one model would go unnoticed."""
    for f in findings:
        if f.code == "task-left-out":
            msg = (
                f"{f.text}; {arg('task')} names those to judge, "
                f"{arg('allow', 'task-left-out')} goes on"
            )
            raise DataError(msg)


def judge(
    matrices: Sequence[ScoreMatrix],
    ask: GateQuestion,
    *,
    names: tuple[str, str],
    history: History | None = None,
    findings: Sequence[Finding] = (),
    allowed: Sequence[str] = (),
) -> Gate:
    """:func:`gate` for logs that were read: a task that only one model has is no PASS.

    Raises
    ------
    DataError
        If the data cannot be judged; :func:`invalid` makes an answer of it.
    """
    refuse_fatal(findings)
    if "task-left-out" not in allowed:
        _refuse_left_out(findings)
    return _gate(_given_scores(matrices, None, names, None), ask, history, findings)


def gate(  # noqa: PLR0913 one verb, one call
    candidate: FloatLike | ScoreMatrix | Sequence[ScoreMatrix],
    baseline: FloatLike | ScoreMatrix | None = None,
    *,
    margin: float | None = None,
    superiority: bool = False,
    guardrails: Mapping[str, float] | None = None,
    names: tuple[str, str] = _UNNAMED,
    groups: Mapping[str, Sequence[Any]] | None = None,
    strata: str | None = None,
    cluster: str | None = None,
    alpha: float = 0.05,
    power: float = 0.8,
    sequential: bool = False,
    horizon: int | None = None,
    psi: float = PSI_PLANNED,
    history: History | None = None,
    missing: float = MISSING_MOST,
    score_range: tuple[float, float] | None = None,
    findings: Sequence[Finding] = (),
    rng: RNGLike = 0,
) -> Gate:
    """May the candidate replace the baseline: PASS, REGRESSION, INCONCLUSIVE or INVALID DATA?

    PASS: shown not to be worse by the margin (or better, with ``superiority``) on every task.
    REGRESSION: shown to be worse on some task, and there not shown to be within the margin.

    Parameters
    ----------
    candidate, baseline
        Per-item scores of both models, NaN = absent: (items,) or (items, runs). pandas Series
        pair by their index, everything else by position. Or two ScoreMatrix of one model each. Or
        as ``candidate`` alone one ScoreMatrix, or one per task, with ``names`` saying which.
    margin
        How much worse is harmless, a positive number in score units: 0.01 is one point. Not
        with ``superiority``, where no loss is.
    superiority
        Tasks without a guardrail must be shown to be better.
    guardrails
        Margins of single tasks, by name.
    names
        Candidate and baseline.
    groups
        For arrays: group labels per item, by the name of the column.
    strata, cluster
        Column that defines the benchmark, or whose groups are a sample; at most one.
    alpha
        Level of each one-sided test, below 0.25.
    power
        Probability with which the items named for an INCONCLUSIVE answer would settle it.
    sequential
        The gate is asked again as the candidate's run grows, in random order: every look is
        valid. Needs ``horizon``. Arrays are in the order of the run: a NaN of the candidate
        before its last score is missing, behind it not reached.
    horizon, psi
        Planned items of each task, and share of items on which exactly one model is right: what
        e-values are tuned for. Wrong ones cost power, never validity if they are the same at
        every look.
    history
        Evidence of earlier evaluations, ``History()`` for none.
    missing
        Share of items that one model may lack.
    score_range
        Worst and best possible score, like (0, 100), for what missing scores could have been and
        how large a rare loss can be; without it 0 and 1, or those seen if some lie outside.
    findings
        What was found when the logs were read; a fatal one makes the data invalid.
    rng
        Seed of random sign flips, used for graded scores.

    Examples
    --------
    >>> import numpy as np
    >>> a, b = np.repeat([[1, 1], [1, 0], [0, 1], [0, 0]], [1200, 60, 55, 685], axis=0).T
    >>> gate(a, b, margin=0.01).answer, gate(a, b, superiority=True).answer
    ('PASS', 'INCONCLUSIVE')
    """
    if history is not None and sequential:
        msg = "give sequential=True or history=, not both: a history is valid at every look"
        raise ParameterError(msg)
    basis: Basis = "history" if history is not None else "sequential" if sequential else "fixed"
    ask = GateQuestion(
        margin=margin,
        superiority=superiority,
        guardrails=dict(guardrails or {}),
        strata=strata,
        cluster=cluster,
        criteria=gate_criteria(alpha, power),
        basis=basis,
        horizon=horizon,
        psi=psi,
        missing_most=missing,
        score_range=score_range,
        rng=rng,
    )
    try:
        refuse_fatal(findings)
        given = _given_scores(candidate, baseline, names, groups)
        return _gate(given, ask, history, findings)
    except DataError as error:
        return invalid(str(error), ask=ask, names=names, findings=findings)
