"""The tail of Stirling's series, for what log gamma loses at large arguments."""

from nstar._base.types import Array


def stirling_series(x: Array) -> Array:
    """ln Γ(x) - (x - ½) ln x + x - ½ ln 2π to the last digit, x ≥ 15."""
    x2 = x * x
    return (1 / 12 - (1 / 360 - (1 / 1260 - (1 / 1680 - 1 / (1188 * x2)) / x2) / x2) / x2) / x
