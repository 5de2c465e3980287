"""Evaluate which best values of a reported table the items support."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from nstar import stats
from nstar._base import checks
from nstar._base.codec import derived
from nstar._base.parameter_types import PlusMinusKind
from nstar._base.result import Result
from nstar._base.types import Interval
from nstar._data.printed_table import PrintedColumn, PrintedTable, matching
from nstar._verbs.benchmarks import BENCHMARKS, TypicalRho
from nstar._verbs.claim.evaluate import counts_of, most_discordant, nearest_rho, p_of_about
from nstar._verbs.claim.scores import PrintedScore, judged_scores
from nstar._verbs.claim.wins import judged_wins
from nstar._verbs.verdict import ClaimVerdict, Criteria, judge_bounds
from nstar.errors import DataError, arg
from nstar.stats._printed_errors import PmReading

_MAX_ERROR = 0.1
"""Smallest ± of a proportion that may be in percentage points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnLead:
    """Lead of the best value of a column over one other model."""

    model: str
    """Name of the other model."""
    gap: float
    """Claimed value minus this one, positive if the claimed one is better."""
    pvalue: Interval
    """Smallest and largest adjusted p-value over all correlations and counts that round to the
    values. For reported errors, over their meanings and rounding, if the errors are independent.
    """
    pvalue_typical: Interval | None
    """Range of the p-value between the quartiles of the benchmark's typical correlation, if known.
    """
    verdict: ClaimVerdict
    """Whether all, some, or no correlations make the lead significant."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableColumn:
    """One benchmark of the table."""

    benchmark: str
    """Name of the benchmark."""
    n_items: int | None
    """Number of items that all models answered; None if the reported errors were tested."""
    shares: tuple[float | None, ...]
    """Reported accuracies, in the order of the models; None if missing."""
    decimals: tuple[int, ...]
    """Decimals of each accuracy as a proportion."""
    is_percent: bool
    """Whether the values were reported as percentages."""
    is_lower_better: bool
    """Whether the smallest value is the best."""
    readings: tuple[PmReading, ...]
    """Meanings of the reported errors that were tested; empty if the items were tested."""
    best: tuple[str, ...]
    """Models with the best value."""
    bold: tuple[str, ...]
    """Models that were reported in bold."""
    not_shares: tuple[str, ...]
    """Models whose value is not a rounded share of the items."""
    truncations: tuple[str, ...]
    """Models among these whose value is a truncated share."""
    n_tests: int
    """Number of tests by which each p-value is multiplied: columns times rivals."""
    leads: tuple[ColumnLead, ...]
    """Leads of the best over each other model, closest first."""
    pvalue: Interval
    """Smallest and largest adjusted p-value of the weakest lead."""
    rho_assumed: TypicalRho | None
    """Typical correlation on this benchmark, if known."""
    pvalue_typical: Interval | None
    """Adjusted p-value of the weakest lead at the quartiles of that correlation."""
    verdict: ClaimVerdict
    """Whether all, some, or no correlations support the best value."""
    verdict_typical: ClaimVerdict | None
    """Whether all, some, or no correlations between these quartiles support the best value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkippedColumn:
    """Column that was not evaluated."""

    benchmark: str
    """Name of the benchmark."""
    reason: str
    """Reason why it was skipped."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MostWins:
    """Sign test for the model that is best most often."""

    model: str
    """Name of the model."""
    n_wins: int
    """Number of columns on which it is best or shares the best value."""
    n_ties: int
    """Number of these columns on which the best value is shared."""
    pvalue_any: float
    """Probability that any of the models has this many wins, if all are equally good."""
    pvalue_rival: float
    """Probability of this many wins if only one other model is as good."""
    verdict: ClaimVerdict
    """Whether the wins are significant under all, some, or no assumptions."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False, eq=False)
class TableClaim(Result):
    """Check of the best value of each benchmark in a reported table."""

    models: tuple[str, ...]
    """Names of the models, which are the rows of the table."""
    alpha: float
    """Level over all columns together."""
    pm_is: PlusMinusKind | None
    """Meaning of ± according to the paper; None if not stated."""
    n_seeds: int | None
    """Number of runs behind each value, if ± describes their variation."""
    confidence_level: float
    """Coverage if ± is half an interval."""
    has_errors: bool
    """Whether any cell has an error."""
    has_bold: bool
    """Whether any value is bold, so that bold values are the claims."""
    columns: tuple[TableColumn, ...]
    """Columns that were evaluated."""
    skipped: tuple[SkippedColumn, ...]
    """Columns that were not evaluated."""
    most_wins: MostWins | None
    """Model that is best most often; None if a model lacks a value, or if two are."""

    def count(self, word: ClaimVerdict) -> int:
        """Return the number of columns with this verdict."""
        return sum(column.verdict == word for column in self.columns)

    @derived
    def n_supported(self) -> int:
        """Return the number of best values that all correlations support."""
        return self.count("supported")

    @derived
    def n_depends(self) -> int:
        """Return the number of best values that only some correlations support."""
        return self.count("depends")

    @derived
    def n_not_supported(self) -> int:
        """Return the number of best values that no correlation supports."""
        return self.count("not_supported")


def judged_table(
    table: PrintedTable,
    items: int | Mapping[str, int] | None = None,
    *,
    pm_is: PlusMinusKind | None = None,
    seeds: int | None = None,
    conf: float = 0.95,
    alpha: float = 0.05,
) -> TableClaim:
    """Evaluate every claimed value against every other model of its column, for all columns.

    Bold values are the claims, or the best values if none is bold. The level is divided by the
    number of columns and, in each column, by the number of models that are compared with the
    claimed one. A value is wrongly called supported only if it beats the truly best model, so the
    probability of any such error is at most alpha.

    Columns with a number of items are tested as accuracies. Others are tested by their reported
    errors, and all columns are if these are over ``seeds``.
    """
    checks.fraction("alpha", alpha)
    errors = _ErrorTest(pm_is=pm_is, seeds=seeds, conf=conf)
    has_bold = any(any(column.bold) for column in table.columns)
    usable: list[tuple[PrintedColumn, int | None]] = []
    left: list[SkippedColumn] = []
    for column in table.columns:
        n: int | None
        reason, n = _items(column, items)
        if column.errors and (reason or seeds is not None):
            reason, n = errors.refuses(column), None
        if has_bold and not any(column.bold):
            reason = reason or "no value is bold, so none is claimed to be the best"
        if reason:
            left.append(SkippedColumn(benchmark=column.name, reason=reason))
        else:
            usable.append((column, n))
    if not usable:
        msg = (
            f"{table.source}: no column can be checked. {left[0].benchmark!r:.60}: "
            f"{left[0].reason}"
        )
        raise DataError(msg)
    columns = tuple(
        _judged(table.models, c, n, len(usable), alpha)
        if n is not None
        else errors.judged(table.models, c, len(usable), alpha)
        for c, n in usable
    )
    return TableClaim(
        models=table.models,
        alpha=alpha,
        pm_is=pm_is,
        n_seeds=seeds,
        confidence_level=conf,
        has_errors=any(column.errors for column, _ in usable),
        has_bold=has_bold,
        columns=columns,
        skipped=tuple(left),
        most_wins=_most_wins(table.models, columns, alpha),
    )


def _items(column: PrintedColumn, items: int | Mapping[str, int] | None) -> tuple[str, int]:
    """Return the number of items of a column, or the reason why it is not evaluated."""
    if column.refused:
        return column.refused, 0
    if items is None:
        return f"its values have no ±, so {arg('items')} is needed", 0
    if isinstance(items, int):
        if column.average:
            return f"an average is not a share of {items:,} items", 0
        return "", items
    n_items = items.get(matching(column.name))
    return (
        ("", n_items)
        if n_items is not None
        else (f"{arg('items')} has no count for this column", 0)
    )


def _typical_rho(name: str) -> TypicalRho | None:
    """Return typical correlations by name. Lower-case "math" is a subject, not the benchmark."""
    key = matching(name).replace(" ", "-")
    return BENCHMARKS.get(key) if key != "math" or "MATH" in name else None


def _p(gaps: Sequence[int], lost: Sequence[int], n: int) -> list[float]:
    """Return the p-value of each gap with this many items lost; 1 for no gap."""
    gap, behind = np.maximum(np.array(gaps), 0), np.array(lost)
    pvalues = stats.mcnemar_default_pvalue(gap + behind, behind, n)
    return [float(x) for x in np.where(gap > 0, pvalues, 1.0)]


def _p_bounds(
    best: tuple[float, int], others: Sequence[tuple[float, int]], n: int
) -> list[tuple[float, float]]:
    """Return the smallest and largest p of the best against each other model."""
    largest_gaps, smallest_gaps, lost = [], [], []
    best_grim = stats.grim(best[0], n, decimals=best[1])
    for share, decimals in others:
        right = counts_of(best[0], share, n, (best_grim, stats.grim(share, n, decimals=decimals)))
        tied = share == best[0] and right.low == right.high  # no count has these digits
        smallest, largest = (0, 0) if tied else right.gaps
        largest_gaps.append(largest)
        smallest_gaps.append(smallest)
        lost.append(0 if smallest == 0 else (most_discordant(right.low, n) - smallest) // 2)
    return list(
        zip(_p(largest_gaps, [0] * len(largest_gaps), n), _p(smallest_gaps, lost, n), strict=True)
    )


def _p_typical(best: float, share: float, n: int, typical: TypicalRho) -> tuple[float, float]:
    """Return p at the quartiles of a correlation, or at the nearest feasible ones."""
    if best == share:
        return 1.0, 1.0
    if share in (0.0, 1.0) or best in (0.0, 1.0):
        p = p_of_about(best - share, best - share, n, Criteria())
        return p, p
    bounds = stats.rho_bounds(best, share)
    rhos = (nearest_rho(r, bounds) for r in (typical.high, typical.low))
    psis = (float(stats.psi_from_rho(best, share, rho)) for rho in rhos)
    low, high = (p_of_about(best - share, psi, n, Criteria()) for psi in psis)
    return low, high


def _weakest(intervals: Sequence[Interval]) -> Interval:
    return Interval(max(float(i.low) for i in intervals), max(float(i.high) for i in intervals))


class _Order(NamedTuple):
    """The claimed value of a column and its rivals, as positions in the table."""

    claimed: int
    rivals: list[int]
    """All other models with a value, best first."""
    goodness: dict[int, float]
    """Values for which higher is better."""
    best: tuple[str, ...]


def _ordered(models: tuple[str, ...], column: PrintedColumn) -> _Order:
    sign = -1.0 if column.lower_is_better else 1.0
    goodness = {k: sign * share for k, share in enumerate(column.shares) if share is not None}
    top = max(goodness.values())
    claimed = max((k for k in goodness if column.bold[k]), key=goodness.__getitem__, default=None)
    if claimed is None:
        claimed = next(k for k in goodness if goodness[k] == top)
    rivals = sorted((k for k in goodness if k != claimed), key=lambda k: -goodness[k])
    best = tuple(models[k] for k in goodness if goodness[k] == top)
    return _Order(claimed, rivals, goodness, best)


def _evaluated(
    models: tuple[str, ...],
    column: PrintedColumn,
    order: _Order,
    leads: list[ColumnLead],
    alpha: float,
    **values: Any,
) -> TableColumn:
    """Return a column from its leads: the weakest lead decides."""
    p = _weakest([lead.pvalue for lead in leads])
    usual = [lead.pvalue_typical for lead in leads if lead.pvalue_typical is not None]
    p_typical = _weakest(usual) if usual else None
    verdicts = {lead.verdict for lead in leads}
    weakest: ClaimVerdict = "supported" if verdicts == {"supported"} else "depends"
    return TableColumn(
        benchmark=column.name,
        shares=column.shares,
        decimals=column.decimals,
        is_percent=column.percent,
        is_lower_better=column.lower_is_better,
        best=order.best,
        bold=tuple(model for model, bold in zip(models, column.bold, strict=True) if bold),
        leads=tuple(leads),
        pvalue=p,
        pvalue_typical=p_typical,
        verdict="not_supported" if "not_supported" in verdicts else weakest,
        verdict_typical=(
            None
            if p_typical is None
            else judge_bounds(float(p_typical.low), float(p_typical.high), alpha)
        ),
        **values,
    )


def _judged(
    models: tuple[str, ...], column: PrintedColumn, n: int, columns: int, alpha: float
) -> TableColumn:
    """Return a column whose values are shares of items, or of errors on items."""
    order = _ordered(models, column)
    # an error rate of 3% is a share of correct answers of 97%
    shares = {k: 1 + x if column.lower_is_better else x for k, x in order.goodness.items()}
    top, rivals = shares[order.claimed], order.rivals
    tests, typical = columns * len(rivals), _typical_rho(column.name)
    bounds = _p_bounds(
        (top, column.decimals[order.claimed]),
        [(min(shares[k], top), column.decimals[k]) for k in rivals],
        n,
    )

    def adjusted(low: float, high: float) -> Interval:
        return Interval(min(low * tests, 1.0), min(high * tests, 1.0))

    leads = []
    for k, ends in zip(rivals, bounds, strict=True):
        is_behind = shares[k] > top
        p = adjusted(1.0, 1.0) if is_behind else adjusted(*ends)
        at = None
        if typical is not None:
            at = adjusted(*_p_typical(top, min(shares[k], top), n, typical))
        leads.append(
            ColumnLead(
                model=models[k],
                gap=top - shares[k],
                pvalue=p,
                pvalue_typical=at,
                verdict=judge_bounds(float(p.low), float(p.high), alpha),
            )
        )
    reported = {k: x for k, x in enumerate(column.shares) if x is not None}
    grims = {k: stats.grim(x, n, decimals=column.decimals[k]) for k, x in reported.items()}
    not_shares = [k for k in reported if not grims[k].possible]
    return _evaluated(
        models,
        column,
        order,
        leads,
        alpha,
        n_items=n,
        readings=(),
        not_shares=tuple(models[k] for k in not_shares),
        truncations=tuple(models[k] for k in not_shares if grims[k].truncation is not None),
        n_tests=tests,
        rho_assumed=typical,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _ErrorTest:
    """Test of the values of a column by their reported errors."""

    pm_is: PlusMinusKind | None
    seeds: int | None
    conf: float

    def refuses(self, column: PrintedColumn) -> str:
        """Return the reason why the errors of a column cannot be tested."""
        known = [x for x in column.numbers if x is not None]
        if len(known) < 2:
            return column.refused
        if (many := len(known) - len(column.errors)) > 0:
            return f"{many:,} of its {len(known):,} values have no ±"
        if max(e.size for e in column.errors) == 0:
            return "all errors are ±0. Ask for more digits"
        if self.pm_is == "sd" and self.seeds is None:
            return f"a standard deviation needs its number of runs ({arg('seeds')})"
        sizes = [(x, x.error) for x in known if x.error is not None]
        for number, error in sizes:
            is_proportion = not column.percent and number.value <= 1
            if is_proportion and error.size >= _MAX_ERROR and error.digits < number.digits:
                return (
                    f"± {error.size:g} with {number.text} could be in percentage points. Use ± "
                    f"{error.size / 100:g}"
                )
        return ""

    def judged(
        self, models: tuple[str, ...], column: PrintedColumn, columns: int, alpha: float
    ) -> TableColumn:
        """Return a column from the tests of the claimed value against each other value."""
        order = _ordered(models, column)
        tests = columns * len(order.rivals)
        criteria = Criteria(alpha=alpha / tests, power=max(0.8, (1 + alpha) / 2))
        intervals = {e.form for e in column.errors} == {"[]"}
        pm_is: PlusMinusKind | None = "ci" if intervals else self.pm_is
        leads, readings = [], set[PmReading]()
        for k in order.rivals:
            gap = order.goodness[order.claimed] - order.goodness[k]
            p = Interval(1.0, 1.0)
            verdict: ClaimVerdict = "not_supported"
            if gap > 0:
                claim = judged_scores(
                    self._score(column, order.claimed),
                    self._score(column, k),
                    pm_is=pm_is,
                    conf=self.conf,
                    criteria=criteria,
                )
                readings |= {row.reading for row in claim.scenarios}
                ends = [row.pvalue_bounds for row in claim.scenarios]
                p = Interval(
                    min(1.0, tests * min(float(e.low) for e in ends)),
                    min(1.0, tests * max(float(e.high) for e in ends)),
                )
                verdict = claim.verdict if self.seeds is None else claim.verdict_independent
            leads.append(
                ColumnLead(
                    model=models[k], gap=gap, pvalue=p, pvalue_typical=None, verdict=verdict
                )
            )
        return _evaluated(
            models,
            column,
            order,
            leads,
            alpha,
            n_items=None,
            readings=tuple(sorted(readings)),
            not_shares=(),
            truncations=(),
            n_tests=tests,
            rho_assumed=None,
        )

    def _score(self, column: PrintedColumn, k: int) -> PrintedScore:
        number, scale = column.numbers[k], 100 if column.percent else 1
        error = None if number is None else number.error
        if number is None or error is None:  # pragma: no cover - refuses() excludes it
            msg = f"no error for {column.name}"
            raise AssertionError(msg)
        return PrintedScore(
            value=number.value / scale,
            pm=error.size / scale,
            n_seeds=self.seeds,
            half=0.5 * 10.0**-number.digits / scale,
            pm_half=0.5 * 10.0**-error.digits / scale,
        )


def _most_wins(
    models: tuple[str, ...], columns: Sequence[TableColumn], alpha: float
) -> MostWins | None:
    """Return the sign test of the model that is best most often, if no value is missing."""
    wins = {m: sum(m in c.best for c in columns) for m in models}
    ranked = sorted(wins, key=lambda m: -wins[m])
    if any(None in c.shares for c in columns) or wins[ranked[0]] == wins[ranked[1]]:
        return None
    ties = sum(ranked[0] in c.best and len(c.best) > 1 for c in columns)
    rule = Criteria(alpha=alpha, power=max(0.8, (1 + alpha) / 2))
    sign_test = judged_wins(
        wins[ranked[0]], len(columns), ties=ties, models=len(models), criteria=rule
    )
    return MostWins(
        model=ranked[0],
        n_wins=sign_test.n_wins,
        n_ties=ties,
        pvalue_any=sign_test.pvalue_any,
        pvalue_rival=sign_test.pvalue_rival,
        verdict=sign_test.verdict,
    )
