"""Compare a reported p-value and interval with all tables of counts that fit the accuracies."""

from collections.abc import Iterable, Sequence

import numpy as np

from nstar import stats
from nstar._base.types import Array, BoolArray
from nstar._verbs.claim.printed import PrintedFigures, PrintedPValue, interval_windows, read_p
from nstar._verbs.claim.result import (
    CountRange,
    IntervalCheck,
    JointMatch,
    MethodMatch,
    PValueCheck,
)
from nstar._verbs.verdict import judge_printed
from nstar.stats._feasible import Feasible
from nstar.stats._printed_matches import (
    MatchingTables,
    matching_intervals,
    matching_tests,
    overlap,
)

_DRAWN = ("resampling", "bootstrap")
"""Methods with Monte Carlo error, which are listed last."""


def _disagreement(tables: Feasible, low: Array, high: Array, where: BoolArray) -> CountRange:
    """Return the smallest and largest number of discordant items in some boxes."""
    near_gap, far_gap = (np.subtract(*ends) for ends in (tables.near, tables.far))
    min_discordant, max_discordant = (near_gap + 2 * low)[where], (far_gap + 2 * high)[where]
    return CountRange(int(min_discordant.min()), int(max_discordant.max()))


def _implied(tables: Feasible, matches: MatchingTables) -> CountRange | None:
    """Return the disagreement that a paired method implies where it fits."""
    if not matches.paired or not matches.any:
        return None
    return _disagreement(tables, matches.low, matches.high, matches.low <= matches.high)


def _hull(one: CountRange | None, other: CountRange | None) -> CountRange | None:
    if one is None or other is None:
        return one or other
    return CountRange(min(one.least, other.least), max(one.most, other.most))


def _joined(fits: Iterable[MethodMatch]) -> tuple[MethodMatch, ...]:
    """Return one match per method and number of sides, with resampling methods last."""
    out: dict[tuple[str, int, bool], MethodMatch] = {}
    for fit in fits:
        key = fit.method, fit.sides, fit.is_paired
        if (other := out.get(key)) is None:
            out[key] = fit
            continue
        out[key] = MethodMatch(
            method=fit.method,
            sides=fit.sides,
            is_paired=fit.is_paired,
            n_discordant=_hull(other.n_discordant, fit.n_discordant),
            at_gap=_hull(other.at_gap, fit.at_gap),
        )
    return tuple(sorted(out.values(), key=lambda fit: fit.method in _DRAWN))


def _fits(
    tables: Feasible,
    matches: Sequence[MatchingTables],
    as_printed: Feasible,
    beside: Sequence[MatchingTables],
) -> tuple[MethodMatch, ...]:
    """Return the matches with their implications; ``beside`` are those at the reported gap."""
    return _joined(
        MethodMatch(
            method=f.name,
            sides=f.sides,
            is_paired=f.paired,
            n_discordant=_implied(tables, f),
            at_gap=_implied(as_printed, at),
        )
        for f, at in zip(matches, beside, strict=True)
        if f.any
    )


def check_p(
    printed: float | str, tables: Feasible | None, as_printed: Feasible
) -> tuple[PValueCheck, list[MatchingTables]]:
    """Return the tests that give the reported p, with the counts at which they do.

    ``tables`` are the counts that round to the accuracies, or None. ``as_printed`` has the
    reported gap.
    """
    p: PrintedPValue = read_p(printed)
    matches: list[MatchingTables] = []
    fits: tuple[MethodMatch, ...] = ()
    if p.possible and tables is not None:
        matches = matching_tests(tables, p.window)
        fits = _fits(tables, matches, as_printed, matching_tests(as_printed, p.window))
    check = PValueCheck(
        printed=p.text,
        low=p.window.low,
        high=p.window.high,
        verdict=judge_printed(possible=p.possible, checked=tables is not None, fits=len(fits) > 0),
        tests=fits,
    )
    return check, matches


def _simplicity_key(
    test: MatchingTables, interval: MatchingTables
) -> tuple[bool, bool, bool, bool]:
    """Return a sort key: equal methods, paired, two-sided, and without resampling come first."""
    return (
        test.paired != interval.paired,
        not test.paired,
        test.sides == 1,
        test.name in _DRAWN or interval.name in _DRAWN,
    )


def _together(
    tables: Feasible, tests: Sequence[MatchingTables], intervals: Sequence[MatchingTables]
) -> JointMatch | None:
    overlaps = [(t, i) for t in tests for i in intervals if overlap(t, i)]
    if not overlaps:
        return None
    test, interval = min(overlaps, key=lambda pair: _simplicity_key(*pair))
    low, high = np.maximum(test.low, interval.low), np.minimum(test.high, interval.high)
    return JointMatch(
        test=test.name,
        sides=test.sides,
        is_test_paired=test.paired,
        interval=interval.name,
        is_interval_paired=interval.paired,
        n_discordant=_disagreement(tables, low, high, low <= high),
    )


def check_interval(
    printed: PrintedFigures,
    delta: float,
    tables: Feasible | None,
    as_printed: Feasible,
    tests: Sequence[MatchingTables],
) -> IntervalCheck | None:
    """Return the intervals that match, and whether p can come from the same counts.

    Counts are those of :func:`check_p`, and ``tests`` is its result; empty without a p-value.
    """
    windows = interval_windows(printed)
    if windows is None or printed.ci is None:
        return None
    implied = stats.p_from_interval(delta, printed.ci, conf=printed.confidence_level)
    matches: list[MatchingTables] = []
    fits: tuple[MethodMatch, ...] = ()
    if tables is not None:
        all_intervals = matching_intervals(tables, *windows, conf=printed.confidence_level)
        beside = matching_intervals(as_printed, *windows, conf=printed.confidence_level)
        fits = _fits(tables, all_intervals, as_printed, beside)
        matches = [f for f in all_intervals if f.any]
    tried = [t for t in tests if t.any]
    together = None if tables is None else _together(tables, tried, matches)
    low = high = delta  # the range of gaps that round to the reported one
    if tables is not None:
        low = min(low, float(np.subtract(*tables.least).min()) / tables.n)
        high = max(high, float(np.subtract(*tables.most).max()) / tables.n)
    return IntervalCheck(
        se=implied.se,
        pvalue=implied.p_two_sided,
        contains_gap=windows[0].low <= high and low <= windows[1].high,
        verdict=judge_printed(possible=True, checked=tables is not None, fits=len(fits) > 0),
        methods=fits,
        contradicts_p=together is None if tried and matches else None,
        joint_match=together,
    )
