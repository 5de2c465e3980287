"""View of a simulated leaderboard for a ladder: true accuracies, and expected rank ranges."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from nstar._verbs.simulate.result import BoardPower, Rate, Simulation
from nstar.errors import ParameterError
from nstar.report.charts._ladder_board import BoardRows, LadderBoard
from nstar.report.documents import TextTable
from nstar.report.prose.numbers import count, items, probability
from nstar.report.prose.simulation.boards import expected_ranks


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SimulatedBoard(LadderBoard):
    """True accuracies of the models, and expected rank ranges: rounded means over boards."""

    rate: Rate
    """Cell that is drawn."""
    power: BoardPower
    """Outcomes of its leaderboards."""

    axis = "True accuracy (%)"
    score_title = axis
    rank_title = "Expected rank range"
    caveat = "Known in a simulation."
    left_open = rank_note = "Ends are means over boards, rounded; blue: one rank only."

    @property
    def states(self) -> tuple[str, ...]:
        """Return no verdicts, because a simulation has many boards."""
        return ("",) * (self.models - 1)

    def label(self, i: int) -> str:
        """Return the label of an accuracy."""
        return f"{float(self.rows.score[i]):.1f}"

    def finding(self) -> str:
        """Return how often the best model ranks first and is shown to be best."""
        if self.power.winner is None:
            return f"{self.models:,} equal models"
        first = f"The best model ranks first on {probability(self.power.winner)} of boards"
        if self.power.winner_proved is None:
            return first
        return f"{first} and is proven best on {probability(self.power.winner_proved)}"

    def about(self) -> str:
        """Return the size of the simulation."""
        return (
            f"{count(self.rate.n_reps)} simulated boards of {self.models:,} models, "
            f"{items(self.rate.n_items)} each."
        )

    def shown(self) -> str:
        """Return a description of the figure."""
        return f"Ladder of {self.about()[:-1]}, with true accuracies and expected rank ranges."

    def caption(self) -> str:
        """Return the caption, which says what the figure shows and how to read it."""
        return (
            f"{self.about()} Each row has the true accuracy of a model and the expected rank "
            "range, whose ends are means over boards."
        )

    def facts(self) -> tuple[str, ...]:
        """Return the finding."""
        return (f"{self.finding()}.",)

    def marked(self) -> list[int]:
        """Return no rows: all models have all items."""
        return []

    def remarks(self) -> Iterable[str]:
        """Return no remarks."""
        return ()

    def table(self) -> TextTable:
        """Return the numbers in the figure."""
        return expected_ranks(self.power)


def simulated_board(simulation: Simulation, where: str | None = None) -> SimulatedBoard:
    """Return the view of the first simulated leaderboard.

    Raise ParameterError if no leaderboard was simulated, or several were.
    """
    cells = [(rate, rate.board) for rate in simulation.rates if rate.board is not None]
    if len({(rate.n_items, str(rate.parameters)) for rate, _ in cells}) != 1 or where is not None:
        msg = (
            "The figure ladder shows one simulated leaderboard. Simulate one cell of the scenario "
            "board, without a model to highlight."
        )
        raise ParameterError(msg)
    rate, power = cells[0]
    score = 100 * np.array(power.scores)
    nothing, ranks = np.full(score.size, np.nan), np.arange(1, score.size + 1)
    return SimulatedBoard(
        rows=BoardRows(
            name=tuple(f"model {k}" for k in ranks.tolist()),
            score=score,
            low=nothing,
            high=nothing,
            rank=ranks,
            rank_low=np.rint(power.rank_low).astype(np.int64),
            rank_high=np.rint(power.rank_high).astype(np.int64),
            tier=np.ones(score.size, np.int64),
        ),
        highlight=None,
        conf=1 - simulation.alpha,
        benchmark="",
        amount=items(rate.n_items),
        rate=rate,
        power=power,
    )
