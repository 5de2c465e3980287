"""Special functions of a page: nearly all digits of a double, deep tails included."""

import itertools
import math
from typing import TYPE_CHECKING, Any

import mpmath
import numpy as np
from scipy import special

from nstar import stats
from nstar.stats.mcnemar import McNemarMethod

if TYPE_CHECKING:
    from playwright.sync_api import Page

CALLS = "(calls) => calls.map(([name, ...values]) => nstar[name](...values))"


def agree(script: "Page", calls: list[tuple[Any, ...]], expected: list[Any], rel: float) -> None:
    found = script.evaluate(CALLS, [list(call) for call in calls])
    for call, x, y in zip(calls, found, expected, strict=True):
        assert abs(mpmath.mpf(x) - y) <= rel * abs(mpmath.mpf(y)), (call, x, float(y))


def test_the_normal_distribution(script: "Page") -> None:
    x = [*np.linspace(-37.5, 8, 300).tolist(), -2.0, 2.0, 0.0, 1e-9]
    with mpmath.workdps(40):
        exact = [mpmath.ncdf(mpmath.mpf(v)) for v in x]
        agree(script, [("ndtr", v) for v in x], exact, 3e-14)
    p = [*np.logspace(-307.6, -0.01, 300).tolist(), 0.5, 0.5 + 1e-9, 0.8, 0.95, 0.999]
    agree(script, [("ndtri", v) for v in p], [float(special.ndtri(v)) for v in p], 2e-15)


def test_student_s_distribution(script: "Page") -> None:
    grid = list(itertools.product((1e-3, 0.1, 1, 1.7, 2, 4, 9, 36), (1, 1.3, 3.7, 13, 99, 1999)))
    with mpmath.workdps(40):
        exact = [
            mpmath.betainc(mpmath.mpf(df) / 2, 0.5, 0, df / (df + mpmath.mpf(t) ** 2))
            / 2
            / mpmath.beta(mpmath.mpf(df) / 2, 0.5)
            for t, df in grid
        ]
        agree(script, [("studentTail", *point) for point in grid], exact, 1e-12)
    deep = list(
        itertools.product((1e-10, 1e-6, 5e-4, 0.025, 0.4, 0.5, 0.8), (1, 2.5, 9, 199, 1e5))
    )
    quantiles = [float(stats.t_quantile(p, df)) for p, df in deep]
    agree(script, [("studentQuantile", *point) for point in deep], quantiles, 1e-12)


def test_mcnemar_s_test(script: "Page") -> None:
    methods: tuple[McNemarMethod, ...] = ("midp", "exact")
    calls, expected = [], []
    for n in (1, 2, 3, 10, 51, 200, 2049, 20_000, 100_000):
        leads = {n % 2 + 2 * int(z * math.sqrt(n) / 2) for z in (0, 0.5, 1, 2, 3, 5, 8, 20, 36)}
        for lead, method in itertools.product(leads, methods):
            if lead <= n:
                p = stats.mcnemar_pvalue((n + lead) // 2, (n - lead) // 2, method=method)
                calls.append(("mcnemar", n, lead, method == "exact"))
                expected.append(float(p))
    agree(script, calls, expected, 1e-11)


def test_the_shift_that_a_t_test_detects(script: "Page") -> None:
    grid = list(itertools.product((11, 12, 50, 805, 12_032), (0.1, 0.03, 0.001), (0.5, 0.8, 0.95)))
    expected = [
        float(stats.t_mde(n, sigma=1, alpha=alpha, power=power)) * math.sqrt(n)
        for n, alpha, power in grid
    ]
    agree(script, [("shiftForPower", *point) for point in grid], expected, 1e-11)
