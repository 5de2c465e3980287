"""A Plan in words."""

import math

from nstar import stats
from nstar._verbs.plan import Design, Graded, PairedPsi, PairedRho, Plan, PlanScenario, Unpaired
from nstar.errors import fill_parameters
from nstar.report.documents import Document, TextChart, TextTable
from nstar.report.prose.design import few_clusters, rounded_up
from nstar.report.prose.numbers import count, items, level, percent, probability, ratio, share
from nstar.report.prose.plan_boards import (
    BECHHOFER,
    CHOICE,
    PAIRS,
    board_notes,
    choice_headline,
    target_probability,
)
from nstar.report.prose.plan_terms import baseline, condition, criteria, gap, noise_assumption


def among(design: Design) -> str:
    """The family, where there is one."""
    if design.n_comparisons == 1:
        return ""
    some = "every" if design.joint else "any"
    if design.goal == "control":
        which = "each" if design.joint else "any one"
        return f" between a control and {which} of {design.models - 1:,} other models"
    if design.goal == "adjacent":
        return f" between {some} two neighbors of {design.models:,} models"
    return f" between {some} two of {design.models:,} models"


def within(design: Design) -> str:
    """The clusters, where there are any."""
    if not design.icc:
        return ""
    if design.clusters:
        return f" in {design.clusters:,} clusters"
    return f" in clusters of {design.cluster_size:g}"


def _answered(design: Design) -> str:
    return (
        "items per model"
        if isinstance(design.noise, Unpaired)
        else f"items answered by {'both' if design.models == 2 else 'all'} models"
    )


def _why_never(plan: Plan) -> str:
    design = plan.noise_design
    if not design.clusters:
        return "the assumptions leave no room for it"
    if plan.mde_floor is None or math.isinf(plan.mde_floor):
        return f"{design.clusters} clusters are too few for any gap"
    wanted = percent(plan.criteria.power)
    hidden = f"gaps below {gap(design, plan.mde_floor)} never reach {wanted} power"
    return f"with {design.clusters} fixed clusters {hidden}"


def _items_headline(plan: Plan) -> str:
    design = plan.noise_design
    what = f"a gap of {gap(design, plan.delta)}{baseline(design)}{among(design)}"
    if plan.n_star is None or math.isinf(plan.n_star):
        rule = criteria(plan.criteria)
        return f"No number of items detects {what} ({rule}): {_why_never(plan)}."
    return (
        f"Detecting {what} takes {count(plan.n_star)} {_answered(design)}"
        f"{within(design)} ({criteria(plan.criteria)}), {condition(design)}."
    )


def _mde_headline(plan: Plan) -> str:
    design = plan.noise_design
    up, down = plan.mde, plan.mde_loss
    unit = "items per model" if isinstance(design.noise, Unpaired) else "items"
    n = f"{count(plan.n_items)} {unit}{within(design)}"
    if plan.budget is not None:
        n = f"The {n} that a budget of {plan.budget:,.10g} buys"
    where = f"{baseline(design)}{among(design)} ({criteria(plan.criteria)})"
    where += f", {condition(design)}."
    never_up, never_down = (v is None or math.isinf(v) for v in (up, down))
    if never_up and never_down:
        return f"{n} detect no gap at all{where}"
    if plan.criteria.sides == 1:
        what = f"a gain of {gap(design, up)}"
    elif never_up:
        what = f"no gain, but a loss of {gap(design, down)}"
    elif never_down:
        what = f"a gain of {gap(design, up)}, but no loss"
    elif math.isclose(up or 0.0, down or 0.0, rel_tol=1e-9):
        what = f"a gap of {gap(design, up)}"
    else:
        what = f"a gain of {gap(design, up)} or a loss of {gap(design, down)}"
    return f"{n} can detect {what}{where}"


def _given(plan: Plan) -> str:
    unit = " per model" if isinstance(plan.noise_design.noise, Unpaired) else ""
    return f"{items(plan.n_items or 0)}{unit}{within(plan.noise_design)}"


def _need(plan: Plan) -> str:
    wanted = probability(plan.criteria.power)
    if plan.n_star is None or math.isinf(plan.n_star):
        return f"no number of items gives {wanted}"
    more = plan.n_star - (plan.n_items or 0)
    tail = f", {count(more)} more" if more > 0 else ""
    return f"{wanted} takes {items(plan.n_star)}{tail}"


def _power_headline(plan: Plan) -> str:
    design = plan.noise_design
    tested = level(plan.criteria.alpha, plan.criteria.sides)
    what = f"a gap of {gap(design, plan.delta)}{baseline(design)}{among(design)}"
    return (
        f"With {_given(plan)} {what} is detected with probability {probability(plan.power)} "
        f"({tested}), {condition(design)}; {_need(plan)}."
    )


def _shown(plan: Plan) -> str:
    """The claim that a margin question is about."""
    design = plan.noise_design
    margin, delta = gap(design, plan.margin), plan.delta or 0.0
    if plan.question == "equivalence":
        apart = f"truly {gap(design, abs(delta))} apart" if delta else "equally good"
        which = among(design).removeprefix(" between ") or "two models"
        return f"{which} that are {apart} are equivalent within ±{margin}"
    truth = "a model that is as good"
    if delta:
        side = "better" if delta > 0 else "worse"
        truth = f"a model that is truly {gap(design, abs(delta))} {side}"
    some = among(design).replace(" between ", ", for ", 1)
    return f"{truth} is not worse by {margin}{some}{some and ','}"


def _few_clusters(plan: Plan) -> str | None:
    """A margin too small for so few clusters; None if it is not."""
    least, design = plan.min_margin_clusters, plan.noise_design
    if least is None or plan.margin is None or plan.margin > least:
        return None
    if plan.solved_for == "power" and (plan.power or 0.0) >= plan.criteria.power:
        return None  # the true gain assumed is large enough
    width = design.noise.width if isinstance(design.noise, Graded) else 1.0
    number = design.clusters or design.groups(float(plan.n_items or 0))
    return few_clusters(f"{number:,.4g} clusters", gap(design, rounded_up(least, width)))


def _margin_headline(plan: Plan) -> str:
    design = plan.noise_design
    crit = f"one-sided α = {plan.criteria.alpha:g}"
    end = f" ({crit}), {condition(design)}"
    few = _few_clusters(plan)
    if plan.solved_for == "power":
        return (
            f"{_given(plan)} show that {_shown(plan)} with probability "
            f"{probability(plan.power)}{end}; {few or _need(plan)}."
        )
    if plan.n_star is None or math.isinf(plan.n_star):
        why = "the true gap reaches the margin"
        if plan.margin and abs(plan.delta or 0.0) < plan.margin:
            why = few or f"{design.clusters} fixed clusters leave the gap too uncertain"
        return f"No number of items shows that {_shown(plan)} ({crit}): {why}."
    unit = " per model" if isinstance(design.noise, Unpaired) else ""
    need = f"{items(plan.n_star)}{unit}{within(design)}"
    crit = f"{probability(plan.criteria.power)} power, {crit}"
    return f"Showing that {_shown(plan)} takes {need} ({crit}), {condition(design)}."


def _precision_headline(plan: Plan) -> str:
    design = plan.noise_design
    conf = percent(1 - plan.criteria.alpha)
    if design.n_comparisons > 1:
        conf += " simultaneous"
    wide = f"a {conf} interval of ±{gap(design, plan.half_width)} around the gap"
    never = plan.n_star is not None and math.isinf(plan.n_star)
    if plan.solved_for == "items":
        if never:
            return f"No number of items gives {wide}: {design.clusters} clusters are too few."
        return f"{wide.capitalize()} takes {items(plan.n_star or 0)}, {condition(design)}."
    tail = ""
    if never:
        tail = " The one wanted is out of reach with these clusters."
    elif plan.n_star is not None and plan.n_star > (plan.n_items or 0):
        tail = f" The one wanted takes {items(plan.n_star)}."
    return f"{_given(plan)} give {wide}, {condition(design)}.{tail}"


def _headline(plan: Plan) -> str:
    if plan.question == "precision":
        return _precision_headline(plan)
    if plan.question != "difference":
        return _margin_headline(plan)
    if plan.noise_design.goal == "best":
        return choice_headline(plan)
    by = {"items": _items_headline, "mde": _mde_headline, "power": _power_headline}
    return by[plan.solved_for](plan)


def _columns(plan: Plan, rows: list[PlanScenario]) -> TextTable:
    design = plan.noise_design
    name = rows[0].name
    header = [{"rho": "rho", "psi": "discordant", "delta": "gap"}[name]]
    if name == "rho" and any(r.psi is not None for r in rows):
        header.append("discordant")
    if plan.solved_for != "mde" or name == "delta":
        header.append("items needed")
    if plan.n_items is not None and name != "delta":
        same = isinstance(design.noise, Graded | PairedPsi) or plan.criteria.sides == 1
        same = same or design.goal == "best"
        header += ["smallest gap"] if same else ["smallest gain", "smallest loss"]
    if any(r.power is not None for r in rows):
        header.append("power")

    def cells(row: PlanScenario) -> tuple[str, ...]:
        first = gap(design, row.value, column=True) if name == "delta" else f"{row.value:.2f}"
        if name == "psi":
            first = share(row.value)
        full = {
            "rho": first,
            "gap": first,
            "discordant": first if name == "psi" else share(row.psi),
            "items needed": count(row.n_star),
            "smallest gap": gap(design, row.mde, column=True),
            "smallest gain": gap(design, row.mde, column=True),
            "smallest loss": gap(design, row.mde_loss, column=True),
            "power": probability(row.power),
        }
        return tuple(full[h] for h in header)

    title = {
        "rho": "By item correlation (rho) between the two models",
        "psi": "By share of items on which the models disagree",
        "delta": "By gap",
    }[name]
    chosen = [i for i, r in enumerate(rows) if r.is_headline]
    return TextTable(
        title=title,
        header=tuple(header),
        rows=tuple(cells(r) for r in rows),
        marked=chosen[0] if chosen else None,
    )


def _grids(plan: Plan) -> tuple[TextTable, ...]:
    out = []
    for name in ("rho", "psi", "delta"):
        rows = [r for r in plan.scenarios if r.name == name]
        if rows:
            out.append(_columns(plan, rows))
    return tuple(out)


def _key(plan: Plan) -> tuple[TextTable, ...]:
    """The table by gap, where several were asked for."""
    rows = [r for r in plan.scenarios if r.name == "delta"]
    return (_columns(plan, rows),) if rows else ()


def _chart(plan: Plan) -> TextChart | None:
    design = plan.noise_design
    curve = plan.power_curve
    if curve is None:
        return None
    x = tuple(float(v) for v in curve.x)
    if curve.axis == "items":
        at = float(plan.n_items if plan.n_items is not None else plan.n_star or x[-1])
        labels, mark = (count(x[0]), count(x[-1])), (at, count(at))
        if plan.question == "difference":
            title = f"Power to detect {gap(design, plan.delta)}, by items"
        else:
            title = "Power to show the margin, by items"
    else:
        at = plan.mde if plan.mde is not None and math.isfinite(plan.mde) else x[-1]
        labels, mark = (
            (gap(design, x[0]), gap(design, x[-1])),
            (at, gap(design, at)),
        )
        title = f"Power with {count(plan.n_items)} items, by gain"
    if design.goal == "best":
        title = title.replace("Power to detect", "Chance to choose a best that leads by")
        title = title.replace("Power with", "Chance to choose the best with")
    if not x[0] <= mark[0] <= x[-1]:
        mark = (x[-1], labels[1])
    target = target_probability(plan)
    return TextChart(
        title=title,
        x=x,
        y=tuple(float(v) for v in curve.power),
        x_labels=labels,
        mark=mark,
        level=(target, probability(target)),
    )


_MIN_ITEMS_TO_COMPARE = 30
"""Below this many items comparisons with other formulas only confuse."""


def _notes(plan: Plan) -> tuple[str, ...]:
    design = plan.noise_design
    notes: list[str] = board_notes(plan)
    noise, delta, need = design.noise, plan.delta, plan.n_star
    plain = (
        design.n_comparisons == 1
        and design.goal != "best"
        and not design.icc
        and (need or 0) >= _MIN_ITEMS_TO_COMPARE
    )
    if plan.question == "difference" and isinstance(noise, PairedRho) and delta and need and plain:
        flat = math.sqrt(2 * noise.baseline * (1 - noise.baseline) * (1 - noise.rho))
        c = plan.criteria
        even = stats.normal_n_star(delta, sigma=flat, alpha=c.alpha, power=c.power, sides=c.sides)
        apart = Unpaired(baseline=noise.baseline).n_star(delta, design.level(c))
        notes.append(
            f"With both models' variance taken at {percent(noise.baseline)} it would be "
            f"{count(float(even))}; a calculator that prints about {count(need / 2)} has used "
            "one model's variance, half of what is needed."
        )
        saved = round(1 - need / math.ceil(float(apart)), 2)
        word = "saves no items"
        if saved:
            word = f"saves {percent(saved)}" if saved > 0 else f"costs {percent(-saved)} more"
        notes.append(
            f"With different items for each model it would take {count(float(apart))} per model; "
            f"pairing at this rho {word}."
        )
    if plan.power_exact is not None and plan.power_exact != plan.power:
        notes.append(
            "Enumerated, not approximated, the power of the mid-p test here is "
            f"{100 * plan.power_exact:.1f}%."
        )
    if plan.q:
        notes.append(f"Resolution ratio q = N/N* = {ratio(plan.q)} (q ≥ 1: resolved).")
    if plan.n_star_stable is not None and need is not None and plan.n_star_stable > need:
        notes.append(
            f"Counts come in steps: {probability(plan.criteria.power)} power is first reached "
            f"with {items(need)}, and kept from {count(plan.n_star_stable)} on."
        )
    if plan.min_margin is not None:
        notes.append(
            f"The smallest margin these items can show is {gap(design, plan.min_margin)}."
        )
    if plan.mde_floor is not None and math.isfinite(plan.mde_floor):
        notes.append(
            f"With {design.clusters} clusters fixed, no number of items gives "
            f"{percent(plan.criteria.power)} power for a gap below "
            f"{gap(design, plan.mde_floor)}; only more clusters do."
        )
    return tuple(notes)


_PRECISION = (
    "A gap as large as the half-width is detected only half the time; "
    "to detect one, plan with {delta}."
)


def _counted(plan: Plan) -> bool:
    """Whether counts of independent 0/1 scores decide."""
    d = plan.noise_design
    return isinstance(d.noise, PairedRho | PairedPsi) and not (d.icc or d.whole_clusters)


def _margin_method(plan: Plan) -> str:
    """The test that is planned for, and how its power was found."""
    lead = "Two one-sided tests (TOST)"
    if plan.question == "non-inferiority":
        lead = "One-sided test"
    tail = "the margin is declared before looking."
    if _counted(plan):
        return f"{lead} by Tango's score test, power by enumeration; {tail}"
    if isinstance(plan.noise_design.noise, Unpaired):
        return f"{lead}, normal formula; {tail}"
    lost = "unobserved rare losses of the whole scale"
    if plan.noise_design.whole_clusters:
        lost = "clusters that fail entirely but are not in the sample"
    return (
        f"{lead}, t, allowing for {lost}, as compare, audit and gate do; exact for normal "
        f"differences; {tail}"
    )


def _method(plan: Plan) -> str:
    if plan.question == "precision":
        return fill_parameters(_PRECISION)
    if plan.question != "difference":
        return _margin_method(plan)
    return BECHHOFER if plan.noise_design.goal == "best" else _difference_method(plan)


def _difference_method(plan: Plan) -> str:
    noise = plan.noise_design.noise
    if plan.noise_design.icc:
        return "Cluster-robust (CR2) t test: noncentral t, items inflated by the design effect."
    if isinstance(noise, Graded):
        return "Paired t test, exact (noncentral t) power."
    if isinstance(noise, Unpaired):
        z = plan.noise_design.critical_value(plan.criteria)
        more = z * (z + float(stats.z_power(plan.criteria.power))) / 2
        return (
            "Two-proportion z test, unpooled variance (pooled needs about "
            f"{math.ceil(more)} more per model)."
        )
    extra = ""
    if plan.delta:
        extra = f"; an exact conditional test needs about {count(2 / abs(plan.delta))} more"
    return f"McNemar mid-p test, items by Connor (1987){extra}."


def _family_assumption(plan: Plan) -> str:
    design, criteria = plan.noise_design, plan.tested
    if design.goal == "best":
        return CHOICE
    if design.n_comparisons == 1:
        return "One comparison, fixed in advance, looked at once."
    how = "Tukey" if design.goal == "all-pairs" and criteria.sides == 2 else "Bonferroni"
    how = "Dunnett" if design.goal == "control" else how
    which = f"{PAIRS[design.goal]} {design.models:,} models"
    text = (
        f"{design.n_comparisons:,} comparisons ({which}) hold at once: "
        f"critical value {plan.critical_value:.3f} ({how}) instead of {criteria.z:.3f}."
    )
    if criteria.sides == 1 and plan.question == "difference":
        text += " The direction of each is fixed in advance."
    if design.goal == "adjacent":
        text += " Neighbors must be fixed in advance; found in the same data they are all pairs."
    return text


def _cluster_assumption(plan: Plan) -> str:
    design = plan.noise_design
    if not design.icc:
        return "Items are independent draws from what the benchmark stands for."
    size = plan.n_items if plan.n_items is not None else plan.n_star or math.inf
    effect = ""
    if math.isfinite(size):
        effect = f", design effect {ratio(float(design.design_effect(size)))}"
    of = "scores, per model" if isinstance(design.noise, Unpaired) else "per-item difference"
    if design.clusters:
        return (
            f"Items come in {design.clusters:,} clusters that cannot be added to (ICC of the "
            f"{of} {design.icc:g}{effect}, t with {design.df(size):,.0f} df): the "
            "question is whether the gap holds on other clusters."
        )
    df = f", t with {design.df(size):,.0f} df" if math.isfinite(size) else ""
    return (
        f"Items come in clusters of {design.cluster_size:g} (ICC of the {of} "
        f"{design.icc:g}{effect}{df}), and more items means more clusters."
    )


def document(plan: Plan) -> Document:
    """Headline, alternatives, power curve, notes, assumptions."""
    return Document(
        headline=_headline(plan),
        key=_key(plan),
        grids=_grids(plan),
        chart=_chart(plan),
        notes=_notes(plan),
        assumptions=(
            noise_assumption(plan.noise_design),
            _cluster_assumption(plan),
            _family_assumption(plan),
            _method(plan),
        ),
    )
