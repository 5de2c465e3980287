"""Draws of max-T by any crew: bit for bit those of the kernel."""

import pickle
from typing import TypeVar

import numpy as np
import pytest

from nstar import stats
from nstar._base.types import Array
from nstar._engine.work import ThreadWorkers, Where, open_workers
from nstar._verbs.audit import maxt as draws_module
from nstar._verbs.audit.maxt import _maxima, chance, normal_scores, step_down
from nstar.stats._contrasts import NormalNull, batches, root, standard_errors, starts
from nstar.stats._step_down import NullExceedances, StepFamily

DRAWS, SEED = 5000, 11

T = TypeVar("T")


def board(models: int = 24) -> tuple[Array, Array]:
    """Covariance of means, and p-values of all pairs."""
    rng = np.random.default_rng(2)
    x = rng.random((models, 300)) < np.linspace(0.4, 0.6, models)[:, None]
    cov = np.cov(x) / 300
    first, second = np.triu_indices(models, 1)
    gap = x.mean(axis=1)[first] - x.mean(axis=1)[second]
    se = standard_errors(cov, np.stack([first, second], axis=1))
    return cov, np.asarray(stats.t_pvalue(gap, se * np.sqrt(300), 300))


def test_a_batch_is_a_function_of_its_start() -> None:
    cov, _ = board()
    half, every = root(cov), list(batches(cov, DRAWS, None, SEED))
    places = list(starts(len(cov), DRAWS, SEED))
    assert len(places) == len(every) == 5
    for want, place in reversed(list(zip(every, places, strict=True))):
        sent = pickle.loads(pickle.dumps(place))  # noqa: S301 our own
        assert len(pickle.dumps(place)) < 1000
        for again in (place, place, sent):
            assert (again.draw(half) == want).all()


def by_kernel(cov: Array, p: Array) -> stats.MaxT:
    scores = normal_scores(p)
    return stats.max_t(np.zeros(len(cov)), cov, scores=scores, draws=DRAWS, rng=SEED)


def test_chance_is_that_of_the_kernel_by_any_number_of_threads() -> None:
    cov, p = board()
    want = by_kernel(cov, p)
    family = StepFamily.of(
        np.zeros(len(cov)), cov, want.pairs, scores=want.t, alpha=0.05, draws=DRAWS
    )
    for width in (1, 4):
        found = chance(
            NormalNull(cov), family.ladder, draws=DRAWS, seed=SEED, workers=ThreadWorkers(width)
        )
        single, step = family.reached(found)
        assert ((single + 1) / (DRAWS + 1) == want.p_single).all()
        assert ((step + 1) / (DRAWS + 1) == want.p_step).all()
        assert family.critical(found) == want.critical
        largest = _maxima(
            NormalNull(cov),
            [(want.pairs[:50], family.ladder.scale[:50])],
            draws=DRAWS,
            seed=SEED,
            workers=ThreadWorkers(width),
        )
        assert largest.shape == (1, DRAWS)


def test_step_down_is_the_same_by_any_executor(
    crew: Where, monkeypatch: pytest.MonkeyPatch
) -> None:
    cov, p = board()
    want = step_down(p, cov, alpha=0.05, draws=DRAWS, seed=SEED)
    monkeypatch.setattr(draws_module, "_MIN_GRAINS_TO_DISTRIBUTE", 0.0)
    monkeypatch.setattr(
        draws_module, "_SECONDS_PER_PAIR_DRAW", 2e-6
    )  # so that a job is two batches
    with open_workers(crew) as workers:
        found = step_down(p, cov, alpha=0.05, draws=DRAWS, seed=SEED, workers=workers)
    assert (found.p == want.p).all()
    assert found.critical == want.critical


def test_a_little_work_stays_here(monkeypatch: pytest.MonkeyPatch) -> None:
    class Far(ThreadWorkers):
        grain = 1.0

        def share(self, value: T) -> T:
            msg = f"sent away: {value!r}"
            raise AssertionError(msg)

    cov, p = board()
    step_down(p, cov, alpha=0.05, draws=DRAWS, seed=SEED, workers=Far(2))
    monkeypatch.setattr(draws_module, "_MIN_GRAINS_TO_DISTRIBUTE", 0.0)
    with pytest.raises(AssertionError, match="sent away"):
        step_down(p, cov, alpha=0.05, draws=DRAWS, seed=SEED, workers=Far(2))


def test_chances_add_in_any_grouping() -> None:
    cov, p = board(6)
    family = StepFamily.of(
        np.zeros(6),
        cov,
        np.stack(np.triu_indices(6, 1), axis=1),
        scores=normal_scores(p),
        alpha=0.05,
        draws=3000,
    )
    parts = [NullExceedances.of(z, family.ladder) for z in batches(cov, 3000, None, 3)]
    a, b, c = parts
    for whole in (a + b + c, a + (b + c), c + a + b):
        assert (whole.hits == (a + b + c).hits).all()
        assert family.critical(whole) == family.critical(a + b + c)
    nothing = NullExceedances.none(family.ladder) + a
    assert (nothing.hits == a.hits).all()
    assert (nothing.maxima == a.maxima).all()
