"""``plan_labels``: plan human labels that correct a judge."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, Unpack

from nstar._api.reading_words import ReadingWords
from nstar._base.parameter_types import (
    ColumnName,
    Cost,
    Gap,
    ItemCount,
    JudgeCorrelation,
    LabelCount,
    ModelCount,
    OtherPilotScores,
    PilotScores,
    PlanAlternative,
    Proportion,
    Rho,
    Seed,
    StandardDeviation,
    TaskName,
)
from nstar._base.verb import at_least_one, exactly_one, needs, together, verb
from nstar.errors import QuestionError, arg

if TYPE_CHECKING:
    from nstar._api.inputs.reading import ReadSettings
    from nstar._data.findings import Finding
    from nstar._data.matrix import ScoreMatrix
    from nstar._verbs.judged.plan_result import LabelDraw, LabelPilot, LabelPlan

LabelGoal: TypeAlias = Literal["all-pairs", "control", "best"]
"""Comparisons of several labeled models."""

_NOISE = (
    exactly_one(
        baseline="accuracy for 0/1 scores", sd_diff="SD of differences between graded scores"
    ),
    needs("rho", baseline="accuracy for 0/1 scores"),
)


@verb(
    together("judge", "label"),
    together("cost_label", "cost_judge"),
    at_least_one(delta="to get the number of labels", labels="to get the detectable gap"),
)
def plan_labels(
    data: PilotScores = None,
    other: OtherPilotScores = None,
    /,
    *,
    models: ModelCount | None = None,
    goal: LabelGoal = "all-pairs",
    delta: Gap | None = None,
    labels: LabelCount | None = None,
    judged: ItemCount | None = None,
    judge_r: JudgeCorrelation | None = None,
    baseline: Proportion | None = None,
    rho: Rho | None = None,
    sd_diff: StandardDeviation | None = None,
    judge: ColumnName | None = None,
    label: ColumnName | None = None,
    cost_label: Cost | None = None,
    cost_judge: Cost | None = None,
    draw: bool = False,
    seed: Seed = 0,
    task: TaskName | None = None,
    alpha: Proportion = 0.05,
    power: Proportion = 0.8,
    alternative: PlanAlternative = "two-sided",
    **reading: Unpack[ReadingWords],
) -> "LabelPlan":
    """Find the number of human labels that are needed to correct a judge.

    A judge scores many items, and humans label a random sample of them. Set ``delta`` to get the
    number of labels, ``labels`` to get the detectable gap, or both to get the power. The accuracy
    of the judge is assumed, or estimated from a pilot with judged and labeled items. For
    each labeled item, humans label the answers of all models.

    Parameters
    ----------
    data : path, frame, mapping, or records, optional
        Pilot logs of one or more models, written as [NAME=]PATH[::MODEL].
        In Python, also the ``pilot`` of another plan.
    other : path, frame, mapping, or records, optional
        Pilot log of the second model.
    models : int, optional
        Number of models on the leaderboard. The default is the number of models in the pilot, or
        two.
    goal : {"all-pairs", "control", "best"}, default "all-pairs"
        Compare all pairs, or each model with a control, or pick the best model. The best model is
        picked with probability 1 - ``alpha``.
    delta : float, optional
        Gap to detect, such as 0.02 (2 pp).
        The gap is A minus B, in score units.
    labels : int, optional
        Number of items with human labels.
    judged : int, optional
        Number of items that the judge scores, including the labeled ones.
        The default is the number in the pilot, or the cheapest number if costs are set.
    judge_r : float, optional
        Correlation, across items, between the differences between the models in the judge's scores
        and the corresponding differences in the labels.
    baseline : float, optional
        Accuracy of the second model for 0/1 scores, such as 0.7.
    rho : float or str, optional
        Correlation of the models' scores over items, or a benchmark name such as mmlu (default:
        0.5).
    sd_diff : float, optional
        Standard deviation of the per-item differences, for graded scores.
    judge : str, optional
        Column with the scores of the judge (in logs, the name of the metric).
    label : str, optional
        Column with the human labels, empty for unlabeled items (in logs, the name of the metric).
    cost_label : float, optional
        Cost of labeling the answers of all models to one item.
    cost_judge : float, optional
        Cost of judging the answers of all models to one item.
    draw : bool, default False
        Draw the items to label from the pilot, more often where the judge sees a difference
        between models.

    Other Parameters
    ----------------
    seed : int, default 0
        Seed of the random number generator.
    task : str, optional
        Task to use, if the data contain several tasks.
    alpha : float, default 0.05
        Significance level of the tests.
    power : float, default 0.8
        Statistical power for which detectable gaps and sample sizes are computed.
    alternative : {"two-sided", "greater"}, default "two-sided"
        Alternative hypothesis: the gap is not zero, or is above zero.
    **reading
        Options for reading data; see :class:`nstar.types.ReadingWords`.

    Returns
    -------
    LabelPlan
        The number of labels, the detectable gap, or the power, with the cheapest combination of
        labels and judged items.

    Raises
    ------
    ParameterError
        A parameter is outside its domain, or two parameters contradict each other.
    DataError
        The pilot cannot be used: it has too few labels, or the labeled items do not appear to be a
        random sample.

    References
    ----------
    Methods: Judges

    Examples
    --------
    >>> plan = plan_labels(judge_r=0.65, judged=10_000, delta=0.03, sd_diff=0.55)
    >>> plan.n_star, plan.n_star_without_judge
    (1720.0, 2641.0)
    >>> plan = plan_labels(judge_r=0.65, delta=0.03, sd_diff=0.55, cost_label=1, cost_judge=0.01)
    >>> plan.n_star, plan.n_judged
    (1658.0, 14188.0)
    >>> plan_labels(models=5, judge_r=0.65, judged=10_000, delta=0.04, sd_diff=0.55).n_star
    1556.0
    """
    from nstar._api.inputs.gap_units import check_gap_on_scale, check_planned_gaps
    from nstar._api.plan.assumptions import check_choice, two_models
    from nstar._api.plan.pilot import check_mode
    from nstar._verbs.judged.plan import JudgeCosts
    from nstar._verbs.judged.plan import plan_labels as solve
    from nstar._verbs.plan import Design, Graded
    from nstar._verbs.verdict import Criteria

    check_mode(
        data,
        assumed={"judge_r": judge_r, "baseline": baseline, "rho": rho, "sd_diff": sd_diff},
        of_pilot={"judge": judge, "task": task, "draw": draw, **reading},
    )
    costs = None
    if cost_label is not None and cost_judge is not None:
        costs = JudgeCosts(label=cost_label, judge=cost_judge)
    if goal == "best":
        check_choice(power, alternative)
    known: dict[str, Any] = {
        "delta": delta,
        "labels": labels,
        "judged": judged,
        "costs": costs,
        "criteria": Criteria(alpha=alpha, power=power, alternative=alternative),
    }
    if data is None:
        if judge_r is None:
            msg = (
                f"Set {arg('judge_r')} (correlation between the judge's and the labels' "
                "differences), or pass the logs of a pilot as the first argument."
            )
            raise QuestionError(msg)
        noise = {"baseline": baseline, "rho": rho, "sd_diff": sd_diff}
        for rule in _NOISE:
            rule.check(noise)
        check_planned_gaps({"delta": delta}, {"sd_diff": sd_diff})
        assumed, source = two_models({"psi": None, "sd": None, **noise}, rho)
        design = Design(noise=assumed, models=models or 2, goal=goal, source=source)
        return solve(design, judge_r=judge_r, **known)
    pilot, findings, matrices = _pilot(data, other, judge, label, task, reading)
    check_gap_on_scale("delta", delta, pilot.score_range)
    low, high = pilot.score_range
    design = Design(
        noise=Graded(sd=pilot.sigma, width=high - low),
        models=models or len(pilot.models),
        goal=goal,
        source="pilot",
    )
    plan = solve(design, judge_r=max(float(pilot.r_ci.low), 0.0), pilot=pilot, **known)
    label_draw = _draw(plan, pilot, matrices, seed) if draw else None
    return replace(plan, findings=findings, draw=label_draw)


def _draw(
    plan: "LabelPlan", pilot: "LabelPilot", matrices: "list[ScoreMatrix]", seed: int
) -> "LabelDraw":
    """Draw the planned labels among the judged items of the pilot."""
    from nstar._verbs.judged.draw import draw_labels

    n = plan.n_labels or plan.n_star
    if not matrices or plan.n_judged != pilot.n_items or n is None:
        msg = (
            f"{arg('draw')} draws from the judged items of the pilot. Pass its scores, and remove "
            f"{arg('judged')} and {arg('cost_judge')}."
        )
        raise QuestionError(msg)
    return draw_labels(matrices[0], matrices[1], pilot.models, n, seed=seed)


def _pilot(
    data: Any,
    other: Any,
    judge: str | None,
    label: str | None,
    task: str | None,
    reading: ReadingWords,
) -> "tuple[LabelPilot, tuple[Finding, ...], list[ScoreMatrix]]":
    """Measure the judge by the scores of the models."""
    from nstar._api.inputs.reading import ReadSettings
    from nstar._data.findings import refuse_fatal
    from nstar._verbs.judged.pilot import judged_pilot
    from nstar._verbs.judged.plan_result import LabelPilot
    from nstar.readers._tables._columns import JUDGED

    if isinstance(data, LabelPilot):
        return data, (), []
    if judge is None or label is None:
        at_least_one(judge="column of the judge's scores in the pilot").check({})
        raise AssertionError
    columns = dict(reading.get("columns", {})) | dict(zip(JUDGED, (judge, label), strict=True))
    settings = ReadSettings.of({**reading, "columns": columns}, "plan_labels")
    matrices, names, findings = _read(data, other, settings, task)
    refuse_fatal(findings)
    warnings = tuple(f for f in findings if f.level == "warning")
    judge_scores, labels = matrices
    return judged_pilot(judge_scores, labels, names), warnings, matrices


def _read(
    data: Any, other: Any, settings: "ReadSettings", task: str | None
) -> "tuple[list[ScoreMatrix], tuple[str, ...], tuple[Finding, ...]]":
    """Return the scores of the judge and the labels, the models, and findings about the data."""
    from nstar._api.inputs.aligned_pair import load_sides
    from nstar._api.inputs.board import load_judged
    from nstar._api.inputs.reading import names_in
    from nstar._api.plan.pilot import pilot_sides

    sides, tasks, judged = pilot_sides(data, other), names_in(task), settings.judged
    if judged is None:
        raise AssertionError
    if other is None and sides[0].model is None:
        matrices, findings = load_judged(sides[0].data, settings, judged, tasks)
        return matrices, matrices[0].models, findings
    pair = load_sides(sides, settings, tasks=tasks, judged=judged)
    return pair.matrices, pair.names, pair.coverage.findings
