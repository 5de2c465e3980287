"""Write the report of a Plan."""

import math
import re
from collections.abc import Iterator
from dataclasses import replace

from nstar import stats
from nstar._verbs.plan import (
    BoardGoal,
    Design,
    Graded,
    PairedPsi,
    PairedRho,
    Plan,
    PlanScenario,
    Unpaired,
)
from nstar._verbs.plan.design import significant_gap
from nstar._verbs.plan.select_best import choice_items
from nstar._verbs.plan.solve import stricter_policies
from nstar._verbs.verdict import Criteria
from nstar.errors import fill_parameters
from nstar.report.documents import Document, TextChart, TextTable
from nstar.report.prose.design import few_clusters, rounded_up
from nstar.report.prose.numbers import count, items, percent, probability, ratio
from nstar.report.prose.plan_boards import (
    ADJACENT,
    BECHHOFER,
    CHOICE,
    ONE_COMPARISON,
    PAIRS,
    board_notes,
    choice_headline,
    target_probability,
)
from nstar.report.prose.plan_terms import (
    MIN_COARSE_MDE,
    a_gap,
    baseline,
    basis,
    condition,
    criteria,
    gap,
    is_assumed,
    is_typical_rho,
    noise_assumption,
    precision,
    resolution_ratio,
    with_article,
)


def among(design: Design) -> str:
    """Return the number of models and tests, if there are several."""
    if design.n_comparisons == 1:
        return ""
    if design.goal == "control":
        return f" between a control and any of {design.models - 1:,} other models"
    if design.goal == "adjacent":
        return f" between any two adjacent models among {design.models:,}"
    return f" between any two of {design.models:,} models"


def _where(design: Design) -> str:
    """Return the pairs of models, or the baseline of one pair."""
    return among(design) or baseline(design)


def within(design: Design) -> str:
    """Return the clusters, if there are any."""
    if not design.icc:
        return ""
    if design.clusters:
        return f" in {design.clusters:,} clusters"
    return f" in clusters of {design.cluster_size:g}"


def rule_of(design: Design, rule: Criteria) -> str:
    """Return the power, and the pairs that it refers to."""
    if design.n_comparisons == 1:
        return criteria(rule)
    each = f"power for {_EVERY[design.goal]} simultaneously" if design.joint else "power per pair"
    return criteria(rule).replace("power", each, 1)


_EVERY: dict[BoardGoal, str] = {
    "all-pairs": "all pairs",
    "adjacent": "all adjacent pairs",
    "control": "all models",
    "best": "all pairs",
}


def _digits(plan: Plan) -> int:
    """Return the decimals of computed gaps."""
    known = (plan.mde, plan.mde_loss, plan.half_width, plan.mde_floor, plan.delta)
    return precision([next((g for g in known if g is not None and math.isfinite(g)), None)])


def _computed(plan: Plan, value: float | None) -> str:
    return gap(plan.noise_design, value, digits=_digits(plan))


def _condition(plan: Plan, *, is_stated: bool = False) -> str:
    """Return the noise in parentheses; ``is_stated`` if a sentence says that it is assumed."""
    text = condition(plan.noise_design)
    return text.removesuffix(", assumed") if is_stated else text


def _size(plan: Plan, n: float | None) -> str:
    """Return a number of items, and of their clusters."""
    design = plan.noise_design
    number = items(n or 0)
    per_model = " per model" if isinstance(design.noise, Unpaired) else ""
    return f"{number}{per_model}{within(design)}"


def _why_never(plan: Plan) -> str:
    design = plan.noise_design
    if not design.clusters:
        return "no two models can be so far apart under these assumptions"
    if plan.mde_floor is None or math.isinf(plan.mde_floor):
        return f"{design.clusters} clusters are too few"
    power_text = percent(plan.criteria.power)
    hidden = f"gaps below {_computed(plan, plan.mde_floor)} never reach {power_text} power"
    return f"with {design.clusters} clusters, {hidden}"


def _is_infinite(n: float | None) -> bool:
    return n is None or math.isinf(n)


def _gaps(plan: Plan) -> list[PlanScenario]:
    """Return the rows of several planned gaps, smallest first."""
    rows = [r for r in plan.scenarios if r.name == "delta"]
    return sorted(rows, key=lambda r: abs(r.value)) if len(rows) > 1 else []


def _significant(plan: Plan, n: float | None, delta: float | None, lead: str = "An") -> str | None:
    """Return the sentence about the smallest observed gap that is significant."""
    design = plan.noise_design
    if _is_infinite(n) or delta is None or not math.isfinite(delta):
        return None
    smallest = significant_gap(design, plan.tested, float(n or 0), delta)
    if not math.isfinite(smallest):
        return None
    digits = min(_digits(plan), 1 if smallest >= MIN_COARSE_MDE else 2)
    then = "is significant" if plan.n_items is not None else "is then significant"
    return f"{lead} observed gap above {gap(design, smallest, digits=digits)} {then}."


def _assumed(plan: Plan) -> str | None:
    """Return the results at other typical correlations if rho is a default, or in its interval."""
    source = plan.noise_design.source
    is_measured = source.startswith("measured")
    if not is_assumed(plan.noise_design) and not is_measured:
        return None
    rows = [r for r in plan.scenarios if r.name == "rho"]
    rows = [r for r in rows if is_measured or is_typical_rho(r.value)]
    if len(rows) < 2:
        return None
    ends = (rows[0], rows[-1])
    limits = [f"{r.value:.2f}" if is_measured else f"{r.value:g}" for r in ends]
    between = (" to " if rows[0].value < 0 else "–").join(limits).replace("-", "−")
    if plan.solved_for == "items":
        numbers = [count(r.n_star) for r in ends]
        result_text = f"{numbers[0]}–{items(ends[1].n_star or 0)}"
        result_text = "" if {"∞", "–"} & {*numbers} else result_text
    elif plan.solved_for == "mde":
        low, high = (_computed(plan, r.mde) for r in ends)
        noun = "gains" if plan.criteria.sides == 1 or plan.mde_loss is not None else "gaps"
        result_text = (
            f"{noun} of {low.removesuffix(' pp')}–{high}" if "none" not in (low, high) else ""
        )
    else:
        low, high = (probability(r.power) for r in ends)
        result_text = f"{low}–{high} power"
    if is_measured:
        gives = (
            f"gives {result_text}" if result_text else "includes impossible values for this gap"
        )
        return f"rho was {source}: its 95% CI, {between}, {gives}."
    if not result_text:
        return None
    return f"rho is assumed: {between} is typical and gives {result_text}."


def _first_two(texts: list[str | None]) -> list[str]:
    """Return the first two sentences, and always the one on a correlation that was measured."""
    present = [text for text in texts if text]
    return [*present[:2], *(text for text in present[2:] if text.startswith("rho was measured"))]


def _picking(plan: Plan) -> str | None:
    """Return the items for picking the best model, compared with tests of all pairs."""
    design = plan.noise_design
    if design.n_comparisons == 1 or design.goal != "all-pairs" or not plan.delta:
        return None
    need = choice_items(replace(design, goal="best", joint=False), plan.criteria, abs(plan.delta))
    if math.isinf(need):
        return None
    lead = gap(design, abs(plan.delta))
    return f"Picking the best model takes {items(need)} if it leads by {lead}."


def _tested_pairs(plan: Plan, n: float | None, delta: float | None) -> str | None:
    """Return the significant gap, and the pairs that are tested."""
    design = plan.noise_design
    if design.n_comparisons == 1:
        return _significant(plan, n, delta)
    pairs_text = {
        "all-pairs": f"All {design.n_comparisons:,} pairs are tested",
        "adjacent": f"The {design.n_comparisons:,} adjacent pairs are tested",
        "control": f"All {design.n_comparisons:,} models are tested against the control",
    }.get(design.goal, "")
    sentence = _significant(plan, n, delta, f"{pairs_text}; an")
    return sentence or f"{pairs_text}."


def _positives(plan: Plan, n: float | None) -> str | None:
    """Return the number of positive items, on which an AUROC rests."""
    share = getattr(plan.noise_design.noise, "positives", None)
    if share is None or n is None or _is_infinite(n):
        return None
    return f"That includes {count(math.ceil(share * n))} positive items."


def _clustering(plan: Plan, n: float | None) -> str | None:
    design = plan.noise_design
    if not design.icc or _is_infinite(n):
        return None
    if design.clusters and plan.mde_floor is not None and math.isfinite(plan.mde_floor):
        return (
            f"With {design.clusters} clusters, no number of items is enough to detect "
            f"a gap smaller than {_computed(plan, plan.mde_floor)}."
        )
    return None if design.clusters else _design_effect(design, float(n or 0))


def _design_effect(design: Design, n: float) -> str:
    return f"Clustering multiplies the number of items by {ratio(float(design.design_effect(n)))}."


def _listed_gaps(plan: Plan, rows: list[PlanScenario]) -> list[str | None]:
    """Return the answers for several gaps, smallest first."""
    design, (low, high) = plan.noise_design, (rows[0], rows[-1])
    gaps = f"{gap(design, low.value)} to {gap(design, high.value)}"
    where = _where(design)
    if plan.solved_for == "power":
        between = f"{probability(low.power)} to {probability(high.power)}"
        return [
            f"{_size(plan, plan.n_items)} have {between} power to detect gaps of {gaps}{where} "
            f"({_condition(plan)})."
        ]
    needs = f"{count(low.n_star)} to {items(high.n_star or 0)}"
    return [
        f"Detecting gaps of {gaps}{where} takes {needs}{within(design)} "
        f"({rule_of(design, plan.criteria)}, {_condition(plan)})."
    ]


def _items_headline(plan: Plan) -> list[str | None]:
    if rows := _gaps(plan):
        return _listed_gaps(plan, rows)
    design = plan.noise_design
    gap_text = f"{a_gap(design, plan.delta)}{_where(design)}"
    if _is_infinite(plan.n_star):
        return [f"No number of items detects {gap_text}: {_why_never(plan)}."]
    after = [
        _positives(plan, plan.n_star),
        _tested_pairs(plan, plan.n_star, plan.delta),
        _clustering(plan, plan.n_star),
        _picking(plan) or _assumed(plan),
    ]
    texts = _first_two(after)
    is_said = any(text.startswith("rho is assumed") for text in texts)
    return [
        f"Detecting {gap_text} takes {_size(plan, plan.n_star)} "
        f"({rule_of(design, plan.criteria)}, {_condition(plan, is_stated=is_said)}).",
        *texts,
    ]


def _mde_headline(plan: Plan) -> list[str | None]:
    design = plan.noise_design
    up, down = plan.mde, plan.mde_loss
    n = _size(plan, plan.n_items)
    if plan.budget is not None:
        n = f"A budget of {plan.budget:,.10g} buys {n}, which"
    where = _where(design)
    never_up, never_down = _is_infinite(up), _is_infinite(down)
    if never_up and never_down:
        return [f"{n} detect no gap{where} ({rule_of(design, plan.criteria)})."]
    if plan.criteria.sides == 1:
        gap_text = f"a gain of {_computed(plan, up)}"
    elif never_up:
        gap_text = f"no gain, but a loss of {_computed(plan, down)}"
    elif never_down:
        gap_text = f"a gain of {_computed(plan, up)}, but no loss"
    elif _computed(plan, up) == _computed(plan, down):
        gap_text = f"a gap of {_computed(plan, up)}"
    elif within(design):
        gain, loss = (with_article(_computed(plan, x)) for x in (up, down))
        gap_text = f"{gain} gain or {loss} loss"
    else:
        gap_text = f"a gain of {_computed(plan, up)} or a loss of {_computed(plan, down)}"
        where = f" among {design.models:,} models" if design.n_comparisons > 1 else where
    size = down if never_up else up
    after = [
        _positives(plan, plan.n_items),
        _tested_pairs(plan, plan.n_items, size),
        _clustering(plan, plan.n_items),
        _assumed(plan),
    ]
    texts = _first_two(after)
    is_said = any(text.startswith("rho is assumed") for text in texts)
    return [
        f"{n} detect {gap_text}{where} ({rule_of(design, plan.criteria)}, "
        f"{_condition(plan, is_stated=is_said)}).",
        *texts,
    ]


def _need(plan: Plan) -> str:
    power_text = probability(plan.criteria.power)
    if _is_infinite(plan.n_star):
        return f"No number of items gives {power_text} power"
    return f"{power_text} power takes {_size(plan, plan.n_star)}"


def _power_headline(plan: Plan) -> list[str | None]:
    if rows := _gaps(plan):
        return _listed_gaps(plan, rows)
    design = plan.noise_design
    side = "one-sided, " if plan.criteria.sides == 1 else ""
    mde = plan.mde if plan.mde is not None and math.isfinite(plan.mde) else None
    detected = (
        "" if mde is None else f"; {_size(plan, plan.n_items)} detect {_computed(plan, mde)}"
    )
    each = rule_of(design, plan.criteria).split(", ")[0].partition(" ")[2]
    return [
        f"{_size(plan, plan.n_items)} have {probability(plan.power)} {each} to detect "
        f"{a_gap(design, plan.delta)}{_where(design)} ({side}{_condition(plan)}).",
        f"{_need(plan)}{detected}.",
        _assumed(plan) if design.source.startswith("measured") else None,
    ]


def _shown(plan: Plan) -> str:
    """Return the claim that the margin question tests."""
    design = plan.noise_design
    margin, delta = gap(design, plan.margin), plan.delta or 0.0
    models_text = among(design).removeprefix(" between ")
    if plan.question == "equivalence":
        if delta:
            gap_text = f"with a true gap of {gap(design, abs(delta))}"
            return f"that {models_text or 'two models'} {gap_text} are equivalent within ±{margin}"
        equal = re.sub(r"(other )?models", "equal models", models_text) or "two equal models"
        return f"that {equal} are equivalent within ±{margin}"
    truth = "an equal model"
    if delta:
        side = "better" if delta > 0 else "worse"
        truth = f"a model that is {gap(design, abs(delta))} {side}"
    models_clause = f", for {models_text}" if models_text else ""
    return f"that {truth} is non-inferior at {with_article(margin)} margin{models_clause}"


def _few_clusters(plan: Plan) -> str | None:
    """Return why the margin is too small for the number of clusters; None if it is not."""
    min_margin, design = plan.min_margin_clusters, plan.noise_design
    if min_margin is None or plan.margin is None or plan.margin > min_margin:
        return None
    if plan.solved_for == "power" and (plan.power or 0.0) >= plan.criteria.power:
        return None  # the assumed true gain is large enough
    width = design.noise.width if isinstance(design.noise, Graded) else 1.0
    number = design.clusters or design.groups(float(plan.n_items or 0))
    return few_clusters(f"{number:,.4g} clusters", gap(design, rounded_up(min_margin, width)))


def _margin_headline(plan: Plan) -> list[str | None]:
    design, few_text = plan.noise_design, _few_clusters(plan)
    if plan.solved_for == "power":
        return [
            f"{_size(plan, plan.n_items)} have {probability(plan.power)} power to show "
            f"{_shown(plan)} ({_condition(plan)}).",
            f"{few_text or _need(plan)}.",
        ]
    if _is_infinite(plan.n_star):
        reason = "the true gap reaches the margin"
        if plan.margin and abs(plan.delta or 0.0) < plan.margin:
            reason = few_text or f"{design.clusters} clusters are too few"
        return [f"No number of items shows {_shown(plan)}: {reason}."]
    power = f"{probability(plan.criteria.power)} power"
    assumed = _assumed(plan)
    return [
        f"Showing {_shown(plan)} takes {_size(plan, plan.n_star)} "
        f"({power}, {_condition(plan, is_stated=assumed is not None)}).",
        _clustering(plan, plan.n_star),
        assumed,
    ]


def _precision_headline(plan: Plan) -> list[str | None]:
    design = plan.noise_design
    conf = percent(1 - plan.criteria.alpha)
    if design.n_comparisons > 1:
        conf += " simultaneous"
    never = plan.n_star is not None and math.isinf(plan.n_star)
    if plan.solved_for == "items":
        wide = f"{conf} CI of ±{gap(design, plan.half_width)}"
        if never:
            return [f"No number of items gives a {wide}: {design.clusters} clusters are too few."]
        return [
            f"A {wide} takes {_size(plan, plan.n_star)} ({_condition(plan)}).",
            f"The power to detect {a_gap(design, plan.half_width)} is then only about 50%.",
        ]
    tail = None
    if never:
        tail = "The planned half-width cannot be reached with these clusters."
    elif plan.n_star is not None and plan.n_star > (plan.n_items or 0):
        tail = f"The planned half-width takes {_size(plan, plan.n_star)}."
    wide = f"{conf} CI of ±{_computed(plan, plan.half_width)}"
    return [f"{_size(plan, plan.n_items)} give a {wide} ({_condition(plan)}).", tail]


def _columns(plan: Plan, rows: list[PlanScenario]) -> TextTable:
    design = plan.noise_design
    name = rows[0].name
    header = [{"rho": "rho", "psi": "disagree on", "delta": "gap"}[name]]
    if name == "rho" and any(r.psi is not None for r in rows):
        header.append("disagree on")
    if plan.solved_for != "mde" or name == "delta":
        header.append("items needed")
    if plan.n_items is not None and name != "delta":
        same = isinstance(design.noise, Graded | PairedPsi) or plan.criteria.sides == 1
        same = same or design.goal == "best"
        header += ["detectable gap"] if same else ["detectable gain", "detectable loss"]
    if any(r.power is not None for r in rows):
        header.append("power")

    def cells(row: PlanScenario) -> tuple[str, ...]:
        disagree = "–" if row.psi is None else percent(row.psi, 1)
        full = {
            "rho": f"{row.value:.2f}",
            "gap": gap(design, row.value),
            "disagree on": disagree if name == "rho" else percent(row.value, 1),
            "items needed": count(row.n_star),
            "detectable gap": _computed(plan, row.mde),
            "detectable gain": _computed(plan, row.mde),
            "detectable loss": _computed(plan, row.mde_loss),
            "power": probability(row.power),
        }
        return tuple(full[h] for h in header)

    title = {
        "rho": "By item correlation (rho) between models",
        "psi": "By share of items on which the models disagree (psi)",
        "delta": "By gap",
    }[name]
    chosen = [i for i, r in enumerate(rows) if r.is_headline and name != "delta"]
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
        if rows and not (name != "delta" and _gaps(plan)):
            out.append(_columns(plan, rows))
    return tuple(out)


def _policies(plan: Plan) -> tuple[TextTable, ...]:
    """Return the items under stricter policies, for one comparison that is planned by items."""
    if plan.question != "difference" or not plan.delta or _gaps(plan) or not plan.scenarios:
        return ()  # without scenarios, this would be the only table of a short report
    rows = stricter_policies(plan.noise_design, plan.criteria, plan.delta)
    if not rows:
        return ()
    return (
        TextTable(
            title="Items needed under stricter policies",
            header=("policy", "critical |z|", "N* ×", "items needed"),
            rows=tuple(
                (_POLICY.get(m, f"Bonferroni, {m} comparisons"), f"{z:.2f}", f"{f:.2f}", count(n))
                for m, z, f, n in rows
            ),
        ),
    )


_POLICY = {1: "one comparison", None: "anytime-valid"}

_SCREEN_ROWS = 5
"""Maximum number of table rows that one screen shows."""


def _key(plan: Plan) -> tuple[TextTable, ...]:
    """Return the table by gap if there are several gaps, else that of typical correlations."""
    if rows := [r for r in plan.scenarios if r.name == "delta"]:
        return (_columns(plan, rows),)
    rows = [r for r in plan.scenarios if r.name == "rho"]
    if len(rows) > _SCREEN_ROWS:
        rows = [r for r in rows if is_typical_rho(r.value) or r.is_headline]
    return (_columns(plan, rows),) if rows else ()


def _chart(plan: Plan) -> TextChart | None:
    design = plan.noise_design
    curve = plan.power_curve
    if curve is None:
        return None
    x = tuple(float(v) for v in curve.x)
    is_best = design.goal == "best"
    if curve.axis == "items":
        at = float(plan.n_items if plan.n_items is not None else plan.n_star or x[-1])
        labels, mark = (count(x[0]), count(x[-1])), (at, count(at))
        title = "Power to show the margin, by number of items"
        if plan.question == "difference":
            gap_text = f"{a_gap(design, plan.delta)}"
            title = f"Power to detect {gap_text}, by number of items"
            if is_best:
                lead = gap(design, plan.delta)
                title = (
                    f"Probability of picking the best if it leads by {lead}, by number of items"
                )
    else:
        at = plan.mde if plan.mde is not None and math.isfinite(plan.mde) else x[-1]
        labels = (gap(design, x[0]), gap(design, x[-1]))
        mark = (at, _computed(plan, at))
        title = f"Power with {items(plan.n_items or 0)}, by gain"
        if is_best:
            title = f"Probability of picking the best with {items(plan.n_items or 0)}, by lead"
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
"""Number of items below which comparisons with other formulas are confusing."""


def _other_formulas(plan: Plan) -> Iterator[str]:
    """Yield the items for unpaired models, and those by a frequent mistake."""
    design, need, delta = plan.noise_design, plan.n_star, plan.delta
    noise = design.noise
    plain = (
        design.n_comparisons == 1
        and design.goal != "best"
        and not design.icc
        and (need or 0) >= _MIN_ITEMS_TO_COMPARE
    )
    if not (isinstance(noise, PairedRho) and delta and need and plain) or _gaps(plan):
        return
    if plan.question != "difference":
        return
    n_unpaired = math.ceil(
        float(Unpaired(baseline=noise.baseline).n_star(delta, design.level(plan.criteria)))
    )
    saved = round(1 - need / n_unpaired, 2)
    word = "saves no items"
    if saved:
        word = f"saves {percent(saved)}" if saved > 0 else f"costs {percent(-saved)} more"
    yield f"Without pairing, it takes {count(n_unpaired)} items per model; pairing {word}."
    yield (
        f"A calculator that gives {count(need / 2)} items uses the variance of one model only. "
        "Its answer is half of what is needed."
    )


def _lemma(plan: Plan) -> Iterator[str]:
    """Yield the error of the shortcut at the planned gap, by the lemma that describes it."""
    noise, delta = plan.noise_design.noise, plan.delta
    if isinstance(noise, PairedRho) and delta and next(_other_formulas(plan), None):
        midpoint = noise.baseline + delta / 2
        share = float(stats.shortcut_ratio(midpoint, delta, noise.rho))
        c = f"{float(stats.shortcut_coefficient(midpoint, noise.rho)):.2f}".replace("-", "−")
        yield (
            "Lemma 1 of arXiv 2605.30315: the shortcut (1 − rho) K²/h² with Cohen's h gives "
            f"½ + C δ² of N*. Here, C = {c} and the share is {share:.4f}."
        )


def _notes(plan: Plan) -> tuple[str, ...]:
    need = plan.n_star
    notes = [*board_notes(plan), *_other_formulas(plan)]
    if plan.n_star_stable is not None and need is not None and plan.n_star_stable > need:
        notes.append(
            f"{probability(plan.criteria.power)} power is first reached at {items(need)} and is "
            f"always reached from {count(plan.n_star_stable)} on."
        )
    if plan.min_margin is not None:
        margin_text = _computed(plan, plan.min_margin)
        notes.append(f"The smallest margin that these items can show is {margin_text}.")
    return tuple(notes)


def _continuity(plan: Plan) -> Iterator[str]:
    """Yield the items of the unpaired test with a continuity correction."""
    design, delta = plan.noise_design, plan.delta
    noise = design.noise
    if not isinstance(noise, Unpaired) or not delta or design.icc or _gaps(plan):
        return
    if plan.question == "difference" and design.goal != "best":
        n = noise.n_star(delta, design.level(plan.criteria))
        n_corrected = math.ceil(float(stats.continuity_corrected(n, delta)))
        yield (
            f"With a continuity correction, the z test takes {count(n_corrected)} items per model."
        )


def _detail(plan: Plan) -> tuple[str, ...]:
    """Return the notes that only the full report contains."""
    notes = [*_continuity(plan), *_lemma(plan)]
    if plan.power_exact is not None:
        notes.append(f"The exact power of the mid-p test is {100 * plan.power_exact:.1f}%.")
    if plan.q:
        notes.append(resolution_ratio(plan.q))
    return tuple(notes)


_PRECISION = (
    "A gap as large as the half-width is detected only about half of the time. To plan for "
    "detecting such a gap, set {delta} instead."
)


def _counted(plan: Plan) -> bool:
    """Return whether counts of independent 0/1 scores determine the power."""
    d = plan.noise_design
    return isinstance(d.noise, PairedRho | PairedPsi) and not (d.icc or d.whole_clusters)


def _margin_method(plan: Plan) -> str:
    """Return the planned test, and how its power was computed."""
    lead = "The power is that of two one-sided tests (TOST)"
    if plan.question == "non-inferiority":
        lead = "The power is that of a one-sided test"
    tail = "The margin is set before looking at results."
    if _counted(plan):
        return f"{lead} with Tango's score statistic, by enumeration. {tail}"
    if isinstance(plan.noise_design.noise, Unpaired):
        return f"{lead} by the normal formula. {tail}"
    lost = "full-scale losses that are too rare to be observed"
    if plan.noise_design.whole_clusters:
        lost = "clusters outside the sample that fail entirely"
    return (
        f"{lead} with Student's t, which allows for {lost}, as in nstar compare, audit, and gate. "
        f"It is exact for normal differences. {tail}"
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
        return (
            "The test is the cluster-robust (CR2) t test. Its power comes from the noncentral "
            "t distribution, and the items are multiplied by the design effect."
        )
    if isinstance(noise, Graded):
        test = "test of two AUROCs is treated as a" if noise.auroc is not None else "test is the"
        return f"The {test} paired t test, with exact power from the noncentral t distribution."
    if isinstance(noise, Unpaired):
        z = plan.noise_design.critical_value(plan.criteria)
        n_more = z * (z + float(stats.z_power(plan.criteria.power))) / 2
        other, word = ("unpooled", "fewer") if noise.pooled else ("pooled", "more")
        return (
            f"The test is the two-proportion z test with {noise.method} variance. With {other} "
            f"variance, it needs about {math.ceil(n_more)} {word} items per model."
        )
    extra = ""
    if plan.delta:
        extra = f" An exact conditional test needs about {count(2 / abs(plan.delta))} more items."
    return f"The test is McNemar's mid-p test, with the number of items by Connor (1987).{extra}"


def family_assumption(design: Design, criteria: Criteria, *, is_gain: bool = True) -> str:
    """Return the comparisons that are tested simultaneously, and their critical value.

    Without ``is_gain``, the claim is a small gap, whose direction is not chosen.
    """
    if design.goal == "best":
        return CHOICE
    if design.n_comparisons == 1:
        return ONE_COMPARISON
    method = "Tukey" if design.goal == "all-pairs" and criteria.sides == 2 else "Bonferroni"
    method = "Dunnett" if design.goal == "control" else method
    pairs_text = f"{PAIRS[design.goal]} {design.models:,} models"
    text = (
        f"{design.n_comparisons:,} comparisons ({pairs_text}) are tested simultaneously: the "
        f"critical value is {design.critical_value(criteria):.3f} ({method}) instead of "
        f"{criteria.z:.3f}."
    )
    if criteria.sides == 1 and is_gain:
        text += " The direction of each comparison is chosen in advance."
    if design.goal == "adjacent":
        text += ADJACENT
    return text


def _cluster_assumption(plan: Plan) -> str:
    design = plan.noise_design
    if not design.icc:
        return "Items are a random sample from the domain."
    size = plan.n_items if plan.n_items is not None else plan.n_star or math.inf
    effect = ""
    if math.isfinite(size):
        effect = f", design effect {ratio(float(design.design_effect(size)))}"
    of = "scores, per model" if isinstance(design.noise, Unpaired) else "per-item difference"
    if design.clusters:
        return (
            f"Items come in {design.clusters:,} clusters, and clusters cannot be added (ICC of "
            f"the {of} {design.icc:g}{effect}, t with {design.df(size):,.0f} df). The result "
            "generalizes to new clusters."
        )
    df = f", t with {design.df(size):,.0f} df" if math.isfinite(size) else ""
    return (
        f"Items come in clusters of {design.cluster_size:g} (ICC of the {of} "
        f"{design.icc:g}{effect}{df}). Additional items come in additional clusters."
    )


def document(plan: Plan) -> Document:
    """Return the report: headline, alternatives, power curve, notes, and assumptions."""
    if plan.question == "precision":
        texts = _precision_headline(plan)
    elif plan.question != "difference":
        texts = _margin_headline(plan)
    elif plan.noise_design.goal == "best":
        texts = choice_headline(plan, _digits(plan))
    else:
        by = {"items": _items_headline, "mde": _mde_headline, "power": _power_headline}
        texts = by[plan.solved_for](plan)
    sentences = [text for text in texts if text]
    return Document(
        headline=" ".join(sentences),
        opening=sentences[0],
        key=_key(plan),
        grids=(*_grids(plan), *_policies(plan)),
        chart=_chart(plan),
        notes=_notes(plan),
        detail=_detail(plan),
        basis=basis(plan.noise_design, plan.tested),
        assumptions=(
            noise_assumption(plan.noise_design),
            _cluster_assumption(plan),
            family_assumption(
                plan.noise_design, plan.tested, is_gain=plan.question == "difference"
            ),
            _method(plan),
        ),
    )
