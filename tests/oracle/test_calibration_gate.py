"""How often a gate is wrong: exactly at one look, by simulation where looks or nights are many."""

import numpy as np
import pytest
from scipy import special

from nstar import ScoreMatrix, gate, stats
from nstar._base.types import Array
from nstar._verbs.gate import History, LogEValues, RecordedEvaluation, chances

ALPHA = 0.05


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n", [50, 100, 300, 1000, 3000])
@pytest.mark.parametrize("psi", [0.05, 0.1, 0.2, 0.4, 0.7])
def test_one_look_keeps_its_level(n: int, psi: float) -> None:
    """Exact. A false PASS exceeds 5% a little where few disagreements are expected, or no win."""
    for margin in (0.01, 0.02, 0.05, 0.1):
        assert chances(n, psi=psi, delta=0.0, margin=margin).regression_probability <= ALPHA
        if margin <= psi:
            usual = n * psi >= 20 and margin < psi
            limit = 0.053 if usual else 0.058
            assert chances(n, psi=psi, delta=-margin, margin=margin).pass_probability <= limit


def streams(rng: np.random.Generator, psi: float, delta: float, shape: tuple[int, int]) -> Array:
    """Differences of 0/1 scores: 1, 0, -1."""
    u = rng.random(shape)
    won, lost = (psi + delta) / 2, (psi - delta) / 2
    return np.where(u < won, 1.0, np.where(u < won + lost, -1.0, 0.0))


@pytest.mark.parametrize(("delta", "null"), [(0.0, "worse"), (-0.05, "within")])
def test_looking_all_the_time_keeps_the_level(delta: float, null: str) -> None:
    d = streams(np.random.default_rng(7), 0.2, delta, (1000, 400))
    looks = np.arange(9, 400, 10)
    wins, losses = (np.cumsum(d == way, axis=1)[:, looks] for way in (1, -1))
    a = float(stats.tuned_beta(0.2 * 400))
    at, tail = (0.0, "below") if null == "worse" else (-0.05, "above")
    log_e = stats.gap_log_e(wins, losses, looks + 1, null=at, a=a, tail=tail)  # type: ignore[arg-type]
    assert (log_e.max(axis=1) >= np.log(1 / ALPHA)).mean() <= ALPHA
    if null == "worse":
        naive = stats.mcnemar_pvalue(wins, losses) / 2 <= ALPHA
        assert (naive & (wins < losses)).any(axis=1).mean() == pytest.approx(0.22, abs=0.04)


def test_nights_on_the_same_items_keep_the_level() -> None:
    """Items that favor one model do so every night, so nights go together."""
    rng = np.random.default_rng(1)
    histories, nights, items = 1000, 6, 400
    edge = rng.choice([-0.25, 0.25], (histories, 1, items))
    a = rng.random((histories, nights, items)) < 0.5 + edge
    b = rng.random((histories, nights, items)) < 0.5 - edge
    wins, losses = (a & ~b).sum(axis=2), (b & ~a).sum(axis=2)
    mixture = float(stats.tuned_beta(0.2 * items))
    log_e = stats.gap_log_e(wins, losses, items, null=0.0, a=mixture, tail="below")
    k = np.arange(1, nights + 1)
    total = special.logsumexp(log_e - np.log(k * (k + 1.0)), axis=1)
    one = History(
        nights=tuple(
            RecordedEvaluation(log_e=(LogEValues(None, float(e), 0.0),), scores=str(j), items=None)
            for j, e in enumerate(log_e[0])
        )
    )
    assert one.gathered()[0].worse == pytest.approx(total[0])
    assert (total >= np.log(1 / ALPHA)).mean() <= ALPHA
    each = (stats.mcnemar_pvalue(wins, losses) / 2 <= ALPHA) & (wins < losses)
    assert each.any(axis=1).mean() == pytest.approx(0.20, abs=0.04)


@pytest.mark.slow
def test_family_of_tasks_keeps_the_level() -> None:
    rng = np.random.default_rng(3)
    answers = []
    for _ in range(1000):
        tasks = []
        for task in range(4):
            d = streams(rng, 0.2, 0.0, (1, 300))[0]
            scores = np.stack([d == 1, d == -1]).astype(float)
            tasks.append(ScoreMatrix.from_arrays(scores, models=["a", "b"], task=f"t{task}"))
        answers.append(gate(tasks, margin=0.01, a="a", b="b").verdict)
    assert answers.count("regression") <= 65  # 50 expected at most; sd 7
