"""Analyze all pairs under the declared design: their family, its rules, and the counts."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nstar._base.parameter_types import Adjust
from nstar._base.types import Array, IntArray
from nstar._engine.pairs import AnyPanel, Panel
from nstar._engine.work import Progress
from nstar._verbs.audit.checkpoint import CheckpointStore, reduce_resumable
from nstar._verbs.audit.family import (
    ExactFamily,
    HistogramFamily,
    PairFamily,
    SignificanceRule,
    degrees_of_freedom,
    interval_level,
    median_of,
    rules_by_policy,
)
from nstar._verbs.audit.maxt import (
    MOST_MODELS,
    MaxTResult,
    MaxTUnavailable,
    critical_scores,
    default_draws,
    flip_step_down,
    shrunk_covariance,
    step_down,
)
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.selection import RankedModels
from nstar._verbs.audit.tally import PairTally, WinCounts
from nstar._verbs.audit.tile_grid import TileGrid
from nstar._verbs.audit.tiles import (
    TILE,
    CountedTile,
    Tile,
    every_pair,
    neighbors,
    pvalues,
)
from nstar._verbs.audit.verdicts import CountingRules, DecisiveLead
from nstar._verbs.board_outcomes import FEWEST_ITEMS
from nstar._verbs.board_replay import HOLM_OF_NEWER
from nstar._verbs.verdict import Criteria
from nstar.stats._midp import BOUND, REACH
from nstar.stats.flips import FlipNull

MOST_HELD = 1000
"""Largest number of models for which all pairs are kept in memory. Above it, only counts are kept.
"""

_NOT_HELD = "This audit does not contain its pairs. Run it again from the scores."

_EDGES = (0.0, 0.005, 0.01, 0.02, 0.05, 0.1)
"""Limits of the bins of gaps, as a share of the scale."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PairAnalysis:
    """Analysis of all pairs under the declared design."""

    panel: AnyPanel
    held: Tile | None
    """All pairs, if they are in memory."""
    family: PairFamily
    step: MaxTResult | MaxTUnavailable
    """Max-T, or the reason why it is not available."""
    cov: Array | None
    """Covariance of the means, up to terms that cancel in differences; None without max-T."""
    counting: CountingRules
    tally: PairTally
    seed: int
    draws: int | None
    """Requested number of max-T draws."""

    @property
    def rank_method(self) -> Adjust:
        """Return the family-wise method of ranks and tiers."""
        return "holm" if isinstance(self.step, MaxTUnavailable) else "maxt"

    @property
    def drawn(self) -> int | None:
        """Return the number of max-T draws that were made; None without max-T."""
        return None if isinstance(self.step, MaxTUnavailable) else self.step.draws

    def adjust(self, policy: Adjust) -> Adjust:
        """Return the adjustment in use, which is Holm if max-T is not available."""
        return self.rank_method if policy == "maxt" else policy

    def adjusted(self, tile: Tile, adjust: Adjust) -> Array:
        """Return adjusted p-values of some pairs of the family."""
        return adjusted(tile, self.family, self.step, adjust, len(self.panel))

    def critical(self) -> float:
        """Return the |t| at which a pair is significant in the family of all pairs."""
        return median_of(self.counting.rulers[self.counting.verdict].critical(self.freedom()))

    def max_t_scores(self, alphas: Sequence[float]) -> dict[float, float]:
        """Return the normal score that max-T requires at each level; empty without max-T."""
        if self.cov is None or isinstance(self.step, MaxTUnavailable):
            return {}
        all_pairs = np.stack(np.triu_indices(len(self.panel), 1), axis=1)
        return critical_scores(
            self.step.p, self.cov, alphas, draws=self.step.draws, seed=self.seed, pairs=all_pairs
        )

    def freedom(self) -> Any:
        """Return the degrees of freedom of all pairs, or of some if not all are in memory."""
        all_pairs = self.held
        return degrees_of_freedom(
            neighbors(self.panel[:TILE]) if all_pairs is None else all_pairs.pairs
        )

    def adjacent(self) -> Tile:
        """Return the pairs of adjacent models."""
        first = np.arange(len(self.panel) - 1)
        if self.held is not None:
            return self.some(first, first + 1)
        pairs = neighbors(self.panel)
        p = pvalues(pairs, self.panel.design)
        return Tile(first=first, second=first + 1, pairs=pairs, p=p)

    def best(self, k: int) -> Tile:
        """Return all pairs among the first k models."""
        if self.held is None:
            return every_pair(self.panel[:k])
        return self._select(self.held, np.flatnonzero(self.held.second < k))

    def some(self, first: IntArray, second: IntArray) -> Tile:
        """Return some pairs by the ranks of their models. All pairs must be in memory."""
        if self.held is None:
            raise ValueError(_NOT_HELD)
        return self._select(self.held, _pair_positions(first, second, len(self.panel)))

    def stepped(self, tile: Tile, rule: Criteria) -> MaxTResult | MaxTUnavailable:
        """Return max-T on some pairs as a separate family, or the reason why it is unavailable."""
        if self.cov is None or isinstance(self.step, MaxTUnavailable):
            return self.step
        pairs, draws = np.stack([tile.first, tile.second], axis=1), self.step.draws
        return step_down(
            tile.p, self.cov, alpha=rule.alpha, draws=draws, seed=self.seed, pairs=pairs
        )

    def stepped_among(self, tile: Tile, k: int, rule: Criteria) -> MaxTResult | MaxTUnavailable:
        """Return max-T on all pairs of the first k models, or why it is unavailable."""
        draws = self.draws or default_draws(tile.p.size)
        reason = _max_t_problem(self.panel, k) or _draws_problem(rule.alpha, draws)
        if reason is not None:
            return reason
        cov = shrunk_covariance(tile.pairs, k, self.panel.n)
        return step_down(tile.p, cov, alpha=rule.alpha, draws=draws, seed=self.seed)

    def under(self, rule: Criteria, adjust: Adjust, score: float | None) -> "PairAnalysis":
        """Return the same pairs under other rules.

        ``score`` is the normal score that max-T requires at their level.

        Among the counts, only wins are recomputed. All pairs must be in memory.
        """
        step, before, all_pairs = self.step, self.counting, self.held
        if all_pairs is None:
            raise ValueError(_NOT_HELD)
        if not isinstance(step, MaxTUnavailable):
            coarse = _draws_problem(rule.alpha, step.draws) or _NO_SCORE
            step = coarse if score is None else replace(step, critical=score)
        counting = counting_rules(
            self.family,
            step,
            rule,
            adjust,
            models=len(self.panel),
            better=before.better,
            width=before.width,
            margin=before.margin,
        )
        return replace(
            self, step=step, counting=counting, tally=self._recount_wins(all_pairs, counting)
        )

    def _recount_wins(self, all_pairs: Tile, now: CountingRules) -> PairTally:
        """Return the wins under other rules, or the same if the rules are equally strict."""
        before = self.counting
        same = now.rulers[now.ranking].p == before.rulers[before.ranking].p
        if same and now.alone == before.alone:
            return self.tally
        beaten = now.significant(now.ranking, all_pairs)
        return replace(
            self.tally,
            wins=WinCounts.of(all_pairs, beaten, now.better),
            alone=WinCounts.of(all_pairs, all_pairs.p <= now.alone, now.better),
        )

    @staticmethod
    def _select(tile: Tile, index: Any) -> Tile:
        return Tile(
            first=tile.first[index],
            second=tile.second[index],
            pairs=tile.pairs.take(index),
            p=tile.p[index],
        )


def _pair_positions(first: IntArray, second: IntArray, models: int) -> IntArray:
    """Return the positions of pairs among all pairs with i < j."""
    return np.asarray(first * (2 * models - first - 1) // 2 + second - first - 1)


def adjusted(
    tile: Tile, family: PairFamily, step: MaxTResult | MaxTUnavailable, adjust: Adjust, models: int
) -> Array:
    """Return adjusted p-values of some pairs of a family."""
    if adjust != "maxt" or isinstance(step, MaxTUnavailable):
        return family.adjusted(tile.p, adjust)
    return step.p[_pair_positions(tile.first, tile.second, models)]


_NO_SCORE = MaxTUnavailable("the critical value was not simulated at this level")
_TOO_MANY = MaxTUnavailable(f"more than {MOST_MODELS} models")


def _max_t_problem(panel: AnyPanel, models: int) -> MaxTUnavailable | None:
    """Return the reason why max-T is unavailable or unreliable, or None."""
    if not panel.complete:
        return MaxTUnavailable(
            "the models were scored on different items, so the covariance of their gaps cannot be "
            "estimated"
        )
    if panel.clustered:
        return MaxTUnavailable("there are too few clusters to estimate the correlation of gaps")
    design = panel.design
    if min(panel.n, design.rests_on or panel.n) < FEWEST_ITEMS:
        unit = "items" if design.labels is None else "labels"
        unit = unit if design.effective is None else "effective items"
        reason = (
            f"fewer than {FEWEST_ITEMS} {unit} are too few to estimate the correlation of gaps"
        )
        return MaxTUnavailable(reason)
    return _TOO_MANY if models > MOST_MODELS else None


def _draws_problem(alpha: float, draws: int) -> MaxTUnavailable | None:
    """Return the reason why the number of draws is too small for a level, or None."""
    is_too_small = alpha * (draws + 1) < 1
    return (
        MaxTUnavailable(f"{draws:,} draws are too few for such a small level")
        if is_too_small
        else None
    )


def _max_t(
    grid: TileGrid, all_pairs: Tile | None, question: AuditQuestion
) -> tuple[MaxTResult | MaxTUnavailable, Array | None]:
    m = len(grid.panel)
    reason = _max_t_problem(grid.panel, m)
    if reason is not None or all_pairs is None:
        return reason or _TOO_MANY, None
    draws = default_draws(all_pairs.p.size) if question.draws is None else question.draws
    reason = _draws_problem(question.criteria.alpha, draws)
    if reason is None and not question.use_max_t:
        reason = MaxTUnavailable(HOLM_OF_NEWER)
    if reason is not None:
        return reason, None
    cov = shrunk_covariance(all_pairs.pairs, m, grid.panel.n)
    step = step_down(
        all_pairs.p,
        cov,
        alpha=question.criteria.alpha,
        draws=draws,
        seed=question.seed,
        workers=grid.crew,
        progress=grid.progress,
    )
    return step, cov


def _flips(
    grid: TileGrid, all_pairs: Tile, question: AuditQuestion
) -> tuple[MaxTResult | MaxTUnavailable, Tile]:
    """Return joint sign flips of tasks, or why they are unavailable, and the pairs."""
    panel, alpha = grid.panel, question.criteria.alpha
    if not panel.complete or not isinstance(panel, Panel):
        return MaxTUnavailable("some models lack some tasks"), all_pairs
    if len(panel) == 2:
        return MaxTUnavailable("there is only one pair"), all_pairs
    null = FlipNull.of(panel.data.scores.T)
    reason = _draws_problem(alpha, null.draws(question.draws))
    if reason is not None:
        return reason, all_pairs
    step, p = flip_step_down(
        all_pairs.p,
        null,
        alpha=alpha,
        draws=question.draws,
        seed=question.seed,
        workers=grid.crew,
        progress=grid.progress,
    )
    return step, replace(all_pairs, p=p)


def counting_rules(
    family: PairFamily,
    step: MaxTResult | MaxTUnavailable,
    rule: Criteria,
    adjust: Adjust,
    *,
    models: int,
    better: int,
    width: float,
    margin: float | None,
) -> CountingRules:
    """Return the rules for counting in a family."""
    ranking = "holm" if isinstance(step, MaxTUnavailable) else "maxt"
    used = {"none": "", "maxt": ranking}.get(adjust, adjust)
    simultaneous = used in ("maxt", "holm", "bonferroni")
    rules, marginal_alpha = rules_by_policy(family, rule, step), rule.alpha / (models - 1)
    return CountingRules(
        rulers=rules,
        verdict=used,
        ranking=ranking,
        interval=interval_level(used, rules, rule.alpha, step),
        alone=marginal_alpha,
        beyond=DecisiveLead.of(
            (*rules.values(), SignificanceRule(p=marginal_alpha, power=rule.power))
        ),
        edges=tuple(e * width for e in _EDGES),
        better=better,
        width=width,
        margin=margin,
        margin_alpha=rule.alpha / family.size if simultaneous else rule.alpha,
    )


def _histogram(tile: Tile | CountedTile, _: None) -> HistogramFamily:
    """Return the p-values of a tile; those beyond the table are only counted."""
    if isinstance(tile, Tile):
        return HistogramFamily.of(tile.p)
    in_reach = ~tile.far(REACH)
    p = tile.p(in_reach)
    family = HistogramFamily.of(p)
    family.repeat(BOUND, in_reach.size - p.size)
    return family


def _tally(tile: Tile | CountedTile, counting: CountingRules) -> PairTally:
    return (
        PairTally.of(tile, counting)
        if isinstance(tile, Tile)
        else PairTally.of_counts(tile, counting)
    )


def _family(
    grid: TileGrid, all_pairs: Tile | None, checkpoints: CheckpointStore | None
) -> PairFamily:
    if all_pairs is not None:
        return ExactFamily(np.sort(all_pairs.p))
    # Step-wise policies need all p-values before any verdict, and large boards have too many
    # to hold. The first pass bins them (rounded up, so verdicts err on the safe side), and the
    # second pass counts verdicts.
    return reduce_resumable(
        grid,
        _histogram,
        None,
        name="p-values",
        back=HistogramFamily.from_arrays,
        checkpoints=checkpoints,
        progress=_half_progress(grid.progress, 0),
    )


def _half_progress(progress: Progress | None, half: int) -> Progress | None:
    """Return a progress callback for the first or the second of two passes."""
    if progress is None:
        return None
    return lambda n_done, total: progress(n_done + half * total, 2 * total)


def analyze_pairs(
    field: RankedModels,
    grid: TileGrid,
    question: AuditQuestion,
    width: float,
    checkpoints: CheckpointStore | None = None,
) -> PairAnalysis:
    """Analyze all pairs, in one pass if they fit in memory, else in two passes by tiles."""
    panel, rule = grid.panel, question.criteria
    m = len(panel)
    all_pairs = every_pair(panel) if m <= MOST_HELD else None
    cov = None
    if question.unit == "task" and all_pairs is not None:
        step, all_pairs = _flips(grid, all_pairs, question)
    else:
        step, cov = _max_t(grid, all_pairs, question)
    family = _family(grid, all_pairs, checkpoints)
    counting = counting_rules(
        family,
        step,
        rule,
        question.adjust,
        models=m,
        better=field.better,
        width=width,
        margin=question.margin,
    )
    if question.unit == "task":
        rules = {name: replace(one, by_sign=False) for name, one in counting.rulers.items()}
        counting = replace(counting, rulers=rules)
    if all_pairs is not None:
        tally = PairTally.of(all_pairs, counting)
    else:
        tally = reduce_resumable(
            grid,
            _tally,
            counting,
            name="counts",
            back=PairTally.from_arrays,
            checkpoints=checkpoints,
            progress=_half_progress(grid.progress, 1),
            stamp=[r.p for r in counting.rulers.values()],
        )
    return PairAnalysis(
        panel=panel,
        held=all_pairs,
        family=family,
        step=step,
        cov=cov,
        counting=counting,
        tally=tally,
        seed=question.seed,
        draws=question.draws,
    )
