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
from nstar.report import document
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
_MEND = f"Write the ratings again: {WRITTEN}"
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
        yield "contains fewer than two models, or a model twice"
    if result.n_models != len(all_names):
        yield f"counts {result.n_models:,} models but contains {len(all_names):,}"
    if len(result.adjacent) != m - 1 or result.n_pairs != m * (m - 1) // 2:
        yield f"does not contain the pairs of {m:,} models"
    if list(zip(result.adjacent.model_a, result.adjacent.model_b, strict=True)) != list(
        pairwise(names)
    ):
        yield "lists models as adjacent that are not"
    if sum(result.verdict_counts.values()) != result.n_pairs:
        yield "has numbers of verdicts that do not match its pairs"
    verdicts = result.adjacent.verdict
    if any(verdicts.count(word) > total for word, total in result.verdict_counts.items()):
        yield "counts fewer verdicts than its adjacent models have"


def _ratings(result: Battles) -> Iterator[str]:
    r = result.ratings
    columns = (
        r.rating,
        r.ci_low,
        r.ci_high,
        *([] if r.uncontrolled_rating is None else [r.uncontrolled_rating]),
    )
    if any(_unlike(column, -_FURTHEST, _FURTHEST) for column in columns):
        yield "contains impossible ratings"
    if ((r.ci_low > r.rating) | (r.rating > r.ci_high)).any():
        yield "contains ratings outside their intervals"
    if (np.diff(r.rating) > 0).any():
        yield "contains models that are not sorted by rating"
    if (r.uncontrolled_rating is None) != (r.uncontrolled_rank is None):
        yield "contains ratings without controls but no ranks for them, or only the ranks"


def _ranks(result: Battles) -> Iterator[str]:
    r, m = result.ratings, len(result)
    if any(beyond(column, 1, m) for column in (r.rank, r.rank_low, r.rank_high)):
        yield f"contains ranks above {m:,}"
    # ratings may agree in every digit that is written where strengths differ
    if (r.rank < places(r.rating, 1)).any() or (r.rank > np.arange(1, m + 1)).any():
        yield "contains ranks that do not match the ratings"
    if ((r.rank < r.rank_low) | (r.rank > r.rank_high)).any():
        yield "contains ranks outside their rank ranges"
    if r.tier[0] != 1 or beyond(np.diff(r.tier), 0, 1):
        yield "contains tiers in the wrong order"
    if not parted(r):
        yield "contains tiers that its rank ranges do not separate"


def _neighbors(result: Battles) -> Iterator[str]:
    g, r = result.adjacent, result.ratings
    tolerance = _RTOL * (1 + abs(r.rating).max())
    if not (abs(g.elo + np.diff(r.rating)) <= tolerance).all():
        yield "contains gaps that do not match the ratings"
    ends = (g.ci_adjusted_low, g.ci_adjusted_high, g.ci_unadjusted_low, g.ci_unadjusted_high)
    if _unlike(ends, -_FURTHEST, _FURTHEST):
        yield "contains impossible intervals"
    if _unlike((g.pvalue, g.pvalue_adjusted, g.expected_score), 0, 1):
        yield "contains p-values or scores outside 0 to 1"
    is_significant = [verdict == "significant" for verdict in g.verdict]
    if ((g.pvalue_adjusted <= result.criteria.alpha) != is_significant).any():
        yield "contains verdicts that do not match its adjusted p-values"
    sure = g.is_resolved
    if (g.elo[sure] < g.mde[sure] - tolerance).any():
        yield "contains resolved gaps below the detectable gap"
    if not np.isin(np.flatnonzero(np.diff(r.tier)), np.flatnonzero(is_significant)).all():
        yield "contains tiers between adjacent models whose gap is not significant"


def _counts(result: Battles) -> Iterator[str]:
    r, votes = result.ratings, result.n_votes
    if (
        not votes
        or (r.n_wins + r.n_ties + r.n_losses != r.n_votes).any()
        or (r.n_votes > votes).any()
    ):
        yield "contains numbers of votes that do not add up"
    if (result.adjacent.n_votes > votes).any() or (r.n_opponents > len(result) - 1).any():
        yield "counts more votes or opponents than it contains"
    if any(max(g.n_groups, g.n_votes_largest) > votes or not g.columns for g in result.groupings):
        yield "counts more groups than votes"
    if result.n_both_bad > votes or _unlike(result.tie_share, 0, 1):
        yield "counts more ties than votes"
    if result.lack_of_fit.n_significant and not result.lack_of_fit.worst_pairs:
        yield "counts pairs that deviate from the ratings but lists none"


def _effect(effect: VoteEffect) -> bool:
    """Whether an effect cannot be."""
    ends = (effect.ci_low, effect.elo, effect.ci_high)
    return _unlike(ends, -_FURTHEST, _FURTHEST) or list(ends) != sorted(ends)


def _levels(result: Battles) -> Iterator[str]:
    if not 0 < result.confidence_level < 1:
        yield f"has the invalid confidence level {result.confidence_level:g}"
    if result.critical_value is not None and not result.critical_value > 0:
        yield f"has the invalid critical value {result.critical_value:g}"
    effects = (
        *result.control_effects,
        *([] if result.position_effect is None else [result.position_effect]),
    )
    if any(map(_effect, effects)) or _unlike([e.pvalue for e in effects], 0, 1):
        yield "contains impossible effects"
    if result.anchor is not None and result.anchor[0] not in result.ratings.model:
        yield "is anchored to a model that it does not rate"
    if not 0 <= result.prior < _FURTHEST:
        yield f"has the invalid prior {result.prior:g}"


def _objections(result: Battles) -> Iterator[str]:
    """What ratings cannot be like, gravest first; later ones may fail after the first."""
    for part in (_models, _ratings, _ranks, _neighbors, _counts, _levels):
        yield from part(result)


def read_votes(path: Path) -> VotesFile:
    """One file of ratings; a DataError names a file that is not one or contradicts itself."""
    fix = f"{_MEND} (for scores, pass a folder written by {FOLDER})"
    data = object_of(path, small_file(path, _MOST_BYTES, fix), Battles.schema_name(), fix)
    try:
        result = Battles.from_dict(data)
    except DataError as error:
        refuse(path, str(error), _MEND)
    result = replace(result, findings=published_findings(result.findings))
    m = len(result)
    if m > _MOST_MODELS:
        msg = (
            f"{path}: a page of votes holds at most {_MOST_MODELS:,} rated models; found {m:,}. "
            "Choose fewer with --only."
        )
        raise DataError(msg)
    for reason in _objections(result):
        refuse(path, reason, _MEND)
    words, json_bytes = published(path, result, data.get("nstar"), _MEND)
    if result.changes is not None:  # the page has a section for them
        words = document(replace(result, changes=None), paragraph=True)
    return VotesFile(path=path, result=result, words=words, published=json_bytes)
