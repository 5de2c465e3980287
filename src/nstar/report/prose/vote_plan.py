"""A VotePlan in words."""

import math

from nstar._verbs.plan.votes_result import VoteGap, VotePlan, VotePlanScenario
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.numbers import count, level, often, percent, probability, ratio

_ARENA = "the expected-score scale that arenas publish (ties count half)"


def _points(elo: float | None) -> str:
    """A gap that was found, in points."""
    if elo is None:
        return "–"
    if math.isinf(elo):
        return "∞"
    return f"{elo:,.0f}" if elo >= 100 else (f"{elo:.1f}" if elo >= 1 else f"{elo:.2g}")


def _rate(p: float) -> str:
    """A win rate with as many decimals as tell it from a half."""
    away = abs(p - 0.5)
    return percent(p, 1 if away >= 0.01 else (2 if away >= 0.001 else 4))


def _given(plan: VotePlan) -> str:
    return f"{plan.elo:,.6g} Elo"


def _votes(n: int | None) -> str:
    return f"{count(n)} votes"


def _which(plan: VotePlan) -> str:
    """The models, as an object."""
    if plan.n_models == 2:
        return "models"
    two = "any two" if plan.goal == "all-pairs" else "any two neighbors"
    return f"{two} of {plan.n_models:,} models"


def _pair(plan: VotePlan) -> str:
    return "this pair" if plan.n_models == 2 else "each pair"


def _rule(plan: VotePlan) -> str:
    """Level, and over how many pairs."""
    at_once = "" if plan.n_pairs == 1 else f" for all {plan.n_pairs:,} pairs at once"
    return f"{level(plan.criteria.alpha, plan.criteria.sides)}{at_once}"


def _if_ties(plan: VotePlan) -> str:
    return (
        f"if {percent(plan.tie_share)} of the votes are ties"
        if plan.tie_share
        else "if none is a tie"
    )


def _in_all(plan: VotePlan) -> str:
    """Votes on all pairs, where there are several."""
    if plan.n_pairs == 1:
        return ""
    where = "in a full round robin" if plan.goal == "all-pairs" else "on all these pairs"
    return f": {_votes(plan.n_votes_total)} {where}"


def _scale(plan: VotePlan, gap: VoteGap) -> str:
    """What the Elo given is about."""
    if plan.elo_scale == "score":
        return f"{_given(plan)} on {_ARENA} is a win rate of {_rate(gap.win_rate)}."
    return (
        f"{_given(plan)} among decisive votes is a win rate of {_rate(gap.decisive_rate)} of "
        f"them, {_points(gap.elo_score)} Elo on {_ARENA}."
    )


def _votes_headline(plan: VotePlan) -> str:
    return (
        f"{_votes(plan.n_star)} on {_pair(plan)} tell {_which(plan)} apart that differ by "
        f"{_given(plan)} ({often(plan.criteria.power)}, {_rule(plan)}), {_if_ties(plan)}"
        f"{_in_all(plan)}."
    )


def _gap_headline(plan: VotePlan) -> str:
    start, gap = f"{_votes(plan.n_votes)} on {_pair(plan)}", plan.mde
    end = f"({often(plan.criteria.power)}, {_rule(plan)}), {_if_ties(plan)}"
    if gap is None:
        return f"{start} tell no two models apart {end}."
    return (
        f"{start} tell {_which(plan)} apart that differ by {_points(gap.elo_score)} Elo {end}. "
        f"That is on {_ARENA}, a win rate of {_rate(gap.win_rate)}; among decisive votes it is "
        f"{_points(gap.elo_decisive)} Elo, {_rate(gap.decisive_rate)} of them."
    )


def _power_headline(plan: VotePlan) -> str:
    more = (plan.n_star or 0) - (plan.n_votes or 0)
    tail = f", {count(more)} more" if more > 0 else ""
    return (
        f"{_votes(plan.n_votes)} on {_pair(plan)} tell {_which(plan)} apart that differ by "
        f"{_given(plan)} with probability {probability(plan.power)} ({_rule(plan)}), "
        f"{_if_ties(plan)}; {probability(plan.criteria.power)} takes {_votes(plan.n_star)}{tail}."
    )


def _headline(plan: VotePlan) -> str:
    if plan.delta is None:
        return _gap_headline(plan)
    answer = _votes_headline if plan.solved_for == "votes" else _power_headline
    return f"{answer(plan)} {_scale(plan, plan.delta)}"


def _cells(row: VotePlanScenario, *, needed: bool) -> tuple[str, ...]:
    if needed:
        return percent(row.tie_share), count(row.n_star_score), count(row.n_star_decisive)
    return percent(row.tie_share), _points(row.mde_score), _points(row.mde_decisive)


def _grid(plan: VotePlan) -> TextTable:
    needed = plan.elo is not None
    title = "Smallest gap in Elo, by share of ties, on either scale"
    if needed:
        title = f"Votes on a pair by share of ties, if {_given(plan)} are on either scale"
    return TextTable(
        title=title,
        header=("ties", "expected score", "decisive votes"),
        rows=tuple(_cells(row, needed=needed) for row in plan.scenarios),
        marked=next(k for k, row in enumerate(plan.scenarios) if row.is_headline),
    )


def _opposite(plan: VotePlan) -> str | None:
    """Which way ties act on the two scales."""
    if plan.delta is None and plan.mde is None:
        return None
    lead = "Ties act in opposite directions on the two scales"
    if plan.elo is None:
        return (
            f"{lead}: the more there are, the smaller is the gap of expected scores that the same "
            "votes show, and the larger that among decisive votes."
        )
    row = next(row for row in plan.scenarios if row.is_headline)
    score = plan.elo_scale == "score"
    other = row.n_star_decisive if score else row.n_star_score
    here = ""
    if plan.tie_share and other is not None:
        scale = "among decisive votes" if score else "of expected scores"
        here = f"; {_given(plan)} {scale} would take {_votes(other)} here"
    return (
        f"{lead}: with more of them a gap of expected scores takes fewer votes, one among "
        f"decisive votes more{here}."
    )


def _effect(plan: VotePlan) -> str | None:
    """What votes that are alike cost."""
    if plan.design_effect == 1:
        return None
    alike = "Votes that share a prompt or a judge are alike"
    if plan.n_star_independent is not None:
        return (
            f"{alike}: at a design effect of {plan.design_effect:g} it takes "
            f"{plan.design_effect:g} × the {count(plan.n_star_independent)} independent votes."
        )
    worth = math.floor((plan.n_votes or 0) / plan.design_effect + 1e-9)
    return (
        f"{alike}: at a design effect of {plan.design_effect:g} these are worth {count(worth)} "
        "independent votes on a pair."
    )


def _borrowed(plan: VotePlan) -> str | None:
    """What a fit of all pairs would save."""
    if plan.n_models == 2 or plan.goal != "all-pairs":
        return None
    return (
        "Each pair is tested by its own votes. A Bradley–Terry fit learns from the other pairs "
        f"too: where that model holds, a round robin of {plan.n_models:,} models needs about "
        f"{probability(2 / plan.n_models)} of these votes."
    )


def _also(plan: VotePlan) -> str | None:
    """The smallest gap, beside the power at another one."""
    if plan.solved_for != "power" or plan.mde is None:
        return None
    gap, wanted = plan.mde, often(plan.criteria.power)
    return (
        f"The smallest gap that these votes show {wanted} is {_points(gap.elo_score)} Elo of "
        f"expected scores, {_points(gap.elo_decisive)} among decisive votes."
    )


def _notes(plan: VotePlan) -> tuple[str, ...]:
    q = None
    if plan.q:
        q = f"Resolution ratio q = N/N* = {ratio(plan.q)} (q ≥ 1: resolved)."
    said = (_opposite(plan), _effect(plan), _also(plan), _borrowed(plan), q)
    return tuple(note for note in said if note)


def _independence(plan: VotePlan) -> str:
    if plan.design_effect == 1:
        return (
            "Votes are independent: prompts and judges hardly repeat. Where they do, plan with "
            f"{arg('design_effect')}."
        )
    return (
        f"Prompts or judges repeat: a design effect of {plan.design_effect:g} is assumed, and "
        "votes will be tested by clusters of them."
    )


def _family(plan: VotePlan) -> str:
    if plan.n_pairs == 1:
        return "One pair, fixed in advance, looked at once."
    which = "all pairs" if plan.goal == "all-pairs" else "adjacent pairs"
    alpha = plan.criteria.alpha
    n = plan.n_pairs
    text = (
        f"{n:,} pairs ({which} of {plan.n_models:,} models) hold at once: each is tested at "
        f"α = {alpha:g}/{n} = {alpha / n:.2g} (Bonferroni), because pairs share no votes."
    )
    if plan.goal == "adjacent":
        text += " Neighbors must be fixed in advance; found in the same votes they are all pairs."
    return text


def _method(plan: VotePlan) -> str:
    how = "power by enumeration" if plan.is_enumerated else "votes by Connor (1987)"
    return (
        "McNemar's mid-p test of wins against losses (exact where more than 80% of the votes "
        f"are decisive), {how}."
    )


def _ties(plan: VotePlan) -> str:
    if not plan.tie_share:
        return 'No vote is a tie ("both bad" would be one).'
    return f'{percent(plan.tie_share)} of the votes are ties, "both bad" among them.'


def document(plan: VotePlan) -> Document:
    """Headline, both scales by share of ties, notes, assumptions."""
    return Document(
        headline=_headline(plan),
        grids=(_grid(plan),),
        notes=_notes(plan),
        assumptions=(
            _ties(plan),
            _independence(plan),
            _family(plan),
            _method(plan),
        ),
    )
