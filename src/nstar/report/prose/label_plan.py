"""Write the report of a plan of labels."""

import math
from collections.abc import Iterator

from nstar._verbs.board_outcomes import FEWEST_ITEMS
from nstar._verbs.judged.pilot import FEW
from nstar._verbs.judged.plan_result import (
    LabelDraw,
    LabelPilot,
    LabelPlan,
    LabelScenario,
    StratumName,
)
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
    pp,
    probability,
)
from nstar.report.prose.plan import among, family_assumption, rule_of
from nstar.report.prose.plan_terms import (
    baseline,
    criteria,
    noise_assumption,
    points,
    precision,
    resolution_ratio,
    score_units,
    with_article,
)

_TESTED = f"nstar compare judged corrects a judge only with at least {FEWEST} labels"


def _gap(plan: LabelPlan, value: float | None) -> str:
    if plan.is_proportion or value is None or math.isinf(value):
        return pp(value)
    return f"{value:.3g}"


def _labels(n: float) -> str:
    return "1 label" if n == 1 else f"{count(n)} labels"


def _r(plan: LabelPlan, r: float) -> str:
    return f"{r:.2f}" if plan.pilot is not None else f"{r:.4g}"


def _what(plan: LabelPlan) -> str:
    """Return what the labels do: detect a gap, or pick the best model."""
    return _goal(plan, _gap(plan, plan.delta))


def _goal(plan: LabelPlan, gap: str) -> str:
    design = plan.noise_design
    if _is_choice(plan):
        return f"pick the best of {design.models:,} models if it leads by {gap}"
    return f"detect {with_article(gap)} gap{among(design) or baseline(design)}"


def _is_choice(plan: LabelPlan) -> bool:
    return plan.noise_design.goal == "best"


def _rule(plan: LabelPlan, *, power: bool = True) -> str:
    """Return the power and the judge's value, in parentheses."""
    aim = rule_of(plan.noise_design, plan.criteria)
    if _is_choice(plan):
        aim = f"{probability(1 - plan.criteria.alpha)} probability"
    aim_text = f"{aim}, " if power else ""
    limit = ", the pilot's lower limit" if plan.pilot is not None else ""
    return f"({aim_text}judge r = {_r(plan, plan.judge_r)}{limit})"


def _found(plan: LabelPlan, value: float | None) -> str:
    """Return a computed gap as text."""
    if not plan.is_proportion:
        return _gap(plan, value)
    return points(value, precision([plan.mde if plan.mde is not None else value]))


def _short_goal(plan: LabelPlan, value: float | None) -> str:
    """Return what labels do for a gap, without the models."""
    if value is None or math.isinf(value):
        return "detect no gap"
    verb = "need a lead" if _is_choice(plan) else "detect a gap"
    return f"{verb} of {_found(plan, value)}"


def _saving(plan: LabelPlan) -> str:
    if plan.n_star == plan.n_star_without_judge:
        return "The judge saves no labels."
    without = _labels(plan.n_star_without_judge or 0)
    if plan.cost is None or plan.cost_without_judge is None or not plan.n_judged:
        return f"Without the judge, it takes {without}."
    less = 1 - plan.cost / plan.cost_without_judge
    word = "less" if less > 0 else "more"
    return (
        f"This costs {money(plan.cost)}, {probability(abs(less))} {word} than {without} without "
        f"the judge ({money(plan.cost_without_judge)})."
    )


def _as_in_pilot(plan: LabelPlan) -> str:
    """Return the answer if the judge is as good as in the pilot."""
    if plan.pilot is None or plan.n_star_pilot is None or plan.n_star_pilot == plan.n_star:
        return ""
    labels = _labels(plan.n_star_pilot)
    if plan.n_judged_source == "cheapest":
        labels += f" of {_judged(plan.scenarios[-1])} judged items"
    return f"If r equals the pilot's {_r(plan, plan.pilot.r)}, {labels} are enough."


def _each(plan: LabelPlan) -> str:
    """Return the number of answers if more than two models are labeled."""
    models = plan.noise_design.models
    if models == 2 or plan.n_star is None:
        return ""
    return f" ({count(models * plan.n_star)} answers)"


def _labels_headline(plan: LabelPlan) -> list[str]:
    if plan.n_star == math.inf:
        larger = plan.scenarios[1]
        return [
            f"{count(plan.n_judged)} judged items cannot {_what(plan)}, even if all are "
            f"labeled {_rule(plan)}.",
            f"At best, they {_short_goal(plan, plan.mde_floor)}. Judge at least "
            f"{count(plan.scenarios[0].n_judged)} items; for example, label "
            f"{count(larger.n_star)} of {count(larger.n_judged)}.",
        ]
    if not plan.n_judged:
        return [
            f"Label {items(plan.n_star or 0)} without a judge to {_what(plan)} {_rule(plan)}.",
            "At these prices, the judge does not pay off. The labels cost "
            f"{money(plan.cost or 0)}.",
        ]
    return [
        f"Label a random {count(plan.n_star)} of {count(plan.n_judged)} judged items{_each(plan)} "
        f"to {_what(plan)} {_rule(plan)}.",
        _saving(plan),
        _as_in_pilot(plan),
    ]


def _judged_headline(plan: LabelPlan) -> list[str]:
    labels = _labels(plan.n_labels or 0)
    if plan.n_judged == math.inf:
        return [
            f"{labels} are too few to {_what(plan)}, even with unlimited judged items "
            f"{_rule(plan)}.",
            f"It takes at least {_labels(plan.n_star or 0)}.",
            _saving(plan),
        ]
    if plan.n_judged <= (plan.n_labels or 0):
        return [f"{labels} {_what(plan)} without a judge ({criteria(plan.criteria)})."]
    return [
        f"Judge {items(plan.n_judged)} and label a random {count(plan.n_labels)} of them to "
        f"{_what(plan)} {_rule(plan)}.",
        _saving(plan),
    ]


def _mde_headline(plan: LabelPlan) -> list[str]:
    start = f"{_labels(plan.n_labels or 0)} among {count(plan.n_judged)} judged items"
    if plan.mde == math.inf:
        return [f"{start} detect no gap {_rule(plan)}."]
    return [
        f"{start} {_goal(plan, _found(plan, plan.mde))} {_rule(plan)}.",
        f"Without the judge, they {_short_goal(plan, plan.scenarios[0].mde)}.",
    ]


def _power_headline(plan: LabelPlan) -> list[str]:
    start = (
        f"{_labels(plan.n_labels or 0)} among {count(plan.n_judged)} judged items have "
        f"{probability(plan.power)} power to {_what(plan)} {_rule(plan, power=False)}."
    )
    power_text = f"{probability(plan.criteria.power)} power"
    if _is_choice(plan):
        start = start.replace(" power to pick", " probability of picking", 1)
        power_text = f"{probability(1 - plan.criteria.alpha)} probability"
    if plan.n_star == math.inf:
        fewest, larger = plan.scenarios[:2]
        return [
            start,
            f"{power_text} takes at least {count(fewest.n_judged)} judged items; for "
            f"example, label {count(larger.n_star)} of {count(larger.n_judged)}.",
        ]
    return [start, f"{power_text} takes {_labels(plan.n_star or 0)}."]


# --- the table -----------------------------------------------------------------------------


def _columns(plan: LabelPlan) -> list[tuple[str, list[str]]]:
    """Return the columns that are not empty, with their cells."""
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
            "detectable gap",
            [_found(plan, row.mde) for row in rows],
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
    return [(head, cells) for head, cells, is_useful in known if is_useful]


def _judged(row: LabelScenario) -> str:
    return "none" if row.n_judged == 0 else count(row.n_judged)


def _given(plan: LabelPlan) -> bool:
    return plan.n_judged_source in ("given", "pilot")


def _by_judged(plan: LabelPlan) -> bool:
    """Return whether the rows vary the number of judged items rather than the judge."""
    return not any(row.is_headline for row in plan.scenarios)


def _grid(plan: LabelPlan) -> TextTable:
    columns = _columns(plan)
    if _by_judged(plan):
        title, marked = f"Labels to detect {_gap(plan, plan.delta)}, by judged items", None
    else:
        title = "By correlation between judge and labels on differences (r = 0: no judge)"
        marked = next(k for k, row in enumerate(plan.scenarios) if row.is_headline)
    return TextTable(
        title=title,
        header=tuple(head for head, _ in columns),
        rows=tuple(zip(*(cells for _, cells in columns), strict=True)),
        marked=marked,
    )


# --- notes ---------------------------------------------------------------------------------


def _pilot(plan: LabelPlan, pilot: LabelPilot) -> str:
    low, high = (f"{x:.2f}".replace("-", "−") for x in pilot.r_ci)
    r_text = f"{pilot.r:.2f}".replace("-", "−")
    names = [name(n) for n in pilot.models]
    between = " and ".join(names) if len(names) == 2 else f"any two of {len(names)} models"
    text = (
        f"In the pilot, r = {r_text} ({coverage(pilot.confidence_level)} CI {low} to {high}) on "
        f"differences between {between}, from {_labels(pilot.n_labels)} among "
        f"{count(pilot.n_items)} judged items."
    )
    if plan.judge_r == 0:
        text += " The CI includes r = 0, so the plan uses labels alone."
    return text


def _cheapest(plan: LabelPlan) -> Iterator[str]:
    """Yield a cheaper number of judged items."""
    best = plan.cheapest
    if best is not None and plan.n_judged_source != "cheapest":
        if not best.n_judged:
            yield (
                f"The cheapest plan is labels alone: {_labels(best.n_labels)} for "
                f"{money(best.cost)}."
            )
        else:
            yield (
                f"The cheapest plan is to label {count(best.n_labels)} of {count(best.n_judged)} "
                f"judged items ({probability(best.n_labels / best.n_judged)}) for "
                f"{money(best.cost)}."
            )


_STRATA: dict[StratumName, str] = {
    "first": "{0}",
    "neither": "neither",
    "second": "{1}",
    "equal": "no differences",
    "small": "small differences",
    "large": "large differences",
}
"""Stratum of the judge's scores, with the names of two models."""


def _drawn(plan: LabelPlan, draw: LabelDraw) -> TextTable:
    """Return the strata by which the items to label were drawn."""
    names = [name(n) for n in plan.pilot.models] if plan.pilot is not None else []
    pair = len(names) == 2
    rows = tuple(
        (
            _STRATA[x.judge_prefers].format(*names),
            count(x.n_items),
            count(x.n_labels),
            count(x.n_existing),
            f"{x.weight:.3g}",
        )
        for x in draw.strata
    )
    return TextTable(
        title="Items to label, by the judge's scores",
        header=(
            "judge prefers" if pair else "judge's scores",
            *("judged", "labels", "existing", "weight"),
        ),
        rows=rows,
    )


def _draw_note(draw: LabelDraw) -> str:
    basis = "the pilot's labels" if draw.is_sd_estimated else "an assumption"
    return (
        "Labels are drawn more often where the labels of the models differ more, according to "
        f"{basis}. Compared with proportional labels, this is expected to save "
        f"{probability(max(1 - 1 / draw.gain, 0))} of the labels. Keep the weights (column "
        "label_weight) with the labels: without them, the results would be wrong."
    )


def _pilot_notes(plan: LabelPlan, pilot: LabelPilot) -> Iterator[str]:
    if pilot.n_labels < FEW:
        yield (
            f"The pilot has only {_labels(pilot.n_labels)}, so r and the spread are very "
            f"uncertain. Label {FEW} or more."
        )
    yield _pilot(plan, pilot)
    yield from score_units(pilot.score_range)


def _rare_disagreements(plan: LabelPlan) -> Iterator[str]:
    """Yield why the labels exceed those of the formula with r."""
    if plan.n_judged and plan.judge_r and plan.delta is not None:
        yield (
            "The plan allows for disagreements of judge and labels that are too rare to be "
            "observed, so it takes more labels than r alone implies."
        )


def _notes(plan: LabelPlan) -> Iterator[str]:
    if plan.pilot is not None:
        yield from _pilot_notes(plan, plan.pilot)
    if plan.n_labels is not None and plan.n_labels < FEWEST:
        yield f"{_TESTED}, so this plan is without the judge. Plan at least {FEWEST} labels."
    elif plan.n_star is not None and plan.n_star <= FEWEST and plan.judge_r:
        if plan.n_star == FEWEST:
            yield f"{_TESTED}, although fewer might be enough."
        else:
            yield f"{_TESTED}; {_labels(plan.n_star)} are enough without the judge."
    if (
        plan.n_labels_saved
        and plan.n_labels_saved >= 0
        and plan.n_star_without_judge
        and plan.n_judged
    ):
        yield (
            f"The judge saves {count(plan.n_labels_saved)} of "
            f"{_labels(plan.n_star_without_judge)} "
            f"({probability(plan.n_labels_saved / plan.n_star_without_judge)}); judging unlimited "
            f"items would save at most {probability(plan.judge_r**2)}."
        )
    yield from _rare_disagreements(plan)
    if plan.draw is not None:
        yield _draw_note(plan.draw)
    yield from _cheapest(plan)
    if plan.pilot is None:
        yield (
            "Here, r is the correlation between the differences A − B of the judge and of the "
            f"labels. It is usually lower than r on single answers. Measure it on {FEW} or more "
            "labels."
        )
    yield from findings(plan.findings)


# --- assumptions ---------------------------------------------------------------------------


def _noise(plan: LabelPlan) -> str:
    if plan.pilot is None:
        return noise_assumption(plan.noise_design)
    return f"The per-item difference of the labels has SD {plan.sigma:.3g}, as in the pilot."


def _independence(plan: LabelPlan) -> str:
    if plan.pilot is not None:
        return "Items are independent."
    return (
        "Items are independent; if they come in groups, multiply the SD "
        f"({arg('sd_diff')}) by the square root of the design effect."
    )


def _test(plan: LabelPlan) -> str:
    design = plan.noise_design
    family = family_assumption(design, plan.criteria)
    if _is_choice(plan):
        return family
    verb = "nstar audit" if design.models > 2 else "nstar compare judged"
    holm_note = ""
    if design.models > 2:
        holm_note = f" With fewer than {FEWEST_ITEMS} labels, the adjustment is Holm's."
    return (
        f"The test is that of {verb}: Student's t with n − 2 degrees of freedom for n labels. "
        f"{family}{holm_note}"
    )


def document(plan: LabelPlan) -> Document:
    """Return the report: headline, other judges, notes, and assumptions."""
    answers = {
        "labels": _labels_headline,
        "judged": _judged_headline,
        "mde": _mde_headline,
        "power": _power_headline,
    }
    sentences = [text for text in answers[plan.solved_for](plan) if text]
    tested = level(plan.criteria.alpha, plan.criteria.sides)
    if _is_choice(plan):
        tested = "no test"
    strata = () if plan.draw is None else (_drawn(plan, plan.draw),)
    return Document(
        headline=" ".join(sentences),
        opening=sentences[0],
        key=strata,
        grids=(_grid(plan), *strata),
        notes=tuple(_notes(plan)),
        detail=(resolution_ratio(plan.q),) if plan.q and plan.solved_for == "power" else (),
        basis=f"labels are correct and cover a random subset; independent items; {tested}.",
        assumptions=(
            _noise(plan),
            "Labels are correct and cover a random subset of the judged items; all models' "
            "answers to an item are judged, and all are labeled or none is.",
            _independence(plan),
            _test(plan),
        ),
    )
