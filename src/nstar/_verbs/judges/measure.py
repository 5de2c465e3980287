"""Compute the statistics of judges from their judgments."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from nstar import stats
from nstar._base.types import Array, Interval
from nstar._data.findings import Finding
from nstar._verbs.judges.result import JudgePair, JudgeRow, Judges, VarianceShares
from nstar._verbs.judges.sample import JudgesSample
from nstar.stats._label_looks import label_looks
from nstar.stats.judges import judge_break_even, judge_cost

_MIN_ITEMS = 3
"""Minimum number of items for a reported correlation."""


def _agreement(first: Array, second: Array, conf: float) -> stats.RaterAgreement | None:
    """Return the agreement of (models, items, …) arrays; None if they share fewer than 2 items."""
    present = [~np.isnan(x).all(axis=-1) if x.ndim == 3 else ~np.isnan(x) for x in (first, second)]
    if np.count_nonzero((present[0] & present[1]).any(axis=0)) < 2:
        return None
    x, y = (np.swapaxes(v, 0, 1) for v in (first, second))
    return stats.rater_agreement(x, y, conf=conf)


def _differences(first: Array, second: Array, conf: float) -> stats.DifferenceAgreement | None:
    """Return the agreement on differences, (models, items).

    For one model, its answers are used instead of differences.
    """
    if len(first) == 1:
        first, second = (np.concatenate([x, 0 * x]) for x in (first, second))
    if np.count_nonzero(~np.isnan(first + second).any(axis=0)) < _MIN_ITEMS:
        return None
    return stats.difference_agreement(first.T, second.T, conf=conf)


@dataclass(frozen=True, slots=True, kw_only=True)
class _JudgeValue:
    """Value of a judge of these items in addition to these labels."""

    gain: float | None = None
    gain_ci: Interval | None = None
    gain_limit: float | None = None
    break_even: float | None = None
    relative_cost: float | None = None
    relative_cost_ci: Interval | None = None
    label_share: float | None = None

    @classmethod
    def of(
        cls,
        agreement: stats.DifferenceAgreement | None,
        items: int,
        prices: tuple[float, float] | None,
    ) -> "_JudgeValue":
        """Return the value from a correlation, and from prices if they are known."""
        if agreement is None or agreement.r is None:
            return cls()
        r, labels, ends = agreement.r, agreement.items, _sizes(agreement.ci)

        def gain(at: float) -> float:
            return float(stats.judge_gain(at, labels=labels, judged=items))

        known = cls(
            gain=gain(r),
            gain_ci=ends and Interval(*map(gain, ends)),
            gain_limit=float(stats.judge_gain(r, labels=labels, judged=np.inf)),
            break_even=float(judge_break_even(r)),
        )
        if prices is None:
            return known

        def cost(at: float) -> float:
            return float(judge_cost(at, cost_label=prices[0], cost_judge=prices[1]))

        return replace(
            known,
            relative_cost=cost(r),
            relative_cost_ci=ends and Interval(*map(cost, ends[::-1])),
            label_share=float(stats.label_share(r, cost_label=prices[0], cost_judge=prices[1])),
        )


def _sizes(ci: Interval | None) -> tuple[float, float] | None:
    """Return limits of the absolute correlation, from 0 if the interval contains 0."""
    if ci is None:
        return None
    low, high = sorted(abs(float(end)) for end in ci)
    return (0.0, high) if ci.low <= 0 <= ci.high else (low, high)


def _favor(judge: Array, label: Array, conf: float) -> tuple[float | None, Interval | None]:
    """Return the bias of a judge for the first of two models."""
    if len(judge) != 2:
        return None, None
    gap, judge_gap = label[0] - label[1], judge[0] - judge[1]
    known = ~np.isnan(gap + judge_gap)
    if np.count_nonzero(known) < 2:
        return None, None
    bias = (judge_gap - gap)[known]
    if np.ptp(bias) == 0:
        return float(bias[0]), None
    low, high = stats.t_interval(bias.mean(), bias.std(ddof=1), bias.size, conf=conf)
    return float(bias.mean()), Interval(float(low), float(high))


class _JudgeInputs:
    """A sample of judgments, with the settings of the analysis."""

    def __init__(
        self,
        sample: JudgesSample,
        conf: float,
        costs: Mapping[str, float],
        cost_label: float | None,
    ) -> None:
        self.sample, self.conf = sample, conf
        self.costs, self.cost_label = costs, cost_label
        self.means = sample.means
        self.differences = [_differences(m, sample.label, conf) for m in self.means]

    def row(
        self,
        name: str,
        scores: Array,
        agreement: stats.DifferenceAgreement | None,
        cost: float | None,
    ) -> JudgeRow:
        """Return the row of one judge with scores (models, items, repeats)."""
        count = np.count_nonzero(~np.isnan(scores), axis=-1)
        with np.errstate(invalid="ignore"):
            means = np.nansum(scores, axis=-1) / np.where(count, count, np.nan)
        repeats = float(count[count > 0].mean()) if count.any() else 0.0
        items = int(np.count_nonzero((count > 0).all(axis=0)))
        r, ci, labels = (
            (None, None, 0) if agreement is None else (agreement.r, agreement.ci, agreement.items)
        )
        favor, favor_ci = _favor(means, self.sample.label, self.conf)
        spent = None if cost is None else cost * repeats
        prices = None if spent is None or self.cost_label is None else (self.cost_label, spent)
        worth = _JudgeValue.of(agreement, items, prices)
        return JudgeRow(
            judge=name,
            n_items=items,
            n_judgments=int(count.sum()),
            mean_repeats=repeats,
            mean=float(np.nanmean(means)),
            agreement=_agreement(scores, self.sample.label, self.conf),
            n_labels=labels,
            r=r,
            r_ci=ci,
            gap_bias=favor,
            gap_bias_ci=favor_ci,
            gain=worth.gain,
            gain_ci=worth.gain_ci,
            gain_unlimited=worth.gain_limit,
            break_even_cost=worth.break_even,
            cost=spent,
            relative_cost=worth.relative_cost,
            relative_cost_ci=worth.relative_cost_ci,
            label_share=worth.label_share,
        )

    def rows(self) -> tuple[JudgeRow, ...]:
        """Return the row of every judge."""
        return tuple(
            self.row(name, scores, agreement, self.costs.get(name))
            for name, scores, agreement in zip(
                self.sample.judges, self.sample.scores, self.differences, strict=True
            )
        )

    def together(self) -> JudgeRow | None:
        """Return the row of the mean of all judges, on shared items."""
        names = self.sample.judges
        panel = self.means.mean(axis=0)
        if len(names) < 2 or np.isnan(panel).all():
            return None
        agreement = _differences(panel, self.sample.label, self.conf)
        each = [self.costs[name] for name in names if name in self.costs]
        repeats = [row.mean_repeats for row in self.rows()]
        total_cost = sum(c * k for c, k in zip(each, repeats, strict=False))
        cost = total_cost if len(each) == len(names) else None
        return self.row("all together", panel[..., None], agreement, cost)

    def pairs(self) -> tuple[JudgePair, ...]:
        """Return every pair of judges that judged the same answers."""
        out = []
        for j, k in combinations(range(len(self.sample.judges)), 2):
            between = _agreement(self.sample.scores[j], self.sample.scores[k], self.conf)
            if between is None:
                continue
            agreement = _differences(self.means[j], self.means[k], self.conf)
            out.append(
                JudgePair(
                    judge_a=self.sample.judges[j],
                    judge_b=self.sample.judges[k],
                    agreement=between,
                    r=None if agreement is None else agreement.r,
                    r_ci=None if agreement is None else agreement.ci,
                )
            )
        return tuple(out)

    def best(self, rows: Sequence[JudgeRow]) -> tuple[str | None, float | None]:
        """Return the most valuable judge, and the evidence that it is better than any other."""
        known = [k for k, row in enumerate(rows) if row.r is not None]
        if not known:
            return None, None
        priced = all(rows[k].relative_cost is not None for k in known)

        def rank(k: int) -> float:
            row = rows[k]
            return row.relative_cost or 0.0 if priced else -(row.r or 0.0)

        top = min(known, key=rank)
        return rows[top].judge, self._surely(top, known)

    def _surely(self, top: int, known: Sequence[int]) -> float | None:
        p = []
        for k in known:
            first, second = self.differences[top], self.differences[k]
            if k != top and first is not None and second is not None:
                p.append(stats.agreements_differ(first, second))
        pvalues = [x for x in p if x is not None]
        return max(pvalues) if pvalues and len(pvalues) == len(p) else None

    def choice(self) -> float | None:
        """Return the p-value for the null hypothesis of random labels, over all judges."""
        known = np.asarray(~np.isnan(self.sample.label).any(axis=0))
        pvalues = []
        for means in self.means:
            is_complete = ~np.isnan(means).any(axis=0)
            looks = label_looks(means[:, is_complete], known[is_complete])
            if looks is not None:
                pvalues.append(looks.p)
        return min(1.0, len(pvalues) * min(pvalues)) if pvalues else None

    def parts(self) -> stats.JudgeParts | None:
        """Return the variance components, from items that all judges scored for all models."""
        cube = np.moveaxis(self.sample.scores, 0, 2)  # models, items, judges, repeats
        count = np.count_nonzero(~np.isnan(cube), axis=-1)
        if np.count_nonzero(count.min(axis=(0, 2))) < 2:
            return None
        return stats.judge_components(cube, conf=self.conf)


def _shares(parts: stats.JudgeParts) -> tuple[float, VarianceShares | None]:
    """Return the standard error, and the share of each component in its square."""
    n, judges, repeats = parts.items, parts.judges, parts.repeats
    total_variance = parts.variance(n, judges, repeats)
    if total_variance == 0:
        return 0.0, None
    cells = n * judges
    of = (
        (parts.item2, n),
        (parts.judge2, judges),
        (parts.cross2, cells),
        (parts.repeat2, cells * repeats),
    )
    item, judge, cross, repeat = (max(v or 0.0, 0.0) / k / total_variance for v, k in of)
    return math.sqrt(total_variance), VarianceShares(
        item=item, judge=judge, cross=cross, repeat=repeat
    )


def measured(
    sample: JudgesSample,
    *,
    alpha: float = 0.05,
    costs: Mapping[str, float] | None = None,
    cost_label: float | None = None,
    findings: Sequence[Finding] = (),
) -> Judges:
    """Compare all judges with labels and with each other, and compute their value."""
    inputs = _JudgeInputs(sample, 1 - alpha, costs or {}, cost_label)
    rows, parts = inputs.rows(), inputs.parts()
    best, best_p = inputs.best(rows)
    se, shares = (None, None) if parts is None else _shares(parts)
    return Judges(
        models=sample.models,
        task=sample.task,
        confidence_level=1 - alpha,
        score_range=sample.limits,
        lower_is_better=sample.lower_is_better,
        n_items=sample.scores.shape[2],
        n_labels=int(np.count_nonzero(~np.isnan(sample.label).any(axis=0))),
        judges=rows,
        combined=inputs.together(),
        pairs=inputs.pairs(),
        best_judge=best,
        best_pvalue=best_p,
        selection_pvalue=inputs.choice(),
        cost_label=cost_label,
        variances=parts,
        se=se,
        variance_shares=shares,
        findings=tuple(findings),
    )
