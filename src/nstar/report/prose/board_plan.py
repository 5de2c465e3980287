"""A BoardPlan in words: what items resolve on a board of many models."""

import math

from nstar._verbs.plan.board_result import BoardClaim, BoardClaims, BoardPlan, BoardRow
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.numbers import count, items, level, name, pp, probability
from nstar.report.prose.plan import document as plan_document
from nstar.report.prose.plan_terms import score_units

_CLAIMS: dict[BoardClaim, str] = {
    "pair": "two adjacent models, fixed in advance",
    "all-pairs": "any two models",
    "control": "any model and a control",
    "best": "the best and all others, to pick it",
}
_MIN_PILOT_ITEMS_NORMAL = 100
"""Items of a pilot below which its interval is rough."""
_FEW_MODELS = 5
"""Models of a pilot below which their spread says little of others."""


def _gap(plan: BoardPlan, value: float | None, *, column: bool = False) -> str:
    """In points for scores from 0 to 1, else in score units."""
    if value is None or not math.isfinite(value):
        return "–" if value is None else "none"
    if plan.score_range == (0.0, 1.0):
        return pp(value, column=column)
    return f"{value:.4g}" if column else f"{value:.3g}"


def _row(reading: BoardClaims, claim: BoardClaim) -> BoardRow:
    return next(row for row in reading.claims if row.claim == claim)


def _unit(plan: BoardPlan) -> str:
    if plan.mean_pilot_runs == 1:
        return ""
    return f" ({plan.mean_pilot_runs:.3g} runs each)"


def _between(plan: BoardPlan) -> str:
    """The pairs that a gap is about."""
    own = plan.n_models == plan.n_pilot_models
    if plan.n_models == 2:
        return "between the pilot's two models" if own else "between two models like the pilot's"
    if own:
        return f"between any two of the pilot's {plan.n_models:,} models"
    return f"between any two of {plan.n_models:,} models like the pilot's"


def _groups(reading: BoardClaims, n: float | None) -> int | None:
    """Other groups that so many items come from; None where groups are not what is sampled."""
    if reading.items_are != "clusters" or n is None or not math.isfinite(n):
        return None
    return reading.n_clusters or math.ceil(n / (reading.cluster_size or 1.0))


def _each(reading: BoardClaims) -> str:
    """Size of new groups; empty where their number is kept."""
    if reading.n_clusters:
        return ""
    size = reading.cluster_size or 1.0
    return f"{size:,.0f} items each" if size >= 10 else f"{size:.2g} items each"


def _in_groups(reading: BoardClaims, n: float | None) -> str:
    """The other groups that so many items come from, and their size where they are new ones."""
    groups = _groups(reading, n)
    if groups is None:
        return ""
    each = _each(reading)
    column = name(reading.column or "", limit=40)
    return f" of {groups:,} other groups by {column}{each and ', '}{each}"


def _planned(plan: BoardPlan) -> str:
    """The items planned, and what bought them."""
    groups = _in_groups(plan.readings[0], plan.n_items)
    comma = "," if ", " in groups else ""
    if plan.budget is None:
        return f"{items(plan.n_items or 0)}{_unit(plan)}{groups}{comma}"
    bought = f"that a budget of {plan.budget:,.10g} buys"
    return f"The {items(plan.n_items or 0)}{_unit(plan)} {bought}{groups and ','}{groups}{comma}"


def _tested(plan: BoardPlan) -> str:
    pairs = "" if plan.n_models == 2 else ", all pairs"
    return f"{level(plan.criteria.alpha, plan.criteria.sides)}{pairs}"


def _items_headline(plan: BoardPlan) -> str:
    """What the planned items resolve, or their power for the planned gap."""
    first = plan.readings[0]
    if _row(first, "pair").mde is None:
        size = first.cluster_size or 0
        return (
            f"{items(plan.n_items or 0)} are fewer than two groups of {size:,.4g} items, the size "
            f"of the pilot's {name(first.column or '', limit=40)}: no gap is detected on other "
            "groups."
        )
    if plan.delta is not None:
        return _power_headline(plan)
    found, best = _row(first, "all-pairs"), _row(first, "best")
    if not math.isfinite(found.mde or math.inf):
        return f"{_planned(plan)} detect no gap {_between(plan)} ({_tested(plan)})."
    sure = probability(best.power)
    return (
        f"{_planned(plan)} detect gaps of {_gap(plan, found.mde)} {_between(plan)} "
        f"({probability(found.power)} power, {_tested(plan)}). The best model is on top with "
        f"{sure} probability if it leads by {_gap(plan, best.mde)}."
    )


def _power_headline(plan: BoardPlan) -> str:
    """Power of the planned items for the planned gap, and what it would take."""
    first = plan.readings[0]
    found, best, delta = _row(first, "all-pairs"), _row(first, "best"), _gap(plan, plan.delta)
    need = f"{probability(found.power)} power takes {_need(found)}"
    if found.mde is not None and math.isfinite(found.mde):
        need += f"; {items(plan.n_items or 0)} detect {_gap(plan, found.mde)}"
    return (
        f"{_planned(plan)} have {probability(found.power_at_delta)} power to detect a gap of "
        f"{delta} {_between(plan)} ({_tested(plan)}). {need}. The best model is on top with "
        f"{probability(best.power_at_delta)} probability if it leads by {delta}."
    )


def _gap_headline(plan: BoardPlan) -> str:
    """What a gap takes."""
    first = plan.readings[0]
    found, best = _row(first, "all-pairs"), _row(first, "best")
    each = "" if plan.mean_pilot_runs == 1 else f"; {plan.mean_pilot_runs:.3g} runs of each"
    groups = _in_groups(first, found.n_star)
    return (
        f"Detecting a gap of {_gap(plan, plan.delta)} {_between(plan)} takes "
        f"{_need(found)}{groups} ({probability(found.power)} power, {_tested(plan)}{each}). "
        f"Picking the best model takes {_need(best)} if it leads by that much (correct with "
        f"{probability(best.power)} probability)."
    )


def _need(row: BoardRow) -> str:
    if row.n_star is None or math.isinf(row.n_star):
        return "more than any number of items"
    return items(row.n_star)


def _title(reading: BoardClaims, plan: BoardPlan) -> str:
    column = name(reading.column or "", limit=40)
    if reading.items_are == "strata":
        return f"Items of the same {reading.n_groups:,} groups by {column}, in the same shares"
    if reading.items_are == "items":
        return "Items like the pilot's" + (" and of its groups" if len(plan.readings) > 1 else "")
    groups = _groups(reading, plan.n_items)
    kept = f"{groups:,} other groups" if groups else "other groups"
    each = _each(reading)
    known = f"{each}{each and ', '}ICC {reading.icc:g}; the pilot has {reading.n_groups:,}"
    return f"Items of {kept} by {column} ({known})"


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _grid(plan: BoardPlan, reading: BoardClaims) -> TextTable:
    header = ["gap between"]
    sure = any(x is not None for row in reading.claims for x in (row.mde_low, row.n_star_low))
    header += ["smallest gap" if plan.n_items is not None else "items needed"]
    header += ["groups"] if plan.n_items is None and reading.items_are == "clusters" else []
    header += ["95% interval"] if sure else []
    header += ["items needed"] if plan.n_items is not None and plan.delta is not None else []
    header += ["enough with 90%"] if sure and plan.delta is not None else []
    header += ["probability"] if plan.n_items is not None and plan.delta is not None else []

    def cells(row: BoardRow) -> tuple[str, ...]:
        low, high = (_gap(plan, x, column=True) for x in (row.mde_low, row.mde_high))
        if plan.n_items is None:
            low, high = count(row.n_star_low), count(row.n_star_high)
        full = {
            "gap between": _CLAIMS[row.claim],
            "smallest gap": _gap(plan, row.mde, column=True),
            "items needed": count(row.n_star),
            "groups": count(_groups(reading, row.n_star)),
            "95% interval": _range(low, high),
            "enough with 90%": count(row.n_star_assured),
            "probability": "–" if row.power_at_delta is None else probability(row.power_at_delta),
        }
        return tuple(full[h] for h in header)

    rows = tuple(cells(row) for row in reading.claims)
    return TextTable(title=_title(reading, plan), header=tuple(header), rows=rows)


def _forecast(value: float, ends: tuple[float, float]) -> str:
    """A share of boards with its range."""
    low, high = map(probability, ends)
    return f"{probability(value)} [{low} to {high}]"


def _outlook(plan: BoardPlan) -> list[str]:
    found = plan.forecast
    if found is None:
        if plan.n_items is None or min(plan.n_models, plan.n_pilot_models) > 2:
            return []
        return [
            "Two models have no forecast, because one gap cannot estimate the spread of models. "
            "The table shows the smallest gap that these items detect."
        ]
    low, high = (_gap(plan, end) for end in found.gap_range)
    notes = [
        f"Forecast from {found.n_boards:,} simulated boards: the best model is on top in "
        f"{_forecast(found.winner, found.winner_range)} and significantly ahead of all others in "
        f"{_forecast(found.winner_proved, found.winner_proved_range)}. Adjacent models are "
        f"typically {_gap(plan, found.gap)} apart [{low} to {high}]; "
        f"{_forecast(found.neighbors, found.neighbors_range)} of them differ significantly. "
        f"On average, there are {found.tiers:.1f} tiers, and a model has {found.rank_width:.1f} "
        f"of {plan.n_models:,} possible ranks. Brackets give the 10–90% range over the posterior "
        "of the spread of true scores."
    ]
    if found.spread == 0:
        notes.append(
            "The pilot's scores vary no more than chance alone explains. A pilot without spread "
            "cannot show which model will lead, so the forecast depends on the prior."
        )
    else:
        notes.append(
            "A pilot without spread cannot show which model will lead. The forecast depends "
            "on the estimated spread: the standard deviation of true scores is about "
            f"{_gap(plan, found.spread)}."
        )
    if plan.n_pilot_models < _FEW_MODELS < plan.n_models:
        notes.append(
            f"The spread is estimated from only {plan.n_pilot_models} models, so the forecast is "
            "very uncertain."
        )
    return notes


def _notes(plan: BoardPlan) -> tuple[str, ...]:
    notes = _outlook(plan)
    if not plan.is_declared and len(plan.readings) > 1:
        notes.append(
            "The pilot's items are in groups. If the items to come are of the same groups, the "
            f"first table holds ({arg('strata', 'COLUMN')} says so, and may need fewer); if of "
            f"others, the table of that column does ({arg('cluster', 'COLUMN')})."
        )
    notes.append(
        "Picking the best takes fewer items than proving that it is best. Power is for one "
        "given pair, not for all pairs simultaneously."
    )
    if plan.cost is not None:
        of = "" if plan.budget is None else f" of {plan.budget:,.10g}"
        notes.append(
            f"{items(plan.n_items or 0)} × {plan.n_models:,} models cost {plan.cost:,.10g}{of}."
        )
    if plan.n_pilot_items < _MIN_PILOT_ITEMS_NORMAL:
        notes.append(
            f"The pilot has {items(plan.n_pilot_items)}: its noise is known so roughly that the "
            "interval beside each figure matters more than the figure."
        )
    if plan.n_pilot_items_left_out:
        notes.append(
            f"{items(plan.n_pilot_items_left_out)} of the pilot were left out, because some "
            "model has no score there."
        )
    units = score_units(plan.score_range)
    if units is not None:
        notes.append(units)
    return (*notes, *findings(plan.findings))


def _assumptions(plan: BoardPlan) -> tuple[str, ...]:
    first = plan.readings[0]
    like = ""
    if plan.forecast is not None and plan.n_models < plan.n_pilot_models:
        like = " Boards are simulated with that many of its models, drawn at random."
    elif plan.forecast is not None and plan.n_models > plan.n_pilot_models:
        like = " Boards are simulated with models whose true scores spread as the pilot's do."
    noisy = (
        f"; {first.sd_noisy:.3g} or more for a tenth of them, whose gaps must be larger in "
        "proportion"
        if plan.n_pilot_models > 2  # one pair has no tenth
        else ""
    )
    return (
        f"Noise is that of neighbors by score among the pilot's {plan.n_pilot_models:,} models "
        f"on {items(plan.n_pilot_items)}: the per-item difference has sd {first.sd:.3g}, the root "
        f"of their mean variance{noisy}.{like}",
        "All pairs by Tukey, a control by Dunnett, the best by Bechhofer: as if all models were "
        "equally noisy and equally alike. Intervals come from the spread of the noise over the "
        "pilot's items, or groups.",
    )


def document(plan: BoardPlan) -> Document:
    """Headline, a table for each reading of the items, notes, assumptions."""
    if plan.assumed is not None:
        return plan_document(plan.assumed)
    grids = tuple(_grid(plan, reading) for reading in plan.readings)
    return Document(
        headline=_gap_headline(plan) if plan.n_items is None else _items_headline(plan),
        key=grids[:1],
        grids=grids,
        chart=None,
        notes=_notes(plan),
        assumptions=_assumptions(plan),
    )
