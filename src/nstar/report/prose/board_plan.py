"""A BoardPlan in words: what items resolve on a board of models like a pilot's."""

import math

from nstar._verbs.plan.board_result import BoardClaim, BoardClaims, BoardPlan, BoardRow
from nstar.errors import arg
from nstar.report.documents import Document, TextTable
from nstar.report.prose.numbers import count, items, level, name, percent, pp, probability

_CLAIMS: dict[BoardClaim, str] = {
    "pair": "two neighbours, fixed in advance",
    "all-pairs": "any two of all, at once",
    "control": "any one against a control",
    "best": "choosing the best",
}
_MIN_PILOT_ITEMS_NORMAL = 100
"""Items of a pilot below which its interval is rough."""
_FEW_MODELS = 5
"""Models of a pilot below which their spread says little of others."""


def _gap(plan: BoardPlan, value: float | None, *, column: bool = False) -> str:
    """In points for scores from 0 to 1, else in score units."""
    if value is None or not math.isfinite(value):
        return "–" if value is None else "none"
    if plan.limits == (0.0, 1.0):
        return pp(value, column=column)
    return f"{value:.4g}" if column else f"{value:.3g}"


def _row(reading: BoardClaims, claim: BoardClaim) -> BoardRow:
    return next(row for row in reading.rows if row.claim == claim)


def _unit(plan: BoardPlan) -> str:
    if plan.pilot_runs == 1:
        return ""
    return f" ({plan.pilot_runs:.3g} runs each)"


def _where(plan: BoardPlan) -> str:
    same = plan.models == plan.pilot_models
    if same:
        return f"the pilot's {plan.models:,} models"
    return f"{plan.models:,} models like the pilot's"


def _groups(reading: BoardClaims, n: float | None) -> int | None:
    """Other groups that so many items come from; None where groups are not what is sampled."""
    if reading.items_are != "clusters" or n is None or not math.isfinite(n):
        return None
    return reading.clusters or math.ceil(n / (reading.cluster_size or 1.0))


def _each(reading: BoardClaims) -> str:
    """Size of new groups; empty where their number is kept."""
    if reading.clusters:
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
    first = plan.readings[0]
    groups = _in_groups(first, plan.items)
    if plan.budget is None:
        comma = "," if ", " in groups else ""
        return f"On {items(plan.items or 0)}{_unit(plan)}{groups}{comma}"
    bought = f"that a budget of {plan.budget:,.10g} buys"
    return f"On the {items(plan.items or 0)}{_unit(plan)} {bought}{groups and ','}{groups},"


def _items_headline(plan: BoardPlan) -> str:
    """What given items resolve."""
    first = plan.readings[0]
    if _row(first, "pair").mde is None:
        size = first.cluster_size or 0
        return (
            f"{items(plan.items or 0)} are not two groups of {size:,.4g} items, as the pilot's "
            f"{name(first.column or '', limit=40)} has them: on other groups they show nothing."
        )
    if not math.isfinite(_row(first, "all-pairs").mde or math.inf):
        return (
            f"{_planned(plan)} no gap at all is proved between any two of "
            f"{_where(plan)} ({level(plan.criteria.alpha, plan.criteria.sides)})."
        )
    gaps = {claim: _gap(plan, _row(first, claim).mde) for claim in _CLAIMS}
    rule = f"{probability(plan.criteria.power)} power, "
    rule += level(plan.criteria.alpha, plan.criteria.sides)
    sure = probability(1 - plan.criteria.alpha)
    return (
        f"{_planned(plan)} {_where(plan)} are told apart if any two "
        f"differ by {gaps['all-pairs']} (all pairs at once; {rule}) or a model and a control by "
        f"{gaps['control']}; one pair of neighbours fixed in advance if it differs by "
        f"{gaps['pair']}; and the best is on top with probability {sure} if it leads by "
        f"{gaps['best']}."
    )


def _gap_headline(plan: BoardPlan) -> str:
    """What a gap takes."""
    first = plan.readings[0]
    need = {c: _need(_row(first, c)) for c in _CLAIMS}
    each = "" if plan.pilot_runs == 1 else f"; {plan.pilot_runs:.3g} runs of each"
    rule = f"{probability(plan.criteria.power)} power, "
    rule += level(plan.criteria.alpha, plan.criteria.sides)
    sure = probability(1 - plan.criteria.alpha)
    return (
        f"To tell any two of {_where(plan)} apart that differ by {_gap(plan, plan.delta)} takes "
        f"{need['all-pairs']}{_in_groups(first, _row(first, 'all-pairs').n_star)} (all pairs at "
        f"once; {rule}{each}), against a control "
        f"{need['control']}; one pair of neighbours fixed in advance {need['pair']}; to have the "
        f"best on top with probability {sure} if it leads by that much {need['best']}."
    )


def _need(row: BoardRow) -> str:
    if row.n_star is None or math.isinf(row.n_star):
        return "more than any number of items"
    return items(row.n_star)


def _title(reading: BoardClaims, plan: BoardPlan) -> str:
    column = name(reading.column or "", limit=40)
    if reading.items_are == "strata":
        return f"Items of the same {reading.groups:,} groups by {column}, in the same shares"
    if reading.items_are == "items":
        return "Items like the pilot's" + (" and of its groups" if len(plan.readings) > 1 else "")
    groups = _groups(reading, plan.items)
    kept = f"{groups:,} other groups" if groups else "other groups"
    each = _each(reading)
    known = f"{each}{each and ', '}ICC {reading.icc:g}; the pilot has {reading.groups:,}"
    return f"Items of {kept} by {column} ({known})"


def _range(low: str, high: str) -> str:
    return low if low == high else f"{low} to {high}"


def _grid(plan: BoardPlan, reading: BoardClaims) -> TextTable:
    header = ["to tell apart"]
    sure = any(x is not None for row in reading.rows for x in (row.mde_low, row.n_low))
    header += ["smallest gap" if plan.items is not None else "items needed"]
    header += ["groups"] if plan.items is None and reading.items_are == "clusters" else []
    header += ["95 % interval"] if sure else []
    header += ["items needed"] if plan.items is not None and plan.delta is not None else []
    header += ["enough with 90 %"] if sure and plan.delta is not None else []
    header += ["probability"] if plan.items is not None and plan.delta is not None else []

    def cells(row: BoardRow) -> tuple[str, ...]:
        low, high = (_gap(plan, x, column=True) for x in (row.mde_low, row.mde_high))
        if plan.items is None:
            low, high = count(row.n_low), count(row.n_high)
        full = {
            "to tell apart": _CLAIMS[row.claim],
            "smallest gap": _gap(plan, row.mde, column=True),
            "items needed": count(row.n_star),
            "groups": count(_groups(reading, row.n_star)),
            "95 % interval": _range(low, high),
            "enough with 90 %": count(row.n_assured),
            "probability": "–" if row.reached is None else probability(row.reached),
        }
        return tuple(full[h] for h in header)

    rows = tuple(cells(row) for row in reading.rows)
    return TextTable(title=_title(reading, plan), header=tuple(header), rows=rows)


def _outlook(plan: BoardPlan) -> list[str]:
    found = plan.outlook
    if found is None:
        return []
    rough = ""
    if plan.pilot_models < _FEW_MODELS < plan.models:
        rough = (
            f" How far apart models lie is known from {plan.pilot_models} of them only, so all "
            "this is a guess."
        )
    return [
        f"On such boards neighbours are typically {_gap(plan, found.gap)} apart "
        f"({found.reps:,} simulated, true scores as the pilot leaves them possible): "
        f"{percent(round(found.neighbours, 2))} of neighbours are told apart, the best model is "
        f"on top in {percent(round(found.winner, 2))} and proved to be in "
        f"{percent(round(found.winner_proved, 2))}; there are {found.tiers:.1f} tiers, and a "
        f"model has {found.rank_width:.1f} possible ranks of {plan.models:,}, on average.{rough}"
    ]


def _notes(plan: BoardPlan) -> tuple[str, ...]:
    notes = _outlook(plan)
    if not plan.declared and len(plan.readings) > 1:
        notes.append(
            "The pilot's items are in groups. If the items to come are of the same groups, the "
            f"first table holds ({arg('strata', 'COLUMN')} says so, and may need fewer); if of "
            f"others, the table of that column does ({arg('cluster', 'COLUMN')})."
        )
    notes.append(
        "To choose is not to prove: the best is on top with far fewer items than it takes to "
        "show that it is ahead. Power is that of one given pair, not of every pair."
    )
    if plan.cost is not None:
        of = "" if plan.budget is None else f" of {plan.budget:,.10g}"
        notes.append(
            f"{items(plan.items or 0)} × {plan.models:,} models cost {plan.cost:,.10g}{of}."
        )
    if plan.pilot_items < _MIN_PILOT_ITEMS_NORMAL:
        notes.append(
            f"The pilot has {items(plan.pilot_items)}: its noise is known so roughly that the "
            "interval beside each figure matters more than the figure."
        )
    if plan.pilot_dropped:
        notes.append(
            f"{items(plan.pilot_dropped)} of the pilot were left out, because some model has no "
            "score there."
        )
    return tuple(notes)


def _assumptions(plan: BoardPlan) -> tuple[str, ...]:
    first = plan.readings[0]
    like = ""
    if plan.outlook is not None and plan.models < plan.pilot_models:
        like = " Boards are simulated with so many of its models, drawn at random."
    elif plan.outlook is not None and plan.models > plan.pilot_models:
        like = " Boards are simulated with models whose true scores spread as the pilot's do."
    noisy = (
        f"; {first.sd_noisy:.3g} or more for a tenth of them, whose gaps must be larger in "
        "proportion"
        if plan.pilot_models > 2  # one pair has no tenth
        else ""
    )
    return (
        f"Noise is that of neighbours by score among the pilot's {plan.pilot_models:,} models on "
        f"{items(plan.pilot_items)}: the per-item difference has sd {first.sd:.3g}, the root of "
        f"their mean variance{noisy}.{like}",
        "All pairs by Tukey, a control by Dunnett, the best by Bechhofer: as if all models were "
        "equally noisy and equally alike. Intervals come from the spread of the noise over the "
        "pilot's items, or groups.",
    )


def document(plan: BoardPlan) -> Document:
    """Headline, a table for each reading of the items, notes, assumptions."""
    grids = tuple(_grid(plan, reading) for reading in plan.readings)
    return Document(
        headline=_gap_headline(plan) if plan.items is None else _items_headline(plan),
        key=grids[:1],
        grids=grids,
        chart=None,
        notes=_notes(plan),
        assumptions=_assumptions(plan),
    )
