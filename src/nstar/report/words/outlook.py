"""The Outlook of a gate in words."""

from nstar._verbs.gate import Chances, Outlook
from nstar._verbs.plan import PairedPsi
from nstar._verbs.verdict import ABSURD
from nstar.report.documents import Document, Grid
from nstar.report.words.numbers import count, items, percent, pp, probability, share


def _need(plan: Outlook) -> str:
    if plan.n_star > ABSURD:
        return "no sensible number of items would do"
    if plan.n_steady > plan.n_star:
        return f"{count(plan.n_star)} items would do, from {count(plan.n_steady)} on always"
    return f"{count(plan.n_star)} items would do"


def _headline(plan: Outlook) -> str:
    size, margin = items(plan.items), pp(plan.margin)
    wanted = percent(plan.criteria.power)
    if not plan.reachable:
        return (
            f"PASS is out of reach: no answers of equal models pass on {size} with a margin of "
            f"{margin}; {_need(plan)}."
        )
    chance = probability(plan.chances[0].passes)
    if not plan.identical_pass and not plan.likely:
        return (
            f"PASS is unlikely: of equal models {chance} pass on {size} with a margin of {margin} "
            f"({wanted} wanted), by luck alone, because identical answers need {plan.least:,} "
            f"items; {_need(plan)}."
        )
    if plan.likely:
        return (
            f"PASS is within reach: of equal models {chance} pass on {size} with a margin of "
            f"{margin} ({wanted} wanted; {_need(plan)})."
        )
    return (
        f"PASS is possible but not likely: of equal models {chance} pass on {size} with a margin "
        f"of {margin} ({wanted} wanted); {_need(plan)}, or a margin of {pp(plan.margin_least)}."
    )


def _row(at: Chances) -> tuple[str, ...]:
    return (
        pp(at.delta, sign=at.delta != 0),
        share(at.psi),
        probability(at.passes),
        probability(at.inconclusive),
        probability(at.regression),
    )


def _noise(plan: Outlook) -> str:
    if isinstance(plan.noise, PairedPsi):
        return (
            f"Exactly one model is right on {percent(plan.noise.psi)} of the items ({plan.source})"
        )
    return (
        f"Baseline {percent(plan.noise.baseline)} right, item correlation {plan.noise.rho:g} "
        f"({plan.source})"
    )


def _notes(plan: Outlook) -> tuple[str, ...]:
    last = plan.chances[-1]
    said = []
    if last.delta == -2 * plan.margin:
        said.append(
            f"A candidate worse by twice the margin is called REGRESSION with a chance of "
            f"{probability(last.regression)}."
        )
    else:
        said.append("A loss of twice the margin cannot be, with so little disagreement.")
    said.append(f"Fewest items at which identical answers pass: {plan.least:,}.")
    return tuple(said)


def document(plan: Outlook) -> Document:
    """Whether a PASS is possible, then every answer by true gap."""
    return Document(
        headline=_headline(plan),
        grids=(
            Grid(
                title=f"Chance of each answer on {items(plan.items)}, by true gap",
                header=("true gap", "psi", "PASS", "INCONCLUSIVE", "REGRESSION"),
                rows=tuple(map(_row, plan.chances)),
                marked=0,
            ),
        ),
        notes=_notes(plan),
        assumptions=(
            f"{_noise(plan)}; 0/1 scores, independent items, none missing, one task. With several "
            "tasks every one must pass, so the chance is smaller.",
            f"One look, one-sided α = {plan.criteria.alpha:g}; chances are exact, by enumeration.",
        ),
    )
