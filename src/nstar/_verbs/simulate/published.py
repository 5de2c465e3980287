"""Rates that the embedding study printed: 1,000 replications of each cell, level 0.05.

"How Many Test Pairs Do You Need?", clawRxiv 2604.01075, sections 4.2 to 4.6 and 5.1.
"""

from collections.abc import Iterator
from typing import NamedTuple

REPS = 1000
"""Replications behind each printed rate."""


class PrintedRate(NamedTuple):
    """One rate as printed."""

    scenario: str
    """``normal`` or ``beta``."""
    items: int
    """Test pairs, N."""
    delta: float
    """Effect size."""
    rho: float
    """Correlation of the two models."""
    test: str
    """``t`` or ``wilcoxon``."""
    rate: float
    """Share of replications that rejected."""
    section: str
    """Where it stands."""


_RHOS = (0.5, 0.8, 0.95)

_POWER = {
    ("4.2", 0.01): {
        50: (0.081, 0.152, 0.432),
        100: (0.134, 0.262, 0.732),
        200: (0.223, 0.463, 0.964),
        500: (0.440, 0.842, 1.000),
        1000: (0.735, 0.989, 1.000),
    },
    ("4.3", 0.02): {
        50: (0.217, 0.437, 0.955),
        100: (0.369, 0.763, 0.999),
        200: (0.653, 0.957, 1.000),
        500: (0.960, 1.000, 1.000),
        1000: (1.000, 1.000, 1.000),
    },
}
"""t test, normal scores: a row of rates by rho for each N."""

_OTHERS = {
    ("4.4", 0.05, 50, 0.5): {"normal t": 0.818},
    ("4.5", 0.02, 50, 0.5): {"beta t": 0.217, "normal wilcoxon": 0.223, "beta wilcoxon": 0.204},
    ("4.5", 0.02, 100, 0.8): {"beta t": 0.732, "normal wilcoxon": 0.738, "beta wilcoxon": 0.719},
    ("4.5", 0.02, 200, 0.95): {"beta t": 1.000, "normal wilcoxon": 1.000, "beta wilcoxon": 1.000},
    ("4.5", 0.02, 500, 0.5): {"beta t": 0.958, "normal wilcoxon": 0.955, "beta wilcoxon": 0.952},
    ("4.5", 0.02, 1000, 0.8): {"beta t": 1.000, "normal wilcoxon": 1.000, "beta wilcoxon": 1.000},
    ("4.6", 0.01, 50, 0.8): {"normal wilcoxon": 0.147},
    ("4.6", 0.01, 200, 0.8): {"normal wilcoxon": 0.433, "beta wilcoxon": 0.435},
    ("4.6", 0.01, 500, 0.8): {"normal wilcoxon": 0.815, "beta t": 0.838, "beta wilcoxon": 0.840},
    ("4.6", 0.01, 1000, 0.8): {"normal wilcoxon": 0.982},
}
"""What other tables and the text add."""

_NULL_COLUMNS = ("normal t", "normal wilcoxon", "beta t", "beta wilcoxon")
_NULL = {
    (50, 0.5): (0.056, 0.055, 0.057, 0.060),
    (50, 0.8): (0.053, 0.052, 0.048, 0.051),
    (50, 0.95): (0.056, 0.052, 0.050, 0.044),
    (100, 0.5): (0.052, 0.046, 0.061, 0.060),
    (100, 0.8): (0.050, 0.052, 0.060, 0.055),
    (100, 0.95): (0.042, 0.043, 0.056, 0.059),
    (200, 0.5): (0.047, 0.049, 0.056, 0.059),
    (200, 0.8): (0.040, 0.040, 0.051, 0.059),
    (200, 0.95): (0.048, 0.047, 0.047, 0.049),
    (500, 0.5): (0.048, 0.049, 0.039, 0.039),
    (500, 0.8): (0.037, 0.040, 0.058, 0.058),
    (500, 0.95): (0.057, 0.056, 0.045, 0.049),
    (1000, 0.5): (0.048, 0.046, 0.042, 0.041),
    (1000, 0.8): (0.046, 0.043, 0.057, 0.056),
    (1000, 0.95): (0.058, 0.056, 0.056, 0.060),
}
"""No effect: type I errors by N and rho."""


def _every() -> Iterator[PrintedRate]:
    for (section, delta), table in _POWER.items():
        for n, row in table.items():
            for rho, rate in zip(_RHOS, row, strict=True):
                yield PrintedRate("normal", n, delta, rho, "t", rate, section)
    for (section, delta, n, rho), cells in _OTHERS.items():
        for column, rate in cells.items():
            scenario, test = column.split()
            yield PrintedRate(scenario, n, delta, rho, test, rate, section)
    for (n, rho), rates in _NULL.items():
        for column, rate in zip(_NULL_COLUMNS, rates, strict=True):
            scenario, test = column.split()
            yield PrintedRate(scenario, n, 0.0, rho, test, rate, "5.1")


PUBLISHED = tuple(_every())
"""Every rate once, however often it is printed."""
