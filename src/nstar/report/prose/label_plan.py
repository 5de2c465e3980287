"""A LabelPlan in words."""

import math

from nstar._verbs.judged.pilot import FEW
from nstar._verbs.judged.plan_result import LabelPilot, LabelPlan, LabelScenario
from nstar._verbs.judged.sample import FEWEST
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import (
    count,
    items,
    level,
    money,
    name,
    often,
    pp,
    probability,
    ratio,
)
from nstar.report.prose.plan_terms import baseline, noise_assumption, score_units

_TESTED = f"nstar compare does not correct a judge below {FEWEST} labels"


def _gap(plan: LabelPlan, value: float | None, *, column: bool = False) -> str:
    if plan.is_proportion or value is None or math.isinf(value):
        return pp(value, column=column)
    return f"{value:.4f}" if column else f"{value:.3g}"


def _labels(n: float) -> str:
    return "1 label" if n == 1 else f"{count(n)} labels"


def _r(plan: LabelPlan, r: float) -> str:
    return f"{r:.2f}" if plan.pilot is not None else f"{r:.4g}"


def _rule(plan: LabelPlan) -> str:
    return f"{often(plan.criteria.power)}, {level(plan.criteria.alpha, plan.criteria.sides)}"


def _aim(plan: LabelPlan) -> str:
    """The gap to detect, and how surely."""
    return f"a gap of {_gap(plan, plan.delta)}{baseline(plan.noise_design)} ({_rule(plan)})"


def _condition(plan: LabelPlan) -> str:
    """What the judge is taken to be worth."""
    if plan.pilot is not None:
        return f"planned with r = {_r(plan, plan.judge_r)}, the pilot's lower limit"
    return f"if judge and labels correlate by {_r(plan, plan.judge_r)} on differences"


def _too_few(plan: LabelPlan) -> str:
    """No labels would do among these judged items."""
    more = plan.scenarios[1]
    return (
        f"{count(plan.n_judged)} judged items are too few for {_aim(plan)}, however many are "
        f"labeled: with a label on each they detect {_gap(plan, plan.mde_floor)}. Judge at least "
        f"{count(plan.scenarios[0].n_judged)}; of {count(more.n_judged)}, label "
        f"{count(more.n_star)}, "
        f"{_condition(plan)}."
    )


def _saving(plan: LabelPlan) -> str:
    if plan.n_star == plan.n_star_without_judge:
        return "The judge saves none of them."
    if plan.cost is None or plan.cost_without_judge is None or not plan.n_judged:
        return f"Without a judge it takes {_labels(plan.n_star_without_judge or 0)}."
    less = 1 - plan.cost / plan.cost_without_judge
    held = f"{probability(abs(less))} {'less' if less > 0 else 'more'} than"
    return (
        f"That costs {money(plan.cost)}, {held} {_labels(plan.n_star_without_judge or 0)} "
        "without a judge "
        f"({money(plan.cost_without_judge)})."
    )


def _as_seen(plan: LabelPlan) -> str:
    """The answer if the judge is what the pilot shows."""
    if plan.pilot is None or plan.n_star_pilot is None or plan.n_star_pilot == plan.n_star:
        return ""
    seen = f"{_r(plan, plan.pilot.r)}, as the pilot shows"
    labels = _labels(plan.n_star_pilot)
    if plan.n_judged_source == "cheapest":
        labels += f" of {_judged(plan.scenarios[-1])} judged items"
    return f" If r is really {seen}, {labels} would do."


def _labels_headline(plan: LabelPlan) -> str:
    if plan.n_star == math.inf:
        return _too_few(plan)
    if not plan.n_judged:
        return (
            f"Label {items(plan.n_star or 0)} and use no judge to detect {_aim(plan)}: at these "
            f"costs it does not pay, {_condition(plan)}. The labels cost {money(plan.cost or 0)}."
        )
    the = "" if plan.n_judged_source == "cheapest" else "the "
    of = f"{the}{count(plan.n_judged)} judged items"
    return (
        f"Label {count(plan.n_star)} of {of}, drawn at random, to detect {_aim(plan)}, "
        f"{_condition(plan)}. {_saving(plan)}{_as_seen(plan)}"
    )


def _judged_headline(plan: LabelPlan) -> str:
    labels = _labels(plan.n_labels or 0)
    if plan.n_judged == math.inf:
        return (
            f"{labels} are too few for {_aim(plan)}, however many items are judged: it takes at "
            f"least {count(plan.n_star)}, {_condition(plan)}. {_saving(plan)}"
        )
    if plan.n_judged <= (plan.n_labels or 0):
        return f"{labels} detect {_aim(plan)} without a judge."
    return (
        f"Judge {items(plan.n_judged)} for {labels} among them to detect {_aim(plan)}, "
        f"{_condition(plan)}. {_saving(plan)}"
    )


def _mde_headline(plan: LabelPlan) -> str:
    start = f"{_labels(plan.n_labels or 0)} among {count(plan.n_judged)} judged items detect"
    if plan.mde == math.inf:
        return f"{start} no gap ({_rule(plan)}), {_condition(plan)}."
    return (
        f"{start} a gap of {_gap(plan, plan.mde)}{baseline(plan.noise_design)} ({_rule(plan)}), "
        f"{_condition(plan)}; without the judge, {_gap(plan, plan.scenarios[0].mde)}."
    )


def _power_headline(plan: LabelPlan) -> str:
    wanted = probability(plan.criteria.power)
    start = (
        f"{_labels(plan.n_labels or 0)} among {count(plan.n_judged)} judged items detect a gap of "
        f"{_gap(plan, plan.delta)}{baseline(plan.noise_design)} with probability "
        f"{probability(plan.power)} ({level(plan.criteria.alpha, plan.criteria.sides)}), "
        f"{_condition(plan)}"
    )
    if plan.n_star == math.inf:
        fewest, more = plan.scenarios[:2]
        return (
            f"{start}; {wanted} takes more judged items than these, at least "
            f"{count(fewest.n_judged)}: of {count(more.n_judged)}, label {count(more.n_star)}."
        )
    more_labels = (plan.n_star or 0) - (plan.n_labels or 0)
    tail = f", {count(more_labels)} more" if more_labels > 0 else ""
    return f"{start}; {wanted} takes {_labels(plan.n_star or 0)}{tail}."


def _headline(plan: LabelPlan) -> str:
    answers = {
        "labels": _labels_headline,
        "judged": _judged_headline,
        "mde": _mde_headline,
        "power": _power_headline,
    }
    return answers[plan.solved_for](plan)


# --- the table -----------------------------------------------------------------------------


def _columns(plan: LabelPlan) -> list[tuple[str, list[str]]]:
    """Columns that say something, with their cells."""
    rows = plan.scenarios
    by_judge = not _by_judged(plan)
    known: list[tuple[str, list[str], bool]] = [
        ("judge's r", [_r(plan, row.judge_r) for row in rows], by_judge),
        ("judged", [_judged(row) for row in rows], not by_judge or not _given(plan)),
        (
            "labels",
            [count(row.n_star) for row in rows],
            plan.delta is not None and plan.solved_for != "judged",
        ),
        (
            "detects",
            [_gap(plan, row.mde, column=True) for row in rows],
            plan.solved_for in ("mde", "power") and by_judge,
        ),
        (
            "power",
            [probability(row.power) for row in rows],
            plan.solved_for == "power" and by_judge,
        ),
        (
            "cost",
            ["–" if row.cost is None else money(row.cost, cents=True) for row in rows],
            plan.cost is not None,
        ),
    ]
    return [(head, cells) for head, cells, told in known if told]


def _judged(row: LabelScenario) -> str:
    return "none" if row.n_judged == 0 else count(row.n_judged)


def _given(plan: LabelPlan) -> bool:
    return plan.n_judged_source in ("given", "pilot")


def _by_judged(plan: LabelPlan) -> bool:
    """Whether the rows are of more judged items rather than other judges."""
    return not any(row.is_headline for row in plan.scenarios)


def _grid(plan: LabelPlan) -> TextTable:
    columns = _columns(plan)
    if _by_judged(plan):
        title, marked = f"Labels for a gap of {_gap(plan, plan.delta)}, by items judged", None
    else:
        title = "By how well the judge knows differences (r = 0: no judge)"
        marked = next(k for k, row in enumerate(plan.scenarios) if row.is_headline)
    return TextTable(
        title=title,
        header=tuple(head for head, _ in columns),
        rows=tuple(zip(*(cells for _, cells in columns), strict=True)),
        marked=marked,
    )


# --- notes ---------------------------------------------------------------------------------


def _fewest(plan: LabelPlan) -> str | None:
    """What few labels mean to the comparison."""
    if plan.n_labels is not None and plan.n_labels < FEWEST:
        return f"{_TESTED}: these are planned as labels alone. Plan at least {FEWEST}."
    if plan.n_star is None or plan.n_star > FEWEST or not plan.judge_r:
        return None
    if plan.n_star == FEWEST:
        return f"Fewer might do, but {_TESTED}."
    return f"{_TESTED}; {_labels(plan.n_star)} do without it."


def _worth(plan: LabelPlan) -> str | None:
    """What the judge saves, and can save."""
    if (
        not plan.n_labels_saved
        or plan.n_labels_saved < 0
        or not plan.n_star_without_judge
        or not plan.n_judged
    ):
        return None
    return (
        f"The judge saves {count(plan.n_labels_saved)} of {_labels(plan.n_star_without_judge)} "
        f"({probability(plan.n_labels_saved / plan.n_star_without_judge)}); judging endless "
        "items would save "
        f"{probability(plan.judge_r**2)}."
    )


def _differences(plan: LabelPlan) -> str | None:
    if plan.pilot is not None:
        return None
    return (
        "r is that of differences, judge's A − B with people's A − B. It is usually lower than r "
        "on single answers, and lower still for models that resemble each other; measure it by "
        f"a pilot of {FEW} labels or more."
    )


def _pilot(plan: LabelPlan, pilot: LabelPilot) -> str:
    low, high = (f"{x:.2f}".replace("-", "−") for x in pilot.r_ci)
    shown = f"{pilot.r:.2f}".replace("-", "−")
    first, second = (name(n) for n in pilot.models)
    text = (
        f"Pilot: r = {shown} ({coverage(pilot.confidence_level)} interval {low} to {high}) on "
        "differences of "
        f"{first} and {second}, {_labels(pilot.n_labels)} among {count(pilot.n_items)} judged "
        "items."
    )
    if plan.judge_r == 0:
        text += " It does not rule out a judge that knows nothing of differences: labels alone."
    return text


def _few(plan: LabelPlan) -> str | None:
    if plan.pilot is None or plan.pilot.n_labels >= FEW:
        return None
    return (
        f"The pilot has only {_labels(plan.pilot.n_labels)}: r and the spread are hardly known. "
        f"Label {FEW} or more before trusting this."
    )


def _cheapest(plan: LabelPlan) -> str | None:
    """What would cost less than the judged items given."""
    best = plan.cheapest
    if best is None or plan.n_judged_source == "cheapest":
        return None
    if not best.n_judged:
        return f"Cheapest are labels alone: {_labels(best.n_labels)} for {money(best.cost)}."
    return (
        f"Cheapest is to label {count(best.n_labels)} of {count(best.n_judged)} judged items, "
        f"{probability(best.n_labels / best.n_judged)}, for {money(best.cost)}."
    )


def _notes(plan: LabelPlan) -> tuple[str, ...]:
    q = None
    if plan.q and plan.solved_for == "power":
        q = f"Resolution ratio q = n/n* = {ratio(plan.q)} (q ≥ 1: resolved)."
    said = (
        _few(plan),
        None if plan.pilot is None else _pilot(plan, plan.pilot),
        None if plan.pilot is None else score_units(plan.pilot.score_range),
        _fewest(plan),
        _worth(plan),
        _cheapest(plan),
        _differences(plan),
        q,
    )
    return (*(note for note in said if note), *findings(plan.findings))


# --- assumptions ---------------------------------------------------------------------------


def _noise(plan: LabelPlan) -> str:
    if plan.pilot is None:
        return noise_assumption(plan.noise_design)
    return f"The models' labels of an item differ with sd {plan.sigma:.3g}, as in the pilot."


def _independence(plan: LabelPlan) -> str:
    if plan.pilot is not None:
        return "Items are independent: they do not come in groups that are alike."
    return (
        f"Items are independent. Where they come in groups, multiply the sd ({arg('sd_diff')}) by "
        "the square root of the design effect."
    )


def document(plan: LabelPlan) -> Document:
    """Headline, other judges, notes, assumptions."""
    return Document(
        headline=_headline(plan),
        grids=(_grid(plan),),
        notes=_notes(plan),
        assumptions=(
            _noise(plan),
            "Labels are the truth, of a random part of the judged items; both models' answers to "
            "an item are labeled, and judged.",
            _independence(plan),
            "The test is that of nstar compare with a judge and labels: t with two degrees of "
            "freedom fewer than labels. One comparison, fixed in advance, looked at once.",
        ),
    )
