"""Write the report of a plan with interim looks."""

from nstar._base.units import join_words
from nstar._verbs.plan import Graded, PairedRho
from nstar._verbs.plan.sequential_result import MULTIPLES, SequentialPlan, SequentialScenario
from nstar.report.documents import Document, TextTable
from nstar.report.prose.numbers import count, items, level, probability, pvalue
from nstar.report.prose.plan_terms import (
    a_gap,
    baseline,
    condition,
    criteria,
    gap,
    noise_assumption,
    precision,
    sharing,
)

_MIN_ITEMS_PER_LOOK = 20
"""Number of items per look below which means are not close to normal."""
_NAMES = {
    "obrien-fleming": "O'Brien–Fleming",
    "pocock": "Pocock",
    "lan-demets-of": "Lan–DeMets, O'Brien–Fleming spending",
    "lan-demets-pocock": "Lan–DeMets, Pocock spending",
    "bets": "betting",
}


def _whole(n: float | None) -> str:
    """Return a mean number of items, rounded to an integer; None is a dash."""
    return "–" if n is None else f"{round(n):,}"


def _tested(plan: SequentialPlan) -> str:
    """Return when the test is made."""
    if plan.n_looks is None:
        return "with a test after every item"
    looks = "one look" if plan.n_looks == 1 else f"{plan.n_looks} planned looks"
    return f"with {looks}"


def _rule(plan: SequentialPlan) -> str:
    """Return the method, the power, and the noise, in parentheses."""
    method = _NAMES.get(plan.method, plan.method)
    power = f"{criteria(plan.criteria)}, " if plan.solved_for != "power" else ""
    return f"({method}, {power}{condition(plan.noise_design)})"


def _expected(plan: SequentialPlan) -> str:
    """Return the expected number of items, and that of a fixed sample."""
    row, size = plan.scenario, gap(plan.noise_design, abs(plan.delta))
    if plan.solved_for == "mde":
        size = _found(plan)
    fixed = f"takes {count(plan.n_star)}"
    if plan.solved_for == "power":
        fixed = f"of {count(plan.n_items_max)} has {probability(plan.scenarios[0].power)} power"
    return (
        f"Expect {_whole(row.mean_at_delta)} items if the true gap is {size} and "
        f"{_whole(row.mean_at_zero)} if there is none; a fixed sample {fixed}."
    )


def _found(plan: SequentialPlan) -> str:
    """Return a computed gap as text."""
    return gap(plan.noise_design, abs(plan.delta), digits=precision([plan.delta]))


def _answer(plan: SequentialPlan) -> str:
    design, max_items = plan.noise_design, items(plan.n_items_max)
    target_text = f"{a_gap(design, plan.delta)}{baseline(design)}"
    if plan.solved_for == "items":
        return f"Detecting {target_text} takes at most {max_items}, {_tested(plan)} {_rule(plan)}."
    if plan.solved_for == "power":
        return (
            f"At most {max_items}, {_tested(plan)}, have {probability(plan.scenario.power)} power "
            f"to detect {target_text} {_rule(plan)}. {probability(plan.criteria.power)} power "
            f"takes at most {items(plan.n_items_needed)}."
        )
    is_gain = isinstance(design.noise, PairedRho) or plan.criteria.sides == 1
    detected_text = f"a {'gain' if is_gain else 'gap'} of {_found(plan)}{baseline(design)}"
    return f"At most {max_items}, {_tested(plan)}, detect {detected_text} {_rule(plan)}."


def _over(value: float, fixed: float) -> str:
    change = round(100 * (value / fixed - 1))
    return "as many" if not change else f"{abs(change)}% {'more' if change > 0 else 'fewer'}"


def _against_fixed(plan: SequentialPlan) -> str:
    row, fixed = plan.scenario, plan.scenarios[0].n_items_max
    first, _, rest = _over(row.mean_at_delta, fixed).partition(" ")
    parts = [f"{first} {rest} items if the gap is as planned"]
    if row.mean_at_2_delta is not None:
        parts.append(f"{_over(row.mean_at_2_delta, fixed)} if it is twice as large")
    parts.append(f"{_over(row.mean_at_zero, fixed)} if there is none")
    start = f"Compared with a fixed sample of {items(fixed)}"
    if plan.solved_for == "items":
        at_most = (
            f" The maximum is {_over(row.n_items_max, fixed).replace('as many', 'the same')}."
        )
        return f"{start}, expect {join_words(parts)}.{at_most}"
    power_text = probability(plan.scenarios[0].power)
    return f"{start} (which has {power_text} power), expect {join_words(parts)}."


def _watch(plan: SequentialPlan) -> str:
    """Return the command that runs the plan."""
    words = [f"nstar watch A B --items {plan.n_items_max}"]
    if plan.method == "e-process" and plan.psi is not None:
        words.append(f"--psi {round(plan.psi, 4):g}")
    else:
        words.append("--scale graded")
    if plan.method == "asymptotic":
        words.append("--asymptotic")
    if plan.criteria.alpha != 0.05:
        words.append(f"--alpha {plan.criteria.alpha:g}")
    return (
        f"Run it with: {' '.join(words)}. This command also stops for futility, which costs a "
        "little power."
    )


def _how_to_look(plan: SequentialPlan) -> str:
    z = "(wins − losses) / √(wins + losses)"
    if isinstance(plan.noise_design.noise, Graded):
        z = "mean difference / its standard error"
    after = "" if plan.criteria.sides == 2 else " (one-sided)"
    return (
        f"At each look, compute Z = {z}. Stop at the first look that reaches its boundary{after}."
    )


def _moved(plan: SequentialPlan) -> str:
    if plan.method.startswith("lan-demets"):
        return (
            "Later looks may be rescheduled, but not because of results. To compute the new "
            "boundaries, use nstar.stats.group_sequential with the actual timing."
        )
    return (
        "These boundaries hold only for exactly these looks. With the method lan-demets-of, "
        "looks can be rescheduled."
    )


def _bets_cost(plan: SequentialPlan) -> str | None:
    """Return whether another method that tests after every item needs fewer items."""
    if plan.method != "bets":
        return None
    for row in plan.scenarios:
        max_text = count(row.n_items_max)
        if row.method == "e-process" and row.n_items_max < plan.n_items_max:
            return (
                f"For 0/1 scores, the e-process is just as valid and takes at most {max_text} "
                "items."
            )
        if row.method == "asymptotic" and plan.solved_for == "items":
            return (
                f"The asymptotic method takes at most {max_text} items, but it is approximate: "
                "rare large losses invalidate it."
            )
    return None


def _notes(plan: SequentialPlan) -> tuple[str, ...]:
    texts: list[str | None] = [_against_fixed(plan)]
    if plan.n_looks is None:
        texts += [_bets_cost(plan), _watch(plan)]
    else:
        texts += [_how_to_look(plan), _moved(plan)]
        if plan.n_items_max < _MIN_ITEMS_PER_LOOK * plan.n_looks:
            texts.append(
                f"There are fewer than {_MIN_ITEMS_PER_LOOK} items between looks, too few for the "
                "normal approximation of the boundaries. Plan fewer looks."
            )
    return tuple(note for note in texts if note)


def _first_passage(law: str) -> str:
    return (
        f"Power and expected items are computed for {law}, from the first passage of a Brownian "
        "motion. They agree with simulations within 1 pp of power and 3% of the items."
    )


def _method(plan: SequentialPlan) -> str:
    graded = isinstance(plan.noise_design.noise, Graded)
    if plan.n_looks is not None:
        test = (
            "the paired t test"
            if graded
            else "McNemar's test, with the number of items by Connor (1987)"
        )
        return (
            "The boundaries come from numerical integration for normal increments. The test "
            f"is {test}."
        )
    if plan.method == "e-process":
        method_text = "Power and expected items are exact"
        if not plan.is_exact:
            method_text = "Power and expected items are those of its normal limit"
        return (
            "The method is McNemar's e-process with a Beta(a, a) mixture, a = "
            f"{plan.mixture:.4g}. {method_text}."
        )
    if plan.method == "asymptotic":
        law = _first_passage("normal averages")
        return (
            "The method is the asymptotic (normal-mixture) confidence sequence, from item 30 "
            f"on. {law}"
        )
    law = _first_passage("Beta-distributed differences" if graded else "differences of 0/1 scores")
    return (
        "The method is a betting e-process for differences in [−1, 1], which is valid for any "
        f"distribution. {law}"
    )


def _assumptions(plan: SequentialPlan) -> tuple[str, ...]:
    fixed = f"There is one comparison, with α = {plan.criteria.alpha:g} over all looks. "
    if plan.n_looks is None:
        fixed += (
            "Choose the method before the first item, because switching later invalidates α. "
            "Continuing beyond the planned items does not."
        )
    else:
        fixed += (
            "Choose the method and the looks before the first item, because a later change "
            "invalidates α."
        )
    return (
        noise_assumption(plan.noise_design),
        "Items are independent and come in random order, not sorted by subject.",
        fixed,
        _method(plan),
    )


def _cells(row: SequentialScenario) -> tuple[str, ...]:
    return (
        "fixed sample" if row.method == "fixed" else row.method,
        "every item" if row.n_looks is None else str(row.n_looks),
        count(row.n_items_max),
        *(
            _whole(n)
            for n in (
                row.mean_at_zero,
                row.mean_at_delta,
                row.mean_at_1_5_delta,
                row.mean_at_2_delta,
            )
        ),
        probability(row.power),
    )


def _ways(plan: SequentialPlan) -> TextTable:
    gaps = [gap(plan.noise_design, m * abs(plan.delta)) for m in MULTIPLES[1:]]
    return TextTable(
        title="Maximum and expected number of items by true gap",
        header=("method", "looks", "maximum", "no gap", *gaps, "power"),
        rows=tuple(_cells(row) for row in plan.scenarios),
        marked=next(k for k, row in enumerate(plan.scenarios) if row.is_headline),
    )


def _looks(plan: SequentialPlan) -> TextTable | None:
    if not plan.boundaries:
        return None
    z = "|Z|" if plan.criteria.sides == 2 else "Z"
    return TextTable(
        title=f"Looks and the boundary of {z}",
        header=("look", "after items", z, "p-value"),
        rows=tuple(
            (str(k), count(look.n_items), f"{look.z:.3f}", pvalue(look.pvalue))
            for k, look in enumerate(plan.boundaries, start=1)
        ),
    )


def document(plan: SequentialPlan) -> Document:
    """Return the report: headline, methods side by side, boundaries, notes, and assumptions."""
    looks = _looks(plan)
    rule = level(plan.criteria.alpha, plan.criteria.sides)
    order = "items are independent and in random order"
    return Document(
        headline=f"{_answer(plan)} {_expected(plan)}",
        opening=_answer(plan),
        basis=f"{sharing(plan.noise_design)}; {order}; {rule} over all looks.",
        key=() if looks is None else (looks,),
        grids=(_ways(plan),) if looks is None else (_ways(plan), looks),
        notes=_notes(plan),
        assumptions=_assumptions(plan),
    )
