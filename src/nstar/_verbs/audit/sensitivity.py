"""Sensitivity analysis: unresolved pairs under each assumption, in each family."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from nstar._base.parameter_types import Adjust
from nstar._base.types import Array
from nstar._engine.pairs import AnyPanel, DesignKind, PairStats, gaps, panel
from nstar._verbs.audit.family import (
    POLICIES,
    ExactFamily,
    SignificanceRule,
    degrees_of_freedom,
    median_of,
    rule_at,
    rules_by_policy,
)
from nstar._verbs.audit.maxt import MaxTResult, MaxTUnavailable
from nstar._verbs.audit.pair_analysis import MOST_HELD, PairAnalysis
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.audit.selection import AuditedModels
from nstar._verbs.audit.tables import FamilyName, SensitivityRow
from nstar._verbs.audit.tiles import Tile, neighbors, pvalues
from nstar._verbs.verdict import Criteria


def _row(
    reading: str, family: FamilyName, pairs: PairStats, r: SignificanceRule, significant: Any
) -> SensitivityRow:
    df, size = degrees_of_freedom(pairs), pairs.delta.size
    return SensitivityRow(
        assumption=reading,
        family=family,
        n_pairs=size,
        critical_value=median_of(r.critical(df)),
        t_resolved=median_of(r.reach(df)),
        n_unresolved=int(size - np.count_nonzero(significant & r.resolves(pairs))),
        n_insignificant=int(size - np.count_nonzero(significant)),
    )


def fixed(
    reading: str, family: FamilyName, pairs: PairStats, p: Array, rule: Criteria
) -> SensitivityRow:
    """Return a row for fixed n, without adjustment for the number of comparisons."""
    return _row(reading, family, pairs, rule_at(rule.alpha, rule), p <= rule.alpha)


def _unavailable_row(reading: str, family: FamilyName, pairs: int, reason: str) -> SensitivityRow:
    """Return a row for an assumption that is not available."""
    return SensitivityRow(
        assumption=reading,
        family=family,
        n_pairs=pairs,
        critical_value=None,
        t_resolved=None,
        n_unresolved=None,
        n_insignificant=None,
        reason=reason,
    )


def policies(
    family: FamilyName,
    tile: Tile,
    rule: Criteria,
    step: MaxTResult | MaxTUnavailable,
) -> Iterator[SensitivityRow]:
    """Yield a row per adjustment, for one family in memory.

    ``step`` is max-T, or the reason why it is missing.
    """
    rules = rules_by_policy(ExactFamily(np.sort(tile.p, axis=None)), rule, step)
    for reading in POLICIES:
        if reading in rules:
            yield _row(reading, family, tile.pairs, rules[reading], tile.p <= rules[reading].p)
        else:
            yield _unavailable_row(reading, family, tile.p.size, str(step))


def _fixed_designs(field: AuditedModels) -> Iterator[tuple[DesignKind, str | None]]:
    """Yield the designs of every informative grouping."""
    yield "independent", None
    for column, groups in field.groups.items():
        if 1 < groups < len(field.items):
            if field.matrix.correction is None:  # labels are pooled over strata
                yield "strata", column
            yield "cluster", column


def _fixed_rows(
    analysis: PairAnalysis, field: AuditedModels, question: AuditQuestion, adjacent: Tile
) -> Iterator[SensitivityRow]:
    """Yield the rows for fixed n under every grouping."""
    m, k, rule = len(field.models), top(question, field), question.criteria
    for kind, column in _fixed_designs(field):
        same = (kind, column) == (analysis.panel.design.kind, analysis.panel.design.column)
        one = (
            analysis.panel
            if same
            else panel(field.matrix, field.models, field.items, kind, column)
        )
        name = one.design.name
        beside = adjacent.pairs if same else neighbors(one)
        families: dict[FamilyName, PairStats] = {"adjacent": beside, "top": _upper(one[:k])}
        if k < m:
            families["top_adjacent"] = beside.take(np.arange(k - 1))
        if m <= MOST_HELD:
            families["all"] = _upper(one)
        p = {family: pvalues(pairs, one.design) for family, pairs in families.items()}
        for family, pairs in families.items():
            row = fixed(name, family, pairs, p[family], rule)
            if family == "adjacent" and "all" in p:
                threshold = _threshold(p["all"], rule, question.adjust)
                row = replace(row, n_inconclusive=int(np.count_nonzero(p[family] > threshold)))
            yield row
        if m <= MOST_HELD:
            continue
        if same:
            yield _counted_row(name, "", analysis)
        else:
            reason = f"not counted for more than {MOST_HELD} models unless declared"
            yield _unavailable_row(name, "all", m * (m - 1) // 2, reason)


def _threshold(p: Array, rule: Criteria, adjust: Adjust) -> float:
    """Return the largest significant p-value among all pairs, with Holm in place of max-T."""
    policy = {"none": "", "maxt": "holm"}.get(adjust, adjust)
    none = MaxTUnavailable("not asked for")
    return rules_by_policy(ExactFamily(np.sort(p, axis=None)), rule, none)[policy].p


ReadingPvalues: TypeAlias = dict[str, tuple[Array, Array]]
"""p-values of adjacent pairs and of all pairs, by assumption."""


def reading_pvalues(field: AuditedModels) -> ReadingPvalues:
    """Return p-values under every grouping, for use with other rules."""
    by_design: ReadingPvalues = {}
    for kind, column in _fixed_designs(field):
        one = panel(field.matrix, field.models, field.items, kind, column)
        pvalue_pair = [pvalues(pairs, one.design) for pairs in (neighbors(one), _upper(one))]
        by_design[one.design.name] = (pvalue_pair[0], pvalue_pair[1])
    return by_design


def undecided_again(
    rows: Iterable[SensitivityRow], known: ReadingPvalues, rule: Criteria, adjust: Adjust
) -> Iterator[SensitivityRow]:
    """Yield the same rows with the number of inconclusive pairs under other rules."""
    for row in rows:
        if row.n_inconclusive is None or row.assumption not in known:
            yield replace(row, n_inconclusive=None)
            continue
        p_adjacent, p_all = known[row.assumption]
        threshold = _threshold(p_all, rule, adjust)
        yield replace(row, n_inconclusive=int(np.count_nonzero(p_adjacent > threshold)))


def _upper(part: AnyPanel) -> PairStats:
    return gaps(part, part).take(np.triu_indices(len(part), 1))


def top(question: AuditQuestion, field: AuditedModels) -> int:
    return max(2, min(question.top, len(field.models)))


def _counted_row(name: str, reading: str, analysis: PairAnalysis) -> SensitivityRow:
    """Return the row of all pairs, from counts of tiles."""
    r, tally, df = analysis.counting.rulers[reading], analysis.tally, analysis.freedom()
    return SensitivityRow(
        assumption=name,
        family="all",
        n_pairs=tally.pairs,
        critical_value=median_of(r.critical(df)),
        t_resolved=median_of(r.reach(df)),
        n_unresolved=tally.unresolved[reading],
        n_insignificant=tally.insignificant[reading],
    )


def _policies(
    analysis: PairAnalysis, field: AuditedModels, question: AuditQuestion, adjacent: Tile
) -> Iterator[SensitivityRow]:
    """Yield the rows of every adjustment, in each family, under the declared design."""
    rule, k = question.criteria, top(question, field)
    yield from policies("adjacent", adjacent, rule, analysis.stepped(adjacent, rule))
    if k < len(field.models):
        first = np.arange(k - 1)
        pairs = adjacent.pairs.take(first)
        beside = Tile(first=first, second=first + 1, pairs=pairs, p=adjacent.p[: k - 1])
        yield from policies("top_adjacent", beside, rule, analysis.stepped(beside, rule))
    best = analysis.best(k)
    yield from policies("top", best, rule, analysis.stepped_among(best, k, rule))
    if analysis.held is not None:
        yield from policies("all", analysis.held, rule, analysis.step)
        return
    for reading in POLICIES:
        if reading in analysis.counting.rulers:
            yield _counted_row(reading, reading, analysis)
        else:
            yield _unavailable_row(reading, "all", analysis.tally.pairs, str(analysis.step))


def stress_rows(
    analysis: PairAnalysis, field: AuditedModels, question: AuditQuestion, adjacent: Tile
) -> tuple[SensitivityRow, ...]:
    """Return the rows of groupings with fixed n, followed by those of the adjustments."""
    return (
        *_fixed_rows(analysis, field, question, adjacent),
        *_policies(analysis, field, question, adjacent),
    )
