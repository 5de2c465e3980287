"""Write the report of a plan of a leaderboard."""

import math

from nstar._verbs.plan.board_result import BoardClaim, BoardClaims, BoardPlan, BoardRow
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.numbers import count, items, level, name, plural_of, probability
from nstar.report.prose.plan import document as plan_document
from nstar.report.prose.plan_terms import points, precision, score_units, with_article

_CLAIMS: dict[BoardClaim, str] = {
    "pair": "two adjacent models, chosen in advance",
    "all-pairs": "any two models",
    "control": "any model and the control",
    "best": "best and second, to pick the best",
}
_ITEMS_ARE = {
    "items": "independent items like those of the pilot",
    "strata": "new items from the pilot's groups",
    "clusters": "items from new groups, which are a random sample",
}
_MIN_PILOT_ITEMS_NORMAL = 100
"""Number of pilot items below which the interval is only approximate."""
_FEW_MODELS = 5
"""Number of pilot models below which their variation says little about other models."""


def _computed(plan: BoardPlan, value: float | None) -> str:
    """Return a computed gap as text. All gaps of one result have the same decimals."""
    mde = _row(plan.readings[0], "all-pairs").mde
    return _gap(plan, value, digits=precision([mde if mde is not None else plan.delta]))


def _gap(plan: BoardPlan, value: float | None, *, digits: int | None = None) -> str:
    """Return a gap as text: in points for scores from 0 to 1, else in score units."""
    if value is None or not math.isfinite(value):
        return "–" if value is None else "none"
    if plan.score_range == (0.0, 1.0):
        return points(value, digits)
    return f"{value:.3g}"


def _row(reading: BoardClaims, claim: BoardClaim) -> BoardRow:
    return next(row for row in reading.claims if row.claim == claim)


def _unit(plan: BoardPlan) -> str:
    if plan.mean_pilot_runs == 1:
        return ""
    return f" ({plan.mean_pilot_runs:.3g} runs each)"


def _between(plan: BoardPlan) -> str:
    """Return the pairs that a gap refers to."""
    is_pilot_size = plan.n_models == plan.n_pilot_models
    if plan.n_models == 2:
        return (
            "between the pilot's two models"
            if is_pilot_size
            else "between two models like the pilot's"
        )
    if is_pilot_size:
        return f"between any two of the pilot's {plan.n_models:,} models"
    return f"between any two of {plan.n_models:,} models like the pilot's"


def _groups(reading: BoardClaims, n: float | None) -> int | None:
    """Return the number of new groups for a number of items; None if groups are not sampled."""
    if reading.items_are != "clusters" or n is None or not math.isfinite(n):
        return None
    return reading.n_clusters or math.ceil(n / (reading.cluster_size or 1.0))


def _each(reading: BoardClaims) -> str:
    """Return the size of new groups; empty if their number is fixed."""
    if reading.n_clusters:
        return ""
    size = reading.cluster_size or 1.0
    return f"{size:,.0f} items each" if size >= 10 else f"{size:.2g} items each"


def _in_groups(reading: BoardClaims, n: float | None) -> str:
    """Return the number of new groups for the items."""
    groups = _groups(reading, n)
    if groups is None:
        return ""
    return f" from {groups:,} new {plural_of(reading.column or '')}"


def _planned(plan: BoardPlan) -> str:
    """Return the planned items, and their cost if a budget set them."""
    groups = _in_groups(plan.readings[0], plan.n_items)

    if plan.budget is None:
        return f"{items(plan.n_items or 0)}{_unit(plan)}{groups}"
    bought = f"A budget of {plan.budget:,.10g} buys {items(plan.n_items or 0)}{_unit(plan)}"
    return f"{bought}{groups}, which"


def _tested(plan: BoardPlan) -> str:
    pairs = "" if plan.n_models == 2 else " for all pairs"
    return f"{level(plan.criteria.alpha, plan.criteria.sides)}{pairs}"


def _items_headline(plan: BoardPlan) -> str:
    """Return the gap that the planned items detect, or their power for the planned gap."""
    first = plan.readings[0]
    if _row(first, "pair").mde is None:
        size = first.cluster_size or 0
        return (
            f"{items(plan.n_items or 0)} do not fill two groups of {size:,.4g} items, the group "
            f"size of {name(first.column or '', limit=40)} in the pilot, so the result cannot "
            "generalize to new groups."
        )
    if plan.delta is not None:
        return _power_headline(plan)
    all_pairs, best = _row(first, "all-pairs"), _row(first, "best")
    if not math.isfinite(all_pairs.mde or math.inf):
        return f"{_planned(plan)} detect no gap {_between(plan)}."
    sure = probability(best.power)
    return (
        f"{_planned(plan)} detect gaps of {_computed(plan, all_pairs.mde)} {_between(plan)} "
        f"({_rule(plan, all_pairs)}). The best model ranks first with {sure} probability if it "
        f"leads by {_computed(plan, best.mde)}.{_typically(plan)}"
    )


def _typically(plan: BoardPlan) -> str:
    """Return what the leaderboard is expected to show, as the next sentence."""
    forecast = plan.forecast
    if forecast is None:
        return ""
    return (
        f" Adjacent models are typically {_computed(plan, forecast.gap)} apart, so about "
        f"{probability(forecast.neighbors)} of those gaps would be significant."
    )


def _rule(plan: BoardPlan, row: BoardRow) -> str:
    """Return the power, and that the test is one-sided if it is."""
    each = "" if plan.n_models == 2 else " per pair"
    side = ", one-sided" if plan.criteria.sides == 1 else ""
    return f"{probability(row.power)} power{each}{side}"


def _power_headline(plan: BoardPlan) -> str:
    """Return the power of the planned items for the planned gap, and the items needed."""
    first = plan.readings[0]
    all_pairs, best, delta = _row(first, "all-pairs"), _row(first, "best"), _gap(plan, plan.delta)
    need = f"{probability(all_pairs.power)} power takes {_need(all_pairs)}"
    if _is_never(all_pairs):
        groups = _in_groups(first, plan.n_items)
        need = f"No number of items{groups} gives {probability(all_pairs.power)} power"
    if all_pairs.mde is not None and math.isfinite(all_pairs.mde):
        need += f"; {items(plan.n_items or 0)} detect {_computed(plan, all_pairs.mde)}"
    return (
        f"{_planned(plan)} have {probability(all_pairs.power_at_delta)} power to detect "
        f"{with_article(delta)} gap {_between(plan)}. {need}. The best model ranks first with "
        f"{probability(best.power_at_delta)} probability if it leads by {delta}."
    )


def _gap_headline(plan: BoardPlan) -> str:
    """Return the items needed for a gap."""
    first = plan.readings[0]
    all_pairs, best = _row(first, "all-pairs"), _row(first, "best")
    each = "" if plan.mean_pilot_runs == 1 else f"; {plan.mean_pilot_runs:.3g} runs of each"
    if _is_never(all_pairs):
        gap_text = f"{with_article(_gap(plan, plan.delta))} gap {_between(plan)}"
        return f"No number of items detects {gap_text}."
    groups = _in_groups(first, all_pairs.n_star)
    return (
        f"Detecting {with_article(_gap(plan, plan.delta))} gap {_between(plan)} takes "
        f"{_need(all_pairs)}{groups} ({_rule(plan, all_pairs)}{each}). Picking the best model "
        f"takes {_need(best)} if it leads by {_gap(plan, plan.delta)} (correct with "
        f"{probability(best.power)} probability)."
    )


def _need(row: BoardRow) -> str:
    return "more items than exist" if _is_never(row) else items(row.n_star or 0)


def _is_never(row: BoardRow) -> bool:
    """Return whether no number of items is sufficient."""
    return row.n_star is None or math.isinf(row.n_star)


def _title(reading: BoardClaims, plan: BoardPlan) -> str:
    column = name(reading.column or "", limit=40)
    if reading.items_are == "strata":
        return (
            f"Plan for new items from the same {reading.n_groups:,} groups, defined by "
            f"{column}, in the same proportions"
        )
    if reading.items_are == "items":
        return "Plan for items like the pilot's" + ", from its groups" * (len(plan.readings) > 1)
    groups = _groups(reading, plan.n_items)
    groups_text = f"{groups:,} new groups" if groups else "new groups"
    each = _each(reading)
    known = f"{each}{each and ', '}ICC {reading.icc:g}; the pilot has {reading.n_groups:,} groups"
    return f"Plan for items from {groups_text}, defined by {column} ({known})"


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low.removesuffix(' pp')} to {high}"


def _grid(plan: BoardPlan, reading: BoardClaims) -> TextTable:
    header = ["gap between"]
    sure = any(x is not None for row in reading.claims for x in (row.mde_low, row.n_star_low))
    header += ["detectable gap" if plan.n_items is not None else "items needed"]
    header += ["groups"] if plan.n_items is None and reading.items_are == "clusters" else []
    header += ["95% CI"] if sure else []
    header += ["items needed"] if plan.n_items is not None and plan.delta is not None else []
    header += ["enough (90% sure)"] if sure and plan.delta is not None else []
    header += ["power"] if plan.n_items is not None and plan.delta is not None else []

    def cells(row: BoardRow) -> tuple[str, ...]:
        low, high = (_computed(plan, x) for x in (row.mde_low, row.mde_high))
        if plan.n_items is None:
            low, high = count(row.n_star_low), count(row.n_star_high)
        full = {
            "gap between": _CLAIMS[row.claim],
            "detectable gap": _computed(plan, row.mde),
            "items needed": count(row.n_star),
            "groups": count(_groups(reading, row.n_star)),
            "95% CI": _range(low, high),
            "enough (90% sure)": count(row.n_star_assured),
            "power": "–" if row.power_at_delta is None else probability(row.power_at_delta),
        }
        return tuple(full[h] for h in header)

    rows = tuple(cells(row) for row in reading.claims)
    return TextTable(title=_title(reading, plan), header=tuple(header), rows=rows)


def _forecast(value: float, ends: tuple[float, float]) -> str:
    """Return a share of leaderboards with its range."""
    low, high = map(probability, ends)
    return f"{probability(value)} ({low} to {high})"


def _outlook(plan: BoardPlan) -> list[str]:
    forecast = plan.forecast
    if forecast is None:
        if plan.n_items is None or min(plan.n_models, plan.n_pilot_models) > 2:
            return []
        return [
            "There is no forecast for two models, because a single gap does not show how much "
            "models vary."
        ]
    low, high = (_computed(plan, end) for end in forecast.gap_range)
    notes = [
        f"In {forecast.n_boards:,} simulations, adjacent models are "
        f"{_computed(plan, forecast.gap)} apart ({_range(low, high)}), and "
        f"{_forecast(forecast.neighbors, forecast.neighbors_range)} of these gaps are "
        "significant. The best model ranks first in "
        f"{_forecast(forecast.winner, forecast.winner_range)} and is proven best in "
        f"{_forecast(forecast.winner_proved, forecast.winner_proved_range)} of the simulations. "
        "The ranges cover the middle 80% of the uncertainty about the spread of true scores.",
        f"Expect {forecast.tiers:.1f} tiers. On average, a rank range covers "
        f"{forecast.rank_width:.1f} of {plan.n_models:,} ranks.",
    ]
    if forecast.spread == 0:
        notes.append(
            "The pilot's scores vary no more than expected by chance, so the forecast depends on "
            "the prior for the spread of true scores."
        )
    else:
        notes[-1] += f" The estimated SD of the true scores is {_computed(plan, forecast.spread)}."
    if plan.n_pilot_models < _FEW_MODELS < plan.n_models:
        notes.append(
            f"The spread of true scores is estimated from only {plan.n_pilot_models} models, so "
            "the forecast is very uncertain."
        )
    return notes


def _notes(plan: BoardPlan) -> tuple[str, ...]:
    notes = _outlook(plan)
    if not plan.is_declared and len(plan.readings) > 1:
        notes.append(
            "The pilot's items are grouped. The first table assumes new items from the same "
            f"groups ({arg('strata', 'COLUMN')}). For items from new groups, set "
            f"{arg('cluster', 'COLUMN')}."
        )
    if plan.n_models > 2:
        notes.append(
            "Picking the best model takes far fewer items than proving that it is best. The "
            "power is per pair."
        )
    if plan.cost is not None:
        of = "" if plan.budget is None else f" of the budget of {plan.budget:,.10g}"
        notes.append(
            f"Running {items(plan.n_items or 0)} on each of {plan.n_models:,} models costs "
            f"{plan.cost:,.10g}{of}."
        )
    if plan.n_pilot_items < _MIN_PILOT_ITEMS_NORMAL:
        notes.append(
            f"The pilot has only {items(plan.n_pilot_items)}, so rely on the CIs rather than on "
            "the estimates."
        )
    if plan.n_pilot_items_left_out:
        notes.append(
            f"Excluded: {items(plan.n_pilot_items_left_out)} of the pilot without a score for "
            "every model."
        )
    return (*notes, *score_units(plan.score_range), *findings(plan.findings))


def _assumptions(plan: BoardPlan) -> tuple[str, ...]:
    first = plan.readings[0]
    like = ""
    if plan.forecast is not None and plan.n_models < plan.n_pilot_models:
        like = " Each simulated board uses that many of the pilot's models, drawn at random."
    elif plan.forecast is not None and plan.n_models > plan.n_pilot_models:
        like = " In the simulated boards, true scores vary as much as those of the pilot."
    noisy = (
        f" For a tenth of the pairs, the SD is {first.sd_noisy:.3g} or more, and the detectable "
        "gap is larger in proportion."
        if plan.n_pilot_models > 2  # a tenth of one pair does not exist
        else ""
    )
    return (
        f"The noise is estimated from adjacent models of the pilot ({plan.n_pilot_models:,} "
        f"models, {items(plan.n_pilot_items)}). The per-item difference has SD {first.sd:.3g}, "
        f"the root of the mean variance.{noisy}{like}",
        "The methods are Tukey's for all pairs, Dunnett's for a control, and Bechhofer's for the "
        "best model. They assume that all models have equal noise and equal correlations. CIs "
        "reflect how the noise varies over the pilot's items or groups.",
    )


def document(plan: BoardPlan) -> Document:
    """Return the report: headline, a table for each design, notes, and assumptions."""
    if plan.assumed is not None:
        return plan_document(plan.assumed)
    grids = tuple(_grid(plan, reading) for reading in plan.readings)
    return Document(
        headline=_gap_headline(plan) if plan.n_items is None else _items_headline(plan),
        basis=f"{_ITEMS_ARE[plan.readings[0].items_are]}; noise as in the pilot; {_tested(plan)}.",
        key=grids[:1],
        grids=grids,
        chart=None,
        notes=_notes(plan),
        assumptions=_assumptions(plan),
    )
