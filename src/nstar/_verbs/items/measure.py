"""Compute all statistics of items from scores."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray
from nstar._data.findings import Finding
from nstar._data.matrix import NOTHING, ScoreMatrix
from nstar._engine.pairs import PairStats, panel
from nstar._engine.work import one_thread
from nstar._verbs.audit.family import rule_at, uses_mcnemar
from nstar._verbs.audit.selection import AuditedModels, select_models
from nstar._verbs.audit.tiles import neighbors
from nstar._verbs.data_summary.finding_text import limits as limits_of
from nstar._verbs.items.question import ItemsQuestion
from nstar._verbs.items.result import (
    FEWEST,
    Ceiling,
    DeadItemRevival,
    GroupItemCounts,
    HeatmapBin,
    HeatmapRow,
    Items,
    ItemStatus,
    ItemTable,
    LabelErrorImpact,
    LeadingPairs,
    Reliability,
    SignalNoise,
    UninformativeItems,
)
from nstar._verbs.items.scan import ItemSums, scanned
from nstar._verbs.items.split import split_of
from nstar.errors import DataError
from nstar.stats._rasch import chance_shares

_BINS = 60
"""Number of columns of discriminating items."""
_ORDER = (1, 0, 3, 2)
"""Codes of a status from easy to hard: all correct, discriminating, all equal, all wrong."""
_NAMES = {0: "live", 1: "all right", 2: "all wrong", 3: "all alike"}


def _columns(code: IntArray, ease: Array) -> list[tuple[int, IntArray]]:
    """Return the items of each column: discriminating ones in bins, from easy to hard."""
    out = []
    for kind in _ORDER:
        indices = np.flatnonzero(code == kind)
        if kind == 0 and indices.size:
            order = indices[np.argsort(-ease[indices], kind="stable")]
            out += [(kind, part) for part in np.array_split(order, min(_BINS, indices.size))]
        elif indices.size:
            out.append((kind, indices))
    return out


def heat_of(
    selection: AuditedModels, item_sums: ItemSums, code: IntArray, limits: tuple[float, float]
) -> tuple[tuple[HeatmapBin, ...], tuple[HeatmapRow, ...]]:
    """Return columns and rows of the heat map; scores as shares of the scale, 1 the best."""
    low, width = limits[0] - item_sums.offset, limits[1] - limits[0]
    ease = selection.better * item_sums.sums / item_sums.n
    bins, shares = [], []
    sums, counts = item_sums.bands
    for kind, items in _columns(code, ease):
        bins.append(HeatmapBin(n_items=len(items), status=_NAMES[kind]))  # type: ignore[arg-type]
        with np.errstate(invalid="ignore"):
            mean = sums[:, items].sum(axis=1) / counts[:, items].sum(axis=1)
        share = np.clip((mean - low) / width, 0.0, 1.0)
        shares.append(share if selection.better > 0 else 1 - share)
    cells = np.stack(shares, axis=1)
    ends = [*item_sums.starts[1:].tolist(), len(selection.names)]
    rows = tuple(
        HeatmapRow(
            model=selection.names[start],
            n_models=end - start,
            mean=float(selection.means[start:end].mean()),
            shares=tuple(cells[k].tolist()),
        )
        for k, (start, end) in enumerate(zip(item_sums.starts.tolist(), ends, strict=True))
    )
    return tuple(bins), rows


_STATUS: tuple[ItemStatus, ...] = ("live", "all right", "all wrong", "all alike")
_HIGH = 0.95
"""Share correct from which on a model is near the ceiling."""
_LOW = -0.2
"""Item-rest correlation that counts as low."""
_GROUPS = 100
"""Largest number of groups of a column that is reported."""
_CHANCES = (0.0, 0.1, 0.25)
"""Probabilities that an answer scores on a wrong key: never, one of ten choices, one of four."""
_FEWER = (100, 1000)
"""Numbers of items for which the reliability is reported."""


def examined(
    matrix: ScoreMatrix,
    models: Sequence[str] | None,
    question: ItemsQuestion,
    findings: Sequence[Finding] = (),
) -> Items:
    """Analyze the items of one task, for all models or some."""
    if matrix.correction is not None:
        msg = "items uses the scores as they are. Remove weights and judge labels."
        raise DataError(msg)
    matrix = (matrix.as_binary() or (matrix,))[0]
    selection = select_models(matrix, models, question.items)
    with one_thread():
        return _ItemInputs(selection, question).result(findings)


class _ItemInputs:
    """Inputs from which the parts of the result are computed."""

    def __init__(self, selection: AuditedModels, question: ItemsQuestion) -> None:
        self.about, self.ask = selection, question
        self.limits = limits_of(selection.matrix)
        self.top = min(question.top, len(selection.names))
        self.seen: ItemSums = scanned(selection, self.top)
        self.pairs: PairStats = neighbors(
            panel(selection.matrix, selection.models, selection.items)
        )
        self.ruler = rule_at(question.criteria.alpha, question.criteria)
        self.mde: Array = self._detectable()

    def _detectable(self) -> Array:
        mde = self.ruler.mde(self.pairs)
        largest = self.limits[1] - self.limits[0]
        return np.where(np.isfinite(mde) & (mde <= largest), mde, np.nan)

    def status(self, low: Array, high: Array) -> IntArray:
        """Return the code into ``_STATUS`` of each item."""
        ends = np.array(self.limits) - self.seen.offset
        worst, best = ends if self.about.better > 0 else ends[::-1]
        slack = NOTHING * (self.limits[1] - self.limits[0])
        alike = high - low <= slack
        code = np.where(alike, 3, 0)
        code[alike & (np.abs(low - best) <= slack)] = 1
        code[alike & (np.abs(low - worst) <= slack)] = 2
        return code

    def cohort(self, code: IntArray, models: int) -> UninformativeItems:
        """Count the items by their status among these models."""
        right, wrong, alike = (int(np.count_nonzero(code == k)) for k in (1, 2, 3))
        return UninformativeItems(
            n_models=models,
            n_items=len(code),
            n_all_correct=right,
            n_all_wrong=wrong,
            n_all_equal=alike,
        )

    def revival(self, full_cohort: UninformativeItems) -> DeadItemRevival | None:
        """Return the effect of one more model, with each model in turn as the new one."""
        selection = self.about
        if not (selection.matrix.binary and selection.complete and len(selection.names) > 2):
            return None
        lone = self.seen.lone if selection.better > 0 else self.seen.lone[::-1]
        shares = []
        for revived, dead in zip(
            lone, (full_cohort.n_all_wrong, full_cohort.n_all_correct), strict=True
        ):
            before = revived + dead
            shares.append(np.divide(revived, before, out=np.zeros(len(before)), where=before > 0))
        wrong, right = shares
        return DeadItemRevival(
            all_wrong_share=float(wrong.mean()),
            all_wrong_share_max=float(wrong.max()),
            all_correct_share=float(right.mean()),
            all_correct_share_max=float(right.max()),
        )

    def by_chance(self, code: IntArray) -> tuple[float | None, float | None]:
        """Return the shares of items below 0 and below the low limit if every key is correct."""
        selection, live = self.about, code == 0
        if not (selection.matrix.binary and selection.complete and len(selection.names) >= FEWEST):
            return None, None
        totals = self.seen.totals - np.count_nonzero(self.seen.low[~live] == 1)
        if not live.any() or np.ptp(totals) == 0:
            return None, None
        right = self.seen.sums[live].astype(np.int64)
        negative, low = live.mean() * chance_shares(right, totals, (0.0, _LOW))
        return float(negative), float(low)

    def leading(self) -> LeadingPairs:
        """Return the adjacent pairs among the best models."""
        k = self.top - 1
        leading_pairs = self.pairs.take(slice(0, k))
        offset = self._offset()
        with np.errstate(divide="ignore", invalid="ignore"):
            means = [
                np.asarray(s / leading_pairs.n + offset)
                for s in (leading_pairs.gram.first, leading_pairs.gram.second)
            ]
            psi = np.asarray(self.seen.live / leading_pairs.n)
        return LeadingPairs(
            model_a=self.about.names[:k],
            model_b=self.about.names[1 : k + 1],
            n_items=np.asarray(leading_pairs.n, dtype=np.int64),
            mean_a=means[0],
            mean_b=means[1],
            gap=np.asarray(leading_pairs.delta),
            n_discordant=self.seen.live,
            psi=psi,
            significant_gap=self._significant(leading_pairs),
            mde=self.mde[:k],
        )

    def _significant(self, pairs: PairStats) -> Array:
        """Return the smallest observed gap that the test of each pair rejects; NaN without one."""
        level = self.ask.criteria.alpha
        if uses_mcnemar(pairs):
            counts = np.asarray(pairs.gram.gap2, dtype=np.float64)
            gap = self.ruler.mcnemar().significant_gap(counts, np.asarray(pairs.n, np.float64))
        else:
            with np.errstate(invalid="ignore"):
                gap = stats.GradedTest(alpha=level).significant_gap(pairs.se, pairs.df)
        largest = self.limits[1] - self.limits[0]
        gap = np.broadcast_to(gap, pairs.delta.shape)
        return np.where((gap > 0) & (gap <= largest), gap, np.nan)

    def _offset(self) -> float:
        return 0.0 if self.about.matrix.binary else self.seen.offset

    def ceiling(self, pairs: LeadingPairs) -> Ceiling | None:
        """Return the remaining room if both leading models are nearly perfect."""
        if not self.about.matrix.binary:
            return None
        right = [float(x[0]) for x in (pairs.mean_a, pairs.mean_b)]
        if self.about.better < 0:
            right = [1 - p for p in right]
        if min(right) < _HIGH:
            return None
        return Ceiling(
            max_psi=2 - sum(right),
            mde=float(self.ruler.mcnemar().mde_unopposed(int(pairs.n_items[0]))),
            max_gap=1 - max(right),
        )

    def signal(self) -> SignalNoise:
        """Return the gaps of adjacent models next to their detectable gaps."""
        with np.errstate(invalid="ignore"):
            above = np.abs(self.pairs.delta) > self.mde
        se = self.pairs.se[np.isfinite(self.pairs.se)]
        return SignalNoise(
            n_adjacent=len(self.mde),
            n_above_mde=int(np.count_nonzero(above)),
            sd=float(self.about.means.std(ddof=1)),
            se=float(np.median(se)) if se.size else math.nan,
        )

    def reliability(self) -> Reliability | None:
        """Return the reliability of the items that all models have."""
        item_sums, n = self.seen, int(np.count_nonzero(self.seen.shared))
        if n < 2 or len(self.about.names) < 3:
            return None

        def alpha(cohort: int, totals: Array) -> float:
            within, total = float(item_sums.spread[cohort].sum()), float(totals.var())
            if total <= NOTHING * within:
                return math.nan
            return float(stats.cronbach_alpha(n, item_variance=within, total_variance=total))

        full_alpha = alpha(0, item_sums.totals)
        fewer = (k for k in _FEWER if k < n and full_alpha > 0)
        return Reliability(
            n_items=n,
            cronbach_alpha=full_alpha,
            cronbach_alpha_top=alpha(1, item_sums.totals[: self.top]),
            cronbach_alpha_at={
                str(k): float(stats.reliability_at(full_alpha, k, of=n)) for k in fewer
            },
        )

    def key_errors(self, pairs: LeadingPairs) -> Iterator[LabelErrorImpact]:
        """Yield the effect of wrong keys on the leading pair's smallest detectable gap."""
        share, gap = self.ask.label_errors, float(pairs.mde[0])
        if share is None or not self.about.matrix.binary or math.isnan(gap):
            return
        rule = self.ask.criteria
        psi = max(float(pairs.psi[0]), gap)
        for chance in _CHANCES:
            noise = stats.label_noise(
                gap, psi=psi, error=share, chance=chance, alpha=rule.alpha, power=rule.power
            )
            yield LabelErrorImpact(
                correct_probability=chance,
                mde_observed=float(noise.delta),
                psi_observed=float(noise.psi),
                n_star_ratio=float(noise.inflation),
            )

    def groups(
        self, live: BoolArray, top_live: BoolArray, mean: Array
    ) -> Iterator[GroupItemCounts]:
        """Yield discriminating items by group, for columns of few groups."""
        for column, grouping in self.about.matrix.groups.items():
            codes = grouping.codes[self.about.items]
            used = np.unique(codes[codes >= 0])
            if not 1 < used.size <= min(_GROUPS, len(codes) // 2):
                continue
            for code in used.tolist():
                in_group = codes == code
                yield GroupItemCounts(
                    column=column,
                    group=grouping.labels[code],
                    n_items=int(in_group.sum()),
                    n_discriminating=int(live[in_group].sum()),
                    n_discriminating_top=int(top_live[in_group].sum()),
                    mean=float(mean[in_group].mean()),
                )

    def table(self, code: IntArray, top: IntArray, mean: Array) -> ItemTable:
        """Return the table of items."""
        matrix, items = self.about.matrix, self.about.items
        grouping = next(iter(matrix.groups.values()), None)
        r = self.seen.r
        order = np.argsort(np.where(np.isnan(r), np.inf, r), kind="stable")
        below = order[: int(np.count_nonzero(r < 0))]
        suspicion = np.zeros(len(r), dtype=np.int64)
        suspicion[below] = np.arange(1, len(below) + 1)
        groups = None
        if grouping is not None:
            known = grouping.codes[items].tolist()
            groups = tuple("" if k < 0 else grouping.labels[k] for k in known)
        return ItemTable(
            item=tuple(matrix.items[k] for k in items.tolist()),
            group=groups,
            n_models=self.seen.n,
            mean=mean,
            status=tuple(_STATUS[k] for k in code.tolist()),
            top_status=tuple(_STATUS[k] for k in top.tolist()),
            r=r,
            suspicion_rank=suspicion,
        )

    def result(self, findings: Sequence[Finding]) -> Items:
        """Combine all parts."""
        selection, question, item_sums = self.about, self.ask, self.seen
        code, top = (
            self.status(low, high)
            for low, high in (
                (item_sums.low, item_sums.high),
                (item_sums.top_low, item_sums.top_high),
            )
        )
        item_sums.r[(code != 0) | (item_sums.n < FEWEST)] = np.nan  # may be rounding error
        mean = item_sums.sums / item_sums.n + item_sums.offset
        full_cohort, pairs = self.cohort(code, len(selection.names)), self.leading()
        known = item_sums.r[~np.isnan(item_sums.r)]
        bins, rows = heat_of(selection, item_sums, code, self.limits)
        negative, low = self.by_chance(code)
        return Items(
            task=selection.matrix.task,
            metric=selection.matrix.metric,
            is_binary=selection.matrix.binary,
            lower_is_better=selection.matrix.lower_is_better,
            score_range=self.limits,
            criteria=question.criteria,
            item_set=question.items,
            n_items=len(selection.items),
            n_items_left_out=selection.left_out,
            is_complete=selection.complete,
            models=selection.names,
            means=selection.means,
            item_counts=full_cohort,
            item_counts_top=self.cohort(top, self.top),
            revival=self.revival(full_cohort),
            pairs=pairs,
            ceiling=self.ceiling(pairs),
            median_r=float(np.median(known)) if known.size else math.nan,
            negative_share=_share(item_sums.r < 0),
            low_share=_share(item_sums.r < _LOW),
            negative_share_by_chance=negative,
            low_share_by_chance=low,
            groups=tuple(self.groups(code == 0, top == 0, mean)),
            signal_noise=self.signal(),
            reliability=self.reliability(),
            label_error_share=question.label_errors,
            label_error_impacts=tuple(self.key_errors(pairs)),
            after=question.after,
            split=split_of(selection, question, self.top, self.limits, mean),
            heatmap_bins=bins,
            heatmap_rows=rows,
            table=self.table(code, top, mean),
            findings=tuple(findings),
        )


def _share(mask: BoolArray) -> float:
    return float(mask.mean()) if mask.size else 0.0
