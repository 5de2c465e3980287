"""Write the notes and assumptions of Items, including conclusions that do not follow."""

import math
from collections.abc import Iterator

from nstar._verbs.items import Items
from nstar._verbs.items.result import FEWEST
from nstar.errors import arg
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.gap import gap
from nstar.report.prose.numbers import count, items, level, percent, ratio

_ENOUGH = 15
"""Minimum number of models for a meaningful correlation over them."""


def _suspects(result: Items) -> Iterator[str]:
    m = len(result.models)
    if m < FEWEST:
        yield f"Answer keys to check are listed only when there are {FEWEST} or more models."
        return
    if not result.negative_share:
        return
    chance = _by_chance(result)
    if m < _ENOUGH:
        yield (
            f"With {m} models, a low item–rest correlation is mostly due to chance. Use the list "
            f"for review, not as a test.{chance}"
        )
        return
    yield (
        f"{percent(result.negative_share, 1)} of items have a negative item–rest correlation "
        f"({percent(result.low_share, 1)} below −0.2). Check their answer keys.{chance}"
    )


def _by_chance(result: Items) -> str:
    """Return the number of items that chance alone flags."""
    negative, low = result.negative_share_by_chance, result.low_share_by_chance
    if negative is None or low is None:
        return ""
    return (
        " With correct keys and equal discrimination, chance alone puts about "
        f"{count(round(negative * result.n_items))} of {items(result.n_items)} below 0 and "
        f"{count(round(low * result.n_items))} below −0.2."
    )


def wrong_keys(result: Items) -> str:
    """Return the effect of wrong keys, if it was requested."""
    e = result.label_error_share
    if e is None:
        return ""
    if not result.label_error_impacts:
        return (
            "The cost of wrong answer keys can be computed only for 0/1 scores and with a gap "
            "between the top two models."
        )
    smallest, largest = result.label_error_impacts[0], result.label_error_impacts[-1]
    return (
        f"If {percent(e)} of the answer keys are wrong, gaps shrink by {percent(e)}, and "
        f"detecting them takes {ratio(smallest.n_star_ratio)}–{ratio(largest.n_star_ratio)}× as "
        "many items."
    )


def _signal(result: Items) -> Iterator[str]:
    signal = result.signal_noise
    if signal.n_adjacent > 1:
        verb = "exceeds its MDE" if signal.n_above_mde == 1 else "exceed their MDE"
        yield f"{count(signal.n_above_mde)} of {count(signal.n_adjacent)} adjacent gaps {verb}."


def notes(result: Items) -> Iterator[str]:
    """Yield the notes, starting with those that change the result most."""
    yield from findings(result.findings, ("fatal", "warning"))
    if result.split is not None and result.split.pairs:
        yield (
            "The two kinds of items can differ in other ways as well. A change does not prove "
            "contamination, and the absence of a change does not rule it out."
        )
    if result.label_error_share is not None and result.label_error_impacts:
        yield (
            "Wrong answer keys do not set a lower limit: smaller gaps can be real. Models trained "
            f"on the wrong keys can gain up to {gap(result, result.label_error_share)}."
        )
    ceiling = result.ceiling
    if ceiling is not None:
        gap_text = gap(result, ceiling.max_gap)
        text = (
            f"Ceiling: both leaders score at least 95%, so a perfect model can lead by {gap_text}"
        )
        if math.isinf(ceiling.mde) or ceiling.mde > ceiling.max_gap:
            yield f"{text} at most, which these items cannot detect."
        else:
            yield f"{text} at most; these items detect {gap(result, ceiling.mde)} at best."
    top = result.item_counts_top
    if top.n_non_discriminating and top.n_discriminating:
        times = ratio(top.n_items / top.n_discriminating)
        reason = "the test does not use them" if result.is_binary else "t hardly changes"
        yield (
            f"Removing non-discriminating items only saves money: {reason}, and gaps among the "
            f"top {top.n_models} models grow by a factor of {times} without becoming more "
            "significant."
        )
    yield from _suspects(result)


def detail(result: Items) -> Iterator[str]:
    """Yield the notes of the full report."""
    if result.n_items_left_out:
        yield f"Excluded: {items(result.n_items_left_out)} that not every model answered."
    elif not result.is_complete:
        yield (
            "Some models lack items; an item does not discriminate if all models that answered it "
            f"agree. To use only items that all models answered, set {arg('items', 'common')}."
        )
    revival = result.revival
    if revival is not None and result.item_counts.n_non_discriminating:
        yield (
            f"One more similar model would make about {percent(revival.all_wrong_share, 1)} of "
            f"the all-wrong and {percent(revival.all_correct_share, 1)} of the all-right items "
            f"discriminating (at most {percent(revival.all_wrong_share_max, 0)} and "
            f"{percent(revival.all_correct_share_max, 0)})."
        )
    yield from _signal(result)
    signal = result.signal_noise
    if signal.se > 0:
        yield (
            f"Model means have an SD of {gap(result, signal.sd)}, {ratio(signal.sd / signal.se)}× "
            "the SE of a typical adjacent gap. Like reliability, this depends on the models."
        )
    reliability = result.reliability
    if reliability is not None and not math.isnan(reliability.cronbach_alpha):
        kind = "KR-20" if result.is_binary else "Cronbach's alpha"
        parts = [f"{reliability.cronbach_alpha:.4f} on {items(reliability.n_items)}"]
        if not math.isnan(reliability.cronbach_alpha_top):
            top = result.item_counts_top.n_models
            parts.append(f"{reliability.cronbach_alpha_top:.4f} among the top {top}")
        parts += [
            f"{value:.3f} with {items(int(n))}"
            for n, value in reliability.cronbach_alpha_at.items()
        ]
        yield (
            f"Reliability ({kind}) is {', '.join(parts)}. It reflects the spread of the models, "
            "not the quality of the benchmark."
        )
    yield from findings(result.findings, ("note",))


def basis(result: Items) -> str:
    """Return the assumptions of the answer, in one sentence."""
    return f"independent items; {level(result.criteria.alpha, 2)} per pair, unadjusted."


def assumptions(result: Items) -> Iterator[str]:
    """Yield all assumptions."""
    basis_text = basis(result)
    yield basis_text[0].upper() + basis_text[1:]
    yield "An item does not discriminate if all models that answered it have the same score."
    yield (
        "The item–rest correlation is computed over models, between their scores on the item and "
        "their means on other items. Related models count as independent."
    )
    if result.split is not None:
        yield (
            "The CI of a change combines the CIs of both gaps (MOVER); the two kinds of items are "
            "independent."
        )
    if result.label_error_impacts:
        yield (
            "On items with a wrong key, both models score by chance and independently. The items "
            "needed follow Connor's formula."
        )
