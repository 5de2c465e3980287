"""What else the reader of an Audit should know, a sentence each."""

from collections.abc import Iterator
from typing import cast

from nstar._data.findings import Finding
from nstar._verbs.audit import Audit, Leaderboard, LeaveOneGroupOut, OrderFlip, PairTable
from nstar._verbs.compare.result import ReadingKind
from nstar._verbs.verdict import FEW_ITEMS
from nstar.errors import arg
from nstar.report.prose.audit.assumptions import METHODS
from nstar.report.prose.audit.ranking import Ranking
from nstar.report.prose.audit.tables import read_as
from nstar.report.prose.comparison.notes import findings
from nstar.report.prose.design import two_values, undeclared
from nstar.report.prose.gap import gap, points, score
from nstar.report.prose.judged_ranking import judged_notes
from nstar.report.prose.numbers import count, items, listed, name, percent, ratio

_MAX_FLIPS_DETAILED = 5

_REJECTED = ("resolved", "significant only")
"""Verdicts of pairs whose difference is significant."""

_NOISE = 5e-4
"""Gaps below this share of the scale are not worth a sentence each."""


def _told(audit: Audit) -> tuple[Finding, ...]:
    """Findings, without those that the audit tells better itself."""
    own = audit.flips or audit.items == "common"
    return tuple(f for f in audit.findings if not (own and f.code == "order-flips"))


def _flip(audit: Audit, f: OrderFlip) -> str:
    """One pair of neighbours, as a clause."""
    first, second = (
        percent(x, 2) if points(audit) else score(audit, x) for x in (f.own_a, f.own_b)
    )
    return (
        f"{name(f.a)} stands above {name(f.b)} by its own mean ({first} and {second}), but on the "
        f"{items(f.n)} that both have the gap is {gap(audit, f.delta, sign=True)}"
    )


def flips(audit: Audit) -> Iterator[str]:
    """Neighbours that stand the other way round on the items that both have.

    A few are told one by one, the widest first; of many, as where every model lacks some items,
    only how many and the widest. Gaps that print as nothing are only counted.
    """
    width = audit.limits[1] - audit.limits[0]
    wide = sorted(
        (f for f in audit.flips if abs(f.delta) >= _NOISE * width), key=lambda f: -abs(f.delta)
    )
    shown = wide if len(audit.flips) <= _MAX_FLIPS_DETAILED else ()
    yield from (f"{_flip(audit, f)}: the other way round." for f in shown)
    rest = len(audit.flips) - len(shown)
    if rest:
        who = "pair of neighbours stands" if rest == 1 else "pairs of neighbours stand"
        more = "more " if shown else ""
        most = f"; most of all, {_flip(audit, wide[0])}" if wide and not shown else ""
        yield f"{rest:,} {more}{who} the other way round on the items that both have{most}."


def own_items(ranking: Ranking) -> str:
    """What means and gaps are over, where models have different items."""
    fewest, most = int(ranking.ranks.n.min()), int(ranking.ranks.n.max())
    return (
        f"Models have {count(fewest)} to {count(most)} items: means are over a model's own "
        f"items, every gap is over the items that both models have. "
        f"{arg('items', 'common')} ranks all on the same items."
    )


def _missing(audit: Audit, ranking: Ranking) -> Iterator[str]:
    if audit.items == "common" and audit.n_left_out:
        yield f"{items(audit.n_left_out)} that not every model has are left out."
    elif not audit.complete:
        yield own_items(ranking)


def significant_only(ranking: Ranking, power: float) -> Iterator[str]:
    """What that verdict means, if it is there."""
    if ranking.words()["significant only"]:
        yield (
            "Significant only: told apart here, but another benchmark of this size would find "
            f"the gap again less than {percent(power)} of the time, if it is really as seen "
            "(q < 1)."
        )


def _at_later_steps(result: Audit | Leaderboard, pairs: PairTable) -> Iterator[tuple[str, str]]:
    for a, b, word, p in zip(pairs.a, pairs.b, pairs.verdict, pairs.p, strict=True):
        if word in _REJECTED and p > result.interval_alpha:
            yield a, b


def later_steps(result: Audit | Leaderboard) -> Iterator[str]:
    """Which intervals are not simultaneous, if some of those shown are not."""
    if result.adjust not in ("holm", "maxt"):
        return
    later = set(_at_later_steps(result, result.adjacent))
    if isinstance(result, Audit):
        later.update(_at_later_steps(result, result.pairs))
    if later:
        one = len(later) == 1
        gaps = "1 gap" if one else f"{len(later):,} gaps"
        whose = "Its adjusted interval has" if one else "Their adjusted intervals have"
        yield (
            f"Only a later step of {METHODS[result.adjust]} rejects equality for {gaps}. {whose} "
            "the level of the last step; the other adjusted intervals hold simultaneously."
        )


def _margin(audit: Audit) -> Iterator[str]:
    if audit.margin is not None:
        equal = audit.words.get("equivalent", 0)
        yield (
            f"{equal:,} of all {audit.all_pairs:,} pairs are equivalent: shown to lie within "
            f"{gap(audit, audit.margin)}. Unresolved does not mean equivalent."
        )


def _too_many(audit: Audit) -> Iterator[str]:
    if audit.pairs_asked != "adjacent" and not len(audit.pairs):
        yield f"Pairs {audit.pairs_asked} are too many to list; {arg('out', 'DIR')} writes them."


def _families(audit: Audit) -> Iterator[str]:
    yield (
        "Of the readings, those above the line take each pair alone. Those below allow for every "
        "comparison of their column, as if only these had been declared in advance; the last "
        "allows for looking after every item, with each pair alone."
    )
    if audit.adjust not in ("none", audit.rank_method):
        yield (
            f"Verdicts follow {METHODS[audit.adjust]}, rank sets and tier lines "
            f"{METHODS[audit.rank_method]}, so that they can differ."
        )
    if audit.adjust == "none":
        yield (
            "Verdicts are of each pair alone, so some are significant by chance; rank sets and "
            f"tier lines are not: they follow {METHODS[audit.rank_method]} over all pairs."
        )


def _readings(audit: Audit) -> Iterator[str]:
    """Which question each reading that was not declared answers."""
    by_column: dict[str, list[ReadingKind]] = {}
    for row in audit.stress:
        kind, _, column = row.reading.partition(":")
        if column and row.reading != audit.design and row.family == "adjacent":
            by_column.setdefault(column, []).append(cast("ReadingKind", kind))
    alike: dict[tuple[ReadingKind, ...], list[str]] = {}
    for column, kinds in by_column.items():
        alike.setdefault(tuple(kinds), []).append(column)
    for same, columns in alike.items():
        sizes = [audit.groups.get(column) for column in columns]
        told = [f"{name(c)} ({count(n)})" for c, n in zip(columns, sizes, strict=True)]
        if len(columns) == 1:
            yield undeclared(name(columns[0]), ((kind, sizes[0]) for kind in same))
        else:
            yield undeclared(listed(told), ((kind, None) for kind in same))


def _why_not(audit: Audit) -> Iterator[str]:
    """Why a method is not the one asked for, and why a reading has no numbers."""
    if audit.adjust_why is not None:
        yield f"{METHODS[audit.adjust]} is used: {audit.adjust_why}."
    absent: dict[str, list[str]] = {}
    for row in audit.stress:
        if row.family == "all" and row.why_not and row.why_not != audit.adjust_why:
            absent.setdefault(row.why_not, []).append(read_as(row.reading))
    for why, readings in absent.items():
        yield f"No numbers for {listed(readings)}: {why}."


def _stability(s: LeaveOneGroupOut) -> str:
    keep = "keeps its" if s.stable == 1 else "keep their"
    text = (
        f"Leaving out one {name(s.column)} at a time, {s.stable:,} of {s.pairs:,} neighbours "
        f"{keep} order and side of q = 1, each pair alone"
    )
    worst = s.groups[0] if s.groups else None
    if worst is not None and worst.changed + worst.reversed:
        moved = listed([*_moved(worst.changed, "side"), *_moved(worst.reversed, "order")])
        text += f"; most depends on {name(worst.group)} ({items(worst.items)}): without it {moved}"
    return text + "."


def _moved(pairs: int, what: str) -> Iterator[str]:
    if pairs:
        yield f"{pairs:,} change{'s' if pairs == 1 else ''} {what}"


def _pairing(audit: Audit) -> Iterator[str]:
    if audit.correlation is not None and audit.saving is not None:
        r, s = audit.correlation, audit.saving
        low, middle, high = (
            f"{round(x, 2) + 0.0:.2f}".replace("-", "−") for x in (r.low, r.median, r.high)
        )
        yield (
            f"The item correlation of two models is {middle} in the median ({low} to {high}); "
            f"with different items for each they would need {ratio(s.median)} times as many "
            f"({ratio(s.low)} to {ratio(s.high)})."
        )


def _shortcut(audit: Audit) -> Iterator[str]:
    s = audit.shortcut
    if s.ratio is None:
        return
    wrong = f"calls {s.flips:,} of {s.pairs:,} neighbours resolved that are not (each pair alone)"
    if not s.flips:
        wrong = f"would change no verdict among {s.pairs:,} neighbours"
    yield (
        "A calculator with one model's variance, (1 − rho) K²/h² with Cohen's h, asks for "
        f"{ratio(s.ratio)} of the items needed and {wrong}."
    )


def _few(audit: Audit) -> Iterator[str]:
    same = [i for i, s in enumerate(audit.adjacent.se) if s == 0]
    if same:
        i = same[0]
        more = f" and {len(same) - 1:,} more neighbours" if len(same) > 1 else ""
        yield (
            f"{name(audit.adjacent.a[i])} and {name(audit.adjacent.b[i])}{more} differ alike on "
            "every item or not at all, so no error could be measured and no q is given."
        )


def _hardly(audit: Audit) -> Iterator[str]:
    """What compare says of so few items; its sign flips may disagree with the t test."""
    if audit.n >= FEW_ITEMS:
        return
    rough = ""
    if audit.scale == "graded":
        rough = " The t tests here lean on normal means; nstar compare also flips signs of a pair."
    few = f"With {items(audit.n)} this is hardly a ranking"
    yield f"{few}: one item more or less may turn it.{rough}"


def _judged(audit: Audit) -> Iterator[str]:
    if audit.judged is not None:
        yield from judged_notes(audit.judged, audit, audit.ranks.name)


def _if_any(text: str | None) -> tuple[str, ...]:
    return () if text is None else (text,)


def notes(audit: Audit, ranking: Ranking) -> tuple[str, ...]:
    """What would change most first: data, order, what is open; then how the answer came about."""
    caution = f"The clusters are a rough guide: {audit.caution}." if audit.caution else None
    return (
        *findings(_told(audit), ("fatal", "warning")),
        *findings(f for f in audit.findings if f.code == "weighted-items"),
        *_if_any(caution),
        *_hardly(audit),
        *_if_any(ranking.astray()),
        *_judged(audit),
        *flips(audit),
        *_margin(audit),
        *_if_any(ranking.needs()),
        *significant_only(ranking, audit.criteria.power),
        *later_steps(audit),
        *two_values(audit.values),
        *_missing(audit, ranking),
        *_too_many(audit),
        *_few(audit),
    )


def detail(audit: Audit) -> tuple[str, ...]:
    """What else there is to know, about its tables above all."""
    return (
        *_families(audit),
        *_readings(audit),
        *(_stability(s) for s in audit.stability),
        *_why_not(audit),
        *_pairing(audit),
        *_shortcut(audit),
        *findings((f for f in _told(audit) if f.code != "weighted-items"), ("note",)),
    )
