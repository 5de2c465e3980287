"""Write the headline of a ranking: models that could be best, and significant gaps."""

from collections.abc import Iterator

from nstar._verbs.audit import Audit, SensitivityRow
from nstar._verbs.audit.tables import MedianRange
from nstar._verbs.audit.task_sample import deciding_tasks, min_tasks
from nstar._verbs.verdict import HEADLINE_GROUPS, Criteria
from nstar.report.prose.audit.ranking import Ranking
from nstar.report.prose.comparison.headline import (
    MAX_MISSING,
    STOPPED,
    caution,
    choices,
    p_is,
)
from nstar.report.prose.gap import declared_gap, downwards, gap, unit
from nstar.report.prose.item_choice import MIN_PLAUSIBLE
from nstar.report.prose.numbers import count, items, name, percent, plural_of, probability

WIDE = 1.5
"""Ratio of the largest to the smallest gap from which the range over pairs is reported."""
_NAMED = 3
"""Maximum number of models that could be best and are named."""


def family_of(adjust: str) -> str:
    """Return the comparisons for which an adjustment controls errors."""
    if adjust == "none":
        return "unadjusted"
    return "false discoveries limited" if adjust == "bh" else "adjusted for all pairs"


def detected_gap(ranking: Ranking) -> str | None:
    """Return the gap that a typical adjacent pair can detect; None if there is none."""
    median_range = ranking.adjacent.resolvable_gap()
    return None if median_range is None else gap(ranking.scale, median_range.median)


def _typical(ranking: Ranking, median_range: MedianRange) -> str:
    """Return a typical gap, with its range if pairs differ."""
    typical = gap(ranking.scale, median_range.median)
    if median_range.high <= WIDE * median_range.low:
        return typical
    low, high = (
        gap(ranking.scale, x).removesuffix(unit(ranking.scale))
        for x in (median_range.low, median_range.high)
    )
    return f"{typical} ({low} to {high} by pair)"


def inconclusive(ranking: Ranking) -> str:
    """Return a clause with the number of inconclusive adjacent gaps."""
    counts, total = ranking.words(), len(ranking.adjacent)
    still, equal = counts["inconclusive"], counts["equivalent"]
    if total == 1:
        return f"the gap between the two models is {ranking.adjacent.verdict[0]}"
    also = f"; {equal:,} {'is' if equal == 1 else 'are'} equivalent" if equal else ""
    if not still:
        all_text = "both" if total == 2 else f"all {total:,}"
        significant = f"{total - equal:,} of {total:,}" if equal else all_text
        return f"{significant} gaps between adjacent models are significant{also}"
    verb = "is" if still == 1 else "are"
    return f"{still:,} of {total:,} gaps between adjacent models {verb} inconclusive{also}"


def leader(ranking: Ranking, where: str = "") -> str:
    """Return a clause that names the leader, or the models that could be best."""
    r = ranking.ranks
    may = [i for i in range(len(r)) if r.rank_low[i] == 1]
    if not may:
        return f"No clear leader{where}: every model is significantly beaten by another"
    if len(may) > _NAMED:
        return f"Any of {len(may):,} models could be best{where}"
    names = [name(r.model[i]) for i in may]
    if len(may) > 1:
        return f"{', '.join(names[:-1])} or {names[-1]} could be best{where}"
    if r.rank_high[may[0]] == 1:
        return f"{names[0]} is the clear leader{where}"
    return f"No model significantly beats {names[0]}{where}"


def cautions(audit: Audit) -> str:
    """Return a sentence with all cautions; empty if there are none."""
    reasons = [STOPPED for f in audit.findings if f.code == "stopped-early"]
    if len(audit.tasks) == 1:
        reasons += [*_labels(audit), *missing(audit), *across(audit)]
    return caution(reasons) if reasons else ""


def _finding(ranking: Ranking, where: str = "", judged: str = "") -> str:
    """Return which models could be best, and how many gaps are inconclusive."""
    return f"{leader(ranking, where)}; {inconclusive(ranking)}{judged}."


def _resolution(ranking: Ranking, subject: str, rule: Criteria) -> str:
    """Return the sizes of gaps that are significant or detectable."""
    p, power = ranking.adjacent, probability(rule.power)
    significant, detected = p.significant_gap(), p.resolvable_gap()
    if detected is None and bool((p.se == 0).any()):
        return f"Power is undefined: a gap that is equal on all {subject} has no standard error."
    if detected is None:
        return f"{subject} are too few to detect any gap with {power} power."
    gap_text = _typical(ranking, detected)
    one = len(p) == 1
    end = f"{'a true gap' if one else 'true gaps'} of {gap_text} {'is' if one else 'are'} detected"
    start = ""
    if significant is not None:
        above = _typical(ranking, significant)
        gaps, verb = ("an observed gap", "is") if one else ("observed gaps", "are")
        start = f" {gaps} above {above} {verb} significant;"
    return f"On {subject},{start} {end} with {power} power."


def declared(ranking: Ranking, power: float) -> str | None:
    """Return in how many adjacent pairs the declared gap is detectable; None without one."""
    pairs = ranking.adjacent
    if pairs.delta is None or pairs.q_at_delta is None:
        return None
    n_detected, size = (
        int((pairs.q_at_delta >= 1).sum()),
        declared_gap(ranking.scale, float(pairs.delta[0])),
    )
    if len(pairs) == 1:
        state = "at least" if n_detected else "below"
        return f"The power for the declared gap of {size} is {state} {probability(power)}."
    return (
        f"The power for the declared gap of {size} reaches {probability(power)} in {n_detected:,} "
        f"of {len(pairs):,} adjacent pairs (unadjusted)."
    )


def _on(audit: Audit) -> str:
    """Return the items, and the benchmark if it has a name."""
    judged = audit.judge_correction
    items_text = items(audit.n_items)
    if judged is not None:
        items_text = f"{count(judged.n_labels)} labeled items"
    return items_text + (f" of {name(audit.task)}" if audit.task else "")


_LIKE = {"cluster": "across new {groups}", "strata": "on other items of the same {groups}"}


def _moves(audit: Audit, row: SensitivityRow) -> int:
    """Return how much an undeclared grouping changes the number of inconclusive gaps."""
    open_ = list(audit.adjacent.verdict).count("inconclusive")
    known = row.n_inconclusive is not None and row.assumption not in (audit.design, "independent")
    has_enough_groups = audit.n_groups.get(row.assumption.partition(":")[2], 0) >= HEADLINE_GROUPS
    return abs((row.n_inconclusive or 0) - open_) if known and has_enough_groups else 0


def across(audit: Audit) -> Iterator[str]:
    """Yield the result under the grouping that changes it most; None if groups are too few."""
    if len(audit.adjacent) == 1 or audit.margin is not None or audit.design != "independent":
        return
    reading = max(audit.sensitivity, key=lambda row: _moves(audit, row), default=None)
    if reading is None or not _moves(audit, reading):
        return
    kind, _, column = reading.assumption.partition(":")
    verb = "is" if reading.n_inconclusive == 1 else "are"
    yield (
        f"{_LIKE[kind].format(groups=plural_of(column))} {reading.n_inconclusive:,} of "
        f"{len(audit.adjacent):,} gaps {verb} inconclusive"
    )


def _reversible(audit: Audit) -> tuple[int, int]:
    """Return the significant adjacent gaps, and those that missing scores could reverse."""
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


def missing(audit: Audit) -> Iterator[str]:
    """Yield a caution about missing items, if they are many or could reverse significant gaps."""
    if audit.is_complete or audit.item_set == "common" or audit.judge_correction is not None:
        return
    decided, reversible = _reversible(audit)
    fewest = int(audit.ranking.n_items.argmin())
    lacks = int(audit.n_items - audit.ranking.n_items[fewest])
    if not reversible and lacks <= MAX_MISSING * audit.n_items:
        return
    effect = ""
    if reversible:
        gaps = "gap" if decided == 1 else "gaps"
        effect = (
            f" (missing scores could reverse {reversible:,} of {decided:,} significant {gaps})"
        )
    yield (
        f"{name(audit.ranking.model[fewest])} lacks {percent(lacks / audit.n_items, 0)} of the "
        f"items{effect}"
    )


def _labels(audit: Audit) -> Iterator[str]:
    """Yield cautions about labels: a nonrandom choice, or another leader by the judge."""
    judged = audit.judge_correction
    if judged is None:
        return
    p = judged.selection_pvalue
    if p is not None and p < MIN_PLAUSIBLE:
        yield f"the labeled items do not look random ({p_is(p)})"
    if judged.models[0].model != audit.ranking.model[0]:
        yield f"the judge alone would rank {name(judged.models[0].model)} first"


def needed(ranking: Ranking) -> str | None:
    """Return the number of items that would resolve a typical inconclusive gap.

    Return None if no gap is inconclusive.
    """
    p = ranking.adjacent
    open_ = [i for i, verdict in enumerate(p.verdict) if verdict == "inconclusive"]
    if not open_ or p.delta is not None:
        return None
    typical = sorted(open_, key=lambda i: float(p.more_items[i]))[(len(open_) - 1) // 2]
    gap_text = "the inconclusive gap" if len(open_) == 1 else "a typical inconclusive gap"
    need = ranking.need(float(p.more_items[typical]), int(p.n_items[typical]))
    return f"Resolving {gap_text} would take {need}."


def _sentences(
    ranking: Ranking, first: list[str | None], caution_text: str, after: list[str]
) -> list[str]:
    """Return the highlighted model, the findings, and the cautions or needed items."""
    third = caution_text or needed(ranking)
    return [s for s in (*ranking.place(), *first, third, *map(str.strip, after)) if s]


def audit_sentences(audit: Audit, ranking: Ranking) -> list[str]:
    """Return the sentences on the highlighted model, the best models, detection, and cautions."""
    judged = audit.judge_correction
    labels = ""
    if judged is not None:
        labels = f" ({count(judged.n_items)} judged items, {count(judged.n_labels)} labeled)"
    first = [
        _finding(ranking, "" if audit.statistic is None else f" in {audit.statistic}", labels),
        _resolution(ranking, _on(audit), audit.criteria),
        declared(ranking, audit.criteria.power),
    ]
    after = [downwards([audit]), choices(audit.findings, [audit.metric])]
    return _sentences(ranking, first, cautions(audit), after)


def task_sentences(audit: Audit, ranking: Ranking) -> list[str]:
    """Return the same sentences for tasks as a sample."""
    n = len(audit.task_sample.tasks) if audit.task_sample is not None else 0
    measure = "" if audit.statistic is None else f" by {audit.statistic}"
    first = [
        _finding(ranking, f"{measure} across new tasks"),
        _resolution(ranking, f"{n:,} tasks", audit.criteria),
        declared(ranking, audit.criteria.power),
    ]
    after = [downwards([audit]), choices(audit.findings, [audit.metric])]
    decides = None if audit.task_sample is None else deciding_tasks(audit.task_sample)
    caution_text = "" if decides is None else caution([f"task scales differ, so {decides}"])
    if audit.rank_method == "none":
        needed_tasks = min_tasks(audit.criteria.alpha)
        still = inconclusive(ranking)
        first[0] = (
            f"{n:,} tasks are too few to rank {len(audit):,} models; at least {needed_tasks:,} "
            f"are needed. Unadjusted, {still}."
        )
    return _sentences(ranking, first, caution_text, after)


def average_sentences(board: Audit, ranking: Ranking) -> list[str]:
    """Return the same sentences for an average over tasks."""
    where = f" on the {board.average} average of {len(board.tasks):,} tasks"
    first = [
        _finding(ranking, where),
        _resolution(ranking, f"these {len(board.tasks):,} tasks", board.criteria),
        declared(ranking, board.criteria.power),
    ]
    after = [
        downwards(board.tasks),
        choices(board.findings, (audit.metric for audit in board.tasks)),
    ]
    return _sentences(ranking, first, cautions(board), after)
