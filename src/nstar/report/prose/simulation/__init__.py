"""A Simulation in words: what was counted, how well it is known, and where a level fails."""

from collections import Counter
from typing import Any, get_args

from nstar._base.version import __version__
from nstar._verbs.simulate.result import (
    LevelWord,
    Meaning,
    ProcedureKind,
    Rate,
    Simulation,
    promised,
)
from nstar._verbs.simulate.scenarios import SCENARIOS
from nstar.report.documents import Document, TextChart, TextTable
from nstar.report.prose.numbers import count, items, percent, pp
from nstar.report.prose.simulation import boards
from nstar.report.prose.simulation.rates import (
    MARKS,
    decimals,
    format_parameter,
    grids,
    rate_text,
    settings,
    value_of,
    values_of,
)

_TABLES = 12
"""Tables shown; all rates are in JSON and CSV."""
_KEY_ROWS = 12
"""Rows of what boards show that leave a screen room for notes."""
_WANTED = 0.8
"""Height of the line: the power that plans ask for."""


def _crossing(x: list[Any], y: list[float]) -> float | None:
    """Where a line through the points first reaches the wanted power."""
    for left, right, low, high in zip(x, x[1:], y, y[1:], strict=False):
        if low < _WANTED <= high:
            return float(left + (right - left) * (_WANTED - low) / (high - low))
    return None


def _power_by_items(simulation: Simulation) -> TextChart | None:
    """Power of one test over items, of the first combination that reaches what plans ask for."""
    sizes = values_of(simulation, "items")
    if len(sizes) < 3 or sizes != sorted(sizes):
        return None
    curves: dict[Any, list[Rate]] = {}
    others = [n for n in simulation.varied if n != "items"]
    for r in simulation.rates:
        if r.meaning == "power":
            curve_key = (r.procedure, *(value_of(r, n) for n in others))
            curves.setdefault(curve_key, []).append(r)
    for rates in curves.values():
        y = [r.rate for r in rates]
        x = _crossing(sizes, y)
        if x is not None:
            name = ", ".join(filter(None, (rates[0].procedure, settings(rates[0], others))))
            return TextChart(
                title=f"Power by items: {name}",
                x=tuple(map(float, sizes)),
                y=tuple(y),
                x_labels=(count(sizes[0]), count(sizes[-1])),
                mark=(x, f"about {count(round(x, -1 if x < 1000 else -2))} items"),
                level=(_WANTED, f"{100 * _WANTED:.0f}%"),
            )
    return None


def _reps(simulation: Simulation) -> str:
    rep_counts = sorted({r.n_reps for r in simulation.rates})
    reps_text = count(rep_counts[0])
    return (
        f"{reps_text} replications"
        if len(rep_counts) == 1
        else f"{reps_text} to {count(rep_counts[-1])} replications"
    )


def _cells(simulation: Simulation) -> int:
    return len({(r.n_items, *r.parameters.values()) for r in simulation.rates})


def _span(rates: list[Rate]) -> str:
    low, high = min(rates, key=lambda r: r.rate), max(rates, key=lambda r: r.rate)
    digits = decimals(rates)
    if low.n_events * high.n_reps == high.n_events * low.n_reps:
        return f"{rate_text(low, digits)}%"
    return f"{100 * low.rate:.{digits}f} to {100 * high.rate:.{digits}f}%"


def _against(
    simulation: Simulation, level: float, rates: list[Rate], words: list[LevelWord]
) -> str:
    """How many rates of error are not what they should be."""
    promise = f"{percent(level)} promised"
    counts = Counter(words)
    if not counts["errs more"] and len(rates) == 1:
        return (
            f"{promise}; {'conservative' if counts['errs less'] else 'within Monte Carlo error'}"
        )
    if not counts["errs more"]:
        mild = f"; conservative: {counts['errs less']}" if counts["errs less"] else ""
        return f"{promise}; none of {len(rates)} rates shows more errors than that{mild}"
    worst = max(
        (r for r, w in zip(rates, words, strict=True) if w == "errs more"),
        key=lambda r: -r.rate if r.meaning == "coverage" else r.rate,
    )
    where = ", ".join(x for x in (worst.procedure, settings(worst, simulation.varied)) if x)
    return f"{promise}; more errors in {counts['errs more']} of {len(rates)} rates, most: {where}"


def findings(simulation: Simulation) -> list[str]:
    """Errors, power and coverage over all cells, a phrase each."""
    out = boards.findings(simulation)
    rate_levels = list(zip(simulation.rates, simulation.levels, strict=True))
    for meaning in get_args(Meaning):
        pairs = [(r, w) for r, w in rate_levels if r.meaning == meaning]
        if not pairs:
            continue
        rates, words = [r for r, _ in pairs], [w for _, w in pairs if w is not None]
        text = f"{meaning} {_span(rates)}"
        level = promised(meaning, simulation.alpha)
        if level is not None:
            text += f" ({_against(simulation, level, rates, words)})"
        out.append(text)
    return out


def _headline(simulation: Simulation) -> str:
    cells = _cells(simulation)
    one = settings(simulation.rates[0], ["items"])
    size = f"{count(cells)} cells, {_reps(simulation)} each" if cells > 1 else _reps(simulation)
    where = "" if "items" in simulation.varied else f" of {one}"
    return f"Scenario {simulation.scenario}, {size}{where}: {'; '.join(findings(simulation))}."


_MEANINGS: dict[tuple[ProcedureKind, Meaning], str] = {
    ("test", "type I error"): "Where the true gap is 0 a rejection is a type I error, and should "
    "come in {alpha} of the replications.",
    ("test", "power"): "Where there is a gap a rejection is power, in whichever direction it "
    "points.",
    ("equivalence", "type I error"): "Where the true gap is the margin or more a finding of "
    "equivalence is a type I error, and should come in at most {alpha} of the replications.",
    ("equivalence", "power"): "Where the true gap is within the margin a finding of equivalence "
    "is power.",
    ("family", "family-wise error"): "A board counts once however many of its pairs are told "
    "wrongly, as different though equal or the wrong way round; at most {alpha} should.",
    ("interval", "coverage"): "Coverage counts intervals that hold the true gap; they promise "
    "{conf}.",
    ("resolution", "coverage"): "Intervals of q are to hold q at the true gap and the true sigma; "
    "they promise {conf}.",
    ("ranks", "coverage"): "Rank sets are to hold the true ranks of all models of a board "
    "together; they promise at least {conf}.",
}
"""What a rate of this kind and meaning tells."""


def _meanings(simulation: Simulation) -> list[str]:
    meanings = {(r.kind, r.meaning) for r in simulation.rates}
    level = {"alpha": percent(simulation.alpha), "conf": percent(1 - simulation.alpha)}
    out = ["After ± stands one Monte Carlo standard error, in the same units."]
    return out + [text.format(**level) for key, text in _MEANINGS.items() if key in meanings]


def _marks(simulation: Simulation, words: tuple[LevelWord | None, ...]) -> list[str]:
    limit = simulation.unseen
    if limit is None:
        return []
    rest = (
        f"A rate of error up to {pp(limit)} beside its level would go unnoticed with so many "
        "replications."
    )
    if not {"errs more", "errs less"} & set(words):
        return [f"No rate of error is farther from its level than chance explains. {rest}"]
    return [
        f"{MARKS['errs more']} errs more often than promised, {MARKS['errs less']} less often "
        "(conservative), beyond what chance explains: such a mark on any rate of a procedure "
        f"that keeps its level has a chance of at most 5% in all tables together. {rest}"
    ]


def _caveats(simulation: Simulation) -> list[str]:
    out = []
    if simulation.common:
        out.append(
            "Cells with the same items share their random numbers: differences between them are "
            "known better than each rate, and their errors come together."
        )
    if simulation.precision is not None:
        late = sum(r.se > simulation.precision for r in simulation.rates)
        if late:
            out.append(
                f"{count(late)} rates were left at the most replications allowed, before their "
                f"error was {simulation.precision:g}."
            )
    two = [r for r in simulation.rates if r.kind not in ("family", "ranks")]
    gaps = [(r.truth, r.parameters.get("delta")) for r in two]
    off = [abs(truth - delta) for truth, delta in gaps if isinstance(delta, int | float)]
    if off and max(off) > 5e-5:
        out.append(
            f"The true gap differs from the delta asked for by up to {max(off):.2g}, because "
            "scores have limits; power and coverage are about the true one."
        )
    return out


def _scenario(simulation: Simulation) -> str:
    name = simulation.scenario
    description = SCENARIOS.about(name).rstrip(".") if name in set(SCENARIOS) else ""
    rate = simulation.rates[0]
    parameters = rate.parameters
    unsaid = {*simulation.varied, *boards.idle(rate)}
    fixed = [n for n in parameters if n not in unsaid and parameters[n] is not None]
    fixed_text = ", ".join(f"{n} = {format_parameter(parameters[n])}" for n in fixed)
    text = f"Scenario {name}: {description}." if description else f"Scenario {name}."
    return f"{text} In all cells {fixed_text}." if fixed_text else text


def document(simulation: Simulation) -> Document:
    """What happened, table by table, and what the rates mean."""
    words = simulation.levels
    board_tables = boards.grids(simulation)
    tables: list[TextTable] = [*board_tables, *grids(simulation, words)]
    notes = [
        *boards.notes(simulation),
        *_meanings(simulation),
        *_marks(simulation, words),
        *_caveats(simulation),
    ]
    if len(tables) > _TABLES:
        rest = len(tables) - _TABLES
        notes.append(f"{rest} more tables are left out here; JSON and CSV have every rate.")
    return Document(
        headline=_headline(simulation),
        key=tuple(board_tables) if sum(len(g.rows) for g in board_tables) <= _KEY_ROWS else (),
        grids=tuple(tables[:_TABLES]),
        chart=_power_by_items(simulation),
        notes=tuple(notes),
        assumptions=(
            _scenario(simulation),
            f"Level α = {simulation.alpha:g}; random numbers from seed {simulation.seed}.",
        ),
    )


def paragraph(simulation: Simulation) -> str:
    """Text for a paper."""
    names = list(dict.fromkeys(r.procedure for r in simulation.rates))
    cells, rate = _cells(simulation), simulation.rates[0]
    grid = f"each of {count(cells)} combinations of " if cells > 1 else ""
    ranges = [
        f"{n} ({', '.join(format_parameter(v) for v in values_of(simulation, n))})"
        for n in simulation.varied
    ]
    where = grid + (", ".join(ranges) if ranges else items(rate.n_items))
    return (
        f"By Monte Carlo simulation with nstar {__version__} (scenario {simulation.scenario}, "
        f"{_reps(simulation)} for {where}; seed {simulation.seed}), {', '.join(names)} at "
        f"α = {simulation.alpha:g} showed {'; '.join(findings(simulation))}. The largest Monte "
        f"Carlo standard error is {pp(max(r.se for r in simulation.rates))}."
    )
