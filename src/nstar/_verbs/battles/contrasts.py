"""All pairs of rated models at once: which of their gaps are shown, and in what family."""

import math
from typing import Any

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.record import record
from nstar._base.types import Array, BoolArray, FloatLike, IntArray
from nstar._engine.work import WorkerPool
from nstar._verbs.audit.family import ExactFamily
from nstar._verbs.audit.maxt import step_down
from nstar._verbs.battles.question import BattlesQuestion, FamilyBy
from nstar._verbs.verdict import Criteria
from nstar.stats._contrasts import standard_errors

MOST_MODELS = 300
"""Above this, Holm: so many take two processors some seconds."""
FEWEST_GROUPS = 100
"""Below this, Holm: draws know the error of each gap, and so few groups do not. Of 25 equal models
with votes on 13 prompts, t draws tell some pair apart in 23 % of boards, Holm in 5 %."""
_DRAWS = 10_000
_MIN_PAIR_ALPHA = 1e-15
"""Level of a pair before anything can be shown."""
_ASIDE = 2_000
"""Draws for readings that stand beside the answer."""


@record(eq=False)
class Contrasts:
    """Gaps between all pairs of models, and what counts as significant among them."""

    pairs: IntArray
    """Indices of both, (P, 2)."""
    gap: Array
    """Strength of the first less that of the second, in log odds, (P,)."""
    se: Array
    """Standard error, (P,)."""
    df: float
    """Degrees of freedom; infinite for independent votes."""
    p: Array
    """p-value of each alone, (P,)."""
    p_adjusted: Array
    """p-value in the family of all, (P,)."""
    threshold: float
    """Largest p-value of a pair alone that is significant in the family."""
    method: FamilyBy
    """How the family is allowed for."""
    half: float
    """Standard errors on each side of the interval of one number alone."""
    why: str | None
    """Why not as asked."""
    draws: int | None
    """Draws of max-T."""
    rule: Criteria
    """Level and power."""

    @property
    def significant(self) -> BoolArray:
        """Which gaps are shown, in the family."""
        return np.asarray(self.p_adjusted <= self.rule.alpha)

    @property
    def test(self) -> stats.StudentTest:
        """The test of one pair at the level that the family leaves it."""
        return stats.StudentTest(alpha=self.threshold, power=self.rule.power)

    @property
    def critical(self) -> float:
        """Standard errors that a significant gap reaches."""
        return -float(stats.t_quantile(self.threshold / 2, self.df))

    @property
    def reach(self) -> float:
        """Standard errors that a true gap spans if it is found as often as wanted."""
        return float(self.test.reach(self.df))

    def better(self, models: int) -> BoolArray:
        """Which model is shown to be stronger than which, (M, M)."""
        i, j = self.pairs[self.significant].T
        up = self.gap[self.significant] > 0
        out = np.zeros((models, models), np.bool_)
        out[np.where(up, i, j), np.where(up, j, i)] = True
        return out


def contrasts(
    strengths: Array,
    cov: Array,
    df: float,
    ask: BattlesQuestion,
    crew: WorkerPool,
    *,
    votes: int,
    aside: bool = False,
) -> Contrasts:
    """All pairs of models; ``aside`` for a reading that is not the answer, with fewer draws."""
    models, rule = len(strengths), ask.criteria
    pairs = np.stack(np.triu_indices(models, 1), axis=1).astype(np.int64)
    gap = strengths[pairs[:, 0]] - strengths[pairs[:, 1]]
    se = standard_errors(cov, pairs)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(se > 0, gap / se, 0.0)
    alone = stats.StudentTest(alpha=rule.alpha, power=rule.power)
    p = np.asarray(alone.pvalue(t, df))
    if ask.planned is not None:
        return _at_every_look(pairs, gap, se, ask, votes)
    why = _no_draws(models, df, ask)
    common: dict[str, Any] = {
        "pairs": pairs,
        "gap": gap,
        "se": se,
        "df": df,
        "p": p,
        "rule": rule,
        "why": why,
        "half": float(stats.t_quantile(1 - rule.alpha / 2, df)),
    }
    if ask.adjust == "maxt" and why is None:
        draws = ask.draws or max(_ASIDE if aside else _DRAWS, math.ceil(20 / rule.alpha))
        if math.isfinite(df):
            cov = stats.shrink_covariance(cov, df + 1)
        found = step_down(p, cov, alpha=rule.alpha, draws=draws, seed=ask.seed, crew=crew)
        return Contrasts(
            p_adjusted=found.p,
            threshold=2 * float(special.ndtr(-found.critical)),
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
    gap: FloatLike, se: FloatLike, ask: BattlesQuestion, votes: int, *, among: int = 1
) -> Array:
    """p-values that hold at every look, of each gap among so many."""
    evidence = stats.asymptotic_log_e(
        gap,
        np.multiply(se, votes**0.5),
        votes,
        tuned_at=ask.planned or votes,
        alpha=ask.criteria.alpha / among,
    )
    return np.asarray(np.clip(among * np.exp(-evidence), stats.P_FLOOR, 1.0))


def _at_every_look(
    pairs: IntArray, gap: Array, se: Array, ask: BattlesQuestion, votes: int
) -> Contrasts:
    """Gaps that stay shown however often votes are looked at, α shared among all pairs."""
    rule, family, planned = ask.criteria, max(len(pairs), 1), ask.planned or votes

    def edge(level: float) -> float:
        """Standard errors that chance reaches at some look with this probability."""
        return float(stats.mixture_boundary(votes, tuned_at=planned, alpha=level)) / votes**0.5

    return Contrasts(
        pairs=pairs,
        gap=gap,
        se=se,
        df=math.inf,
        p=anytime_pvalues(gap, se, ask, votes),
        p_adjusted=anytime_pvalues(gap, se, ask, votes, among=family),
        threshold=max(2 * float(special.ndtr(-edge(rule.alpha / family))), _MIN_PAIR_ALPHA),
        method="anytime",
        half=edge(rule.alpha),
        why=None,
        draws=None,
        rule=rule,
    )


def _no_draws(models: int, df: float, ask: BattlesQuestion) -> str | None:
    """Why max-T is not used although it was asked for."""
    if ask.adjust != "maxt":
        return None
    if models > MOST_MODELS:
        return f"more than {MOST_MODELS} models"
    return f"fewer than {FEWEST_GROUPS} groups of votes" if df + 1 < FEWEST_GROUPS else None
