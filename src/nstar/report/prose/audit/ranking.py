"""Ranking of an audit as a table with tier lines, and the rank of one model."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

import numpy as np

from nstar._base.types import IntArray
from nstar._base.units import join_words
from nstar._verbs.audit import Audit, PairTable, RankTable, TaskAudit
from nstar._verbs.verdict import ABSURD, PAIR_STATES, PairState
from nstar.errors import ParameterError, arg
from nstar.report.documents import TextTable
from nstar.report.prose.audit.tables import gap_scale, maxt_draws, pair_cells, pair_header
from nstar.report.prose.comparison.headline import MAX_FACTOR, rounded, rounded_need
from nstar.report.prose.cross_references import as_csv
from nstar.report.prose.gap import HasScale, coverage, declared_gap, gap, points, score_header
from nstar.report.prose.judged_ranking import labeled_share
from nstar.report.prose.numbers import count, name, plural_of

_PAGE, _SCREEN = (200, 100, 20), (20, 12, 3)
"""Maximum number of models shown in full, in a full report and on one screen. Of more models, as
many of the first and of the last are shown, and the highlighted one.
"""
_MAX_NAME_WIDTH = 36
"""Maximum width of a name in the table, unless longer names are needed to distinguish models."""
_NARROW = 28
"""Maximum width of a name in a table that must fit on a screen."""
_ROOM = 200
_HEADERS = {"mean": "score", "win-rate": "win rate", "borda": "Borda count"}
"""Header of each measure of models over tasks."""
SCORE_CI = "CI (score)"
"""End of the header of the column of intervals of the means."""
MOST = 0.98
"""Share of the largest number of items below which a model is marked."""


class HasRankSets(Protocol):
    """Protocol of an object with rank ranges."""

    @property
    def rank_low(self) -> IntArray:
        """Return the best rank of each range."""

    @property
    def rank_high(self) -> IntArray:
        """Return the worst rank of each range."""


def rank_set(ranks: HasRankSets, i: int) -> str:
    """Return the rank range of a model: ``3–7``."""
    low, high = int(ranks.rank_low[i]), int(ranks.rank_high[i])
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def shown_models(
    models: int, where: int | None, limits: tuple[int, int, int] = _PAGE
) -> list[int]:
    """Return the rows of a long ranking that are displayed."""
    max_rows, first, last = limits
    if models <= max_rows:
        return list(range(models))
    ends = {*range(first), *range(models - last, models)}
    neighbors = () if where is None else range(max(where - 1, 0), min(where + 2, models))
    return sorted(ends.union(neighbors))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ranking:
    """Models in order, with adjacent pairs, of one task or of an average."""

    ranks: RankTable
    """Models from best to worst."""
    adjacent: PairTable
    """Pairs of adjacent models."""
    scale: HasScale
    """Scale of the scores."""
    conf: float
    """Confidence level of the simultaneous rank ranges, and of each interval."""
    draws: int | None = None
    """Number of simulated draws for adjusted p-values; None if they are exact."""
    more: str = ""
    """Description of additional items, such as ``, in new subjects``."""
    noun: str = "items"
    """Name of the units."""
    where: str | None = None
    """Name of the model to highlight."""
    adjusted: bool = True
    """Whether verdicts, p-values, and q are adjusted for all pairs."""
    measure: str = "score"
    """Name of the measure that ranks the models."""

    @property
    def highlight(self) -> int | None:
        """Return the row of the highlighted model."""
        if self.where is None:
            return None
        if self.where not in self.ranks.model:
            msg = f"No ranked model is called {self.where!r}."
            raise ParameterError(msg)
        return self.ranks.model.index(self.where)

    @property
    def better(self) -> int:
        """Return 1 if higher is better, -1 if lower is."""
        return -1 if self.scale.lower_is_better else 1

    def astray(self) -> str | None:
        """Return the models whose mean contradicts their comparisons; None if there are none."""
        r = self.ranks
        out = [i for i in range(len(r)) if not r.rank_low[i] <= r.rank[i] <= r.rank_high[i]]
        if not out:
            return None
        first = f"{name(r.model[out[0]])} ranks {r.rank[out[0]]:,} by its own items"
        overflow_text = f" (as are {len(out) - 1:,} more models)" if len(out) > 1 else ""
        return (
            f"Means are over different items: {first} but {rank_set(r, out[0])} on shared "
            f"items{overflow_text}. To rank all models on the same items, set "
            f"{arg('items', 'common')}."
        )

    @property
    def tiers(self) -> int:
        """Return the number of tiers."""
        return self.ranks.n_tiers

    def words(self) -> dict[PairState, int]:
        """Return the verdicts on adjacent pairs."""
        return {state: self.adjacent.states.count(state) for state in PAIR_STATES}

    def verdicts(self) -> str:
        """Return a sentence with the number of adjacent pairs for each verdict."""
        counts, total = self.words(), len(self.adjacent)
        if total == 1:
            return f"the gap is {self.adjacent.states[0]}"
        rest = [f"{counts[w]:,} {w}" for w in PAIR_STATES[1:] if counts[w]]
        verb = "is" if counts["significant"] == 1 else "are"
        text = (
            f"{counts['significant']:,} of {total:,} gaps between adjacent models {verb} "
            "significant"
        )
        return f"{text}, {join_words(rest)}" if rest else text

    def first(self) -> str:
        """Return the models that could be best."""
        may = int((self.ranks.rank_low == 1).sum())
        if may == 0:
            return "every model is significantly beaten by another"
        if may > 1:
            return f"any of {may:,} models could be best"
        best = int(self.ranks.rank_low.argmin())
        only = name(self.ranks.model[best])
        is_clear = self.ranks.rank_high[best] == 1
        return (
            f"{only} is the clear leader" if is_clear else f"no model significantly beats {only}"
        )

    def supported(self) -> str:
        """Return how far the data support the ranking, as the end of a sentence."""
        tiers = f"{self.tiers:,} tiers" if self.tiers > 1 else "a single tier"
        return f"supports {tiers}; {self.verdicts()}; {self.first()}"

    def place(self) -> Iterator[str]:
        """Yield the rank of the highlighted model, and its gaps to adjacent models."""
        k = self.highlight
        if k is None:
            return
        r = self.ranks
        marginal, simultaneous = (
            _between(int(low[k]), int(high[k]))
            for low, high in (
                (r.marginal_rank_low, r.marginal_rank_high),
                (r.rank_low, r.rank_high),
            )
        )
        also = "" if marginal == simultaneous else f"; {simultaneous} adjusted for all models"
        yield (
            f"{name(r.model[k])} ranks {r.rank[k]:,} of {len(r):,} ({coverage(self.conf)} rank "
            f"range {marginal}{also})."
        )
        yield "; ".join(self._beside(k)) + "."

    def _beside(self, k: int) -> Iterator[str]:
        if k > 0:
            yield self._neighbor(k - 1, other=k - 1, side="above")
        if k < len(self.adjacent):
            yield self._neighbor(k, other=k + 1, side="below")

    def _neighbor(self, i: int, *, other: int, side: str) -> str:
        p = self.adjacent
        model, the = name(self.ranks.model[other]), "The" if side == "above" else "the"
        if self.highlight == 0:
            the = "The"
        if math.isnan(p.gap[i]):
            return f"{the} gap to {model} {side} is unknown: no shared items"
        size, relation = (
            gap(self.scale, abs(float(p.gap[i]))),
            "gap to" if side == "above" else "lead over",
        )
        if p.gap[i] * self.better < 0:
            relation = "lead over" if side == "above" else "gap to"
            model = f"{model} {side} on shared items"
        elif side == "above":
            model = f"{model} above"
        return f"{the} {size} {relation} {model} is {p.states[i].replace(', ', ' but ')}"

    def _limit(self, limit: int = _MAX_NAME_WIDTH) -> int:
        """Return the width that names in the table need to be distinct."""
        names = [self.ranks.model[i] for i in shown_models(len(self.ranks), self.highlight)]
        while len({name(n, limit=limit) for n in names}) < len(set(names)) and limit < _ROOM:
            limit *= 2
        return limit

    def mean(self, i: int) -> str:
        """Return the text of a model's mean."""
        mean = float(self.ranks.mean[i])
        return f"{100 * mean:.2f}" if points(self.scale) else f"{mean:.4g}"

    def interval(self, i: int) -> str:
        """Return the interval of a model's mean, which does not compare two models."""
        low, high = float(self.ranks.ci_low[i]), float(self.ranks.ci_high[i])
        if math.isnan(low):
            return "–"
        return " to ".join(
            f"{100 * x:.2f}" if points(self.scale) else f"{x:.4g}".replace("-", "−")
            for x in (low, high)
        )

    def cells(self, i: int, *, items: bool, limit: int) -> tuple[str, ...]:
        """Return the rank, rank range, name, mean, and gap to the next model."""
        r, p = self.ranks, self.adjacent
        return (
            f"{r.rank[i]:,}",
            rank_set(r, i),
            name(r.model[i], limit=limit),
            self.mean(i),
            *((f"{r.n_items[i]:,}",) if items else ()),
            *(pair_cells(p, i, self.scale, draws=self.draws) if i < len(p) else ("",) * 5),
        )

    def key(self, title: str) -> TextTable:
        """Return the table for one screen, with tiers as numbers and without p and q."""
        r, limit, fewer = self.ranks, self._limit(_NARROW), self.fewer()
        gap_, interval, _, _, verdict = pair_header(
            "gap to next", self.scale, self.conf, adjusted=self.adjusted
        )
        tiers = ("tier",) if self.tiers > 1 else ()
        mean = self.mean_header()
        header = (*tiers, "rank", "rank range", "model", mean, gap_, interval, verdict)
        rows: list[tuple[str, ...]] = []
        indices, marked, last = shown_models(len(r), self.highlight, _SCREEN), None, -1
        for i in indices:
            if i - last > 1:
                gone = f"… {i - last - 1:,} more …"
                blank = ("",) * (len(header) - 3 - len(tiers))
                rows.append((*("…",) * len(tiers), "…", "", gone, *blank))
            tier = (f"{r.tier[i]:,}" if i == 0 or r.tier[i] != r.tier[last] else "",)
            rank, set_, model, *cells = self.cells(i, items=False, limit=limit)
            model += " †" * (i in fewer)
            marked = len(rows) if i == self.highlight else marked
            rows.append((*tier[: len(tiers)], rank, set_, model, *cells[:-3], cells[-1]))
            last = i
        also = f"; † fewer {self.noun}" if fewer.intersection(indices) else ""
        return TextTable(title=title + also, header=header, rows=tuple(rows), marked=marked)

    def mean_header(self) -> str:
        """Return the header of the measure that ranks the models."""
        return score_header(self.scale).replace("score", self.measure, 1)

    def fewer(self) -> frozenset[int]:
        """Return the models that have clearly fewer items than others."""
        n = self.ranks.n_items
        return frozenset(np.flatnonzero(n < MOST * n.max()).tolist())

    def grid(self, title: str) -> TextTable:
        """Return a table with a row per model, and with a line between tiers.

        The middle of a long ranking is left out.
        """
        items, limit = len(set(self.ranks.n_items.tolist())) > 1, self._limit()
        header = (
            *("rank", "rank range", "model", self.mean_header()),
            f"{coverage(self.conf)} {SCORE_CI}",
            *((self.noun,) if items else ()),
            *pair_header("gap to next", self.scale, self.conf, adjusted=self.adjusted),
        )
        indices = shown_models(len(self.ranks), self.highlight)
        rows: list[tuple[str, ...]] = []
        lines, marked = [], None
        for before, i in pairwise([-1, *indices]):
            if i - before > 1:
                hidden_lines = int(self.ranks.tier[i - 1] - self.ranks.tier[max(before + 1, 0)])
                also = f", {hidden_lines:,} lines" if hidden_lines else ""
                gone = f"… {i - before - 1:,} models{also} …"
                rows.append(("…", "", gone, *("",) * (len(header) - 3)))
            if before >= 0 and self.ranks.tier[before + 1] != self.ranks.tier[before]:
                lines.append(len(rows) - (i - before > 1))
            if i - before > 1 and self.ranks.tier[i] != self.ranks.tier[i - 1]:
                lines.append(len(rows))
            marked = len(rows) if i == self.highlight else marked
            rank, set_, model, mean, *rest = self.cells(i, items=items, limit=limit)
            rows.append((rank, set_, model, mean, self.interval(i), *rest))
        hidden = len(self.ranks) - len(indices)
        also = "; lines separate the tiers" if self.tiers > 1 else ""
        overflow_text = f"; {hidden:,} models only in {as_csv()}" if hidden else ""
        return TextTable(
            title=title + also + overflow_text,
            header=header,
            rows=tuple(rows),
            marked=marked,
            lines=tuple(lines),
        )

    def need(self, n_more: float, current: int) -> str:
        """Return the number and kind of items needed, without a number that is useless."""
        text = rounded_need(n_more, current, self.noun.removesuffix("s"))
        return text if text.startswith("over") else f"{text}{self.more}"

    def needs(self) -> str | None:
        """Return the items needed to resolve inconclusive or underpowered gaps, or None."""
        words = list(self.adjacent.states)
        for state in ("inconclusive", "significant, underpowered"):
            left = [i for i, word in enumerate(words) if word == state]
            if left:
                return self._needs(left, state.removeprefix("significant, "))
        return None

    def _needs(self, left: list[int], kind: str) -> str | None:
        """Return the items needed for some adjacent gaps; None if no gap has an answer."""
        p = self.adjacent
        current = int(np.median(p.n_items))
        item_counts = sorted(float(p.more_items[i]) for i in left if 0 < p.more_items[i] <= ABSURD)
        if not item_counts:
            return None
        feasible = [x for x in item_counts if not self.need(x, current).startswith("over")]
        n_infeasible = len(left) - len(feasible)
        gap_text = f"the {kind} gap" if len(left) == 1 else f"the {len(left):,} {kind} gaps"
        many = f"over {MAX_FACTOR}× the current number of {self.noun}"
        if p.delta is not None:
            lead = f"To detect the declared gap of {declared_gap(self.scale, float(p.delta[0]))}"
            verb = "needs" if len(left) == 1 else "need"
            start = f"{lead}, {gap_text} {verb}"
        else:
            one = len(left) == 1
            goal = "gap equals the observed gap" if one else "gaps equal the observed gaps"
            start = f"If the true {goal}, resolving {gap_text} takes"
        if not feasible:
            return f"{start} {many}."
        size = f"{count(feasible[0])}"
        if feasible[-1] > feasible[0]:
            size = f"{rounded(feasible[0])} to {rounded(feasible[-1])}"
        elif feasible[0] >= 100:
            size = f"about {rounded(feasible[0])}"
        noun = self.noun.removesuffix("s") if size == "1" else self.noun
        addition = f"{size} more {noun}{self.more}"
        if not n_infeasible:
            return f"{start} {addition}."
        feasible_text = f"{len(feasible):,} of {gap_text}"
        others = "the other" if n_infeasible == 1 else f"the other {n_infeasible:,}"
        take = "takes" if n_infeasible == 1 else "take"
        return f"{start.replace(gap_text, feasible_text)} {addition}; {others} {take} {many}."


def _between(low: int, high: int) -> str:
    return f"{low:,}" if low == high else f"{low:,}–{high:,}"


def _more_items(audit: TaskAudit) -> str:
    """Return a description of the additional items, under the declared design and with labels."""
    if audit.judge_correction is not None:
        return f", {labeled_share(audit.judge_correction)}"
    kind, _, column = audit.design.partition(":")
    return f", in new {plural_of(column)}" if kind == "cluster" else ""


def ranking_of(result: Audit | TaskAudit, where: str | None = None) -> Ranking:
    """Return the ranking of one task, or of the average over several tasks."""
    task, spread = (result.tasks[0] if isinstance(result, Audit) else result), ""
    if isinstance(result, Audit) and len(result.tasks) > 1:
        spread = ", in the same proportions by task"
        if where in result.models_left_out:
            msg = (
                f"{where} lacks scores on a task, so it has no average. Choose tasks that it has "
                f"with {arg('tasks')}."
            )
            raise ParameterError(msg)
    return Ranking(
        ranks=result.ranking,
        adjacent=result.adjacent,
        scale=gap_scale(task),
        conf=1 - result.criteria.alpha,
        draws=maxt_draws(result),
        more=f"{_more_items(task)}{spread}",
        noun="items" if task.task_sample is None else "tasks",
        where=where,
        adjusted=result.adjust != "none",
        measure="score" if task.task_sample is None else _HEADERS[task.task_sample.rank_by],
    )
