"""Labels of several models: drawn where the judge sees a difference, and planned for families."""

from collections.abc import Iterator
from functools import lru_cache, partial

import numpy as np
from scipy import special

from nstar._base.types import Array
from nstar._data.matrix import LABEL_WEIGHT, Grouping, ScoreMatrix
from nstar._engine.work import Execution
from nstar._verbs.audit import audit_board
from nstar._verbs.audit.question import AuditQuestion
from nstar._verbs.judged import JudgedQuestion, compare_judged, corrected_matrix
from nstar._verbs.judged.draw import draw_labels
from nstar._verbs.judged.plan import plan_labels
from nstar._verbs.plan import Design, Graded
from nstar._verbs.plan.design import BoardGoal
from nstar._verbs.simulate.stream import generator, key
from nstar.errors import DataError
from nstar.stats.judge import departure_variance, judge_scores
from validation.distributions import ALPHA, CONF, POWER
from validation.judges import GROUP
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)

_RHO = 0.5
"""Correlation of the normals behind two models' answers to an item."""
_MOST_COMPARED, _MOST_BOARDS = 300, 300
"""Most evaluations of a cell, which each draw labels anew."""
_DRAWS = 999


@lru_cache(maxsize=4)
def _names(items: int) -> tuple[str, ...]:
    return tuple(map(str, range(items)))


def _scored(
    rng: np.random.Generator, rates: tuple[float, ...], errors: tuple[float, ...], items: int
) -> tuple[Array, Array]:
    """Right answers, and those that a judge passes that errs at these rates, (M, T)."""
    noise = rng.standard_normal((len(rates) + 1, items))
    z = _RHO**0.5 * noise[0] + (1 - _RHO) ** 0.5 * noise[1:]
    right = (z < special.ndtri(np.array(rates))[:, None]).astype(np.float64)
    errs = rng.random(right.shape) < np.array(errors)[:, None]
    return right, np.where(errs, 1 - right, right)


def _labeled(
    rng: np.random.Generator, right: Array, judged: Array, labels: int, *, strata: bool
) -> tuple[ScoreMatrix, ScoreMatrix]:
    """Judge and labels, of which so many are drawn by strata or at random."""
    models, items = tuple(f"m{k}" for k in range(len(right))), _names(right.shape[1])

    def matrix(scores: Array, groups: dict[str, Grouping]) -> ScoreMatrix:
        return ScoreMatrix.from_means(scores, models=models, items=items, groups=groups)

    if not strata:
        known = rng.permutation(right.shape[1]) < labels
        return matrix(judged, {}), matrix(np.where(known, right, np.nan), {})
    nothing = matrix(np.full_like(right, np.nan), {})
    seed = int(rng.integers(2**31))
    draw = draw_labels(matrix(judged, {}), nothing, models, labels, seed=seed)
    weights = Grouping.from_labels([repr(row.label_weight) for row in draw.items])
    known = np.array([row.is_drawn for row in draw.items])
    return matrix(judged, {LABEL_WEIGHT: weights}), matrix(np.where(known, right, np.nan), {})


def _compared(
    request: ValidationRequest,
    rates: tuple[float, float],
    errors: tuple[float, float],
    items: int,
    labels: int,
) -> list[CellRate]:
    """``compare judged`` with labels by strata, at these accuracies."""
    setting: CellSetting = {
        "judged": items,
        "labels": labels,
        "accuracies": f"{rates[0]:g}, {rates[1]:g}",
        "judge errs": f"{errors[0]:g}, {errors[1]:g}",
    }
    covered, reps = 0, min(request.effort.compared, _MOST_COMPARED)
    for k in range(reps):
        rng = generator(request.seed, key({"drawn": setting}), k)
        matrices = _labeled(rng, *_scored(rng, rates, errors, items), labels, strata=True)
        try:
            ci = compare_judged(*matrices, ("m0", "m1"), JudgedQuestion()).ci
        except DataError:  # one draw in a thousand does not look random, and counts as a miss
            continue
        covered += bool(ci.low <= rates[0] - rates[1] <= ci.high)
    return [counted_reading("interval of the gap", setting, covered, reps, promised=CONF)]


@CLAIMS.add(
    GROUP,
    "If labels are drawn more often where the judge sees a difference between two models, a 95% "
    "interval of a judged comparison covers the gap in at least 95% of evaluations.",
    "at least",
)
def drawn_labels(request: ValidationRequest) -> Iterator[CheckJob]:
    """Judges that err on 2–30% of the answers, of one model or of both."""
    if not request.effort.full:
        yield partial(_compared, request, (0.75, 0.7), (0.1, 0.1), 2000, 100)
        return
    for errors in ((0.08, 0.08), (0.05, 0.3), (0.3, 0.3)):
        for labels in (50, 200):
            yield partial(_compared, request, (0.75, 0.7), errors, 2000, labels)
    for errors in ((0.02, 0.02), (0.0, 0.02), (0.1, 0.2)):
        for labels in (50, 200):
            yield partial(_compared, request, (0.92, 0.9), errors, 2000, labels)
    yield partial(_compared, request, (0.7, 0.7), (0.1, 0.2), 10_000, 300)


def _family(
    request: ValidationRequest, models: int, error: float, labels: int, *, strata: bool
) -> list[CellRate]:
    """An audit of equal models, which a judge favors unequally."""
    setting: CellSetting = {
        "models": models,
        "judged": 2000,
        "labels": labels,
        "judge errs": f"{error:g}, of the last model {2 * error:g}",
        "labels drawn": "by strata" if strata else "at random",
    }
    false, reps = 0, min(request.effort.boards, _MOST_BOARDS)
    errors = (error,) * (models - 1) + (2 * error,)
    for k in range(reps):
        rng = generator(request.seed, key({"label board": setting}), k)
        scores = _scored(rng, (0.75,) * models, errors, 2000)
        try:
            matrix, _ = corrected_matrix(*_labeled(rng, *scores, labels, strata=strata))
        except DataError:  # as above
            false += 1
            continue
        question = AuditQuestion(draws=_DRAWS, seed=k)
        audit = audit_board([matrix], question, Execution(workers=1))
        false += audit.verdict_counts["significant"] > 0
    return [counted_reading("any gap significant", setting, false, reps, promised=ALPHA)]


@CLAIMS.add(
    GROUP,
    "An audit of equal models that a judge scores, corrected by labels, makes a false statement "
    "in at most 5% of leaderboards, if labels are drawn at random or by strata.",
    "at most",
)
def label_boards(request: ValidationRequest) -> Iterator[CheckJob]:
    """Boards of 5 and of 10 models, with few labels and with more."""
    if not request.effort.full:
        yield partial(_family, request, 5, 0.1, 200, strata=True)
        return
    for strata in (True, False):
        for models, labels in ((5, 60), (5, 200), (10, 200)):
            yield partial(_family, request, models, 0.1, labels, strata=strata)
    yield partial(_family, request, 5, 0.02, 200, strata=True)


def _planned(
    request: ValidationRequest, models: int, goal: BoardGoal, items: int, gap: float
) -> list[CellRate]:
    """The planned labels for several models, with normal scores of a known correlation."""
    sigma, r = 0.55, 0.65
    design = Design(noise=Graded(sd=sigma, width=1.0), models=models, goal=goal)
    plan = plan_labels(design, judge_r=r, judged=items, delta=gap)
    labels = int(plan.n_star or 0)
    setting: CellSetting = {
        "models": models,
        "goal": goal,
        "judged": items,
        "labels": labels,
        "gap": gap,
    }
    unseen = float(departure_variance(labels, judged=items, departure=0.5))
    critical = 0.0 if goal == "best" else design.critical_value(plan.criteria)
    hits, reps = 0, min(request.effort.compared, _MOST_COMPARED)
    for k in range(reps):
        rng = generator(request.seed, key({"label plan": setting}), k)
        y, noise = sigma / 2**0.5 * rng.standard_normal((2, models, items))
        judged = r * y + (1 - r * r) ** 0.5 * noise
        y[0] += gap
        label = np.where(np.arange(items) < labels, y, np.nan)
        scores = judge_scores(label, judged).scores
        leads = scores[0] - scores[1:]
        error = np.sqrt(leads.var(axis=1, ddof=1) / items + unseen)
        t = leads.mean(axis=1) / error
        hits += bool((t > 0).all() if goal == "best" else t[0] > critical)
    name = "best model picked" if goal == "best" else "gap of a given pair significant"
    promised = CONF if goal == "best" else POWER
    return [counted_reading(name, setting, hits, reps, promised=promised)]


@CLAIMS.add(
    GROUP,
    "The planned number of labels for several models gives each pair of the family a power of at "
    "least 80%, or picks the best model with a probability of at least 95%.",
    "at least",
)
def label_families(request: ValidationRequest) -> Iterator[CheckJob]:
    """All pairs (Tukey), comparisons with a control (Dunnett), and the best model (Bechhofer)."""
    goals: tuple[BoardGoal, ...] = ("all-pairs", "control", "best")
    for goal in goals:
        for models in (5, 10) if request.effort.full else (5,):
            yield partial(_planned, request, models, goal, 4000, 0.06)
