"""A ranking to be drawn: of one task, or of an average over several."""

from dataclasses import dataclass

from nstar._verbs.audit import Audit, Leaderboard
from nstar.report.words.audit.ranking import Ranking, ranking_of
from nstar.report.words.gap import coverage, points
from nstar.report.words.numbers import count, name


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnBoard:
    """A ranking and what it ranks by."""

    ranking: Ranking
    """Models in order with their neighbours."""
    task: str
    """Benchmark in words."""
    by: str
    """What orders the models."""

    @property
    def models(self) -> int:
        """Models."""
        return len(self.ranking.ranks)

    @property
    def sets(self) -> str:
        """What a rank set is."""
        return f"{coverage(self.ranking.conf)} rank sets, all models at once"

    @property
    def factor(self) -> float:
        """What turns scores into the numbers on an axis."""
        return 100.0 if points(self.ranking.scale) else 1.0


def board(result: Audit | Leaderboard, where: str | None = None) -> DrawnBoard:
    """The ranking of an audit, or of the average of several."""
    ranking = ranking_of(result, where)
    if isinstance(result, Audit):
        task = f"{name(result.task, limit=40)}, " if result.task else ""
        return DrawnBoard(ranking=ranking, task=f"{task}{count(result.n)} items", by="mean")
    tasks = f"{result.average} average of {len(result.tasks):,} tasks"
    return DrawnBoard(ranking=ranking, task=tasks, by="average")
