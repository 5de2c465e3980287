"""Describe simulated leaderboards: the winner, adjacent pairs, tiers, and rank ranges."""

from collections.abc import Sequence

from nstar._verbs.simulate.result import BoardPower, Rate, Simulation
from nstar.report.documents import TextTable
from nstar.report.prose.numbers import pp
from nstar.report.prose.simulation.rates import format_parameter, value_of

_ROWS = 30
"""Maximum number of adjacent pairs in the text. JSON contains all pairs."""


def _shown(simulation: Simulation) -> list[tuple[Rate, BoardPower]]:
    return [(r, r.board) for r in simulation.rates if r.board is not None]


def _percent(p: float | None, se: float | None) -> str:
    """Return a rate in percent: ``73.5 ± 1.4``; a dash if it is undefined."""
    if p is None or se is None:
        return "–"
    error = f"{100 * se:.1f}"
    return f"{100 * p:.1f} ± {error if float(error) else '<0.1'}"


def _number(mean: float, se: float) -> str:
    return f"{mean:.2f} ± {se:.2f}"


def _span(values: Sequence[float | None]) -> str:
    """Return the range of rates: ``60.7%``, a range, or ``none``; empty without rates."""
    percentages = [100 * v for v in values if v is not None]
    if not percentages:
        return ""
    if not any(percentages):
        return "none"
    low, high = f"{min(percentages):.1f}", f"{max(percentages):.1f}"
    return f"{low}%" if low == high else f"{low} to {high}%"


def _numbers(values: Sequence[float]) -> str:
    low, high = f"{min(values):.1f}", f"{max(values):.1f}"
    return low if low == high else f"{low} to {high}"


def findings(simulation: Simulation) -> list[str]:
    """Return clauses on leaderboards over all cells; empty if all models are equal."""
    boards = [b for _, b in _shown(simulation) if b.neighbors is not None]
    if not boards:
        return []
    proved = _span([b.winner_proved for b in boards])
    return [
        f"the best model ranks first in {_span([b.winner for b in boards])} of boards"
        + (f" and is proven best in {proved}" if proved else ""),
        f"{_span([b.neighbors for b in boards])} of adjacent gaps are significant",
        f"on average, a board has {_numbers([b.tiers for b in boards])} tiers, and a rank range "
        f"covers {_numbers([b.rank_width for b in boards])} ranks",
    ]


def idle(rate: Rate) -> set[str]:
    """Return the parameters whose values have no effect because others replace them."""
    parameters = rate.parameters
    if rate.scenario != "board" or "lead" not in parameters:
        return set()
    gaps = (
        {"spread", "tied"}
        if parameters["delta"] is not None or parameters["lead"] is not None
        else set()
    )
    all_parameters = {"models", "mean", "spread", "tied", "delta", "lead"}
    replaced = all_parameters if parameters["rates"] is not None else gaps
    if parameters.get("gaps") is not None:
        replaced = all_parameters - {"mean"}
    return replaced | ({"icc"} if parameters["clusters"] is None else set())


def grids(simulation: Simulation) -> list[TextTable]:
    """Return tables of all cells, and of each adjacent pair if there is one cell and one test."""
    board_rows = _shown(simulation)
    if not board_rows:
        return []
    tests = list(dict.fromkeys(r.procedure for r, _ in board_rows))
    test_column = ("test",) if len(tests) > 1 else ()
    header = (
        *simulation.varied,
        *test_column,
        *("best first", "proven best", "adjacent gaps", "all gaps", "tiers", "ranks"),
    )
    rows = []
    for r, b in board_rows:
        place = [format_parameter(value_of(r, n)) for n in simulation.varied]
        rows.append(
            (
                *place,
                *([r.procedure] if test_column else []),
                _percent(b.winner, b.winner_se),
                _percent(b.winner_proved, b.winner_proved_se),
                _percent(b.neighbors, b.neighbors_se),
                _percent(b.all_neighbors, b.all_neighbors_se),
                _number(b.tiers, b.tiers_se),
                _number(b.rank_width, b.rank_width_se),
            )
        )
    out = [
        TextTable(
            title="Findings on simulated boards (% of boards)", header=header, rows=tuple(rows)
        )
    ]
    if len(board_rows) == 1:
        out += _each(board_rows[0][1])
    return out


def _each(board: BoardPower) -> list[TextTable]:
    """Return a table of adjacent pairs."""
    if all(p is None for p in board.each):
        return []
    rows = []
    for k, (p, se) in enumerate(zip(board.each, board.each_se, strict=True)):
        high, low = board.scores[k], board.scores[k + 1]
        scores = (f"{100 * high:.4g}%", f"{100 * low:.4g}%", pp(high - low))
        rows.append((f"{k + 1} and {k + 2}", *scores, _percent(p, se)))
    title = "Adjacent gaps significant in the correct direction (% of boards)"
    if len(rows) > _ROWS:
        title += f"; the first {_ROWS} of {len(rows)}"
    header = ("ranks", "better", "worse", "true gap", "significant")
    pairs = TextTable(title=title, header=header, rows=tuple(rows[:_ROWS]))
    return [pairs, expected_ranks(board)]


def expected_ranks(board: BoardPower) -> TextTable:
    """Return the expected rank range of each model."""
    ends = zip(board.scores, board.rank_low, board.rank_high, strict=True)
    rows = [
        (f"{k}", f"{100 * score:.4g}%", f"{low:.1f}", f"{high:.1f}")
        for k, (score, low, high) in enumerate(ends, 1)
    ]
    title = "Expected rank ranges (means over boards)"
    if len(rows) > _ROWS:
        title += f"; the first {_ROWS} of {len(rows)}"
    header = ("rank", "accuracy", "best rank", "worst rank")
    return TextTable(title=title, header=header, rows=tuple(rows[:_ROWS]))


def notes(simulation: Simulation) -> list[str]:
    """Return the meanings of the columns."""
    board_rows = _shown(simulation)
    if not board_rows:
        return []
    return [
        '"Best first" means that the best model has the highest score (ties are broken at '
        'random). "Proven best" means that it beats every other model significantly.',
        '"Adjacent gaps" is the share of adjacent gaps that are significant in the correct '
        'direction, and "all gaps" is the share of boards on which all of them are. "Ranks" is '
        "the mean width of a rank range.",
    ]
