"""Write the report of a plan for one model."""

from collections.abc import Iterator

from nstar._verbs.plan.single import SinglePlan
from nstar.report.documents import Document, TextTable
from nstar.report.prose.numbers import count, items, level, percent, pp, probability


def _test(plan: SinglePlan, *, power: bool = True) -> str:
    target = f"{probability(plan.criteria.power)} power, " if power else ""
    return f"({target}{level(plan.criteria.alpha, plan.criteria.sides)})"


def interval(plan: SinglePlan) -> str:
    """Return the name of the interval, such as ``95% CI``."""
    return f"{percent(1 - plan.criteria.alpha)} CI"


def _at(plan: SinglePlan) -> str:
    return (
        "at any accuracy"
        if plan.baseline is None
        else f"at an accuracy of {percent(plan.baseline)}"
    )


def _answer(plan: SinglePlan) -> str:
    current, is_one = items(plan.n_items), plan.n_items == 1
    if plan.threshold is None:
        width = f"a {interval(plan)} of ±{pp(plan.half_width or 0)} {_at(plan)}"
        if plan.solved_for == "items":
            return f"Measuring an accuracy with {width} takes {items(plan.n_star)}."
        return f"{current} {'gives' if is_one else 'give'} {width}."
    target = percent(plan.threshold)
    if plan.solved_for == "mde":
        if plan.mde is None:
            return (
                f"{current} cannot show that an accuracy is above {target}, even if all answers "
                f"are correct. That takes at least {items(plan.min_items)}."
            )
        return (
            f"{current} {'detects' if is_one else 'detect'} an accuracy that is {pp(plan.mde)} "
            f"above the threshold of {target} {_test(plan)}."
        )
    claim_text = (
        f"that an accuracy of {percent(plan.threshold + (plan.delta or 0))} is above {target}"
    )
    if plan.solved_for == "items":
        return f"Showing {claim_text} takes {items(plan.n_star)} {_test(plan)}."
    has = "has" if is_one else "have"
    return (
        f"{current} {has} {probability(plan.power)} power to show {claim_text} "
        f"{_test(plan, power=False)}. {probability(plan.criteria.power)} power takes "
        f"{items(plan.n_star)}."
    )


def _table(plan: SinglePlan) -> TextTable | None:
    rows = plan.scenarios
    if not rows:
        return None
    header, column = {
        "n_star": ("items needed", [count(r.n_star) for r in rows]),
        "power": ("power", [probability(r.power) for r in rows]),
        "half_width": (
            "half-width",
            [f"{100 * (r.half_width or 0):.1f} pp" for r in rows],
        ),
    }[_column(plan)]
    marked = next((k for k, r in enumerate(rows) if r.is_headline), None)
    digits = _digits(plan)
    return TextTable(
        title="By true accuracy",
        header=("accuracy", header),
        rows=tuple(zip((percent(r.mean, digits) for r in rows), column, strict=True)),
        marked=marked,
    )


def _digits(plan: SinglePlan) -> int:
    """Return the decimals that keep accuracies, the threshold, and 100% apart."""
    for digits in range(1, 6):
        texts = [percent(r.mean, digits) for r in plan.scenarios]
        texts += [percent(x, digits) for x in (plan.threshold, 1.0) if x is not None]
        if len(set(texts)) == len(texts):
            return digits
    return 6


def _column(plan: SinglePlan) -> str:
    if plan.solved_for == "items":
        return "n_star"
    return "power" if plan.question == "threshold" else "half_width"


def _notes(plan: SinglePlan) -> Iterator[str]:
    if plan.threshold is None:
        return
    if plan.solved_for != "mde" or plan.mde is not None:
        yield (
            f"No result on fewer than {items(plan.min_items)} can show an accuracy above "
            f"{percent(plan.threshold)}, even if all answers are correct."
        )
    if plan.n_star_normal is not None:
        yield (
            f"The normal approximation gives {items(plan.n_star_normal)}. From "
            f"{items(plan.n_star)} on, the exact test always has at least "
            f"{probability(plan.criteria.power)} power."
        )
    yield (
        "The threshold is a fixed number without error. If it is the score of another model, "
        "compare the two models on the same items: nstar plan."
    )


def _assumptions(plan: SinglePlan) -> tuple[str, ...]:
    method = (
        "The test is the exact binomial test."
        if plan.threshold is not None
        else ("The interval is Wilson's.")
    )
    return (
        "Items are a random sample from the domain and are independent; each has one answer, "
        "scored 0 or 1.",
        method,
    )


def document(plan: SinglePlan) -> Document:
    """Return the report as a document."""
    table = _table(plan)
    return Document(
        headline=_answer(plan),
        grids=() if table is None else (table,),
        notes=tuple(_notes(plan)),
        assumptions=_assumptions(plan),
        basis=f"independent items; {level(plan.criteria.alpha, plan.criteria.sides)}.",
    )
