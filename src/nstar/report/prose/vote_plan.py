"""Write the report of a plan of votes."""

import math
from collections.abc import Iterator

from nstar._verbs.plan.votes_result import VoteGap, VotePlan, VotePlanScenario
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.numbers import count, level, percent, probability, votes
from nstar.report.prose.plan_terms import criteria, resolution_ratio, with_article


def _points(elo: float | None) -> str:
    """Return a computed gap in points."""
    if elo is None:
        return "–"
    if math.isinf(elo):
        return "∞"
    return f"{elo:,.0f}" if elo >= 100 else (f"{elo:.1f}" if elo >= 1 else f"{elo:.2g}")


def _rate(p: float) -> str:
    """Return a win rate with enough decimals to distinguish it from 50%."""
    away = abs(p - 0.5)
    return percent(p, 1 if away >= 0.01 else (2 if away >= 0.001 else 4))


def _given(plan: VotePlan) -> str:
    return f"{plan.elo:,.6g} Elo"


def _votes(n: int | None) -> str:
    return f"{votes(n or 0)} per pair"


def _between(plan: VotePlan) -> str:
    """Return the models, if there are several pairs."""
    if plan.n_models == 2:
        return ""
    if plan.goal == "adjacent":
        return f" between any two adjacent models among {plan.n_models:,}"
    return f" between any two of {plan.n_models:,} models"


def _rule(plan: VotePlan, *, power: bool = True) -> str:
    """Return the power and the ties, in parentheses."""
    each = " per pair" if plan.n_pairs > 1 else ""
    aim_text = f"{criteria(plan.criteria).replace(' power', f' power{each}')}, " if power else ""
    ties = f"{percent(plan.tie_share)} ties" if plan.tie_share else "no ties"
    return f"({aim_text}{ties})"


def _scale(plan: VotePlan, gap: VoteGap) -> str:
    """Return the meaning of the gap as a win rate."""
    decisive = f"{with_article(_rate(gap.decisive_rate))} win rate among decisive votes"
    score = f"{with_article(_rate(gap.win_rate))} win rate with ties counting half"
    if plan.elo is None:
        return (
            f"{_points(gap.elo_score)} Elo is {score}; among decisive votes, it is "
            f"{_points(gap.elo_decisive)} Elo ({_rate(gap.decisive_rate)})."
        )
    if plan.elo_scale == "score":
        return f"{_given(plan)} is {score}."
    return (
        f"{_given(plan)} is {decisive}, or {_points(gap.elo_score)} Elo with ties counting half."
    )


def _in_all(plan: VotePlan) -> str | None:
    """Return the votes on all pairs, if there are several."""
    if plan.n_pairs == 1:
        return None
    pair_kind = "adjacent " if plan.goal == "adjacent" else ""
    return f"All {plan.n_pairs:,} {pair_kind}pairs together take {votes(plan.n_votes_total)}."


def _sentences(plan: VotePlan) -> list[str]:
    """Return the sentences, starting with the finding."""
    pairs = _between(plan)
    if plan.delta is None:
        if plan.mde is None:
            return [f"{_votes(plan.n_votes)} detect no gap{pairs} {_rule(plan)}."]
        finding = with_article(_points(plan.mde.elo_score))
        text = f"{_votes(plan.n_votes)} detect {finding} Elo gap{pairs} {_rule(plan)}."
        return [text, _scale(plan, plan.mde)]
    gap_text = f"{with_article(_given(plan))} gap{pairs}"
    if plan.solved_for == "votes":
        finding = f"Detecting {gap_text} takes {_votes(plan.n_star)} {_rule(plan)}."
        texts = [finding, _scale(plan, plan.delta), _in_all(plan)]
        return [text for text in texts if text]
    power_text = probability(plan.criteria.power)
    also = (
        ""
        if plan.mde is None
        else f"; {_votes(plan.n_votes)} detect {_points(plan.mde.elo_score)} Elo"
    )
    if plan.mde is not None and plan.elo_scale == "decisive":
        also = f"; {_votes(plan.n_votes)} detect {_points(plan.mde.elo_decisive)} Elo"
    return [
        f"{_votes(plan.n_votes)} have {probability(plan.power)} power to detect {gap_text} "
        f"{_rule(plan, power=False)}.",
        f"{power_text} power takes {_votes(plan.n_star)}{also}.",
        _scale(plan, plan.delta),
    ]


def _cells(row: VotePlanScenario, *, needed: bool) -> tuple[str, ...]:
    if needed:
        return percent(row.tie_share), count(row.n_star_score), count(row.n_star_decisive)
    return percent(row.tie_share), _points(row.mde_score), _points(row.mde_decisive)


def _grid(plan: VotePlan) -> TextTable:
    needed = plan.elo is not None
    title = "Detectable gap (Elo) by share of ties, on both Elo scales"
    if needed:
        title = f"Votes per pair for {_given(plan)}, by share of ties, on both Elo scales"
    return TextTable(
        title=title,
        header=("ties", "ties count half", "decisive votes only"),
        rows=tuple(_cells(row, needed=needed) for row in plan.scenarios),
        marked=next(k for k, row in enumerate(plan.scenarios) if row.is_headline),
    )


def _pilot(plan: VotePlan) -> Iterator[str]:
    """Yield what the pilot adds: its assumptions, and the votes that a fit of all pairs needs."""
    pilot = plan.pilot
    if pilot is None:
        return
    if pilot.n_star_fit is not None:
        ends = f"{count(pilot.n_star_fit_low)} to {count(pilot.n_star_fit_high)}"
        yield (
            f"Ratings use the votes of all pairs: in the pilot's mix of pairs, "
            f"{count(pilot.n_star_fit)} votes in total detect {_given(plan)} between typical "
            f"adjacent models ({ends} by pair)."
        )
    yield f"The share of ties comes from a pilot of {votes(pilot.n_votes)}."


def _notes(plan: VotePlan) -> Iterator[str]:
    yield from _pilot(plan)
    if plan.design_effect != 1:
        shared = f"Shared prompts or judges (design effect {plan.design_effect:g})"
        if plan.n_star_independent is not None:
            yield (
                f"{shared} raise the number of votes from {count(plan.n_star_independent)} to "
                f"{count(plan.n_star)}."
            )
        else:
            worth = math.floor((plan.n_votes or 0) / plan.design_effect + 1e-9)
            yield f"{shared} make these votes as precise as {votes(worth)} that are independent."
    if plan.delta is not None or plan.mde is not None:
        lead = (
            "More ties make gaps in expected score easier to detect, and gaps among decisive "
            "votes harder to detect"
        )
        row = next(row for row in plan.scenarios if row.is_headline)
        score = plan.elo_scale == "score"
        other = row.n_star_decisive if score else row.n_star_score
        if plan.elo is None or not plan.tie_share or other is None:
            yield f"{lead}."
        else:
            scale = "among decisive votes" if score else "in expected score"
            yield f"{lead}. A gap of {_given(plan)} {scale} would take {_votes(other)}."
    if plan.n_models != 2 and plan.goal == "all-pairs":
        yield (
            "Each pair uses its own votes. If the Bradley–Terry model holds, a round robin of "
            f"{plan.n_models:,} models needs about {probability(2 / plan.n_models)} of these "
            "votes."
        )


def _independence(plan: VotePlan) -> str:
    if plan.design_effect == 1:
        return f"Votes are independent; if prompts or judges repeat, set {arg('design_effect')}."
    return (
        f"Prompts or judges repeat (design effect {plan.design_effect:g}), and the votes will "
        "be tested in clusters of prompts or judges."
    )


def _family(plan: VotePlan) -> str:
    if plan.n_pairs == 1:
        return "There is one pair, chosen in advance and tested once."
    pairs_text = "all pairs" if plan.goal == "all-pairs" else "adjacent pairs"
    alpha = plan.criteria.alpha
    n = plan.n_pairs
    text = (
        f"{n:,} pairs ({pairs_text} of {plan.n_models:,} models) are tested simultaneously, each "
        f"at α = {alpha:g}/{n} = {alpha / n:.2g} (Bonferroni), because pairs share no votes."
    )
    if plan.goal == "adjacent":
        text += (
            " The adjacent pairs must be chosen in advance. If the votes determine them, plan "
            "for all pairs."
        )
    return text


def _method(plan: VotePlan) -> str:
    method_text = (
        "enumerated power" if plan.is_enumerated else "the number of votes by Connor (1987)"
    )
    return (
        "The test is McNemar's mid-p test of wins against losses (exact if more than 80% of the "
        f"votes are decisive), with {method_text}."
    )


def _ties(plan: VotePlan) -> str:
    if not plan.tie_share:
        return 'No vote is a tie ("both bad" counts as a tie).'
    return f'{percent(plan.tie_share)} of the votes are ties, including "both bad".'


def _basis(plan: VotePlan) -> str:
    """Return the assumptions of the answer in one sentence."""
    votes_are = "independent votes"
    if plan.design_effect != 1:
        votes_are = f"votes share prompts or judges (design effect {plan.design_effect:g})"
    pairs = "" if plan.n_pairs == 1 else f" for all {plan.n_pairs:,} pairs"
    tested = level(plan.criteria.alpha, plan.criteria.sides)
    return f"{votes_are}; {percent(plan.tie_share)} ties; {tested}{pairs}."


def document(plan: VotePlan) -> Document:
    """Return the report: headline, both scales by share of ties, notes, and assumptions."""
    sentences = _sentences(plan)
    return Document(
        headline=" ".join(sentences),
        opening=sentences[0],
        grids=(_grid(plan),),
        notes=tuple(_notes(plan)),
        detail=(resolution_ratio(plan.q),) if plan.q else (),
        basis=_basis(plan),
        assumptions=(
            _ties(plan),
            _independence(plan),
            _family(plan),
            _method(plan),
        ),
    )
