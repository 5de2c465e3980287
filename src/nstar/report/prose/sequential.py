"""A SequentialPlan in words."""

from nstar._verbs.plan import Graded, PairedRho
from nstar._verbs.plan.sequential_result import MULTIPLES, SequentialPlan, SequentialScenario
from nstar.report.documents import Document, TextTable
from nstar.report.prose.numbers import count, items, probability, pvalue
from nstar.report.prose.plan_terms import baseline, condition, criteria, gap, noise_assumption

_MIN_ITEMS_PER_LOOK = 20
"""Items per look below which averages are hardly normal."""
_NAMES = {
    "obrien-fleming": "O'Brien–Fleming",
    "pocock": "Pocock",
    "lan-demets-of": "Lan–DeMets spending like O'Brien–Fleming",
    "lan-demets-pocock": "Lan–DeMets spending like Pocock",
}


def _whole(n: float | None) -> str:
    """An average number of items, rounded to the nearest; a dash for none."""
    return "–" if n is None else f"{round(n):,}"


def _looked(plan: SequentialPlan) -> str:
    if plan.n_looks is None:
        return f"looked at after every item ({plan.method})"
    looks = "one look" if plan.n_looks == 1 else f"{plan.n_looks} planned looks"
    return f"with {looks} ({_NAMES[plan.method]})"


def _averages(plan: SequentialPlan) -> str:
    row = plan.scenario
    more = (
        ""
        if row.mean_at_1_5_delta is None
        else f", {_whole(row.mean_at_1_5_delta)} if it is 1.5 × as large"
    )
    return (
        f"On average it ends after {_whole(row.mean_at_delta)} if the gap is real{more}, "
        f"{_whole(row.mean_at_zero)} if there is none."
    )


def _answer(plan: SequentialPlan) -> str:
    looked, wanted = _looked(plan), plan.criteria.power
    gain = isinstance(plan.noise_design.noise, PairedRho) or plan.criteria.sides == 1
    needed = items(plan.n_items_needed)
    what = f"a gap of {gap(plan.noise_design, plan.delta)}{baseline(plan.noise_design)}"
    rule = criteria(plan.criteria)
    if plan.solved_for == "items":
        return (
            f"{looked[0].upper()}{looked[1:]}, detecting {what} takes at most "
            f"{items(plan.n_items_max)} answered by both models ({rule}), "
            f"{plan.n_items_max / plan.n_star:.2f} × the {count(plan.n_star)} of a fixed sample, "
            f"{condition(plan.noise_design)}."
        )
    if plan.solved_for == "power":
        return (
            f"At most {items(plan.n_items_max)}, {looked}, detect {what} with probability "
            f"{probability(plan.scenario.power)} ({rule.partition(', ')[2]}), "
            f"{condition(plan.noise_design)}; {probability(wanted)} takes {needed}."
        )
    if gain:
        what = what.replace("a gap", "a gain", 1)
    return (
        f"At most {items(plan.n_items_max)}, {looked}, can detect {what} ({rule}), "
        f"{condition(plan.noise_design)}; a fixed sample would need {count(plan.n_star)}."
    )


def _headline(plan: SequentialPlan) -> str:
    return f"{_answer(plan)} {_averages(plan)}"


def _over(value: float, fixed: float) -> str:
    change = round(100 * (value / fixed - 1))
    return "as many" if not change else f"{abs(change)}% {'more' if change > 0 else 'fewer'}"


def _against_fixed(plan: SequentialPlan) -> str:
    row, fixed = plan.scenario, plan.scenarios[0].n_items_max
    parts = [f"{_over(row.mean_at_delta, fixed)} on average if the gap is as planned"]
    if row.mean_at_2_delta is not None:
        parts.append(f"{_over(row.mean_at_2_delta, fixed)} if it is twice that")
    parts.append(f"{_over(row.mean_at_zero, fixed)} if there is none")
    if plan.solved_for == "items":
        parts.insert(0, f"{_over(row.n_items_max, fixed)} items at most")
        return f"Against a fixed sample of {count(fixed)}: {', '.join(parts)}."
    found = probability(plan.scenarios[0].power)
    return (
        f"Against {count(fixed)} items looked at once, which find this gap with probability "
        f"{found}: {', '.join(parts)}."
    )


def _watch(plan: SequentialPlan) -> str:
    """The command that does it, tuned as planned."""
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
        f"To run it: {' '.join(words)}. It also gives up when a decision is out of reach, which "
        "ends runs of equal models earlier and costs a little power."
    )


def _how_to_look(plan: SequentialPlan) -> str:
    z = "(wins − losses) / √(wins + losses)"
    if isinstance(plan.noise_design.noise, Graded):
        z = "mean difference / its standard error"
    after = "" if plan.criteria.sides == 2 else ", which is one-sided"
    return f"At each look Z = {z}; stop at the first that reaches its boundary{after}."


def _moved(plan: SequentialPlan) -> str:
    if plan.method.startswith("lan-demets"):
        return (
            "Later looks may move, as long as results do not move them; the boundaries then are "
            "those of nstar.stats.group_sequential with the timing as it was."
        )
    return "These boundaries hold for these looks; lan-demets-of lets the times move."


def _bets_cost(plan: SequentialPlan) -> str | None:
    """Whether another way after every item takes fewer."""
    if plan.method != "bets":
        return None
    for row in plan.scenarios:
        most = count(row.n_items_max)
        if row.method == "e-process" and row.n_items_max < plan.n_items_max:
            return f"For 0/1 scores the e-process is as valid and takes {most} at most."
        if row.method == "asymptotic" and plan.solved_for == "items":
            return (
                f"asymptotic takes {most} at most, but holds only as averages become "
                "normal: rare large losses break it."
            )
    return None


def _notes(plan: SequentialPlan) -> tuple[str, ...]:
    said: list[str | None] = [_against_fixed(plan)]
    if plan.n_looks is None:
        said += [_bets_cost(plan), _watch(plan)]
    else:
        said += [_how_to_look(plan), _moved(plan)]
        if plan.n_items_max < _MIN_ITEMS_PER_LOOK * plan.n_looks:
            said.append(
                f"Fewer than {_MIN_ITEMS_PER_LOOK} items between looks: the boundaries take "
                "averages for normal, and these hardly are. Plan fewer looks."
            )
    return tuple(note for note in said if note)


def _first_passage(law: str) -> str:
    return (
        f"Power and averages are for {law}: the first passage of a Brownian motion, within 1 "
        "point of power and 3% of the items that simulation shows."
    )


def _method(plan: SequentialPlan) -> str:
    graded = isinstance(plan.noise_design.noise, Graded)
    if plan.n_looks is not None:
        test = "paired t test" if graded else "McNemar test, items by Connor (1987)"
        return f"Boundaries by numerical integration for normal increments; {test}."
    if plan.method == "e-process":
        how = "exact power and averages"
        if not plan.is_exact:
            how = "power and averages of its normal limit"
        return f"McNemar's e-process with a Beta(a, a) mixture, a = {plan.mixture:.4g}; {how}."
    if plan.method == "asymptotic":
        law = _first_passage("normal averages")
        return f"Normal-mixture sequence from item 30 on, valid as averages become normal. {law}"
    law = _first_passage("differences with a Beta law" if graded else "differences of 0/1 scores")
    return f"Bets on differences in [−1, 1], valid for any law of them. {law}"


def _assumptions(plan: SequentialPlan) -> tuple[str, ...]:
    fixed = f"One comparison, α = {plan.criteria.alpha:g} for all looks together. "
    if plan.n_looks is None:
        fixed += (
            "The method is fixed before the first item; switching after a look would void α, "
            "going on beyond the items planned would not."
        )
    else:
        fixed += "Method and looks are fixed before the first item; a change would void α."
    return (
        noise_assumption(plan.noise_design),
        "Items are independent draws and come in random order, not sorted by subject.",
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
        title="Items at most, and on average if the true gap is none, as planned, 1.5 × and 2 ×",
        header=("method", "looks", "at most", "no gap", *gaps, "power"),
        rows=tuple(_cells(row) for row in plan.scenarios),
        marked=next(k for k, row in enumerate(plan.scenarios) if row.is_headline),
    )


def _looks(plan: SequentialPlan) -> TextTable | None:
    if not plan.boundaries:
        return None
    z = "|Z|" if plan.criteria.sides == 2 else "Z"
    return TextTable(
        title=f"Looks, and the {z} at which each stops",
        header=("look", "after items", z, "p-value"),
        rows=tuple(
            (str(k), count(look.n_items), f"{look.z:.3f}", pvalue(look.pvalue))
            for k, look in enumerate(plan.boundaries, start=1)
        ),
    )


def document(plan: SequentialPlan) -> Document:
    """Headline, ways of looking side by side, boundaries, notes, assumptions."""
    looks = _looks(plan)
    return Document(
        headline=_headline(plan),
        key=() if looks is None else (looks,),
        grids=(_ways(plan),) if looks is None else (_ways(plan), looks),
        notes=_notes(plan),
        assumptions=_assumptions(plan),
    )
