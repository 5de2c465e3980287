"""The asymptotic confidence sequence: against the mixture it comes from."""

import json

import mpmath
import numpy as np
import pytest
from scipy import integrate

from nstar.errors import ParameterError
from nstar.stats.confseq import (
    RunningMean,
    asymptotic_log_e,
    asymptotic_sequence,
    mixture_boundary,
    mixture_variance,
)
from nstar.stats.critical import anytime_critical


@pytest.mark.parametrize("tail", ["both", "above", "below"])
@pytest.mark.parametrize("mean", [0.03, -0.05])
def test_e_value_is_the_mixture(tail: str, mean: float) -> None:
    """Likelihood ratios of normal means, mixed over a (half) normal law."""
    n, sd, null = 200, 0.4, 0.01
    tau = float(np.sqrt(mixture_variance(300)))
    total = n * (mean - null) / sd

    def height(effect: float) -> float:
        density = np.exp(-0.5 * (effect / tau) ** 2) / (tau * np.sqrt(2 * np.pi))
        return float(density * np.exp(effect * total - 0.5 * n * effect**2))

    ends = {"both": (-1, 1), "above": (0, 1), "below": (-1, 0)}[tail]
    area = integrate.quad(height, *ends, limit=200, points=[0.0, total / n])[0]
    want = np.log(area * (1 if tail == "both" else 2))
    found = asymptotic_log_e(mean, sd, n, tuned_at=300, null=null, tail=tail)  # type: ignore[arg-type]
    assert found == pytest.approx(want, abs=1e-7)


def test_sequence_excludes_what_the_e_value_rejects() -> None:
    null = np.linspace(-0.1, 0.14, 1001)
    low, high = asymptotic_sequence(0.02, 0.3, 400, tuned_at=600, conf=0.9)
    log_e = asymptotic_log_e(0.02, 0.3, 400, tuned_at=600, null=null, alpha=0.1)
    assert np.array_equal(log_e >= np.log(10), (null <= low) | (null >= high))


def test_boundary_is_lowest_where_it_is_tuned() -> None:
    at = mixture_boundary(500, tuned_at=500, alpha=0.01) / np.sqrt(500)
    assert at == pytest.approx(float(anytime_critical(0.01)), abs=1e-12)
    others = mixture_boundary(500, tuned_at=np.geomspace(50, 5000, 101), alpha=0.01)
    assert (others >= at * np.sqrt(500) - 1e-12).all()


def test_nothing_is_said_too_early_or_without_spread() -> None:
    assert asymptotic_sequence(0.9, 0.1, 29, tuned_at=100) == (-np.inf, np.inf)
    assert asymptotic_sequence(0.0, 0.0, 500, tuned_at=100) == (-np.inf, np.inf)
    assert asymptotic_log_e(0.9, 0.1, 29, tuned_at=100) == 0.0
    assert asymptotic_log_e(0.9, 0.0, 500, tuned_at=100, tail="above") == 0.0
    assert RunningMean().sequence(tuned_at=100) == (-np.inf, np.inf)


def test_running_mean_is_numpys() -> None:
    d = np.random.default_rng(2).normal(0.1, 0.3, 1000)
    state = RunningMean()
    for value in d.tolist():
        state = state.update(value)
    assert (state.n, state.mean, state.sd) == pytest.approx((1000, d.mean(), d.std(ddof=1)))
    want = asymptotic_sequence(d.mean(), d.std(ddof=1), 1000, tuned_at=1000)
    assert state.sequence(tuned_at=1000) == pytest.approx(want, rel=1e-10)
    again = RunningMean.from_dict(json.loads(json.dumps(state.to_dict())))
    assert again.update(0.5) == state.update(0.5)


def test_inputs_are_checked() -> None:
    for bad in ({"sd": -1}, {"n": 0}, {"mean": np.inf}, {"tuned_at": 0}, {"tail": "left"}):
        with pytest.raises(ParameterError):
            asymptotic_log_e(**({"mean": 0.1, "sd": 1, "n": 50, "tuned_at": 90} | bad))
    with pytest.raises(ParameterError, match="difference"):
        RunningMean().update(float("nan"))
    with pytest.raises(ParameterError, match="squares"):
        RunningMean(n=2, squares=-1.0)


@pytest.mark.parametrize(
    "bad",
    [
        {"mean": 0.5, "n": 0, "squares": 0.0},
        {"squares": 0.5, "n": 1},
        {"n": 2.0},
        {"mean": "0"},
        {"squares": [1.0]},
    ],
)
def test_saved_states_are_checked(bad: dict[str, object]) -> None:
    saved = RunningMean(n=2, mean=0.5, squares=0.25).to_dict()
    with pytest.raises(ParameterError, match=next(iter(bad))):
        RunningMean.from_dict(saved | bad)


def test_numpy_items_give_states_that_json_can_hold() -> None:
    state = RunningMean()
    for value in np.array([0.1, 0.2, 0.4], dtype=np.float32):
        state = state.update(value)
    again = RunningMean.from_dict(json.loads(json.dumps(state.to_dict())))
    assert again == state
    assert again.mean == pytest.approx(0.7 / 3, rel=1e-7)


@pytest.mark.parametrize("alpha", [1e-170, 1e-300])
def test_levels_whose_square_underflows(alpha: float) -> None:
    """The boundary at the tuned item, with 40 digits."""
    with mpmath.workdps(40):
        r = -mpmath.lambertw(-(mpmath.mpf(alpha) ** 2) / mpmath.e, -1) - 1
        want = mpmath.sqrt((1 + 1 / r) * (mpmath.log1p(r) - 2 * mpmath.log(alpha)))
    found = mixture_boundary(500, tuned_at=500, alpha=alpha) / np.sqrt(500)
    assert found == pytest.approx(float(want), rel=1e-13)
    assert anytime_critical(alpha) == pytest.approx(float(want), rel=1e-13)
