"""What not to conclude from items: notes and assumptions."""

import math
from collections.abc import Iterator

from nstar._verbs.items import Items
from nstar._verbs.items.result import FEWEST
from nstar.errors import arg
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.gap import gap
from nstar.report.prose.numbers import count, items, level, often, percent, ratio, share

_ENOUGH = 15
"""Models below which a correlation over them is hardly one."""


def _split(result: Items) -> Iterator[str]:
    """What a gap that differs between two kinds of items can mean."""
    if result.split is not None and result.split.pairs:
        yield (
            "Two kinds of items differ in more than that: a change is never proof of "
            "contamination, nor is its absence proof of none."
        )


def _ceiling(result: Items) -> Iterator[str]:
    found = result.ceiling
    if found is None:
        return
    room = gap(result, found.max_gap)
    text = (
        "Ceiling: both leaders are at 95% or above, so they can differ on "
        f"{percent(found.max_psi, 1)} of the items at most, and a perfect model would be {room} "
        "ahead"
    )
    if math.isinf(found.mde) or found.mde > found.max_gap:
        yield f"{text}, which these items could not detect: nothing better can be told apart here."
    else:
        yield f"{text}; at best, if it loses no item, {gap(result, found.mde)} can be detected."


def _dropping(result: Items) -> Iterator[str]:
    top = result.item_counts_top
    if top.n_non_discriminating and top.n_discriminating:
        times = ratio(top.n_items / top.n_discriminating)
        why = "the test never looks at them" if result.is_binary else "t hardly moves"
        yield (
            f"Dropping dead items saves money and nothing else: {why}, and gaps among the top "
            f"{top.n_models} grow {times} times without meaning more."
        )


def _revival(result: Items) -> Iterator[str]:
    found = result.revival
    if found is None or not result.item_counts.n_non_discriminating:
        return
    yield (
        f"Dead so far: one more model like these revives {percent(found.all_wrong_share, 1)} of "
        "the items "
        f"that all got wrong and {percent(found.all_correct_share, 1)} of those all got right (at "
        "most "
        f"{percent(found.all_wrong_share_max, 0)} and {percent(found.all_correct_share_max, 0)})."
    )


def _suspects(result: Items) -> Iterator[str]:
    m = len(result.models)
    if m < FEWEST:
        yield f"Which keys to look at is told from {FEWEST} models on."
        return
    if not result.negative_share:
        return
    chance = _by_chance(result)
    if m < _ENOUGH:
        yield (
            f"With {m} models a low item-rest correlation is mostly chance: a list to look at, no "
            f"test.{chance}"
        )
        return
    yield (
        f"{percent(result.negative_share, 1)} of the items have a negative item-rest correlation, "
        f"{percent(result.low_share, 1)} one below −0.2 (median {share(result.median_r)}): a "
        "reason to "
        f"read the key, not evidence that it is wrong.{chance}"
    )


def _by_chance(result: Items) -> str:
    """How many items chance alone flags."""
    negative, low = result.negative_share_by_chance, result.low_share_by_chance
    if negative is None or low is None:
        return ""
    return (
        " With correct keys and equal discrimination, chance alone would put about "
        f"{count(round(negative * result.n_items))} of the {count(result.n_items)} items below 0 "
        "and "
        f"{count(round(low * result.n_items))} below −0.2."
    )


def wrong_keys(result: Items) -> str:
    """What wrong keys cost, if that was asked."""
    e = result.label_error_share
    if e is None:
        return ""
    if not result.label_error_impacts:
        return "What wrong keys cost is told of 0/1 scores whose two best models differ."
    least, most = result.label_error_impacts[0], result.label_error_impacts[-1]
    return (
        f"If {percent(e)} of the keys are wrong, gaps shrink by {percent(e)} of their size and "
        f"need {ratio(least.n_star_ratio)} to {ratio(most.n_star_ratio)} times the items."
    )


def _labels(result: Items) -> Iterator[str]:
    """A rate of wrong keys is not a floor."""
    if result.label_error_share is not None and result.label_error_impacts:
        yield (
            "A rate of wrong keys is not a floor under differences: smaller gaps than that share "
            "can be real. Only models that learned wrong keys are another matter: up to "
            f"{gap(result, result.label_error_share)} of bias."
        )


def _signal(result: Items) -> Iterator[str]:
    found = result.signal_noise
    if found.n_adjacent > 1:
        yield (
            f"{count(found.n_above_mde) if found.n_above_mde else 'None'} of "
            f"{count(found.n_adjacent)} "
            f"neighbors in rank {'is' if found.n_above_mde < 2 else 'are'} further "
            "apart than the smallest gap that these items can detect between them."
        )


def notes(result: Items) -> Iterator[str]:
    """What would change most first."""
    yield from findings(result.findings, ("fatal", "warning"))
    yield from _split(result)
    yield from _labels(result)
    yield from _ceiling(result)
    yield from _dropping(result)
    yield from _revival(result)
    yield from _suspects(result)
    yield from _signal(result)


def _left_out(result: Items) -> Iterator[str]:
    if result.n_items_left_out:
        yield f"{items(result.n_items_left_out)} that not all models have are left out."
    elif not result.is_complete:
        yield (
            "Some models lack some items: an item is dead if those that have it agree. For items "
            f"that all have: {arg('items', 'common')}."
        )


def _reliability(result: Items) -> Iterator[str]:
    found = result.reliability
    if found is None or math.isnan(found.cronbach_alpha):
        return
    kind = "KR-20" if result.is_binary else "Cronbach's alpha"
    fewer = "".join(
        f", {value:.3f} with {count(int(n))}" for n, value in found.cronbach_alpha_at.items()
    )
    top = (
        ""
        if math.isnan(found.cronbach_alpha_top)
        else f" (the top {result.item_counts_top.n_models}: {found.cronbach_alpha_top:.4f})"
    )
    yield (
        f"Reliability of the total: {kind} {found.cronbach_alpha:.4f}{top} with "
        f"{items(found.n_items)}"
        f"{fewer}. "
        "Do not quote it as quality: it rises with the spread of the models chosen, and says "
        "nothing of two that are close. The smallest detectable gap does."
    )


def detail(result: Items) -> Iterator[str]:
    """Notes of the whole report."""
    yield from _left_out(result)
    found = result.signal_noise
    if found.se > 0:
        yield (
            f"Signal over noise: the models' means have a standard deviation of "
            f"{gap(result, found.sd)}, {ratio(found.sd / found.se)} times the standard "
            "error of the gap of typical neighbors. Like reliability it is a matter of which "
            "models were chosen."
        )
    yield from _reliability(result)
    yield from findings(result.findings, ("note",))


def basis(result: Items) -> str:
    """What the answer rests on."""
    c = result.criteria
    return (
        "an item is dead if all models have the same score on it; detectable means found "
        f"{often(c.power)} at {level(c.alpha, 2)}, each pair alone, items independent."
    )


def assumptions(result: Items) -> Iterator[str]:
    """Everything it rests on."""
    said = basis(result)
    yield said[0].upper() + said[1:]
    yield (
        "The item-rest correlation of an item is that of its scores with the models' means over "
        "their other items, over models; related models count as if they were not."
    )
    if result.split is not None:
        yield (
            "The interval of a change combines those of the two gaps (MOVER), items of both kinds "
            "being independent draws."
        )
    if result.label_error_impacts:
        yield (
            "On a wrong key both models score by chance, independently; items needed are by "
            "Connor's formula."
        )
