"""All choices of rules that a page offers, computed here; its script only looks them up."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from nstar._base.parameter_types import Adjust
from nstar._verbs.audit import Audit
from nstar._verbs.audit.family import interval_level
from nstar._verbs.audit.maxt import MaxTUnavailable
from nstar._verbs.audit.pair_analysis import PairAnalysis
from nstar._verbs.audit.rejudge import judged_again, readings_of
from nstar._verbs.audit.sensitivity import ReadingPvalues
from nstar._verbs.verdict import PAIR_STATES, Criteria
from nstar.report import document
from nstar.report.page._array_encoding import pack, pack_words

_LEVELS = (0.1, 0.05, 0.01, 0.001)
"""Levels offered in addition to that of the audit."""
_POWERS = (0.8, 0.9)
"""Powers offered in addition to that of the audit."""
_CROWD = 300
"""Models above which a page has only the power of the audit: every choice takes a tenth of a
second then."""


def level_choices(rule: Criteria) -> tuple[float, ...]:
    """Return the levels that a reader can choose, highest first."""
    below = (a for a in _LEVELS if a < min(rule.power, 0.5 if rule.sides == 1 else 1))
    return tuple(sorted({rule.alpha, *below}, reverse=True))


def power_choices(rule: Criteria) -> tuple[float, ...]:
    """Return the powers that a reader can choose, all above every level."""
    above = (p for p in _POWERS if p > max(level_choices(rule)))
    return tuple(sorted({rule.power, *above}))


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChoices:
    """Choices that a page offers."""

    levels: tuple[float, ...]
    powers: tuple[float, ...]
    policies: tuple[Adjust, ...]

    @classmethod
    def of(cls, result: Audit, survey: PairAnalysis) -> "RuleChoices":
        """All that the draws of the audit can give."""
        rule, crowded = result.criteria, len(result) > _CROWD
        policies: tuple[Adjust, ...] = get_args(Adjust)
        without = isinstance(survey.step, MaxTUnavailable)
        return cls(
            levels=level_choices(rule),
            powers=(rule.power,) if crowded else power_choices(rule),
            policies=tuple(a for a in policies if not (without and a == "maxt")),
        )


def _at_levels(
    result: Audit,
    survey: PairAnalysis,
    among: RuleChoices,
    where: str | None,
    readings: ReadingPvalues,
) -> Iterator[Audit]:
    """The audit at each level."""
    n_draws = 0 if isinstance(survey.step, MaxTUnavailable) else survey.step.draws
    known = [a for a in among.levels if a * (n_draws + 1) >= 1]
    scores = survey.max_t_scores(known) if known else {}
    for alpha in among.levels:
        rule = Criteria(alpha=alpha, power=result.criteria.power)
        simulate_marginal = where is not None
        yield judged_again(
            result,
            rule,
            result.adjust,
            scores.get(alpha),
            simulate_marginal=simulate_marginal,
            readings=readings,
        )


def _codes(result: Audit) -> list[int]:
    """Return the verdicts on adjacent models."""
    return [PAIR_STATES.index(state) for state in result.adjacent.states]


def _words(result: Audit, where: str | None) -> list[Any]:
    """What a page says: its top, the caution, the MDE, the paragraph, and the assumptions."""
    doc = document(result, paragraph=True, where=where)
    mde = result.resolvable_gap
    return [
        [doc.title, doc.lead],
        [[t.number, t.unit, t.label, t.more] for t in doc.tiles],
        doc.caution,
        None if mde is None else mde.median,
        doc.paragraph,
        list(doc.assumptions),
    ]


def _chosen(
    at_level: Audit, among: RuleChoices, where: str | None, readings: ReadingPvalues
) -> Iterator[tuple[list[int], list[Any]]]:
    """Yield the verdicts on adjacent models and the words at one level, by power and policy."""
    ranks, survey = at_level.ranking, at_level.survey
    score = None if survey is None or survey.rank_method == "holm" else survey.step.critical  # type: ignore[union-attr]
    for power in among.powers:
        rule = Criteria(alpha=at_level.criteria.alpha, power=power)
        for adjust in among.policies:
            board = judged_again(at_level, rule, adjust, score, ranks=ranks, readings=readings)
            yield _codes(board), _words(board, where)


def _thresholds(
    survey: PairAnalysis, among: RuleChoices, alpha: float
) -> Iterator[tuple[Adjust, float, float]]:
    """The adjustment used for each requested one, and two of its levels.

    These are its largest significant p-value and the level of its adjusted intervals.
    """
    rulers = survey.counting.rulers
    for adjust in among.policies:
        used = survey.adjust(adjust)
        reading = "" if used == "none" else used
        yield used, rulers[reading].p, interval_level(reading, rulers, alpha, survey.step)


def rules(result: Audit, survey: PairAnalysis, where: str | None) -> dict[str, Any]:
    """Return all choices and their results; the last choice varies fastest.

    By level: rank ranges, tiers, and their method. By level and adjustment: the adjustment in use,
    its threshold, and the level of its intervals. By level, power, and adjustment: verdicts of
    adjacent pairs, and sentences.
    """
    among = RuleChoices.of(result, survey)
    readings = readings_of(result)
    levels = list(_at_levels(result, survey, among, where, readings))
    chosen = [x for at_level in levels for x in _chosen(at_level, among, where, readings)]
    used = [
        list(_thresholds(a.survey, among, a.criteria.alpha))
        for a in levels
        if a.survey is not None
    ]
    ranks = {key: np.stack([getattr(a.ranking, key) for a in levels]) for key in _OF_RANKS}
    return {
        "levels": among.levels,
        "powers": among.powers,
        "policies": among.policies,
        "ranking": [a.rank_method for a in levels],
        **{key: pack(values) for key, values in ranks.items()},
        "used": [[policy for policy, _, _ in row] for row in used],
        "threshold": [[p for _, p, _ in row] for row in used],
        "interval": [[level for _, _, level in row] for row in used],
        "code": pack(np.array([codes for codes, _ in chosen], dtype=np.int64)),
        "words": pack_words([words for _, words in chosen]),
    }


_OF_RANKS = ("rank_low", "rank_high", "tier")
