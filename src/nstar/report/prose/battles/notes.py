"""Notes and assumptions of votes, what would change the answer most first."""

import math

from nstar._verbs.battles import Battles
from nstar._verbs.battles.result import UnratedWhy, VoteEffect
from nstar._verbs.verdict import HEADLINE_GROUPS
from nstar.report.prose.battles.headline import elo, elo_number, groups_of, told_apart
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import listed, name, percent, pvalue, ratio

_MAX_NAMES_LISTED = 3
_MORE = 1.1
"""Times the variance that a grouping must add to be told."""


def _groups(result: Battles) -> list[str]:
    """The grouping that was not declared and widens most."""
    other = {g.design_effect: g for g in result.groupings if g.design_effect and not g.is_declared}
    effect = max(other, default=0.0)
    already = max((g.design_effect or 1.0 for g in result.groupings if g.is_declared), default=1.0)
    if effect <= _MORE * already:
        return []
    most = other[effect]
    few = " (so few that this is a rough guide)" if most.n_groups < 10 else ""
    kind = groups_of(most.columns)
    advice = "declare them as clusters if they are."
    if result.n_votes_planned is not None and most.n_could_be_best is None:
        advice = "if they are, there are too few of them to look more than once."
    return [
        f"Votes share {most.n_groups:,} {kind}{few}: read as a sample of {kind}, gaps have "
        f"{ratio(effect)} times the variance. Whether the {kind} are a sample is "
        f"yours to say: {advice}"
    ]


def _not_estimated(result: Battles) -> list[str]:
    """Groupings with enough groups whose effect on the errors is still unknown."""
    unknown = [
        g
        for g in result.groupings
        if g.design_effect is None and not g.is_declared and g.n_groups >= HEADLINE_GROUPS
    ]
    if not unknown:
        return []
    share = listed([f"{g.n_groups:,} {groups_of(g.columns)}" for g in unknown])
    assumed = "" if result.cluster else " The ranks assume independent votes."
    return [
        f"Votes share {share}. Most votes of some models come from a few groups, so the effect on "
        f"the errors cannot be estimated.{assumed}"
    ]


def _looks(result: Battles) -> list[str]:
    if result.n_votes_planned is None:
        return []
    return [
        f"This holds however often the votes are looked at. It is sharpest at the "
        f"{result.n_votes_planned:,} votes planned; one look at the end would be sharper still."
    ]


_WHY: dict[UnratedWhy, str] = {
    "won all": "no finite one fits votes that were all won",
    "lost all": "no finite one fits votes that were all lost",
    "never met": "no vote leads to the rated models",
    "one group": "one cluster holds more than 60% of the votes",
    "few groups": "the votes come from too few or too unequal clusters for a standard error",
}


def without_rating(result: Battles, why: UnratedWhy | None = None) -> str:
    """The models that have no rating, the first of them by name; empty if all have one."""
    lost = [u.model for u in result.unrated if why in (None, u.reason)]
    names = [name(n) for n in lost[:_MAX_NAMES_LISTED]]
    more = len(lost) - len(names)
    return listed([*names, f"{more:,} more"] if more else names) if names else ""


def _lost(result: Battles) -> list[str]:
    found = [(why, sum(u.reason == why for u in result.unrated)) for why in _WHY]
    return [
        f"{without_rating(result, why)} {'has' if n == 1 else 'have'} no rating: {_WHY[why]}."
        for why, n in found
        if n
    ]


def _moved(effect: VoteEffect, conf: float) -> str:
    ends = f"{elo_number(effect.ci_low, sign=True)} to {elo_number(effect.ci_high, sign=True)}"
    said = f"{coverage(conf)} interval {ends}, p = {pvalue(effect.pvalue)}".replace("= <", "< ")
    if effect.name == "position":
        gain = elo(effect.elo, sign=True)
        return f"The answer shown first gains {gain} ({said}); ratings allow for it."
    return (
        f"One standard deviation more of {name(effect.name)} than the other answer gains "
        f"{elo(effect.elo, sign=True)} ({said}). Ratings answer what if both answers were alike "
        "in that; the column beside them does not."
    )


def _fit(result: Battles) -> list[str]:
    m = result.lack_of_fit
    if result.n_pairs == 1:  # one gap fits the votes of one pair, whatever they are
        return []
    if not m.n_tested:
        return [
            f"No pair has {m.min_votes} votes of its own, so whether one number for each model "
            "explains the votes was not tested."
        ]
    if not m.n_significant:
        return []
    return [
        f"{m.n_significant:,} of {m.n_tested:,} pairs with {m.min_votes} votes or more depart "
        "from the ratings "
        f"({name(m.worst_pairs[0].model_a)} and {name(m.worst_pairs[0].model_b)} most); for "
        "those, trust their own votes."
    ]


def _sentence(text: str) -> str:
    """A finding as a sentence; the name of a file keeps its small letter."""
    first = text.split(" ", 1)[0].rstrip(":.,")
    begun = text if "." in first or "/" in first else f"{text[0].upper()}{text[1:]}"
    return f"{begun.rstrip('.')}."


def notes(result: Battles) -> tuple[str, ...]:
    """What else the reader should know."""
    said = [] if result.caution is None else [f"{result.caution[0].upper()}{result.caution[1:]}."]
    said += _looks(result) + _groups(result) + _not_estimated(result)
    said += [*_lost(result), told_apart(result)]
    said += [_moved(e, result.confidence_level) for e in result.control_effects]
    said += _fit(result)
    if result.position_effect is not None:
        said.append(_moved(result.position_effect, result.confidence_level))
    if result.adjust_reason is not None:
        said.append(f"Ranks use Holm instead of max-T: {result.adjust_reason}.")
    said += [_sentence(f.text) for f in result.findings]
    return tuple(filter(None, said))


def detail(result: Battles) -> tuple[str, ...]:
    """Notes that only the whole report has."""
    w = result.verdict_counts
    said = [
        f"{percent(result.tie_share, 1)} of votes are ties"
        + (
            f", {result.n_both_bad:,} of them between answers called bad"
            if result.n_both_bad
            else ""
        )
        + ".",
        f"Of {result.n_pairs:,} pairs, {w['significant']:,} are significant "
        f"({result.n_underpowered:,} of them underpowered) and {w['inconclusive']:,} are "
        "inconclusive.",
        "An interval is that of a model's distance from "
        + ("the mean of all" if result.anchor is None else name(result.anchor[0]))
        + ": whether two of them overlap does not say whether two models differ.",
        "More votes: between the two models alone, beside those there are, to find a gap as seen; "
        "> 100 × is more than a hundred times all votes there are.",
    ]
    if result.log_tie is not None:
        even = math.exp(result.log_tie) / (2 + math.exp(result.log_tie))
        said.append(f"Between equal models, {percent(even, 1)} of votes would tie.")
    if result.prior:
        said.append(
            f"A tie of weight {result.prior:.2g} was added to each pair that met; gaps shrink."
        )
    return tuple(said)


def basis(result: Battles) -> str:
    """What the answer rests on, in one sentence."""
    if result.cluster:
        kind = groups_of(result.cluster)
        return f"the {kind} are a random sample of such {kind}; one number describes each model."
    return "votes are independent of each other; one number describes each model."


def assumptions(result: Battles) -> tuple[str, ...]:
    """What the answer rests on."""
    ties = {
        "half": "A tie counts as half a win for each side; 400 Elo are ten to one in score.",
        "davidson": "Ties are an outcome of their own (Davidson); 400 Elo are ten to one among "
        "decisive votes.",
        "drop": "Ties are left out; 400 Elo are ten to one among decisive votes.",
    }[result.ties]
    said = basis(result)
    return (
        f"{said[0].upper()}{said[1:]}",
        ties,
        "Who met whom does not depend on how answers turned out.",
        "Errors come from a sandwich, which needs no model of ties or of what votes share.",
    )
