"""Write the report of a Simulation: rates, their errors, and levels that do not hold."""

from typing import Any, get_args

from nstar._base.units import join_words
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
"""Maximum number of tables in the text. JSON and CSV contain all rates."""
_KEY_ROWS = 12
"""Maximum number of rows about leaderboards that leave space for notes on a screen."""
_WANTED = 0.8
"""Target power, at which a line is drawn."""


def _crossing(x: list[Any], y: list[float]) -> float | None:
    """Return where a line through the points first reaches the target power."""
    for left, right, low, high in zip(x, x[1:], y, y[1:], strict=False):
        if low < _WANTED <= high:
            return float(left + (right - left) * (_WANTED - low) / (high - low))
    return None


def _power_by_items(simulation: Simulation) -> TextChart | None:
    """Return a chart of power by items, for the first setting that reaches the target."""
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
                title=f"Power by number of items: {name}",
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
    return f"{100 * low.rate:.{digits}f}–{100 * high.rate:.{digits}f}%"


def _by_meaning(simulation: Simulation) -> dict[Meaning, list[tuple[Rate, LevelWord | None]]]:
    by_meaning: dict[Meaning, list[tuple[Rate, LevelWord | None]]] = {}
    pairs = list(zip(simulation.rates, simulation.levels, strict=True))
    for meaning in get_args(Meaning):
        if rates := [(r, w) for r, w in pairs if r.meaning == meaning]:
            by_meaning[meaning] = rates
    return by_meaning


def findings(simulation: Simulation) -> list[str]:
    """Return clauses on leaderboards, then on errors, power, and coverage over all cells."""
    texts = []
    for meaning, rates in _by_meaning(simulation).items():
        text = f"{meaning} is {_span([r for r, _ in rates])}"
        level = promised(meaning, simulation.alpha)
        texts.append(text if level is None else f"{text} (nominal {percent(level)})")
    return [*boards.findings(simulation), "; ".join(texts)]


def _has_no_equal_models(simulation: Simulation) -> bool:
    """Return whether all error rates are those of leaderboards without equal models."""
    boards_of_errors = [r.board for r in simulation.rates if r.meaning != "power"]
    return all(board is not None and None not in board.each for board in boards_of_errors)


def _levels(simulation: Simulation) -> str:
    """Return a sentence with the number of rates that deviate from their nominal level."""
    worse, conservative, n = [], 0, 0
    for meaning, rated_words in _by_meaning(simulation).items():
        rates = [(r, w) for r, w in rated_words if w is not None]
        n += len(rates)
        conservative += sum(w == "errs less" for _, w in rates)
        if bad := [r for r, w in rates if w == "errs more"]:
            worst = max(bad, key=lambda r: -r.rate if r.meaning == "coverage" else r.rate)
            parts = (worst.procedure, settings(worst, simulation.varied))
            where = ", ".join(part for part in parts if part)
            side = "below" if meaning == "coverage" else "above"
            worse.append(
                f"{meaning} is {side} the nominal value in {len(bad)} of {len(rates)} rates "
                f"(most: {where})"
            )
    if worse:
        return f"Caution: {'; '.join(worse)}."
    if conservative and _has_no_equal_models(simulation):
        return "No two models are equal, so only a wrong direction counts as an error."
    if n == 1:
        word = (
            "is conservative"
            if conservative
            else "does not differ significantly from its nominal value"
        )
        return f"The error rate {word}."
    if conservative:
        verb = "is" if conservative == 1 else "are"
        return (
            f"{conservative} of {n} error rates {verb} conservative, and none is significantly "
            "worse than its nominal value."
        )
    return "No error rate differs significantly from its nominal value." if n else ""


def _basis(simulation: Simulation) -> str:
    sizes = sorted({r.n_items for r in simulation.rates})
    span = count(sizes[0]) if len(sizes) == 1 else f"{count(sizes[0])}–{count(sizes[-1])}"
    cells = _cells(simulation)
    each = f" in each of {count(cells)} cells" if cells > 1 else ""
    size = "1 item" if span == "1" else f"{span} items"
    return f"Based on {_reps(simulation)} of scenario {simulation.scenario}{each} ({size})."


def _finding(simulation: Simulation) -> str:
    clauses = filter(None, findings(simulation))
    return " ".join(f"{clause[0].upper()}{clause[1:]}." for clause in clauses)


def _headline(simulation: Simulation) -> str:
    parts = (_finding(simulation), _levels(simulation), _basis(simulation))
    return " ".join(part for part in parts if part)


_MEANINGS: dict[tuple[ProcedureKind, Meaning], str] = {
    ("test", "type I error"): "At a true gap of 0, a rejection is a type I error "
    "(nominal {alpha}).",
    ("test", "power"): "At any other gap, a rejection in either direction counts as power.",
    ("equivalence", "type I error"): "At or beyond the margin, a finding of equivalence is a type "
    "I error (nominal at most {alpha}).",
    ("equivalence", "power"): "Within the margin, a finding of equivalence counts as power.",
    ("family", "family-wise error"): "A board counts once, however many false positives it has "
    "(nominal at most {alpha}).",
    ("interval", "coverage"): "Coverage is the share of intervals that contain the true gap "
    "(nominal {conf}).",
    ("resolution", "coverage"): "Coverage of q is the share of intervals that contain q at the "
    "true gap and SD (nominal {conf}).",
    ("ranks", "coverage"): "Coverage of ranks is the share of boards whose rank ranges contain "
    "all true ranks (nominal at least {conf}).",
}
"""Explanation of each kind of rate."""


def _meanings(simulation: Simulation) -> list[str]:
    kinds = {(r.kind, r.meaning) for r in simulation.rates}
    level = {"alpha": percent(simulation.alpha), "conf": percent(1 - simulation.alpha)}
    return [text.format(**level) for key, text in _MEANINGS.items() if key in kinds]


def _marks(simulation: Simulation, words: tuple[LevelWord | None, ...]) -> list[str]:
    text = "± is one Monte Carlo standard error."
    if {"errs more", "errs less"} & set(words):
        text += (
            f' "{MARKS["errs more"]}" marks rates that are significantly worse than nominal, and '
            f'"{MARKS["errs less"]}" marks conservative rates (5% level over all tables).'
        )
    limit = simulation.unseen
    if limit is not None:
        text += f" Deviations of up to {pp(limit)} can go undetected."
    return [text]


def _caveats(simulation: Simulation) -> list[str]:
    out = []
    if simulation.common:
        out.append(
            "Cells with the same number of items share random numbers, so their differences are "
            "more precise than their rates, and their errors are correlated."
        )
    if simulation.precision is not None:
        late = sum(r.se > simulation.precision for r in simulation.rates)
        if late:
            out.append(
                f"{count(late)} rate{'' if late == 1 else 's'} reached the maximum number of "
                f"replications before an SE of {simulation.precision:g}."
            )
    two = [r for r in simulation.rates if r.kind not in ("family", "ranks")]
    requested = [(r.truth, r.parameters.get("delta")) for r in two]
    off = [abs(truth - delta) for truth, delta in requested if isinstance(delta, int | float)]
    if off and max(off) > 5e-5:
        out.append(
            f"The true gap differs from the requested delta by up to {max(off):.2g}, because "
            "scores are bounded. Power and coverage refer to the true gap."
        )
    return out


def _fixed(simulation: Simulation) -> str:
    """Return the parameters that all cells share: ``p_b = 0.7, rho = 0.4``."""
    rate = simulation.rates[0]
    parameters = rate.parameters
    hidden = {*simulation.varied, *boards.idle(rate)}
    fixed = [n for n in parameters if n not in hidden and parameters[n] is not None]
    return ", ".join(f"{n} = {format_parameter(parameters[n])}" for n in fixed)


def _short_scenario(simulation: Simulation) -> str:
    fixed = _fixed(simulation)
    return (
        f"scenario {simulation.scenario}{f' ({fixed})' if fixed else ''}; "
        f"α = {simulation.alpha:g}; seed {simulation.seed}."
    )


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _scenario(simulation: Simulation) -> str:
    name = simulation.scenario
    description = _lower_first(SCENARIOS.about(name).rstrip(".")) if name in set(SCENARIOS) else ""
    fixed = _fixed(simulation)
    text = f"The scenario is {name}: {description}." if description else f"The scenario is {name}."
    return f"{text} In all cells, {fixed}." if fixed else text


def document(simulation: Simulation) -> Document:
    """Return the report: tables of rates, and explanations."""
    words = simulation.levels
    board_tables = boards.grids(simulation)
    tables: list[TextTable] = [*board_tables, *grids(simulation, words)]
    notes = [
        *boards.notes(simulation),
        *_marks(simulation, words),
        *_meanings(simulation),
        *_caveats(simulation),
    ]
    if len(tables) > _TABLES:
        rest = len(tables) - _TABLES
        notes.append(f"{rest} more tables are omitted; JSON and CSV contain every rate.")
    return Document(
        headline=_headline(simulation),
        opening=_finding(simulation),
        key=tuple(board_tables) if sum(len(g.rows) for g in board_tables) <= _KEY_ROWS else (),
        grids=tuple(tables[:_TABLES]),
        chart=_power_by_items(simulation),
        notes=tuple(notes),
        basis=_short_scenario(simulation),
        assumptions=(
            _scenario(simulation),
            f"The significance level is α = {simulation.alpha:g}, and the random seed is "
            f"{simulation.seed}.",
        ),
    )


def paragraph(simulation: Simulation) -> str:
    """Return a paragraph for a paper."""
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
        f"{_reps(simulation)} for {where}; seed {simulation.seed}), {join_words(names)} at "
        f"α = {simulation.alpha:g} gave these results: {'; '.join(findings(simulation))}. The "
        f"largest Monte Carlo standard error is {pp(max(r.se for r in simulation.rates))}."
    )
