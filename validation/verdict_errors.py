"""Verdicts: how often is a word of ``compare`` false?"""

from collections.abc import Iterator
from functools import partial

import numpy as np

from nstar._base.types import Array, JsonScalar
from nstar._verbs.compare import compare_samples
from nstar._verbs.compare.question import CompareQuestion
from nstar._verbs.compare.sample import from_arrays
from nstar._verbs.simulate import SCENARIOS, Scores
from nstar._verbs.simulate.procedures.verdicts import margin_interval
from nstar._verbs.simulate.stream import generator, key
from validation.distributions import ALPHA, LAWS, batches, reps_of
from validation.gates import AGAINST, draw_scores
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)
from validation.tables import rejection_of, tables

GROUP = "Verdicts"
_MARGIN = 0.02
"""How far apart models of graded scores are that must not be called equivalent."""
_WHOLE = "whole losses"
"""The law whose losses are rarest for a gap of the margin."""
_NOISE = 0.01
_RARE = 1e-6
"""Tables that are not looked at, for their small probability; they count as false."""


def _word(n10: int, n01: int, items: int, margin: float | None) -> str:
    """Verdict on two models with these discordant items, half of the rest right."""
    n_both = (items - n10 - n01) // 2
    a, b = np.zeros((2, items))
    a[: n10 + n_both] = 1
    b[n10 : n10 + n_both + n01] = 1
    return _verdict(a, b, CompareQuestion(margin=margin))


def _verdict(a: Array, b: Array, question: CompareQuestion) -> str:
    return compare_samples([from_arrays(a, b)], ("A", "B"), question).tasks[0].verdict


def _weighed(
    items: int, psi: float, delta: float, margin: float | None, words: tuple[str, ...]
) -> list[CellRate]:
    weighted = tables(items, psi, delta)
    is_common = weighted.weight > _RARE
    rate = 1 - float(weighted.weight[is_common].sum())
    for n10, n01, weight in zip(
        weighted.counts.n10[is_common].tolist(),
        weighted.counts.n01[is_common].tolist(),
        weighted.weight[is_common].tolist(),
        strict=True,
    ):
        if _word(n10, n01, items, margin) in words:
            rate += weight
    setting: dict[str, JsonScalar] = {"items": items, "discordant": psi, "gap": delta}
    if margin is not None:
        setting["margin"] = margin
    label = " or ".join(words)
    return [CellRate(procedure=label, setting=setting, rate=rate, promised=ALPHA)]


def _graded(request: ValidationRequest, name: str, items: int) -> list[CellRate]:
    scenario, values = LAWS[name]
    reps, total = request.effort.compared, 0
    for k in range(reps):
        rng = generator(request.seed, key({"compared": name, "items": items}), k)
        sample = SCENARIOS[scenario](rng, 1, items, **values, delta=0.0)
        assert isinstance(sample, Scores)  # noqa: S101 every law is of graded scores
        # only differences matter: the second model scores 0
        word = _verdict(sample.d[0], np.zeros(items), CompareQuestion(seed=k))
        total += word in {"better", "worse"}
    setting: CellSetting = {"items": items, "scores": name}
    return [counted_reading("better or worse", setting, total, reps, promised=ALPHA)]


@CLAIMS.add(
    GROUP,
    "For equal models, `compare` reports “better” or “worse” in at most 5% of evaluations.",
    "at most",
    advice={"": "If few items have a large difference, use 200 items or more."},
)
def significant_words(request: ValidationRequest) -> Iterator[CheckJob]:
    """0/1 scores by weighing every table, graded ones by simulation."""
    for items in (20, 50, 200) if request.effort.full else (20,):
        for psi in (0.04, 0.25, 0.9):
            yield partial(_weighed, items, psi, 0.0, None, ("better", "worse"))
    for name in ("Beta, rho 0.95", "zero-inflated", "skewed"):
        for items in (20, 100) if request.effort.full else (50,):
            yield partial(_graded, request, name, items)


def _whole_losses(rng: np.random.Generator, reps: int, items: int, margin: float) -> Scores:
    """One model loses the whole scale on just enough items, and differs by noise elsewhere."""
    lost = rng.random((reps, items)) < margin
    d = np.where(lost, -1.0, rng.normal(0, _NOISE, (reps, items)))
    return Scores(d=d, truth=-margin)


def _apart(request: ValidationRequest, name: str, items: int, margin: float) -> list[CellRate]:
    """How often a gap of the margin is called equivalent: graded scores, by the interval."""
    total, cell = 0, key({"apart": name, "items": items, "margin": margin})
    for rng, n_reps in batches(request, items, cell):
        if name == _WHOLE:
            sample = _whole_losses(rng, n_reps, items, margin)
        else:
            sample = draw_scores(name, items, -margin, rng, n_reps)
        low, high = margin_interval(sample, 1 - 2 * ALPHA, rng)
        edge = abs(sample.truth)
        total += int(np.count_nonzero((low > -edge) & (high < edge)))
    setting: CellSetting = {"items": items, "scores": AGAINST.get(name, name), "margin": margin}
    reps = reps_of(request, items)
    return [counted_reading("equivalent, graded", setting, total, reps, promised=ALPHA)]


def _resolved(items: int, psi: float) -> list[CellRate]:
    rate = rejection_of("resolved", tables(items, psi, 0.0), ALPHA)
    setting: CellSetting = {"items": items, "discordant": psi}
    return [CellRate(procedure="resolved", setting=setting, rate=rate, promised=ALPHA)]


@CLAIMS.add(
    GROUP,
    "For equal models, a gap is reported as resolved in at most 5% of evaluations.",
    "at most",
    advice={"": "Use 50 items or more."},
)
def resolved_words(request: ValidationRequest) -> Iterator[CheckJob]:
    """0/1 scores by weighing every table; the word asks for more than significance."""
    for items in (10, 20, 50, 200, 1000) if request.effort.full else (20, 200):
        for psi in (0.04, 0.25, 0.9):
            yield partial(_resolved, items, psi)


@CLAIMS.add(
    GROUP,
    (
        "For models that differ by the margin, `compare` reports “equivalent” in at most 5% of "
        "evaluations."
    ),
    "at most",
    advice={
        "equivalent, graded": "If the gap comes from a few items that are lost completely, "
        "the smallest samples may not contain one. Use more items.",
        "": "With few discordant items, the steps of the test are coarse. Use a wider margin "
        "or more items.",
    },
)
def equivalent_words(request: ValidationRequest) -> Iterator[CheckJob]:
    """0/1 scores by weighing every table, graded ones by simulation."""
    full = request.effort.full
    for items in (50, 200) if full else (50,):
        for psi, margin in ((0.1, 0.05), (0.25, 0.1)):
            yield partial(_weighed, items, psi, margin, margin, ("equivalent",))
    for margin in (0.01, 0.05) if full else (0.01,):
        for items in (30, 100, 300, 1000) if full else (30, 300):
            yield partial(_apart, request, _WHOLE, items, margin)
    for name in LAWS if full else ("Beta, rho 0.95", "rare wins"):
        for items in (50, 200, 1000) if full else (200,):
            yield partial(_apart, request, name, items, _MARGIN)
