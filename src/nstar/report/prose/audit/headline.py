"""The first sentences about a ranking: which gaps it tells apart, what is open, who leads."""

from nstar._verbs.audit import Audit, SensitivityRow
from nstar._verbs.verdict import HEADLINE_GROUPS, Criteria
from nstar.report.prose.audit.ranking import Ranking
from nstar.report.prose.comparison.headline import choices, stopped_early
from nstar.report.prose.gap import downwards, gap, points
from nstar.report.prose.judged_ranking import judged_items
from nstar.report.prose.numbers import items, name, often, percent, plural_of

_WIDE = 1.5
"""Largest over smallest detectable gap from which both are told."""
_NAMED = 3
"""Models that may be the best, up to which they are named."""


def family_of(adjust: str) -> str:
    """Which comparisons a policy makes hold."""
    if adjust == "none":
        return "each pair alone"
    return "false discoveries limited" if adjust == "bh" else "all pairs at once"


def _size(ranking: Ranking, value: float) -> str:
    said = gap(ranking.scale, value)
    if not points(ranking.scale):
        return said
    number = said.removesuffix(" pp")
    return f"{number} point" if number == "1" else f"{number} points"


def told_apart(ranking: Ranking) -> str | None:
    """The gap that a typical pair of neighbors tells apart; None if there is none."""
    found = ranking.adjacent.resolvable_gap()
    if found is None:
        return None
    return f"about {_size(ranking, found.median)}"


def _by_pair(ranking: Ranking) -> str:
    """The range of that gap, where pairs differ."""
    found = ranking.adjacent.resolvable_gap()
    if found is None or found.high <= _WIDE * found.low:
        return ""
    low, high = (gap(ranking.scale, x).removesuffix(" pp") for x in (found.low, found.high))
    return f"{low} to {high} by pair; "


def undecided(ranking: Ranking) -> str:
    """How many neighboring places are undecided, as a clause."""
    seen, total = ranking.words(), len(ranking.adjacent)
    still, equal = seen["inconclusive"], seen["equivalent"]
    if total == 1:
        words = {"inconclusive": "which of the two is better is undecided"}
        words["equivalent"] = "the two are equivalent within the margin"
        return words.get(ranking.adjacent.verdict[0], "the two are told apart")
    same = f", {equal:,} shown to be equivalent" if equal else ""
    if not still:
        return f"every neighboring place is decided{same}"
    verb = "is" if still == 1 else "are"
    return f"{still:,} of {total:,} neighboring places {verb} undecided{same}"


def leader(ranking: Ranking) -> str:
    """Who leads, or who may."""
    r = ranking.ranks
    may = [i for i in range(len(r)) if r.rank_low[i] == 1]
    if not may:
        return "Every model is beaten by another."
    if len(may) > _NAMED:
        return f"Any of {len(may):,} models may be the best."
    names = [name(r.model[i]) for i in may]
    if len(may) > 1:
        return f"{', '.join(names[:-1])} or {names[-1]} may be the best."
    return f"{names[0]} leads, alone." if r.rank_high[may[0]] == 1 else f"{names[0]} is unbeaten."


def _finding(ranking: Ranking, what: str, rule: Criteria, adjust: str, clause: str) -> str:
    size = told_apart(ranking)
    if size is None:
        return f"{what} are too few to tell any two neighbors apart reliably; {clause}."
    how = f"{_by_pair(ranking)}found {often(rule.power)}, {family_of(adjust)}"
    return f"{what} tell models apart that truly differ by {size} ({how}); {clause}."


def declared(ranking: Ranking) -> str | None:
    """Between how many adjacent models the declared gap is detectable; None without one."""
    pairs = ranking.adjacent
    if pairs.delta is None or pairs.q_at_delta is None:
        return None
    seen, size = int((pairs.q_at_delta >= 1).sum()), gap(ranking.scale, float(pairs.delta[0]))
    if len(pairs) == 1:
        able = "can" if seen else "cannot"
        return f"The declared gap of {size} {able} be detected between the two."
    return (
        f"The declared gap of {size} can be detected between {seen:,} of {len(pairs):,} "
        "neighbors, each pair alone."
    )


def _on(audit: Audit) -> str:
    """The items, and the benchmark if it has a name."""
    if audit.judge_correction is not None:
        few = f"These {judged_items(audit.judge_correction)}"
    else:
        few = "This item" if audit.n_items == 1 else f"These {items(audit.n_items)}"
    return few + (f" of {name(audit.task)}" if audit.task else "")


_LIKE = {
    "cluster": "Across other {groups} like these, {count} of the {total} would be undecided.",
    "strata": "On other items of the same {groups}, {count} of the {total} would be undecided.",
}


def _moves(audit: Audit, row: SensitivityRow) -> int:
    """By how many neighbors a reading that was not declared changes what is undecided."""
    open_ = list(audit.adjacent.verdict).count("inconclusive")
    known = row.n_inconclusive is not None and row.assumption not in (audit.design, "independent")
    enough = audit.n_groups.get(row.assumption.partition(":")[2], 0) >= HEADLINE_GROUPS
    return abs((row.n_inconclusive or 0) - open_) if known and enough else 0


def across(audit: Audit) -> str | None:
    """What the grouping that changes the answer most would say; None if none of enough groups."""
    if len(audit.adjacent) == 1 or audit.margin is not None or audit.design != "independent":
        return None
    most = max(audit.sensitivity, key=lambda row: _moves(audit, row), default=None)
    if most is None or not _moves(audit, most):
        return None
    kind, _, column = most.assumption.partition(":")
    return _LIKE[kind].format(
        groups=plural_of(column),
        count=f"{most.n_inconclusive:,}",
        total=f"{len(audit.adjacent):,}",
    )


def _reversible(audit: Audit) -> tuple[int, int]:
    """Significant gaps between adjacent models, and those that missing scores could reverse."""
    (low, high), ranks, pairs = audit.score_range, audit.ranking, audit.adjacent
    row_of = {model: i for i, model in enumerate(ranks.model)}
    decided = reversible = 0
    for k, verdict in enumerate(pairs.verdict):
        if verdict != "significant":
            continue
        decided += 1
        i, j = row_of[pairs.model_a[k]], row_of[pairs.model_b[k]]
        only_a, only_b = (float(ranks.n_items[x]) - float(pairs.n_items[k]) for x in (i, j))
        total = float(ranks.mean[i] * ranks.n_items[i] - ranks.mean[j] * ranks.n_items[j])
        if pairs.gap[k] > 0:
            reversible += total + only_b * low - only_a * high < 0
        else:
            reversible += total + only_b * high - only_a * low > 0
    return decided, reversible


def missing(audit: Audit) -> str | None:
    """Items missing for a model that could reverse significant gaps; None if there are none."""
    if audit.is_complete or audit.item_set == "common" or audit.judge_correction is not None:
        return None
    decided, reversible = _reversible(audit)
    if not reversible:
        return None
    fewest = int(audit.ranking.n_items.argmin())
    lacks = int(audit.n_items - audit.ranking.n_items[fewest])
    what = "gap" if decided == 1 else "gaps"
    return (
        f"Caution: {name(audit.ranking.model[fewest])} lacks {lacks:,} of {items(audit.n_items)} "
        f"({percent(lacks / audit.n_items, 1)}); missing scores could reverse {reversible:,} of "
        f"{decided:,} significant {what} between adjacent models."
    )


def audit_sentences(audit: Audit, ranking: Ranking) -> list[str]:
    """After the model asked about: the gap told apart, what is undecided, who leads."""
    said = _finding(ranking, _on(audit), audit.criteria, audit.adjust, undecided(ranking))
    chosen = choices(audit.findings, [audit.metric]).strip()
    down, stopped = downwards([audit]).strip(), stopped_early(audit.findings).strip()
    cautions = down, stopped, missing(audit), across(audit), chosen
    return [s for s in (ranking.place(), said, leader(ranking), declared(ranking), *cautions) if s]


def audit_headline(audit: Audit, ranking: Ranking) -> str:
    """These sentences in one."""
    return " ".join(audit_sentences(audit, ranking))


def average_sentences(board: Audit, ranking: Ranking) -> list[str]:
    """The same of an average over tasks."""
    what = f"By their {board.average} average, these {len(board.tasks):,} tasks"
    said = _finding(ranking, what, board.criteria, board.adjust, undecided(ranking))
    chosen = choices(board.findings, (audit.metric for audit in board.tasks)).strip()
    cautions = downwards(board.tasks).strip(), stopped_early(board.findings).strip(), chosen
    return [s for s in (ranking.place(), said, leader(ranking), declared(ranking), *cautions) if s]
