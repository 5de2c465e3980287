"""View of a ranking for charts: the ranking of one task, or of an average over several."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from nstar._verbs.audit import Audit
from nstar._verbs.audit.tables import MedianRange
from nstar.report.charts._ladder_board import BoardRows, LadderBoard
from nstar.report.charts._text import shorten
from nstar.report.documents import TextTable
from nstar.report.prose.audit.headline import inconclusive, leader
from nstar.report.prose.audit.ranking import Ranking, rank_set, ranking_of
from nstar.report.prose.gap import coverage, gap, header_unit, points
from nstar.report.prose.numbers import count, items, name

_CAVEAT = (
    "CIs of single scores. Do not compare models by their overlap: paired differences are more "
    "precise."
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankingView(LadderBoard):
    """A ranking, and the quantity that orders its models."""

    ranking: Ranking
    """Models in order, with adjacent pairs."""
    task: str
    """Description of the benchmark."""
    by: str
    """Quantity that orders the models."""
    items_text: str
    """Description of the items that separate the models."""
    detectable_gap: MedianRange | None
    """Detectable gap; None if there is none."""

    caveat = _CAVEAT
    left_open = "Ranks that the data support; blue: one rank only."

    @property
    def axis(self) -> str:
        """Return the name of the axis."""
        return f"Score{self.unit}"

    @property
    def states(self) -> tuple[str, ...]:
        """Return the verdict of each pair of adjacent models."""
        return tuple(self.ranking.adjacent.states)

    @property
    def less(self) -> bool:
        """Return whether lower is better."""
        return self.ranking.scale.lower_is_better

    @property
    def unit(self) -> str:
        """Return the unit after the name of an axis of scores."""
        return " (%)" if points(self.ranking.scale) else header_unit(self.ranking.scale)

    def label(self, i: int) -> str:
        """Return the label of a score."""
        score = float(self.rows.score[i])
        return f"{score:.1f}" if points(self.ranking.scale) else f"{score:.3g}"

    def marked(self) -> list[int]:
        """Return the models that have clearly fewer items than others."""
        return sorted(self.ranking.fewer())

    def finding(self) -> str:
        """Return the title of the figure, which states its main finding."""
        if self.detectable_gap is None:
            return f"{self.models:,} models on {self.task}"
        size = gap(self.ranking.scale, self.detectable_gap.median)
        return f"{self.items_text} detect gaps of about {size}"

    def about(self) -> str:
        """Return a sentence with the data, the leader, and the inconclusive gaps."""
        gaps = inconclusive(self.ranking)
        return f"{self.models:,} models on {self.task}: {leader(self.ranking)}; {gaps}."

    def shown(self) -> str:
        """Return a description of the figure."""
        return (
            f"Ladder of {self.models:,} models in order of their {self.by} on {self.task}, each "
            f"with its score, a CI, and its rank range. The ranking {self.ranking.supported()}."
        )

    def facts(self) -> tuple[str, ...]:
        """Return the leader, and the sizes of gaps that are significant or detectable."""
        scale, pairs = self.ranking.scale, self.ranking.adjacent
        significant, detected = pairs.significant_gap(), pairs.resolvable_gap()
        lead = f"{leader(self.ranking)}."
        if significant is None or detected is None:
            return (lead,)
        above = gap(scale, significant.median)
        return (
            lead,
            f"Gaps above {above} are significant.",
            f"MDE: {gap(scale, detected.median)}.",
        )

    def remarks(self) -> Iterable[str]:
        """Yield remarks on models with fewer items than others."""
        short_rows, r = self.marked(), self.ranking.ranks
        if short_rows:
            min_items = min(int(r.n_items[i]) for i in short_rows)
            yield (
                f"† Fewer items ({'as few as ' if len(short_rows) > 1 else ''}{count(min_items)} "
                f"of {count(float(r.n_items.max()))}): the score uses the model's own items."
            )
        yield from (self._reversal_text(i) for i in self._reversed_pairs(short_rows)[:1])

    def _reversed_pairs(self, short_rows: list[int]) -> list[int]:
        """Return adjacent pairs in reversed order on shared items, if one model has few items."""
        reversed_ = self.ranking.better * self.ranking.adjacent.gap < 0
        return [k for k in range(len(reversed_)) if reversed_[k] and {k, k + 1} & set(short_rows)]

    def _reversal_text(self, i: int) -> str:
        """Return a sentence about which of two adjacent models leads on their shared items."""
        p = self.ranking.adjacent
        first, second = (shorten(x, 220) for x in (p.model_b[i], p.model_a[i]))
        ahead = gap(self.ranking.scale, abs(float(p.gap[i])))
        return (
            f"On the {count(float(p.n_items[i]))} shared items, {first} leads {second} by {ahead}."
        )

    def table(self) -> TextTable:
        """Return the table of the numbers in a ladder."""
        r, p, scale = self.ranking.ranks, self.ranking.adjacent, self.ranking.scale
        unit = " (%)" if points(scale) else header_unit(scale)
        rows = tuple(
            (
                f"{r.rank[i]:,}",
                name(r.model[i], limit=200),
                self._cell(float(self.rows.score[i])),
                rank_set(r, i),
                f"{r.tier[i]:,}",
                f"{r.n_items[i]:,}",
                self._interval(i),
                gap(scale, float(p.gap[i]), sign=True, column=True) if i < len(p) else "",
                p.states[i] if i < len(p) else "",
            )
            for i in range(len(r))
        )
        return TextTable(
            title=f"Ranking on {self.task}",
            header=(
                *("rank", "model", f"{self.by}{unit}"),
                *(f"{coverage(self.conf)} rank range", "tier", "items"),
                *(f"{coverage(self.conf)} CI", "gap to next", "verdict"),
            ),
            rows=rows,
            marked=self.highlight,
            lines=tuple(first for first, _ in self.tiers() if first),
        )

    def _cell(self, score: float) -> str:
        return f"{score:.2f}" if points(self.ranking.scale) else f"{score:.4g}"

    def _interval(self, i: int) -> str:
        """Return the text of the interval of one score."""
        low, high = float(self.rows.low[i]), float(self.rows.high[i])
        if math.isnan(low + high):
            return "–"
        return f"{self._cell(low)} to {self._cell(high)}".replace("-", "−")


def _rows(ranking: Ranking) -> BoardRows:
    """Return the models in order, with scores between 0 and 1 converted to percent."""
    r, factor = ranking.ranks, 100.0 if points(ranking.scale) else 1.0
    return BoardRows(
        name=r.model,
        score=factor * r.mean,
        low=factor * r.ci_low,
        high=factor * r.ci_high,
        rank=r.rank,
        rank_low=r.rank_low,
        rank_high=r.rank_high,
        tier=r.tier,
    )


def board(result: Audit, where: str | None = None) -> RankingView:
    """Return the view of an audit's ranking, or of the average over its tasks."""
    ranking = ranking_of(result, where)
    if len(result.tasks) == 1:
        benchmark, amount = (
            name(result.task, limit=40) if result.task else "",
            items(result.n_items),
        )
        task, by = ", ".join(filter(None, (benchmark, amount))), "score"
    else:
        benchmark, amount = f"{result.average} average", f"{len(result.tasks):,} tasks"
        task, by = f"{benchmark} of {amount}", "average"
    return RankingView(
        rows=_rows(ranking),
        highlight=ranking.highlight,
        conf=ranking.conf,
        ranking=ranking,
        task=task,
        by=by,
        items_text=f"These {amount}",
        benchmark=benchmark,
        amount=amount,
        detectable_gap=result.resolvable_gap,
    )
