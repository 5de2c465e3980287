"""Write the headline of ratings: models that could be best, and significant gaps."""

from collections.abc import Iterator

import numpy as np

from nstar._data.findings import abbreviate
from nstar._verbs.audit.tables import MedianRange
from nstar._verbs.battles import Battles
from nstar._verbs.battles.result import UnratedWhy, VoteGroups
from nstar._verbs.verdict import ABSURD
from nstar.errors import ParameterError, arg
from nstar.report.prose.comparison.headline import caution
from nstar.report.prose.gap import coverage
from nstar.report.prose.numbers import count, name, plural_of, probability, votes

_TIMES = 10
"""Multiple of the votes above which a number of votes is not useful advice."""
_NAMED = 3
"""Maximum number of models that could be best and are named."""
_WIDE = 1.5
"""Ratio of the largest to the smallest gap from which the range over pairs is reported."""
_ROLES = {
    "prompt": "prompts",
    "judge": "judges",
    "pair": "pairs of answers",
    "session": "sessions",
}


def elo(points: float) -> str:
    """Return a difference of ratings as text, with its unit.

    Examples
    --------
    >>> elo(15.79), elo(-0.24)
    ('16 Elo', '−0.2 Elo')
    """
    return f"{elo_number(points)} Elo"


def elo_number(points: float, *, sign: bool = False) -> str:
    """Return a difference of ratings without a unit, with one decimal below ten."""
    size = abs(points)
    digits = f"{size:,.1f}" if size < 9.95 else f"{size:,.0f}"
    lead = "−" if points < 0 else "+" if sign else ""
    return f"{lead}{digits}"


def groups_of(column: tuple[str, ...]) -> str:
    """Return the names of groups of votes: ``prompts``, ``judges and sessions``."""
    return " and ".join(_ROLES.get(c, plural_of(c)) for c in column)


def _like(result: Battles) -> VoteGroups | None:
    """Return the undeclared grouping under which most models could be best."""
    if result.cluster:
        return None
    wider = [g for g in result.groupings if (g.n_could_be_best or 0) > result.n_could_be_best]
    return max(wider, key=lambda g: (g.n_could_be_best or 0, g.design_effect or 0.0), default=None)


def _too_few_to_look(result: Battles) -> VoteGroups | None:
    """Return the grouping that widens intervals most, if it has too few groups for two looks."""
    if result.cluster or result.n_votes_planned is None:
        return None
    widest = max(result.groupings, key=lambda g: g.design_effect or 0.0, default=None)
    if widest is None or widest.n_could_be_best is not None or (widest.design_effect or 0.0) <= 1:
        return None
    return widest


def leader(result: Battles) -> str:
    """Return a clause that names the models that could be best."""
    may = [n for n, k in zip(result.ratings.model, result.ratings.rank_low, strict=True) if k == 1]
    if not may:
        return "No clear leader: every model is significantly beaten by another"
    if len(may) > _NAMED:
        return f"Any of {len(may):,} models could be best"
    names = [name(n) for n in may]
    if len(names) > 1:
        return f"{', '.join(names[:-1])} or {names[-1]} could be best"
    if result.ratings.rank_high[0] == 1:
        return f"{names[0]} is the clear leader"
    return f"No model significantly beats {names[0]}"


def _finding(result: Battles) -> str:
    """Return which models could be best, and how many gaps are inconclusive."""
    total, still = len(result.adjacent), result.n_inconclusive
    if total == 1:
        gaps = f"the gap between the two models is {result.adjacent.verdict[0]}"
    elif still:
        verb = "is" if still == 1 else "are"
        gaps = f"{still:,} of {total:,} gaps between adjacent models {verb} inconclusive"
    else:
        all_text = "both" if total == 2 else f"all {total:,}"
        gaps = f"{all_text} gaps between adjacent models are significant"
    rated = f"{len(result):,} {'rated ' if result.unrated else ''}models"
    across = f"Across {groups_of(result.cluster)} like these, " if result.cluster else ""
    first = leader(result)
    if across and first.startswith(("Any", "No ")):
        first = f"{first[0].lower()}{first[1:]}"
    cast = votes(result.n_votes)
    if result.n_votes_planned is not None:
        cast = f"{result.n_votes:,} of {result.n_votes_planned:,} planned votes"
    return f"{across}{first}; {gaps} ({cast}, {rated})."


def resolution(result: Battles) -> str | None:
    """Return the sizes of gaps that are significant or detectable; None if none is detectable."""
    significant, detected = result.significant_gap, result.resolvable_gap
    if detected is None or significant is None:
        return None
    return (
        f"Here an observed gap above {_typical(significant)} is significant; a true gap of "
        f"{_typical(detected)} is detected with {probability(result.criteria.power)} power."
    )


def _typical(median_range: MedianRange) -> str:
    """Return a typical gap, with its range if pairs differ."""
    if median_range.high <= _WIDE * median_range.low:
        return elo(median_range.median)
    ends = f"{elo_number(median_range.low)} to {elo_number(median_range.high)}"
    return f"{elo(median_range.median)} ({ends} by pair)"


_WITHOUT: dict[UnratedWhy, str] = {
    "won all": "won every vote",
    "lost all": "lost every vote",
    "never met": "never met a rated model",
    "one group": "has most votes from one cluster",
    "few groups": "has votes from too few clusters",
}


def cautions(result: Battles) -> Iterator[str]:
    """Yield the cautions: a model that could be better than all, and groups of votes."""
    better = [u for u in result.unrated if u.reason != "lost all"]
    if len(better) == 1:
        yield f"{name(better[0].model)} {_WITHOUT[better[0].reason]} and has no rating"
    elif better:
        yield f"{name(better[0].model)} and {len(better) - 1:,} more models have no rating"
    if result.chosen_pairs is not None and result.chosen_pairs.weighted_because is not None:
        yield "the ratings depend on which pairs get votes, so votes on chosen pairs are weighted"
    like, small_grouping = _like(result), _too_few_to_look(result)
    if small_grouping is not None:
        kind = groups_of(small_grouping.columns)
        yield (
            f"{small_grouping.n_groups:,} {kind} are too few to generalize to new {kind} at "
            "every look"
        )
    elif like is not None:
        yield (
            f"across new {groups_of(like.columns)}, any of {like.n_could_be_best:,} models could "
            "be best"
        )


def _needs(result: Battles) -> str | None:
    """Return the number of votes that would resolve a typical inconclusive gap."""
    open_ = np.array([word == "inconclusive" for word in result.adjacent.verdict])
    if not open_.any():
        return None
    median = float(np.median(result.adjacent.more_direct_votes[open_]))
    gap_text = "the inconclusive gap" if open_.sum() == 1 else "a typical inconclusive gap"
    if too_many(result, median):
        return f"Resolving {gap_text} would take over {_TIMES}× the current number of votes."
    votes_text = count(rounded(median))
    return f"Resolving {gap_text} would take about {votes_text} more votes between the two models."


def nearest(result: Battles) -> str:
    """Return the inconclusive gap that needs the fewest votes; empty if there is none."""
    open_ = [k for k, word in enumerate(result.adjacent.verdict) if word == "inconclusive"]
    if not open_:
        return ""
    k = min(open_, key=lambda k: float(result.adjacent.more_direct_votes[k]))
    a, b, n_more = (
        result.adjacent.model_a[k],
        result.adjacent.model_b[k],
        float(result.adjacent.more_direct_votes[k]),
    )
    two = f"{name(a, limit=30)} and {name(b, limit=30)}"
    if too_many(result, n_more):
        return f"{two}, with over {_TIMES}× the current number of votes"
    return f"{two}, with about {count(rounded(n_more))} more votes between the two"


def too_many(result: Battles, n_more: float) -> bool:
    """Return whether a number of votes is too large compared with the current number."""
    return not n_more <= min(_TIMES * result.n_votes, ABSURD)


def rounded(n_more: float) -> float:
    """Return a number with two digits, because more would be false precision."""
    if n_more < 100:
        return n_more
    unit = 10 ** (len(str(int(n_more))) - 2)
    return float(np.ceil(n_more / unit) * unit)


def place(result: Battles, where: str | None) -> str:
    """Return a sentence with the rank of one model."""
    if where is None:
        return ""
    r = result.ratings
    if where not in r.model:
        lost = [u.model for u in result.unrated]
        if where in lost:
            return f"{name(where)} has no rating."
        examples = abbreviate([name(n) for n in r.model], 3)
        msg = f"No model {where!r:.60} ({arg('where')}). Rated models: {examples}"
        raise ParameterError(msg)
    k = r.model.index(where)
    low, high = int(r.rank_low[k]), int(r.rank_high[k])
    ranks = f"{low:,}" if low == high else f"{low:,}–{high:,}"
    level = coverage(result.confidence_level)
    return f"{name(where)} is rated {r.rating[k]:,.0f} ({level} rank range {ranks} of {len(r):,})."


def sentences(result: Battles, where: str | None = None) -> list[str]:
    """Return the sentences on the highlighted model, the best models, detection, and cautions."""
    reasons = list(cautions(result))
    third = caution(reasons) if reasons else _needs(result)
    texts = (place(result, where), _finding(result), resolution(result), third)
    return [s for s in texts if s]
