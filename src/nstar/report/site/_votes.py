"""Read ratings of ``nstar battles`` as JSON, and check them as untrusted input."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from nstar._verbs.audit.ranking import places
from nstar._verbs.battles import Battles
from nstar._verbs.battles.result import VoteEffect
from nstar.errors import DataError
from nstar.report.documents import Document
from nstar.report.site._source import (
    FOLDER,
    beyond,
    object_of,
    parted,
    published,
    published_findings,
    refuse,
    small_file,
)

WRITTEN = "nstar battles … --format json > FILE.json"
_MEND = f"write the ratings again: {WRITTEN}"
_MOST_BYTES = 1 << 26
_MOST_MODELS = 2_000
"""Their rows stand on one page."""
_FURTHEST = 1e9
"""Elo points that no model is away from zero, whatever was anchored."""
_RTOL = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VotesFile:
    """One file of ratings."""

    path: Path
    """Where it lies."""
    result: Battles
    """Ratings, neighbors, groups of votes."""
    words: Document
    """Headline, notes, assumptions, paragraph, made anew from the ratings."""
    published: bytes
    """``battles.json``, as it may be shown to all."""


def _unlike(values: Any, low: float, high: float) -> bool:
    """Whether any value is not a number, or outside of some limits."""
    array = np.asarray(values, dtype=np.float64)
    return bool(np.isnan(array).any()) or beyond(array, low, high)


def _models(result: Battles) -> Iterator[str]:
    names, m = result.ratings.model, len(result)
    all_names = (*names, *(u.model for u in result.unrated))
    if m < 2 or len(set(all_names)) < len(all_names):
        yield "rates fewer than two models, or holds one of them twice"
    if result.n_models != len(all_names):
        yield f"counts {result.n_models:,} models and holds {len(all_names):,}"
    if len(result.adjacent) != m - 1 or result.n_pairs != m * (m - 1) // 2:
        yield f"does not hold the pairs of {m:,} models"
    if list(zip(result.adjacent.model_a, result.adjacent.model_b, strict=True)) != list(
        pairwise(names)
    ):
        yield "lists neighbors that are not neighbors"
    if sum(result.verdict_counts.values()) != result.n_pairs:
        yield "counts other verdicts than pairs"
    verdicts = result.adjacent.verdict
    if any(verdicts.count(word) > total for word, total in result.verdict_counts.items()):
        yield "counts fewer verdicts than its neighbors have"


def _ratings(result: Battles) -> Iterator[str]:
    r = result.ratings
    columns = (
        r.rating,
        r.ci_low,
        r.ci_high,
        *([] if r.uncontrolled_rating is None else [r.uncontrolled_rating]),
    )
    if any(_unlike(column, -_FURTHEST, _FURTHEST) for column in columns):
        yield "holds ratings that no model can have"
    if ((r.ci_low > r.rating) | (r.rating > r.ci_high)).any():
        yield "holds ratings outside of their intervals"
    if (np.diff(r.rating) > 0).any():
        yield "holds models that are not in order of their ratings"
    if (r.uncontrolled_rating is None) != (r.uncontrolled_rank is None):
        yield "holds ratings without controls but no places, or places alone"


def _ranks(result: Battles) -> Iterator[str]:
    r, m = result.ratings, len(result)
    if any(beyond(column, 1, m) for column in (r.rank, r.rank_low, r.rank_high)):
        yield f"holds ranks beyond {m:,}"
    # ratings may agree in every digit that is written where strengths differ
    if (r.rank < places(r.rating, 1)).any() or (r.rank > np.arange(1, m + 1)).any():
        yield "holds ranks that are not those of the ratings"
    if ((r.rank < r.rank_low) | (r.rank > r.rank_high)).any():
        yield "holds ranks outside of their rank sets"
    if r.tier[0] != 1 or beyond(np.diff(r.tier), 0, 1):
        yield "holds tiers out of order"
    if not parted(r):
        yield "holds tiers that its rank sets do not part"


def _neighbors(result: Battles) -> Iterator[str]:
    g, r = result.adjacent, result.ratings
    tolerance = _RTOL * (1 + abs(r.rating).max())
    if not (abs(g.elo + np.diff(r.rating)) <= tolerance).all():
        yield "holds gaps that are not those of the ratings"
    ends = (g.ci_adjusted_low, g.ci_adjusted_high, g.ci_unadjusted_low, g.ci_unadjusted_high)
    if _unlike(ends, -_FURTHEST, _FURTHEST):
        yield "holds intervals that no gap can have"
    if _unlike((g.pvalue, g.pvalue_adjusted, g.expected_score), 0, 1):
        yield "holds p-values or scores beyond 0 and 1"
    is_significant = [verdict == "significant" for verdict in g.verdict]
    if ((g.pvalue_adjusted <= result.criteria.alpha) != is_significant).any():
        yield "holds verdicts that do not follow from its adjusted p-values"
    sure = g.is_resolved
    if (g.elo[sure] < g.mde[sure] - tolerance).any():
        yield "holds resolved gaps below the smallest detectable one"
    if not np.isin(np.flatnonzero(np.diff(r.tier)), np.flatnonzero(is_significant)).all():
        yield "holds tiers between neighbors that are not told apart"


def _counts(result: Battles) -> Iterator[str]:
    r, votes = result.ratings, result.n_votes
    if (
        not votes
        or (r.n_wins + r.n_ties + r.n_losses != r.n_votes).any()
        or (r.n_votes > votes).any()
    ):
        yield "counts votes that do not add up"
    if (result.adjacent.n_votes > votes).any() or (r.n_opponents > len(result) - 1).any():
        yield "counts more votes or opponents than there are"
    if any(max(g.n_groups, g.n_votes_largest) > votes or not g.columns for g in result.groupings):
        yield "counts more groups than votes"
    if result.n_both_bad > votes or _unlike(result.tie_share, 0, 1):
        yield "counts more ties than votes"
    if result.lack_of_fit.n_significant and not result.lack_of_fit.worst_pairs:
        yield "counts pairs that depart from the ratings and names none"


def _effect(effect: VoteEffect) -> bool:
    """Whether an effect cannot be."""
    ends = (effect.ci_low, effect.elo, effect.ci_high)
    return _unlike(ends, -_FURTHEST, _FURTHEST) or list(ends) != sorted(ends)


def _levels(result: Battles) -> Iterator[str]:
    if not 0 < result.confidence_level < 1:
        yield f"has intervals of a level of {result.confidence_level:g}"
    if result.critical_value is not None and not result.critical_value > 0:
        yield f"has a critical value of {result.critical_value:g}"
    effects = (
        *result.control_effects,
        *([] if result.position_effect is None else [result.position_effect]),
    )
    if any(map(_effect, effects)) or _unlike([e.pvalue for e in effects], 0, 1):
        yield "holds effects that cannot be"
    if result.anchor is not None and result.anchor[0] not in result.ratings.model:
        yield "is anchored at a model that it does not rate"
    if not 0 <= result.prior < _FURTHEST:
        yield f"has a prior of {result.prior:g}"


def _objections(result: Battles) -> Iterator[str]:
    """What ratings cannot be like, gravest first; later ones may fail after the first."""
    for part in (_models, _ratings, _ranks, _neighbors, _counts, _levels):
        yield from part(result)


def _check(path: Path, result: Battles) -> None:
    """DataError for the first thing that cannot be."""
    m = len(result)
    if m > _MOST_MODELS:
        msg = (
            f"{path}: a page of votes holds up to {_MOST_MODELS:,} rated models, here are {m:,}; "
            "choose some (--only)"
        )
        raise DataError(msg)
    for reason in _objections(result):
        refuse(path, reason, _MEND)


def read_votes(path: Path) -> VotesFile:
    """One file of ratings.

    Raises
    ------
    DataError
        If it is not one, or does not agree with itself; the message names the file and the mend.
    """
    fix = f"{_MEND}; scores go by way of {FOLDER}"
    data = object_of(path, small_file(path, _MOST_BYTES), Battles.schema_name(), fix)
    try:
        result = Battles.from_dict(data)
    except DataError as error:
        refuse(path, str(error), _MEND)
    result = replace(result, findings=published_findings(result.findings))
    _check(path, result)
    words, json_bytes = published(path, result, data.get("nstar"), _MEND)
    return VotesFile(path=path, result=result, words=words, published=json_bytes)
