"""The first sentences about votes: who may be the best, what is open, what would settle it."""

import numpy as np

from nstar._verbs.battles import Battles
from nstar._verbs.battles.result import VoteGroups
from nstar._verbs.verdict import ABSURD
from nstar.errors import ParameterError, arg
from nstar.report.prose.numbers import count, listed, name, often, plural_of

_TIMES = 100
_NAMED = 3
"""Models that may be the best, up to which they are named."""
_ROLES = {
    "prompt": "prompts",
    "judge": "judges",
    "pair": "pairs of answers",
    "session": "sessions",
}


def elo(points: float, *, sign: bool = False) -> str:
    """Elo points in a sentence.

    Examples
    --------
    >>> elo(15.79), elo(-0.24, sign=True)
    ('16 Elo', '−0.2 Elo')
    """
    return f"{elo_number(points, sign=sign)} Elo"


def elo_number(points: float, *, sign: bool = False) -> str:
    """The same without the unit; a decimal below ten."""
    size = abs(points)
    digits = f"{size:,.1f}" if size < 9.95 else f"{size:,.0f}"
    lead = "−" if points < 0 else "+" if sign else ""
    return f"{lead}{digits}"


def groups_of(column: tuple[str, ...]) -> str:
    """What groups of votes are called: ``prompts``, ``judges and sessions``."""
    return " and ".join(_ROLES.get(c, plural_of(c)) for c in column)


def _like(result: Battles) -> VoteGroups | None:
    """The grouping that was not declared and leaves most models the best."""
    if result.cluster:
        return None
    wider = [g for g in result.groupings if (g.n_could_be_best or 0) > result.n_could_be_best]
    return max(wider, key=lambda g: (g.n_could_be_best or 0, g.design_effect or 0.0), default=None)


def _too_few_to_look(result: Battles) -> VoteGroups | None:
    """The grouping that widens most, if it has too few groups for more than one look."""
    if result.cluster or result.n_votes_planned is None:
        return None
    widest = max(result.groupings, key=lambda g: g.design_effect or 0.0, default=None)
    if widest is None or widest.n_could_be_best is not None or (widest.design_effect or 0.0) <= 1:
        return None
    return widest


def _best(result: Battles) -> str:
    may = [n for n, k in zip(result.ratings.model, result.ratings.rank_low, strict=True) if k == 1]
    # a model without a rating may be better than all that have one, unless it lost to them
    beside = any(u.reason != "lost all" for u in result.unrated)
    rated = f"the {len(result):,} rated models"
    if len(may) > _NAMED:
        return f"any of {len(may):,} may be the best{f' of {rated}' * beside}"
    names = [name(n) for n in may]
    if len(names) > 1:
        return f"{', '.join(names[:-1])} or {names[-1]} may be the best{f' of {rated}' * beside}"
    leads = f"{names[0]} leads{f' {rated}' * beside}"
    return f"{leads}, alone" if result.ratings.rank_high[0] == 1 else leads


def _first(result: Battles) -> str:
    said = f"{result.n_models:,} models, {result.n_votes:,} votes: {_best(result)}"
    like, few = _like(result), _too_few_to_look(result)
    if not result.cluster and like is None and few is None:
        return f"{said}."
    said += "," if said.endswith("alone") else ""
    if few is not None:
        kind = groups_of(few.columns)
        return (
            f"{said} on these {few.n_groups:,} {kind}; there are too few of them to generalize to "
            f"new {kind} at every look."
        )
    if like is None:
        return f"{said} across {groups_of(result.cluster)} like these."
    kind = groups_of(like.columns)
    return (
        f"{said} on these {like.n_groups:,} {kind}; across such {kind}, any of "
        f"{like.n_could_be_best:,}."
    )


def _undecided(result: Battles) -> str:
    total, still = len(result.adjacent), result.n_inconclusive
    if not still:
        return "" if total == 1 else "Every neighboring place is decided."
    if total == 1:
        return f"Which of the two is better is undecided; {_needs(result)}."
    verb = "is" if still == 1 else "are"
    return f"{still:,} of {total:,} neighboring places {verb} undecided; {_needs(result)}."


def _needs(result: Battles) -> str:
    """What would settle a place that is undecided, as a clause."""
    open_ = np.array([word == "inconclusive" for word in result.adjacent.verdict])
    middle = float(np.median(result.adjacent.more_direct_votes[open_]))
    which = "it" if open_.sum() == 1 else "a typical one"
    if too_many(result, middle):
        return f"{which} would take more than a hundred times the votes there are"
    more = count(rounded(middle))
    return f"{which} would take about {more} more votes between the two, if its gap is as seen"


def nearest(result: Battles) -> str:
    """The undecided place that the fewest votes would decide; empty if none is undecided."""
    open_ = [k for k, word in enumerate(result.adjacent.verdict) if word == "inconclusive"]
    if not open_:
        return ""
    k = min(open_, key=lambda k: float(result.adjacent.more_direct_votes[k]))
    a, b, votes = (
        result.adjacent.model_a[k],
        result.adjacent.model_b[k],
        float(result.adjacent.more_direct_votes[k]),
    )
    two = f"{name(a, limit=30)} and {name(b, limit=30)}"
    if too_many(result, votes):
        return f"{two}, with more than a hundred times the votes there are"
    return f"{two}, with about {count(rounded(votes))} more votes between the two"


def too_many(result: Battles, votes: float) -> bool:
    """Whether a number of votes is out of all proportion to those there are."""
    return not votes <= min(_TIMES * result.n_votes, ABSURD)


def told_apart(result: Battles) -> str:
    """The gap that votes like these tell apart, as a sentence; empty if there is none."""
    apart = result.resolvable_gap
    if apart is None:
        return ""
    ends = f", {elo_number(apart.low)} to {elo_number(apart.high)} by pair"
    return (
        f"Votes like these tell neighbors apart that truly differ by about {elo(apart.median)} "
        f"(found {often(result.criteria.power)}, all pairs at once"
        f"{ends if apart.high > 1.5 * apart.low else ''})."
    )


def rounded(votes: float) -> float:
    """Two digits: more would be false."""
    if votes < 100:
        return votes
    unit = 10 ** (len(str(int(votes))) - 2)
    return float(np.ceil(votes / unit) * unit)


def place(result: Battles, where: str | None) -> str:
    """Where one model stands."""
    if where is None:
        return ""
    r = result.ratings
    if where not in r.model:
        lost = [u.model for u in result.unrated]
        if where in lost:
            return f"{name(where)} has no rating."
        near = listed([name(n) for n in r.model[:3]])
        msg = f"{arg('where')} names no model here: {where!r:.60}; there are {near} and others"
        raise ParameterError(msg)
    k = r.model.index(where)
    low, high = int(r.rank_low[k]), int(r.rank_high[k])
    ranks = f"rank {low:,}" if low == high else f"any rank from {low:,} to {high:,}"
    return f"{name(where)}, rated {r.rating[k]:,.0f}, may have {ranks} of {len(r):,}."


def sentences(result: Battles, where: str | None = None) -> list[str]:
    """The model asked about, who may be the best, what is undecided."""
    return [s for s in (place(result, where), _first(result), _undecided(result)) if s]
