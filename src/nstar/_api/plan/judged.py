"""Plans of labels for judged items: the words, or a pilot, as the verb takes them."""

from typing import TYPE_CHECKING, Any

from nstar._api.plan.items import plan_design
from nstar._api.plan.question import PlanQuestion
from nstar._api.plan.values import refuse_large_gaps

if TYPE_CHECKING:
    from nstar._api.inputs.aligned_pair import AlignedPair
    from nstar._verbs.judged.plan import JudgeCosts
    from nstar._verbs.judged.plan_result import JudgedPilot, JudgedPlan


def pilot_judge(ready: "AlignedPair") -> "JudgedPilot":
    """What the judge is worth, by scores that were read."""
    from nstar._data.findings import refuse_fatal
    from nstar._verbs.judged.pilot import judged_pilot

    refuse_fatal(ready.coverage.findings)
    said, told = ready.matrices
    return judged_pilot(said, told, ready.names)


def _read(question: PlanQuestion) -> "JudgedPilot":
    """The pilot, whatever it is: one table with both models, or one for each."""
    from nstar._api.inputs.aligned_pair import load_sides
    from nstar._api.inputs.reading import ReadSettings, names_in
    from nstar._api.inputs.two_models import one_or_two
    from nstar._verbs.judged.plan_result import JudgedPilot

    pilot: Any = question.pilot
    if isinstance(pilot, JudgedPilot):
        return pilot
    columns = dict(question.columns or {})
    pair = isinstance(pilot, tuple) and len(pilot) == 2
    first, second = pilot if pair else (pilot, None)
    sides = one_or_two(first, second, (None, None), ("A", "B"))
    how = ReadSettings.of({"columns": columns}, "plan")
    named = (columns["judge"], columns["label"])
    return pilot_judge(load_sides(sides, how, tasks=names_in(question.task), judged=named))


def _costs(question: PlanQuestion) -> "JudgeCosts | None":
    from nstar._verbs.judged.plan import JudgeCosts

    if question.cost_label is None or question.cost_judge is None:
        return None
    return JudgeCosts(label=question.cost_label, judge=question.cost_judge)


def plan_labels(question: PlanQuestion) -> "JudgedPlan":
    """Labels of judged items, for a gap or money, or what labels detect."""
    from nstar._verbs.judged.plan import plan_judged
    from nstar._verbs.plan import Design, Graded

    q = question
    asked: dict[str, Any] = {
        "delta": q.deltas[0] if q.deltas else None,
        "labels": q.labels,
        "judged": q.judged,
        "costs": _costs(q),
        "criteria": q.criteria,
    }
    if q.pilot is None:
        if q.judge_r is None:
            raise AssertionError
        return plan_judged(plan_design(q)[0], judge_r=q.judge_r, **asked)
    pilot = _read(q)
    refuse_large_gaps(q, pilot.limits)
    low, high = pilot.limits
    design = Design(noise=Graded(sd=pilot.sigma, width=high - low), source="pilot")
    return plan_judged(design, judge_r=max(float(pilot.r_ci.low), 0.0), pilot=pilot, **asked)
