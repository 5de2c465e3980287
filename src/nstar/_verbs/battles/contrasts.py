"""Gaps between all pairs of rated models, and which are significant in the family."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array, BoolArray, IntArray
from nstar._engine.work import WorkerPool
from nstar._verbs.audit.family import ExactFamily
from nstar._verbs.audit.maxt import step_down
from nstar._verbs.battles.question import BattlesQuestion, FamilyBy
from nstar._verbs.board_replay import HOLM_OF_NEWER
from nstar._verbs.verdict import Criteria
from nstar.stats._contrasts import standard_errors
from nstar.stats.confseq import mixture_boundary
from nstar.stats.critical import normal_equivalent
from nstar.stats.mcnemar import P_FLOOR

MOST_MODELS = 300
"""Largest number of models for max-T, some seconds on two processors. Above it, Holm is used."""
FEWEST_GROUPS = 100
"""Smallest number of groups for max-T. With fewer, draws underestimate the errors and Holm is
used. For 25 equal models with votes on 13 prompts, t draws find a difference on 23% of boards,
Holm on 5%."""
GROUPS_PER_MODEL = 5
"""Smallest number of groups per model for max-T."""
LEAST_DF = 2.0
"""Degrees of freedom below which a strength has no usable error, because the variance of t is
infinite."""
_DRAWS = 10_000
_MIN_PAIR_ALPHA = 1e-15
"""Smallest level of a pair."""
_ASIDE = 2_000
"""Number of draws for analyses that are shown for comparison."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GapErrors:
    """Standard errors of strengths and their degrees of freedom."""

    cov: Array
    """Covariance, in squared log odds, (M, M)."""
    df: Array
    """Degrees of freedom of each model, (M,); infinite for independent votes."""
    groups: int | None
    """Number of groups of votes; None for independent votes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Contrasts:
    """Gaps between all pairs of models, and their significance."""

    pairs: IntArray
    """Indices of both models, (P, 2)."""
    gap: Array
    """Strength of the first less that of the second, in log odds, (P,)."""
    se: Array
    """Standard error of each gap, (P,)."""
    df: Array
    """Degrees of freedom of each model, (M,); infinite for independent votes."""
    p: Array
    """p-value of each gap, unadjusted, (P,)."""
    p_adjusted: Array
    """p-value in the family of all pairs, (P,)."""
    threshold: float
    """Largest unadjusted p-value that is significant in the family."""
    method: FamilyBy
    """Multiple-comparison adjustment."""
    level: float
    """Two-sided level of a single interval."""
    why: str | None
    """Why the adjustment differs from the requested one."""
    draws: int | None
    """Number of max-T draws."""
    rule: Criteria
    """Level and power."""

    @property
    def significant(self) -> BoolArray:
        """Return which gaps are significant in the family."""
        return np.asarray(self.p_adjusted <= self.rule.alpha)

    @property
    def test(self) -> stats.StudentTest:
        """Return the test of one pair at its level in the family."""
        return stats.StudentTest(alpha=self.threshold, power=self.rule.power)

    @property
    def fewer(self) -> IntArray:
        """Return, per pair, the model with fewer degrees of freedom, which its gap has, (P,)."""
        i, j = self.pairs.T
        return np.where(self.df[i] <= self.df[j], i, j)

    @property
    def typical_df(self) -> float:
        """Return the degrees of freedom of a typical model."""
        return float(np.median(self.df))

    @property
    def critical(self) -> float:
        """Return the standard errors at which a gap of typical models is significant."""
        return -float(stats.t_quantile(self.threshold / 2, self.typical_df))

    @property
    def half(self) -> Array:
        """Return the half-width of a single interval in standard errors, by model, (M,)."""
        return half_width(self.level, self.df)

    @property
    def reach(self) -> Array:
        """Return the standard errors in a true gap with the target power, by model, (M,)."""
        return np.asarray(self.test.reach(self.df))

    def better(self, models: int) -> BoolArray:
        """Return which model is significantly stronger than which, (M, M)."""
        i, j = self.pairs[self.significant].T
        up = self.gap[self.significant] > 0
        out = np.zeros((models, models), np.bool_)
        out[np.where(up, i, j), np.where(up, j, i)] = True
        return out


def half_width(level: float, df: Array) -> Array:
    """Return the two-sided critical value of t at this level."""
    return -np.asarray(stats.t_quantile(level / 2, df))


def contrasts(
    strengths: Array,
    spread: GapErrors,
    question: BattlesQuestion,
    workers: WorkerPool,
    *,
    votes: int,
    aside: bool = False,
) -> Contrasts:
    """Compare all pairs of models.

    ``aside`` uses fewer draws, for an analysis shown for comparison.

    A gap has the fewer degrees of freedom of its two models. Below two, nothing is significant.
    """
    models, rule, cov, df = len(strengths), question.criteria, spread.cov, spread.df
    pairs = np.stack(np.triu_indices(models, 1), axis=1).astype(np.int64)
    gap = strengths[pairs[:, 0]] - strengths[pairs[:, 1]]
    se = standard_errors(cov, pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(se > 0, gap / se, 0.0)
    unadjusted_test = stats.StudentTest(alpha=rule.alpha, power=rule.power)
    fewer = np.minimum(df[pairs[:, 0]], df[pairs[:, 1]])
    if question.planned is not None:
        return _at_every_look(pairs, (gap, se, fewer), df, question, votes)
    p = np.where(fewer < LEAST_DF, 1.0, unadjusted_test.pvalue(t, fewer))
    reason = _no_draws(models, spread.groups, question)
    common: dict[str, Any] = {
        "pairs": pairs,
        "gap": gap,
        "se": se,
        "df": df,
        "p": p,
        "rule": rule,
        "why": reason,
        "level": rule.alpha,
    }
    if question.adjust == "maxt" and reason is None:
        draws = question.draws or max(_ASIDE if aside else _DRAWS, math.ceil(20 / rule.alpha))
        if spread.groups is not None:
            units = min(spread.groups, 1 + float(np.median(df)))
            cov = stats.shrink_covariance(cov, max(units, 2.0))
        max_t = step_down(
            p, cov, alpha=rule.alpha, draws=draws, seed=question.seed, workers=workers
        )
        return Contrasts(
            p_adjusted=max_t.p,
            threshold=2 * float(special.ndtr(-max_t.critical)),
            method="maxt",
            draws=draws,
            **common,
        )
    threshold = ExactFamily(np.sort(p)).holm(rule.alpha)
    return Contrasts(
        p_adjusted=np.asarray(stats.holm(p)),
        threshold=threshold,
        method="holm",
        draws=None,
        **common,
    )


def anytime_pvalues(
    gap: Array, se: Array, df: Array, question: BattlesQuestion, votes: int, *, among: int = 1
) -> Array:
    """Return p-values of each gap that are valid at every look, adjusted for all gaps.

    A gap with few degrees of freedom is converted to the normal score with the same p-value.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        normal = normal_equivalent(np.where(se > 0, gap / se, 0.0), df) * se
    evidence = stats.asymptotic_log_e(
        np.where(se > 0, normal, gap),
        np.multiply(se, votes**0.5),
        votes,
        tuned_at=question.planned or votes,
        alpha=question.criteria.alpha / among,
    )
    return np.asarray(np.clip(among * np.exp(-evidence), P_FLOOR, 1.0))


def _at_every_look(
    pairs: IntArray,
    gaps: tuple[Array, Array, Array],
    df: Array,
    question: BattlesQuestion,
    votes: int,
) -> Contrasts:
    """Return gaps that are significant at every look, with α divided among all pairs."""
    gap, se, _ = gaps
    rule, family, planned = question.criteria, max(len(pairs), 1), question.planned or votes

    def at_once(level: float) -> float:
        """Level of one look whose critical value is crossed at some look with this level."""
        edge = float(mixture_boundary(votes, tuned_at=planned, alpha=level)) / votes**0.5
        return max(2 * float(special.ndtr(-edge)), _MIN_PAIR_ALPHA)

    return Contrasts(
        pairs=pairs,
        gap=gap,
        se=se,
        df=df,
        p=anytime_pvalues(*gaps, question, votes),
        p_adjusted=anytime_pvalues(*gaps, question, votes, among=family),
        threshold=at_once(rule.alpha / family),
        method="anytime",
        level=at_once(rule.alpha),
        why=None,
        draws=None,
        rule=rule,
    )


def _no_draws(models: int, groups: int | None, question: BattlesQuestion) -> str | None:
    """Return why max-T is not used although it was requested."""
    if question.adjust != "maxt":
        return None
    if models > MOST_MODELS:
        return f"more than {MOST_MODELS} models"
    available = None if question.use_max_t else HOLM_OF_NEWER
    if groups is None:
        return available
    if groups < FEWEST_GROUPS:
        return f"fewer than {FEWEST_GROUPS} groups of votes"
    if groups < GROUPS_PER_MODEL * models:
        return f"fewer than {GROUPS_PER_MODEL} groups of votes per model"
    return available
