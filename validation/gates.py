"""Gates: how often is a REGRESSION a false alarm, and how often is a PASS undeserved?"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from nstar._base.types import BoolArray
from nstar._verbs.gate import chances
from nstar._verbs.simulate import SCENARIOS, Scores
from nstar._verbs.simulate.procedures.graded import sign_flip
from nstar._verbs.simulate.procedures.verdicts import default_interval, margin_interval
from nstar._verbs.simulate.stream import key
from validation.distributions import ALPHA, LAWS, batches, reps_of
from validation.promise import (
    CLAIMS,
    CellRate,
    CellSetting,
    CheckJob,
    ValidationRequest,
    counted_reading,
)

GROUP = "Gates"
_MARGIN = 0.02
"""How much worse a candidate of graded scores is that must not pass."""
_NARROW = 0.001
"""Margin of gates that must not raise an alarm: a wide one lets equal models pass anyway."""
AGAINST = {"skewed": "skewed, large losses", "rare wins": "rare losses"}
"""Laws that are turned round for a PASS: rare large losses are what looks harmless."""


def passes(sample: Scores, margin: float, _rng: np.random.Generator) -> BoolArray:
    """Evaluations that a gate of graded scores lets pass: one task, one look, none missing."""
    low, _ = margin_interval(sample, 1 - 2 * ALPHA, _rng)
    return np.asarray(low > -margin)


def regressions(sample: Scores, margin: float, rng: np.random.Generator) -> BoolArray:
    """Evaluations that it calls a regression: shown to be worse, not shown to be within."""
    _, high = default_interval(sample, 1 - 2 * ALPHA, rng)
    out = (high < 0) & ~passes(sample, margin, rng) & (sample.mean < 0)
    if out.any():
        out[out] = sign_flip(replace(sample, d=sample.d[out]), 2 * ALPHA, rng)
    return np.asarray(out)


def draw_scores(name: str, items: int, gap: float, rng: np.random.Generator, reps: int) -> Scores:
    """Evaluations with a gap, of scores in [0, 1] unless the law has no limits."""
    scenario, values = LAWS[name]
    turned = gap < 0 and name in AGAINST
    sample = SCENARIOS[scenario](rng, reps, items, **values, delta=-gap if turned else gap)
    assert isinstance(sample, Scores)  # noqa: S101 every law is of graded scores
    if turned:
        sample = replace(sample, d=-sample.d, truth=-sample.truth)
    return sample if name == "heavy tails" else replace(sample, limits=(0.0, 1.0))


def _graded(
    request: ValidationRequest,
    name: str,
    items: int,
    procedure: Callable[[Scores, float, np.random.Generator], BoolArray],
    gap: float,
) -> list[CellRate]:
    total, margin = 0, _NARROW
    for rng, n_reps in batches(request, items, key({"gate": name, "items": items, "gap": gap})):
        sample = draw_scores(name, items, gap, rng, n_reps)
        margin = -sample.truth if gap < 0 else _NARROW
        total += int(np.count_nonzero(procedure(sample, margin, rng)))
    word = "PASS" if procedure is passes else "REGRESSION"
    law = AGAINST.get(name, name) if gap < 0 else name
    setting: CellSetting = {"items": items, "scores": law, "margin": round(margin, 6)}
    return [
        counted_reading(f"{word}, graded", setting, total, reps_of(request, items), promised=ALPHA)
    ]


def _counted(items: int, psi: float, margin: float, gap: float) -> list[CellRate]:
    at = chances(items, psi=psi, delta=gap, margin=margin, alpha=ALPHA)
    setting: CellSetting = {"items": items, "discordant": psi, "margin": margin}
    word, rate = (
        ("PASS", at.pass_probability) if gap < 0 else ("REGRESSION", at.regression_probability)
    )
    return [CellRate(procedure=f"{word}, 0/1", setting=setting, rate=rate, promised=ALPHA)]


def _tables(request: ValidationRequest) -> Iterator[tuple[int, float, float]]:
    """Items, discordance and margins of the cells that are enumerated."""
    for items in (50, 200, 1000, 3000) if request.effort.full else (100, 1000):
        for psi in (0.05, 0.2, 0.5):
            for margin in (0.01, 0.02, 0.05, 0.1):
                if margin <= psi:
                    yield items, psi, margin


def _laws(request: ValidationRequest) -> Iterator[tuple[str, int]]:
    names = list(LAWS) if request.effort.full else ["Beta, rho 0.95", "rare wins"]
    for items in (50, 200, 1000) if request.effort.full else (200,):
        for name in names:
            yield name, items


@CLAIMS.add(
    GROUP,
    "For equal models, a gate reports REGRESSION in at most 5% of evaluations.",
    "at most",
    advice={
        "REGRESSION, graded": "If few items have a large difference (rare wins, a long tail "
        "on one side), additional items help slowly. Use a sequential "
        "gate, which is valid for any distribution of scores in [0, 1].",
    },
)
def gate_alarms(request: ValidationRequest) -> Iterator[CheckJob]:
    """0/1 scores by enumeration, graded ones by simulation."""
    for items, psi, margin in _tables(request):
        yield partial(_counted, items, psi, margin, 0.0)
    for name, items in _laws(request):
        yield partial(_graded, request, name, items, regressions, 0.0)


@CLAIMS.add(
    GROUP,
    "A candidate that is worse by the margin gets a PASS in at most 5% of evaluations.",
    "at most",
    advice={
        "PASS, 0/1": "If few disagreements are expected, or the candidate can win no item, "
        "the steps of Tango's test are coarse. Use more items or a sequential "
        "gate.",
    },
)
def gate_passes(request: ValidationRequest) -> Iterator[CheckJob]:
    """0/1 scores by enumeration, graded ones by simulation."""
    for items, psi, margin in _tables(request):
        yield partial(_counted, items, psi, margin, -margin)
    for name, items in _laws(request):
        yield partial(_graded, request, name, items, passes, -_MARGIN)
