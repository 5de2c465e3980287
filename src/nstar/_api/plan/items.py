"""Plans of items: the design that the words stand for, and the verb that solves it."""

from typing import TYPE_CHECKING, TypeAlias

from nstar._api.plan.question import PlanQuestion

if TYPE_CHECKING:
    from nstar._verbs.plan import Design, Noise, Plan

Rhos: TypeAlias = tuple[float, ...] | None
"""Correlations of the table; None for the usual ones."""


def _rho(question: PlanQuestion) -> tuple[float, Rhos, str]:
    """Headline rho, the rhos of the table, and where it comes from."""
    from nstar._base import checks
    from nstar._verbs.benchmarks import BENCHMARKS, TYPICAL

    given = question.rhos
    if given:
        return given[0], given if len(given) > 1 else None, "given"
    if question.benchmark is not None:
        checks.choice("benchmark", question.benchmark.lower(), tuple(BENCHMARKS))
        t = BENCHMARKS[question.benchmark.lower()]
        source = f"mean for {t.name}, quartiles {t.low:g} and {t.high:g}, {t.source}"
        return t.mean, (t.low, t.mean, t.high), source
    return TYPICAL.mean, None, "assumed; published means run from 0.41 to 0.69"


def _check_psi(question: PlanQuestion) -> None:
    """With a baseline too, psi must be possible beside it."""
    if question.baseline is not None and question.psi is not None:
        from nstar.stats import rho_from_psi

        gap = (*question.deltas, 0.0)[0]
        rho_from_psi(question.baseline + gap, question.baseline, question.psi)


def _noise(question: PlanQuestion) -> "tuple[Noise, Rhos, str]":
    """How noisy one comparison is, the rhos of the table, and where the figure comes from."""
    from nstar._verbs.plan import Graded, PairedPsi, PairedRho, Unpaired

    q = question
    low, high = q.score_range or (0.0, 1.0)
    if q.sd_diff is not None:
        return Graded(sd=q.sd_diff, width=float(high - low)), None, "given"
    if q.psi is not None:
        _check_psi(q)
        return PairedPsi(psi=q.psi), None, "given"
    if q.sd is not None:
        rho, rhos, source = _rho(q)
        return Graded(sd=q.sd, rho=rho, width=float(high - low)), rhos, source
    if q.baseline is None:
        raise AssertionError
    if q.unpaired:
        return Unpaired(baseline=q.baseline), None, "given"
    rho, rhos, source = _rho(q)
    return PairedRho(baseline=q.baseline, rho=rho), rhos, source


def plan_design(question: PlanQuestion) -> "tuple[Design | Noise, Rhos]":
    """Noise, family and clusters, and the rhos of the table."""
    from nstar._verbs.plan import Design

    q = question
    if q.design is not None:
        return q.design, None
    noise, rhos, source = _noise(q)
    design = Design(
        noise=noise,
        icc=q.icc or 0.0,
        cluster_size=q.cluster_size,
        clusters=q.clusters,
        loss=q.loss or "cluster",
        source=source,
    )
    return design, rhos


def _delta(question: PlanQuestion) -> float | None:
    """Gap of the headline."""
    if question.odds_ratio is not None and question.psi is not None:
        from nstar.stats import delta_from_odds_ratio

        return float(delta_from_odds_ratio(question.odds_ratio, question.psi))
    return question.deltas[0] if question.deltas else None


def plan_items(question: PlanQuestion, *, alone: bool = False) -> "Plan":
    """Items that each model answers once, for a gap, a margin or an interval.

    With ``alone`` a plan for a gap has neither alternatives nor a curve.
    """
    from nstar._verbs.plan import plan, plan_margin, plan_precision
    from nstar._verbs.plan.solve import RHO_GRID

    q, criteria = question, question.criteria
    design, rhos = plan_design(q)
    delta = _delta(q)
    if q.half_width is not None:
        return plan_precision(design, half_width=q.half_width, items=q.size, criteria=criteria)
    if q.margin is not None:
        return plan_margin(
            design,
            margin=q.margin,
            delta=delta or 0.0,
            items=q.size,
            one_sided=q.non_inferiority,
            criteria=criteria,
        )
    return plan(
        design,
        delta=delta,
        items=q.size,
        criteria=criteria,
        rhos=RHO_GRID if rhos is None else rhos,
        deltas=q.deltas if len(q.deltas) > 1 else (),
        alone=alone,
    )
