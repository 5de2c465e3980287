"""Judges with labels: do intervals hold the gap, do equal models stay untold, are plans enough?"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import product
from typing import Any

import numpy as np
from scipy import special

from nstar import stats
from nstar._base.types import Array
from nstar._data.matrix import Grouping, ScoreMatrix
from nstar._verbs.judged import JudgedQuestion, compare_judged
from nstar._verbs.judged.pilot import judged_pilot
from nstar._verbs.simulate.scenarios.judged import judge_table, truth_and_judge
from nstar._verbs.simulate.stream import generator, key
from nstar.errors import DataError
from nstar.stats.judge import LEAST_LABELS
from validation.distributions import ALPHA, CONF, POWER, simulated
from validation.promise import (
    CLAIMS,
    CellRate,
    CellRole,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)

GROUP = "Judges"

_ROLES: dict[str, CellRole] = {
    "judge-labels": "option",
    "judge-regression": "option",
    "judge-alone": "warning",
}
_ICC = 0.2
"""Correlation of the normals behind two items of a cluster."""
_REFUSED = 0.01
"""Share of random choices of labels that may be refused as not random."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeScenario:
    """Two models and a judge of pass and fail with its errors."""

    name: str
    """For people."""
    p_b: float = 0.7
    """Accuracy of the second model."""
    delta: float = 0.0
    """True gap."""
    rho: float = 0.5
    """Correlation of the two over items."""
    miss: float = 0.08
    """Share of right answers that fail."""
    false_pass: float = 0.15
    """Share of the first model's wrong answers that pass."""
    false_pass_b: float = 0.3
    """The same of the second model."""

    @property
    def values(self) -> dict[str, Any]:
        """Parameters of the scenario."""
        names = ("p_b", "delta", "rho", "miss", "false_pass", "false_pass_b")
        return {name: getattr(self, name) for name in names}

    @property
    def errors(self) -> tuple[float, float, float, float]:
        """Misses and false passes of both models."""
        return self.miss, self.false_pass, self.miss, self.false_pass_b

    def at(self, delta: float) -> "JudgeScenario":
        """The same judge with another gap, the mean accuracy of the two kept."""
        p_b = self.p_b + (self.delta - delta) / 2
        return JudgeScenario(**{**self.values, "name": self.name, "delta": delta, "p_b": p_b})

    def known(self) -> tuple[float, float]:
        """True σ of a difference, and its correlation with the judge's."""
        return truth_and_judge(judge_table(self.p_b, self.delta, self.rho, self.errors))

    def drawn(
        self, rng: np.random.Generator, items: int, labels: int, clusters: int | None = None
    ) -> tuple[Array, Array]:
        """Scores by the judge and by people, NaN where nobody labeled, (2, T).

        Item k is in cluster k modulo ``clusters``; items of a cluster resemble each other.
        """
        psi = float(stats.psi_from_rho(self.p_b + self.delta, self.p_b, self.rho))
        p10, p01 = (psi + self.delta) / 2, (psi - self.delta) / 2
        u = rng.random(items)
        if clusters is not None:
            shared = rng.standard_normal(clusters)[np.arange(items) % clusters]
            noise = rng.standard_normal(items)
            u = special.ndtr(_ICC**0.5 * shared + (1 - _ICC) ** 0.5 * noise)
        first = u < self.p_b + self.delta
        second = np.where(first, u >= p10, u > 1 - p01)
        truth = np.array([first, second])
        passes = np.where(truth, 1 - self.miss, [[self.false_pass], [self.false_pass_b]])
        judge = rng.random((2, items)) < passes
        label = np.where(rng.permutation(items) < labels, truth.astype(np.float64), np.nan)
        return judge.astype(np.float64), label


COURTS = (
    JudgeScenario(name="lenient to the second"),
    JudgeScenario(name="lenient to the second", p_b=0.68, delta=0.07),
    JudgeScenario(name="+5 pp reads −2 pp", delta=0.05, miss=0.1, false_pass=0.1),
    JudgeScenario(
        name="the same for both", delta=0.05, miss=0.1, false_pass=0.1, false_pass_b=0.1
    ),
    JudgeScenario(name="useless", delta=0.05, miss=0.5, false_pass=0.5, false_pass_b=0.5),
    JudgeScenario(name="lenient, near the ceiling", p_b=0.94, delta=0.02, rho=0.3),
)
"""Judges of pass and fail; the first two are the grid of the methods page."""

_RIGHT: dict[str, Any] = {"miss": 0.0, "false_pass": 0.0}
NEARLY = JudgeScenario(name="nearly right", delta=0.05, false_pass_b=1 / 15, **_RIGHT)
"""Wrong only on 1 in 15 of the second model's failures, which few labels show."""
PERFECT = JudgeScenario(name="always right", delta=0.05, false_pass_b=0.0, **_RIGHT)
RARE = (
    (NEARLY, 10_000, 50),
    (NEARLY.at(0.0), 5000, 50),
    (NEARLY, 10_000, 200),
    (JudgeScenario(name="nearly right", p_b=0.9, false_pass_b=1 / 15, **_RIGHT), 2000, 100),
    (PERFECT, 10_000, 50),
    (PERFECT, 2000, 100),
)
"""Judges whose errors are too rare for the labels, with items judged and labeled."""


def _holds(
    request: ValidationRequest, court: JudgeScenario, items: int, labels: int
) -> list[CellRate]:
    extra_intervals = ("judge-regression",) if labels < LEAST_LABELS else ()
    return simulated(
        request,
        ("judge", {**court.values, "labels": labels}),
        items,
        setting={"judged": items, "labels": labels, "gap": court.delta, "judge": court.name},
        intervals=("judge-corrected", *extra_intervals, "judge-labels", "judge-alone"),
        promised=CONF,
        roles=_ROLES,
    )


def _graded(request: ValidationRequest, labels: int, delta: float, agree: float) -> list[CellRate]:
    """Five levels, as from a rubric."""
    return simulated(
        request,
        ("judge-graded", {"labels": labels, "delta": delta, "agree": agree}),
        1000,
        setting={"judged": 1000, "labels": labels, "gap": delta, "judge": f"graded, r {agree:g}"},
        intervals=("judge-corrected", "judge-labels", "judge-alone"),
        promised=CONF,
        roles=_ROLES,
    )


def _clustered(
    request: ValidationRequest, labels: int, clusters: int, icc: float
) -> list[CellRate]:
    """Groups declared, and the same as if items were independent, as a warning."""
    judged = 600
    return simulated(
        request,
        ("judge-clusters", {"labels": labels, "clusters": clusters, "icc": icc, "delta": 0.05}),
        judged,
        setting={"judged": judged, "labels": labels, "clusters": clusters, "ICC": icc},
        intervals=("judge-cluster", "judge-corrected"),
        promised=CONF,
        roles={"judge-corrected": "warning"},
    )


def _matrices(
    scores: tuple[Array, Array], clusters: int | None
) -> tuple[ScoreMatrix, ScoreMatrix]:
    """Judge and labels of two models, a and b, with a column of clusters if there are some."""
    items = scores[0].shape[1]
    groups = {}
    if clusters is not None:
        codes = (np.arange(items) % clusters).astype(np.int32)
        groups["cluster"] = Grouping(codes=codes, labels=_names(clusters))
    judge, label = (
        ScoreMatrix.from_means(x, models=("a", "b"), items=_names(items), groups=groups)
        for x in scores
    )
    return judge, label


def _in_full(
    request: ValidationRequest,
    court: JudgeScenario,
    items: int,
    labels: int,
    clusters: int | None = None,
) -> list[CellRate]:
    """``compare`` in full: intervals of the gap and of each model's own mean."""
    question = JudgedQuestion(cluster=None if clusters is None else "cluster")
    truth = (court.p_b + court.delta, court.p_b)
    hits, n_judged = {"gap": 0.0, "one model alone": 0.0}, 0
    cell = key({"full": court.name, "labels": labels, "items": items, "clusters": clusters})
    for k in range(request.effort.compared):
        scores = court.drawn(generator(request.seed, cell, k), items, labels, clusters)
        try:
            comparison = compare_judged(*_matrices(scores, clusters), ("a", "b"), question)
        except DataError:
            continue
        n_judged += 1
        hits["gap"] += bool(comparison.ci.low <= court.delta <= comparison.ci.high)
        for model, rate in zip(comparison.model_estimates, truth, strict=True):
            hits["one model alone"] += bool(model.ci.low <= rate <= model.ci.high) / 2
    setting: CellSetting = {"judged": items, "labels": labels, "errors": court.name}
    if clusters is not None:
        setting = {**setting, "clusters": clusters}
    return [
        CellRate(procedure=name, setting=setting, rate=n / n_judged, promised=CONF, reps=n_judged)
        for name, n in hits.items()
    ]


def _rare(request: ValidationRequest) -> Iterator[CheckJob]:
    """Judges whose errors few labels show."""
    for court, items, labels in RARE:
        yield partial(_holds, request, court, items, labels)
    for court, labels in product((NEARLY, PERFECT), (50, 200)):
        for clusters in (None, 40):
            yield partial(_in_full, request, court, 2000, labels, clusters)


@CLAIMS.add(
    GROUP,
    "If a random sample of items is labeled, a 95% interval of a judged comparison covers the"
    " gap in the labels of all items in at least 95% of evaluations, for any errors of the "
    "judge.",
    "at least",
    advice={
        "judge-cluster": "With few clusters, or labels in few of them, the interval is "
        "slightly too short. Label items of more clusters.",
        "judge-regression": "Below 30 labels, the default does not use the judge.",
        "": "Label 50 items or more. If the models agree on nearly every item, label enough "
        "to observe 20 items on which they differ.",
    },
)
def judge_coverage(request: ValidationRequest) -> Iterator[CheckJob]:
    """Judges of pass and fail, graded ones, clusters; the judge alone as a warning."""
    if not request.effort.full:
        for court in COURTS[1:3]:
            yield partial(_holds, request, court, 2000, 50)
        yield partial(_holds, request, *RARE[0])
        return
    yield from _rare(request)
    for court, labels in product(COURTS, (20, 50, 100, 200)):
        yield partial(_holds, request, court, 2000, labels)
    for items, labels in ((100, 50), (100_000, 200)):
        yield partial(_holds, request, COURTS[1], items, labels)
    for agree, labels in product((0.5, 0.9), (20, 50, 200)):
        yield partial(_graded, request, labels, 0.05, agree)
    for clusters, labels, icc in product((10, 40), (60, 300), (0.02, 0.2)):
        yield partial(_clustered, request, labels, clusters, icc)


@lru_cache(maxsize=4)
def _names(items: int) -> tuple[str, ...]:
    return tuple(map(str, range(items)))


def _compared(
    request: ValidationRequest, court: JudgeScenario, items: int, labels: int
) -> list[CellRate]:
    """``compare`` in full: words, and labels refused although they are random."""
    n_significant = trusted = refused = n_judged = 0
    reps, cell = (
        request.effort.compared,
        key({"court": court.name, "labels": labels, "items": items}),
    )
    for k in range(reps):
        scores = court.drawn(generator(request.seed, cell, k), items, labels)
        try:
            comparison = compare_judged(*_matrices(scores, None), ("a", "b"), JudgedQuestion())
        except DataError as error:
            refused += "look chosen" in str(error)
            continue
        n_judged += 1
        n_significant += comparison.verdict in ("better", "worse")
        trusted += (
            next(x for x in comparison.other_estimates if x.method == "judge").pvalue <= ALPHA
        )
    setting: CellSetting = {"judged": items, "labels": labels, "judge": court.name}
    readings = [
        counted_reading("better or worse", setting, n_significant, reps, promised=ALPHA),
        counted_reading("random labels refused", setting, refused, reps, promised=_REFUSED),
    ]
    judge_alone = CellRate(
        procedure="judge-alone",
        setting=setting,
        rate=trusted / max(n_judged, 1),
        promised=ALPHA,
        reps=n_judged,
        role="warning",
    )
    return [*readings, judge_alone]


@CLAIMS.add(
    GROUP,
    "For equal models, a judged comparison reports “better” or “worse” in at most 5% of "
    "evaluations. It rejects labels of a random sample in at most 1%.",
    "at most",
    advice={"": "Label 50 items or more."},
)
def judge_words(request: ValidationRequest) -> Iterator[CheckJob]:
    """``compare`` on evaluations of equal models; the judge alone as a warning."""
    full = request.effort.full
    kind, same = COURTS[0], COURTS[3].at(0.0)
    for court in (kind, same) if full else (kind,):
        for labels in (20, 50, 200) if full else (50,):
            yield partial(_compared, request, court, 1000, labels)
    if full:
        yield partial(_compared, request, NEARLY.at(0.0), 5000, 50)


def _limit_of_r(
    request: ValidationRequest, court: JudgeScenario, items: int, labels: int
) -> list[CellRate]:
    """The lower limit of a pilot, against the true correlation."""
    above = n_pilots = 0
    cell, r = key({"pilot": court.name, "labels": labels, "items": items}), court.known()[1]
    for k in range(request.effort.compared):
        scores = court.drawn(generator(request.seed, cell, k), items, labels)
        try:
            pilot = judged_pilot(*_matrices(scores, None), ("a", "b"))
        except DataError:
            continue
        n_pilots += 1
        above += bool(pilot.r_ci.low > r)
    setting: CellSetting = {"judged": items, "labels": labels, "judge": court.name}
    return [counted_reading("limit above r", setting, above, n_pilots, promised=ALPHA / 2)]


@CLAIMS.add(
    GROUP,
    "The true correlation of judge and labels is below the lower limit from a pilot in at most "
    "2.5% of pilots. Plans use this limit.",
    "at most",
    advice={"": "Label 100 items or more."},
)
def judge_pilots(request: ValidationRequest) -> Iterator[CheckJob]:
    """Judges with many errors and with few."""
    full = request.effort.full
    for court in (COURTS[3], NEARLY.at(0.0)) if full else (NEARLY.at(0.0),):
        for labels in (50, 200) if full else (50,):
            yield partial(_limit_of_r, request, court, 1000, labels)


def _planned(
    request: ValidationRequest, court: JudgeScenario, items: int, labels: int, procedure: str
) -> CellRate:
    sigma, r = court.known()
    reading = simulated(
        request,
        ("judge", {**court.values, "labels": labels}),
        items,
        setting={
            "judged": items,
            "labels": labels,
            "gap": round(court.delta, 4),
            "r": round(r, 2),
            "sigma": round(sigma, 2),
        },
        tests=("judge-corrected",),
        promised=POWER,
    )[0]
    return CellRate(
        procedure=procedure,
        setting=reading.setting,
        rate=reading.rate,
        promised=POWER,
        reps=reading.reps,
    )


def _labels_asked(request: ValidationRequest, court: JudgeScenario, items: int) -> list[CellRate]:
    """As many labels as a plan asks for, with the true σ and r."""
    sigma, r = court.known()
    labels = stats.labels_needed(court.delta, sigma=sigma, r=r, judged=items, departure=1)
    if not np.isfinite(labels):
        return []
    return [_planned(request, court, items, int(labels), "labels that are asked for")]


def _gap_told(
    request: ValidationRequest, court: JudgeScenario, items: int, labels: int
) -> list[CellRate]:
    """A gap of the smallest size that is said to be detectable."""
    for _ in range(30):
        sigma, r = court.known()
        gap = stats.judge_mde(labels, judged=items, sigma=sigma, r=r, departure=1)
        court = court.at(float(gap))
    return [_planned(request, court, items, labels, "gap that is called detectable")]


@CLAIMS.add(
    GROUP,
    "If a judge has scored all items, the planned number of labels and the reported MDE give "
    "a power of at least 80%.",
    "at least",
    advice={"": "Add 5% of the labels."},
)
def label_plan(request: ValidationRequest) -> Iterator[CheckJob]:
    """Judges of pass and fail, with their true correlation on differences."""
    full = request.effort.full
    for court in COURTS[1:5] if full else COURTS[1:2]:
        for delta in (0.05, 0.1, 0.2) if full else (0.1,):
            for items in (2000, 20_000) if full else (2000,):
                yield partial(_labels_asked, request, court.at(delta), items)
    for court in COURTS[1:5] if full else COURTS[1:2]:
        for labels in (30, 50, 100, 400) if full else (100,):
            yield partial(_gap_told, request, court, 2000, labels)
