"""Write the notes and assumptions of votes, most important first."""

import math
from collections import Counter
from collections.abc import Iterator

from nstar._base.units import join_words
from nstar._verbs.battles import Battles
from nstar._verbs.battles.result import UnratedWhy, VoteEffect
from nstar._verbs.verdict import HEADLINE_GROUPS
from nstar.errors import arg
from nstar.report.prose.battles.headline import elo, elo_number, groups_of
from nstar.report.prose.comparison.headline import p_is
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import name, percent, ratio, votes

_MAX_NAMES_LISTED = 3
_MORE = 1.1
"""Factor by which a grouping must increase the variance to be reported."""


def _groups(result: Battles) -> Iterator[str]:
    """Yield the undeclared grouping that widens intervals most."""
    other = {g.design_effect: g for g in result.groupings if g.design_effect and not g.is_declared}
    effect = max(other, default=0.0)
    already = max((g.design_effect or 1.0 for g in result.groupings if g.is_declared), default=1.0)
    if effect <= _MORE * already:
        return
    widest = other[effect]
    few_text = ", too few for a precise estimate" if widest.n_groups < 10 else ""
    kind = groups_of(widest.columns)
    advice = f" ({arg('cluster', ','.join(widest.columns))})"
    if result.n_votes_planned is not None and widest.n_could_be_best is None:
        advice = f", but {widest.n_groups:,} {kind} are too few for more than one look"
    yield (
        f"The votes share {widest.n_groups:,} {kind}{few_text}. Treating these {kind} as a random "
        f"sample multiplies the variance by {ratio(effect)}{advice}."
    )


_WHY: dict[UnratedWhy, str] = {
    "won all": "every vote was won, so there is no upper limit",
    "lost all": "every vote was lost, so there is no lower limit",
    "never met": "no votes lead to the rated models, even indirectly",
    "one group": "one cluster holds more than 60% of the votes",
    "few groups": "the votes come from too few or too unequal clusters for a standard error",
}


def without_rating(result: Battles, reason: UnratedWhy | None = None) -> str:
    """Return the names of the first models without a rating; empty if all have one."""
    lost = [u.model for u in result.unrated if reason in (None, u.reason)]
    names = [name(n) for n in lost[:_MAX_NAMES_LISTED]]
    n_more = len(lost) - len(names)
    return join_words([*names, f"{n_more:,} more"] if n_more else names) if names else ""


def _moved(effect: VoteEffect, conf: float) -> str:
    ends = f"{elo_number(effect.ci_low, sign=True)} to {elo_number(effect.ci_high, sign=True)}"
    evidence = f"{coverage(conf)} CI {ends}, {p_is(effect.pvalue)}"
    size = elo(abs(effect.elo))
    if effect.name == "position":
        verb = "gains" if effect.elo >= 0 else "loses"
        return (
            f"Position effect: the first answer {verb} {size} ({evidence}); ratings adjust for it."
        )
    verb = "adds" if effect.elo >= 0 else "costs"
    return (
        f"One more SD of {name(effect.name)} {verb} {size} ({evidence}). The ratings adjust for "
        "it; the unadjusted column does not."
    )


def _fit(result: Battles) -> Iterator[str]:
    m = result.lack_of_fit
    if result.n_pairs == 1:  # with one pair, one gap fits any votes
        return
    if not m.n_tested:
        yield f"The fit was not tested, because no pair has {m.min_votes} votes of its own."
    elif m.n_significant:
        yield (
            f"{m.n_significant:,} of {m.n_tested:,} pairs with at least {m.min_votes} votes "
            f"deviate from the ratings (most: {name(m.worst_pairs[0].model_a)} vs "
            f"{name(m.worst_pairs[0].model_b)}). For these pairs, use their direct votes."
        )


def _sentence(text: str) -> str:
    """Return a finding as a sentence. The name of a file keeps its lower-case letter."""
    first = text.split(" ", 1)[0].rstrip(":.,")
    begun = text if "." in first or "/" in first else f"{text[0].upper()}{text[1:]}"
    return f"{begun.rstrip('.')}."


def _chosen(result: Battles) -> Iterator[str]:
    """Yield whether votes on chosen pairs are weighted, and the effect of the weights."""
    chosen = result.chosen_pairs
    if chosen is None:
        return
    cast = f"{votes(chosen.n_votes)} are on pairs that were chosen by earlier votes"
    shift = f"{chosen.largest_shift:.1f} standard errors"
    if chosen.weighted_because is None:
        yield (
            f"{cast}. Weighting them as if pairs were random shifts no gap to the leader by more "
            f"than {shift}, so votes are not weighted."
        )
        return
    reason = (
        "some pairs deviate from the ratings"
        if chosen.weighted_because == "lack of fit"
        else f"weights shift a gap to the leader by {shift}"
    )
    yield f"{cast}. They are weighted as if pairs were random, because {reason}."


def notes(result: Battles) -> Iterator[str]:
    """Yield the notes."""
    if result.caution is not None:
        yield f"{result.caution[0].upper()}{result.caution[1:]}."
    if result.n_votes_planned is not None:
        yield (
            "The result is valid at every look and most precise at the planned "
            f"{result.n_votes_planned:,} votes."
        )
    yield from _chosen(result)
    yield from _groups(result)
    unknown = [
        g
        for g in result.groupings
        if g.design_effect is None and not g.is_declared and g.n_groups >= HEADLINE_GROUPS
    ]
    if unknown:
        share = join_words([f"{g.n_groups:,} {groups_of(g.columns)}" for g in unknown])
        assumed = "" if result.cluster else " Ranks assume independent votes."
        yield (
            f"The votes share {share}. Most votes of some models come from a few groups, so the "
            f"effect on standard errors cannot be estimated.{assumed}"
        )
    counts = Counter(u.reason for u in result.unrated)
    for reason, text in _WHY.items():
        if counts[reason]:
            verb = "has" if counts[reason] == 1 else "have"
            yield f"{without_rating(result, reason)} {verb} no rating: {text}."
    yield from (_moved(e, result.confidence_level) for e in result.control_effects)
    yield from _fit(result)
    if result.position_effect is not None:
        yield _moved(result.position_effect, result.confidence_level)
    if result.adjust_reason is not None:
        yield f"The adjustment method is Holm instead of max-T ({result.adjust_reason})."
    yield from (_sentence(f.text) for f in result.findings)


def detail(result: Battles) -> tuple[str, ...]:
    """Return the notes that only the full report contains."""
    w = result.verdict_counts
    texts = [
        f"{percent(result.tie_share, 1)} of votes are ties"
        + (
            f", {result.n_both_bad:,} of them between answers rated bad"
            if result.n_both_bad
            else ""
        )
        + ".",
        f"Of {result.n_pairs:,} pairs, {w['significant']:,} are significant "
        f"({result.n_underpowered:,} of them underpowered) and {w['inconclusive']:,} are "
        "inconclusive.",
        "CIs are for the distance from "
        + ("the mean of all models" if result.anchor is None else name(result.anchor[0]))
        + "; overlap does not mean that two models are equal.",
        '"More votes needed" is the number of additional votes between the two models that '
        "resolve the observed gap.",
    ]
    if result.log_tie is not None:
        even = math.exp(result.log_tie) / (2 + math.exp(result.log_tie))
        texts.append(f"Between equal models, {percent(even, 1)} of votes would be ties.")
    if result.prior:
        texts.append(
            f"Each pair of models that met gets a prior tie of weight {result.prior:.2g}, "
            "which shrinks gaps."
        )
    return tuple(texts)


def assumed(result: Battles) -> str:
    """Return the assumptions about votes."""
    if result.cluster:
        return (
            f"the {groups_of(result.cluster)} are a random sample; one rating describes each model"
        )
    return "independent votes; one rating describes each model"


def basis(result: Battles) -> str:
    """Return the assumptions in one sentence."""
    level = coverage(1 - result.criteria.alpha)
    return f"{assumed(result)}; rank ranges hold simultaneously at {level}."


def assumptions(result: Battles) -> tuple[str, ...]:
    """Return the assumptions."""
    ties = {
        "half": "A tie counts as half a win; 400 Elo is 10:1 in expected score.",
        "davidson": "Ties are modeled as a third outcome (Davidson); 400 Elo is 10:1 among "
        "decisive votes.",
        "drop": "Ties are excluded; 400 Elo is 10:1 among decisive votes.",
    }[result.ties]
    basis = assumed(result)
    return (
        f"{basis[0].upper()}{basis[1:]}.",
        ties,
        "The choice of models to pair does not depend on the outcome."
        if result.chosen_pairs is None
        else "Earlier votes choose the models to pair only by pair_probability.",
        "Standard errors are robust (sandwich), so they do not rely on a model of ties or of "
        "shared prompts and judges.",
    )
